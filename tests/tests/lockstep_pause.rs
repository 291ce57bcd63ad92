//! `timely_hw::pause` against `timely_model::pause` and `hold`, every output at every clock; and
//! both against the times that IEEE 802.3 annex 31B and 802.1Qbb give.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use timely_hw::pause::Pause as Rtl;
use timely_hw::pause::hold::Hold as RtlHold;
use timely_model::bus::FlowLoad;
use timely_model::hold::{self, Hold};
use timely_model::parse::{In as Parsed, Parse, Report};
use timely_model::pause::{In, LATENCY, Out, Pause};
use timely_model::stream::beats;
use timely_model::{Block, parse};
use timely_regs::flow::FlowRecord;
use timely_tests::{cycles, rng, seeds, verilate};

/// A MAC control frame as the standards draw it, without FCS: destination, source, type, opcode,
/// parameters, zeros up to 60 bytes.
fn control(opcode: u16, parameters: &[u16]) -> Vec<u8> {
    let mut frame = vec![0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 2, 0, 0, 0, 0, 9, 0x88, 0x08];
    [opcode].iter().chain(parameters).for_each(|w| frame.extend(w.to_be_bytes()));
    frame.resize(60, 0);
    frame
}

/// 802.3 PAUSE of so many quanta.
fn pause(quanta: u16) -> Vec<u8> {
    control(0x0001, &[quanta])
}

/// 802.1Qbb PFC: class-enable vector, a time for each of eight priorities.
fn pfc(classes: u8, quanta: [u16; 8]) -> Vec<u8> {
    control(0x0101, &[&[u16::from(classes)], &quanta[..]].concat())
}

/// The parser's report of a frame, bad or not.
fn report(frame: &[u8], bad: bool) -> Report {
    let mut parser = Parse::new(512);
    let all: Vec<_> = beats(frame, 512).collect();
    let mut clk = 0;
    for (i, beat) in all.iter().enumerate() {
        parser.step(clk, &Parsed { beat: Some(*beat), bad: bad && i + 1 == all.len(), port: 21_609, ..Parsed::default() });
        clk += 1;
    }
    (clk..clk + parse::LATENCY).find_map(|clk| parser.output(clk).report).expect("a report")
}

/// The pause that the standards derive from a frame, on a line of `gbps` with clocks of `ps`:
/// whether all or which priorities are paused, each for how many clocks.
fn run(frame: &[u8], bad: bool, enable: bool, gbps: f64, ps: f64) -> (u64, [u64; 8]) {
    let line_rate = (gbps * 1e9 / 8.0 * ps * 1e-12 * f64::from(1 << 24)) as u32;
    let (mut unit, mut all, mut each) = (Pause::default(), 0, [0; 8]);
    unit.step(0, &In { enable, line_rate, report: Some(report(frame, bad)), ..In::default() });
    for clk in 1..200_000 {
        let out = unit.output(clk);
        assert!(clk >= LATENCY || out.priorities == 0, "paused before the frame is known");
        all += u64::from(out.all);
        each.iter_mut().enumerate().for_each(|(i, n)| *n += u64::from(out.priorities >> i & 1));
        unit.step(clk, &In { enable, line_rate, ..In::default() });
    }
    (all, each)
}

/// Quanta are 512 bit times: 51.2 ns at 10 Gb/s, 5.12 ns at 100.
#[test]
fn a_pause_lasts_as_long_as_the_standard_says() {
    for (gbps, ps) in [(10.0, 6400.0), (10.0, 4000.0), (25.0, 4000.0), (100.0, 4000.0), (1.0, 8000.0)] {
        for quanta in [1u16, 2, 7, 100, 5000] {
            let clocks = f64::from(quanta) * 512.0 / gbps * 1000.0 / ps;
            let near = |n: u64| n as f64 >= clocks - 1e-6 && n as f64 <= clocks * (1.0 + 1e-4) + 1.0;
            let (all, each) = run(&pause(quanta), false, true, gbps, ps);
            if clocks < 190_000.0 {
                assert!(near(all) && each == [all; 8], "{quanta} quanta at {gbps} Gb/s: {all} clocks, {clocks} due");
            }
            let mut times = [0; 8];
            (times[3], times[6]) = (quanta, 2 * quanta);
            let (all, each) = run(&pfc(0b0000_1000, times), false, true, gbps, ps);
            let others = each.iter().enumerate().all(|(i, n)| i == 3 || *n == 0);
            assert!(all == 0 && others && (clocks >= 190_000.0 || near(each[3])), "{each:?} clocks, {clocks} due of priority 3 alone");
        }
    }
}

