//! Captures of both ends of the wire, held against each other.
use std::collections::BTreeMap;
use timely_regs::roce::{AETH_BYTES, ICRC_BYTES, RETH_BYTES, icrc, offset, opcode};
use timely_regs::wire::Class;

/// A frame of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Simulated time, ns.
    pub ns: u64,
    /// The frame left the NIC by this end; else it came in.
    pub leaves: bool,
    /// Bytes of the frame.
    pub bytes: Vec<u8>,
}

/// The frames of a capture, as `timely-sim wire` writes it; of one that was cut off those before
/// the cut.
pub fn read(file: &[u8]) -> Vec<Passed> {
    let word = |at: usize| file.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let (mut at, mut all) = (0, Vec::new());
    while let (Some(kind), Some(length)) = (word(at), word(at + 4)) {
        let length = length as usize;
        if length < 12 || file.len() < at + length {
            break;
        }
        if kind == 6
            && let (Some(high), Some(low), Some(captured)) = (word(at + 12), word(at + 16), word(at + 20))
            && let Some(bytes) = file.get(at + 28..at + 28 + captured as usize)
        {
            let direction = word(at + 28 + (captured as usize).next_multiple_of(4) + 4);
            all.push(Passed { ns: u64::from(high) << 32 | u64::from(low), leaves: direction == Some(2), bytes: bytes.to_vec() });
        }
        at += length;
    }
    all
}

/// UDP port of RoCEv2.
const ROCE: [u8; 2] = 4791u16.to_be_bytes();
/// Opcodes of a reliable connection's SENDs, WRITEs and READ requests end here.
const REQUESTS: u8 = 0x0d;
/// Bytes of a frame on the wire beside those of a capture: preamble, FCS and gap.
const BESIDE: usize = 24;

/// Frames that keep their places among each other: the requests of a queue pair, or all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// Requests to the queue pair of this number.
    Requests(u32),
    /// Any other frame.
    Others,
}

// Of IPv4 without options, as the guests have it.
fn order(frame: &[u8]) -> Order {
    match frame.get(42..54) {
        Some(bth) if frame[12..15] == [8, 0, 0x45] && frame[23] == 17 && frame[36..38] == ROCE && bth[0] < REQUESTS => {
            Order::Requests(u32::from_be_bytes([0, bth[5], bth[6], bth[7]]))
        }
        _ => Order::Others,
    }
}

fn sorted(all: &[Passed], leaves: bool) -> BTreeMap<Order, Vec<&Passed>> {
    let mut of = BTreeMap::<_, Vec<_>>::new();
    all.iter().filter(|p| p.leaves == leaves).for_each(|p| of.entry(order(&p.bytes)).or_default().push(p));
    of
}

/// A request as the NIC may change it: it asks for an ACK, and its check sequence is made from
/// scratch. Of IPv4 without options and tag.
fn made_to_ask(frame: &[u8]) -> Option<Vec<u8>> {
    let (class, mut changed) = (Class::default(), frame.to_vec());
    let end = frame.len().checked_sub(ICRC_BYTES)?;
    *changed.get_mut(class.header() + offset::ACK_REQUEST).filter(|b| **b < 0x80)? |= 0x80;
    let sequence = icrc(&changed[..end], class);
    changed[end..].copy_from_slice(&sequence.to_le_bytes());
    Some(changed)
}

/// How many frames went from the first capture's end to the second's, byte for byte the same, and
/// the requests of each queue pair in order, as all others; and how many requests of these left
/// changed in nothing but that they ask for an ACK.
///
/// # Errors
/// A frame that differs, or is missing. The last ones may still have been in the NIC.
pub fn same(from: &[Passed], to: &[Passed]) -> Result<(usize, usize), String> {
    let mut made = 0;
    let (came, left) = (sorted(from, false), sorted(to, true));
    for (order, left) in &left {
        let came = came.get(order).map_or(&[][..], |c| c);
        if left.len() > came.len() {
            return Err(format!("{order:?}: {} frames came and {} left", came.len(), left.len()));
        }
        let mut differs = |a: &Passed, b: &Passed| {
            let asks = a.bytes != b.bytes && matches!(order, Order::Requests(_)) && made_to_ask(&a.bytes).as_ref() == Some(&b.bytes);
            made += usize::from(asks);
            a.bytes != b.bytes && !asks
        };
        if let Some(at) = came.iter().zip(left).position(|(a, b)| differs(a, b)) {
            let [a, b] = [came, left].map(|f| f[at].bytes.len());
            return Err(format!("{order:?}: frame {at} came with {a} bytes and left with {b}, or others"));
        }
    }
    Ok((left.values().map(Vec::len).sum(), made))
}

/// Packets of a request and of the responses that it brings, and their bytes on the wire. Of a path
/// MTU of 1,024, as the guests have it.
fn packets(request: &[u8]) -> (usize, usize) {
    const MTU: usize = 1024;
    let own = request.len() + BESIDE;
    let length = request.get(66..70).filter(|_| request[42] == opcode::READ_REQUEST);
    let Some(bytes) = length.map(|b| b.iter().fold(0, |sum, b| sum << 8 | usize::from(*b))) else { return (1, own) };
    let responses = bytes.div_ceil(MTU).max(1);
    // RETH is the request's alone; the first and the last response have the header of an ACK.
    (1 + responses, own + bytes + responses * (own - RETH_BYTES) + responses.min(2) * AETH_BYTES)
}

