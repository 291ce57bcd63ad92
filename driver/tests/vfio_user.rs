//! The vfio-user client against a server that answers as it is told to: rightly, with errors, with
//! rubbish, or not at all.
use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use timely_driver::transport::vfio_user::VfioUser;
use timely_driver::transport::vfio_user::wire::{Command, ERROR, HEADER_BYTES, Header, REPLY};
use timely_driver::transport::{Failure, Transport};
use timely_regs::device::Memory;

/// Behaviour of a server on a read of a register, by the register's offset.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mood {
    Right,
    Refuse,
    WrongNumber,
    NoReply,
    TooLong,
    Short,
    Silent,
    HangUp,
    Drip,
}

/// A register's offset is the mood that it is read in.
const MOODS: [Mood; 9] =
    [Mood::Right, Mood::Refuse, Mood::WrongNumber, Mood::NoReply, Mood::TooLong, Mood::Short, Mood::Silent, Mood::HangUp, Mood::Drip];

struct Server {
    path: PathBuf,
    flags: u32,
}

impl Server {
    /// Serves connections, one after another, until the test ends.
    fn start(flags: u32) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("timely-fake-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        let listener = UnixListener::bind(&path).expect("a socket");
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, flags);
            }
        });
        Server { path, flags }
    }

    fn connect(&self) -> Result<VfioUser, Failure> {
        VfioUser::connect_within(&self.path, Duration::from_millis(300), None)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        assert!(self.flags < 4);
    }
}

