//! The surroundings of a pacer in tests: a clock, hosts that post, a link that takes grants, late
//! charges, late releases.
#![allow(dead_code)] // Each test binary uses its part.
use std::collections::VecDeque;
use timely_model::Block;
use timely_model::bus::{Charge, FlowLoad, ProfileWrite, Release};
use timely_model::pacer::Timing;
use timely_model::pacer::charge::SETTLED_BITS;
use timely_model::pacer::gate::Grant;
use timely_model::pacer::timemap::TimeMap;
use timely_model::pacer::token::SEEN_BITS;
use timely_model::pacer::top::{In, Out, Pacer};
use timely_regs::flow::FlowRecord;
use timely_regs::profile;

/// A grant that left.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    pub clk: u64,
    pub flow: u32,
    pub launch: u64,
    pub now: u64,
}

/// A model pacer with 4 ns clocks, and its surroundings.
pub struct Rig {
    pub pacer: Pacer,
    pub clk: u64,
    /// Time at clock 0, ns.
    pub start: u64,
    /// Wire bytes of a flow's packets.
    pub bytes: Vec<u16>,
    /// Clocks from a grant to its charge.
    pub charge_after: u64,
    /// Clocks from a grant to the release of its bytes; `None` for never.
    pub release_after: Option<u64>,
    pub pause: u8,
    pub stop: bool,
    pub grant_ready: bool,
    pub doorbells: VecDeque<(u32, u16)>,
    pub loads: VecDeque<FlowLoad>,
    pub profiles: VecDeque<ProfileWrite>,
    pub rates: VecDeque<(u32, u32)>,
    charges: VecDeque<(u64, u32, u16)>,
    releases: VecDeque<(u64, u32, u16)>,
    /// Charges that no grant asked for, and releases, before those of grants.
    pub charged: VecDeque<Charge>,
    pub released: VecDeque<Release>,
    pub departures: Vec<Departure>,
    pub idles: Vec<(u64, u32)>,
    pub refused: u64,
}

pub fn load(flow: u32, record: &FlowRecord) -> FlowLoad {
    FlowLoad { flow, record: record.pack().expect("a record within its ranges") }
}

impl Rig {
    pub fn new(flow_bits: u32) -> Self {
        Rig {
            pacer: Pacer::new(flow_bits, Timing::default()),
            clk: 0,
            start: 0,
            bytes: vec![1538; 1 << flow_bits],
            charge_after: 8,
            release_after: None,
            pause: 0,
            stop: false,
            grant_ready: true,
            doorbells: VecDeque::new(),
            loads: VecDeque::new(),
            profiles: VecDeque::new(),
            rates: VecDeque::new(),
            charges: VecDeque::new(),
            releases: VecDeque::new(),
            charged: VecDeque::new(),
            released: VecDeque::new(),
            departures: Vec::new(),
            idles: Vec::new(),
            refused: 0,
        }
    }

    pub fn now(&self) -> u64 {
        self.start.wrapping_add(self.clk * 4) << 16
    }

    /// Effect of a reset of the pacer on its surroundings.
    pub fn reset(&mut self) {
        self.doorbells.clear();
        self.loads.clear();
        self.profiles.clear();
        self.rates.clear();
        self.charges.clear();
        self.releases.clear();
        self.charged.clear();
        self.released.clear();
    }

    /// Until the RAMs are clear.
    pub fn sweep(&mut self) {
        while !self.pacer.output(self.clk).swept {
            self.step();
        }
    }

    /// Writes profile 0.
    pub fn profile(&mut self, bound: u32, idle: u32, cap: u32) {
        for (field, data) in [(profile::OUTSTANDING, bound), (profile::IDLE_NS, idle), (profile::TOKEN_CAP, cap)] {
            self.profiles.push_back(ProfileWrite { profile: 0, word: field.word, data });
        }
    }

    /// Loads an enabled flow with packets of `bytes` on the wire and a rate in 2^-12 Mb/s.
    pub fn flow(&mut self, flow: u32, bytes: u16, rate: u32) {
        self.bytes[flow as usize] = bytes;
        let payload_bytes = bytes.saturating_sub(timely_model::pacer::pass::OVERHEAD);
        self.loads.push_back(load(flow, &FlowRecord { enable: true, payload_bytes, ..FlowRecord::default() }));
        self.rates.push_back((flow, rate));
    }

    /// Loads a record with packets of `bytes` on the wire.
    pub fn record(&mut self, flow: u32, bytes: u16, record: FlowRecord) {
        self.bytes[flow as usize] = bytes;
        let payload_bytes = bytes.saturating_sub(timely_model::pacer::pass::OVERHEAD);
        self.loads.push_back(load(flow, &FlowRecord { payload_bytes, ..record }));
    }

