//! `timely_hw::pacer::wheel` against `timely_model::pacer::wheel`, every output at every clock; and
//! what a calendar must do: every flow comes out once, not before its slot is over, and soon after.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use timely_hw::pacer::wheel::Wheel;
use timely_model::Block;
use timely_model::pacer::timemap::TimeMap;
use timely_model::pacer::wheel::{self, In, Insert};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate::{Dut, Library};

/// The behaviour of the load beside inserting and taking.
#[derive(Clone, Copy, PartialEq)]
enum Time {
    /// `now` runs, a little faster or slower.
    Runs,
    /// `now` also crawls, stands and races, jumps forward within the wheel, and sometimes beyond or
    /// back; wrong slots are asked for; resets.
    Jumps,
}

/// Where a flow is, as the load knows it.
struct Load {
    flows: u32,
    slots: u64,
    time: Time,
    now: u64,
    step: u64,
    free: Vec<u32>,
    /// The slot, counted from the start of time and not modulo the wheel, and the clock of the
    /// insert.
    asleep: Vec<Option<(u64, u64)>>,
    offer: Runs,
    take: Runs,
    /// Slots ahead that inserts choose from.
    near: u64,
    base: u64,
    left: u32,
    out: u64,
    inserted: u64,
    longest: u64,
    /// Clocks to a second jump: while the drain still lags by the first.
    again: u32,
    start: u64,
    /// Flows asleep by the slot of their list, from `start` on.
    lists: BTreeMap<u64, u32>,
    /// The word (of slots from `start` on) that the drain has reached at least, and clocks there
    /// without a flow that is over.
    word: u64,
    passed: u32,
    /// Inserts of the last clocks, the newest at bit 0.
    inserts: u32,
    /// Clocks without a flow coming out, while one of the drain's word is over.
    gap: u32,
    widest: u32,
}

/// Clocks in which the drain passes a word without a flow that is over.
const PASS: u32 = 5;
/// Clocks within which a flow comes out whose slot is over and whose word the drain has reached: 2
/// for the time's registers, 1 each for the find, the slot's number, the head, the list and the
/// walker; and a pass, which may have begun later than it is counted here.
const LAG: u32 = 7 + PASS;
/// Clocks from an insert to its turn at the heads, where the drain does not read then.
const HEADS: u32 = 6;

fn slot(now: u64) -> u64 {
    now >> 19
}

impl Load {
    fn new(flow_bits: u32, slot_bits: u32, time: Time, start: u64) -> Self {
        let flows = 1 << flow_bits;
        Load {
            flows,
            slots: 1 << slot_bits,
            time,
            now: start,
            step: 4 << 16,
            free: (0..flows).collect(),
            asleep: vec![None; flows as usize],
            offer: Runs::new(0.5, 20),
            take: Runs::new(0.9, 10),
            near: 64,
            base: 4,
            left: 0,
            out: 0,
            inserted: 0,
            longest: 0,
            again: 0,
            start: slot(start),
            lists: BTreeMap::new(),
            word: 0,
            passed: 0,
            inserts: 0,
            gap: 0,
            widest: 0,
        }
    }

