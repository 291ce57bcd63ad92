//! The configuration bridge between the control half and a scheduler. See
//! `timely_hw::scheduler::courier`.
use crate::Block;
use crate::bus::{FlowLoad, ProfileWrite, Release};
use crate::fifo::{self, Fifo};
use timely_regs::corundum::{Kind, MAIL_FLOW, MAIL_GRANTS, MAIL_REFUSED, MAIL_SIGN, MAIL_SWEPT, MAIL_WHAT, SIGN, load_word};
use timely_regs::counters::Counter;
use timely_regs::profile::{IDLE_NS, OUTSTANDING, TOKEN_CAP, USE_WINDOW};

/// Clocks that the mailbox is left alone when it was empty.
pub const POLL: u8 = 31;
/// How often a write that is refused is begun.
pub const TRIES: u8 = 8;
/// Words of a profile that the pacer reads.
pub const WORDS: [u8; 4] = [IDLE_NS.word, OUTSTANDING.word, TOKEN_CAP.word, USE_WINDOW.word];

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// The scheduler's window, as the master sees it.
    pub base: u32,
    /// Accesses may begin.
    pub enable: bool,
    /// A flow and its rate.
    pub rate: Option<(u32, u32)>,
    /// Bytes that are outstanding no more.
    pub release: Option<Release>,
    /// A record on the flow bus.
    pub load: Option<FlowLoad>,
    /// A word on the profile bus.
    pub profile: Option<ProfileWrite>,
    /// Paused priorities.
    pub pause: u8,
    /// No flow may send.
    pub stop: bool,
    /// A write address is taken if offered.
    pub aw_ready: bool,
    /// Write data are taken if offered.
    pub w_ready: bool,
    /// A write is answered.
    pub b: Option<u8>,
    /// A read address is taken if offered.
    pub ar_ready: bool,
    /// A read is answered.
    pub r: Option<(u8, u32)>,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// A flow starts after its idle time.
    pub idle: Option<u32>,
    /// A flow became limited, or is limited no longer.
    pub limited: Option<(u32, bool)>,
    /// Counted events.
    pub pulses: u64,
    /// The scheduler's RAM and ours are clear.
    pub swept: bool,
    /// A write was refused to the last, a read was refused, or no scheduler of ours answered.
    pub failed: bool,
    /// A write address.
    pub aw: Option<u32>,
    /// Write data.
    pub w: Option<u32>,
    /// A write's answer is taken.
    pub b_ready: bool,
    /// A read address.
    pub ar: Option<u32>,
    /// A read's answer is taken.
    pub r_ready: bool,
}

/// Pending writes of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    any: bool,
    load: Option<u32>,
    rate: Option<u32>,
    release: u32,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Take,
    Rate(u32),
    Release(u32),
    Load(u32),
}

/// The configuration bridge.
#[derive(Clone, Debug)]
pub struct Courier {
    flow_bits: u32,
    swept_at: u64,
    kept: Vec<Kept>,
    rates: Fifo<(u32, u32)>,
    releases: Fifo<(u32, u32)>,
    loads: Fifo<(u32, u32)>,
    words: Fifo<ProfileWrite>,
    flows: Fifo<u32>,
    stages: [Option<(u32, What)>; 3],
    fresh: Option<u32>,
    taken: Option<(u32, Kept)>,
    taking: bool,
    held: (u32, Kept),
    told: Option<(bool, u8)>,
    aw: bool,
    w: bool,
    b: bool,
    address: u32,
    data: u32,
    ar: bool,
    r: bool,
    /// The clock from which the mailbox is read again.
    poll_at: u64,
    /// `enable` as of the last step.
    enabled: bool,
    mail_at: u32,
    answer: Option<(u8, u32)>,
    /// How often the write was refused.
    tries: u8,
    refused: bool,
    grants: u16,
    refusal: bool,
    up: bool,
    idle: Option<u32>,
    limited: Option<(u32, bool)>,
}

/// Whether an answer is a mailbox'.
fn good((response, word): (u8, u32)) -> bool {
    response == 0 && MAIL_SIGN.get(&[word]) == SIGN
}

