//! Promises of the scheduler to software and flows: registers as a driver finds them, rates,
//! bounds, pauses, and a full card.
use super::*;

/// Software at the block's registers and its window.
struct Host {
    bench: Bench,
    engine: Engine,
    rng: ChaCha8Rng,
    /// Sizes of the packets that each queue holds, and when each left it.
    packets: Vec<VecDeque<u16>>,
    left: Vec<Vec<(u64, u16)>>,
    /// When each was granted.
    granted: Vec<Vec<u64>>,
    bell: Option<u32>,
}

impl Host {
    fn new(seed: u64) -> Self {
        let n = 1 << F;
        let mut host = Host {
            bench: Bench::new(library(), seed),
            engine: Engine::new(TAGS),
            rng: rng(seed),
            packets: vec![VecDeque::new(); n],
            left: vec![Vec::new(); n],
            granted: vec![Vec::new(); n],
            bell: None,
        };
        for _ in 0..4 {
            host.bench.step(&In { rst: true, ..In::default() });
        }
        host
    }

    fn clock(&mut self, mut i: In) -> [u64; 16] {
        let o = self.bench.get();
        i.request_ready = self.engine.ready(&mut self.rng);
        i.doorbell = self.bell.take();
        let request = (o[11] == 1 && i.request_ready).then_some((o[12] as u32, o[13] as u8));
        if let Some((queue, _)) = request {
            self.granted[queue as usize].push(self.engine.clk);
        }
        let (packets, left) = (&mut self.packets, &mut self.left);
        i.status = self.engine.step(&mut self.rng, request, |queue, clk| {
            let len = packets[queue as usize].pop_front()?;
            left[queue as usize].push((clk, len));
            Some(len)
        });
        self.bench.step(&i);
        o
    }

    fn post(&mut self, queue: u32, sizes: impl IntoIterator<Item = u16>) {
        self.packets[queue as usize].extend(sizes);
        self.bell = Some(queue);
        self.clock(In::default());
    }

    fn write(&mut self, kind: Kind, index: u32, data: u32) {
        let (mut aw, mut w) = (Some(kind.address(F, index)), Some((data, 15)));
        for _ in 0..5000 {
            let o = self.clock(In { window: window::In { aw, w, b_ready: true, ..window::In::default() }, ..In::default() });
            (aw, w) = (aw.filter(|_| o[0] == 0), w.filter(|_| o[1] == 0));
            if o[3] == 1 {
                assert_eq!(o[4], 0, "a write of kind {kind:?} is refused");
                return;
            }
        }
        panic!("a write of kind {kind:?} is not answered");
    }

    fn read(&mut self, kind: Kind, index: u32) -> u32 {
        let mut ar = Some(kind.address(F, index));
        for _ in 0..5000 {
            let o = self.clock(In { window: window::In { ar, r_ready: true, ..window::In::default() }, ..In::default() });
            ar = ar.filter(|_| o[2] == 0);
            if o[5] == 1 {
                assert_eq!(o[6], 0, "a read of kind {kind:?} is refused");
                return o[7] as u32;
            }
        }
        panic!("a read of kind {kind:?} is not answered");
    }

    fn register(&mut self, address: u32, write: Option<u32>) -> Option<u32> {
        for _ in 0..20 {
            let o =
                self.clock(In { write: write.map(|data| (address, data, 15)), read: write.is_none().then_some(address), ..In::default() });
            if o[8] == 1 || o[9] == 1 {
                return Some(o[10] as u32);
            }
        }
        None
    }
}

