//! Lost packets in ACKs: streams of segments through a path that drops what the test says, against
//! a count of the test's own.
use crate::answers::{Run, v4};
use crate::{config, report, welcome};
use rand::Rng;
use rand::seq::SliceRandom;
use std::collections::HashMap;
use timely_model::ack::loss::{AHEAD, EPOCH_SHIFT, ROWS, WAYS};
use timely_model::parse::Report;
use timely_regs::counters::Counter;
use timely_regs::wire::{Arrived, FIRST, Header, LAST, Loss, Packet};
use timely_tests::{rng, seeds};

/// A flow of a source: 10.1.0.`source`.
pub type Pair = (u8, u16);

/// Sends the segments of a pair.
#[derive(Clone, Debug)]
pub struct Sender {
    pub pair: Pair,
    /// Number of the segment under way.
    pub segment: u32,
    /// Packets of it, and those that left.
    pub size: u16,
    pub sent: u16,
}

impl Sender {
    pub fn new(pair: Pair, segment: u32, size: u16) -> Self {
        Sender { pair, segment, size, sent: 0 }
    }

    /// The next packet, and whether it is its segment's last.
    pub fn packet(&mut self, rng: &mut impl Rng) -> (Report, bool) {
        let (mut e, mut h, payload) = welcome(rng, &config());
        e.addresses = v4([10, 1, 0, self.pair.0], config().ipv4);
        e.tci = None;
        let last = self.sent + 1 == self.size;
        h.flags = if self.sent == 0 { FIRST } else { 0 } | if last { LAST } else { 0 };
        h = Header { flow: self.pair.1.into(), segment: self.segment, packet: self.sent, ..h };
        self.sent += 1;
        if last {
            (self.sent, self.segment) = (0, self.segment.wrapping_add(1));
        }
        (report(&e, &h, payload, 0), last)
    }
}

/// A model that is ready to learn, with its time.
fn ready() -> Run {
    let mut run = Run::new();
    for _ in 0..ROWS {
        run.step(None);
    }
    run
}

/// A packet that arrives, two clocks from the next.
fn arrive(run: &mut Run, report: Report) {
    run.step(Some(report));
    run.step(None);
}

/// The ACKs so far, by pair: segment and what it says. Their UDP checksum covers it.
fn told(run: &mut Run) -> HashMap<Pair, Vec<(u32, Loss)>> {
    run.drain();
    let mut all = HashMap::<Pair, Vec<_>>::new();
    for frame in run.frames.drain(..) {
        let p = Packet::new_unchecked(&frame[..], Default::default());
        assert!(p.udp_checksum_holds(), "{frame:02x?}");
        let to = p.ip_destination()[3];
        all.entry((to, p.flow() as u16)).or_default().push((p.segment(), Loss::of(p.loss())));
    }
    all
}

const WHOLE: Loss = Loss { arrived: Arrived::Complete, skipped: 0 };

/// As many pairs as the table holds, in any order, segments of 1 to 254 packets, one in three
/// twice: every segment is complete, and none was skipped.
#[test]
fn without_loss_nothing_is_claimed() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut run = ready();
        let mut senders: Vec<_> = (0..(WAYS * ROWS) as u32)
            .map(|n| {
                let size = [1, 2, 8, 254][rng.random_range(0..4)].min(if n % 64 == 0 { 254 } else { 8 });
                Sender::new((1 + (n / ROWS as u32) as u8, (n % ROWS as u32) as u16), rng.random(), size)
            })
            .collect();
        // One after another, each its first packet; then at random.
        let mut segments = 0;
        for n in 0..60_000 {
            let of = if n < senders.len() { n } else { rng.random_range(0..senders.len()) };
            let (report, last) = senders[of].packet(&mut rng);
            segments += u32::from(last);
            arrive(&mut run, report);
        }
        let told = told(&mut run);
        assert_eq!(told.values().flatten().count(), segments as usize, "seed {seed}");
        assert!(segments > 10_000 && told.values().flatten().all(|(_, loss)| *loss == WHOLE), "seed {seed}");
        let counted = [Counter::SegmentsIncomplete, Counter::SegmentsSkipped, Counter::LossUnknown].map(|c| run.count(c));
        assert_eq!(counted, [0; 3], "seed {seed}");
    }
}

