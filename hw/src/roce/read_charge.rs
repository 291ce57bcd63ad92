//! The charge of READ requests for their responses.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{ChargeIn, ChargeOut, FlowStreamIn, FlowStreamOut, GrantIn, GrantOut};
use crate::constant::{Const, OneHot};
use crate::fifo::Fifo;
use crate::num::U;
use crate::packed::packed;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_model::roce::read_charge::{FEW_RINGS, INSIDE, LIMIT_SHIFT, LONGEST_READ, OWED_BITS, PART, QUEUE_BITS, RING_BITS, UNIT_BITS};
use timely_regs::roce::{AETH_BYTES, RETH_BYTES};

// A kernel takes literals alone.
const _: () = assert!(FEW_RINGS == 1 << 2 && INSIDE == 1 << 2 && LONGEST_READ == (1 << 24) - 1 && OWED_BITS == 26 && PART == 1 << 11);
const _: () = assert!(QUEUE_BITS == 2 && RING_BITS == 6 && UNIT_BITS == 21 && LIMIT_SHIFT == 12);

packed! {
    /// The account of a flow.
    pub struct Account {
        /// Bytes that the flow owes.
        pub owed: Bits<26>,
        /// Unit of time from which on nothing is owed.
        pub until: Bits<9>,
        /// The flow owes any.
        pub owes: Bit,
    }

    /// The bytes that a flow owes, by what a grant pays.
    pub struct Parts {
        /// Bytes beyond those.
        pub rest: Bits<11>,
        /// Parts of 2,048 bytes.
        pub parts: Bits<15>,
    }
}

