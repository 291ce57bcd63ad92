//! `timely_hw::mac` against `timely_model::mac`, every output at every clock; and the models
//! against Ethernet itself.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use timely_model::mac::{GAP, Gmii, LEAST, PREAMBLE, RESIDUE, SFD, crc32, rx, tx};
use timely_model::stream::beats;
use timely_model::{Block, stream::Beat};
use timely_tests::axis::{Offered, Taken};
use timely_tests::{Runs, cycles, rng, seeds, verilate};

fn check(bytes: &[u8]) -> u32 {
    bytes.iter().fold(!0, |r, b| crc32(r, *b))
}

/// A frame as it is on the wire: preamble, the frame, zeros up to 60 bytes, its check sequence.
fn wire(frame: &[u8]) -> Vec<u8> {
    let mut body = frame.to_vec();
    body.resize(body.len().max(LEAST as usize), 0);
    let fcs = !check(&body);
    [&[PREAMBLE; 7][..], &[SFD], &body, &fcs.to_le_bytes()].concat()
}

#[test]
fn the_check_sequence_is_ethernets() {
    // The published check value of CRC-32, and its residue.
    assert_eq!(!check(b"123456789"), 0xcbf4_3926);
    let whole = [b"123456789".as_slice(), &0xcbf4_3926u32.to_le_bytes()].concat();
    assert_eq!(check(&whole), RESIDUE);
}

/// Frames of all lengths, mostly offered without a gap inside.
struct Frames {
    offer: Runs,
    /// Gaps inside frames, too.
    torn: bool,
    left: Vec<Beat>,
    tag: u16,
    held: Option<(Beat, u16)>,
}

impl Frames {
    fn new(torn: bool) -> Self {
        Frames { offer: Runs::new(0.5, 200), torn, left: Vec::new(), tag: 0, held: None }
    }

    fn next(&mut self, rng: &mut ChaCha8Rng, ready: bool) -> tx::In {
        let may = self.offer.next(rng) && !(self.torn && rng.random_bool(0.4));
        if self.held.is_none() && (may || (!self.torn && !self.left.is_empty())) {
            if self.left.is_empty() {
                let longest = [9, 60, 70, 200][rng.random_range(0..4)];
                let mut frame = vec![0; rng.random_range(1..=longest)];
                rng.fill(&mut frame[..]);
                self.left = beats(&frame, 64).collect();
                self.left.reverse();
                self.tag = rng.random();
                // A keep that no sender may use.
                if rng.random_bool(0.02) {
                    self.left[0].bytes = [0, Beat::HOLES][rng.random_range(0..2)];
                }
            }
            self.held = self.left.pop().map(|b| (b, self.tag));
        }
        let i = tx::In { rst: rng.random_bool(0.0002), beat: self.held };
        if ready {
            self.held = None;
        }
        i
    }
}

#[test]
fn the_sender_equals_its_model() {
    let library = verilate("mac_tx", timely_hw::mac::Tx::default());
    let s = Offered::new(&library, "s");
    let (rst, tag, keep) = (library.input("rst"), library.input("s_tag"), library.input("s_tkeep"));
    let out = |n| library.output(n);
    let (ready, d, en, er) = (out("s_tready"), out("gmii_d"), out("gmii_en"), out("gmii_er"));
    let (sent, sent_tag, underrun) = (out("sent"), out("sent_tag"), out("underrun"));
    for (seed, torn) in seeds().into_iter().flat_map(|s| [(s, false), (s, true)]) {
        let mut rng = rng(seed);
        let mut frames = Frames::new(torn);
        let mut dut = library.instantiate(seed as u32);
        let mut model = tx::Tx::default();
        let (mut begun, mut broken, mut before) = (0, 0, tx::Out::default());
        for clk in 0..cycles() / 2 {
            let gmii = Gmii { data: dut.get(d) as u8, valid: dut.get(en) == 1, error: dut.get(er) == 1 };
            let rtl = tx::Out {
                ready: dut.get(ready) == 1,
                gmii,
                sent: dut.get(sent) == 1,
                sent_tag: dut.get(sent_tag) as u16,
                underrun: dut.get(underrun) == 1,
            };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            begun += u64::from(rtl.sent != before.sent);
            broken += u64::from(rtl.underrun != before.underrun);
            before = rtl;
            let i = frames.next(&mut rng, rtl.ready);
            dut.set(rst, i.rst.into());
            // A hole cannot be said by a beat.
            let whole = i.beat.map(|(b, _)| Beat { bytes: b.bytes.min(8), ..b });
            s.set(&mut dut, whole.as_ref(), &mut rng);
            if i.beat.is_some_and(|(b, _)| b.bytes == Beat::HOLES) {
                dut.set(keep, 0x81 | u64::from(rng.random::<u8>() & 0x3f));
            }
            dut.set(tag, i.beat.map_or_else(|| rng.random(), |(_, t)| t.into()));
            dut.tick();
            model.step(clk, &i);
        }
        println!("{begun} frames, {broken} broken off");
        assert!(begun > cycles() / 800 && (broken > begun / 10) == torn, "{begun} frames, {broken} broken off, seed {seed}");
    }
}

