//! `timely_hw::txmux` against `timely_model::txmux`, every output at every clock; and what the
//! multiplexer promises, on the model.
use rand::Rng;
use timely_model::{Block, stream::Beat, txmux};
use timely_regs::link::ACK_TAG;
use timely_tests::axis::{Offered, Taken, random_beat};
use timely_tests::{Runs, cycles, rng, seeds, verilate};

/// One of the two sources: frames of random lengths, held until taken, with gaps also inside
/// frames.
struct Source {
    offer: Runs,
    bytes: usize,
    longest: u32,
    left: u32,
    tag: u16,
    held: Option<Beat>,
}

impl Source {
    fn new(p: f64, bytes: usize, longest: u32) -> Self {
        Source { offer: Runs::new(p, 12), bytes, longest, left: 0, tag: 0, held: None }
    }

    fn next(&mut self, rng: &mut impl Rng) -> Option<Beat> {
        if self.held.is_none() && self.offer.next(rng) {
            if self.left == 0 {
                self.left = rng.random_range(1..=self.longest);
                self.tag = rng.random_range(0..0x7fff);
            }
            self.left -= 1;
            self.held = Some(random_beat(rng, self.bytes, self.left == 0));
        }
        self.held
    }

    fn taken(&mut self, ready: bool) {
        if ready {
            self.held = None;
        }
    }
}

struct Bench {
    ack: Source,
    data: Source,
    take: Runs,
    fair: bool,
}

impl Bench {
    fn new(bytes: usize, ack: f64, data: f64, take: f64) -> Self {
        Bench { ack: Source::new(ack, bytes, 3), data: Source::new(data, bytes, 9), take: Runs::new(take, 12), fair: false }
    }

    /// The inputs of a clock whose outputs are `out`.
    fn next(&mut self, rng: &mut impl Rng, out: &txmux::Out) -> txmux::In {
        let (ack, data) = (self.ack.next(rng), self.data.next(rng));
        let i = txmux::In {
            rst: rng.random_bool(0.0005),
            fair: self.fair,
            ack,
            data: data.map(|b| (b, self.data.tag)),
            ready: self.take.next(rng),
        };
        self.ack.taken(out.ack_ready);
        self.data.taken(out.data_ready);
        i
    }
}

fn lockstep<const W: usize, const K: usize>(name: &str) {
    let library = verilate(name, timely_hw::txmux::TxMux::<W, K>::default());
    let (a, d, m) = (Offered::new(&library, "a"), Offered::new(&library, "d"), Taken::new(&library, "m"));
    let [rst, fair, d_tag, m_tready] = ["rst", "fair", "d_tag", "m_tready"].map(|name| library.input(name));
    let (a_tready, d_tready, m_tag) = (library.output("a_tready"), library.output("d_tready"), library.output("m_tag"));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench::new(K, 0.3, 0.7, 0.7);
        let mut dut = library.instantiate(seed as u32);
        let mut model = txmux::TxMux::default();
        for clk in 0..cycles() {
            let rtl = txmux::Out {
                ack_ready: dut.get(a_tready) == 1,
                data_ready: dut.get(d_tready) == 1,
                beat: m.get(&dut).map(|beat| (beat, dut.get(m_tag) as u16)),
            };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            bench.fair ^= rng.random_bool(0.001);
            let i = bench.next(&mut rng, &rtl);
            dut.set(rst, i.rst.into());
            dut.set(fair, i.fair.into());
            a.set(&mut dut, i.ack.as_ref(), &mut rng);
            d.set(&mut dut, i.data.as_ref().map(|(beat, _)| beat), &mut rng);
            dut.set(d_tag, i.data.map_or_else(|| rng.random(), |(_, tag)| tag).into());
            dut.set(m_tready, i.ready.into());
            dut.tick();
            model.step(clk, &i);
        }
    }
}

#[test]
fn rtl_equals_model_64() {
    lockstep::<64, 8>("txmux64");
}

#[test]
fn rtl_equals_model_512() {
    lockstep::<512, 64>("txmux512");
}

