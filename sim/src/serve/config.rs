//! The configuration space of the NIC that is served: an endpoint with power management, FLR and
//! MSI-X. What it says is `timely_regs::pci`.
use super::shell::Shell;
use timely_regs::pci;

/// Bytes that have a meaning; the rest of the space reads as 0.
const BYTES: usize = 256;
const POWER: u16 = 0x40;
const EXPRESS: u16 = 0x50;
const MSIX: u16 = 0x90;

/// A 64-bit BAR that cannot be prefetched.
const BAR_64: u32 = 0x4;
/// Greatest payload 256 bytes; errors are reported by their role; FLR.
const DEVICE_CAPABILITIES: u32 = 1 | 1 << 15 | pci::EXPRESS_DEVICE_FLR;
/// Relaxed ordering, no snoop, read requests of 512 bytes.
const DEVICE_CONTROL: u16 = 0x2810;
/// 8 GT/s, 8 lanes.
const LINK: u16 = 0x0083;

/// Configuration space: what reads give, and the bits that a write changes.
pub struct Config {
    bytes: [u8; BYTES],
    masks: [u8; BYTES],
}

impl Config {
    /// As after a reset.
    pub fn of(shell: &Shell) -> Self {
        let mut c = Config { bytes: [0; BYTES], masks: [0; BYTES] };
        c.put16(pci::ID, shell.ids.0, 0);
        c.put16(pci::ID + 2, shell.ids.1, 0);
        c.put16(pci::COMMAND, 0, pci::COMMAND_MEMORY | pci::COMMAND_MASTER | pci::COMMAND_INTX_OFF | 1 << 6 | 1 << 8);
        c.put16(pci::STATUS, pci::STATUS_CAPABILITIES, 0);
        c.put32(pci::CLASS_REVISION, pci::CLASS_CODE << 8 | u32::from(pci::REVISION_ID), 0);
        // Cache line size and interrupt line are software's to remember things in.
        c.put16(0x0c, 0, 0x00ff);
        c.put16(0x3c, 0, 0x00ff);
        for (bar, bytes) in (0u16..).zip(shell.bars).filter(|b| b.1 != 0) {
            let at = pci::BARS + 4 * bar;
            c.put32(at, BAR_64, !(bytes as u32 - 1));
            c.put32(at + 4, 0, u32::MAX);
        }
        c.put16(pci::SUBSYSTEM, pci::SUBSYSTEM_VENDOR_ID, 0);
        c.put16(pci::SUBSYSTEM + 2, pci::SUBSYSTEM_ID, 0);
        c.put16(pci::CAPABILITIES, POWER, 0);

        c.capability(POWER, pci::CAP_POWER, EXPRESS);
        // Version 3; no D1, no D2, no PME.
        c.put16(POWER + 2, 3, 0);
        c.put16(POWER + pci::POWER_CONTROL, 0, 3);

        c.capability(EXPRESS, pci::CAP_EXPRESS, MSIX);
        // Version 2, an endpoint.
        c.put16(EXPRESS + 2, 2, 0);
        c.put32(EXPRESS + pci::EXPRESS_DEVICE, DEVICE_CAPABILITIES, 0);
        c.put16(EXPRESS + pci::EXPRESS_CONTROL, DEVICE_CONTROL, !pci::EXPRESS_CONTROL_FLR);
        c.put32(EXPRESS + 0x0c, LINK.into(), 0);
        c.put16(EXPRESS + 0x10, 0, 0x00c3);
        c.put16(EXPRESS + 0x12, LINK, 0);
        c.put16(EXPRESS + 0x28, 0, 0x000f);
        // Speeds 2.5, 5 and 8 GT/s; the last is the target.
        c.put32(EXPRESS + 0x2c, 0x0e, 0);
        c.put16(EXPRESS + 0x30, 3, 0x000f);

        c.capability(MSIX, pci::CAP_MSIX, 0);
        c.put16(MSIX + pci::MSIX_CONTROL, pci::VECTORS - 1, pci::MSIX_CONTROL_ENABLE | pci::MSIX_CONTROL_MASK);
        c.put32(MSIX + 4, pci::MSIX_TABLE | shell.msix, 0);
        c.put32(MSIX + 8, pci::MSIX_PBA | shell.msix, 0);
        c
    }

    fn put16(&mut self, at: u16, value: u16, mask: u16) {
        let at = usize::from(at);
        self.bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
        self.masks[at..at + 2].copy_from_slice(&mask.to_le_bytes());
    }

