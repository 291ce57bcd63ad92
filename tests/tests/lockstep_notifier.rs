//! `timely_hw::roce::notifier` against `timely_model::notifier`, every output at every clock, and
//! its notifications against one that another implementation made.
use rand::Rng;
use std::sync::Arc;
use timely_hw::roce::notifier::Notifier;
use timely_model::Block;
use timely_model::notifier::{self, In, MARK_TO_BEAT, Mark, Out, words};
use timely_model::stream::{Beat, WIDEST, bytes_of};
use timely_regs::roce::{Kind, check};
use timely_regs::wire::{Addresses, Class};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate as v;

/// Scapy 2.6's, as in `hw/regs/tests/roce.rs`.
const CNP4: &str = "0200000000010200000000020800452a003c000040004011b683c0000201c0000202000012b7002800008100ffff400000d2000000000000000000000000000000000000\
                    00005e97395c";
const TAGGED_CNP4: &str = "020000000001020000000002810060050800452a003c000040004011b683c0000201c0000202000012b7002800008100ffff400000d200000000000000000000\
                           0000000000000000000\
                           05e97395c";

/// Scapy 2.6.1's.
const CNP6: &str = "02000000000102000000000286dd62a000000028114020010db800000000000000000000000220010db8000000000000000000000001000012b7002800008100ffff\
                    400000d200000000000000000000000000000000000000001fee4c26";
const TAGGED_CNP6: &str = "0200000000010200000000028100600586dd62a000000028114020010db800000000000000000000000220010db8000000000000000000000001000012b700280000\
                           8100ffff400000d200000000000000000000000000000000000000001fee4c26";

/// Scapy 2.6.1's, in partition 0x1234, which claim full membership: their key is 0x9234.
const PART_CNP4: &str = "0200000000010200000000020800452a003c000040004011b683c0000201c0000202000012b70028000081009234400000d20000000000000000000000000000\
                         0000000000009\
                         7d27780";
const PART_CNP6: &str = "02000000000102000000000286dd62a000000028114020010db800000000000000000000000220010db8000000000000000000000001000012b70028000081009234\
                         400000d20000000000000000000000000000000000000000d6ab02fa";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hexadecimal")).collect()
}

struct Bench {
    library: Arc<v::Library>,
    rst: v::In,
    valid: v::In,
    known: v::In,
    ce: v::In,
    flow: v::In,
    mark: v::In,
    enable: v::In,
    interval: v::In,
    tos: v::In,
    now: v::In,
    ready: v::In,
    swept: v::Out,
    watches: v::Out,
    beat: [v::Out; 4],
    pulses: v::Out,
}

/// The packed headers, the first field in the lowest bits.
fn packed(mark: &Mark) -> Vec<u8> {
    let mut bytes = [mark.mac_destination, mark.mac_source].concat();
    bytes.extend(mark.tci.unwrap_or(0xbeef).to_le_bytes());
    let (source, destination) = match mark.addresses {
        Addresses::V4 { source, destination } => {
            let of = |address: [u8; 4]| std::array::from_fn::<u8, 16, _>(|i| *address.get(i).unwrap_or(&0x5a));
            (of(source), of(destination))
        }
        Addresses::V6 { source, destination } => (source, destination),
    };
    bytes.extend(source.iter().chain(&destination));
    bytes.extend(mark.port.to_le_bytes());
    bytes.extend(&mark.pair.to_le_bytes()[..3]);
    bytes.extend(mark.partition_key.to_le_bytes());
    bytes.push(u8::from(mark.tci.is_some()) | u8::from(matches!(mark.addresses, Addresses::V6 { .. })) << 1);
    bytes
}

impl Bench {
    fn new<const W: usize, const K: usize, const F: usize, const N: usize>() -> Self {
        let library = verilate("notifier", Notifier::<W, K, F, N>::new());
        let (i, o) = (|name| library.input(name), |name| library.output(name));
        Bench {
            rst: i("rst"),
            valid: i("mark_valid"),
            known: i("mark_known"),
            ce: i("mark_ce"),
            flow: i("mark_flow"),
            mark: i("mark"),
            enable: i("cfg_enable"),
            interval: i("cfg_interval"),
            tos: i("cfg_tos"),
            now: i("now"),
            ready: i("m_tready"),
            swept: o("swept"),
            watches: o("watches"),
            beat: ["m_tvalid", "m_tdata", "m_tkeep", "m_tlast"].map(o),
            pulses: o("pulses"),
            library,
        }
    }

