//! `timely_hw::frame` against `timely_model::frame`, every output at every clock; the model's
//! frames against `etherparse`.
use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use rand::Rng;
use timely_model::{Block, frame, stream::Assembler};
use timely_regs::wire::{Addresses, Envelope, Header, Packet};
use timely_tests::axis::Taken;
use timely_tests::{Runs, cycles, rng, seeds, verilate};

type Description = frame::Description<u32>;

fn description(rng: &mut impl Rng, longest: u16) -> Description {
    let addresses = if rng.random() {
        Addresses::V4 { source: rng.random(), destination: rng.random() }
    } else {
        Addresses::V6 { source: rng.random(), destination: rng.random() }
    };
    // Now and then all zeros or all ones, where sums carry most or least.
    let field = match rng.random_range(0..8) {
        0 => 0,
        1 => u64::MAX,
        _ => rng.random(),
    };
    let header = Header {
        flags: rng.random(),
        packet: rng.random(),
        place: rng.random(),
        flow: rng.random::<u16>().into(),
        nonce: field as u32,
        segment: rng.random(),
        segment_bytes: field as u32,
        charged_bytes: rng.random(),
        ttl_sent: rng.random(),
        ttl_seen: rng.random(),
        ecn_seen: rng.random(),
        loss: rng.random(),
        arrival: field,
        departure: rng.random(),
    };
    let payload = match rng.random_range(0..4) {
        0 => 0,
        1 => rng.random_range(0..80.min(longest)),
        _ => rng.random_range(0..longest),
    };
    let envelope = Envelope {
        mac_destination: rng.random(),
        mac_source: rng.random(),
        tci: rng.random_bool(0.5).then(|| rng.random()),
        addresses,
        tos: rng.random(),
        ttl: rng.random(),
        port_source: rng.random(),
        port_destination: rng.random(),
    };
    Description { envelope, header, payload, side: rng.random() }
}

fn low(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

fn lockstep<const W: usize, const K: usize>(name: &str) {
    let library = verilate(name, timely_hw::frame::Frame::<W, K, 32>::default());
    let input = |name: &str| library.input(name);
    let (rst, valid, class, m_tready) = (input("rst"), input("i_valid"), input("i_class"), input("m_tready"));
    let (dst_mac, src_mac, vlan, tos, ttl) = (input("i_dst_mac"), input("i_src_mac"), input("i_vlan"), input("i_tos"), input("i_ttl"));
    let (src_ip, dst_ip, src_port, dst_port) = (input("i_src_ip"), input("i_dst_ip"), input("i_src_port"), input("i_dst_port"));
    let (hdr, payload, side) = (input("i_hdr"), input("i_payload"), input("i_side"));
    let (ready, m_side, m_start, m) =
        (library.output("i_ready"), library.output("m_side"), library.output("m_start"), Taken::new(&library, "m"));
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut offer, mut take) = (Runs::new(0.6, 30), Runs::new(0.7, 20));
        let mut dut = library.instantiate(seed as u32);
        let mut model = frame::Frame::new(W);
        let mut held: Option<Description> = None;
        for clk in 0..cycles() {
            let rtl = frame::Out {
                ready: dut.get(ready) == 1,
                beat: m.get(&dut).map(|beat| (beat, dut.get(m_side) as u32)),
                start: dut.get(m_start) == 1,
            };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            if held.is_none() && offer.next(&mut rng) {
                held = Some(description(&mut rng, K as u16 * 4));
            }
            let i = frame::In { rst: rng.random_bool(0.0005), describe: held.clone(), ready: take.next(&mut rng) };
            dut.set(rst, i.rst.into());
            dut.set(valid, i.describe.is_some().into());
            dut.set(m_tready, i.ready.into());
            // Unused inputs must not matter: all of them without a description, the upper bytes of
            // IPv4 addresses, a TCI without tag.
            let d = i.describe.clone().unwrap_or_else(|| description(&mut rng, 100));
            let e = d.envelope;
            dut.set(class, e.class().bits().into());
            dut.set(dst_mac, low(&e.mac_destination));
            dut.set(src_mac, low(&e.mac_source));
            dut.set(vlan, e.tci.unwrap_or_else(|| rng.random()).into());
            dut.set(tos, e.tos.into());
            dut.set(ttl, e.ttl.into());
            for (port, short, long) in match e.addresses {
                Addresses::V4 { source, destination } => [(src_ip, Some(source), [0; 16]), (dst_ip, Some(destination), [0; 16])],
                Addresses::V6 { source, destination } => [(src_ip, None, source), (dst_ip, None, destination)],
            } {
                let mut bytes: [u8; 16] = rng.random();
                match short {
                    Some(short) => bytes[..4].copy_from_slice(&short),
                    None => bytes = long,
                }
                dut.set_bytes(port, &bytes);
            }
            dut.set(src_port, e.port_source.into());
            dut.set(dst_port, e.port_destination.into());
            dut.set_bytes(hdr, &d.header.bytes());
            dut.set(payload, d.payload.into());
            dut.set(side, d.side.into());
            dut.tick();
            if rtl.ready {
                held = None;
            }
            model.step(clk, &i);
        }
    }
}