/// The wire of a sender that is fed without a gap: each frame as Ethernet has it, [`GAP`] clocks
/// apart.
#[test]
fn frames_are_on_the_wire_as_ethernet_has_them() {
    let mut rng = rng(7);
    let mut model = tx::Tx::default();
    let lengths = [1, 8, 59, 60, 61, 64, 65, 1514];
    let frames: Vec<Vec<u8>> = lengths.iter().map(|n| (0..*n).map(|_| rng.random()).collect()).collect();
    let mut todo: Vec<Beat> = frames.iter().flat_map(|f| beats(f, 64).collect::<Vec<_>>()).collect();
    todo.reverse();
    let (mut seen, mut gaps, mut quiet) = (vec![vec![]], vec![], 0);
    for clk in 0..4000 {
        let out = model.output(clk);
        if out.gmii.valid {
            if quiet > 0 && !seen[0].is_empty() {
                gaps.push(quiet);
                seen.push(vec![]);
            }
            quiet = 0;
            seen.last_mut().expect("one").push(out.gmii.data);
        } else {
            quiet += 1;
        }
        let beat = todo.last().map(|b| (*b, 5));
        model.step(clk, &tx::In { rst: false, beat });
        if out.ready {
            todo.pop();
        }
    }
    assert_eq!(seen, frames.iter().map(|f| wire(f)).collect::<Vec<_>>());
    assert_eq!(gaps, vec![GAP; lengths.len() - 1]);
}

/// The wire of a PHY: frames whole, short, long, with errors, wrong check sequences and broken
/// preambles, and what a PHY says between them.
struct Wire {
    left: Vec<Gmii>,
    status: u8,
}

impl Wire {
    fn next(&mut self, rng: &mut ChaCha8Rng) -> Gmii {
        if let Some(g) = self.left.pop() {
            return g;
        }
        if rng.random_bool(0.01) {
            self.status = rng.random_range(0..16);
        }
        if rng.random_bool(0.9) {
            // Now and then a carrier extension, or an edge of the status.
            let error = rng.random_bool(0.05);
            let data = if error || rng.random_bool(0.05) { rng.random() } else { self.status | self.status << 4 };
            return Gmii { data, valid: false, error };
        }
        let longest = [5, 70, 70, 300, 300, 17_000][if rng.random_bool(0.004) { 5 } else { rng.random_range(0..5) }];
        let mut frame = vec![0; rng.random_range(0..=longest)];
        rng.fill(&mut frame[..]);
        let mut bytes = wire(&frame);
        if rng.random_bool(0.3) {
            bytes.truncate(rng.random_range(0..bytes.len()));
        }
        if rng.random_bool(0.1) {
            let at = rng.random_range(0..bytes.len().max(1));
            if let Some(b) = bytes.get_mut(at) {
                *b ^= 1 << rng.random_range(0..8);
            }
        }
        if rng.random_bool(0.1) {
            bytes.drain(..rng.random_range(0..bytes.len().min(9)).min(bytes.len()));
        }
        let error = if rng.random_bool(0.1) { rng.random_range(0..bytes.len().max(1)) } else { usize::MAX };
        self.left = bytes.iter().enumerate().map(|(i, b)| Gmii { data: *b, valid: true, error: i == error }).collect();
        self.left.reverse();
        self.left.pop().unwrap_or_default()
    }
}

#[test]
fn the_receiver_equals_its_model() {
    let library = verilate("mac_rx", timely_hw::mac::Rx::default());
    let m = Taken::new(&library, "m");
    let input = |n| library.input(n);
    let (rst, d, dv, er) = (input("rst"), input("gmii_d"), input("gmii_dv"), input("gmii_er"));
    let (bad, begun, status) = (library.output("m_bad"), library.output("begun"), library.output("status"));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut wire = Wire { left: vec![], status: 13 };
        let mut dut = library.instantiate(seed as u32);
        let mut model = rx::Rx::default();
        let (mut good, mut wrong, mut cut) = (0, 0, 0);
        for clk in 0..cycles() {
            let beat = m.get(&dut).map(|b| (b, dut.get(bad) == 1));
            let rtl = rx::Out { beat, begun: dut.get(begun) == 1, status: dut.get(status) as u8 };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            if let Some((Beat { last: true, .. }, bad)) = beat {
                (good, wrong) = (good + u64::from(!bad), wrong + u64::from(bad));
            }
            cut += u64::from(wire.left.len() == 500 && beat.is_some_and(|(b, _)| b.last));
            let i = rx::In { rst: rng.random_bool(0.0001), gmii: wire.next(&mut rng) };
            dut.set(rst, i.rst.into());
            dut.set(d, i.gmii.data.into());
            dut.set(dv, i.gmii.valid.into());
            dut.set(er, i.gmii.error.into());
            dut.tick();
            model.step(clk, &i);
        }
        println!("{good} good frames, {wrong} bad ones, {cut} at one place");
        assert!(good > cycles() / 1500 && wrong > cycles() / 1500, "{good} good frames, {wrong} bad ones, seed {seed}");
    }
}

/// The receiver gives back the sender's frames; one bit of a frame turned over on the way makes it
/// bad.
#[test]
fn what_is_sent_is_received() {
    let mut rng = rng(3);
    for n in 0..300 {
        let frame: Vec<u8> = (0..rng.random_range(1..400)).map(|_| rng.random()).collect();
        let mut bytes = wire(&frame);
        let torn = n % 2 == 1;
        if torn {
            let at = rng.random_range(8..bytes.len());
            bytes[at] ^= 1 << rng.random_range(0..8);
        }
        let mut model = rx::Rx::default();
        let (mut got, mut end) = (vec![], None);
        for clk in 0..bytes.len() as u64 + 20 {
            if let Some((beat, bad)) = model.output(clk).beat {
                got.extend_from_slice(&beat.data[..beat.bytes.into()]);
                end = beat.last.then_some(bad).or(end);
            }
            let gmii = bytes.get(clk as usize).map_or(Gmii::default(), |b| Gmii { data: *b, valid: true, error: false });
            model.step(clk, &rx::In { rst: false, gmii });
        }
        assert_eq!(end, Some(torn), "a frame of {} bytes", frame.len());
        let mut padded = frame.clone();
        padded.resize(frame.len().max(LEAST as usize), 0);
        assert!(torn || got == padded, "a frame of {} bytes", frame.len());
    }
}
