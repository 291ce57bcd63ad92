//! Properties of the pacer's model.
mod pacer_rig;
use pacer_rig::{Lone, Rig, load};
use rand::Rng;
use timely_model::Block;
use timely_model::pacer::pass::longest_sleep;
use timely_model::pacer::timemap::TimeMap;
use timely_model::pacer::token::BYTE;
use timely_regs::flow::FlowRecord;
use timely_regs::profile;
use timely_tests::{Runs, cycles, rng, seeds};

/// Departures of a lone flow at the gate against the ideal ones, and its long-run rate, from 1 Mb/s
/// to 100 Gb/s.
#[test]
fn a_lone_flow_departs_on_time() {
    println!("{}", Lone::HEAD);
    for bytes in [84u16, 1538, 9038] {
        for mbps in [1, 7, 10, 100, 333, 1_000, 3_000, 10_000, 25_000, 40_000, 50_000, 77_777, 99_999, 100_000] {
            let rate = (mbps << 12) + u32::from(mbps == 333);
            let lone = pacer_rig::lone(&mut Rig::new(10), bytes, rate, |rig| {
                rig.step();
            });
            println!("{lone}");
            lone.check();
        }
    }
}

fn ns(fixed: u64) -> f64 {
    fixed as f64 / 65536.0
}

const MBPS: u32 = 1 << 12;

/// Random rates, sizes, posts, pauses, stalls, late charges, bounds and releases; then quiet. All
/// that was posted is granted, no bucket is above its cap, and no packet launches earlier than a
/// flow's packets at its rate allow.
#[test]
fn what_is_posted_is_granted_once_and_never_early() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut rig = Rig::new(4);
        rig.start = (1 << 48) - 100_000;
        rig.charge_after = rng.random_range(4..300);
        rig.release_after = Some(rng.random_range(300..3000));
        rig.sweep();
        let cap = [0, 4096][rng.random_range(0..2)];
        rig.profile(20_000, 0, cap);
        let mut rates = [0; 16];
        for f in 0..16 {
            rates[f as usize] = ((10f64.powf(rng.random_range(1.0..5.0))) * f64::from(MBPS)) as u32;
            let record = FlowRecord { enable: true, priority: f as u8 & 7, ..FlowRecord::default() };
            rig.record(f, rng.random_range(114..1600), record);
            rig.rates.push_back((f, rates[f as usize]));
        }
        rig.settle();
        let mut posted = [0u64; 16];
        let (mut ready, mut ring) = (Runs::new(0.8, 200), Runs::new(0.2, 400));
        for clk in 0..cycles() {
            rig.grant_ready = ready.next(&mut rng);
            if ring.next(&mut rng) && rng.random_bool(0.05) {
                let (f, n) = (rng.random_range(0..16), [1, 1, 2, 5, 40][rng.random_range(0..5)]);
                rig.doorbells.push_back((f, n));
                posted[f as usize] += u64::from(n);
            }
            if clk % 1000 == 0 && rng.random_bool(0.3) {
                rig.pause = if rng.random() { 0 } else { rng.random() };
                rig.stop = rng.random_bool(0.05);
            }
            rig.step();
            let f = rng.random_range(0..16);
            assert!(rig.pacer.state(f).tokens <= i64::from(cap) * BYTE, "flow {f} is above its cap, clock {clk}, seed {seed}");
        }
        (rig.grant_ready, rig.pause, rig.stop) = (true, 0, false);
        let mut quiet = 0;
        while quiet < 1_000_000 {
            let before = rig.departures.len();
            rig.step();
            quiet = if rig.departures.len() > before { 0 } else { quiet + 1 };
        }
        for f in 0..16u32 {
            let departures = rig.of(f);
            assert_eq!(departures.len() as u64, posted[f as usize], "flow {f}, seed {seed}");
            let gap = f64::from(rig.bytes[f as usize]) * 8000.0 * f64::from(MBPS) / f64::from(rates[f as usize]);
            let free = f64::from(cap) * 8000.0 * f64::from(MBPS) / f64::from(rates[f as usize]);
            // With a cap of c, n packets take at least (n * size - c) / rate: the bucket's own
            // promise, over every span.
            let mut latest = f64::MIN;
            for (k, d) in departures.iter().enumerate() {
                let phase = ns(d.launch.wrapping_sub(departures[0].launch)) - k as f64 * gap;
                assert!(phase >= latest - free - 0.1, "flow {f}: packet {k} launched early, seed {seed}");
                latest = latest.max(phase);
                assert!(d.now.wrapping_sub(d.launch) < 1 << 63, "flow {f}: a grant left before its launch, seed {seed}");
            }
        }
        assert_eq!(rig.refused, 0);
    }
}

