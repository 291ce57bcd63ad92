//! The blocks around the control half in Corundum's application block, against their models, every
//! output at every clock.
use rand::Rng;
use timely_hw::shells::corundum::app::arrivals::Arrivals as RtlArrivals;
use timely_hw::shells::corundum::app::credit::Credit as RtlCredit;
use timely_hw::shells::corundum::app::departures::Departures as RtlDepartures;
use timely_hw::shells::corundum::app::host_read::HostRead as RtlRead;
use timely_hw::shells::corundum::app::host_write::HostWrite as RtlWrite;
use timely_hw::shells::corundum::app::launches::Launches as RtlLaunches;
use timely_model::Block;
use timely_model::app_block::TimeOfDay;
use timely_model::app_block::arrivals::{self, Arrivals};
use timely_model::app_block::credit::{self, Credit};
use timely_model::app_block::departures::{self, Departures};
use timely_model::app_block::host_read::{self, HostRead};
use timely_model::app_block::host_write::{self, HostWrite};
use timely_model::app_block::launches::{self, Launches};
use timely_model::bus::{Completion, FlowLoad, Release, Sent};
use timely_regs::flow::FlowRecord;
use timely_regs::link::ACK_TAG;
use timely_tests::axis::{Offered, Taken, random_beat};
use timely_tests::{Runs, cycles, rng, seeds, thorough, verilate};

/// Any time of day, often near the end of a second.
fn stamp(rng: &mut impl Rng) -> TimeOfDay {
    let ns = if rng.random_bool(0.3) { rng.random_range(999_999_990..1_000_000_000) } else { rng.random_range(0..1_000_000_000) };
    TimeOfDay::new(rng.random(), ns, rng.random())
}

#[test]
fn arrivals_equal_model() {
    let library = verilate("arrivals64", RtlArrivals::<64, 8>::default());
    let (s, m) = (Offered::new(&library, "s"), Taken::new(&library, "m"));
    let [rst, bad, ts] = ["rst", "s_bad", "s_ts"].map(|n| library.input(n));
    let [m_bad, m_ts] = ["m_bad", "m_ts"].map(|n| library.output(n));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut dut = library.instantiate(seed as u32);
        let mut model = Arrivals::default();
        let mut beats = 0;
        for clk in 0..cycles() / 4 {
            let out = arrivals::Out { beat: m.get(&dut).map(|b| (b, dut.get(m_ts), dut.get(m_bad) == 1)) };
            let (mut expected, mut found) = (model.output(clk), out);
            // Bytes that are not there mean nothing.
            for beat in [&mut expected.beat, &mut found.beat].into_iter().flatten() {
                let n = usize::from(beat.0.bytes).min(8);
                beat.0.data[n..].fill(0);
            }
            assert_eq!(found, expected, "clock {clk}, seed {seed}");
            beats += u64::from(out.beat.is_some());
            let last = rng.random();
            let i = arrivals::In {
                rst: rng.random_bool(0.001),
                beat: rng.random_bool(0.8).then(|| (random_beat(&mut rng, 8, last), stamp(&mut rng), rng.random())),
            };
            s.set(&mut dut, i.beat.as_ref().map(|b| &b.0), &mut rng);
            dut.set(rst, i.rst.into());
            dut.set(bad, i.beat.map_or_else(|| rng.random_range(0..2), |b| b.2.into()));
            dut.set_bytes(ts, &i.beat.map_or_else(|| rng.random::<u128>() >> 32, |b| b.1.0).to_le_bytes()[..12]);
            dut.tick();
            model.step(clk, &i);
        }
        assert!(beats > cycles() / 8, "only {beats} beats");
    }
}

