//! Software on the registers: `timely_regs::device` over the Verilated register block, as a driver
//! uses it; and the C header.
#[path = "settings.rs"]
mod rows;

use std::cell::RefCell;
use std::net::{Ipv4Addr, Ipv6Addr};
use timely_model::csr::Settings;
use timely_regs::counters::Counter;
use timely_regs::device::{Bus, Device, Error, Only, Refused};
use timely_regs::flow::FlowRecord;
use timely_regs::map::id::Refusal;
use timely_regs::map::{BAD_READ, BLOCKS, Build, flow, heartbeat, id, port, profiles, time, window};
use timely_regs::parameters::Parameters;
use timely_regs::profile;
use timely_tests::{settings, verilate};
use timely_verilate::Dut;

const FLOW_BITS: usize = 10;
const BUILD: Build = Build { flow_bits: FLOW_BITS as u32, bus_bits: 64, ring_bits: 4, clock_ps: 4000, ptp: 0 };

/// Clocks until the telemetry of [`Board`] answers.
const ANSWER_CLOCKS: u32 = 20;

/// The register block alone, with a telemetry that answers when it is told to.
struct Board {
    dut: RefCell<Dut>,
    telemetry: bool,
    answer_in: RefCell<Option<u32>>,
    /// Histograms that are being cleared, and for how many clocks.
    clearing: RefCell<(u64, u32)>,
    /// Flows and records that were loaded, doorbells and rates, as they left the block.
    loads: RefCell<Vec<(u64, Vec<u32>)>>,
    doorbells: RefCell<Vec<(u64, u64)>>,
    rates: RefCell<Vec<(u64, u64)>>,
}

impl Board {
    fn new(name: &str, telemetry: bool) -> Self {
        let library = verilate(name, timely_hw::csr::Csr::<FLOW_BITS>::new(&BUILD));
        let board = Board {
            dut: RefCell::new(library.instantiate(1)),
            telemetry,
            answer_in: None.into(),
            clearing: (0, 0).into(),
            loads: Vec::new().into(),
            doorbells: Vec::new().into(),
            rates: Vec::new().into(),
        };
        board.set("hd_ready", 1);
        board.set("rst", 1);
        board.tick();
        board.set("rst", 0);
        board
    }

    fn set(&self, name: &str, value: u64) {
        let mut dut = self.dut.borrow_mut();
        let port = dut.library().input(name);
        dut.set(port, value);
    }

    fn get(&self, name: &str) -> u64 {
        let dut = self.dut.borrow();
        dut.get(dut.library().output(name))
    }

    fn settings(&self) -> Settings {
        let dut = self.dut.borrow();
        settings::settings(&dut, dut.library().output("settings"))
    }

    fn tick(&self) {
        if self.get("fl_valid") == 1 {
            let dut = self.dut.borrow();
            self.loads
                .borrow_mut()
                .push((dut.get(dut.library().output("fl_flow")), dut.get_words(dut.library().output("fl_record")).to_vec()));
        }
        if self.get("hd_valid") == 1 {
            self.doorbells.borrow_mut().push((self.get("hd_flow"), self.get("hd_packets")));
        }
        if self.get("host_valid") == 1 {
            self.rates.borrow_mut().push((self.get("host_flow"), self.get("host_rate")));
        }
        if self.get("query_valid") == 1 && self.telemetry {
            *self.answer_in.borrow_mut() = Some(ANSWER_CLOCKS);
        }
        // A histogram whose counts are the bins' numbers, and which is cleared in 50 clocks.
        self.set("histogram_count", self.get("histogram_at"));
        if self.get("histogram_clear") != 0 {
            *self.clearing.borrow_mut() = (self.get("histogram_clear"), 50);
        }
        let (mask, clocks) = *self.clearing.borrow();
        self.set("histogram_clearing", if clocks == 0 { 0 } else { mask });
        *self.clearing.borrow_mut() = (mask, clocks.saturating_sub(1));
        let left = self.answer_in.take();
        self.set("answer_valid", (left == Some(0)).into());
        if left == Some(0) {
            let flow = self.get("query_flow") as u32;
            let mut dut = self.dut.borrow_mut();
            let port = dut.library().input("answer_record");
            dut.set_words(port, &std::array::from_fn::<u32, 32, _>(|i| flow << 16 | i as u32));
            let (tag, asked) = (dut.library().input("answer_tag"), dut.library().output("query_tag"));
            let value = dut.get(asked);
            dut.set(tag, value);
        }
        *self.answer_in.borrow_mut() = left.and_then(|n| n.checked_sub(1));
        self.dut.borrow_mut().tick();
    }

