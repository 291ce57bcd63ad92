//! State of each flow and words of each profile for the pass: RAMs with one reader, the pass, and
//! one writer each.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::{Config, FlowState, Paid, Post};
use crate::bus::{FlowTraitsIn, ProfileWriteIn};
use crate::constant::{Fixed, OneHot};
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_model::pacer::pass::OVERHEAD;
use timely_regs::profile;

/// The RAMs of `2^F` flows; `S` must be `F + 1`.
///
/// The words of `flow` show in registers 2 clocks later, its profile's words 3 clocks later. Writes
/// are always taken once `swept`; a read sees those of earlier clocks (a load or a profile's word:
/// of the clock before the last). Until `swept`, `state_word`, `post_word`, `paid_word` and
/// `paid_voids` must be 0: they are what the sweep writes.
#[derive(LogicBlock, Default)]
pub struct Memory<const F: usize, const S: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Flow to read.
    pub flow: Signal<In, Bits<F>>,
    /// A state is written.
    pub state_write: Signal<In, Bit>,
    pub state_flow: Signal<In, Bits<F>>,
    pub state_word: Signal<In, FlowState>,
    /// A word of the doorbell unit.
    pub post_valid: Signal<In, Bit>,
    pub post_flow: Signal<In, Bits<F>>,
    pub post_word: Signal<In, Bits<49>>,
    /// An account of the charge unit.
    pub paid_valid: Signal<In, Bit>,
    pub paid_flow: Signal<In, Bits<F>>,
    pub paid_word: Signal<In, Bits<64>>,
    pub paid_voids: Signal<In, Bits<8>>,
    pub paid_ends: Signal<In, Bit>,
    /// Loads of flows.
    pub fl: FlowTraitsIn<F>,
    /// The profile bus.
    pub pw: ProfileWriteIn,
    /// A rate.
    pub rate_valid: Signal<In, Bit>,
    pub rate_flow: Signal<In, Bits<F>>,
    /// 2^-12 Mb/s; clamped to 30 bits.
    pub rate_value: Signal<In, Bits<32>>,
    /// The flow's state.
    pub state: Signal<Out, FlowState>,
    /// Packets posted and bytes released.
    pub post: Signal<Out, Post>,
    /// Packets and bytes charged.
    pub paid: Signal<Out, Paid>,
    /// Charges without a packet.
    pub voids: Signal<Out, Bits<8>>,
    /// Bytes charged when a packet last ended its segment.
    pub ended: Signal<Out, Bits<32>>,
    /// Rate of the flow.
    pub rate: Signal<Out, Bits<30>>,
    /// Priority of the flow.
    pub pfc: Signal<Out, Bits<3>>,
    /// Wire bytes of the flow's packets as its record says.
    pub size: Signal<Out, Bits<16>>,
    /// Outstanding bound of the flow's profile, bytes; 3 clocks after `flow`, like the next three.
    pub bound: Signal<Out, Bits<30>>,
    /// Idle time of the flow's profile, ns.
    pub idle: Signal<Out, Bits<31>>,
    /// Token cap of the flow's profile, bytes.
    pub cap: Signal<Out, Bits<20>>,
    /// Slack from which its profile's flows count as limited, ns.
    pub window: Signal<Out, Bits<24>>,
    /// The RAMs are clear.
    pub swept: Signal<Out, Bit>,
    // In widths that fill block RAMs of 2 bits by 2^14 words as well as those of 9 by 2^12, which
    // would have a choice behind them.
    state_ram: [ApartRam<Bits<48>, F>; 4],
    state_ram_192: ApartRam<Bits<32>, F>,
    state_ram_224: ApartRam<Bits<18>, F>,
    post_ram: RAM<Bits<32>, F>,
    post_ram_32: RAM<Bits<17>, F>,
    paid_ram: RAM<Bits<54>, F>,
    paid_ram_54: RAM<Bits<18>, F>,
    ended_ram: RAM<Bits<32>, F>,
    rate_ram: RAM<Bits<30>, F>,
    config_ram: RAM<Config, F>,
    /// Of 512 words, of which 16 are used, so that they are block RAM.
    bound_ram: RAM<Bits<30>, 9>,
    idle_ram: RAM<Bits<31>, 9>,
    cap_ram: RAM<Bits<20>, 9>,
    window_ram: RAM<Bits<24>, 9>,
    state_raw: [DFF<Bits<48>>; 4],
    state_raw_192: DFF<Bits<32>>,
    state_raw_224: DFF<Bits<18>>,
    post_raw: DFF<Bits<32>>,
    post_raw_32: DFF<Bits<17>>,
    paid_raw: DFF<Bits<54>>,
    paid_raw_54: DFF<Bits<18>>,
    ended_raw: DFF<Bits<32>>,
    rate_raw: DFF<Bits<30>>,
    config_raw: DFF<Config>,
    load: DFF<Bit>,
    load_flow: DFF<Bits<F>>,
    load_config: DFF<Config>,
    pw_write: DFF<Bit>,
    pw_to: DFF<Bits<9>>,
    pw_word_data: DFF<Bits<32>>,
    pw_index: Signal<Local, Bits<5>>,
    // Words as the RAMs cut them.
    written: Signal<Local, Bits<242>>,
    read: Signal<Local, Bits<242>>,
    read_post: Signal<Local, Bits<49>>,
    read_paid: Signal<Local, Bits<64>>,
    sweep: DFF<Bits<S>>,
    sweep_end: OneHot<S, F>,
    is_swept: Signal<Local, Bit>,
    address: Signal<Local, Bits<F>>,
    state_address: Signal<Local, Bits<F>>,
    post_address: Signal<Local, Bits<F>>,
    paid_address: Signal<Local, Bits<F>>,
    headers: Signal<Local, Bits<16>>,
    length: Signal<Local, Bits<16>>,
    overhead: Fixed<16, { OVERHEAD as u64 }>,
    bound_word: Fixed<5, { profile::OUTSTANDING.word as u64 }>,
    idle_word: Fixed<5, { profile::IDLE_NS.word as u64 }>,
    cap_word: Fixed<5, { profile::TOKEN_CAP.word as u64 }>,
    window_word: Fixed<5, { profile::USE_WINDOW.word as u64 }>,
}

