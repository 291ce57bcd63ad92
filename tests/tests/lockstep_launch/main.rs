//! The blocks in front of a wire. Here `timely_hw::launch` against `timely_model::launch`, every
//! output at every clock, and the gate's promises, on the model; beside it a board's MAC, its
//! serial line, and its queue between two clocks.
mod cross;
mod mac;
mod serial;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use timely_model::launch::{EARLY, FARTHEST, FRACTION, In, LATE, LATENCY, Launch, Out, Timed};
use timely_model::{Block, stream::Beat};
use timely_tests::axis::{Offered, Taken, random_beat};
use timely_tests::{Runs, cycles, rng, seeds, verilate};

/// A clock of 4 ns.
const PERIOD: u64 = 4 << 16;

/// `past` is how long the launch is past, 2^-8 ns: that much before a time, give or take some
/// clocks.
fn near(rng: &mut ChaCha8Rng, past: i64) -> i64 {
    rng.random_range(-20 * PERIOD as i64..20 * PERIOD as i64) - (past << FRACTION)
}

/// Frames with launches around the time, offered in runs, some with any launch; a time that steps
/// now and then, though the NIC's never does; a downstream that stalls.
struct Bench {
    now: u64,
    bytes: usize,
    offer: Runs,
    take: Runs,
    left: u32,
    frame: (u16, Option<u64>),
    held: Option<Timed>,
}

impl Bench {
    fn new(bytes: usize, offer: f64, take: f64) -> Self {
        let (offer, take) = (Runs::new(offer, 30), Runs::new(take, 20));
        Bench { now: u64::MAX - 50_000 * PERIOD, bytes, offer, take, left: 0, frame: (0, None), held: None }
    }

    fn next(&mut self, rng: &mut ChaCha8Rng, out: &Out) -> In {
        self.now = self.now.wrapping_add(PERIOD + rng.random_range(0..200));
        if rng.random_bool(0.0005) {
            self.now = self.now.wrapping_add(rng.random::<u64>() >> rng.random_range(1..50));
        }
        if self.held.is_none() && self.offer.next(rng) {
            if self.left == 0 {
                self.left = [1, 1, 2, 3, 24][rng.random_range(0..5)];
                let ahead = [1, 30, 1000][rng.random_range(0..3)] * PERIOD;
                let launch = match rng.random_range(0..40) {
                    0 => rng.random(),
                    1 => {
                        let edge = [-FARTHEST, LATE][rng.random_range(0..2)];
                        self.now.wrapping_add_signed(near(rng, edge))
                    }
                    _ => self.now.wrapping_add(rng.random_range(0..ahead)).wrapping_sub(rng.random_range(0..20 * PERIOD)),
                };
                self.frame = (rng.random(), rng.random_bool(0.9).then_some(launch));
            }
            self.left -= 1;
            let beat = random_beat(rng, self.bytes, self.left == 0);
            self.held = Some(Timed { beat, tag: self.frame.0, launch: self.frame.1 });
        }
        let i = In { rst: rng.random_bool(0.0003), beat: self.held, now: self.now, ready: self.take.next(rng) };
        if out.ready {
            self.held = None;
        }
        i
    }
}

fn lockstep<const W: usize, const K: usize, const N: usize>(name: &str) {
    let library = verilate(name, timely_hw::launch::Launch::<W, K, N>::default());
    let (s, m) = (Offered::new(&library, "s"), Taken::new(&library, "m"));
    let input = |n| library.input(n);
    let (rst, s_tag, s_launch, now, m_tready) = (input("rst"), input("s_tag"), input("s_launch"), input("now"), input("m_tready"));
    let (s_timed, missed) = (input("s_timed"), library.output("missed"));
    let (s_tready, m_tag, empty) = (library.output("s_tready"), library.output("m_tag"), library.output("empty"));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench::new(K, 0.6, 0.8);
        let mut dut = library.instantiate(seed as u32);
        let mut model = Launch::new();
        let (mut beats, mut held, mut misses) = (0, 0, 0);
        for clk in 0..cycles() {
            let rtl = Out {
                ready: dut.get(s_tready) == 1,
                beat: m.get(&dut).map(|beat| (beat, dut.get(m_tag) as u16)),
                empty: dut.get(empty) == 1,
                missed: dut.get(missed) == 1,
            };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            let i = bench.next(&mut rng, &rtl);
            beats += u64::from(rtl.beat.is_some() && i.ready);
            held += u64::from(rtl.beat.is_none() && !rtl.empty);
            misses += u64::from(rtl.missed);
            dut.set(rst, i.rst.into());
            s.set(&mut dut, i.beat.as_ref().map(|t| &t.beat), &mut rng);
            dut.set(s_tag, i.beat.map_or_else(|| rng.random(), |t| t.tag.into()));
            dut.set(s_timed, i.beat.map_or_else(|| rng.random(), |t| t.launch.is_some()).into());
            dut.set(s_launch, i.beat.and_then(|t| t.launch).unwrap_or_else(|| rng.random()));
            dut.set(now, i.now);
            dut.set(m_tready, i.ready.into());
            dut.tick();
            model.step(clk, &i);
        }
        println!("{beats} beats; held back for {held} clocks; {misses} launches missed");
        assert!(beats > cycles() / 50 && held > cycles() / 20, "{beats} beats, held back for {held} clocks, seed {seed}");
        assert!(misses > cycles() / 2000, "{misses} launches missed, seed {seed}");
    }
}

