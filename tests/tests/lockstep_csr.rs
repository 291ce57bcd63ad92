//! `timely_hw::csr` against `timely_model::csr`, every output at every clock, under valid, invalid,
//! unaligned and out-of-range accesses.
use rand::Rng;
use timely_hw::csr::Csr as Rtl;
use timely_model::Block;
use timely_model::bus::{Answer, FlowLoad, ProfileWrite, Query};
use timely_model::csr::{Csr, Doorbell, HostRate, In, Out};
use timely_model::dma::Look;
use timely_regs::counters::PLACES;
use timely_regs::map::{self, BLOCKS, Build, counters, decode, flow, heartbeat, id, port, telemetry, time, window};
use timely_tests::settings::settings;
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate::{self as sim, Dut, Library};

fn build(flow_bits: u32) -> Build {
    Build { flow_bits, bus_bits: 64, ring_bits: 4, clock_ps: 4000, ptp: 1 }
}

/// A driver that does everything, right and wrong, on channels that stall in any order; telemetry
/// that answers late or never.
struct Stimulus {
    flow_bits: u32,
    aw: Option<u32>,
    w: Option<(u32, u8)>,
    ar: Option<u32>,
    channels: [Runs; 6],
    /// Share of the clocks at which a channel of the driver goes on.
    activity: f64,
    /// Clocks until an answer, when a query is out.
    answer: Option<u32>,
    /// Tag of the last query.
    tag: u8,
    swept: bool,
    pulses: f64,
    now: u64,
    /// Writes whose address or data went out and not the other; the difference is bounded by what
    /// AXI masters do.
    ahead: (u32, u32),
    /// DMA's outputs about the register that was looked at.
    look: (u32, bool),
    /// Clocks that a load of DMA still lasts.
    loading: Option<u32>,
    /// The one register that is written, and its value, instead of any.
    wanted: Option<(u32, u32)>,
    /// Else the one register that is written.
    favourite: Option<u32>,
    /// Clocks until another choice.
    chosen: u32,
    /// Choices so far.
    choices: u32,
    /// Neither heartbeat nor reset are written.
    quiet: bool,
    /// Choices that come next, the first one last: a register and its value, if one is written,
    /// and for how many clocks.
    script: Vec<(Option<(u32, u32)>, u32)>,
    /// Choices behind a reset, while secrets can be written.
    fresh: u32,
}

/// Writes that start the design, from the last to the first.
const STARTS: [(map::Register, u32); 4] = [(port::NONCE_KEYED, 1), (id::CONTROL, 1), (heartbeat::STATE, 1), (heartbeat::PERIOD, 0)];

impl Stimulus {
    fn new(flow_bits: u32, activity: f64) -> Self {
        Stimulus {
            flow_bits,
            aw: None,
            w: None,
            ar: None,
            channels: [activity, activity, activity, 0.6, 0.6, 0.4].map(|p| Runs::new(p, 12)),
            answer: None,
            tag: 0,
            swept: false,
            pulses: 0.0,
            now: 0,
            ahead: (0, 0),
            look: (0, false),
            loading: None,
            wanted: None,
            favourite: None,
            chosen: 1,
            choices: 0,
            activity,
            quiet: false,
            script: vec![],
            fresh: 20,
        }
    }

    /// For a while one register, with values at its borders, so that each of many words is written
    /// often; a heartbeat that runs out; a soft reset that ends; secrets while they can be written.
    fn choose(&mut self, rng: &mut impl Rng) {
        self.chosen -= 1;
        if self.chosen > 0 {
            return;
        }
        self.wanted = None;
        if let Some(next) = self.script.pop() {
            (self.wanted, self.chosen) = next;
            return;
        }
        if self.favourite.take().is_some() {
            self.chosen = rng.random_range(1..200);
            return;
        }
        self.quiet = false;
        self.chosen = 60;
        if rng.random_bool(0.01) {
            self.quiet = rng.random();
            self.script = STARTS.map(|(r, data)| (Some((r.address(), data)), 60)).to_vec();
            if self.quiet {
                let period = (heartbeat::PERIOD.address(), rng.random_range(0..8000));
                self.script = vec![(None, 9000), (Some(period), 60), (Some((heartbeat::STATE.address(), 1)), 60)];
            }
            return;
        }
        let (fresh, any) = (self.fresh > 0 && rng.random(), rng.random_bool(0.1));
        self.fresh = self.fresh.saturating_sub(1);
        // A reset refuses much, of many flows for long.
        let all = BLOCKS.iter().flat_map(|b| b.registers).filter(|r| r.address() != id::RESET.address() || self.flow_bits <= 4);
        let asked = |a| if fresh { a == map::Access::WriteOnly } else { a != map::Access::ReadOnly || any };
        let some: Vec<_> = all.filter(|r| asked(r.access)).collect();
        let r = some[rng.random_range(0..some.len())];
        let words = if rng.random() { r.count } else { r.count.min(4) };
        self.favourite = Some(r.address() + 4 * rng.random_range(0..words));
        let fast = if rng.random() { 1.0 } else { self.activity };
        [0, 1, 3].into_iter().for_each(|channel| self.channels[channel].set(fast));
        self.choices += 1;
        if self.choices.is_multiple_of(if self.flow_bits <= 4 { 100 } else { 800 }) {
            self.wanted = Some((id::RESET.address(), 1));
        }
    }

