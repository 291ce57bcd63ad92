//! `timely_hw::scheduler` against its models, every output at every clock; and that no packet is
//! left behind.
use rand::Rng;
use std::collections::VecDeque;
use std::sync::Arc;
use timely_hw::scheduler::queues::Queues as RtlQueues;
use timely_model::Block;
use timely_model::scheduler::queues::{Channel, In, LEAST_SHARE, Launch, Out, Queues};
use timely_tests::{Runs, cycles, rng, seeds, thorough, verilate};
use timely_verilate::Library;

/// A host with queues, a transmit engine, and a pacer that grants in any order.
struct World {
    packets: Vec<u32>,
    posted: Vec<i64>,
    /// The pacer knows the flow.
    flows: Vec<bool>,
    /// When a request is over: tag, queue.
    under_way: VecDeque<(u64, u8, u32)>,
    /// Requests of empty queues, when that is said.
    none: VecDeque<(u64, u8)>,
    over: VecDeque<(u8, u16)>,
    /// Grants without their charge.
    uncharged: Vec<u32>,
    grant: Option<(u32, u64)>,
    sent: u64,
    empty: u64,
    /// Tags of the requests under way that no grant led to.
    unpaced: Vec<u8>,
}

impl World {
    fn new(queues: usize) -> Self {
        World {
            packets: vec![0; queues],
            posted: vec![0; queues],
            flows: vec![false; queues],
            under_way: VecDeque::new(),
            none: VecDeque::new(),
            over: VecDeque::new(),
            uncharged: vec![0; queues],
            grant: None,
            sent: 0,
            empty: 0,
            unpaced: Vec::new(),
        }
    }
}