    /// The inputs of clock `clk`, given what the wheel shows.
    fn next(&mut self, clk: u64, out: &wheel::Out, rng: &mut ChaCha8Rng) -> In {
        if self.left == 0 {
            self.left = rng.random_range(100..4000);
            self.offer.p = [0.02, 0.4, 0.9, 1.0][rng.random_range(0..4)];
            self.take.p = if self.time == Time::Runs { 1.0 } else { [0.1, 0.6, 0.95, 1.0][rng.random_range(0..4)] };
            // A drain that lags by 1/16 of the wheel makes the farthest inserts early; where
            // nothing may be early, none is so far.
            let far = if self.time == Time::Runs { self.slots * 3 / 4 } else { self.slots * 15 / 16 - 8 };
            self.near = [1, 3, 70, far / 3, far][rng.random_range(0..5)];
            self.base = if rng.random_bool(0.5) { 4 } else { rng.random_range(4..=(far + 1).saturating_sub(self.near).max(4)) };
            self.step = (4 << 16) - 26 + [0, 26, 52, 926][rng.random_range(0..4)];
            if self.time == Time::Jumps && rng.random_bool(0.2) {
                self.step = [0, 1 << 16, 9 << 16][rng.random_range(0..3)];
            }
        }
        self.left -= 1;
        self.now = self.now.wrapping_add(self.step);
        let mut rst = false;
        if self.time == Time::Jumps {
            rst = rng.random_bool(0.0001);
            self.again = self.again.saturating_sub(1);
            if self.again == 1 || rng.random_bool(0.0006) {
                if self.again == 0 && rng.random() {
                    self.again = rng.random_range(2..60);
                }
                let horizon = self.slots << 19;
                self.now = match rng.random_range(0..8) {
                    0 => self.now.wrapping_add(horizon * 3 / 2),
                    1 => self.now.wrapping_sub(rng.random_range(0..horizon / 8)),
                    2..=4 => self.now.wrapping_add(rng.random_range(0..1 << 23)),
                    _ => self.now.wrapping_add(rng.random_range(0..horizon)),
                };
            }
        }
        let insert = (self.offer.next(rng) && !self.free.is_empty()).then(|| {
            let at = rng.random_range(0..self.free.len());
            let flow = if out.swept && !rst { self.free.swap_remove(at) } else { self.free[at] };
            let wrong = self.time == Time::Jumps && rng.random_bool(0.02);
            let ahead = if wrong { rng.random_range(0..self.slots) } else { self.base + rng.random_range(0..self.near) };
            // The slot number wraps with `now`.
            let target = slot(self.now.wrapping_add(ahead << 19));
            if out.swept && !rst {
                self.asleep[flow as usize] = Some((target, clk));
                self.inserted += 1;
                *self.lists.entry(self.list(flow, target)).or_default() += 1;
            }
            Insert { flow, slot: (target % self.slots) as u32 }
        });
        let i = In { rst, now: self.now, insert, ready: self.take.next(rng) };
        if let Some(flow) = out.due.filter(|_| i.ready) {
            let (target, _) = self.asleep[flow as usize].take().unwrap_or_else(|| panic!("clock {clk}: flow {flow} came out twice"));
            self.out += 1;
            self.free.push(flow);
            if self.time == Time::Runs {
                let over = slot(self.now.wrapping_sub(6 * self.step));
                // `now` wraps at 2^48 ns, its slot number at 2^45.
                let past = over.wrapping_sub(target) << 19 >> 19;
                assert!((1..1 << 44).contains(&past), "clock {clk}: flow {flow} came out early");
                self.longest = self.longest.max(past - 1);
                let list = self.list(flow, target);
                let left = self.lists.get_mut(&list).expect("it slept there");
                *left -= 1;
                if *left == 0 {
                    self.lists.remove(&list);
                }
            }
            self.gap = 0;
        }
        if self.time == Time::Runs {
            self.keeps_up(insert.is_some(), clk);
        }
        if rst {
            self.free = (0..self.flows).collect();
            self.asleep.fill(None);
            self.inserted = self.out;
        }
        i
    }
}

impl Load {
    /// The list of a flow that was asked into a slot, counted from `start`: half of the flows go a
    /// slot later.
    fn list(&self, flow: u32, target: u64) -> u64 {
        (target.wrapping_sub(self.start) & ((1 << 45) - 1)) + u64::from(flow.count_ones() & 1)
    }

    /// The drain passes words and gives out what is over at its pace, counted in clocks at which no
    /// insert has the heads.
    fn keeps_up(&mut self, insert: bool, clk: u64) {
        self.inserts = self.inserts << 1 | u32::from(insert);
        if self.inserts >> HEADS & 1 == 1 {
            return;
        }
        let over = slot(self.now).wrapping_sub(self.start) & ((1 << 45) - 1);
        let first = self.lists.keys().next().copied().filter(|f| *f < over);
        if let Some(first) = first.filter(|f| f >> wheel::WORD_BITS <= self.word) {
            self.gap += 1;
            self.widest = self.widest.max(self.gap);
            assert!(self.gap <= LAG, "clock {clk}: the list of slot {first} is over at {over}, and none came out for {LAG} clocks");
        } else if self.word < over >> wheel::WORD_BITS {
            self.passed += 1;
            if self.passed == PASS {
                (self.word, self.passed, self.gap) = (self.word + 1, 0, 0);
            }
        }
    }
}