#[test]
fn departures_equal_model() {
    let library = verilate("departures", RtlDepartures::default());
    let [rst, told, valid, tag, ts, ready] = ["rst", "told", "s_valid", "s_tag", "s_ts", "m_ready"].map(|n| library.input(n));
    let [s_ready, m_valid, m_tag, m_ts, c_valid, c_tag, c_ts] =
        ["s_ready", "m_valid", "m_tag", "m_ts", "c_valid", "c_tag", "c_ts"].map(|n| library.output(n));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut dut = library.instantiate(seed as u32);
        let mut model = Departures::default();
        let (mut offers, mut takes) = (Runs::new(0.6, 40), Runs::new(0.5, 40));
        let (mut handed, mut full) = (0, 0);
        for clk in 0..cycles() {
            let mut bytes = [0; 16];
            bytes[..12].copy_from_slice(&dut.get_bytes(m_ts)[..12]);
            let out = departures::Out {
                ready: dut.get(s_ready) == 1,
                completion: (dut.get(m_valid) == 1).then(|| (dut.get(m_tag) as u16, TimeOfDay(u128::from_le_bytes(bytes)))),
                departure: (dut.get(c_valid) == 1).then(|| Completion { tag: dut.get(c_tag) as u16, ts: dut.get(c_ts) }),
            };
            assert_eq!(out, model.output(clk), "clock {clk}, seed {seed}");
            handed += u64::from(out.departure.is_some());
            full += u64::from(!out.ready);
            let i = departures::In {
                rst: rng.random_bool(0.0003),
                told: clk / 5000 % 2 == 1,
                completion: offers.next(&mut rng).then(|| {
                    let tag = if rng.random_bool(0.1) { ACK_TAG } else { rng.random() };
                    (tag, stamp(&mut rng))
                }),
                ready: takes.next(&mut rng),
            };
            let (number, time) = i.completion.unwrap_or_else(|| (rng.random(), stamp(&mut rng)));
            for (at, value) in [
                (rst, i.rst.into()),
                (told, i.told.into()),
                (valid, i.completion.is_some().into()),
                (tag, number.into()),
                (ready, i.ready.into()),
            ] {
                dut.set(at, value);
            }
            dut.set_bytes(ts, &time.0.to_le_bytes()[..12]);
            dut.tick();
            model.step(clk, &i);
        }
        assert!(cycles() < 100_000 || (handed > 10_000 && full > 100), "{handed} departures, full at {full} clocks");
    }
}

fn write_lockstep<B: rust_hdl::prelude::Block>(name: &str, rtl: B, width: usize) {
    let library = verilate(name, rtl);
    let input = |n: &str| library.input(n);
    let output = |n: &str| library.output(n);
    let [rst, enable, awaddr, awvalid, wdata, wvalid] = ["rst", "enable", "s_awaddr", "s_awvalid", "s_wdata", "s_wvalid"].map(input);
    let [d_ready, st_valid, st_place, st_failed] = ["d_ready", "st_valid", "st_place", "st_failed"].map(input);
    let asks = ["0", "1"].map(|n| [format!("r{n}_valid"), format!("r{n}_place"), format!("a{n}_ready")].map(|n| input(&n)));
    let [awready, wready, bvalid, bresp] = ["s_awready", "s_wready", "s_bvalid", "s_bresp"].map(output);
    let [d_valid, d_address, d_place] = ["d_valid", "d_address", "d_place"].map(output);
    let answers = ["0", "1"].map(|n| [format!("r{n}_ready"), format!("a{n}_valid"), format!("a{n}_data")].map(|n| output(&n)));
    for seed in seeds() {
        let mut rng = rng(seed);
        // RAM that was not written is zeros, as the model has it.
        let mut dut = library.instantiate(0);
        let mut model = HostWrite::new(width);
        let (mut offers, mut takes, mut done) = (Runs::new(0.7, 60), Runs::new(0.6, 30), Runs::new(0.3, 60));
        let (mut ended, mut failed, mut read, mut full) = (0u64, 0u64, 0u64, 0u64);
        for clk in 0..cycles() / 2 {
            let answer = |n: usize| (dut.get(answers[n][1]) == 1).then(|| dut.get_bytes(answers[n][2]).try_into().expect("64 bytes"));
            let out = host_write::Out {
                address_ready: dut.get(awready) == 1,
                beat_ready: dut.get(wready) == 1,
                response: (dut.get(bvalid) == 1).then(|| dut.get(bresp) == 2),
                descriptor: (dut.get(d_valid) == 1).then(|| (dut.get(d_address), dut.get(d_place) as u8)),
                ask_ready: [0, 1].map(|n| dut.get(answers[n][0]) == 1),
                answer: [answer(0), answer(1)],
            };
            assert_eq!(out, model.output(clk), "clock {clk}, seed {seed}");
            ended += u64::from(out.response.is_some());
            failed += u64::from(out.response == Some(true));
            read += out.answer.iter().flatten().count() as u64;
            full += u64::from(!out.beat_ready);
            let mut beat = [0; 64];
            rng.fill(&mut beat[..width / 8]);
            let i = host_write::In {
                rst: rng.random_bool(0.0003),
                enable: clk % 8192 > 500,
                address: offers.next(&mut rng).then(|| rng.random()),
                beat: rng.random_bool(0.8).then_some(beat),
                descriptor_ready: takes.next(&mut rng),
                status: done.next(&mut rng).then(|| (rng.random_range(0..16), rng.random_bool(0.2))),
                ask: [0, 1].map(|_| rng.random_bool(0.5).then(|| rng.random_range(0..16))),
                answer_ready: rng.random(),
            };
            for (at, value) in [
                (rst, i.rst.into()),
                (enable, i.enable.into()),
                (awvalid, i.address.is_some().into()),
                (awaddr, i.address.unwrap_or_else(|| rng.random())),
                (wvalid, i.beat.is_some().into()),
                (d_ready, i.descriptor_ready.into()),
                (st_valid, i.status.is_some().into()),
                (st_place, i.status.map_or(3, |s| s.0.into())),
                (st_failed, i.status.map_or(1, |s| s.1.into())),
            ] {
                dut.set(at, value);
            }
            dut.set_bytes(wdata, &beat[..width / 8]);
            for (n, ports) in asks.iter().enumerate() {
                dut.set(ports[0], i.ask[n].is_some().into());
                dut.set(ports[1], i.ask[n].map_or(7, u64::from));
                dut.set(ports[2], i.answer_ready[n].into());
            }
            dut.tick();
            model.step(clk, &i);
        }
        println!("{name}: {ended} bursts, {failed} failed, {read} answers");
        assert!(cycles() < 100_000 || (ended > 500 && failed > 50 && read > 5000 && full > 500), "{ended} {failed} {read} {full}");
    }
}

