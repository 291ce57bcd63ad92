//! The access under way: what is found out about it, clock by clock, and what it does.
use super::counters::ROUND;
use super::{Csr, Doorbell, HostRate, OKAY, PATIENCE, SLVERR, STORE};
use crate::bus::{FlowLoad, ProfileWrite};
use crate::dma::Look;
use timely_regs::flow::WORDS;
use timely_regs::map::id::Refusal;
use timely_regs::map::{self, BAD_READ, Entry, dma, flow, id, profiles, roce, telemetry, time, window};

/// States of the access under way; a clock each, but for the last three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The store is being filled; the next word.
    Sweep(u32),
    Idle,
    Fetch,
    Capture,
    Check,
    Act,
    /// A flow record is being put together; words that were read.
    Load(u32),
    /// The doorbell before is not taken yet; clocks that it will still wait.
    Doorbell(u32),
    /// The counter has not come round yet.
    Count,
}

/// The access under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Access {
    write: bool,
    address: u32,
    data: u32,
    whole: bool,
    entry: Entry,
    /// The word of the store, or of the live register.
    read: u32,
    refusal: Option<Refusal>,
}

/// A register of DMA.
fn is_dma(word: u32) -> bool {
    word / 64 == dma::BLOCK.base / 256
}

impl Access {
    fn word(&self) -> u32 {
        self.address / 4
    }

    pub fn look(&self) -> Look {
        Look { word: self.word() % STORE as u32, data: self.data }
    }

    fn window(&self) -> bool {
        self.address >> 22 == 1
    }

    /// Flow and offset of an access to the window.
    fn flow(&self) -> (u32, u32) {
        ((self.address - window::BASE) / window::STRIDE, (self.address % window::STRIDE) & !3)
    }
}

impl Csr {
    /// Is there an access to start; `true` for a write.
    pub(super) fn offered(&self) -> Option<bool> {
        let write = self.aw.1.is_some() && self.w.1.is_some() && self.b.is_none();
        let read = self.ar.1.is_some() && self.r.is_none();
        match (write, read) {
            (true, true) => Some(!self.last_was_write),
            (true, false) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        }
    }

    fn start(&mut self, write: bool) {
        let (data, strobes) = self.w.1.filter(|_| write).unwrap_or_default();
        let address = if write { self.aw.1 } else { self.ar.1 };
        self.access = Access { write, address: address.expect("offered"), data, whole: strobes == 0xf, ..Default::default() };
        self.last_was_write = write;
        self.state = State::Fetch;
    }

    /// The value of a register that hardware changes.
    fn live(&self, word: u32) -> u32 {
        let bits = |fields: &[(timely_regs::field::Field, bool)]| fields.iter().fold(0, |v, (f, on)| v | u32::from(*on) << f.low);
        if word == time::NOW_LOW.word() {
            self.now as u32
        } else if word == time::NOW_HIGH.word() {
            self.now_high
        } else if word == id::STATUS.word() {
            bits(&[(id::READY, self.ready), (id::STOP, !self.go)])
        } else if word == id::ERROR.word() {
            self.error
        } else if word == map::heartbeat::STATE.word() {
            self.heartbeat.lost.into()
        } else if is_dma(word) {
            self.dma.0
        } else if word == telemetry::HISTOGRAM_COUNT.word() {
            self.histogram_count
        } else if word == roce::STATUS.word() {
            self.pair_status
        } else if word == roce::TOLD.word() {
            self.pair_told
        } else if word == telemetry::HISTOGRAM_STATE.word() {
            self.histogram_clearing.into()
        } else {
            bits(&[(flow::BUSY, self.query.busy), (flow::DONE, self.query.done), (flow::FAILED, self.query.failed)])
        }
    }

    fn is_counter(&self) -> bool {
        let c = &map::counters::COUNTER;
        self.access.word().wrapping_sub(c.word()) < c.count
    }

    /// Why the access is refused, or `None`.
    fn refusal(&self) -> Option<Refusal> {
        let (a, e) = (&self.access, &self.access.entry);
        let aligned = a.address % 4 == 0;
        let (exists, allowed, fits, now);
        if a.window() {
            let (flow, offset) = a.flow();
            exists = offset <= window::FIXED_RATE && flow >> self.build.flow_bits == 0;
            allowed = a.write;
            fits = offset == window::FIXED_RATE || (1..=window::MOST_PACKETS).contains(&a.data);
            now = self.ready;
        } else {
            let profile = (profiles::WORD.word()..STORE as u32).contains(&a.word());
            let command = a.word() == flow::COMMAND.word();
            let reset = a.word() == id::RESET.word();
            exists = e.readable || e.writable;
            allowed = if a.write { e.writable } else { e.readable };
            fits = a.data & !e.mask == 0 && (e.least..=e.most).contains(&a.data);
            let (_, refused, loading) = self.dma;
            let dma = is_dma(a.word());
            let pair = a.word() == roce::COMMAND.word();
            let pair_held = pair && (roce::BUSY.get(&[self.pair_status]) == 1 || roce::PRESENT.get(&[self.pair_status]) == 0);
            let held = pair_held || command && (self.query.busy || loading && a.data & flow::LOAD != 0) || dma && refused;
            // The pacer's time must not run back while flows may send.
            let back = a.word() == time::LEAD.word() && self.go && a.data < a.read;
            now = (!profile && !command && !dma && !reset && !pair || self.ready) && !held && !back;
        }
        if !aligned || !exists {
            Some(Refusal::NoRegister)
        } else if !allowed {
            Some(Refusal::Direction)
        } else if !a.write {
            None
        } else if !a.whole {
            Some(Refusal::Strobe)
        } else if !fits {
            Some(Refusal::Range)
        } else {
            (!now).then_some(Refusal::NotNow)
        }
    }

