//! The grant credit: what stands between the pacer and the wire is bounded in bytes, so that a
//! pause stops nearly all of it.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::Const;
use crate::fifo::Fifo;
use rust_hdl::prelude::*;
use timely_model::inline::credit::{CLOCKS, MOST, QUEUE, UNKNOWN};

// A kernel takes literals alone; these hold the ones below to their homes.
const _: () = assert!(CLOCKS == 64 && QUEUE == 6 && UNKNOWN < 1 << 16 && (MOST + 1) * UNKNOWN < 1 << 20);

/// Takes grants of the pacer while the packets that are granted and have not begun to leave have at
/// most as many bytes as the line carries in 64 clocks, and are at most 48. One packet may exceed
/// it: behind a pause there leave that many bytes and one packet besides what has begun.
///
/// The store says a packet's bytes 10 clocks after its grant, of a queue pair 17. Until then it
/// counts as the one before it, or as 7/8 of what that one counted as, whichever is more: the
/// longest of a mixture stays, and one after the other falls by an eighth. Latency: 0 clocks.
/// Throughput: a grant a clock. Back pressure: `s_ready`.
/// Model: `timely_model::inline::credit::Credit`.
#[derive(LogicBlock, Default)]
pub struct Credit {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Wire bytes that the line carries in a clock, Q8.24.
    pub cfg_line_rate: Signal<In, Bits<32>>,
    /// The pacer offers a grant.
    pub s_valid: Signal<In, Bit>,
    /// The pacer's grant is taken if offered.
    pub s_ready: Signal<Out, Bit>,
    /// A grant goes on.
    pub m_valid: Signal<Out, Bit>,
    /// A grant that goes on is taken if offered.
    pub m_ready: Signal<In, Bit>,
    /// The oldest grant without a charge is charged.
    pub charge_valid: Signal<In, Bit>,
    /// Wire bytes of its packet; 0 if it lets none go.
    pub charge_bytes: Signal<In, Bits<16>>,
    /// A granted packet's first beat leaves.
    pub begins: Signal<In, Bit>,
    // Bytes that packets counted as at their grants, and those of packets that have not begun.
    guesses: Fifo<16, 6, 7>,
    lengths: Fifo<16, 6, 7>,
    ahead: DFF<Bits<20>>,
    packets: DFF<Bits<6>>,
    guess: DFF<Bits<16>>,
    /// Change of `ahead` by the clock before.
    change: DFF<Bits<20>>,
    unknown: Const<Bits<16>>,
    most: Const<Bits<6>>,
    open: Signal<Local, Bit>,
    granted: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    /// A grant found no packet.
    vain: Signal<Local, Bit>,
    more: Signal<Local, Bits<20>>,
    charged: Signal<Local, Bits<20>>,
    guessed: Signal<Local, Bits<20>>,
    begun: Signal<Local, Bits<20>>,
    eighth: Signal<Local, Bits<16>>,
    fallen: Signal<Local, Bits<16>>,
    joined: Signal<Local, Bits<6>>,
    gone: Signal<Local, Bits<6>>,
}

impl Credit {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { unknown: Const::new(bits::<16>(u64::from(UNKNOWN))), most: Const::new(bits::<6>(u64::from(MOST))), ..Default::default() }
    }
}

impl Logic for Credit {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, ahead, packets, guess, change);
        self.guesses.clk.next = self.clk.val();
        self.guesses.rst.next = self.rst.val();
        self.lengths.clk.next = self.clk.val();
        self.lengths.rst.next = self.rst.val();

        self.open.next = (self.ahead.q.val() <= bit_cast::<20, 14>(self.cfg_line_rate.val().get_bits::<14>(18)))
            & (self.packets.q.val() < self.most.val());
        self.s_ready.next = self.m_ready.val() & self.open.val();
        self.m_valid.next = self.s_valid.val() & self.open.val();
        self.granted.next = (self.s_valid.val() & self.m_ready.val()) & self.open.val();
        self.found.next = self.charge_valid.val() & self.charge_bytes.val().any();
        self.vain.next = self.charge_valid.val() & !self.charge_bytes.val().any();

        self.guesses.i_valid.next = self.granted.val();
        self.guesses.i_data.next = self.guess.q.val();
        self.guesses.o_ready.next = self.charge_valid.val();
        self.lengths.i_valid.next = self.found.val();
        self.lengths.i_data.next = self.charge_bytes.val();
        self.lengths.o_ready.next = self.begins.val();

        self.more.next = bits::<20>(0);
        if self.granted.val() {
            self.more.next = bit_cast::<20, 16>(self.guess.q.val());
        }
        self.charged.next = bits::<20>(0);
        self.guessed.next = bits::<20>(0);
        if self.charge_valid.val() {
            self.charged.next = bit_cast::<20, 16>(self.charge_bytes.val());
            if self.guesses.o_valid.val() {
                self.guessed.next = bit_cast::<20, 16>(self.guesses.o_data.val());
            }
        }
        self.begun.next = bits::<20>(0);
        if self.begins.val() & self.lengths.o_valid.val() {
            self.begun.next = bit_cast::<20, 16>(self.lengths.o_data.val());
        }
        self.change.d.next = (self.charged.val() - self.guessed.val()) - self.begun.val();
        self.ahead.d.next = (self.ahead.q.val() + self.more.val()) + self.change.q.val();

        self.joined.next = bit_cast::<6, 1>(self.granted.val().into());
        self.gone.next = bit_cast::<6, 1>(self.begins.val().into()) + bit_cast::<6, 1>(self.vain.val().into());
        self.packets.d.next = (self.packets.q.val() + self.joined.val()) - self.gone.val();

        self.eighth.next = bit_cast::<16, 13>(self.guess.q.val().get_bits::<13>(3));
        self.fallen.next = self.guess.q.val() - self.eighth.val();
        if self.found.val() {
            self.guess.d.next = self.charge_bytes.val();
            if self.fallen.val() > self.charge_bytes.val() {
                self.guess.d.next = self.fallen.val();
            }
        }
        if self.rst.val() {
            self.ahead.d.next = bits::<20>(0);
            self.packets.d.next = bits::<6>(0);
            self.guess.d.next = self.unknown.val();
            self.change.d.next = bits::<20>(0);
        }
    }
}
