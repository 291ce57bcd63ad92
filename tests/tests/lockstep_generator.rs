//! `timely_hw::generator` against `timely_model::generator`, every output at every clock; and what
//! flows are promised, on the model.
use rand::Rng;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use timely_model::bus::{FlowLoad, Sent};
use timely_model::check::{digest, product};
use timely_model::generator::keystream::LOAD_CLOCKS;
use timely_model::generator::{CHARGE_LATENCY, Config, Generator, In, LATENCY, Out};
use timely_model::{Block, stream::Assembler};
use timely_regs::counters::Counter;
use timely_regs::flow::FlowRecord;
use timely_regs::link::{BACKLOG_BOUND, wire_bytes};
use timely_regs::wire::Packet;
use timely_tests::axis::Taken;
use timely_tests::{Runs, charge, cycles, quick, rng, seeds, verilate};

const PORT: u16 = timely_regs::wire::DEFAULT_PORT;

/// Key of the nonces.
const KEY: u128 = 0x0123_4567_89ab_cdef_0246_8ace;

fn config() -> Config {
    Config { mac: [2, 0, 0, 0, 0, 9], ipv4: [10, 1, 0, 9], ipv6: [0xfd; 16], key: KEY, keyed: true }
}

/// A flow of any kind, with frames of up to `longest` payload bytes.
fn any_record(rng: &mut impl Rng, longest: u16) -> FlowRecord {
    FlowRecord {
        enable: rng.random_bool(0.9),
        keep: rng.random_bool(0.5),
        endless: rng.random_bool(0.3),
        read: rng.random_bool(0.3),
        profile: rng.random_range(0..16),
        priority: rng.random_range(0..8),
        vlan: rng.random_bool(0.5).then(|| rng.random()),
        payload_bytes: if rng.random() { 0 } else { rng.random_range(0..longest) },
        segment_packets: if rng.random() { rng.random_range(1..5) } else { rng.random_range(1..=255) },
        mac: rng.random(),
        source_port: rng.random(),
        destination_port: PORT,
        ttl: rng.random(),
        tos: rng.random(),
        charged_bytes: [0, rng.random_range(0..70_000), rng.random()][rng.random_range(0..3)],
        address: if rng.random() {
            IpAddr::V4(Ipv4Addr::from(rng.random::<[u8; 4]>()))
        } else {
            IpAddr::V6(Ipv6Addr::from(rng.random::<[u8; 16]>()))
        },
    }
}

/// Random inputs on few flows, so that operations on one flow meet in the pipeline.
struct Bench {
    flows: Vec<u32>,
    grants: Runs,
    doorbells: Runs,
    loads: f64,
    resets: f64,
    post: Runs,
    take: Runs,
    longest: u16,
    i: In,
}

impl Bench {
    fn new(rng: &mut impl Rng, flow_bits: u32, width: usize, busy: f64) -> Self {
        let flows = (0..6).map(|_| rng.random_range(0..1 << flow_bits)).collect();
        Bench {
            flows,
            grants: Runs::new(0.6 * busy, 30),
            doorbells: Runs::new(0.5 * busy, 20),
            loads: 0.01 * busy,
            resets: 1.0 / f64::from((4 << flow_bits) + 2000),
            post: Runs::new(0.7, 100),
            take: Runs::new(0.8, 20),
            longest: width as u16 * 4,
            i: In { config: config(), ..In::default() },
        }
    }

    fn flow(&self, rng: &mut impl Rng) -> u32 {
        self.flows[rng.random_range(0..self.flows.len())]
    }

    /// The inputs of a clock whose outputs are `out`, those of the clock before having been
    /// `self.i`.
    fn next(&mut self, rng: &mut impl Rng, out: &Out, taken: (bool, bool)) -> In {
        let (flow, other) = (self.flow(rng), self.flow(rng));
        if taken.0 {
            self.i.grant = None;
        }
        if taken.1 {
            self.i.host_doorbell = None;
        }
        if self.i.grant.is_none() && self.grants.next(rng) {
            self.i.grant = Some((flow, rng.random()));
        }
        if self.i.host_doorbell.is_none() && self.doorbells.next(rng) {
            let packets = if rng.random_bool(0.05) { rng.random() } else { rng.random_range(0..6) };
            self.i.host_doorbell = Some((other, packets));
        }
        self.i.load =
            rng.random_bool(self.loads).then(|| FlowLoad { flow: self.flow(rng), record: any_record(rng, self.longest).pack().unwrap() });
        if !out.swept {
            self.i.load = self.i.load.filter(|_| rng.random_bool(0.1));
        }
        // Another key, with the old one's words still under way.
        if rng.random_bool(0.001) {
            (self.i.config.key, self.i.config.keyed) = (rng.random::<u128>() >> 32, false);
        } else if !self.i.config.keyed && rng.random_bool(0.02) {
            self.i.config.keyed = true;
        }
        self.i.rst = rng.random_bool(self.resets);
        // A NIC has its addresses before it begins.
        if self.i.rst {
            (self.i.config.mac, self.i.config.ipv4, self.i.config.ipv6) = rng.random();
        }
        self.i.doorbell_ready = self.post.next(rng);
        self.i.ready = self.take.next(rng);
        self.i.clone()
    }
}