    /// A value that the register at `address` takes, one that it just refuses, or a bit beside its
    /// fields.
    fn legal(&self, rng: &mut impl Rng, address: u32) -> u32 {
        let e = decode(address / 4 % (map::BLOCK_BYTES / 4), &build(self.flow_bits));
        let within = (rng.random::<u32>() & e.mask).clamp(e.least, e.most.max(e.least));
        let bits = if rng.random() { 32 } else { 32 - e.most.leading_zeros().min(31) };
        let bit = 1 << rng.random_range(0..bits);
        let all = [e.least, e.least.wrapping_sub(1), e.most, e.most.wrapping_add(1), within, within, within | bit, bit, bit];
        all[rng.random_range(0..all.len())]
    }

    fn address(&self, rng: &mut impl Rng) -> u32 {
        let registers: Vec<_> = BLOCKS.iter().flat_map(|b| b.registers).collect();
        let kinds = [
            heartbeat::PERIOD,
            heartbeat::BEAT,
            heartbeat::STATE,
            flow::COMMAND,
            flow::STATUS,
            flow::INDEX,
            id::CONTROL,
            port::NONCE_KEYED,
            id::ERROR,
            id::RESET,
            time::LEAD,
            telemetry::HISTOGRAM_INDEX,
            telemetry::HISTOGRAM_COUNT,
            telemetry::HISTOGRAM_CLEAR,
        ];
        let known = match rng.random_range(0..10) {
            0..3 => {
                let r = registers[rng.random_range(0..registers.len())];
                r.address() + 4 * rng.random_range(0..r.count)
            }
            // Each counter is a circuit of its own.
            3 => counters::COUNTER.address() + 4 * rng.random_range(0..counters::COUNTER.count),
            4..7 => kinds[rng.random_range(0..kinds.len())].address(),
            7 => {
                let flows = 1u32 << rng.random_range(0..=self.flow_bits);
                window::BASE + window::STRIDE * rng.random_range(0..flows) + 4 * rng.random_range(0..=1)
            }
            8 => rng.random_range(0..map::BLOCK_BYTES / 4) * 4,
            _ => rng.random_range(0..1 << 24),
        };
        // A soft reset refuses much for 32 clocks a flow: of many flows it is rare.
        let known = if known == id::RESET.address() && self.flow_bits > 4 && rng.random_bool(0.95) { id::ERROR.address() } else { known };
        let beats = [heartbeat::PERIOD, heartbeat::BEAT, heartbeat::STATE, id::RESET].map(|r| r.address());
        let known = if self.quiet && beats.contains(&known) { id::ERROR.address() } else { known };
        // A bit off: not aligned, or an alias of a register.
        if rng.random_bool(0.05) { known ^ 1 << rng.random_range(0..24) } else { known }
    }

    /// Often what the register at `address` takes: the channels are apart, so it may also meet
    /// another one.
    fn data(&self, rng: &mut impl Rng) -> u32 {
        // At the borders of what the register takes, and a bit beside its fields.
        if let Some(address) = self.aw.filter(|_| rng.random_bool(0.3)) {
            return self.legal(rng, address);
        }
        match rng.random_range(0..10) {
            0..4 => rng.random_range(0..4),
            4 => 1 << rng.random_range(0..32),
            5 => rng.random_range(0..300),
            6 => rng.random_range(0..1 << 17),
            7 => 0x1_0000 | rng.random_range(0..1 << 14),
            _ => rng.random(),
        }
    }

