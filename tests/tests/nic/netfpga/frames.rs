//! The fate of frames in NetFPGA's datapath.
use super::*;
use rand::Rng;
use std::collections::{HashMap, VecDeque};
use timely_regs::counters::Counter;
use timely_regs::wire::{FIRST, LAST};
use timely_tests::board::{Frame, HOST, WIRE};
use timely_tests::frames::{Fault, class, with_its_place};
use timely_tests::nic::PORT;
use timely_tests::{rng, seeds};

/// Frames of every kind both ways and of all ports, in gaps and stalls: each comes out once, byte
/// for byte, in its order, where its tuser says; what is not taken is counted; every segment at
/// port 0 is answered there, and none at the others.
#[test]
fn frames_pass_whole_and_once() {
    for (bench, seed) in benches().flat_map(|b| seeds().into_iter().map(move |s| (b, s))) {
        let (mut rng, ports) = (rng(seed ^ 7), bench.ports());
        let flows: Vec<(u32, u8)> = (0..8).map(|f| (f, 0)).collect();
        let mut board = bench.prepared(&Setup { profiles: vec![fixed(100_000.0)], flows, bound: 1000, lead: 0 }, seed);
        let mut past: Vec<VecDeque<(Vec<u8>, u128)>> = vec![VecDeque::new(); ports];
        let mut paced: HashMap<u32, VecDeque<(Vec<u8>, u128)>> = HashMap::new();
        let mut up: Vec<VecDeque<(Vec<u8>, u128)>> = vec![VecDeque::new(); ports];
        let (mut refused, mut discarded, mut answers) = (0, 0, 0);
        for n in 0..1500u32 {
            let frame = if rng.random_bool(0.5) {
                data(rng.random_range(0..9), n, FIRST | LAST, [90, 128, 129, 1514, 9000][rng.random_range(0..5)], true)
            } else {
                let kind = Fault::ALL[rng.random_range(0..Fault::ALL.len())];
                let class = class(&mut rng);
                kind.frame(&mut rng, class, PORT)
            };
            let to = rng.random_range(0..ports);
            let long = to == 0 && rng.random_bool(0.004);
            let frame = if long { vec![0; 9729 + rng.random_range(0..60_000)] } else { frame };
            // A source that there is, or none, which is port 0's; a port's own bit says nothing.
            let source = if to == 0 && rng.random_bool(0.2) { 0 } else { queue(to) } | if rng.random_bool(0.2) { 0x55 } else { 0 };
            let meta = tuser(frame.len(), source, rng.random());
            match flow_of(&frame, bench.flows()) {
                _ if long => discarded += 1,
                Some(0..8) if to == 0 && !names_its_addresses(&frame) => {
                    refused += 1;
                    past[0].push_back((frame.clone(), meta));
                }
                Some(flow @ 0..8) if to == 0 => paced.entry(flow).or_default().push_back((frame.clone(), meta)),
                Some(_) if to == 0 => refused += 1,
                _ => past[to].push_back((frame.clone(), meta)),
            }
            board.send(HOST, frame, meta);
            let from = rng.random_range(0..ports);
            let frame = if rng.random_bool(0.3) {
                answers += u32::from(from == 0);
                data(rng.random_range(0..1 << 20), n, LAST, [90, 200, 1514][rng.random_range(0..3)], false)
            } else {
                let mut frame = vec![0; rng.random_range(60..2000)];
                rng.fill(&mut frame[12..]);
                frame
            };
            let meta = tuser(frame.len(), 1 << (2 * from), rng.random());
            up[from].push_back((frame.clone(), towards(meta, queue(from))));
            board.send(WIRE + from, frame, meta);
        }
        let (mut acks, mut quiet, mut skipped) = (0, 0, 0);
        while quiet < 5000 {
            if board.clk().is_multiple_of(2000) {
                let mut levels = || (0..=ports).map(|_| [0.3, 0.8, 1.0][rng.random_range(0..3)]).collect::<Vec<f64>>();
                board.weather(&levels(), &levels());
            }
            board.tick();
            let (sent, risen): (Vec<_>, _) = ((0..ports).map(|n| board.take(WIRE + n)).collect(), board.take(HOST));
            let waits = (0..=ports).any(|n| board.waiting(n) > 0);
            quiet = if sent.iter().all(VecDeque::is_empty) && risen.is_empty() && !waits { quiet + 1 } else { 0 };
            for Frame { bytes, meta, .. } in risen {
                let from = (0..ports).find(|n| meta >> 24 & 0xff == queue(*n).into()).expect("a port's queue");
                // Where the host was slow, frames of port 0 are missing, and counted.
                let at = up[from].iter().position(|f| *f == (bytes.clone(), meta));
                let at = at.unwrap_or_else(|| panic!("nobody sent this, or it has another tuser: {meta:#x}, seed {seed}"));
                assert!(at == 0 || from == 0, "another frame was due from port {from}, seed {seed}");
                skipped += at;
                up[from].drain(..=at);
            }
            for (to, frames) in sent.into_iter().enumerate() {
                for Frame { bytes, meta, .. } in frames {
                    if to == 0 && is_ack(&bytes) {
                        acks += 1;
                        assert_eq!(meta, bytes.len() as u128 | 0x0102 << 16, "beside an ACK, seed {seed}");
                        continue;
                    }
                    let queue = match flow_of(&bytes, bench.flows()).filter(|_| to == 0 && names_its_addresses(&bytes)) {
                        Some(flow) => paced.get_mut(&flow).unwrap_or_else(|| panic!("flow {flow} is not enabled")),
                        None => &mut past[to],
                    };
                    // Where a port's queue had no room, frames are missing, and counted.
                    let at = queue
                        .iter()
                        .position(|f| with_its_place(&f.0, &bytes, PORT) == bytes)
                        .unwrap_or_else(|| panic!("nobody sent this to port {to}, seed {seed}"));
                    assert!(at == 0 || to > 0, "port {to}: {at} frames are lost, seed {seed}");
                    skipped += at;
                    let (_, beside) = queue.drain(..=at).next_back().expect("it was found");
                    assert_eq!(meta, towards(beside, 1 << (2 * to)), "beside a frame to port {to}, seed {seed}");
                }
            }
        }
        assert!(past[0].is_empty() && paced.values().all(VecDeque::is_empty), "frames are lost, seed {seed}");
        skipped += std::mem::take(&mut up[0]).len();
        assert!(up.iter().all(VecDeque::is_empty), "frames to the host are lost, seed {seed}");
        discarded += (skipped + past.iter().map(VecDeque::len).sum::<usize>()) as u32;
        let lost = counter(&mut board, Counter::AcksDropped) + counter(&mut board, Counter::AckShareExceeded);
        assert_eq!(acks + lost, answers, "answers, seed {seed}");
        assert_eq!(
            [Counter::PacketsRefused, Counter::PacketsDiscarded].map(|c| counter(&mut board, c)),
            [refused, discarded],
            "seed {seed}"
        );
        println!("{}: {acks} ACKs, {lost} not sent; {refused} packets refused, {discarded} discarded", bench.shell);
    }
}