    fn ticks(&self, n: u32) {
        for _ in 0..n {
            self.tick();
        }
    }

    /// Offers `valid` until `ready` takes it.
    fn offer(&self, valid: &str, ready: &str) {
        self.set(valid, 1);
        while self.get(ready) == 0 {
            self.tick();
        }
        self.tick();
        self.set(valid, 0);
    }

    /// Waits for a response and takes it.
    fn response(&self, channel: &str) -> (u32, u64) {
        for _ in 0..5000 {
            if self.get(&format!("s_axil_{channel}valid")) == 1 {
                let read = if channel == "r" { self.get("s_axil_rdata") as u32 } else { 0 };
                let response = self.get(&format!("s_axil_{channel}resp"));
                self.set(&format!("s_axil_{channel}ready"), 1);
                self.tick();
                self.set(&format!("s_axil_{channel}ready"), 0);
                return (read, response);
            }
            self.tick();
        }
        panic!("no response on channel {channel}");
    }
}

/// The bus's error at a refused access.
#[derive(Debug, PartialEq)]
struct SlaveError {
    read: u32,
}

impl Bus for Board {
    type Error = SlaveError;

    fn read32(&self, offset: u32) -> Result<u32, SlaveError> {
        self.set("s_axil_araddr", offset.into());
        self.offer("s_axil_arvalid", "s_axil_arready");
        let (read, response) = self.response("r");
        if response == 0 { Ok(read) } else { Err(SlaveError { read }) }
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), SlaveError> {
        self.set("s_axil_awaddr", offset.into());
        self.offer("s_axil_awvalid", "s_axil_awready");
        self.set("s_axil_wdata", value.into());
        self.set("s_axil_wstrb", 0xf);
        self.offer("s_axil_wvalid", "s_axil_wready");
        let (_, response) = self.response("b");
        if response == 0 { Ok(()) } else { Err(SlaveError { read: 0 }) }
    }
}

fn ready(name: &str, telemetry: bool) -> Device<Board> {
    let device = Device::open(Board::new(name, telemetry)).unwrap();
    assert_eq!(device.read(&id::STATUS).unwrap(), 2, "ready before the other blocks are");
    device.bus().set("swept", 1);
    device.wait_ready().unwrap();
    device
}

