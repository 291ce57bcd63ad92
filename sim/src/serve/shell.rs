//! The shell around a NIC that is served: which BARs its card has, where in them the NIC's
//! registers are, and what else can be read there.
use timely_regs::board::{CORUNDUM, OPENNIC, STANDALONE, TAXI, corundum};
use timely_regs::map::{HEADER_NEXT, HEADER_TYPE, HEADER_VERSION};
use timely_regs::pci;

/// BARs of a function.
pub const BARS: usize = 6;

/// A shell.
#[derive(Debug)]
pub struct Shell {
    /// Name of the shell.
    pub name: &'static str,
    /// Vendor and device ID.
    pub ids: (u16, u16),
    /// Bytes of its BARs; 0 of one that there is not. All are 64-bit, so the odd ones are not.
    pub bars: [u64; BARS],
    /// BAR of the NIC's registers.
    pub bar: u32,
    /// Offset of the NIC's registers in the BAR.
    pub offset: u64,
    /// Bytes that they have there.
    pub bytes: u64,
    /// BAR of MSI-X.
    pub msix: u32,
    /// Words of BAR 0 that are not 0, by offset.
    pub words: &'static [(u64, u32)],
}

/// The NIC alone.
pub static ALONE: Shell = Shell {
    name: STANDALONE.name,
    ids: (pci::VENDOR_ID, pci::DEVICE_ID),
    bars: [pci::REGISTERS_BYTES, 0, pci::MSIX_BYTES, 0, 0, 0],
    bar: pci::REGISTERS_BAR,
    offset: 0,
    bytes: pci::REGISTERS_BYTES,
    msix: pci::MSIX_BAR,
    words: &[],
};

/// Where the second block of the Corundum here stands: a place that is kept free; and the third,
/// its application's.
const FREE: u32 = 0x40;
const APP_INFO: u32 = 0x80;

const fn at(block: u32, register: u32) -> u64 {
    (block + register) as u64
}

/// Others: Corundum's, OpenNIC's and taxi's as the driver's table has them, and one with OpenNIC's
/// IDs whose registers are elsewhere, as NetFPGA's are.
static OTHERS: [Shell; 4] = [
    Shell {
        name: CORUNDUM.name,
        ids: (CORUNDUM.vendor, CORUNDUM.devices[0]),
        bars: [1 << 24, 0, 1 << 24, 0, pci::MSIX_BYTES, 0],
        bar: CORUNDUM.place.bar,
        offset: CORUNDUM.place.offset as u64,
        bytes: CORUNDUM.bytes as u64,
        msix: 4,
        words: &[
            // The block of the firmware's ID comes first.
            (at(0, HEADER_TYPE), u32::MAX),
            (at(0, HEADER_VERSION), 0x100),
            (at(0, HEADER_NEXT), FREE),
            (at(FREE, HEADER_NEXT), APP_INFO),
            (at(APP_INFO, HEADER_TYPE), corundum::APP_INFO_TYPE),
            (at(APP_INFO, HEADER_VERSION), corundum::APP_INFO_VERSION),
            (at(APP_INFO, corundum::APP_INFO_ID), corundum::APPLICATION_ID),
        ],
    },
    Shell {
        name: OPENNIC.name,
        ids: (OPENNIC.vendor, 0x903f),
        bars: [1 << 18, 0, 4 << 20, 0, pci::MSIX_BYTES, 0],
        bar: OPENNIC.place.bar,
        offset: OPENNIC.place.offset as u64,
        bytes: OPENNIC.bytes as u64,
        msix: 4,
        words: &[],
    },
    Shell {
        name: "netfpga-plus",
        ids: (OPENNIC.vendor, 0x903f),
        bars: [1 << 18, 0, 4 << 20, 0, pci::MSIX_BYTES, 0],
        bar: 2,
        offset: 0x11_0000,
        bytes: 1 << 16,
        msix: 4,
        words: &[],
    },
    Shell {
        name: TAXI.name,
        ids: (TAXI.vendor, TAXI.devices[0]),
        bars: [1 << 24, 0, pci::MSIX_BYTES, 0, 0, 0],
        bar: TAXI.place.bar,
        offset: TAXI.place.offset as u64,
        bytes: TAXI.bytes as u64,
        msix: 2,
        words: &[],
    },
];

impl Shell {
    /// The shell of that name.
    ///
    /// # Errors
    /// The names that there are.
    pub fn named(name: &str) -> Result<&'static Shell, String> {
        let all = || std::iter::once(&ALONE).chain(&OTHERS);
        all().find(|s| s.name == name).ok_or_else(|| all().map(|s| s.name).collect::<Vec<_>>().join(", "))
    }

    /// Bytes of a BAR; 0 of one that there is not.
    pub fn bar_bytes(&self, bar: u32) -> u64 {
        self.bars.get(bar as usize).copied().unwrap_or(0)
    }

    /// The NIC's own address of a word of a BAR; `None` where none of its registers is.
    pub fn address(&self, bar: u32, offset: u64) -> Option<u32> {
        let within = offset.checked_sub(self.offset).filter(|o| *o < self.bytes)?;
        (bar == self.bar).then_some(within as u32)
    }

    /// Value of a word that is no register of the NIC.
    pub fn word(&self, bar: u32, offset: u64) -> u32 {
        self.words.iter().find(|(at, _)| bar == 0 && *at == offset).map_or(0, |w| w.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_in_their_bar_and_nothing_else_is() {
        for name in ["standalone", "corundum", "opennic", "netfpga-plus", "taxi"] {
            let shell = Shell::named(name).expect("a shell");
            assert!(shell.offset + shell.bytes <= shell.bar_bytes(shell.bar) && shell.bar != shell.msix, "{name}");
            assert!(shell.bars.iter().all(|b| *b == 0 || b.is_power_of_two()) && shell.bar_bytes(shell.msix) == pci::MSIX_BYTES);
            assert_eq!(shell.address(shell.bar, shell.offset + 12), Some(12));
            assert_eq!((shell.address(shell.bar, shell.offset + shell.bytes), shell.address(shell.bar + 1, shell.offset)), (None, None));
        }
        assert!(Shell::named("nic").expect_err("none").contains("corundum, opennic"));
        assert_eq!((OTHERS[0].word(0, 0x8c), OTHERS[0].word(2, 0x8c)), (0x5469_0001, 0));
    }
}
