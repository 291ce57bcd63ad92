//! `timely_hw::roce::round_trips` against `timely_model::round_trips`, every output at every clock:
//! requests that are new, sent again or of another connection, answers of all kinds, lost and odd
//! completions, loads, joins, steps of the time, and profiles that change.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};
use timely_hw::roce::round_trips::RoundTrips;
use timely_model::Block;
use timely_model::bus::{Completion, FlowLoad, KIND_NAK, KIND_RTT, KIND_TIMEOUT, ProfileWrite, RTT_MAX, Sample};
use timely_model::round_trips::{self, Answer, Frame, In, Out, Request, Verb, WINDOW};
use timely_regs::profile;
use timely_tests::{Runs, cycles, quick, rng, seeds, verilate};
use timely_verilate::{Dut, Library};

const MASK: u32 = (1 << 24) - 1;
/// Profiles in use: few, so that their words are met often, which differ in each bit.
const PROFILES: [u8; 4] = [0, 6, 9, 15];
const PULSES: [&str; 9] = ["repeated", "restarted", "unstamped", "across a step", "unsure", "NAK", "not ready", "stray", "timed out"];

/// The design's ports.
struct Bench<'a> {
    dut: Dut,
    library: &'a Library,
}

impl Bench<'_> {
    fn get(&self, name: &str) -> u64 {
        self.dut.get(self.library.output(name))
    }

    fn set(&mut self, name: &str, value: u64) {
        self.dut.set(self.library.input(name), value);
    }

    fn output(&self) -> Out {
        let sample = || Sample {
            kind: self.get("sample_kind") as u8,
            flow: self.get("sample_flow") as u32,
            rtt_ns: self.get("sample_rtt_ns") as u32,
            now_ns: self.get("sample_now_ns") as u32,
            hops: self.get("sample_hops") as u8,
            endpoint_ns: self.get("sample_endpoint_ns") as u32,
            lost: self.get("sample_lost") as u8,
        };
        Out { swept: self.get("swept") == 1, sample: (self.get("sample_valid") == 1).then(sample), pulses: self.get("pulses") as u16 }
    }

    /// Fields of a word that is not valid are random, for they must not matter; a completion's tag
    /// is `recent`, that of a frame.
    fn tick(&mut self, i: &In, flow_bits: u32, recent: u16, rng: &mut ChaCha8Rng) {
        let flow = |rng: &mut ChaCha8Rng| rng.random_range(0..1 << flow_bits);
        self.set("rst", i.rst.into());
        let f = i.sent.unwrap_or_else(|| Frame { tag: rng.random(), wire_bytes: rng.random(), launch: rng.random(), request: None });
        self.set("sent_valid", i.sent.is_some().into());
        self.set("sent_tag", f.tag.into());
        self.set("sent_wire_bytes", f.wire_bytes.into());
        self.set("sent_launch", f.launch);
        self.set("sent_request", if i.sent.is_some() { f.request.is_some() } else { rng.random() }.into());
        let r = f.request.unwrap_or_else(|| Request {
            flow: flow(rng),
            psn: rng.random_range(0..=MASK),
            read: rng.random(),
            asks: rng.random(),
            bytes: rng.random(),
        });
        self.set("sent_flow", r.flow.into());
        self.set("sent_psn", r.psn.into());
        self.set("sent_read", r.read.into());
        self.set("sent_asks", r.asks.into());
        self.set("sent_bytes", r.bytes.into());
        let c = i.completion.unwrap_or_else(|| Completion { tag: recent, ts: rng.random() });
        self.set("c_valid", i.completion.is_some().into());
        self.set("c_tag", c.tag.into());
        self.set("c_ts", c.ts);
        let verb = [Verb::Ack, Verb::Nak, Verb::NotReady, Verb::Response];
        let a = i.answer.unwrap_or_else(|| Answer {
            flow: flow(rng),
            verb: verb[rng.random_range(0..4)],
            psn: rng.random_range(0..=MASK),
            bytes: rng.random(),
            ts: rng.random(),
        });
        self.set("answer_valid", i.answer.is_some().into());
        self.set("answer_flow", a.flow.into());
        self.set("answer_verb", verb.iter().position(|v| *v == a.verb).expect("a verb") as u64);
        self.set("answer_psn", a.psn.into());
        self.set("answer_bytes", a.bytes.into());
        self.set("answer_ts", a.ts);
        let p = i.profile.unwrap_or_else(|| ProfileWrite {
            profile: rng.random_range(0..16),
            word: rng.random_range(0..32),
            data: rng.random(),
        });
        self.set("pw_valid", i.profile.is_some().into());
        self.set("pw_profile", p.profile.into());
        self.set("pw_word", p.word.into());
        self.set("pw_data", p.data.into());
        let l = i.flow.unwrap_or_else(|| FlowLoad { flow: flow(rng), record: rng.random() });
        self.set("fl_valid", i.flow.is_some().into());
        self.set("fl_flow", l.flow.into());
        let record: Vec<u8> = l.record.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.dut.set_bytes(self.library.input("fl_record"), &record);
        self.set("joined_valid", i.joined.is_some().into());
        self.set("joined_flow", i.joined.unwrap_or_else(|| flow(rng)).into());
        self.set("cfg_mtu", i.mtu.into());
        self.set("cfg_ns_per_byte", i.ns_per_byte.into());
        self.set("now", i.now);
        self.set("time_epoch", i.time_epoch.into());
        self.set("departed_epoch", i.departed_epoch.into());
        self.dut.tick();
    }
}