/// A doorbell may come at any clock around the one at which its flow goes to sleep.
#[test]
fn no_doorbell_is_lost() {
    let mut rig = Rig::new(4);
    rig.sweep();
    rig.profile(0, 0, 0);
    rig.flow(3, 114, 100_000 * MBPS);
    rig.settle();
    for apart in 0..120 {
        let before = rig.departures.len();
        rig.doorbells.push_back((3, 1));
        rig.run(1 + apart);
        rig.doorbells.push_back((3, 1));
        rig.run(300);
        assert_eq!(rig.departures.len(), before + 2, "doorbells {apart} clocks apart");
    }
}

/// A flow may wait for its bound for ever and be woken only by a release: none is lost, whenever it
/// comes.
#[test]
fn no_release_is_lost() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut rig = Rig::new(4);
        rig.sweep();
        rig.profile(3000, 0, 16384);
        for f in 0..16 {
            rig.flow(f, 1538, 100_000 * MBPS);
        }
        rig.settle();
        for f in 0..16 {
            rig.doorbells.push_back((f, 400));
        }
        let mut outstanding = [0i64; 16];
        let mut seen = 0;
        let mut late = std::collections::VecDeque::new();
        for clk in 0..cycles().max(100_000) {
            let mut out = rig.pacer.output(rig.clk);
            let mut i = rig.inputs(&out);
            for d in &rig.departures[seen..] {
                outstanding[d.flow as usize] += 1538;
                // Packets are released alone or together, some at once and some much later.
                late.push_back((rig.clk + rng.random_range(12..200), d.flow));
            }
            seen = rig.departures.len();
            late.make_contiguous().sort();
            if late.front().is_some_and(|x: &(u64, u32)| x.0 <= rig.clk) {
                let flow = late.pop_front().unwrap().1;
                i.release = Some(timely_model::bus::Release { flow, bytes: 1538 });
                outstanding[flow as usize] -= 1538;
            }
            assert!(outstanding.iter().all(|o| (0..=3000).contains(o)), "clock {clk}, seed {seed}: {outstanding:?}");
            out.grant = None;
            rig.pacer.step(rig.clk, &i);
            rig.clk += 1;
        }
        assert_eq!(rig.departures.len(), 16 * 400, "seed {seed}");
    }
}

/// Bounds of more than 2^24 bytes hold to the packet, also where the sums of 32 bits run over.
#[test]
fn large_bounds_hold() {
    for seed in seeds() {
        pacer_rig::bounded(&mut Rig::new(10), &mut rng(seed), |rig| {
            rig.step();
        });
    }
}

/// Flows past due are served in turn, whatever the train each may have.
#[test]
fn flows_past_due_take_turns() {
    let mut rig = Rig::new(10);
    rig.sweep();
    rig.profile(0, 0, 16384);
    for f in 0..100 {
        rig.flow(f, 1538, 10_000 * MBPS);
    }
    rig.settle();
    for f in 0..100 {
        rig.doorbells.push_back((f, 60_000));
    }
    // 100 flows of 10 Gb/s on a link of 100.
    let mut free = 0.0;
    for _ in 0..cycles().min(200_000) {
        rig.grant_ready = free <= rig.clk as f64 * 4.0;
        let before = rig.departures.len();
        rig.step();
        if rig.departures.len() > before {
            free = f64::max(free, rig.clk as f64 * 4.0 - 4.0) + 1538.0 * 0.08;
        }
    }
    let mut counts = [0u64; 100];
    for d in &rig.departures[rig.departures.len() / 4..] {
        counts[d.flow as usize] += 1;
    }
    let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
    println!("grants of 100 flows past due: {least} to {most}");
    assert!(most - least <= 2, "{least} to {most} grants");
}