#[test]
fn a_driver_finds_its_way() {
    let device = ready("registers", true);
    assert_eq!(*device.build(), BUILD);
    device.set_mac([1, 2, 3, 4, 5, 6]).unwrap();
    device.set_ipv4(Ipv4Addr::new(10, 0, 0, 7)).unwrap();
    device.set_ipv6(Ipv6Addr::from(0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f_u128)).unwrap();
    device.allow(&[(Ipv4Addr::new(10, 0, 0, 0).into(), 8), (Ipv6Addr::LOCALHOST.into(), 128)]).unwrap();
    let board = device.bus();
    board.tick();
    let s = board.settings();
    assert_eq!((s.mac, s.ipv4, s.ipv6.to_le_bytes()), (0x0605_0403_0201, 0x0700_000a, std::array::from_fn(|i| i as u8)));
    let entry = |i| (device.read_at(&port::ALLOW_PREFIX, i).unwrap(), [0, 3].map(|w| device.read_at(&port::ALLOW, 4 * i + w).unwrap()));
    assert_eq!([0, 1, 2].map(entry), [(8 | 1 << 8, [10, 0]), (128 | 1 << 9, [0, 1 << 24]), (0, [0, 0])]);

    let words = Parameters::timely_10g(20.0).quantise().unwrap();
    device.write_profile(15, &words).unwrap();
    assert_eq!(device.read_profile(15).unwrap(), words);
    assert_eq!(device.read_profile(14).unwrap(), [0; profile::WORDS]);

    let record = FlowRecord { enable: true, profile: 15, mac: [9; 6], address: Ipv4Addr::new(10, 1, 2, 3).into(), ..FlowRecord::default() };
    device.load_flow(1023, &record).unwrap();
    assert_eq!(*board.loads.borrow(), [(1023, record.pack().unwrap().to_vec())]);
    assert_eq!(device.query_flow(513).unwrap(), std::array::from_fn(|i| 513 << 16 | i as u32));

    device.doorbell(1023, 65_535).unwrap();
    device.set_rate(7, 0xabcd_ef01).unwrap();
    board.tick();
    assert_eq!((&board.doorbells.borrow()[..], &board.rates.borrow()[..]), (&[(1023, 65_535)][..], &[(7, 0xabcd_ef01)][..]));

    board.set("now", 0x0123_4567_89ab_cdef);
    assert_eq!(device.now().unwrap(), 0x0123_4567_89ab_cdef);
    device.step_time(0xfeed_beef_1234_5678).unwrap();
    assert_eq!(device.last_refusal().unwrap(), None);
    assert_eq!(device.counters().unwrap(), [0; timely_regs::counters::PLACES]);
}

/// Every way to be wrong is refused, named, counted, and changes nothing.
#[test]
fn wrong_accesses_are_refused() {
    let device = ready("registers", true);
    let board = device.bus();
    let unused = BLOCKS.last().expect("there are blocks").base - 4;
    let cases = [
        (unused, None, 1),
        (id::MAGIC_WORD.address() + 2, None, 1),
        (1 << 20, None, 1),
        (0x80_0000 + id::CONTROL.address(), Some(1), 1),
        (window::doorbell(1024), Some(1), 1),
        (window::doorbell(0) + 8, Some(1), 1),
        (heartbeat::BEAT.address(), None, 2),
        (window::doorbell(3), None, 2),
        (id::MAGIC_WORD.address(), Some(1), 2),
        (id::CONTROL.address(), Some(2), 4),
        (port::UDP_PORT.address(), Some(0), 4),
        (port::UDP_PORT.address(), Some(0x1_0000), 4),
        (flow::INDEX.address(), Some(1024), 4),
        (flow::COMMAND.address(), Some(3), 4),
        (flow::STAGE.address() + 4, Some(1024), 4),
        (window::doorbell(3), Some(0), 4),
        (window::doorbell(3), Some(0x1_0000), 4),
    ];
    for (address, write, reason) in cases {
        match write {
            None => assert_eq!(board.read32(address), Err(SlaveError { read: BAD_READ }), "{address:#x}"),
            Some(value) => assert_eq!(board.write32(address, value), Err(SlaveError { read: 0 }), "{address:#x}"),
        }
        assert_eq!(device.last_refusal().unwrap(), Some(Refused { address, write: write.is_some(), reason }), "{address:#x}");
    }
    board.ticks(40);
    let counters = device.counters().unwrap();
    assert_eq!(counters[Counter::CsrErrors as usize] as usize, cases.len());
    assert_eq!(counters.iter().sum::<u32>() as usize, cases.len());
    assert_eq!((board.settings().enable, board.settings().udp_port, board.doorbells.borrow().len()), (false, 0, 0));
    board.set("swept", 0);
    board.ticks(3);
    for address in [window::doorbell(0), flow::COMMAND.address(), profiles::BLOCK.base + 0x200] {
        assert!(board.write32(address, 1).is_err());
        assert_eq!(device.last_refusal().unwrap(), Some(Refused { address, write: true, reason: 5 }));
    }
}

