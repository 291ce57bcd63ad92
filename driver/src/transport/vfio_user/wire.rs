//! The messages of vfio-user, as a client sends and reads them. All numbers are little-endian.

/// Bytes of a header.
pub const HEADER_BYTES: usize = 16;
/// The longest reply that is read: the data of a region read and its description.
pub const LONGEST: usize = (1 << 20) + 64;
/// The protocol: major 0.
pub const MAJOR: u16 = 0;
/// The minor version that is asked for.
pub const MINOR: u16 = 1;

/// Commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Command {
    /// Negotiates version and capabilities.
    Version = 1,
    /// Gives the server memory.
    DmaMap = 2,
    /// Takes it away.
    DmaUnmap = 3,
    /// Asks about the device.
    DeviceInfo = 4,
    /// Asks about a region.
    RegionInfo = 5,
    /// Asks about an interrupt type.
    IrqInfo = 7,
    /// Turns interrupts on and off.
    SetIrqs = 8,
    /// Reads a region.
    RegionRead = 9,
    /// Writes a region.
    RegionWrite = 10,
    /// Resets the device.
    Reset = 13,
}

/// Flags: bits 3..0 are the type.
pub const TYPE: u32 = 0xf;
/// Type: a reply.
pub const REPLY: u32 = 1;
/// Flags: the reply says that it failed; its error number is in the header.
pub const ERROR: u32 = 1 << 5;

/// Device flags: it can be reset.
pub const DEVICE_RESET: u32 = 1 << 0;
/// Device flags: it is a PCI device.
pub const DEVICE_PCI: u32 = 1 << 1;
/// The region of configuration space; BARs are regions 0 to 5.
pub const CONFIG_REGION: u32 = 7;
/// The interrupts that are MSI-X.
pub const MSIX_INDEX: u32 = 2;
/// DMA: the device may read and write.
pub const DMA_READ_WRITE: u32 = 3;
/// Interrupts: no data; a count of 0 turns them off.
pub const IRQ_NONE: u32 = 1;
/// Interrupts: eventfds.
pub const IRQ_EVENTFD: u32 = 1 << 2;
/// Interrupts: what to do on a trigger.
pub const IRQ_TRIGGER: u32 = 1 << 5;

/// The head of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Number of the message; its reply has the same.
    pub id: u16,
    /// Command.
    pub command: u16,
    /// Bytes of the message with its header.
    pub size: u32,
    /// Flags.
    pub flags: u32,
    /// Error number.
    pub error: u32,
}

impl Header {
    /// Bytes of the header.
    pub fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut b = [0; HEADER_BYTES];
        b[0..2].copy_from_slice(&self.id.to_le_bytes());
        b[2..4].copy_from_slice(&self.command.to_le_bytes());
        b[4..8].copy_from_slice(&self.size.to_le_bytes());
        b[8..12].copy_from_slice(&self.flags.to_le_bytes());
        b[12..16].copy_from_slice(&self.error.to_le_bytes());
        b
    }

    /// The header that these bytes hold.
    pub fn from_bytes(b: &[u8; HEADER_BYTES]) -> Self {
        Header {
            id: u16::from_le_bytes([b[0], b[1]]),
            command: u16::from_le_bytes([b[2], b[3]]),
            size: u32::from_le_bytes([b[4], b[5], b[6], b[7]]),
            flags: u32::from_le_bytes([b[8], b[9], b[10], b[11]]),
            error: u32::from_le_bytes([b[12], b[13], b[14], b[15]]),
        }
    }
}

/// The body of a message, put together number by number.
#[derive(Clone, Debug, Default)]
pub struct Body(pub Vec<u8>);

impl Body {
    /// With 16 more bits.
    pub fn u16(mut self, v: u16) -> Self {
        self.0.extend(v.to_le_bytes());
        self
    }

    /// With 32 more bits.
    pub fn u32(mut self, v: u32) -> Self {
        self.0.extend(v.to_le_bytes());
        self
    }

    /// With 64 more bits.
    pub fn u64(mut self, v: u64) -> Self {
        self.0.extend(v.to_le_bytes());
        self
    }

    /// With these bytes.
    pub fn bytes(mut self, v: &[u8]) -> Self {
        self.0.extend(v);
        self
    }
}

/// 32 bits of a reply's body, 0 beyond its end.
pub fn u32_at(b: &[u8], at: usize) -> u32 {
    b.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// 64 bits of a reply's body.
pub fn u64_at(b: &[u8], at: usize) -> u64 {
    u64::from(u32_at(b, at)) | u64::from(u32_at(b, at + 4)) << 32
}
