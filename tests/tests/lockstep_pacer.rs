//! The whole pacer against its model, every output at every clock, between hosts, an engine, a link
//! and a network played at random.
mod pacer_rig;
use pacer_rig::{Lone, Rig};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use timely_hw::pacer::Pacer;
use timely_model::Block;
use timely_model::bus::{Charge, FlowLoad, ProfileWrite, Release};
use timely_model::pacer::Timing;
use timely_model::pacer::gate::Grant;
use timely_model::pacer::timemap::TimeMap;
use timely_model::pacer::top::{self, In, Out};
use timely_regs::counters::Counter;
use timely_regs::flow::FlowRecord;
use timely_regs::profile;
use timely_tests::{Runs, cycles, quick, rng, seeds, verilate};
use timely_verilate::{Dut, Library};

/// A number of any size up to `bits`, small ones as often as large ones.
fn any_size(rng: &mut ChaCha8Rng, bits: u32) -> u64 {
    let bits = rng.random_range(0..=bits);
    if bits == 0 { 0 } else { rng.random::<u64>() >> (64 - bits) }
}

fn outputs(dut: &Dut, l: &Library) -> Out {
    let get = |n: &str| dut.get(l.output(n));
    let on = |n: &str| get(n) == 1;
    Out {
        doorbell_ready: on("doorbell_ready"),
        grant: on("grant_valid").then(|| Grant { flow: get("grant_flow") as u32, launch: get("grant_launch") }),
        idle: on("idle_valid").then(|| get("idle_flow") as u32),
        limited: on("limited_valid").then(|| (get("limited_flow") as u32, on("limited"))),
        pulses: get("pulses"),
        swept: on("swept"),
    }
}

/// Drives the inputs; fields that are not valid are noise.
fn drive(dut: &mut Dut, l: &Library, i: &In, noise: u64) {
    let mut set = |n: &str, v: u64| dut.set(l.input(n), v);
    let (flow, noise32) = (noise as u32 >> 28, noise as u32);
    set("rst", i.rst.into());
    let (f, packets) = i.doorbell.unwrap_or((flow, noise as u16));
    set("doorbell_valid", i.doorbell.is_some().into());
    set("doorbell_flow", f.into());
    set("doorbell_packets", packets.into());
    let r = i.release.unwrap_or(Release { flow, bytes: noise32 });
    set("release_valid", i.release.is_some().into());
    set("release_flow", r.flow.into());
    set("release_bytes", r.bytes.into());
    let (f, value) = i.rate.unwrap_or((flow, noise32));
    set("rate_valid", i.rate.is_some().into());
    set("rate_flow", f.into());
    set("rate_value", value.into());
    let load = i.load.unwrap_or(FlowLoad { flow, record: [noise32; 16] });
    set("fl_valid", i.load.is_some().into());
    set("fl_flow", load.flow.into());
    let w = i.profile.unwrap_or(ProfileWrite { profile: 0, word: noise as u8 & 31, data: noise32 });
    set("pw_valid", i.profile.is_some().into());
    set("pw_profile", w.profile.into());
    set("pw_word", w.word.into());
    set("pw_data", w.data.into());
    let c = i.charge.unwrap_or(Charge { flow, bytes: noise as u16, ends: noise & 1 == 1 });
    set("charge_valid", i.charge.is_some().into());
    set("charge_flow", c.flow.into());
    set("charge_bytes", c.bytes.into());
    set("charge_ends", c.ends.into());
    set("pause", i.pause.into());
    set("stop", i.stop.into());
    set("now", i.now);
    set("grant_ready", i.grant_ready.into());
    dut.set_words(l.input("fl_record"), &load.record);
}

/// Counts of the events of a run, so that it can be shown to have met everything.
#[derive(Default, Debug)]
struct Met {
    grants: u64,
    in_a_row: u64,
    stalled: u64,
    idles: u64,
    refused: u64,
    doorbells_held: u64,
    /// Passes of flows that are limited, and of those that are not.
    limited: [u64; 2],
    last: bool,
}

