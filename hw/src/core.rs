//! The core: control half and pacer half, joined. What a shell adds is the packet source that
//! answers grants, and the MAC.
use crate::bus::*;
use crate::constant::Const;
use crate::construct::construct;
use crate::control::Control;
use crate::csr::SettingsBus;
use crate::pacer::Pacer;
use crate::pause::hold::Hold;
use rust_hdl::prelude::*;
use timely_model::pacer::Timing;
use timely_regs::map::Build;
use timely_regs::profile::OUTSTANDING;

/// Both halves behind an AXI-Lite slave, the MAC's streams, and the streams of a packet source:
/// doorbells and charges in, grants out, its frames and what is sent with them in. The source gets
/// the flow bus (`fl_*`), host doorbells (`hd_*`) and its settings (`cfg_*`).
///
/// `W` bus bits, `K = W / 8`, `F` flow bits, `2^S` places in the ring of departures, `A` the
/// greater of `F` and `S`, `X` log2 of the calendar's slots, `D = F + 16`; the rest are widths
/// inside the pacer ([`Pacer`]).
///
/// Adds no clock to its halves. Model: `timely_model::core`.
#[derive(LogicBlock)]
pub struct Core<
    const W: usize,
    const K: usize,
    const F: usize,
    const S: usize,
    const A: usize,
    const X: usize,
    const D: usize,
    const XA: usize,
    const XY: usize,
    const FB: usize,
    const FS: usize,
    const FR: usize,
    const FZ: usize,
    const FW: usize,
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Registers.
    pub s_axil: AxilSlave<24>,
    /// Received frames.
    pub s_axis_rx: ReceivedIn<W, K>,
    /// Frames to send.
    pub m_axis_tx: TaggedAxisOut<W, K>,
    /// A frame has departed.
    pub tx_cpl: CompletionIn,
    /// PTP time is there.
    pub ptp_valid: Signal<In, Bit>,
    /// PTP time, ns48.fns16.
    pub ptp_time: Signal<In, Bits<64>>,
    /// Data frames.
    pub d: TaggedAxisIn<W, K>,
    /// Data frame whose first beat is offered.
    pub sent: SentIn<F>,
    /// Counted events of the packet source.
    pub source_pulses: Signal<In, Bits<64>>,
    /// The packet source's RAMs are cleared.
    pub source_swept: Signal<In, Bit>,
    /// The steady time, ns48.fns16: what launches are.
    pub steady: Signal<Out, Bits<64>>,
    /// The date, ns48.fns16: what stamps are.
    pub date: Signal<Out, Bits<64>>,
    /// The settings, by `timely_regs::map::settings`.
    pub settings: Signal<Out, SettingsBus>,
    /// No grant may leave.
    pub stop: Signal<Out, Bit>,
    /// Flow bus.
    pub fl: FlowLoadOut<F>,
    /// Doorbell of the host.
    pub hd: DoorbellOut<F>,
    /// A rate was computed.
    pub rate: RateOut<F>,
    /// Queue pairs, where flows are such.
    pub pairs: PairSourceIn<F>,
    /// A soft reset is under way.
    pub clearing: Signal<Out, Bit>,
    /// A register is written.
    pub st: StoreWriteOut,
    /// Profile bus.
    pub pw: ProfileWriteOut,
    /// The date less the steady time, ns48.fns16.
    pub time_offset: Signal<Out, Bits<64>>,
    /// Steps of the date, modulo 4.
    pub time_epoch: Signal<Out, Bits<2>>,
    /// Steps of the date, modulo 4, that departures reported at this clock are of.
    pub departed_epoch: Signal<Out, Bits<2>>,
    /// Tap: an RTT sample or a time-out.
    pub tap_sample: SampleTapOut<F>,
    /// Host memory.
    pub m_axi: AxiMaster<W, K>,
    /// Interrupt lines, `timely_regs::map::dma`; levels.
    pub irq: Signal<Out, Bits<6>>,
    /// Tap: an event record is taken.
    pub tap_rec_valid: Signal<Out, Bit>,
    /// Tap: the record, word `i` in bits `32i+31..32i`.
    pub tap_rec_data: Signal<Out, Bits<512>>,
    /// Packets to send: flow and how many.
    pub doorbell: DoorbellIn<F>,
    /// Cost of a packet that answers a grant.
    pub charge: ChargeIn<F>,
    /// Paused priorities.
    pub pause: Signal<In, Bits<8>>,
    /// A packet may leave.
    pub grant: GrantOut<F>,
    control: Control<W, K, F, S, A>,
    pacer: Pacer<F, X, XA, XY, FB, FS, D, FR, FZ, FW>,
    hold: Hold<F>,
    /// Profiles' bounds of what is outstanding, in word 1, do not count.
    unbounded: Const<Bits<1>>,
    stops: Signal<Local, Bits<8>>,
}

impl<
    const W: usize,
    const K: usize,
    const F: usize,
    const S: usize,
    const A: usize,
    const X: usize,
    const D: usize,
    const XA: usize,
    const XY: usize,
    const FB: usize,
    const FS: usize,
    const FR: usize,
    const FZ: usize,
    const FW: usize,
