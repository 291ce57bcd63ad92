//! Forged ACKs: the receiver of one flow learns nothing that another flow's ACKs need, and without
//! a key nothing leaves.
use rand::Rng;
use std::net::IpAddr;
use timely_regs::counters::Counter;
use timely_regs::flow::FlowRecord;
use timely_regs::map::{id, port};
use timely_regs::parameters::Parameters;
use timely_regs::wire::{ACK, Addresses, FIRST, Header, LAST};
use timely_sim::nic::core::CoreEvent;
use timely_tests::bench::{Bench, answer, swapped};
use timely_tests::nic::{cores, counters, flow, model, spec, start, start_with};
use timely_tests::{few_seeds, rng, thorough};

const PEER: u16 = 9;
/// All that it sends is lost.
const LOST: u32 = 0;
/// The flow of the receiver that forges.
const OWN: u32 = 1;
/// Forged ACKs after each segment of its own.
const EACH: usize = 8;

/// The step of a generator that is no cipher (Marsaglia's xorshift with 13, 17, 5), from which the
/// nonces of all flows once came.
fn xorshift(mut x: u32) -> u32 {
    x ^= x << 13;
    x ^= x >> 17;
    x ^ x << 5
}

/// The receiver's next try: of the nonces that it saw the last one, one that may follow it, any of
/// them, and one at random.
fn guess(rng: &mut impl Rng, seen: &[u32], n: usize) -> u32 {
    let last = *seen.last().expect("it saw one");
    let before = seen[seen.len().saturating_sub(2)];
    match n {
        0 => last,
        1 => xorshift(last),
        2 => xorshift(xorshift(last)),
        3 => last.wrapping_add(1),
        4 => xorshift(before),
        5 => last ^ before,
        6 => seen[rng.random_range(0..seen.len())],
        _ => rng.random(),
    }
}

