//! Requests to Corundum's character device: its version, its regions. The numbers are those of the
//! kernel module.
#![allow(unsafe_code)]
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, Updater, ioctl, opcode};
use std::ffi::c_void;
use std::fs::File;
use std::io;

/// The version of the interface that is known here.
pub const API_VERSION: u32 = 0;
/// Type of the region of the NIC's own registers, BAR 0.
pub const NIC_CONTROL: u32 = 0x1001;
/// Type of the region of the application's registers, BAR 2.
pub const APP_CONTROL: u32 = 0x1002;
/// More regions than any version has.
pub const MOST_REGIONS: u32 = 16;

const GROUP: u8 = 0x88;
const GET_API_VERSION: Opcode = opcode::none(GROUP, 0xc0);
const GET_DEVICE_INFO: Opcode = opcode::none(GROUP, 0xc1);
const GET_REGION_INFO: Opcode = opcode::none(GROUP, 0xc2);

/// Words of the answer about the device: bytes, flags, seven numbers of the firmware, regions,
/// interrupts.
const INFO_WORDS: usize = 11;
const INFO_REGIONS: usize = 9;

/// A region, in the words of the module.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct RegionInfo {
    bytes: u32,
    flags: u32,
    index: u32,
    kind: u32,
    next: u32,
    child: u32,
    size: u64,
    offset: u64,
    name: [u8; 32],
}

/// A region that can be mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Type of the region, as the kernel module numbers it.
    pub kind: u32,
    /// Bytes of the region; 0 when the card has none of it.
    pub bytes: u64,
    /// Offset in the device's file.
    pub offset: u64,
}

/// Ioctls of the character device, by the kernel or by a test.
pub trait Answers {
    /// The version of the interface.
    ///
    /// # Errors
    /// When the file is no such device.
    fn api_version(&self) -> io::Result<u32>;

    /// How many regions there are.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn regions(&self) -> io::Result<u32>;

    /// A region, by its index.
    ///
    /// # Errors
    /// When there is no such region.
    fn region(&self, index: u32) -> io::Result<Region>;
}

/// The version comes back as the call's own value.
struct ApiVersion;

// SAFETY: MQNIC_IOCTL_GET_API_VERSION takes no argument, writes nothing, and returns a number.
unsafe impl Ioctl for ApiVersion {
    type Output = u32;
    const IS_MUTATING: bool = false;

    fn opcode(&self) -> Opcode {
        GET_API_VERSION
    }

    fn as_ptr(&mut self) -> *mut c_void {
        std::ptr::null_mut()
    }

    unsafe fn output_from_ptr(out: IoctlOutput, _: *mut c_void) -> rustix::io::Result<u32> {
        Ok(out as u32)
    }
}

impl Answers for File {
    fn api_version(&self) -> io::Result<u32> {
        // SAFETY: as above; another device that knows this number takes a null pointer.
        Ok(unsafe { ioctl(self, ApiVersion) }?)
    }

    fn regions(&self) -> io::Result<u32> {
        let mut info = [0u32; INFO_WORDS];
        info[0] = size_of_val(&info) as u32;
        // SAFETY: MQNIC_IOCTL_GET_DEVICE_INFO writes these eleven words and no more, which it is
        // told are there.
        unsafe { ioctl(self, Updater::<GET_DEVICE_INFO, [u32; INFO_WORDS]>::new(&mut info)) }?;
        Ok(info[INFO_REGIONS])
    }

    fn region(&self, index: u32) -> io::Result<Region> {
        let mut info = RegionInfo { bytes: size_of::<RegionInfo>() as u32, index, ..RegionInfo::default() };
        // SAFETY: MQNIC_IOCTL_GET_REGION_INFO writes one such structure, whose layout is the
        // module's.
        unsafe { ioctl(self, Updater::<GET_REGION_INFO, RegionInfo>::new(&mut info)) }?;
        Ok(Region { kind: info.kind, bytes: info.size, offset: info.offset })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// The sizes and places of the module's structures: any other, and the kernel would write
    /// elsewhere.
    #[test]
    fn structures_are_those_of_the_module() {
        assert_eq!((size_of::<RegionInfo>(), offset_of!(RegionInfo, size), offset_of!(RegionInfo, name)), (72, 24, 40));
        let (index, kind) = (offset_of!(RegionInfo, index), offset_of!(RegionInfo, kind));
        assert_eq!((index, kind, size_of::<[u32; INFO_WORDS]>()), (8, 12, 44));
        assert_eq!((GET_API_VERSION, GET_REGION_INFO), (0x88c0, 0x88c2));
    }

    #[test]
    fn a_file_that_is_no_device_says_so() {
        let file = File::open("/dev/null").expect("a device of another kind");
        assert_eq!(file.api_version().expect_err("no such call").raw_os_error(), Some(25));
        assert!(file.regions().is_err() && file.region(0).is_err());
    }
}