/// As Corundum's driver does it: find the scheduler, enable it, enable its queues. Then two flows
/// at 1 and 3 Gb/s, and a queue that is none.
#[test]
fn flows_leave_at_their_rates() {
    let seed = seeds()[0];
    let mut host = Host::new(seed);
    let read = |host: &mut Host, offset: u32| host.register(0x3000 + offset, None).expect("a register");
    assert_eq!([0, 4, 8, 12].map(|n| read(&mut host, n)), [0xc004, 0x300, GIVEN.next, GIVEN.address + 16]);
    assert_eq!([0x10, 0x14, 0x18].map(|n| read(&mut host, n)), [0xc040, 0x100, GIVEN.address + 0x30]);
    assert_eq!([0x1c, 0x20, 0x24, 0x38, 0x3c].map(|n| read(&mut host, n)), [GIVEN.window, 1 << F, 4, 0, MAGIC]);
    assert_eq!(host.register(0x4000, None), None, "the next one's register");
    while MAIL_SWEPT.get(&[host.read(Kind::Mail, 0)]) == 0 {}
    host.register(0x3028, Some(1)).expect("a register");
    for queue in 0..8 {
        host.write(Kind::Channel, queue, 3);
    }
    host.write(Kind::Profile, u32::from(TOKEN_CAP.word), 16_384);
    host.write(Kind::Profile, u32::from(USE_WINDOW.word), 0);
    // The last one's packets are of one size, and there are always some.
    let flows = [(2u32, 1_000u32), (5, 3_000), (6, 2_000)];
    for (flow, mbps) in flows {
        host.write(Kind::Load, flow, 1 | 1400 << 16);
        host.write(Kind::Rate, flow, mbps << 12);
    }
    assert_eq!(host.read(Kind::Channel, 2), 1 | 1 << 25, "enabled, a flow");
    // Packets of 60 bytes to the MTU come in bursts of a few, a doorbell each; and queues run empty
    // now and then.
    let mut posted = 0u64;
    let clocks = if cycles() < 100_000 { 50_000 } else { 1_200_000 };
    let start = host.engine.clk;
    while host.engine.clk < start + clocks {
        for queue in [2, 5, 6, 7] {
            if host.packets[queue as usize].len() < 8 || host.rng.random_bool(0.001) && posted < 200_000 {
                let n = host.rng.random_range(1..12);
                let sizes: Vec<u16> = (0..n).map(|_| if queue == 6 { 1514 } else { host.rng.random_range(60..=1514) }).collect();
                posted += n;
                // The queue that is none sends a little.
                if queue != 7 || host.rng.random_bool(0.002) {
                    host.post(queue, sizes);
                }
            }
        }
        for _ in 0..20 {
            host.clock(In::default());
        }
    }
    let wire = |len: u16| u64::from(len.max(60)) + 24;
    println!("of {} requests {} found nothing", host.granted.iter().map(Vec::len).sum::<usize>(), host.engine.empty);
    println!("flow   Mb/s asked   Mb/s   packets   ahead of its schedule by at most, bytes   behind");
    for (flow, mbps) in flows {
        let left = &host.left[flow as usize];
        let (first, last) = (left[20], left[left.len() - 1]);
        // Against a schedule at exactly this rate; the rate from how far the last quarter is off
        // it, and how far the first.
        let (mut off, mut sum) = (Vec::new(), 0.0);
        for p in &left[20..] {
            off.push(sum - (p.0 - first.0) as f64 * 4.0 * f64::from(mbps) / 8000.0);
            sum += wire(p.1) as f64;
        }
        let (ahead, behind) = off.iter().fold((0.0f64, 0.0f64), |(a, b), x| (a.max(*x), b.max(-*x)));
        let quarter = off.len() / 4;
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let drift = mean(&off[off.len() - quarter..]) - mean(&off[..quarter]);
        let rate = f64::from(mbps) + drift * 8000.0 / ((last.0 - first.0) as f64 * 4.0 * 0.75);
        println!("{flow:4} {mbps:12} {rate:7.1} {:9} {ahead:41.0} {behind:8.0}", left.len());
        // In a short run a flow has some thirty packets.
        let within = if cycles() < 100_000 { 0.05 } else { 0.01 };
        assert!((rate / f64::from(mbps) - 1.0).abs() < within, "flow {flow}: {rate} Mb/s, seed {seed}");
    }
    // Of equal packets each one's place is known ahead: how far grants are from a gap apart.
    let gap = 1538.0 * 8.0 / 2.0 / 4.0;
    let asked: Vec<f64> = host.granted[6][20..].iter().map(|clk| *clk as f64).collect();
    let off: Vec<f64> = asked.iter().enumerate().map(|(n, clk)| clk - asked[0] - n as f64 * gap).collect();
    let (least, most) = off.iter().fold((0.0f64, 0.0f64), |(a, b), x| (a.min(*x), b.max(*x)));
    println!("{} requests of 1,514 bytes at 2 Gb/s: {least:.1} to {most:.1} clocks from their schedule", asked.len());
    assert!(most - least <= 20.0, "seed {seed}");
    assert!(host.left[7].len() > 20, "the queue that is no flow sent {}", host.left[7].len());
    // All that was posted leaves, once; then nothing is asked for any more.
    for _ in 0..70_000 {
        host.clock(In::default());
    }
    assert!(host.packets.iter().all(VecDeque::is_empty), "{:?}", host.packets.iter().map(VecDeque::len).collect::<Vec<_>>());
    let asked: usize = host.granted.iter().map(Vec::len).sum();
    for _ in 0..5_000 {
        host.clock(In::default());
    }
    assert_eq!(host.granted.iter().map(Vec::len).sum::<usize>(), asked, "requests of empty queues");
    assert_eq!(host.engine.used, 0, "requests under way");
    // How soon an idle flow's doorbell becomes a request.
    for flow in [2, 5, 6] {
        host.packets[flow as usize].push_back(1000);
        host.bell = Some(flow);
        let since = host.engine.clk;
        while host.clock(In::default())[11] == 0 {
            assert!(host.engine.clk < since + 1000, "no request of flow {flow}, seed {seed}");
        }
        assert_eq!(host.engine.clk - 1 - since, DOORBELL_CLOCKS, "flow {flow}, seed {seed}");
        for _ in 0..20_000 {
            host.clock(In::default());
        }
    }
    // A stop holds flows and nothing else; what was posted meanwhile leaves when it is over.
    host.write(Kind::Control, 0, 1);
    for _ in 0..2_000 {
        host.clock(In::default());
    }
    for queue in [2, 7] {
        host.post(queue, [1000; 10]);
    }
    for _ in 0..20_000 {
        host.clock(In::default());
    }
    assert_eq!((host.packets[2].len(), host.packets[7].len()), (10, 0), "while stopped");
    let asked = [5, 6].map(|q: usize| host.granted[q].len());
    host.write(Kind::Control, 0, 0);
    for _ in 0..40_000 {
        host.clock(In::default());
    }
    assert_eq!(host.packets[2].len(), 0, "after the stop");
    assert_eq!([5, 6].map(|q: usize| host.granted[q].len()), asked, "requests of flows that had nothing when the stop fell");
}