/// A queue pair's packets, and the Mb/s of the wire at which they left: those of its requests, and
/// of the responses that they bring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Queue pair to which the requests went.
    pub pair: u32,
    /// Requests.
    pub requests: usize,
    /// Packets of the requests and their responses.
    pub packets: usize,
    /// Mb/s of the wire.
    pub mbps: f64,
}

/// Rates of queue pairs with many packets, of which the first `skipped` of each are left out.
pub fn rates(of: &[Passed], skipped: usize, least: usize) -> Vec<Rate> {
    let rate = |pair: u32, frames: &[&Passed]| {
        let all: Vec<(usize, usize)> = frames.iter().map(|f| packets(&f.bytes)).collect();
        let first = all.iter().scan(0, |sum, p| (*sum < skipped).then(|| *sum += p.0)).count();
        let total: usize = all.iter().map(|p| p.0).sum();
        let (begin, end) = (frames.get(first)?, frames.last()?);
        let bits: usize = all[first..all.len() - 1].iter().map(|p| 8 * p.1).sum();
        let mbps = bits as f64 * 1e3 / begin.ns.abs_diff(end.ns) as f64;
        (total >= skipped + least && frames.len() >= first + 2).then_some(Rate { pair, requests: frames.len(), packets: total, mbps })
    };
    let pairs = sorted(of, true).into_iter();
    pairs.filter_map(|(order, frames)| if let Order::Requests(pair) = order { rate(pair, &frames) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(leaves: bool, byte: u8) -> Passed {
        Passed { ns: 0, leaves, bytes: vec![byte; 60] }
    }

    #[test]
    fn frames_are_held_against_each_other() {
        let from = [frame(false, 1), frame(true, 9), frame(false, 2), frame(false, 3)];
        assert_eq!(same(&from, &[frame(true, 1), frame(false, 7), frame(true, 2)]), Ok((2, 0)));
        assert!(same(&from, &[frame(true, 1), frame(true, 3)]).is_err_and(|e| e.contains("frame 1")));
        assert!(same(&[], &[frame(true, 1)]).is_err());
    }

    // A frame of opcode `opcode` to queue pair `pair`.
    fn request(leaves: bool, ns: u64, opcode: u8, pair: u8) -> Passed {
        let mut bytes = vec![0; 1082];
        (bytes[12], bytes[14], bytes[23]) = (8, 0x45, 17);
        bytes[36..38].copy_from_slice(&ROCE);
        (bytes[42], bytes[49]) = (opcode, pair);
        Passed { ns, leaves, bytes }
    }

    #[test]
    fn requests_of_a_pair_keep_their_order_and_their_rate() {
        let came = [request(false, 0, 6, 17), request(false, 0, 8, 17), request(false, 0, 17, 17), request(false, 0, 8, 18)];
        // An ACK to the same pair, and another pair's requests, may overtake.
        let left = [request(true, 0, 17, 17), request(true, 0, 8, 18), request(true, 0, 6, 17), request(true, 0, 8, 17)];
        assert_eq!(same(&came, &left), Ok((4, 0)));
        // A request that was made to ask for an ACK, and one whose sequence was not mended.
        let asks = made_to_ask(&came[0].bytes).expect("a request");
        let asking = |bytes| [left[0].clone(), left[1].clone(), Passed { bytes, ..left[2].clone() }, left[3].clone()];
        assert_eq!(same(&came, &asking(asks.clone())), Ok((4, 1)));
        let wrong = [&asks[..asks.len() - 1], &[!asks[asks.len() - 1]]].concat();
        assert!(same(&came, &asking(wrong)).is_err());
        assert_eq!(made_to_ask(&asks), None);
        assert!(same(&came, &[left[3].clone(), left[2].clone()]).is_err_and(|e| e.contains("Requests(17): frame 0")));
        // 1,106 bytes on the wire each 442.4 us.
        let all: Vec<_> = (0..20).map(|n| request(true, n * 442_400, 7, 5)).collect();
        let [rate] = rates(&all, 4, 10)[..] else { panic!("one pair") };
        assert!((rate.pair, rate.packets) == (5, 20) && (rate.mbps - 20.0).abs() < 1e-9 && rates(&all, 15, 10).is_empty());
    }

    #[test]
    fn reads_count_with_what_they_bring() {
        let read = |n: u64| {
            let mut read = request(true, n * 28_400_000, opcode::READ_REQUEST, 5);
            read.bytes.truncate(74);
            read.bytes[66..70].copy_from_slice(&65_536u32.to_be_bytes());
            read
        };
        // 98 bytes, and 64 responses of 1,106 with two headers of ACKs.
        assert_eq!(packets(&read(0).bytes), (65, 98 + 64 * 1106 + 8));
        let [rate] = rates(&(0..20).map(read).collect::<Vec<_>>(), 100, 1000)[..] else { panic!("one pair") };
        let right = (98.0 + 64.0 * 1106.0 + 8.0) * 8.0 / 28_400.0;
        assert!((rate.requests, rate.packets) == (20, 1300) && (rate.mbps - right).abs() < 1e-9, "{rate:?}");
    }
}
