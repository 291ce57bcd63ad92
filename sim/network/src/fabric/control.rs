//! Control of a flow's rate or window: the integers of the rate engine, or another controller.
use crate::time::{NEVER, Ps};
use timely_model::engine::law::{self, Kind, Operation, State, Words};

/// Contents of an ACK, as a controller sees them.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Now.
    pub now: Ps,
    /// The measured RTT.
    pub rtt: Ps,
    /// Payload bytes answered.
    pub bytes: u32,
    /// Packets answered.
    pub packets: u32,
    /// Answered packets that were marked.
    pub marked: u32,
    /// The ACK tells of lost packets, and that counts: at most once in an RTT.
    pub lost: bool,
    /// Offset in the payload that is answered, modulo 2^32.
    pub acked: u32,
    /// Offset up to which was sent, modulo 2^32.
    pub sent: u32,
}

/// A controller that is not the hardware's.
pub trait Controller: Send {
    /// Takes an ACK.
    fn answer(&mut self, a: &Answer);
    /// The flow timed out: its outstanding bytes are lost.
    fn timeout(&mut self, now: Ps);
    /// The rate, Mb/s of wire bits.
    fn rate(&self) -> f64;
    /// Most wire bytes on their way; `None`: the flow's own bound.
    fn window(&self) -> Option<u32> {
        None
    }
    /// Takes a congestion notification.
    fn congestion(&mut self, _now: Ps) {}
    /// A packet of so many wire bytes has left.
    fn sent(&mut self, _wire: u32) {}
    /// The controller's timer has expired.
    fn timer(&mut self, _now: Ps) {}
    /// Time of the controller's timer; [`NEVER`]: no timer is set.
    fn next_timer(&self) -> Ps {
        NEVER
    }
}

/// Branches of the hardware's laws, by the numbers of `timely_model::engine::law` that event
/// records have.
pub const BRANCHES: usize = law::HELD as usize + 1;

/// Rate controller of a flow.
pub enum Control {
    /// The law of the rate engine, bit for bit, and how often each of its branches was taken.
    Integer(State, [u32; BRANCHES]),
    /// Another controller.
    Other(Box<dyn Controller>),
}

/// A rate in the engine's unit, 2^-12 Mb/s.
pub fn engine_rate(mbps: f64) -> u32 {
    (mbps * 4096.0).round().clamp(1.0, f64::from(u32::MAX)) as u32
}

impl Control {
    /// A flow that was just loaded, of a profile of these words.
    pub fn integer(words: &Words) -> Self {
        let mut state = State::default();
        law::apply(words, &mut state, &Operation { kind: Kind::Init, ..Operation::default() });
        Control::Integer(state, [0; BRANCHES])
    }

    /// How often each branch of the hardware's law was taken, by answers and by time-outs.
    pub fn branches(&self) -> Option<[u32; BRANCHES]> {
        match self {
            Control::Integer(_, branches) => Some(*branches),
            Control::Other(_) => None,
        }
    }

    /// The rate, 2^-12 Mb/s.
    pub fn rate(&self) -> u32 {
        match self {
            Control::Integer(s, _) => s.rate,
            Control::Other(c) => engine_rate(c.rate()),
        }
    }

    /// Takes an ACK; gives the rate and the window, if there is one.
    #[inline]
    pub fn answer(&mut self, words: &Words, a: &Answer) -> (u32, Option<u32>) {
        match self {
            Control::Integer(state, branches) => {
                // To the nearest ns, and at most what 24 bits hold, as the RTT block measures.
                let rtt_ns = ((a.rtt + 500) / 1000).min((1 << 24) - 1) as u32;
                let kind = if a.lost { Kind::Loss } else { Kind::Sample };
                let operation = Operation { kind, rtt_ns, value: (a.now / 1000) as u32, ..Operation::default() };
                let outcome = law::apply(words, state, &operation);
                branches[usize::from(outcome.branch)] += 1;
                (outcome.rate, None)
            }
            Control::Other(c) => {
                c.answer(a);
                (engine_rate(c.rate()), c.window())
            }
        }
    }

    /// The flow timed out: its outstanding bytes are lost.
    pub fn timeout(&mut self, words: &Words, now: Ps) -> (u32, Option<u32>) {
        match self {
            Control::Integer(state, branches) => {
                let operation = Operation { kind: Kind::Timeout, value: (now / 1000) as u32, ..Operation::default() };
                let outcome = law::apply(words, state, &operation);
                branches[usize::from(outcome.branch)] += 1;
                (outcome.rate, None)
            }
            Control::Other(c) => {
                c.timeout(now);
                (engine_rate(c.rate()), c.window())
            }
        }
    }

    /// The flow sends again after its idle time.
    pub fn restart(&mut self, words: &Words) -> u32 {
        if let Control::Integer(state, _) = self {
            return law::apply(words, state, &Operation { kind: Kind::Idle, ..Operation::default() }).rate;
        }
        self.rate()
    }

    /// A controller of another kind than the hardware's.
    #[inline]
    pub fn other(&mut self) -> Option<&mut dyn Controller> {
        match self {
            Control::Integer(..) => None,
            Control::Other(c) => Some(&mut **c),
        }
    }

    /// Most wire bytes on their way at first.
    pub fn window(&self) -> Option<u32> {
        match self {
            Control::Integer(..) => None,
            Control::Other(c) => c.window(),
        }
    }
}