struct Ports {
    rst: timely_verilate::In,
    now: timely_verilate::In,
    insert_valid: timely_verilate::In,
    insert_flow: timely_verilate::In,
    insert_slot: timely_verilate::In,
    due_ready: timely_verilate::In,
    due_valid: timely_verilate::Out,
    due_flow: timely_verilate::Out,
    swept: timely_verilate::Out,
}

impl Ports {
    fn of(l: &Library) -> Self {
        Ports {
            rst: l.input("rst"),
            now: l.input("now"),
            insert_valid: l.input("insert_valid"),
            insert_flow: l.input("insert_flow"),
            insert_slot: l.input("insert_slot"),
            due_ready: l.input("due_ready"),
            due_valid: l.output("due_valid"),
            due_flow: l.output("due_flow"),
            swept: l.output("swept"),
        }
    }

    fn get(&self, dut: &Dut) -> wheel::Out {
        wheel::Out { swept: dut.get(self.swept) == 1, due: (dut.get(self.due_valid) == 1).then(|| dut.get(self.due_flow) as u32) }
    }

    fn set(&self, dut: &mut Dut, i: &In, garbage: u64) {
        dut.set(self.rst, i.rst.into());
        dut.set(self.now, i.now);
        dut.set(self.insert_valid, i.insert.is_some().into());
        dut.set(self.insert_flow, i.insert.map_or(garbage, |x| x.flow.into()));
        dut.set(self.insert_slot, i.insert.map_or(garbage >> 20, |x| x.slot.into()));
        dut.set(self.due_ready, i.ready.into());
    }
}

/// A wheel in RTL and its model beside it.
struct Pair {
    ports: Ports,
    dut: Dut,
    model: wheel::Wheel,
    clk: u64,
}

impl Pair {
    fn new<const F: usize, const X: usize, const A: usize, const G: usize>(seed: u64) -> Self {
        let library = verilate(&format!("wheel_{F}_{X}"), Wheel::<F, X, A, G>::new());
        Pair { ports: Ports::of(&library), dut: library.instantiate(seed as u32), model: wheel::Wheel::new(F as u32, X as u32), clk: 0 }
    }

    fn output(&self, seed: u64) -> wheel::Out {
        let out = self.model.output(self.clk);
        assert_eq!(self.ports.get(&self.dut), out, "clock {}, seed {seed}", self.clk);
        out
    }

    fn step(&mut self, i: &In) {
        self.ports.set(&mut self.dut, i, 0x5a5a_5a5a_5a5a ^ self.clk);
        self.dut.tick();
        self.model.step(self.clk, i);
        self.clk += 1;
    }

    /// A clock without an insert; the flow that leaves at it.
    fn idle(&mut self, now: u64, ready: bool, seed: u64) -> Option<u32> {
        let out = self.output(seed);
        self.step(&In { now, ready, ..In::default() });
        out.due.filter(|_| ready)
    }
}

/// Random load; then no more inserts, and every flow must have come out within two turns.
fn run<const F: usize, const X: usize, const A: usize, const G: usize>(time: Time, clocks: u64) {
    for seed in seeds() {
        let mut rng = rng(seed);
        // The last turns before 2^48 ns.
        let start = 0u64.wrapping_sub((clocks / 2) << 18);
        let mut load = Load::new(F as u32, X as u32, time, start);
        let mut pair = Pair::new::<F, X, A, G>(seed);
        for _ in 0..clocks {
            let out = pair.output(seed);
            let i = load.next(pair.clk, &out, &mut rng);
            pair.step(&i);
        }
        let (mut now, mut left) = (load.now, load.asleep.iter().flatten().count());
        for _ in 0..(4 << X) + 20_000 {
            now = now.wrapping_add(4 << 16);
            if let Some(flow) = pair.idle(now, true, seed) {
                assert!(load.asleep[flow as usize].take().is_some(), "flow {flow} came out twice, seed {seed}");
                left -= 1;
            }
        }
        assert_eq!(left, 0, "flows that never came out, seed {seed}");
        assert!(load.inserted > clocks / 50, "only {} inserts", load.inserted);
        println!("F {F}, X {X}: {} inserts, {} out", load.inserted, load.out);
        if time == Time::Runs {
            println!("latest {} slots after its own, {} clocks at most until one of the drain's word came out", load.longest, load.widest);
        }
    }
}

#[test]
fn tiny_under_jumps() {
    run::<4, 10, 6, 5>(Time::Jumps, cycles());
}

