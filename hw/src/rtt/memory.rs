//! The per-flow and per-segment RAMs of the RTT block, read by operations.
use super::blank;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;

/// Addressed at clock 0, read at 1, captured at 2: at every size, a block RAM or URAM has its own output register and a clock to itself
/// before anything looks at what it holds.
///
/// `slots` and `stamps` have `2^A` words; with `F` = 16 that is 256K of 144 bits, for which there is URAM. One writer each.
#[derive(LogicBlock)]
pub struct Memory<const F: usize, const S: usize, const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// The RAMs are being cleared.
    pub sweep: Signal<In, Bit>,
    /// Address that is cleared.
    pub sweep_at: Signal<In, Bits<A>>,
    /// Clock 0: flow of the operation.
    pub flow: Signal<In, Bits<F>>,
    /// Its segment.
    pub segment: Signal<In, Bits<32>>,
    /// Clock 2: bits 31..0 the segment after the last one sent, 55..32 the bytes sent.
    pub raw_sent: Signal<Out, Bits<56>>,
    /// Bits 31..0 the oldest segment outstanding, 55..32 the bytes released.
    pub raw_acked: Signal<Out, Bits<56>>,
    /// Bits 3..0 profile, 4 enable.
    pub raw_settings: Signal<Out, Bits<5>>,
    /// Bits 31..0 nonce, 63..32 opened, 87..64 bytes, 97..88 segment above the slot index, 98 valid.
    pub raw_slot: Signal<Out, Bits<99>>,
    /// Bits 39..0 stamp, 43..40 segment above the slot index, 44 valid.
    pub raw_stamp: Signal<Out, Bits<45>>,
    /// A flow's state is written.
    pub acked_valid: Signal<In, Bit>,
    /// The flow.
    pub acked_flow: Signal<In, Bits<F>>,
    /// Its state, as `raw_acked`.
    pub acked_state: Signal<In, Bits<56>>,
    /// A segment takes its slot; fields as those of `SentUnit`.
    pub slot_valid: Signal<In, Bit>,
    /// Its flow.
    pub slot_flow: Signal<In, Bits<F>>,
    /// The segment.
    pub slot_segment: Signal<In, Bits<32>>,
    /// The one after it.
    pub slot_next: Signal<In, Bits<32>>,
    /// Its nonce.
    pub slot_nonce: Signal<In, Bits<32>>,
    /// Bytes of the flow up to its end.
    pub slot_bytes: Signal<In, Bits<24>>,
    /// When it was sent, ns.
    pub slot_opened: Signal<In, Bits<32>>,
    /// A segment gets its stamp; fields as those of `DepartUnit`.
    pub stamp_valid: Signal<In, Bit>,
    /// Its flow.
    pub stamp_flow: Signal<In, Bits<F>>,
    /// The segment.
    pub stamp_segment: Signal<In, Bits<16>>,
    /// ns in Q.8.
    pub stamp: Signal<In, Bits<40>>,
    /// A flow is loaded.
    pub flow_valid: Signal<In, Bit>,
    /// Its index.
    pub flow_index: Signal<In, Bits<F>>,
    /// It is enabled.
    pub flow_enable: Signal<In, Bit>,
    /// Its profile.
    pub flow_profile: Signal<In, Bits<4>>,
    sent: RAM<Bits<56>, F>,
    // (Who reads what is written at the same clock takes it from who wrote it.)
    acked: ApartRam<Bits<56>, F>,
    settings: RAM<Bits<5>, F>,
    slots: RAM<Bits<99>, A>,
    stamps: RAM<Bits<45>, A>,
    sent_out: DFF<Bits<56>>,
    acked_out: DFF<Bits<56>>,
    settings_out: DFF<Bits<5>>,
    slot_out: DFF<Bits<99>>,
    stamp_out: DFF<Bits<45>>,
    slot_shift: Constant<Bits<6>>,
    slot_high: Signal<Local, Bits<32>>,
    stamp_high: Signal<Local, Bits<16>>,
}

impl<const F: usize, const S: usize, const A: usize> Default for Memory<F, S, A> {
    fn default() -> Self {
        assert_eq!(A, F + S, "a slot's address is flow and slot index");
        blank!(
            slot_shift = Constant::new(bits::<6>(S as u64)),
            ;
            clk sweep sweep_at flow segment raw_sent raw_acked raw_settings raw_slot raw_stamp acked_valid acked_flow acked_state slot_valid
            slot_flow slot_segment slot_next slot_nonce slot_bytes slot_opened stamp_valid stamp_flow stamp_segment stamp flow_valid flow_index
            flow_enable flow_profile sent acked settings slots stamps sent_out acked_out settings_out slot_out stamp_out slot_high stamp_high
        )
    }
}