/// Time 0 ends a pause; the last frame counts; what is no pause frame, or is damaged, pauses
/// nothing.
#[test]
fn frames_that_are_none_pause_nothing() {
    let still = (0, [0; 8]);
    let good = pause(1000);
    assert_ne!(run(&good, false, true, 10.0, 6400.0), still);
    assert_eq!(run(&good, false, false, 10.0, 6400.0), still, "not enabled");
    assert_eq!(run(&good, true, true, 10.0, 6400.0), still, "a damaged frame");
    assert_eq!(run(&pause(0), false, true, 10.0, 6400.0), still);
    assert_eq!(run(&pfc(0, [1000; 8]), false, true, 10.0, 6400.0), still, "no class");
    for byte in [0, 1, 2, 5, 12, 13, 14, 15] {
        let mut other = good.clone();
        other[byte] ^= 0x40;
        assert_eq!(run(&other, false, true, 10.0, 6400.0), still, "byte {byte}");
    }
    assert_eq!(run(&good[..59], false, true, 10.0, 6400.0), still, "a short frame");
    // A second frame: of time 0, then a longer and a shorter one.
    for second in [0u16, 10, 2000] {
        let mut unit = Pause::default();
        let step = |unit: &mut Pause, clk, report| unit.step(clk, &In { enable: true, line_rate: 8 << 24, report, ..In::default() });
        step(&mut unit, 0, Some(report(&good, false)));
        (1..100).for_each(|clk| step(&mut unit, clk, None));
        step(&mut unit, 100, Some(report(&pause(second), false)));
        let mut clk = 101;
        while clk < 102 || unit.output(clk).all {
            step(&mut unit, clk, None);
            clk += 1;
        }
        assert_eq!(clk - 102, u64::from(second) * 8, "{second} quanta in place of what was left");
    }
}

