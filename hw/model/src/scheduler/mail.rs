//! The scheduler's mailbox. See `timely_hw::scheduler::mail`.
use crate::Block;
use crate::fifo::{self, Fifo};
use timely_regs::corundum::{MAIL_FLOW, MAIL_GRANTS, MAIL_REFUSED, MAIL_SIGN, MAIL_SWEPT, MAIL_WHAT, SIGN};

/// log2 of the entries that wait.
pub const MAIL_QUEUE_BITS: u32 = 9;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A flow starts after its idle time.
    pub idle: Option<u32>,
    /// A flow came to its pass, and whether it is limited.
    pub limited: Option<(u32, bool)>,
    /// A packet was granted.
    pub granted: bool,
    /// A posting was refused.
    pub refused: bool,
    /// The scheduler's RAM is clear.
    pub ready: bool,
    /// The word is read at this clock.
    pub taken: bool,
}

/// The mailbox.
#[derive(Clone, Debug)]
pub struct Mail {
    told: Vec<bool>,
    swept_at: u64,
    /// Kind of the entry, flow.
    entries: Fifo<(u8, u32)>,
    idle: [Option<u32>; 2],
    pass: [Option<(u32, bool, bool)>; 2],
    up: bool,
    grants: u16,
    refusals: u8,
}

impl Mail {
    /// Of `2^flow_bits` flows.
    pub fn new(flow_bits: u32) -> Self {
        Mail {
            told: vec![false; 1 << flow_bits],
            swept_at: 1 << flow_bits,
            entries: Fifo::new(MAIL_QUEUE_BITS),
            idle: [None; 2],
            pass: [None; 2],
            up: false,
            grants: 0,
            refusals: 0,
        }
    }

    /// All places of entries are taken.
    pub fn is_full(&self, clk: u64) -> bool {
        !self.entries.output(clk).ready
    }

    fn shown(&self) -> u16 {
        self.grants.min(255)
    }
}

impl Block for Mail {
    type In = In;
    /// The word, and whether the RAM is clear.
    type Out = (u32, bool);

    fn output(&self, clk: u64) -> (u32, bool) {
        let (what, flow) = self.entries.output(clk).head.unwrap_or_default();
        let fields = [
            (MAIL_FLOW, flow),
            (MAIL_WHAT, what.into()),
            (MAIL_SWEPT, self.up.into()),
            (MAIL_REFUSED, (self.refusals != 0).into()),
            (MAIL_GRANTS, self.shown().into()),
            (MAIL_SIGN, SIGN),
        ];
        (fields.iter().fold(0, |w, (f, v)| w | v << f.low), clk >= self.swept_at)
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Mail::new(self.told.len().trailing_zeros());
            self.swept_at += clk + 1;
            return;
        }
        let room = !self.is_full(clk);
        let says = self.pass[1].filter(|p| self.idle[1].is_none() && p.1 != p.2 && room);
        let entry = self.idle[1].map(|flow| (1, flow)).or(says.map(|(flow, now, _)| (2 | u8::from(now), flow)));
        self.entries.step(clk, &fifo::In { rst: false, push: entry, ready: i.taken });
        self.idle = [i.idle, self.idle[0]];
        let limited = i.limited.filter(|_| clk >= self.swept_at);
        self.pass = [limited.map(|(flow, now)| (flow, now, self.told[flow as usize])), self.pass[0]];
        if let Some((flow, now, _)) = says {
            self.told[flow as usize] = now;
        }
        let shown = if i.taken { self.shown() } else { 0 };
        self.grants = self.grants.wrapping_sub(shown).wrapping_add(i.granted.into());
        self.refusals = match i.taken && self.refusals != 0 {
            true => self.refusals - 1 + u8::from(i.refused),
            false => self.refusals.saturating_add(i.refused.into()),
        };
        self.up = i.ready;
    }

    fn wake(&self, clk: u64) -> u64 {
        let moves = self.idle != [None; 2] || self.pass != [None; 2] || !self.entries.is_settled();
        if moves { clk } else { u64::MAX }
    }
}
