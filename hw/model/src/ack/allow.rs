//! The allow list: prefixes whose hosts are answered, as writes into the registers' store fill it.
use std::collections::VecDeque;
use timely_regs::map::port::{ALLOW, ALLOW_IPV4, ALLOW_IPV6, ALLOW_LENGTH, ALLOW_PREFIX, PREFIXES};

/// Words of an entry's address.
const WORDS: usize = 4;

/// One prefix. A bit counts where `mask` has a 1.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    address: u128,
    mask: u128,
    ipv4: bool,
    ipv6: bool,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    /// Word of an address, and its value.
    Address(usize, u32),
    /// ALLOW_PREFIX of an entry.
    Prefix(usize, u32),
}

/// The list. A write shows 2 clocks later in an address, 3 in a length.
#[derive(Clone, Debug, Default)]
pub(super) struct Allow {
    entries: [Entry; PREFIXES],
    /// Writes that are not yet visible, each with the clock from which it is.
    coming: VecDeque<(u64, Change)>,
}

/// The first `length` bits on the wire, of an address with byte 0 in its lowest bits.
fn mask(length: u32) -> u128 {
    u128::MAX.checked_shl(128 - length.min(128)).unwrap_or(0).swap_bytes()
}

impl Allow {
    /// A word of the store is written at clock `clk`.
    pub fn write(&mut self, clk: u64, (word, data): (u32, u32)) {
        let at = |r: &timely_regs::map::Register| (word.wrapping_sub(r.word()) < r.count).then(|| (word - r.word()) as usize);
        if let Some(i) = at(&ALLOW) {
            self.coming.push_back((clk + 2, Change::Address(i, data)));
        } else if let Some(i) = at(&ALLOW_PREFIX) {
            self.coming.push_back((clk + 3, Change::Prefix(i, data)));
        }
    }

    /// Makes what shows at clock `clk`.
    pub fn settle(&mut self, clk: u64) {
        let entries = &mut self.entries;
        self.coming.retain(|&(due, change)| {
            if due > clk {
                return true;
            }
            match change {
                Change::Address(i, data) => {
                    let (e, shift) = (&mut entries[i / WORDS], 32 * (i % WORDS));
                    e.address = e.address & !(0xffff_ffff << shift) | u128::from(data) << shift;
                }
                Change::Prefix(i, data) => {
                    let address = entries[i].address;
                    let (ipv4, ipv6) = (ALLOW_IPV4.get(&[data]) != 0, ALLOW_IPV6.get(&[data]) != 0);
                    entries[i] = Entry { address, mask: mask(ALLOW_LENGTH.get(&[data])), ipv4, ipv6 };
                }
            }
            false
        });
    }

    /// Empties the list; addresses stay, and mean nothing.
    pub fn reset(&mut self) {
        self.coming.clear();
        for e in &mut self.entries {
            (e.ipv4, e.ipv6) = (false, false);
        }
    }

    /// A host with this address is answered.
    pub fn holds(&self, address: u128, is_ipv6: bool) -> bool {
        self.entries.iter().any(|e| (if is_ipv6 { e.ipv6 } else { e.ipv4 }) && (address ^ e.address) & e.mask == 0)
    }
}