/// Between pacer and packet store: grants of a flow that owes what READs brought pay 2,048 bytes
/// each, the last up to 4,095, and let no packet go; the others go on to the store. A READ that
/// leaves adds what its responses have on the wire to what its flow owes, and has a doorbell rung
/// for it, as has each grant that leaves something to pay; so a flow's doorbells outstanding are
/// its packets, and one more while it owes. A flow that is loaded anew owes nothing, and half of
/// `cfg_timeout_us` after its last READ what is left is let go, by a grant that pays nothing.
///
/// `F` flow bits, `S = F + 1`. Model: `timely_model::roce::ReadCharge`.
///
/// Latency: 7 clocks from a grant to the store's; none for the store's charges and doorbells, which
/// take turns with those of this block; 9 from a READ's departure until its flow owes. Throughput:
/// a grant in two clocks, with looks at READs and loads in between. Back pressure: a grant is taken
/// while fewer than 4 are here and fewer than 4 doorbells wait. A READ is always taken, and so is a
/// load, of which two are 16 clocks apart at least. Charges of the store go first. The queue of 64
/// doorbells holds those of all packets that are granted and have not left.
#[derive(LogicBlock, Default)]
pub struct ReadCharge<const F: usize, const S: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Least path MTU, 1 to 5 for 256 to 4,096 bytes.
    pub cfg_mtu: Signal<In, Bits<3>>,
    /// Shortest time-out of the host's queue pairs; 0 unknown: then all that is owed is paid.
    pub cfg_timeout_us: Signal<In, Bits<32>>,
    /// The steady time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// A flow is loaded, and its stored packets are void.
    pub loaded: Signal<In, Bit>,
    pub loaded_flow: Signal<In, Bits<F>>,
    /// A READ request left: the bytes to be read, and its own on the wire.
    pub read: Signal<In, Bit>,
    pub read_flow: Signal<In, Bits<F>>,
    pub read_bytes: Signal<In, Bits<32>>,
    pub read_wire_bytes: Signal<In, Bits<16>>,
    /// Grants of the pacer, and those for the store.
    pub s: GrantIn<F>,
    pub m: GrantOut<F>,
    /// Charges of the store, and all of them.
    pub s_charge: ChargeIn<F>,
    pub m_charge: ChargeOut<F>,
    /// Doorbells of the store, and all of them.
    pub s_ring: FlowStreamIn<F>,
    pub m_ring: FlowStreamOut<F>,
    /// A flow's debt was let go.
    pub let_go: Signal<Out, Bit>,
    /// The RAM is clear; no grant is taken before.
    pub swept: Signal<Out, Bit>,
    ram: ApartRam<Bits<36>, F>,
    sweep: DFF<Bits<S>>,
    sweep_end: OneHot<S, F>,
    unit: DFF<Bits<9>>,
    loading: DFF<Bit>,
    loading_flow: DFF<Bits<F>>,
    // What a READ brings. Index k is the register of clock k + 1 behind its departure.
    counted: [DFF<Bit>; 5],
    counted_flow: [DFF<Bits<F>>; 5],
    bytes: DFF<Bits<24>>,
    mtu: [DFF<Bits<3>>; 2],
    payload: [DFF<Bits<25>>; 3],
    headers: [DFF<Bits<8>>; 3],
    more: DFF<Bits<25>>,
    packets: DFF<Bits<17>>,
    product: DFF<Bits<25>>,
    brings: DFF<Bits<26>>,
    // A look at a flow. Index k is the register of clock k + 1 behind its issue.
    grants: [DFF<Bit>; 3],
    owes: [DFF<Bit>; 3],
    valid: [DFF<Bit>; 3],
    flow: [DFF<Bits<F>>; 3],
    added: [DFF<Bits<26>>; 3],
    launch: [DFF<Bits<64>>; 4],
    raw: DFF<Account>,
    /// The last two results, newest first: with the one before them, what the RAM did not show yet
    /// when the account was read.
    done_valid: DFF<Bit>,
    done_flow: DFF<Bits<F>>,
    done: [DFF<Account>; 2],
    /// The flow's newest result is the newest one, the second one, the third one; none of them is
    /// set where it is the RAM's.
    is_newest: DFF<Bit>,
    is_second: DFF<Bit>,
    is_third: DFF<Bit>,
    passes: DFF<Bit>,
    pays: DFF<Bit>,
    rings: DFF<Bit>,
    lets: DFF<Bit>,
    part: DFF<Bits<12>>,
    /// The last doorbell that was taken was for a READ.
    belled: DFF<Bit>,
    /// Grants that are taken and not told of, doorbells that wait.
    taken: DFF<Bits<3>>,
    ringing: DFF<Bits<7>>,
    flows: Fifo<F, 2, 3>,
    launches: Fifo<64, 2, 3>,
    payers: Fifo<F, 2, 3>,
    charges: Fifo<12, 2, 3>,
    bells: Fifo<F, 6, 7>,
    reth: Const<Bits<8>>,
    aeth: Const<Bits<25>>,
    is_swept: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    capped: Signal<Local, Bits<24>>,
    own: Signal<Local, Bits<8>>,
    filler: Signal<Local, Bits<25>>,
    count: Signal<Local, Bits<17>>,
    count_u: Signal<Local, U<17>>,
    headers_u: Signal<Local, U<8>>,
    account: Signal<Local, Account>,
    parts: Signal<Local, Parts>,
    left: Signal<Local, Parts>,
    pay: Signal<Local, Bit>,
    bells_first: Signal<Local, Bit>,
    several: Signal<Local, Bits<15>>,
    /// A grant pays a part, and others the rest.
    whole: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    age: Signal<Local, Bits<9>>,
    limit: Signal<Local, Bits<9>>,
    sum: Signal<Local, Bits<27>>,
    gone: Signal<Local, Bits<3>>,
    /// The charge is paid for a READ.
    paid: Signal<Local, Bit>,
}

impl<const F: usize, const S: usize> ReadCharge<F, S> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert!(S == F + 1, "a sweep of 2^{F} flows has a bit more");
        Self { reth: Const::new(bits::<8>(RETH_BYTES as u64)), aeth: Const::new(bits::<25>(AETH_BYTES as u64)), ..Default::default() }
    }
}

