//! The way out where flows are queue pairs: the requests that leave, and their departures.
use crate::bus::Completion;
use crate::inline::form::Beside;
use crate::round_trips::{Frame, Request};
use crate::stream::Beat;
use timely_regs::link::wire_bytes;

/// The way out.
#[derive(Clone, Debug, Default)]
pub struct PairExit {
    /// Bytes of the frame so far, and when its first beat left.
    bytes: u32,
    stamp: u64,
    tag: u8,
    /// A request whose last beat left a clock ago, and its stamp.
    last: Option<(Frame, u64)>,
    /// The frame a clock later, its launch by the steady time.
    report: Option<(Frame, u64)>,
}

/// The request of which `beside` is, as the way in wrote it.
fn request(beside: u128) -> Request {
    let bits = |at: u32, bits: u32| (beside >> at) as u32 & (u32::MAX >> (32 - bits));
    Request { flow: bits(58, 14), psn: bits(0, 24), read: bits(24, 1) == 1, asks: bits(25, 1) == 1, bytes: bits(26, 32) }
}

impl PairExit {
    /// The request that is reported, its launch by the steady time.
    pub fn frame(&self) -> Option<Frame> {
        self.report.map(|r| r.0)
    }

    /// Departure of that request.
    pub fn completion(&self) -> Option<Completion> {
        self.report.map(|(frame, ts)| Completion { tag: frame.tag, ts })
    }

    /// No report comes.
    pub fn is_idle(&self) -> bool {
        self.last.is_none() && self.report.is_none()
    }

    /// A clock: a beat of a frame from the store that leaves, what goes beside it, and the date.
    pub fn step(&mut self, rst: bool, beat: Option<Beat>, beside: Option<Beside>, now: u64) {
        self.report = self.last.take();
        if let Some((beat, (launch, beside))) = beat.zip(beside) {
            if self.bytes == 0 {
                self.stamp = now;
            }
            self.bytes += u32::from(beat.bytes);
            if beat.last {
                let wire_bytes = wire_bytes(self.bytes) as u16;
                let frame = Frame { tag: self.tag.into(), wire_bytes, launch, request: Some(request(beside)) };
                self.last = Some((frame, self.stamp));
                (self.tag, self.bytes) = (self.tag.wrapping_add(1), 0);
            }
        }
        if rst {
            *self = PairExit::default();
        }
    }
}