impl Courier {
    /// Of `2^flow_bits` flows.
    pub fn new(flow_bits: u32) -> Self {
        Courier {
            flow_bits,
            swept_at: 1 << flow_bits,
            kept: vec![Kept::default(); 1 << flow_bits],
            rates: Fifo::new(9),
            releases: Fifo::new(9),
            loads: Fifo::new(5),
            words: Fifo::new(9),
            flows: Fifo::new(flow_bits),
            stages: [None; 3],
            fresh: None,
            taken: None,
            taking: false,
            held: (0, Kept::default()),
            told: None,
            aw: false,
            w: false,
            b: false,
            address: 0,
            data: 0,
            ar: false,
            r: false,
            poll_at: POLL.into(),
            enabled: false,
            mail_at: 0,
            answer: None,
            tries: 0,
            refused: false,
            grants: 0,
            refusal: false,
            up: false,
            idle: None,
            limited: None,
        }
    }

    fn act(&mut self, flow: u32, what: What) {
        let k = &mut self.kept[flow as usize];
        if matches!(what, What::Take) {
            self.taken = Some((flow, std::mem::take(k)));
            return;
        }
        self.fresh = (!k.any).then_some(flow);
        k.any = true;
        match what {
            What::Take => {}
            What::Rate(rate) => k.rate = Some(rate),
            What::Release(bytes) => k.release = k.release.wrapping_add(bytes),
            What::Load(word) => {
                if word & 2 == 0 {
                    k.release = 0;
                }
                // The older one voids what it does not keep, and if it disables the flow.
                let voids = k.load.is_some_and(|old| old & 3 != 3);
                k.load = Some(if voids { word & !2 } else { word });
            }
        }
    }

    /// The next write: kind, index, data. It is marked as written.
    fn next(&mut self, clk: u64, i: &In) -> Option<(Kind, u32, u32)> {
        if self.told != Some((i.stop, i.pause)) {
            self.told = Some((i.stop, i.pause));
            return Some((Kind::Control, 0, u32::from(i.stop) | u32::from(i.pause) << 8));
        }
        if let Some(p) = self.words.output(clk).head {
            return Some((Kind::Profile, u32::from(p.profile) << 5 | u32::from(p.word), p.data));
        }
        let (flow, k) = &mut self.held;
        if let Some(word) = k.load.take() {
            Some((Kind::Load, *flow, word))
        } else if let Some(rate) = k.rate.take() {
            Some((Kind::Rate, *flow, rate))
        } else {
            let bytes = std::mem::take(&mut k.release);
            (bytes != 0).then_some((Kind::Release, *flow, bytes))
        }
    }
}