impl<const F: usize, const S: usize> Logic for ReadCharge<F, S> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            sweep,
            unit,
            loading,
            loading_flow,
            bytes,
            more,
            packets,
            product,
            brings,
            raw,
            done_valid,
            done_flow,
            is_newest,
            is_second,
            is_third
        );
        dff_setup!(self, clk, passes, pays, rings, lets, part, belled, taken, ringing);
        for i in 0..3 {
            self.headers[i].clock.next = self.clk.val();
            self.payload[i].clock.next = self.clk.val();
            self.grants[i].clock.next = self.clk.val();
            self.owes[i].clock.next = self.clk.val();
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
            self.added[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.launch[i].clock.next = self.clk.val();
        }
        for i in 0..5 {
            self.counted[i].clock.next = self.clk.val();
            self.counted_flow[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.mtu[i].clock.next = self.clk.val();
            self.done[i].clock.next = self.clk.val();
        }
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.flows.clk.next = self.clk.val();
        self.flows.rst.next = self.rst.val();
        self.launches.clk.next = self.clk.val();
        self.launches.rst.next = self.rst.val();
        self.payers.clk.next = self.clk.val();
        self.payers.rst.next = self.rst.val();
        self.charges.clk.next = self.clk.val();
        self.charges.rst.next = self.rst.val();
        self.bells.clk.next = self.clk.val();
        self.bells.rst.next = self.rst.val();
        self.is_swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        if !self.is_swept.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<S>(1);
        }
        self.unit.d.next = self.now.val().get_bits::<9>(37);

        // What a READ brings: its bytes, and as many headers as it has responses.
        for i in 0..4 {
            self.counted[i + 1].d.next = self.counted[i].q.val();
            self.counted_flow[i + 1].d.next = self.counted_flow[i].q.val();
        }
        for i in 0..2 {
            self.payload[i + 1].d.next = self.payload[i].q.val();
            self.headers[i + 1].d.next = self.headers[i].q.val();
        }
        self.mtu[0].d.next = self.cfg_mtu.val();
        self.mtu[1].d.next = self.mtu[0].q.val();
        self.counted[0].d.next = self.read.val();
        self.counted_flow[0].d.next = self.read_flow.val();
        self.capped.next = self.read_bytes.val().get_bits::<24>(0);
        if self.read_bytes.val().get_bits::<8>(24).any() {
            self.capped.next = !bits::<24>(0);
        }
        self.bytes.d.next = self.capped.val();
        self.own.next = self.read_wire_bytes.val().get_bits::<8>(0);
        if self.read_wire_bytes.val().get_bits::<8>(8).any() {
            self.own.next = !bits::<8>(0);
        }
        self.headers[0].d.next = self.own.val() - self.reth.val();
        self.payload[0].d.next = bit_cast::<25, 24>(self.bytes.q.val()) + self.aeth.val();
        // A READ of no bytes has a response as one of a byte has.
        self.filler.next = bits::<25>(255);
        if self.mtu[0].q.val() >= bits::<3>(5) {
            self.filler.next = bits::<25>(4095);
        } else if self.mtu[0].q.val() == bits::<3>(4) {
            self.filler.next = bits::<25>(2047);
        } else if self.mtu[0].q.val() == bits::<3>(3) {
            self.filler.next = bits::<25>(1023);
        } else if self.mtu[0].q.val() == bits::<3>(2) {
            self.filler.next = bits::<25>(511);
        }
        self.more.d.next = bit_cast::<25, 24>(self.bytes.q.val()) + self.filler.val();
        if !self.bytes.q.val().any() {
            self.more.d.next = self.filler.val() + bits::<25>(1);
        }
        self.count.next = self.more.q.val().get_bits::<17>(8);
        if self.mtu[1].q.val() >= bits::<3>(5) {
            self.count.next = bit_cast::<17, 13>(self.more.q.val().get_bits::<13>(12));
        } else if self.mtu[1].q.val() == bits::<3>(4) {
            self.count.next = bit_cast::<17, 14>(self.more.q.val().get_bits::<14>(11));
        } else if self.mtu[1].q.val() == bits::<3>(3) {
            self.count.next = bit_cast::<17, 15>(self.more.q.val().get_bits::<15>(10));
        } else if self.mtu[1].q.val() == bits::<3>(2) {
            self.count.next = bit_cast::<17, 16>(self.more.q.val().get_bits::<16>(9));
        }
        self.packets.d.next = self.count.val();
        self.count_u.next = self.packets.q.val().into();
        self.headers_u.next = self.headers[2].q.val().into();
        self.product.d.next = (self.count_u.val() * self.headers_u.val()).into();
        self.brings.d.next = bit_cast::<26, 25>(self.payload[2].q.val()) + bit_cast::<26, 25>(self.product.q.val());

        // 0: a READ goes first, then a load, then a grant.
        self.busy.next = self.counted[4].q.val() | self.loading.q.val();
        self.s.ready.next =
            (self.is_swept.val() & !self.busy.val()) & (!self.taken.q.val().get_bit(2) & !self.ringing.q.val().get_bits::<5>(2).any());
        self.takes.next = self.s.valid.val() & self.s.ready.val();
        self.valid[0].d.next = (self.busy.val() | self.takes.val()) & self.is_swept.val();
        self.grants[0].d.next = self.takes.val();
        self.owes[0].d.next = self.counted[4].q.val();
        self.flow[0].d.next = self.s.flow.val();
        if self.counted[4].q.val() {
            self.flow[0].d.next = self.counted_flow[4].q.val();
        } else if self.loading.q.val() {
            self.flow[0].d.next = self.loading_flow.q.val();
        }
        self.added[0].d.next = self.brings.q.val();
        self.launch[0].d.next = self.s.launch.val();
        if !self.counted[4].q.val() {
            self.loading.d.next = false;
        }
        if self.loaded.val() {
            self.loading.d.next = true;
            self.loading_flow.d.next = self.loaded_flow.val();
        }

        // 1: read, and see which earlier results the RAM cannot show. 2: take the word from there,
        // so that but one is left to choose from then.
        for i in 0..2 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.grants[i + 1].d.next = self.grants[i].q.val();
            self.owes[i + 1].d.next = self.owes[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
            self.added[i + 1].d.next = self.added[i].q.val();
        }
        for i in 0..3 {
            self.launch[i + 1].d.next = self.launch[i].q.val();
        }
        self.ram.read_address.next = self.flow[0].q.val();
        self.is_second.d.next = self.valid[2].q.val() & (self.flow[0].q.val() == self.flow[2].q.val());
        self.is_third.d.next = self.done_valid.q.val() & (self.flow[0].q.val() == self.done_flow.q.val());
        self.is_newest.d.next = self.valid[2].q.val() & (self.flow[1].q.val() == self.flow[2].q.val());
        self.done[1].d.next = self.done[0].q.val();
        self.raw.d.next = self.ram.read_data.val().into();
        if self.is_second.q.val() {
            self.raw.d.next = self.done[0].q.val();
        } else if self.is_third.q.val() {
            self.raw.d.next = self.done[1].q.val();
        }

        // 3: owe or pay.
        self.account.next = self.raw.q.val();
        if self.is_newest.q.val() {
            self.account.next = self.done[0].q.val();
        }
        self.parts.next = self.account.val().owed.into();
        self.several.next = self.parts.val().parts;
        self.age.next = self.unit.q.val() - self.account.val().until;
        self.over.next = self.cfg_timeout_us.val().any() & !self.age.val().get_bit(8);
        self.limit.next = bit_cast::<9, 8>(self.cfg_timeout_us.val().get_bits::<8>(12));
        if self.cfg_timeout_us.val().get_bits::<12>(20).any() {
            self.limit.next = bits::<9>(255);
        }
        // The last part is no smaller than the others.
        self.whole.next = self.several.val().get_bits::<14>(1).any() & !self.over.val();
        self.left.next.rest = self.parts.val().rest;
        self.left.next.parts = self.several.val() - bits::<15>(1);
        self.part.d.next = bit_cast::<12, 11>(self.parts.val().rest) | (bit_cast::<12, 1>(self.several.val().get_bits::<1>(0)) << 11);
        if self.over.val() {
            self.part.d.next = bits::<12>(0);
        } else if self.several.val().get_bits::<14>(1).any() {
            self.part.d.next = bits::<12>(1) << 11;
        }
        self.sum.next = bit_cast::<27, 26>(self.account.val().owed) + bit_cast::<27, 26>(self.added[2].q.val());
        self.pay.next = self.grants[2].q.val() & self.account.val().owes;
        self.passes.d.next = self.grants[2].q.val() & !self.account.val().owes;
        self.pays.d.next = self.pay.val();
        self.lets.d.next = self.pay.val() & self.over.val();
        self.rings.d.next = (self.owes[2].q.val() & !self.account.val().owes) | (self.pay.val() & self.whole.val());
        self.done_valid.d.next = self.valid[2].q.val();
        self.done_flow.d.next = self.flow[2].q.val();
        self.done[0].d.next = bits::<36>(0).into();
        if self.owes[2].q.val() {
            self.done[0].d.next.owed = self.sum.val().get_bits::<26>(0);
            if self.sum.val().get_bit(26) {
                self.done[0].d.next.owed = !bits::<26>(0);
            }
            self.done[0].d.next.until = self.unit.q.val() + self.limit.val();
            self.done[0].d.next.owes = true;
        } else if self.pay.val() & self.whole.val() {
            self.done[0].d.next.owed = self.left.val().into();
            self.done[0].d.next.until = self.account.val().until;
            self.done[0].d.next.owes = true;
        }
        // Zeros for the sweep: a register's reset is free where a choice in front of a RAM is not.
        if self.rst.val() | !self.is_swept.val() {
            self.done[0].d.next = bits::<36>(0).into();
        }

        // 4: write, and tell.
        self.ram.write_enable.next = self.done_valid.q.val();
        self.ram.write_address.next = self.done_flow.q.val();
        self.ram.write_data.next = self.done[0].q.val().into();
        if !self.is_swept.val() {
            self.ram.write_enable.next = true;
            self.ram.write_address.next = self.sweep.q.val().get_bits::<F>(0);
        }
        self.flows.i_valid.next = self.passes.q.val();
        self.flows.i_data.next = self.done_flow.q.val();
        self.launches.i_valid.next = self.passes.q.val();
        self.launches.i_data.next = self.launch[3].q.val();
        self.payers.i_valid.next = self.pays.q.val();
        self.payers.i_data.next = self.done_flow.q.val();
        self.charges.i_valid.next = self.pays.q.val();
        self.charges.i_data.next = self.part.q.val();
        self.bells.i_valid.next = self.rings.q.val();
        self.bells.i_data.next = self.done_flow.q.val();
        self.let_go.next = self.lets.q.val();
        self.m.valid.next = self.flows.o_valid.val();
        self.m.flow.next = self.flows.o_data.val();
        self.m.launch.next = self.launches.o_data.val();
        self.flows.o_ready.next = self.m.ready.val();
        self.launches.o_ready.next = self.m.ready.val();

        // Charges of the store cannot wait; its doorbells can.
        self.m_charge.valid.next = self.s_charge.valid.val() | self.payers.o_valid.val();
        self.m_charge.flow.next = self.payers.o_data.val();
        self.m_charge.bytes.next = bit_cast::<16, 12>(self.charges.o_data.val());
        self.m_charge.ends.next = false;
        self.paid.next = self.payers.o_valid.val() & !self.s_charge.valid.val();
        self.payers.o_ready.next = !self.s_charge.valid.val();
        self.charges.o_ready.next = !self.s_charge.valid.val();
        if self.s_charge.valid.val() {
            self.m_charge.flow.next = self.s_charge.flow.val();
            self.m_charge.bytes.next = self.s_charge.bytes.val();
            self.m_charge.ends.next = self.s_charge.ends.val();
        }
        // Both kinds of doorbells by turns.
        self.bells_first.next = self.bells.o_valid.val() & !(self.belled.q.val() & self.s_ring.valid.val());
        self.m_ring.valid.next = self.bells.o_valid.val() | self.s_ring.valid.val();
        self.m_ring.flow.next = self.s_ring.flow.val();
        if self.bells_first.val() {
            self.m_ring.flow.next = self.bells.o_data.val();
        }
        self.bells.o_ready.next = self.m_ring.ready.val() & self.bells_first.val();
        self.s_ring.ready.next = self.m_ring.ready.val() & !self.bells_first.val();
        if self.m_ring.valid.val() & self.m_ring.ready.val() {
            self.belled.d.next = self.bells_first.val();
        }

        self.gone.next =
            bit_cast::<3, 1>((self.flows.o_valid.val() & self.m.ready.val()).into()) + bit_cast::<3, 1>(self.paid.val().into());
        self.taken.d.next = (self.taken.q.val() + bit_cast::<3, 1>(self.takes.val().into())) - self.gone.val();
        if self.rings.q.val() & !self.bells.o_ready.val() {
            self.ringing.d.next = self.ringing.q.val() + bits::<7>(1);
        }
        if !self.rings.q.val() & self.bells.o_ready.val() {
            self.ringing.d.next = self.ringing.q.val() - bits::<7>(1);
        }
        self.swept.next = self.is_swept.val();
        if self.rst.val() {
            self.sweep.d.next = bits::<S>(0);
            self.loading.d.next = false;
            self.passes.d.next = false;
            self.pays.d.next = false;
            self.rings.d.next = false;
            self.lets.d.next = false;
            self.done_valid.d.next = false;
            self.belled.d.next = false;
            self.taken.d.next = bits::<3>(0);
            self.ringing.d.next = bits::<7>(0);
            for i in 0..5 {
                self.counted[i].d.next = false;
            }
            for i in 0..3 {
                self.valid[i].d.next = false;
                self.grants[i].d.next = false;
                self.owes[i].d.next = false;
            }
        }
    }
}
