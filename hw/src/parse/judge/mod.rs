//! From a frame's first 114 bytes and its length to what it is: `timely_regs::wire::check` in five
//! stages.
mod sum;
mod update;

use crate::bus::ReportOut;
use crate::constant::Const;
use rust_hdl::prelude::*;
pub(crate) use sum::HeaderSum;
use timely_regs::counters::Counter;
use timely_regs::wire::{ACK, Class, FLAGS, HEADER_BYTES, LAST, VERSION, ethernet, ipv4, udp};

/// Kind of a frame, with the reason and the counted events of its report.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub(super) struct Verdict {
    kind: Bits<2>,
    reason: Bits<4>,
    pulses: Bits<32>,
}

impl Verdict {
    fn new(kind: u64, counter: Counter) -> Const<Verdict> {
        let pulses = 1 << (Counter::RxFrames as u8) | 1 << (counter as u8);
        let reason = if kind == 3 { counter as u64 } else { 0 };
        Const::new(Verdict { kind: kind.into(), reason: reason.into(), pulses: pulses.into() })
    }
}

/// With `ended`, `head`, `stamp` and `bad` at clock `t`, and `bytes` and `broken` at `t + 2`, gives
/// the report at `t + 5`. The number in a register's name says how many clocks after the frame's
/// last beat it holds what belongs to it.
#[derive(LogicBlock, Default)]
pub(super) struct Judge {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// One clock ahead of `ended`.
    pub cfg_udp_port: Signal<In, Bits<16>>,
    pub ended: Signal<In, Bit>,
    pub head: Signal<In, Bits<912>>,
    pub stamp: Signal<In, Bits<64>>,
    pub bad: Signal<In, Bit>,
    pub bytes: Signal<In, Bits<17>>,
    pub broken: Signal<In, Bit>,
    /// A report.
    pub o: ReportOut,
    pub o_reason: Signal<Out, Bits<4>>,
    pub pulses: Signal<Out, Bits<32>>,
    // Two-byte constants that raw bytes are compared with have their bytes swapped, as the bytes of
    // a beat have.
    vlan: Const<Bits<16>>,
    ipv4: Const<Bits<16>>,
    ipv6: Const<Bits<16>>,
    plain: Const<Bits<8>>,
    protocol: Const<Bits<8>>,
    version: Const<Bits<8>>,
    undefined: Const<Bits<8>>,
    answer: Const<Bits<8>>,
    lone_ack: Const<Bits<8>>,
    /// By class: bytes in front of what the IP length counts; bytes up to the end of our header.
    front: [Const<Bits<17>>; 4],
    whole: [Const<Bits<17>>; 4],
    /// By IP version: the least IP length with room for our header; what it counts in front of UDP.
    least4: Const<Bits<16>>,
    least6: Const<Bits<16>>,
    inside4: Const<Bits<16>>,
    sum: HeaderSum,
    none: Const<Verdict>,
    foreign: Const<Verdict>,
    data: Const<Verdict>,
    ack: Const<Verdict>,
    marked: Const<Verdict>,
    truncated: Const<Verdict>,
    bad_ip: Const<Verdict>,
    bad_header: Const<Verdict>,
    port1: DFF<Bits<16>>,
    // t + 2
    end2: DFF<Bit>,
    head2: DFF<Bits<912>>,
    stamp2: DFF<Bits<64>>,
    bad2: DFF<Bit>,
    port2: DFF<Bits<16>>,
    vlan2: DFF<Bit>,
    outer4: DFF<Bit>,
    outer6: DFF<Bit>,
    inner4: DFF<Bit>,
    inner6: DFF<Bit>,
    /// There is a port that is ours.
    listening2: DFF<Bit>,
    is6: Signal<Local, Bit>,
    class2: Signal<Local, Bits<2>>,
    words2: Signal<Local, Bits<4>>,
    skip2: Signal<Local, Bits<4>>,
    length2: Signal<Local, Bits<16>>,
    udp2: Signal<Local, Bits<16>>,
    same: [Signal<Local, Bit>; 12],
    hits: Signal<Local, Bits<16>>,
    // t + 3
    end3: DFF<Bit>,
    head3: DFF<Bits<912>>,
    stamp3: DFF<Bits<64>>,
    bad3: DFF<Bit>,
    known3: DFF<Bit>,
    class3: DFF<Bits<2>>,
    first3: DFF<Bits<8>>,
    fragment3: DFF<Bits<16>>,
    protocol3: DFF<Bits<8>>,
    length3: DFF<Bits<16>>,
    udp3: DFF<Bits<16>>,
    /// Whether our port stands at bytes 34 or 36, 38 or 40, 42 or 44, ... 78 or 80, and at which of
    /// these pairs the ports are.
    hits3: DFF<Bits<16>>,
    place3: DFF<Bits<4>>,
    front3: Signal<Local, Bits<17>>,
    whole3: Signal<Local, Bits<17>>,
    inside3: Signal<Local, Bits<16>>,
    least3: Signal<Local, Bits<16>>,
    // t + 4
    end4: DFF<Bit>,
    head4: DFF<Bits<528>>,
    hdr4: DFF<Bits<384>>,
    stamp4: DFF<Bits<64>>,
    class4: DFF<Bits<2>>,
    marked4: DFF<Bit>,
    bytes4: DFF<Bits<17>>,
    counted4: DFF<Bit>,
    /// Ours, if the frame is long enough to have said so.
    ours4: DFF<Bit>,
    port_end4: DFF<Bits<7>>,
    whole4: DFF<Bit>,
    plain4: DFF<Bit>,
    promised4: DFF<Bits<17>>,
    room4: DFF<Bit>,
    left4: DFF<Bits<16>>,
    udp4: DFF<Bits<16>>,
    flags4: Signal<Local, Bits<8>>,
    // t + 5
    end5: DFF<Bit>,
    head5: DFF<Bits<528>>,
    hdr5: DFF<Bits<384>>,
    stamp5: DFF<Bits<64>>,
    class5: DFF<Bits<2>>,
    bytes5: DFF<Bits<16>>,
    marked5: DFF<Bit>,
    ours5: DFF<Bit>,
    whole5: DFF<Bit>,
    plain5: DFF<Bit>,
    cut5: DFF<Bit>,
    fits5: DFF<Bit>,
    spoken5: DFF<Bit>,
    answer5: DFF<Bit>,
    // t + 6
    end6: DFF<Bit>,
    head6: DFF<Bits<528>>,
    hdr6: DFF<Bits<384>>,
    stamp6: DFF<Bits<64>>,
    class6: DFF<Bits<2>>,
    bytes6: DFF<Bits<16>>,
    verdict6: DFF<Verdict>,
}

