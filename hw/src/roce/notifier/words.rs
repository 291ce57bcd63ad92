//! The words of a congestion notification, by their number.
#![allow(missing_docs, reason = "the derives' methods, and a group of ports has one comment")]
use crate::packed::packed;
use rust_hdl::prelude::*;
use timely_model::notifier::{FLAGS_BECN, FULL_MEMBER, HOP_LIMIT};
use timely_regs::roce::{PORT, opcode};

packed! {
    /// Headers of a packet that arrived marked, and the queue pair that answers go to. Byte 0 of an
    /// address is in its lowest bits; an IPv4 address is its first four bytes.
    pub struct Marked {
        /// Receiver's MAC address.
        pub mac_destination: Bits<48>,
        /// Sender's MAC address.
        pub mac_source: Bits<48>,
        /// Priority, DEI and VLAN number, for a tagged frame.
        pub tci: Bits<16>,
        /// Sender's IP address.
        pub source: Bits<128>,
        /// Receiver's IP address.
        pub destination: Bits<128>,
        /// UDP source port.
        pub port: Bits<16>,
        /// Remote queue pair.
        pub pair: Bits<24>,
        /// Partition key.
        pub partition_key: Bits<16>,
        /// The frame has a VLAN tag.
        pub has_tag: Bit,
        /// The packet is IPv6.
        pub is_ipv6: Bit,
    }

    /// When a flow's last notification was made.
    pub struct Last {
        /// Steady time, ns.
        pub at_ns: Bits<32>,
        /// The flow has had one.
        pub valid: Bit,
        /// The flow is owed one.
        pub owed: Bit,
    }
}

// A kernel takes literals alone, and words have their first byte in the low bits.
const _: () = assert!(PORT.swap_bytes() == 0xb712 && opcode::CNP == 0x81);
const _: () = assert!(FULL_MEMBER.swap_bytes() == 0x80 && FLAGS_BECN == 0x40 && HOP_LIMIT == 64);

/// Words of a notification, 16 bits each, and the same with ones where its check sequence takes
/// ones, two clocks after their number. Words 0 to 8 are Ethernet's with a tag, 9 to 28 IPv6's, 29
/// to 32 UDP's, 33 to 46 InfiniBand's, 48 to 57 IPv4's with a checksum of 0.
#[derive(LogicBlock, Default)]
pub(super) struct Words {
    pub clk: Signal<In, Clock>,
    pub number: Signal<In, Bits<6>>,
    pub headers: Signal<In, Marked>,
    pub tos: Signal<In, Bits<8>>,
    pub o_word: Signal<Out, Bits<16>>,
    pub o_masked: Signal<Out, Bits<16>>,
    to: Signal<Local, Bits<48>>,
    own: Signal<Local, Bits<48>>,
    tag: Signal<Local, Bits<16>>,
    receiver: Signal<Local, Bits<128>>,
    sender: Signal<Local, Bits<128>>,
    port: Signal<Local, Bits<16>>,
    pair: Signal<Local, Bits<24>>,
    key: Signal<Local, Bits<16>>,
    // Of each sixteen numbers one word, then one of these.
    low: Signal<Local, Bits<4>>,
    sixteen: DFF<Bits<2>>,
    of_0: DFF<Bits<16>>,
    of_16: DFF<Bits<16>>,
    of_32: DFF<Bits<16>>,
    of_48: DFF<Bits<16>>,
    ones: DFF<Bits<16>>,
    chosen: Signal<Local, Bits<16>>,
    word: DFF<Bits<16>>,
    masked: DFF<Bits<16>>,
}

