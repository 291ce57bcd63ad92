//! What surrounds a pacer in tests: a clock, hosts that post, a link that takes grants, late charges, late releases.
#![allow(dead_code)] // Each test binary uses its part.
use std::collections::VecDeque;
use timely_model::Block;
use timely_model::bus::{FlowLoad, ProfileWrite, Release};
use timely_model::pacer::Timing;
use timely_model::pacer::gate::Grant;
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
            departures: Vec::new(),
            idles: Vec::new(),
            refused: 0,
        }
    }

    pub fn now(&self) -> u64 {
        (self.start + self.clk * 4) << 16
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
        self.refused += u64::from(out.pulses >> timely_regs::counters::Counter::DoorbellsRefused as u32 & 1);
        if out.swept {
            i.load = self.loads.pop_front();
            i.profile = self.profiles.pop_front();
            i.rate = self.rates.pop_front();
            if out.doorbell_ready && self.loads.is_empty() && self.rates.is_empty() {
                i.doorbell = self.doorbells.pop_front();
            }
        }
        if self.charges.front().is_some_and(|x| x.0 <= self.clk) {
            i.charge = self.charges.pop_front().map(|x| (x.1, x.2));
        }
        if self.releases.front().is_some_and(|x| x.0 <= self.clk) {
            i.release = self.releases.pop_front().map(|x| Release { flow: x.1, bytes: x.2.into() });
        }
        i
    }
}
