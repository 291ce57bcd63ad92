//! Answers the last packet of a segment, without asking anyone.
use crate::construct::construct;
use crate::fifo::HeldFifo;
use crate::frame::Frame;
use rust_hdl::prelude::*;
use timely_regs::counters::Counter;
use timely_regs::wire::VERSION;

/// Turns the parser's reports of last data packets into ACK frames for a bus of `W` bits (`K` must be `W / 8`).
///
/// An ACK goes back where the packet came from (addresses and ports swapped, same VLAN tag, same IP version) and repeats the
/// packet's ids; it adds TTL and ECN bits as received, the arrival stamp, and as departure stamp `now` at the clock at which it
/// enters the frame builder. It has the packet's headers and no payload, so it is never longer than what it answers.
///
/// Not answered: an ACK, whatever its kind says; a packet to a MAC that is not exactly `cfg_mac`, or from or to a group address
/// (MAC with the group bit, IPv4 from 224.0.0.0 on, IPv6 `ff00::/8`), which counts as `AckRefusedAddress`; a source address with
/// `source & mask != allow` (`AckRefusedPeer`); one that finds 32 waiting (`AckDroppedFull`). `AcksSent` counts an ACK when its
/// first beat is offered.
///
/// Latency: 11 clocks from `i_valid` to the first beat on an idle output; the departure stamp is taken 6 clocks before that beat.
/// Throughput: a report every clock goes in; frames leave back to back. Back pressure: ACKs wait in the builder (8), then in the
/// queue (32 and 2); reports are never held up.
/// Model: `timely_model::ack::Ack`.
#[derive(LogicBlock)]
pub struct Ack<const W: usize, const K: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Answers are wanted at all.
    pub cfg_ack_enable: Signal<In, Bit>,
    /// Our MAC, byte 0 in the low bits.
    pub cfg_mac: Signal<In, Bits<48>>,
    /// TOS or traffic class of ACKs.
    pub cfg_ack_tos: Signal<In, Bits<8>>,
    /// TTL or hop limit of ACKs.
    pub cfg_ack_ttl: Signal<In, Bits<8>>,
    /// What a peer's IPv4 address must be under the mask, byte 0 in the low bits.
    pub cfg_allow4: Signal<In, Bits<32>>,
    /// The bits of it that count.
    pub cfg_mask4: Signal<In, Bits<32>>,
    /// What a peer's IPv6 address must be under the mask, byte 0 in the low bits.
    pub cfg_allow6: Signal<In, Bits<128>>,
    /// The bits of it that count.
    pub cfg_mask6: Signal<In, Bits<128>>,
    /// Time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// A frame was parsed.
    pub i_valid: Signal<In, Bit>,
    /// Its kind; 1 is data.
    pub i_kind: Signal<In, Bits<2>>,
    /// Bit 0 VLAN tag, bit 1 IPv6.
    pub i_class: Signal<In, Bits<2>>,
    /// Its first 66 bytes.
    pub i_head: Signal<In, Bits<528>>,
    /// Our header.
    pub i_hdr: Signal<In, Bits<384>>,
    /// Its bytes. Not looked at: no frame of ours is shorter than its ACK.
    pub i_len: Signal<In, Bits<16>>,
    /// Stamp of its start, ns48.fns16.
    pub i_ts: Signal<In, Bits<64>>,
    /// Bytes of the beat in wire order.
    pub m_tdata: Signal<Out, Bits<W>>,
    /// Bytes of the beat that are there.
    pub m_tkeep: Signal<Out, Bits<K>>,
    /// A beat stands there.
    pub m_tvalid: Signal<Out, Bit>,
    /// The beat is taken.
    pub m_tready: Signal<In, Bit>,
    /// It is its frame's last.
    pub m_tlast: Signal<Out, Bit>,
    /// Counted events, by `timely_regs::counters`.
    pub pulses: Signal<Out, Bits<32>>,
    sent_bit: Constant<Bits<32>>,
    peer_bit: Constant<Bits<32>>,
    address_bit: Constant<Bits<32>>,
    full_bit: Constant<Bits<32>>,
    /// The first byte of our header; the parser knows no other.
    version: Constant<Bits<8>>,
    // What an ACK is made of, from bit 0: source address 128, destination address 128, our header from the flags to the TTL as sent 192,
    // source MAC 48, arrival stamp 64, source port 16, destination port 16, TCI 16, TTL 8, ECN bits 2, class 2. All in wire order.
    // In block RAM: 620 bits in LUTs take an area whose ends are too far from each other.
    queue: HeldFifo<620, 5, 6>,
    frame: Frame<W, K, 1>,
    stamp: Signal<Local, Bits<64>>,
    v1: DFF<Bit>,
    mine1: DFF<Bit>,
    group1: DFF<Bit>,
    r1: DFF<Bits<620>>,
    peer4: Signal<Local, Bits<32>>,
    peer6: Signal<Local, Bits<128>>,
    allowed: Signal<Local, Bit>,
    v2: DFF<Bit>,
    r2: DFF<Bits<620>>,
    address2: DFF<Bit>,
    peer2: DFF<Bit>,
    full3: DFF<Bit>,
    a: Signal<Local, Bits<620>>,
    departure: Signal<Local, Bits<64>>,
    flags: Signal<Local, Bits<8>>,
}

