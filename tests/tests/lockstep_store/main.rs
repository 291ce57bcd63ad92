//! `timely_hw::store` against `timely_model::store`, every output at every clock; and what the
//! store promises, on the model.
mod app_block;
mod courier;
mod credit;
mod entry;
mod exit;
mod generated;
mod paced;
mod ports;
mod promises;
mod scheduler;
mod skips;
mod traffic;
mod transmit;
mod window;

use rand::Rng;
use timely_hw::store::Store as Rtl;
use timely_model::store::{Out, Side, Store};
use timely_model::{Block, stream::Beat};
use timely_tests::axis::{Offered, Taken};
use timely_tests::{charge, cycles, rng, seeds, verilate};
use traffic::Traffic;

const META: usize = 48;

fn lockstep<B: rust_hdl::prelude::Block>(name: &str, rtl: B, flow_bits: u32, cell_bits: u32, width: usize) {
    let library = verilate(name, rtl);
    let input = |name: &str| library.input(name);
    let output = |name: &str| library.output(name);
    let (s, m) = (Offered::new(&library, "s"), Taken::new(&library, "m"));
    let (rst, keep, flow_in, meta_in, bound) = (input("rst"), input("s_tkeep"), input("s_flow"), input("s_meta"), input("cfg_bound"));
    let (ends, wait) = (input("s_ends"), input("cfg_wait"));
    let (fl_valid, fl_flow, fl_enable, fl_keep) = (input("fl_valid"), input("fl_flow"), input("fl_enable"), input("fl_keep"));
    let (grant_valid, grant_flow, grant_launch) = (input("grant_valid"), input("grant_flow"), input("grant_launch"));
    let (doorbell_ready, m_tready) = (input("doorbell_ready"), input("m_tready"));
    let (swept, s_tready, grant_ready) = (output("swept"), output("s_tready"), output("grant_ready"));
    let (doorbell_valid, doorbell_flow) = (output("doorbell_valid"), output("doorbell_flow"));
    let charged = ["charge_valid", "charge_flow", "charge_bytes", "charge_ends"].map(output);
    let (m_flow, m_launch, m_meta) = (output("m_flow"), output("m_launch"), output("m_meta"));
    let pulses = ["refused", "malformed", "voided"].map(output);
    let mut seen = [0u64; 6];
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut traffic = Traffic::new(&mut rng, flow_bits, width);
        let mut dut = library.instantiate(seed as u32);
        let mut model = Store::new(flow_bits, cell_bits, width);
        for clk in 0..cycles() {
            let side = Side { flow: dut.get(m_flow) as u32, launch: dut.get(m_launch), meta: dut.get(m_meta).into() };
            let [refused, malformed, voided] = pulses.map(|p| dut.get(p) == 1);
            let out = Out {
                swept: dut.get(swept) == 1,
                ready: dut.get(s_tready) == 1,
                doorbell: (dut.get(doorbell_valid) == 1).then(|| dut.get(doorbell_flow) as u32),
                grant_ready: dut.get(grant_ready) == 1,
                charge: charge(charged.map(|p| dut.get(p))),
                beat: m.get(&dut).map(|beat| (beat, side)),
                refused,
                malformed,
                voided,
            };
            assert_eq!(out, model.output(clk), "clock {clk}, seed {seed}");
            let happened =
                [refused, malformed, voided, out.beat.is_some(), out.charge.is_some_and(|c| c.bytes == 0), out.doorbell.is_some()];
            seen.iter_mut().zip(happened).for_each(|(n, h)| *n += u64::from(h));
            let i = traffic.next(&mut rng, &out);
            dut.set(rst, i.rst.into());
            // A keep with a hole is set behind the beat's other signals.
            let holes = i.arrival.filter(|a| a.beat.bytes == Beat::HOLES);
            let beat = i.arrival.map(|a| Beat { bytes: if holes.is_some() { 1 } else { a.beat.bytes }, ..a.beat });
            s.set(&mut dut, beat.as_ref(), &mut rng);
            if holes.is_some() {
                dut.set(keep, [0b101, 0b10, 0b1101_1111, 0xfe][rng.random_range(0..4)]);
            }
            dut.set(flow_in, i.arrival.map_or_else(|| rng.random_range(0..1 << flow_bits), |a| a.flow.into()));
            dut.set(meta_in, i.arrival.map_or_else(|| rng.random::<u64>() >> (64 - META), |a| a.meta as u64));
            dut.set(ends, i.arrival.map_or_else(|| rng.random(), |a| a.ends).into());
            dut.set(bound, i.bound.into());
            dut.set(wait, i.wait.into());
            dut.set(fl_valid, i.load.is_some().into());
            dut.set(fl_flow, i.load.map_or_else(|| rng.random_range(0..1 << flow_bits), |l| l.flow.into()));
            dut.set(fl_enable, i.load.map_or_else(|| rng.random(), |l| l.enable).into());
            dut.set(fl_keep, i.load.map_or_else(|| rng.random(), |l| l.keep).into());
            dut.set(grant_valid, i.grant.is_some().into());
            let (flow, launch) = i.grant.unwrap_or_else(|| (rng.random_range(0..1 << flow_bits), rng.random()));
            dut.set(grant_flow, flow.into());
            dut.set(grant_launch, launch);
            dut.set(doorbell_ready, i.doorbell_ready.into());
            dut.set(m_tready, i.ready.into());
            dut.tick();
            model.step(clk, &i);
        }
    }
    println!("{name}: refused, malformed, voided, beats out, vain grants, doorbells: {seen:?}");
    if cycles() >= 100_000 {
        assert!(seen.iter().all(|n| *n > 20), "{seen:?}: something never happened");
    }
}

#[test]
fn rtl_equals_model_64() {
    lockstep("store64", Rtl::<64, 8, 3, 7, 8, 8, 5, 12, 67, META, 136, 159>::new(), 3, 7, 64);
}

#[test]
fn rtl_equals_model_512() {
    lockstep("store512", Rtl::<512, 64, 6, 7, 8, 8, 2, 9, 70, META, 136, 159>::new(), 6, 7, 512);
}
