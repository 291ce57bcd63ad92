//! `timely_hw::mark` against `timely_model::mark`, every output at every clock; marked frames
//! against `etherparse`.
use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use rand::Rng;
use std::collections::VecDeque;
use timely_model::stream::{Assembler, Beat, beats};
use timely_model::{Block, mark};
use timely_regs::wire::{Class, FIRST, Header, LAST, READ, ethernet, ipv4, ipv6, ones_complement_sum, udp};
use timely_tests::axis::{Offered, Taken};
use timely_tests::frames::{class, envelope, mend};
use timely_tests::{Runs, cycles, rng, seeds, verilate};

const PORT: u16 = 4791;
const FLOW_BITS: u32 = 10;

/// A frame whose header has version 2; `flow` has 16 bits.
fn second(mut frame: Vec<u8>, class: Class, place: u16, flow: u16) -> Vec<u8> {
    let at = class.header();
    frame[at] = mark::VERSION;
    frame[at + mark::PLACE..][..2].copy_from_slice(&place.to_be_bytes());
    frame[at + mark::FLOW..][..2].copy_from_slice(&flow.to_be_bytes());
    frame
}

/// UDP checksum of the frame as `etherparse` makes it.
fn right_sum(frame: &[u8]) -> u16 {
    let packet = SlicedPacket::from_ethernet(frame).unwrap();
    let Some(TransportSlice::Udp(udp)) = &packet.transport else { panic!("no UDP for etherparse: {packet:?}") };
    match &packet.net {
        Some(NetSlice::Ipv4(ip)) => udp.to_header().calc_checksum_ipv4(&ip.header().to_header(), udp.payload()),
        Some(NetSlice::Ipv6(ip)) => udp.to_header().calc_checksum_ipv6(&ip.header().to_header(), udp.payload()),
        _ => panic!("no IP for etherparse: {packet:?}"),
    }
    .unwrap()
}

/// A frame of ours of version 2 that must get a place, its UDP checksum right.
fn ours(rng: &mut impl Rng, most: usize) -> (Vec<u8>, Class) {
    let class = class(rng);
    let mut payload = vec![0; rng.random_range(0..=most)];
    rng.fill(&mut payload[..]);
    let flags = LAST | [0, FIRST, READ, FIRST | READ][rng.random_range(0..4)];
    let header = Header { flags, nonce: rng.random(), segment: rng.random(), segment_bytes: rng.random(), ..Header::default() };
    let frame = envelope(rng, class, PORT).frame(&header, &payload);
    // Hosts send 0, but nothing hangs on it.
    let place = if rng.random() { 0 } else { rng.random() };
    let mut frame = second(frame, class, place, rng.random_range(0..1 << FLOW_BITS));
    let sum = right_sum(&frame);
    put(&mut frame, class.udp() + udp::CHECKSUM, sum);
    (frame, class)
}

fn put(frame: &mut [u8], at: usize, word: u16) {
    frame[at..at + 2].copy_from_slice(&word.to_be_bytes());
}

/// Ways in which a frame is not one that gets a place.
const SPOILED: u32 = 16;

/// A frame of ours with one thing changed, by number, so that it must pass as it is; nothing for a
/// class that has no such thing.
fn spoiled(rng: &mut impl Rng, how: u32) -> Option<Vec<u8>> {
    let (mut frame, class) = ours(rng, 40);
    let (ip, header) = (class.ip(), class.header());
    let kind = if class.vlan { ethernet::TAGGED_TYPE } else { ethernet::TYPE };
    let bit = 1 << rng.random_range(0..8);
    match how {
        0 => frame[header] ^= bit,
        1 => frame[header + 1] &= !LAST,
        2 => frame[header + 1] ^= [4, 16, 32, 64, 128][rng.random_range(0..5)],
        3 => put(&mut frame, header + mark::FLOW, rng.random_range(1 << FLOW_BITS..=u16::MAX)),
        4 => frame[class.udp() + udp::DESTINATION + rng.random_range(0..2)] ^= bit,
        5 => frame[kind + rng.random_range(0..2)] ^= bit,
        6 => frame[ip] ^= if class.ipv6 { 16 << rng.random_range(0..4) } else { bit },
        7 => frame[ip + if class.ipv6 { ipv6::NEXT_HEADER } else { ipv4::PROTOCOL }] ^= bit,
        8 if !class.ipv6 => frame[ip + ipv4::FRAGMENT] ^= 1 << rng.random_range(0..6),
        9 if !class.ipv6 => frame[ip + ipv4::FRAGMENT + 1] ^= bit,
        // Our port as the source.
        10 => {
            put(&mut frame, class.udp() + udp::DESTINATION, PORT - 1);
            put(&mut frame, class.udp() + udp::SOURCE, PORT);
        }
        11 => frame.truncate(class.end() - 1),
        12 => frame.truncate(rng.random_range(1..class.end())),
        13 if class.vlan => put(&mut frame, ethernet::TYPE, 0x88a8),
        // Two tags.
        14 => {
            frame.splice(ethernet::TYPE..ethernet::TYPE, [0x81, 0, 0, 7, 0x81, 0, 0, 8]);
        }
        15 => frame[header] = 1,
        _ => return None,
    }
    (how != 12 || !frame.is_empty()).then_some(frame)
}

