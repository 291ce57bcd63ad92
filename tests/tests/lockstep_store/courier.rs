//! `timely_hw::scheduler::courier` against its model, every output at every clock; and that each
//! write given to it is carried, once, in order.
use rand::Rng;
use std::collections::HashMap;
use std::sync::Arc;
use timely_hw::scheduler::courier::Courier as Rtl;
use timely_model::Block;
use timely_model::bus::{FlowLoad, ProfileWrite, Release};
use timely_model::scheduler::courier::{Courier, In, Out, TRIES, WORDS};
use timely_regs::corundum::{Kind, load_word};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate::Library;

const F: usize = 9;

#[test]
fn courier_equals_model() {
    let library: Arc<Library> = verilate("courier", Rtl::<F, 10, 41>::new());
    let (input, output) = (|n: &str| library.input(n), |n: &str| library.output(n));
    let singles = [
        "rst",
        "base",
        "enable",
        "pause",
        "stop",
        "m_axil_awready",
        "m_axil_wready",
        "m_axil_bvalid",
        "m_axil_bresp",
        "m_axil_arready",
        "m_axil_rvalid",
        "m_axil_rresp",
        "m_axil_rdata",
    ]
    .map(input);
    let rate = ["rate_valid", "rate_flow", "rate_value"].map(input);
    let release = ["release_valid", "release_flow", "release_bytes"].map(input);
    let word = ["pw_valid", "pw_profile", "pw_word", "pw_data"].map(input);
    let load = ["fl_valid", "fl_flow", "fl_record"].map(input);
    let outputs = [
        "idle_valid",
        "idle_flow",
        "limited_valid",
        "limited_flow",
        "limited",
        "pulses",
        "swept",
        "failed",
        "m_axil_awvalid",
        "m_axil_awaddr",
        "m_axil_wvalid",
        "m_axil_wdata",
        "m_axil_bready",
        "m_axil_arvalid",
        "m_axil_araddr",
        "m_axil_rready",
    ]
    .map(output);
    let (mut seen, mut given_up) = ([0u64; 7], 0u64);
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut dut, mut model) = (library.instantiate(seed as u32), Courier::new(F as u32));
        let base = rng.random_range(0..16u32) << 18;
        let mut runs = [0.5, 0.5, 0.3, 0.5, 0.3].map(|p| Runs::new(p, 40));
        // What each flow has to be told still, and what was written of it.
        let (mut given, mut written) = (HashMap::<u32, u32>::new(), HashMap::<u32, u32>::new());
        let (mut owed, mut loaded) = (HashMap::<u32, u32>::new(), HashMap::<u32, (u32, u32)>::new());
        let (mut pause, mut stop) = (0u8, false);
        // The last write, how often it was refused, and the last control that was not.
        let (mut last, mut refused, mut control) = ((0, 0), 0, None);
        let mut refusing = Runs::new(0.1, 400);
        let (mut address, mut data, mut answers, mut reads) = (None, None, 0u32, 0u32);
        let calm = cycles() / 4 * 3;
        for clk in 0..cycles() {
            let o = outputs.map(|p| dut.get(p));
            let out = Out {
                idle: (o[0] == 1).then_some(o[1] as u32),
                limited: (o[2] == 1).then_some((o[3] as u32, o[4] == 1)),
                pulses: o[5],
                swept: o[6] == 1,
                failed: o[7] == 1,
                aw: (o[8] == 1).then_some(o[9] as u32),
                w: (o[10] == 1).then_some(o[11] as u32),
                b_ready: o[12] == 1,
                ar: (o[13] == 1).then_some(o[14] as u32),
                r_ready: o[15] == 1,
            };
            assert_eq!(out, model.output(clk), "clock {clk}, seed {seed}");
            if clk % 4000 == 0 {
                runs[0].p = [0.002, 0.02, 0.1][rng.random_range(0..3)];
            }
            let busy = clk < calm;
            let flow = |rng: &mut rand_chacha::ChaCha8Rng| if rng.random_bool(0.5) { 3 } else { rng.random_range(0..1 << F) };
            let mut i = In { base, enable: !busy || rng.random_bool(0.98), ..In::default() };
            i.rst = busy && rng.random_bool(0.00003);
            if busy && rng.random_bool(0.002) {
                (pause, stop) = (rng.random(), rng.random());
            }
            (i.pause, i.stop) = (pause, stop);
            let comes = runs[0].next(&mut rng) && busy;
            if comes && rng.random_bool(0.5) {
                i.rate = Some((flow(&mut rng), rng.random()));
            }
            if comes && rng.random_bool(0.5) {
                i.release =
                    Some(Release { flow: flow(&mut rng), bytes: rng.random::<u32>() >> [0, 18][usize::from(rng.random_bool(0.9))] });
            }
            if busy && rng.random_bool(0.002) {
                let record: [u32; 16] = rng.random();
                i.load = Some(FlowLoad { flow: flow(&mut rng) % (1 << (F - 1)), record });
            }
            if busy && rng.random_bool(0.003) {
                let any = [rng.random_range(0..32), WORDS[rng.random_range(0..WORDS.len())]][rng.random_range(0..2)];
                i.profile = Some(ProfileWrite { profile: rng.random_range(0..16), word: any, data: rng.random() });
            }
            // The bus.
            (i.aw_ready, i.w_ready) = (address.is_none() && runs[1].next(&mut rng), data.is_none() && runs[2].next(&mut rng));
            i.ar_ready = reads == 0 && runs[3].next(&mut rng);
            if answers > 0 && rng.random_bool(0.5) {
                // Now and then for so long that a write is given up.
                let refuses = busy && refusing.next(&mut rng) && rng.random_bool(0.95);
                i.b = Some(if refuses || rng.random_bool(0.01) { 2 } else { 0 });
            }
            if reads > 0 && rng.random_bool(0.3) {
                let sign = if rng.random_bool(0.05) { rng.random::<u32>() } else { 5 };
                let what = if rng.random_bool(0.5) { rng.random::<u32>() } else { rng.random::<u32>() & 0xfffc_ffff };
                i.r = Some((if rng.random_bool(0.02) { 3 } else { 0 }, what & 0x00cf_ffff | sign << 28));
            }
            if let Some(a) = out.aw.filter(|_| i.aw_ready) {
                address = Some(a);
            }
            if let Some(d) = out.w.filter(|_| i.w_ready) {
                data = Some(d);
            }
            reads += u32::from(out.ar.is_some() && i.ar_ready);
            if i.b.is_some() && out.b_ready {
                answers -= 1;
                refused = if i.b == Some(0) { 0 } else { refused + 1 };
                let (kind, index, d) = (last.0 >> (F + 2), last.0 >> 2 & ((1 << F) - 1), last.1);
                // What is given up is no more owed, but for a stop.
                if refused == 0 || refused == TRIES && kind != Kind::Control as u32 {
                    seen[kind as usize] += 1;
                    match kind {
                        k if k == Kind::Rate as u32 => {
                            written.insert(index, d);
                        }
                        k if k == Kind::Release as u32 && index >= 1 << (F - 1) => {
                            let left = owed.entry(index).or_default();
                            *left = left.wrapping_sub(d);
                        }
                        k if k == Kind::Load as u32 => loaded.entry(index).or_default().1 = d,
                        k if k == Kind::Control as u32 => control = Some(d),
                        _ => {}
                    }
                }
                if refused == TRIES {
                    (refused, given_up) = (0, given_up + 1);
                }
            }
            if i.r.is_some() && out.r_ready {
                reads -= 1;
            }
            if let (Some(a), Some(d)) = (address, data) {
                (address, data, answers) = (None, None, answers + 1);
                assert!(refused == 0 || last == (a - base, d), "what is refused is begun again, clock {clk}, seed {seed}");
                last = (a - base, d);
            }
            let mut values = vec![
                i.rst.into(),
                u64::from(base),
                i.enable.into(),
                i.pause.into(),
                i.stop.into(),
                i.aw_ready.into(),
                i.w_ready.into(),
                i.b.is_some().into(),
                i.b.unwrap_or(0).into(),
                i.ar_ready.into(),
                i.r.is_some().into(),
            ];
            let (response, answer) = i.r.unwrap_or((0, rng.random()));
            values.extend([u64::from(response), u64::from(answer)]);
            singles.iter().zip(values).for_each(|(port, value)| dut.set(*port, value));
            let put = |dut: &mut timely_verilate::Dut, ports: &[timely_verilate::In], values: Option<Vec<u64>>| {
                dut.set(ports[0], values.is_some().into());
                values.iter().for_each(|v| ports[1..].iter().zip(v).for_each(|(port, value)| dut.set(*port, *value)));
            };
            put(&mut dut, &rate, i.rate.map(|(f, r)| vec![f.into(), r.into()]));
            put(&mut dut, &release, i.release.map(|r| vec![r.flow.into(), r.bytes.into()]));
            put(&mut dut, &word, i.profile.map(|p| vec![p.profile.into(), p.word.into(), p.data.into()]));
            put(&mut dut, &load[..2], i.load.as_ref().map(|l| vec![l.flow.into()]));
            if let Some(l) = &i.load {
                dut.set_words(load[2], &l.record);
            }
            dut.tick();
            model.step(clk, &i);
            given.extend(i.rate);
            // A load may drop what was released before, so those flows are not asked.
            if let Some(r) = i.release.filter(|r| r.flow >= 1 << (F - 1)) {
                let left = owed.entry(r.flow).or_default();
                *left = left.wrapping_add(r.bytes);
            }
            if let Some(l) = &i.load {
                loaded.entry(l.flow).or_default().0 = load_word(&l.record);
            }
            if i.rst {
                (given, written) = Default::default();
                (owed, loaded) = Default::default();
                (address, data, answers, reads) = (None, None, 0, 0);
                (refused, control) = (0, None);
            }
        }
        if cycles() >= 100_000 {
            assert_eq!(control, Some(u32::from(stop) | u32::from(pause) << 8), "stop and pause, seed {seed}");
            assert_eq!(given, written, "rates, seed {seed}");
            assert!(owed.values().all(|bytes| *bytes == 0), "releases, seed {seed}: {owed:?}");
            // Keep may have been taken away by an older load.
            assert!(loaded.values().all(|(new, last)| new & !2 == last & !2 && last & !new == 0), "loads, seed {seed}: {loaded:x?}");
        }
        println!(
            "writes of each kind {seen:?}, given up {given_up}, flows with a rate {}, released {}, loaded {}",
            given.len(),
            owed.len(),
            loaded.len()
        );
    }
    assert!(cycles() < 100_000 || given_up > 20 && seen[1..6].iter().all(|n| *n > 100), "{seen:?}, {given_up}: something hardly happened");
}