/// Seven of eight packets are lost, regularly or at random, of segments of 1 and of 8: what the
/// ACKs say adds up to the segments that lost packets, from the first ACK on. Once a pair is known,
/// no ACK says `unknown`.
#[test]
fn losses_are_told_exactly() {
    for (size, seed) in [1, 8].into_iter().flat_map(|size| seeds().into_iter().map(move |seed| (size, seed))) {
        for regular in [None, Some(0), Some(7)] {
            let mut rng = rng(seed);
            let mut run = ready();
            let mut senders: Vec<_> = (0..40).map(|n| Sender::new((n / 8 + 1, u16::from(n % 8)), rng.random(), size)).collect();
            // By pair: the segment under way lost a packet; segments skipped since the last ACK;
            // segments that ACKs told of; there was an ACK.
            let mut broken = vec![(false, 0u32, 0u32, false); senders.len()];
            for n in 0..24_000usize {
                let of = n % senders.len();
                let s = &mut senders[of];
                let place = if size == 1 { s.segment % 8 } else { s.sent.into() };
                let lost = regular.map_or_else(|| rng.random_bool(7.0 / 8.0), |kept| place != kept);
                let (report, last) = s.packet(&mut rng);
                let (hurt, since, due, known) = &mut broken[of];
                *hurt |= lost;
                if !lost {
                    arrive(&mut run, report);
                }
                if last && lost {
                    *since += 1;
                } else if last {
                    *due += if *known { (*since).min(Loss::MOST.into()) + u32::from(*hurt) } else { 0 };
                    (*since, *known) = (0, true);
                }
                *hurt &= !last;
            }
            let all = told(&mut run);
            let mut acks = 0;
            for (s, (_, _, due, _)) in senders.iter().zip(&broken) {
                let said = all.get(&s.pair).map_or(&[][..], Vec::as_slice);
                let unknown = said.iter().filter(|(_, l)| l.arrived == Arrived::Unknown).count();
                assert!(unknown <= usize::from(size > 1), "{unknown} ACKs of {:?} say nothing, seed {seed}", s.pair);
                let told: u32 = said.iter().skip(1).map(|(_, l)| u32::from(l.segments())).sum();
                assert_eq!(told, *due, "{:?}, size {size}, kept {regular:?}, seed {seed}", s.pair);
                acks += said.len();
            }
            assert!(acks > 300 || regular == Some(0) && size == 8, "{acks} ACKs");
            let counted = run.count(Counter::SegmentsIncomplete) + run.count(Counter::SegmentsSkipped);
            assert!(counted > 200 || acks == 0, "{counted} counted of {acks}");
        }
    }
}

/// Four times as many pairs as places: a pair without a place gets `unknown` for ever, no pair a
/// false loss, and the places keep their owners.
#[test]
fn beyond_the_table_nothing_is_known() {
    let mut rng = rng(3);
    let mut run = ready();
    let mut senders: Vec<_> =
        (0..4 * (WAYS * ROWS) as u32).map(|n| Sender::new((1 + (n / 1024) as u8, (n % 1024) as u16), rng.random(), 2)).collect();
    let mut order: Vec<usize> = (0..senders.len()).collect();
    for _ in 0..3 {
        order.shuffle(&mut rng);
        for packets in [1, 2] {
            for of in &order {
                for _ in 0..packets {
                    let (report, _) = senders[*of].packet(&mut rng);
                    arrive(&mut run, report);
                }
            }
        }
    }
    let all = told(&mut run);
    let known = all.values().filter(|said| said.iter().all(|(_, l)| *l == WHOLE)).count();
    let unknown = all.values().filter(|said| said.iter().all(|(_, l)| *l == Loss::default())).count();
    assert_eq!((known, unknown), (WAYS * ROWS, 3 * WAYS * ROWS));
}