/// A flow, and the PSN behind a request of it.
type Behind = (u32, u32);

/// Requests, departures and tags under way.
#[derive(Default)]
struct World {
    /// By flow: the PSN that comes next.
    next: BTreeMap<u32, u32>,
    /// By flow: the PSN behind the last request that departed; those whose departure the block has
    /// not seen yet.
    left: BTreeMap<u32, u32>,
    leaving: VecDeque<(u64, Behind)>,
    /// By flow: bytes that a packet of it has at most.
    mtus: BTreeMap<u32, u32>,
    /// By the clock at which they are due, and their number.
    departures: BTreeMap<(u64, u64), (Completion, Option<Behind>)>,
    frames: u64,
    /// Little is sent again, and nearly all answers are good.
    calm: bool,
    /// Percent of the clocks at which a tag departs that was not due.
    doubt: u32,
    again: VecDeque<(u64, Completion)>,
    tag: u16,
}

impl World {
    fn request(&mut self, rng: &mut ChaCha8Rng, flow: u32) -> Request {
        let next = self.next.entry(flow).or_insert_with(|| rng.random_range(0..=MASK));
        let read = rng.random_bool(if self.calm { 0.05 } else { 0.3 });
        let mtu = *self.mtus.entry(flow).or_insert_with(|| 256 << rng.random_range(0..5));
        let bytes = match rng.random_range(0..10) {
            0 => 0,
            1 => mtu,
            2 => mtu / 2 + (1 << rng.random_range(0..8)),
            3 if read => rng.random_range(0..1 << 31),
            4 if !self.calm => rng.random_range(0..9000),
            _ if read => rng.random_range(0..9000),
            _ => rng.random_range(0..=mtu),
        };
        let psn = match rng.random_range(0..if self.calm { 2000 } else { 100 }) {
            0 => rng.random_range(0..=MASK),
            // At the borders of what is under way.
            1 => next.wrapping_sub(WINDOW as u32 + rng.random_range(0..3)),
            2 => next.wrapping_add(WINDOW as u32 - rng.random_range(0..4)),
            3..20 => next.wrapping_sub(rng.random_range(0..40)),
            _ => *next,
        } & MASK;
        if psn == *next || !self.calm && rng.random_bool(0.05) {
            *next = psn.wrapping_add(rng.random_range(1..3)) & MASK;
            if read {
                *next = psn.wrapping_add(bytes.div_ceil(mtu).max(1)) & MASK;
            }
        }
        Request { flow, psn, read, asks: rng.random_bool(0.5), bytes }
    }

    /// The frame departs at clock `due` or later, maybe before older ones: the block needs no
    /// order.
    fn departs(&mut self, due: u64, ts: u64, request: Option<Request>) {
        self.frames += 1;
        let behind = request.map(|r| (r.flow, r.psn.wrapping_add(1) & MASK));
        self.departures.insert((due, self.frames), (Completion { tag: self.tag, ts }, behind));
    }

    /// The tag of one of the last frames, under way or not.
    fn recent(&self, rng: &mut ChaCha8Rng) -> u16 {
        self.tag.wrapping_sub(rng.random_range(0..256)) & 0x7fff
    }

    /// The departure of a clock: mostly one that is due, or a tag that has departed, again;
    /// sometimes any.
    fn completion(&mut self, rng: &mut ChaCha8Rng, clk: u64) -> Option<Completion> {
        while let Some((_, behind)) = self.leaving.pop_front_if(|(at, _)| *at <= clk) {
            self.left.extend([behind]);
        }
        match rng.random_range(0..100) {
            0 => return Some(Completion { tag: rng.random(), ts: rng.random() }),
            n if n < self.doubt => return Some(Completion { tag: self.recent(rng), ts: rng.random() }),
            n if n < self.doubt + 14 => {}
            _ => {
                // Of 256 tags, those of older frames have been given again.
                while self.departures.len() > 250 {
                    self.departures.pop_first();
                }
                if let Some(first) = self.departures.first_entry().filter(|e| e.key().0 <= clk) {
                    let (c, behind) = first.remove();
                    self.leaving.extend(behind.map(|b| (clk + 20, b)));
                    let ts = c.ts.wrapping_add(rng.random_range(0..1 << 24));
                    self.again.push_back((clk + rng.random_range(1..12), Completion { tag: c.tag, ts }));
                    return Some(c);
                }
            }
        }
        self.again.retain(|(at, _)| clk < *at + 20);
        self.again.pop_front_if(|(at, _)| *at <= clk).map(|(_, c)| c)
    }

