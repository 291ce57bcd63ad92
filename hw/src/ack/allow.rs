//! The allow list: prefixes whose hosts are answered, as writes into the registers' store fill it.
use crate::bus::StoreWriteIn;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_regs::map::port::{ALLOW, ALLOW_IPV4, ALLOW_IPV6, ALLOW_LENGTH, ALLOW_PREFIX, PREFIXES};

// A kernel takes literals alone.
const _: () = assert!(PREFIXES == 8 && ALLOW.count == 32 && ALLOW.word().is_multiple_of(32));
const _: () = assert!(ALLOW_PREFIX.count == 8 && ALLOW_PREFIX.word().is_multiple_of(8));
const _: () = assert!(ALLOW_LENGTH.low == 0 && ALLOW_LENGTH.high == 7 && ALLOW_IPV4.low == 8 && ALLOW_IPV6.low == 9);

/// A write of ALLOW_PREFIX on its way into the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Prefix {
    valid: Bits<1>,
    entry: Bits<3>,
    /// Bit 0 IPv4, bit 1 IPv6.
    family: Bits<2>,
}

/// Eight prefixes: `allowed` says, a clock after `valid`, whether one of them holds `source`.
///
/// Latency of a write: 2 clocks for an address, 3 for a length. After a reset the list is empty.
/// Model: `timely_model::ack`, `allow`.
#[derive(LogicBlock, Default)]
pub struct Allow {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A word of the store is written.
    pub st: StoreWriteIn,
    /// An address is looked up.
    pub valid: Signal<In, Bit>,
    /// The address, byte 0 in the low bits; IPv4 in the low 32.
    pub source: Signal<In, Bits<128>>,
    /// The address is of IPv6.
    pub ipv6: Signal<In, Bit>,
    /// The address is in the list.
    pub allowed: Signal<Out, Bit>,
    at_address: Const<Bits<5>>,
    at_prefix: Const<Bits<7>>,
    nth: [Const<Bits<5>>; 16],
    write_valid: DFF<Bit>,
    write_word: DFF<Bits<10>>,
    write_data: DFF<Bits<32>>,
    to_address: Signal<Local, Bit>,
    to_prefix: Signal<Local, Bit>,
    length: Signal<Local, Bits<5>>,
    /// The byte in which a prefix ends.
    partial: Signal<Local, Bits<8>>,
    prefix: DFF<Prefix>,
    /// Mask of `prefix`, byte by byte as on the wire.
    bytes: [DFF<Bits<8>>; 16],
    /// Mask of `prefix` in words.
    ends: [Signal<Local, Bits<32>>; 4],
    /// Word `j` of entry `i` is number `4 i + j`.
    address: [DFF<Bits<32>>; 32],
    mask: [DFF<Bits<32>>; 32],
    family: [DFF<Bits<2>>; 8],
    word: [Signal<Local, Bits<32>>; 4],
    difference: [Signal<Local, Bits<32>>; 32],
    /// The family of the first word, and then the bits that count, are the entry's.
    hit: [DFF<Bit>; 32],
}

impl Allow {
    /// The block with its constants.
    pub fn new() -> Self {
        Self {
            at_address: Const::new(bits::<5>((ALLOW.word() / 32).into())),
            at_prefix: Const::new(bits::<7>((ALLOW_PREFIX.word() / 8).into())),
            nth: std::array::from_fn(|i| Const::new(bits::<5>(i as u64))),
            ..Default::default()
        }
    }
}