impl Met {
    fn count(&mut self, o: &Out, i: &In) {
        let left = o.grant.is_some() && i.grant_ready;
        self.grants += u64::from(left);
        self.in_a_row += u64::from(left && self.last);
        self.last = left;
        self.stalled += u64::from(o.grant.is_some() && !i.grant_ready);
        self.idles += u64::from(o.idle.is_some());
        if let Some((_, limited)) = o.limited {
            self.limited[usize::from(!limited)] += 1;
        }
        self.refused += o.pulses >> Counter::DoorbellsRefused as u32 & 1;
        self.doorbells_held += u64::from(o.swept && !o.doorbell_ready && i.doorbell.is_some());
    }

    fn all(&self) -> bool {
        let counts = [self.grants, self.in_a_row, self.stalled, self.idles, self.refused, self.doorbells_held];
        counts.iter().chain(&self.limited).all(|n| *n > 20)
    }
}

/// The surroundings of the pacer.
struct World {
    flow_bits: u32,
    now: u64,
    /// Increment of `now` at a clock, ns.fns16.
    period: u64,
    /// The clock steps at times.
    steps: bool,
    /// Grants taken, doorbells, rates, releases of bytes that were never charged.
    runs: [Runs; 4],
    /// The flows that most of what happens is about.
    hot: Vec<u32>,
    doorbell: Option<(u32, u16)>,
    /// Flows to be loaded first.
    first: u32,
    /// Grants on their way to their charge, in order: clock, flow.
    charges: VecDeque<(u64, u32)>,
    /// Charged bytes on their way to their release.
    releases: VecDeque<(u64, u32, u16)>,
    charge_delay: u64,
    /// How often a packet is its segment's last.
    ends: f64,
    size: u16,
    pause: u8,
    stop: bool,
}

impl World {
    fn new(flow_bits: u32, now: u64, steps: bool) -> Self {
        World {
            flow_bits,
            now,
            period: 4 << 16,
            steps,
            runs: [0.8, 0.3, 0.1, 0.1].map(|p| Runs::new(p, 60)),
            hot: vec![0, 1, 2],
            doorbell: None,
            first: 0,
            charges: VecDeque::new(),
            releases: VecDeque::new(),
            charge_delay: 5,
            ends: 0.5,
            size: 1538,
            pause: 0,
            stop: false,
        }
    }

    fn flow(&self, rng: &mut ChaCha8Rng) -> u32 {
        if rng.random_bool(0.95) { self.hot[rng.random_range(0..self.hot.len())] } else { rng.random_range(0..1 << self.flow_bits) }
    }

    fn load(&self, rng: &mut ChaCha8Rng, flow: u32, enable: bool) -> FlowLoad {
        let record = FlowRecord {
            enable,
            keep: rng.random(),
            profile: rng.random_range(0..4),
            priority: rng.random_range(0..8),
            vlan: rng.random_bool(0.5).then(|| rng.random()),
            payload_bytes: rng.random_range(0..1 << 14),
            address: if rng.random() { [0u8; 4].into() } else { [0u8; 16].into() },
            ..FlowRecord::default()
        };
        FlowLoad { flow, record: record.pack().unwrap() }
    }

    /// Changes of the weather: the busy flows, and how slow the others are.
    fn turn(&mut self, rng: &mut ChaCha8Rng) {
        let n = [1, 2, 5, 30, 300][rng.random_range(0..5)];
        self.hot = (0..n).map(|_| rng.random_range(0..1 << self.flow_bits)).collect();
        self.charge_delay = [5, 5, 30, 400][rng.random_range(0..4)];
        self.ends = [1.0, 0.3, 0.03, 0.0][rng.random_range(0..4)];
        self.size = [84, 300, 1538, 9038][rng.random_range(0..4)];
        let p = [[1.0, 0.02, 0.01, 0.0], [0.5, 0.3, 0.1, 0.01], [0.9, 0.9, 0.3, 0.1], [0.02, 0.1, 0.01, 0.3]][rng.random_range(0..4)];
        for (runs, p) in self.runs.iter_mut().zip(p) {
            runs.p = p;
        }
        self.period = (4 << 16) + if rng.random() { 0 } else { rng.random_range(0..256) };
    }