/// The receiver of one flow saw every nonce of its own, and is told place and number of the other
/// flow's segments. Beside its forgeries come its true ACKs, repeats of them, and true ACKs of the
/// lost flow whose segments timed out long ago, when their places have others'.
#[test]
fn the_receiver_of_one_flow_cannot_forge_anothers_acks() {
    let wanted = if thorough() { 1_000_000 } else { 20_000 };
    for seed in few_seeds() {
        let mut rng = rng(seed);
        let mut nic = model(64, 10);
        // The rates stay above what a time-out leaves of them, so that the lost flow goes on
        // sending.
        let parameters = Parameters {
            initial_mbps: 1000.0,
            idle_mbps: 1000.0,
            least_mbps: 500.0,
            greatest_mbps: 1000.0,
            timeout_us: 100.0,
            ..Parameters::timely_10g(1.0)
        };
        let flows = [LOST, OWN].map(|f| flow(f, PEER, 200, 1, &parameters)).to_vec();
        start(&mut *nic, &spec(64, 10, 10.0, flows));
        let mut bench = Bench::new(nic);
        let (mut seen, mut old, mut target) = (Vec::new(), Vec::new(), None);
        let (mut forged, mut true_acks, mut again, mut late) = (0, 0u64, 0u64, 0u64);
        while forged < wanted {
            let sent = bench.run(bench.clk() + 100_000).expect("a frame");
            let p = sent.packet();
            let header = Header::read(p.header().try_into().expect("48 bytes"));
            if p.flow() == LOST {
                old.push(answer(&sent.frame, sent.now, sent.now));
                target = Some((header, swapped(&p)));
                continue;
            }
            seen.push(header.nonce);
            let at = sent.last + 250;
            true_acks += 1;
            let own = answer(&sent.frame, sent.now, sent.now);
            bench.arrive(at, own.clone());
            if true_acks % 16 == 0 {
                again += 1;
                bench.arrive(at, own);
            }
            // One of 1,000 segments of the lost flow ago or more, half a million clocks: timed out,
            // and in the long run overwritten.
            if true_acks % 64 == 0 && old.len() > 1_000 {
                late += 1;
                bench.arrive(at, old[old.len() - 1_000 - rng.random_range(0..old.len() - 1_000).min(60_000)].clone());
            }
            let Some((header, envelope)) = &target else { continue };
            for n in 0..EACH {
                let nonce = guess(&mut rng, &seen, n);
                // The true one would be believed, as a guess in 2^32 is.
                assert_ne!(nonce, header.nonce, "the receiver of flow {OWN} knows a nonce of flow {LOST}, seed {seed}");
                let mut ack = header.answered(64, 0, sent.now, sent.now);
                (ack.flags, ack.nonce) = (ACK | LAST | FIRST, nonce);
                bench.arrive(at, envelope.frame(&ack, &[]));
                forged += 1;
            }
        }
        while bench.arriving() > 0 {
            bench.run(bench.clk() + 100);
        }
        bench.run(bench.clk() + 10);
        let counted = counters(&mut *bench.nic);
        let count = |c: Counter| u64::from(counted[c as usize]);
        let number = |flow: u32, what: fn(&CoreEvent) -> Option<u32>| bench.events.iter().filter(|e| what(e) == Some(flow)).count() as u64;
        let rtt = |e: &CoreEvent| if let CoreEvent::Rtt { flow, .. } = e { Some(*flow) } else { None };
        let timeout = |e: &CoreEvent| if let CoreEvent::Timeout { flow, .. } = e { Some(*flow) } else { None };
        let rate = |e: &CoreEvent| if let CoreEvent::Rate { flow, .. } = e { Some(*flow) } else { None };
        let (rtts, timeouts, rates) = ([LOST, OWN].map(|f| number(f, rtt)), number(LOST, timeout), number(LOST, rate));
        let refused = [Counter::AckForged, Counter::AckStale, Counter::AckRepeated].map(count);
        println!(
            "{forged} forged, {true_acks} true, {again} repeated, {late} late; forged, stale, repeated: {refused:?}; samples {rtts:?}, \
             {timeouts} time-outs and {rates} rates of the lost flow"
        );
        assert_eq!(rtts[0], 0, "an ACK of the lost flow was believed, seed {seed}");
        assert_eq!(rates, 1 + timeouts, "rates of the lost flow other than its load's and at time-outs, seed {seed}");
        assert!(timeouts > 10, "{timeouts} time-outs of a flow of which nothing arrives, seed {seed}");
        assert_eq!(refused.iter().sum::<u64>() + rtts[1], count(Counter::RxAcks), "an ACK is believed or refused, once, seed {seed}");
        assert_eq!(count(Counter::RxAcks), forged as u64 + true_acks + again + late, "every ACK is one, seed {seed}");
        assert!(rtts[1] + true_acks / 16 >= true_acks, "{} samples of {true_acks} true ACKs, seed {seed}", rtts[1]);
        assert!(refused[0] > wanted as u64 / 2 && refused[2] >= again, "{refused:?}, seed {seed}");
        assert!(!thorough() || refused[1] > 0, "no ACK of an overwritten entry, seed {seed}");
    }
}

