//! A board that has no bus to a host, by a serial line: registers and nothing else, some 5,000 of
//! them a second.
//!
//! `timely_regs::serial` has the bytes. A line is slower than a bus but as safe: each access is
//! answered, and both ways carry a check byte.
use super::{Failure, Reach, Transport};
use crate::lock::{self, Lock};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::termios::{OptionalActions, isatty, tcgetattr, tcsetattr};
use std::cell::RefCell;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};
use timely_regs::map::ADDRESS_BITS;
use timely_regs::serial::{ANSWER, ANSWER_BYTES, BAUD, READ, REFUSED, WRITE, answer, request};

/// The way, as it is printed.
const KIND: &str = "serial line";
/// Advice for users that need more than registers.
const INSTEAD: &str = "read telemetry in its place (`timelyctl telemetry --watch`); a serial line carries registers alone";
/// How long an answer may take: on the line it takes 170 us, and an adapter on USB keeps bytes back
/// for 16 ms.
const LIMIT: Duration = Duration::from_millis(500);
/// Advice when no answer comes.
const LOOK: &str = "is it the board's second port, and is the bitstream loaded?";

/// A board.
pub struct Serial {
    name: String,
    line: RefCell<File>,
    _lock: Lock,
}

impl Serial {
    /// Opens a serial port.
    ///
    /// # Errors
    /// When another process has it, or it cannot be opened or set to the line's speed.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let name = format!("serial:{}", path.display());
        let lock = Lock::take(&name, &lock::path_of(&name)?)?;
        let failed =
            |what: &str, e: rustix::io::Errno, next| Failure::Io { device: name.clone(), what: what.into(), source: e.into(), next };
        let line =
            rustix::fs::open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).map_err(|e| {
                failed("the port cannot be opened", e, "`ls /dev/ttyUSB*` shows those there are; join the group dialout, or run as root")
            })?;
        let copy = line.try_clone().map_err(|source| Failure::Io {
            device: name.clone(),
            what: "its descriptor cannot be copied".into(),
            source,
            next: "raise the limit on open files (ulimit -n)",
        })?;
        let lock = lock.and_node(&name, path, copy.into())?;
        if !isatty(&line) {
            return Err(failed("it is no serial port", rustix::io::Errno::NOTTY, "`ls /dev/ttyUSB*` shows those there are"));
        }
        let set = || {
            let mut settings = tcgetattr(&line)?;
            settings.make_raw();
            settings.set_speed(BAUD)?;
            // Now, and what came before is forgotten.
            tcsetattr(&line, OptionalActions::Flush, &settings)
        };
        set().map_err(|e| failed("the port cannot be set to 1,000,000 bits a second", e, "look at dmesg"))?;
        Ok(Self::with(name, line, lock))
    }

    /// A board on a line that is set up, and does not block.
    fn with(name: String, line: OwnedFd, lock: Lock) -> Self {
        Serial { name, line: RefCell::new(line.into()), _lock: lock }
    }

    // Reads what there is; waits for it until `end`.
    fn more(line: &mut File, to: &mut Vec<u8>, end: Instant) -> Result<(), Error> {
        let left = end.saturating_duration_since(Instant::now());
        let wait = left.try_into().map_err(|_| ErrorKind::InvalidInput)?;
        if left.is_zero() || poll(&mut [PollFd::new(line, PollFlags::IN)], Some(&wait))? == 0 {
            return Err(ErrorKind::TimedOut.into());
        }
        let mut bytes = [0; 64];
        let count = match line.read(&mut bytes) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => 0,
            other => other?,
        };
        to.extend_from_slice(&bytes[..count]);
        Ok(())
    }

    // The word that an absent register reads as is data, as on any bus; the device has the refusal
    // in a register of its own.
    fn access(&self, kind: u8, offset: u32, value: u32) -> Result<u32, Failure> {
        let mut line = self.line.borrow_mut();
        let what = || format!("access to {offset:#x}");
        let failed = |source: Error| Failure::Io { device: self.name.clone(), what: what(), source, next: LOOK };
        // Bytes that came unasked, or late, are no answer.
        let mut bytes = [0; 64];
        while line.read(&mut bytes).is_ok_and(|n| n > 0) {}
        line.write_all(&request(kind, offset, value)).map_err(failed)?;
        let (mut heard, end) = (Vec::new(), Instant::now() + LIMIT);
        loop {
            Self::more(&mut line, &mut heard, end).map_err(failed)?;
            // Noise before an answer is passed by.
            let begins = heard.iter().position(|b| *b == ANSWER).unwrap_or(heard.len());
            heard.drain(..begins);
            if let Some(whole) = heard.first_chunk::<ANSWER_BYTES>() {
                return match answer(whole) {
                    Some((REFUSED, _)) => Err(failed(Error::new(ErrorKind::InvalidData, "the board heard it damaged"))),
                    Some((_, value)) => Ok(value),
                    None => Err(failed(Error::new(ErrorKind::InvalidData, "the answer is damaged"))),
                };
            }
        }
    }
}

