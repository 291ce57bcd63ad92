//! The MAC's sender.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::Crc;
use crate::bus::TaggedAxisIn;
use rust_hdl::prelude::*;
use timely_model::mac::{GAP, LEAD_IN, LEAST, PREAMBLE, SFD};

// A kernel takes literals alone.
const _: () = assert!(PREAMBLE == 0x55 && SFD == 0xd5 && LEAD_IN == 8 && LEAST == 60 && GAP == 12);

/// Sends frames of `s_*`, beats of 8 bytes, on GMII: preamble, the frame, zeros up to 60 bytes, the
/// check sequence, 12 bytes of silence.
///
/// All beats of a frame must follow one another: one that is not there when the byte before it
/// leaves breaks the frame off, `underrun` turns over, the check sequence is sent wrong with
/// `gmii_er`, and what still comes of the frame is dropped. `sent` turns over at the clock at which
/// the end of a frame's preamble is on the wire; `sent_tag` then has its tag and keeps it until the
/// next one's. Both are for another clock to look at, and a reset leaves them as they are.
///
/// Latency: the first byte of the preamble is on the wire 2 clocks after the first beat was taken,
/// if the wire was free. Throughput: a byte a clock, frames 12 clocks apart. Back pressure: a beat
/// waits beside the one that is being sent. Model: `timely_model::mac::tx::Tx`.
#[derive(LogicBlock, Default)]
pub struct Tx {
    /// Clock, 125 MHz.
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Frames.
    pub s: TaggedAxisIn<64, 8>,
    /// GMII: byte.
    pub gmii_d: Signal<Out, Bits<8>>,
    pub gmii_en: Signal<Out, Bit>,
    pub gmii_er: Signal<Out, Bit>,
    /// Turns over with each frame that begins.
    pub sent: Signal<Out, Bit>,
    /// The last such frame's tag.
    pub sent_tag: Signal<Out, Bits<16>>,
    /// Turns over with each frame that is broken off.
    pub underrun: Signal<Out, Bit>,
    held: DFF<Bit>,
    held_data: DFF<Bits<64>>,
    held_left: DFF<Bits<4>>,
    held_last: DFF<Bit>,
    held_tag: DFF<Bits<16>>,
    /// 0 idle, 1 preamble, 2 data, 3 zeros, 4 check sequence, 5 silence.
    state: DFF<Bits<3>>,
    /// Bytes of this state that were sent.
    count: DFF<Bits<4>>,
    word: DFF<Bits<64>>,
    left: DFF<Bits<4>>,
    last: DFF<Bit>,
    /// Bytes of the frame, up to 60.
    length: DFF<Bits<6>>,
    check: DFF<Bits<32>>,
    broken: DFF<Bit>,
    drain: DFF<Bit>,
    data: DFF<Bits<8>>,
    enable: DFF<Bit>,
    error: DFF<Bit>,
    turn: DFF<Bit>,
    tag: DFF<Bits<16>>,
    broke: DFF<Bit>,
    crc: Crc,
    take: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    /// A byte of the frame is sent.
    sends: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    longer: Signal<Local, Bits<6>>,
    counted: Signal<Local, Bits<4>>,
}