#[test]
fn rtl_equals_model_64() {
    lockstep::<64, 8>("frame64");
}

#[test]
fn rtl_equals_model_128() {
    lockstep::<128, 16>("frame128");
}

#[test]
fn rtl_equals_model_512() {
    lockstep::<512, 64>("frame512");
}

#[test]
fn emits_at_256() {
    timely_hw::emit::emit("frame256", timely_hw::frame::Frame::<256, 32, 1>::default()).unwrap();
}

/// Out of beats comes what was described, in the eyes of our own view and of a parser that others
/// wrote: lengths, checksums, fields.
#[test]
fn frames_are_what_was_described() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut classes = [0; 4];
        for width in [64, 128, 256, 512] {
            let mut model = frame::Frame::new(width);
            let (mut sent, mut assembler) = (std::collections::VecDeque::new(), Assembler::default());
            for clk in 0..cycles() / 10 {
                let out = model.output(clk);
                if let Some(bytes) = out.beat.and_then(|(beat, _)| assembler.push(&beat)) {
                    let d: Description = sent.pop_front().unwrap();
                    check(&bytes, &d);
                    classes[usize::from(d.envelope.class().bits())] += 1;
                }
                let d = description(&mut rng, 9000);
                if out.ready {
                    sent.push_back(d.clone());
                }
                model.step(clk, &frame::In { rst: false, describe: Some(d), ready: true });
            }
        }
        assert!(classes.iter().all(|n| *n > 10), "frames by class: {classes:?}");
    }
}

fn check(bytes: &[u8], d: &Description) {
    let e = &d.envelope;
    let p = Packet::new_unchecked(bytes, e.class());
    assert_eq!((p.mac_destination(), p.mac_source(), p.tci()), (e.mac_destination, e.mac_source, e.tci));
    assert_eq!((p.tos(), p.ttl(), p.port_source(), p.port_destination()), (e.tos, e.ttl, e.port_source, e.port_destination));
    assert_eq!(p.header(), d.header.bytes());
    assert_eq!(p.payload().len(), usize::from(d.payload));
    assert!(p.udp_checksum_holds() && p.udp_checksum() != 0);

    let other = SlicedPacket::from_ethernet(bytes).unwrap();
    let Some(TransportSlice::Udp(udp)) = &other.transport else { panic!("no UDP for etherparse: {other:?}") };
    let right = match &other.net {
        Some(NetSlice::Ipv4(ip)) => {
            let h = ip.header().to_header();
            assert_eq!(h.header_checksum, h.calc_header_checksum());
            assert_eq!((h.total_len as usize, h.dont_fragment, h.time_to_live), (bytes.len() - e.class().ip(), true, e.ttl));
            udp.to_header().calc_checksum_ipv4(&h, udp.payload())
        }
        Some(NetSlice::Ipv6(ip)) => {
            let h = ip.header().to_header();
            assert_eq!((h.payload_length as usize, h.hop_limit, h.traffic_class), (bytes.len() - e.class().udp(), e.ttl, e.tos));
            udp.to_header().calc_checksum_ipv6(&h, udp.payload())
        }
        _ => panic!("no IP for etherparse: {other:?}"),
    };
    assert_eq!(udp.checksum(), right.unwrap());
    assert_eq!(usize::from(udp.length()), 56 + usize::from(d.payload));
    assert_eq!(other.vlan().is_some(), e.tci.is_some());
}

/// Six clocks to the first beat, and from then on a beat every clock, at the widest bus and the
/// shortest frames.
#[test]
fn latency_and_throughput() {
    let mut rng = rng(1);
    let mut model = frame::Frame::new(512);
    let mut first = None;
    for clk in 0..1000 {
        let out = model.output(clk);
        if out.beat.is_some() {
            first = first.or(Some(clk));
        }
        assert_eq!(out.beat.is_some(), clk >= frame::LATENCY, "clock {clk}");
        let describe = Some(Description { payload: 0, ..description(&mut rng, 1) });
        model.step(clk, &frame::In { rst: false, describe, ready: true });
    }
    assert_eq!(first, Some(frame::LATENCY));
}

#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut offer, mut take) = (Runs::new(0.01, 3), Runs::new(0.6, 4));
        let (mut stepped, mut skipped) = (frame::Frame::new(64), frame::Frame::new(64));
        let mut skips = 0;
        for clk in 0..cycles() {
            assert_eq!(stepped.output(clk), skipped.output(clk), "clock {clk}, seed {seed}");
            let describe = offer.next(&mut rng).then(|| description(&mut rng, 100));
            let i = frame::In { rst: rng.random_bool(0.0005), describe, ready: take.next(&mut rng) };
            stepped.step(clk, &i);
            if i.describe.is_some() || i.rst || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}
