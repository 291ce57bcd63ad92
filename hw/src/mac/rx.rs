//! The MAC's receiver.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::Crc;
use rust_hdl::prelude::*;
use timely_model::mac::{FCS, LEAST, MOST, PREAMBLE, RESIDUE, SFD};

// A kernel takes literals alone.
const _: () = assert!(PREAMBLE == 0x55 && SFD == 0xd5 && LEAST + FCS == 64 && MOST == 0x3fff && RESIDUE == 0xdebb_20e3);

/// Makes beats of 8 bytes out of GMII's bytes: frames without preamble and check sequence.
///
/// With a frame's last beat, `m_bad` says that its check sequence is wrong, that the PHY reported
/// an error in it, that it has less than 64 bytes with the sequence, or more than 16,383: then it
/// is cut. A frame of 4 bytes or less, or whose preamble is not one, makes no beat. `begun` turns
/// over 2 clocks after the end of a preamble was on the wire, for another clock to look at; a reset
/// leaves it as it is. `status` is what the PHY says between frames: bit 0 link, bits 2..1 speed (2
/// is Gigabit), bit 3 full duplex.
///
/// Latency: a frame's last beat 2 clocks after its last byte. Throughput: a byte a clock. No back
/// pressure. Model: `timely_model::mac::rx::Rx`.
#[derive(LogicBlock, Default)]
pub struct Rx {
    /// Clock, 125 MHz.
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// GMII: byte.
    pub gmii_d: Signal<In, Bits<8>>,
    pub gmii_dv: Signal<In, Bit>,
    pub gmii_er: Signal<In, Bit>,
    /// Beat: bytes in wire order, zeros behind the last.
    pub m_tdata: Signal<Out, Bits<64>>,
    pub m_tkeep: Signal<Out, Bits<8>>,
    pub m_tvalid: Signal<Out, Bit>,
    pub m_tlast: Signal<Out, Bit>,
    /// With the last beat: the frame is bad.
    pub m_bad: Signal<Out, Bit>,
    /// Turns over with each frame that begins.
    pub begun: Signal<Out, Bit>,
    /// In-band status from the PHY.
    pub status: Signal<Out, Bits<4>>,
    got: DFF<Bits<8>>,
    got_dv: DFF<Bit>,
    got_er: DFF<Bit>,
    /// In a frame.
    body: DFF<Bit>,
    /// Until the frame ends.
    skip: DFF<Bit>,
    /// The last four bytes.
    late: DFF<Bits<32>>,
    length: DFF<Bits<14>>,
    check: DFF<Bits<32>>,
    error: DFF<Bit>,
    word: DFF<Bits<64>>,
    /// Bytes of it, as ones.
    filled: DFF<Bits<8>>,
    valid: DFF<Bit>,
    data: DFF<Bits<64>>,
    keep: DFF<Bits<8>>,
    last: DFF<Bit>,
    bad: DFF<Bit>,
    turn: DFF<Bit>,
    said: DFF<Bits<4>>,
    crc: Crc,
    ends: Signal<Local, Bit>,
    residue: Signal<Local, Bits<32>>,
    wrong: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    old: Signal<Local, Bits<64>>,
    have: Signal<Local, Bits<8>>,
    oldest: Signal<Local, Bits<8>>,
    longer: Signal<Local, Bits<14>>,
}

