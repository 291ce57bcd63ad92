//! Buses and constants in emitted Verilog: names of ports, connections without logic, and what
//! emission refuses.
use rust_hdl::prelude::*;
use timely_hw::bus::{AxilMaster, AxilSlave, FlowPulseStage};
use timely_hw::constant::Const;
use timely_hw::emit::emit;
use timely_hw::fifo::WideFifo;
use timely_hw::launch::Launch;
use timely_hw::links::Modules;

/// Drives a bus from the one that it has.
#[derive(LogicBlock, Default)]
struct Inner {
    s: AxilSlave<8>,
    m: AxilMaster<8>,
}

impl Logic for Inner {
    #[hdl_gen]
    fn update(&mut self) {
        self.m.awaddr.next = self.s.awaddr.val();
        self.m.awvalid.next = self.s.awvalid.val();
        self.s.awready.next = self.m.awready.val();
        self.m.wdata.next = self.s.wdata.val();
        self.m.wstrb.next = self.s.wstrb.val();
        self.m.wvalid.next = self.s.wvalid.val();
        self.s.wready.next = self.m.wready.val();
        self.s.bresp.next = self.m.bresp.val();
        self.s.bvalid.next = self.m.bvalid.val();
        self.m.bready.next = self.s.bready.val();
        self.m.araddr.next = self.s.araddr.val();
        self.m.arvalid.next = self.s.arvalid.val();
        self.s.arready.next = self.m.arready.val();
        self.s.rdata.next = self.m.rdata.val();
        self.s.rresp.next = self.m.rresp.val();
        self.s.rvalid.next = self.m.rvalid.val();
        self.m.rready.next = self.s.rready.val();
    }
}

/// Two of them in a row, with a port that has the name of a bus and a part of a field's.
#[derive(LogicBlock, Default)]
struct Row {
    s_axil: AxilSlave<8>,
    m_axil: AxilMaster<8>,
    s_axil_aw: Signal<In, Bit>,
    beside: Signal<Out, Bit>,
    first: Inner,
    then: [Inner; 1],
}

impl Logic for Row {
    #[hdl_gen]
    fn update(&mut self) {
        AxilSlave::<8>::link(&mut self.s_axil, &mut self.first.s);
        AxilMaster::<8>::join(&mut self.first.m, &mut self.then[0].s);
        AxilMaster::<8>::link(&mut self.m_axil, &mut self.then[0].m);
        self.beside.next = self.s_axil_aw.val();
    }
}

#[test]
fn a_bus_is_ports_of_its_name_and_connections() {
    let verilog = emit("row", Row::default()).expect("it checks");
    let row = verilog.split("endmodule").find(|m| m.contains("module tnic_row(")).expect("the top");
    for line in [
        "    input wire  [7:0] s_axil_awaddr;",
        "        .s_awaddr(s_axil_awaddr),",
        "        .m_awaddr(m_axil_awaddr),",
        "        .m_rready(first__m_rready)",
        "    assign then__0__s_rready = first__m_rready;",
        "    assign first__m_rdata = then__0__s_rdata;",
    ] {
        assert!(row.lines().any(|l| l == line), "{line}\n{row}");
    }
    assert!(!row.contains("always") && !verilog.contains('$'), "{row}");
}

/// A port that is called as a field of a bus.
#[derive(LogicBlock, Default)]
struct Twice {
    s_axil: AxilSlave<8>,
    m_axil: AxilMaster<8>,
    s_axil_awaddr: Signal<In, Bit>,
    beside: Signal<Out, Bit>,
    inner: Inner,
}

impl Logic for Twice {
    #[hdl_gen]
    fn update(&mut self) {
        AxilSlave::<8>::link(&mut self.s_axil, &mut self.inner.s);
        AxilMaster::<8>::link(&mut self.m_axil, &mut self.inner.m);
        self.beside.next = self.s_axil_awaddr.val();
    }
}