/// A lower rate counts from the last pass on; a higher one at the next, at most 15/16 of the wheel
/// later.
#[test]
fn rate_changes_take_effect() {
    let mut rig = Rig::new(10);
    rig.sweep();
    rig.profile(0, 0, 0);
    rig.flow(1, 1538, 1_000 * MBPS);
    rig.settle();
    rig.doorbells.push_back((1, 1000));
    while rig.departures.len() < 10 {
        rig.step();
    }
    // The tenth packet has left; the eleventh, due 12.3 us later, comes at a tenth of the rate.
    rig.rates.push_back((1, 100 * MBPS));
    while rig.departures.len() < 12 {
        rig.step();
    }
    let d = &rig.departures;
    let gap = ns(d[10].launch - d[9].launch);
    assert!((gap - 123_040.0).abs() < 1500.0, "the packet after a cut came {gap} ns after the last");
    let gap = ns(d[11].launch - d[10].launch);
    assert!((gap - 123_040.0).abs() < 1.0, "then {gap} ns");
    // At 1 Mb/s the next would be 12.3 ms away; the flow is looked at within 61 us, and has its
    // rate from then on.
    rig.rates.push_back((1, MBPS));
    rig.run(100_000);
    let n = rig.departures.len();
    let at = rig.now();
    rig.profile(0, 0, 16384);
    rig.rates.push_back((1, 10_000 * MBPS));
    while rig.departures.len() < n + 2 {
        rig.step();
    }
    let wait = ns(rig.departures[n].launch - at);
    assert!(wait <= longest_sleep(10) as f64 + 1300.0, "an increase took {wait} ns");
    let gap = ns(rig.departures[n + 1].now - rig.departures[n].now);
    assert!(gap > 1226.0, "an increase was paid for the time before it: the second packet came {gap} ns after the first");
}

/// A paused priority gets nothing new while others go on, and goes on itself at the end of the
/// pause with no more than its cap.
#[test]
fn a_paused_priority_waits() {
    let mut rig = Rig::new(4);
    rig.sweep();
    rig.profile(0, 0, 3076);
    for f in 0..4 {
        rig.record(f, 1538, FlowRecord { enable: true, priority: f as u8, ..FlowRecord::default() });
        rig.rates.push_back((f, 10_000 * MBPS));
    }
    rig.settle();
    for f in 0..4 {
        rig.doorbells.push_back((f, 10_000));
    }
    rig.run(10_000);
    rig.pause = 0b0110;
    rig.run(500);
    let before = rig.departures.len();
    rig.run(10_000);
    let counts = [0, 1, 2, 3].map(|f| rig.departures[before..].iter().filter(|d| d.flow == f).count());
    assert!(counts[1] == 0 && counts[2] == 0 && counts[0] >= 32 && counts[3] >= 32, "while two priorities were paused: {counts:?}");
    rig.pause = 0b0100;
    let from = rig.departures.len();
    rig.run(10_000);
    let counts = [0, 1, 2, 3].map(|f| rig.departures[from..].iter().filter(|d| d.flow == f).count());
    // 40 us are 32.5 packets; the cap is two more.
    assert!(counts[2] == 0 && (34..=36).contains(&counts[1]), "after one pause ended: {counts:?}");
    // Stopped, nothing is decided; 64 grants at most were before.
    rig.stop = true;
    rig.run(500);
    let before = rig.departures.len();
    rig.run(10_000);
    assert_eq!(rig.departures.len(), before, "stopped");
    (rig.stop, rig.pause) = (false, 0);
    let from = rig.departures.len();
    rig.run(10_000);
    let counts = [0, 1, 2, 3].map(|f| rig.departures[from..].iter().filter(|d| d.flow == f).count());
    assert!(counts.iter().all(|n| (34..=36).contains(n)), "after the stop: {counts:?}");
}