    /// Sets the inputs of a clock; what is not valid is random.
    fn set(&self, dut: &mut v::Dut, i: &In, rng: &mut impl Rng) {
        let mark = i.mark.unwrap_or_else(|| draw(rng, 1 << 16));
        dut.set(self.rst, i.rst.into());
        dut.set(self.valid, i.mark.is_some().into());
        dut.set(self.known, i.mark.map_or_else(|| rng.random(), |m| m.flow.is_some()).into());
        dut.set(self.ce, mark.ce.into());
        dut.set(self.flow, mark.flow.unwrap_or_else(|| rng.random()).into());
        dut.set_bytes(self.mark, &packed(&mark));
        dut.set(self.enable, i.enable.into());
        dut.set(self.interval, i.interval_ns.into());
        dut.set(self.tos, i.tos.into());
        dut.set(self.now, i.now);
        dut.set(self.ready, i.ready.into());
    }

    fn get(&self, dut: &v::Dut) -> Out {
        let [valid, data, keep, last] = self.beat;
        let beat = (dut.get(valid) == 1).then(|| {
            let bytes = bytes_of(dut.get(keep));
            let mut beat = Beat { bytes, last: dut.get(last) == 1, ..Beat::default() };
            let shown = dut.get_bytes(data);
            // Those behind the end mean nothing.
            let count = usize::from(bytes).min(WIDEST);
            beat.data[..count].copy_from_slice(&shown[..count]);
            beat
        });
        Out { swept: dut.get(self.swept) == 1, watches: dut.get(self.watches) == 1, beat, pulses: dut.get(self.pulses) as u8 }
    }
}

fn draw(rng: &mut impl Rng, flows: u32) -> Mark {
    let addresses = match rng.random() {
        false => Addresses::V4 { source: rng.random(), destination: rng.random() },
        true => Addresses::V6 { source: rng.random(), destination: rng.random() },
    };
    Mark {
        ce: rng.random(),
        flow: (rng.random_range(0..10) > 0).then(|| rng.random_range(0..flows)),
        pair: rng.random_range(0..1 << 24),
        partition_key: rng.random(),
        mac_destination: rng.random(),
        mac_source: rng.random(),
        tci: rng.random::<bool>().then(|| rng.random()),
        addresses,
        port: rng.random(),
    }
}

fn lockstep<const W: usize, const K: usize, const F: usize, const N: usize>() {
    let bench = Bench::new::<W, K, F, N>();
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut dut, mut model) = (bench.library.instantiate(seed as u32), notifier::Notifier::new(W, F as u32));
        let (mut marks, mut stalls) = (Runs::new(0.01, 30), Runs::new(0.2, 50));
        // A NIC's clock is some ns; here intervals are short and the time may jump.
        let mut i = In { now: rng.random(), enable: true, interval_ns: 1000, ..In::default() };
        let (mut frame, mut classes, mut pulses) = (Vec::<u8>::new(), [0u64; 4], [0u64; 3]);
        for clk in 0..cycles() {
            let out = model.output(clk);
            assert_eq!(bench.get(&dut), out, "clock {clk}, seed {seed}, {W} bits");
            (0..3).for_each(|k| pulses[k] += u64::from(out.pulses >> k & 1));
            i.now = i.now.wrapping_add(rng.random_range(0..8 << 16));
            if rng.random_range(0..5000) == 0 {
                i.now = i.now.wrapping_add(rng.random());
                i.interval_ns = [0, rng.random_range(0..4000), rng.random_range(0..1 << 24)][rng.random_range(0..3)];
                i.enable = rng.random_range(0..8) > 0;
            }
            if rng.random_range(0..200) == 0 {
                i.tos = rng.random();
                marks.p = [0.01, 0.1, 0.5][rng.random_range(0..3)];
            }
            i.rst = rng.random_range(0..20_000) == 0;
            i.ready = !stalls.next(&mut rng);
            let flows = if rng.random() { 4 } else { 1 << F };
            i.mark = marks.next(&mut rng).then(|| draw(&mut rng, flows));
            // Every frame that leaves whole is one that a receiver takes.
            if i.rst {
                frame.clear();
            } else if let Some(beat) = out.beat.filter(|_| i.ready) {
                frame.extend(&beat.data[..usize::from(beat.bytes)]);
                if beat.last {
                    let headers = check(&frame).unwrap_or_else(|e| panic!("clock {clk}, seed {seed}: {e:?} of {frame:02x?}"));
                    assert_eq!((headers.kind, headers.psn), (Kind::Cnp, 0));
                    classes[Class::ALL.iter().position(|c| *c == headers.class).expect("a class")] += 1;
                    frame.clear();
                }
            }
            bench.set(&mut dut, &i, &mut rng);
            dut.tick();
            model.step(clk, &i);
        }
        println!("{W} bits: frames by class {classes:?}, pulses {pulses:?}");
        if cycles() >= 20_000 {
            assert!(classes.iter().all(|n| *n > 10) && pulses.iter().all(|n| *n > 10), "{classes:?} {pulses:?}");
        }
    }
}

