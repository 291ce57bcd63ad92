//! The parts of `timely_hw::scheduler` around its queues, each against its model, every output at
//! every clock: window, mailbox, registers and time.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use timely_hw::scheduler::mail::Mail as RtlMail;
use timely_hw::scheduler::registers::Registers as RtlRegisters;
use timely_hw::scheduler::ticks::Ticks as RtlTicks;
use timely_hw::scheduler::window::Window as RtlWindow;
use timely_model::Block;
use timely_model::scheduler::mail::{self, Mail};
use timely_model::scheduler::registers::{self, Given, Registers};
use timely_model::scheduler::ticks::Ticks;
use timely_model::scheduler::window::{self, Window};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate::{Dut, In, Library, Out};

/// A block by its ports' names.
struct Bench {
    dut: Dut,
    inputs: Vec<In>,
    outputs: Vec<(&'static str, Out)>,
    seed: u64,
}

impl Bench {
    fn new(library: &Arc<Library>, inputs: &[&str], outputs: &[&'static str], seed: u64) -> Self {
        let inputs = inputs.iter().map(|n| library.input(n)).collect();
        let outputs = outputs.iter().map(|n| (*n, library.output(n))).collect();
        Bench { dut: library.instantiate(seed as u32), inputs, outputs, seed }
    }

    /// Holds the outputs equal to these; `None` may be anything.
    fn shows(&self, clk: u64, wanted: &[Option<u64>]) {
        assert_eq!(self.outputs.len(), wanted.len());
        for ((name, port), wanted) in self.outputs.iter().zip(wanted) {
            let shown = self.dut.get(*port);
            assert!(wanted.is_none_or(|w| w == shown), "{name}: {shown:#x}, not {wanted:x?}, clock {clk}, seed {}", self.seed);
        }
    }

    fn get(&self, name: &str) -> u64 {
        let port = self.outputs.iter().find(|p| p.0 == name).expect("an output");
        self.dut.get(port.1)
    }

    fn tick(&mut self, values: &[u64]) {
        assert_eq!(self.inputs.len(), values.len());
        self.inputs.iter().zip(values).for_each(|(port, value)| self.dut.set(*port, *value));
        self.dut.tick();
    }
}

/// A valid and its word; what is not valid may be anything.
fn offered(word: Option<u64>) -> [Option<u64>; 2] {
    [Some(word.is_some().into()), word]
}

/// A word, or noise where there is none.
fn given(rng: &mut ChaCha8Rng, word: Option<u64>, bits: u32) -> [u64; 2] {
    [word.is_some().into(), word.unwrap_or_else(|| rng.random::<u64>() & ((1 << bits) - 1))]
}

const MAIL_FLOW_BITS: usize = 4;

#[test]
fn mail_equals_model() {
    let library = verilate("mail", RtlMail::<MAIL_FLOW_BITS, 5, 6>::default());
    let inputs = ["rst", "idle_valid", "idle_flow", "limited_valid", "limited_flow", "limited", "granted", "refused", "ready", "taken"];
    // Entries of each kind, refusals and grants that a read told of, grants beyond a word's, and
    // clocks at which all places were taken.
    let mut seen = [0u64; 7];
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench::new(&library, &inputs, &["word", "swept"], seed);
        let mut model = Mail::new(MAIL_FLOW_BITS as u32);
        let mut runs = [0.1, 0.1, 0.1, 0.1, 0.1].map(|p| Runs::new(p, 40));
        let mut last = [None; 3];
        for clk in 0..cycles() {
            let (word, swept) = model.output(clk);
            bench.shows(clk, &[Some(word.into()), Some(swept.into())]);
            if clk % 3000 == 0 {
                // From a host that reads nothing to one that waits for entries.
                runs.iter_mut().for_each(|r| r.p = [0.0, 0.01, 0.1, 0.5, 0.95][rng.random_range(0..5)]);
            }
            let [idle, pass, granted, refused, taken] = [0, 1, 2, 3, 4].map(|k| runs[k].next(&mut rng));
            let flow = rng.random_range(0..1 << MAIL_FLOW_BITS);
            let i = mail::In {
                rst: clk < 2 || rng.random_bool(0.0001),
                idle: idle.then(|| rng.random_range(0..1 << MAIL_FLOW_BITS)),
                // A flow comes to its pass again 4 clocks later at the soonest.
                limited: (pass && !last.contains(&Some(flow))).then(|| (flow, rng.random())),
                granted,
                refused,
                ready: rng.random_bool(0.9),
                taken,
            };
            last.rotate_right(1);
            last[0] = i.limited.map(|l| l.0);
            let told = |bit: u32| i.taken && word >> bit & 1 == 1;
            let what = word >> 16 & 3;
            let happened = [
                i.taken && what == 1,
                i.taken && what == 2,
                i.taken && what == 3,
                told(19),
                i.taken && (1..255).contains(&(word >> 20 & 255)),
                i.taken && word >> 20 & 255 == 255,
                model.is_full(clk),
            ];
            seen.iter_mut().zip(happened).for_each(|(n, h)| *n += u64::from(h));
            let [idle, limited] = [i.idle, i.limited.map(|l| l.0)].map(|f| given(&mut rng, f.map(u64::from), MAIL_FLOW_BITS as u32));
            let is = i.limited.map_or_else(|| rng.random(), |l| l.1);
            let bits = [is, i.granted, i.refused, i.ready, i.taken].map(u64::from);
            bench.tick(&[&[u64::from(i.rst)], &idle[..], &limited, &bits].concat());
            model.step(clk, &i);
        }
    }
    println!("idle, no longer limited, limited, refusals, grants, grants beyond, full: {seen:?}");
    assert!(cycles() < 100_000 || seen.iter().all(|n| *n > 100), "{seen:?}: something hardly happened");
}

#[test]
fn registers_equal_model() {
    let library = verilate("corundum_registers", RtlRegisters::default());
    let inputs = [
        "rst",
        "wr_en",
        "wr_addr",
        "wr_data",
        "wr_strb",
        "rd_en",
        "rd_addr",
        "swept",
        "stop",
        "cfg_base",
        "cfg_address",
        "cfg_next",
        "cfg_window",
        "cfg_queues",
        "cfg_dest",
        "cfg_flow_bits",
        "cfg_streams",
    ];
    let mut seen = [0u64; 4];
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench::new(&library, &inputs, &["wr_ack", "rd_ack", "rd_data", "enable", "dest"], seed);
        let draw = |rng: &mut ChaCha8Rng| Given {
            base: rng.random_range(0..1 << 24) & !3,
            address: rng.random(),
            next: rng.random(),
            window: rng.random(),
            queues: rng.random(),
            dest: rng.random(),
            flow_bits: rng.random(),
            streams: rng.random(),
        };
        let mut g = draw(&mut rng);
        let mut model = Registers::new(g);
        let mut i = registers::In { rst: true, ..registers::In::default() };
        // The base and the destination after a reset are known two clocks after they change.
        let mut resets = 3u32;
        for clk in 0..cycles() / 4 {
            if clk % 500 == 499 {
                (g, resets) = (draw(&mut rng), 3);
                model = Registers::new(g);
            }
            let o = model.output(clk);
            if resets < 2 {
                let data = o.rd_ack.then_some(u64::from(o.data)).or(Some(0));
                bench.shows(clk, &[Some(o.wr_ack.into()), Some(o.rd_ack.into()), data, Some(o.enable.into()), Some(o.dest.into())]);
            }
            // In the blocks, a bit of the address beside them, or anywhere.
            let address = |rng: &mut ChaCha8Rng| {
                let inside = [rng.random_range(10..12), rng.random_range(0..24)][rng.random_range(0..2)] << 2;
                let other = [0, 0, 0, 1 << rng.random_range(0..24), rng.random_range(0..1 << 24)][rng.random_range(0..5)];
                g.base.wrapping_add(inside ^ other) & 0xff_ffff
            };
            i = registers::In {
                rst: resets > 0 || rng.random_bool(0.002),
                write: i.write.filter(|_| !o.wr_ack && rng.random_bool(0.8)).or_else(|| {
                    rng.random_bool(0.3)
                        .then(|| (address(&mut rng), rng.random(), if rng.random_bool(0.7) { 15 } else { rng.random_range(0..16) }))
                }),
                read: i.read.filter(|_| !o.rd_ack && rng.random_bool(0.8)).or_else(|| rng.random_bool(0.5).then(|| address(&mut rng))),
                swept: rng.random(),
                stop: rng.random(),
            };
            resets = resets.saturating_sub(1);
            let happened = [o.wr_ack, o.rd_ack, i.write.is_some() && !o.wr_ack, i.read.is_some() && !o.rd_ack];
            seen.iter_mut().zip(happened).for_each(|(n, h)| *n += u64::from(h));
            let w = i.write.unwrap_or_else(|| (rng.random::<u32>() >> 8, rng.random(), rng.random_range(0..16)));
            let r = i.read.unwrap_or_else(|| rng.random::<u32>() >> 8);
            let own = [g.base, g.address, g.next, g.window, g.queues, g.dest.into(), g.flow_bits.into(), g.streams.into()].map(u64::from);
            let bus = [i.rst.into(), i.write.is_some().into(), w.0.into(), w.1.into(), w.2.into(), i.read.is_some().into(), r.into()];
            bench.tick(&[&bus[..], &[i.swept.into(), i.stop.into()], &own].concat());
            model.step(clk, &i);
        }
    }
    println!("writes, reads, and clocks at which one waited: {seen:?}");
    assert!(cycles() < 100_000 || seen.iter().all(|n| *n > 1000), "{seen:?}: something hardly happened");
}