/// An ACK is of the host that its segment went to: another one that knows the segment's place,
/// number and nonce is refused and counted, over IPv4 and IPv6, and the right host's ACK of the
/// same segment still counts.
#[test]
fn an_ack_of_another_host_is_refused() {
    for (name, mut nic) in cores(64, 10) {
        let wanted = if name == "model" { 20_000 } else { 500 };
        let parameters = Parameters { outstanding_bytes: 0, timeout_us: 0.0, ..Parameters::fixed(1_000.0) };
        let flows = [LOST, OWN].map(|f| flow(f, PEER, 200, 1, &parameters)).to_vec();
        let mut number = 0;
        start_with(&mut *nic, &spec(64, 10, 10.0, flows), |record| {
            number += 1;
            let v6 = IpAddr::from([0xfd00, 0, 0, 7, 0, 0x1234, 0, 9]);
            if number == 1 { record } else { FlowRecord { address: v6, ..record } }
        });
        // The key that a NIC of the simulator gets is a small number, under which the matrix is
        // nearly empty; a driver's is random.
        let mut rng = rng(1);
        nic.write32(port::NONCE_KEYED.address(), 0).expect("a register");
        for i in 0..3 {
            nic.write32(id::NONCE_KEY.address() + 4 * i, rng.random()).expect("a register");
        }
        nic.write32(port::NONCE_KEYED.address(), 1).expect("a register");
        let mut bench = Bench::new(nic);
        // Frames sent under the old key are gone.
        let begins = bench.clk() + 20_000;
        while bench.run(begins).is_some() {}
        let (mut forged, mut honest, mut families) = (0, 0u64, [0u64; 2]);
        while forged < wanted {
            let sent = bench.run(bench.clk() + 100_000).expect("a frame");
            let p = sent.packet();
            let header = Header::read(p.header().try_into().expect("48 bytes"));
            let at = sent.last + 250;
            let mut envelope = swapped(&p);
            let bit = 1u8 << rng.random_range(0..8);
            match &mut envelope.addresses {
                Addresses::V4 { source, .. } => source[rng.random_range(0..4)] ^= bit,
                Addresses::V6 { source, .. } => source[rng.random_range(0..16)] ^= bit,
            }
            families[usize::from(p.ip_source().len() == 16)] += 1;
            bench.arrive(at, envelope.frame(&header.answered(64, 0, sent.now, sent.now), &[]));
            forged += 1;
            if forged % 4 == 0 {
                honest += 1;
                bench.arrive(at, answer(&sent.frame, sent.now, sent.now));
            }
        }
        while bench.arriving() > 0 {
            bench.run(bench.clk() + 100);
        }
        bench.run(bench.clk() + 10);
        let samples = bench.events.iter().filter(|e| matches!(e, CoreEvent::Rtt { .. })).count() as u64;
        let counted = counters(&mut *bench.nic);
        println!("{name}: {forged} of other hosts, {honest} of the right ones; {samples} samples, by family {families:?}");
        assert_eq!(counted[Counter::AckForged as usize], forged, "{name}: ACKs of other hosts that are counted as forged");
        assert_eq!(samples, honest, "{name}: ACKs that were believed");
        assert!(families.iter().all(|n| *n > 100), "{name}: {families:?} frames of the families");
    }
}

/// Nothing leaves while the nonces have no key; with one it goes on, and what segments carry is of
/// the new key.
#[test]
fn nothing_leaves_without_a_key() {
    for (name, mut nic) in cores(64, 10) {
        let parameters = Parameters { outstanding_bytes: 0, ..Parameters::fixed(5_000.0) };
        start(&mut *nic, &spec(64, 10, 10.0, vec![flow(OWN, PEER, 200, 1, &parameters)]));
        let mut bench = Bench::new(nic);
        let nonces = |bench: &mut Bench, clocks: u64| {
            let end = bench.clk() + clocks;
            let mut all = Vec::new();
            while let Some(sent) = bench.run(end) {
                all.push(sent.packet().nonce());
            }
            all
        };
        let first = nonces(&mut bench, 5_000);
        bench.nic.write32(port::NONCE_KEYED.address(), 0).expect("a register");
        // Packets that were granted before still leave.
        nonces(&mut bench, 5_000);
        let held = nonces(&mut bench, 20_000);
        assert_eq!(held.len(), 0, "{name}: frames left without a key");
        assert_eq!(bench.nic.read32(id::STATUS.address()).expect("a register"), 3, "{name}: ready, and stopped");
        for (i, word) in [1, 2, 3].into_iter().enumerate() {
            bench.nic.write32(id::NONCE_KEY.address() + 4 * i as u32, word).expect("a register");
        }
        bench.nic.write32(port::NONCE_KEYED.address(), 1).expect("a register");
        let mut second = nonces(&mut bench, 5_000);
        assert!(first.len() > 30 && second.len() > 30, "{name}: {} and {} frames with a key", first.len(), second.len());
        assert!(second.iter().all(|n| !first.contains(n)), "{name}: a nonce came twice");
        second.sort_unstable();
        second.dedup();
        assert!(second.len() > 30, "{name}: nonces repeat");
    }
}
