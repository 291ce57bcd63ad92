//! Writing of places in the departure ring into packets that pass.
mod update;

use crate::bus::{SideAxisIn, SideAxisOut};
use crate::constant::Const;
use crate::fifo::WideFifo;
use crate::ram::LutRam;
use rust_hdl::prelude::*;
use timely_model::mark::{FLOW, JUDGING, PLACE, QUEUE, VERSION, ahead};
use timely_regs::wire::{ACK, Class, FLAGS, LAST, ethernet, ipv4, ipv6, udp};

// A kernel takes literals alone.
const _: () = assert!(QUEUE == 4 && JUDGING == 7 && PLACE == 4 && FLOW == 6);
const _: () = assert!(ethernet::TYPE == 12 && ethernet::TAGGED_TYPE == 16 && ipv4::FRAGMENT == 6 && ipv4::PROTOCOL == 9);
const _: () = assert!(ipv6::NEXT_HEADER == 6 && udp::DESTINATION == 2 && udp::CHECKSUM == 6);

/// Fields on which a verdict depends, as the bytes stand in a beat; of IPv6 there is no fragment.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Fields {
    /// The packet reaches up to our header's end.
    whole: Bit,
    /// The EtherType is one of IPv4 and IPv6.
    known: Bit,
    class: Bits<2>,
    first: Bits<8>,
    fragment: Bits<16>,
    protocol: Bits<8>,
    destination: Bits<16>,
    checksum: Bits<16>,
    version: Bits<8>,
    flags: Bits<8>,
    place: Bits<16>,
    flow: Bits<16>,
}

/// Conditions that hold, and the first step of the checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Checks {
    class: Bits<2>,
    whole: Bit,
    ip: Bit,
    transport: Bit,
    header: Bit,
    flow: Bit,
    /// The packet has no checksum.
    unsummed: Bit,
    /// The complements of the old checksum and of the old place, added.
    sum: Bits<17>,
}

/// A packet's place.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Placed {
    class: Bits<2>,
    write: Bit,
    unsummed: Bit,
    place: Bits<16>,
    sum: Bits<17>,
}

/// Bytes that are written into a packet: its place and its UDP checksum, as they stand in a beat.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Verdict {
    class: Bits<2>,
    write: Bit,
    place: Bits<16>,
    checksum: Bits<16>,
}