#[test]
fn small_under_jumps() {
    run::<9, 10, 6, 10>(Time::Jumps, cycles());
}

#[test]
fn ten_bits() {
    run::<10, 13, 9, 11>(Time::Runs, cycles());
    run::<10, 13, 9, 11>(Time::Jumps, cycles() / 2);
}

#[test]
fn fourteen_bits() {
    run::<14, 15, 11, 15>(Time::Runs, cycles() / 2);
    run::<14, 15, 11, 15>(Time::Jumps, cycles());
}

#[test]
fn sixteen_bits_emit() {
    timely_hw::emit::emit("wheel", Wheel::<16, 17, 13, 17>::new()).expect("emission");
}

/// Flows a clock: all in one slot, two in each, and one in each of as many slots.
fn throughput<const F: usize, const X: usize, const A: usize, const G: usize>() -> [f64; 3] {
    [0u64, 1, 2].map(|case| {
        let mut pair = Pair::new::<F, X, A, G>(1);
        let (flows, mut now) = (1u64 << F, 1 << 40);
        while !pair.output(1).swept {
            pair.idle(now, true, 1);
        }
        for flow in 0..flows {
            // Two slots a clock go by while the flows go to sleep: far enough ahead for all.
            let ahead = (1 << (X - 1)) + [0, flow >> 1, flow][case as usize] % (1 << (X - 2));
            pair.output(1);
            let insert = Some(Insert { flow: flow as u32, slot: ((slot(1 << 40) + ahead) % (1 << X)) as u32 });
            pair.step(&In { now, insert, ready: true, rst: false });
        }
        // The time jumps behind the last of them.
        now += ((1 << (X - 1)) + (1 << (X - 2)) + 8) << 19;
        let (mut out, mut first, mut last) = (0, 0, 0);
        for _ in 0..8 * flows + 8192 {
            now += 4 << 16;
            if pair.idle(now, true, 1).is_some() {
                first = if out == 0 { pair.clk } else { first };
                last = pair.clk;
                out += 1;
            }
        }
        assert_eq!(out, flows);
        (flows - 1) as f64 / (last - first) as f64
    })
}

#[test]
fn due_flows_a_clock() {
    for (f, [one, pairs, singles]) in [(10, throughput::<10, 13, 9, 11>()), (14, throughput::<14, 15, 11, 15>())] {
        println!("F {f}: one list {one:.3}, lists of two {pairs:.3}, of one {singles:.3} flows a clock");
        assert!(one > 0.6 && pairs > 0.9 && singles > 0.7, "F {f}: {one} {pairs} {singles}");
    }
}

/// The face that skips clocks gives what the face that steps them gives, also where the time steps.
#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut map = TimeMap { clk0: 0, now: 0u64.wrapping_sub(300 << 20), step: (4 << 24) + 3000 };
        let (mut stepped, mut skipped) = (wheel::Wheel::new(6, 10), wheel::Wheel::new(6, 10));
        skipped.set_time(map);
        let mut free: Vec<u32> = (0..64).collect();
        let (mut skips, mut out) = (0, 0);
        for clk in 0..cycles() {
            let now = map.now(clk);
            let shown = stepped.output(clk);
            assert_eq!(shown, skipped.output(clk), "clock {clk}, seed {seed}");
            let insert = (shown.swept && rng.random_bool(0.003) && !free.is_empty()).then(|| {
                let flow = free.swap_remove(rng.random_range(0..free.len()));
                let ahead = if rng.random_bool(0.5) { rng.random_range(4..12) } else { rng.random_range(4..950) };
                Insert { flow, slot: ((slot(now) + ahead) % 1024) as u32 }
            });
            let i = In { rst: false, now, insert, ready: true };
            free.extend(shown.due);
            out += u64::from(shown.due.is_some());
            stepped.step(clk, &i);
            // A step is told at the clock before, which is stepped.
            let steps = rng.random_bool(0.002);
            if steps || i.insert.is_some() || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
            if steps {
                map = TimeMap { clk0: clk + 1, now: map.now(clk + 1).wrapping_add(rng.random_range(1..600) << 16), ..map };
                skipped.set_time(map);
            }
        }
        println!("{out} flows, {skips} clocks of {} skipped", cycles());
        assert!(skips > cycles() / 3, "only {skips} clocks were skipped: wake() is never idle");
    }
}