#[test]
fn rtl_equals_model() {
    let library = verilate("pause", Rtl::new());
    let [rst, enable, rate, valid, kind, head, len] =
        ["rst", "cfg_enable", "cfg_line_rate", "i_valid", "i_kind", "i_head", "i_len"].map(|n| library.input(n));
    let [all, priorities, paused, pfcs, held] = ["all", "priorities", "heard_pause", "heard_pfc", "held"].map(|n| library.output(n));
    let mut seen = [0u64; 6];
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut dut, mut model) = (library.instantiate(seed as u32), Pause::default());
        // So that what the RTL began with is gone.
        dut.set(rst, 1);
        dut.tick();
        let (mut enabled, mut line_rate, mut share) = (true, 8u32 << 24, 0.01);
        let (mut end, mut quanta) = (0, 1u16);
        for clk in 0..cycles() {
            let [all, is_pause, is_pfc, held] = [all, paused, pfcs, held].map(|p| dut.get(p) == 1);
            let out = Out { all, priorities: dut.get(priorities) as u8, pause: is_pause, pfc: is_pfc, held };
            assert_eq!(out, model.output(clk), "clock {clk}, seed {seed}");
            if clk == end {
                enabled = rng.random_bool(0.9);
                // In the last one's so many clocks `quanta` pass but for 2^-24 of one in each at
                // most: a bit of what is left, once lost, ends the pause sooner.
                quanta = [1, rng.random_range(1..64), 1 << rng.random_range(0..16)][rng.random_range(0..3)];
                let clocks = [rng.random_range(2..9), rng.random_range(2..3000)][rng.random_range(0..2)].max(quanta / 4 + 1);
                let nearly = ((((u64::from(quanta) << 24) - 1) / u64::from(clocks)) << 6) as u32;
                line_rate = [64, 8 << 24, 50 << 24, rng.random_range(64..u32::MAX), nearly, nearly, nearly][rng.random_range(0..7)];
                // Where frames are rare a pause comes to its end.
                share = [0.002, 0.01, 0.2, 0.9][rng.random_range(0..4)];
                end = clk + rng.random_range(500..4000);
            }
            let arrives = rng.random_bool(share).then(|| {
                let time = |rng: &mut ChaCha8Rng| {
                    [0, quanta, rng.random_range(0..64), 1 << rng.random_range(0..16), rng.random()][rng.random_range(0..5)]
                };
                let mut frame = match rng.random_range(0..3) {
                    0 => pause(time(&mut rng)),
                    1 => pfc(rng.random(), std::array::from_fn(|_| time(&mut rng))),
                    _ => control(rng.random_range(0..3) | rng.random_range(0..2) << 8, &[rng.random(), rng.random()]),
                };
                if rng.random_bool(0.2) {
                    let byte = rng.random_range(0..16);
                    frame[byte] ^= 1 << rng.random_range(0..8);
                }
                if rng.random_bool(0.05) {
                    frame.truncate(59);
                }
                let known = report(&frame, rng.random_bool(0.05));
                // Its kind counts by itself.
                if rng.random_bool(0.05) { Report { kind: rng.random_range(0..4), ..known } } else { known }
            });
            let i = In { rst: rng.random_bool(0.0005), enable: enabled, line_rate, report: arrives };
            dut.set(rst, i.rst.into());
            dut.set(enable, i.enable.into());
            dut.set(rate, line_rate.into());
            dut.set(valid, i.report.is_some().into());
            dut.set(kind, i.report.map_or_else(|| rng.random_range(0..4), |r| r.kind.into()));
            dut.set(len, i.report.map_or_else(|| rng.random_range(0..2000), |r| r.bytes.into()));
            let first = i.report.map_or_else(|| control(1, &[rng.random()]), |r| r.head.to_vec());
            dut.set_bytes(head, &[first, vec![0; 66]].concat()[..66]);
            let happened = [out.all, out.pause, out.pfc, out.held, !out.all && out.priorities != 0, !out.all && out.priorities == 0];
            seen.iter_mut().zip(happened).for_each(|(n, h)| *n += u64::from(h));
            dut.tick();
            model.step(clk, &i);
        }
    }
    println!("all paused, PAUSE, PFC, 256 clocks, some paused, none paused: {seen:?}");
    assert!(cycles() < 100_000 || seen.iter().all(|n| *n > 100), "{seen:?}: something hardly happened");
}

fn load(flow: u32, priority: u8) -> FlowLoad {
    let record = FlowRecord { enable: true, priority, ..FlowRecord::default() }.pack().expect("a record within its ranges");
    FlowLoad { flow, record }
}

