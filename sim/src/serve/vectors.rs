//! MSI-X vectors: from the NIC's interrupt lines to the eventfds that a client armed.
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use timely_regs::pci;

/// The vectors.
#[derive(Default)]
pub struct Vectors {
    armed: [Option<OwnedFd>; pci::VECTORS as usize],
    lines: u32,
    /// Vectors whose lines rose and are still up, and that were not signalled yet.
    pending: u32,
}

/// Signals an eventfd. What a client passes may be anything, so nothing is written that could
/// block.
fn signal(fd: &OwnedFd) {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let mut ready = [PollFd::new(fd, PollFlags::OUT)];
    if poll(&mut ready, Some(&now)).is_ok_and(|n| n == 1) && ready[0].revents().contains(PollFlags::OUT) {
        // A client that closed its end gets no signal, which is no error of the server.
        let _ = rustix::io::write(fd, &1u64.to_ne_bytes());
    }
}

impl Vectors {
    /// Arms vectors from `start` on, or disarms those whose descriptor is `None`.
    ///
    /// # Errors
    /// There are not that many vectors; nothing is changed then.
    pub fn arm(&mut self, start: u32, fds: Vec<Option<OwnedFd>>) -> Result<(), Errno> {
        let armed = self.armed.get_mut(start as usize..).and_then(|a| a.get_mut(..fds.len())).ok_or(Errno::INVAL)?;
        for (to, fd) in armed.iter_mut().zip(fds) {
            *to = fd;
        }
        Ok(())
    }

    /// Disarms all vectors.
    pub fn disarm(&mut self) {
        self.armed = Default::default();
    }

    /// Signals a vector, as if its line had risen.
    ///
    /// # Errors
    /// There is no such vector.
    pub fn trigger(&mut self, vector: u32) -> Result<(), Errno> {
        let armed = self.armed.get(vector as usize).ok_or(Errno::INVAL)?;
        armed.iter().for_each(signal);
        Ok(())
    }

    /// The lines are now so; `again`: those that are up count as risen; `master`: the device may
    /// send. A vector that cannot be sent now is sent when it can be, if its line is still up.
    pub fn update(&mut self, lines: u32, again: bool, master: bool) {
        self.pending = (self.pending | lines & !self.lines | if again { lines } else { 0 }) & lines;
        self.lines = lines;
        if !master || self.pending == 0 {
            return;
        }
        for (vector, armed) in self.armed.iter().enumerate() {
            if let Some(fd) = armed.as_ref().filter(|_| self.pending & 1 << vector != 0) {
                signal(fd);
                self.pending &= !(1 << vector);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{EventfdFlags, eventfd};

    fn count(fd: &OwnedFd) -> u64 {
        let mut bytes = [0; 8];
        rustix::io::read(fd, &mut bytes).map_or(0, |_| u64::from_ne_bytes(bytes))
    }

    #[test]
    fn a_rising_line_signals_once() {
        let fd = eventfd(0, EventfdFlags::NONBLOCK).expect("an eventfd");
        let mut v = Vectors::default();
        v.update(0b10, false, true);
        assert_eq!(v.arm(1, vec![Some(fd.try_clone().expect("a descriptor"))]), Ok(()));
        v.update(0b10, false, true);
        assert_eq!(count(&fd), 1, "it rose before it was armed, and is still up");
        v.update(0b11, false, true);
        assert_eq!(count(&fd), 0, "it is up already");
        v.update(0b11, true, true);
        assert_eq!(count(&fd), 1, "still up after a write to INTERRUPT");
        v.update(0, false, true);
        v.update(0b10, false, false);
        assert_eq!(count(&fd), 0, "no bus master");
        v.update(0b10, false, true);
        assert_eq!(count(&fd), 1);
        v.update(0, false, true);
        v.update(0b10, false, false);
        v.update(0, false, false);
        v.update(0, false, true);
        assert_eq!(count(&fd), 0, "it fell again before it could be sent");
        assert_eq!((v.trigger(1), v.trigger(6)), (Ok(()), Err(Errno::INVAL)));
        assert_eq!(count(&fd), 1);
        assert_eq!(v.arm(5, vec![None, None]), Err(Errno::INVAL));
        assert_eq!(v.arm(u32::MAX, vec![None]), Err(Errno::INVAL));
        v.disarm();
        v.update(0b10, true, true);
        assert_eq!(count(&fd), 0);
    }

    #[test]
    fn a_full_pipe_does_not_block() {
        let (_reader, writer) = rustix::pipe::pipe().expect("a pipe");
        let mut v = Vectors::default();
        v.arm(0, vec![Some(writer)]).expect("a vector");
        for _ in 0..100_000 {
            v.update(1, true, true);
        }
    }
}
