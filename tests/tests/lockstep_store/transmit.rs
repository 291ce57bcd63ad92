//! `mqnic_tx_scheduler_block` in the place that Corundum has for it: equal to its model at every
//! clock, and flows leave at their rates through a model of Corundum's transmit engine.
mod promises;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use std::io::{Write, stdout};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};
use timely_hw::scheduler::emission::{share, verilog};
use timely_model::Block;
use timely_model::bus::{ProfileWrite, Release};
use timely_model::pacer::Timing;
use timely_model::scheduler::registers::Given;
use timely_model::scheduler::top::{Down, In, Scheduler, Up};
use timely_model::scheduler::window;
use timely_regs::corundum::{DOWN, DOWN_BITS, Kind, MAIL_SWEPT, Part, UP, UP_BITS};
use timely_regs::map::{MAGIC, increment};
use timely_regs::profile::{OUTSTANDING, TOKEN_CAP, USE_WINDOW};
use timely_tests::{Runs, cycles, fourstate, rng, seeds, thorough};
use timely_verilate::{Dut, Library, Options, Out, build, mutant};

const F: usize = 10;
/// Parameters of the block in the bench.
const GIVEN: Given = Given {
    base: 0x3000,
    address: 0x8_3000,
    next: 0x8_4000,
    window: 0x80_0000,
    queues: 1 << F,
    dest: 16,
    flow_bits: F as u8,
    streams: false,
};
const TAGS: u16 = 32;
/// From a doorbell of an idle flow that may send at once to its request.
const DOORBELL_CLOCKS: u64 = 48;

/// The block in its place.
fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let block = verilog(F, 64, 4000).unwrap_or_else(|e| panic!("emission: {e}"));
        include_str!("../shells/corundum_scheduler_board.v").to_owned() + &block
    })
}

