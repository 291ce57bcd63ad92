//! The traffic generator among Corundum's frames, against its model, every output at every clock:
//! with loads that change the owner of a flow, stalls on all sides, and a scheduler that reports as
//! much as it may. Beside that, from the Verilog alone: frames of the core pass whole and in order,
//! and each of the generator's leaves under the tag that it was reported with.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use std::sync::Arc;
use timely_hw::config::{CLOCK_PS, Config};
use timely_hw::shells::corundum::app::traffic::Traffic as Rtl;
use timely_model::Block;
use timely_model::app_block::departures::OF_CORE;
use timely_model::app_block::traffic::{In, Out, Traffic};
use timely_model::bus::{FlowLoad, ProfileWrite, Release, Sent};
use timely_model::generator::Config as Who;
use timely_model::pacer::Timing;
use timely_model::stream::Beat;
use timely_regs::counters::Counter;
use timely_regs::flow::FlowRecord;
use timely_regs::map::ring_bits;
use timely_regs::profile;
use timely_tests::axis::{Offered, Taken, random_beat};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate::{Dut, Library};

const F: u32 = 10;
/// Few flows, so that what is done to one meets what it does.
const FLOWS: u32 = 6;
const REPORT: [&str; 12] =
    ["valid", "tag", "flow", "segment", "nonce", "first", "last", "wire_bytes", "segment_bytes", "launch", "place", "generation"];

/// The surroundings of the generator.
struct World {
    width: usize,
    doorbells: Runs,
    frames: Runs,
    takes: Runs,
    says: Runs,
    idles: Runs,
    reports: Runs,
    counts: Runs,
    /// The core's frame under way: its tag, and the beats that are left.
    frame: (u16, u32),
    reported: bool,
    i: In,
}

impl World {
    fn new(width: usize) -> Self {
        let config =
            Who { mac: [2, 0, 0, 0, 0, 9], ipv4: [10, 1, 0, 9], ipv6: [0xfd; 16], key: 0x0123_4567_89ab_cdef_0246_8ace, keyed: true };
        World {
            width,
            doorbells: Runs::new(0.3, 20),
            frames: Runs::new(0.5, 200),
            takes: Runs::new(0.8, 40),
            says: Runs::new(0.4, 400),
            idles: Runs::new(0.3, 400),
            reports: Runs::new(0.5, 60),
            counts: Runs::new(0.4, 100),
            frame: (0, 0),
            reported: false,
            i: In { config, ..In::default() },
        }
    }

    fn record(&self, rng: &mut ChaCha8Rng) -> FlowRecord {
        FlowRecord {
            enable: rng.random_bool(0.9),
            keep: rng.random_bool(0.3),
            endless: rng.random_bool(0.7),
            payload_bytes: [0, 0, rng.random_range(0..200), 1424][rng.random_range(0..4)],
            segment_packets: rng.random_range(1..5),
            source_port: rng.random(),
            ..FlowRecord::default()
        }
    }