    fn inputs(&mut self, clk: u64, rng: &mut ChaCha8Rng, out: &Out) -> In {
        self.now = self.now.wrapping_add(self.period);
        if self.steps && rng.random_bool(0.0003) {
            self.now = self.now.wrapping_add(any_size(rng, 62));
        }
        if rng.random_bool(0.002) {
            self.pause = if rng.random() { 0 } else { rng.random() };
            self.stop = rng.random_bool(0.1);
        }
        if rng.random_bool(0.0005) {
            self.turn(rng);
        }
        let on = self.runs.each_mut().map(|r| r.next(rng));
        let mut i = In { now: self.now, pause: self.pause, stop: self.stop, grant_ready: on[0], ..In::default() };
        i.rst = rng.random_bool(0.00002);
        if let (Some(grant), true) = (out.grant, on[0]) {
            let delay = if rng.random_bool(0.01) { any_size(rng, 10) } else { self.charge_delay };
            let due = self.charges.back().map_or(0, |c| c.0).max(clk + delay.max(5));
            self.charges.push_back((due, grant.flow));
        }
        if let Some((_, flow)) = self.charges.pop_front_if(|c| c.0 <= clk) {
            let bytes = match rng.random_range(0..20) {
                0 => 0,
                1 => any_size(rng, 16) as u16,
                _ => self.size,
            };
            i.charge = Some(Charge { flow, bytes, ends: rng.random_bool(self.ends) });
            self.releases.push_back((clk + any_size(rng, 12), flow, bytes));
        }
        if let Some((_, flow, bytes)) = self.releases.pop_front_if(|r| r.0 <= clk) {
            i.release = Some(Release { flow, bytes: bytes.into() });
        } else if on[3] {
            i.release = Some(Release { flow: self.flow(rng), bytes: any_size(rng, 31) as u32 });
        }
        if self.first < 1 << self.flow_bits && out.swept {
            i.load = Some(self.load(rng, self.first, true));
            let rate = rng.random_range(1 << 20..100_000 << 12);
            i.rate = Some((self.first, rate));
            // Profiles 0 to 3: without bound or idle time; with a bound; with an idle time; with
            // both.
            let p = self.first as u8 & 3;
            let (bound, idle) = (if p & 1 == 1 { 40_000 } else { 0 }, if p & 2 == 2 { 3000 } else { 0 });
            let window = (profile::USE_WINDOW, 3000 * u32::from(p));
            let (field, data) =
                [(profile::OUTSTANDING, bound), (profile::IDLE_NS, idle), (profile::TOKEN_CAP, 16384), window][self.first as usize / 4 % 4];
            i.profile = Some(ProfileWrite { profile: p, word: field.word, data });
            self.first += 1;
        } else {
            if on[2] {
                let value = match rng.random_range(0..20) {
                    0 => rng.random(),
                    1 => 0,
                    2..5 => any_size(rng, 29) as u32,
                    _ => rng.random_range(1 << 22..100_000 << 12),
                };
                i.rate = Some((self.flow(rng), value));
            }
            if rng.random_bool(0.003) {
                let (flow, enable) = (self.flow(rng), rng.random_bool(0.8));
                i.load = Some(self.load(rng, flow, enable));
            }
            if rng.random_bool(0.0005) {
                let (field, data) = match rng.random_range(0..4) {
                    3 => (profile::USE_WINDOW, any_size(rng, 24)),
                    0 => (profile::OUTSTANDING, any_size(rng, 30)),
                    1 => (profile::IDLE_NS, any_size(rng, 31)),
                    _ => (profile::TOKEN_CAP, any_size(rng, 20)),
                };
                let data = if rng.random_bool(0.3) { 0 } else { data as u32 };
                i.profile = Some(ProfileWrite { profile: rng.random_range(0..4), word: field.word, data });
            }
        }
        if self.doorbell.is_none() && on[1] {
            let packets = match rng.random_range(0..50) {
                0 => rng.random(),
                1..10 => 1,
                _ => any_size(rng, 6) as u16,
            };
            self.doorbell = Some((self.flow(rng), packets));
        }
        i.doorbell = self.doorbell;
        if out.doorbell_ready {
            self.doorbell = None;
        }
        if i.rst {
            self.charges.clear();
            self.releases.clear();
            self.first = 0;
        }
        i
    }
}

