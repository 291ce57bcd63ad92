//! The token pass against its model, every output at every clock, with the wheel, the gate and the
//! doorbell unit played at random.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use timely_hw::pacer::pass::Pass;
use timely_model::Block;
use timely_model::bus::{FlowLoad, ProfileWrite};
use timely_model::pacer::charge::Paid;
use timely_model::pacer::doorbell::{Post, Request, Sleep};
use timely_model::pacer::gate::Train;
use timely_model::pacer::pass::{self, In, Out};
use timely_model::pacer::wheel::Insert;
use timely_model::pacer::{Timing, wheel_bits};
use timely_regs::flow::{self, FlowRecord};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
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
        ready: on("q_ready"),
        granted: on("granted_valid").then(|| (get("granted_flow") as u32, get("granted_count") as u16)),
        limited: on("granted_valid").then(|| (get("granted_flow") as u32, on("limited"))),
        sleep: on("sleep_valid").then(|| Request {
            flow: get("sleep_flow") as u32,
            why: [Sleep::Empty, Sleep::Bounded, Sleep::Cleared][get("sleep_why") as usize],
            granted: get("sleep_granted") as u16,
            released: get("sleep_released") as u32,
        }),
        insert: on("insert_valid").then(|| Insert { flow: get("insert_flow") as u32, slot: get("insert_slot") as u32 }),
        train: on("train_valid").then(|| Train {
            flow: get("train_flow") as u32,
            packets: get("train_packets") as u32,
            launch: get("train_launch"),
            gap: get("train_gap") as u32,
        }),
        park: on("park_valid").then(|| get("park_flow") as u32),
        resume: on("resume"),
        idle: on("idle_valid").then(|| get("idle_flow") as u32),
        swept: on("swept"),
    }
}

fn drive(dut: &mut Dut, l: &Library, i: &In, noise: u64) {
    // RAM init writes 0 in the whole pacer.
    let known = if dut.get(l.output("swept")) == 1 { u64::MAX } else { 0 };
    let mut set = |n: &str, v: u64| dut.set(l.input(n), v);
    set("rst", i.rst.into());
    set("q_valid", i.flow.is_some().into());
    set("q_flow", i.flow.unwrap_or(noise as u32 & 3).into());
    let (f, p) = i.post.unwrap_or((1, Post { posted: noise as u16, released: 0, drop: noise & 1 == 1 }));
    set("post_valid", i.post.is_some().into());
    set("post_flow", f.into());
    set("post_word", (u64::from(p.posted) | u64::from(p.released) << 16 | u64::from(p.drop) << 48) & known);
    let (f, p) =
        i.paid.unwrap_or((2, Paid { bytes: noise as u32, settled: 3, voids: noise as u8, last: 9, largest: 9, ends: noise & 1 == 1 }));
    set("paid_valid", i.paid.is_some().into());
    set("paid_flow", f.into());
    set("paid_ends", p.ends.into());
    set("paid_voids", u64::from(p.voids) & known);
    set("paid_word", (u64::from(p.bytes) | u64::from(p.settled) << 32 | u64::from(p.last) << 41 | u64::from(p.largest) << 57) & known);
    let w = i.profile.unwrap_or(ProfileWrite { profile: 0, word: 1, data: noise as u32 });
    set("pw_valid", i.profile.is_some().into());
    set("pw_profile", w.profile.into());
    set("pw_word", w.word.into());
    set("pw_data", w.data.into());
    let (f, r) = i.rate.unwrap_or((0, noise as u32));
    set("rate_valid", i.rate.is_some().into());
    set("rate_flow", f.into());
    set("rate_value", r.into());
    set("pause", i.pause.into());
    set("stop", i.stop.into());
    set("now", i.now);
    set("left", i.left.into());
    set("held", i.held.into());
    set("sleep_ready", i.sleep_ready.into());
    let load = i.load.unwrap_or(FlowLoad { flow: noise as u32 & 3, record: [noise as u32; 16] });
    set("fl_valid", i.load.is_some().into());
    set("fl_flow", load.flow.into());
    let fields = [flow::PROFILE, flow::PRIORITY, flow::IPV6, flow::VLAN, flow::PAYLOAD_BYTES];
    for (port, field) in ["fl_profile", "fl_priority", "fl_ipv6", "fl_vlan", "fl_payload"].into_iter().zip(fields) {
        set(port, field.get(&load.record).into());
    }
}

