//! Frames that mean harm: none stalls or corrupts the NIC, every one is counted, none changes a
//! rate.
use crate::STORM;
use rand::Rng;
use timely_regs::counters::Counter;
use timely_regs::parameters::Parameters;
use timely_regs::wire::{ACK, FIRST, Header, LAST, Packet, READ};
use timely_sim::nic::core::CoreEvent;
use timely_tests::bench::{Bench, answer, swapped};
use timely_tests::frames::COUNTED;
use timely_tests::loopback::{Loop, Weather, spec as storm_spec};
use timely_tests::nic::PORT;
use timely_tests::nic::{cores, counters, flow, spec, start};
use timely_tests::{cycles, few_seeds, rng, thorough};

/// Clocks in which traffic must go on, whatever arrives.
const PROGRESS: u64 = 20_000;

/// As many bad frames as the line carries between the good ones.
#[test]
fn bad_frames_are_counted_and_stall_nothing() {
    let soak = if thorough() { 2 } else { 1 };
    let siege = Weather { hostile: 0.5, lost: 0.0, delay: 50, ..STORM };
    for seed in few_seeds() {
        // All kinds of frames, the most of them where a frame takes the fewest clocks.
        for (bus, frames) in [(64, cycles() / 20 * soak), (512, cycles() / 4 * soak)] {
            for (name, mut nic) in cores(bus, 10) {
                let mut rng = rng(seed);
                let mut spec = storm_spec(bus, 10, 4, &Parameters::timely_10g(8.0), &mut rng);
                // Half of the flows do not slow down, however late their ACKs are.
                for f in spec.flows.iter_mut().filter(|f| f.spec.id % 2 == 0) {
                    f.parameters = Parameters { outstanding_bytes: 0, ..Parameters::fixed(1000.0) };
                }
                start(&mut *nic, &spec);
                let mut wire = Loop::new(bus as usize, siege, rng);
                let begun = nic.clk();
                let mut progress = (begun, wire.tally);
                while wire.tally.hostile < frames {
                    let input = wire.inputs(nic.clk(), nic.now(), &nic.output());
                    nic.step(&input);
                    if nic.clk() - progress.0 == PROGRESS {
                        let (before, t) = (progress.1, wire.tally);
                        assert!(
                            t.data > before.data && t.acks > before.acks,
                            "{PROGRESS} clocks to {} without traffic, seed {seed}",
                            nic.clk()
                        );
                        progress = (nic.clk(), t);
                    }
                }
                // The peace that the counters are read in.
                wire.weather = Weather { hostile: 0.0, repeated: 0.0, forged: 0.0, ..siege };
                nic.post_write(timely_regs::map::id::CONTROL.address(), 0);
                let mut quiet = 0;
                while quiet < 1000 {
                    let input = wire.inputs(nic.clk(), nic.now(), &nic.output());
                    nic.step(&input);
                    quiet = if wire.is_idle() && nic.output().tx.is_none() { quiet + 1 } else { 0 };
                }
                let clocks = nic.clk() - begun;
                let counted = counters(&mut *nic);
                let count = |c: Counter| u64::from(counted[c as usize]);
                let t = wire.tally;
                println!(
                    "{name}, {bus} bits: {} bad frames of {} in {clocks} clocks; {} data frames and {} ACKs sent all the while",
                    t.hostile,
                    t.frames(),
                    t.data,
                    t.acks
                );
                for kind in COUNTED {
                    println!("  {kind:?} {}", count(kind));
                    assert_eq!(count(kind), t.received[kind as usize], "{kind:?}, seed {seed}");
                    assert!(count(kind) > frames / 200, "few {kind:?}, seed {seed}");
                }
                assert_eq!(
                    count(Counter::RxFrames),
                    COUNTED.into_iter().map(count).sum::<u64>(),
                    "every frame is of one kind, seed {seed}"
                );
                assert_eq!(count(Counter::RxFrames), t.frames(), "every frame counts, seed {seed}");
                assert_eq!((count(Counter::TxFrames), count(Counter::AcksSent)), (t.data, t.acks), "what was sent, seed {seed}");
                let answers = [
                    Counter::AcksSent,
                    Counter::AckRefusedAddress,
                    Counter::AckRefusedPeer,
                    Counter::AcksDropped,
                    Counter::AckShareExceeded,
                ];
                println!("  answers: {:?}", answers.map(|c| (c, count(c))));
                assert!(answers.into_iter().map(count).sum::<u64>() <= count(Counter::RxData), "seed {seed}");
            }
        }
    }
}