#[test]
fn emits_at_all_widths() {
    timely_hw::emit::emit("txmux128", timely_hw::txmux::TxMux::<128, 16>::default()).unwrap();
    timely_hw::emit::emit("txmux256", timely_hw::txmux::TxMux::<256, 32>::default()).unwrap();
}

/// Frames come out whole and unchanged, each stream in its order; no ACK waits for a data frame
/// that had not begun.
#[test]
fn frames_stay_whole_and_acks_go_first() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench::new(64, 0.3, 0.9, 0.8);
        let mut model = txmux::TxMux::default();
        let (mut acks, mut data) = (std::collections::VecDeque::new(), std::collections::VecDeque::new());
        let (mut inside, mut switches) = (None, 0);
        for clk in 0..cycles() {
            let out = model.output(clk);
            let i = txmux::In { rst: false, ..bench.next(&mut rng, &out) };
            acks.extend(i.ack.filter(|_| out.ack_ready));
            data.extend(i.data.filter(|_| out.data_ready));
            if let (Some((beat, tag)), true) = (out.beat, i.ready) {
                let is_ack = tag == ACK_TAG;
                let expected = if is_ack { acks.pop_front().map(|b| (b, ACK_TAG)) } else { data.pop_front() };
                assert_eq!(expected, Some((beat, tag)), "clock {clk}, seed {seed}");
                if let Some(tag_inside) = inside {
                    assert_eq!(tag, tag_inside, "a frame was cut at clock {clk}, seed {seed}");
                } else {
                    switches += u32::from(is_ack);
                }
                inside = (!beat.last).then_some(tag);
            }
            let before = model.clone();
            model.step(clk, &i);
            // A new frame was loaded: a data frame only when no ACK was to be had.
            if let (Some((_, tag)), false) = (model.output(clk).beat, before.is_inside()) {
                let loaded = before.output(clk).beat.is_none() || i.ready;
                assert!(!loaded || tag == ACK_TAG || (i.ack.is_none() && before.output(clk).ack_ready), "clock {clk}, seed {seed}");
            }
        }
        assert!(switches > 100, "only {switches} ACK frames");
    }
}

/// With both streams full and downstream ready, no clock is lost, not between frames either.
#[test]
fn no_bubbles() {
    let mut rng = rng(1);
    let mut bench = Bench::new(64, 0.5, 1.0, 1.0);
    let mut model = txmux::TxMux::default();
    for clk in 0..1000 {
        let out = model.output(clk);
        assert!(clk == 0 || out.beat.is_some() || model.is_inside(), "clock {clk}");
        let mut i = bench.next(&mut rng, &out);
        i.rst = false;
        model.step(clk, &i);
    }
}

/// By turns: with both streams full, one frame of each.
#[test]
fn fair_streams_take_turns() {
    let mut rng = rng(1);
    let mut bench = Bench { fair: true, ..Bench::new(64, 1.0, 1.0, 0.8) };
    let mut model = txmux::TxMux::default();
    let (mut before, mut frames) = (None, 0);
    for clk in 0..10_000 {
        let out = model.output(clk);
        let mut i = bench.next(&mut rng, &out);
        i.rst = false;
        if let (Some((beat, tag)), true) = (out.beat, i.ready)
            && beat.last
        {
            let is_ack = tag == ACK_TAG;
            assert!(before != Some(is_ack), "two frames of one stream at clock {clk}");
            (before, frames) = (Some(is_ack), frames + 1);
        }
        model.step(clk, &i);
    }
    assert!(frames > 1000, "only {frames} frames");
}

#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench::new(8, 0.02, 0.05, 0.6);
        let (mut stepped, mut skipped) = (txmux::TxMux::default(), txmux::TxMux::default());
        let mut skips = 0;
        for clk in 0..cycles() {
            let out = stepped.output(clk);
            assert_eq!(out, skipped.output(clk), "clock {clk}, seed {seed}");
            let i = bench.next(&mut rng, &out);
            stepped.step(clk, &i);
            if i.ack.is_some() || i.data.is_some() || i.rst || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}
