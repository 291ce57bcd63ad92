//! The multiplexer of `timely_hw::txmux`: frames whole, ACKs first or by turns, 1 clock.
use crate::{Block, stream::Beat};
use timely_regs::link::ACK_TAG;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// Both streams by turns, in place of ACKs first.
    pub fair: bool,
    /// Beat offered by the ACK stream.
    pub ack: Option<Beat>,
    /// Beat offered by the data stream, and the tag of its frame.
    pub data: Option<(Beat, u16)>,
    /// Downstream takes the merged beat.
    pub ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// An offered ACK beat is taken.
    pub ack_ready: bool,
    /// An offered data beat is taken.
    pub data_ready: bool,
    /// The merged beat and its frame's tag.
    pub beat: Option<(Beat, u16)>,
}

/// The stream of the frame under way.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stream {
    Ack,
    Data,
}

/// The multiplexer.
#[derive(Clone, Debug, Default)]
pub struct TxMux {
    /// The stream of the frame under way, until its last beat is loaded.
    busy: Option<Stream>,
    /// The last frame begun is an ACK.
    acked: bool,
    out: Option<(Beat, u16)>,
    ack: Option<Beat>,
    data: Option<(Beat, u16)>,
}

impl TxMux {
    /// A frame has begun whose last beat is not loaded yet.
    pub fn is_inside(&self) -> bool {
        self.busy.is_some()
    }

    /// A beat stands at the output: nothing moves until it is taken, or another is offered and
    /// taken.
    pub fn stands(&self) -> bool {
        self.out.is_some()
    }
}

impl Block for TxMux {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        Out { ack_ready: self.ack.is_none(), data_ready: self.data.is_none(), beat: self.out }
    }

    fn step(&mut self, _clk: u64, i: &In) {
        if i.rst {
            *self = TxMux::default();
            return;
        }
        // A beat is taken when its stream's spill register is empty.
        if self.ack.is_none() {
            self.ack = i.ack;
        }
        if self.data.is_none() {
            self.data = i.data;
        }
        if self.out.is_some() && !i.ready {
            return;
        }
        let waits = i.fair && self.acked && self.data.is_some();
        let stream = self.busy.unwrap_or(if self.ack.is_some() && !waits { Stream::Ack } else { Stream::Data });
        self.out = match stream {
            Stream::Ack => self.ack.take().map(|beat| (beat, ACK_TAG)),
            Stream::Data => self.data.take(),
        };
        if let Some((beat, _)) = &self.out {
            self.busy = (!beat.last).then_some(stream);
            self.acked = stream == Stream::Ack;
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.out.is_none() && self.ack.is_none() && self.data.is_none() { u64::MAX } else { clk }
    }
}