    fn next(&mut self, rng: &mut impl Rng, out: &Out) -> In {
        // Requests that were taken at the clock before are gone.
        let run: [bool; 6] = std::array::from_fn(|i| self.channels[i].next(rng));
        if self.aw.is_none() && run[0] && self.ahead.0 < 2 {
            self.aw = Some(self.wanted.map(|w| w.0).or(self.favourite).unwrap_or_else(|| self.address(rng)));
        }
        if self.w.is_none() && run[1] && self.ahead.1 < 2 {
            self.w = Some((
                match (self.wanted, self.favourite) {
                    (Some((_, data)), _) => data,
                    (None, Some(address)) => self.legal(rng, address),
                    (None, None) => self.data(rng),
                },
                if rng.random_bool(0.95) { 0xf } else { rng.random_range(0..16) },
            ));
        }
        if self.ar.is_none() && run[2] {
            self.ar = Some(self.address(rng));
        }
        if let Some(q) = out.query {
            self.tag = q.tag;
            self.answer = rng.random_bool(0.6).then(|| rng.random_range(0..60));
        }
        if rng.random_bool(0.005) {
            self.swept = rng.random_bool(0.95);
        }
        if rng.random_bool(0.001) {
            self.pulses = [0.0, 0.01, 0.5, 1.0][rng.random_range(0..4)];
        }
        if rng.random_bool(0.0005) {
            // A long silence of the doorbell's taker, or none.
            self.channels[5] = Runs::new([0.0, 0.1, 0.9][rng.random_range(0..3)], if rng.random_bool(0.2) { 6000 } else { 20 });
        }
        self.now = self.now.wrapping_add(rng.random_range(0..1 << 40));
        if out.look.is_some() {
            self.look = (rng.random(), rng.random_bool(0.3));
        }
        // A load of DMA takes a while, and starts when csr is not at one.
        self.loading = match self.loading {
            Some(n) => n.checked_sub(1),
            None => rng.random_bool(0.0005).then_some(1000),
        };
        let answers = self.answer == Some(0) || rng.random_bool(0.0001);
        self.answer = self.answer.and_then(|n| n.checked_sub(1));
        let i = In {
            rst: rng.random_bool(0.00005),
            aw: self.aw,
            w: self.w,
            b_ready: run[3],
            ar: self.ar,
            r_ready: run[4],
            hd_ready: run[5],
            answer: answers
                .then(|| Answer { tag: if rng.random_bool(0.8) { self.tag } else { rng.random_range(0..16) }, record: rng.random() }),
            histogram_count: rng.random(),
            histogram_clearing: rng.random(),
            pair_status: rng.random(),
            pair_told: rng.random(),
            pulses: (0..PLACES).fold(0, |p, k| p | u64::from(rng.random_bool(self.pulses)) << k),
            swept: self.swept,
            now: self.now,
            look_live: self.look.0,
            look_refuse: self.look.1,
            loading: self.loading.is_some(),
            bulk: self.loading.filter(|n| *n < 900 && n % 40 == 0).map(|n| FlowLoad { flow: n % 3, record: rng.random() }),
        };
        if out.aw_ready && self.aw.take_if(|_| true).is_some() {
            self.ahead = (self.ahead.0 + 1, self.ahead.1.saturating_sub(1));
        }
        if out.w_ready && self.w.take_if(|_| true).is_some() {
            self.ahead = (self.ahead.0.saturating_sub(1), self.ahead.1 + 1);
        }
        if out.ar_ready {
            self.ar = None;
        }
        if i.rst {
            self.ahead = (0, 0);
            (self.fresh, self.chosen) = (20, 1);
        }
        i
    }
}

struct Ports {
    inputs: Vec<sim::In>,
    outputs: Vec<sim::Out>,
}

const INPUTS: [&str; 27] = [
    "rst",
    "s_axil_awvalid",
    "s_axil_awaddr",
    "s_axil_wvalid",
    "s_axil_wdata",
    "s_axil_wstrb",
    "s_axil_bready",
    "s_axil_arvalid",
    "s_axil_araddr",
    "s_axil_rready",
    "hd_ready",
    "answer_valid",
    "answer_record",
    "pulses",
    "swept",
    "now",
    "look_live",
    "look_refuse",
    "loading",
    "bulk_valid",
    "bulk_flow",
    "bulk_record",
    "answer_tag",
    "histogram_count",
    "histogram_clearing",
    "pair_status",
    "pair_told",
];
const OUTPUTS: [&str; 37] = [
    "s_axil_awready",
    "s_axil_wready",
    "s_axil_arready",
    "s_axil_bvalid",
    "s_axil_bresp",
    "s_axil_rvalid",
    "s_axil_rdata",
    "s_axil_rresp",
    "stop",
    "settings",
    "time_set_valid",
    "pw_valid",
    "pw_profile",
    "pw_word",
    "pw_data",
    "fl_valid",
    "fl_flow",
    "fl_record",
    "host_valid",
    "host_flow",
    "host_rate",
    "hd_valid",
    "hd_flow",
    "hd_packets",
    "query_valid",
    "query_flow",
    "st_valid",
    "st_word",
    "st_data",
    "look_valid",
    "look_word",
    "look_data",
    "lost",
    "query_tag",
    "histogram_at",
    "histogram_clear",
    "clearing",
];