/// An owner that sends keeps its place, however many others come and whatever the time; one silent
/// for two epochs loses it.
#[test]
fn places_pass_on_with_time() {
    let mut rng = rng(4);
    let mut run = ready();
    // Flows of one source that are 512 apart share a row.
    let pairs: Vec<Pair> = (0..WAYS as u16 + 1).map(|k| (1, 7 + ROWS as u16 * k)).collect();
    let mut senders: Vec<_> = pairs.iter().map(|pair| Sender::new(*pair, 100, 1)).collect();
    for epoch in 0..9u64 {
        run.offset = epoch << EPOCH_SHIFT;
        for s in &mut senders {
            let (report, _) = s.packet(&mut rng);
            arrive(&mut run, report);
        }
        run.drain();
    }
    let all = told(&mut run);
    assert!(pairs[..WAYS].iter().all(|p| all[p].iter().all(|(_, l)| *l == WHOLE)));
    assert!(all[&pairs[WAYS]].iter().all(|(_, l)| *l == Loss::default()));
    // The first falls silent: the last gets its place after two epochs, and then the first has
    // none.
    for epoch in 9..12u64 {
        run.offset = epoch << EPOCH_SHIFT;
        for s in senders.iter_mut().skip(1) {
            let (report, _) = s.packet(&mut rng);
            arrive(&mut run, report);
        }
        run.drain();
    }
    let (report, _) = senders[0].packet(&mut rng);
    arrive(&mut run, report);
    let all = told(&mut run);
    assert_eq!(all[&pairs[WAYS]].iter().map(|(_, l)| *l).collect::<Vec<_>>(), [Loss::default(), WHOLE, WHOLE]);
    assert_eq!(all[&pairs[0]], [(109, Loss::default())]);
}

/// A sender that begins anew at 0, one that jumps, a late packet and a repeated one: no false loss,
/// and the next segment is known again.
#[test]
fn numbers_that_do_not_follow() {
    let mut rng = rng(5);
    let mut run = ready();
    let mut go = |segment: u32, expected: Loss| {
        let (report, _) = Sender::new((1, 9), segment, 1).packet(&mut rng);
        arrive(&mut run, report);
        let all = told(&mut run);
        assert_eq!(all[&(1, 9)], [(segment, expected)]);
    };
    let ahead = u32::from(AHEAD);
    let skipped = |skipped| Loss { skipped, ..WHOLE };
    for (segment, expected) in [
        (40, WHOLE),
        (41, WHOLE),
        (40, Loss::default()),
        (41, Loss::default()),
        (42, WHOLE),
        (44, skipped(1)),
        (0, WHOLE),
        (1, WHOLE),
        (1 + ahead - 1, skipped(Loss::MOST)),
        (10_000, WHOLE),
        (10_001, WHOLE),
        (9_999, Loss::default()),
        (10_002, WHOLE),
        (10_066, skipped(63)),
        (10_130, skipped(63)),
        (65_536, WHOLE),
        (65_539, skipped(2)),
    ] {
        go(segment, expected);
    }
}

/// A segment of 8 packets whose middle comes twice or late is no loss; one of 300 packets says
/// nothing.
#[test]
fn packets_that_come_twice_or_are_many() {
    let mut rng = rng(6);
    let mut run = ready();
    let mut s = Sender::new((1, 9), 5, 8);
    let packets: Vec<_> = (0..8).map(|_| s.packet(&mut rng).0).collect();
    for k in [0, 2, 1, 3, 6, 5, 4, 7] {
        arrive(&mut run, packets[k]);
    }
    let packets: Vec<_> = (0..8).map(|_| s.packet(&mut rng).0).collect();
    for k in [0, 1, 2, 2, 3, 4, 5, 6, 7] {
        arrive(&mut run, packets[k]);
    }
    let mut long = Sender::new((1, 9), 7, 300);
    for _ in 0..300 {
        arrive(&mut run, long.packet(&mut rng).0);
    }
    assert_eq!(told(&mut run)[&(1, 9)], [(5, WHOLE), (6, Loss::default()), (7, Loss::default())]);
}

/// A host that may not be answered leaves no trace in the table.
#[test]
fn strangers_have_no_place() {
    let mut rng = rng(7);
    let mut run = ready();
    for n in 0..(4 * WAYS * ROWS) as u32 {
        let (mut e, mut h, payload) = welcome(&mut rng, &config());
        e.addresses = v4([10, 3, 0, 1], config().ipv4);
        (h.flow, h.flags) = (n % 0x1_0000, FIRST);
        arrive(&mut run, report(&e, &h, payload, 0));
    }
    let mut senders: Vec<_> = (0..(WAYS * ROWS) as u16).map(|n| Sender::new((1, n), 3, 1)).collect();
    for s in &mut senders {
        let (report, _) = s.packet(&mut rng);
        arrive(&mut run, report);
    }
    let all = told(&mut run);
    assert!(all.len() == WAYS * ROWS && all.values().flatten().all(|(_, l)| *l == WHOLE));
}
