//! The packet store: whole packets in on-chip RAM, a queue a flow, read out when their grants come.
#![allow(missing_docs, reason = "a group of ports has one comment")]
mod cells;
mod free;
mod intake;
mod joining;
mod leaving;
mod lookup;
mod reader;
mod turns;

use crate::bus::{BeatWriteOut, FlowStreamOut, FlowSwitchIn, GrantIn, JoinOut, MetaAxisIn, StoredAxisOut};
use crate::constant::Const;
use crate::fifo::Fifo;
use free::Free;
use intake::Intake;
use joining::Joining;
use leaving::Leaving;
use lookup::Lookup;
use reader::Reader;
use rust_hdl::prelude::*;
use timely_model::store::{LONG_BEATS, PACKET_CELLS};
use timely_regs::link::{WIRE_LEAST, WIRE_OVERHEAD};
use turns::Turns;

/// `2^F` flows share `2^C` cells of 256 bytes on a bus of `W` bits. Widths that follow: `K`
/// `W / 8`, `B` the bits of `256 / K`, `A` `C + B`, `N` `C + 1`, `T` one more than the larger of
/// `F` and `C`, `G` `F + 64`; `M` bits go beside a packet, `S` is `M + 88`, `P` `M + 111`.
///
/// A packet is stored if its flow is enabled, holds fewer than `cfg_bound` cells when the packet's
/// first beat comes, and 40 cells are free, so that no packet that has begun ever waits. Other
/// packets are dropped and counted, and hold up none: `refused` if there was no room, `malformed`
/// if it has more than 9,728 bytes or a beat with a gap. With `cfg_wait` a packet whose flow is at
/// its bound is stored, and the input waits behind it, at the end of a packet, until the flow holds
/// less; it waits as well while fewer than 56 cells are free. A flow may exceed its bound by the
/// packet that reaches it and by what comes in the 8 clocks after. A stored packet rings the
/// pacer's doorbell. A grant takes its flow's oldest packet and is charged its wire bytes, or 0 if
/// there is none. A load without `keep`, or without `enable`, discards what the flow has stored
/// (`voided`) before it stores anew.
///
/// Latency: 11 clocks from a packet's last beat to its doorbell; 10 from a grant to its charge and
/// 20 to the first beat at `m`, when no other grant waits; 2 more at most when its flow was just
/// visited. Throughput: a beat a clock in and out, packets of one beat too; but of one flow a
/// packet each third clock out. Back pressure: `s_tready` falls while 8 doorbells wait for the
/// pacer. 15 grants are taken ahead, behind a packet of more than 16 beats one: what waits here is
/// lost to priority and pause. Model: `timely_model::store::Store`.
#[derive(LogicBlock, Default)]
pub struct Store<
    const W: usize,
    const K: usize,
    const F: usize,
    const C: usize,
    const N: usize,
    const T: usize,
    const B: usize,
    const A: usize,
    const G: usize,
    const M: usize,
    const S: usize,
    const P: usize,
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAMs are filled; nothing is taken before.
    pub swept: Signal<Out, Bit>,
    /// Frames.
    pub s: MetaAxisIn<W, K, M>,
    /// With a packet's first beat: its flow.
    pub s_flow: Signal<In, Bits<F>>,
    /// With a packet's first beat: the packet ends a segment.
    pub s_ends: Signal<In, Bit>,
    /// Loads of flows.
    pub fl: FlowSwitchIn<F>,
    /// Cells of a flow that stores no packet more.
    pub cfg_bound: Signal<In, Bits<16>>,
    pub cfg_wait: Signal<In, Bit>,
    /// Doorbells.
    pub doorbell: FlowStreamOut<F>,
    /// Grants.
    pub grant: GrantIn<F>,
    /// A grant is charged.
    pub charge_valid: Signal<Out, Bit>,
    pub charge_flow: Signal<Out, Bits<F>>,
    pub charge_bytes: Signal<Out, Bits<16>>,
    pub charge_ends: Signal<Out, Bit>,
    /// Packets that leave.
    pub m: StoredAxisOut<W, K, M>,
    /// A packet found no room.
    pub refused: Signal<Out, Bit>,
    /// A packet was too long or had a gap.
    pub malformed: Signal<Out, Bit>,
    /// A packet is discarded with what its flow has stored.
    pub voided: Signal<Out, Bit>,
    intake: Intake<W, K, F, C, N, B, A, M>,
    pool: Free<C, N>,
    lookup: Lookup<F, N>,
    joining: Joining<F, C, N, T>,
    leaving: Leaving<F, C, N, T, M>,
    turns: Turns<F, G>,
    reader: Reader<W, K, C, B, A, M, S>,
    doorbells: Fifo<F, 5, 6>,
    /// Flows for which the input waits.
    blocked: Fifo<F, 4, 5>,
    // Discard 1, bytes less one 14, first cell 16, flow 16, launch 64, what goes beside it.
    packets: Fifo<P, 4, 5>,
    sweep: DFF<Bits<T>>,
    sweep_end: Const<Bits<T>>,
    load_valid: DFF<Bit>,
    load_voids: DFF<Bit>,
    load_flow: DFF<Bits<F>>,
    load_enable: DFF<Bit>,
    /// Loads of the two clocks before.
    applied: [DFF<Bit>; 2],
    applied_flow: [DFF<Bits<F>>; 2],
    /// Doorbells that wait; with 8 the input stops.
    rings: DFF<Bits<6>>,
    /// The input waits at the end of a packet.
    halted: DFF<Bit>,
    /// Flows for which it does.
    waits: DFF<Bits<5>>,
    /// Clocks for which the first of them has been looked up.
    age: DFF<Bits<2>>,
    charge: DFF<Bit>,
    charge_to: DFF<Bits<F>>,
    charge_sum: DFF<Bits<16>>,
    charge_last: DFF<Bit>,
    overhead: Const<Bits<16>>,
    least: Const<Bits<16>>,
    brief: Const<Bits<14>>,
    is_swept: Signal<Local, Bit>,
    sweeping: Signal<Local, Bit>,
    at: Signal<Local, Bits<T>>,
    open: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    rung: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    anew: Signal<Local, Bit>,
    below: Signal<Local, Bit>,
    judged: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    cost: Signal<Local, Bits<16>>,
    word: Signal<Local, Bits<P>>,
}