/// Where sums and ports have their corners: no checksum, port 0, and a checksum that becomes 0 if
/// the frame's place is `guess`.
fn cornered(rng: &mut impl Rng, frame: &mut [u8], class: Class, guess: u16) {
    let at = class.udp() + udp::CHECKSUM;
    match rng.random_range(0..8) {
        0 => put(frame, at, 0),
        1 => put(frame, class.udp() + udp::DESTINATION, 0),
        2 | 3 => {
            let place = u16::from_be_bytes([frame[class.header() + mark::PLACE], frame[class.header() + mark::PLACE + 1]]);
            put(frame, at, ones_complement_sum(guess, &(!place).to_be_bytes()));
        }
        _ => {}
    }
}

/// A random frame of the bench: mostly frames of ours, and every way of not being one.
fn any(rng: &mut impl Rng, guess: u16) -> Vec<u8> {
    match rng.random_range(0..10) {
        0..5 => {
            let most = [0, 3, 60, 300][rng.random_range(0..4)];
            let (mut frame, class) = ours(rng, most);
            cornered(rng, &mut frame, class, guess);
            frame
        }
        5..8 => {
            let how = rng.random_range(0..SPOILED);
            let mut frame = spoiled(rng, how).unwrap_or_else(|| vec![0; 60]);
            frame.extend(vec![7; [0, rng.random_range(0..9)][rng.random_range(0..2)]]);
            frame
        }
        8 => {
            let mut frame = vec![0; rng.random_range(1..200)];
            rng.fill(&mut frame[..]);
            frame
        }
        // Runts, some of them the front of a frame of ours.
        _ => {
            let (mut frame, class) = ours(rng, 0);
            frame.truncate(rng.random_range(1..=class.end()));
            if rng.random() {
                frame.truncate(8);
            }
            frame
        }
    }
}

fn lockstep<const W: usize, const K: usize, const M: usize, const N: usize>(name: &str, place_bits: u32) {
    let library = verilate(name, timely_hw::mark::Mark::<W, K, M, N>::new(FLOW_BITS as usize, place_bits));
    let input = |name: &str| library.input(name);
    let (rst, port, base, m_tready, s_side) = (input("rst"), input("cfg_udp_port"), input("base"), input("m_tready"), input("s_side"));
    let (s, m) = (Offered::new(&library, "s"), Taken::new(&library, "m"));
    let (s_tready, m_side) = (library.output("s_tready"), library.output("m_side"));
    let (marked, marked_place) = (library.output("marked"), library.output("marked_place"));
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut offer, mut take) = (Runs::new(0.8, 40), Runs::new(0.8, 30));
        let mut dut = library.instantiate(seed as u32);
        let mut model = mark::Mark::new(W, FLOW_BITS, place_bits);
        let mut waiting: VecDeque<(Beat, u64)> = VecDeque::new();
        let (mut set_port, mut set_base, mut places) = (PORT, 0, 0u64);
        for clk in 0..cycles() {
            let rtl = mark::Out {
                ready: dut.get(s_tready) == 1,
                beat: m.get(&dut).map(|beat| (beat, dut.get(m_side))),
                marked: (dut.get(marked) == 1).then(|| dut.get(marked_place) as u16),
            };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            places += u64::from(rtl.marked.is_some());
            if waiting.is_empty() {
                let guess = set_base | rng.random_range(0..1 << place_bits.min(5));
                let frame = any(&mut rng, guess);
                waiting = beats(&frame, W).map(|b| (b, rng.random::<u64>() >> (64 - M))).collect();
            }
            // Long runs without stalls, so that packets follow one another.
            if clk % 4096 == 0 {
                let full = [0.5, 0.9, 1.0][rng.random_range(0..3)];
                offer.set(full);
                take.set([0.3, 0.9, 1.0][rng.random_range(0..3)]);
            }
            if rng.random_bool(0.001) {
                set_port = [PORT, PORT, PORT, 0, rng.random()][rng.random_range(0..5)];
                set_base = [0, 1 << (place_bits - 1), rng.random()][rng.random_range(0..3)];
            }
            let i = mark::In {
                rst: rng.random_bool(0.0005),
                beat: waiting.front().copied().filter(|_| offer.next(&mut rng)),
                port: set_port,
                base: set_base,
                ready: take.next(&mut rng),
            };
            dut.set(rst, i.rst.into());
            s.set(&mut dut, i.beat.as_ref().map(|(beat, _)| beat), &mut rng);
            dut.set(s_side, i.beat.map_or_else(|| rng.random::<u64>() >> (64 - M), |(_, side)| side));
            dut.set(port, i.port.into());
            dut.set(base, i.base.into());
            dut.set(m_tready, i.ready.into());
            dut.tick();
            if rtl.ready && i.beat.is_some() {
                waiting.pop_front();
            }
            model.step(clk, &i);
        }
        assert!(places > cycles() / 200, "only {places} packets got a place");
    }
}