/// The library with the buses to and from the application block.
fn library_with_streams() -> Arc<Library> {
    let text = text()
        .replacen("mtu\n);", "mtu,\n  input wire [261:0] timely_down,\n  output wire [166:0] timely_up\n);", 1)
        .replacen(".timely_down(262'h0)", ".timely_down(timely_down)", 1)
        .replacen(".timely_up()", ".timely_up(timely_up)", 1);
    let text = "`define TIMELY_STREAMS\n".to_owned() + &text;
    build("corundum_scheduler_streams", &text, "board", Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn library() -> &'static Arc<Library> {
    static LIBRARY: OnceLock<Arc<Library>> = OnceLock::new();
    LIBRARY.get_or_init(|| build("corundum_scheduler", text(), "board", Options::default()).unwrap_or_else(|e| panic!("{e}")))
}

/// The core that is behind the block's parameters.
fn core() -> Arc<Library> {
    let (_, core) = text().rsplit_once("/* verilator lint_save */").expect("what is behind the block");
    let text = mutant::text("corundum_core", || format!("/* verilator lint_save */{core}"));
    build("corundum_core", &text, "tnic_corundum_scheduler", Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// The block, and its ports.
struct Bench {
    dut: Dut,
    inputs: [timely_verilate::In; 22],
    outputs: Vec<Out>,
}

const INPUTS: [&str; 22] = [
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
    "ctrl_reg_wr_en",
    "ctrl_reg_wr_addr",
    "ctrl_reg_wr_data",
    "ctrl_reg_wr_strb",
    "ctrl_reg_rd_en",
    "ctrl_reg_rd_addr",
    "m_axis_tx_req_ready",
    "s_axis_doorbell_valid",
    "s_axis_doorbell_queue",
    "s_axis_tx_req_status_valid",
    "s_axis_tx_req_status_tag",
    "s_axis_tx_req_status_len",
];
const OUTPUTS: [&str; 16] = [
    "s_axil_awready",
    "s_axil_wready",
    "s_axil_arready",
    "s_axil_bvalid",
    "s_axil_bresp",
    "s_axil_rvalid",
    "s_axil_rresp",
    "s_axil_rdata",
    "ctrl_reg_wr_ack",
    "ctrl_reg_rd_ack",
    "ctrl_reg_rd_data",
    "m_axis_tx_req_valid",
    "m_axis_tx_req_queue",
    "m_axis_tx_req_tag",
    "m_axis_tx_req_dest",
    "ctrl_reg_wr_wait",
];

/// A port of the block as its core has it.
fn inside(port: &str) -> String {
    let short = [("ctrl_reg_", ""), ("m_axis_tx_req", "request"), ("s_axis_tx_req_status", "status"), ("s_axis_doorbell", "doorbell")];
    short.iter().fold(port.to_owned(), |name, (long, short)| name.replace(long, short))
}

impl Bench {
    fn new(library: &Arc<Library>, seed: u64) -> Self {
        let (dut, outputs) = (library.instantiate(seed as u32), OUTPUTS.iter().map(|n| library.output(n)).collect());
        Bench { dut, inputs: INPUTS.map(|n| library.input(n)), outputs }
    }

    /// The core, of these parameters. A register of the bus is never held up, and has no output for
    /// that.
    fn core(library: &Arc<Library>, of: &Of, seed: u64) -> Self {
        let (mut dut, g) = (library.instantiate(seed as u32), &of.given);
        let values: [(&str, u64); 10] = [
            ("base", g.base.into()),
            ("address", g.address.into()),
            ("next", g.next.into()),
            ("window", g.window.into()),
            ("queues", g.queues.into()),
            ("dest", g.dest.into()),
            ("streams", g.streams.into()),
            ("tags", of.tags.into()),
            ("share", of.share.into()),
            ("increment", of.increment.into()),
        ];
        values.iter().for_each(|(name, value)| dut.set(library.input(&format!("cfg_{name}")), *value));
        let outputs = OUTPUTS[..15].iter().map(|n| library.output(&inside(n))).collect();
        Bench { dut, inputs: INPUTS.map(|n| library.input(&inside(n))), outputs }
    }

    fn get(&self) -> [u64; 16] {
        std::array::from_fn(|k| self.outputs.get(k).map_or(0, |p| self.dut.get(*p)))
    }

    fn step(&mut self, i: &In) {
        let w = &i.window;
        let values: [u64; 22] = [
            i.rst.into(),
            w.aw.is_some().into(),
            w.aw.unwrap_or(0).into(),
            w.w.is_some().into(),
            w.w.unwrap_or_default().0.into(),
            w.w.unwrap_or_default().1.into(),
            w.b_ready.into(),
            w.ar.is_some().into(),
            w.ar.unwrap_or(0).into(),
            w.r_ready.into(),
            i.write.is_some().into(),
            i.write.unwrap_or_default().0.into(),
            i.write.unwrap_or_default().1.into(),
            i.write.unwrap_or_default().2.into(),
            i.read.is_some().into(),
            i.read.unwrap_or(0).into(),
            i.request_ready.into(),
            i.doorbell.is_some().into(),
            i.doorbell.unwrap_or(0).into(),
            i.status.is_some().into(),
            i.status.unwrap_or_default().0.into(),
            i.status.unwrap_or_default().1.into(),
        ];
        self.inputs.iter().zip(values).for_each(|(port, value)| self.dut.set(*port, value));
        self.dut.tick();
    }
}

/// A transmit engine of Corundum's: takes a request every third clock, knows of an empty queue
/// soon, and of a packet that it has been sent after a while; in order either way.
#[derive(Default)]
struct Engine {
    clk: u64,
    last: u64,
    looked: VecDeque<(u64, u8, u32)>,
    sent: VecDeque<(u64, u8, u16)>,
    used: u64,
    /// Tags that there are.
    tags: u16,
    empty: u64,
    /// Mb/s of the line; 0 as much as may be.
    line: u64,
}

impl Engine {
    fn new(tags: u16) -> Self {
        Engine { tags, ..Engine::default() }
    }

    fn ready(&self, rng: &mut ChaCha8Rng) -> bool {
        self.clk >= self.last + 3 && rng.random_bool(0.9)
    }

    /// A clock: what was taken, and the size of the packet that a queue has.
    fn step(
        &mut self,
        rng: &mut ChaCha8Rng,
        taken: Option<(u32, u8)>,
        mut packet: impl FnMut(u32, u64) -> Option<u16>,
    ) -> Option<(u8, u16)> {
        if let Some((queue, tag)) = taken {
            assert!(u16::from(tag) < self.tags && self.used >> tag & 1 == 0, "tag {tag} is under way");
            self.used |= 1 << tag;
            self.last = self.clk;
            let at = self.looked.back().map_or(0, |l| l.0 + 1).max(self.clk + rng.random_range(20..60));
            self.looked.push_back((at, tag, queue));
        }
        self.clk += 1;
        let mut over = None;
        if let Some((at, tag, queue)) = self.looked.front().copied()
            && at <= self.clk
        {
            self.looked.pop_front();
            match packet(queue, self.clk) {
                None => {
                    self.empty += 1;
                    over = Some((tag, 0));
                }
                Some(len) => {
                    let clocks = (u64::from(len) + 24) * 2000 / self.line.max(1) * u64::from(self.line > 0);
                    let at = self.sent.back().map_or(0, |s| s.0 + clocks.max(1)).max(self.clk + rng.random_range(100..400));
                    self.sent.push_back((at, tag, len));
                }
            }
        }
        if over.is_none() && self.sent.front().is_some_and(|s| s.0 <= self.clk) {
            over = self.sent.pop_front().map(|(_, tag, len)| (tag, len));
        }
        if let Some((tag, _)) = over {
            self.used &= !(1 << tag);
        }
        over
    }
}

fn random_access(rng: &mut ChaCha8Rng, busy: &Busy) -> u32 {
    let kind = [0, 0, 1, 2, 3, 4, 5, 6, 6, 7][rng.random_range(0..10)];
    let index = if rng.random_bool(0.2) { 0 } else { any_queue(rng, busy) };
    (kind << (F + 2) | index << 2) | rng.random_range(0..2) << 18
}

/// Values at their places in a bus of that many bits.
fn packed(parts: &[Part], bits: usize, values: &[u64]) -> Vec<u32> {
    assert_eq!(parts.len(), values.len());
    let mut words = vec![0u32; bits.div_ceil(32)];
    for ((name, low, width), value) in parts.iter().zip(values) {
        assert!(*width == 64 || value >> width == 0, "{name} has {width} bits: {value:#x}");
        for bit in (0..*width).filter(|bit| value >> bit & 1 != 0) {
            words[(low + bit) / 32] |= 1 << ((low + bit) % 32);
        }
    }
    words
}

fn down(d: &Down) -> Vec<u32> {
    let release = d.release.unwrap_or(Release { flow: 0, bytes: 0 });
    let (rate, load, word) = (d.rate.unwrap_or_default(), d.load.unwrap_or_default(), d.profile.unwrap_or_default());
    let values = [
        d.stop.into(),
        d.pause.into(),
        d.rate.is_some().into(),
        rate.0.into(),
        rate.1.into(),
        d.release.is_some().into(),
        release.flow.into(),
        release.bytes.into(),
        d.load.is_some().into(),
        load.0.into(),
        load.1.into(),
        d.profile.is_some().into(),
        word.profile.into(),
        word.word.into(),
        word.data.into(),
        d.later,
    ];
    packed(DOWN, DOWN_BITS, &values)
}

/// Of what is not valid, what the bus shows.
fn up(u: &Up, shown: &[u32]) -> Vec<u32> {
    let bits = |low: usize, width: usize| (0..width).fold(0u64, |v, k| v | u64::from(shown[(low + k) / 32] >> ((low + k) % 32) & 1) << k);
    let at = |name: &str| UP.iter().find(|p| p.0 == name).map_or(0, |p| bits(p.1, p.2));
    let launch = u.launch.map_or([at("launch_flow"), at("launch_tag"), at("launch_paced"), at("launch_time")], |l| {
        [l.queue.into(), l.tag.into(), l.paced.into(), l.time]
    });
    let values = [
        u.swept.into(),
        u.idle.is_some().into(),
        u.idle.map_or(at("idle_flow"), u64::from),
        u.limited.is_some().into(),
        u.limited.map_or(at("limited_flow"), |l| l.0.into()),
        u.limited.map_or(at("limited"), |l| l.1.into()),
        u.pulses,
        u.launch.is_some().into(),
        launch[0],
        launch[1],
        launch[2],
        launch[3],
        u.void.is_some().into(),
        u.void.map_or(at("void_tag"), u64::from),
    ];
    packed(UP, UP_BITS, &values)
}

/// A few queues that much comes to.
type Busy = [u32; 8];

/// One of those, or any.
fn any_queue(rng: &mut ChaCha8Rng, busy: &Busy) -> u32 {
    if rng.random_bool(0.9) { busy[rng.random_range(0..8)] } else { rng.random_range(0..1 << F) }
}

/// Random signals on the bus from the control half: flows that are loaded, at all rates, in a time
/// that goes on from `origin`, ns48.fns16.
fn random_down(rng: &mut ChaCha8Rng, clk: u64, origin: u64, busy: &Busy) -> Down {
    let flow = any_queue(rng, busy);
    let chance = |rng: &mut ChaCha8Rng, p: f64| rng.random_bool(p);
    Down {
        stop: clk / 3000 % 5 == 4,
        // Of some priorities for a while, or of all.
        pause: [0, 0, 0, 0xff, 0, 0, 0x81, 1 << (clk / 16_000 % 8)][(clk / 2000 % 8) as usize],
        rate: chance(rng, 0.01).then(|| (flow, rng.random_range(0..100_000 << 12))),
        release: chance(rng, 0.01).then(|| Release { flow, bytes: rng.random::<u32>() >> [1, 21][rng.random_range(0..2)] }),
        load: chance(rng, 0.002).then(|| (flow, if chance(rng, 0.7) { 0x0300_0001 | rng.random_range(0..2) << 1 } else { rng.random() })),
        profile: chance(rng, 0.002).then(|| ProfileWrite {
            profile: if chance(rng, 0.5) { 0 } else { rng.random_range(0..16) },
            word: [TOKEN_CAP.word, OUTSTANDING.word, rng.random_range(0..32)][rng.random_range(0..3)],
            data: if chance(rng, 0.7) { rng.random_range(0..30_000) } else { rng.random() },
        }),
        later: ((clk * 4) << 16) + origin,
    }
}

#[test]
fn block_equals_model() {
    equal(library(), Form::Block { streams: false }, cycles() / 8);
}

/// The core with any parameters, and with either source of the pacer's inputs.
#[test]
fn core_equals_model() {
    equal(&core(), Form::Core, cycles() / 6);
}

#[test]
fn block_with_streams_equals_model() {
    // The same but for where the pacer's inputs come from.
    if thorough() {
        equal(&library_with_streams(), Form::Block { streams: true }, cycles() / 4);
    }
}

/// Clocks that are run once more in four states, of the first seed.
const FOUR_STATES: usize = 5000;

/// The design that is run.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// The block, with or without the buses.
    Block { streams: bool },
    /// The core of it, without the buses and with them.
    Core,
}

/// The parameters of a block, or of a core.
struct Of {
    tags: u16,
    /// log2 of wire bytes without a flow.
    share: u8,
    /// ns that a clock adds, Q8.24.
    increment: u32,
    given: Given,
}

impl Of {
    fn block(streams: bool) -> Self {
        Of { tags: TAGS, share: share(64), increment: increment(4000), given: Given { streams, ..GIVEN } }
    }

    fn core(rng: &mut ChaCha8Rng, streams: bool) -> Self {
        let [address, next, window] = rng.random();
        let (base, queues, dest) = (rng.random_range(0..1 << 24) & !3, rng.random(), rng.random());
        let given = Given { base, address, next, window, queues, dest, flow_bits: F as u8, streams };
        let increment = rng.random_range(1 << 25..1 << 28) << rng.random_range(0..4);
        Of { tags: rng.random_range(1..=64), share: rng.random_range(8..=24), increment, given }
    }
}

fn equal(library: &Arc<Library>, form: Form, clocks: u64) {
    let mut seen = [0u64; 6];
    let mut again = form != Form::Core && !fourstate::left_out("lockstep_store::transmit");
    let forms: &[bool] = match form {
        Form::Block { streams: false } => &[false],
        Form::Block { streams: true } => &[true],
        Form::Core => &[false, true, false, true, false, true],
    };
    let buses = match form {
        Form::Block { streams } => streams.then(|| (library.input("timely_down"), library.output("timely_up"))),
        Form::Core => Some((library.input("down"), library.output("up"))),
    };
    for (seed, round) in seeds().into_iter().flat_map(|seed| (0..forms.len()).map(move |round| (seed, round))) {
        let (mut rng, streams) = (rng(seed), forms[round]);
        // Other numbers in each.
        rng.set_stream(round as u64);
        let of = if form == Form::Core { Of::core(&mut rng, streams) } else { Of::block(streams) };
        let mut bench = match form {
            Form::Core => Bench::core(library, &of, seed),
            Form::Block { .. } => Bench::new(&library.keeping(if again { FOUR_STATES } else { 0 }), seed),
        };
        let mut model = Scheduler::new(of.given, Timing::default(), of.tags, of.share, of.increment);
        let origin = rng.random::<u64>() >> rng.random_range(1..20);
        let busy: Busy = std::array::from_fn(|k| if form == Form::Core { rng.random_range(0..1 << F) } else { k as u32 });
        let mut engine = Engine::new(of.tags);
        let mut packets = [0u32; 1 << F];
        let mut runs = [0.5, 0.5, 0.8].map(|p| Runs::new(p, 50));
        let mut i = In { rst: true, ..In::default() };
        for clk in 0..clocks {
            let (o, m) = (bench.get(), model.output(clk));
            let w = &m.window;
            let expected: [u64; 16] = [
                w.aw_ready.into(),
                w.w_ready.into(),
                w.ar_ready.into(),
                w.b.is_some().into(),
                w.b.unwrap_or(0).into(),
                w.r.is_some().into(),
                w.r.unwrap_or_default().0.into(),
                w.r.unwrap_or_default().1.into(),
                m.registers.wr_ack.into(),
                m.registers.rd_ack.into(),
                m.registers.data.into(),
                m.request.is_some().into(),
                m.request.unwrap_or_default().0.into(),
                m.request.unwrap_or_default().1.into(),
                u64::from(m.registers.dest & if form == Form::Core { u16::MAX } else { 511 }),
                0,
            ];
            for (k, name) in OUTPUTS.iter().enumerate() {
                // Fields that are not valid may be anything.
                let counts = match k {
                    4 => o[3] == 1,
                    6 | 7 => o[5] == 1,
                    12 | 13 => o[11] == 1,
                    // The output is defined from a reset on.
                    14 => clk > 0,
                    _ => true,
                };
                assert!(!counts || o[k] == expected[k], "{name}: {:#x}, not {:#x}, clock {clk}, seed {seed}", o[k], expected[k]);
            }
            if let Some((_, port)) = buses {
                let shown = bench.dut.get_words(port).to_vec();
                assert_eq!(shown, up(&m.up, &shown), "clock {clk}, seed {seed}: {:?}", m.up);
            }
            let taken = |offered: bool, ready: u64| offered && ready == 1;
            let happened = [o[3] == 1, o[5] == 1 && o[6] == 0, o[5] == 1 && o[6] != 0, o[9] == 1, o[11] == 1, m.up.limited.is_some()];
            seen.iter_mut().zip(happened).for_each(|(n, h)| *n += u64::from(h));
            // Offers hold until they are taken.
            let mut next = In { rst: clk < 2 || rng.random_bool(0.00002), ..In::default() };
            next.window.aw =
                i.window.aw.filter(|_| !taken(true, o[0])).or_else(|| rng.random_bool(0.05).then(|| random_access(&mut rng, &busy)));
            let data = |rng: &mut ChaCha8Rng| match rng.random_range(0..4) {
                // A load, an enable, a control that lets flows send.
                0 => 1 | rng.random_range(0..16) << 4 | 1000 << 16 | u32::from(rng.random_bool(0.3)) << 1,
                1 => 3,
                2 => rng.random_range(0..1 << 24) & !1,
                _ => rng.random(),
            };
            let strobes = if rng.random_bool(0.95) { 15 } else { rng.random_range(0..16) };
            next.window.w = i.window.w.filter(|_| !taken(true, o[1])).or_else(|| rng.random_bool(0.05).then(|| (data(&mut rng), strobes)));
            next.window.ar =
                i.window.ar.filter(|_| !taken(true, o[2])).or_else(|| rng.random_bool(0.05).then(|| random_access(&mut rng, &busy)));
            (next.window.b_ready, next.window.r_ready) = (runs[0].next(&mut rng), runs[1].next(&mut rng));
            let register = |rng: &mut ChaCha8Rng| of.given.base.wrapping_add(rng.random_range(0..24) * 4) & 0xff_ffff;
            next.write =
                i.write.filter(|_| o[8] == 0).filter(|_| rng.random_bool(0.9)).or_else(|| {
                    rng.random_bool(0.01).then(|| (register(&mut rng), rng.random::<u32>() | u32::from(rng.random_bool(0.9)), 15))
                });
            next.read = i.read.filter(|_| o[9] == 0 && rng.random_bool(0.9)).or_else(|| rng.random_bool(0.02).then(|| register(&mut rng)));
            if rng.random_bool(0.02) {
                let queue = any_queue(&mut rng, &busy);
                let held = &mut packets[queue as usize];
                *held = (*held + rng.random_range(1..4)).min(50);
                next.doorbell = Some(queue);
            }
            next.request_ready = engine.ready(&mut rng) && runs[2].next(&mut rng);
            let request = (o[11] == 1 && next.request_ready && !next.rst).then_some((o[12] as u32, o[13] as u8));
            let size = rng.random_range(60..=1514);
            next.status = engine.step(&mut rng, request, |queue, _| {
                let held = &mut packets[queue as usize];
                let some = *held > 0;
                *held -= u32::from(some);
                some.then_some(size)
            });
            if next.rst {
                engine = Engine { clk: engine.clk, ..Engine::new(of.tags) };
                next.status = None;
            }
            if let Some((port, _)) = buses {
                next.down = random_down(&mut rng, clk, origin, &busy);
                bench.dut.set_words(port, &down(&next.down));
            }
            i = next;
            bench.step(&i);
            model.step(clk, &i);
        }
        if std::mem::take(&mut again) {
            fourstate::same("scheduler", &bench.dut, 5);
        }
    }
    println!("writes answered, reads, reads refused, registers read, requests, passes: {seen:?}");
    assert!(cycles() < 100_000 || seen.iter().all(|n| *n > 100), "{seen:?}: something hardly happened");
}

/// A tool's verdict on files: whether it takes them, and what it says.
fn asked(variable: &str, name: &str, arguments: &[&str], file: &Path) -> Option<(bool, String)> {
    let program = std::env::var(variable).unwrap_or_else(|_| name.into());
    let Ok(out) = Command::new(program).args(arguments).arg(file).output() else {
        // Past the test's capture, for `cargo xtask test` to tell.
        writeln!(stdout(), "left out: lockstep_store::transmit: the port fit: there is no {name} here").expect("stdout");
        return None;
    };
    Some((out.status.success(), String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned()))
}

/// The block under exactly Corundum's ports and parameters, with the buses too; wrong parameters
/// end its elaboration.
#[test]
fn block_fits_into_its_place() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-scheduler.v", std::process::id()));
    std::fs::write(&file, text()).expect("the target directory can be written");
    let icarus = |more: &[&str]| asked("IVERILOG", "iverilog", &[&["-g2005", "-t", "null", "-s", "board"], more].concat(), &file);
    for more in
        [&[][..], &["-DTIMELY_STREAMS"], &["-Pboard.QUEUE_INDEX_WIDTH=5"], &["-Pboard.AXIL_ADDR_WIDTH=15", "-Pboard.REG_ADDR_WIDTH=24"]]
    {
        let Some((fits, said)) = icarus(more) else { return };
        assert!(fits && !said.contains("error"), "{more:?}: {said}");
    }
    let wrong = [
        ("QUEUE_INDEX_WIDTH=11", "timely_nic_was_emitted_for_1024_queues_at_most"),
        ("REG_DATA_WIDTH=64", "timely_nic_needs_registers_of_32_bits_and_addresses_of_8_to_24_bits"),
        ("AXIL_ADDR_WIDTH=14", "timely_nic_needs_AXI_Lite_of_32_bits_and_addresses_of_15_to_24_bits"),
        ("DMA_LEN_WIDTH=20", "timely_nic_needs_lengths_and_destinations_of_16_bits_at_most"),
        ("CLK_PERIOD_NS_NUM=5", "timely_nic_was_emitted_for_a_clock_of_4000_ps"),
        ("TX_SCHEDULER_OP_TABLE_SIZE=128", "timely_nic_needs_a_tag_for_each_of_TX_SCHEDULER_OP_TABLE_SIZE_requests"),
    ];
    for (parameter, sentence) in wrong {
        let (fits, said) = icarus(&[&format!("-Pboard.{parameter}")]).expect("it was there before");
        assert!(!fits && said.contains(sentence), "{parameter}: {said}");
    }
    let verilator = |more: &[&str], file: &Path, top: &str| {
        let arguments = [&["--lint-only", "-Wall", "-Wno-fatal", "--top-module", top], more].concat();
        let Some((fits, said)) = asked("VERILATOR", "verilator", &arguments, file) else { return };
        assert!(fits, "{said}");
        for real in ["LATCH", "MULTIDRIVEN", "UNOPTFLAT", "COMBDLY", "BLKANDNBLK", "PINMISSING", "PINNOTFOUND", "IMPLICIT"] {
            assert!(!said.contains(&format!("Warning-{real}")), "{real}: {said}");
        }
    };
    verilator(&[], &file, "board");
    verilator(&["-DTIMELY_STREAMS"], &file, "board");
    std::fs::write(&file, verilog(13, 64, 4000).unwrap_or_else(|e| panic!("emission: {e}"))).expect("the target directory can be written");
    verilator(&[], &file, "mqnic_tx_scheduler_block");
    std::fs::remove_file(&file).ok();
}
