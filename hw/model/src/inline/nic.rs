//! The in-line NIC of `timely_hw::inline::core`: the host's own packets between its queue and the
//! wire, those of flows through the store.
//!
//! The clock of the registers' bus is the core's.
use super::entry::Way;
use super::form::{self, Beside, Form, Own};
use super::pairs::BESIDE_BITS;
use super::{aside, bridge, credit};
use crate::bus::{FlowRate, Sample};
use crate::core::{Core, Pins, Source};
use crate::part::Part;
use crate::roce::read_charge::{self, ReadCharge};
use crate::stream::Beat;
use crate::{Block, dma, fifo, launch, store, txmux};
use timely_regs::counters::Counter;
use timely_regs::event;
use timely_regs::link::{ACK_TAG, PAST_TAG};
use timely_regs::map::Build;
use timely_regs::wire::{Class, ethernet, ipv4, ipv6};

/// Address bits of the queue of what goes beside paced frames, and of that of the others.
const SIDES: u32 = 5;
const PAST: u32 = 4;
/// Lost frames, and packets with another flow's number, that wait to be counted at most.
const MOST_WAITING: u32 = 127;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset, of the registers' bus too.
    pub rst: bool,
    /// AXI-Lite write address.
    pub aw: Option<u32>,
    /// AXI-Lite write data and strobes.
    pub w: Option<(u32, u8)>,
    /// The AXI-Lite write answer is taken.
    pub b_ready: bool,
    /// AXI-Lite read address.
    pub ar: Option<u32>,
    /// The AXI-Lite read answer is taken.
    pub r_ready: bool,
    /// A beat from the host is offered, and with a frame's first what goes beside it.
    pub host: Option<(Beat, u128)>,
    /// The host takes the beat that is offered to it.
    pub host_ready: bool,
    /// A beat from the wire, and what goes beside its frame. It is always taken.
    pub wire: Option<(Beat, u128)>,
    /// The wire takes the beat that is offered to it.
    pub wire_ready: bool,
    /// Paused priorities.
    pub pause: u8,
    /// A frame was lost beside the core.
    pub lost: bool,
}

/// A beat that the wire is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireBeat {
    /// The beat.
    pub beat: Beat,
    /// The host's sideband of the frame; 0 of an ACK or a congestion notification.
    pub meta: u128,
    /// Bytes of the ACK or congestion notification that it is of.
    pub ack: Option<u16>,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// AXI-Lite: a write address is taken.
    pub aw_ready: bool,
    /// AXI-Lite: write data are taken.
    pub w_ready: bool,
    /// AXI-Lite: a read address is taken.
    pub ar_ready: bool,
    /// AXI-Lite: write answer.
    pub b: Option<u8>,
    /// AXI-Lite: read data and answer.
    pub r: Option<(u32, u8)>,
    /// A beat of the host's is taken.
    pub host_ready: bool,
    /// A beat from the wire is taken: each, but in the reset.
    pub wire_taken: bool,
    /// A beat for the wire.
    pub wire: Option<WireBeat>,
    /// A beat for the host, and what goes beside its frame.
    pub host: Option<(Beat, u128)>,
    /// The date, ns48.fns16.
    pub now: u64,
    /// No grant leaves.
    pub stopped: bool,
    /// An RTT sample or a time-out goes to the engine.
    pub sample: Option<Sample>,
    /// A rate goes to the pacer.
    pub rate: Option<FlowRate>,
    /// An event record is dropped: there is no DMA.
    pub record: Option<[u32; event::WORDS]>,
}