#[test]
fn host_write_equals_model() {
    write_lockstep("host_write_64", RtlWrite::<64>::new(), 64);
    if thorough() {
        write_lockstep("host_write_512", RtlWrite::<512>::new(), 512);
    }
}

fn read_lockstep<B: rust_hdl::prelude::Block>(name: &str, rtl: B, width: usize) {
    let library = verilate(name, rtl);
    let input = |n: &str| library.input(n);
    let output = |n: &str| library.output(n);
    let [rst, enable, araddr, arvalid, rready] = ["rst", "enable", "s_araddr", "s_arvalid", "s_rready"].map(input);
    let [d_ready, st_valid, st_place, st_failed] = ["d_ready", "st_valid", "st_place", "st_failed"].map(input);
    let halves = ["0", "1"].map(|n| ["valid", "place", "enable", "data"].map(|s| input(&format!("h{n}_{s}"))));
    let [arready, rvalid, rdata, rresp, rlast] = ["s_arready", "s_rvalid", "s_rdata", "s_rresp", "s_rlast"].map(output);
    let [d_valid, d_address, d_place] = ["d_valid", "d_address", "d_place"].map(output);
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut dut = library.instantiate(0);
        let mut model = HostRead::new(width);
        let (mut offers, mut takes, mut done) = (Runs::new(0.7, 60), Runs::new(0.6, 30), Runs::new(0.3, 60));
        let (mut beats, mut ends, mut failed, mut full) = (0u64, 0u64, 0u64, 0u64);
        for clk in 0..cycles() / 2 {
            let read = dut.get_bytes(rdata);
            let mut expected = model.output(clk);
            // A beat has the first bytes of the rest.
            if let Some((record, ..)) = &mut expected.beat {
                record[width / 8..].fill(0);
            }
            let out = host_read::Out {
                address_ready: dut.get(arready) == 1,
                descriptor: (dut.get(d_valid) == 1).then(|| (dut.get(d_address), dut.get(d_place) as u8)),
                beat: (dut.get(rvalid) == 1).then(|| {
                    let mut record = [0; 64];
                    record[..width / 8].copy_from_slice(&read[..width / 8]);
                    (record, dut.get(rresp) == 2, dut.get(rlast) == 1)
                }),
            };
            assert_eq!(out, expected, "clock {clk}, seed {seed}");
            beats += u64::from(out.beat.is_some());
            ends += u64::from(out.beat.is_some_and(|b| b.2));
            failed += u64::from(out.beat.is_some_and(|b| b.1));
            full += u64::from(!out.address_ready);
            let i = host_read::In {
                rst: rng.random_bool(0.0003),
                enable: clk % 8192 > 500,
                address: offers.next(&mut rng).then(|| rng.random()),
                beat_ready: takes.next(&mut rng),
                descriptor_ready: rng.random_bool(0.7),
                status: done.next(&mut rng).then(|| (rng.random_range(0..2), rng.random_bool(0.2))),
                halves: [0, 1].map(|_| {
                    let mut bytes = [0; 32];
                    rng.fill(&mut bytes);
                    rng.random_bool(0.5).then(|| (rng.random_range(0..2), bytes, rng.random()))
                }),
            };
            for (at, value) in [
                (rst, i.rst.into()),
                (enable, i.enable.into()),
                (arvalid, i.address.is_some().into()),
                (araddr, i.address.unwrap_or_else(|| rng.random())),
                (rready, i.beat_ready.into()),
                (d_ready, i.descriptor_ready.into()),
                (st_valid, i.status.is_some().into()),
                (st_place, i.status.map_or(1, |s| s.0.into())),
                (st_failed, i.status.map_or(1, |s| s.1.into())),
            ] {
                dut.set(at, value);
            }
            for (ports, half) in halves.iter().zip(&i.halves) {
                let (place, bytes, enable) = half.unwrap_or((1, [0xaa; 32], u32::MAX));
                dut.set(ports[0], half.is_some().into());
                dut.set(ports[1], place.into());
                dut.set(ports[2], enable.into());
                dut.set_bytes(ports[3], &bytes);
            }
            dut.tick();
            model.step(clk, &i);
        }
        println!("{name}: {beats} beats, {ends} of them last, {failed} failed");
        assert!(cycles() < 100_000 || (ends > 500 && failed > 500 && full > 500), "{beats} {ends} {failed} {full}");
    }
}