/// log2 of the places: few, so that they begin anew often.
const RING_BITS: u32 = 5;

fn lockstep<const W: usize, const K: usize, const F: usize, const D: usize>(name: &str) {
    let library = verilate(name, timely_hw::generator::Generator::<W, K, F, D>::new(RING_BITS));
    let input = |name: &str| library.input(name);
    let output = |name: &str| library.output(name);
    let (rst, mac, ipv4, ipv6, key) = (input("rst"), input("cfg_mac"), input("cfg_ipv4"), input("cfg_ipv6"), input("cfg_key"));
    let keyed = input("cfg_keyed");
    let (fl_valid, fl_flow, fl_record) = (input("fl_valid"), input("fl_flow"), input("fl_record"));
    let (hd_valid, hd_flow, hd_packets) = (input("hd_valid"), input("hd_flow"), input("hd_packets"));
    let (grant_valid, grant_flow, grant_launch) = (input("grant_valid"), input("grant_flow"), input("grant_launch"));
    let (doorbell_ready, m_tready) = (input("doorbell_ready"), input("m_tready"));
    let (swept, hd_ready, grant_ready, pulses) = (output("swept"), output("hd_ready"), output("grant_ready"), output("pulses"));
    let charged = ["charge_valid", "charge_flow", "charge_bytes", "charge_ends"].map(output);
    let (doorbell_valid, doorbell_flow, doorbell_packets) = (output("doorbell_valid"), output("doorbell_flow"), output("doorbell_packets"));
    let (m, m_tag, sent_valid) = (Taken::new(&library, "m"), output("m_tag"), output("sent_valid"));
    let sent = ["tag", "flow", "segment", "nonce", "first", "last", "wire_bytes", "segment_bytes", "launch", "place", "generation"];
    let sent = sent.map(|n| output(&format!("sent_{n}")));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench::new(&mut rng, F as u32, W, 1.0);
        let mut dut = library.instantiate(seed as u32);
        let mut model = Generator::new(F as u32, W, RING_BITS);
        let mut taken = (false, false);
        let (mut events, mut posts) = (0, 0);
        for clk in 0..cycles() {
            let s = sent.map(|port| dut.get(port));
            let beat = m.get(&dut).map(|beat| (beat, dut.get(m_tag) as u16));
            let rtl = Out {
                swept: dut.get(swept) == 1,
                host_doorbell_ready: dut.get(hd_ready) == 1,
                grant_ready: dut.get(grant_ready) == 1,
                charge: charge(charged.map(|p| dut.get(p))),
                doorbell: (dut.get(doorbell_valid) == 1).then(|| (dut.get(doorbell_flow) as u32, dut.get(doorbell_packets) as u16)),
                launch: if beat.is_some() { s[8] } else { 0 },
                beat,
                sent: (dut.get(sent_valid) == 1).then(|| Sent {
                    tag: s[0] as u16,
                    flow: s[1] as u32,
                    segment: s[2] as u32,
                    nonce: s[3] as u32,
                    first: s[4] == 1,
                    last: s[5] == 1,
                    wire_bytes: s[6] as u16,
                    segment_bytes: s[7] as u32,
                    launch: s[8],
                    place: s[9] as u16,
                    generation: s[10] as u8,
                }),
                pulses: dut.get(pulses),
            };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            events |= rtl.pulses;
            posts += u32::from(rtl.doorbell.is_some());
            let i = bench.next(&mut rng, &rtl, taken);
            taken = (rtl.grant_ready, rtl.host_doorbell_ready);
            dut.set(rst, i.rst.into());
            dut.set_bytes(mac, &i.config.mac);
            dut.set_bytes(ipv4, &i.config.ipv4);
            dut.set_bytes(ipv6, &i.config.ipv6);
            dut.set_words(key, &[0, 32, 64].map(|bit| (i.config.key >> bit) as u32));
            dut.set(keyed, i.config.keyed.into());
            dut.set(fl_valid, i.load.is_some().into());
            let load = i.load.unwrap_or_else(|| FlowLoad { flow: bench.flow(&mut rng), record: rng.random() });
            dut.set(fl_flow, load.flow.into());
            dut.set_words(fl_record, &load.record);
            dut.set(hd_valid, i.host_doorbell.is_some().into());
            let (flow, packets) = i.host_doorbell.unwrap_or_else(|| (bench.flow(&mut rng), rng.random()));
            dut.set(hd_flow, flow.into());
            dut.set(hd_packets, packets.into());
            dut.set(grant_valid, i.grant.is_some().into());
            let (flow, launch) = i.grant.unwrap_or_else(|| (bench.flow(&mut rng), rng.random()));
            dut.set(grant_flow, flow.into());
            dut.set(grant_launch, launch);
            dut.set(doorbell_ready, i.doorbell_ready.into());
            dut.set(m_tready, i.ready.into());
            dut.tick();
            model.step(clk, &i);
        }
        if cycles() > 4 << F {
            assert_eq!(events, 1 << Counter::TxFrames as u32 | 1 << Counter::DoorbellsRefused as u32);
            assert!(posts > 100, "only {posts} doorbells");
        }
    }
}