    /// The inputs of clock `clk`, after one whose outputs were `out`.
    fn next(&mut self, rng: &mut ChaCha8Rng, clk: u64, out: &Out) -> &In {
        let flow = rng.random_range(0..FLOWS);
        let lead = [0, 1000, 8000][(clk / 8192 % 3) as usize];
        let ns = |v: u64| v << 16;
        let i = &mut self.i;
        (i.now, i.later) = (ns(clk * 4), ns(clk * 4 + lead));
        i.rst = rng.random_bool(0.00003);
        i.stop = clk / 4096 % 8 == 7;
        // Rates of a tenth to the whole of the bus.
        i.rate = rng.random_bool(0.02).then(|| (flow, (rng.random_range(self.width as u32 * 25..self.width as u32 * 250)) << 12));
        i.release =
            rng.random_bool(0.02).then(|| Release { flow, bytes: rng.random_range(0..4000) << [0, 18][usize::from(rng.random_bool(0.1))] });
        let word = match rng.random_range(0..5) {
            0 => (profile::TOKEN_CAP.word, rng.random_range(0..30_000)),
            1 => (profile::IDLE_NS.word, rng.random_range(0..2000)),
            2 => (profile::USE_WINDOW.word, rng.random_range(0..40)),
            3 => (profile::OUTSTANDING.word, [0, 20_000][rng.random_range(0..2)]),
            _ => (profile::OUTSTANDING.word, 0),
        };
        i.profile = rng.random_bool(0.002).then_some(ProfileWrite { profile: 0, word: word.0, data: word.1 });
        if out.doorbell_ready {
            i.doorbell = None;
        }
        if i.doorbell.is_none() && self.doorbells.next(rng) && rng.random_bool(0.1) {
            i.doorbell = Some((flow, if rng.random_bool(0.05) { rng.random() } else { rng.random_range(0..6) }));
        }
        i.idle = self.idles.next(rng).then(|| rng.random_range(0..FLOWS));
        i.limited = self.says.next(rng).then(|| (rng.random_range(0..FLOWS), rng.random()));
        i.pulses = if self.counts.next(rng) { u64::from(rng.random::<u32>()) | 1 << Counter::Grants as u32 } else { 0 };
        // No two reports at clocks that follow each other.
        i.sent = (!self.reported && self.reports.next(rng)).then(|| Sent {
            // As the core's are, which has no more of them: the generator's have bit 7.
            tag: rng.random::<u16>() & 0x7f,
            flow: rng.random_range(0..FLOWS),
            segment: rng.random(),
            nonce: rng.random(),
            first: rng.random(),
            last: rng.random(),
            wire_bytes: rng.random(),
            segment_bytes: rng.random(),
            place: rng.random(),
            generation: rng.random_range(0..4),
            launch: rng.random(),
        });
        self.reported = i.sent.is_some();
        if out.frame_ready
            && let Some((beat, _)) = i.frame.take()
        {
            self.frame.1 = if beat.last { 0 } else { self.frame.1 - 1 };
        }
        if i.frame.is_none() && self.frames.next(rng) {
            if self.frame.1 == 0 {
                self.frame = (rng.random::<u16>() | OF_CORE, rng.random_range(1..24));
            }
            i.frame = Some((random_beat(rng, self.width / 8, self.frame.1 == 1), self.frame.0));
        }
        i.ready = self.takes.next(rng);
        self.load(rng);
        &self.i
    }

    fn load(&mut self, rng: &mut ChaCha8Rng) {
        self.i.load = rng
            .random_bool(0.0015)
            .then(|| FlowLoad { flow: rng.random_range(0..FLOWS), record: self.record(rng).pack().expect("a record within its ranges") });
    }
}