impl<
    const W: usize,
    const K: usize,
    const F: usize,
    const C: usize,
    const N: usize,
    const T: usize,
    const B: usize,
    const A: usize,
    const G: usize,
    const M: usize,
    const S: usize,
    const P: usize,
> Store<W, K, F, C, N, T, B, A, G, M, S, P>
{
    /// The block with its constants.
    pub fn new() -> Self {
        assert!((1..=16).contains(&F) && (6..=16).contains(&C), "2^{F} flows and 2^{C} cells: at most 2^16, and 64 cells at least");
        assert!(P == M + 111 && 256 * PACKET_CELLS < 1 << 14, "a packet's word has {} bits", M + 111);
        assert!(N == C + 1 && T == F.max(C) + 1, "widths of queues of 2^{F} flows and 2^{C} cells");
        let over = |bytes: u32| Const::new(bits::<16>(u64::from(bytes)));
        Self {
            sweep_end: Const::new(bits::<T>(1 << (T - 1))),
            overhead: over(WIRE_OVERHEAD + 1),
            least: over(WIRE_LEAST),
            brief: Const::new(bits::<14>(u64::from(LONG_BEATS) * K as u64)),
            intake: Intake::new(),
            pool: Free::new(),
            joining: Joining::new(),
            turns: Turns::new(),
            reader: Reader::new(),
            ..Default::default()
        }
    }
}

impl<
    const W: usize,
    const K: usize,
    const F: usize,
    const C: usize,
    const N: usize,
    const T: usize,
    const B: usize,
    const A: usize,
    const G: usize,
    const M: usize,
    const S: usize,
    const P: usize,
