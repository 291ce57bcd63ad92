//! Writing of places in the departure ring into packets that pass: `timely_hw::mark`.
use crate::stream::{Beat, WIDEST};
use crate::{Block, fifo};
use std::collections::VecDeque;
use timely_regs::wire::{ACK, Class, FLAGS, HEAD_BYTES, LAST, ethernet, ipv4, ipv6, udp};

/// Version of the wire format that has a place.
pub const VERSION: u8 = 2;
/// Where the place stands in our header: 2 bytes.
pub const PLACE: usize = 4;
/// Where the flow stands in our header: 2 bytes.
pub const FLOW: usize = 6;
/// Address bits of the queue of beats.
pub const QUEUE: u32 = 4;
/// Clocks from the beat that settles a packet's verdict to the first at which the packet's held
/// beats may leave.
pub const JUDGING: u64 = 7;

/// Beats by which each beat of a packet waits for its successors on a bus of `width` bits: then our
/// header is complete when the UDP checksum leaves, in all four classes.
///
/// # Panics
/// When the bus has no bytes.
pub fn ahead(width: usize) -> usize {
    let bus = width / 8;
    Class::ALL.iter().map(|c| (c.end() - 1) / bus - (c.udp() + udp::CHECKSUM) / bus).max().unwrap_or(0)
}

