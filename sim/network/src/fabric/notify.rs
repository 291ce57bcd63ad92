//! Congestion notification: the receiver's CNPs, and what the sender makes of them and of its
//! controller's timers.
use super::Fabric;
use super::cell::{CNP, Kind};
use super::control::engine_rate;
use super::flow::TIMED;
use super::port::CNPS;
use crate::time::{NEVER, Ps};

impl Fabric {
    /// A data packet has come to a receiver that sends CNPs.
    #[inline]
    pub(super) fn notices(&mut self, at: Ps, f: u32, marked: bool) {
        let Some(due) = self.flows[f as usize].notification.as_mut().and_then(|n| n.came(at, marked)) else { return };
        self.timed(f, Kind::Notify, due);
    }

    fn timed(&mut self, f: u32, kind: Kind, at: Ps) {
        let id = self.cells.take(kind, f);
        self.calendar.push(id, at);
    }

    /// The receiver of a flow sends a CNP.
    pub(super) fn notify(&mut self, now: Ps, f: u32) {
        let flow = &mut self.flows[f as usize];
        if let Some(n) = &mut flow.notification {
            n.sent(now);
        }
        let (route, key) = (flow.back, (flow.spec.host as u16, flow.spec.number));
        let id = self.cells.take(Kind::Enter, f);
        let cell = &mut self.cells[id];
        (cell.bits, cell.class, cell.wire, cell.route) = (CNP, CNPS, self.ack_wire, route);
        self.record.notifications += 1;
        // Each is as late as its period says: it has no order to keep with ACKs.
        match self.feedback.as_ref().map_or(0, |jitter| jitter.draw(key, now)) {
            0 => self.forward(now, id),
            held => self.calendar.push(id, now + held),
        }
    }

    /// A CNP has come to the sender of a flow.
    pub(super) fn notified(&mut self, now: Ps, f: u32) {
        let flow = &mut self.flows[f as usize];
        if let Some(c) = flow.control.other() {
            c.congestion(now);
        }
        self.follow(now, f);
    }

    /// The timer of a flow's controller.
    pub(super) fn timer(&mut self, now: Ps, f: u32) {
        let flow = &mut self.flows[f as usize];
        flow.flags &= !TIMED;
        if let Some(c) = flow.control.other().filter(|c| c.next_timer() <= now) {
            c.timer(now);
        }
        self.follow(now, f);
    }

    /// Takes the controller's rate over and sets its timer, while the flow has anything to send or
    /// on its way.
    pub(super) fn follow(&mut self, now: Ps, f: u32) {
        let flow = &mut self.flows[f as usize];
        let busy = flow.left > 0 || flow.outstanding > 0;
        let Some(c) = flow.control.other() else { return };
        let (rate, next) = (engine_rate(c.rate()), c.next_timer());
        let changed = std::mem::replace(&mut flow.rate, rate) != rate;
        if next != NEVER && busy && flow.flags & TIMED == 0 {
            flow.flags |= TIMED;
            self.timed(f, Kind::Timer, next.max(now));
        }
        if changed && self.record.detail {
            self.record.sampled_rate(f, now, rate);
        }
    }
}