/// A queue that is none always has packets, and a flow has its rate beside it. With a bound it has
/// that much unanswered and no more, until it is released: after 20 us, as an application block
/// does for ACKs; or as it leaves, before it is charged, as one does for frames that no ACK
/// answers.
#[test]
fn a_flow_has_its_rate_and_its_bound() {
    const PACKET: u64 = 1538;
    let seed = seeds()[0];
    // 4 Gb/s need 10 KB in 20 us; a bound of 6,152 bytes is four packets in the time from a request
    // to its release, of which none is known exactly.
    let small = 4 * PACKET as u32;
    for (bound, answered) in [(0, None), (64 * 1024, Some(5_000)), (64 * 1024, None), (small, Some(5_000)), (4 * small, Some(0))] {
        let mut host = Host::new(seed);
        host.engine.line = 10_000;
        while MAIL_SWEPT.get(&[host.read(Kind::Mail, 0)]) == 0 {}
        host.register(0x3028, Some(1)).expect("a register");
        for (word, data) in [(OUTSTANDING.word, bound), (TOKEN_CAP.word, 16_384), (USE_WINDOW.word, 0)] {
            host.write(Kind::Profile, word.into(), data);
        }
        host.write(Kind::Load, 2, 1 | 1400 << 16);
        host.write(Kind::Rate, 2, 4_000 << 12);
        for queue in [7, 2] {
            host.write(Kind::Channel, queue, 3);
            host.post(queue, [1514; 600]);
        }
        let sent = |host: &Host| [2, 7].map(|q: usize| host.left[q].len());
        let (mut released, mut before, mut most) = (0, [0; 2], 0);
        let from = host.engine.clk;
        while host.engine.clk < from + 170_000 {
            let due = host.left[2].partition_point(|p| answered.is_some_and(|clocks| p.0 + clocks <= host.engine.clk));
            if due > released {
                host.write(Kind::Release, 2, ((due - released) as u64 * PACKET) as u32);
                released = due;
            }
            host.clock(In::default());
            most = most.max(host.left[2].len() - released);
            if host.engine.clk <= from + 20_000 {
                before = sent(&host);
            }
        }
        let [paced, other] = sent(&host);
        let all = paced as u64 * PACKET;
        // 4 Gb/s of 10, and what it leaves.
        let (paced, other) = (paced - before[0], other - before[1]);
        println!(
            "bound {bound}, answered after {answered:?} clocks: of 10 Gb/s {paced} packets at 4 Gb/s in 600 us, {other} without a flow, {most} unanswered at most"
        );
        match (bound, answered) {
            (0, _) | (65_536, Some(_)) | (_, Some(0)) => {
                assert!(paced.abs_diff(195) <= 3 && other.abs_diff(293) <= 8, "{paced} and {other} packets, seed {seed}")
            }
            (_, Some(_)) => assert!((60..190).contains(&paced) && most <= 4, "{paced} packets, {most} unanswered, seed {seed}"),
            (_, None) => {
                assert!(all <= u64::from(bound) && all + 2 * PACKET > u64::from(bound), "{all} bytes of {bound}, seed {seed}");
                assert!((paced + other).abs_diff(488) <= 10, "{paced} and {other} packets, seed {seed}");
            }
        }
    }
}

