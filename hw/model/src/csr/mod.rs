//! The register block of `timely_hw::csr`: `timely_regs::map` over AXI-Lite, one access at a time.
mod counters;
mod heartbeat;
mod io;
mod query;
mod settings;

pub use io::{Doorbell, HostRate, In, OKAY, Out, SLVERR};
pub use query::{Answer, PATIENCE};
pub use settings::Settings;

use crate::Block;
use crate::bus::{FlowLoad, ProfileWrite};
use timely_regs::counters::Counter;
use timely_regs::flow::WORDS;
use timely_regs::map::id::Refusal;
use timely_regs::map::{self, BAD_READ, Build, Entry, flow, id, profiles, time, window};

/// Words of the store: all of the blocks.
const STORE: usize = (map::BLOCK_BYTES / 4) as usize;

/// A write into the store: word and value.
type Written = Option<(u32, u32)>;

/// What the access under way waits for; a clock each, but for the last three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
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
struct Access {
    write: bool,
    address: u32,
    data: u32,
    whole: bool,
    entry: Entry,
    /// What the store held, or what the live register shows.
    read: u32,
    refusal: Option<Refusal>,
}

impl Access {
    fn word(&self) -> u32 {
        self.address / 4
    }

    fn window(&self) -> bool {
        self.address >> 22 == 1
    }

    /// Flow and offset of an access to the window.
    fn flow(&self) -> (u32, u32) {
        ((self.address - window::BASE) / window::STRIDE, (self.address % window::STRIDE) & !3)
    }
}

/// The register block.
#[derive(Clone, Debug)]
pub struct Csr {
    build: Build,
    store: Vec<u32>,
    /// The write that the store takes at this clock, and the word that the sweep reads.
    written: Written,
    swept_word: Option<u32>,
    state: State,
    access: Access,
    last_was_write: bool,
    aw: (bool, Option<u32>),
    w: (bool, Option<(u32, u8)>),
    ar: (bool, Option<u32>),
    b: Option<u8>,
    r: Option<(u32, u8)>,
    settings: Settings,
    set: u64,
    setting: bool,
    time_set: bool,
    index: u32,
    swept: bool,
    ready: bool,
    go: bool,
    now: u64,
    now_high: u32,
    error: u32,
    error_pulse: bool,
    profile: Option<ProfileWrite>,
    record: [u32; WORDS],
    loaded: bool,
    host: Option<HostRate>,
    doorbell: Option<Doorbell>,
    asking: bool,
    heartbeat: heartbeat::Heartbeat,
    counters: counters::Counters,
    query: query::Query,
}

impl Csr {
    /// The block as a reset at the clock before 0 leaves it.
    pub fn new(build: Build) -> Self {
        Csr {
            build,
            store: vec![0; STORE],
            written: None,
            swept_word: None,
            state: State::Sweep(0),
            access: Access::default(),
            last_was_write: false,
            aw: (false, None),
            w: (false, None),
            ar: (false, None),
            b: None,
            r: None,
            settings: Settings::default(),
            set: 0,
            setting: false,
            time_set: false,
            index: 0,
            swept: false,
            ready: false,
            go: false,
            now: 0,
            now_high: 0,
            error: 0,
            error_pulse: false,
            profile: None,
            record: [0; WORDS],
            loaded: false,
            host: None,
            doorbell: None,
            asking: false,
            heartbeat: Default::default(),
            counters: Default::default(),
            query: Default::default(),
        }
    }

    /// Is there an access to start; `true` for a write.
    fn offered(&self) -> Option<bool> {
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
            exists = e.readable || e.writable;
            allowed = if a.write { e.writable } else { e.readable };
            fits = a.data & !e.mask == 0 && (e.least..=e.most).contains(&a.data);
            now = (!profile && !command || self.ready) && !(command && self.query.busy);
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
}

impl Csr {
    /// One clock of the access under way; `shown` is the counter that comes round at this clock.
    fn advance(&mut self, shown: (usize, u32)) {
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
                if self.access.word() - map::counters::COUNTER.word() == shown.0 as u32 {
                    self.access.read = shown.1;
                    self.reply(None);
                }
            }
        }
    }

    fn store(&mut self, (word, data): (u32, u32)) {
        self.store[word as usize] = data;
        self.settings.write(word, data);
        if word == time::SET_LOW.word() {
            self.set = self.set >> 32 << 32 | u64::from(data);
        } else if word == time::SET_HIGH.word() {
            self.set = self.set & 0xffff_ffff | u64::from(data) << 32;
        } else if word == flow::INDEX.word() {
            self.index = data;
        }
    }
}

