//! Logic of the stages.
use super::Judge;
use rust_hdl::prelude::*;

impl Logic for Judge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, port1, end2, head2, stamp2, bad2, port2, listening2, vlan2, outer4, outer6, inner4, inner6);
        dff_setup!(self, clk, end3, head3, stamp3, bad3, known3, class3, first3, fragment3, protocol3, length3, udp3);
        dff_setup!(self, clk, hits3, place3);
        dff_setup!(self, clk, end4, head4, hdr4, stamp4, class4, marked4, bytes4, counted4, ours4, port_end4, whole4, plain4);
        dff_setup!(self, clk, promised4, room4, left4, udp4);
        dff_setup!(self, clk, end5, head5, hdr5, stamp5, class5, bytes5, marked5, ours5, whole5, plain5, cut5, fits5);
        dff_setup!(self, clk, spoken5, answer5, end6, head6, hdr6, stamp6, class6, bytes6, verdict6);
        self.port1.d.next = (self.cfg_udp_port.val() >> 8) | (self.cfg_udp_port.val() << 8);
        self.sum.clk.next = self.clk.val();
        self.sum.words.next = self.head.val().get_bits::<192>(112);
        self.sum.has_tag.next = self.vlan2.q.val();
        // To t + 2: EtherTypes with and without a tag.
        self.end2.d.next = self.ended.val();
        self.head2.d.next = self.head.val();
        self.stamp2.d.next = self.stamp.val();
        self.bad2.d.next = self.bad.val();
        self.port2.d.next = self.port1.q.val();
        self.listening2.d.next = self.port1.q.val().any();
        self.vlan2.d.next = self.head.val().get_bits::<16>(96) == self.vlan.val();
        self.outer4.d.next = self.head.val().get_bits::<16>(96) == self.ipv4.val();
        self.outer6.d.next = self.head.val().get_bits::<16>(96) == self.ipv6.val();
        self.inner4.d.next = self.head.val().get_bits::<16>(128) == self.ipv4.val();
        self.inner6.d.next = self.head.val().get_bits::<16>(128) == self.ipv6.val();
        // To t + 3: the class, and with it the fields that decide; where the ports are.
        self.end3.d.next = self.end2.q.val();
        self.head3.d.next = self.head2.q.val();
        self.stamp3.d.next = self.stamp2.q.val();
        self.bad3.d.next = self.bad2.q.val();
        self.is6.next = (self.vlan2.q.val() & self.inner6.q.val()) | (!self.vlan2.q.val() & self.outer6.q.val());
        self.known3.d.next = self.listening2.q.val()
            & ((self.vlan2.q.val() & (self.inner4.q.val() | self.inner6.q.val()))
                | (!self.vlan2.q.val() & (self.outer4.q.val() | self.outer6.q.val())));
        self.class2.next = bit_cast::<2, 1>(self.vlan2.q.val().into()) | (bit_cast::<2, 1>(self.is6.val().into()) << 1);
        self.class3.d.next = self.class2.val();
        self.length2.next = self.head2.q.val().get_bits::<16>(128);
        self.udp2.next = self.head2.q.val().get_bits::<16>(304);
        self.first3.d.next = self.head2.q.val().get_bits::<8>(112);
        self.protocol3.d.next = self.head2.q.val().get_bits::<8>(184);
        match self.class2.val().index() {
            1 => {
                self.length2.next = self.head2.q.val().get_bits::<16>(160);
                self.udp2.next = self.head2.q.val().get_bits::<16>(336);
                self.first3.d.next = self.head2.q.val().get_bits::<8>(144);
                self.protocol3.d.next = self.head2.q.val().get_bits::<8>(216);
            }
            2 => {
                self.length2.next = self.head2.q.val().get_bits::<16>(144);
                self.udp2.next = self.head2.q.val().get_bits::<16>(464);
                self.protocol3.d.next = self.head2.q.val().get_bits::<8>(160);
            }
            3 => {
                self.length2.next = self.head2.q.val().get_bits::<16>(176);
                self.udp2.next = self.head2.q.val().get_bits::<16>(496);
                self.first3.d.next = self.head2.q.val().get_bits::<8>(144);
                self.protocol3.d.next = self.head2.q.val().get_bits::<8>(192);
            }
            _ => {}
        }
        self.length3.d.next = (self.length2.val() >> 8) | (self.length2.val() << 8);
        self.udp3.d.next = (self.udp2.val() >> 8) | (self.udp2.val() << 8);
        self.fragment3.d.next = self.head2.q.val().get_bits::<16>(160);
        self.words2.next = self.head2.q.val().get_bits::<4>(112);
        if self.vlan2.q.val() {
            self.fragment3.d.next = self.head2.q.val().get_bits::<16>(192);
            self.words2.next = self.head2.q.val().get_bits::<4>(144);
        }
        self.skip2.next = bits::<4>(0);
        if self.is6.val() {
            self.skip2.next = bits::<4>(5);
        } else {
            if self.words2.val() > bits::<4>(5) {
                self.skip2.next = self.words2.val() - bits::<4>(5);
            }
        }
        self.place3.d.next = self.skip2.val() + bit_cast::<4, 1>(self.vlan2.q.val().into());
        self.hits.next = bits::<16>(0);
        for i in 0..12 {
            self.same[i].next = (self.head2.q.val().get_bits::<16>(272 + i * 32) == self.port2.q.val())
                | (self.head2.q.val().get_bits::<16>(288 + i * 32) == self.port2.q.val());
            self.hits.next = self.hits.val().replace_bit(i, self.same[i].val());
        }
        self.hits3.d.next = self.hits.val();
        // To t + 4: what needs one comparison or one sum; our header.
        self.end4.d.next = self.end3.q.val();
        self.head4.d.next = self.head3.q.val().get_bits::<528>(0);
        self.stamp4.d.next = self.stamp3.q.val();
        self.class4.d.next = self.class3.q.val();
        self.counted4.d.next = !self.broken.val() & !self.bytes.val().get_bit(16);
        self.marked4.d.next = self.bad3.q.val() | self.broken.val() | self.bytes.val().get_bit(16);
        self.bytes4.d.next = self.bytes.val();
        match self.class3.q.val().index() {
            0 => {
                self.hdr4.d.next = self.head3.q.val().get_bits::<384>(336);
                self.front3.next = self.front[0].val();
                self.whole3.next = self.whole[0].val();
            }
            1 => {
                self.hdr4.d.next = self.head3.q.val().get_bits::<384>(368);
                self.front3.next = self.front[1].val();
                self.whole3.next = self.whole[1].val();
            }
            2 => {
                self.hdr4.d.next = self.head3.q.val().get_bits::<384>(496);
                self.front3.next = self.front[2].val();
                self.whole3.next = self.whole[2].val();
            }
            _ => {
                self.hdr4.d.next = self.head3.q.val().get_bits::<384>(528);
                self.front3.next = self.front[3].val();
                self.whole3.next = self.whole[3].val();
            }
        }
        self.ours4.d.next =
            self.known3.q.val() & self.hits3.q.val().get_bit(self.place3.q.val().index()) & (self.protocol3.q.val() == self.protocol.val());
        if self.class3.q.val().get_bit(1) {
            self.plain4.d.next = self.first3.q.val().get_bits::<4>(4) == bits::<4>(6);
            self.least3.next = self.least6.val();
            self.inside3.next = bits::<16>(0);
        } else {
            self.plain4.d.next = (self.first3.q.val() == self.plain.val()) & !self.fragment3.q.val().get_bit(5);
            self.least3.next = self.least4.val();
            self.inside3.next = self.inside4.val();
            if self.fragment3.q.val().get_bits::<5>(0).any() | self.fragment3.q.val().get_bits::<8>(8).any() {
                self.ours4.d.next = false;
            }
        }
        self.port_end4.d.next = (bit_cast::<7, 4>(self.place3.q.val()) << 2) + bits::<7>(38);
        self.whole4.d.next = self.bytes.val() >= self.whole3.val();
        self.promised4.d.next = bit_cast::<17, 16>(self.length3.q.val()) + self.front3.val();
        self.room4.d.next = self.length3.q.val() >= self.least3.val();
        self.left4.d.next = self.length3.q.val() - self.inside3.val();
        self.udp4.d.next = self.udp3.q.val();
        // To t + 5: what needs the second; version and flags.
        self.end5.d.next = self.end4.q.val();
        self.head5.d.next = self.head4.q.val();
        self.hdr5.d.next = self.hdr4.q.val();
        self.stamp5.d.next = self.stamp4.q.val();
        self.class5.d.next = self.class4.q.val();
        self.bytes5.d.next = bits::<16>(0);
        if self.counted4.q.val() {
            self.bytes5.d.next = self.bytes4.q.val().get_bits::<16>(0);
        }
        self.marked5.d.next = self.marked4.q.val();
        self.ours5.d.next = self.ours4.q.val() & (self.bytes4.q.val() >= bit_cast::<17, 7>(self.port_end4.q.val()));
        self.whole5.d.next = self.whole4.q.val();
        self.plain5.d.next = self.plain4.q.val();
        self.cut5.d.next = self.bytes4.q.val() < self.promised4.q.val();
        self.fits5.d.next = self.room4.q.val() & (self.udp4.q.val() == self.left4.q.val());
        self.flags4.next = self.hdr4.q.val().get_bits::<8>(8);
        self.spoken5.d.next = (self.hdr4.q.val().get_bits::<8>(0) == self.version.val())
            & !(self.flags4.val() & self.undefined.val()).any()
            & ((self.flags4.val() & self.answer.val()) != self.lone_ack.val());
        self.answer5.d.next = (self.flags4.val() & self.lone_ack.val()).any();
        // To t + 6: the verdict.
        self.end6.d.next = self.end5.q.val();
        self.head6.d.next = self.head5.q.val();
        self.hdr6.d.next = self.hdr5.q.val();
        self.stamp6.d.next = self.stamp5.q.val();
        self.class6.d.next = self.class5.q.val();
        self.bytes6.d.next = self.bytes5.q.val();
        if self.answer5.q.val() {
            self.verdict6.d.next = self.ack.val();
        } else {
            self.verdict6.d.next = self.data.val();
        }
        if !self.spoken5.q.val() {
            self.verdict6.d.next = self.bad_header.val();
        }
        if !self.fits5.q.val() {
            self.verdict6.d.next = self.bad_ip.val();
        }
        if self.cut5.q.val() {
            self.verdict6.d.next = self.truncated.val();
        }
        if !self.plain5.q.val() | (!self.class5.q.val().get_bit(1) & !self.sum.o_good.val()) {
            self.verdict6.d.next = self.bad_ip.val();
        }
        if !self.whole5.q.val() {
            self.verdict6.d.next = self.truncated.val();
        }
        if !self.ours5.q.val() {
            self.verdict6.d.next = self.foreign.val();
        }
        if self.marked5.q.val() {
            self.verdict6.d.next = self.marked.val();
        }
        if !self.end5.q.val() | self.rst.val() {
            self.verdict6.d.next = self.none.val();
        }
        if self.rst.val() {
            self.end2.d.next = false;
            self.end3.d.next = false;
            self.end4.d.next = false;
            self.end5.d.next = false;
            self.end6.d.next = false;
        }
        self.o.valid.next = self.end6.q.val();
        self.o.kind.next = self.verdict6.q.val().kind;
        self.o_reason.next = self.verdict6.q.val().reason;
        self.pulses.next = self.verdict6.q.val().pulses;
        self.o.class.next = self.class6.q.val();
        self.o.head.next = self.head6.q.val();
        self.o.hdr.next = self.hdr6.q.val();
        self.o.len.next = self.bytes6.q.val();
        self.o.ts.next = self.stamp6.q.val();
    }
}