/// A load without `keep` voids what was posted before it and clears the accounts; what is posted
/// after it counts.
#[test]
fn loads_and_removals() {
    let mut rig = Rig::new(4);
    rig.sweep();
    rig.profile(4 * 1538, 0, 16384);
    let enabled = FlowRecord { enable: true, ..FlowRecord::default() };
    rig.record(3, 1538, enabled);
    rig.rates.push_back((3, 100 * MBPS));
    rig.settle();
    // Four packets fill the bound, which nothing releases: the flow is asleep with a backlog of
    // six.
    rig.doorbells.push_back((3, 10));
    rig.run(200_000);
    assert_eq!(rig.departures.len(), 4, "the bound");
    // Disabled: its backlog is void, and doorbells are refused.
    rig.record(3, 1538, FlowRecord { enable: false, ..enabled });
    rig.settle();
    rig.doorbells.push_back((3, 1));
    rig.run(100_000);
    assert_eq!((rig.departures.len(), rig.refused), (4, 1), "disabled");
    // Enabled again without `keep`: its accounts are clear, and only new posts count, even one
    // right behind the load.
    rig.record(3, 1538, enabled);
    rig.doorbells.push_back((3, 3));
    rig.run(200_000);
    assert_eq!(rig.departures.len(), 7, "loaded anew");
    // With `keep` the bound still knows of three packets: one more fits.
    rig.record(3, 1538, FlowRecord { keep: true, ..enabled });
    rig.doorbells.push_back((3, 5));
    rig.run(200_000);
    assert_eq!(rig.departures.len(), 8, "loaded with keep");
    // Loaded anew while it sleeps in the wheel, backlogged: the backlog goes, the posts behind the
    // load come.
    rig.profile(0, 0, 16384);
    rig.record(3, 1538, enabled);
    rig.doorbells.push_back((3, 1000));
    rig.run(100_000);
    let n = rig.departures.len();
    assert!(n > 8, "no bound");
    rig.record(3, 1538, enabled);
    rig.settle();
    let n = n + rig.departures.len() - n;
    rig.doorbells.push_back((3, 7));
    rig.run(400_000);
    assert_eq!(rig.departures.len(), n + 7, "loaded while backlogged");
    assert_eq!(rig.refused, 1);
}

/// A flow that was silent for its idle time says so when it starts again, and its bucket is empty
/// then, however long it was: also when every counter of time has wrapped.
#[test]
fn idle_flows() {
    let mut rig = Rig::new(4);
    rig.start = (1 << 48) - 50_000;
    rig.sweep();
    rig.profile(0, 2_000_000_000, 16384);
    rig.flow(3, 1538, 10_000 * MBPS);
    rig.settle();
    // The first start after a load is none after a silence.
    rig.start += 3_000_000_000;
    rig.doorbells.push_back((3, 1));
    rig.run(3000);
    assert!(rig.idles.is_empty() && rig.departures.len() == 1, "the first start");
    for (silence, starts) in [
        (1_000_000u64, 0),
        (1_999_999_000, 0),
        (2_000_001_000, 1),
        (1 << 32, 1),
        ((1 << 32) + 1000, 1),
        (1 << 40, 1),
        ((1 << 48) - 5_000_000_000, 1),
    ] {
        rig.doorbells.push_back((3, 20));
        let (from, idles) = (rig.departures.len(), rig.idles.len());
        rig.run(10_000);
        let d = &rig.departures[from..];
        assert_eq!((d.len(), rig.idles.len()), (20, idles));
        let span = ns(d[19].now.wrapping_sub(d[0].now));
        assert!((span - 19.0 * 1230.4).abs() < 5.0, "20 packets after {silence} ns took {span} ns");
        // The silence counts from the pass that granted the last packet.
        let last = rig.departures.last().unwrap().now >> 16;
        let gone = (rig.now() >> 16).wrapping_sub(last) & ((1 << 48) - 1);
        rig.start = rig.start.wrapping_add(silence.saturating_sub(gone));
        let idles = rig.idles.len();
        rig.doorbells.push_back((3, 1));
        rig.run(3000);
        assert_eq!(rig.idles.len() - idles, starts, "after {silence} ns");
    }
}