/// A channel's `ready` falls with a transfer and rises when what it brought has been answered.
fn channel<T: Copy>((ready, held): &mut (bool, Option<T>), offered: Option<T>, answered: bool) {
    let taken = offered.filter(|_| *ready);
    *ready = held.is_none() && taken.is_none();
    *held = if answered { None } else { held.or(taken) };
}

impl Block for Csr {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        Out {
            aw_ready: self.aw.0,
            w_ready: self.w.0,
            ar_ready: self.ar.0,
            b: self.b,
            r: self.r,
            settings: self.settings,
            stop: !self.go,
            time_set: self.time_set.then_some(self.set),
            profile: self.profile,
            flow: self.loaded.then_some(FlowLoad { flow: self.index, record: self.record }),
            host: self.host,
            doorbell: self.doorbell,
            query: self.asking.then_some(self.index),
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Csr { counters: counters::Counters::cleared(clk), ..Csr::new(self.build) };
            return;
        }
        // Everything that only lasts this clock.
        let written = self.written.take();
        let swept_word = self.swept_word.take();
        let (asking, loaded) = (std::mem::take(&mut self.asking), std::mem::take(&mut self.loaded));
        let setting = std::mem::take(&mut self.setting);
        let own =
            u32::from(self.error_pulse) << Counter::CsrErrors as u8 | u32::from(self.heartbeat.pulse) << Counter::HeartbeatStops as u8;
        self.error_pulse = false;
        (self.profile, self.host) = (None, None);
        // What depends on the registers as they are.
        let (b_taken, r_taken) = (self.b.is_some() && i.b_ready, self.r.is_some() && i.r_ready);
        let hd_taken = self.doorbell.is_some() && i.hd_ready;
        let acting = self.state == State::Act;
        let ready = self.swept && !matches!(self.state, State::Sweep(_));
        let go = self.ready && self.settings.enable && !self.heartbeat.lost;
        let wanted = self.query.wants();
        self.advance(self.counters.shown(clk));
        if b_taken {
            self.b = None;
        }
        if r_taken {
            self.r = None;
        }
        if hd_taken {
            self.doorbell = None;
        }
        channel(&mut self.aw, i.aw, b_taken);
        channel(&mut self.w, i.w, b_taken);
        channel(&mut self.ar, i.ar, r_taken);
        if !acting {
            self.written = swept_word.map(|w| (w, map::decode(w, &self.build).reset)).or(wanted);
        }
        self.query.step(asking, loaded, i.answer.as_ref(), !acting);
        self.counters.step(clk, i.pulses | own);
        self.heartbeat.step(clk, written);
        if let Some(w) = written {
            self.store(w);
        }
        (self.time_set, self.ready, self.go) = (setting, ready, go);
        (self.swept, self.now) = (i.swept, i.now);
    }

    fn wake(&self, clk: u64) -> u64 {
        let moving = self.state != State::Idle || self.offered().is_some() || self.written.is_some() || self.swept_word.is_some();
        let channels = self.aw.0 == self.aw.1.is_some() || self.w.0 == self.w.1.is_some() || self.ar.0 == self.ar.1.is_some();
        let pulses = self.setting || self.time_set || self.error_pulse || self.loaded || self.asking;
        let streams = self.profile.is_some() || self.host.is_some();
        let levels = self.ready != self.swept || self.go != (self.ready && self.settings.enable && !self.heartbeat.lost);
        if moving || channels || pulses || streams || levels || !self.query.is_idle() || !self.counters.is_idle() {
            clk
        } else {
            self.heartbeat.wake(clk)
        }
    }
}
