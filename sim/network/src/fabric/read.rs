//! READs: the responder's NIC answers a request with the segment that it asks for, at once and at
//! line rate.
use super::Fabric;
use super::cell::{Kind, LAST, RESPONSE};
use super::flow::PER_PACKET;
use crate::time::Ps;

impl Fabric {
    /// A READ request has arrived: its segment goes back.
    pub(super) fn respond(&mut self, now: Ps, request: u32) {
        let asked = self.cells[request];
        self.cells.give(request);
        let flow = &self.flows[asked.flow as usize];
        let (packet, class, route) = (flow.spec.packet, flow.class, flow.back);
        let mut left = asked.segment;
        while left > 0 {
            let payload = left.min(packet);
            left -= payload;
            let id = self.cells.take(Kind::Enter, asked.flow);
            let cell = &mut self.cells[id];
            (cell.stamp, cell.end, cell.segment) = (asked.stamp, asked.end, asked.segment);
            cell.wire = (payload + PER_PACKET) as u16;
            cell.class = class;
            cell.route = route;
            cell.bits = RESPONSE | if left == 0 { LAST } else { 0 };
            self.forward(now, id);
        }
    }
}