/// Counts of the events of a run, so that it can be shown to have met everything.
#[derive(Default, Debug)]
struct Met {
    sleeps: [u64; 3],
    trains: [u64; 6],
    parks: u64,
    idles: u64,
    inserts: u64,
    resumes: u64,
    /// Passes of flows that are limited, and of those that are not.
    limited: [u64; 2],
    /// A segment that did not end had 2^31 bytes.
    overs: u64,
}

impl Met {
    fn count(&mut self, o: &Out) {
        if let Some(s) = o.sleep {
            self.sleeps[s.why as usize] += 1;
        }
        if let Some(t) = o.train {
            self.trains[t.packets.ilog2() as usize] += 1;
        }
        self.parks += u64::from(o.park.is_some());
        self.idles += u64::from(o.idle.is_some());
        self.inserts += u64::from(o.insert.is_some());
        self.resumes += u64::from(o.resume);
        if let Some((_, limited)) = o.limited {
            self.limited[usize::from(!limited)] += 1;
        }
    }

    fn all(&self) -> bool {
        self.sleeps
            .iter()
            .chain(&self.trains)
            .chain(&self.limited)
            .chain([&self.parks, &self.idles, &self.inserts, &self.resumes, &self.overs])
            .all(|n| *n > 20)
    }
}

/// The surroundings of the pass.
struct World {
    flow_bits: u32,
    now: u64,
    runs: [Runs; 5],
    /// Bytes that a flow was charged.
    bytes: Vec<u32>,
    /// The clock at which a flow was last issued.
    issued: Vec<u64>,
    head: Option<u32>,
    in_gate: u64,
    pause: u8,
    stop: bool,
}

impl World {
    fn new(flow_bits: u32, now: u64) -> Self {
        let runs = [0.8, 0.8, 0.7, 0.5, 0.5].map(|p| Runs::new(p, 60));
        World {
            flow_bits,
            now,
            runs,
            bytes: vec![0; 1 << flow_bits],
            issued: vec![0; 1 << flow_bits],
            head: None,
            in_gate: 0,
            pause: 0,
            stop: false,
        }
    }

    fn flow(&self, rng: &mut ChaCha8Rng) -> u32 {
        rng.random_range(0..1 << self.flow_bits.min(6))
    }

