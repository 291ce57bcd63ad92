//! One direction's exact match.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::hash::Hash;
use super::places::Places;
use super::words::{FlowKey, KeyWord, Slot};
use crate::bus::{PairFlowOut, PairLookIn, PairOperationIn, PairResultOut};
use crate::constant::Const;
use crate::ram::{ApartRam, LutRam};
use rust_hdl::prelude::*;
use timely_model::queue_pairs::LATENCY;

// The pipeline is as long as the model's.
const _: () = assert!(LATENCY == 15);

/// Keys of `2^F` flows: a slot a clock, a look-up or else an operation, and its result 15 clocks
/// later; `B` must be `F - 3`.
///
/// A place tells which flow a hash may be; the flow's key decides. Places are read and written at
/// clock 6 of a slot, keys of flows at clock 11, so that all slots take effect in their order. The
/// number in a register's name says how many clocks after the slot's entry it holds what belongs to
/// it.
#[derive(LogicBlock, Default)]
pub(super) struct Side<const F: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAMs are being cleared, at this address; nothing is accepted.
    pub sweep: Signal<In, Bit>,
    pub sweep_at: Signal<In, Bits<F>>,
    pub secret: Signal<In, Bits<192>>,
    pub look: PairLookIn,
    /// The key may be learned, and the DSCP of its packet.
    pub learn: Signal<In, Bit>,
    pub dscp: Signal<In, Bits<6>>,
    pub operation: PairOperationIn<F>,
    pub found: PairFlowOut<F>,
    /// The look-up's key is not there and may be learned; the key is the result's.
    pub unknown: Signal<Out, Bit>,
    pub unknown_dscp: Signal<Out, Bits<6>>,
    /// A slot of any kind found this flow, or gave the flow its key.
    pub seen: Signal<Out, Bit>,
    pub seen_flow: Signal<Out, Bits<F>>,
    pub result: PairResultOut<F>,
    look_key: Signal<Local, KeyWord>,
    enters: Signal<Local, Slot>,
    key1: DFF<Bits<152>>,
    slot: [DFF<Slot>; 15],
    op_flow: [DFF<Bits<F>>; 11],
    no_slot: Const<Slot>,
    hash: Hash,
    places: Places<F, B>,
    at6: Signal<Local, Slot>,
    /// Keys wait here for their places.
    delay: LutRam<Bits<152>, 4>,
    write: DFF<Bits<4>>,
    key11: DFF<Bits<152>>,
    key12: DFF<Bits<152>>,
    key13: DFF<Bits<152>>,
    key14: DFF<Bits<152>>,
    at11: Signal<Local, Slot>,
    flow11: Signal<Local, Bits<F>>,
    keys: ApartRam<FlowKey, F>,
    no_key: Const<FlowKey>,
    word13: DFF<FlowKey>,
    stored: Signal<Local, FlowKey>,
    wide_key: Signal<Local, Bits<160>>,
    wide_stored: Signal<Local, Bits<160>>,
    live14: DFF<Bit>,
    stored14: DFF<Bits<152>>,
    equal14: [DFF<Bit>; 5],
    // Of clocks 12 to 15; the flow's of 12 to 15 too.
    same: [DFF<Bit>; 4],
    room: [DFF<Bit>; 4],
    place: [DFF<Bits<4>>; 4],
    flow: [DFF<Bits<F>>; 4],
    at14: Signal<Local, Slot>,
    key15: DFF<Bits<152>>,
    hit15: DFF<Bit>,
    at15: Signal<Local, Slot>,
}

impl<const F: usize, const B: usize> Side<F, B> {
    /// The block with its constants.
    pub(super) fn new() -> Self {
        Self { places: Places::new(), no_slot: Const::new(Slot::default()), no_key: Const::new(FlowKey::default()), ..Default::default() }
    }
}

