//! The charge unit: what each flow's packets cost.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{ChargeIn, PaidOut};
use crate::constant::OneHot;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_model::pacer::charge::{LARGEST_FADES, LARGEST_SHIFT};

// A kernel takes literals alone.
const _: () = assert!(LARGEST_SHIFT == 9 && LARGEST_FADES == 16);

/// Adds up each flow's charges: bytes modulo 2^32, packets modulo 2^9, those without a packet
/// modulo 2^8, the size of its last packet, and that of the largest of its last ones: in 512 bytes,
/// one fewer at every 16th charge unless the packet is as large. `S` must be `F + 1`.
///
/// Each grant is answered by one charge, of 0 bytes if there was no packet; such a one leaves the
/// last size as it is. Whether its packet ends a segment goes along. Latency: 4 clocks from
/// `charge` to `paid`. Throughput: one a clock, the same flow too; always taken once `swept`,
/// before which `paid_word` is 0. Model: `timely_model::pacer::charge`.
#[derive(LogicBlock, Default)]
pub struct Charge<const F: usize, const S: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Charges.
    pub charge: ChargeIn<F>,
    /// Words for the pass.
    pub paid: PaidOut<F>,
    /// The RAM is clear.
    pub swept: Signal<Out, Bit>,
    ram: ApartRam<Bits<72>, F>,
    sweep: DFF<Bits<S>>,
    sweep_end: OneHot<S, F>,
    valid: [DFF<Bit>; 3],
    flow: [DFF<Bits<F>>; 3],
    bytes: [DFF<Bits<16>>; 3],
    ends: [DFF<Bit>; 4],
    raw: DFF<Bits<72>>,
    /// The last three results, newest first: what the RAM did not show yet when the account was
    /// read.
    done_valid: [DFF<Bit>; 3],
    done_flow: [DFF<Bits<F>>; 3],
    done: [DFF<Bits<72>>; 3],
    /// Result in `done` that is the flow's newest, from 1; 0 none.
    from: DFF<Bits<2>>,
    is_newest: Signal<Local, Bit>,
    is_second: Signal<Local, Bit>,
    is_third: Signal<Local, Bit>,
    account: Signal<Local, Bits<72>>,
    sum: Signal<Local, Bits<32>>,
    packets: Signal<Local, Bits<9>>,
    last: Signal<Local, Bits<16>>,
    /// Size of the packet, and of the largest one before it; their units.
    units: Signal<Local, Bits<7>>,
    largest_before: Signal<Local, Bits<7>>,
    largest: Signal<Local, Bits<7>>,
    voids: Signal<Local, Bits<8>>,
    is_swept: Signal<Local, Bit>,
}