/// Packets may cost more or less than the one before them, and be charged late: the error does not
/// grow.
#[test]
fn late_sizes_keep_the_rate() {
    for (mbps, after) in [(1_000u32, 400u64), (10_000, 375), (50_000, 100), (100_000, 20)] {
        let mut rng = rng(u64::from(mbps));
        let mut rig = Rig::new(4);
        rig.charge_after = after;
        rig.sweep();
        rig.profile(0, 0, 16384);
        rig.flow(3, 1538, mbps * MBPS);
        rig.settle();
        rig.doorbells.push_back((3, 65_000));
        let (mut bytes, mut seen, mut last) = (0u64, 0, 0);
        let from = rig.clk;
        while rig.clk < from + 1_000_000 {
            if rig.departures.len() > 60_000 {
                break;
            }
            rig.bytes[3] = [84, 600, 1538][rng.random_range(0..3)];
            rig.step();
            if rig.departures.len() > seen {
                seen = rig.departures.len();
                bytes += u64::from(rig.bytes[3]);
                last = rig.bytes[3];
            }
        }
        let span = ns(rig.departures[seen - 1].launch - rig.departures[0].launch);
        let error = (bytes - u64::from(last)) as f64 - span * f64::from(mbps) / 8000.0;
        println!("{mbps} Mb/s, sizes {after} clocks late: {error:.0} bytes too many in {span:.0} ns");
        // Packets not charged yet may have been taken for the shortest, and have been the longest.
        let uncharged = 4.0 + after as f64 * 4.0 * f64::from(mbps) / (84.0 * 8000.0);
        assert!(error.abs() <= uncharged * (1538.0 - 84.0), "{error} bytes too many at {mbps} Mb/s");
    }
}

/// A flow holds 65,535 packets and no more: what would be one too many is refused as a whole,
/// counted, and changes nothing; also when the counts of packets have wrapped.
#[test]
fn doorbells_at_their_limits() {
    let mut rig = Rig::new(4);
    rig.sweep();
    rig.profile(0, 0, 0);
    rig.flow(3, 114, 100_000 * MBPS);
    rig.settle();
    rig.stop = true;
    let mut granted = 0;
    for round in 0..3u64 {
        let ring = |rig: &mut Rig, packets| {
            let before = rig.refused;
            rig.doorbells.push_back((3, packets));
            rig.run(100);
            rig.refused - before
        };
        assert_eq!(
            [ring(&mut rig, 65_530), ring(&mut rig, 6), ring(&mut rig, 5), ring(&mut rig, 1), ring(&mut rig, 65_535)],
            [0, 1, 0, 1, 1]
        );
        assert_eq!(ring(&mut rig, 0), 0, "a doorbell of nothing");
        rig.stop = false;
        while rig.departures.len() as u64 == granted {
            rig.step();
        }
        rig.stop = true;
        rig.run(1000);
        // Granted packets make room for as many doorbells.
        let gone = (rig.departures.len() as u64 - granted) as u16;
        assert_eq!([ring(&mut rig, gone + 1), ring(&mut rig, gone), ring(&mut rig, 1)], [1, 0, 1]);
        rig.stop = false;
        let end = rig.clk + 70_000 * 4;
        while rig.departures.len() as u64 - granted < 65_535 + u64::from(gone) && rig.clk < end {
            rig.step();
        }
        rig.run(10_000);
        granted += 65_535 + u64::from(gone);
        assert_eq!(rig.departures.len() as u64, granted, "round {round}");
        rig.stop = true;
        rig.run(100);
    }
}

/// The time is set forward by any amount, or slowed down while it follows PTP: no flow is lost,
/// each is paid for what passed by no more than its cap, and all go on at their rates.
#[test]
fn adjustments_of_the_time() {
    const CAP: u32 = 2 * 1538;
    let mut rig = Rig::new(4);
    rig.sweep();
    rig.profile(0, 0, CAP);
    let mbps = [3000, 1000, 100, 10];
    for f in 0..4 {
        rig.flow(f, 1538, mbps[f as usize] * MBPS);
    }
    rig.settle();
    for f in 0..4 {
        rig.doorbells.push_back((f, 60_000));
    }
    rig.run(50_000);
    let mut rng = rng(1);
    for bits in [8, 12, 16, 17, 19, 20, 22, 30, 40, 46, 47] {
        let from = rig.departures.len();
        // At half its speed for a while, which is a step back of the rig's own line.
        for _ in 0..200 {
            rig.step();
            rig.start = rig.start.wrapping_sub(2);
        }
        let step = (1 << bits) + rng.random_range(0..1u64 << bits);
        rig.start = rig.start.wrapping_add(step);
        let at = rig.now();
        rig.run(400_000);
        let ns_after = 1_600_000.0;
        for f in 0..4u32 {
            let all: Vec<_> = rig.departures[from..].iter().filter(|d| d.flow == f).collect();
            let after = all.iter().filter(|d| d.now.wrapping_sub(at) < 1 << 63).count() as f64;
            let gap = 1538.0 * 8000.0 / f64::from(mbps[f as usize]);
            let (least, most) = ((ns_after / gap - 2.0).max(0.0), ns_after / gap + f64::from(CAP) / 1538.0 + 2.0);
            assert!(
                (least..=most).contains(&after),
                "flow {f}: {after} packets after a step of {step} ns, {least:.1} to {most:.1} expected"
            );
        }
    }
}