impl Block for Courier {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        Out {
            idle: self.idle,
            limited: self.limited,
            pulses: u64::from(self.grants != 0) << Counter::Grants as u32 | u64::from(self.refusal) << Counter::DoorbellsRefused as u32,
            swept: self.up && clk >= self.swept_at,
            failed: self.refused || self.answer.is_some_and(|a| !good(a)),
            aw: self.aw.then_some(self.address),
            w: self.w.then_some(self.data),
            b_ready: self.b,
            ar: self.ar.then_some(self.mail_at),
            r_ready: self.r,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            // The address has no reset.
            let mail_at = i.base.wrapping_add(Kind::Mail.address(self.flow_bits as usize, 0)) & 0xff_ffff;
            *self = Courier { mail_at, enabled: i.enable, ..Courier::new(self.flow_bits) };
            self.swept_at += clk + 1;
            self.poll_at += clk + 1;
            return;
        }
        let swept = clk >= self.swept_at;
        let heads = [self.releases.output(clk).head, self.rates.output(clk).head, self.loads.output(clk).head];
        let holds = self.held.1.load.is_some() || self.held.1.rate.is_some() || self.held.1.release != 0;
        let first = heads.iter().position(Option::is_some);
        let flow = self.flows.output(clk).head.filter(|_| swept && first.is_none() && !self.taking && !holds);
        let op = match first {
            Some(n) if swept => heads[n].map(|(flow, v)| (flow, [What::Release(v), What::Rate(v), What::Load(v)][n])),
            _ => flow.map(|flow| (flow, What::Take)),
        };
        // The next write.
        let word = self.words.output(clk).head;
        let free = i.enable && !self.aw && !self.w && !self.b;
        let differs = self.told != Some((i.stop, i.pause));
        let takes_word = free && !differs && word.is_some();
        let refused = self.b && i.b.is_some_and(|b| b != 0);
        let again = refused && self.tries + 1 < TRIES;
        self.aw &= !i.aw_ready;
        self.w &= !i.w_ready;
        if self.b && i.b.is_some() {
            self.tries = if again { self.tries + 1 } else { 0 };
            (self.aw, self.w, self.b) = if again { (true, true, true) } else { (self.aw, self.w, false) };
        }
        // Nothing else is tried before a stop or pause that is taken.
        self.refused = refused && !again;
        if self.refused {
            self.told = None;
        }
        if free && let Some((kind, index, data)) = self.next(clk, i) {
            (self.aw, self.w, self.b) = (true, true, true);
            self.address = i.base.wrapping_add(kind.address(self.flow_bits as usize, index)) & 0xff_ffff;
            self.data = data;
        }
        if let Some((flow, kept)) = self.taken.take() {
            (self.held, self.taking) = ((flow, kept), false);
        }
        self.taking |= flow.is_some();
        // Queues.
        let (fresh, takes) = (self.fresh.take(), |n: usize| swept && heads[..n].iter().all(Option::is_none));
        self.releases.step(clk, &fifo::In { rst: false, push: i.release.map(|r| (r.flow, r.bytes)), ready: takes(0) });
        self.rates.step(clk, &fifo::In { rst: false, push: i.rate, ready: takes(1) });
        self.loads.step(clk, &fifo::In { rst: false, push: i.load.as_ref().map(|l| (l.flow, load_word(&l.record))), ready: takes(2) });
        self.words.step(clk, &fifo::In { rst: false, push: i.profile.filter(|p| WORDS.contains(&p.word)), ready: takes_word });
        self.flows.step(clk, &fifo::In { rst: false, push: fresh, ready: flow.is_some() });
        if let Some((flow, what)) = self.stages[2] {
            self.act(flow, what);
        }
        self.stages = [op, self.stages[0], self.stages[1]];
        // The mailbox.
        let (answer, polls) = (self.answer.take(), clk >= self.poll_at);
        (self.idle, self.limited, self.refusal) = (None, None, false);
        let grants = self.grants.saturating_sub(1);
        let mut more = 0;
        if let Some(a) = answer {
            let word = [a.1];
            let what = MAIL_WHAT.get(&word);
            self.up = good(a) && MAIL_SWEPT.get(&word) != 0;
            if good(a) {
                let flow = MAIL_FLOW.get(&word) & ((1 << self.flow_bits) - 1);
                self.idle = (what == 1).then_some(flow);
                self.limited = (what >= 2).then_some((flow, what == 3));
                self.refusal = MAIL_REFUSED.get(&word) != 0;
                more = MAIL_GRANTS.get(&word) as u16;
            }
            if !good(a) || what == 0 {
                self.poll_at = clk + 1 + u64::from(POLL);
            }
        }
        self.grants = grants.wrapping_add(more);
        self.mail_at = i.base.wrapping_add(Kind::Mail.address(self.flow_bits as usize, 0)) & 0xff_ffff;
        let (ar, r) = (self.ar, self.r);
        if i.enable && !r && answer.is_none() && polls {
            (self.ar, self.r) = (true, true);
        }
        if ar && i.ar_ready {
            self.ar = false;
        }
        if r && let Some(a) = i.r {
            (self.r, self.answer) = (false, Some(a));
        }
        self.enabled = i.enable;
    }

    fn wake(&self, clk: u64) -> u64 {
        let queued = !self.rates.is_empty() || !self.releases.is_empty() || !self.loads.is_empty() || self.fresh.is_some();
        let acts = self.stages.iter().any(Option::is_some) || self.taken.is_some();
        let says =
            self.answer.is_some() || self.grants != 0 || self.refusal || self.refused || self.idle.is_some() || self.limited.is_some();
        let holds = self.held.1.load.is_some() || self.held.1.rate.is_some() || self.held.1.release != 0;
        let takes = !self.flows.is_settled() || !(self.flows.is_empty() || holds || self.taking);
        if queued || acts || says || takes {
            return clk;
        }
        if self.enabled {
            let access = self.aw || self.w || self.b || self.ar || self.r;
            return if access || holds || !self.words.is_empty() { clk } else { self.poll_at.max(clk) };
        }
        if !self.words.is_settled() || self.ar || self.r || self.b { clk } else { u64::MAX }
    }
}