fn set(l: &Library, dut: &mut Dut, i: &In, rng: &mut ChaCha8Rng) {
    // Fields that are not valid are noise.
    let noise: u64 = rng.random();
    let flow = noise % (1 << F);
    let mut put = |name: &str, value: u64| dut.set(l.input(name), value);
    let (rate, release) = (i.rate.unwrap_or((flow as u32, noise as u32)), i.release);
    let word = i.profile.unwrap_or(ProfileWrite { profile: (noise & 15) as u8, word: (noise >> 8 & 31) as u8, data: noise as u32 });
    for (name, value) in [
        ("rst", i.rst.into()),
        ("now", i.now),
        ("later", i.later),
        ("stop", i.stop.into()),
        ("cfg_keyed", i.config.keyed.into()),
        ("cfg_ipv4", u32::from_le_bytes(i.config.ipv4).into()),
        ("rate_valid", i.rate.is_some().into()),
        ("rate_flow", rate.0.into()),
        ("rate_value", rate.1.into()),
        ("release_valid", release.is_some().into()),
        ("release_flow", release.map_or(flow, |r| r.flow.into())),
        ("release_bytes", release.map_or(noise & 0xffff_ffff, |r| r.bytes.into())),
        ("pw_valid", i.profile.is_some().into()),
        ("pw_profile", word.profile.into()),
        ("pw_word", word.word.into()),
        ("pw_data", word.data.into()),
        ("hd_valid", i.doorbell.is_some().into()),
        ("hd_flow", i.doorbell.map_or(flow, |d| d.0.into())),
        ("hd_packets", i.doorbell.map_or(noise & 0xffff, |d| d.1.into())),
        ("up_idle_valid", i.idle.is_some().into()),
        ("up_idle_flow", i.idle.map_or(flow, u64::from)),
        ("up_limited_valid", i.limited.is_some().into()),
        ("up_limited_flow", i.limited.map_or(flow, |v| v.0.into())),
        ("up_limited", i.limited.map_or(noise & 1, |v| v.1.into())),
        ("up_pulses", i.pulses),
        ("fl_valid", i.load.is_some().into()),
        ("fl_flow", i.load.map_or(flow, |v| v.flow.into())),
        ("m_tready", i.ready.into()),
        ("d_tag", i.frame.as_ref().map_or(noise & 0xffff, |f| f.1.into())),
    ] {
        put(name, value);
    }
    let sent = i.sent.unwrap_or(Sent { flow: flow as u32, segment: noise as u32, launch: noise, ..Sent::default() });
    let values = [
        i.sent.is_some().into(),
        sent.tag.into(),
        sent.flow.into(),
        sent.segment.into(),
        sent.nonce.into(),
        sent.first.into(),
        sent.last.into(),
        sent.wire_bytes.into(),
        sent.segment_bytes.into(),
        sent.launch,
        sent.place.into(),
        sent.generation.into(),
    ];
    REPORT.iter().zip(values).for_each(|(name, value)| put(&format!("host_sent_{name}"), value));
    dut.set_words(l.input("cfg_key"), &[0, 32, 64].map(|bit| (i.config.key >> bit) as u32));
    dut.set_bytes(l.input("cfg_mac"), &i.config.mac);
    dut.set_bytes(l.input("cfg_ipv6"), &i.config.ipv6);
    dut.set_words(l.input("fl_record"), &i.load.map_or_else(|| rng.random(), |l| l.record));
}

fn get(l: &Library, dut: &Dut, m: &Taken) -> Out {
    let value = |name: &str| dut.get(l.output(name));
    let flag = |name: &str| value(name) == 1;
    let s = REPORT.map(|n| value(&format!("sent_{n}")));
    Out {
        swept: flag("swept"),
        doorbell_ready: flag("hd_ready"),
        rate: flag("down_rate_valid").then(|| (value("down_rate_flow") as u32, value("down_rate_value") as u32)),
        release: flag("down_release_valid")
            .then(|| Release { flow: value("down_release_flow") as u32, bytes: value("down_release_bytes") as u32 }),
        idle: flag("idle_valid").then(|| value("idle_flow") as u32),
        limited: flag("limited_valid").then(|| (value("limited_flow") as u32, flag("limited"))),
        pulses: value("pulses"),
        sent: (s[0] == 1).then(|| Sent {
            tag: s[1] as u16,
            flow: s[2] as u32,
            segment: s[3] as u32,
            nonce: s[4] as u32,
            first: s[5] == 1,
            last: s[6] == 1,
            wire_bytes: s[7] as u16,
            segment_bytes: s[8] as u32,
            launch: s[9],
            place: s[10] as u16,
            generation: s[11] as u8,
        }),
        frame_ready: flag("d_tready"),
        beat: m.get(dut).map(|beat| (beat, value("m_tag") as u16)),
    }
}

/// Frames on their way through, as a bench sees them from outside.
#[derive(Default)]
struct Passing {
    /// Beats of the core's.
    core: VecDeque<(Beat, u16)>,
    /// Tags that the generator reported, and of the frame that is leaving.
    own: VecDeque<u16>,
    inside: Option<u16>,
    seen: Seen,
}

/// How often what happened.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    own_frames: u64,
    core_frames: u64,
    /// A frame of one side behind one of the other's, without a clock between.
    turns: u64,
    own_reports: u64,
    core_reports: u64,
    idle: u64,
    limited: u64,
    rates: u64,
    releases: u64,
    refused: u64,
    stalls: u64,
}

