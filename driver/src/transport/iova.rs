//! Addresses for DMA: pages taken from the ranges that are valid for a device, never a process' own
//! addresses.
use bitvec::vec::BitVec;
use std::ops::RangeInclusive;

/// Least address that is given out, so that an address that was never set faults.
const LEAST: u64 = 1 << 20;

/// A range of pages.
#[derive(Debug)]
struct Span {
    first: u64,
    /// A bit a page.
    used: BitVec,
}

/// The addresses of a device.
#[derive(Debug)]
pub struct IovaSpace {
    page: u64,
    spans: Vec<Span>,
}

impl IovaSpace {
    /// Pages of `page` bytes out of the valid ranges, `most` bytes in all.
    pub fn new(valid: &[RangeInclusive<u64>], page: u64, most: u64) -> Self {
        let mut left = most / page;
        let mut spans = Vec::new();
        for range in valid {
            let first = range.start().max(&LEAST).next_multiple_of(page);
            // One less than the end, which itself may be 2^64.
            let pages = (range.end().saturating_add(1) / page).saturating_sub(first / page).min(left);
            if pages > 0 {
                spans.push(Span { first, used: BitVec::repeat(false, pages as usize) });
                left -= pages;
            }
        }
        IovaSpace { page, spans }
    }

    fn pages(&self, bytes: u64) -> usize {
        // And one that stays free, so that what runs over the end of a buffer faults.
        bytes.div_ceil(self.page) as usize + 1
    }

    /// Takes the lowest free address with room for so many bytes.
    pub fn take(&mut self, bytes: u64) -> Option<u64> {
        let pages = self.pages(bytes);
        for span in &mut self.spans {
            let mut at = 0;
            while let Some(free) = span.used[at..].first_zero().map(|i| at + i) {
                let end = span.used[free..].first_one().map_or(span.used.len(), |i| free + i);
                if end - free >= pages {
                    span.used[free..free + pages].fill(true);
                    return Some(span.first + free as u64 * self.page);
                }
                at = end;
            }
        }
        None
    }

    /// Gives back what [`IovaSpace::take`] gave for so many bytes.
    pub fn give(&mut self, address: u64, bytes: u64) {
        let (page, pages) = (self.page, self.pages(bytes));
        for span in &mut self.spans {
            let at = address.wrapping_sub(span.first) / page;
            if address >= span.first && at as usize + pages <= span.used.len() {
                span.used[at as usize..at as usize + pages].fill(false);
                return;
            }
        }
    }

    /// Bytes of the longest buffer that could be taken.
    pub fn longest(&self) -> u64 {
        let mut longest = 0;
        for span in &self.spans {
            let mut at = 0;
            while let Some(free) = span.used[at..].first_zero().map(|i| at + i) {
                let end = span.used[free..].first_one().map_or(span.used.len(), |i| free + i);
                longest = longest.max(end - free);
                at = end;
            }
        }
        (longest as u64).saturating_sub(1) * self.page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: u64 = 4096;

    #[test]
    fn buffers_are_apart_and_come_back() {
        let mut space = IovaSpace::new(&[0..=0xfedf_ffff], PAGE, 16 * PAGE);
        let a = space.take(1).expect("room");
        let b = space.take(PAGE + 1).expect("room");
        assert_eq!((a, b), (LEAST, LEAST + 2 * PAGE));
        let c = space.take(10 * PAGE).expect("room");
        assert_eq!((c, space.take(1), space.longest()), (LEAST + 5 * PAGE, None, 0));
        space.give(b, PAGE + 1);
        assert_eq!(space.longest(), 2 * PAGE);
        assert_eq!((space.take(3 * PAGE), space.take(2 * PAGE)), (None, Some(b)));
    }

    /// The ranges of a machine with an interrupt window in the middle and a last page that ends
    /// with 2^64.
    #[test]
    fn only_valid_addresses_are_given() {
        let valid = [0..=LEAST + PAGE - 1, 0xfee0_0800..=0xfee0_3fff, 0xffff_ffff_ffff_f000..=u64::MAX];
        let mut space = IovaSpace::new(&valid, PAGE, 1 << 30);
        assert_eq!(space.take(2 * PAGE), Some(0xfee0_1000), "the first range has one page, the second three whole ones");
        assert_eq!(space.take(1), None, "a page and its guard are nowhere left");
        assert_eq!(IovaSpace::new(&[], PAGE, 1 << 30).take(1), None);
        assert_eq!(IovaSpace::new(&[0..=u64::MAX], PAGE, 4 * PAGE).longest(), 3 * PAGE);
    }
}