    /// Some clocks.
    pub fn run(&mut self, clocks: u64) {
        for _ in 0..clocks {
            self.step();
        }
    }

    /// Until what was loaded and written is in place, and the passes that follow it are over.
    pub fn settle(&mut self) {
        while !(self.loads.is_empty() && self.rates.is_empty() && self.profiles.is_empty()) {
            self.step();
        }
        self.run(100);
    }

    /// Departures of a flow.
    pub fn of(&self, flow: u32) -> Vec<Departure> {
        self.departures.iter().filter(|d| d.flow == flow).copied().collect()
    }

    /// One clock; the outputs before its edge.
    pub fn step(&mut self) -> Out {
        let out = self.pacer.output(self.clk);
        let i = self.inputs(&out);
        self.pacer.step(self.clk, &i);
        self.clk += 1;
        out
    }

    /// The inputs of this clock, given the outputs.
    pub fn inputs(&mut self, out: &Out) -> In {
        let mut i = In { now: self.now(), pause: self.pause, stop: self.stop, grant_ready: self.grant_ready, ..In::default() };
        if let (Some(Grant { flow, launch }), true) = (out.grant, self.grant_ready) {
            let bytes = self.bytes[flow as usize];
            self.departures.push(Departure { clk: self.clk, flow, launch, now: i.now });
            self.charges.push_back((self.clk + self.charge_after, flow, bytes));
            if let Some(after) = self.release_after {
                self.releases.push_back((self.clk + after.max(self.charge_after), flow, bytes));
            }
        }
        self.idles.extend(out.idle.map(|flow| (self.clk, flow)));
        self.refused += out.pulses >> timely_regs::counters::Counter::DoorbellsRefused as u32 & 1;
        if out.swept {
            i.load = self.loads.pop_front();
            i.profile = self.profiles.pop_front();
            i.rate = self.rates.pop_front();
            if out.doorbell_ready && self.loads.is_empty() && self.rates.is_empty() {
                i.doorbell = self.doorbells.pop_front();
            }
        }
        i.charge = self.charged.pop_front();
        i.release = self.released.pop_front();
        if i.charge.is_none() && self.charges.front().is_some_and(|x| x.0 <= self.clk) {
            i.charge = self.charges.pop_front().map(|x| Charge { flow: x.1, bytes: x.2, ends: true });
        }
        if i.release.is_none() && self.releases.front().is_some_and(|x| x.0 <= self.clk) {
            i.release = self.releases.pop_front().map(|x| Release { flow: x.1, bytes: x.2.into() });
        }
        i
    }
}

/// How punctual a lone flow was.
pub struct Lone {
    pub bytes: u16,
    pub rate: u32,
    pub packets: usize,
    /// Clocks from its doorbell to its first departure.
    pub start: u64,
    /// How late and early packets left, against the first, ns.
    pub late: f64,
    pub early: f64,
    /// Rate of the flow against that of its register.
    pub ppm: f64,
}

impl Lone {
    pub const HEAD: &str = "wire bytes      Mb/s   packets   clocks to start   late, ns   early, ns   rate error, ppm";

    /// Within a clock of the ideal, and a millionth of the rate.
    pub fn check(&self) {
        assert!(self.late <= 4.01 && self.early <= 4.01, "{self}");
        assert!(self.ppm.abs() <= 1.0, "{self}");
    }
}

impl std::fmt::Display for Lone {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Lone { bytes, rate, packets, start, late, early, ppm } = self;
        write!(f, "{bytes:10} {:9} {packets:9} {start:17} {late:10.2} {early:11.2} {ppm:17.3}", rate >> 12)
    }
}