impl Passing {
    fn step(&mut self, i: &In, out: &Out, was: &mut Option<bool>) {
        let seen = &mut self.seen;
        for (n, more) in [
            (&mut seen.idle, out.idle.is_some()),
            (&mut seen.limited, out.limited.is_some()),
            (&mut seen.rates, out.rate.is_some()),
            (&mut seen.releases, out.release.is_some()),
            (&mut seen.refused, out.pulses >> Counter::DoorbellsRefused as u32 & 1 == 1),
            (&mut seen.stalls, out.beat.is_some() && !i.ready),
        ] {
            *n += u64::from(more);
        }
        if let Some(sent) = out.sent {
            if sent.tag & 0x80 != 0 {
                self.own.push_back(sent.tag);
                self.seen.own_reports += 1;
            } else {
                self.seen.core_reports += 1;
            }
        }
        if out.frame_ready
            && let Some(beat) = &i.frame
        {
            self.core.push_back(*beat);
        }
        let Some((beat, tag)) = out.beat.filter(|_| i.ready) else {
            *was = None;
            return;
        };
        let is_core = tag & OF_CORE != 0;
        if self.inside.is_none() {
            self.seen.turns += u64::from(was.is_some_and(|w| w != is_core));
        }
        assert!(self.inside.is_none_or(|t| t == tag), "a frame is cut");
        self.inside = (!beat.last).then_some(tag);
        if is_core {
            assert_eq!(self.core.pop_front(), Some((beat, tag)), "a beat of the core's is another");
            self.seen.core_frames += u64::from(beat.last);
        } else if beat.last {
            assert_eq!(self.own.pop_front(), Some(tag), "a frame of the generator's leaves under another tag than its report's");
            self.seen.own_frames += 1;
        }
        *was = Some(is_core);
    }
}

fn lockstep<B: rust_hdl::prelude::Block>(name: &str, rtl: B, width: usize) {
    let library: Arc<Library> = verilate(name, rtl);
    let (d, m) = (Offered::new(&library, "d"), Taken::new(&library, "m"));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut dut = library.instantiate(seed as u32);
        let mut model = Traffic::new(F, width, ring_bits(width as u32) - 1, Timing::of(CLOCK_PS));
        let mut world = World::new(width);
        let (mut passing, mut was) = (Passing::default(), None);
        for clk in 0..cycles() / 2 {
            let out = get(&library, &dut, &m);
            assert_eq!(out, model.output(clk), "clock {clk}, seed {seed}");
            let i = world.next(&mut rng, clk, &out).clone();
            set(&library, &mut dut, &i, &mut rng);
            d.set(&mut dut, i.frame.as_ref().map(|f| &f.0), &mut rng);
            passing.step(&i, &out, &mut was);
            if i.rst {
                passing = Passing { seen: passing.seen, ..Passing::default() };
                (world.frame, world.i.frame) = ((0, 0), None);
            }
            dut.tick();
            model.step(clk, &i);
        }
        let s = passing.seen;
        println!("{name}: {s:?}");
        let all = [s.own_frames, s.core_frames, s.turns, s.own_reports, s.core_reports, s.idle, s.limited, s.rates, s.releases, s.refused];
        assert!(cycles() < 100_000 || all.iter().all(|n| *n > 50) && s.stalls > 1000, "{s:?}: something never happened");
    }
}

macro_rules! rtl {
    ($w:literal) => {
        Rtl::<$w, { $w / 8 }, 10, 13, 26, 9, 17, 9, 11, 42, 60, 104, { $w / 8 + 74 }>::new(
            &Config { bus: $w, flow_bits: 10 }.build(CLOCK_PS),
        )
    };
}

#[test]
fn generator_equals_model_64() {
    lockstep("generated64", rtl!(64), 64);
}

#[test]
fn generator_equals_model_512() {
    lockstep("generated512", rtl!(512), 512);
}