#[test]
fn rtl_equals_model_512_few_flows() {
    lockstep::<512, 64, 2, 18>("generator512f2");
}

#[test]
fn rtl_equals_model_64() {
    lockstep::<64, 8, 10, 26>("generator64f10");
}

#[test]
fn rtl_equals_model_512_many_flows() {
    lockstep::<512, 64, 14, 30>("generator512f14");
}

#[test]
fn emits_at_all_sizes() {
    timely_hw::emit::emit("generator128", timely_hw::generator::Generator::<128, 16, 16, 32>::new(RING_BITS)).unwrap();
    timely_hw::emit::emit("generator256", timely_hw::generator::Generator::<256, 32, 13, 29>::new(RING_BITS)).unwrap();
}

/// A grant is charged after a constant number of clocks, also behind a blocked output, and each
/// grant once.
#[test]
fn charges_are_constant() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench::new(&mut rng, 4, 128, 1.0);
        bench.resets = 0.0;
        let mut model = Generator::new(4, 128, RING_BITS);
        let (mut taken, mut flying) = ((false, false), [None; CHARGE_LATENCY as usize]);
        let mut charged = 0;
        for clk in 0..cycles() {
            let out = model.output(clk);
            let due = flying[(clk % CHARGE_LATENCY) as usize].take();
            assert_eq!(out.charge.map(|c| c.flow), due, "clock {clk}, seed {seed}");
            charged += u32::from(due.is_some());
            let i = In { rst: false, ..bench.next(&mut rng, &out, taken) };
            taken = (out.grant_ready, out.host_doorbell_ready);
            flying[(clk % CHARGE_LATENCY) as usize] = i.grant.filter(|_| out.grant_ready).map(|(flow, _)| flow);
            model.step(clk, &i);
        }
        assert!(charged > 100, "{charged} charges");
    }
}

/// A model past RAM init, without back pressure, with time.
struct Run {
    model: Generator,
    clk: u64,
    i: In,
}

impl Run {
    fn new(width: usize) -> Self {
        let i = In { config: config(), doorbell_ready: true, ready: true, ..In::default() };
        let mut run = Run { model: Generator::new(4, width, RING_BITS), clk: 16, i };
        (0..=LOAD_CLOCKS).for_each(|_| _ = run.step(|_| ()));
        run
    }

    /// The outputs of a clock, at which `change` was applied to the idle inputs.
    fn step(&mut self, change: impl FnOnce(&mut In)) -> Out {
        let out = self.model.output(self.clk);
        let mut i = self.i.clone();
        change(&mut i);
        self.model.step(self.clk, &i);
        self.clk += 1;
        out
    }

    fn load(&mut self, flow: u32, record: &FlowRecord) {
        let record = record.pack().unwrap();
        self.step(|i| i.load = Some(FlowLoad { flow, record }));
    }

    fn post(&mut self, flow: u32, packets: u16) {
        while !self.step(|i| i.host_doorbell = Some((flow, packets))).host_doorbell_ready {}
    }
}