#[rustfmt::skip]
fn equals_model<const F: usize, const X: usize, const A: usize, const Y: usize, const B: usize, const S: usize, const D: usize,
    const R: usize, const Z: usize, const W: usize>() {
    let library = verilate("pacer", Pacer::<F, X, A, Y, B, S, D, R, Z, W>::new(Timing::default()));
    let mut met = Met::default();
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut world = World::new(F as u32, u64::MAX - (3 << 30), seed % 2 == 1);
        let (mut dut, mut model) = (library.instantiate(seed as u32), top::Pacer::new(F as u32, Timing::default()));
        for clk in 0..cycles() {
            let rtl = outputs(&dut, &library);
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            let i = world.inputs(clk, &mut rng, &rtl);
            met.count(&rtl, &i);
            drive(&mut dut, &library, &i, rng.random());
            dut.tick();
            model.step(clk, &i);
        }
    }
    println!("{F} flow bits: {met:?}");
    assert!(met.all() || cycles() < 100_000, "not everything was met: {met:?}");
}

#[test]
fn rtl_equals_model_at_4_flow_bits() {
    equals_model::<4, 13, 9, 17, 3, 5, 20, 36, 54, 98>();
}

#[test]
fn rtl_equals_model_at_10_flow_bits() {
    equals_model::<10, 13, 9, 17, 9, 11, 26, 42, 60, 104>();
}

/// The model's test at many rates, on the Verilog at a few.
#[test]
fn a_lone_flow_departs_on_time() {
    let library = verilate("pacer", Pacer::<10, 13, 9, 17, 9, 11, 26, 42, 60, 104>::new(Timing::default()));
    println!("{}", Lone::HEAD);
    for (bytes, mbps) in [(84, 100_000), (1538, 77_777), (84, 10_000), (1538, 333)] {
        let mut dut = library.instantiate(1);
        let lone = pacer_rig::lone(&mut Rig::new(10), bytes, mbps << 12, |rig| {
            let i = rig.inputs(&outputs(&dut, &library));
            drive(&mut dut, &library, &i, 0);
            dut.tick();
            rig.clk += 1;
        });
        println!("{lone}");
        lone.check();
    }
}

#[test]
fn rtl_equals_model_at_14_flow_bits() {
    equals_model::<14, 15, 11, 19, 13, 15, 30, 46, 64, 108>();
}

#[test]
fn sixteen_flow_bits_emit() {
    timely_hw::emit::emit("pacer", Pacer::<16, 17, 13, 21, 15, 17, 32, 48, 66, 110>::new(Timing::default())).unwrap();
}

/// A model that is asked every clock and one that is asked when it wants to be show the same, also
/// where the time steps: it leaves its line at a clock, and is told the next one at the second
/// after, as a change of the lead does in a core.
#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut world = World::new(6, u64::MAX - (3 << 30), false);
        let (mut stepped, mut skipped) = (top::Pacer::new(6, Timing::default()), top::Pacer::new(6, Timing::default()));
        let (mut wake, mut skips, mut period, mut levels) = (0, 0, 0, (0, false));
        let (mut stepping, mut steps) = (false, 0);
        for clk in 0..cycles() {
            let out = stepped.output(clk);
            assert_eq!(out, skipped.output(clk), "clock {clk}, seed {seed}");
            let i = world.inputs(clk, &mut rng, &out);
            stepped.step(clk, &i);
            let mut quiet = i.doorbell.is_none() && i.release.is_none() && i.charge.is_none() && i.rate.is_none();
            quiet &= i.load.is_none() && i.profile.is_none() && !i.rst && (i.pause, i.stop) == levels;
            quiet &= period == world.period && !(i.grant_ready && out.grant.is_some());
            let leaves = !stepping && period == world.period && rng.random_range(0..500) == 0;
            quiet &= !leaves && !stepping;
            levels = (i.pause, i.stop);
            if quiet && wake > clk {
                skips += 1;
                continue;
            }
            if period != world.period {
                period = world.period;
                skipped.set_time(TimeMap { clk0: clk, now: i.now, step: (period << 8) as u32 });
            }
            skipped.step(clk, &i);
            if leaves {
                skipped.lose_time();
            } else if stepping {
                steps += 1;
                world.now = world.now.wrapping_add_signed(rng.random_range(-3000..3000) << 16);
                skipped.set_time(TimeMap { clk0: clk + 1, now: world.now.wrapping_add(period), step: (period << 8) as u32 });
            }
            stepping = leaves;
            wake = skipped.wake(clk + 1);
        }
        println!("{skips} clocks skipped, {steps} steps of the time");
        assert!(quick() || skips > cycles() / 100, "{skips} clocks skipped");
    }
}