impl Ports {
    fn new(library: &Library) -> Self {
        Ports { inputs: INPUTS.map(|n| library.input(n)).to_vec(), outputs: OUTPUTS.map(|n| library.output(n)).to_vec() }
    }

    fn set(&self, dut: &mut Dut, i: &In, rng: &mut impl Rng) {
        let p = &self.inputs;
        let (aw, (data, strobes), ar) = (i.aw.unwrap_or(rng.random::<u32>() >> 8), i.w.unwrap_or(rng.random()), i.ar.unwrap_or(0));
        let values = [
            u64::from(i.rst),
            i.aw.is_some().into(),
            aw.into(),
            i.w.is_some().into(),
            data.into(),
            u64::from(strobes & 15),
            i.b_ready.into(),
            i.ar.is_some().into(),
            ar.into(),
            i.r_ready.into(),
            i.hd_ready.into(),
            i.answer.is_some().into(),
        ];
        for (&port, value) in p.iter().zip(values) {
            dut.set(port, value);
        }
        dut.set_words(p[12], &i.answer.map_or_else(|| rng.random(), |a| a.record));
        dut.set(p[22], i.answer.map_or_else(|| rng.random_range(0..16), |a| a.tag.into()));
        dut.set(p[23], i.histogram_count.into());
        dut.set(p[24], i.histogram_clearing.into());
        dut.set(p[25], i.pair_status.into());
        dut.set(p[26], i.pair_told.into());
        dut.set(p[13], i.pulses);
        dut.set(p[14], i.swept.into());
        dut.set(p[15], i.now);
        let bulk = i.bulk.unwrap_or(FlowLoad { flow: rng.random_range(0..1 << 10), record: rng.random() });
        let levels = [i.look_live.into(), i.look_refuse.into(), i.loading.into(), i.bulk.is_some().into(), bulk.flow.into()];
        for (&port, value) in p[16..].iter().zip(levels) {
            dut.set(port, value);
        }
        dut.set_words(p[21], &bulk.record);
    }

    fn get(&self, dut: &Dut) -> Out {
        let at = |name: &str| self.outputs[OUTPUTS.iter().position(|n| *n == name).unwrap()];
        let get = |name: &str| dut.get(at(name));
        let when = |name: &str| get(name) == 1;
        let settings = settings(dut, at("settings"));
        Out {
            aw_ready: when("s_axil_awready"),
            w_ready: when("s_axil_wready"),
            ar_ready: when("s_axil_arready"),
            b: when("s_axil_bvalid").then(|| get("s_axil_bresp") as u8),
            r: when("s_axil_rvalid").then(|| (get("s_axil_rdata") as u32, get("s_axil_rresp") as u8)),
            settings,
            stop: when("stop"),
            time_set: when("time_set_valid").then_some(settings.time_set),
            profile: when("pw_valid").then(|| ProfileWrite {
                profile: get("pw_profile") as u8,
                word: get("pw_word") as u8,
                data: get("pw_data") as u32,
            }),
            flow: when("fl_valid")
                .then(|| FlowLoad { flow: get("fl_flow") as u32, record: dut.get_words(at("fl_record")).try_into().unwrap() }),
            host: when("host_valid").then(|| HostRate { flow: get("host_flow") as u32, rate: get("host_rate") as u32 }),
            doorbell: when("hd_valid").then(|| Doorbell { flow: get("hd_flow") as u32, packets: get("hd_packets") as u16 }),
            query: when("query_valid").then(|| Query { flow: get("query_flow") as u32, tag: get("query_tag") as u8 }),
            histogram_at: get("histogram_at") as u16,
            histogram_clear: get("histogram_clear") as u16,
            clearing: when("clearing"),
            written: when("st_valid").then(|| (get("st_word") as u32, get("st_data") as u32)),
            look: when("look_valid").then(|| Look { word: get("look_word") as u32, data: get("look_data") as u32 }),
            lost: when("lost"),
        }
    }
}