/// On an idle output the first beat, and with it `sent`, comes a constant number of clocks after
/// the grant, at its launch time's side.
#[test]
fn departures_are_constant() {
    let mut rng = rng(1);
    for width in [64, 128, 256, 512] {
        let mut run = Run::new(width);
        for flow in 0..16 {
            run.load(flow, &FlowRecord { enable: true, ..any_record(&mut rng, 300) });
            run.post(flow, 1000);
        }
        for _ in 0..200 {
            for _ in 0..rng.random_range(60..80) {
                run.step(|_| {});
            }
            let (flow, launch) = (rng.random_range(0..16), rng.random());
            let granted = run.clk;
            assert!(run.step(|i| i.grant = Some((flow, launch))).grant_ready);
            loop {
                let clk = run.clk;
                let out = run.step(|_| {});
                assert_eq!(out.beat.is_some(), clk >= granted + LATENCY);
                if let Some(sent) = out.sent {
                    assert_eq!((clk, sent.flow, sent.launch), (granted + LATENCY, flow, launch));
                    break;
                }
            }
        }
    }
}

/// The expected frames of a flow, kept up frame by frame.
#[derive(Default)]
struct Flow {
    record: FlowRecord,
    posted: u32,
    frames: u32,
    segment: Option<u32>,
    number: u16,
    nonce: u32,
    bytes: u32,
    open: bool,
}

/// Frames say what their records say, segments are whole, and exactly what was posted is sent, its
/// last packet as LAST.
#[test]
fn segments_are_whole() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut run = Run::new(256);
        let mut flows: HashMap<u32, Flow> = HashMap::new();
        for flow in 0..16 {
            let record = FlowRecord { enable: true, endless: false, ..any_record(&mut rng, 600) };
            run.load(flow, &record);
            flows.insert(flow, Flow { record, ..Flow::default() });
        }
        let (mut assembler, mut sent, mut nonces) = (Assembler::default(), None, Vec::new());
        let (mut charges, mut due) = (0u64, 0u64);
        let (mut host, mut grant) = (None, None);
        for round in 0..cycles() / 4 {
            let draining = round > cycles() / 8;
            if host.is_none() && !draining && rng.random_bool(0.02) {
                host = Some((rng.random_range(0..16), rng.random_range(0..9)));
            }
            grant = grant.or_else(|| rng.random_bool(0.3).then(|| (rng.random_range(0..16), round)));
            let out = run.step(|i| (i.host_doorbell, i.grant) = (host, grant));
            if out.host_doorbell_ready
                && let Some((flow, packets)) = host.take()
            {
                flows.get_mut(&flow).unwrap().posted += u32::from(packets);
            }
            grant = grant.filter(|_| !out.grant_ready);
            charges += out.charge.map_or(0, |c| c.bytes.into());
            sent = out.sent.or(sent);
            let Some(frame) = out.beat.and_then(|(beat, _)| assembler.push(&beat)) else { continue };
            let s: Sent = sent.take().unwrap();
            let f = flows.get_mut(&s.flow).unwrap();
            check(&frame, &s, f, &mut nonces);
            f.frames += 1;
            due += match (f.record.read, s.first) {
                (false, _) => s.wire_bytes.into(),
                (true, first) => u64::from(f.record.charged_bytes.clamp(1, 0xffff)) * u64::from(first),
            };
        }
        for (flow, f) in &flows {
            assert_eq!((f.frames, f.open), (f.posted, false), "flow {flow}, seed {seed}: all that was posted, and the last closed");
        }
        assert_eq!(charges, due);
        let segments = nonces.len();
        nonces.sort_unstable();
        nonces.dedup();
        assert!(segments == nonces.len() && (quick() || segments > 100), "{segments} segments, {} nonces", nonces.len());
    }
}