/// Every grant comes out once; while its priority is paused none does, and those of other
/// priorities do; in the model.
#[test]
fn a_paused_priority_holds_up_no_other() {
    let mut unit = Hold::new(4);
    let (mut clk, mut came) = (0, Vec::new());
    let mut step = |unit: &mut Hold, i: hold::In| {
        let out = unit.through(clk, i.grant, i.ready);
        came.extend(out.grant.filter(|_| i.ready).map(|(flow, _)| (clk, flow)));
        unit.step(clk, &i);
        clk += 1;
        (out.ready, came.len())
    };
    for flow in 0..16 {
        step(&mut unit, hold::In { load: Some(load(flow, flow as u8 / 2)), ..hold::In::default() });
    }
    step(&mut unit, hold::In::default());
    // At once while nothing is paused.
    let passes = hold::In { grant: Some((3, 7)), ready: true, ..hold::In::default() };
    assert_eq!(step(&mut unit, passes.clone()), (true, 1));
    // Priority 1: flows 2 and 3. 60 grants of flow 3, and as many of flow 8 between them.
    let mut due: VecDeque<u32> = (0..120).map(|n| [3, 8][n % 2]).collect();
    step(&mut unit, hold::In { paused: 2, ready: true, ..hold::In::default() });
    for _ in 0..3000 {
        let grant = due.front().map(|flow| (*flow, 0));
        if step(&mut unit, hold::In { paused: 2, grant, ready: true, ..hold::In::default() }).0 {
            due.pop_front();
        }
    }
    for _ in 0..1000 {
        step(&mut unit, hold::In { ready: true, ..hold::In::default() });
    }
    step(&mut unit, passes);
    let until = came[1..].iter().take_while(|g| g.1 == 8).count();
    assert_eq!((until, came.len()), (60, 1 + 120 + 1), "grants of others while it was paused, and all");
    assert!(came[60].0 < 1200 && came[61].0 > 3000, "{:?}", &came[55..65]);
}

/// Short pauses of priority 1 again and again, with a pacer that has 64 grants of each on their way
/// and decides none of what it is told to hold, and a source that takes one in 30 clocks: the
/// grants of priority 0 are as many in each pause, and no more wait than were on their way.
#[test]
fn pauses_again_and_again_hold_up_no_other() {
    let mut unit = Hold::new(1);
    let (mut clk, mut gate, mut waiting, mut turn) = (0, [0u32; 2], 0, 0u32);
    let mut step = |unit: &mut Hold, paused: u8, load: Option<FlowLoad>| {
        if gate[turn as usize] == 0 {
            turn = 1 - turn;
        }
        let offered = (gate[turn as usize] > 0).then_some((turn, 0));
        let i = hold::In { paused, load, grant: offered, ready: clk % 30 == 0, ..hold::In::default() };
        let out = unit.through(clk, i.grant, i.ready);
        let left = out.grant.filter(|_| i.ready).map(|g| g.0);
        waiting = waiting + u32::from(out.ready && offered == Some((1, 0))) - u32::from(left == Some(1));
        if out.ready && offered.is_some() {
            gate[turn as usize] -= 1;
            turn = 1 - turn;
        }
        for (k, on_their_way) in gate.iter_mut().enumerate() {
            if clk > 9 && (out.holds | paused) >> k & 1 == 0 {
                *on_their_way = 64;
            }
        }
        unit.step(clk, &i);
        clk += 1;
        assert!(waiting <= 64, "clock {clk}: {waiting} of priority 1 wait");
        left
    };
    for flow in 0..2 {
        step(&mut unit, 0, Some(load(flow, flow as u8)));
    }
    for round in 0..30 {
        let mut left = |clocks, paused| (0..clocks).filter(|_| step(&mut unit, paused, None) == Some(0)).count();
        left(350, 0);
        let grants = left(3000, 2);
        assert!(grants >= 90, "round {round}: {grants} of priority 0");
    }
}

/// While a priority is paused and grants of it wait, those of others leave one in 4 clocks.
#[test]
fn a_pause_leaves_others_a_grant_in_four_clocks() {
    let mut unit = Hold::new(1);
    let (mut clk, mut left) = (0, 0);
    let mut step = |unit: &mut Hold, i: hold::In| {
        let out = unit.through(clk, i.grant, true);
        unit.step(clk, &hold::In { ready: true, ..i });
        clk += 1;
        left += u32::from(out.grant.is_some_and(|g| g.0 == 0));
        left
    };
    for flow in 0..2 {
        step(&mut unit, hold::In { load: Some(load(flow, flow as u8)), ..hold::In::default() });
    }
    for _ in 0..40 {
        step(&mut unit, hold::In { paused: 2, grant: Some((1, 0)), ..hold::In::default() });
    }
    let before = step(&mut unit, hold::In { paused: 2, ..hold::In::default() });
    let after = (0..400).map(|_| step(&mut unit, hold::In { paused: 2, grant: Some((0, 0)), ..hold::In::default() })).last();
    assert!(after >= Some(before + 99), "{before} and {after:?}");
}