const PEER: u16 = 9;
/// Enabled; its real ACKs never arrive.
const DEAF: u32 = 0;
/// Enabled; its real ACKs arrive, and again and again.
const HEARD: u32 = 1;

/// Two flows of the same law: all ACKs of one are lost, the other's come. Beside them, ACKs with
/// something wrong.
#[test]
fn only_a_true_ack_changes_a_rate() {
    let soak = if thorough() { 2 } else { 1 };
    for seed in few_seeds() {
        for bus in [64, 512] {
            for (name, mut nic) in cores(bus, 10) {
                let mut rng = rng(seed);
                let parameters =
                    Parameters { initial_mbps: 2000.0, timeout_us: 100.0, t_low_us: 3.0, t_high_us: 5.0, ..Parameters::timely_10g(1.0) };
                let flows = [DEAF, HEARD].map(|f| flow(f, PEER, 512, 2, &parameters)).to_vec();
                start(&mut *nic, &spec(bus, 10, 10.0, flows));
                let mut bench = Bench::new(nic);
                let end = bench.clk() + cycles() * soak;
                let (mut true_acks, mut forged, mut unknown, mut again) = (0, 0, 0, 0);
                let mut ends: Vec<Vec<u8>> = Vec::new();
                while let Some(sent) = bench.run(end) {
                    let p = sent.packet();
                    assert!(!sent.is_ack && p.flow() <= HEARD, "an ACK was answered at clock {}, seed {seed}", sent.first);
                    if !p.is_last() {
                        continue;
                    }
                    let at = sent.last + rng.random_range(200..2000);
                    let ack = answer(&sent.frame, sent.now, sent.now);
                    if p.flow() == HEARD {
                        true_acks += 1;
                        bench.arrive(at, ack.clone());
                        // Twice on its heels, and now and then one of long ago.
                        for _ in 0..2 {
                            again += 1;
                            bench.arrive(at, ack.clone());
                        }
                        if true_acks % 8 == 0 {
                            let old: &Vec<u8> = &ends[rng.random_range(0..ends.len() / 2 + 1)];
                            again += 1;
                            bench.arrive(at, old.clone());
                        }
                        ends.push(ack);
                        continue;
                    }
                    // The deaf flow's ACK with a wrong nonce, of another segment or place, of
                    // another flow, of no flow.
                    for _ in 0..3 {
                        let mut header = Header::read(p.header().try_into().expect("48 bytes")).answered(64, 0, sent.now, sent.now);
                        header.flags = ACK | LAST | [0, FIRST, READ, FIRST | READ][rng.random_range(0..4)];
                        match rng.random_range(0..6) {
                            5 => header.place ^= 1 << rng.random_range(0..16),
                            0 => header.nonce ^= 1 << rng.random_range(0..32),
                            1 => header.segment = header.segment.wrapping_add_signed([-40, -1, 1, 40, 1 << 15][rng.random_range(0..5)]),
                            2 => header.flow = HEARD,
                            3 => header.flow = [2, 1023, 1024, 1 << 15, 0xffff][rng.random_range(0..5)],
                            _ => (header.nonce, header.segment) = (rng.random(), rng.random()),
                        }
                        if header.flow > HEARD {
                            unknown += 1
                        } else {
                            forged += 1
                        }
                        bench.arrive(at, swapped(&p).frame(&header, &[]));
                    }
                }
                while bench.arriving() > 0 {
                    let sent = bench.run(bench.clk() + 100);
                    assert!(sent.is_none_or(|s| !s.is_ack), "an ACK was answered, seed {seed}");
                }
                bench.run(bench.clk() + 2);
                let counted = counters(&mut *bench.nic);
                let count = |c: Counter| u64::from(counted[c as usize]);
                let of = |flow: u32, e: &CoreEvent| match *e {
                    CoreEvent::Rtt { flow: f, .. } | CoreEvent::Timeout { flow: f, .. } | CoreEvent::Rate { flow: f, .. } => f == flow,
                    CoreEvent::Record { .. } => false,
                };
                let number = |flow, what: fn(&CoreEvent) -> bool| bench.events.iter().filter(|e| of(flow, e) && what(e)).count() as u64;
                let rtts = [DEAF, HEARD].map(|f| number(f, |e| matches!(e, CoreEvent::Rtt { .. })));
                let timeouts = [DEAF, HEARD].map(|f| number(f, |e| matches!(e, CoreEvent::Timeout { .. })));
                let rates = [DEAF, HEARD].map(|f| number(f, |e| matches!(e, CoreEvent::Rate { .. })));
                let refused = [Counter::AckForged, Counter::AckStale, Counter::AckRepeated, Counter::AckUnknownFlow].map(|c| (c, count(c)));
                println!(
                    "{name}, {bus} bits: {true_acks} true ACKs, {again} repeated or old, {forged} forged, {unknown} of no flow; samples {rtts:?}, \
                     time-outs {timeouts:?}, rates {rates:?}, refused {refused:?}"
                );
                // The load's rate comes before the first sample.
                assert_eq!(rtts[0], 0, "a forged ACK was believed, seed {seed}");
                assert_eq!(rates[0], 1 + timeouts[0], "rates of the deaf flow other than at time-outs, seed {seed}");
                assert!(timeouts[0] > cycles() / 100_000, "few time-outs, seed {seed}");
                assert_eq!(rates[1], 1 + rtts[1] + timeouts[1], "rates of the other flow, seed {seed}");
                assert!(rtts[1] <= true_acks && rtts[1] >= true_acks / 2, "{} samples of {true_acks} ACKs, seed {seed}", rtts[1]);
                assert_eq!(count(Counter::AckUnknownFlow), unknown, "seed {seed}");
                assert!(refused.iter().all(|(_, n)| *n > cycles() / 50_000), "{refused:?}, seed {seed}");
                let all: u64 = refused.iter().map(|r| r.1).sum();
                assert_eq!(all + rtts[1], count(Counter::RxAcks), "an ACK is believed or refused, seed {seed}");
                assert_eq!(count(Counter::RxAcks), bench.received.len() as u64, "every ACK is one, seed {seed}");
                assert_eq!(count(Counter::AcksSent), 0, "an ACK was answered, seed {seed}");
            }
        }
    }
}