fn check(frame: &[u8], s: &Sent, f: &mut Flow, nonces: &mut Vec<u32>) {
    let (p, r) = (Packet::new_checked(frame, PORT).unwrap(), &f.record);
    assert!(p.udp_checksum_holds());
    assert_eq!((p.mac_destination(), p.mac_source(), p.tci()), (r.mac, config().mac, r.vlan));
    assert_eq!((p.tos(), p.ttl(), p.ttl_sent(), p.port_source()), (r.tos, r.ttl, r.ttl, r.source_port));
    match r.address {
        IpAddr::V4(a) => assert_eq!((p.ip_destination(), p.ip_source()), (&a.octets()[..], &config().ipv4[..])),
        IpAddr::V6(a) => assert_eq!((p.ip_destination(), p.ip_source()), (&a.octets()[..], &config().ipv6[..])),
    }
    assert_eq!((p.payload().len(), p.is_read()), (usize::from(r.payload_bytes), r.read));
    let mut destination = [0; 16];
    destination[..p.ip_destination().len()].copy_from_slice(p.ip_destination());
    // Of the nonce and the destination the ring keeps one word.
    let kept = p.nonce() ^ product(KEY, digest(&destination, r.address.is_ipv6()));
    assert_eq!((p.flow(), p.segment(), kept), (s.flow, s.segment, s.nonce));
    assert_eq!((p.is_first(), p.is_last()), (s.first, s.last));
    assert_eq!(u32::from(s.wire_bytes), wire_bytes(frame.len() as u32));
    assert_eq!(p.is_first(), !f.open, "a segment begins where none is open");
    if p.is_first() {
        assert!(f.segment.is_none_or(|n| p.segment() == n + 1), "segments count on");
        (f.segment, f.number, f.nonce, f.bytes, f.open) = (Some(p.segment()), 0, p.nonce(), 0, true);
        nonces.push(p.nonce());
    }
    f.bytes += u32::from(s.wire_bytes);
    assert_eq!((Some(p.segment()), p.packet(), p.nonce(), p.segment_bytes()), (f.segment, f.number, f.nonce, f.bytes));
    assert_eq!(p.charged_bytes(), if r.read { r.charged_bytes } else { 0 });
    assert_eq!(s.segment_bytes, if r.read { r.charged_bytes.clamp(1, 0xffff) } else { f.bytes });
    f.number += 1;
    f.open = !p.is_last();
    assert!(f.number < r.segment_packets.into() || p.is_last());
}

/// Whatever a load with `keep` changes inside a segment: what goes with its last packet is what its
/// packets were charged, and never nothing.
#[test]
fn a_segment_gives_back_what_it_was_charged() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut run = Run::new(64);
        let (mut open, mut segments, mut changed) = (0, 0, false);
        for packet in 0..cycles() / 100 {
            if packet == 0 || rng.random_bool(0.3) {
                let record = FlowRecord { enable: true, keep: packet != 0, endless: true, ..any_record(&mut rng, 300) };
                run.load(3, &FlowRecord { segment_packets: rng.random_range(1..6), read: rng.random(), ..record });
                changed |= open != 0;
            }
            if packet == 0 {
                run.post(3, 1);
                for _ in 0..10 {
                    run.step(|_| {});
                }
            }
            run.step(|i| i.grant = Some((3, 0)));
            // Longer than any of its frames.
            let outs: Vec<Out> = (0..100).map(|_| run.step(|_| {})).collect();
            let charge = outs.iter().find_map(|o| o.charge).expect("each grant is charged");
            let sent = outs.iter().find_map(|o| o.sent).expect("the flow always has a packet");
            open += u32::from(charge.bytes);
            assert_eq!(charge.ends, sent.last);
            assert_eq!(sent.segment_bytes, open, "segment {segments}, changed inside: {changed}, seed {seed}");
            if sent.last {
                assert!(open > 0, "segment {segments} cost nothing, seed {seed}");
                (open, segments, changed) = (0, segments + 1, false);
            }
        }
        assert!(segments > 20, "{segments} segments");
    }
}

/// Loads that end a segment and void a backlog, and loads that do not.
#[test]
fn loads() {
    let record = FlowRecord { enable: true, payload_bytes: 0, segment_packets: 4, destination_port: PORT, ..FlowRecord::default() };
    let grant = |run: &mut Run| {
        run.step(|i| i.grant = Some((3, 0)));
        (0..40).find_map(|_| run.step(|_| {}).sent).map(|s| (s.segment, s.first, s.last))
    };
    let mut run = Run::new(64);
    assert_eq!(grant(&mut run), None, "a flow that does not exist");
    run.load(3, &record);
    assert_eq!(grant(&mut run), None, "nothing was posted");
    run.post(3, 9);
    for _ in 0..10 {
        run.step(|_| {});
    }
    assert_eq!(grant(&mut run), Some((0, true, false)));
    run.load(3, &FlowRecord { keep: true, ..record });
    assert_eq!(grant(&mut run), Some((0, false, false)), "keep: as if nothing had happened");
    run.load(3, &record);
    assert_eq!(grant(&mut run), None, "the backlog is void");
    run.post(3, 9);
    for _ in 0..10 {
        run.step(|_| {});
    }
    assert_eq!(grant(&mut run), Some((1, true, false)), "the open segment is over");
    run.load(3, &FlowRecord { enable: false, keep: true, ..record });
    assert_eq!(grant(&mut run), None, "disabled");
    run.load(3, &FlowRecord { keep: true, ..record });
    assert_eq!(grant(&mut run), None, "disabling voids the backlog");
    run.post(3, 1);
    for _ in 0..10 {
        run.step(|_| {});
    }
    assert_eq!(grant(&mut run), Some((2, true, true)));
    assert_eq!(grant(&mut run), None);
}

