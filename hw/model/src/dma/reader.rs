//! Read bursts: up to [`MOST_READS`] asked for, one record at a time put together.
use super::io::{Master, Slave, words};
use crate::stream::WIDEST;
use timely_regs::flow;

/// Most read bursts that were asked for and have not come whole.
pub const MOST_READS: usize = 4;

/// The AR and R channels.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    /// Bytes of a beat.
    bytes: usize,
    asking: bool,
    address: u64,
    pending: usize,
    beat: usize,
    data: [u8; WIDEST],
    failing: bool,
    /// A record is whole, and whether the memory failed.
    pub full: Option<bool>,
}

impl Reader {
    pub fn new(bytes: usize) -> Self {
        Reader { bytes, asking: false, address: 0, pending: 0, beat: 0, data: [0; WIDEST], failing: false, full: None }
    }

    /// A burst may be asked for.
    pub fn is_free(&self) -> bool {
        !self.asking && self.pending < MOST_READS
    }

    /// Nothing is in flight.
    pub fn is_idle(&self) -> bool {
        !self.asking && self.pending == 0
    }

    /// The record.
    pub fn record(&self) -> [u32; flow::WORDS] {
        words(&self.data)
    }

    pub fn show(&self, to: &mut Master) {
        to.ar = self.asking.then_some(self.address);
        to.r_ready = self.full.is_none();
    }

    /// `from`: bursts are read from there on; `ask`: the next one is; `used`: the record is not
    /// needed any more.
    pub fn step(&mut self, from: Option<u64>, ask: bool, used: bool, memory: &Slave) {
        if self.asking && memory.ar_ready {
            self.asking = false;
            self.address = self.address.wrapping_add(WIDEST as u64);
        }
        let taken = memory.r.filter(|_| self.full.is_none() && self.pending > 0);
        if used {
            self.full = None;
        }
        if let Some(beat) = taken {
            let last = (self.beat + 1) * self.bytes == WIDEST;
            self.data[self.beat * self.bytes..][..self.bytes].copy_from_slice(&beat.data[..self.bytes]);
            self.failing |= beat.response & 2 != 0 || beat.last != last;
            self.beat += 1;
            if last {
                (self.full, self.failing, self.beat) = (Some(self.failing), false, 0);
                self.pending -= 1;
            }
        }
        if ask {
            self.asking = true;
            self.pending += 1;
        }
        if let Some(address) = from {
            self.address = address;
        }
    }
}
