//! The pause receiver: IEEE 802.3 annex 31B PAUSE and 802.1Qbb priority-based flow control.
pub mod hold;
mod timer;
mod words;

use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::parse::kind;
use timely_model::pause::{DESTINATION, ETHERTYPE, FRACTION, HELD_CLOCKS, LEAST, PAUSE, PFC};
use timer::Timer;
use words::Found;

// A kernel takes literals alone; these hold the ones below to their homes.
const _: () = assert!(kind::FOREIGN == 0 && FRACTION == 24 && LEAST == 60 && HELD_CLOCKS == 256);
const _: () = assert!(matches!(DESTINATION, [1, 0x80, 0xc2, 0, 0, 1]) && matches!(ETHERTYPE, [0x88, 8]));
const _: () = assert!(matches!(PAUSE, [0, 1]) && matches!(PFC, [1, 1]));

/// Takes the parser's reports, finds pause frames among them, and says what is paused.
///
/// Latency: 2 clocks from a report to `all` and `priorities`. A pause of n quanta lasts n times 64
/// bytes of the line, rounded up to whole clocks. No back pressure; a report a clock. Model:
/// `timely_model::pause::Pause`.
#[derive(LogicBlock, Default)]
pub struct Pause {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Pause frames count; without it nothing is paused.
    pub cfg_enable: Signal<In, Bit>,
    /// Wire bytes that the line carries in a clock, Q8.24.
    pub cfg_line_rate: Signal<In, Bits<32>>,
    /// Report of a frame, as the parser gives it: valid, kind, first bytes, bytes.
    pub i_valid: Signal<In, Bit>,
    /// Kind of the frame.
    pub i_kind: Signal<In, Bits<2>>,
    /// First 66 bytes of the frame.
    pub i_head: Signal<In, Bits<528>>,
    /// Bytes of the frame without FCS.
    pub i_len: Signal<In, Bits<16>>,
    /// Everything is paused.
    pub all: Signal<Out, Bit>,
    /// Paused priorities; with `all` every one.
    pub priorities: Signal<Out, Bits<8>>,
    /// A PAUSE frame was obeyed.
    pub heard_pause: Signal<Out, Bit>,
    /// A PFC frame was obeyed.
    pub heard_pfc: Signal<Out, Bit>,
    /// Another 256 clocks with something paused are over.
    pub held: Signal<Out, Bit>,
    found: DFF<Found>,
    pause: DFF<Bit>,
    pfc: DFF<Bit>,
    clocks: DFF<Bits<8>>,
    over: DFF<Bit>,
    timers: [Timer; 8],
    whole: Timer,
    address: Const<Bits<48>>,
    bytes: Signal<Local, Bits<528>>,
    control: Signal<Local, Bit>,
    opcode: Signal<Local, Bits<16>>,
    stands: Signal<Local, Found>,
    classes: Signal<Local, Bits<8>>,
    times: Signal<Local, Bits<128>>,
    time_pause: Signal<Local, Bits<16>>,
    stopped: Signal<Local, Bit>,
    paused: [Signal<Local, Bits<8>>; 9],
}

impl Pause {
    /// The block with its constants.
    pub fn new() -> Self {
        let address = DESTINATION.iter().rev().fold(0, |a, b| a << 8 | u64::from(*b));
        Self { address: Const::new(address.into()), ..Default::default() }
    }
}

impl Logic for Pause {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, found, pause, pfc, clocks, over);
        // 1: is it one? Byte i of the frame is in bits 8i+7..8i.
        self.bytes.next = self.i_head.val();
        self.control.next = ((self.i_valid.val() & (self.i_kind.val() == bits::<2>(0))) & (self.i_len.val() >= bits::<16>(60)))
            & ((self.bytes.val().get_bits::<48>(0) == self.address.val()) & (self.bytes.val().get_bits::<16>(96) == bits::<16>(0x0888)));
        self.opcode.next = self.bytes.val().get_bits::<16>(112);
        self.found.d.next.pause = self.control.val() & (self.opcode.val() == bits::<16>(0x0100));
        self.found.d.next.pfc = self.control.val() & (self.opcode.val() == bits::<16>(0x0101));
        self.found.d.next.classes = self.bytes.val().get_bits::<8>(136);
        self.found.d.next.time = self.bytes.val().get_bits::<16>(128);
        self.found.d.next.times = self.bytes.val().get_bits::<128>(144);

        // 2: the timers. Times are big-endian.
        self.stands.next = self.found.q.val();
        self.classes.next = self.stands.val().classes;
        self.times.next = self.stands.val().times;
        self.time_pause.next = self.stands.val().time;
        self.pause.d.next = self.stands.val().pause & self.cfg_enable.val();
        self.pfc.d.next = self.stands.val().pfc & self.cfg_enable.val();
        self.paused[0].next = bits::<8>(0);
        for i in 0..8 {
            self.timers[i].clk.next = self.clk.val();
            self.timers[i].rst.next = self.rst.val();
            self.timers[i].enable.next = self.cfg_enable.val();
            self.timers[i].spent.next = self.cfg_line_rate.val().get_bits::<26>(6);
            self.timers[i].load.next = self.stands.val().pfc & self.classes.val().get_bit(i);
            self.timers[i].time_high.next = self.times.val().get_bits::<8>(16 * i);
            self.timers[i].time_low.next = self.times.val().get_bits::<8>(16 * i + 8);
            self.paused[i + 1].next = self.paused[i].val().replace_bit(i, self.timers[i].runs.val() | self.whole.runs.val());
        }
        self.whole.clk.next = self.clk.val();
        self.whole.rst.next = self.rst.val();
        self.whole.enable.next = self.cfg_enable.val();
        self.whole.spent.next = self.cfg_line_rate.val().get_bits::<26>(6);
        self.whole.load.next = self.stands.val().pause;
        self.whole.time_high.next = self.time_pause.val().get_bits::<8>(0);
        self.whole.time_low.next = self.time_pause.val().get_bits::<8>(8);
        self.all.next = self.whole.runs.val();
        self.priorities.next = self.paused[8].val();
        self.heard_pause.next = self.pause.q.val();
        self.heard_pfc.next = self.pfc.q.val();
        // How long.
        self.stopped.next = self.paused[8].val().any();
        self.over.d.next = self.stopped.val() & self.clocks.q.val().all();
        if self.stopped.val() {
            self.clocks.d.next = self.clocks.q.val() + bits::<8>(1);
        }
        self.held.next = self.over.q.val();
        if self.rst.val() {
            self.found.d.next.pause = false;
            self.found.d.next.pfc = false;
            self.pause.d.next = false;
            self.pfc.d.next = false;
            self.clocks.d.next = bits::<8>(0);
            self.over.d.next = false;
        }
    }
}