fn queues<B: rust_hdl::prelude::Block>(name: &str, rtl: B, flow_bits: u32, clocks: u64) {
    let library: Arc<Library> = verilate(name, rtl);
    let (input, output) = (|n: &str| library.input(n), |n: &str| library.output(n));
    let [rst, enable, stop, tags, share, post_ready, request_ready] =
        ["rst", "enable", "stop", "cfg_tags", "cfg_share", "post_ready", "request_ready"].map(input);
    let load = ["load_valid", "load_flow", "load_enable", "load_keep"].map(input);
    let channel = ["channel_valid", "channel_queue", "channel_write", "channel_enable"].map(input);
    let bell = ["doorbell_valid", "doorbell_queue"].map(input);
    let grant = ["grant_valid", "grant_flow", "grant_launch"].map(input);
    let status = ["status_valid", "status_tag", "status_len"].map(input);
    let outputs = [
        "swept",
        "grant_ready",
        "answer_valid",
        "answer_flags",
        "post_valid",
        "post_flow",
        "post_packets",
        "charge_valid",
        "charge_flow",
        "charge_bytes",
        "request_valid",
        "request_queue",
        "request_tag",
        "launch_valid",
        "launch_paced",
        "launch_time",
        "void_valid",
        "void_tag",
    ]
    .map(output);
    let (mut seen, mut most) = ([0u64; 10], 0);
    for seed in seeds() {
        let mut rng = rng(seed);
        let n = 1 << flow_bits;
        let (mut dut, mut model, mut world) = (library.instantiate(seed as u32), Queues::new(flow_bits), World::new(n));
        let mut runs = [0.3, 0.6, 0.7, 0.5, 0.1].map(|p| Runs::new(p, 60));
        // With few tags little leaves in a while.
        let mut tag_count = [1, 2, 8, 32, 256][rng.random_range(if n > 16 { 2 } else { 0 }..5)];
        let mut share_bits = rng.random_range(8..=24);
        let (mut pending, mut enabled, mut usual) = (false, vec![false; n], 60);
        // In the last part there is no load, no stop and no queue that is not enabled.
        let calm = clocks / 2;
        for clk in 0..clocks {
            let o = outputs.map(|p| dut.get(p));
            let out = Out {
                swept: o[0] == 1,
                grant_ready: o[1] == 1,
                answer: (o[2] == 1).then_some(o[3] as u8),
                post: (o[4] == 1).then_some((o[5] as u32, o[6] as u8)),
                charge: (o[7] == 1).then_some((o[8] as u32, o[9] as u16)),
                request: (o[10] == 1).then_some((o[11] as u32, o[12] as u8)),
                launch: (o[13] == 1).then_some(Launch { queue: o[11] as u32, tag: o[12] as u8, paced: o[14] == 1, time: o[15] }),
                void: (o[16] == 1).then_some(o[17] as u8),
            };
            assert_eq!(out, model.output(clk), "clock {clk}, seed {seed}");
            if clk % 5000 == 0 {
                runs[0].p = [0.01, 0.1, 0.5, 1.0][rng.random_range(0..4)];
            }
            if clk % 2000 == 0 {
                runs[1].p = if clk < calm { [0.05, 0.3, 0.6, 0.95][rng.random_range(0..4)] } else { 0.6 };
                // Most packets have one size for a while.
                usual = [60, 1514, 65_520, 1 << rng.random_range(6..16)][rng.random_range(0..4)];
            }
            pending &= out.answer.is_none();
            let busy = clk < calm;
            // From then on doorbells come for a while, and after each while all has to leave: a
            // queue that was forgotten gets no further doorbell.
            let rings = if busy { runs[0].next(&mut rng) } else { clk % 10_000 > 1000 && clk % 10_000 < 2500 && rng.random_bool(0.03) };
            if !busy && clk % 10_000 == 9_999 && tag_count >= 8 && clk > calm + n as u64 * 150 + 10_000 {
                let left: u32 = world.packets.iter().sum();
                assert!(left == 0, "{left} packets never left, clock {clk}, seed {seed}: {:?}", world.packets);
            }
            let mut i = In {
                rst: clk < calm / 4 * 3 && rng.random_bool(0.0001),
                enable: !busy || rng.random_bool(0.95),
                stop: runs[4].next(&mut rng) && busy,
                tags: tag_count,
                share: share_bits,
                post_ready: runs[1].next(&mut rng),
                request_ready: runs[2].next(&mut rng),
                ..In::default()
            };
            let queue = |rng: &mut rand_chacha::ChaCha8Rng| if rng.random_bool(0.5) { 1 } else { rng.random_range(0..n as u32) };
            if rings {
                let q = queue(&mut rng);
                i.doorbell = Some(q);
                world.packets[q as usize] =
                    (world.packets[q as usize] + rng.random_range(1..=4)).min(if busy { (320 / n as u32).max(1) } else { 4 });
            }
            if busy && rng.random_bool(0.02) {
                let (q, on) = (queue(&mut rng), rng.random_bool(0.7));
                let keep = rng.random_bool(0.5);
                i.load = Some((q, on, keep));
                // Packets posted before are void.
                if !(on && keep && world.flows[q as usize]) {
                    world.posted[q as usize] = 0;
                }
                world.flows[q as usize] = on;
            }
            if !pending && out.swept && (rng.random_bool(0.02) || !busy && clk < calm + n as u64 * 100) {
                let queue = if busy { queue(&mut rng) } else { rng.random_range(0..n as u32) };
                let on = rng.random_bool(0.8) || !busy;
                i.channel = Some(Channel { queue, enable: (rng.random_bool(0.7) || !busy).then_some(on) });
                if i.channel.is_some_and(|c| c.enable.is_some()) {
                    enabled[queue as usize] = on;
                }
                pending = true;
            }
            // The pacer.
            if world.grant.is_none() && runs[3].next(&mut rng) {
                let first = queue(&mut rng) as usize;
                if let Some(q) = (first..n).chain(0..first).find(|q| world.posted[*q] > 0) {
                    world.posted[q] -= 1;
                    world.grant = Some((q as u32, rng.random()));
                }
            }
            i.grant = world.grant;
            if let Some((q, _)) = world.grant.filter(|_| out.grant_ready) {
                world.grant = None;
                world.uncharged[q as usize] += 1;
            }
            if let Some((q, packets)) = out.post.filter(|_| i.post_ready) {
                assert!((1..=32).contains(&packets));
                world.posted[q as usize] += i64::from(packets) * i64::from(world.flows[q as usize]);
            }
            if let Some((q, _)) = out.charge {
                assert!(world.uncharged[q as usize] > 0, "charged twice at clock {clk}, seed {seed}");
                world.uncharged[q as usize] -= 1;
            }
            // The transmit engine: an empty queue is known soon, a packet's end late; both in
            // order.
            if let Some((q, tag)) = out.request.filter(|_| i.request_ready) {
                assert!(u16::from(tag) < tag_count);
                assert!(!world.under_way.iter().any(|u| u.1 == tag), "tag {tag} twice at clock {clk}, seed {seed}");
                world.under_way.push_back((clk + rng.random_range(5..80), tag, q));
            }
            if let Some((at, tag, q)) = world.under_way.front().copied()
                && at <= clk
            {
                world.under_way.pop_front();
                let held = &mut world.packets[q as usize];
                if *held == 0 {
                    world.empty += 1;
                    world.none.push_back((clk + rng.random_range(1..40), tag));
                } else {
                    *held -= 1;
                    world.sent += 1;
                    let len = if rng.random_bool(0.8) { usual } else { 60 << rng.random_range(0..10) | rng.random_range(0..16) };
                    world.over.push_back((tag, len));
                }
            }
            if world.none.front().is_some_and(|n| n.0 <= clk) {
                i.status = world.none.pop_front().map(|(_, tag)| (tag, 0));
            } else if rng.random_bool(0.2) {
                i.status = world.over.pop_front();
            }
            world.unpaced.extend(out.launch.filter(|l| !l.paced).map(|l| l.tag));
            // The smallest packet has 84 bytes on the wire.
            let allowed = u64::from(LEAST_SHARE).max((1 << share_bits) / 84);
            assert!(world.unpaced.len() as u64 <= allowed, "clock {clk}, seed {seed}: {:?} without a grant of {allowed}", world.unpaced);
            most = most.max(world.unpaced.len());
            world.unpaced.retain(|tag| i.status.is_none_or(|s| s.0 != *tag));
            let happened = [
                out.grant_ready,
                out.answer.is_some(),
                out.post.is_some(),
                out.charge.is_some(),
                out.request.is_some(),
                out.launch.is_some_and(|l| l.paced),
                out.launch.is_some_and(|l| !l.paced),
                out.void.is_some(),
                i.status.is_some_and(|s| s.1 > 0),
                i.rst,
            ];
            seen.iter_mut().zip(happened).for_each(|(n, h)| *n += u64::from(h));
            // Fields that are not offered are noise.
            let put = |dut: &mut timely_verilate::Dut,
                       ports: &[timely_verilate::In],
                       values: Option<Vec<u64>>,
                       rng: &mut rand_chacha::ChaCha8Rng| {
                dut.set(ports[0], values.is_some().into());
                for (k, port) in ports[1..].iter().enumerate() {
                    let mask = if k == 0 { n as u64 - 1 } else { 1 };
                    dut.set(*port, values.as_ref().map_or(rng.random::<u64>() & mask, |v| v[k]));
                }
            };
            put(&mut dut, &load, i.load.map(|(q, e, k)| vec![q.into(), e.into(), k.into()]), &mut rng);
            let access = i.channel.map(|c| vec![c.queue.into(), c.enable.is_some().into(), c.enable.unwrap_or(false).into()]);
            put(&mut dut, &channel, access, &mut rng);
            put(&mut dut, &bell, i.doorbell.map(|q| vec![q.into()]), &mut rng);
            put(&mut dut, &grant, i.grant.map(|(q, l)| vec![q.into(), l]), &mut rng);
            put(&mut dut, &status, i.status.map(|(t, l)| vec![t.into(), l.into()]), &mut rng);
            for (port, value) in
                [(rst, i.rst), (enable, i.enable), (stop, i.stop), (post_ready, i.post_ready), (request_ready, i.request_ready)]
            {
                dut.set(port, value.into());
            }
            dut.set(tags, tag_count.into());
            dut.set(share, share_bits.into());
            dut.tick();
            model.step(clk, &i);
            if i.rst {
                (world, pending, enabled) = (World::new(n), false, vec![false; n]);
                share_bits = rng.random_range(8..=24);
                tag_count = [1, 2, 8, 32, 256][rng.random_range(if n > 16 || clk > calm / 4 { 2 } else { 0 }..5)];
            }
        }
        assert!(
            clocks < 100_000 || tag_count < 8 || world.uncharged.iter().all(|n| *n <= 1),
            "grants never charged, seed {seed}: {:?}",
            world.uncharged
        );
        println!(
            "{name}: {tag_count} tags, {} packets, {} empty requests, uncharged {:?}",
            world.sent,
            world.empty,
            world.uncharged.iter().sum::<u32>()
        );
    }
    println!(
        "{name}: grant taken, answers, postings, charges, requests, paced, by turns, void, over, resets {seen:?}; {most} requests without a grant at most"
    );
    assert!(clocks < 100_000 || seen[..9].iter().all(|n| *n > 300), "{seen:?}: something hardly happened");
}

#[test]
fn queues_equal_model() {
    queues("queues4", RtlQueues::<4, 5, 6, 10, 69, 29>::new(), 4, 4 * cycles());
}

#[test]
fn queues_equal_model_10() {
    // The same code but for widths.
    if thorough() {
        queues("queues10", RtlQueues::<10, 11, 12, 16, 75, 35>::new(), 10, cycles());
    }
}