    fn answer(&self, rng: &mut ChaCha8Rng, flow: u32, now: u64) -> Answer {
        let of = if rng.random_bool(if self.calm { 0.01 } else { 0.2 }) { &self.next } else { &self.left };
        let next = of.get(&flow).copied().unwrap_or(0);
        let psn = match rng.random_range(0..20) {
            0 => rng.random_range(0..=MASK),
            1 => next.wrapping_sub(WINDOW as u32 + rng.random_range(0..4)),
            2..10 => next.wrapping_sub(rng.random_range(0..6)),
            _ => next.wrapping_sub(1),
        } & MASK;
        let verb = match rng.random_range(0..if self.calm { 200 } else { 7 }) {
            0 => Verb::Nak,
            1 => Verb::NotReady,
            n if n % 5 < 3 => Verb::Ack,
            _ => Verb::Response,
        };
        let mtu = self.mtus.get(&flow).map_or(256, |m| *m as u16);
        let odd = if self.calm { mtu } else { rng.random() };
        let bytes = [0, mtu, mtu / 2 + (1 << rng.random_range(0..8)), odd][rng.random_range(0..4)];
        Answer { flow, verb, psn, bytes, ts: now.wrapping_add(rng.random_range(0..1 << 20)) }
    }
}

/// Gives how often what may happen did: at least `all` times, but for the longest RTT.
fn lockstep<const F: usize>(all: u64) -> BTreeMap<&'static str, u64> {
    let library = verilate("round_trips", RoundTrips::<F>::new());
    let mut tally = BTreeMap::<&'static str, u64>::new();
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench { dut: library.instantiate(seed as u32), library: &library };
        let mut model = round_trips::RoundTrips::new(F as u32);
        let (mut world, mut i) = (World::default(), In { now: rng.random(), ns_per_byte: rng.random(), ..In::default() });
        let (mut sent, mut answers) = (Runs::new(0.5, 40), Runs::new(0.5, 40));
        // Flows that are still to be loaded behind a reset: all, or the first of many.
        let mut setup: Vec<u32> = (0..1 << F.min(8)).collect();
        // Of many flows the scan for time-outs comes by seldom: some in front of it are used.
        let some = if F > 8 { 256 } else { 16 };
        let (mut flows, mut near, mut step, mut lost, mut load, mut loaded, mut delay) = (1, false, 1 << 18, 0.0, 0.01, 0, 30);
        for clk in 0..cycles() {
            let out = model.output(clk);
            assert_eq!(bench.output(), out, "clock {clk}, seed {seed}");
            PULSES.iter().enumerate().filter(|(b, _)| out.pulses >> b & 1 == 1).for_each(|(_, p)| *tally.entry(p).or_default() += 1);
            if let Some(s) = out.sample {
                let what = match s.kind {
                    KIND_TIMEOUT => "time-out",
                    KIND_NAK => "loss",
                    KIND_RTT if s.rtt_ns == RTT_MAX => "longest",
                    _ => "sample",
                };
                *tally.entry(what).or_default() += 1;
            }
            if clk % 3000 == 0 {
                world.calm = rng.random();
                world.doubt = [5, 5, 40][rng.random_range(0..3)];
                world.departures.clear();
                (flows, near) = [(1, false), (3, false), (some, F > 8), (some, F > 8), (1 << F, false)][rng.random_range(0..5)];
                sent.set([0.1, 0.6, 1.0][rng.random_range(0..3)]);
                answers.set([0.0, 0.05, 0.5, 1.0][rng.random_range(0..4)]);
                step = [1 << 18, 1 << 22, 1 << 26][rng.random_range(0..3)];
                lost = [0.0, 0.05, 0.5][rng.random_range(0..3)];
                load = [if F > 8 { 0.01 } else { 0.0 }, 0.001, 0.01][rng.random_range(0..3)];
                // Up to all tags are away at once.
                delay = [30, 30, if F <= 8 { 250 } else { 30 }][rng.random_range(0..3)];
                i.mtu = [0, 3, rng.random_range(0..8), rng.random_range(0..4)][rng.random_range(0..4)];
                i.ns_per_byte = [1 << 16, 52429, rng.random_range(0..1 << 21), rng.random()][rng.random_range(0..4)];
            }
            i.now = i.now.wrapping_add(rng.random_range(0..2 * step));
            // About the longest RTT, half and all of what elapsed times go round in. Of many flows
            // too few are timed for it.
            if F <= 8 && rng.random_bool(0.0003) {
                let most = [41, 48, 49][rng.random_range(0..3)];
                i.now = i.now.wrapping_add(rng.random_range(1 << 39..1 << most));
            }
            if rng.random_bool(0.0005) {
                (i.time_epoch, i.departed_epoch) = ((i.time_epoch + 1) & 3, i.time_epoch);
            } else if rng.random_bool(0.01) {
                i.departed_epoch = i.time_epoch;
            }
            let ahead = if near { (clk.saturating_sub(1 << F) >> 2) as u32 } else { 0 };
            let flow = |rng: &mut ChaCha8Rng| (ahead + rng.random_range(0..flows)) & ((1 << F) - 1);
            i.sent = sent.next(&mut rng).then(|| {
                world.tag = if rng.random_bool(0.02) { rng.random() } else { world.tag.wrapping_add(1) & 0x7fff };
                let of = flow(&mut rng);
                let request = rng.random_bool(0.9).then(|| world.request(&mut rng, of));
                Frame { tag: world.tag, wire_bytes: rng.random_range(64..9038), launch: i.now.wrapping_sub(1 << 20), request }
            });
            if i.sent.is_some() && !rng.random_bool(lost) {
                let ts = if rng.random_bool(0.01) { rng.random() } else { i.now.wrapping_add(rng.random_range(0..1 << 24)) };
                let request = i.sent.and_then(|f| f.request);
                world.departs(clk + rng.random_range(0..delay), ts, request);
            }
            i.completion = world.completion(&mut rng, clk);
            let of = flow(&mut rng);
            i.answer = answers.next(&mut rng).then(|| world.answer(&mut rng, of, i.now));
            i.profile = rng.random_bool(0.001).then(|| {
                let (word, data) = match rng.random_range(0..3) {
                    0 => (0, rng.random_range(0..3) << profile::RTT_START.low),
                    1 => {
                        // Short ones end at each border; of many flows hardly one is timed for as
                        // long as the others.
                        let most = if F > 8 { 22 } else { [12, 22, 25][rng.random_range(0..3)] };
                        (profile::TIMEOUT_NS.word, [0, 20_000, rng.random_range(0..1 << most)][rng.random_range(0..3)])
                    }
                    _ => (rng.random_range(0..32), rng.random()),
                };
                ProfileWrite { profile: PROFILES[rng.random_range(0..4)], word, data }
            });
            i.flow = None;
            if clk >= loaded + 8 && (out.swept && !setup.is_empty() || rng.random_bool(load)) {
                // Most flows are enabled.
                let mut record: [u32; 16] = rng.random();
                record[0] = (record[0] & !0xf1) | u32::from(rng.random_bool(0.9)) | u32::from(PROFILES[rng.random_range(0..4)]) << 4;
                let loads = FlowLoad { flow: setup.pop().unwrap_or_else(|| flow(&mut rng)), record };
                world.mtus.remove(&loads.flow);
                i.flow = Some(loads);
                loaded = clk;
            }
            i.joined = rng.random_bool(load).then(|| flow(&mut rng));
            if i.joined.is_some() {
                *tally.entry("joined").or_default() += 1;
            }
            // Behind each a large table is swept for 2^F clocks, in which nothing is timed.
            i.rst = rng.random_bool(if F <= 8 { 0.00005 } else { 0.00001 });
            let recent = world.recent(&mut rng);
            bench.tick(&i, F as u32, recent, &mut rng);
            model.step(clk, &i);
            if i.rst {
                if rng.random_bool(0.8) {
                    setup = (0..1 << F.min(8)).collect();
                }
                *tally.entry("reset").or_default() += 1;
            }
        }
    }
    println!("2^{F} queue pairs: {tally:?}");
    if quick() {
        return tally;
    }
    for what in PULSES.iter().chain(&["sample", "time-out", "loss", "joined"]) {
        let n = tally.get(what).copied().unwrap_or(0);
        assert!(n >= all, "2^{F} queue pairs: {what} came {n} times");
    }
    tally
}

#[test]
fn rtl_equals_model_small() {
    let tally = lockstep::<4>(50);
    // By answers behind a jump of the time; of 2^14 pairs hardly one is timed then.
    assert!(quick() || tally["longest"] >= 5, "{tally:?}");
}

#[test]
fn rtl_equals_model_14() {
    lockstep::<14>(1);
}
