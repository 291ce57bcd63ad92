//! The standalone NIC as a PCI Express function: IDs, BARs, interrupts, and the words of
//! configuration space that a driver of it touches.
//!
//! `timely-sim serve` presents such a function; the emitted Verilog ends in AXI and interrupt
//! lines, and has none. FLR, power management and MSI-X of a card are those of its PCI Express
//! core.
//!
//! The IDs are for experiments: vendor 0x1234 is not assigned, and free cards of FPGAs use it. A
//! shell whose card has IDs of its own (Corundum, OpenNIC) keeps those; there the register map
//! alone is ours, and its magic word says so.
use crate::map::{ADDRESS_BITS, dma};

/// Vendor ID.
pub const VENDOR_ID: u16 = 0x1234;
/// Device ID: "TM".
pub const DEVICE_ID: u16 = 0x544d;
/// Subsystem vendor ID.
pub const SUBSYSTEM_VENDOR_ID: u16 = VENDOR_ID;
/// Subsystem ID: the standalone shell.
pub const SUBSYSTEM_ID: u16 = 1;
/// Revision ID.
pub const REVISION_ID: u8 = 1;
/// Class code: network controller, Ethernet, no programming interface.
pub const CLASS_CODE: u32 = 0x02_0000;

/// The BAR of the register map: 64-bit, not prefetchable.
pub const REGISTERS_BAR: u32 = 0;
/// Bytes of the register map.
pub const REGISTERS_BYTES: u64 = 1 << ADDRESS_BITS;
/// The BAR of MSI-X: 64-bit, not prefetchable; nothing else is in it.
pub const MSIX_BAR: u32 = 2;
/// Bytes of that BAR.
pub const MSIX_BYTES: u64 = 4096;
/// Offset of the MSI-X table in its BAR.
pub const MSIX_TABLE: u32 = 0;
/// Bytes of an entry of the table.
pub const MSIX_ENTRY_BYTES: u32 = 16;
/// Offset of the pending bits in the same BAR.
pub const MSIX_PBA: u32 = 0x800;

/// MSI-X vectors: one an interrupt line of [`dma`], by its number.
///
/// A vector is signalled when its line rises, and once more when the line is still up after a write
/// to [`dma::INTERRUPT`] or [`dma::INTERRUPT_MASK`]: so a handler that clears what it saw and then
/// looks at the ring misses nothing. There is no INTx and no MSI.
pub const VECTORS: u16 = dma::LINES as u16;

/// Bytes of the configuration space.
pub const CONFIG_BYTES: u64 = 4096;
/// Offset of the vendor ID, 16 bits; the device ID is in the 16 above.
pub const ID: u16 = 0x00;
/// Offset of the command register, 16 bits.
pub const COMMAND: u16 = 0x04;
/// Command: the BARs answer.
pub const COMMAND_MEMORY: u16 = 1 << 1;
/// Command: the device may do DMA and send interrupts. While it is 0 the NIC's bursts wait, and
/// nothing is lost; to take memory away, stop DMA by [`dma::CONTROL`] first, then clear this.
pub const COMMAND_MASTER: u16 = 1 << 2;
/// Command: no INTx.
pub const COMMAND_INTX_OFF: u16 = 1 << 10;
/// Offset of the status register, 16 bits.
pub const STATUS: u16 = 0x06;
/// Status: there is a list of capabilities.
pub const STATUS_CAPABILITIES: u16 = 1 << 4;
/// Offset of the class code above the revision, 32 bits.
pub const CLASS_REVISION: u16 = 0x08;
/// Offset of BAR 0, 32 bits each.
pub const BARS: u16 = 0x10;
/// Offset of the subsystem vendor ID, 16 bits; the subsystem ID is in the 16 above.
pub const SUBSYSTEM: u16 = 0x2c;
/// Offset of the offset of the first capability, 8 bits. A capability starts with its number and
/// the offset of the next, 8 bits each; 0 ends the list. Walk it: another shell has its
/// capabilities elsewhere.
pub const CAPABILITIES: u16 = 0x34;

/// Capability: power management; D0 and D3hot. Back from D3hot the device is as after a reset.
pub const CAP_POWER: u8 = 0x01;
/// Offset in that capability of its control and status, 16 bits: the power state is in bits 1..0.
pub const POWER_CONTROL: u16 = 4;
/// Capability: PCI Express, an endpoint.
pub const CAP_EXPRESS: u8 = 0x10;
/// Offset in that capability of the device capabilities, 32 bits.
pub const EXPRESS_DEVICE: u16 = 4;
/// Device capabilities: the function can be reset by itself.
pub const EXPRESS_DEVICE_FLR: u32 = 1 << 28;
/// Offset in that capability of the device control, 16 bits; the device status is in the 16 above.
pub const EXPRESS_CONTROL: u16 = 8;
/// Device control: a 1 that is written resets the function; reads 0.
pub const EXPRESS_CONTROL_FLR: u16 = 1 << 15;
/// Device status: reads or writes of the host's memory are in flight.
pub const EXPRESS_STATUS_PENDING: u16 = 1 << 5;
/// Capability: MSI-X.
pub const CAP_MSIX: u8 = 0x11;
/// Offset in that capability of the message control, 16 bits: vectors less 1 in bits 10..0.
pub const MSIX_CONTROL: u16 = 2;
/// Message control: MSI-X is on.
pub const MSIX_CONTROL_ENABLE: u16 = 1 << 15;
/// Message control: all vectors are masked.
pub const MSIX_CONTROL_MASK: u16 = 1 << 14;

/// Name, value and meaning of what the C header and the register pages say of it.
pub const TABLE: &[(&str, u64, &str)] = &[
    ("VENDOR_ID", VENDOR_ID as u64, "vendor"),
    ("DEVICE_ID", DEVICE_ID as u64, "device"),
    ("SUBSYSTEM_VENDOR_ID", SUBSYSTEM_VENDOR_ID as u64, "subsystem vendor"),
    ("SUBSYSTEM_ID", SUBSYSTEM_ID as u64, "subsystem: the standalone shell"),
    ("CLASS_CODE", CLASS_CODE as u64, "Ethernet controller"),
    ("REGISTERS_BAR", REGISTERS_BAR as u64, "BAR of the register map, 64-bit"),
    ("REGISTERS_BYTES", REGISTERS_BYTES, "its bytes"),
    ("MSIX_BAR", MSIX_BAR as u64, "BAR of MSI-X, 64-bit"),
    ("MSIX_BYTES", MSIX_BYTES, "its bytes"),
    ("MSIX_TABLE", MSIX_TABLE as u64, "offset of the MSI-X table in it"),
    ("MSIX_PBA", MSIX_PBA as u64, "offset of the pending bits in it"),
    ("VECTORS", VECTORS as u64, "MSI-X vectors, one an interrupt line of block dma, by its number"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_and_pending_bits_fit_their_bar() {
        let table = MSIX_TABLE..MSIX_TABLE + MSIX_ENTRY_BYTES * u32::from(VECTORS);
        assert!(table.end <= MSIX_PBA && u64::from(MSIX_PBA) + 8 <= MSIX_BYTES);
        assert!(MSIX_TABLE.is_multiple_of(8) && MSIX_PBA.is_multiple_of(8) && (1..=2048).contains(&VECTORS));
        assert!(REGISTERS_BYTES.is_power_of_two() && MSIX_BYTES.is_power_of_two());
    }
}
