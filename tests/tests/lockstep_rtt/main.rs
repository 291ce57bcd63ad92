//! `timely_hw::rtt` against `timely_model::rtt`, every output at every clock; and what the model
//! promises.
mod drift;
mod oracle;
mod steps;
mod world;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use timely_hw::rtt::Rtt;
use timely_model::bus::{Acked, KIND_RTT, KIND_TIMEOUT, Release, Sample};
use timely_model::{Block, rtt};
use timely_regs::counters::Counter;
use timely_tests::{cycles, rng, seeds, verilate};
use timely_verilate::{Dut, In, Library, Out};
use world::{Faults, World};

const CHAOS: Faults = Faults {
    lose_completion: 0.02,
    odd_completion: 0.02,
    stand: 0.0002,
    lose_ack: 0.1,
    repeat_ack: 0.1,
    forge: 0.05,
    stray_ack: 0.02,
    odd_echo: 0.1,
    load: 0.002,
    gap: 0.002,
    profile: 0.001,
    rst: 0.0,
    step: 0.0005,
    epoch: 0.0005,
};

/// Everything that the block counts.
const EVERY_PULSE: u64 = 1 << Counter::AckStale as u32
    | 1 << Counter::AckForged as u32
    | 1 << Counter::AckRepeated as u32
    | 1 << Counter::AckUnknownFlow as u32
    | 1 << Counter::SegmentTimeouts as u32
    | 1 << Counter::AcksSkipped as u32
    | 1 << Counter::ResidenceAboveRtt as u32
    | 1 << Counter::SamplesAcrossStep as u32
    | 1 << Counter::SamplesUnstamped as u32;

struct Ports {
    i: Vec<In>,
    fl_record: In,
    key: In,
    o: Vec<Out>,
}

const INPUTS: [&str; 35] = [
    "rst",
    "sent_valid",
    "sent_tag",
    "sent_flow",
    "sent_segment",
    "sent_nonce",
    "sent_first",
    "sent_last",
    "sent_wire_bytes",
    "sent_segment_bytes",
    "sent_place",
    "sent_generation",
    "sent_launch",
    "c_valid",
    "c_tag",
    "c_ts",
    "a_valid",
    "a_flow",
    "a_place",
    "a_segment",
    "a_nonce",
    "a_source",
    "a_ts",
    "a_arrival",
    "a_departure",
    "a_ttl_sent",
    "a_ttl_seen",
    "a_loss",
    "pw_valid",
    "fl_valid",
    "fl_flow",
    "cfg_ns_per_byte",
    "now",
    "time_epoch",
    "departed_epoch",
];
const PROFILE_INPUTS: [&str; 3] = ["pw_profile", "pw_word", "pw_data"];
const OUTPUTS: [&str; 16] = [
    "swept",
    "sample_valid",
    "sample_kind",
    "sample_flow",
    "sample_rtt_ns",
    "sample_now_ns",
    "sample_hops",
    "sample_endpoint_ns",
    "sample_lost",
    "release_valid",
    "release_flow",
    "release_bytes",
    "pulses",
    "acked_valid",
    "acked_flow",
    "acked_outcome",
];

impl Ports {
    fn new(library: &Library) -> Self {
        Ports {
            i: INPUTS.iter().chain(&PROFILE_INPUTS).map(|n| library.input(n)).collect(),
            fl_record: library.input("fl_record"),
            key: library.input("cfg_key"),
            o: OUTPUTS.iter().map(|n| library.output(n)).collect(),
        }
    }

    fn set(&self, dut: &mut Dut, i: &rtt::In) {
        let (s, c, a) = (i.sent.unwrap_or_default(), i.completion.unwrap_or_default(), i.ack.unwrap_or_default());
        let (p, f) = (i.profile.unwrap_or_default(), i.flow.unwrap_or_default());
        let values: [u64; 38] = [
            i.rst.into(),
            i.sent.is_some().into(),
            s.tag.into(),
            s.flow.into(),
            s.segment.into(),
            s.nonce.into(),
            s.first.into(),
            s.last.into(),
            s.wire_bytes.into(),
            s.segment_bytes.into(),
            s.place.into(),
            s.generation.into(),
            s.launch,
            i.completion.is_some().into(),
            c.tag.into(),
            c.ts,
            i.ack.is_some().into(),
            a.flow.into(),
            a.place.into(),
            a.segment.into(),
            a.nonce.into(),
            a.source.into(),
            a.ts,
            a.arrival,
            a.departure,
            a.ttl_sent.into(),
            a.ttl_seen.into(),
            a.loss.into(),
            i.profile.is_some().into(),
            i.flow.is_some().into(),
            f.flow.into(),
            i.ns_per_byte.into(),
            i.now,
            i.time_epoch.into(),
            i.departed_epoch.into(),
            p.profile.into(),
            p.word.into(),
            p.data.into(),
        ];
        for (port, value) in self.i.iter().zip(values) {
            dut.set(*port, value);
        }
        dut.set_words(self.fl_record, &f.record);
        dut.set_words(self.key, &[0, 32, 64].map(|bit| (i.key >> bit) as u32));
    }

