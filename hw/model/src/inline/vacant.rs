//! The AXI-Lite stub of `timely_hw::inline::vacant`: every access is answered with DECERR.
use crate::Block;

/// AXI's code for a decode error.
pub const DECERR: u8 = 3;

/// Inputs at a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// An address of a write is offered.
    pub aw: bool,
    /// Data of a write are offered.
    pub w: bool,
    /// An answer to a write is taken.
    pub bready: bool,
    /// An address of a read is offered.
    pub ar: bool,
    /// An answer to a read is taken.
    pub rready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out {
    /// An address of a write is taken.
    pub awready: bool,
    /// Data of a write are taken.
    pub wready: bool,
    /// A write is answered, with [`DECERR`].
    pub b: bool,
    /// An address of a read is taken.
    pub arready: bool,
    /// A read is answered, with [`DECERR`] and 0.
    pub r: bool,
}

/// The slave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vacant {
    aw: bool,
    w: bool,
    ar: bool,
}

impl Block for Vacant {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        Out { awready: !self.aw, wready: !self.w, b: self.aw && self.w, arready: !self.ar, r: self.ar }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let out = self.output(clk);
        let (over, read) = (out.b && i.bready, out.r && i.rready);
        *self = match i.rst {
            true => Vacant::default(),
            false => Vacant { aw: (self.aw || i.aw) && !over, w: (self.w || i.w) && !over, ar: (self.ar || i.ar) && !read },
        };
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.aw || self.w || self.ar { clk } else { u64::MAX }
    }
}
