//! Registers over a serial line, for boards without a bus to a host.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::serial::PATIENCE;
use timely_regs::serial::{ANSWER, ANSWER_BYTES, READ, REFUSED, REQUEST, REQUEST_BYTES, WRITE};

// A kernel takes literals alone.
const _: () = assert!(REQUEST == 0x54 && ANSWER == 0x74 && READ == 0 && WRITE == 1 && REFUSED == 0x80 && PATIENCE == 1 << 16);
const _: () = assert!(REQUEST_BYTES == 10 && ANSWER_BYTES == 7);

/// Takes requests from a serial line to an AXI-Lite slave, one at a time (`timely_regs::serial`).
///
/// Latency: a request is made 1 clock after the middle of its last byte's stop bit, its answer
/// begins 3 clocks after the slave's. No back pressure: what comes on the line while a request is
/// being answered is not heard. Model: `timely_model::serial::Serial`.
#[derive(LogicBlock, Default)]
pub struct Serial {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The line from the host, of any clock; idle is 1.
    pub rx: Signal<In, Bit>,
    /// The line to the host.
    pub tx: Signal<Out, Bit>,
    /// AXI-Lite: write address.
    pub m_axil_awaddr: Signal<Out, Bits<24>>,
    pub m_axil_awvalid: Signal<Out, Bit>,
    pub m_axil_awready: Signal<In, Bit>,
    pub m_axil_wdata: Signal<Out, Bits<32>>,
    pub m_axil_wvalid: Signal<Out, Bit>,
    pub m_axil_wready: Signal<In, Bit>,
    /// AXI-Lite: write answer; always taken.
    pub m_axil_bresp: Signal<In, Bits<2>>,
    pub m_axil_bvalid: Signal<In, Bit>,
    pub m_axil_araddr: Signal<Out, Bits<24>>,
    pub m_axil_arvalid: Signal<Out, Bit>,
    pub m_axil_arready: Signal<In, Bit>,
    /// AXI-Lite: read data; always taken.
    pub m_axil_rdata: Signal<In, Bits<32>>,
    pub m_axil_rresp: Signal<In, Bits<2>>,
    pub m_axil_rvalid: Signal<In, Bit>,
    /// Clocks a bit, less one.
    whole: Const<Bits<16>>,
    /// Half of the clocks a bit.
    half: Const<Bits<16>>,
    /// The line before, inverted, so that it is idle when registers are 0.
    low_1: DFF<Bit>,
    low: DFF<Bit>,
    hearing: DFF<Bit>,
    until_look: DFF<Bits<16>>,
    /// Bits of a byte that were looked at.
    heard: DFF<Bits<4>>,
    shift: DFF<Bits<8>>,
    /// The registers are asked.
    asks: DFF<Bit>,
    /// The answer goes out.
    tells: DFF<Bit>,
    /// Bytes of the request or the answer that are done.
    index: DFF<Bits<4>>,
    silent: DFF<Bits<16>>,
    request: DFF<Bits<64>>,
    check: DFF<Bits<8>>,
    aw: DFF<Bit>,
    w: DFF<Bit>,
    ar: DFF<Bit>,
    answer: DFF<Bits<48>>,
    /// A byte of the answer is on its way.
    telling: DFF<Bit>,
    tell_wait: DFF<Bits<16>>,
    frame: DFF<Bits<10>>,
    told: DFF<Bits<4>>,
    /// The line to the host is 0.
    pulls: DFF<Bit>,
    byte_valid: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    status: Signal<Local, Bits<8>>,
    data: Signal<Local, Bits<32>>,
    /// Byte that goes into the check byte.
    octet: Signal<Local, Bits<8>>,
    mix: Signal<Local, Bits<8>>,
    after: Signal<Local, Bits<8>>,
    next_byte: Signal<Local, Bits<8>>,
    is_write: Signal<Local, Bit>,
    is_kind: Signal<Local, Bit>,
    bit_0: Signal<Local, Bits<8>>,
    bit_1: Signal<Local, Bits<8>>,
    bit_2: Signal<Local, Bits<8>>,
    bit_3: Signal<Local, Bits<8>>,
    bit_4: Signal<Local, Bits<8>>,
    bit_5: Signal<Local, Bits<8>>,
    bit_6: Signal<Local, Bits<8>>,
    bit_7: Signal<Local, Bits<8>>,
}