#[test]
fn rtl_equals_model_64() {
    lockstep::<64, 8, 40, 113>("mark64", 4);
}

#[test]
fn rtl_equals_model_128() {
    lockstep::<128, 16, 1, 146>("mark128", 3);
}

#[test]
fn rtl_equals_model_256() {
    lockstep::<256, 32, 7, 296>("mark256", 16);
}

#[test]
fn rtl_equals_model_512() {
    lockstep::<512, 64, 16, 593>("mark512", 5);
}

/// Frames, places and, by frame, the clocks of its first beat in and out.
type Through = (Vec<Vec<u8>>, Vec<u16>, Vec<(u64, u64)>);

/// Frames through the model, as fast as it takes them: what comes out, the places that it told,
/// clocks of the first beats in and out.
fn through(width: usize, place_bits: u32, base: u16, frames: &[Vec<u8>]) -> Through {
    let mut model = mark::Mark::new(width, FLOW_BITS, place_bits);
    let mut waiting: VecDeque<Beat> = frames.iter().flat_map(|f| beats(f, width)).collect();
    let (mut assembler, mut out, mut places) = (Assembler::default(), Vec::new(), Vec::new());
    let (mut starts, mut clocks) = (VecDeque::new(), Vec::new());
    let (mut begins, mut begun, mut clk) = (true, true, 0);
    while out.len() < frames.len() {
        let o = model.output(clk);
        places.extend(o.marked);
        if let Some((beat, _)) = o.beat {
            if begun {
                clocks.push((starts.pop_front().unwrap(), clk));
            }
            begun = beat.last;
            out.extend(assembler.push(&beat));
        }
        let beat = waiting.front().map(|b| (*b, 0));
        if o.ready
            && let Some((beat, _)) = beat
        {
            if begins {
                starts.push_back(clk);
            }
            begins = beat.last;
            waiting.pop_front();
        }
        model.step(clk, &mark::In { rst: false, beat, port: PORT, base, ready: true });
        clk += 1;
        assert!(clk < 1 << 22, "frames stay inside");
    }
    (out, places, clocks)
}

/// In the eyes of a parser that others wrote: the checksum of a frame with a place is right, and
/// nothing else of it has changed.
#[test]
fn places_and_checksums_are_right() {
    for seed in seeds() {
        let mut rng = rng(seed);
        for (width, place_bits, base) in [(64, 13, 0), (128, 4, 0), (256, 15, 0), (512, 16, 0x8000), (64, 13, 0x1000)] {
            let sent: Vec<_> = (0..cycles() / 200).map(|_| ours(&mut rng, 300)).collect();
            let frames: Vec<_> = sent.iter().map(|(f, _)| f.clone()).collect();
            let (out, places, _) = through(width, place_bits, base, &frames);
            let mask = ((1u32 << place_bits) - 1) as u16;
            for (n, ((frame, class), marked)) in sent.iter().zip(&out).enumerate() {
                let place = base | n as u16 & mask;
                assert_eq!(places[n], place);
                assert_eq!(marked[class.header() + mark::PLACE..][..2], place.to_be_bytes(), "frame {n}, {width} bits, seed {seed}");
                let checksum = u16::from_be_bytes([marked[class.udp() + udp::CHECKSUM], marked[class.udp() + udp::CHECKSUM + 1]]);
                assert_eq!(checksum, right_sum(marked), "frame {n}, {width} bits, seed {seed}");
                assert_ne!(checksum, 0);
                let mut expected = frame.clone();
                put(&mut expected, class.header() + mark::PLACE, place);
                put(&mut expected, class.udp() + udp::CHECKSUM, checksum);
                assert_eq!(*marked, expected);
            }
        }
    }
}

