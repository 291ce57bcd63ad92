//! The pacer's doorbell unit, charge unit, READY and park against their models, every output at
//! every clock.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use timely_model::Block;
use timely_model::bus::Charge;
use timely_model::pacer::doorbell::{Load, Post, Request, Sleep};
use timely_model::pacer::{charge, doorbell, park, ready};
use timely_tests::{Runs, cycles, rng, seeds, verilate};

/// Mostly few flows, so that they meet in the pipelines, and all of them at times.
fn flow(rng: &mut ChaCha8Rng, bits: usize) -> u32 {
    let flows = if rng.random_bool(0.8) { 4 } else { 1 << bits };
    rng.random_range(0..flows)
}

fn maybe<T>(rng: &mut ChaCha8Rng, on: bool, f: impl FnOnce(&mut ChaCha8Rng) -> T) -> Option<T> {
    on.then(|| f(rng))
}

fn charge_equals_model<const F: usize, const S: usize>() {
    let library = verilate("charge", timely_hw::pacer::charge::Charge::<F, S>::default());
    let [rst, valid, flow_in, bytes, ends] =
        ["rst", "charge_valid", "charge_flow", "charge_bytes", "charge_ends"].map(|n| library.input(n));
    let [paid_valid, paid_flow, paid_word, paid_voids, paid_ends, swept] =
        ["paid_valid", "paid_flow", "paid_word", "paid_voids", "paid_ends", "swept"].map(|n| library.output(n));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut offer = Runs::new(0.7, 20);
        let (mut dut, mut model) = (library.instantiate(seed as u32), charge::Charge::new(F as u32));
        let mut shift = 0;
        for clk in 0..cycles() {
            let word = dut.get(paid_word);
            let paid = charge::Paid {
                bytes: word as u32,
                settled: (word >> 32) as u16 & 0x1ff,
                voids: dut.get(paid_voids) as u8,
                last: (word >> 41) as u16,
                largest: (word >> 57) as u8,
                ends: dut.get(paid_ends) == 1,
            };
            let rtl =
                charge::Out { paid: (dut.get(paid_valid) == 1).then(|| (dut.get(paid_flow) as u32, paid)), swept: dut.get(swept) == 1 };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            let on = offer.next(&mut rng);
            // Small packets for a while, behind which the largest one fades.
            if rng.random_bool(0.005) {
                shift = [0, 5, 9][rng.random_range(0..3)];
            }
            let charge = maybe(&mut rng, on, |r| Charge {
                flow: flow(r, F),
                bytes: if r.random_bool(0.1) { 0 } else { r.random::<u16>() >> shift },
                ends: r.random(),
            });
            let i = charge::In { rst: rng.random_bool(0.00002), charge };
            dut.set(rst, i.rst.into());
            dut.set(valid, charge.is_some().into());
            let c = charge.unwrap_or_else(|| Charge { flow: flow(&mut rng, F), bytes: rng.random(), ends: rng.random() });
            dut.set(flow_in, c.flow.into());
            dut.set(bytes, c.bytes.into());
            dut.set(ends, c.ends.into());
            dut.tick();
            model.step(clk, &i);
        }
    }
}

#[test]
fn charge_in_lockstep() {
    charge_equals_model::<4, 5>();
    charge_equals_model::<10, 11>();
    charge_equals_model::<14, 15>();
}

