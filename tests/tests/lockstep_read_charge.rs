//! `timely_hw::roce::ReadCharge` against `timely_model::roce::ReadCharge`, every output at every
//! clock, and what it charges against what the READs bring.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use timely_hw::roce::ReadCharge as Block_;
use timely_model::Block;
use timely_model::bus::Charge;
use timely_model::roce::read_charge::{Brings, In, LONGEST_READ, Out, ReadCharge};
use timely_tests::{Runs, cycles, quick, rng, seeds, verilate};
use timely_verilate as v;

struct Bench {
    library: Arc<v::Library>,
    flows: u32,
}

/// Outputs of the block, its way for charges and doorbells included.
#[derive(Debug, PartialEq)]
struct Shown {
    out: Out,
    charge: Option<Charge>,
    ring: Option<u32>,
    ring_ready: bool,
}

/// Inputs beside the model's.
#[derive(Clone, Copy, Default)]
struct Beside {
    charge: Option<Charge>,
    ring: Option<u32>,
}

impl Bench {
    fn new<const F: usize, const S: usize>() -> Self {
        Bench { library: verilate(&format!("read_charge{F}"), Block_::<F, S>::new()), flows: 1 << F }
    }

    // What is not valid is random.
    fn set(&self, dut: &mut v::Dut, i: &In, b: &Beside, rng: &mut ChaCha8Rng) {
        let mut any = || u64::from(rng.random_range(0..self.flows));
        let (grant, loaded, ring) =
            (i.grant.unwrap_or((any() as u32, 77)), i.loaded.unwrap_or(any() as u32), b.ring.unwrap_or(any() as u32));
        let read = i.read.unwrap_or(Brings { flow: any() as u32, bytes: 99, wire_bytes: 98 });
        let charge = b.charge.unwrap_or(Charge { flow: any() as u32, bytes: 5, ends: true });
        let values = [
            ("rst", u64::from(i.rst)),
            ("cfg_mtu", i.mtu.into()),
            ("cfg_timeout_us", i.timeout_us.into()),
            ("now", i.now),
            ("loaded", i.loaded.is_some().into()),
            ("loaded_flow", loaded.into()),
            ("read", i.read.is_some().into()),
            ("read_flow", read.flow.into()),
            ("read_bytes", read.bytes.into()),
            ("read_wire_bytes", read.wire_bytes.into()),
            ("s_valid", i.grant.is_some().into()),
            ("s_flow", grant.0.into()),
            ("s_launch", grant.1),
            ("m_ready", i.grant_taken.into()),
            ("s_charge_valid", b.charge.is_some().into()),
            ("s_charge_flow", charge.flow.into()),
            ("s_charge_bytes", charge.bytes.into()),
            ("s_charge_ends", charge.ends.into()),
            ("s_ring_valid", b.ring.is_some().into()),
            ("s_ring_flow", ring.into()),
            ("m_ring_ready", i.ring_taken.into()),
        ];
        values.iter().for_each(|(name, value)| dut.set(self.library.input(name), *value));
    }

    fn get(&self, dut: &v::Dut, out: &Out) -> Shown {
        let get = |name| dut.get(self.library.output(name));
        let is = |name| get(name) == 1;
        let charge = is("m_charge_valid").then(|| Charge {
            flow: get("m_charge_flow") as u32,
            bytes: get("m_charge_bytes") as u16,
            ends: is("m_charge_ends"),
        });
        let ring = is("m_ring_valid").then(|| get("m_ring_flow") as u32);
        Shown {
            out: Out {
                swept: is("swept"),
                ready: is("s_ready"),
                grant: is("m_valid").then(|| (get("m_flow") as u32, get("m_launch"))),
                // They have no ports of their own.
                paid: out.paid,
                ring: out.ring,
                yields: out.yields,
                let_go: is("let_go"),
            },
            charge,
            ring,
            ring_ready: is("s_ring_ready"),
        }
    }
}

fn expected(out: Out, i: &In, b: &Beside) -> Shown {
    let bell = out.ring.filter(|_| !(out.yields && b.ring.is_some()));
    Shown { out, charge: b.charge.or(out.paid), ring: bell.or(b.ring), ring_ready: i.ring_taken && bell.is_none() }
}

/// Wire bytes of a READ's responses, by hand.
fn brought(r: &Brings, mtu: u8) -> u64 {
    let bytes = u64::from(r.bytes.min(LONGEST_READ));
    let payload = [256, 256, 512, 1024, 2048, 4096, 4096, 4096][usize::from(mtu)];
    bytes + 4 + bytes.div_ceil(payload).max(1) * u64::from(r.wire_bytes - 16)
}

fn read(rng: &mut ChaCha8Rng, flows: u32, strict: bool) -> Brings {
    let most = [1u32, 500, 4096, 1 << 20, u32::MAX][rng.random_range(0..if strict { 3 } else { 5 })];
    let bytes = [rng.random_range(0..=most), 1 << rng.random_range(8..17), 2048 - 86][rng.random_range(0..3)];
    Brings { flow: rng.random_range(0..flows), bytes, wire_bytes: [98, 102, 118, 122][rng.random_range(0..4)] }
}

