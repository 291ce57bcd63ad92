//! `timely-sim wire`: the in-line NIC as a bump between two sockets that virtual machines take, its
//! registers at a third.
//!
//! | file | what is in it |
//! |---|---|
//! | `mod` | the frames that wait at both ends, shared by the two threads below |
//! | [`ends`] | the NIC's side of them: what came and what leaves, in simulated time |
//! | [`sockets`] | the machines' side: a thread that waits for sockets and never for anything else |
//! | [`summary`] | what is said at the end |
//! | [`setup`], [`command`] | makes the NIC from options; the command line |
//!
//! The NIC runs on [`crate::serve`]'s thread, as one that is served does, and simulated time
//! follows the wall's in the same way.
pub mod command;
pub mod ends;
pub mod setup;
pub mod sockets;
pub mod summary;

use crate::serve::wire::End;
use std::collections::VecDeque;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The ends of a wire.
pub const ENDS: [End; 2] = [End::Host, End::Network];

/// Frames of an end that the NIC has not taken, with which no more are read from its socket.
const UNTAKEN: usize = 256;
/// Frames for an end that its socket has not taken, with which the end takes no more.
const UNSENT: usize = 1024;

/// Frames for an end.
#[derive(Debug, Default)]
struct Going {
    frames: VecDeque<Vec<u8>>,
    /// A machine is connected.
    connected: bool,
}

/// Counted at one end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Frames that came to the NIC.
    pub came: u64,
    /// Bytes of these, without FCS.
    pub came_bytes: u64,
    /// Frames that left the NIC, and were taken.
    pub left: u64,
    /// Bytes of these, without FCS.
    pub left_bytes: u64,
    /// Frames that left the NIC, and that no machine took.
    pub untaken: u64,
}

/// State that both threads share.
#[derive(Debug)]
pub struct Shared {
    going: [Mutex<Going>; 2],
    /// Frames of each end that the NIC has not taken.
    untaken: [AtomicUsize; 2],
    counts: Mutex<[Count; 2]>,
    /// Simulated time that was run, and what it took of the wall's.
    ran: Mutex<(Duration, Duration)>,
    /// The NIC has stopped.
    closed: AtomicBool,
    /// A byte in it wakes the thread of the sockets.
    wake: UnixStream,
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// With nobody connected, and the socket that is readable when the sockets' thread has
    /// something to do.
    ///
    /// # Errors
    /// There are no sockets to be had.
    pub fn new() -> std::io::Result<(Self, UnixStream)> {
        let (wake, woken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        let shared = Shared {
            going: Default::default(),
            untaken: Default::default(),
            counts: Mutex::default(),
            ran: Mutex::default(),
            closed: AtomicBool::new(false),
            wake,
        };
        Ok((shared, woken))
    }

    fn wake(&self) {
        // A full socket wakes as well.
        let _ = (&self.wake).write(&[0]);
    }

    /// Ends the thread of the sockets.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.wake();
    }

    fn may_come(&self, end: End) -> bool {
        self.untaken[end as usize].load(Ordering::Acquire) < UNTAKEN
    }

    fn coming(&self, end: End) {
        self.untaken[end as usize].fetch_add(1, Ordering::AcqRel);
    }

    fn taken(&self, end: End, frames: usize) {
        let before = self.untaken[end as usize].fetch_sub(frames, Ordering::AcqRel);
        if before >= UNTAKEN && before - frames < UNTAKEN {
            self.wake();
        }
    }

    fn takes(&self, end: End) -> bool {
        let going = held(&self.going[end as usize]);
        !going.connected || going.frames.len() < UNSENT
    }

    /// A frame leaves by an end; false where nobody takes it.
    fn leaves(&self, end: End, frame: &[u8]) -> bool {
        let mut going = held(&self.going[end as usize]);
        let takes = going.connected && going.frames.len() < UNSENT;
        if takes {
            going.frames.push_back(frame.to_vec());
            if going.frames.len() == 1 {
                self.wake();
            }
        }
        takes
    }

    fn sends(&self, end: End) -> bool {
        !held(&self.going[end as usize]).frames.is_empty()
    }

    fn next(&self, end: End) -> Option<Vec<u8>> {
        held(&self.going[end as usize]).frames.pop_front()
    }

    fn connected(&self, end: End, connected: bool) {
        let mut going = held(&self.going[end as usize]);
        going.frames.clear();
        going.connected = connected;
    }
}