> Logic for Store<W, K, F, C, N, T, B, A, G, M, S, P>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            sweep,
            load_valid,
            load_voids,
            load_flow,
            load_enable,
            rings,
            halted,
            waits,
            age,
            charge,
            charge_to,
            charge_sum,
            charge_last
        );
        self.intake.clk.next = self.clk.val();
        self.intake.rst.next = self.rst.val();
        self.pool.clk.next = self.clk.val();
        self.lookup.clk.next = self.clk.val();
        self.joining.clk.next = self.clk.val();
        self.joining.rst.next = self.rst.val();
        self.leaving.clk.next = self.clk.val();
        self.leaving.rst.next = self.rst.val();
        self.turns.clk.next = self.clk.val();
        self.turns.rst.next = self.rst.val();
        self.reader.clk.next = self.clk.val();
        self.reader.rst.next = self.rst.val();
        self.doorbells.clk.next = self.clk.val();
        self.doorbells.rst.next = self.rst.val();
        self.blocked.clk.next = self.clk.val();
        self.blocked.rst.next = self.rst.val();
        self.packets.clk.next = self.clk.val();
        self.packets.rst.next = self.rst.val();
        for i in 0..2 {
            self.applied[i].clock.next = self.clk.val();
            self.applied_flow[i].clock.next = self.clk.val();
        }

        self.is_swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        self.sweeping.next = !self.is_swept.val();
        if self.sweeping.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<T>(1);
        }
        self.at.next = self.sweep.q.val();
        self.pool.sweep.next = self.sweeping.val();
        self.pool.sweep_at.next = self.at.val().get_bits::<C>(0);
        self.lookup.sweep.next = self.sweeping.val();
        self.lookup.sweep_at.next = self.at.val().get_bits::<F>(0);
        self.joining.sweep.next = self.sweeping.val();
        self.joining.sweep_at.next = self.at.val();
        self.leaving.sweep.next = self.sweeping.val();
        self.leaving.sweep_at.next = self.at.val();
        self.turns.swept.next = self.is_swept.val();
        self.swept.next = self.is_swept.val();

        // Beats into cells.
        self.open.next =
            (self.is_swept.val() & !self.rings.q.val().get_bits::<3>(3).any()) & (!self.halted.q.val() | self.intake.midst.val());
        self.s.tready.next = self.open.val();
        self.taken.next = self.open.val() & self.s.tvalid.val();
        self.intake.s_valid.next = self.taken.val();
        self.intake.s_data.next = self.s.tdata.val();
        self.intake.s_keep.next = self.s.tkeep.val();
        self.intake.s_last.next = self.s.tlast.val();
        self.intake.s_flow.next = self.s_flow.val();
        self.intake.s_meta.next = self.s.meta.val();
        self.intake.s_ends.next = self.s_ends.val();
        self.intake.bound.next = self.cfg_bound.val();
        self.lookup.flow.next = self.s_flow.val();
        // While the input waits, the first of the flows for which it does is looked up again and
        // again.
        self.intake.waits.next = self.cfg_wait.val();
        self.judged.next = (self.halted.q.val() & self.blocked.o_valid.val()) & self.age.q.val().all();
        self.age.d.next = bits::<2>(0);
        if self.halted.q.val() {
            self.lookup.flow.next = self.blocked.o_data.val();
            if self.blocked.o_valid.val() {
                self.age.d.next = self.age.q.val() + bits::<2>(1);
            }
        }
        self.below.next =
            !self.lookup.held.val().any() | (bit_cast::<17, N>(self.lookup.held.val()) < bit_cast::<17, 16>(self.cfg_bound.val()));
        self.passes.next =
            (self.judged.val() & (!self.lookup.open.val() | self.below.val())) | (!self.cfg_wait.val() & self.blocked.o_valid.val());
        self.blocked.i_valid.next = self.intake.blocks.val();
        self.blocked.i_data.next = self.intake.blocks_flow.val();
        self.blocked.o_ready.next = self.passes.val();
        self.halted.d.next =
            (self.is_swept.val() & self.cfg_wait.val()) & (self.intake.blocks.val() | self.waits.q.val().any() | !self.pool.ample.val());
        if self.intake.blocks.val() & !self.passes.val() {
            self.waits.d.next = self.waits.q.val() + bits::<5>(1);
        }
        if self.passes.val() & !self.intake.blocks.val() {
            self.waits.d.next = self.waits.q.val() - bits::<5>(1);
        }
        self.intake.open.next = self.lookup.open.val();
        self.intake.held.next = self.lookup.held.val();
        self.intake.room.next = self.pool.room.val();
        self.intake.at_hand.next = self.pool.at_hand.val();
        self.intake.following.next = self.pool.following.val();
        self.intake.first.next = self.pool.first.val();
        self.intake.filled.next = self.pool.filled.val();
        self.pool.take.next = self.intake.take.val();
        self.pool.take_last.next = self.intake.take_last.val();
        self.pool.back.next = self.intake.back.val();
        self.pool.push_valid.next = self.reader.freed_valid.val();
        self.pool.push_cell.next = self.reader.freed_cell.val();
        BeatWriteOut::<W, A>::join(&mut self.intake.write, &mut self.reader.write);
        self.reader.link_valid.next = self.intake.link_valid.val();
        self.reader.link_cell.next = self.pool.at_hand.val();
        self.reader.link_to.next = self.pool.following.val();
        self.refused.next = self.intake.refused.val();
        self.malformed.next = self.intake.malformed.val();

        // Packets into queues.
        self.joining.i_valid.next = self.intake.o_valid.val();
        self.joining.i_flow.next = self.intake.o_flow.val();
        self.joining.i_cell.next = self.intake.o_cell.val();
        self.joining.i_cells.next = self.intake.o_cells.val();
        self.joining.node_valid.next = self.leaving.node_valid.val();
        self.joining.node_cell.next = self.leaving.node_cell.val();
        self.joining.node.next = self.leaving.node.val();
        self.leaving.info_valid.next = self.intake.o_valid.val();
        self.leaving.info_cell.next = self.intake.o_cell.val();
        self.leaving.info_bytes.next = self.intake.o_bytes.val();
        self.leaving.info_meta.next = self.intake.o_meta.val();
        self.leaving.info_ends.next = self.intake.o_ends.val();
        JoinOut::<F, C, T>::join(&mut self.joining.o, &mut self.leaving.join);
        self.lookup.joined_valid.next = self.joining.o.valid.val();
        self.lookup.joined_flow.next = self.joining.o.flow.val();
        self.lookup.joined.next = self.joining.o_joined.val();
        self.lookup.gone_valid.next = self.leaving.node_valid.val();
        self.lookup.gone_flow.next = self.leaving.gone_flow.val();
        self.lookup.gone.next = self.leaving.gone.val();
        self.doorbells.i_valid.next = self.joining.o.valid.val();
        self.doorbells.i_data.next = self.joining.o.flow.val();
        self.doorbells.o_ready.next = self.doorbell.ready.val();
        self.doorbell.valid.next = self.doorbells.o_valid.val();
        self.doorbell.flow.next = self.doorbells.o_data.val();
        self.rung.next = self.doorbells.o_valid.val() & self.doorbell.ready.val();
        if self.joining.o.valid.val() & !self.rung.val() {
            self.rings.d.next = self.rings.q.val() + bits::<6>(1);
        }
        if self.rung.val() & !self.joining.o.valid.val() {
            self.rings.d.next = self.rings.q.val() - bits::<6>(1);
        }

        // Records.
        self.load_valid.d.next = self.fl.valid.val() & self.is_swept.val();
        self.load_voids.d.next = self.fl.valid.val() & self.is_swept.val() & !(self.fl.enable.val() & self.fl.keep.val());
        self.load_flow.d.next = self.fl.flow.val();
        self.load_enable.d.next = self.fl.enable.val();
        self.lookup.load_valid.next = self.load_valid.q.val();
        self.lookup.load_flow.next = self.load_flow.q.val();
        self.lookup.load_enable.next = self.load_enable.q.val();
        self.leaving.load_valid.next = self.load_valid.q.val();
        self.leaving.load_flow.next = self.load_flow.q.val();
        self.leaving.load_enable.next = self.load_enable.q.val();
        // A visit that looked before a load has not seen it: the flow is visited again.
        self.applied[0].d.next = self.load_valid.q.val();
        self.applied_flow[0].d.next = self.load_flow.q.val();
        self.applied[1].d.next = self.applied[0].q.val();
        self.applied_flow[1].d.next = self.applied_flow[0].q.val();
        self.anew.next = (self.load_valid.q.val() & (self.load_flow.q.val() == self.leaving.outcome_flow.val()))
            | (self.applied[0].q.val() & (self.applied_flow[0].q.val() == self.leaving.outcome_flow.val()))
            | (self.applied[1].q.val() & (self.applied_flow[1].q.val() == self.leaving.outcome_flow.val()));
        self.clear.next = (self.leaving.outcome_clear.val() & !self.anew.val()) | self.load_voids.q.val();
        self.lookup.voids_valid.next = self.clear.val();
        self.lookup.voids_flow.next = self.leaving.outcome_flow.val();
        self.lookup.voids.next = self.load_voids.q.val();
        self.leaving.voids_valid.next = self.clear.val();
        self.leaving.voids_flow.next = self.leaving.outcome_flow.val();
        self.leaving.voids.next = self.load_voids.q.val();
        if self.load_voids.q.val() {
            self.lookup.voids_flow.next = self.load_flow.q.val();
            self.leaving.voids_flow.next = self.load_flow.q.val();
        }
        self.turns.outcome_anew.next = self.anew.val();
        self.turns.void.valid.next = self.load_valid.q.val();
        self.turns.void.flow.next = self.load_flow.q.val();

        // Grants, and packets out of queues.
        GrantIn::<F>::link(&mut self.grant, &mut self.turns.grant);
        self.turns.begun.next = self.packets.o_valid.val() & self.reader.i_ready.val() & !self.packets.o_data.val().get_bit(0);
        self.turns.discarded.next = self.packets.o_valid.val() & self.reader.i_ready.val() & self.packets.o_data.val().get_bit(0);
        self.turns.vain.next = self.leaving.o_valid.val() & !self.leaving.o_found.val() & !self.leaving.o_visit.val();
        self.turns.length_valid.next = self.leaving.o_found.val() & !self.leaving.o_visit.val();
        self.turns.length_long.next = self.leaving.o_bytes.val() >= self.brief.val();
        self.turns.outcome_valid.next = self.leaving.outcome_valid.val();
        self.turns.outcome_flow.next = self.leaving.outcome_flow.val();
        self.turns.outcome_found.next = self.leaving.outcome_found.val();
        self.leaving.i_valid.next = self.turns.o_valid.val();
        self.leaving.i_flow.next = self.turns.o_flow.val();
        self.leaving.i_visit.next = self.turns.o_visit.val();
        self.leaving.i_launch.next = self.turns.o_launch.val();
        self.cost.next = bit_cast::<16, 14>(self.leaving.o_bytes.val()) + self.overhead.val();
        self.charge.d.next = self.leaving.o_valid.val() & !self.leaving.o_visit.val();
        self.charge_to.d.next = self.leaving.o_flow.val();
        self.charge_sum.d.next = self.cost.val();
        if self.cost.val() < self.least.val() {
            self.charge_sum.d.next = self.least.val();
        }
        if !self.leaving.o_found.val() {
            self.charge_sum.d.next = bits::<16>(0);
        }
        self.charge_last.d.next = self.leaving.o_found.val() & self.leaving.o_ends.val();
        self.charge_valid.next = self.charge.q.val();
        self.charge_flow.next = self.charge_to.q.val();
        self.charge_bytes.next = self.charge_sum.q.val();
        self.charge_ends.next = self.charge_last.q.val();

        // Packets out of cells.
        self.packets.i_valid.next = self.leaving.o_found.val();
        self.packets.i_data.next = bit_cast::<P, 1>(self.leaving.o_visit.val().into())
            | (bit_cast::<P, 14>(self.leaving.o_bytes.val()) << 1)
            | (bit_cast::<P, C>(self.leaving.o_cell.val()) << 15)
            | (bit_cast::<P, F>(self.leaving.o_flow.val()) << 31)
            | (bit_cast::<P, 64>(self.leaving.o_launch.val()) << 47)
            | (bit_cast::<P, M>(self.leaving.o_meta.val()) << 111);
        self.word.next = self.packets.o_data.val();
        self.packets.o_ready.next = self.reader.i_ready.val();
        self.reader.i_valid.next = self.packets.o_valid.val();
        self.reader.i_discard.next = self.word.val().get_bit(0);
        self.reader.i_bytes.next = self.word.val().get_bits::<14>(1);
        self.reader.i_cell.next = self.word.val().get_bits::<C>(15);
        self.reader.i_flow.next = self.word.val().get_bits::<16>(31);
        self.reader.i_launch.next = self.word.val().get_bits::<64>(47);
        self.reader.i_meta.next = self.word.val().get_bits::<M>(111);
        StoredAxisOut::<W, K, M>::link(&mut self.m, &mut self.reader.m);
        self.voided.next = self.reader.voided.val();
        if self.rst.val() {
            self.sweep.d.next = bits::<T>(0);
            self.load_valid.d.next = false;
            self.load_voids.d.next = false;
            self.applied[0].d.next = false;
            self.applied[1].d.next = false;
            self.rings.d.next = bits::<6>(0);
            self.halted.d.next = false;
            self.waits.d.next = bits::<5>(0);
            self.age.d.next = bits::<2>(0);
            self.charge.d.next = false;
        }
    }
}
