//! The scheduler's AXI-Lite window. See `timely_hw::scheduler::window`.
use super::queues::Channel;
use crate::Block;
use crate::csr::{OKAY, SLVERR, channel};
use timely_regs::corundum::{CONTROL_PAUSE, CONTROL_STOP, Kind};

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A write address is offered.
    pub aw: Option<u32>,
    /// Write data and strobes are offered.
    pub w: Option<(u32, u8)>,
    /// The write response is taken.
    pub b_ready: bool,
    /// A read address is offered.
    pub ar: Option<u32>,
    /// The read response is taken.
    pub r_ready: bool,
    /// The channel is answered.
    pub answer: Option<u8>,
    /// The mailbox' word.
    pub mail: u32,
}

/// A write to a flow or a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Of the kinds between [`Kind::Rate`] and [`Kind::Profile`].
    pub kind: u8,
    /// Flow, or word of a profile.
    pub index: u32,
    /// The data written.
    pub data: u32,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// A write address is taken.
    pub aw_ready: bool,
    /// Write data are taken.
    pub w_ready: bool,
    /// A read address is taken.
    pub ar_ready: bool,
    /// A write is answered.
    pub b: Option<u8>,
    /// A read is answered.
    pub r: Option<(u8, u32)>,
    /// An access to a channel.
    pub channel: Option<Channel>,
    /// A write to a flow or a profile.
    pub write: Option<Write>,
    /// Nothing of a flow is sent.
    pub stop: bool,
    /// Paused priorities.
    pub pause: u8,
    /// The mailbox is read at this clock.
    pub mail_taken: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Act,
    Wait,
    Reply,
}

#[derive(Clone, Copy, Debug)]
struct Access {
    write: bool,
    kind: u8,
    index: u32,
    data: u32,
    whole: bool,
}

impl Access {
    fn is_channel(&self) -> bool {
        self.kind == Kind::Channel as u8 && self.whole
    }

    fn is_mail(&self) -> bool {
        self.kind == Kind::Mail as u8 && !self.write && self.index == 0
    }

    fn is_control(&self) -> bool {
        self.kind == Kind::Control as u8 && self.index == 0 && self.write && self.whole
    }

    fn written(&self) -> Option<Write> {
        let known = (Kind::Rate as u8..=Kind::Profile as u8).contains(&self.kind);
        (known && self.write && self.whole).then_some(Write { kind: self.kind, index: self.index, data: self.data })
    }
}

/// The window.
#[derive(Clone, Debug)]
pub struct Window {
    flow_bits: u32,
    aw: (bool, Option<u32>),
    w: (bool, Option<(u32, u8)>),
    ar: (bool, Option<u32>),
    b: Option<u8>,
    r: Option<(u8, u32)>,
    last_was_write: bool,
    state: State,
    access: Access,
    error: bool,
    read: u32,
    stop: bool,
    pause: u8,
}

impl Window {
    /// Of `2^flow_bits` queues.
    pub fn new(flow_bits: u32) -> Self {
        Window {
            flow_bits,
            aw: (false, None),
            w: (false, None),
            ar: (false, None),
            b: None,
            r: None,
            last_was_write: false,
            state: State::Idle,
            access: Access { write: false, kind: 0, index: 0, data: 0, whole: false },
            error: false,
            read: 0,
            stop: false,
            pause: 0,
        }
    }

    fn offered(&self) -> Option<Access> {
        let (aw, w) = (self.aw.1.filter(|_| self.b.is_none()), self.w.1);
        let write = aw.zip(w);
        let read = self.ar.1.filter(|_| self.r.is_none());
        let write = write.filter(|_| read.is_none() || !self.last_was_write);
        let (address, (data, strobes)) = match (write, read) {
            (Some(write), _) => write,
            (None, Some(address)) => (address, (0, 0xf)),
            (None, None) => return None,
        };
        Some(Access {
            write: write.is_some(),
            kind: (address >> (self.flow_bits + 2) & 7) as u8,
            index: address >> 2 & ((1 << self.flow_bits) - 1),
            data,
            whole: strobes == 0xf,
        })
    }
}

impl Block for Window {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        let a = &self.access;
        let acts = self.state == State::Act;
        Out {
            aw_ready: self.aw.0,
            w_ready: self.w.0,
            ar_ready: self.ar.0,
            b: self.b,
            r: self.r,
            channel: (acts && a.is_channel()).then_some(Channel { queue: a.index, enable: a.write.then_some(a.data & 1 != 0) }),
            write: a.written().filter(|_| acts),
            stop: self.stop,
            pause: self.pause,
            mail_taken: acts && a.is_mail(),
        }
    }

    fn step(&mut self, _clk: u64, i: &In) {
        if i.rst {
            *self = Window::new(self.flow_bits);
            return;
        }
        let (b_taken, r_taken) = (self.b.is_some() && i.b_ready, self.r.is_some() && i.r_ready);
        let offered = self.offered();
        let a = self.access;
        if b_taken {
            self.b = None;
        }
        if r_taken {
            self.r = None;
        }
        match self.state {
            State::Idle => {
                if let Some(access) = offered {
                    (self.access, self.state) = (access, State::Act);
                }
            }
            State::Act => {
                self.state = if a.is_channel() { State::Wait } else { State::Reply };
                self.error = !(a.is_channel() || a.is_mail() || a.is_control() || a.written().is_some());
                self.read = if a.is_mail() { i.mail } else { 0 };
                if a.is_control() {
                    self.stop = CONTROL_STOP.get(&[a.data]) != 0;
                    self.pause = CONTROL_PAUSE.get(&[a.data]) as u8;
                }
            }
            State::Wait => {
                if let Some(flags) = i.answer {
                    let bit = |n: u32| u32::from(flags) >> n & 1;
                    self.read = bit(0) | bit(1) << 16 | bit(2) << 24 | bit(3) << 25;
                    self.state = State::Reply;
                }
            }
            State::Reply => {
                let response = if self.error { SLVERR } else { OKAY };
                self.last_was_write = a.write;
                match a.write {
                    true => self.b = Some(response),
                    false => self.r = Some((response, self.read)),
                }
                self.state = State::Idle;
            }
        }
        channel(&mut self.aw, i.aw, b_taken);
        channel(&mut self.w, i.w, b_taken);
        channel(&mut self.ar, i.ar, r_taken);
    }

    fn wake(&self, clk: u64) -> u64 {
        let held = self.aw.1.is_some() || self.w.1.is_some() || self.ar.1.is_some() || self.b.is_some() || self.r.is_some();
        let opens = !self.aw.0 || !self.w.0 || !self.ar.0;
        if self.state != State::Idle || held || opens { clk } else { u64::MAX }
    }
}
