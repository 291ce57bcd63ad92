//! A snapshot: asks for one flow's record after the other, and has each written in two bursts.
use super::io::{ANSWER_WORDS, RECORD_WORDS, bytes};
use super::settings::Command;
use super::writer::{Burst, Source};
use timely_regs::map::dma::{BURST_BYTES, Code};

/// Clocks that a query waits for its answer.
pub const PATIENCE: u8 = 255;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Idle,
    /// Are the flows in the table?
    Check,
    /// A query is offered.
    Ask,
    /// The query is out; clocks that the snapshot will still wait.
    Wait(u8),
    /// The record is written: its first half, its second.
    Send(bool),
    /// Responses are outstanding.
    Drain,
}

/// Inputs of a step beside the command.
pub(super) struct Told<'a> {
    pub start: bool,
    pub running: bool,
    pub query_ready: bool,
    pub answer: Option<&'a [u32; ANSWER_WORDS]>,
    /// The burst that is offered is taken.
    pub took: bool,
    /// A burst ended, and whether it failed.
    pub done: Option<bool>,
}

#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    flow_bits: u32,
    state: State,
    flow: u32,
    left: u32,
    address: u64,
    record: [u32; ANSWER_WORDS],
    /// Bursts without a response.
    owed: u32,
    /// The record's first half is in memory.
    half: bool,
    pub busy: bool,
    pub done: bool,
    pub code: Code,
    pub progress: u32,
    /// The snapshot ended at the clock before.
    pub ended: bool,
}

impl Snapshot {
    pub fn new(flow_bits: u32) -> Self {
        Snapshot {
            flow_bits,
            state: State::Idle,
            flow: 0,
            left: 0,
            address: 0,
            record: [0; ANSWER_WORDS],
            owed: 0,
            half: false,
            busy: false,
            done: false,
            code: Code::Complete,
            progress: 0,
            ended: false,
        }
    }

    pub fn query(&self) -> Option<u32> {
        (self.state == State::Ask).then_some(self.flow)
    }

    /// The burst that is to be written.
    pub fn offers(&self) -> Option<Burst> {
        let State::Send(second) = self.state else { return None };
        let at = if second { RECORD_WORDS } else { 0 };
        Some(Burst { source: Source::Snapshot, address: self.address, data: bytes(&self.record[at..at + RECORD_WORDS]) })
    }

    /// The burst is a record's second, which must not wait for others.
    pub fn is_second(&self) -> bool {
        self.state == State::Send(true)
    }

    pub fn is_idle(&self) -> bool {
        self.state == State::Idle && !self.ended
    }

    fn drain(&mut self, code: Code) {
        self.state = State::Drain;
        if self.code == Code::Complete {
            self.code = code;
        }
    }

    pub fn step(&mut self, c: &Command, t: &Told<'_>) {
        let owed = self.owed;
        let code = self.code;
        self.owed = owed + u32::from(t.took) - u32::from(t.done.is_some());
        self.ended = false;
        match self.state {
            State::Idle => {
                if t.start {
                    (self.busy, self.done, self.code, self.progress, self.half) = (true, false, Code::Complete, 0, false);
                    self.state = State::Check;
                }
            }
            State::Check => {
                (self.flow, self.left, self.address) = (c.first, c.count, c.address);
                if c.is_within(self.flow_bits) { self.state = State::Ask } else { self.drain(Code::BeyondTable) }
            }
            State::Ask => {
                if !t.running {
                    self.drain(Code::Stopped);
                } else if t.query_ready {
                    self.state = State::Wait(PATIENCE);
                }
            }
            State::Wait(left) => {
                if let Some(answer) = t.answer {
                    self.record = *answer;
                    self.state = State::Send(false);
                } else if left == 0 {
                    self.drain(Code::NoAnswer);
                } else {
                    self.state = State::Wait(left - 1);
                }
            }
            State::Send(second) => {
                if !t.running {
                    self.drain(Code::Stopped);
                } else if t.took {
                    self.address = self.address.wrapping_add(BURST_BYTES.into());
                    if second {
                        self.flow += 1;
                        self.left -= 1;
                        if self.left == 0 { self.drain(Code::Complete) } else { self.state = State::Ask }
                    } else {
                        self.state = State::Send(true);
                    }
                }
            }
            State::Drain => {
                if owed == 0 {
                    (self.busy, self.done, self.ended, self.state) = (false, true, true, State::Idle);
                }
            }
        }
        match t.done {
            Some(true) => self.code = Code::Memory,
            Some(false) if code == Code::Complete => {
                self.progress += u32::from(self.half);
                self.half = !self.half;
            }
            _ => {}
        }
    }
}