impl<const F: usize, const S: usize, const A: usize> Logic for Memory<F, S, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sent_out, acked_out, settings_out, slot_out, stamp_out);
        self.sent.read_clock.next = self.clk.val();
        self.sent.write_clock.next = self.clk.val();
        self.acked.read_clock.next = self.clk.val();
        self.acked.write_clock.next = self.clk.val();
        self.settings.read_clock.next = self.clk.val();
        self.settings.write_clock.next = self.clk.val();
        self.slots.read_clock.next = self.clk.val();
        self.slots.write_clock.next = self.clk.val();
        self.stamps.read_clock.next = self.clk.val();
        self.stamps.write_clock.next = self.clk.val();
        // 0
        self.sent.read_address.next = self.flow.val();
        self.acked.read_address.next = self.flow.val();
        self.settings.read_address.next = self.flow.val();
        self.slots.read_address.next =
            (bit_cast::<A, F>(self.flow.val()) << self.slot_shift.val()) | bit_cast::<A, S>(self.segment.val().get_bits::<S>(0));
        self.stamps.read_address.next =
            (bit_cast::<A, F>(self.flow.val()) << self.slot_shift.val()) | bit_cast::<A, S>(self.segment.val().get_bits::<S>(0));
        // 1
        self.sent_out.d.next = self.sent.read_data.val();
        self.acked_out.d.next = self.acked.read_data.val();
        self.settings_out.d.next = self.settings.read_data.val();
        self.slot_out.d.next = self.slots.read_data.val();
        self.stamp_out.d.next = self.stamps.read_data.val();
        // 2
        self.raw_sent.next = self.sent_out.q.val();
        self.raw_acked.next = self.acked_out.q.val();
        self.raw_settings.next = self.settings_out.q.val();
        self.raw_slot.next = self.slot_out.q.val();
        self.raw_stamp.next = self.stamp_out.q.val();

        // Writes.
        self.acked.write_enable.next = self.acked_valid.val() | self.sweep.val();
        self.acked.write_address.next = self.acked_flow.val();
        self.acked.write_data.next = self.acked_state.val();
        self.sent.write_enable.next = self.slot_valid.val() | self.sweep.val();
        self.sent.write_address.next = self.slot_flow.val();
        self.sent.write_data.next = bit_cast::<56, 32>(self.slot_next.val()) | (bit_cast::<56, 24>(self.slot_bytes.val()) << 32);
        self.slot_high.next = self.slot_segment.val() >> self.slot_shift.val();
        self.slots.write_enable.next = self.slot_valid.val() | self.sweep.val();
        self.slots.write_address.next =
            (bit_cast::<A, F>(self.slot_flow.val()) << self.slot_shift.val()) | bit_cast::<A, S>(self.slot_segment.val().get_bits::<S>(0));
        self.slots.write_data.next = bit_cast::<99, 32>(self.slot_nonce.val())
            | (bit_cast::<99, 32>(self.slot_opened.val()) << 32)
            | (bit_cast::<99, 24>(self.slot_bytes.val()) << 64)
            | (bit_cast::<99, 10>(self.slot_high.val().get_bits::<10>(0)) << 88)
            | (bits::<99>(1) << 98);
        self.stamp_high.next = self.stamp_segment.val() >> self.slot_shift.val();
        self.stamps.write_enable.next = self.stamp_valid.val() | self.sweep.val();
        self.stamps.write_address.next = (bit_cast::<A, F>(self.stamp_flow.val()) << self.slot_shift.val())
            | bit_cast::<A, S>(self.stamp_segment.val().get_bits::<S>(0));
        self.stamps.write_data.next = bit_cast::<45, 40>(self.stamp.val())
            | (bit_cast::<45, 4>(self.stamp_high.val().get_bits::<4>(0)) << 40)
            | (bits::<45>(1) << 44);
        self.settings.write_enable.next = self.flow_valid.val() | self.sweep.val();
        self.settings.write_address.next = self.flow_index.val();
        self.settings.write_data.next = bit_cast::<5, 4>(self.flow_profile.val()) | (bit_cast::<5, 1>(self.flow_enable.val().into()) << 4);
        if self.sweep.val() {
            self.sent.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.sent.write_data.next = bits::<56>(0);
            self.acked.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.acked.write_data.next = bits::<56>(0);
            self.settings.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.settings.write_data.next = bits::<5>(0);
            self.slots.write_address.next = self.sweep_at.val();
            self.slots.write_data.next = bits::<99>(0);
            self.stamps.write_address.next = self.sweep_at.val();
            self.stamps.write_data.next = bits::<45>(0);
        }
    }
}