/// A flow that always has packets of `bytes` to send at `rate`, alone, for 4.2 ms or a few packets.
pub fn lone(rig: &mut Rig, bytes: u16, rate: u32, mut step: impl FnMut(&mut Rig)) -> Lone {
    rig.start = 12345;
    rig.pacer.set_time(TimeMap { clk0: rig.clk, now: rig.now(), step: 4 << 24 });
    rig.profile(0, 0, 16384);
    rig.flow(5, bytes, rate);
    while !(rig.loads.is_empty() && rig.rates.is_empty() && rig.profiles.is_empty()) {
        step(rig);
    }
    for _ in 0..100 {
        step(rig);
    }
    let posted = rig.clk;
    let gap = f64::from(bytes) * 8000.0 * 4096.0 / f64::from(rate);
    let end = posted + ((4.2e6f64).max(3.5 * gap) / 4.0) as u64;
    let mut backlog = 0;
    while rig.clk < end {
        if rig.doorbells.is_empty() && backlog < rig.departures.len() + 1000 {
            rig.doorbells.push_back((5, 10_000));
            backlog += 10_000;
        }
        step(rig);
    }
    // A packet of 84 bytes is shorter than our header allows: the flow takes its packets for 114
    // bytes until one is charged.
    let from = if bytes == 84 { 2.max(rig.departures.len() / 100) } else { 0 };
    let packets = &rig.departures[from..];
    let (mut late, mut early) = (f64::MIN, f64::MIN);
    for (k, d) in packets.iter().enumerate() {
        let phase = (d.now - packets[0].now) as f64 / 65536.0 - k as f64 * gap;
        late = late.max(phase);
        early = early.max(-phase);
    }
    let n = packets.len() - 1;
    let span = (packets[n].launch - packets[0].launch) as f64 / 65536.0;
    Lone { bytes, rate, packets: n + 1, start: rig.departures[0].clk - posted, late, early, ppm: (n as f64 * gap / span - 1.0) * 1e6 }
}

/// A flow under bounds of up to 2^30 - 1 bytes: it has outstanding what its bound allows, never a
/// packet more or less, while more than 2^32 bytes are charged and released.
pub fn bounded(rig: &mut Rig, rng: &mut impl rand::Rng, mut step: impl FnMut(&mut Rig)) {
    const FLOW: u32 = 3;
    const BYTES: u32 = 1 << 15;
    // So many charges leave the counts of packets (9 bits) and of bytes seen (25 bits) as they are,
    // so no grant need have asked for them.
    const CHARGES: u32 = 1024;
    const FILL: u32 = CHARGES * BYTES;
    const { assert!(CHARGES.is_multiple_of(1 << SETTLED_BITS) && FILL.is_multiple_of(1 << SEEN_BITS)) };
    let mut run = |rig: &mut Rig, clocks: u64| (0..clocks).for_each(|_| step(rig));
    run(rig, 1100);
    // At 262 Gb/s, so that 40 MB take 300,000 clocks.
    rig.flow(FLOW, 9038, (1 << 30) - 1);
    rig.bytes[FLOW as usize] = BYTES as u16;
    let mut bounds = vec![((5 << 23) + rng.random_range(0..BYTES), 0), ((1 << 30) - 1, (1 << 30) - 20 * BYTES)];
    bounds.extend((0..8).map(|_| {
        let filled = rng.random_range(17..32) * FILL;
        (filled + rng.random_range(0..20 * BYTES), filled)
    }));
    let mut total = 0u64;
    for (bound, filled) in bounds {
        let (fills, mut outstanding, mut granted) = (filled / FILL, filled / FILL * FILL, rig.departures.len());
        rig.profile(bound, 0, 16384);
        rig.charged.extend((0..fills * CHARGES).map(|_| Charge { flow: FLOW, bytes: BYTES as u16, ends: true }));
        run(rig, u64::from(fills * CHARGES) + 100);
        let posted = (bound - outstanding) / BYTES + 30;
        rig.doorbells.push_back((FLOW, posted as u16));
        let mut left = posted;
        let mut settle = |rig: &mut Rig, outstanding: &mut u32| {
            // A packet lasts 250 clocks.
            loop {
                run(rig, 2000);
                let new = (rig.departures.len() - granted) as u32;
                granted = rig.departures.len();
                left -= new;
                *outstanding += new * BYTES;
                assert!(*outstanding <= bound, "{outstanding} bytes outstanding of {bound}, {total} charged before");
                if new == 0 {
                    break;
                }
            }
            assert!(left == 0 || *outstanding + BYTES > bound, "it waits at {outstanding} bytes of {bound}, {total} charged before");
            left
        };
        assert!(settle(rig, &mut outstanding) > 0);
        for _ in 0..5 {
            let bytes = rng.random_range(0..3 * BYTES);
            rig.released.push_back(Release { flow: FLOW, bytes });
            outstanding -= bytes;
            assert!(settle(rig, &mut outstanding) > 0);
        }
        // Nothing holds the rest.
        for _ in 0..2 {
            rig.released.push_back(Release { flow: FLOW, bytes: std::mem::take(&mut outstanding) });
            assert_eq!(settle(rig, &mut outstanding), 0);
        }
        assert_eq!(outstanding, 0);
        total += u64::from(fills * FILL) + u64::from(posted * BYTES);
    }
    assert!(total > 1 << 32, "{total} bytes");
}