    fn reply(&mut self, refusal: Option<Refusal>) {
        let a = &self.access;
        let response = if refusal.is_some() { SLVERR } else { OKAY };
        if let Some(reason) = refusal {
            self.error =
                id::ERROR_ADDRESS.get(&[a.address]) | u32::from(a.write) << id::ERROR_WRITE.low | (reason as u32) << id::ERROR_REASON.low;
            self.error_pulse = true;
        }
        if a.write {
            self.b = Some(response);
        } else {
            self.r = Some((if refusal.is_some() { BAD_READ } else { a.read }, response));
        }
        self.state = State::Idle;
    }

    fn act(&mut self) {
        let a = self.access;
        if a.refusal.is_some() {
            return self.reply(a.refusal);
        }
        if !a.write {
            if self.is_counter() {
                self.state = State::Count;
                return;
            }
            self.next_bin = a.word() == telemetry::HISTOGRAM_COUNT.word();
        } else if a.window() {
            let (flow, offset) = a.flow();
            if offset == window::FIXED_RATE {
                self.host = Some(HostRate { flow, rate: a.data });
            } else if self.doorbell.is_some() {
                self.state = State::Doorbell(PATIENCE - 1);
                return;
            } else {
                self.doorbell = Some(Doorbell { flow, packets: a.data as u16 });
            }
        } else {
            self.written = Some((a.word(), a.data));
            if a.word() >= profiles::WORD.word() {
                let number = a.word() - profiles::WORD.word();
                let words = timely_regs::profile::WORDS as u32;
                self.profile = Some(ProfileWrite { profile: (number / words) as u8, word: (number % words) as u8, data: a.data });
            } else if a.word() == time::SET_HIGH.word() {
                self.setting = true;
            } else if a.word() == flow::COMMAND.word() {
                if a.data == flow::LOAD {
                    self.state = State::Load(0);
                    return;
                }
                self.asking = true;
            }
        }
        self.reply(None);
    }

    /// One clock of the access under way; `shown` are the counters that come round at this clock.
    pub(super) fn advance(&mut self, shown: (usize, [u32; 2])) {
        match self.state {
            State::Sweep(word) => {
                self.swept_word = Some(word);
                self.state = if word + 1 == STORE as u32 { State::Idle } else { State::Sweep(word + 1) };
            }
            State::Idle => {
                if let Some(write) = self.offered() {
                    self.start(write);
                }
            }
            State::Fetch => {
                self.access.read = self.store[self.access.word() as usize % STORE];
                self.access.entry = map::decode(self.access.word(), &self.build);
                self.state = State::Capture;
            }
            State::Capture => self.state = State::Check,
            State::Check => {
                self.access.refusal = self.refusal();
                if self.access.entry.live {
                    self.access.read = self.live(self.access.word());
                }
                if !self.access.write && self.access.address == time::NOW_LOW.address() {
                    self.now_high = (self.now >> 32) as u32;
                }
                self.state = State::Act;
            }
            State::Act => self.act(),
            State::Load(read) if read == WORDS as u32 => {
                let first = flow::STAGE.word() as usize;
                self.record.copy_from_slice(&self.store[first..first + WORDS]);
                self.loaded = true;
                self.flow = Some(FlowLoad { flow: self.settings.flow_index.into(), record: self.record });
                self.reply(None);
            }
            State::Load(read) => self.state = State::Load(read + 1),
            State::Doorbell(_) if self.doorbell.is_none() => {
                let (flow, _) = self.access.flow();
                self.doorbell = Some(Doorbell { flow, packets: self.access.data as u16 });
                self.reply(None);
            }
            State::Doorbell(0) => self.reply(Some(Refusal::NotNow)),
            State::Doorbell(left) => self.state = State::Doorbell(left - 1),
            State::Count => {
                let counter = (self.access.word() - map::counters::COUNTER.word()) as usize;
                if counter % ROUND == shown.0 {
                    self.access.read = shown.1[counter / ROUND];
                    self.reply(None);
                }
            }
        }
    }
}