/// The packets behind a pause of every priority: grants that were decided and not asked of the
/// card, and packets that were asked of it. Eight flows at 5 Gb/s each on a line of 10 Gb/s, and at
/// 1.25 Gb/s each. Then it goes on.
#[test]
fn a_pause_lets_what_is_decided_leave() {
    for (mbps, len) in [(5_000, 60u16), (5_000, 1514), (1_250, 60), (1_250, 1514)] {
        let mut host = Host::new(seeds()[0]);
        host.engine.line = 10_000;
        while MAIL_SWEPT.get(&[host.read(Kind::Mail, 0)]) == 0 {}
        host.register(0x3028, Some(1)).expect("a register");
        for (word, data) in [(OUTSTANDING.word, 0), (TOKEN_CAP.word, 16_384), (USE_WINDOW.word, 0)] {
            host.write(Kind::Profile, word.into(), data);
        }
        for flow in 0..8 {
            host.write(Kind::Load, flow, 1 | u32::from(len.saturating_sub(90)) << 16);
            host.write(Kind::Rate, flow, mbps << 12);
            host.write(Kind::Channel, flow, 3);
            host.post(flow, vec![len; 20_000]);
        }
        let run = |host: &mut Host, clocks: u64| {
            (0..clocks).for_each(|_| {
                host.clock(In::default());
            })
        };
        let asked = |host: &Host| host.granted.iter().map(Vec::len).sum::<usize>();
        let left = |host: &Host| host.left.iter().map(Vec::len).sum::<usize>();
        run(&mut host, 30_000);
        host.write(Kind::Control, 0, 0xff00);
        let before = (asked(&host), left(&host));
        run(&mut host, 20_000);
        let after = (asked(&host) - before.0, left(&host) - before.1);
        let wire = after.1 * (usize::from(len) + 24);
        println!(
            "8 flows at {mbps} Mb/s, packets of {len} bytes, 10 Gb/s: behind a pause {} requests, {} packets leave, {wire} bytes, {:.1} us of the line",
            after.0,
            after.1,
            wire as f64 * 8.0 / 10_000.0
        );
        // As many as the pacer decides ahead, the grants on their way to a request, and what was
        // asked of the card.
        assert!(
            before.1 > 100 && after.0 <= 64 + 32 && after.1 <= after.0 + usize::from(TAGS),
            "{after:?} requests and packets behind a pause"
        );
        let still = left(&host);
        run(&mut host, 1_000);
        assert_eq!(left(&host), still, "packets long after the pause's beginning");
        host.write(Kind::Control, 0, 0);
        run(&mut host, 10_000);
        assert!(left(&host) > still + 20, "it does not go on");
    }
}

/// How the model of a scheduler is told of a flow: by the bus from the application block, or by
/// writes into its window.
fn loads(streams: bool, flows: &[(u32, u32)]) -> VecDeque<In> {
    let mut all = VecDeque::new();
    let mut push = |kind: Kind, index: u32, data: u32, down: Down| {
        let window = window::In { aw: Some(kind.address(F, index)), w: Some((data, 15)), b_ready: true, ..window::In::default() };
        all.push_back(if streams { In { down, ..In::default() } } else { In { window, ..In::default() } });
    };
    for (word, data) in [(OUTSTANDING.word, 0), (TOKEN_CAP.word, 65_536), (USE_WINDOW.word, 0)] {
        push(Kind::Profile, word.into(), data, Down { profile: Some(ProfileWrite { profile: 0, word, data }), ..Down::default() });
    }
    for &(flow, mbps) in flows {
        let (load, rate) = (1 | 1400 << 16, mbps << 12);
        push(Kind::Load, flow, load, Down { load: Some((flow, load)), ..Down::default() });
        push(Kind::Rate, flow, rate, Down { rate: Some((flow, rate)), ..Down::default() });
    }
    all
}