impl Logic for Tx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, held, held_data, held_left, held_last, held_tag, state, count, word, left, last);
        dff_setup!(self, clk, length, check, broken, drain, data, enable, error, turn, tag, broke);
        self.take.next = false;
        self.load.next = false;
        self.sends.next = false;
        self.data.d.next = bits::<8>(0);
        self.enable.d.next = false;
        self.error.d.next = false;
        self.counted.next = self.count.q.val() + bits::<4>(1);
        self.count.d.next = self.counted.val();
        // 60 bytes with the one that is sent now.
        self.longer.next = self.length.q.val() + bits::<6>(1);
        self.full.next = (self.length.q.val() == bits::<6>(60)) | (self.length.q.val() == bits::<6>(59));

        if self.drain.q.val() & ((self.state.q.val() == bits::<3>(0)) | (self.state.q.val() == bits::<3>(5))) {
            self.take.next = true;
            if self.held.q.val() & self.held_last.q.val() {
                self.drain.d.next = false;
            }
        }
        if self.state.q.val() == bits::<3>(0) {
            if self.held.q.val() & !self.drain.q.val() {
                self.state.d.next = bits::<3>(1);
                self.count.d.next = bits::<4>(0);
            }
        } else if self.state.q.val() == bits::<3>(1) {
            self.enable.d.next = true;
            self.data.d.next = bits::<8>(0x55);
            if self.count.q.val() == bits::<4>(7) {
                self.data.d.next = bits::<8>(0xd5);
                self.turn.d.next = !self.turn.q.val();
                self.tag.d.next = self.held_tag.q.val();
                self.load.next = true;
                self.length.d.next = bits::<6>(0);
                self.check.d.next = 0xffff_ffff_u64.into();
                self.broken.d.next = false;
                self.state.d.next = bits::<3>(2);
            }
        } else if self.state.q.val() == bits::<3>(2) {
            self.sends.next = true;
            if self.left.q.val() == bits::<4>(1) {
                self.count.d.next = bits::<4>(0);
                if self.last.q.val() {
                    if self.full.val() {
                        self.state.d.next = bits::<3>(4);
                    } else {
                        self.state.d.next = bits::<3>(3);
                    }
                } else if self.held.q.val() {
                    self.load.next = true;
                } else {
                    self.broke.d.next = !self.broke.q.val();
                    self.broken.d.next = true;
                    self.drain.d.next = true;
                    self.state.d.next = bits::<3>(4);
                }
            }
        } else if self.state.q.val() == bits::<3>(3) {
            self.sends.next = true;
            self.count.d.next = bits::<4>(0);
            if self.full.val() {
                self.state.d.next = bits::<3>(4);
            }
        } else if self.state.q.val() == bits::<3>(4) {
            self.enable.d.next = true;
            self.error.d.next = self.broken.q.val();
            self.data.d.next = !self.check.q.val().get_bits::<8>(0);
            if self.broken.q.val() {
                self.data.d.next = self.check.q.val().get_bits::<8>(0);
            }
            self.check.d.next = self.check.q.val() >> 8;
            if self.count.q.val() == bits::<4>(3) {
                self.count.d.next = bits::<4>(0);
                self.state.d.next = bits::<3>(5);
            }
        } else if self.count.q.val() == bits::<4>(10) {
            self.state.d.next = bits::<3>(0);
        }

        self.crc.register.next = self.check.q.val();
        self.crc.octet.next = self.word.q.val().get_bits::<8>(0);
        self.word.d.next = self.word.q.val() >> 8;
        self.left.d.next = self.left.q.val() - bits::<4>(1);
        if self.sends.val() {
            self.enable.d.next = true;
            self.data.d.next = self.word.q.val().get_bits::<8>(0);
            self.check.d.next = self.crc.after.val();
            if self.length.q.val() != bits::<6>(60) {
                self.length.d.next = self.longer.val();
            }
        }
        // Zeros follow a frame that is short.
        if self.last.q.val() & (self.left.q.val() == bits::<4>(1)) {
            self.word.d.next = bits::<64>(0);
        }
        if self.load.val() {
            self.word.d.next = self.held_data.q.val();
            self.left.d.next = self.held_left.q.val();
            self.last.d.next = self.held_last.q.val();
        }
        if self.take.val() | self.load.val() {
            self.held.d.next = false;
        }
        if self.s.tvalid.val() & !self.held.q.val() {
            self.held.d.next = true;
        }
        if !self.held.q.val() {
            self.held_data.d.next = self.s.tdata.val();
            self.held_last.d.next = self.s.tlast.val();
            self.held_tag.d.next = self.s.tag.val();
            self.held_left.d.next = bits::<4>(1);
            if self.s.tkeep.val().get_bit(1) {
                self.held_left.d.next = bits::<4>(2);
            }
            if self.s.tkeep.val().get_bit(2) {
                self.held_left.d.next = bits::<4>(3);
            }
            if self.s.tkeep.val().get_bit(3) {
                self.held_left.d.next = bits::<4>(4);
            }
            if self.s.tkeep.val().get_bit(4) {
                self.held_left.d.next = bits::<4>(5);
            }
            if self.s.tkeep.val().get_bit(5) {
                self.held_left.d.next = bits::<4>(6);
            }
            if self.s.tkeep.val().get_bit(6) {
                self.held_left.d.next = bits::<4>(7);
            }
            if self.s.tkeep.val().get_bit(7) {
                self.held_left.d.next = bits::<4>(8);
            }
        }
        self.s.tready.next = !self.held.q.val();
        self.gmii_d.next = self.data.q.val();
        self.gmii_en.next = self.enable.q.val();
        self.gmii_er.next = self.error.q.val();
        self.sent.next = self.turn.q.val();
        self.sent_tag.next = self.tag.q.val();
        self.underrun.next = self.broke.q.val();
        if self.rst.val() {
            self.held.d.next = false;
            self.state.d.next = bits::<3>(0);
            self.drain.d.next = false;
            self.data.d.next = bits::<8>(0);
            self.enable.d.next = false;
            self.error.d.next = false;
        }
    }
}