/// The host's doorbells: passed on, refused for disabled flows and beyond the bound; an endless
/// flow posts for itself.
#[test]
fn doorbells() {
    let record = FlowRecord { enable: true, payload_bytes: 0, segment_packets: 2, destination_port: PORT, ..FlowRecord::default() };
    let mut run = Run::new(64);
    run.load(1, &record);
    run.load(2, &FlowRecord { endless: true, ..record });
    let mut ring = |flow: u32, packets: u32, grants: u32| {
        run.post(flow, packets as u16);
        let (mut passed, mut refused, mut sent) = (Vec::new(), 0, Vec::new());
        let mut left = grants;
        for n in 0..400 {
            // Grants come when the doorbell has had its effect.
            let grant = (n >= 20 && left > 0).then_some((flow, 0));
            let out = run.step(|i| i.grant = grant);
            left -= u32::from(out.grant_ready && grant.is_some());
            // Step 8 of these is 9 clocks after that which took the doorbell.
            assert!(out.doorbell.is_none() || n >= 8);
            assert!(n != 8 || out.doorbell.is_some() || refused > 0);
            passed.extend(out.doorbell);
            refused += out.pulses >> Counter::DoorbellsRefused as u32 & 1;
            sent.extend(out.sent.map(|s| s.last));
        }
        (passed, refused, sent)
    };
    assert_eq!(ring(0, 5, 0), (vec![], 1, vec![]), "a flow that does not exist");
    assert_eq!(ring(1, 0, 0), (vec![(1, 0)], 0, vec![]));
    assert_eq!(ring(1, BACKLOG_BOUND - 3, 0).1, 0);
    assert_eq!(ring(1, 3, 0).1, 1, "at the bound");
    assert_eq!(ring(1, 2, 0).1, 0, "below it");
    assert_eq!(ring(2, 1, 4), (vec![(2, 1); 5], 0, vec![false, true, false, true]));
}

/// The shortest frames leave back to back on the widest bus, long ones on any; few wait when the
/// output is blocked.
#[test]
fn throughput_and_what_waits() {
    for (width, payload_bytes, waiting) in [(512, 0, 7), (512, 1500, 1), (64, 0, 7), (64, 1500, 1), (128, 300, 1)] {
        let record = FlowRecord { enable: true, payload_bytes, segment_packets: 16, destination_port: PORT, ..FlowRecord::default() };
        let mut run = Run::new(width);
        run.load(0, &record);
        run.post(0, 60_000);
        for clk in 0..2000 {
            let out = run.step(|i| i.grant = Some((0, 0)));
            assert!(clk < 100 || out.beat.is_some(), "a lost clock at {clk}: {payload_bytes} bytes on {width} bits");
        }
        for _ in 0..2000 {
            run.step(|_| {});
        }
        run.i.ready = false;
        let (mut taken, mut begun) = (0, 0);
        for _ in 0..100 {
            let out = run.step(|i| i.grant = Some((0, 0)));
            taken += u32::from(out.grant_ready);
            begun += u32::from(out.sent.is_some());
        }
        assert_eq!((begun, taken - begun), (1, waiting), "frames begun and waiting: {payload_bytes} bytes on {width} bits");
    }
}

#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench::new(&mut rng, 6, 512, 0.02);
        let (mut stepped, mut skipped) = (Generator::new(6, 512, RING_BITS), Generator::new(6, 512, RING_BITS));
        let (mut skips, mut taken, mut keyed) = (0, (false, false), false);
        for clk in 0..cycles() {
            let out = stepped.output(clk);
            assert_eq!(out, skipped.output(clk), "clock {clk}, seed {seed}");
            let i = bench.next(&mut rng, &out, taken);
            taken = (out.grant_ready, out.host_doorbell_ready);
            stepped.step(clk, &i);
            if i.grant.is_some()
                || i.host_doorbell.is_some()
                || i.load.is_some()
                || i.rst
                || i.config.keyed != keyed
                || skipped.wake(clk) <= clk
            {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
            keyed = i.config.keyed && !i.rst;
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}