impl Logic for Words {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sixteen, of_0, of_16, of_32, of_48, ones, word, masked);
        // The notification goes back.
        self.to.next = self.headers.val().mac_source;
        self.own.next = self.headers.val().mac_destination;
        self.tag.next = self.headers.val().tci;
        self.receiver.next = self.headers.val().destination;
        self.sender.next = self.headers.val().source;
        self.port.next = self.headers.val().port;
        self.pair.next = self.headers.val().pair;
        self.key.next = self.headers.val().partition_key;
        self.low.next = self.number.val().get_bits::<4>(0);
        self.sixteen.d.next = self.number.val().get_bits::<2>(4);
        self.of_0.d.next = bits::<16>(0);
        match self.low.val().index() {
            0 => {
                self.of_0.d.next = self.to.val().get_bits::<16>(0);
            }
            1 => {
                self.of_0.d.next = self.to.val().get_bits::<16>(16);
            }
            2 => {
                self.of_0.d.next = self.to.val().get_bits::<16>(32);
            }
            3 => {
                self.of_0.d.next = self.own.val().get_bits::<16>(0);
            }
            4 => {
                self.of_0.d.next = self.own.val().get_bits::<16>(16);
            }
            5 => {
                self.of_0.d.next = self.own.val().get_bits::<16>(32);
            }
            6 => {
                self.of_0.d.next = bits::<16>(0x0081);
            }
            7 => {
                self.of_0.d.next =
                    (bit_cast::<16, 8>(self.tag.val().get_bits::<8>(0)) << 8) | bit_cast::<16, 8>(self.tag.val().get_bits::<8>(8));
            }
            8 => {
                self.of_0.d.next = bits::<16>(0x0008);
                if self.headers.val().is_ipv6 {
                    self.of_0.d.next = bits::<16>(0xdd86);
                }
            }
            9 => {
                self.of_0.d.next =
                    ((bit_cast::<16, 8>(self.tos.val()) << 12) | bits::<16>(0x60)) | bit_cast::<16, 4>(self.tos.val().get_bits::<4>(4));
            }
            11 => {
                self.of_0.d.next = bits::<16>(0x2800);
            }
            12 => {
                self.of_0.d.next = bits::<16>(0x4011);
            }
            13 => {
                self.of_0.d.next = self.receiver.val().get_bits::<16>(0);
            }
            14 => {
                self.of_0.d.next = self.receiver.val().get_bits::<16>(16);
            }
            15 => {
                self.of_0.d.next = self.receiver.val().get_bits::<16>(32);
            }
            _ => {}
        }
        self.of_16.d.next = bits::<16>(0);
        match self.low.val().index() {
            0 => {
                self.of_16.d.next = self.receiver.val().get_bits::<16>(48);
            }
            1 => {
                self.of_16.d.next = self.receiver.val().get_bits::<16>(64);
            }
            2 => {
                self.of_16.d.next = self.receiver.val().get_bits::<16>(80);
            }
            3 => {
                self.of_16.d.next = self.receiver.val().get_bits::<16>(96);
            }
            4 => {
                self.of_16.d.next = self.receiver.val().get_bits::<16>(112);
            }
            5 => {
                self.of_16.d.next = self.sender.val().get_bits::<16>(0);
            }
            6 => {
                self.of_16.d.next = self.sender.val().get_bits::<16>(16);
            }
            7 => {
                self.of_16.d.next = self.sender.val().get_bits::<16>(32);
            }
            8 => {
                self.of_16.d.next = self.sender.val().get_bits::<16>(48);
            }
            9 => {
                self.of_16.d.next = self.sender.val().get_bits::<16>(64);
            }
            10 => {
                self.of_16.d.next = self.sender.val().get_bits::<16>(80);
            }
            11 => {
                self.of_16.d.next = self.sender.val().get_bits::<16>(96);
            }
            12 => {
                self.of_16.d.next = self.sender.val().get_bits::<16>(112);
            }
            13 => {
                self.of_16.d.next =
                    (bit_cast::<16, 8>(self.port.val().get_bits::<8>(0)) << 8) | bit_cast::<16, 8>(self.port.val().get_bits::<8>(8));
            }
            14 => {
                self.of_16.d.next = bits::<16>(0xb712);
            }
            15 => {
                self.of_16.d.next = bits::<16>(0x2800);
            }
            _ => {}
        }
        self.of_32.d.next = bits::<16>(0);
        match self.low.val().index() {
            1 => {
                self.of_32.d.next = bits::<16>(0x0081);
            }
            2 => {
                self.of_32.d.next = ((bit_cast::<16, 8>(self.key.val().get_bits::<8>(0)) << 8)
                    | bit_cast::<16, 8>(self.key.val().get_bits::<8>(8)))
                    | bits::<16>(0x0080);
            }
            3 => {
                self.of_32.d.next = (bit_cast::<16, 8>(self.pair.val().get_bits::<8>(16)) << 8) | bits::<16>(0x40);
            }
            4 => {
                self.of_32.d.next =
                    (bit_cast::<16, 8>(self.pair.val().get_bits::<8>(0)) << 8) | bit_cast::<16, 8>(self.pair.val().get_bits::<8>(8));
            }
            _ => {}
        }
        self.of_48.d.next = bits::<16>(0);
        match self.low.val().index() {
            0 => {
                self.of_48.d.next = (bit_cast::<16, 8>(self.tos.val()) << 8) | bits::<16>(0x45);
            }
            1 => {
                self.of_48.d.next = bits::<16>(0x3c00);
            }
            3 => {
                self.of_48.d.next = bits::<16>(0x0040);
            }
            4 => {
                self.of_48.d.next = bits::<16>(0x1140);
            }
            6 => {
                self.of_48.d.next = self.receiver.val().get_bits::<16>(0);
            }
            7 => {
                self.of_48.d.next = self.receiver.val().get_bits::<16>(16);
            }
            8 => {
                self.of_48.d.next = self.sender.val().get_bits::<16>(0);
            }
            9 => {
                self.of_48.d.next = self.sender.val().get_bits::<16>(16);
            }
            _ => {}
        }
        self.ones.d.next = bits::<16>(0);
        if self.number.val() == bits::<6>(9) {
            self.ones.d.next = bits::<16>(0xff0f);
        }
        if self.number.val() == bits::<6>(10) {
            self.ones.d.next = bits::<16>(0xffff);
        }
        if self.number.val() == bits::<6>(12) {
            self.ones.d.next = bits::<16>(0xff00);
        }
        if self.number.val() == bits::<6>(32) {
            self.ones.d.next = bits::<16>(0xffff);
        }
        if self.number.val() == bits::<6>(35) {
            self.ones.d.next = bits::<16>(0x00ff);
        }
        if self.number.val() == bits::<6>(48) {
            self.ones.d.next = bits::<16>(0xff00);
        }
        if self.number.val() == bits::<6>(52) {
            self.ones.d.next = bits::<16>(0x00ff);
        }
        if self.number.val() == bits::<6>(53) {
            self.ones.d.next = bits::<16>(0xffff);
        }
        self.chosen.next = self.of_0.q.val();
        if self.sixteen.q.val() == bits::<2>(1) {
            self.chosen.next = self.of_16.q.val();
        }
        if self.sixteen.q.val() == bits::<2>(2) {
            self.chosen.next = self.of_32.q.val();
        }
        if self.sixteen.q.val() == bits::<2>(3) {
            self.chosen.next = self.of_48.q.val();
        }
        self.word.d.next = self.chosen.val();
        self.masked.d.next = self.chosen.val() | self.ones.q.val();
        self.o_word.next = self.word.q.val();
        self.o_masked.next = self.masked.q.val();
    }
}