#[test]
fn host_read_equals_model() {
    read_lockstep("host_read_64", RtlRead::<64>::new(), 64);
    if thorough() {
        read_lockstep("host_read_512", RtlRead::<512>::new(), 512);
    }
}

#[test]
fn launches_equal_model() {
    let library = verilate("launches", RtlLaunches::default());
    let [rst, launch_valid, launch_tag, launch_paced, launch_time, void_valid, void_tag, take] =
        ["rst", "launch_valid", "launch_tag", "launch_paced", "launch_time", "void_valid", "void_tag", "take"].map(|n| library.input(n));
    let [head_valid, head_paced, head_time, empty] = ["head_valid", "head_paced", "head_time", "empty"].map(|n| library.output(n));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut dut = library.instantiate(0);
        let mut model = Launches::default();
        let (mut requests, mut takes) = (Runs::new(0.3, 30), Runs::new(0.5, 60));
        let (mut taken, mut voids) = (0u64, 0u64);
        for clk in 0..cycles() {
            let paced = dut.get(head_paced) == 1;
            let out =
                launches::Out { head: (dut.get(head_valid) == 1).then(|| paced.then(|| dut.get(head_time))), empty: dut.get(empty) == 1 };
            assert_eq!(out, model.output(clk), "clock {clk}, seed {seed}");
            // Few tags of all that there are, which are used again while others wait.
            let tag = |n: u8| n.wrapping_mul(37);
            let i = launches::In {
                rst: rng.random_bool(0.0003),
                launch: requests.next(&mut rng).then(|| (tag(rng.random_range(0..40)), rng.random_bool(0.8).then(|| rng.random()))),
                void: rng.random_bool(0.05).then(|| tag(rng.random_range(0..40))),
                take: takes.next(&mut rng),
            };
            taken += u64::from(out.head.is_some() && i.take);
            voids += u64::from(i.void.is_some());
            for (at, value) in [
                (rst, i.rst.into()),
                (launch_valid, i.launch.is_some().into()),
                (launch_tag, i.launch.map_or(9, |l| l.0.into())),
                (launch_paced, i.launch.is_none_or(|l| l.1.is_some()).into()),
                (launch_time, i.launch.and_then(|l| l.1).unwrap_or_else(|| rng.random())),
                (void_valid, i.void.is_some().into()),
                (void_tag, i.void.map_or(9, u64::from)),
                (take, i.take.into()),
            ] {
                dut.set(at, value);
            }
            dut.tick();
            model.step(clk, &i);
        }
        println!("launches: {taken} taken, {voids} void");
        assert!(cycles() < 100_000 || (taken > 5000 && voids > 5000), "{taken} {voids}");
    }
}

