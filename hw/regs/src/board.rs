//! The boards that carry the register map, each once: which PCI IDs they have, where on them the
//! map stands, what beside it is ours.
//!
//! IDs only say where to look; the magic word decides. The shells are other people's: what is said
//! of them here is what their sources say.
use crate::map::{ADDRESS_BITS, VENDOR};
use crate::pci;

/// Where a register map stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The BAR.
    pub bar: u32,
    /// Offset of the map in it.
    pub offset: u32,
}

/// A kind of board.
#[derive(Debug, PartialEq, Eq)]
pub struct Board {
    /// Name of the board, one word.
    pub name: &'static str,
    /// Description of the board.
    pub what: &'static str,
    /// PCI vendor ID; 0 of a board that is found by configuration alone.
    pub vendor: u16,
    /// PCI device IDs.
    pub devices: &'static [u16],
    /// No other design is known to have these IDs.
    pub alone: bool,
    /// Where the map stands.
    pub place: Place,
    /// Bytes from there on that are the map's at most.
    pub bytes: u32,
    /// The whole function is ours: its reset resets the core, its MSI-X vectors are the core's
    /// interrupt lines.
    pub function: bool,
    /// The core reaches the host's memory: event ring, snapshots, bulk loads.
    pub dma: bool,
    /// Advice to the user when the map is not there.
    pub next: &'static str,
}

/// The standalone NIC.
pub const STANDALONE: Board = Board {
    name: "standalone",
    what: "the standalone NIC",
    vendor: pci::VENDOR_ID,
    devices: &[pci::DEVICE_ID],
    alone: true,
    place: Place { bar: pci::REGISTERS_BAR, offset: 0 },
    bytes: 1 << ADDRESS_BITS,
    function: true,
    dma: true,
    next: "load a bitstream of timely-nic, then: echo 1 > /sys/bus/pci/rescan",
};

/// Corundum with our application block, which has BAR 2 to itself.
pub const CORUNDUM: Board = Board {
    name: "corundum",
    what: "a Corundum board",
    vendor: 0x1234,
    devices: &[0x1001],
    alone: true,
    place: Place { bar: 2, offset: 0 },
    bytes: 1 << ADDRESS_BITS,
    function: false,
    dma: true,
    next: "build Corundum with our application block (APP_ENABLE 1, our APP_ID) and load that bitstream",
};

/// OpenNIC with our block in its 250 MHz user box, 1 MiB of BAR 2. The IDs are those that Xilinx'
/// QDMA has in many designs.
pub const OPENNIC: Board = Board {
    name: "opennic",
    what: "an OpenNIC board",
    vendor: 0x10ee,
    devices: &[
        0x9031, 0x9131, 0x9231, 0x9331, 0x9032, 0x9132, 0x9232, 0x9332, 0x9034, 0x9134, 0x9234, 0x9334, 0x9038, 0x9138, 0x9238, 0x9338,
        0x903f, 0x913f, 0x923f, 0x933f, 0x9041, 0x9141, 0x9241, 0x9341, 0x9042, 0x9142, 0x9242, 0x9342, 0x9044, 0x9144, 0x9244, 0x9344,
        0x9048, 0x9148, 0x9248, 0x9348,
    ],
    alone: false,
    place: Place { bar: 2, offset: 0x10_0000 },
    bytes: 1 << 20,
    function: false,
    dma: false,
    next: "build OpenNIC with our block in its 250 MHz box; if this is another design, as NetFPGA's, say where its registers are: \
           --device ADDRESS,bar=2,offset=0x...",
};

/// A cndm NIC of taxi with our blocks between its core and its MACs: 64 KiB a port in the upper
/// half of BAR 0, which is 16 MiB, the first port's here. Its drivers keep to the lower half.
pub const TAXI: Board = Board {
    name: "taxi",
    what: "a taxi NIC",
    vendor: 0x1234,
    // taxi's own NIC has them too.
    devices: &[0xc001],
    alone: false,
    place: Place { bar: 0, offset: 0x80_0000 },
    bytes: 1 << 16,
    function: false,
    dma: false,
    next: "build taxi's NIC with tnic_taxi_core in place of its core and load that bitstream; of another port than 0 say where its registers \
           are: --device ADDRESS,bar=0,offset=0x810000",
};

/// A board whose registers the user locates: NetFPGA, or a shell without an entry in [`BOARDS`].
pub const CONFIGURED: Board = Board {
    name: "configured",
    what: "a board as it was configured",
    vendor: 0,
    devices: &[],
    alone: false,
    place: Place { bar: 0, offset: 0 },
    bytes: 1 << ADDRESS_BITS,
    function: false,
    dma: false,
    next: "give the bar and offset at which the shell puts our registers, and check that its clock and reset run",
};

/// All boards that have IDs.
pub static BOARDS: [&Board; 4] = [&STANDALONE, &CORUNDUM, &OPENNIC, &TAXI];

/// The board with these IDs.
pub fn with_ids(vendor: u16, device: u16) -> Option<&'static Board> {
    BOARDS.iter().copied().find(|b| b.vendor == vendor && b.devices.contains(&device))
}

/// Corundum's register blocks in BAR 0: blocks on a list as ours is - type, version, offset of the
/// next, 0 at the end.
pub mod corundum {
    use super::VENDOR;

    /// The BAR of the list, which starts at 0.
    pub const LIST_BAR: u32 = 0;
    /// Type of the block that tells the application.
    pub const APP_INFO_TYPE: u32 = 0xc005;
    /// Version of that block.
    pub const APP_INFO_VERSION: u32 = 0x200;
    /// Offset in it of the application's ID; 0 without an application.
    pub const APP_INFO_ID: u32 = 0x0c;
    /// The ID of our application block: our vendor half above, 1 for this block.
    pub const APPLICATION_ID: u32 = VENDOR << 16 | 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::BLOCK_BYTES;

    #[test]
    fn boards_are_told_apart_by_their_ids() {
        for board in BOARDS {
            for &device in board.devices {
                assert_eq!(with_ids(board.vendor, device), Some(board));
            }
            assert!(board.bytes >= BLOCK_BYTES && board.place.offset.is_multiple_of(BLOCK_BYTES), "{}", board.name);
        }
        assert_eq!(with_ids(0x8086, 0x1572), None);
        assert_eq!(corundum::APPLICATION_ID, 0x5469_0001);
    }
}