/// The NIC, whose packets `F` says.
#[derive(Clone, Debug)]
pub struct Nic<F = Own> {
    core: Core<dma::NoDma>,
    /// The core's outputs at the last step.
    shown: Option<Box<crate::core::Shown>>,
    bridge: Part<bridge::Bridge>,
    form: F,
    credit: Part<credit::Credit>,
    /// Between pacer and store, where flows are queue pairs.
    reads: Part<ReadCharge>,
    store: Part<store::Store>,
    gate: Part<launch::Launch>,
    merge: Part<txmux::TxMux>,
    /// Congestion notifications between those frames, where flows are queue pairs.
    notes: Part<txmux::TxMux>,
    /// Launch of paced frames between the store and the wire, and what goes beside them; the latter
    /// of the others.
    sides: Part<fifo::Fifo<Beside>>,
    past: Part<fifo::Fifo<u128>>,
    arriving: Part<aside::Aside>,
    /// Inside a frame: of the store, past it, to the wire.
    paced_inside: bool,
    past_inside: bool,
    wire_inside: bool,
    ack_bytes: u16,
    /// Lost frames that are still to be counted, and packets with another flow's number.
    missing: u32,
    strangers: u32,
    /// Bound and wait of the store, as of the last step.
    levels: (u16, bool),
    /// Reset, as the blocks see it: a clock late.
    reset: bool,
}

/// Where a beat that the core offers is to go.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Ack,
    Past,
    Paced,
}

impl Kind {
    fn of(tag: u16) -> Self {
        match tag {
            ACK_TAG => Kind::Ack,
            PAST_TAG => Kind::Past,
            _ => Kind::Paced,
        }
    }
}

/// Bytes of an ACK or a congestion notification, by the length in its IP header, of which the low
/// byte is enough.
fn ack_bytes(beat: &Beat) -> u16 {
    let word = |at: usize| u16::from_be_bytes([beat.data[at], beat.data[at + 1]]);
    let vlan = word(ethernet::TYPE) == ethernet::VLAN;
    let ipv6 = word(if vlan { ethernet::TAGGED_TYPE } else { ethernet::TYPE }) == ethernet::IPV6;
    let class = Class { vlan, ipv6 };
    let (length, before) = if ipv6 { (ipv6::LENGTH, class.udp()) } else { (ipv4::LENGTH, class.ip()) };
    u16::from(beat.data[class.ip() + length + 1]) + before as u16
}

impl<F: Form> Nic<F> {
    /// A NIC with a store of `2^cell_bits` cells whose `rst` was 1 at the clock before 0.
    pub fn new(build: Build, cell_bits: u32) -> Self {
        let (width, flow_bits) = (build.bus_bits as usize, build.flow_bits);
        Nic {
            core: if F::PAIRS { Core::new(build, dma::NoDma::default()).unbounded() } else { Core::new(build, dma::NoDma::default()) },
            shown: None,
            bridge: Part::new(bridge::Bridge::default()),
            form: F::new(build),
            credit: Part::new(credit::Credit::default()),
            reads: Part::new(ReadCharge::new(if F::PAIRS { flow_bits } else { 0 })),
            store: Part::new(store::Store::new(flow_bits, cell_bits, width)),
            gate: Part::new(launch::Launch::new()),
            merge: Part::new(txmux::TxMux::default()),
            notes: Part::new(txmux::TxMux::default()),
            sides: Part::new(fifo::Fifo::new(SIDES)),
            past: Part::new(fifo::Fifo::new(PAST)),
            arriving: Part::new(aside::Aside::new(width)),
            paced_inside: false,
            past_inside: false,
            wire_inside: false,
            ack_bytes: 0,
            missing: 0,
            strangers: 0,
            levels: (0, false),
            reset: true,
        }
    }

    /// The date at clock `clk`, ns48.fns16.
    pub fn now(&self, clk: u64) -> u64 {
        self.core.now(clk)
    }

    /// The beat that the wire is offered at clock `clk`: a frame waits for what goes beside it.
    pub fn wire(&self, clk: u64) -> Option<WireBeat> {
        let (beat, tag) = self.core.tx(clk)?;
        let meta = match Kind::of(tag) {
            Kind::Ack => 0,
            Kind::Past => self.past.block.output(clk).head?,
            Kind::Paced if F::PAIRS => self.sides.block.output(clk).head?.1 >> BESIDE_BITS,
            Kind::Paced => self.sides.block.output(clk).head?.1,
        };
        let bytes = || if self.wire_inside { self.ack_bytes } else { ack_bytes(&beat) };
        Some(WireBeat { beat, meta, ack: (Kind::of(tag) == Kind::Ack).then(bytes) })
    }

