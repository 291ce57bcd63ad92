//! The messages of vfio-user 0.1, of the side that has the device. All numbers are in the machine's
//! own byte order.
//!
//! QEMU's documentation has the protocol (docs/interop/vfio-user.rst). The crate `vfio_user` panics
//! on a version message whose text does not end in 0, and on a size that is too small; hence our
//! own.
use super::shell::Shell;
use super::windows::{Allowed, MOST_WINDOWS, PAGE};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use serde_json::{Map, Value, json};
use std::fs::File;
use timely_regs::pci;

/// Bytes of the header before every message.
pub const HEADER: usize = 16;
/// The longest message that is read.
pub const LONGEST: usize = 1 << 16;
/// Most descriptors that a message may bring.
pub const MOST_FDS: usize = 16;

/// Region of the configuration space; regions below are BARs.
pub const CONFIG_REGION: u32 = 7;
const REGIONS: u32 = 9;
const MSIX_IRQ: u32 = 2;
const IRQS: u32 = 5;

const REPLY: u32 = 1;
const TYPE: u32 = 0xf;
const NO_REPLY: u32 = 1 << 4;
const ERROR: u32 = 1 << 5;

const VERSION: u16 = 1;
const DMA_MAP: u16 = 2;
const DMA_UNMAP: u16 = 3;
const GET_INFO: u16 = 4;
const GET_REGION_INFO: u16 = 5;
const GET_IRQ_INFO: u16 = 7;
const SET_IRQS: u16 = 8;
const REGION_READ: u16 = 9;
const REGION_WRITE: u16 = 10;
const RESET: u16 = 13;

const DEVICE_RESETS: u32 = 1 << 0;
const DEVICE_IS_PCI: u32 = 1 << 1;
const REGION_READS: u32 = 1 << 0;
const REGION_WRITES: u32 = 1 << 1;
const DMA_READS: u32 = 1 << 0;
const DMA_WRITES: u32 = 1 << 1;
const UNMAP_ALL: u32 = 1 << 1;
const IRQ_EVENTFD: u32 = 1 << 0;
const IRQ_NO_RESIZE: u32 = 1 << 3;
const DATA_NONE: u32 = 1 << 0;
const DATA_BOOL: u32 = 1 << 1;
const DATA_EVENTFD: u32 = 1 << 2;
const TRIGGER: u32 = 1 << 5;