#[test]
fn rtl_equals_model_64() {
    lockstep::<64, 8, 82>("launch64");
}

#[test]
fn rtl_equals_model_512() {
    lockstep::<512, 64, 138>("launch512");
}

#[test]
fn emits_at_all_widths() {
    timely_hw::emit::emit("launch128", timely_hw::launch::Launch::<128, 16, 90>::default()).unwrap();
    timely_hw::emit::emit("launch256", timely_hw::launch::Launch::<256, 32, 106>::default()).unwrap();
}

/// Frames of one beat, launches in order and the output free: each is there [`LATENCY`] clocks
/// after the first that sees its launch if it came early enough, and as soon as the gate can
/// otherwise; a stream of frames whose launches are past goes through without a gap.
#[test]
fn frames_leave_at_their_launch() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut model = Launch::new();
        let (mut owed, mut next, mut last_out) = (VecDeque::new(), 0u64, 0);
        let (mut exact, mut row, mut longest) = (0, 0, 0);
        for clk in 0..cycles() {
            let out = model.output(clk);
            let now = clk * PERIOD;
            let mut beat = None;
            if out.ready && rng.random_bool([0.02, 1.0][(clk / 1000 % 2) as usize]) {
                // One clock apart or more; in every other thousand all are long past.
                let past = clk / 1000 % 2 == 1;
                next = if past { next } else { next.max(now) + rng.random_range(1..40) * PERIOD + rng.random_range(0..PERIOD) };
                beat = Some(Timed { beat: Beat { bytes: 8, last: true, ..Beat::default() }, tag: 1, launch: Some(next) });
                owed.push_back((clk, next));
            }
            row = if out.beat.is_some() { row + 1 } else { 0 };
            longest = longest.max(row);
            if out.beat.is_some() {
                let (taken, launch) = owed.pop_front().expect("nothing leaves that did not come");
                let seen = ((launch >> 8) << 8).div_ceil(PERIOD);
                let expected = (seen + LATENCY).max(taken + EARLY + LATENCY).max(last_out + 1);
                assert_eq!(clk, expected, "a frame of clock {taken}, its launch seen at {seen}, seed {seed}");
                exact += u64::from(clk == seen + LATENCY);
                last_out = clk;
            }
            model.step(clk, &In { rst: false, beat, now, ready: true });
        }
        println!("{exact} frames left at their launch; up to {longest} in a row");
        assert!(exact > 100 && longest > 500, "seed {seed}");
    }
}

/// A frame whose launch is any time at all delays no other frame by more than [`FARTHEST`], and
/// counts; those around it keep their launches.
#[test]
fn no_launch_blocks() {
    const GAP: u64 = 1000;
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut model = Launch::new();
        let (mut owed, mut wrong, mut missed, mut left) = (VecDeque::new(), 0, 0, 0);
        for clk in 0..cycles() {
            let out = model.output(clk);
            let now = (clk * PERIOD).wrapping_sub(cycles() / 2 * PERIOD);
            missed += u64::from(out.missed);
            if out.beat.is_some() {
                let due: u64 = owed.pop_front().expect("nothing leaves that did not come");
                assert!(clk - due <= 1, "a frame that was due at {due} left at {clk}, seed {seed}");
                left += 1;
            }
            let mut beat = None;
            if clk % GAP == 0 {
                // From 66 us to 39 hours, either way; or the next 2 us.
                let spoilt = rng.random_bool(0.5);
                let bits = rng.random_range(18..48);
                let ns = if spoilt { rng.random_range(66_000..1u64 << bits) } else { rng.random_range(100..2000) };
                let launch = if spoilt && rng.random() { now.wrapping_sub(ns << 16) } else { now.wrapping_add(ns << 16) };
                wrong += u64::from(spoilt);
                owed.push_back(if spoilt { clk + EARLY + LATENCY } else { clk + (ns << 16).div_ceil(PERIOD) + LATENCY });
                beat = Some(Timed { beat: Beat { bytes: 8, last: true, ..Beat::default() }, tag: 1, launch: Some(launch) });
            }
            model.step(clk, &In { rst: false, beat, now, ready: true });
        }
        println!("{left} frames, {wrong} of them with a wrong launch");
        assert!(
            owed.len() <= 1 && missed.abs_diff(wrong) <= 1,
            "{} frames are inside, {missed} of {wrong} counted, seed {seed}",
            owed.len()
        );
    }
}

#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench::new(8, 0.1, 0.8);
        let (mut stepped, mut skipped) = (Launch::new(), Launch::new());
        let mut skips = 0;
        for clk in 0..cycles() {
            let out = stepped.output(clk);
            assert_eq!(out, skipped.output(clk), "clock {clk}, seed {seed}");
            let i = bench.next(&mut rng, &out);
            stepped.step(clk, &i);
            if i.beat.is_some() || i.rst || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 50, "only {skips} clocks were skipped: wake() is never idle");
    }
}
