//! The charge unit: what each flow's packets cost. See `timely_hw::pacer::charge`.
use crate::{Block, bus};

/// Bits of a flow's sums of charged and of released bytes: both are modulo `2^BYTES_BITS`, their
/// difference is read with its sign. A flow must have fewer than `2^(BYTES_BITS - 1)` bytes
/// outstanding; a bound has at most [`profile::OUTSTANDING`](timely_regs::profile::OUTSTANDING).
pub const BYTES_BITS: u32 = u32::BITS;
/// Counts of charged packets are modulo `2^SETTLED_BITS`.
pub const SETTLED_BITS: u32 = 9;

/// Counts of grants that no packet answered are modulo `2^VOID_BITS`: between two passes that
/// grant, a flow has as many at most as it has [uncharged packets](super::token::UNCHARGED) and a
/// train; where that is more, as many are not seen.
pub const VOID_BITS: u32 = u8::BITS;

/// Logarithm of the unit of the size of a flow's largest packet: 512 bytes.
pub const LARGEST_SHIFT: u32 = 9;
/// At every charge whose number this divides, that size is a unit less, unless the packet is as
/// large.
pub const LARGEST_FADES: u16 = 16;

/// Charges of a flow since the reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paid {
    /// Wire bytes, modulo `2^32`.
    pub bytes: u32,
    /// Packets, modulo `2^9`.
    pub settled: u16,
    /// Grants of these that no packet answered, modulo `2^VOID_BITS`.
    pub voids: u8,
    /// Bytes of the last packet that cost any.
    pub last: u16,
    /// The largest of its last packets, 512 bytes, rounded down: one fewer at every 16th charge
    /// ([`LARGEST_FADES`]), one of 0 bytes too, unless the packet is as large. A load does not
    /// clear it.
    pub largest: u8,
    /// The last packet ended its segment.
    pub ends: bool,
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// The charge for the packet that answers a flow's oldest uncharged grant.
    pub charge: Option<bus::Charge>,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// A flow's new account, 4 clocks after its charge.
    pub paid: Option<(u32, Paid)>,
    /// The RAM is clear.
    pub swept: bool,
}

/// The accounts.
#[derive(Clone, Debug)]
pub struct Charge {
    accounts: Vec<Paid>,
    stages: [Option<bus::Charge>; 3],
    paid: Option<(u32, Paid)>,
    swept_at: u64,
}

impl Charge {
    /// `2^flow_bits` clear accounts, RAM init beginning at clock 0.
    pub fn new(flow_bits: u32) -> Self {
        Charge { accounts: vec![Paid::default(); 1 << flow_bits], stages: [None; 3], paid: None, swept_at: 1 << flow_bits }
    }
}

impl Block for Charge {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        Out { paid: self.paid, swept: clk >= self.swept_at }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Charge::new(self.accounts.len().trailing_zeros());
            self.swept_at += clk + 1;
            return;
        }
        self.paid = self.stages[2].map(|bus::Charge { flow, bytes, ends }| {
            let account = &mut self.accounts[flow as usize];
            account.bytes = account.bytes.wrapping_add(bytes.into());
            account.settled = (account.settled + 1) & ((1 << SETTLED_BITS) - 1);
            if bytes == 0 {
                account.voids = account.voids.wrapping_add(1);
            } else {
                account.last = bytes;
            }
            let fades = account.settled.is_multiple_of(LARGEST_FADES);
            account.largest = account.largest.saturating_sub(fades.into()).max((bytes >> LARGEST_SHIFT) as u8);
            account.ends = ends;
            (flow, *account)
        });
        self.stages = [i.charge.filter(|_| clk >= self.swept_at), self.stages[0], self.stages[1]];
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.paid.is_some() || self.stages.iter().any(Option::is_some) {
            clk
        } else if clk <= self.swept_at {
            self.swept_at
        } else {
            u64::MAX
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest of the last packets, behind packets of these bytes, one charge a clock.
    fn largest(bytes: impl IntoIterator<Item = u16>) -> Vec<u8> {
        let mut unit = Charge::new(4);
        let mut charges = bytes.into_iter();
        (0..)
            .map_while(|clk| {
                let charge = charges.next().map(|bytes| bus::Charge { flow: 3, bytes, ends: false });
                let more = charge.is_some() || unit.stages.iter().any(Option::is_some) || clk <= unit.swept_at;
                unit.step(clk, &In { rst: false, charge: charge.filter(|_| clk >= unit.swept_at) });
                more.then(|| unit.paid.map(|p| p.1.largest))
            })
            .flatten()
            .collect()
    }

    /// A large packet counts in whole units and fades by one at every 16th charge, empty ones too,
    /// also where the count of charges comes round.
    #[test]
    fn the_largest_packet_fades() {
        // The first 16 come before the RAM is clear.
        let seen = largest(std::iter::repeat_n(0, 16).chain([1535, 4200]).chain(std::iter::repeat_n(84, 600)).chain([0; 100]));
        let expected = (1..=702).map(|n| if n == 1 { 2 } else { 8_u8.saturating_sub((n / 16) as u8) });
        assert_eq!(seen, expected.collect::<Vec<u8>>());
        let large = largest(std::iter::repeat_n(0, 16).chain([9000; 40]));
        assert_eq!(large, [17; 40]);
    }
}
