//! A load: reads one flow's record after the other, and gives each that csr would take to the flow
//! bus.
use super::settings::Command;
use crate::bus::FlowLoad;
use timely_regs::flow;
use timely_regs::map::{dma::Code, record_bounds};

/// Clocks from one flow's load to the next, at least: what the listeners of the flow bus need, and
/// more.
pub const LOAD_CLOCKS: u8 = 32;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Idle,
    /// Are the flows in the table?
    Check,
    Run,
}

/// Inputs of a step beside the command.
pub(super) struct Told {
    pub start: bool,
    pub running: bool,
    /// A record is whole, and whether the memory failed.
    pub full: Option<bool>,
    /// The record.
    pub record: [u32; flow::WORDS],
    /// The reader is free, or has nothing in flight.
    pub free: bool,
    pub idle: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Load {
    flow_bits: u32,
    state: State,
    flow: u32,
    /// Records to be asked for, and to be loaded.
    unread: u32,
    left: u32,
    /// Clocks that the record was looked at, of the two that it takes.
    age: u8,
    gap: u8,
    pub busy: bool,
    pub done: bool,
    pub code: Code,
    pub progress: u32,
    pub refused: u32,
    /// The load ended at the clock before.
    pub ended: bool,
    /// The memory failed at the clock before.
    pub failed: bool,
    pub out: Option<FlowLoad>,
}

/// csr would take the record.
fn fits(record: &[u32; flow::WORDS]) -> bool {
    (0u32..).zip(record).all(|(i, &word)| {
        let (mask, least, most) = record_bounds(i);
        word & !mask == 0 && (least..=most).contains(&word)
    })
}

impl Load {
    pub fn new(flow_bits: u32) -> Self {
        Load {
            flow_bits,
            state: State::Idle,
            flow: 0,
            unread: 0,
            left: 0,
            age: 0,
            gap: 0,
            busy: false,
            done: false,
            code: Code::Complete,
            progress: 0,
            refused: 0,
            ended: false,
            failed: false,
            out: None,
        }
    }

    /// The next record is to be asked for.
    pub fn asks(&self, running: bool, free: bool) -> bool {
        self.state == State::Run && running && self.unread != 0 && free
    }

    /// Where the records are, at the clock at which that is known.
    pub fn from(&self, c: &Command) -> Option<u64> {
        (self.state == State::Check).then_some(c.address)
    }

    /// The record is not needed any more: it is used, or dropped.
    pub fn uses(&self, running: bool, full: Option<bool>) -> bool {
        full.is_some_and(|failed| failed || !running || self.age == 2 && self.gap == 0)
    }

    pub fn is_idle(&self) -> bool {
        self.state == State::Idle && !self.ended && !self.failed && self.out.is_none()
    }

    pub fn step(&mut self, c: &Command, t: &Told) {
        let asks = self.asks(t.running, t.free);
        let uses = self.uses(t.running, t.full);
        let over = self.unread == 0 || !t.running;
        let failed = std::mem::take(&mut self.failed);
        self.ended = false;
        self.out = None;
        self.gap = self.gap.saturating_sub(1);
        if uses && t.running && t.full == Some(false) {
            self.progress += 1;
            self.left -= 1;
            self.gap = LOAD_CLOCKS - 1;
            if fits(&t.record) {
                self.out = Some(FlowLoad { flow: self.flow, record: t.record });
            } else {
                self.refused += 1;
            }
            self.flow += 1;
        }
        self.age = if t.full.is_none() || uses { 0 } else { (self.age + 1).min(2) };
        self.unread -= u32::from(asks);
        match self.state {
            State::Idle => {
                if t.start {
                    (self.busy, self.done, self.code, self.progress, self.refused) = (true, false, Code::Complete, 0, 0);
                    self.state = State::Check;
                }
            }
            State::Check => {
                (self.flow, self.unread, self.left) = (c.first, c.count, c.count);
                self.gap = LOAD_CLOCKS - 1;
                self.state = State::Run;
                if !c.is_within(self.flow_bits) {
                    (self.code, self.unread, self.left) = (Code::BeyondTable, 0, 0);
                }
            }
            State::Run => {
                if over && t.idle && t.full.is_none() {
                    (self.busy, self.done, self.ended, self.state) = (false, true, true, State::Idle);
                    if self.code == Code::Complete && self.left != 0 {
                        self.code = Code::Stopped;
                    }
                }
            }
        }
        if failed {
            self.code = Code::Memory;
        }
        self.failed = uses && t.full == Some(true);
    }
}