/// Header of every message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Given back with the reply.
    pub id: u16,
    /// Command of the message.
    pub command: u16,
    /// Bytes of the message, this header included.
    pub size: u32,
    /// Type and flags.
    pub flags: u32,
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |b| u16::from_ne_bytes([b[0], b[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(bytes.get(at..at + 8).unwrap_or(&[0; 8]));
    u64::from_ne_bytes(word)
}

impl Header {
    /// Reads one.
    pub fn read(bytes: &[u8; HEADER]) -> Self {
        Header { id: u16_at(bytes, 0), command: u16_at(bytes, 2), size: u32_at(bytes, 4), flags: u32_at(bytes, 8) }
    }

    /// The message is one that can be read, so that the next one can be found behind it.
    pub fn is_readable(&self) -> bool {
        (HEADER..=LONGEST).contains(&(self.size as usize))
    }

    /// The client wants no reply.
    pub fn is_silent(&self) -> bool {
        self.flags & NO_REPLY != 0
    }

    fn reply(&self, flags: u32, error: u32, payload: &[u8]) -> Vec<u8> {
        let size = (HEADER + payload.len()) as u32;
        let mut bytes = Vec::with_capacity(size as usize);
        bytes.extend(self.id.to_ne_bytes());
        bytes.extend(self.command.to_ne_bytes());
        for word in [size, REPLY | flags, error] {
            bytes.extend(word.to_ne_bytes());
        }
        bytes.extend(payload);
        bytes
    }

    /// The reply that says that it was done, or why not.
    pub fn answer(&self, result: &Result<Vec<u8>, Errno>) -> Vec<u8> {
        match result {
            Ok(payload) => self.reply(0, 0, payload),
            Err(e) => self.reply(ERROR, e.raw_os_error() as u32, &[]),
        }
    }
}

/// Request of a client to the device.
#[derive(Debug)]
pub enum Request {
    /// Bytes of a region.
    Read {
        /// BAR, or [`CONFIG_REGION`].
        region: u32,
        /// Offset in it.
        offset: u64,
        /// Bytes.
        count: u32,
    },
    /// Bytes into a region.
    Write {
        /// BAR, or [`CONFIG_REGION`].
        region: u32,
        /// Offset in it.
        offset: u64,
        /// The bytes.
        data: Vec<u8>,
    },
    /// Opens a window for DMA.
    Map {
        /// First address.
        address: u64,
        /// Bytes.
        size: u64,
        /// The file behind it; none if it cannot be reached.
        file: Option<File>,
        /// Offset in the file.
        offset: u64,
        /// Directions of access that the device has.
        allowed: Allowed,
    },
    /// Closes the windows in a range.
    Unmap {
        /// First address.
        address: u64,
        /// Bytes.
        size: u64,
    },
    /// Closes all windows.
    UnmapAll,
    /// Arms vectors from `start` on; `None` disarms one.
    Arm {
        /// First vector.
        start: u32,
        /// A descriptor for each.
        fds: Vec<Option<OwnedFd>>,
    },
    /// Disarms all vectors.
    Disarm,
    /// Signals vectors, as their lines would.
    Trigger {
        /// The vectors.
        vectors: Vec<u32>,
    },
    /// Resets the device.
    Reset,
}

/// A message, understood.
#[derive(Debug)]
pub enum Message {
    /// The client says hello; the answer to it.
    Hello(Vec<u8>),
    /// The message is answered without the device.
    Known(Vec<u8>),
    /// The device is to answer; what is put before the bytes of its answer.
    Device(Request, Vec<u8>),
}

fn exactly(payload: &[u8], bytes: usize) -> Result<(), Errno> {
    if payload.len() == bytes { Ok(()) } else { Err(Errno::INVAL) }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_ne_bytes()).collect()
}

/// Understands a message to a card of this shell.
///
/// # Errors
/// The message is not one of this protocol, or asks for what cannot be; the error number for the
/// reply.
pub fn understand(header: &Header, payload: &[u8], mut fds: Vec<OwnedFd>, shell: &Shell) -> Result<Message, Errno> {
    if header.flags & TYPE != 0 {
        return Err(Errno::INVAL);
    }
    let device = |request| Ok(Message::Device(request, Vec::new()));
    match header.command {
        VERSION => hello(payload),
        DMA_MAP => {
            exactly(payload, 32)?;
            let (flags, offset) = (u32_at(payload, 4), u64_at(payload, 8));
            if flags & !(DMA_READS | DMA_WRITES) != 0 || fds.len() > 1 {
                return Err(Errno::INVAL);
            }
            let allowed = Allowed { read: flags & DMA_READS != 0, write: flags & DMA_WRITES != 0 };
            device(Request::Map {
                address: u64_at(payload, 16),
                size: u64_at(payload, 24),
                file: fds.pop().map(File::from),
                offset,
                allowed,
            })
        }
        DMA_UNMAP => {
            // Bits that follow ask for what dirty pages there are, which is not kept.
            if payload.len() < 24 || u32_at(payload, 4) & !UNMAP_ALL != 0 {
                return Err(Errno::INVAL);
            }
            let (address, size) = (u64_at(payload, 8), u64_at(payload, 16));
            let all = u32_at(payload, 4) & UNMAP_ALL != 0;
            let request = if all { Request::UnmapAll } else { Request::Unmap { address, size } };
            Ok(Message::Device(request, payload[..24].to_vec()))
        }
        GET_INFO => {
            if payload.len() < 4 {
                return Err(Errno::INVAL);
            }
            Ok(Message::Known(words(&[16, DEVICE_RESETS | DEVICE_IS_PCI, REGIONS, IRQS])))
        }
        GET_REGION_INFO => {
            if payload.len() < 12 {
                return Err(Errno::INVAL);
            }
            let region = u32_at(payload, 8);
            let bytes = match region {
                REGIONS.. => return Err(Errno::INVAL),
                _ => region_bytes(region, shell),
            };
            let flags = if bytes == 0 { 0 } else { REGION_READS | REGION_WRITES };
            let mut info = words(&[32, flags, region, 0]);
            info.extend(bytes.to_ne_bytes());
            info.extend((u64::from(region) << 40).to_ne_bytes());
            Ok(Message::Known(info))
        }
        GET_IRQ_INFO => {
            if payload.len() < 12 {
                return Err(Errno::INVAL);
            }
            let index = u32_at(payload, 8);
            let (flags, count) = match index {
                MSIX_IRQ => (IRQ_EVENTFD | IRQ_NO_RESIZE, pci::VECTORS.into()),
                IRQS.. => return Err(Errno::INVAL),
                _ => (0, 0),
            };
            Ok(Message::Known(words(&[16, flags, index, count])))
        }
        SET_IRQS => device(interrupts(payload, fds)?),
        REGION_READ => {
            exactly(payload, 16)?;
            let (offset, region, count) = (u64_at(payload, 0), u32_at(payload, 8), u32_at(payload, 12));
            within(region, offset, count, shell)?;
            Ok(Message::Device(Request::Read { region, offset, count }, payload.to_vec()))
        }
        REGION_WRITE => {
            let (offset, region, count) = (u64_at(payload, 0), u32_at(payload, 8), u32_at(payload, 12));
            let data = payload.get(16..).ok_or(Errno::INVAL)?;
            exactly(data, count as usize)?;
            within(region, offset, count, shell)?;
            Ok(Message::Device(Request::Write { region, offset, data: data.to_vec() }, payload[..16].to_vec()))
        }
        RESET => {
            exactly(payload, 0)?;
            device(Request::Reset)
        }
        _ => Err(Errno::OPNOTSUPP),
    }
}

/// Bytes of a region; 0 for one that there is not.
pub fn region_bytes(region: u32, shell: &Shell) -> u64 {
    if region == CONFIG_REGION { pci::CONFIG_BYTES } else { shell.bar_bytes(region) }
}

/// An access lies in its region, is not longer than a page, and is of whole words where the region
/// has words.
fn within(region: u32, offset: u64, count: u32, shell: &Shell) -> Result<(), Errno> {
    let end = offset.checked_add(count.into()).ok_or(Errno::INVAL)?;
    let fits = count != 0 && u64::from(count) <= PAGE && end <= region_bytes(region, shell);
    let whole = [CONFIG_REGION, shell.msix].contains(&region) || offset.is_multiple_of(4) && count.is_multiple_of(4);
    if fits && whole { Ok(()) } else { Err(Errno::INVAL) }
}

fn hello(payload: &[u8]) -> Result<Message, Errno> {
    if payload.len() < 4 || u16_at(payload, 0) != 0 {
        return Err(Errno::INVAL);
    }
    let proposed = match payload[4..].split_last() {
        None => Map::new(),
        Some((0, text)) => match serde_json::from_slice(text) {
            Ok(Value::Object(all)) => all.get("capabilities").and_then(Value::as_object).cloned().unwrap_or_default(),
            _ => return Err(Errno::INVAL),
        },
        Some(_) => return Err(Errno::INVAL),
    };
    let mut ours = json!({ "max_msg_fds": MOST_FDS, "max_data_xfer_size": PAGE, "max_dma_maps": MOST_WINDOWS, "pgsizes": PAGE });
    if let Some(ours) = ours.as_object_mut() {
        ours.retain(|name, _| name.starts_with("max_msg") || name.starts_with("max_data") || proposed.contains_key(name));
    }
    let mut answer = Vec::new();
    answer.extend(0u16.to_ne_bytes());
    answer.extend(u16_at(payload, 2).min(1).to_ne_bytes());
    answer.extend(json!({ "capabilities": ours }).to_string().bytes());
    answer.push(0);
    Ok(Message::Hello(answer))
}

fn interrupts(payload: &[u8], fds: Vec<OwnedFd>) -> Result<Request, Errno> {
    if payload.len() < 20 {
        return Err(Errno::INVAL);
    }
    let [flags, index, start, count] = [4, 8, 12, 16].map(|at| u32_at(payload, at));
    let end = start.checked_add(count).ok_or(Errno::INVAL)?;
    if index != MSIX_IRQ || end > pci::VECTORS.into() {
        return Err(Errno::INVAL);
    }
    const NONE: u32 = DATA_NONE | TRIGGER;
    const BOOL: u32 = DATA_BOOL | TRIGGER;
    const EVENTFD: u32 = DATA_EVENTFD | TRIGGER;
    match flags {
        NONE if count == 0 => Ok(Request::Disarm),
        NONE => Ok(Request::Trigger { vectors: (start..end).collect() }),
        BOOL => {
            let wanted = payload.get(20..20 + count as usize).ok_or(Errno::INVAL)?;
            Ok(Request::Trigger { vectors: (start..end).zip(wanted).filter(|(_, w)| **w != 0).map(|(v, _)| v).collect() })
        }
        // Without descriptors the vectors are disarmed.
        EVENTFD if fds.is_empty() && count == 0 => Ok(Request::Disarm),
        EVENTFD if fds.is_empty() => Ok(Request::Arm { start, fds: (start..end).map(|_| None).collect() }),
        EVENTFD if fds.len() == count as usize => Ok(Request::Arm { start, fds: fds.into_iter().map(Some).collect() }),
        _ => Err(Errno::INVAL),
    }
}
