//! `timely_hw::roce::Mend` and `timely_model::roce::Mend` against frames whose check sequence was
//! made anew, every output at every clock.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use timely_hw::roce::Mend as Block;
use timely_model::roce::{Mend, Mended};
use timely_model::stream::{Beat, beat};
use timely_regs::roce::{ICRC_BYTES, Kind, check, offset};
use timely_regs::wire::{Class, udp};
use timely_tests::roce::{packet, seal};
use timely_tests::{cycles, rng, seeds, verilate};

/// Frames of whole beats: what goes in, what is to come out, and how it is mended if it is.
struct Frame {
    input: Vec<u8>,
    output: Vec<u8>,
    mended: Option<Mended>,
}

fn data(rng: &mut ChaCha8Rng, class: Class, most: usize) -> Vec<u8> {
    loop {
        let mut frame = packet(rng, class, most);
        frame[class.udp() + udp::CHECKSUM..][..2].fill(0);
        frame[class.header() + offset::ACK_REQUEST] &= 0x7f;
        seal(&mut frame, class);
        if check(&frame).is_ok_and(|h| h.kind == Kind::Data) {
            return frame;
        }
    }
}

fn frame(rng: &mut ChaCha8Rng, width: usize) -> Frame {
    let class = Class::ALL[rng.random_range(0..4)];
    let most = [0, 40, 200, 1024, 4096][rng.random_range(0..5)];
    let input = data(rng, class, most);
    let mended = Mended { class, place: (input.len() - ICRC_BYTES) as u16 };
    let mended = Some(mended).filter(|m| m.fits(width) && rng.random_range(0..4) > 0);
    let mut output = input.clone();
    if mended.is_some() {
        output[class.header() + offset::ACK_REQUEST] |= 0x80;
        seal(&mut output, class);
        assert!(check(&output).is_ok_and(|h| h.ack_request));
    }
    Frame { input, output, mended }
}

fn run<const W: usize, const K: usize, const N: usize>(tally: &mut BTreeMap<(usize, String), u64>) {
    let library = verilate(&format!("mend{W}"), Block::<W, K, N>::new());
    let port = |name| library.input(name);
    for seed in seeds() {
        let (mut rng, mut dut, mut model) = (rng(seed), library.instantiate(seed as u32), Mend::new(W));
        dut.set(port("rst"), 1);
        dut.tick();
        let (mut now, mut at): (Option<Frame>, usize) = (None, 0);
        for clk in 0..cycles() {
            let reset = rng.random_bool(0.0005);
            let f = now.get_or_insert_with(|| frame(&mut rng, W));
            let (taken, sent) = (rng.random_bool(0.7), beat(&f.input, W, at));
            let mended = f.mended.unwrap_or(Mended { class: Class::ALL[rng.random_range(0..4)], place: rng.random_range(0..1 << 14) });
            dut.set(port("rst"), reset.into());
            dut.set_bytes(port("s_tdata"), &sent.data[..K]);
            dut.set(port("s_tlast"), sent.last.into());
            dut.set(port("s_taken"), taken.into());
            dut.set(port("s_asks"), f.mended.is_some().into());
            dut.set(port("s_class"), mended.class.bits().into());
            dut.set(port("s_place"), mended.place.into());
            dut.settle();
            let right = beat(&f.output, W, at);
            let bytes = usize::from(right.bytes);
            let shown = dut.get_bytes(library.output("m_tdata"));
            assert_eq!(shown[..bytes], right.data[..bytes], "beat {at}, {:?}, clock {clk}, seed {seed}, {W} bits", f.mended);
            let modelled = model.beat(&sent, f.mended);
            assert_eq!(modelled.data[..bytes], right.data[..bytes], "model, beat {at}, {:?}, seed {seed}", f.mended);
            let last = (f.input.len() - 1) / K;
            if taken && sent.last && f.mended.is_some() {
                let place = (f.input.len() - ICRC_BYTES) % K;
                let ack = (mended.class.header() + offset::ACK_REQUEST) / K;
                let kind = if place + ICRC_BYTES > K { "across two beats" } else { "in one beat" };
                *tally.entry((W, format!("class {}, {kind}", mended.class.bits()))).or_default() += 1;
                *tally.entry((W, format!("{} beats behind AckReq", (last - ack).min(3)))).or_default() += 1;
            }
            dut.tick();
            if reset {
                (model, now, at) = (Mend::new(W), None, 0);
            } else if taken {
                model.step(Some(&Beat { last: sent.last, ..sent }));
                at += 1;
                if sent.last {
                    (now, at) = (None, 0);
                }
            }
        }
    }
}

#[test]
fn rtl_equals_model() {
    let mut tally = BTreeMap::new();
    run::<64, 8, 1>(&mut tally);
    run::<128, 16, 2>(&mut tally);
    run::<256, 32, 4>(&mut tally);
    run::<512, 64, 8>(&mut tally);
    println!("{tally:#?}");
    // At 512 bits a sequence across two beats and another class' AckReq in its second are rare.
    assert!(tally.len() >= 4 * (8 + 2) && tally.values().all(|n| *n > 3), "{tally:?}");
}