/// A port that takes nothing holds up no other, and what it loses is counted; when it takes again,
/// what it kept is whole.
#[test]
fn a_port_that_takes_nothing_holds_up_no_other() {
    for bench in benches() {
        let ports = bench.ports();
        let mut board = bench.prepared(&Setup { profiles: vec![fixed(100_000.0)], flows: vec![], bound: 100, lead: 0 }, 1);
        let mut takes = vec![1.0; ports + 1];
        takes[WIRE + 1] = 0.0;
        board.weather(&vec![1.0; ports + 1], &takes);
        let (mut sent, mut rng) = (vec![0; ports], rng(3));
        for _ in 0..400 {
            let to = rng.random_range(0..ports);
            sent[to] += 1;
            let frame = vec![sent[to] as u8; [60, 300, 1514][rng.random_range(0..3)]];
            let meta = tuser(frame.len(), queue(to), 0);
            board.send(HOST, frame, meta);
        }
        let mut got = vec![0; ports];
        for clk in 0..40_000 {
            board.tick();
            for (n, got) in got.iter_mut().enumerate() {
                assert!(board.waiting(HOST) > 0 || clk < 20_000 || n != 1 || *got == 0, "{}: port 1 took something", bench.shell);
                *got += board.take(WIRE + n).len();
            }
        }
        assert!(got.iter().zip(&sent).enumerate().all(|(n, (g, s))| if n == 1 { *g == 0 } else { g == s }), "{got:?} of {sent:?}");
        board.weather(&vec![1.0; ports + 1], &vec![1.0; ports + 1]);
        let mut last = 0;
        for _ in 0..5000 {
            board.tick();
            for f in board.take(WIRE + 1) {
                assert!(f.bytes.iter().all(|b| *b == f.bytes[0]) && f.bytes[0] > last, "{}: out of its order", bench.shell);
                (last, got[1]) = (f.bytes[0], got[1] + 1);
            }
        }
        let lost = counter(&mut board, Counter::PacketsDiscarded);
        println!("{}: port 1 kept {} frames of {}", bench.shell, got[1], sent[1]);
        assert!(lost > 0 && got[1] > 3 && lost as usize + got[1] == sent[1], "{lost} lost, {} kept, of {}", got[1], sent[1]);
    }
}