/// A count that is reset now and then, each time with another step.
#[test]
fn ticks_equal_model() {
    let library = verilate("ticks", RtlTicks::default());
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench::new(&library, &["rst", "increment"], &["now"], seed);
        let (mut model, mut increment, mut resets) = (Ticks::default(), 0, 0u32);
        for clk in 0..cycles() {
            if resets == 0 {
                bench.shows(clk, &[Some(model.now(clk))]);
            }
            // The first clock after the last one in reset shows what was before.
            resets = resets.saturating_sub(1);
            let rst = clk < 2 || rng.random_bool(0.0001);
            if rst {
                (increment, resets) = (rng.random::<u32>() >> rng.random_range(0..3), 1);
            }
            bench.tick(&[rst.into(), increment.into()]);
            model.step(clk, rst, increment);
        }
    }
}

const WINDOW_FLOW_BITS: u32 = 9;

/// An address of a word of each kind, with bits that mean nothing.
fn address(rng: &mut ChaCha8Rng) -> u32 {
    let index = if rng.random_bool(0.4) { 0 } else { rng.random_range(0..1 << WINDOW_FLOW_BITS) };
    (rng.random_range(0..8) << (WINDOW_FLOW_BITS + 2) | index << 2) | rng.random::<u32>() & 0xff_c003
}

