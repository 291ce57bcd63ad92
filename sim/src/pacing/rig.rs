//! A Verilated pacer with its ports looked up, and what surrounds it: a host that posts, a link
//! that takes grants, charges.
use std::collections::VecDeque;
use std::sync::Arc;
use timely_regs::flow::FlowRecord;
use timely_regs::profile;
use timely_verilate::{Dut, In, Library, Options, Out, build};

/// ns of a clock.
pub const CLOCK_NS: u64 = 4;
/// Clocks from a grant to its charge.
const CHARGE_CLOCKS: u64 = 5;

/// The ports.
struct Ports {
    doorbell: [In; 3],
    rate: [In; 3],
    load: [In; 3],
    profile: [In; 4],
    charge: [In; 3],
    stop: In,
    now: In,
    grant_ready: In,
    doorbell_ready: Out,
    grant: [Out; 3],
    swept: Out,
}

/// A grant that was taken.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// Flow.
    pub flow: u32,
    /// Launch time of the packet, ns48.fns16.
    pub launch: u64,
    /// The time at the clock at which it was taken, ns48.fns16.
    pub now: u64,
}

/// The pacer and its surroundings.
pub struct Rig {
    dut: Dut,
    ports: Ports,
    /// The coming clock.
    pub clk: u64,
    /// The time, ns48.fns16.
    pub now: u64,
    /// How far ahead of the time the pacer decides, ns48.fns16.
    pub lead: u64,
    /// The time runs.
    pub runs: bool,
    /// The pacer decides nothing.
    pub stop: bool,
    /// The link takes a grant at the coming clock.
    pub ready: bool,
    /// Wire bytes of all packets.
    bytes: u16,
    loads: VecDeque<(u32, u32)>,
    rates: VecDeque<(u32, u32)>,
    doorbells: VecDeque<(u32, u16)>,
    charges: VecDeque<(u64, u32)>,
    profiles: VecDeque<(u8, u32)>,
    /// Packets of each flow that are posted and not granted.
    backlog: Vec<u32>,
}

/// The module of the pacer in an emitted standalone shell.
const TOP: &str = "tnic_standalone__core__pacer";

/// A module of an emitted standalone shell with those inside of it, as they stand there, and what
/// the shell begins with: lints that are off.
pub fn modules(verilog: &str, top: &str) -> String {
    let mut text = String::new();
    let mut inside = true;
    for line in verilog.lines() {
        if let Some(rest) = line.strip_prefix("module ") {
            inside = rest.starts_with(top);
        }
        if inside {
            text.push_str(line);
            text.push('\n');
        }
        inside &= !line.starts_with("endmodule");
    }
    text
}

/// The pacer of an emitted standalone shell, compiled; `fast` for long runs.
///
/// # Errors
/// A text without a pacer, or what Verilator found wrong.
pub fn library(verilog: &str, fast: bool) -> Result<Arc<Library>, String> {
    build("pacer", &modules(verilog, TOP), TOP, Options { fast, ..Options::default() }).map_err(|e| e.to_string())
}

impl Rig {
    /// A pacer of `2^flow_bits` flows whose packets have `bytes` on the wire, its RAMs clear,
    /// profile 0 with this token cap.
    pub fn new(library: &Arc<Library>, flow_bits: u32, bytes: u16, cap: u32) -> Self {
        let i = |n: &str| library.input(n);
        let o = |n: &str| library.output(n);
        let ports = Ports {
            doorbell: ["doorbell_valid", "doorbell_flow", "doorbell_packets"].map(i),
            rate: ["rate_valid", "rate_flow", "rate_value"].map(i),
            load: ["fl_valid", "fl_flow", "fl_record"].map(i),
            profile: ["pw_valid", "pw_profile", "pw_word", "pw_data"].map(i),
            charge: ["charge_valid", "charge_flow", "charge_bytes"].map(i),
            stop: i("stop"),
            now: i("now"),
            grant_ready: i("grant_ready"),
            doorbell_ready: o("doorbell_ready"),
            grant: ["grant_valid", "grant_flow", "grant_launch"].map(o),
            swept: o("swept"),
        };
        let mut rig = Rig {
            dut: library.instantiate(1),
            ports,
            clk: 0,
            now: 12_345 << 16,
            lead: 0,
            runs: true,
            stop: false,
            ready: true,
            bytes,
            loads: VecDeque::new(),
            rates: VecDeque::new(),
            doorbells: VecDeque::new(),
            charges: VecDeque::new(),
            profiles: VecDeque::new(),
            backlog: vec![0; 1 << flow_bits],
        };
        rig.profiles.push_back((profile::TOKEN_CAP.word, cap));
        while !rig.is_swept() {
            rig.step();
        }
        rig
    }