/// Writes the place into each packet of ours that ends its segment, and mends its UDP checksum (RFC
/// 1624). Places are a counter's, one a packet so written, with the bits of `base` set. All other
/// packets pass unchanged, and so do the `M` bits beside each beat.
///
/// A packet is ours here if its EtherType is that of IPv4 (no option, no fragment) or IPv6 behind
/// at most one 802.1Q tag, it is UDP to `cfg_udp_port`, which is not 0, and our header is there as
/// a whole, of version 2, with LAST, without ACK and the flags 4 to 7, its flow below `2^F` of
/// [`Mark::new`]. Lengths and the IPv4 header's checksum are not looked at. Over IPv4 a UDP
/// checksum of 0 stays; one that would become 0 is 0xffff.
///
/// `W` bus bits, `K = W / 8`, `N = W + K + 1 + M`.
///
/// Latency: 13 clocks at 64 bits, 10 at 128, 9 at 256, 8 at 512, from beat to beat, if the packet's
/// beats come without gaps and the output is free: a beat waits for 6, 3, 2 or 1 of its packet
/// behind it, or for the packet's last. Throughput: a beat a clock, and a packet a clock. Back
/// pressure: 17 beats and the one at the output wait, then `s_tready` falls. `tkeep` is looked at
/// with the header's last byte alone. Model: `timely_model::mark::Mark`.
#[derive(LogicBlock, Default)]
pub struct Mark<const W: usize, const K: usize, const M: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high; the counter starts at 0.
    pub rst: Signal<In, Bit>,
    /// Our UDP port; 0 stands for none.
    pub cfg_udp_port: Signal<In, Bits<16>>,
    /// Bits that are set in every place.
    pub base: Signal<In, Bits<16>>,
    /// Packets in.
    pub s: SideAxisIn<W, K, M>,
    /// Packets out.
    pub m: SideAxisOut<W, K, M>,
    /// A packet gets a place, one clock a packet, in their order.
    pub marked: Signal<Out, Bit>,
    /// Place of the packet.
    pub marked_place: Signal<Out, Bits<16>>,
    // Constants. Two-byte ones that raw bytes are compared with have their bytes swapped, as the
    // bytes of a beat have.
    vlan: Const<Bits<16>>,
    ipv4: Const<Bits<16>>,
    ipv6: Const<Bits<16>>,
    plain: Const<Bits<8>>,
    fragmented: Const<Bits<16>>,
    protocol: Const<Bits<8>>,
    version: Const<Bits<8>>,
    judged_flags: Const<Bits<8>>,
    wanted_flags: Const<Bits<8>>,
    beyond_flows: Const<Bits<16>>,
    counted: Const<Bits<16>>,
    ahead: Const<Bits<4>>,
    keep_at: Const<Bits<10>>,
    last_at: Const<Bits<10>>,
    side_at: Const<Bits<10>>,
    /// Beat and lane of each word of bytes 8 to 79.
    word_beat: [Const<Bits<4>>; 9],
    word_lane: [Const<Bits<9>>; 9],
    /// By class: its number, beat and lane of the header's last byte, and of what is written.
    number: [Const<Bits<2>>; 4],
    end_beat: [Const<Bits<4>>; 4],
    end_lane: [Const<Bits<6>>; 4],
    checksum_beat: [Const<Bits<4>>; 4],
    checksum_shift: [Const<Bits<9>>; 4],
    checksum_mask: [Const<Bits<W>>; 4],
    place_beat: [Const<Bits<4>>; 4],
    place_shift: [Const<Bits<9>>; 4],
    place_mask: [Const<Bits<W>>; 4],
    queue: WideFifo<N, 4, 5>,
    verdicts: LutRam<Verdict, 5>,
    taken: Signal<Local, Bit>,
    entry: Signal<Local, Bits<N>>,
    /// Number of the next beat in its packet; 15 stands for any later one.
    index: DFF<Bits<4>>,
    // Stage 1: the beat, and the packet's head so far.
    valid1: DFF<Bit>,
    last1: DFF<Bit>,
    index1: DFF<Bits<4>>,
    keep1: DFF<Bits<K>>,
    word1: [DFF<Bits<64>>; 9],
    head1: Signal<Local, Bits<576>>,
    kind1: Signal<Local, Bits<16>>,
    end1: Signal<Local, Bits<4>>,
    there1: Signal<Local, Bit>,
    at_end1: Signal<Local, Bit>,
    leaves1: Signal<Local, Bits<3>>,
    /// The class as the beats before say: complete before any beat that settles a verdict.
    vlan1: DFF<Bit>,
    six: DFF<Bit>,
    known: DFF<Bit>,
    class1: Signal<Local, Bits<2>>,
    // Stages 2 to 5 of packets whose verdict is settled.
    settled2: DFF<Bit>,
    fields2: DFF<Fields>,
    class2: Signal<Local, Bits<2>>,
    flow2: Signal<Local, Bits<16>>,
    old_checksum: Signal<Local, Bits<16>>,
    old_place: Signal<Local, Bits<16>>,
    port: Signal<Local, Bits<16>>,
    settled3: DFF<Bit>,
    checks3: DFF<Checks>,
    holds3: Signal<Local, Bit>,
    place3: Signal<Local, Bits<16>>,
    swapped3: Signal<Local, Bits<16>>,
    old3: Signal<Local, Bits<17>>,
    sum3: Signal<Local, Bits<17>>,
    carry3: Signal<Local, Bits<17>>,
    count: DFF<Bits<16>>,
    next_count: Signal<Local, Bits<16>>,
    settled4: DFF<Bit>,
    placed4: DFF<Placed>,
    total4: Signal<Local, Bits<17>>,
    folded4: Signal<Local, Bits<16>>,
    high4: Signal<Local, Bits<16>>,
    low4: Signal<Local, Bits<16>>,
    settled5: DFF<Bit>,
    verdict5: DFF<Verdict>,
    write: DFF<Bits<5>>,
    read: DFF<Bits<5>>,
    /// Beats that may leave: those of stages 2 to 5, and those in the queue.
    leaves: [DFF<Bits<3>>; 4],
    released: DFF<Bits<6>>,
    // Out of the queue.
    head_entry: Signal<Local, Bits<N>>,
    head_last: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    verdict: Signal<Local, Verdict>,
    writes: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<W>>,
    out_index: DFF<Bits<4>>,
    out_valid: DFF<Bit>,
    out_last: DFF<Bit>,
    out_keep: DFF<Bits<K>>,
    out_data: DFF<Bits<W>>,
    out_side: DFF<Bits<M>>,
}