    fn get(&self, dut: &Dut) -> rtt::Out {
        let v: Vec<u64> = self.o.iter().map(|p| dut.get(*p)).collect();
        rtt::Out {
            swept: v[0] == 1,
            sample: (v[1] == 1).then(|| Sample {
                kind: v[2] as u8,
                flow: v[3] as u32,
                rtt_ns: v[4] as u32,
                now_ns: v[5] as u32,
                hops: v[6] as u8,
                endpoint_ns: v[7] as u32,
                lost: v[8] as u8,
            }),
            release: (v[9] == 1).then(|| Release { flow: v[10] as u32, bytes: v[11] as u32 }),
            pulses: v[12],
            acked: (v[13] == 1).then(|| Acked { flow: v[14] as u32, outcome: v[15] as u8 }),
        }
    }
}

/// Runs `worlds` worlds of `cycles()` clocks each, RAM init not counted.
fn lockstep<const F: usize, const D: usize, const A: usize>(worlds: usize, flows: usize, timeout: u32, rst: f64) {
    let library = verilate(&format!("rtt_{F}_{D}"), Rtt::<F, D, A>::new());
    let ports = Ports::new(&library);
    for seed in seeds() {
        let (mut samples, mut timeouts, mut pulses) = (0u64, 0u64, 0);
        let mut random = rng(seed);
        // Each world has its own time, line rate and segment numbers.
        for n in 0..worlds {
            // Behind long time-outs one-way delays that vary by milliseconds are believed.
            let timeout = if n % 3 == 2 { 400 * timeout } else { timeout };
            let mut world = World::new(ChaCha8Rng::from_rng(&mut random), F as u32, D as u32, flows, 0.4, timeout, Faults { rst, ..CHAOS });
            let mut dut = library.instantiate(seed as u32);
            let mut model = rtt::Rtt::new(F as u32, D as u32);
            let mut clocks = 0;
            for clk in 0.. {
                let expected = model.output(clk);
                assert_eq!(ports.get(&dut), expected, "clock {clk}, seed {seed}");
                samples += u64::from(expected.sample.is_some_and(|s| s.kind == KIND_RTT));
                timeouts += u64::from(expected.sample.is_some_and(|s| s.kind == KIND_TIMEOUT));
                pulses |= expected.pulses;
                clocks += u64::from(expected.swept);
                if clocks == cycles() {
                    break;
                }
                let i = world.next(clk, expected.swept);
                ports.set(&mut dut, &i);
                dut.tick();
                model.step(clk, &i);
            }
        }
        println!("{samples} samples, {timeouts} time-outs, pulses {pulses:08x}");
        assert!(samples > 0 && (F > 3 || (timeouts > 0 && pulses == EVERY_PULSE)), "the run exercised too little");
    }
}

#[test]
fn rtl_equals_model_small() {
    lockstep::<3, 6, 6>(6, 6, 2000, 0.0003);
}

#[test]
fn rtl_equals_model_10() {
    lockstep::<10, 7, 10>(2, 40, 3000, 0.00001);
}

#[test]
fn rtl_equals_model_14() {
    lockstep::<14, 9, 14>(1, 100, 1000, 0.000002);
}

#[test]
fn every_depth_emits() {
    fn emits<const F: usize, const D: usize, const A: usize>() {
        let verilog = timely_hw::emit::emit("rtt", Rtt::<F, D, A>::new()).unwrap();
        for bits in [F, D] {
            assert!(verilog.contains(&format!("mem[{}:0]", (1u64 << bits) - 1)), "F = {F}, D = {D}");
        }
    }
    emits::<13, 14, 14>();
    emits::<16, 15, 16>();
}

/// The face that skips clocks gives what the face that steps them gives.
#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let faults = Faults { forge: 0.002, stray_ack: 0.001, odd_completion: 0.001, stand: 0.0, rst: 0.0001, ..CHAOS };
        let mut world = World::new(rng(seed), 3, 5, 4, 0.01, 2000, faults);
        world.delay = 800;
        let (mut stepped, mut skipped) = (rtt::Rtt::new(3, 5), rtt::Rtt::new(3, 5));
        let mut skips = 0;
        for clk in 0..cycles() {
            assert_eq!(stepped.output(clk), skipped.output(clk), "clock {clk}, seed {seed}");
            let i = world.next(clk, stepped.output(clk).swept);
            stepped.step(clk, &i);
            let idle = i.sent.is_none() && i.completion.is_none() && i.ack.is_none() && i.profile.is_none() && i.flow.is_none() && !i.rst;
            if !idle || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}