/// Clocks from a packet's first beat at the input to its first beat at the output, if its beats
/// come without gaps and the output is free; of a packet of fewer than [`ahead`] + 1 beats as many
/// fewer.
pub fn latency(width: usize) -> u64 {
    ahead(width) as u64 + JUDGING
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In<T> {
    /// Synchronous reset; the counter starts at 0.
    pub rst: bool,
    /// A beat offered, and the bits beside it.
    pub beat: Option<(Beat, T)>,
    /// Our UDP port; 0 stands for none.
    pub port: u16,
    /// Bits that are set in every place.
    pub base: u16,
    /// Downstream takes the beat.
    pub ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out<T> {
    /// An offered beat is taken.
    pub ready: bool,
    /// The beat, and the bits that came beside it.
    pub beat: Option<(Beat, T)>,
    /// A packet gets this place.
    pub marked: Option<u16>,
}

/// The headers of a packet, known once they are complete or the packet has ended.
#[derive(Clone, Debug, PartialEq)]
struct Head {
    class: Class,
    /// All but the port says that it is ours.
    ours: bool,
    port: u16,
    checksum: u16,
    place: u16,
}

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Verdict {
    class: Class,
    /// The place and the UDP checksum to write.
    write: Option<(u16, u16)>,
}

/// The UDP checksum of a datagram of which a 16-bit word `from` became `to` (RFC 1624); over IPv4,
/// 0 stands for none and stays.
pub fn mended(checksum: u16, from: u16, to: u16, is_ipv6: bool) -> u16 {
    if checksum == 0 && !is_ipv6 {
        return 0;
    }
    let sum = u32::from(!checksum) + u32::from(!from) + u32::from(to);
    let folded = (sum & 0xffff) + (sum >> 16);
    let sum = ((folded & 0xffff) + (folded >> 16)) as u16;
    // The sum's two zeros: 0 would mean that there is no checksum.
    if sum == 0xffff { 0xffff } else { !sum }
}

/// The block, with a `T` beside each beat.
#[derive(Clone, Debug)]
pub struct Mark<T> {
    width: usize,
    flow_bits: u32,
    mask: u16,
    /// The first bytes of the packet that comes in, and the beats of it that were taken.
    head: Vec<u8>,
    beats: usize,
    queue: fifo::Fifo<(Beat, T)>,
    verdicts: VecDeque<Verdict>,
    /// The stages behind a packet's last needed beat: 1 and 2, 3 with the port compared, 4 with the
    /// place, 5 with the checksum.
    heads: [Option<Head>; 2],
    checked: Option<Head>,
    decided: Option<Verdict>,
    summed: Option<Verdict>,
    /// Beats that may leave, by the clocks until they do.
    releases: VecDeque<usize>,
    released: usize,
    count: u16,
    /// Beats of the packet at the queue's output that have left.
    sent: usize,
    out: Option<(Beat, T)>,
}

/// Clocks from a beat's taking to the one at which what it releases counts.
const RELEASE_STAGES: usize = 5;

impl<T: Copy + PartialEq + std::fmt::Debug> Mark<T> {
    /// For a bus of `width` bits, flows below `2^flow_bits`, and a counter of `place_bits` bits.
    pub fn new(width: usize, flow_bits: u32, place_bits: u32) -> Self {
        Mark {
            width,
            flow_bits,
            mask: ((1u32 << place_bits) - 1) as u16,
            head: Vec::new(),
            beats: 0,
            queue: fifo::Fifo::new(QUEUE),
            verdicts: VecDeque::new(),
            heads: [None, None],
            checked: None,
            decided: None,
            summed: None,
            releases: std::iter::repeat_n(0, RELEASE_STAGES).collect(),
            released: 0,
            count: 0,
            sent: 0,
            out: None,
        }
    }

    /// With the beat that completes the header of a packet, or its last one before that: what the
    /// head says.
    fn take(&mut self, beat: &Beat) -> (Option<Head>, usize) {
        let bus = self.width / 8;
        if self.head.len() < HEAD_BYTES + WIDEST {
            self.head.extend_from_slice(&beat.data[..bus]);
        }
        let index = self.beats;
        let (class, known) = class_of(&self.head);
        let end = class.end() - 1;
        let head = match index.cmp(&(end / bus)) {
            std::cmp::Ordering::Less if !beat.last => None,
            std::cmp::Ordering::Greater => None,
            order => {
                let whole = order.is_eq() && beat.keep() >> (end % bus) & 1 == 1;
                let ours = whole && known && is_ours(&self.head, class, self.flow_bits);
                let word = |at: usize| self.head.get(at..at + 2).map_or(0, |b| u16::from_be_bytes([b[0], b[1]]));
                Some(Head {
                    class,
                    ours,
                    port: word(class.udp() + udp::DESTINATION),
                    checksum: word(class.udp() + udp::CHECKSUM),
                    place: word(class.header() + PLACE),
                })
            }
        };
        let ahead = ahead(self.width);
        let leaves = if beat.last { index.min(ahead) + 1 } else { usize::from(index >= ahead) };
        self.beats += 1;
        if beat.last {
            self.beats = 0;
            self.head.clear();
        }
        (head, leaves)
    }
}

/// The packet's class, and whether it has an EtherType of IPv4 or IPv6; of a packet that is too
/// short to say, anything.
fn class_of(head: &[u8]) -> (Class, bool) {
    let word = |at: usize| head.get(at..at + 2).map_or(0, |b| u16::from_be_bytes([b[0], b[1]]));
    let vlan = word(ethernet::TYPE) == ethernet::VLAN;
    let kind = word(if vlan { ethernet::TAGGED_TYPE } else { ethernet::TYPE });
    (Class { vlan, ipv6: kind == ethernet::IPV6 }, kind == ethernet::IPV4 || kind == ethernet::IPV6)
}

/// A packet of ours that ends its segment, but for the port.
fn is_ours(head: &[u8], class: Class, flow_bits: u32) -> bool {
    let (ip, header) = (class.ip(), class.header());
    let plain = if class.ipv6 {
        head[ip] >> 4 == 6 && head[ip + ipv6::NEXT_HEADER] == udp::PROTOCOL
    } else {
        let fragment = u16::from_be_bytes([head[ip + ipv4::FRAGMENT], head[ip + ipv4::FRAGMENT + 1]]);
        head[ip] == ipv4::PLAIN
            && fragment & (ipv4::MORE_FRAGMENTS | ipv4::FRAGMENT_OFFSET) == 0
            && head[ip + ipv4::PROTOCOL] == udp::PROTOCOL
    };
    let flow = u16::from_be_bytes([head[header + FLOW], head[header + FLOW + 1]]);
    let flags = head[header + 1];
    plain && head[header] == VERSION && flags & (LAST | ACK | !FLAGS) == LAST && u32::from(flow) >> flow_bits == 0
}

impl<T: Copy + PartialEq + Default + std::fmt::Debug> Block for Mark<T> {
    type In = In<T>;
    type Out = Out<T>;

    fn output(&self, clk: u64) -> Out<T> {
        Out { ready: self.queue.output(clk).ready, beat: self.out, marked: self.summed.and_then(|v| v.write).map(|(place, _)| place) }
    }

    fn step(&mut self, clk: u64, i: &In<T>) {
        if i.rst {
            *self = Mark { width: self.width, flow_bits: self.flow_bits, mask: self.mask, ..Mark::new(64, 10, 13) };
            return;
        }
        let queue = self.queue.output(clk);
        let verdict = self.verdicts.front().copied();
        let taken = i.beat.filter(|_| queue.ready);
        // Out of the queue, and what is to be written is written.
        let free = self.out.is_none() || i.ready;
        let popped = queue.head.filter(|_| free && self.released > 0);
        if free {
            self.out = popped.map(|(mut beat, side)| {
                let bus = self.width / 8;
                if let Some(Verdict { class, write: Some((place, checksum)) }) = verdict {
                    for (at, word) in [(class.udp() + udp::CHECKSUM, checksum), (class.header() + PLACE, place)] {
                        if at / bus == self.sent {
                            beat.data[at % bus..][..2].copy_from_slice(&word.to_be_bytes());
                        }
                    }
                }
                (beat, side)
            });
        }
        let ends = popped.is_some_and(|(beat, _)| beat.last);
        if popped.is_some() {
            self.sent = if ends { 0 } else { self.sent + 1 };
        }
        self.queue.step(clk, &fifo::In { rst: false, push: taken, ready: popped.is_some() });
        if ends {
            self.verdicts.pop_front();
        }
        self.verdicts.extend(self.summed.take());
        self.released = self.released + self.releases.pop_front().unwrap_or(0) - usize::from(popped.is_some());
        // The stages, the last one first.
        self.summed = self.decided.take();
        self.decided = self.checked.take().map(|h| {
            let write = h.ours.then(|| {
                let place = i.base | self.count;
                self.count = self.count.wrapping_add(1) & self.mask;
                (place, mended(h.checksum, h.place, place, h.class.ipv6))
            });
            Verdict { class: h.class, write }
        });
        let [first, second] = std::mem::take(&mut self.heads);
        self.checked = second.map(|h| Head { ours: h.ours && h.port == i.port && i.port != 0, ..h });
        let (head, leaves) = taken.map_or((None, 0), |(beat, _)| self.take(&beat));
        self.heads = [head, first];
        self.releases.push_back(leaves);
    }

    fn wake(&self, clk: u64) -> u64 {
        let idle = self.queue.is_settled()
            && self.heads.iter().all(Option::is_none)
            && self.checked.is_none()
            && self.decided.is_none()
            && self.summed.is_none()
            && self.released == 0
            && self.releases.iter().all(|n| *n == 0)
            && self.out.is_none();
        if idle { u64::MAX } else { clk }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_regs::wire::ones_complement_sum;

    #[test]
    fn the_header_is_complete_in_time() {
        assert_eq!([64, 128, 256, 512].map(ahead), [6, 3, 2, 1]);
        assert_eq!([64, 128, 256, 512].map(latency), [13, 10, 9, 8]);
    }

    /// Every old and new word that RFC 1624's examples and the sum's two zeros are about, against a
    /// sum made anew.
    #[test]
    fn a_mended_sum_is_that_of_a_new_one() {
        let words = [0u16, 1, 0x5555, 0x3285, 0x7fff, 0x8000, 0xfffe, 0xffff];
        for rest in words {
            for from in words {
                for to in words {
                    let sum = |word: u16| {
                        let [a, b, c, d] = [rest.to_be_bytes(), word.to_be_bytes()].concat()[..] else { unreachable!() };
                        let sum = !ones_complement_sum(0, &[a, b, c, d, 0, 17]);
                        if sum == 0 { 0xffff } else { sum }
                    };
                    assert_eq!(mended(sum(from), from, to, true), sum(to), "{rest:04x}: {from:04x} to {to:04x}");
                    assert_eq!(mended(sum(from), from, to, false), sum(to), "{rest:04x}: {from:04x} to {to:04x}");
                    assert_eq!(mended(0, from, to, false), 0);
                }
            }
        }
    }
}