#[test]
fn hold_equals_model() {
    const FLOWS: u32 = 1 << 4;
    let library = verilate("hold", RtlHold::<4>::new());
    let [rst, paused, fl_valid, fl_flow, fl_record, s_valid, s_flow, s_launch, m_ready] =
        ["rst", "paused", "fl_valid", "fl_flow", "fl_record", "s_valid", "s_flow", "s_launch", "m_ready"].map(|n| library.input(n));
    let [s_ready, m_valid, m_flow, m_launch, holds] = ["s_ready", "m_valid", "m_flow", "m_launch", "holds"].map(|n| library.output(n));
    let mut seen = [0u64; 3];
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut dut, mut model) = (library.instantiate(seed as u32), Hold::new(4));
        let (mut stops, mut share, mut offered, mut waits) = (0u8, 0.5, None, 0u64);
        let mut full = 0;
        for clk in 0..cycles() {
            if clk % 700 == 0 && clk >= full {
                share = [0.02, 0.5, 1.0][rng.random_range(0..3)];
            }
            if clk % 40_000 == 20_000 {
                // Until as many wait as there is room for.
                (stops, share, full) = (0xff, 1.0, clk + 6000);
            } else if clk >= full && rng.random_bool(0.005) {
                stops = [0, 0, 1 << rng.random_range(0..8), rng.random(), 0xff][rng.random_range(0..5)];
            }
            // Each flow is loaded once before any grant.
            let flow = if clk < u64::from(FLOWS) { clk as u32 } else { rng.random_range(0..FLOWS) };
            let loads = clk < u64::from(FLOWS) || rng.random_bool(0.002);
            if offered.is_none() && clk > 100 && rng.random_bool(share) {
                offered = Some((rng.random_range(0..FLOWS), rng.random()));
            }
            let i = hold::In {
                rst: clk == 30 || rng.random_bool(0.0001),
                paused: if clk < 100 { 0 } else { stops },
                load: loads.then(|| load(flow, rng.random_range(0..8))),
                grant: offered,
                ready: rng.random_bool(0.8),
            };
            dut.set(rst, i.rst.into());
            dut.set(paused, i.paused.into());
            dut.set(fl_valid, loads.into());
            dut.set(fl_flow, flow.into());
            let record = i.load.as_ref().map_or_else(|| rng.random(), |l| l.record);
            dut.set_bytes(fl_record, &record.map(u32::to_le_bytes).concat());
            dut.set(s_valid, i.grant.is_some().into());
            let (flow, launch) = i.grant.unwrap_or_else(|| (rng.random_range(0..FLOWS), rng.random()));
            dut.set(s_flow, flow.into());
            dut.set(s_launch, launch);
            dut.set(m_ready, i.ready.into());
            dut.settle();
            if clk > 31 {
                let grant = (dut.get(m_valid) == 1).then(|| (dut.get(m_flow) as u32, dut.get(m_launch)));
                let out = hold::Out { ready: dut.get(s_ready) == 1, grant, holds: dut.get(holds) as u8 };
                assert_eq!(out, model.through(clk, i.grant, i.ready), "clock {clk}, seed {seed}");
                waits = if i.grant.is_some() && !out.ready { waits + 1 } else { 0 };
                let happened = [out.grant.is_some() && i.paused == 0, out.grant.is_some() && i.paused != 0, waits > 8];
                seen.iter_mut().zip(happened).for_each(|(n, h)| *n += u64::from(h));
                if out.ready || i.rst {
                    offered = None;
                }
            }
            dut.tick();
            model.step(clk, &i);
        }
    }
    println!("grants while nothing is paused, while something is, waits: {seen:?}");
    assert!(cycles() < 100_000 || seen[..2].iter().all(|n| *n > 100), "{seen:?}: something hardly happened");
}