impl Logic for Rx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, got, got_dv, got_er, body, skip, late, length, check, error, word, filled, valid, data, keep, last, bad, turn, said
        );
        self.got.d.next = self.gmii_d.val();
        self.got_dv.d.next = self.gmii_dv.val();
        self.got_er.d.next = self.gmii_er.val();
        self.valid.d.next = false;
        self.last.d.next = false;
        self.bad.d.next = false;
        self.data.d.next = self.word.q.val();
        self.keep.d.next = self.filled.q.val();
        self.ends.next = false;
        self.crc.register.next = self.check.q.val();
        self.crc.octet.next = self.got.q.val();
        self.longer.next = self.length.q.val() + bits::<14>(1);
        self.residue.next = 0xdebb_20e3_u64.into();
        self.wrong.next = (self.error.q.val() | (self.check.q.val() != self.residue.val())) | !self.length.q.val().get_bits::<8>(6).any();
        self.full.next = self.filled.q.val().all();
        self.oldest.next = self.late.q.val().get_bits::<8>(24);
        // The word with the oldest byte that is kept behind the bytes that it has.
        self.old.next = self.word.q.val();
        self.have.next = self.filled.q.val();
        if self.full.val() {
            self.old.next = bits::<64>(0);
            self.have.next = bits::<8>(0);
        }

        if self.body.q.val() & self.got_dv.q.val() {
            self.error.d.next = self.error.q.val() | self.got_er.q.val();
            if self.length.q.val().all() {
                self.ends.next = true;
                self.bad.d.next = true;
                self.skip.d.next = true;
            } else {
                if self.length.q.val().get_bits::<12>(2).any() {
                    self.valid.d.next = self.full.val();
                    self.filled.d.next = (self.have.val() << 1) | bits::<8>(1);
                    self.word.d.next = self.old.val() | bit_cast::<64, 8>(self.oldest.val());
                    if self.have.val().get_bit(0) {
                        self.word.d.next = self.old.val() | (bit_cast::<64, 8>(self.oldest.val()) << 8);
                    }
                    if self.have.val().get_bit(1) {
                        self.word.d.next = self.old.val() | (bit_cast::<64, 8>(self.oldest.val()) << 16);
                    }
                    if self.have.val().get_bit(2) {
                        self.word.d.next = self.old.val() | (bit_cast::<64, 8>(self.oldest.val()) << 24);
                    }
                    if self.have.val().get_bit(3) {
                        self.word.d.next = self.old.val() | (bit_cast::<64, 8>(self.oldest.val()) << 32);
                    }
                    if self.have.val().get_bit(4) {
                        self.word.d.next = self.old.val() | (bit_cast::<64, 8>(self.oldest.val()) << 40);
                    }
                    if self.have.val().get_bit(5) {
                        self.word.d.next = self.old.val() | (bit_cast::<64, 8>(self.oldest.val()) << 48);
                    }
                    if self.have.val().get_bit(6) {
                        self.word.d.next = self.old.val() | (bit_cast::<64, 8>(self.oldest.val()) << 56);
                    }
                }
                self.late.d.next = (self.late.q.val() << 8) | bit_cast::<32, 8>(self.got.q.val());
                self.check.d.next = self.crc.after.val();
                self.length.d.next = self.longer.val();
            }
        } else if self.body.q.val() {
            self.ends.next = true;
            self.bad.d.next = self.wrong.val();
        } else if self.skip.q.val() {
            self.skip.d.next = self.got_dv.q.val();
        } else if self.got_dv.q.val() {
            if (self.got.q.val() == bits::<8>(0xd5)) & !self.got_er.q.val() {
                self.body.d.next = true;
                self.turn.d.next = !self.turn.q.val();
                self.length.d.next = bits::<14>(0);
                self.check.d.next = 0xffff_ffff_u64.into();
                self.error.d.next = false;
            } else if (self.got.q.val() != bits::<8>(0x55)) | self.got_er.q.val() {
                self.skip.d.next = true;
            }
        } else if !self.got_er.q.val() & (self.got.q.val().get_bits::<4>(0) == self.got.q.val().get_bits::<4>(4)) {
            self.said.d.next = self.got.q.val().get_bits::<4>(0);
        }
        if self.ends.val() {
            self.body.d.next = false;
            self.valid.d.next = self.filled.q.val().any();
            self.last.d.next = true;
            self.filled.d.next = bits::<8>(0);
            self.word.d.next = bits::<64>(0);
        }
        self.m_tvalid.next = self.valid.q.val();
        self.m_tdata.next = self.data.q.val();
        self.m_tkeep.next = self.keep.q.val();
        self.m_tlast.next = self.last.q.val();
        self.m_bad.next = self.bad.q.val();
        self.begun.next = self.turn.q.val();
        self.status.next = self.said.q.val();
        if self.rst.val() {
            self.got.d.next = bits::<8>(0);
            self.got_dv.d.next = false;
            self.got_er.d.next = false;
            self.body.d.next = false;
            self.skip.d.next = false;
            self.filled.d.next = bits::<8>(0);
            self.word.d.next = bits::<64>(0);
            self.valid.d.next = false;
            self.said.d.next = bits::<4>(0);
        }
    }
}