    // A beat that stands in front of a block is taken at clock `clk`.
    fn moves(&self, clk: u64) -> bool {
        let (merge, notes) = (self.merge.block.output(clk), self.notes.block.output(clk));
        let gate = self.gate.block.output(clk);
        let last = if F::PAIRS { &notes } else { &merge };
        (last.beat.is_some() && self.core.takes_data(clk))
            || (F::PAIRS && merge.beat.is_some() && notes.data_ready)
            || (gate.beat.is_some() && merge.data_ready)
            || self.form.standing(clk).is_some_and(|way| match way {
                Way::Past => merge.ack_ready && self.past.block.output(clk).ready,
                Way::Paced { .. } => self.store.block.output(clk).ready,
                Way::Dropped => true,
            })
    }
}

impl<F: Form> Block for Nic<F> {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let (core, bridge) = (self.core.output(clk), self.bridge.block.output(clk));
        let [aw_ready, w_ready, ar_ready] = bridge.ready;
        Out {
            aw_ready,
            w_ready,
            ar_ready,
            b: bridge.b,
            r: bridge.r,
            host_ready: self.form.is_ready(clk) && !self.reset,
            wire_taken: !self.reset,
            wire: self.wire(clk),
            host: self.arriving.block.output(clk).beat,
            now: core.now,
            stopped: core.stopped,
            sample: core.sample.or_else(|| self.form.sample(clk)),
            rate: core.rate,
            record: core.record,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let rst = self.reset;
        self.reset = i.rst;
        let mut core = self.shown.take().unwrap_or_else(|| self.core.show(clk).into());
        self.core.show_again(clk, &mut core);
        let axil = self.core.output(clk);
        let bridge = self.bridge.block.output(clk);
        let shown = self.form.show(clk);
        let store = self.store.block.output(clk);
        let onward = self.form.onward(clk, store.beat);
        let gate = self.gate.block.output(clk);
        let (merge, notes) = (self.merge.block.output(clk), self.notes.block.output(clk));
        let (sides, past) = (self.sides.block.output(clk), self.past.block.output(clk));
        let arriving = self.arriving.block.output(clk);
        let c = &core.csr.settings;

        // To the wire, ACKs first: a frame waits for what goes beside it.
        let kind = core.tx.map(|(_, tag)| Kind::of(tag));
        let beside = match kind {
            None | Some(Kind::Ack) => true,
            Some(Kind::Past) => past.head.is_some(),
            Some(Kind::Paced) => sides.head.is_some(),
        };
        let leaves = core.tx.filter(|_| beside && i.wire_ready).map(|(beat, _)| beat);
        let ends = leaves.is_some_and(|b| b.last);
        let begins = leaves.is_some() && !self.wire_inside && kind == Some(Kind::Paced);
        if let Some((beat, _)) = core.tx.filter(|_| !self.wire_inside) {
            self.ack_bytes = ack_bytes(&beat);
        }
        if let Some(beat) = leaves {
            self.wire_inside = !beat.last;
        }

        // Grants are taken while little waits for the wire. One that pays for READs lets none go.
        let reads = self.reads.block.output(clk);
        let open = self.credit.block.open(c.line_rate);
        let offered = core.grant.filter(|_| open);
        let (grant, paid, ring) = if F::PAIRS { (reads.grant, reads.paid, reads.ring) } else { (offered, None, None) };
        let ring = ring.filter(|_| !(reads.yields && store.doorbell.is_some()));
        let grant_ready = open && if F::PAIRS { reads.ready } else { store.grant_ready };
        let granted = offered.is_some() && grant_ready;
        let charge = store.charge.map(|g| g.bytes).or(paid.map(|_| 0));
        self.credit.step(clk, rst || granted || charge.is_some() || begins, || credit::In {
            rst,
            line_rate: c.line_rate,
            granted,
            charge,
            begins,
        });
        let load = core.load.map(|l| store::Load { flow: l.flow, enable: l.enable(), keep: l.keep() });
        let loaded = load.filter(|l| F::PAIRS && l.voids()).map(|l| l.flow);
        let belled = core.doorbell_ready && (ring.is_some() || store.doorbell.is_some());
        let told = core.grant.is_some() || shown.read.is_some() || loaded.is_some() || belled;
        self.reads.step(clk, F::PAIRS && (rst || told), || read_charge::In {
            rst,
            grant: offered,
            grant_taken: store.grant_ready,
            charge_taken: store.charge.is_none(),
            ring_taken: core.doorbell_ready,
            stored: store.doorbell.is_some(),
            read: shown.read,
            loaded,
            mtu: c.pair_mtu,
            timeout_us: c.pair_timeout,
            now: core.time.steady,
        });

        // Paced frames get their places, then go through the gate; what goes beside them in a queue
        // of its own.
        let paced_ready = gate.ready && sides.ready;
        let side = onward.map(|(_, side)| side).filter(|_| gate.ready && !self.paced_inside);
        let through = onward.filter(|_| sides.ready);
        if let Some((beat, _)) = onward.filter(|_| paced_ready) {
            self.paced_inside = !beat.last;
        }
        let timed = through.map(|(beat, (launch, _))| launch::Timed { beat, tag: 0, launch: (c.lead != 0).then_some(launch) });
        self.gate.step(clk, rst || timed.is_some(), || launch::In { rst, beat: timed, now: core.time.steady, ready: merge.data_ready });
        self.sides.step(clk, rst || side.is_some(), || fifo::In { rst, push: side, ready: ends && kind == Some(Kind::Paced) });

        // Both streams by turns.
        let past_ready = merge.ack_ready && past.ready;
        let passes = shown.beat.filter(|b| b.1 == Way::Past);
        let past_side = passes.map(|b| b.2).filter(|_| merge.ack_ready && !self.past_inside);
        let past_beat = passes.map(|b| b.0).filter(|_| past.ready);
        if let Some(beat) = past_beat.filter(|_| past_ready) {
            self.past_inside = !beat.last;
        }
        self.past.step(clk, rst || past_side.is_some(), || fifo::In { rst, push: past_side, ready: ends && kind == Some(Kind::Past) });
        self.merge.step(clk, rst || past_beat.is_some() || gate.beat.is_some() || merge.beat.is_some(), || txmux::In {
            rst,
            fair: true,
            ack: past_beat,
            data: gate.beat.map(|(beat, _)| (beat, 0)),
            ready: if F::PAIRS { notes.data_ready } else { core.data_ready },
        });
        // The merge calls those past the store ACKs. Congestion notifications go before both.
        let merged = merge.beat.map(|(beat, tag)| (beat, if tag == ACK_TAG { PAST_TAG } else { 0 }));
        let notes_told = F::PAIRS && (rst || merged.is_some() || shown.notification.is_some() || notes.beat.is_some());
        self.notes.step(clk, notes_told, || txmux::In { rst, fair: false, ack: shown.notification, data: merged, ready: core.data_ready });

        // From the host: what is ours waits in the store for its grant, the rest goes past it.
        let loses = store.malformed || store.voided;
        let arrival = shown.beat.and_then(|(beat, way, meta)| match way {
            Way::Paced { flow, ends } => Some(store::Arrival { beat, flow, ends, meta }),
            _ => None,
        });
        let wait = F::PAIRS || c.store_wait;
        let levels = (c.store_bound, wait);
        let set = std::mem::replace(&mut self.levels, levels) != levels;
        let told = set || arrival.is_some() || load.is_some() || grant.is_some();
        self.store.step(clk, rst || told, || store::In {
            rst,
            arrival,
            load,
            bound: c.store_bound,
            wait,
            doorbell_ready: core.doorbell_ready && ring.is_none(),
            grant,
            ready: self.form.takes(clk, paced_ready),
        });
        let paced = kind == Some(Kind::Paced);
        self.form.step(
            clk,
            &form::In {
                rst,
                core: &core,
                host: i.host,
                wire: i.wire.map(|w| w.0),
                paced_ready: store.ready,
                past_ready,
                drop_ready: !loses,
                stored: store.beat,
                gate_ready: paced_ready,
                leaves,
                beside: sides.head.filter(|_| paced),
                notification_ready: notes.ack_ready,
            },
        );

        // From the wire: parsed as it is taken, and to the host.
        self.arriving.step(clk, rst || i.wire.is_some(), || aside::In { rst, beat: i.wire, ready: i.host_ready });

        self.bridge.step(clk, i.rst || rst || i.aw.is_some() || i.w.is_some() || i.ar.is_some(), || bridge::In {
            s_rst: i.rst,
            rst,
            aw: i.aw,
            w: i.w,
            b_ready: i.b_ready,
            ar: i.ar,
            r_ready: i.r_ready,
            taken: [axil.aw_ready, axil.w_ready, axil.ar_ready],
            b: axil.b,
            r: axil.r,
        });
        let bit = |happens: bool, counter: Counter| u64::from(happens) << counter as u32;
        // One of each kind counts a clock; those that come together wait for their turn.
        let refused = store.refused || shown.strange || self.strangers != 0;
        if shown.strange && store.refused {
            self.strangers = (self.strangers + 1).min(MOST_WAITING + 1);
        } else if !shown.strange && !store.refused {
            self.strangers = self.strangers.saturating_sub(1);
        }
        let lost = u32::from(loses || shown.dropped) + u32::from(i.lost) + u32::from(arriving.dropped) + self.missing;
        self.missing = lost.saturating_sub(1).min(MOST_WAITING);
        let pulses = bit(gate.missed, Counter::LaunchesMissed)
            | bit(shown.sent.is_some(), Counter::TxFrames)
            | bit(core.csr.doorbell.is_some(), Counter::DoorbellsRefused)
            | bit(refused, Counter::PacketsRefused)
            | bit(lost != 0, Counter::PacketsDiscarded)
            | bit(F::PAIRS && reads.let_go, Counter::ReadsUncharged)
            | shown.pulses;
        let pins = Pins {
            aw: bridge.aw,
            w: bridge.w,
            b_ready: true,
            ar: bridge.ar,
            r_ready: true,
            rx: i.wire.map(|w| w.0),
            rx_ts: core.time.date,
            rx_bad: false,
            tx_ready: i.wire_ready && beside,
            completion: shown.completion,
            pause: i.pause,
            ptp: None,
            memory: dma::Slave::default(),
        };
        let source = Source {
            data: if F::PAIRS { notes.beat } else { merged },
            sent: shown.sent,
            doorbell: ring.or(store.doorbell).map(|flow| (flow, 1)),
            charge: store.charge.or(paid),
            grant_ready,
            host_doorbell_ready: true,
            pulses,
            swept: store.swept && shown.swept && (!F::PAIRS || reads.swept),
            sample: shown.sample,
            notice: shown.notice,
            load: shown.load,
            loading: F::PAIRS && !core.csr.clearing,
            pair_status: shown.pair_status,
            pair_told: shown.pair_told,
            rule_told: shown.rule_told,
            ..Source::default()
        };
        self.core.step(clk, rst, &core, &pins, &source);
        self.shown = Some(core);
        if rst {
            (self.paced_inside, self.past_inside, self.wire_inside) = (false, false, false);
            (self.missing, self.strangers) = (0, 0);
        }
    }

    /// A beat that stands at the wire or at the host and is not taken asks for no clock by itself.
    fn wake(&self, clk: u64) -> u64 {
        if self.reset || self.missing != 0 || self.strangers != 0 {
            return clk;
        }
        let parts = [
            self.bridge.due,
            self.form.due(),
            self.credit.due,
            self.reads.due,
            self.store.due,
            if self.gate.block.stands() { u64::MAX } else { self.gate.due },
            if self.merge.block.stands() { u64::MAX } else { self.merge.due },
            if self.notes.block.stands() { u64::MAX } else { self.notes.due },
            if self.sides.block.is_settled() { u64::MAX } else { self.sides.due },
            if self.past.block.is_settled() { u64::MAX } else { self.past.due },
            self.arriving.due,
        ];
        let due = parts.into_iter().min().unwrap_or(u64::MAX).min(self.core.wake_but_tx(clk));
        if due <= clk || self.moves(clk) { clk } else { due }
    }
}