#[test]
fn credit_equals_model() {
    const F: u32 = 4;
    let library = verilate("credit4", RtlCredit::<4, 5, 36>::new());
    let input = |n: &str| library.input(n);
    let [rst, fl_valid, fl_flow, fl_enable] = ["rst", "fl_valid", "fl_flow", "fl_enable"].map(input);
    let frame = ["valid", "queue", "wire_bytes", "ends", "segment_bytes"].map(|n| library.input(&format!("frame_{n}")));
    let given = ["i_valid", "i_flow", "i_bytes"].map(input);
    let out = ["swept", "o_valid", "o_flow", "o_bytes"].map(|n| library.output(n));
    let mut seen = [0u64; 3];
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut dut, mut model) = (library.instantiate(seed as u32), Credit::new(F));
        let (mut frames, mut releases) = (Runs::new(0.3, 300), Runs::new(0.4, 300));
        for clk in 0..cycles() / 2 {
            let [swept, valid, flow, bytes] = out.map(|p| dut.get(p));
            let found =
                credit::Out { swept: swept == 1, release: (valid == 1).then_some(Release { flow: flow as u32, bytes: bytes as u32 }) };
            assert_eq!(found, model.output(clk), "clock {clk}, seed {seed}");
            if clk % 5000 == 0 {
                (frames.p, releases.p) = ([0.1, 0.5, 1.0][rng.random_range(0..3)], [0.0, 0.4, 0.9][rng.random_range(0..3)]);
            }
            let wire = rng.random_range(84..9200);
            let load = rng.random_bool(0.01).then(|| {
                let record = FlowRecord { enable: rng.random_bool(0.7), keep: rng.random(), ..FlowRecord::default() };
                FlowLoad { flow: rng.random_range(0..1 << F), record: record.pack().expect("a record within its ranges") }
            });
            let segment = [wire, rng.random_range(wire..200_000), rng.random()][rng.random_range(0..3)];
            let i = credit::In {
                rst: rng.random_bool(0.0002),
                load,
                frame: frames.next(&mut rng).then(|| (rng.random_range(0..(1 << F) + 3), wire as u16)),
                sent: rng.random_bool(0.6).then(|| Sent { last: rng.random(), segment_bytes: segment, ..Sent::default() }),
                release: releases.next(&mut rng).then(|| Release { flow: rng.random_range(0..1 << F), bytes: rng.random() }),
            };
            let happened = [i.release.is_some(), found.release.is_some(), found.release.is_some_and(|r| r.bytes >> 31 != 0)];
            seen.iter_mut().zip(happened).for_each(|(n, h)| *n += u64::from(h));
            for (at, value) in [
                (rst, i.rst.into()),
                (fl_valid, i.load.is_some().into()),
                (fl_flow, i.load.map_or_else(|| rng.random_range(0..16), |l| l.flow.into())),
                (fl_enable, i.load.map_or_else(|| rng.random_range(0..2), |l| l.enable().into())),
                (frame[0], i.frame.is_some().into()),
                (frame[1], i.frame.map_or_else(|| rng.random_range(0..16), |f| f.0.into())),
                (frame[2], i.frame.map_or_else(|| rng.random_range(0..1 << 16), |f| f.1.into())),
                (frame[3], i.sent.is_some_and(|s| s.last).into()),
                (frame[4], i.sent.map_or(0, |s| s.segment_bytes.into())),
                (given[0], i.release.is_some().into()),
                (given[1], i.release.map_or_else(|| rng.random_range(0..16), |r| r.flow.into())),
                (given[2], i.release.map_or_else(|| rng.random::<u32>().into(), |r| r.bytes.into())),
            ] {
                dut.set(at, value);
            }
            dut.tick();
            model.step(clk, &i);
        }
    }
    println!("credit: {} releases in, {} out, {} of them negative", seen[0], seen[1], seen[2]);
    assert!(cycles() < 100_000 || (seen[1] > seen[0] + 1000 && seen[2] > 1000), "{seen:?}");
}
