//! A client of vfio-user as small as can be, memory that it shares page by page, and a server in
//! this process.
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::IoSlice;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::cell::RefCell;
use std::fs::File;
use std::io::Read;
use std::mem::MaybeUninit;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard};
use std::thread::JoinHandle;
use std::time::Duration;
use timely_regs::device::{Bus, Device, Memory};
use timely_regs::pci;
use timely_sim::cores::{self, Cores};
use timely_sim::scenario::NicKind;
use timely_sim::serve::device::Function;
use timely_sim::serve::listener::Listener;
use timely_sim::serve::setup::{Options, Pair, wire};
use timely_sim::serve::wire::Wire;
use timely_sim::serve::{End, serve};
use timely_sim::time::Speed;

pub const VERSION: u16 = 1;
pub const MAP: u16 = 2;
pub const UNMAP: u16 = 3;
pub const SET_IRQS: u16 = 8;
pub const READ: u16 = 9;
pub const WRITE: u16 = 10;
pub const RESET: u16 = 13;
pub const CONFIG: u32 = 7;
pub const PAGE: u64 = 4096;
pub const HELLO: &[u8] = b"\0\0\x01\0{\"capabilities\":{\"max_msg_fds\":8}}\0";

/// A wait that is longer is a hang.
const HANG: Duration = Duration::from_secs(60);

pub fn options(kind: NicKind) -> Options {
    Options { kind, bus_bits: 64, flow_bits: 10, speed: Speed::gbps(10.0), pair: None, seed: 1 }
}

pub fn pair(kind: NicKind, delay: u64, flows: u32) -> Options {
    Options { pair: Some(Pair { delay, flows, profile: "timely-10g".into() }), ..options(kind) }
}

/// A path for a socket that no other test has.
pub fn path() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    std::env::temp_dir().join(format!("timely-serve-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// Held exclusively by a thread that starts a process. Until it is one of its own, a child has all
/// our sockets: a connection that is closed here meanwhile is not closed yet.
pub static STARTING: RwLock<()> = RwLock::new(());

/// Makes all NICs. Its first Verilated one starts Verilator, and a compiler.
static CORES: LazyLock<Cores> = LazyLock::new(cores::known);

/// The NICs, made while no client is connected.
pub fn made(options: &Options) -> Wire {
    let _alone = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    wire(options, &CORES).unwrap()
}

/// A server on a thread of its own.
pub struct Served {
    _no_children: RwLockReadGuard<'static, ()>,
    pub path: PathBuf,
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<Result<End, String>>>,
}

impl Served {
    pub fn start(options: &Options, keep: bool) -> Self {
        let wire = made(options);
        let no_children = STARTING.read().unwrap_or_else(PoisonError::into_inner);
        let (ours, stop) = UnixStream::pair().unwrap();
        let path = path();
        let listener = Listener::bind(&path).unwrap();
        let function = Function::new(wire, keep);
        let thread = std::thread::spawn(move || serve(&listener, function, &stop, None));
        Served { _no_children: no_children, path, stop: Some(ours), thread: Some(thread) }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.stop.take());
        let end = self.thread.take().unwrap().join();
        if !std::thread::panicking() {
            assert_eq!(end.unwrap(), Ok(End::Stopped));
            assert!(!self.path.exists(), "the socket is still there");
        }
    }
}

pub struct Client {
    stream: UnixStream,
    id: u16,
}

/// A message: header and payload.
pub fn message(id: u16, command: u16, flags: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(id.to_ne_bytes());
    bytes.extend(command.to_ne_bytes());
    bytes.extend((16 + payload.len() as u32).to_ne_bytes());
    bytes.extend(flags.to_ne_bytes());
    bytes.extend(0u32.to_ne_bytes());
    bytes.extend(payload);
    bytes
}

pub fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_ne_bytes()).collect()
}

pub fn longs(longs: &[u64]) -> Vec<u8> {
    longs.iter().flat_map(|w| w.to_ne_bytes()).collect()
}

impl Client {
    /// Connects and says nothing.
    pub fn silent(path: &Path) -> Self {
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        stream.set_write_timeout(Some(HANG)).unwrap();
        Client { stream, id: 0 }
    }