#[test]
fn window_equals_model() {
    let library = verilate("corundum_window", RtlWindow::<9, 11>::new());
    let inputs = [
        "rst",
        "s_axil_awvalid",
        "s_axil_awaddr",
        "s_axil_wvalid",
        "s_axil_wdata",
        "s_axil_wstrb",
        "s_axil_bready",
        "s_axil_arvalid",
        "s_axil_araddr",
        "s_axil_rready",
        "answer_valid",
        "answer_flags",
        "mail",
    ];
    let outputs = [
        "s_axil_awready",
        "s_axil_wready",
        "s_axil_arready",
        "s_axil_bvalid",
        "s_axil_bresp",
        "s_axil_rvalid",
        "s_axil_rresp",
        "s_axil_rdata",
        "channel_valid",
        "channel_write",
        "rate_valid",
        "release_valid",
        "load_valid",
        "pw_valid",
        "index",
        "data",
        "stop",
        "pause",
        "mail_taken",
    ];
    let mut seen = [0u64; 9];
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench::new(&library, &inputs, &outputs, seed);
        let mut model = Window::new(WINDOW_FLOW_BITS);
        let mut runs = [0.5, 0.5].map(|p| Runs::new(p, 30));
        let mut i = window::In { rst: true, ..window::In::default() };
        for clk in 0..cycles() / 2 {
            let o = model.output(clk);
            let is = |kind: u8| Some(o.write.is_some_and(|w| w.kind == kind).into());
            let channel = o.channel.map(|c| c.enable.is_some().into());
            let index = o.channel.map(|c| c.queue).or(o.write.map(|w| w.index));
            let enable = o.channel.and_then(|c| c.enable).map(u64::from);
            let data = o.write.map(|w| w.data.into());
            let wanted = [
                &[Some(o.aw_ready.into()), Some(o.w_ready.into()), Some(o.ar_ready.into())],
                &offered(o.b.map(u64::from))[..],
                &offered(o.r.map(|r| r.0.into())),
                &[o.r.map(|r| r.1.into())],
                &offered(channel),
                &[
                    is(1),
                    is(2),
                    is(3),
                    is(4),
                    index.map(u64::from),
                    data,
                    Some(o.stop.into()),
                    Some(o.pause.into()),
                    Some(o.mail_taken.into()),
                ],
            ]
            .concat();
            bench.shows(clk, &wanted);
            if let Some(enable) = enable {
                assert_eq!(bench.get("data") & 1, enable, "clock {clk}, seed {seed}: {o:?}");
            }
            let happened = [
                channel == Some(0),
                channel == Some(1),
                o.write.is_some_and(|w| w.kind == 1),
                o.write.is_some_and(|w| w.kind == 4),
                o.mail_taken,
                o.stop && o.pause != 0,
                i.b_ready && o.b == Some(0),
                i.b_ready && o.b.is_some_and(|b| b != 0),
                i.r_ready && o.r.is_some_and(|r| r.0 != 0),
            ];
            seen.iter_mut().zip(happened).for_each(|(n, h)| *n += u64::from(h));
            let strobes = if rng.random_bool(0.9) { 15 } else { rng.random_range(0..16) };
            // Offers hold until they are taken.
            i = window::In {
                rst: clk < 2 || rng.random_bool(0.0003),
                aw: i.aw.filter(|_| !o.aw_ready).or_else(|| rng.random_bool(0.2).then(|| address(&mut rng))),
                w: i.w.filter(|_| !o.w_ready).or_else(|| rng.random_bool(0.2).then(|| (rng.random(), strobes))),
                b_ready: runs[0].next(&mut rng),
                ar: i.ar.filter(|_| !o.ar_ready).or_else(|| rng.random_bool(0.2).then(|| address(&mut rng))),
                r_ready: runs[1].next(&mut rng),
                answer: rng.random_bool(0.1).then(|| rng.random_range(0..16)),
                mail: rng.random(),
            };
            let [aw, ar] = [i.aw, i.ar].map(|a| given(&mut rng, a.map(u64::from), 24));
            let w = given(&mut rng, i.w.map(|w| w.0.into()), 32);
            let answer = given(&mut rng, i.answer.map(u64::from), 4);
            let strobes = i.w.map_or_else(|| rng.random_range(0..16), |w| w.1);
            let values = [
                &[u64::from(i.rst)],
                &aw[..],
                &w,
                &[strobes.into(), i.b_ready.into()],
                &ar,
                &[i.r_ready.into()],
                &answer,
                &[i.mail.into()],
            ]
            .concat();
            bench.tick(&values);
            model.step(clk, &i);
        }
    }
    println!("channels read, written, rates, profiles, mail, stops, writes answered, refused, reads refused: {seen:?}");
    assert!(cycles() < 100_000 || seen.iter().all(|n| *n > 100), "{seen:?}: something hardly happened");
}