#[test]
fn rtl_equals_model_64() {
    lockstep::<64, 8, 4, 4>();
}

#[test]
fn rtl_equals_model_512() {
    lockstep::<512, 64, 10, 32>();
}

#[test]
fn rtl_equals_model_256() {
    lockstep::<256, 32, 6, 16>();
}

/// A marked packet of one host is answered by Scapy's CNP of the other, its check sequence and
/// all, so many clocks later as is written; the next one after the interval.
#[test]
fn notifications_are_those_of_another_implementation() {
    let bench = Bench::new::<64, 8, 4, 4>();
    let mut dut = bench.library.instantiate(1);
    let mut rng = rng(1);
    let mut now = 1 << 40;
    let mut run = |mark: Option<Mark>, dut: &mut v::Dut| {
        let out = bench.get(dut);
        now += 4 << 16;
        bench.set(dut, &In { mark, enable: true, interval_ns: 50_000, tos: 0x2a, now, ready: true, rst: false }, &mut rng);
        dut.tick();
        out
    };
    while !run(None, &mut dut).swept {}
    let v4 = Addresses::V4 { source: [192, 0, 2, 2], destination: [192, 0, 2, 1] };
    let of = |host| std::array::from_fn(|i| *[0x20, 1, 0x0d, 0xb8].get(i).unwrap_or(if i == 15 { &host } else { &0 }));
    let v6 = Addresses::V6 { source: of(1), destination: of(2) };
    let tag = Some(0x6005);
    let cases = [
        (3, 0xffff, None, v4, CNP4),
        (5, 0xffff, tag, v4, TAGGED_CNP4),
        (6, 0xffff, None, v6, CNP6),
        (7, 0x7fff, tag, v6, TAGGED_CNP6),
        (8, 0x1234, None, v4, PART_CNP4),
        (9, 0x9234, None, v6, PART_CNP6),
    ];
    for (flow, partition_key, tci, addresses, wanted) in cases {
        let wanted = bytes(wanted);
        let mark = Mark {
            ce: true,
            flow: Some(flow),
            pair: 0xd2,
            partition_key,
            mac_destination: [2, 0, 0, 0, 0, 2],
            mac_source: [2, 0, 0, 0, 0, 1],
            tci,
            addresses,
            port: 0,
        };
        run(Some(mark), &mut dut);
        let (mut frame, mut clocks) = (Vec::<u8>::new(), 1);
        let first = loop {
            match run(None, &mut dut).beat {
                Some(beat) => break beat,
                None => clocks += 1,
            }
        };
        frame.extend(&first.data[..usize::from(first.bytes)]);
        let class = Class { vlan: tci.is_some(), ipv6: matches!(addresses, Addresses::V6 { .. }) };
        assert_eq!(clocks, MARK_TO_BEAT + words(class) as u64);
        while let Some(beat) = run(None, &mut dut).beat {
            frame.extend(&beat.data[..usize::from(beat.bytes)]);
        }
        assert_eq!(frame, wanted);
        // 50 us are 12,500 clocks of 4 ns.
        let mut answers = 0;
        for clk in 0..13_000 {
            let mark = (clk % 100 == 0).then_some(mark);
            answers += u64::from(run(mark, &mut dut).beat.is_some_and(|b| b.last));
        }
        assert_eq!(answers, 1);
    }
}

