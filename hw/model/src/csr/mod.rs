//! The register block of `timely_hw::csr`: `timely_regs::map` over AXI-Lite, one access at a time.
mod access;
mod clear;
mod counters;
mod heartbeat;
mod io;
mod query;
mod settings;

pub use io::{Bus, Doorbell, HostRate, In, OKAY, Out, SLVERR};
pub use query::{PATIENCE, TAGS};
pub use settings::Settings;

use crate::Block;
use crate::bus::{FlowLoad, ProfileWrite, Query};
use crate::telemetry::histograms::AT_BITS;
use access::{Access, State};
use timely_regs::counters::Counter;
use timely_regs::flow::WORDS;
use timely_regs::map::{self, Build, telemetry};

/// Words of the store: all of the blocks.
const STORE: usize = (map::BLOCK_BYTES / 4) as usize;

/// A write into the store: word and value.
type Written = Option<(u32, u32)>;

/// The register block.
#[derive(Clone, Debug)]
pub struct Csr {
    build: Build,
    store: Vec<u32>,
    /// The write that the store takes at this clock, and the word that RAM init reads.
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
    setting: bool,
    time_set: bool,
    swept: bool,
    ready: bool,
    go: bool,
    now: u64,
    now_high: u32,
    error: u32,
    error_pulse: bool,
    profile: Option<ProfileWrite>,
    record: [u32; WORDS],
    /// A command loaded a flow; and what is on the flow bus.
    loaded: bool,
    flow: Option<FlowLoad>,
    dma: (u32, bool, bool),
    host: Option<HostRate>,
    doorbell: Option<Doorbell>,
    asking: bool,
    histogram_at: u16,
    /// HISTOGRAM_COUNT was read.
    next_bin: bool,
    histogram_clear: u16,
    /// Telemetry's outputs at this clock.
    histogram_count: u32,
    histogram_clearing: u16,
    pair_status: u32,
    pair_told: u32,
    heartbeat: heartbeat::Heartbeat,
    clear: clear::Clear,
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
            setting: false,
            time_set: false,
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
            flow: None,
            dma: (0, false, false),
            host: None,
            doorbell: None,
            asking: false,
            histogram_at: 0,
            next_bin: false,
            histogram_clear: 0,
            histogram_count: 0,
            histogram_clearing: 0,
            pair_status: 0,
            pair_told: 0,
            heartbeat: Default::default(),
            clear: Default::default(),
            counters: Default::default(),
            query: Default::default(),
        }
    }

    /// No flow may send.
    pub fn is_stopped(&self) -> bool {
        !self.go
    }

    /// The register bus, without all else that [`Block::output`] gives.
    pub fn bus(&self) -> Bus {
        Bus { aw_ready: self.aw.0, w_ready: self.w.0, ar_ready: self.ar.0, b: self.b, r: self.r }
    }

    /// The settings as they are, without all else that [`Block::output`] gives.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    // RAM and registers are clear, and no reset is under way.
    fn may_be_ready(&self) -> bool {
        self.swept && !self.clear.runs() && !matches!(self.state, State::Sweep(_))
    }

    // Flows may send, as far as registers go.
    fn may_go(&self) -> bool {
        self.settings.enable && self.settings.nonce_keyed && !self.heartbeat.lost
    }

    fn store(&mut self, (word, data): (u32, u32)) {
        self.store[word as usize] = data;
        self.settings.write(word, data);
        if word == telemetry::HISTOGRAM_INDEX.word() {
            self.histogram_at = data as u16;
        } else if word == telemetry::HISTOGRAM_CLEAR.word() {
            self.histogram_clear = data as u16;
        }
    }
}

/// A channel's `ready` falls with a transfer and rises when what it brought has been answered.
pub(crate) fn channel<T: Copy>((ready, held): &mut (bool, Option<T>), offered: Option<T>, answered: bool) {
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
            time_set: self.time_set.then_some(self.settings.time_set),
            profile: self.profile,
            flow: self.flow,
            host: self.host,
            doorbell: self.doorbell,
            written: self.written,
            look: (self.state == State::Fetch).then(|| self.access.look()),
            lost: self.heartbeat.lost,
            clearing: self.clear.runs(),
            query: self.asking.then_some(Query { flow: self.settings.flow_index.into(), tag: self.query.tag }),
            histogram_at: self.histogram_at,
            histogram_clear: self.histogram_clear,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Csr { counters: counters::Counters::cleared(clk), ..Csr::new(self.build) };
            return;
        }
        self.counters.catch_up(clk);
        // Everything that only lasts this clock.
        let written = self.written.take();
        let swept_word = self.swept_word.take();
        let (asking, loaded) = (std::mem::take(&mut self.asking), std::mem::take(&mut self.loaded));
        let setting = std::mem::take(&mut self.setting);
        let next_bin = std::mem::take(&mut self.next_bin);
        self.histogram_clear = 0;
        (self.histogram_count, self.histogram_clearing) = (i.histogram_count, i.histogram_clearing);
        self.pair_status = i.pair_status;
        self.pair_told = i.pair_told;
        let own =
            u64::from(self.error_pulse) << Counter::CsrErrors as u8 | u64::from(self.heartbeat.pulse) << Counter::HeartbeatStops as u8;
        self.error_pulse = false;
        // A reset's are empty.
        let ready = self.may_be_ready();
        let cleared = self.clear.step(clk, (1 << self.build.flow_bits) - 1, i.loading, written);
        (self.profile, self.host) = (None, None);
        self.flow = i.bulk.or(cleared.map(|flow| FlowLoad { flow, record: [0; WORDS] }));
        self.dma = (i.look_live, i.look_refuse, i.loading);
        // Signals that depend on the registers as they are.
        let (b_taken, r_taken) = (self.b.is_some() && i.b_ready, self.r.is_some() && i.r_ready);
        let hd_taken = self.doorbell.is_some() && i.hd_ready;
        let acting = self.state == State::Act;
        let go = self.ready && self.may_go();
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
        if next_bin {
            self.histogram_at = (self.histogram_at + 1) % (1 << AT_BITS);
        }
        if let Some(w) = written {
            self.store(w);
        }
        (self.time_set, self.ready, self.go) = (setting, ready, go);
        (self.swept, self.now) = (i.swept, i.now);
    }

    fn wake(&self, clk: u64) -> u64 {
        let moving = self.state != State::Idle || self.offered().is_some() || self.written.is_some() || self.swept_word.is_some();
        let channels = self.aw.0 == self.aw.1.is_some() || self.w.0 == self.w.1.is_some() || self.ar.0 == self.ar.1.is_some();
        let pulses =
            self.setting || self.time_set || self.error_pulse || self.loaded || self.asking || self.next_bin || self.histogram_clear != 0;
        let streams = self.profile.is_some() || self.host.is_some() || self.flow.is_some();
        let levels = self.ready != (self.swept && !self.clear.runs()) || self.go != (self.ready && self.may_go());
        if moving || channels || pulses || streams || levels || !self.query.is_idle() {
            clk
        } else {
            self.heartbeat.wake(clk).min(self.clear.wake(clk))
        }
    }
}