    /// Connects and says hello.
    pub fn connect(path: &Path) -> Self {
        let mut client = Self::silent(path);
        let hello = client.call(VERSION, HELLO, &[]).unwrap();
        assert_eq!(hello[..4], [0, 0, 1, 0]);
        assert_eq!(hello.last(), Some(&0));
        client
    }

    pub fn stream(&self) -> &UnixStream {
        &self.stream
    }

    pub fn send(&self, bytes: &[u8], fds: &[BorrowedFd]) -> rustix::io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(32))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !fds.is_empty() {
            assert!(control.push(SendAncillaryMessage::ScmRights(fds)));
        }
        sendmsg(&self.stream, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)
    }

    /// The next reply: its header, and what follows. `None` when the server has closed the
    /// connection.
    pub fn reply(&mut self) -> Option<([u8; 16], Vec<u8>)> {
        let mut header = [0; 16];
        match self.stream.read_exact(&mut header) {
            Ok(()) => {}
            Err(e) if matches!(e.kind(), std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::ConnectionReset) => return None,
            Err(e) => panic!("no reply: {e}"),
        }
        let size = u32::from_ne_bytes(header[4..8].try_into().unwrap()) as usize;
        let mut payload = vec![0; size - 16];
        self.stream.read_exact(&mut payload).unwrap();
        Some((header, payload))
    }

    /// Sends a command and gives what it was answered, or the error number.
    pub fn call(&mut self, command: u16, payload: &[u8], fds: &[BorrowedFd]) -> Result<Vec<u8>, u32> {
        self.id = self.id.wrapping_add(1);
        let bytes = message(self.id, command, 0, payload);
        assert_eq!(self.send(&bytes, fds), Ok(bytes.len()));
        let (header, payload) = self.reply().expect("the server closed the connection");
        assert_eq!(header[..2], self.id.to_ne_bytes());
        assert_eq!(header[2..4], command.to_ne_bytes());
        let flags = u32::from_ne_bytes(header[8..12].try_into().unwrap());
        match flags {
            0x01 => Ok(payload),
            0x21 => Err(u32::from_ne_bytes(header[12..].try_into().unwrap())),
            _ => panic!("a reply with flags {flags:#x}"),
        }
    }

    pub fn read(&mut self, region: u32, offset: u64, bytes: u32) -> Result<Vec<u8>, u32> {
        let payload = [longs(&[offset]), words(&[region, bytes])].concat();
        let answer = self.call(READ, &payload, &[])?;
        assert_eq!(answer[..16], payload);
        assert_eq!(answer.len(), 16 + bytes as usize);
        Ok(answer[16..].to_vec())
    }

    pub fn write(&mut self, region: u32, offset: u64, data: &[u8]) -> Result<(), u32> {
        let payload = [longs(&[offset]), words(&[region, data.len() as u32]), data.to_vec()].concat();
        let answer = self.call(WRITE, &payload, &[])?;
        assert_eq!(answer, payload[..16]);
        Ok(())
    }

    pub fn map(&mut self, file: Option<&File>, offset: u64, address: u64, size: u64) -> Result<(), u32> {
        let payload = [words(&[32, 3]), longs(&[offset, address, size])].concat();
        let fds: Vec<BorrowedFd> = file.iter().map(|f| f.as_fd()).collect();
        self.call(MAP, &payload, &fds).map(|rest| assert!(rest.is_empty()))
    }

    pub fn unmap(&mut self, address: u64, size: u64) -> Result<(), u32> {
        let payload = [words(&[24, 0]), longs(&[address, size])].concat();
        self.call(UNMAP, &payload, &[]).map(|answer| assert_eq!(answer, payload))
    }

    /// Arms vectors from `start` on.
    pub fn arm(&mut self, start: u32, fds: &[&OwnedFd]) -> Result<(), u32> {
        let fds: Vec<BorrowedFd> = fds.iter().map(|f| f.as_fd()).collect();
        self.set_irqs(0x24, start, fds.len() as u32, &fds)
    }

    pub fn set_irqs(&mut self, flags: u32, start: u32, count: u32, fds: &[BorrowedFd]) -> Result<(), u32> {
        self.call(SET_IRQS, &words(&[20, flags, 2, start, count]), fds).map(|rest| assert!(rest.is_empty()))
    }

    /// Switches bus mastering.
    pub fn master(&mut self, on: bool) {
        let command = pci::COMMAND_MEMORY | if on { pci::COMMAND_MASTER } else { 0 };
        self.write(CONFIG, pci::COMMAND.into(), &command.to_le_bytes()).unwrap();
    }

    /// The offset of a capability.
    pub fn capability(&mut self, id: u8) -> u64 {
        let mut at = self.read(CONFIG, pci::CAPABILITIES.into(), 1).unwrap()[0];
        while at != 0 {
            let [found, next] = self.read(CONFIG, at.into(), 2).unwrap()[..] else { unreachable!() };
            if found == id {
                return at.into();
            }
            at = next;
        }
        panic!("no capability {id:#x}");
    }

    /// Resets the function as a guest's kernel does.
    pub fn flr(&mut self) {
        let control = self.capability(pci::CAP_EXPRESS) + u64::from(pci::EXPRESS_CONTROL);
        self.write(CONFIG, control, &pci::EXPRESS_CONTROL_FLR.to_le_bytes()).unwrap();
    }
}