impl Logic for Allow {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, write_valid, write_word, write_data, prefix);
        self.write_valid.d.next = self.st.valid.val();
        self.write_word.d.next = self.st.word.val();
        self.write_data.d.next = self.st.data.val();
        self.to_address.next =
            (self.write_valid.q.val() & !self.rst.val()) & (self.write_word.q.val().get_bits::<5>(5) == self.at_address.val());
        self.to_prefix.next =
            (self.write_valid.q.val() & !self.rst.val()) & (self.write_word.q.val().get_bits::<7>(3) == self.at_prefix.val());
        self.length.next = self.write_data.q.val().get_bits::<5>(3);
        match self.write_data.q.val().get_bits::<3>(0).index() {
            0 => {
                self.partial.next = bits::<8>(0x00);
            }
            1 => {
                self.partial.next = bits::<8>(0x80);
            }
            2 => {
                self.partial.next = bits::<8>(0xc0);
            }
            3 => {
                self.partial.next = bits::<8>(0xe0);
            }
            4 => {
                self.partial.next = bits::<8>(0xf0);
            }
            5 => {
                self.partial.next = bits::<8>(0xf8);
            }
            6 => {
                self.partial.next = bits::<8>(0xfc);
            }
            _ => {
                self.partial.next = bits::<8>(0xfe);
            }
        }
        self.prefix.d.next.valid = bits::<1>(0);
        if self.to_prefix.val() {
            self.prefix.d.next.valid = bits::<1>(1);
            self.prefix.d.next.entry = self.write_word.q.val().get_bits::<3>(0);
            self.prefix.d.next.family = self.write_data.q.val().get_bits::<2>(8);
        }
        for i in 0..16 {
            self.bytes[i].clock.next = self.clk.val();
            self.bytes[i].d.next = self.bytes[i].q.val();
            if self.to_prefix.val() {
                self.bytes[i].d.next = bits::<8>(0);
                if self.length.val() > self.nth[i].val() {
                    self.bytes[i].d.next = bits::<8>(0xff);
                }
                if self.length.val() == self.nth[i].val() {
                    self.bytes[i].d.next = self.partial.val();
                }
            }
        }
        self.ends[0].next = (bit_cast::<32, 8>(self.bytes[3].q.val()) << 24)
            | (bit_cast::<32, 8>(self.bytes[2].q.val()) << 16)
            | (bit_cast::<32, 8>(self.bytes[1].q.val()) << 8)
            | bit_cast::<32, 8>(self.bytes[0].q.val());
        self.ends[1].next = (bit_cast::<32, 8>(self.bytes[7].q.val()) << 24)
            | (bit_cast::<32, 8>(self.bytes[6].q.val()) << 16)
            | (bit_cast::<32, 8>(self.bytes[5].q.val()) << 8)
            | bit_cast::<32, 8>(self.bytes[4].q.val());
        self.ends[2].next = (bit_cast::<32, 8>(self.bytes[11].q.val()) << 24)
            | (bit_cast::<32, 8>(self.bytes[10].q.val()) << 16)
            | (bit_cast::<32, 8>(self.bytes[9].q.val()) << 8)
            | bit_cast::<32, 8>(self.bytes[8].q.val());
        self.ends[3].next = (bit_cast::<32, 8>(self.bytes[15].q.val()) << 24)
            | (bit_cast::<32, 8>(self.bytes[14].q.val()) << 16)
            | (bit_cast::<32, 8>(self.bytes[13].q.val()) << 8)
            | bit_cast::<32, 8>(self.bytes[12].q.val());
        self.word[0].next = self.source.val().get_bits::<32>(0);
        self.word[1].next = self.source.val().get_bits::<32>(32);
        self.word[2].next = self.source.val().get_bits::<32>(64);
        self.word[3].next = self.source.val().get_bits::<32>(96);
        self.allowed.next = false;
        for i in 0..8 {
            self.family[i].clock.next = self.clk.val();
            self.family[i].d.next = self.family[i].q.val();
            for j in 0..4 {
                self.address[4 * i + j].clock.next = self.clk.val();
                self.address[4 * i + j].d.next = self.address[4 * i + j].q.val();
                if self.to_address.val() & (self.write_word.q.val().get_bits::<5>(0).index() == (4 * i + j)) {
                    self.address[4 * i + j].d.next = self.write_data.q.val();
                }
                self.mask[4 * i + j].clock.next = self.clk.val();
                self.mask[4 * i + j].d.next = self.mask[4 * i + j].q.val();
                if (self.prefix.q.val().valid.any() & !self.rst.val()) & (self.prefix.q.val().entry.index() == i) {
                    self.mask[4 * i + j].d.next = self.ends[j].val();
                }
                self.hit[4 * i + j].clock.next = self.clk.val();
                self.hit[4 * i + j].d.next = self.hit[4 * i + j].q.val();
                self.difference[4 * i + j].next = bits::<32>(0);
                if self.valid.val() {
                    self.difference[4 * i + j].next = (self.word[j].val() ^ self.address[4 * i + j].q.val()) & self.mask[4 * i + j].q.val();
                    self.hit[4 * i + j].d.next = !self.difference[4 * i + j].val().any();
                }
            }
            if self.prefix.q.val().valid.any() & (self.prefix.q.val().entry.index() == i) {
                self.family[i].d.next = self.prefix.q.val().family;
            }
            if self.rst.val() {
                self.family[i].d.next = bits::<2>(0);
            }
            // The family decides with the first word.
            if self.ipv6.val() {
                if !self.family[i].q.val().get_bit(1) {
                    self.hit[4 * i].d.next = false;
                }
            } else {
                if !self.family[i].q.val().get_bit(0) {
                    self.hit[4 * i].d.next = false;
                }
            }
            if (self.hit[4 * i].q.val() & self.hit[4 * i + 1].q.val()) & (self.hit[4 * i + 2].q.val() & self.hit[4 * i + 3].q.val()) {
                self.allowed.next = true;
            }
        }
        if self.rst.val() {
            self.write_valid.d.next = false;
            self.prefix.d.next.valid = bits::<1>(0);
        }
    }
}
