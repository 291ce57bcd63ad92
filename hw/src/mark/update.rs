//! Logic of the stages.
use super::Mark;
use rust_hdl::prelude::*;

impl<const W: usize, const K: usize, const M: usize, const N: usize> Logic for Mark<W, K, M, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, index, valid1, last1, index1, keep1, vlan1, six, known, settled2, fields2, settled3, checks3, count);
        dff_setup!(self, clk, settled4, placed4, settled5, verdict5, write, read, released);
        dff_setup!(self, clk, out_index, out_valid, out_last, out_keep, out_data, out_side);
        for i in 0..9 {
            self.word1[i].clock.next = self.clk.val();
            self.word1[i].d.next = self.word1[i].q.val();
        }
        for i in 0..4 {
            self.leaves[i].clock.next = self.clk.val();
        }
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.verdicts.clock.next = self.clk.val();

        // Into the queue, and to stage 1.
        self.s.tready.next = self.queue.i_ready.val();
        self.taken.next = self.s.tvalid.val() & self.queue.i_ready.val();
        self.entry.next = (bit_cast::<N, W>(self.s.tdata.val()) | (bit_cast::<N, K>(self.s.tkeep.val()) << self.keep_at.val()))
            | ((bit_cast::<N, 1>(self.s.tlast.val().into()) << self.last_at.val())
                | (bit_cast::<N, M>(self.s.side.val()) << self.side_at.val()));
        self.queue.i_valid.next = self.s.tvalid.val();
        self.queue.i_data.next = self.entry.val();
        self.valid1.d.next = self.taken.val();
        if self.taken.val() {
            self.last1.d.next = self.s.tlast.val();
            self.index1.d.next = self.index.q.val();
            self.keep1.d.next = self.s.tkeep.val();
            if !self.index.q.val().all() {
                self.index.d.next = self.index.q.val() + bits::<4>(1);
            }
            if self.s.tlast.val() {
                self.index.d.next = bits::<4>(0);
            }
        }
        for i in 0..9 {
            if self.taken.val() & (self.index.q.val() == self.word_beat[i].val()) {
                self.word1[i].d.next = self.s.tdata.val().get_bits::<64>(self.word_lane[i].val().index());
            }
        }

        // To stage 2: bytes 8 to 79 are `head1`.
        self.head1.next = ((bit_cast::<576, 64>(self.word1[0].q.val()) | (bit_cast::<576, 64>(self.word1[1].q.val()) << 64))
            | ((bit_cast::<576, 64>(self.word1[2].q.val()) << 128) | (bit_cast::<576, 64>(self.word1[3].q.val()) << 192)))
            | (((bit_cast::<576, 64>(self.word1[4].q.val()) << 256) | (bit_cast::<576, 64>(self.word1[5].q.val()) << 320))
                | (((bit_cast::<576, 64>(self.word1[6].q.val()) << 384) | (bit_cast::<576, 64>(self.word1[7].q.val()) << 448))
                    | (bit_cast::<576, 64>(self.word1[8].q.val()) << 512)));
        self.vlan1.d.next = self.head1.val().get_bits::<16>(32) == self.vlan.val();
        self.kind1.next = self.head1.val().get_bits::<16>(32);
        if self.head1.val().get_bits::<16>(32) == self.vlan.val() {
            self.kind1.next = self.head1.val().get_bits::<16>(64);
        }
        self.six.d.next = self.kind1.val() == self.ipv6.val();
        self.known.d.next = (self.kind1.val() == self.ipv6.val()) | (self.kind1.val() == self.ipv4.val());
        self.class1.next = bit_cast::<2, 1>(self.vlan1.q.val().into()) | (bit_cast::<2, 1>(self.six.q.val().into()) << 1);
        self.end1.next = self.end_beat[0].val();
        self.there1.next = self.keep1.q.val().get_bit(self.end_lane[0].val().index());
        self.fields2.d.next.first = self.head1.val().get_bits::<8>(48);
        self.fields2.d.next.fragment = self.head1.val().get_bits::<16>(96);
        self.fields2.d.next.protocol = self.head1.val().get_bits::<8>(120);
        self.fields2.d.next.destination = self.head1.val().get_bits::<16>(224);
        self.fields2.d.next.checksum = self.head1.val().get_bits::<16>(256);
        self.fields2.d.next.version = self.head1.val().get_bits::<8>(272);
        self.fields2.d.next.flags = self.head1.val().get_bits::<8>(280);
        self.fields2.d.next.place = self.head1.val().get_bits::<16>(304);
        self.fields2.d.next.flow = self.head1.val().get_bits::<16>(320);
        if self.class1.val() == bits::<2>(1) {
            self.end1.next = self.end_beat[1].val();
            self.there1.next = self.keep1.q.val().get_bit(self.end_lane[1].val().index());
            self.fields2.d.next.first = self.head1.val().get_bits::<8>(80);
            self.fields2.d.next.fragment = self.head1.val().get_bits::<16>(128);
            self.fields2.d.next.protocol = self.head1.val().get_bits::<8>(152);
            self.fields2.d.next.destination = self.head1.val().get_bits::<16>(256);
            self.fields2.d.next.checksum = self.head1.val().get_bits::<16>(288);
            self.fields2.d.next.version = self.head1.val().get_bits::<8>(304);
            self.fields2.d.next.flags = self.head1.val().get_bits::<8>(312);
            self.fields2.d.next.place = self.head1.val().get_bits::<16>(336);
            self.fields2.d.next.flow = self.head1.val().get_bits::<16>(352);
        }
        if self.class1.val() == bits::<2>(2) {
            self.end1.next = self.end_beat[2].val();
            self.there1.next = self.keep1.q.val().get_bit(self.end_lane[2].val().index());
            self.fields2.d.next.first = self.head1.val().get_bits::<8>(48);
            self.fields2.d.next.fragment = bits::<16>(0);
            self.fields2.d.next.protocol = self.head1.val().get_bits::<8>(96);
            self.fields2.d.next.destination = self.head1.val().get_bits::<16>(384);
            self.fields2.d.next.checksum = self.head1.val().get_bits::<16>(416);
            self.fields2.d.next.version = self.head1.val().get_bits::<8>(432);
            self.fields2.d.next.flags = self.head1.val().get_bits::<8>(440);
            self.fields2.d.next.place = self.head1.val().get_bits::<16>(464);
            self.fields2.d.next.flow = self.head1.val().get_bits::<16>(480);
        }
        if self.class1.val() == bits::<2>(3) {
            self.end1.next = self.end_beat[3].val();
            self.there1.next = self.keep1.q.val().get_bit(self.end_lane[3].val().index());
            self.fields2.d.next.first = self.head1.val().get_bits::<8>(80);
            self.fields2.d.next.fragment = bits::<16>(0);
            self.fields2.d.next.protocol = self.head1.val().get_bits::<8>(128);
            self.fields2.d.next.destination = self.head1.val().get_bits::<16>(416);
            self.fields2.d.next.checksum = self.head1.val().get_bits::<16>(448);
            self.fields2.d.next.version = self.head1.val().get_bits::<8>(464);
            self.fields2.d.next.flags = self.head1.val().get_bits::<8>(472);
            self.fields2.d.next.place = self.head1.val().get_bits::<16>(496);
            self.fields2.d.next.flow = self.head1.val().get_bits::<16>(512);
        }
        // A packet is settled once: with its header's last byte, or its own if that comes before.
        self.at_end1.next = self.index1.q.val() == self.end1.val();
        self.settled2.d.next = self.valid1.q.val() & (self.at_end1.val() | (self.last1.q.val() & (self.index1.q.val() < self.end1.val())));
        self.fields2.d.next.whole = self.at_end1.val() & self.there1.val();
        self.fields2.d.next.known = self.known.q.val();
        self.fields2.d.next.class = self.class1.val();
        self.leaves1.next = bits::<3>(0);
        if self.valid1.q.val() {
            if self.index1.q.val() >= self.ahead.val() {
                self.leaves1.next = bits::<3>(1);
                if self.last1.q.val() {
                    self.leaves1.next = self.ahead.val().get_bits::<3>(0) + bits::<3>(1);
                }
            } else if self.last1.q.val() {
                self.leaves1.next = self.index1.q.val().get_bits::<3>(0) + bits::<3>(1);
            }
        }
        self.leaves[0].d.next = self.leaves1.val();
        for i in 0..3 {
            self.leaves[i + 1].d.next = self.leaves[i].q.val();
        }

        // To stage 3.
        self.port.next = (self.cfg_udp_port.val() >> 8) | (self.cfg_udp_port.val() << 8);
        self.settled3.d.next = self.settled2.q.val();
        self.checks3.d.next.class = self.fields2.q.val().class;
        self.checks3.d.next.whole = self.fields2.q.val().whole & self.fields2.q.val().known;
        self.checks3.d.next.ip =
            (self.fields2.q.val().first == self.plain.val()) & !(self.fields2.q.val().fragment & self.fragmented.val()).any();
        self.class2.next = self.fields2.q.val().class;
        if self.class2.val().get_bit(1) {
            self.checks3.d.next.ip = (self.fields2.q.val().first & bits::<8>(0xf0)) == bits::<8>(0x60);
        }
        self.checks3.d.next.transport = ((self.fields2.q.val().protocol == self.protocol.val())
            & (self.fields2.q.val().destination == self.port.val()))
            & self.port.val().any();
        self.checks3.d.next.header = (self.fields2.q.val().version == self.version.val())
            & ((self.fields2.q.val().flags & self.judged_flags.val()) == self.wanted_flags.val());
        self.flow2.next = (self.fields2.q.val().flow >> 8) | (self.fields2.q.val().flow << 8);
        self.checks3.d.next.flow = !(self.flow2.val() & self.beyond_flows.val()).any();
        self.checks3.d.next.unsummed = !self.fields2.q.val().checksum.any() & !self.class2.val().get_bit(1);
        self.old_checksum.next = !self.fields2.q.val().checksum;
        self.old_place.next = !self.fields2.q.val().place;
        self.checks3.d.next.sum = bit_cast::<17, 16>(self.old_checksum.val()) + bit_cast::<17, 16>(self.old_place.val());

        // To stage 4: sums of ones' complement are the same whichever way the bytes of all words
        // stand.
        self.holds3.next = (self.settled3.q.val() & (self.checks3.q.val().whole & self.checks3.q.val().ip))
            & ((self.checks3.q.val().transport & self.checks3.q.val().header) & self.checks3.q.val().flow);
        self.place3.next = self.base.val() | self.count.q.val();
        self.swapped3.next = (self.place3.val() >> 8) | (self.place3.val() << 8);
        self.old3.next = self.checks3.q.val().sum;
        self.sum3.next = bit_cast::<17, 16>(self.old3.val().get_bits::<16>(0)) + bit_cast::<17, 16>(self.swapped3.val());
        self.carry3.next = bit_cast::<17, 1>(self.old3.val().get_bits::<1>(16));
        self.next_count.next = self.count.q.val() + bits::<16>(1);
        if self.holds3.val() {
            self.count.d.next = self.next_count.val() & self.counted.val();
        }
        self.settled4.d.next = self.settled3.q.val();
        self.placed4.d.next.class = self.checks3.q.val().class;
        self.placed4.d.next.write = self.holds3.val();
        self.placed4.d.next.unsummed = self.checks3.q.val().unsummed;
        self.placed4.d.next.place = self.swapped3.val();
        self.placed4.d.next.sum = self.sum3.val() + self.carry3.val();

        // To stage 5: the last carry comes round, and the sum's two zeros, both 0 when
        // complemented, stand for 0xffff.
        self.total4.next = self.placed4.q.val().sum;
        self.high4.next = bit_cast::<16, 1>(self.total4.val().get_bits::<1>(16));
        self.low4.next = self.total4.val().get_bits::<16>(0);
        self.folded4.next = self.low4.val() + self.high4.val();
        self.settled5.d.next = self.settled4.q.val();
        self.verdict5.d.next.class = self.placed4.q.val().class;
        self.verdict5.d.next.write = self.placed4.q.val().write;
        self.verdict5.d.next.place = self.placed4.q.val().place;
        self.verdict5.d.next.checksum = !self.folded4.val();
        if (self.low4.val().all() & !self.high4.val().any())
            | ((self.low4.val().get_bits::<15>(1).all() & !self.low4.val().get_bit(0)) & self.high4.val().any())
        {
            self.verdict5.d.next.checksum = bits::<16>(0xffff);
        }
        if self.placed4.q.val().unsummed {
            self.verdict5.d.next.checksum = bits::<16>(0);
        }
        self.marked.next = self.settled5.q.val() & self.verdict5.q.val().write;
        self.marked_place.next = (self.verdict5.q.val().place >> 8) | (self.verdict5.q.val().place << 8);

        // Verdicts wait for their packets' last beats, of which there are 17 at most.
        self.verdicts.write_enable.next = self.settled5.q.val();
        self.verdicts.write_address.next = self.write.q.val();
        self.verdicts.write_data.next = self.verdict5.q.val();
        if self.settled5.q.val() {
            self.write.d.next = self.write.q.val() + bits::<5>(1);
        }

        // Out of the queue.
        self.head_entry.next = self.queue.o_data.val();
        self.head_last.next = self.head_entry.val().get_bit(self.last_at.val().index());
        self.free.next = !self.out_valid.q.val() | self.m.tready.val();
        self.pop.next = (self.queue.o_valid.val() & self.released.q.val().any()) & self.free.val();
        self.queue.o_ready.next = self.released.q.val().any() & self.free.val();
        self.released.d.next = self.released.q.val() + bit_cast::<6, 3>(self.leaves[3].q.val());
        if self.pop.val() {
            self.released.d.next = (self.released.q.val() + bit_cast::<6, 3>(self.leaves[3].q.val())) - bits::<6>(1);
        }
        self.verdicts.read_address.next = self.read.q.val();
        self.verdict.next = self.verdicts.read_data.val();
        self.writes.next = self.verdict.val().write & (self.read.q.val() != self.write.q.val());
        self.bytes.next = self.head_entry.val().get_bits::<W>(0);
        for i in 0..4 {
            if (self.writes.val() & (self.verdict.val().class == self.number[i].val()))
                & (self.out_index.q.val() == self.checksum_beat[i].val())
            {
                self.bytes.next = (self.bytes.val() & self.checksum_mask[i].val())
                    | (bit_cast::<W, 16>(self.verdict.val().checksum) << self.checksum_shift[i].val());
            }
            if (self.writes.val() & (self.verdict.val().class == self.number[i].val()))
                & (self.out_index.q.val() == self.place_beat[i].val())
            {
                self.bytes.next = (self.bytes.val() & self.place_mask[i].val())
                    | (bit_cast::<W, 16>(self.verdict.val().place) << self.place_shift[i].val());
            }
        }
        if self.free.val() {
            self.out_valid.d.next = self.queue.o_valid.val() & self.released.q.val().any();
            self.out_data.d.next = self.bytes.val();
            self.out_keep.d.next = self.head_entry.val().get_bits::<K>(self.keep_at.val().index());
            self.out_last.d.next = self.head_last.val();
            self.out_side.d.next = self.head_entry.val().get_bits::<M>(self.side_at.val().index());
        }
        if self.pop.val() {
            if !self.out_index.q.val().all() {
                self.out_index.d.next = self.out_index.q.val() + bits::<4>(1);
            }
            if self.head_last.val() {
                self.out_index.d.next = bits::<4>(0);
                self.read.d.next = self.read.q.val() + bits::<5>(1);
            }
        }
        self.m.tdata.next = self.out_data.q.val();
        self.m.tkeep.next = self.out_keep.q.val();
        self.m.tvalid.next = self.out_valid.q.val();
        self.m.tlast.next = self.out_last.q.val();
        self.m.side.next = self.out_side.q.val();
        if self.rst.val() {
            self.index.d.next = bits::<4>(0);
            self.valid1.d.next = false;
            self.settled2.d.next = false;
            self.settled3.d.next = false;
            self.settled4.d.next = false;
            self.settled5.d.next = false;
            self.count.d.next = bits::<16>(0);
            self.write.d.next = bits::<5>(0);
            self.read.d.next = bits::<5>(0);
            self.released.d.next = bits::<6>(0);
            self.out_index.d.next = bits::<4>(0);
            self.out_valid.d.next = false;
            for i in 0..4 {
                self.leaves[i].d.next = bits::<3>(0);
            }
        }
    }
}