    fn put32(&mut self, at: u16, value: u32, mask: u32) {
        self.put16(at, value as u16, mask as u16);
        self.put16(at + 2, (value >> 16) as u16, (mask >> 16) as u16);
    }

    fn capability(&mut self, at: u16, id: u8, next: u16) {
        self.put16(at, u16::from(id) | next << 8, 0);
    }

    fn get16(&self, at: u16) -> u16 {
        let at = usize::from(at);
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    /// The device may do DMA and interrupt.
    pub fn is_master(&self) -> bool {
        self.get16(pci::COMMAND) & pci::COMMAND_MASTER != 0
    }

    fn is_asleep(&self) -> bool {
        self.get16(POWER + pci::POWER_CONTROL) & 3 == 3
    }

    /// Reads bytes from `at` on; `pending`: transfers are in flight.
    pub fn read(&self, at: usize, to: &mut [u8], pending: bool) {
        for (i, byte) in to.iter_mut().enumerate() {
            *byte = self.bytes.get(at + i).copied().unwrap_or(0);
            if pending && at + i == usize::from(EXPRESS + pci::EXPRESS_CONTROL + 2) {
                *byte |= pci::EXPRESS_STATUS_PENDING as u8;
            }
        }
    }

    /// Writes bytes from `at` on. `true` when that resets the function: by FLR, or because it wakes
    /// up from D3hot.
    pub fn write(&mut self, at: usize, from: &[u8]) -> bool {
        let asleep = self.is_asleep();
        let mut reset = false;
        for (i, new) in from.iter().enumerate() {
            let at = at + i;
            if let (Some(byte), Some(mask)) = (self.bytes.get_mut(at), self.masks.get(at)) {
                *byte = *byte & !mask | new & mask;
                reset |= at == usize::from(EXPRESS + pci::EXPRESS_CONTROL + 1) && new & (pci::EXPRESS_CONTROL_FLR >> 8) as u8 != 0;
            }
        }
        reset || asleep && !self.is_asleep()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::shell::ALONE;

    fn read<const N: usize>(c: &Config, at: u16) -> [u8; N] {
        let mut bytes = [0; N];
        c.read(at.into(), &mut bytes, false);
        bytes
    }

    #[test]
    fn the_list_of_capabilities_can_be_walked() {
        let c = Config::of(&ALONE);
        let (mut found, [mut at]) = (Vec::new(), read(&c, pci::CAPABILITIES));
        while at != 0 {
            assert!(at >= 0x40 && at.is_multiple_of(4));
            let [id, next] = read(&c, at.into());
            found.push(id);
            at = next;
        }
        assert_eq!(found, [pci::CAP_POWER, pci::CAP_EXPRESS, pci::CAP_MSIX]);
        assert_eq!(read(&c, pci::ID), [0x34, 0x12, 0x4d, 0x54]);
        assert_eq!(read::<4>(&c, 4092), [0; 4]);
    }

    #[test]
    fn a_bar_says_its_size() {
        let mut c = Config::of(&ALONE);
        assert!(!c.write(pci::BARS.into(), &[0xff; 24]));
        assert_eq!(u64::from_le_bytes(read(&c, pci::BARS)), !(pci::REGISTERS_BYTES - 1) | 4);
        assert_eq!(u64::from_le_bytes(read(&c, pci::BARS + 8)), !(pci::MSIX_BYTES - 1) | 4);
        assert_eq!(u64::from_le_bytes(read(&c, pci::BARS + 16)), 0);
        assert!(!c.write(0, &[0xff; 4]), "IDs cannot be written");
        assert_eq!(read(&c, pci::ID), [0x34, 0x12, 0x4d, 0x54]);
    }

    #[test]
    fn flr_and_waking_up_reset() {
        let mut c = Config::of(&ALONE);
        assert!(!c.write(pci::COMMAND.into(), &pci::COMMAND_MASTER.to_le_bytes()));
        assert!(c.is_master());
        assert!(c.write((EXPRESS + pci::EXPRESS_CONTROL).into(), &pci::EXPRESS_CONTROL_FLR.to_le_bytes()));
        assert_eq!(c.get16(EXPRESS + pci::EXPRESS_CONTROL) & pci::EXPRESS_CONTROL_FLR, 0, "reads as 0");
        assert!(!c.write((POWER + pci::POWER_CONTROL).into(), &[3, 0]));
        assert!(!c.write((POWER + pci::POWER_CONTROL).into(), &[3, 0]));
        assert!(c.write((POWER + pci::POWER_CONTROL).into(), &[0, 0]));
        // Beyond what is there.
        assert!(!c.write(250, &[0xff; 4000]));
    }
}