    fn is_swept(&self) -> bool {
        self.dut.get(self.ports.swept) == 1
    }

    /// Loads an enabled flow and gives it a rate, 2^-12 Mb/s.
    pub fn flow(&mut self, flow: u32, rate: u32) {
        self.loads.push_back((flow, rate));
    }

    /// Changes a flow's rate.
    pub fn rate(&mut self, flow: u32, rate: u32) {
        self.rates.push_back((flow, rate));
    }

    /// Posts as many packets as a flow may have.
    pub fn post(&mut self, flow: u32) {
        self.doorbells.push_back((flow, 60_000));
    }

    /// All requested writes and doorbells have reached the pacer.
    pub fn is_settled(&self) -> bool {
        self.loads.is_empty() && self.rates.is_empty() && self.doorbells.is_empty() && self.profiles.is_empty()
    }

    /// Steps until what was asked for has reached the pacer, and the passes that it causes are
    /// over: each load is one, and then a request to sleep, in whose stead the pacer takes no
    /// doorbell.
    pub fn settle(&mut self) {
        let asked = self.loads.len() + self.rates.len() + self.doorbells.len();
        while !self.is_settled() {
            self.step();
        }
        for _ in 0..100 + 4 * asked {
            self.step();
        }
    }

    /// One clock; the grant that was taken in it. Flows are kept backlogged.
    pub fn step(&mut self) -> Option<Taken> {
        let p = &self.ports;
        let dut = &mut self.dut;
        let taken = (self.ready && dut.get(p.grant[0]) == 1).then(|| Taken {
            flow: dut.get(p.grant[1]) as u32,
            launch: dut.get(p.grant[2]),
            now: self.now,
        });
        if let Some(t) = taken {
            self.charges.push_back((self.clk + CHARGE_CLOCKS, t.flow));
            let left = &mut self.backlog[t.flow as usize];
            *left = left.saturating_sub(1);
            if *left == 20_000 {
                self.doorbells.push_back((t.flow, 40_000));
            }
        }
        let swept = dut.get(p.swept) == 1;
        let load = if swept { self.loads.pop_front() } else { None };
        dut.set(p.load[0], load.is_some().into());
        if let Some((flow, rate)) = load {
            let payload_bytes = self.bytes.saturating_sub(timely_model::pacer::pass::OVERHEAD);
            let record = FlowRecord { enable: true, payload_bytes, ..FlowRecord::default() };
            dut.set(p.load[1], flow.into());
            dut.set_words(p.load[2], &record.pack().expect("a record within its ranges"));
            self.rates.push_back((flow, rate));
        }
        let rate = if swept { self.rates.pop_front() } else { None };
        dut.set(p.rate[0], rate.is_some().into());
        if let Some((flow, value)) = rate {
            dut.set(p.rate[1], flow.into());
            dut.set(p.rate[2], value.into());
        }
        let word = if swept { self.profiles.pop_front() } else { None };
        dut.set(p.profile[0], word.is_some().into());
        if let Some((number, data)) = word {
            dut.set(p.profile[2], number.into());
            dut.set(p.profile[3], data.into());
        }
        // Posts follow the loads that they are for.
        let quiet = self.loads.is_empty() && self.rates.is_empty();
        let doorbell = if quiet && dut.get(p.doorbell_ready) == 1 { self.doorbells.pop_front() } else { None };
        dut.set(p.doorbell[0], doorbell.is_some().into());
        if let Some((flow, packets)) = doorbell {
            dut.set(p.doorbell[1], flow.into());
            dut.set(p.doorbell[2], packets.into());
            self.backlog[flow as usize] += u32::from(packets);
        }
        let charge = self.charges.pop_front_if(|c| c.0 <= self.clk);
        dut.set(p.charge[0], charge.is_some().into());
        if let Some((_, flow)) = charge {
            dut.set(p.charge[1], flow.into());
            dut.set(p.charge[2], self.bytes.into());
        }
        dut.set(p.stop, self.stop.into());
        dut.set(p.now, self.now + self.lead);
        dut.set(p.grant_ready, self.ready.into());
        dut.tick();
        self.clk += 1;
        if self.runs {
            self.now += CLOCK_NS << 16;
        }
        taken
    }
}