/// A lead shrinks only while no flow may send; it grows at any time.
#[test]
fn a_lead_shrinks_only_while_nothing_may_send() {
    let device = ready("registers", true);
    let board = device.bus();
    device.write(&time::LEAD, 1000).unwrap();
    device.key_nonces(1).unwrap();
    device.enable(true).unwrap();
    board.ticks(3);
    assert_eq!(board.get("stop"), 0);
    for (lead, taken) in [(1000, true), (0, false), (999, false), (1001, true), (1000, false), (65_535, true), (65_534, false)] {
        assert_eq!(device.write(&time::LEAD, lead).is_ok(), taken, "{lead}");
        board.ticks(3);
        assert_eq!(u32::from(board.settings().lead) == lead, taken, "{lead}");
        let refused = (!taken).then_some(Refused { address: time::LEAD.address(), write: true, reason: Refusal::NotNow as u32 });
        assert!(taken || device.last_refusal().unwrap() == refused, "{lead}: {:?}", device.last_refusal());
    }
    device.enable(false).unwrap();
    device.write(&time::LEAD, 0).unwrap();
    board.ticks(3);
    assert_eq!(board.settings().lead, 0);
}

/// Software that is wrong hears so before the device does.
#[test]
fn software_checks_first() {
    let device = ready("registers", true);
    let text = |e: Error<SlaveError>| match e {
        Error::OutOfRange(e) => e.to_string(),
        Error::NoFlow { flow, flows } => format!("flow {flow} of {flows}"),
        other => format!("{other:?}"),
    };
    assert_eq!(text(device.doorbell(0, 0).unwrap_err()), "packets is 0; it must be 1 to 65535");
    assert_eq!(text(device.doorbell(1024, 1).unwrap_err()), "flow 1024 of 1024");
    assert_eq!(text(device.write(&port::UDP_PORT, 0).unwrap_err()), "udp_port is 0; it must be 1 to 65535");
    assert_eq!(text(device.write(&time::INCREMENT, 1).unwrap_err()), "increment is 1; it must be 1048576 to 268435456");
    assert_eq!(text(device.write_profile(0, &[6; profile::WORDS]).unwrap_err()), "law is 6; it must be 0 to 5");
    assert_eq!(
        text(device.load_flow(0, &FlowRecord { segment_packets: 0, ..Default::default() }).unwrap_err()),
        "segment_packets is 0; it must be 1 to 255"
    );
    assert_eq!(device.last_refusal().unwrap(), None);
}

/// A driver that dies stops the flows at the period's end, to the clock; a beat does not start them
/// again, arming does.
#[test]
fn the_heartbeat_stops_and_arms() {
    let device = ready("registers", true);
    let board = device.bus();
    assert_eq!(board.get("stop"), 1, "flows may send before they are enabled");
    device.key_nonces(1).unwrap();
    device.enable(true).unwrap();
    board.ticks(3);
    assert_eq!(board.get("stop"), 0);
    device.set_heartbeat(1000).unwrap();
    for _ in 0..3 {
        board.ticks(900);
        assert!(device.beat().unwrap());
    }
    board.ticks(1100);
    assert_eq!(board.get("stop"), 1);
    assert!(!device.beat().unwrap());
    board.ticks(5);
    assert_eq!(board.get("stop"), 1);
    device.arm().unwrap();
    board.ticks(5);
    assert_eq!(board.get("stop"), 0);
    device.set_heartbeat(0).unwrap();
    board.ticks(3000);
    assert_eq!((board.get("stop"), device.counters().unwrap()[Counter::HeartbeatStops as usize]), (0, 1));
}

/// From the clock at which a read's address is taken to its response; the flow of a load leaves 17
/// clocks later.
#[test]
fn an_access_takes_six_clocks() {
    let device = ready("registers", true);
    let board = device.bus();
    board.ticks(5);
    board.set("s_axil_araddr", id::CONTROL.address().into());
    board.offer("s_axil_arvalid", "s_axil_arready");
    for clk in 1..6 {
        assert_eq!(board.get("s_axil_rvalid"), 0, "clock {clk}");
        board.tick();
    }
    assert_eq!(board.get("s_axil_rvalid"), 1);
    board.response("r");
    board.set("s_axil_awaddr", flow::COMMAND.address().into());
    board.set("s_axil_wdata", flow::LOAD.into());
    board.set("s_axil_wstrb", 0xf);
    board.offer("s_axil_awvalid", "s_axil_awready");
    board.offer("s_axil_wvalid", "s_axil_wready");
    for clk in 1..6 + 17 {
        assert_eq!((board.get("fl_valid"), board.get("s_axil_bvalid")), (0, 0), "clock {clk}");
        board.tick();
    }
    assert_eq!((board.get("fl_valid"), board.get("s_axil_bvalid")), (1, 1));
}