fn doorbell_equals_model<const F: usize, const S: usize, const R: usize, const D: usize>() {
    let library = verilate("doorbell", timely_hw::pacer::doorbell::Doorbell::<F, S, R, D>::default());
    let input = |n| library.input(n);
    let output = |n| library.output(n);
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut runs = [0.05, 0.3, 0.5, 0.5, 0.5].map(|p| Runs::new(p, 20));
        let (mut dut, mut model) = (library.instantiate(seed as u32), doorbell::Doorbell::new(F as u32));
        let mut sleep: Option<Request> = None;
        let mut bell: Option<(u32, u16)> = None;
        // The last words of the flows, so that some requests to sleep are granted.
        let mut posts = vec![Post::default(); 1 << F];
        for clk in 0..cycles() {
            let word = dut.get(output("post_word"));
            let post = Post { posted: word as u16, released: (word >> 16) as u32, drop: word >> 48 == 1 };
            let rtl = doorbell::Out {
                doorbell_ready: dut.get(output("doorbell_ready")) == 1,
                sleep_ready: dut.get(output("sleep_ready")) == 1,
                activate: (dut.get(output("act_valid")) == 1).then(|| dut.get(output("act_flow")) as u32),
                post: (dut.get(output("post_valid")) == 1).then(|| (dut.get(output("post_flow")) as u32, post)),
                refused: dut.get(output("refused")) == 1,
                swept: dut.get(output("swept")) == 1,
            };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            if let Some((f, post)) = rtl.post {
                posts[f as usize] = post;
            }
            let on = runs.each_mut().map(|r| r.next(&mut rng));
            // The pass has nothing to say before the RAMs are clear.
            if sleep.is_none() && on[2] && rtl.swept {
                let f = flow(&mut rng, F);
                let p = posts[f as usize];
                let why = [Sleep::Empty, Sleep::Bounded, Sleep::Cleared][rng.random_range(0..3)];
                let near = |rng: &mut ChaCha8Rng| u32::from(rng.random_bool(0.1));
                let granted = p.posted.wrapping_sub(near(&mut rng) as u16);
                sleep = Some(Request { flow: f, why, granted, released: p.released.wrapping_sub(near(&mut rng)) });
            }
            if bell.is_none() && on[3] {
                bell = Some((flow(&mut rng, F), if rng.random_bool(0.2) { rng.random() } else { rng.random_range(0..4) }));
            }
            let i = doorbell::In {
                rst: rng.random_bool(0.00002),
                load: maybe(&mut rng, on[0], |r| Load { flow: flow(r, F), enable: r.random_bool(0.8), keep: r.random() }),
                release: maybe(&mut rng, on[1], |r| (flow(r, F), r.random())),
                sleep,
                doorbell: bell,
                granted: maybe(&mut rng, on[4] && rtl.swept, |r| {
                    let f = flow(r, F);
                    (f, posts[f as usize].posted.wrapping_sub(r.random_range(0..2)))
                }),
            };
            dut.set(input("rst"), i.rst.into());
            dut.set(input("fl_valid"), i.load.is_some().into());
            let load = i.load.unwrap_or(Load { flow: flow(&mut rng, F), enable: rng.random(), keep: rng.random() });
            dut.set(input("fl_flow"), load.flow.into());
            dut.set(input("fl_enable"), load.enable.into());
            dut.set(input("fl_keep"), load.keep.into());
            dut.set(input("release_valid"), i.release.is_some().into());
            let release = i.release.unwrap_or_else(|| (flow(&mut rng, F), rng.random()));
            dut.set(input("release_flow"), release.0.into());
            dut.set(input("release_bytes"), release.1.into());
            dut.set(input("sleep_valid"), sleep.is_some().into());
            if let Some(s) = sleep {
                dut.set(input("sleep_flow"), s.flow.into());
                dut.set(input("sleep_why"), s.why as u64);
                dut.set(input("sleep_granted"), s.granted.into());
                dut.set(input("sleep_released"), s.released.into());
            }
            dut.set(input("doorbell_valid"), bell.is_some().into());
            if let Some(b) = bell {
                dut.set(input("doorbell_flow"), b.0.into());
                dut.set(input("doorbell_packets"), b.1.into());
            }
            dut.set(input("granted_valid"), i.granted.is_some().into());
            let granted = i.granted.unwrap_or_else(|| (flow(&mut rng, F), rng.random()));
            dut.set(input("granted_flow"), granted.0.into());
            dut.set(input("granted_count"), if rtl.swept { granted.1.into() } else { 0 });
            dut.tick();
            model.step(clk, &i);
            if rtl.sleep_ready || i.rst {
                sleep = None;
            }
            if rtl.doorbell_ready {
                bell = None;
            }
        }
    }
}

