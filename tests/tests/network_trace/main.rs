//! A network of NICs leaves one trace, whatever its NICs are made of: every frame, round trip,
//! time-out and rate, to the picosecond.
mod trace;

use std::path::{Path, PathBuf};
use timely_sim::cores::{CoreFactory, CoreSpec, Cores, Prepared};
use timely_sim::nic::core::{AccessError, Core, CoreEvent, CoreIn, Pins};
use timely_sim::nic::memory::{Behaviour, Memory};
use timely_sim::scenario::build::{self, Outcome};
use timely_sim::scenario::{NicKind, file};
use trace::Trace;

/// A core at which no clock is skipped.
struct EveryClock(Box<dyn Core>);

impl Core for EveryClock {
    fn bus_bytes(&self) -> usize {
        self.0.bus_bytes()
    }
    fn clk(&self) -> u64 {
        self.0.clk()
    }
    fn output(&self) -> Pins {
        self.0.output()
    }
    fn step(&mut self, input: &CoreIn) {
        self.0.step(input);
    }
    fn now(&self) -> u64 {
        self.0.now()
    }
    fn wake(&self) -> u64 {
        self.0.clk()
    }
    fn skip_to(&mut self, clk: u64) {
        assert_eq!(clk, self.0.clk(), "no clock is skipped");
    }
    fn write32(&mut self, addr: u32, value: u32) -> Result<(), AccessError> {
        self.0.write32(addr, value)
    }
    fn read32(&mut self, addr: u32) -> Result<u32, AccessError> {
        self.0.read32(addr)
    }
    fn reset(&mut self, clocks: u64) {
        self.0.reset(clocks);
    }
    fn post_write(&mut self, addr: u32, value: u32) {
        self.0.post_write(addr, value);
    }
    fn post_read(&mut self, addr: u32) {
        self.0.post_read(addr);
    }
    fn answer(&mut self) -> Option<Result<u32, AccessError>> {
        self.0.answer()
    }
    fn attach(&mut self, seed: u64, behaviour: &Behaviour) {
        self.0.attach(seed, behaviour);
    }
    fn memory(&mut self) -> Option<&mut Memory> {
        self.0.memory()
    }
    fn read_memory(&self, address: u64, to: &mut [u8]) {
        self.0.read_memory(address, to);
    }
    fn write_memory(&mut self, address: u64, from: &[u8]) {
        self.0.write_memory(address, from);
    }
    fn irq(&self) -> u32 {
        self.0.irq()
    }
    fn drain(&mut self, events: &mut Vec<CoreEvent>) {
        self.0.drain(events);
    }
}

/// Makes models of which every clock is stepped.
struct Stepped(Cores);

impl CoreFactory for Stepped {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        let prepared = self.0.build(spec)?;
        Ok(Prepared { core: Box::new(EveryClock(prepared.core)), ..prepared })
    }
}

const SCENARIOS: [&str; 3] = ["trace_incast", "trace_mesh", "trace_tree"];

/// Networks: a tenth of each in ordinary runs, half of the incast and a third of mesh and tree; all
/// of it where the lockstep tests run for a million clocks or more, as in `cargo xtask soak`.
fn part() -> u64 {
    if timely_tests::cycles() >= 1_000_000 { 1 } else { 10 }
}

fn run(scenario: &str, kind: NicKind, cores: &dyn CoreFactory, shorten: u64) -> (Trace, Outcome) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../sim/scenarios/{scenario}.toml"));
    let mut plan = file::read(&path).unwrap_or_else(|e| panic!("{e}"));
    plan.nic.kind = kind;
    plan.duration /= shorten;
    plan.snapshot = true;
    let mut trace = Trace::default();
    let outcome = build::run(plan, cores, &mut trace).unwrap_or_else(|e| panic!("{e}"));
    println!("{scenario}, {kind}: {:.1} s", outcome.seconds);
    (trace, outcome)
}

/// Models skip clocks by what their blocks say of themselves; that must show nowhere.
#[test]
fn skipped_clocks_show_nowhere() {
    for scenario in SCENARIOS {
        let (skipped, _) = run(scenario, NicKind::Model, &Cores::new(PathBuf::new()), part().min(8));
        let (stepped, _) = run(scenario, NicKind::Model, &Stepped(Cores::new(PathBuf::new())), part().min(8));
        skipped.assert_equal(&stepped, "skipped", "stepped", scenario);
    }
}

fn verilog_and_model_agree(scenario: &str, part: u64) {
    let cores = timely_tests::network::cores();
    let (verilog, outcome) = run(scenario, NicKind::Rtl, &cores, part);
    verilog.ingredients(&outcome).assert_all_met(scenario, part);
    let (model, modelled) = run(scenario, NicKind::Model, &cores, part);
    verilog.assert_equal(&model, "Verilog", "model", scenario);
    // The snapshots in the hosts' memory at the end.
    assert!(outcome.snapshots.iter().flat_map(|s| &s.1).any(|r| r.packets > 0 && r.rtt.is_some()), "{scenario}: no telemetry");
    // Software's loop takes them, at a clock of its own.
    let taken = |o: &Outcome| {
        let mut all = o.snapshots.clone();
        all.iter_mut().flat_map(|s| &mut s.1).for_each(|r| r.read_at = 0);
        all
    };
    assert_eq!(taken(&outcome), taken(&modelled), "{scenario}: telemetry, Verilog and model");
}

#[test]
fn an_incast() {
    verilog_and_model_agree(SCENARIOS[0], part().min(2));
}

#[test]
fn a_mesh() {
    verilog_and_model_agree(SCENARIOS[1], part().min(3));
}

#[test]
fn a_tree() {
    verilog_and_model_agree(SCENARIOS[2], part().min(3));
}

/// Eight NICs to one.
#[test]
fn eight_to_one() {
    verilog_and_model_agree("trace_eight", part());
}

/// Congestion in both directions of one link.
#[test]
fn a_dumbbell_with_reverse_traffic() {
    verilog_and_model_agree("trace_dumbbell", part());
}

/// Marks, CNPs and timers of DCQCN, beside flows of other laws.
#[test]
fn marks_under_dcqcn() {
    let cores = timely_tests::network::cores();
    let (verilog, outcome) = run("trace_dcqcn", NicKind::Rtl, &cores, part().min(3));
    let (model, _) = run("trace_dcqcn", NicKind::Model, &cores, part().min(3));
    verilog.assert_equal(&model, "Verilog", "model", "trace_dcqcn");
    println!("{:?}", verilog.ingredients(&outcome));
    verilog.ingredients(&outcome).assert_steered();
}

/// Switches and pauses of two classes.
#[test]
fn two_classes_on_a_leaf_spine() {
    verilog_and_model_agree("trace_classes", part());
}
