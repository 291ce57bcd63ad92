//! Places of a flow's payload, once a packet of it was lost: what is sent again, and what has come.
//!
//! Offsets count all payload that a flow sends, places its messages' bytes, each once. Both are the
//! same until something is sent again, and no flow has places before.
use crate::metrics::flow::Arrived;
use std::collections::VecDeque;

/// Places of a flow.
#[derive(Debug)]
pub struct Places {
    // Offsets from which places go on elsewhere, with these places.
    sent: VecDeque<(u64, u64)>,
    // Offset and place of what is sent next for the first time.
    end: u64,
    fresh: u64,
    // Places to be sent again, each range with its end.
    again: VecDeque<(u64, u64)>,
    // At the receiver: places of the packets that came, and of the segments whose last packet did.
    came: Arrived,
    segments: Arrived,
}

impl Places {
    /// Of a flow that has sent so much, of which everything before these offsets came: by packets,
    /// by segments.
    pub(super) fn new(end: u64, came: u64, segments: u64) -> Self {
        let [came, segments] = [came, segments].map(Arrived::until);
        Places { sent: VecDeque::from([(0, 0)]), end, fresh: end, again: VecDeque::new(), came, segments }
    }

    // The offset of which these are the low bits: the last one.
    fn offset(&self, low: u32) -> u64 {
        self.end - u64::from((self.end as u32).wrapping_sub(low))
    }

    // Ranges of places of the `bytes` before this offset.
    fn of(&self, end: u32, bytes: u32) -> impl Iterator<Item = (u64, u64)> + '_ {
        let to = self.offset(end);
        let from = to.saturating_sub(bytes.into()).max(self.sent[0].0);
        let first = self.sent.partition_point(|s| s.0 <= from).saturating_sub(1);
        let pieces = self.sent.range(first..).enumerate().map_while(move |(i, (at, place))| {
            let until = self.sent.get(first + i + 1).map_or(to, |s| s.0.min(to));
            let at_least = from.max(*at);
            (*at < to).then(|| (place + (at_least - at), place + (until - at)))
        });
        pieces.filter(|r| r.0 < r.1)
    }

    /// So many bytes are sent, those first that are sent again.
    pub(super) fn send(&mut self, mut bytes: u64) {
        while bytes > 0 {
            let (place, taken) = match self.again.front_mut() {
                Some((from, to)) => {
                    let (place, taken) = (*from, bytes.min(*to - *from));
                    *from += taken;
                    if from == to {
                        self.again.pop_front();
                    }
                    (place, taken)
                }
                None => {
                    self.fresh += bytes;
                    (self.fresh - bytes, bytes)
                }
            };
            if self.sent.back().is_none_or(|(at, of)| of + (self.end - at) != place) {
                self.sent.push_back((self.end, place));
            }
            self.end += taken;
            bytes -= taken;
        }
    }

    /// The `bytes` before this offset were lost: they are sent again.
    pub(super) fn lose(&mut self, end: u32, bytes: u32) {
        let lost: Vec<_> = self.of(end, bytes).collect();
        for (from, to) in lost {
            match self.again.back_mut() {
                Some(last) if last.1 == from => last.1 = to,
                _ => self.again.push_back((from, to)),
            }
        }
    }

    /// The `bytes` before this offset are answered after all: whether none of them was sent again
    /// yet, so that they need not be.
    pub(super) fn spare(&mut self, end: u32, bytes: u32) -> bool {
        let late: Vec<_> = self.of(end, bytes).collect();
        let at = |again: &VecDeque<(u64, u64)>, r: &(u64, u64)| again.iter().position(|a| a.0 <= r.0 && r.1 <= a.1);
        if late.iter().any(|r| at(&self.again, r).is_none()) {
            return false;
        }
        for r in &late {
            let Some(i) = at(&self.again, r) else { continue };
            let (from, to) = std::mem::replace(&mut self.again[i], (r.1, 0));
            self.again[i].1 = to;
            if r.1 == to {
                self.again.remove(i);
            }
            if from < r.0 {
                self.again.insert(i, (from, r.0));
            }
        }
        true
    }

    /// A packet with the `bytes` before this offset came: how many of them had not.
    pub(super) fn come(&mut self, end: u32, bytes: u32) -> u32 {
        let came: Vec<_> = self.of(end, bytes).collect();
        came.into_iter().map(|(from, to)| self.came.add(from, to - from)).sum::<u64>() as u32
    }

    /// The last packet of the segment of `bytes` before this offset came: the place before which
    /// all segments have.
    pub(super) fn complete(&mut self, end: u32, bytes: u32) -> u64 {
        let of: Vec<_> = self.of(end, bytes).collect();
        for (from, to) in of {
            self.segments.add(from, to - from);
        }
        self.segments.before()
    }

    /// An answer for what ends at this offset came: nothing before it is heard of any more.
    pub(super) fn forget(&mut self, end: u32) {
        let end = self.offset(end);
        while self.sent.get(1).is_some_and(|s| s.0 <= end) {
            self.sent.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 1,000 bytes the second hundred is sent again between others, and comes once.
    #[test]
    fn what_is_sent_again_keeps_its_place() {
        let mut p = Places::new(400, 100, 100);
        assert_eq!((p.come(300, 100), p.come(400, 100)), (100, 100));
        assert_eq!((p.complete(300, 100), p.complete(400, 100)), (100, 100));
        p.lose(200, 100);
        p.send(50);
        p.send(150);
        assert_eq!(p.of(600, 200).collect::<Vec<_>>(), [(100, 200), (400, 500)]);
        assert_eq!((p.come(450, 50), p.come(600, 150), p.come(600, 150)), (50, 150, 0));
        assert_eq!(p.complete(600, 200), 500);
        // What is answered late is not sent again, but for what was by then.
        p.send(400);
        p.lose(1000, 400);
        assert!(p.spare(800, 100));
        p.send(150);
        assert!(!p.spare(700, 100));
        assert_eq!(p.of(1150, 150).collect::<Vec<_>>(), [(500, 600), (700, 750)]);
        p.forget(1150);
        assert_eq!(p.sent.len(), 1);
        p.send(200);
        assert_eq!(p.of(1350, 200).collect::<Vec<_>>(), [(750, 950)]);
    }
}