impl<const F: usize, const B: usize> Logic for Side<F, B> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, key1, write, key11, key12, key13, key14, word13, live14, stored14, key15, hit15);
        for i in 0..15 {
            self.slot[i].clock.next = self.clk.val();
        }
        for i in 0..11 {
            self.op_flow[i].clock.next = self.clk.val();
        }
        for i in 0..5 {
            self.equal14[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.same[i].clock.next = self.clk.val();
            self.room[i].clock.next = self.clk.val();
            self.place[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        // 0: a look-up, or else an operation.
        self.operation.ready.next = !self.look.valid.val() & !self.sweep.val();
        self.look_key.next.address = self.look.address.val();
        self.look_key.next.pair = self.look.pair.val();
        self.enters.next.look = self.look.valid.val() & !self.sweep.val();
        self.enters.next.learn = self.learn.val();
        self.enters.next.dscp = self.dscp.val();
        self.enters.next.operation = (self.operation.valid.val() & !self.look.valid.val()) & !self.sweep.val();
        self.enters.next.fetch = self.operation.fetch.val() & !self.look.valid.val();
        self.enters.next.writes = (self.operation.valid.val() & self.operation.writes.val()) & !self.look.valid.val();
        self.enters.next.live = self.operation.live.val();
        self.enters.next.place = self.operation.place.val();
        self.slot[0].d.next = self.enters.val();
        self.op_flow[0].d.next = self.operation.flow.val();
        self.key1.d.next = self.operation.key.val();
        if self.look.valid.val() {
            self.key1.d.next = self.look_key.val().into();
        }
        for i in 0..14 {
            self.slot[i + 1].d.next = self.slot[i].q.val();
        }
        for i in 0..10 {
            self.op_flow[i + 1].d.next = self.op_flow[i].q.val();
        }
        // 1 to 6: the hash.
        self.hash.clk.next = self.clk.val();
        self.hash.secret.next = self.secret.val();
        self.hash.key.next = self.key1.q.val();
        self.delay.clock.next = self.clk.val();
        self.delay.write_enable.next = true;
        self.delay.write_address.next = self.write.q.val();
        self.delay.write_data.next = self.key1.q.val();
        self.delay.read_address.next = self.write.q.val() - bits::<4>(9);
        self.write.d.next = self.write.q.val() + bits::<4>(1);
        // 6 to 11: places.
        self.at6.next = self.slot[5].q.val();
        self.places.clk.next = self.clk.val();
        self.places.sweep.next = self.sweep.val();
        self.places.sweep_at.next = self.sweep_at.val().get_bits::<B>(0);
        self.places.hash.next = self.hash.hash.val();
        self.places.writes.next = self.at6.val().writes;
        self.places.place.next = self.at6.val().place;
        self.places.live.next = self.at6.val().live;
        self.places.flow.next = self.op_flow[5].q.val();
        // 11: keys of flows.
        self.key11.d.next = self.delay.read_data.val();
        self.at11.next = self.slot[10].q.val();
        self.flow11.next = self.places.o_flow.val();
        if self.at11.val().fetch | self.at11.val().writes {
            self.flow11.next = self.op_flow[10].q.val();
        }
        self.keys.read_clock.next = self.clk.val();
        self.keys.write_clock.next = self.clk.val();
        self.keys.read_address.next = self.flow11.val();
        self.keys.write_address.next = self.flow11.val();
        self.keys.write_enable.next = self.at11.val().writes | self.sweep.val();
        self.stored.next.live = self.at11.val().live;
        self.stored.next.key = self.key11.q.val();
        self.keys.write_data.next = self.stored.val();
        if self.sweep.val() {
            self.keys.write_address.next = self.sweep_at.val();
            self.keys.write_data.next = self.no_key.val();
        }
        self.same[0].d.next = self.places.o_same.val();
        self.room[0].d.next = self.places.o_room.val();
        self.place[0].d.next = self.places.o_place.val();
        self.flow[0].d.next = self.flow11.val();
        for i in 0..3 {
            self.same[i + 1].d.next = self.same[i].q.val();
            self.room[i + 1].d.next = self.room[i].q.val();
            self.place[i + 1].d.next = self.place[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        self.key12.d.next = self.key11.q.val();
        self.key13.d.next = self.key12.q.val();
        self.key14.d.next = self.key13.q.val();
        // 13 and 14: compared.
        self.word13.d.next = self.keys.read_data.val();
        self.live14.d.next = self.word13.q.val().live;
        self.stored14.d.next = self.word13.q.val().key;
        self.wide_key.next = bit_cast::<160, 152>(self.key13.q.val());
        self.wide_stored.next = bit_cast::<160, 152>(self.word13.q.val().key);
        for i in 0..5 {
            self.equal14[i].d.next = self.wide_key.val().get_bits::<32>(32 * i) == self.wide_stored.val().get_bits::<32>(32 * i);
        }
        self.at14.next = self.slot[13].q.val();
        self.key15.d.next = self.key14.q.val();
        self.hit15.d.next = ((self.same[2].q.val() & self.live14.q.val()) & (self.equal14[0].q.val() & self.equal14[1].q.val()))
            & ((self.equal14[2].q.val() & self.equal14[3].q.val()) & self.equal14[4].q.val());
        if self.at14.val().fetch {
            self.key15.d.next = self.stored14.q.val();
            self.hit15.d.next = false;
        }
        if self.at14.val().writes {
            self.hit15.d.next = self.at14.val().live;
        }
        // 15.
        self.at15.next = self.slot[14].q.val();
        self.found.valid.next = self.at15.val().look;
        self.found.hit.next = self.hit15.q.val();
        self.found.flow.next = self.flow[3].q.val();
        self.unknown.next = (self.at15.val().look & self.at15.val().learn) & !self.hit15.q.val();
        self.unknown_dscp.next = self.at15.val().dscp;
        self.seen.next = (self.at15.val().look | self.at15.val().operation) & self.hit15.q.val();
        self.seen_flow.next = self.flow[3].q.val();
        self.result.valid.next = self.at15.val().operation;
        self.result.hit.next = self.hit15.q.val();
        self.result.same.next = self.same[3].q.val();
        self.result.room.next = self.room[3].q.val();
        self.result.place.next = self.place[3].q.val();
        self.result.flow.next = self.flow[3].q.val();
        self.result.key.next = self.key15.q.val();
        if self.rst.val() {
            for i in 0..15 {
                self.slot[i].d.next = self.no_slot.val();
            }
        }
    }
}