/// The registers of a client's NIC.
pub struct Registers(pub RefCell<Client>);

impl Registers {
    /// Connects, makes it a bus master, and waits until it is ready.
    pub fn open(path: &Path) -> Self {
        let mut client = Client::connect(path);
        client.master(true);
        let registers = Registers(RefCell::new(client));
        registers.device().wait_ready().unwrap();
        registers
    }

    pub fn device(&self) -> Device<&Self> {
        Device::open(self).unwrap()
    }

    pub fn client<T>(&self, what: impl FnOnce(&mut Client) -> T) -> T {
        what(&mut self.0.borrow_mut())
    }
}

impl Bus for Registers {
    type Error = u32;

    fn read32(&self, offset: u32) -> Result<u32, u32> {
        let bytes = self.client(|c| c.read(pci::REGISTERS_BAR, offset.into(), 4))?;
        Ok(u32::from_le_bytes(bytes.try_into().unwrap()))
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), u32> {
        self.client(|c| c.write(pci::REGISTERS_BAR, offset.into(), &value.to_le_bytes()))
    }
}

/// Memory whose pages are mapped one by one, as with an IOMMU: in a row for the device, anywhere in
/// the file.
pub struct Pages {
    pub file: File,
    pub address: u64,
    pages: u64,
}

impl Pages {
    pub fn new(registers: &Registers, address: u64, pages: u64) -> Self {
        let file = File::from(memfd_create("pages", MemfdFlags::CLOEXEC).unwrap());
        file.set_len(pages * PAGE).unwrap();
        let memory = Pages { file, address, pages };
        for page in 0..pages {
            let mapped = registers.client(|c| c.map(Some(&memory.file), memory.place(page) * PAGE, address + page * PAGE, PAGE));
            mapped.unwrap();
        }
        memory
    }

    /// The same memory, said to be at an address at which it is not mapped.
    pub fn elsewhere(&self, address: u64) -> Self {
        Pages { file: self.file.try_clone().unwrap(), address, pages: self.pages }
    }

    /// Where in the file a page is.
    pub fn place(&self, page: u64) -> u64 {
        // An odd factor permutes the residues of a power of two.
        if self.pages.is_power_of_two() { (page * 5 + 3) % self.pages } else { self.pages - 1 - page }
    }

    fn each(&self, at: usize, bytes: usize, mut part: impl FnMut(u64, std::ops::Range<usize>)) {
        let mut done = 0;
        while done < bytes {
            let (page, inside) = ((at + done) as u64 / PAGE, (at + done) as u64 % PAGE);
            let end = bytes.min(done + (PAGE - inside) as usize);
            part(self.place(page) * PAGE + inside, done..end);
            done = end;
        }
    }
}

impl Memory for Pages {
    fn address(&self) -> u64 {
        self.address
    }

    fn bytes(&self) -> usize {
        (self.pages * PAGE) as usize
    }

    fn read(&self, at: usize, to: &mut [u8]) {
        self.each(at, to.len(), |place, part| self.file.read_exact_at(&mut to[part], place).unwrap());
    }

    fn write(&self, at: usize, from: &[u8]) {
        self.each(at, from.len(), |place, part| self.file.write_all_at(&from[part], place).unwrap());
    }
}
