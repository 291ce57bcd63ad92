//! The scheduler's blocks on Corundum's register bus. See `timely_hw::scheduler::registers`.
use crate::Block;
use timely_regs::corundum::{OWN_OFFSET, TYPE, VERSION};
use timely_regs::map::MAGIC;

/// Parameters of the scheduler's instance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given {
    /// Address of the registers, as the bus sees it.
    pub base: u32,
    /// Address of the registers, as software sees it.
    pub address: u32,
    /// Address of the next scheduler's.
    pub next: u32,
    /// Address of the window, as software sees it.
    pub window: u32,
    /// Queues.
    pub queues: u32,
    /// Destination of requests after reset.
    pub dest: u16,
    /// log2 of the flows.
    pub flow_bits: u8,
    /// Buses in place of the window.
    pub streams: bool,
}

/// Inputs at a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A write: address, data, strobes.
    pub write: Option<(u32, u32, u8)>,
    /// A read: address.
    pub read: Option<u32>,
    /// The RAM is clear.
    pub swept: bool,
    /// No flow may send.
    pub stop: bool,
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out {
    /// The write is taken.
    pub wr_ack: bool,
    /// The read is answered.
    pub rd_ack: bool,
    /// The word read.
    pub data: u32,
    /// The scheduler is enabled.
    pub enable: bool,
    /// Destination of requests.
    pub dest: u16,
}

/// The registers.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    given: Given,
    out: Out,
}

impl Registers {
    /// After a reset.
    pub fn new(given: Given) -> Self {
        Registers { given, out: Out { wr_ack: false, rd_ack: false, data: 0, enable: false, dest: given.dest } }
    }

    fn value(&self, word: u32, i: &In) -> Option<u32> {
        let g = &self.given;
        Some(match word {
            0 => 0xc004,
            1 => 0x300,
            2 => g.next,
            3 => g.address.wrapping_add(0x10),
            4 => 0xc040,
            5 => 0x100,
            6 => g.address.wrapping_add(OWN_OFFSET),
            7 => g.window,
            8 => g.queues,
            9 => 4,
            10 => self.out.enable.into(),
            11 => self.out.dest.into(),
            12 => TYPE,
            13 => VERSION,
            14 => 0,
            15 => MAGIC,
            16 => g.flow_bits.into(),
            17 => g.streams.into(),
            18 => u32::from(i.swept) | u32::from(i.stop) << 1,
            _ => return None,
        })
    }
}

impl Block for Registers {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        self.out
    }

    fn step(&mut self, _clk: u64, i: &In) {
        if i.rst {
            *self = Registers::new(self.given);
            return;
        }
        let word = |address: u32| (address.wrapping_sub(self.given.base) & 0xff_ffff) >> 2;
        let read = i.read.filter(|_| !self.out.rd_ack).and_then(|address| self.value(word(address), i));
        let write = i.write.filter(|_| !self.out.wr_ack).map(|(address, data, strobes)| (word(address), data, strobes & 1 != 0));
        let (mut enable, mut dest) = (self.out.enable, self.out.dest);
        match write {
            Some((10, data, true)) => enable = data & 1 != 0,
            Some((11, data, true)) => dest = data as u16,
            _ => {}
        }
        self.out =
            Out { wr_ack: write.is_some_and(|w| w.0 == 10 || w.0 == 11), rd_ack: read.is_some(), data: read.unwrap_or(0), enable, dest };
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.out.wr_ack || self.out.rd_ack { clk } else { u64::MAX }
    }
}