impl Serial {
    /// With so many clocks a bit.
    ///
    /// # Panics
    /// When these are fewer than 4 or more than 65,536.
    pub fn new(bit: u32) -> Self {
        assert!((4..=65_536).contains(&bit), "{bit} clocks a bit: it must be 4 to 65,536");
        Self { whole: Const::new(bits::<16>(u64::from(bit) - 1)), half: Const::new(bits::<16>(u64::from(bit) / 2)), ..Default::default() }
    }
}

impl Logic for Serial {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, low_1, low, hearing, until_look, heard, shift, asks, tells, index, silent, request, check);
        dff_setup!(self, clk, aw, w, ar, answer, telling, tell_wait, frame, told, pulls);
        // Bytes from the line.
        self.low_1.d.next = !self.rx.val();
        self.low.d.next = self.low_1.q.val();
        self.byte_valid.next = false;
        if !self.hearing.q.val() {
            if self.low.q.val() {
                self.hearing.d.next = true;
                self.until_look.d.next = self.half.val();
                self.heard.d.next = bits::<4>(0);
            }
        } else if self.until_look.q.val().any() {
            self.until_look.d.next = self.until_look.q.val() - bits::<16>(1);
        } else {
            self.until_look.d.next = self.whole.val();
            self.heard.d.next = self.heard.q.val() + bits::<4>(1);
            if self.heard.q.val() == bits::<4>(0) {
                self.hearing.d.next = self.low.q.val();
            } else if self.heard.q.val() == bits::<4>(9) {
                self.hearing.d.next = false;
                self.byte_valid.next = !self.low.q.val();
            } else {
                self.shift.d.next = (self.shift.q.val() >> 1) | bits::<8>(0x80);
                if self.low.q.val() {
                    self.shift.d.next = self.shift.q.val() >> 1;
                }
            }
        }

        // The check byte of either direction.
        self.next_byte.next = self.answer.q.val().get_bits::<8>(0);
        if self.index.q.val() == bits::<4>(6) {
            self.next_byte.next = self.check.q.val();
        }
        self.octet.next = self.shift.q.val();
        if self.tells.q.val() {
            self.octet.next = self.next_byte.val();
        }
        self.mix.next = self.check.q.val() ^ self.octet.val();
        self.bit_0.next = bits::<8>(0);
        self.bit_1.next = bits::<8>(0);
        self.bit_2.next = bits::<8>(0);
        self.bit_3.next = bits::<8>(0);
        self.bit_4.next = bits::<8>(0);
        self.bit_5.next = bits::<8>(0);
        self.bit_6.next = bits::<8>(0);
        self.bit_7.next = bits::<8>(0);
        if self.mix.val().get_bit(0) {
            self.bit_0.next = bits::<8>(0x07);
        }
        if self.mix.val().get_bit(1) {
            self.bit_1.next = bits::<8>(0x0e);
        }
        if self.mix.val().get_bit(2) {
            self.bit_2.next = bits::<8>(0x1c);
        }
        if self.mix.val().get_bit(3) {
            self.bit_3.next = bits::<8>(0x38);
        }
        if self.mix.val().get_bit(4) {
            self.bit_4.next = bits::<8>(0x70);
        }
        if self.mix.val().get_bit(5) {
            self.bit_5.next = bits::<8>(0xe0);
        }
        if self.mix.val().get_bit(6) {
            self.bit_6.next = bits::<8>(0xc7);
        }
        if self.mix.val().get_bit(7) {
            self.bit_7.next = bits::<8>(0x89);
        }
        self.after.next = ((self.bit_0.val() ^ self.bit_1.val()) ^ (self.bit_2.val() ^ self.bit_3.val()))
            ^ ((self.bit_4.val() ^ self.bit_5.val()) ^ (self.bit_6.val() ^ self.bit_7.val()));

        // A request, the registers, an answer.
        self.begins.next = false;
        self.status.next = bits::<8>(0x80);
        self.data.next = bits::<32>(0);
        self.is_write.next = self.request.q.val().get_bit(0);
        self.is_kind.next = !self.request.q.val().get_bits::<7>(1).any();
        if self.asks.q.val() {
            if self.m_axil_awready.val() {
                self.aw.d.next = false;
            }
            if self.m_axil_wready.val() {
                self.w.d.next = false;
            }
            if self.m_axil_arready.val() {
                self.ar.d.next = false;
            }
            if self.m_axil_bvalid.val() {
                self.begins.next = true;
                self.status.next = bit_cast::<8, 2>(self.m_axil_bresp.val());
            } else if self.m_axil_rvalid.val() {
                self.begins.next = true;
                self.status.next = bit_cast::<8, 2>(self.m_axil_rresp.val());
                self.data.next = self.m_axil_rdata.val();
            }
        } else if self.tells.q.val() {
            if self.telling.q.val() {
                if self.tell_wait.q.val().any() {
                    self.tell_wait.d.next = self.tell_wait.q.val() - bits::<16>(1);
                } else {
                    self.pulls.d.next = !self.frame.q.val().get_bit(0);
                    self.frame.d.next = (self.frame.q.val() >> 1) | bits::<10>(0x200);
                    self.tell_wait.d.next = self.whole.val();
                    self.told.d.next = self.told.q.val() + bits::<4>(1);
                    if self.told.q.val() == bits::<4>(10) {
                        self.telling.d.next = false;
                    }
                }
            } else if self.index.q.val() == bits::<4>(7) {
                self.tells.d.next = false;
                self.index.d.next = bits::<4>(0);
            } else {
                if self.index.q.val().any() {
                    self.check.d.next = self.after.val();
                }
                self.answer.d.next = self.answer.q.val() >> 8;
                self.frame.d.next = (bit_cast::<10, 8>(self.next_byte.val()) << 1) | bits::<10>(0x200);
                self.telling.d.next = true;
                self.tell_wait.d.next = bits::<16>(0);
                self.told.d.next = bits::<4>(0);
                self.index.d.next = self.index.q.val() + bits::<4>(1);
            }
        } else {
            self.silent.d.next = self.silent.q.val() + bits::<16>(1);
            if self.byte_valid.val() {
                self.silent.d.next = bits::<16>(0);
                if self.index.q.val() == bits::<4>(0) {
                    self.check.d.next = bits::<8>(0);
                    if self.shift.q.val() == bits::<8>(0x54) {
                        self.index.d.next = bits::<4>(1);
                    }
                } else if self.index.q.val() == bits::<4>(9) {
                    self.index.d.next = bits::<4>(0);
                    if (self.shift.q.val() == self.check.q.val()) & self.is_kind.val() {
                        self.asks.d.next = true;
                        self.aw.d.next = self.is_write.val();
                        self.w.d.next = self.is_write.val();
                        self.ar.d.next = !self.is_write.val();
                    } else {
                        self.begins.next = true;
                    }
                } else {
                    self.request.d.next = (self.request.q.val() >> 8) | (bit_cast::<64, 8>(self.shift.q.val()) << 56);
                    self.check.d.next = self.after.val();
                    self.index.d.next = self.index.q.val() + bits::<4>(1);
                }
            } else if self.silent.q.val().all() {
                self.index.d.next = bits::<4>(0);
            }
        }
        if self.begins.val() {
            self.asks.d.next = false;
            self.tells.d.next = true;
            self.index.d.next = bits::<4>(0);
            self.check.d.next = bits::<8>(0);
            self.answer.d.next =
                (bits::<48>(0x74) | (bit_cast::<48, 8>(self.status.val()) << 8)) | (bit_cast::<48, 32>(self.data.val()) << 16);
        }

        self.tx.next = !self.pulls.q.val();
        self.m_axil_awaddr.next = self.request.q.val().get_bits::<24>(8);
        self.m_axil_araddr.next = self.request.q.val().get_bits::<24>(8);
        self.m_axil_wdata.next = self.request.q.val().get_bits::<32>(32);
        self.m_axil_awvalid.next = self.aw.q.val();
        self.m_axil_wvalid.next = self.w.q.val();
        self.m_axil_arvalid.next = self.ar.q.val();
        if self.rst.val() {
            self.low_1.d.next = false;
            self.low.d.next = false;
            self.hearing.d.next = false;
            self.asks.d.next = false;
            self.tells.d.next = false;
            self.index.d.next = bits::<4>(0);
            self.silent.d.next = bits::<16>(0);
            self.request.d.next = bits::<64>(0);
            self.aw.d.next = false;
            self.w.d.next = false;
            self.ar.d.next = false;
            self.telling.d.next = false;
            self.pulls.d.next = false;
        }
    }
}