/// How often each kind of thing happened: a run that never saw one proves nothing about it.
#[derive(Default, Debug)]
struct Seen {
    okay: [u32; 2],
    errors: [u32; 2],
    profiles: u32,
    loads: u32,
    /// Of a soft reset.
    cleared: u32,
    rates: u32,
    doorbells: u32,
    queries: u32,
    steps: u32,
    going: u32,
}

impl Seen {
    fn note(&mut self, out: &Out, i: &In) {
        if let (Some(b), true) = (out.b, i.b_ready) {
            *if b == 0 { &mut self.okay[0] } else { &mut self.errors[0] } += 1;
        }
        if let (Some((_, r)), true) = (out.r, i.r_ready) {
            *if r == 0 { &mut self.okay[1] } else { &mut self.errors[1] } += 1;
        }
        self.profiles += u32::from(out.profile.is_some());
        self.loads += u32::from(out.flow.is_some());
        self.cleared += u32::from(out.flow.is_some_and(|f| f.record == [0; 16]));
        self.rates += u32::from(out.host.is_some());
        self.doorbells += u32::from(out.doorbell.is_some() && i.hd_ready);
        self.queries += u32::from(out.query.is_some());
        self.steps += u32::from(out.time_set.is_some());
        self.going += u32::from(!out.stop);
    }

    fn all(&self) -> bool {
        let counts = [self.profiles, self.loads, self.rates, self.doorbells, self.queries, self.steps, self.going];
        self.okay.iter().chain(&self.errors).chain(&counts).all(|&n| n > 0)
    }
}

fn lockstep<const F: usize>(name: &str, clocks: u64) {
    let library = verilate(name, Rtl::<F>::new(&build(F as u32)));
    let ports = Ports::new(&library);
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut stimulus = Stimulus::new(F as u32, 0.6);
        let mut seen = Seen::default();
        let mut dut = library.instantiate(seed as u32);
        let mut model = Csr::new(build(F as u32));
        for clk in 0..clocks {
            let rtl = ports.get(&dut);
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            stimulus.choose(&mut rng);
            let mut i = stimulus.next(&mut rng, &rtl);
            i.rst |= clk == 0;
            seen.note(&rtl, &i);
            ports.set(&mut dut, &i, &mut rng);
            dut.tick();
            model.step(clk, &i);
        }
        assert!((seen.all() && (F > 4 || seen.cleared > 16)) || cycles() < 100_000, "{seen:?}");
    }
}

/// So few flows that soft resets end.
#[test]
fn rtl_equals_model_4() {
    lockstep::<4>("csr4", cycles());
}

/// So long that each word of each register is written with many values.
#[test]
fn rtl_equals_model_10() {
    lockstep::<10>("csr10", 3 * cycles());
}

#[test]
fn rtl_equals_model_14() {
    lockstep::<14>("csr14", cycles());
}

/// The face that skips clocks gives what the face that steps them gives.
#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut stimulus = Stimulus::new(4, 0.02);
        let (mut stepped, mut skipped) = (Csr::new(build(4)), Csr::new(build(4)));
        let (mut skips, mut swept, mut loading, mut starts) = (0, false, false, 0);
        for clk in 0..cycles() {
            let out = stepped.output(clk);
            assert_eq!(out, skipped.output(clk), "clock {clk}, seed {seed}");
            // Few writes come here: at times only those that start the design, in their order,
            // however address and data pair.
            let nth = 19 - clk as usize % 20_000 / 1000;
            stimulus.wanted = STARTS.get(nth).map(|(r, data)| (r.address(), *data));
            let mut i = stimulus.next(&mut rng, &out);
            if clk % 10_000 < 5_000 {
                (i.pulses, i.hd_ready, i.b_ready, i.r_ready) = (0, false, i.b_ready && out.b.is_some(), i.r_ready && out.r.is_some());
            }
            stepped.step(clk, &i);
            let valid = i.aw.is_some() || i.w.is_some() || i.ar.is_some() || i.answer.is_some() || i.rst || i.b_ready || i.r_ready;
            let levels = (i.swept, i.loading) == (swept, loading);
            let idle = !valid && !i.hd_ready && i.pulses == 0 && levels && i.bulk.is_none();
            (swept, loading) = (i.swept && !i.rst, i.loading);
            starts += u32::from(out.stop && !stepped.output(clk + 1).stop);
            if !idle || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 20 && (starts > 0 || cycles() < 100_000), "{skips} clocks were skipped, {starts} starts");
    }
}

#[test]
fn emits_with_16_flow_bits() {
    timely_hw::emit::emit("csr16", Rtl::<16>::new(&build(16))).unwrap();
}