/// Paced and unpaced queues together fill a card of 100 Gb/s whose host answers a read after 3 us,
/// with as many tags as Corundum has, and paced flows keep their rates; unpaced queues alone fill
/// it too. On the model, which the Verilog equals.
#[test]
fn paced_and_unpaced_queues_fill_the_card() {
    const LINE_MBPS: u64 = 100_000;
    const READ_CLOCKS: u64 = 750;
    let paced: Vec<(u32, u32)> = (0..16).map(|f| (f, 1000 * (1 + f % 4))).collect();
    for (streams, paced) in [(false, &paced[..]), (true, &paced), (false, &[])] {
        for bytes in [1514u64, 9014] {
            let wire = bytes + 24;
            let mut model = Scheduler::new(Given { streams, ..GIVEN }, Timing::default(), TAGS, share(512), increment(4000));
            let mut writes = loads(streams, paced);
            let queues = [20, 21, 22];
            // Queues are enabled through the window in either form.
            let enable = |queue: u32| {
                let aw = Some(Kind::Channel.address(F, queue));
                In { window: window::In { aw, w: Some((3, 15)), b_ready: true, ..window::In::default() }, ..In::default() }
            };
            writes.extend((0..24).map(enable));
            let mut register = Some((0x3028, 1, 15));
            // When a packet's data has come, in ps; and when the line is free.
            let (mut requests, mut line, mut statuses) = (VecDeque::new(), 0u64, VecDeque::new());
            let (mut sent, mut taken, mut last) = ([0u64; 24], 0u64, 0);
            let mut bells = VecDeque::new();
            let (start, end) = (60_000u64, 360_000u64);
            for clk in 0..end {
                let o = model.output(clk);
                let ps = clk * 4000;
                let mut i = if o.up.swept { writes.front().cloned().unwrap_or_default() } else { In::default() };
                // A write's address and data are taken together here; the next begins after its
                // answer.
                if !streams || i.window.aw.is_some() {
                    if o.window.b.is_some() {
                        writes.pop_front();
                        taken = 0;
                        if let Some(queue) = writes.is_empty().then_some(23) {
                            bells.extend(0..=queue);
                        }
                        i = In { window: window::In { b_ready: true, ..window::In::default() }, ..In::default() };
                    } else if taken & 1 == 1 {
                        i.window.aw = None;
                    }
                    if taken & 2 == 2 {
                        i.window.w = None;
                    }
                    taken |=
                        u64::from(i.window.aw.is_some() && o.window.aw_ready) | u64::from(i.window.w.is_some() && o.window.w_ready) << 1;
                } else if o.up.swept && !writes.is_empty() {
                    writes.pop_front();
                }
                i.down.later = (clk * 4) << 16;
                i.write = if o.registers.wr_ack { None } else { register };
                if o.registers.wr_ack {
                    register = None;
                }
                // Doorbells of queues that always have packets; of the unpaced ones three.
                if let Some(queue) = bells.pop_front()
                    && (queue < 16 || queues.contains(&queue))
                {
                    i.doorbell = Some(queue);
                }
                i.request_ready = clk >= last + 3;
                if let Some((queue, tag)) = o.request.filter(|_| i.request_ready) {
                    last = clk;
                    requests.push_back((ps + READ_CLOCKS * 4000, queue, tag));
                }
                if let Some((at, queue, tag)) = requests.front().copied()
                    && at <= ps
                {
                    requests.pop_front();
                    line = line.max(ps) + wire * 8_000_000 / LINE_MBPS;
                    statuses.push_back((line, queue, tag));
                }
                if let Some((at, queue, tag)) = statuses.front().copied()
                    && at <= ps
                {
                    statuses.pop_front();
                    i.status = Some((tag, bytes as u16));
                    sent[queue as usize] += u64::from(clk >= start);
                }
                model.step(clk, &i);
            }
            let gbps = |packets: u64| (packets * wire * 8) as f64 / ((end - start) * 4) as f64;
            let total = gbps(sent.iter().sum());
            println!("streams {streams}, {} paced flows, {bytes} bytes: {total:.1} of 100 Gb/s", paced.len());
            assert!(total >= 90.0, "{total} Gb/s: {sent:?}");
            for &(flow, mbps) in paced {
                let rate = gbps(sent[flow as usize]);
                // A packet more or less at the ends.
                let within = 0.01 * f64::from(mbps) / 1000.0 + gbps(1);
                assert!((rate - f64::from(mbps) / 1000.0).abs() <= within, "flow {flow}: {rate} Gb/s of {mbps} Mb/s");
            }
            let unpaced: Vec<u64> = queues.iter().map(|q| sent[*q as usize]).collect();
            assert!(unpaced.iter().all(|n| n.abs_diff(unpaced[0]) <= 2), "turns: {unpaced:?}");
        }
    }
}