/// The kernel below takes the fields by their bits.
const _: () = {
    assert!(profile::OUTSTANDING.low == 0 && profile::OUTSTANDING.high == 29);
    assert!(profile::IDLE_NS.low == 0 && profile::IDLE_NS.high == 30);
    assert!(profile::TOKEN_CAP.low == 0 && profile::TOKEN_CAP.high == 19);
    assert!(profile::USE_WINDOW.low == 0 && profile::USE_WINDOW.high == 23);
};

impl<const F: usize, const S: usize> Logic for Memory<F, S> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            state_raw_192,
            state_raw_224,
            post_raw,
            post_raw_32,
            paid_raw,
            paid_raw_54,
            ended_raw,
            rate_raw,
            config_raw,
            load,
            load_flow,
            load_config,
            pw_write,
            pw_to,
            pw_word_data,
            sweep
        );
        for i in 0..4 {
            self.state_ram[i].read_clock.next = self.clk.val();
            self.state_ram[i].write_clock.next = self.clk.val();
            self.state_raw[i].clock.next = self.clk.val();
        }
        self.state_ram_192.read_clock.next = self.clk.val();
        self.state_ram_192.write_clock.next = self.clk.val();
        self.state_ram_224.read_clock.next = self.clk.val();
        self.state_ram_224.write_clock.next = self.clk.val();
        self.post_ram_32.read_clock.next = self.clk.val();
        self.post_ram_32.write_clock.next = self.clk.val();
        self.paid_ram_54.read_clock.next = self.clk.val();
        self.paid_ram_54.write_clock.next = self.clk.val();
        self.ended_ram.read_clock.next = self.clk.val();
        self.ended_ram.write_clock.next = self.clk.val();
        self.post_ram.read_clock.next = self.clk.val();
        self.post_ram.write_clock.next = self.clk.val();
        self.paid_ram.read_clock.next = self.clk.val();
        self.paid_ram.write_clock.next = self.clk.val();
        self.rate_ram.read_clock.next = self.clk.val();
        self.rate_ram.write_clock.next = self.clk.val();
        self.config_ram.read_clock.next = self.clk.val();
        self.config_ram.write_clock.next = self.clk.val();
        self.bound_ram.read_clock.next = self.clk.val();
        self.bound_ram.write_clock.next = self.clk.val();
        self.idle_ram.read_clock.next = self.clk.val();
        self.idle_ram.write_clock.next = self.clk.val();
        self.cap_ram.read_clock.next = self.clk.val();
        self.cap_ram.write_clock.next = self.clk.val();
        self.window_ram.read_clock.next = self.clk.val();
        self.window_ram.write_clock.next = self.clk.val();
        self.is_swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        if !self.is_swept.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<S>(1);
        }

        for i in 0..4 {
            self.state_ram[i].read_address.next = self.flow.val();
            self.state_raw[i].d.next = self.state_ram[i].read_data.val();
        }
        self.state_ram_192.read_address.next = self.flow.val();
        self.state_ram_224.read_address.next = self.flow.val();
        self.post_ram_32.read_address.next = self.flow.val();
        self.paid_ram_54.read_address.next = self.flow.val();
        self.ended_ram.read_address.next = self.flow.val();
        self.post_ram.read_address.next = self.flow.val();
        self.paid_ram.read_address.next = self.flow.val();
        self.rate_ram.read_address.next = self.flow.val();
        self.config_ram.read_address.next = self.flow.val();
        self.state_raw_192.d.next = self.state_ram_192.read_data.val();
        self.state_raw_224.d.next = self.state_ram_224.read_data.val();
        self.post_raw_32.d.next = self.post_ram_32.read_data.val();
        self.paid_raw_54.d.next = self.paid_ram_54.read_data.val();
        self.ended_raw.d.next = self.ended_ram.read_data.val();
        self.post_raw.d.next = self.post_ram.read_data.val();
        self.paid_raw.d.next = self.paid_ram.read_data.val();
        self.rate_raw.d.next = self.rate_ram.read_data.val();
        self.config_raw.d.next = self.config_ram.read_data.val();
        self.bound_ram.read_address.next = bit_cast::<9, 4>(self.config_raw.q.val().profile);
        self.idle_ram.read_address.next = bit_cast::<9, 4>(self.config_raw.q.val().profile);
        self.cap_ram.read_address.next = bit_cast::<9, 4>(self.config_raw.q.val().profile);
        self.window_ram.read_address.next = bit_cast::<9, 4>(self.config_raw.q.val().profile);

        // A record becomes profile, priority and wire bytes a packet: those of IPv4 without a tag,
        // and what is more.
        self.load.d.next = self.fl.valid.val() & self.is_swept.val();
        self.load_flow.d.next = self.fl.flow.val();
        self.headers.next = self.overhead.val();
        if self.fl.ipv6.val() & self.fl.vlan.val() {
            self.headers.next = self.overhead.val() + bits::<16>(24);
        } else if self.fl.ipv6.val() {
            self.headers.next = self.overhead.val() + bits::<16>(20);
        } else if self.fl.vlan.val() {
            self.headers.next = self.overhead.val() + bits::<16>(4);
        }
        self.length.next = bit_cast::<16, 14>(self.fl.payload.val()) + self.headers.val();
        self.load_config.d.next.profile = self.fl.profile.val();
        self.load_config.d.next.priority = self.fl.priority.val();
        self.load_config.d.next.size = self.length.val();

        self.state_address.next = self.state_flow.val();
        self.post_address.next = self.post_flow.val();
        self.paid_address.next = self.paid_flow.val();
        self.address.next = self.sweep.q.val().get_bits::<F>(0);
        if !self.is_swept.val() {
            self.state_address.next = self.address.val();
            self.post_address.next = self.address.val();
            self.paid_address.next = self.address.val();
        }
        self.written.next = self.state_word.val().into();
        for i in 0..4 {
            self.state_ram[i].write_enable.next = self.state_write.val() | !self.is_swept.val();
            self.state_ram[i].write_address.next = self.state_address.val();
            self.state_ram[i].write_data.next = self.written.val().get_bits::<48>(48 * i);
        }
        self.state_ram_192.write_enable.next = self.state_write.val() | !self.is_swept.val();
        self.state_ram_192.write_address.next = self.state_address.val();
        self.state_ram_192.write_data.next = self.written.val().get_bits::<32>(192);
        self.state_ram_224.write_enable.next = self.state_write.val() | !self.is_swept.val();
        self.state_ram_224.write_address.next = self.state_address.val();
        self.state_ram_224.write_data.next = self.written.val().get_bits::<18>(224);
        self.post_ram.write_enable.next = self.post_valid.val() | !self.is_swept.val();
        self.post_ram.write_address.next = self.post_address.val();
        self.post_ram.write_data.next = self.post_word.val().get_bits::<32>(0);
        self.post_ram_32.write_enable.next = self.post_valid.val() | !self.is_swept.val();
        self.post_ram_32.write_address.next = self.post_address.val();
        self.post_ram_32.write_data.next = self.post_word.val().get_bits::<17>(32);
        self.paid_ram.write_enable.next = self.paid_valid.val() | !self.is_swept.val();
        self.paid_ram.write_address.next = self.paid_address.val();
        self.paid_ram.write_data.next = self.paid_word.val().get_bits::<54>(0);
        self.paid_ram_54.write_enable.next = self.paid_valid.val() | !self.is_swept.val();
        self.paid_ram_54.write_address.next = self.paid_address.val();
        self.paid_ram_54.write_data.next =
            bit_cast::<18, 10>(self.paid_word.val().get_bits::<10>(54)) | (bit_cast::<18, 8>(self.paid_voids.val()) << 10);
        self.ended_ram.write_enable.next = (self.paid_valid.val() & self.paid_ends.val()) | !self.is_swept.val();
        self.ended_ram.write_address.next = self.paid_address.val();
        self.ended_ram.write_data.next = self.paid_word.val().get_bits::<32>(0);
        self.rate_ram.write_enable.next = self.rate_valid.val();
        self.rate_ram.write_address.next = self.rate_flow.val();
        self.rate_ram.write_data.next = self.rate_value.val().get_bits::<30>(0);
        if self.rate_value.val().get_bits::<2>(30).any() {
            self.rate_ram.write_data.next = bits::<30>(1073741823);
        }
        self.config_ram.write_enable.next = self.load.q.val();
        self.config_ram.write_address.next = self.load_flow.q.val();
        self.config_ram.write_data.next = self.load_config.q.val();
        // A profile's word.
        self.pw_write.d.next = self.pw.valid.val() & self.is_swept.val();
        self.pw_to.d.next = bit_cast::<9, 5>(self.pw.word.val()) | (bit_cast::<9, 4>(self.pw.profile.val()) << 5);
        self.pw_word_data.d.next = self.pw.data.val();
        self.pw_index.next = self.pw_to.q.val().get_bits::<5>(0);
        self.bound_ram.write_enable.next = self.pw_write.q.val() & (self.pw_index.val() == self.bound_word.val());
        self.bound_ram.write_address.next = bit_cast::<9, 4>(self.pw_to.q.val().get_bits::<4>(5));
        self.bound_ram.write_data.next = self.pw_word_data.q.val().get_bits::<30>(0);
        self.idle_ram.write_enable.next = self.pw_write.q.val() & (self.pw_index.val() == self.idle_word.val());
        self.idle_ram.write_address.next = bit_cast::<9, 4>(self.pw_to.q.val().get_bits::<4>(5));
        self.idle_ram.write_data.next = self.pw_word_data.q.val().get_bits::<31>(0);
        self.cap_ram.write_enable.next = self.pw_write.q.val() & (self.pw_index.val() == self.cap_word.val());
        self.cap_ram.write_address.next = bit_cast::<9, 4>(self.pw_to.q.val().get_bits::<4>(5));
        self.cap_ram.write_data.next = self.pw_word_data.q.val().get_bits::<20>(0);
        self.window_ram.write_enable.next = self.pw_write.q.val() & (self.pw_index.val() == self.window_word.val());
        self.window_ram.write_address.next = bit_cast::<9, 4>(self.pw_to.q.val().get_bits::<4>(5));
        self.window_ram.write_data.next = self.pw_word_data.q.val().get_bits::<24>(0);
        if !self.is_swept.val() {
            self.rate_ram.write_enable.next = true;
            self.rate_ram.write_address.next = self.address.val();
            self.rate_ram.write_data.next = bits::<30>(0);
            self.config_ram.write_enable.next = true;
            self.config_ram.write_address.next = self.address.val();
            self.bound_ram.write_enable.next = true;
            self.bound_ram.write_address.next = bit_cast::<9, 4>(self.address.val().get_bits::<4>(0));
            self.idle_ram.write_enable.next = true;
            self.idle_ram.write_address.next = bit_cast::<9, 4>(self.address.val().get_bits::<4>(0));
            self.cap_ram.write_enable.next = true;
            self.cap_ram.write_address.next = bit_cast::<9, 4>(self.address.val().get_bits::<4>(0));
            self.window_ram.write_enable.next = true;
            self.window_ram.write_address.next = bit_cast::<9, 4>(self.address.val().get_bits::<4>(0));
        }

        // A register's reset is free where a choice in front of a RAM is not.
        if self.rst.val() | !self.is_swept.val() {
            self.load_config.d.next = bits::<23>(0).into();
            self.pw_word_data.d.next = bits::<32>(0);
        }
        self.read.next = ((bit_cast::<242, 48>(self.state_raw[0].q.val()) | (bit_cast::<242, 48>(self.state_raw[1].q.val()) << 48))
            | ((bit_cast::<242, 48>(self.state_raw[2].q.val()) << 96) | (bit_cast::<242, 48>(self.state_raw[3].q.val()) << 144)))
            | ((bit_cast::<242, 32>(self.state_raw_192.q.val()) << 192) | (bit_cast::<242, 18>(self.state_raw_224.q.val()) << 224));
        self.state.next = self.read.val().into();
        self.read_post.next = bit_cast::<49, 32>(self.post_raw.q.val()) | (bit_cast::<49, 17>(self.post_raw_32.q.val()) << 32);
        self.post.next = self.read_post.val().into();
        self.read_paid.next =
            bit_cast::<64, 54>(self.paid_raw.q.val()) | (bit_cast::<64, 10>(self.paid_raw_54.q.val().get_bits::<10>(0)) << 54);
        self.paid.next = self.read_paid.val().into();
        self.voids.next = self.paid_raw_54.q.val().get_bits::<8>(10);
        self.ended.next = self.ended_raw.q.val();
        self.rate.next = self.rate_raw.q.val();
        self.pfc.next = self.config_raw.q.val().priority;
        self.size.next = self.config_raw.q.val().size;
        self.bound.next = self.bound_ram.read_data.val();
        self.idle.next = self.idle_ram.read_data.val();
        self.cap.next = self.cap_ram.read_data.val();
        self.window.next = self.window_ram.read_data.val();
        self.swept.next = self.is_swept.val();
        if self.rst.val() {
            self.sweep.d.next = bits::<S>(0);
            self.load.d.next = false;
            self.pw_write.d.next = false;
        }
    }
}
