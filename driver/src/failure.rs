//! Why a device could not be reached.

/// Why a device could not be reached.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Every register reads all ones.
    #[error(
        "{device}: every register reads 0xffffffff: PCIe link down, card removed or FPGA reprogrammed; bring the link up \
         (echo 1 > /sys/bus/pci/rescan) and open the device again"
    )]
    Gone {
        /// The device.
        device: String,
    },
    /// The operating system said no.
    #[error("{device}: {what}: {source}; {next}")]
    Io {
        /// The device.
        device: String,
        /// Operation that failed.
        what: String,
        /// Why it failed.
        source: std::io::Error,
        /// Next step for the user.
        next: &'static str,
    },
    /// The other side refused.
    #[error("{device} refused {what}: {source}")]
    Refused {
        /// The device.
        device: String,
        /// Operation that was refused.
        what: String,
        /// The error it gave.
        source: std::io::Error,
    },
    /// The other side said nothing.
    #[error(
        "{device}: {what} was not answered within {seconds} s; the server hangs, or serves another client: end that one, or start the server again"
    )]
    Silent {
        /// The device.
        device: String,
        /// Operation without an answer.
        what: String,
        /// How long was waited.
        seconds: u64,
    },
    /// The other side said something that cannot be.
    #[error("{device}: {what}; is the server one of timely-nic, of this version?")]
    Protocol {
        /// The device.
        device: String,
        /// Violation of the protocol.
        what: String,
    },
    /// The connection broke.
    #[error("{device}: the server closed the connection during {what}; start it again")]
    Closed {
        /// The device.
        device: String,
        /// Operation that was under way.
        what: String,
    },
    /// No addresses are left for DMA.
    #[error(
        "{device}: {asked} bytes of DMA memory cannot be mapped, the addresses left are in pieces of {left} bytes at most; ask for less, or unmap first"
    )]
    NoAddresses {
        /// The device.
        device: String,
        /// Bytes asked for.
        asked: u64,
        /// Bytes of the longest piece left.
        left: u64,
    },
    /// Fewer interrupts than needed.
    #[error("{device} has {found} MSI-X vectors, {needed} are needed; use the bitstream of this software")]
    Vectors {
        /// The device.
        device: String,
        /// Vectors it has.
        found: u32,
        /// Vectors needed.
        needed: u32,
    },
    /// Another process has the device.
    #[error("{device} is in use by {holder}; stop it, or let timelyctl go through its timelyd (--socket, where that was given one)")]
    InUse {
        /// The device.
        device: String,
        /// Process that has the device, and its command, where known.
        holder: String,
    },
    /// The server is another user's.
    #[error(
        "{device} is served by user {user}, not by this one: it could be anything; run this as that user (sudo -u '#{user}'), or serve a NIC of your \
         own, in a folder of your own"
    )]
    Stranger {
        /// The device.
        device: String,
        /// The server's user.
        user: u32,
    },
    /// The machine is not set up for it.
    #[error(transparent)]
    Pci(#[from] crate::pci::PciError),
    /// There is no folder for its lock.
    #[error(transparent)]
    Folder(#[from] crate::folders::FolderError),
    /// The registers are not where the board should have them.
    #[error("{device}: {what}; {next}")]
    Board {
        /// The device.
        device: String,
        /// Description of the device and its registers.
        what: String,
        /// Next step for the user.
        next: String,
    },
    /// The way carries registers alone.
    #[error("{device}: {what} needs {needs}, and {way} has none; {next}")]
    Lacks {
        /// The device.
        device: String,
        /// Operation that was asked for.
        what: &'static str,
        /// Capability that the operation needs.
        needs: &'static str,
        /// The way.
        way: &'static str,
        /// Next step for the user.
        next: &'static str,
    },
    /// No register stands there.
    #[error("offset {offset:#x} is not in the register map; it has {bytes:#x} bytes, and registers are at multiples of 4")]
    Offset {
        /// The offset.
        offset: u32,
        /// Bytes of the BAR.
        bytes: u64,
    },
}
