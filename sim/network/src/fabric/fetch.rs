//! Reads what the next events will need before the first of them happens: what the cache does not
//! hold then comes for all of them at once.
use super::Fabric;
use super::cell::{Cell, Kind, PORT};
use std::hint::black_box;

/// Cells in use from which on the cache does not hold them.
const LARGE: usize = 1 << 15;
/// Events that are looked at together.
const TOGETHER: usize = 64;

// `yes` or `no`, without a branch: one that is not foreseen would wait for what it depends on.
#[inline]
fn choose(which: bool, yes: u32, no: u32) -> u32 {
    let mask = u32::from(which).wrapping_neg();
    yes & mask | no & !mask
}

impl Fabric {
    /// Goes on to the next events; false when there are none.
    #[inline]
    pub(super) fn look_ahead(&mut self) -> bool {
        let large = self.cells.used() >= LARGE;
        let more = self.calendar.advance(if large { TOGETHER } else { 1 });
        if large {
            self.fetch();
        }
        more
    }

    /// Brings cells, ports and flows of the events that are present into the cache.
    fn fetch(&self) {
        let mut read = 0;
        let of = |id: u32| &self.cells[choose(id & PORT == 0, id, 0)];
        for (_, id) in self.calendar.coming() {
            read ^= of(*id).flow;
        }
        let port = |id: u32, cell: &Cell| {
            // In place of a cell, the first one: whatever it is, its path may have ended.
            let enters = (id & PORT == 0) & (cell.kind == Kind::Enter);
            let hop = self.routes[choose(enters, cell.route, 0) as usize];
            choose(id & PORT == 0, choose(enters, hop.out, 0), id & !PORT)
        };
        for (_, id) in self.calendar.coming() {
            let cell = of(*id);
            let port = &self.ports[port(*id, cell) as usize];
            read ^= port.busy as u32 ^ port.held() as u32;
            let of_flow = (id & PORT == 0) & (cell.kind != Kind::Enter) & (cell.kind != Kind::Pause);
            read ^= self.flows[choose(of_flow, cell.flow, 0) as usize].end;
        }
        for (_, id) in self.calendar.coming() {
            let cell = of(*id);
            let port = &self.ports[port(*id, cell) as usize];
            let first = choose(id & PORT != 0, port.first(), 0);
            let first = choose(first < self.cells.most() as u32, first, 0);
            read ^= self.cells[first].flow ^ self.cells.links[first as usize].next;
            let delivers = (id & PORT == 0) & (cell.kind == Kind::Enter) & port.to_host;
            read ^= self.flows[choose(delivers, cell.flow, 0) as usize].packets as u32;
        }
        black_box(read);
    }
}