/// DCQCN's notification point by its paper (SIGCOMM'15, section 3.1): a mark is answered at once if
/// the pair had no CNP for an interval, and otherwise when the interval ends, of which a packet a
/// microsecond tells here. A single mark within an interval is enough; with none there is no CNP.
#[test]
fn every_interval_with_a_mark_has_a_notification() {
    const INTERVAL_NS: u32 = 50_000;
    let bench = Bench::new::<64, 8, 4, 4>();
    let seed = seeds()[0];
    let (mut rng, mut dut) = (rng(seed), bench.library.instantiate(1));
    let (mut clk, mut sent, mut shown, mut wanted) = (0u64, Vec::new(), 0, Vec::new());
    let mut step = |mark: Option<Mark>, dut: &mut v::Dut, rng: &mut _| {
        let out = bench.get(dut);
        clk += 1;
        bench.set(dut, &In { mark, enable: true, interval_ns: INTERVAL_NS, now: clk << 18, ready: true, ..In::default() }, rng);
        dut.tick();
        (clk, out)
    };
    while !step(None, &mut dut, &mut rng).1.swept {}
    let (mut last, mut owed) = (None, false);
    let packets = 20_000;
    for n in 0..packets {
        // Stretches of few marks, of many and of none.
        let p = [0.01, 0.2, 0.0, 0.002][n * 8 / packets % 4];
        let ce = rng.random::<f64>() < p;
        let mark = Mark { ce, flow: Some(3), ..draw(&mut rng, 4) };
        let (clk, out) = step(None, &mut dut, &mut rng);
        let is_shown = ce || out.watches;
        shown += u64::from(is_shown);
        let at = clk;
        step(is_shown.then_some(mark), &mut dut, &mut rng);
        let over = last.is_none_or(|l| (at - l) * 4 >= u64::from(INTERVAL_NS));
        owed |= ce;
        if owed && over {
            (last, owed) = (Some(at), false);
            wanted.push(at);
        }
        for _ in 0..248 {
            let (clk, out) = step(None, &mut dut, &mut rng);
            if out.pulses & 1 == 1 {
                sent.push(clk);
            }
        }
    }
    // The pulse stands so many clocks behind the packet.
    let late: std::collections::BTreeSet<_> = sent.iter().zip(&wanted).map(|(s, w)| s - w).collect();
    println!("seed {seed}: {} notifications, {shown} of {packets} packets shown, {late:?} clocks late", sent.len());
    assert_eq!((sent.len(), late.len()), (wanted.len(), 1), "seed {seed}");
    assert!(wanted.len() > 100 && shown < packets as u64 / 2, "seed {seed}");
}

/// A mark that finds the CNP of another pair under way is owed its own, whether its pair had one
/// long ago or never: the pair's next packet draws it within an interval, and none later.
#[test]
fn a_mark_that_finds_a_notification_under_way_is_owed_one() {
    const INTERVAL: u64 = 12_500;
    let bench = Bench::new::<64, 8, 4, 4>();
    let mut rng = rng(7);
    for (had_one, rest, wanted) in [(true, 300, 1), (false, 300, 1), (true, 3 * INTERVAL, 0), (false, 3 * INTERVAL, 0)] {
        let mut dut = bench.library.instantiate(1);
        let (mut clk, mut sent, mut postponed) = (0u64, 0, 0);
        let mut step = |mark: Option<(u32, bool)>, clocks: u64, dut: &mut v::Dut| {
            let (mut made, mut watched) = (0, false);
            for n in 0..clocks {
                let out = bench.get(dut);
                (made, watched) = (made + u64::from(out.pulses & 1), out.watches);
                postponed += u64::from(out.pulses >> 2 & 1);
                let mark = mark.filter(|_| n == 0).map(|(flow, ce)| Mark { ce, flow: Some(flow), ..draw(&mut rng, 4) });
                clk += 1;
                bench.set(dut, &In { mark, enable: true, interval_ns: 50_000, now: clk << 18, ready: true, ..In::default() }, &mut rng);
                dut.tick();
            }
            sent += made;
            (made, watched)
        };
        step(None, 40, &mut dut);
        if had_one {
            assert_eq!(step(Some((3, true)), 5 * INTERVAL, &mut dut).0, 1);
        }
        step(Some((5, true)), 20, &mut dut);
        let (_, watched) = step(Some((3, true)), rest, &mut dut);
        assert_eq!(watched, wanted == 1, "had one {had_one}, then {rest} clocks");
        let (made, _) = step(Some((3, false)), 300, &mut dut);
        assert_eq!((made, postponed), (wanted, 1), "had one {had_one}, then {rest} clocks");
    }
}

/// An idle block is not stepped, and is what it would be if it were.
#[test]
fn skipping_equals_stepping() {
    let mut rng = rng(5);
    let (mut stepped, mut skipped) = (notifier::Notifier::new(64, 4), notifier::Notifier::new(64, 4));
    let (mut due, mut rests, mut now) = (0, 0, 0);
    for clk in 0..cycles() {
        assert_eq!(skipped.output(clk), stepped.output(clk), "clock {clk}");
        now += rng.random_range(0..8 << 16);
        let mark = (rng.random_range(0..100) == 0).then(|| draw(&mut rng, 16));
        let i = In { mark, enable: true, interval_ns: 500, now, ready: rng.random(), ..In::default() };
        stepped.step(clk, &i);
        if mark.is_none() && clk < due {
            rests += 1;
            continue;
        }
        skipped.step(clk, &i);
        due = skipped.wake(clk + 1);
    }
    assert!(rests > cycles() / 100, "{rests}");
}