/// The model's test for two seeds, on the Verilog for one.
#[test]
fn large_bounds_hold() {
    let library = verilate("pacer", Pacer::<10, 13, 9, 17, 9, 11, 26, 42, 60, 104>::new(Timing::default()));
    let seed = seeds()[0];
    let mut dut = library.instantiate(seed as u32);
    pacer_rig::bounded(&mut Rig::new(10), &mut rng(seed), |rig| {
        let i = rig.inputs(&outputs(&dut, &library));
        drive(&mut dut, &library, &i, 0);
        dut.tick();
        rig.clk += 1;
    });
}

/// A shell whose packets come 100 to 400 clocks after their grants, with the pacer's time ahead by
/// more than that and the launch gate in front of the link: every packet departs at the clock that
/// sees its launch, as one from a shell without delay would.
#[test]
fn late_packets_depart_at_their_launch() {
    const LEAD_NS: u64 = 1760;
    let library = verilate("pacer", Pacer::<10, 13, 9, 17, 9, 11, 26, 42, 60, 104>::new(Timing::default()));
    let gate = verilate("launch512", timely_hw::launch::Launch::<512, 64, 138>::default());
    let (s_valid, s_ready, s_launch) = (gate.input("s_tvalid"), gate.output("s_tready"), gate.input("s_launch"));
    let (s_last, s_tag, now, m_ready) = (gate.input("s_tlast"), gate.input("s_tag"), gate.input("now"), gate.input("m_tready"));
    let s_timed = gate.input("s_timed");
    let (m_valid, m_tag) = (gate.output("m_tvalid"), gate.output("m_tag"));
    for seed in seeds() {
        let mut rng = rng(seed);
        // The rig's time is the pacer's: a lead later than the link's.
        let mut rig = Rig::new(10);
        rig.start = LEAD_NS;
        rig.profile(0, 0, 16384);
        for f in 0..20 {
            rig.flow(f, 1538, (rng.random_range(500.0..4000.0) * 4096.0) as u32);
            rig.doorbells.push_back((f, 60_000));
        }
        let (mut dut, mut launch) = (library.instantiate(seed as u32), gate.instantiate(seed as u32));
        let (mut packets, mut waiting) = (VecDeque::new(), VecDeque::new());
        let (mut due, mut left, mut departed, mut shortest, mut longest) = (0, 0, 0u64, u64::MAX, 0);
        for clk in 0..cycles() {
            assert_eq!(rig.clk, clk);
            // Packets come in the order of their grants, a beat each.
            let comes = packets.front().is_some_and(|p: &(u64, u64)| p.0 <= clk) && launch.get(s_ready) == 1;
            launch.set(s_valid, comes.into());
            launch.set(s_last, 1);
            launch.set(s_timed, 1);
            launch.set(m_ready, 1);
            launch.set(now, (clk * 4) << 16);
            if let Some((_, at)) = packets.pop_front_if(|_| comes) {
                launch.set(s_launch, at);
                launch.set(s_tag, (departed + waiting.len() as u64) & 0xffff);
                waiting.push_back(at);
            }
            if launch.get(m_valid) == 1 {
                let at = waiting.pop_front().expect("what departs was there");
                assert_eq!(launch.get(m_tag), departed & 0xffff);
                let seen = at.div_ceil(4 << 16);
                assert_eq!(clk, (seen + 1).max(left + 1), "a packet launched at {at}, clock {seen}, seed {seed}");
                (left, departed) = (clk, departed + 1);
            }
            launch.tick();
            let before = rig.departures.len();
            let i = rig.inputs(&outputs(&dut, &library));
            drive(&mut dut, &library, &i, 0);
            dut.tick();
            rig.clk += 1;
            if let Some(grant) = rig.departures.get(before) {
                let delay = rng.random_range(100..=400);
                due = due.max(clk + delay);
                packets.push_back((due, grant.launch));
                (shortest, longest) = (shortest.min(due - clk), longest.max(due - clk));
            }
        }
        println!("{departed} packets came {shortest} to {longest} clocks after their grants and departed at their launch");
        assert!(departed > cycles() / 100 && shortest < 120 && longest == 400, "seed {seed}");
    }
}