/// A two-byte field as its bytes stand in a beat.
fn swapped(x: u16) -> Const<Bits<16>> {
    Const::new(bits::<16>(x.swap_bytes().into()))
}

impl<const W: usize, const K: usize, const M: usize, const N: usize> Mark<W, K, M, N> {
    /// For flows below `2^flow_bits`, and a counter of `place_bits` bits.
    ///
    /// # Panics
    /// When there is no such bus, or a field has more than 16 bits.
    pub fn new(flow_bits: usize, place_bits: u32) -> Self {
        assert!(matches!(W, 64 | 128 | 256 | 512), "a bus of {W} bits; there are 64, 128, 256 and 512");
        assert!(W == 8 * K && N == W + K + 1 + M, "widths of a stream of {W} bits");
        assert!(flow_bits <= 16 && (1..=16).contains(&place_bits), "a flow of {flow_bits} bits and a place of {place_bits}: 16 at most");
        let low = |n: u32| ((1u32 << n) - 1) as u16;
        let small = |n: usize| Const::new(bits::<4>(n as u64));
        let at = |n: usize| Const::new(bits::<10>(n as u64));
        let end = |c: usize| Class::ALL[c].end() - 1;
        let checksum = |c: usize| Class::ALL[c].udp() + udp::CHECKSUM;
        let place = |c: usize| Class::ALL[c].header() + PLACE;
        let shift = |byte: usize| Const::new(bits::<9>(8 * (byte % K) as u64));
        let others = |byte: usize| Const::new(!(bits::<W>(0xffff) << (8 * (byte % K) as u64)));
        Self {
            vlan: swapped(ethernet::VLAN),
            ipv4: swapped(ethernet::IPV4),
            ipv6: swapped(ethernet::IPV6),
            plain: Const::new(bits::<8>(ipv4::PLAIN.into())),
            fragmented: swapped(ipv4::MORE_FRAGMENTS | ipv4::FRAGMENT_OFFSET),
            protocol: Const::new(bits::<8>(udp::PROTOCOL.into())),
            version: Const::new(bits::<8>(VERSION.into())),
            judged_flags: Const::new(bits::<8>((LAST | ACK | !FLAGS).into())),
            wanted_flags: Const::new(bits::<8>(LAST.into())),
            beyond_flows: Const::new(bits::<16>((!low(flow_bits as u32)).into())),
            counted: Const::new(bits::<16>(low(place_bits).into())),
            ahead: small(ahead(W)),
            keep_at: at(W),
            last_at: at(W + K),
            side_at: at(W + K + 1),
            word_beat: std::array::from_fn(|i| small(8 * (i + 1) / K)),
            word_lane: std::array::from_fn(|i| Const::new(bits::<9>(64 * ((i + 1) % (W / 64)) as u64))),
            number: std::array::from_fn(|c| Const::new(bits::<2>(c as u64))),
            end_beat: std::array::from_fn(|c| small(end(c) / K)),
            end_lane: std::array::from_fn(|c| Const::new(bits::<6>((end(c) % K) as u64))),
            checksum_beat: std::array::from_fn(|c| small(checksum(c) / K)),
            checksum_shift: std::array::from_fn(|c| shift(checksum(c))),
            checksum_mask: std::array::from_fn(|c| others(checksum(c))),
            place_beat: std::array::from_fn(|c| small(place(c) / K)),
            place_shift: std::array::from_fn(|c| shift(place(c))),
            place_mask: std::array::from_fn(|c| others(place(c))),
            ..Default::default()
        }
    }
}