#[test]
fn two_names_do_not_become_one() {
    let told = emit("twice", Twice::default()).expect_err("two ports of one name");
    assert_eq!(told, "twice: s_axil$awaddr and s_axil_awaddr are both s_axil_awaddr in Verilog: rename one");
}

/// A signal with a name that Verilog reserves.
#[derive(LogicBlock, Default)]
struct Ends {
    i: Signal<In, Bit>,
    end: Signal<Out, Bit>,
}

impl Logic for Ends {
    #[hdl_gen]
    fn update(&mut self) {
        self.end.next = self.i.val();
    }
}

/// A signal with the name of another one's variable.
#[derive(LogicBlock, Default)]
struct Varies {
    i: Signal<In, Bit>,
    o: Signal<Out, Bit>,
    o_v: Signal<Out, Bit>,
}

impl Logic for Varies {
    #[hdl_gen]
    fn update(&mut self) {
        self.o_v.next = self.i.val();
        self.o.next = false;
        if self.i.val() {
            self.o.next = true;
        }
    }
}

#[test]
fn names_that_verilog_does_not_take_are_refused() {
    let refusal = emit("ends", Ends::default()).expect_err("a reserved word");
    assert!(refusal.contains("is a reserved word of Verilog"), "{refusal}");
    let refusal = emit("varies", Varies::default()).expect_err("one name twice");
    assert!(refusal.contains("o_v is declared twice"), "{refusal}");
}

/// Adds a constant.
#[derive(LogicBlock, Default)]
struct Step {
    i: Signal<In, Bits<8>>,
    o: Signal<Out, Bits<8>>,
    step: Const<Bits<8>>,
}

impl Logic for Step {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.i.val() + self.step.val();
    }
}

#[test]
fn a_constant_needs_a_value() {
    let verilog = emit("step", Step { step: Const::new(bits::<8>(5)), ..Default::default() }).expect("it checks");
    assert!(verilog.contains("localparam  step = 8'h5;"), "{verilog}");
    let told = emit("step", Step::default()).expect_err("no value");
    assert!(told.contains("OpenSignal") && told.contains("step"), "{told}");
}

#[test]
fn a_stage_has_a_register_a_field_and_resets_validity() {
    let verilog = emit("stage", FlowPulseStage::<4>::default()).expect("it checks");
    let stage = verilog.split("endmodule").find(|m| m.contains("module tnic_stage(")).expect("the top");
    for line in [
        "        valid__0__d_v = i_valid;",
        "            valid__0__d_v = 1'b0;",
        "    assign flow__0__d = i_flow;",
        "    assign o_flow = flow__0__q;",
        "        flow__0__q <= flow__0__d;",
    ] {
        assert!(stage.lines().any(|l| l == line), "{line}\n{stage}");
    }
}

/// Connections to ports and between instances, in two levels, a FIFO's among them.
#[test]
fn connections_kept_apart_make_the_text_of_rusthdl() {
    fn both(name: &str, mut block: impl Block) -> [String; 2] {
        block.connect_all();
        let (mut ours, mut theirs) = (Modules::default(), ModuleDefines::default());
        block.accept(name, &mut ours);
        block.accept(name, &mut theirs);
        [ours.verilog(), theirs.defines()]
    }
    for [ours, theirs] in [both("row", Row::default()), both("launch", Launch::<64, 8, 82>::default())] {
        assert_eq!(ours, theirs);
    }
}

#[test]
fn widths_that_do_not_fit_one_another_are_refused() {
    let reason = |make: fn()| {
        let panic = std::panic::catch_unwind(make).expect_err("it is made");
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    let _ = (Launch::<64, 8, 82>::default(), WideFifo::<8, 6, 7>::default());
    let launch = reason(|| drop(Launch::<64, 8, 83>::default()));
    assert!(launch.contains("a width of 83 bits is made of 8 and 74"), "{launch}");
    let fifo = reason(|| drop(WideFifo::<8, 7, 8>::default()));
    assert!(fifo.contains("7 is more than 6"), "{fifo}");
}
