//! Ioctls without a checked call in `vfio-ioctls`: the reset of a device, and the addresses that
//! its IOMMU translates.
#![allow(unsafe_code)]
use rustix::ioctl::{NoArg, Updater, ioctl, opcode};
use std::io;
use std::ops::RangeInclusive;
use std::os::fd::BorrowedFd;
use vfio_bindings::bindings::vfio::{VFIO_BASE, VFIO_IOMMU_INFO_CAPS, VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE, VFIO_TYPE};

/// Bytes that the answer about an IOMMU may have.
const INFO_BYTES: usize = 4096;
const RESET: rustix::ioctl::Opcode = opcode::none(VFIO_TYPE, (VFIO_BASE + 11) as u8);
const IOMMU_INFO: rustix::ioctl::Opcode = opcode::none(VFIO_TYPE, (VFIO_BASE + 12) as u8);

/// Resets the device.
///
/// # Errors
/// When the kernel says that it could not.
pub fn reset(device: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: VFIO_DEVICE_RESET takes no argument.
    Ok(unsafe { ioctl(device, NoArg::<RESET>::new()) }?)
}

/// The addresses that the container's IOMMU translates; all 39 bits where an old kernel does not
/// say.
///
/// # Errors
/// When the kernel does not answer.
pub fn valid_addresses(container: BorrowedFd<'_>) -> io::Result<Vec<RangeInclusive<u64>>> {
    // In words of 64 bits, as the kernel's structures are aligned.
    let mut info = [0u64; INFO_BYTES / 8];
    info[0] = INFO_BYTES as u64;
    // SAFETY: VFIO_IOMMU_GET_INFO writes at most as many bytes as the first 32 bits, `argsz`, say
    // that there are.
    unsafe { ioctl(container, Updater::<IOMMU_INFO, [u64; INFO_BYTES / 8]>::new(&mut info)) }?;
    let bytes: Vec<u8> = info.iter().flat_map(|w| w.to_ne_bytes()).collect();
    Ok(ranges(&bytes).unwrap_or_else(|| vec![0..=(1 << 39) - 1]))
}

/// The ranges in an answer about an IOMMU: `argsz`, `flags`, page sizes, offset of the first
/// capability; capabilities of id, version, offset of the next. `None` when it has none of the
/// kind.
fn ranges(info: &[u8]) -> Option<Vec<RangeInclusive<u64>>> {
    let word = |at: usize| info.get(at..at + 4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]));
    let long = |at: usize| info.get(at..at + 8)?.try_into().ok().map(u64::from_ne_bytes);
    if word(4)? & VFIO_IOMMU_INFO_CAPS == 0 {
        return None;
    }
    let mut at = word(16)? as usize;
    // No list is longer, so a walk over a broken one ends.
    for _ in 0..64 {
        if at == 0 {
            return None;
        }
        if word(at)? & 0xffff == VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE {
            let count = word(at + 8)? as usize;
            return (0..count).map(|i| Some(long(at + 16 + 16 * i)?..=long(at + 24 + 16 * i)?)).collect();
        }
        at = word(at + 4)? as usize;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(flags: u32, first: u32, caps: &[(usize, &[u32])]) -> Vec<u8> {
        let mut bytes = vec![0; 256];
        let mut put = |at: usize, words: &[u32]| {
            for (i, w) in words.iter().enumerate() {
                bytes[at + 4 * i..at + 4 * i + 4].copy_from_slice(&w.to_ne_bytes());
            }
        };
        put(0, &[256, flags, 0, 0, first]);
        caps.iter().for_each(|(at, words)| put(*at, words));
        bytes
    }

    #[test]
    fn ranges_are_found_behind_other_capabilities() {
        let other: (usize, &[u32]) = (24, &[2 | 1 << 16, 40, 0, 0]);
        let iova: (usize, &[u32]) = (40, &[1 | 1 << 16, 0, 2, 0, 0, 0, 0xfedf_ffff, 0, 0xfef0_0000, 0, u32::MAX, 0x7f]);
        assert_eq!(ranges(&info(2, 24, &[other, iova])), Some(vec![0..=0xfedf_ffff, 0xfef0_0000..=0x7f_ffff_ffff]));
        assert_eq!(ranges(&info(0, 24, &[other, iova])), None, "without the flag there are no capabilities");
        assert_eq!(ranges(&info(2, 24, &[(24, &[2, 24])])), None, "a list that leads back");
        assert_eq!(ranges(&info(2, 24, &[(24, &[1, 0, 1000])])), None, "more ranges than bytes");
        assert_eq!(ranges(&info(2, 9000, &[])), None);
    }
}