/// An ACK to every port and of every flag that makes one: nothing comes back.
#[test]
fn an_ack_is_never_answered() {
    for (name, mut nic) in cores(64, 10) {
        let mut rng = rng(few_seeds()[0]);
        start(&mut *nic, &spec(64, 10, 10.0, Vec::new()));
        let mut bench = Bench::new(nic);
        let mut acks = 0;
        for flags in 0..=255u8 {
            for class in timely_regs::wire::Class::ALL {
                for ports in [(PORT, 5), (5, PORT), (PORT, PORT)] {
                    let mut envelope = timely_tests::frames::envelope(&mut rng, class, PORT);
                    envelope.mac_destination = timely_sim::frame::address::mac(timely_tests::nic::HOST);
                    envelope.mac_source = timely_sim::frame::address::mac(PEER);
                    (envelope.port_source, envelope.port_destination) = ports;
                    let frame = envelope.frame(&Header { flags: flags | ACK, flow: rng.random::<u16>().into(), ..Header::default() }, &[]);
                    acks += u64::from(Packet::new_checked(&frame[..], PORT).is_ok());
                    bench.arrive(bench.clk(), frame);
                    assert_eq!(bench.run(bench.clk() + 60), None, "{name} answered an ACK of flags {:#04x}", flags | ACK);
                }
            }
        }
        let counted = counters(&mut *bench.nic);
        println!("{name}: {} ACKs, {acks} of them well-formed, none answered", bench.received.len());
        assert_eq!(u64::from(counted[Counter::RxAcks as usize]), acks);
        assert_eq!(u64::from(counted[Counter::RxBadHeader as usize]), bench.received.len() as u64 - acks);
        assert_eq!(counted[Counter::AcksSent as usize], 0);
    }
}
