//! The event ring: its indices, whether it has room, when it is to be read.
use super::settings::Settings;
use timely_regs::map::dma::BURST_BYTES;

/// Clocks from the start of a record's write until the next may start: `full` then knows of it.
const SETTLE: u8 = 2;

#[derive(Clone, Debug, Default)]
pub(super) struct Ring {
    /// Records whose write was started, and those of them that are whole in memory.
    issued: u32,
    pub producer: u32,
    pub consumer: u32,
    fill: u32,
    full: bool,
    unread: u32,
    some: bool,
    reached: bool,
    settle: u8,
    /// The write of a record failed: none behind it counts.
    broken: bool,
    slot: u32,
    address: u64,
    /// When the hold-off time ends.
    expires: u64,
}

impl Ring {
    pub fn address(&self) -> u64 {
        self.address
    }

    /// A record may be written.
    pub fn is_open(&self) -> bool {
        self.settle == 0 && !self.full
    }

    /// There is no room for a record.
    pub fn is_full(&self) -> bool {
        self.settle == 0 && self.full
    }

    /// Software is to read the ring.
    pub fn wants(&self, clk: u64) -> bool {
        self.reached || self.some && self.expires <= clk
    }

    /// `start`: DMA starts; `took`: a record's write starts; `done`: one ended, and whether it
    /// failed; `consumed`: a new consumer index.
    pub fn step(&mut self, clk: u64, s: &Settings, start: bool, took: bool, done: Option<bool>, consumed: Option<u32>) {
        let old = self.clone();
        if !old.some || consumed.is_some() {
            self.expires = clk + 1 + u64::from(s.holdoff);
        }
        self.fill = old.issued.wrapping_sub(old.consumer);
        self.full = u64::from(old.fill) >> s.ring_bits != 0;
        self.unread = old.producer.wrapping_sub(old.consumer);
        self.some = old.unread != 0;
        self.reached = old.unread != 0 && old.unread >= s.watermark;
        self.settle = old.settle.saturating_sub(1);
        self.consumer = consumed.unwrap_or(old.consumer);
        match done {
            Some(true) => self.broken = true,
            Some(false) if !old.broken => self.producer = old.producer.wrapping_add(1),
            _ => {}
        }
        if took {
            self.issued = old.issued.wrapping_add(1);
            self.settle = SETTLE;
            self.slot = old.slot + 1;
            self.address = old.address.wrapping_add(BURST_BYTES.into());
            if self.slot >> s.ring_bits != 0 {
                (self.slot, self.address) = (0, s.ring);
            }
        }
        if start {
            *self = Ring { settle: SETTLE + 1, address: s.ring, expires: self.expires, ..Ring::default() };
        }
    }

    /// Nothing moves but the hold-off time.
    fn is_still(&self, s: &Settings) -> bool {
        let unread = self.producer.wrapping_sub(self.consumer);
        self.settle == 0
            && self.fill == self.issued.wrapping_sub(self.consumer)
            && self.full == (u64::from(self.fill) >> s.ring_bits != 0)
            && self.unread == unread
            && self.some == (unread != 0)
            && self.reached == (unread != 0 && unread >= s.watermark)
    }

    /// `told`: that it is to be read is known.
    pub fn wake(&self, clk: u64, s: &Settings, told: bool) -> u64 {
        if !self.is_still(s) || self.reached && !told {
            clk
        } else if self.some && !told {
            self.expires.max(clk)
        } else {
            u64::MAX
        }
    }
}