    fn inputs(&mut self, clk: u64, rng: &mut ChaCha8Rng, model: &pass::Pass, out: &Out) -> In {
        self.now = self.now.wrapping_add(4 << 16);
        if rng.random_bool(0.001) {
            // A jump ahead, so that flows have been idle for any time, many wraps of shorter
            // counters among them.
            self.now = self.now.wrapping_add(any_size(rng, 62));
        }
        if rng.random_bool(0.003) {
            self.pause = if rng.random() { 0 } else { rng.random() };
            self.stop = rng.random_bool(0.1);
        }
        let on = self.runs.each_mut().map(|r| r.next(rng));
        if self.head.is_none() && out.swept && on[0] {
            let f = self.flow(rng);
            if clk - self.issued[f as usize] > 30 {
                self.head = Some(f);
            }
        }
        let mut i = In { now: self.now, pause: self.pause, stop: self.stop, sleep_ready: on[2], flow: self.head, ..In::default() };
        i.held = rng.random();
        i.rst = rng.random_bool(0.00003);
        if let Some(t) = out.train {
            self.in_gate += u64::from(t.packets);
        }
        i.left = self.in_gate > 0 && on[1];
        self.in_gate -= u64::from(i.left);
        // Words that make sense together with the flow's state, and some that do not.
        if on[3] {
            let f = self.flow(rng);
            let s = model.state(f);
            let posted = s.granted.wrapping_add(if rng.random_bool(0.1) { 0 } else { any_size(rng, 10) as u16 });
            let bits = [17, 31][usize::from(rng.random_bool(0.2))];
            let outstanding = any_size(rng, bits) as u32;
            let outstanding = if rng.random_bool(0.05) { outstanding.wrapping_neg() } else { outstanding };
            // A segment that does not end, of about 2^30 bytes or a multiple of them.
            let near = (rng.random_range(1..4u32) << 30).wrapping_add(any_size(rng, 14) as u32).wrapping_sub(1 << 12);
            let outstanding = if rng.random_bool(0.1) { near } else { outstanding };
            let released = self.bytes[f as usize].wrapping_sub(s.base).wrapping_sub(outstanding);
            i.post = Some((f, Post { posted, released, drop: rng.random_bool(0.05) }));
        }
        if on[4] {
            let f = self.flow(rng);
            let s = model.state(f);
            let uncharged = if rng.random() { 0 } else { any_size(rng, 9) as u16 };
            // As a pass left it, or some packets later; at times anything.
            let more = if rng.random_bool(0.002) { rng.random() } else { any_size(rng, 18) as u32 };
            let bytes = if rng.random() { self.bytes[f as usize] } else { self.bytes[f as usize].wrapping_add(more) };
            self.bytes[f as usize] = bytes;
            let settled = s.granted.wrapping_sub(uncharged) & 0x1ff;
            // A few more found no packet, or any number.
            let voids = s.voids.wrapping_add(if rng.random() { 0 } else { any_size(rng, 8) as u8 });
            // At times the largest packet is, in its unit, as large as the last one.
            let last = any_size(rng, 16) as u16;
            let largest = if rng.random_bool(0.3) { (last >> 9) as u8 } else { any_size(rng, 7) as u8 };
            i.paid = Some((f, Paid { bytes, settled, voids, last, largest, ends: rng.random() }));
        }
        if rng.random_bool(0.3) {
            let value = if rng.random_bool(0.02) { rng.random() } else { any_size(rng, 29) as u32 };
            i.rate = Some((self.flow(rng), value));
        }
        if rng.random_bool(0.02) {
            let (word, bits) = [(0, 32), (1, 30), (2, 31), (3, 31), (4, 20), (5, 32), (30, 24)][rng.random_range(0..7)];
            let data = match rng.random_range(0..10) {
                0..3 => 0,
                // A slack window that few packets fill: half a nanosecond decides then.
                3..7 if word == 30 => rng.random_range(1..512),
                _ => any_size(rng, bits) as u32,
            };
            i.profile = Some(ProfileWrite { profile: rng.random_range(0..16), word, data });
        }
        if rng.random_bool(0.03) {
            let record = FlowRecord {
                profile: rng.random_range(0..16),
                priority: rng.random_range(0..8),
                vlan: rng.random_bool(0.5).then(|| rng.random()),
                payload_bytes: rng.random_range(0..1 << 14),
                address: if rng.random() { [0u8; 4].into() } else { [0u8; 16].into() },
                ..FlowRecord::default()
            };
            i.load = Some(FlowLoad { flow: self.flow(rng), record: record.pack().unwrap() });
        }
        if out.ready
            && let Some(f) = self.head.take()
        {
            self.issued[f as usize] = clk;
        }
        if i.rst {
            (self.in_gate, self.head) = (0, None);
        }
        i
    }
}

fn equals_model<const F: usize, const S: usize, const X: usize, const Y: usize, const Z: usize>() {
    let timing = Timing::default();
    let library = verilate("pass", Pass::<F, S, X, Y, Z>::new(timing));
    let mut met = Met::default();
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut world = World::new(F as u32, u64::MAX - (3 << 30));
        let (mut dut, mut model) = (library.instantiate(seed as u32), pass::Pass::new(F as u32, timing));
        let mut bases = vec![0; 1 << F];
        for clk in 0..cycles() {
            let rtl = outputs(&dut, &library);
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            met.count(&rtl);
            if let Some((flow, _)) = rtl.granted {
                let base = model.state(flow).base;
                met.overs += u64::from(bases[flow as usize] ^ base == 1 << 31);
                bases[flow as usize] = base;
            }
            let i = world.inputs(clk, &mut rng, &model, &rtl);
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
    equals_model::<4, 5, 13, 17, 54>();
}

#[test]
fn rtl_equals_model_at_10_flow_bits() {
    equals_model::<10, 11, 13, 17, 60>();
}

#[test]
fn rtl_equals_model_at_14_flow_bits() {
    equals_model::<14, 15, { wheel_bits(14) }, 19, 64>();
}

#[test]
fn sixteen_flow_bits_emit() {
    timely_hw::emit::emit("pass", Pass::<16, 17, 17, 21, 66>::new(Timing::default())).unwrap();
}