impl<const F: usize, const S: usize> Logic for Charge<F, S> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep, raw, from);
        for i in 0..3 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
            self.bytes[i].clock.next = self.clk.val();
            self.done_valid[i].clock.next = self.clk.val();
            self.done_flow[i].clock.next = self.clk.val();
            self.done[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.ends[i].clock.next = self.clk.val();
        }
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.is_swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        if !self.is_swept.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<S>(1);
        }
        // 1: read. 2: capture, and see which earlier results the RAM could not show. 3: add.
        self.valid[0].d.next = self.charge.valid.val() & self.is_swept.val();
        self.flow[0].d.next = self.charge.flow.val();
        self.bytes[0].d.next = self.charge.bytes.val();
        self.ends[0].d.next = self.charge.ends.val();
        for i in 0..3 {
            self.ends[i + 1].d.next = self.ends[i].q.val();
        }
        for i in 0..2 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
            self.bytes[i + 1].d.next = self.bytes[i].q.val();
            self.done_valid[i + 1].d.next = self.done_valid[i].q.val();
            self.done_flow[i + 1].d.next = self.done_flow[i].q.val();
            self.done[i + 1].d.next = self.done[i].q.val();
        }
        self.ram.read_address.next = self.flow[0].q.val();
        self.raw.d.next = self.ram.read_data.val();
        self.is_newest.next = self.valid[2].q.val() & (self.flow[1].q.val() == self.flow[2].q.val());
        self.is_second.next = self.done_valid[0].q.val() & (self.flow[1].q.val() == self.done_flow[0].q.val());
        self.is_third.next = self.done_valid[1].q.val() & (self.flow[1].q.val() == self.done_flow[1].q.val());
        self.from.d.next = bits::<2>(0);
        if self.is_newest.val() {
            self.from.d.next = bits::<2>(1);
        } else if self.is_second.val() {
            self.from.d.next = bits::<2>(2);
        } else if self.is_third.val() {
            self.from.d.next = bits::<2>(3);
        }
        self.account.next = self.raw.q.val();
        if self.from.q.val() == bits::<2>(1) {
            self.account.next = self.done[0].q.val();
        } else if self.from.q.val() == bits::<2>(2) {
            self.account.next = self.done[1].q.val();
        } else if self.from.q.val() == bits::<2>(3) {
            self.account.next = self.done[2].q.val();
        }
        self.sum.next = self.account.val().get_bits::<32>(0) + bit_cast::<32, 16>(self.bytes[2].q.val());
        self.packets.next = self.account.val().get_bits::<9>(32) + bits::<9>(1);
        self.last.next = self.bytes[2].q.val();
        self.voids.next = self.account.val().get_bits::<8>(64);
        if !self.bytes[2].q.val().any() {
            self.last.next = self.account.val().get_bits::<16>(41);
            self.voids.next = self.account.val().get_bits::<8>(64) + bits::<8>(1);
        }
        self.units.next = self.bytes[2].q.val().get_bits::<7>(9);
        self.largest_before.next = self.account.val().get_bits::<7>(57);
        self.largest.next = self.largest_before.val();
        if self.units.val() >= self.largest_before.val() {
            self.largest.next = self.units.val();
        } else if self.account.val().get_bits::<4>(32) == bits::<4>(15) {
            self.largest.next = self.largest_before.val() - bits::<7>(1);
        }
        self.done_valid[0].d.next = self.valid[2].q.val();
        self.done_flow[0].d.next = self.flow[2].q.val();
        self.done[0].d.next = (bit_cast::<72, 32>(self.sum.val()) | (bit_cast::<72, 9>(self.packets.val()) << 32))
            | (bit_cast::<72, 16>(self.last.val()) << 41)
            | ((bit_cast::<72, 7>(self.largest.val()) << 57) | (bit_cast::<72, 8>(self.voids.val()) << 64));
        // Zeros for the sweep: a register's reset is free where a choice in front of a RAM is not.
        if self.rst.val() | !self.is_swept.val() {
            self.done[0].d.next = bits::<72>(0);
        }
        // 4: write.
        self.ram.write_enable.next = self.done_valid[0].q.val();
        self.ram.write_address.next = self.done_flow[0].q.val();
        self.ram.write_data.next = self.done[0].q.val();
        if !self.is_swept.val() {
            self.ram.write_enable.next = true;
            self.ram.write_address.next = self.sweep.q.val().get_bits::<F>(0);
        }
        self.paid.valid.next = self.done_valid[0].q.val();
        self.paid.flow.next = self.done_flow[0].q.val();
        self.paid.word.next = self.done[0].q.val().get_bits::<64>(0);
        self.paid.voids.next = self.done[0].q.val().get_bits::<8>(64);
        self.paid.ends.next = self.ends[3].q.val();
        self.swept.next = self.is_swept.val();
        if self.rst.val() {
            self.sweep.d.next = bits::<S>(0);
            for i in 0..3 {
                self.valid[i].d.next = false;
                self.done_valid[i].d.next = false;
            }
            // So that they stay in flip-flops.
            self.bytes[1].d.next = bits::<16>(0);
            self.ends[1].d.next = false;
        }
    }
}