/// `strict`: no loads and no time-out, so that all is paid.
fn lockstep<const F: usize, const S: usize>(strict: bool) {
    let bench = Bench::new::<F, S>();
    let mut tally = BTreeMap::<&str, u64>::new();
    for seed in seeds() {
        let (mut rng, mut dut, mut model) = (rng(seed), bench.library.instantiate(seed as u32), ReadCharge::new(F as u32));
        dut.set(bench.library.input("rst"), 1);
        dut.tick();
        let mut i = In { rst: false, mtu: rng.random_range(0..8), now: rng.random(), ..In::default() };
        let (mut quiet, mut stalls) = (Runs::new(0.002, 900), [Runs::new(0.05, 40), Runs::new(0.05, 40), Runs::new(0.05, 40)]);
        // Packets that are granted and have not left, which may be READs.
        let (mut away, mut next_load, mut departed) = (0u32, 0u64, 0u64);
        // By hand: what flows brought, what was paid, doorbells rung and answered.
        let mut sums = BTreeMap::<u32, (u64, u64)>::new();
        let mut rung = VecDeque::new();
        let mut quiet_for = 0;
        for clk in 0.. {
            // At the end nothing comes any more, and what is owed is paid.
            let ends = clk >= cycles();
            let paid = strict && ends && (0..bench.flows).all(|f| model.owed(f) == 0);
            quiet_for = if paid { quiet_for + 1 } else { 0 };
            if ends && (!strict || quiet_for > 1000) {
                break;
            }
            let out = model.output(clk);
            let quiet = quiet.next(&mut rng);
            i.rst = rng.random_bool(0.0002) && !strict;
            if !strict && rng.random_bool(0.001) {
                (i.mtu, i.timeout_us) = (rng.random_range(0..8), [0, 3000, 67_108, 1 << 19, u32::MAX][rng.random_range(0..5)]);
            }
            i.now = i.now.wrapping_add(if strict { 4 << 16 } else { rng.random_range(0..1 << 33) });
            let few = if rng.random_bool(0.5) { 4.min(bench.flows) } else { bench.flows };
            // Grants of doorbells that were rung, and of packets.
            if i.grant.is_none() && (!quiet || ends) && rng.random_bool(0.7) {
                let flow = if ends || rng.random_bool(0.5) { rung.pop_front() } else { Some(rng.random_range(0..few)) };
                i.grant = flow.map(|flow| (flow, rng.random()));
            }
            i.read = None;
            if away > 0 && clk >= departed && rng.random_bool(0.3) {
                (away, departed) = (away - 1, clk + 2);
                i.read = (rng.random_bool(0.3) && !ends).then(|| read(&mut rng, few, strict));
            }
            i.loaded = (!strict && clk >= next_load && rng.random_bool(0.01)).then(|| rng.random_range(0..few));
            if i.loaded.is_some() {
                next_load = clk + 16;
            }
            let [store, pacer, answers] = &mut stalls;
            let charge = (answers.next(&mut rng) || rng.random_bool(0.3)).then(|| Charge {
                flow: rng.random_range(0..few),
                bytes: 1000,
                ends: true,
            });
            i.grant_taken = !store.next(&mut rng) && away < 48 && rng.random_bool(0.8);
            i.ring_taken = !pacer.next(&mut rng) && rng.random_bool(0.8);
            i.charge_taken = charge.is_none();
            let b = Beside { charge, ring: rng.random_bool(0.3).then(|| rng.random_range(0..few)) };
            i.stored = b.ring.is_some();
            bench.set(&mut dut, &i, &b, &mut rng);
            dut.settle();
            assert_eq!(bench.get(&dut, &out), expected(out, &i, &b), "clock {clk}, seed {seed}, 2^{F} flows");
            let mut count = |what, n: u64| *tally.entry(what).or_default() += n;
            if let Some(r) = &i.read {
                let sum = brought(r, i.mtu);
                assert!(sum < 1 << 26);
                sums.entry(r.flow).or_default().0 += sum;
                count("READs", 1);
                count("READs longer than one is counted", u64::from(r.bytes > LONGEST_READ));
            }
            if let Some(paid) = out.paid.filter(|_| i.charge_taken) {
                sums.entry(paid.flow).or_default().1 += u64::from(paid.bytes);
                count("grants that paid", 1);
                count("parts of 2,048 bytes", u64::from(paid.bytes == 2048));
                count("last ones of more", u64::from(paid.bytes > 2048));
                assert!(paid.bytes < 4096);
            }
            if let Some(flow) = out.ring.filter(|_| i.ring_taken && !(out.yields && i.stored)) {
                rung.push_back(flow);
                count("doorbells", 1);
            }
            if out.grant.is_some() && i.grant_taken {
                away += 1;
                count("grants of packets", 1);
            }
            count("let go", out.let_go.into());
            count("loads", i.loaded.is_some().into());
            let taken = out.ready;
            dut.tick();
            model.step(clk, &i);
            if taken || i.rst {
                i.grant = None;
            }
            if i.rst {
                (away, sums) = (0, BTreeMap::new());
                rung.clear();
            }
        }
        if strict {
            assert!(sums.len() > 4);
            sums.iter().for_each(|(flow, (brought, paid))| assert_eq!(brought, paid, "flow {flow}, seed {seed}"));
        }
    }
    println!("2^{F} flows, strict {strict}: {tally:?}");
    let rare = ["let go", "loads", "READs longer than one is counted"];
    assert!(quick() || tally.iter().all(|(what, n)| *n > 20 || (strict && rare.contains(what) && *n == 0)), "{tally:?}");
}

#[test]
fn rtl_equals_model() {
    lockstep::<6, 7>(false);
}

#[test]
fn rtl_equals_model_of_many_flows() {
    lockstep::<14, 15>(false);
}

/// Without loads and time-outs all that READs bring is paid, to the byte.
#[test]
fn all_is_paid() {
    lockstep::<6, 7>(true);
}