fn serve(mut s: UnixStream, flags: u32) {
    let mut config: HashMap<u64, Vec<u8>> = HashMap::new();
    let mut registers: HashMap<u64, Vec<u8>> = HashMap::new();
    let mut head = [0; HEADER_BYTES];
    while s.read_exact(&mut head).is_ok() {
        let header = Header::from_bytes(&head);
        let mut body = vec![0; header.size as usize - HEADER_BYTES];
        s.read_exact(&mut body).expect("a whole command");
        let at = |i: usize| u32::from_le_bytes(body[i..i + 4].try_into().expect("four bytes"));
        let (offset, region) = if body.len() >= 16 { (u64::from(at(0)), at(8)) } else { (0, 0) };
        let mut mood = Mood::Right;
        let reply: Vec<u8> = match header.command {
            c if c == Command::Version as u16 => {
                assert_eq!(body.last(), Some(&0), "the capabilities end with a zero");
                [&body[..4], br#"{"capabilities":{"max_msg_fds":4}}"#, &[0]].concat()
            }
            c if c == Command::DeviceInfo as u16 => [16, flags, 9, 5].iter().flat_map(|v: &u32| v.to_le_bytes()).collect(),
            c if c == Command::RegionInfo as u16 => {
                let bytes: u32 = if at(8) == 0 { 1 << 24 } else { 4096 };
                [32, 3, at(8), 0, bytes, 0, 0, 0].iter().flat_map(|v| v.to_le_bytes()).collect()
            }
            c if c == Command::IrqInfo as u16 => [16, 9, at(8), 6].iter().flat_map(|v| v.to_le_bytes()).collect(),
            c if c == Command::RegionRead as u16 && region == 0 => {
                mood = MOODS.get(offset as usize / 4).copied().unwrap_or(Mood::Right);
                [&body[..], registers.get(&offset).unwrap_or(&vec![0xab; at(12) as usize])].concat()
            }
            c if c == Command::RegionRead as u16 => [&body[..], config.get(&offset).unwrap_or(&vec![0; at(12) as usize])].concat(),
            c if c == Command::RegionWrite as u16 => {
                let store = if region == 0 { &mut registers } else { &mut config };
                store.insert(offset, body[16..].to_vec());
                body[..16].to_vec()
            }
            c if c == Command::DmaUnmap as u16 => body.clone(),
            _ => Vec::new(),
        };
        let mut h = Header { size: (HEADER_BYTES + reply.len()) as u32, flags: REPLY, ..header };
        match mood {
            Mood::WrongNumber => h.id = h.id.wrapping_add(1),
            Mood::NoReply => h.flags = 0,
            Mood::TooLong => h.size = u32::MAX,
            Mood::Refuse => (h.flags, h.error, h.size) = (REPLY | ERROR, 22, HEADER_BYTES as u32),
            Mood::Short => h.size -= 1,
            Mood::Silent => continue,
            Mood::HangUp => return,
            Mood::Right | Mood::Drip => {}
        }
        let bytes = [&h.to_bytes()[..], &reply].concat();
        match mood {
            Mood::Refuse => s.write_all(&bytes[..HEADER_BYTES]).expect("sent"),
            Mood::Drip => {
                for b in bytes {
                    // Until the client has had enough.
                    if s.write_all(&[b]).is_err() {
                        return;
                    }
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
            _ => s.write_all(&bytes).expect("sent"),
        }
    }
}

#[test]
fn a_server_is_used_as_the_protocol_says() {
    let server = Server::start(3);
    let device = server.connect().expect("connected");
    assert_eq!((device.registers_bytes(), device.kind()), (1 << 24, "vfio-user"));
    assert_eq!(device.read32(0).expect("read"), 0xabab_abab);
    device.write32(0x100, 0x1234_5678).expect("written");
    assert_eq!(device.read32(0x100).expect("read"), 0x1234_5678);
    let memory = device.dma_map(5000).expect("mapped");
    assert_eq!((memory.bytes(), memory.address() % 4096), (8192, 0));
    memory.write(4000, &[7; 200]);
    let mut back = [0; 200];
    memory.read(4000, &mut back);
    assert_eq!(back, [7; 200]);
    let other = device.dma_map(1).expect("mapped");
    assert!(other.address() >= memory.address() + 3 * 4096, "a page between buffers stays free");
    let first = memory.address();
    device.dma_unmap(memory).expect("unmapped");
    assert_eq!(device.dma_map(8192).expect("mapped").address(), first);
    assert_eq!(device.enable_msix(6).expect("enabled").len(), 6, "in two messages of at most four descriptors");
    let text = device.enable_msix(7).expect_err("six are there").to_string();
    assert!(text.contains("6 MSI-X vectors, 7 are needed"), "{text}");
    device.disable_msix().expect("disabled");
    device.reset().expect("reset");
    let text = device.read_config(4095, &mut [0; 2]).expect_err("beyond the end").to_string();
    assert!(text.contains("4096 bytes, offset 0xfff"), "{text}");
    assert!(matches!(device.dma_map(2 << 30), Err(Failure::NoAddresses { .. })));

    let text = server.connect().err().expect("a second opener").to_string();
    assert!(text.contains(&format!("in use by PID {}", std::process::id())), "{text}");
    drop(device);
    server.connect().expect("free again");
}

/// A refusal leaves the two in step; after anything else nothing more is believed.
#[test]
fn whatever_a_server_answers_the_client_goes_on_or_says_why_not() {
    let server = Server::start(3);
    for (i, mood) in MOODS.into_iter().enumerate() {
        let device = server.connect().expect("connected");
        let start = Instant::now();
        let read = device.read32(4 * i as u32);
        assert!(start.elapsed() < Duration::from_secs(5), "{mood:?}: the wait has an end");
        let right = match mood {
            Mood::Right => matches!(read, Ok(0xabab_abab)),
            Mood::Refuse => matches!(read, Err(Failure::Refused { .. })),
            Mood::WrongNumber | Mood::NoReply | Mood::TooLong | Mood::Short => matches!(read, Err(Failure::Protocol { .. })),
            Mood::Silent | Mood::Drip => matches!(read, Err(Failure::Silent { .. })),
            Mood::HangUp => matches!(read, Err(Failure::Closed { .. })),
        };
        assert!(right, "{mood:?} gave {read:?}");
        let after = device.read32(0x200);
        if matches!(mood, Mood::Right | Mood::Refuse) {
            assert_eq!(after.expect("in step"), 0xabab_abab, "{mood:?}");
        } else if mood != Mood::Short {
            assert!(matches!(after, Err(Failure::Closed { .. })), "{mood:?} was followed by {after:?}");
        }
    }
}

#[test]
fn what_is_no_server_of_a_pci_device_is_refused() {
    let text = Server::start(1).connect().err().expect("not PCI").to_string();
    assert!(text.contains("no PCI device"), "{text}");
    let text = VfioUser::connect(&std::env::temp_dir().join("timely-nobody-here")).err().expect("nobody").to_string();
    assert!(text.contains("timely-nobody-here") && text.contains("timely-sim serve"), "{text}");
}

/// Without the command the reset goes through configuration space, and a device that has neither
/// says so.
#[test]
fn a_device_that_cannot_be_reset_says_so() {
    let text = Server::start(2).connect().expect("connected").reset().expect_err("no way").to_string();
    assert!(text.contains("cannot be reset"), "{text}");
}