#[test]
fn doorbell_in_lockstep() {
    doorbell_equals_model::<4, 5, 36, 20>();
    doorbell_equals_model::<10, 11, 42, 26>();
    doorbell_equals_model::<14, 15, 46, 30>();
}

fn queues_equal_models<const F: usize, const B: usize, const C: usize>() {
    let ready_library = verilate("ready", timely_hw::pacer::ready::Ready::<F, B>::default());
    let park_library = verilate("park", timely_hw::pacer::park::Park::<F, C>::default());
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut ready_dut, mut ready_model) = (ready_library.instantiate(seed as u32), ready::Ready::new());
        let (mut park_dut, mut park_model) = (park_library.instantiate(seed as u32), park::Park::new(F as u32));
        let mut runs = [0.5, 0.4, 0.6, 0.5, 0.5].map(|p| Runs::new(p, 40));
        let mut total = 0u32;
        for clk in 0..cycles() {
            let head = (ready_dut.get(ready_library.output("o_valid")) == 1).then(|| ready_dut.get(ready_library.output("o_flow")) as u32);
            assert_eq!(head, ready_model.output(clk), "READY, clock {clk}, seed {seed}");
            let parked = (park_dut.get(park_library.output("o_valid")) == 1).then(|| park_dut.get(park_library.output("o_flow")) as u32);
            assert_eq!(parked, park_model.output(clk), "park, clock {clk}, seed {seed}");
            let on = runs.each_mut().map(|r| r.next(&mut rng));
            let rst = rng.random_bool(0.0005);

            // A flow stands in the queue once, so that it never holds more than there are.
            let room = (1 << F) - total;
            let due = maybe(&mut rng, on[0] && room > 0, |r| flow(r, F));
            let activate = maybe(&mut rng, on[1] && room > 1, |r| flow(r, F));
            let i = ready::In { rst, due, activate, ready: on[2] };
            total += u32::from(due.is_some()) + u32::from(activate.is_some());
            total -= u32::from(on[2] && head.is_some());
            for (name, value) in [
                ("rst", u64::from(rst)),
                ("due_valid", due.is_some().into()),
                ("due_flow", due.unwrap_or(1).into()),
                ("act_valid", activate.is_some().into()),
                ("act_flow", activate.unwrap_or(2).into()),
                ("o_ready", on[2].into()),
            ] {
                ready_dut.set(ready_library.input(name), value);
            }
            ready_dut.tick();
            ready_model.step(clk, &i);

            let park = maybe(&mut rng, on[3] && park_model.fill() < 1 << F, |r| flow(r, F));
            let i = park::In { rst, park, resume: rng.random_bool(0.02), ready: on[4] };
            for (name, value) in [
                ("rst", u64::from(rst)),
                ("park_valid", park.is_some().into()),
                ("park_flow", park.unwrap_or(3).into()),
                ("resume", i.resume.into()),
                ("o_ready", on[4].into()),
            ] {
                park_dut.set(park_library.input(name), value);
            }
            park_dut.tick();
            park_model.step(clk, &i);
            if rst {
                total = 0;
            }
        }
    }
}

#[test]
fn queues_in_lockstep() {
    queues_equal_models::<4, 3, 5>();
    queues_equal_models::<10, 9, 11>();
}

#[test]
fn sixteen_flow_bits_emit() {
    use timely_hw::emit::emit;
    emit("charge", timely_hw::pacer::charge::Charge::<16, 17>::default()).unwrap();
    emit("doorbell", timely_hw::pacer::doorbell::Doorbell::<16, 17, 48, 32>::default()).unwrap();
    emit("ready", timely_hw::pacer::ready::Ready::<16, 15>::default()).unwrap();
    emit("park", timely_hw::pacer::park::Park::<16, 17>::default()).unwrap();
}