impl Transport for Serial {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        KIND
    }

    /// A board whose port is closed is not reset.
    fn keeps_state(&self) -> bool {
        true
    }

    fn registers_bytes(&self) -> u64 {
        1 << ADDRESS_BITS
    }

    fn reach(&self) -> Reach {
        Reach::REGISTERS
    }

    fn instead(&self) -> &'static str {
        INSTEAD
    }

    fn read32(&self, offset: u32) -> Result<u32, Failure> {
        self.access(READ, offset, 0)
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), Failure> {
        self.access(WRITE, offset, value).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::collections::BTreeMap;
    use std::path::PathBuf;
    use timely_regs::serial::{DONE, REQUEST_BYTES, check};

    /// A board at the other end of a terminal: registers, and now and then nonsense before an
    /// answer.
    fn board(asked: usize, say: impl Fn(usize, [u8; ANSWER_BYTES]) -> Vec<u8> + Send + 'static) -> (PathBuf, std::thread::JoinHandle<()>) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("granted");
        unlockpt(&master).expect("unlocked");
        let path = PathBuf::from(ptsname(&master, vec![]).expect("a name").into_string().expect("a name"));
        // Raw from the start, before the driver opens it.
        let mut settings = tcgetattr(&master).expect("settings");
        settings.make_raw();
        tcsetattr(&master, OptionalActions::Now, &settings).expect("set");
        let keep = rustix::fs::open(&path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its end");
        let mut master = File::from(master);
        let thread = std::thread::spawn(move || {
            let mut registers: BTreeMap<[u8; 3], [u8; 4]> = BTreeMap::new();
            for n in 0..asked {
                let mut r = [0; REQUEST_BYTES];
                master.read_exact(&mut r).expect("a request");
                assert_eq!(check(&r[1..9]), r[9]);
                let (at, data) = ([r[2], r[3], r[4]], [r[5], r[6], r[7], r[8]]);
                let mut a = [ANSWER, DONE, 0, 0, 0, 0, 0];
                if r[1] == WRITE {
                    registers.insert(at, data);
                } else {
                    a[2..6].copy_from_slice(registers.get(&at).unwrap_or(&[0; 4]));
                }
                a[6] = check(&a[1..6]);
                master.write_all(&say(n, a)).expect("heard");
            }
            // Until the driver has heard the last.
            drop(keep);
            let _ = master.read(&mut [0]);
        });
        (path, thread)
    }

    #[test]
    fn registers_are_written_and_read_back() {
        let (path, thread) = board(20, |n, a| if n % 3 == 0 { [&[0, 7][..], &a].concat() } else { a.to_vec() });
        let line = Serial::open(&path).expect("a port");
        for i in 0..10u32 {
            line.write32(0x10_0000 + 4 * i, 0x7474_5454 ^ i).expect("written");
            assert_eq!(line.read32(0x10_0000 + 4 * i).expect("read"), 0x7474_5454 ^ i);
        }
        assert!(line.keeps_state() && !line.reach().memory && line.enable_msix(1).is_err());
        let text = Serial::open(&path).err().expect("it is taken").to_string();
        assert!(text.contains("in use"), "{text}");
        drop(line);
        thread.join().expect("no thread panics");
    }

    #[test]
    fn what_is_damaged_or_missing_is_said() {
        let (path, thread) = board(3, |n, mut a| {
            match n {
                0 => a[6] ^= 1,
                1 => {
                    a[1] = REFUSED;
                    a[6] = check(&a[1..6]);
                }
                _ => return vec![ANSWER],
            }
            a.to_vec()
        });
        let line = Serial::open(&path).expect("a port");
        for expected in ["the answer is damaged", "heard it damaged", "timed out"] {
            let text = line.read32(4).expect_err("no value").to_string();
            assert!(text.contains(expected) && text.contains("second port"), "{text}");
        }
        drop(line);
        thread.join().expect("no thread panics");
        let text = Serial::open(Path::new("/dev/null")).err().expect("no port").to_string();
        assert!(text.contains("no serial port"), "{text}");
    }
}