/// A flow that posts a packet in ten gaps is soon known not to use its rate; a backlogged one is
/// not, nor one that uses 90 % of it; and one that was is not any more when it has caught up.
#[test]
fn flows_that_do_not_use_their_rate_are_known() {
    let mut rig = Rig::new(4);
    rig.sweep();
    rig.profile(0, 0, 16384);
    rig.profiles.push_back(timely_model::bus::ProfileWrite { profile: 0, word: profile::USE_WINDOW.word, data: 20_000 });
    for f in 0..3 {
        rig.flow(f, 1538, 1_000 * MBPS);
    }
    rig.settle();
    // A gap is 12.3 us, 3076 clocks.
    let mut limited = [false; 3];
    let mut ever = [false; 3];
    rig.doorbells.push_back((0, 10_000));
    for clk in 0..2_000_000u64 {
        if clk % 30_760 == 0 && clk < 1_000_000 {
            rig.doorbells.push_back((1, 1));
        }
        if clk % 3_418 == 0 {
            rig.doorbells.push_back((2, 1));
        }
        if clk == 1_000_000 {
            assert_eq!((limited, ever), ([false, true, false], [false, true, false]), "after {} packets", rig.departures.len());
            rig.doorbells.push_back((1, 10_000));
        }
        let out = rig.step();
        if let Some((flow, is)) = out.limited {
            limited[flow as usize] = is;
            ever[flow as usize] |= is;
        }
    }
    assert_eq!((limited, ever), ([false; 3], [false, true, false]), "at the end");
}

/// The face that skips clocks gives what the face that steps them gives.
#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut rig = Rig::new(4);
        rig.release_after = Some(2000);
        let mut skipped = rig.pacer.clone();
        skipped.set_time(TimeMap { clk0: 0, now: 0, step: 4 << 24 });
        rig.profile(8000, 100_000, 4096);
        for f in 0..16 {
            rig.record(f, 1538, FlowRecord { enable: true, priority: f as u8 & 7, ..FlowRecord::default() });
            rig.rates.push_back((f, rng.random_range(10..3000) * MBPS));
        }
        let (mut skips, mut levels) = (0, (0, false));
        for clk in 0..cycles() {
            let out = rig.pacer.output(clk);
            assert_eq!(out, skipped.output(clk), "clock {clk}, seed {seed}");
            if rng.random_bool(0.001) {
                rig.doorbells.push_back((rng.random_range(0..16), rng.random_range(1..4)));
            }
            if rng.random_bool(0.0002) {
                rig.pause = if rng.random() { 0 } else { rng.random() };
            }
            if rng.random_bool(0.0002) {
                rig.loads.push_back(load(rng.random_range(0..16), &FlowRecord { enable: rng.random_bool(0.9), ..FlowRecord::default() }));
            }
            let i = rig.inputs(&out);
            let idle = i.doorbell.is_none() && i.release.is_none() && i.charge.is_none() && i.rate.is_none() && i.profile.is_none();
            let idle = idle && i.load.is_none() && levels == (i.pause, i.stop);
            levels = (i.pause, i.stop);
            rig.pacer.step(clk, &i);
            if !idle || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
            rig.clk += 1;
        }
        println!("{skips} of {} clocks skipped, {} grants", cycles(), rig.departures.len());
        assert!(skips > cycles() / 5, "only {skips} clocks were skipped");
    }
}