/// No answer comes: the query ends with an error, and the next command is taken.
#[test]
fn a_query_without_an_answer_ends() {
    let device = ready("registers", false);
    assert_eq!(device.query_flow(5), Err(Error::NoAnswer(5)));
    device.load_flow(5, &FlowRecord::default()).unwrap();
    assert_eq!(device.bus().loads.borrow().len(), 1);
}

/// Something else at the other end is told from the device.
#[test]
fn other_devices_are_refused() {
    #[derive(Debug)]
    struct Constant(u32);
    impl Bus for Constant {
        type Error = ();
        fn read32(&self, _: u32) -> Result<u32, ()> {
            Ok(self.0)
        }
        fn write32(&self, _: u32, _: u32) -> Result<(), ()> {
            Err(())
        }
    }
    assert_eq!(Device::open(Constant(u32::MAX)).unwrap_err(), Error::Gone);
    assert_eq!(Device::open(Constant(7)).unwrap_err(), Error::Magic(7));
    assert_eq!(Device::open(Constant(timely_regs::map::MAGIC)).unwrap_err(), Error::NoBlock("id"));
}

/// C takes the header without a warning, a name that is defined twice included.
#[test]
fn the_header_compiles() {
    let dir = std::env::temp_dir().join(format!("timely-header-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("timely_regs.h"), timely_regs::generate::header()).unwrap();
    let source = "#include \"timely_regs.h\"\n#include \"timely_regs.h\"\n_Static_assert(TIMELY_WINDOW_BASE + TIMELY_WINDOW_STRIDE == 0x400040, \"\");\n";
    std::fs::write(dir.join("use.c"), source).unwrap();
    let out =
        std::process::Command::new("cc").args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]).arg(dir.join("use.c")).output();
    let out = out.expect("a C compiler, cc, which Verilator needs as well");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    std::fs::remove_dir_all(dir).unwrap();
}

/// A histogram reads bin by bin; which updates are recorded is set whole or not at all.
#[test]
fn histograms_and_records() {
    let device = ready("csr_histograms", true);
    for profile in [0, 15] {
        let h = device.histogram(profile).unwrap();
        assert!(h.counts.iter().enumerate().all(|(i, &c)| c == profile << 9 | i as u32), "profile {profile}: {:?}", h.counts);
    }
    assert!(matches!(device.histogram(16), Err(Error::OutOfRange(_))));
    device.clear_histogram(7).unwrap();
    assert_eq!(*device.bus().clearing.borrow(), (1 << 7, 0));

    let recorded = || (device.bus().settings().event_every, device.bus().settings().event_filter);
    assert_eq!(recorded(), (0, 0));
    device.record_events(3, Only { flow: Some(77), profile: Some(5) }).unwrap();
    assert_eq!(recorded(), (3, 77 | 1 << 16 | 5 << 20 | 1 << 24));
    device.record_events(1, Only::default()).unwrap();
    assert_eq!(recorded(), (1, 0));
    assert!(matches!(device.record_events(1 << 16, Only { flow: Some(1), profile: None }), Err(Error::OutOfRange(_))));
    assert_eq!(device.record_events(1, Only { flow: Some(1024), profile: None }), Err(Error::NoFlow { flow: 1024, flows: 1024 }));
    assert!(matches!(device.record_events(1, Only { flow: None, profile: Some(16) }), Err(Error::OutOfRange(_))));
    assert_eq!(recorded(), (1, 0));
}