/// A byte count as a constant.
fn bytes<const N: usize>(n: usize) -> Const<Bits<N>> {
    Const::new(bits::<N>(n as u64))
}

/// A one-byte field as a constant.
fn byte(x: u8) -> Const<Bits<8>> {
    Const::new(bits::<8>(x.into()))
}

/// A two-byte field as its bytes stand in a beat.
fn swapped(x: u16) -> Const<Bits<16>> {
    Const::new(bits::<16>(x.swap_bytes().into()))
}

/// Bytes in front of UDP that the IP length counts.
fn inside(class: Class) -> usize {
    if class.ipv6 { 0 } else { ipv4::BYTES }
}

impl Judge {
    pub(super) fn new() -> Self {
        Self {
            vlan: swapped(ethernet::VLAN),
            ipv4: swapped(ethernet::IPV4),
            ipv6: swapped(ethernet::IPV6),
            plain: byte(ipv4::PLAIN),
            protocol: byte(udp::PROTOCOL),
            version: byte(VERSION),
            undefined: byte(!FLAGS),
            answer: byte(ACK | LAST),
            lone_ack: byte(ACK),
            front: std::array::from_fn(|c| bytes(Class::ALL[c].udp() - inside(Class::ALL[c]))),
            whole: std::array::from_fn(|c| bytes(Class::ALL[c].end())),
            least4: bytes(ipv4::BYTES + udp::BYTES + HEADER_BYTES),
            least6: bytes(udp::BYTES + HEADER_BYTES),
            inside4: bytes(ipv4::BYTES),
            none: Const::new(Verdict::default()),
            foreign: Verdict::new(0, Counter::RxForeign),
            data: Verdict::new(1, Counter::RxData),
            ack: Verdict::new(2, Counter::RxAcks),
            marked: Verdict::new(3, Counter::RxBad),
            truncated: Verdict::new(3, Counter::RxTruncated),
            bad_ip: Verdict::new(3, Counter::RxBadIp),
            bad_header: Verdict::new(3, Counter::RxBadHeader),
            ..Default::default()
        }
    }
}