/// The sums' zeros: a checksum of 0 over IPv4 stays, and one that would become 0 is 0xffff.
#[test]
fn a_checksum_never_becomes_none() {
    let mut rng = rng(1);
    let (mut none, mut full) = (0, 0);
    for class in Class::ALL {
        for place_bits in [1, 16] {
            let (mut frame, got) = loop {
                let (frame, got) = ours(&mut rng, 10);
                if got == class {
                    break (frame, got);
                }
            };
            // With the place that it will get, 0, its sum has all ones: the nonce makes it so.
            put(&mut frame, class.header() + mark::PLACE, 0);
            put(&mut frame, class.header() + 8, 0);
            let sum = right_sum(&frame);
            put(&mut frame, class.header() + 8, sum);
            assert_eq!(right_sum(&frame), 0xffff);
            put(&mut frame, class.header() + mark::PLACE, 0x1234);
            let before = right_sum(&frame);
            put(&mut frame, got.udp() + udp::CHECKSUM, before);
            let (out, ..) = through(64, place_bits, 0, &[frame.clone()]);
            assert_eq!(out[0][class.udp() + udp::CHECKSUM..][..2], [0xff, 0xff], "{class:?}");
            full += 1;
            if !class.ipv6 {
                put(&mut frame, class.udp() + udp::CHECKSUM, 0);
                let (out, ..) = through(512, place_bits, 0, &[frame.clone()]);
                assert_eq!(out[0][class.udp() + udp::CHECKSUM..][..2], [0, 0], "{class:?}");
                assert_eq!(out[0][class.header() + mark::PLACE..][..2], [0, 0]);
                none += 1;
            }
        }
    }
    assert_eq!((none, full), (4, 8));
}

/// Whatever is not ours passes byte for byte and takes no place, and the next frame of ours gets
/// the next one.
#[test]
fn all_others_pass_unchanged() {
    for seed in seeds() {
        let mut rng = rng(seed);
        for width in [64, 128, 256, 512] {
            let (mut frames, mut kinds) = (Vec::new(), vec![0; SPOILED as usize]);
            for n in 0..cycles() / 100 {
                let how = n as u32 % SPOILED;
                let Some(mut frame) = spoiled(&mut rng, how) else { continue };
                if how < 8 && rng.random() {
                    mend(&mut frame, Class::default());
                }
                frames.push(frame);
                kinds[how as usize] += 1;
            }
            assert!(kinds.iter().all(|n| *n > 0), "frames by kind: {kinds:?}");
            let (last, class) = ours(&mut rng, 0);
            frames.push(last);
            let (mut out, places, _) = through(width, 13, 0, &frames);
            assert_eq!(places, [0], "{width} bits, seed {seed}");
            let (_, marked) = (frames.pop(), out.pop().unwrap());
            assert_eq!(out, frames, "{width} bits, seed {seed}");
            assert_eq!(marked[class.header() + mark::PLACE..][..2], [0, 0]);
        }
    }
}

/// The latency that the pages say, the same of every frame that has a header, and a beat a clock
/// behind it.
#[test]
fn latency_and_throughput() {
    let mut rng = rng(1);
    for width in [64, 128, 256, 512] {
        let frames: Vec<_> = (0..500).map(|_| ours(&mut rng, 100).0).collect();
        let (_, _, clocks) = through(width, 13, 0, &frames);
        for (n, (first_in, first_out)) in clocks.iter().enumerate() {
            assert_eq!(first_out - first_in, mark::latency(width), "frame {n}, {width} bits");
        }
        // No stall: each frame's first beat comes right behind the one before's last.
        let taken: usize = frames[..499].iter().map(|f| f.len().div_ceil(width / 8)).sum();
        assert_eq!(clocks[499].0 - clocks[0].0, taken as u64, "{width} bits");
        // One clock a packet, of packets of a beat.
        let runts = vec![vec![1; 8]; 300];
        let (out, _, clocks) = through(width, 13, 0, &runts);
        assert_eq!((out, clocks[299].1 - clocks[0].1), (runts, 299), "{width} bits");
    }
}

#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut offer, mut take) = (Runs::new(0.05, 30), Runs::new(0.7, 4));
        let mut stepped = mark::Mark::new(64, FLOW_BITS, 13);
        let mut skipped = stepped.clone();
        let mut waiting: VecDeque<Beat> = VecDeque::new();
        let mut skips = 0;
        for clk in 0..cycles() {
            assert_eq!(stepped.output(clk), skipped.output(clk), "clock {clk}, seed {seed}");
            if waiting.is_empty() {
                waiting = beats(&any(&mut rng, 0), 64).collect();
            }
            let beat = waiting.front().filter(|_| offer.next(&mut rng)).map(|b| (*b, 1));
            let i = mark::In { rst: rng.random_bool(0.0005), beat, port: PORT, base: 0, ready: take.next(&mut rng) };
            if stepped.output(clk).ready && beat.is_some() {
                waiting.pop_front();
            }
            stepped.step(clk, &i);
            if beat.is_some() || i.rst || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}
