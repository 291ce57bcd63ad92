//! Requests: which packet of a flow is timed.
use super::words::{Done, Frame, Pulse, Request, Sent, TIMING_BITS, WINDOW, distance, last_response, mtu_of};
use std::collections::VecDeque;

/// Clocks from a frame's `sent` to the decision whether it is timed.
const DECIDED: usize = 3;

/// An operation on a flow's word.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Request(Request),
    /// Nothing that was sent before counts any more.
    Forget(u32),
    /// A frame that is no request of a flow.
    Other,
}

/// An operation, with what it read as it entered.
#[derive(Clone, Copy, Debug)]
struct Op {
    kind: Kind,
    frame: Frame,
    /// When it entered, units of 32 ns.
    entered: u32,
    done: Done,
    mtu: u8,
    /// Decided: the packet's timing, if it is timed; the flow's word from then on.
    times: Option<u8>,
    word: Option<(u32, Sent)>,
}

/// Words of all flows, and operations under way.
#[derive(Clone, Debug)]
pub struct Requests {
    words: Vec<Sent>,
    /// As the other side reads them.
    shown: Vec<Sent>,
    /// A flow that is to be forgotten.
    forget: Option<u32>,
    /// By clocks since they entered.
    ops: VecDeque<Option<Op>>,
}

impl Requests {
    pub fn new(flows: usize) -> Self {
        Requests {
            words: vec![Sent::default(); flows],
            shown: vec![Sent::default(); flows],
            forget: None,
            ops: VecDeque::from([None; DECIDED + 1]),
        }
    }

    /// No operation is under way.
    pub fn is_idle(&self) -> bool {
        self.forget.is_none() && self.ops.iter().all(Option::is_none)
    }

    /// A flow's word as the other side reads it.
    pub fn shown(&self, flow: u32) -> Sent {
        self.shown[flow as usize]
    }

    /// From the next clock without a frame on nothing that was sent before counts.
    pub fn forget(&mut self, flow: u32) {
        self.forget = Some(flow);
    }

    /// A clock: what enters, `done` by flow as it is read, the least path MTU. Gives pulses,
    /// and a frame that was decided, with its timing.
    pub fn step(&mut self, frame: Option<Frame>, done: impl Fn(u32) -> Done, mtu: u8, entered: u32) -> (u16, Option<(Frame, Option<u8>)>) {
        let kind = match frame {
            Some(Frame { request: Some(r), .. }) => Some(Kind::Request(r)),
            Some(_) => Some(Kind::Other),
            None => self.forget.take().map(Kind::Forget),
        };
        let entering = kind.map(|kind| {
            let done = if let Kind::Request(r) = kind { done(r.flow) } else { Done::default() };
            Op { kind, frame: frame.unwrap_or_default(), entered, done, mtu: 0, times: None, word: None }
        });
        // Written in the fifth clock.
        let written = self.ops.pop_back().flatten();
        if let Some((flow, word)) = written.and_then(|op| op.word) {
            self.shown[flow as usize] = word;
        }
        let decided = written.filter(|op| !matches!(op.kind, Kind::Forget(_))).map(|op| (op.frame, op.times));
        let mut pulses = 0;
        if let Some(op) = &mut self.ops[1] {
            op.mtu = op.done.mtu.max(mtu);
        }
        if let Some(op) = &mut self.ops[DECIDED - 1] {
            match op.kind {
                Kind::Request(r) => {
                    let word = &mut self.words[r.flow as usize];
                    (op.times, pulses) = request(word, op, &r);
                    op.word = Some((r.flow, *word));
                }
                Kind::Forget(flow) => {
                    let word = &mut self.words[flow as usize];
                    *word = Sent { known: false, unsure: true, mtu: 0, ..*word };
                    op.word = Some((flow, *word));
                }
                Kind::Other => {}
            }
        }
        self.ops.push_front(entering);
        (pulses, decided)
    }
}

/// Decides a request: its flow's word from then on, its timing's number if it is timed, pulses.
fn request(word: &mut Sent, op: &Op, r: &Request) -> (Option<u8>, u16) {
    let ahead = distance(r.psn, word.newest);
    let restarts = word.known && !(1 - WINDOW..=WINDOW).contains(&ahead);
    let repeats = word.known && !restarts && ahead <= 0;
    let advances = !repeats;
    let timing = word.timing != op.done.timing;
    let old = word.timed;
    // An earlier READ may have been taken for longer than it was, and this one goes on beyond it.
    let last = if r.read { last_response(r.psn, r.bytes, word.mtu.max(op.mtu).max(1)) } else { r.psn };
    if advances || distance(last, word.newest) > 0 {
        word.newest = last;
    }
    let sure = word.known && !restarts && !repeats;
    let following = (word.timing + 1) & ((1 << TIMING_BITS) - 1);
    // A timing that is unsure gives way to one that is not, unless all numbers are taken.
    let replaces = timing && word.unsure && sure && following != op.done.timing;
    let starts = (!timing || replaces) && (r.asks || r.read);
    word.known = true;
    word.connection ^= restarts;
    if starts {
        if !timing {
            word.since = op.entered;
        }
        (word.timing, word.timed, word.unsure, word.replaced) = (following, r.psn, !sure, timing);
    } else if timing && restarts {
        (word.timed, word.unsure) = (r.psn, true);
    } else if timing && distance(r.psn, old) <= 0 {
        word.unsure = true;
    }
    if !r.read {
        word.mtu = word.mtu.max(mtu_of(r.bytes));
    }
    let pulses = u16::from(repeats) << Pulse::Repeated as u16 | u16::from(restarts) << Pulse::Restarted as u16;
    (starts.then_some(word.timing), pulses)
}
