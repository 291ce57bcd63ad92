//! `timely_hw::inline::spread`, `aside` and `vacant` against their models, every output at every
//! clock: what is around the in-line core in NetFPGA.
use rand::Rng;
use std::sync::Arc;
use timely_hw::inline::aside::Aside as RtlAside;
use timely_hw::inline::spread::Spread as RtlSpread;
use timely_hw::inline::vacant::Vacant as RtlVacant;
use timely_model::inline::aside::{self, Aside};
use timely_model::inline::spread::{self, Spread};
use timely_model::inline::vacant::{self, DECERR, Vacant};
use timely_model::{Block, stream::Beat};
use timely_tests::axis::{Offered, Taken, random_beat};
use timely_tests::{Runs, cycles, rng, seeds, thorough, verilate};
use timely_verilate::{Dut, Library, Out};

/// The sideband of a beat, low bytes first.
fn meta(dut: &Dut, port: Out) -> u128 {
    u128::from_le_bytes(dut.get_bytes(port).try_into().expect("128 bits"))
}

/// Beats of frames of 1 to `most` beats, with anything beside each.
struct Frames {
    bytes: usize,
    most: u32,
    left: u32,
    offered: Option<(Beat, u128)>,
}

impl Frames {
    fn new(width: usize, most: u32) -> Self {
        Frames { bytes: width / 8, most, left: 0, offered: None }
    }

    /// The beat that is offered, one more if none is and `come`.
    fn next(&mut self, rng: &mut impl Rng, come: bool) -> Option<(Beat, u128)> {
        if self.offered.is_none() && come {
            if self.left == 0 {
                let most = if rng.random_bool(0.1) { self.most } else { 4 };
                self.left = rng.random_range(1..=most);
            }
            self.left -= 1;
            self.offered = Some((random_beat(rng, self.bytes, self.left == 0), rng.random()));
        }
        self.offered
    }
}

fn spread<B: rust_hdl::prelude::Block>(name: &str, rtl: B, width: usize, ports: usize) {
    let library: Arc<Library> = verilate(name, rtl);
    let s = Offered::new(&library, "s");
    let [rst, s_meta, m_tready] = ["rst", "s_meta", "m_tready"].map(|n| library.input(n));
    let [s_tready, m_tvalid, m_tdata, m_tkeep, m_tlast, m_meta] =
        ["s_tready", "m_tvalid", "m_tdata", "m_tkeep", "m_tlast", "m_meta"].map(|n| library.output(n));
    let mut to = [0u64; 4];
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut dut, mut model, mut frames) = (library.instantiate(seed as u32), Spread::new(ports), Frames::new(width, 40));
        let mut runs = [0.6, 0.6, 0.6, 0.6, 0.8].map(|p| Runs::new(p, 30));
        for clk in 0..cycles() / 2 {
            let valid = dut.get(m_tvalid);
            assert!(valid.count_ones() <= 1, "two ports at clock {clk}, seed {seed}");
            let beat = (valid != 0).then(|| {
                let mut beat =
                    Beat { bytes: timely_model::stream::bytes_of(dut.get(m_tkeep)), last: dut.get(m_tlast) == 1, ..Beat::default() };
                let bytes = dut.get_bytes(m_tdata);
                beat.data[..bytes.len()].copy_from_slice(&bytes);
                (beat, meta(&dut, m_meta), valid.trailing_zeros() as usize)
            });
            let out = spread::Out { ready: dut.get(s_tready) == 1, beat };
            assert_eq!(out, model.output(clk), "clock {clk}, seed {seed}");
            let (offer, ready) = (runs[4].next(&mut rng), std::array::from_fn(|i| runs[i].next(&mut rng)));
            let i = spread::In { rst: rng.random_bool(0.0001), beat: frames.next(&mut rng, offer), ready };
            s.set(&mut dut, i.beat.as_ref().map(|b| &b.0), &mut rng);
            dut.set_bytes(s_meta, &i.beat.map_or(rng.random(), |b| b.1).to_le_bytes());
            dut.set(rst, i.rst.into());
            dut.set(m_tready, (0..4).map(|n| u64::from(ready[n]) << n).sum());
            if let Some((_, _, port)) = out.beat.filter(|b| ready[b.2]) {
                to[port] += 1;
            }
            if out.ready || i.rst {
                frames.offered = None;
            }
            dut.tick();
            model.step(clk, &i);
        }
    }
    println!("{name}: beats to each port {to:?}");
    assert!(to[ports..].iter().all(|n| *n == 0) && (cycles() < 100_000 || to[..ports].iter().all(|n| *n > 1000)), "{to:?}");
}