> Core<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW>
{
    /// The core of a design that is built with these numbers.
    pub fn new(build: &Build) -> Self {
        Self::with(build, false)
    }

    /// The core of a design that cannot tell how much of a flow is outstanding: no profile's bound
    /// counts.
    pub fn unbounded(build: &Build) -> Self {
        Self::with(build, true)
    }

    fn with(build: &Build, unbounded: bool) -> Self {
        const { assert!(OUTSTANDING.word == 1, "a kernel takes literals alone") };
        construct!({ unbounded: Const::new(bits::<1>(unbounded.into())), control: Control::new(build), pacer: Pacer::new(Timing::of(build.clock_ps)), hold: Hold::new() }
            clk, rst, s_axil, s_axis_rx, m_axis_tx, tx_cpl, ptp_valid, ptp_time, d, sent, source_pulses, source_swept, steady, date, settings, stop, fl, hd, rate, tap_sample, m_axi, irq, tap_rec_valid, tap_rec_data, doorbell, charge, pause, grant, stops, pairs, clearing, st, pw, time_offset, time_epoch, departed_epoch
        )
    }
}

impl<
    const W: usize,
    const K: usize,
    const F: usize,
    const S: usize,
    const A: usize,
    const X: usize,
    const D: usize,
    const XA: usize,
    const XY: usize,
    const FB: usize,
    const FS: usize,
    const FR: usize,
    const FZ: usize,
    const FW: usize,
> Logic for Core<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.control.clk.next = self.clk.val();
        self.control.rst.next = self.rst.val();
        self.pacer.clk.next = self.clk.val();
        self.pacer.rst.next = self.rst.val();
        AxilSlave::<24>::link(&mut self.s_axil, &mut self.control.s_axil);
        ReceivedIn::<W, K>::link(&mut self.s_axis_rx, &mut self.control.s_axis_rx);
        TaggedAxisOut::<W, K>::link(&mut self.m_axis_tx, &mut self.control.m_axis_tx);
        CompletionIn::link(&mut self.tx_cpl, &mut self.control.tx_cpl);
        self.control.ptp_valid.next = self.ptp_valid.val();
        self.control.ptp_time.next = self.ptp_time.val();
        TaggedAxisIn::<W, K>::link(&mut self.d, &mut self.control.d);
        SentIn::<F>::link(&mut self.sent, &mut self.control.sent);
        self.control.data_pulses.next = bit_cast::<64, 32>(self.pacer.pulses.val()) | self.source_pulses.val();
        self.control.data_swept.next = self.pacer.swept.val() & self.source_swept.val();
        self.steady.next = self.control.steady.val();
        self.date.next = self.control.date.val();
        self.stop.next = self.control.stop.val();
        self.settings.next = self.control.settings.val();
        FlowLoadOut::<F>::link(&mut self.fl, &mut self.control.fl);
        DoorbellOut::<F>::link(&mut self.hd, &mut self.control.hd);
        RateOut::<F>::link(&mut self.rate, &mut self.control.rate);
        SampleTapOut::<F>::link(&mut self.tap_sample, &mut self.control.tap_sample);
        AxiMaster::<W, K>::link(&mut self.m_axi, &mut self.control.m_axi);
        self.irq.next = self.control.irq.val();
        self.tap_rec_valid.next = self.control.tap_rec_valid.val();
        self.tap_rec_data.next = self.control.tap_rec_data.val();
        // The halves.
        RateOut::<F>::join(&mut self.rate, &mut self.pacer.rate);
        ReleaseOut::<F>::join(&mut self.control.release, &mut self.pacer.release);
        PairSourceIn::<F>::link(&mut self.pairs, &mut self.control.pairs);
        StoreWriteOut::link(&mut self.st, &mut self.control.st);
        ProfileWriteOut::link(&mut self.pw, &mut self.control.pw);
        self.clearing.next = self.control.clearing.val();
        self.time_offset.next = self.control.time_offset.val();
        self.time_epoch.next = self.control.time_epoch.val();
        self.departed_epoch.next = self.control.departed_epoch.val();
        self.pacer.pw.valid.next = self.pw.valid.val();
        self.pacer.pw.profile.next = self.pw.profile.val();
        self.pacer.pw.word.next = self.pw.word.val();
        self.pacer.pw.data.next = self.pw.data.val();
        if (self.pw.word.val() == bits::<5>(1)) & self.unbounded.val().any() {
            self.pacer.pw.data.next = bits::<32>(0);
        }
        FlowLoadOut::<F>::join(&mut self.fl, &mut self.pacer.fl);
        self.pacer.stop.next = self.control.stop.val();
        self.pacer.now.next = self.control.later.val();
        FlowPulseOut::<F>::join(&mut self.pacer.idle, &mut self.control.idle);
        self.control.limited_valid.next = self.pacer.limited_valid.val();
        self.control.limited_flow.next = self.pacer.limited_flow.val();
        self.control.limited.next = self.pacer.limited.val();
        // The packet source and the pacer.
        self.pacer.doorbell_valid.next = self.doorbell.valid.val();
        self.doorbell.ready.next = self.pacer.doorbell_ready.val();
        self.pacer.doorbell_flow.next = self.doorbell.flow.val();
        self.pacer.doorbell_packets.next = self.doorbell.packets.val();
        self.pacer.charge_valid.next = self.charge.valid.val();
        self.pacer.charge_flow.next = self.charge.flow.val();
        self.pacer.charge_bytes.next = self.charge.bytes.val();
        self.pacer.charge_ends.next = self.charge.ends.val();
        // What is paused is decided no more, and what is decided and not launched waits; until that
        // has gone on, nothing else of its priority is decided.
        self.stops.next = self.pause.val() | self.control.paused.val();
        self.pacer.pause.next = self.stops.val() | self.hold.holds.val();
        self.hold.clk.next = self.clk.val();
        self.hold.rst.next = self.rst.val();
        self.hold.paused.next = self.stops.val();
        FlowLoadOut::<F>::join(&mut self.fl, &mut self.hold.fl);
        GrantOut::<F>::join(&mut self.pacer.grant, &mut self.hold.s);
        GrantOut::<F>::link(&mut self.grant, &mut self.hold.m);
    }
}