impl<const W: usize, const K: usize> Default for Ack<W, K> {
    fn default() -> Self {
        let bit = |c: Counter| Constant::new(bits::<32>(1 << c as u64));
        construct!({
            sent_bit: bit(Counter::AcksSent),
            peer_bit: bit(Counter::AckRefusedPeer),
            address_bit: bit(Counter::AckRefusedAddress),
            full_bit: bit(Counter::AckDroppedFull),
            version: Constant::new(bits::<8>(VERSION.into())),
        }
            clk, rst, cfg_ack_enable, cfg_mac, cfg_ack_tos, cfg_ack_ttl, cfg_allow4, cfg_mask4, cfg_allow6, cfg_mask6, now, i_valid, i_kind,
            i_class, i_head, i_hdr, i_len, i_ts, m_tdata, m_tkeep, m_tvalid, m_tready, m_tlast, pulses, queue, frame, stamp, v1,
            mine1, group1, r1, peer4, peer6, allowed, v2, r2, address2, peer2, full3, a, departure, flags)
    }
}

impl<const W: usize, const K: usize> Logic for Ack<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, v1, mine1, group1, r1, v2, r2, address2, peer2, full3);
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.frame.clk.next = self.clk.val();
        self.frame.rst.next = self.rst.val();

        // 0: what stands where, by class. Flags: 2 LAST, 4 ACK.
        self.v1.d.next = self.i_valid.val()
            & self.cfg_ack_enable.val()
            & (self.i_kind.val() == bits::<2>(1))
            & self.i_hdr.val().get_bit(9)
            & !self.i_hdr.val().get_bit(10);
        self.mine1.d.next = self.i_head.val().get_bits::<48>(0) == self.cfg_mac.val();
        self.stamp.next = bit_cast::<64, 8>(self.i_ts.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.i_ts.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.i_ts.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.i_ts.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.i_ts.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.i_ts.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.i_ts.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.i_ts.val().get_bits::<8>(0)) << 56);
        if self.i_valid.val() {
            match self.i_class.val().index() {
                0 => {
                    self.r1.d.next = bit_cast::<620, 32>(self.i_head.val().get_bits::<32>(208))
                        | (bit_cast::<620, 32>(self.i_head.val().get_bits::<32>(240)) << 128)
                        | (bit_cast::<620, 192>(self.i_hdr.val().get_bits::<192>(8)) << 256)
                        | (bit_cast::<620, 48>(self.i_head.val().get_bits::<48>(48)) << 448)
                        | (bit_cast::<620, 64>(self.stamp.val()) << 496)
                        | (bit_cast::<620, 32>(self.i_head.val().get_bits::<32>(272)) << 560)
                        | (bit_cast::<620, 16>(self.i_head.val().get_bits::<16>(112)) << 592)
                        | (bit_cast::<620, 8>(self.i_head.val().get_bits::<8>(176)) << 608)
                        | (bit_cast::<620, 2>(self.i_head.val().get_bits::<2>(120)) << 616)
                        | (bit_cast::<620, 2>(self.i_class.val()) << 618);
                    self.group1.d.next = self.i_head.val().get_bit(0)
                        | self.i_head.val().get_bit(48)
                        | self.i_head.val().get_bits::<3>(213).all()
                        | self.i_head.val().get_bits::<3>(245).all();
                }
                1 => {
                    self.r1.d.next = bit_cast::<620, 32>(self.i_head.val().get_bits::<32>(240))
                        | (bit_cast::<620, 32>(self.i_head.val().get_bits::<32>(272)) << 128)
                        | (bit_cast::<620, 192>(self.i_hdr.val().get_bits::<192>(8)) << 256)
                        | (bit_cast::<620, 48>(self.i_head.val().get_bits::<48>(48)) << 448)
                        | (bit_cast::<620, 64>(self.stamp.val()) << 496)
                        | (bit_cast::<620, 32>(self.i_head.val().get_bits::<32>(304)) << 560)
                        | (bit_cast::<620, 16>(self.i_head.val().get_bits::<16>(112)) << 592)
                        | (bit_cast::<620, 8>(self.i_head.val().get_bits::<8>(208)) << 608)
                        | (bit_cast::<620, 2>(self.i_head.val().get_bits::<2>(152)) << 616)
                        | (bit_cast::<620, 2>(self.i_class.val()) << 618);
                    self.group1.d.next = self.i_head.val().get_bit(0)
                        | self.i_head.val().get_bit(48)
                        | self.i_head.val().get_bits::<3>(245).all()
                        | self.i_head.val().get_bits::<3>(277).all();
                }
                2 => {
                    self.r1.d.next = bit_cast::<620, 128>(self.i_head.val().get_bits::<128>(176))
                        | (bit_cast::<620, 128>(self.i_head.val().get_bits::<128>(304)) << 128)
                        | (bit_cast::<620, 192>(self.i_hdr.val().get_bits::<192>(8)) << 256)
                        | (bit_cast::<620, 48>(self.i_head.val().get_bits::<48>(48)) << 448)
                        | (bit_cast::<620, 64>(self.stamp.val()) << 496)
                        | (bit_cast::<620, 32>(self.i_head.val().get_bits::<32>(432)) << 560)
                        | (bit_cast::<620, 16>(self.i_head.val().get_bits::<16>(112)) << 592)
                        | (bit_cast::<620, 8>(self.i_head.val().get_bits::<8>(168)) << 608)
                        | (bit_cast::<620, 2>(self.i_head.val().get_bits::<2>(124)) << 616)
                        | (bit_cast::<620, 2>(self.i_class.val()) << 618);
                    self.group1.d.next = self.i_head.val().get_bit(0)
                        | self.i_head.val().get_bit(48)
                        | self.i_head.val().get_bits::<8>(176).all()
                        | self.i_head.val().get_bits::<8>(304).all();
                }
                _ => {
                    self.r1.d.next = bit_cast::<620, 128>(self.i_head.val().get_bits::<128>(208))
                        | (bit_cast::<620, 128>(self.i_head.val().get_bits::<128>(336)) << 128)
                        | (bit_cast::<620, 192>(self.i_hdr.val().get_bits::<192>(8)) << 256)
                        | (bit_cast::<620, 48>(self.i_head.val().get_bits::<48>(48)) << 448)
                        | (bit_cast::<620, 64>(self.stamp.val()) << 496)
                        | (bit_cast::<620, 32>(self.i_head.val().get_bits::<32>(464)) << 560)
                        | (bit_cast::<620, 16>(self.i_head.val().get_bits::<16>(112)) << 592)
                        | (bit_cast::<620, 8>(self.i_head.val().get_bits::<8>(200)) << 608)
                        | (bit_cast::<620, 2>(self.i_head.val().get_bits::<2>(156)) << 616)
                        | (bit_cast::<620, 2>(self.i_class.val()) << 618);
                    self.group1.d.next = self.i_head.val().get_bit(0)
                        | self.i_head.val().get_bit(48)
                        | self.i_head.val().get_bits::<8>(208).all()
                        | self.i_head.val().get_bits::<8>(336).all();
                }
            }
        }

        // 1: may it be answered? The address speaks before the peer does.
        self.peer4.next = self.r1.q.val().get_bits::<32>(0) & self.cfg_mask4.val();
        self.peer6.next = self.r1.q.val().get_bits::<128>(0) & self.cfg_mask6.val();
        if self.r1.q.val().get_bit(619) {
            self.allowed.next = self.peer6.val() == self.cfg_allow6.val();
        } else {
            self.allowed.next = self.peer4.val() == self.cfg_allow4.val();
        }
        self.r2.d.next = self.r1.q.val();
        self.v2.d.next = self.v1.q.val() & self.mine1.q.val() & !self.group1.q.val() & self.allowed.val();
        self.address2.d.next = self.v1.q.val() & (!self.mine1.q.val() | self.group1.q.val());
        self.peer2.d.next = self.v1.q.val() & self.mine1.q.val() & !self.group1.q.val() & !self.allowed.val();

        // 2: into the queue; and from its end into the builder.
        self.queue.i_valid.next = self.v2.q.val();
        self.queue.i_data.next = self.r2.q.val();
        self.full3.d.next = self.v2.q.val() & !self.queue.i_ready.val();
        self.queue.o_ready.next = self.frame.i_ready.val();
        self.frame.i_valid.next = self.queue.o_valid.val();
        self.a.next = self.queue.o_data.val();
        self.frame.i_class.next = self.a.val().get_bits::<2>(618);
        self.frame.i_dst_mac.next = self.a.val().get_bits::<48>(448);
        self.frame.i_src_mac.next = self.cfg_mac.val();
        self.frame.i_vlan.next =
            (bit_cast::<16, 8>(self.a.val().get_bits::<8>(592)) << 8) | bit_cast::<16, 8>(self.a.val().get_bits::<8>(600));
        self.frame.i_tos.next = self.cfg_ack_tos.val();
        self.frame.i_ttl.next = self.cfg_ack_ttl.val();
        self.frame.i_src_ip.next = self.a.val().get_bits::<128>(128);
        self.frame.i_dst_ip.next = self.a.val().get_bits::<128>(0);
        self.frame.i_src_port.next =
            (bit_cast::<16, 8>(self.a.val().get_bits::<8>(576)) << 8) | bit_cast::<16, 8>(self.a.val().get_bits::<8>(584));
        self.frame.i_dst_port.next =
            (bit_cast::<16, 8>(self.a.val().get_bits::<8>(560)) << 8) | bit_cast::<16, 8>(self.a.val().get_bits::<8>(568));
        self.departure.next = bit_cast::<64, 8>(self.now.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.now.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.now.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.now.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.now.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.now.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.now.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.now.val().get_bits::<8>(0)) << 56);
        // FIRST and READ as they came; ACK and LAST.
        self.flags.next = (self.a.val().get_bits::<8>(256) & bits::<8>(9)) | bits::<8>(6);
        self.frame.i_hdr.next = bit_cast::<384, 8>(self.version.val())
            | (bit_cast::<384, 8>(self.flags.val()) << 8)
            | (bit_cast::<384, 184>(self.a.val().get_bits::<184>(264)) << 16)
            | (bit_cast::<384, 8>(self.a.val().get_bits::<8>(608)) << 200)
            | (bit_cast::<384, 2>(self.a.val().get_bits::<2>(616)) << 208)
            | (bit_cast::<384, 64>(self.a.val().get_bits::<64>(496)) << 224)
            | (bit_cast::<384, 64>(self.departure.val()) << 288);
        self.frame.i_payload.next = bits::<14>(0);
        self.frame.i_side.next = bits::<1>(0);

        self.m_tdata.next = self.frame.m_tdata.val();
        self.m_tkeep.next = self.frame.m_tkeep.val();
        self.m_tvalid.next = self.frame.m_tvalid.val();
        self.m_tlast.next = self.frame.m_tlast.val();
        self.frame.m_tready.next = self.m_tready.val();
        self.pulses.next = bits::<32>(0);
        if self.frame.m_start.val() {
            self.pulses.next = self.sent_bit.val();
        }
        if self.peer2.q.val() {
            self.pulses.next = self.pulses.val() | self.peer_bit.val();
        }
        if self.address2.q.val() {
            self.pulses.next = self.pulses.val() | self.address_bit.val();
        }
        if self.full3.q.val() {
            self.pulses.next = self.pulses.val() | self.full_bit.val();
        }
        if self.rst.val() {
            self.v1.d.next = false;
            self.v2.d.next = false;
            self.address2.d.next = false;
            self.peer2.d.next = false;
            self.full3.d.next = false;
        }
    }
}