fn aside<B: rust_hdl::prelude::Block>(name: &str, rtl: B, width: usize) {
    let library: Arc<Library> = verilate(name, rtl);
    let (s, m) = (Offered::new(&library, "s"), Taken::new(&library, "m"));
    let [rst, s_meta, m_tready] = ["rst", "s_meta", "m_tready"].map(|n| library.input(n));
    let [m_meta, dropped] = ["m_meta", "dropped"].map(|n| library.output(n));
    let mut seen = [0u64; 2];
    for seed in seeds() {
        let mut rng = rng(seed);
        // Frames longer than the longest too, which fill the queue.
        let (mut dut, mut model, mut frames) = (library.instantiate(seed as u32), Aside::new(width), Frames::new(width, 800));
        let mut runs = [0.9, 0.6].map(|p| Runs::new(p, 50));
        for clk in 0..cycles() / 2 {
            if clk % 2000 == 0 {
                runs[1].p = [0.0, 0.5, 0.9, 1.0][rng.random_range(0..4)];
            }
            let beat = m.get(&dut).map(|b| (b, meta(&dut, m_meta)));
            let out = aside::Out { beat, dropped: dut.get(dropped) == 1 };
            assert_eq!(out, model.output(clk), "clock {clk}, seed {seed}");
            let [offer, ready] = std::array::from_fn(|i| runs[i].next(&mut rng));
            let i = aside::In { rst: rng.random_bool(0.0001), beat: frames.next(&mut rng, offer), ready };
            s.set(&mut dut, i.beat.as_ref().map(|b| &b.0), &mut rng);
            dut.set_bytes(s_meta, &i.beat.map_or(rng.random(), |b| b.1).to_le_bytes());
            dut.set(rst, i.rst.into());
            dut.set(m_tready, ready.into());
            let happened = [out.dropped, out.beat.is_some()];
            seen.iter_mut().zip(happened).for_each(|(n, h)| *n += u64::from(h));
            frames.offered = None;
            dut.tick();
            model.step(clk, &i);
        }
    }
    println!("{name}: dropped, a beat: {seen:?}");
    assert!(cycles() < 100_000 || seen.iter().all(|n| *n > 100), "{seen:?}: something hardly happened");
}

#[test]
fn spread_equals_model_512() {
    // The same code but for widths, and two ports.
    if !thorough() {
        return;
    }
    spread("spread512", RtlSpread::<512, 64, 128, 65, 2>::new(), 512, 2);
}

#[test]
fn spread_equals_model_256() {
    spread("spread256", RtlSpread::<256, 32, 128, 33, 4>::new(), 256, 4);
}

#[test]
fn aside_equals_model_256() {
    aside("aside256", RtlAside::<256, 32, 128, 33>::new(), 256);
}

#[test]
fn aside_equals_model_512() {
    // The same code but for widths.
    if thorough() {
        aside("aside512", RtlAside::<512, 64, 128, 65>::new(), 512);
    }
}

#[test]
fn vacant_equals_model() {
    let library: Arc<Library> = verilate("vacant", RtlVacant::default());
    let [rst, aw, w, bready, ar, rready] =
        ["rst", "s_axil_awvalid", "s_axil_wvalid", "s_axil_bready", "s_axil_arvalid", "s_axil_rready"].map(|n| library.input(n));
    let outputs =
        ["awready", "wready", "bvalid", "arready", "rvalid", "bresp", "rresp", "rdata"].map(|n| library.output(&format!("s_axil_{n}")));
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut dut, mut model) = (library.instantiate(seed as u32), Vacant::default());
        for clk in 0..cycles() {
            let [awready, wready, b, arready, r, bresp, rresp, rdata] = outputs.map(|p| dut.get(p));
            let out = vacant::Out { awready: awready == 1, wready: wready == 1, b: b == 1, arready: arready == 1, r: r == 1 };
            assert_eq!((out, bresp, rresp, rdata), (model.output(clk), DECERR.into(), DECERR.into(), 0), "clock {clk}, seed {seed}");
            let [a, b, c, d, e] = std::array::from_fn(|_| rng.random());
            let i = vacant::In { rst: rng.random_bool(0.001), aw: a, w: b, bready: c, ar: d, rready: e };
            for (at, value) in [(rst, i.rst), (aw, i.aw), (w, i.w), (bready, i.bready), (ar, i.ar), (rready, i.rready)] {
                dut.set(at, value.into());
            }
            dut.tick();
            model.step(clk, &i);
        }
    }
}
