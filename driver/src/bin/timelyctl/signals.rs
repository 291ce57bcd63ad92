//! The signals that ask a command to end, as a descriptor.
use crate::backend::CliError;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use std::os::fd::{AsFd, BorrowedFd};

/// SIGINT, SIGTERM and SIGHUP, which end nothing by themselves from now on.
pub struct Signals(SignalFd);

impl Signals {
    /// Waits for them.
    ///
    /// # Errors
    /// When there is no descriptor left.
    pub fn new() -> Result<Self, CliError> {
        let mut wanted = SigSet::empty();
        [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().for_each(|s| wanted.add(s));
        let fd = wanted.thread_block().and_then(|()| SignalFd::with_flags(&wanted, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK));
        fd.map(Signals).map_err(|e| CliError::Failed(format!("a descriptor for signals: {e}; raise the limit on open files (ulimit -n)")))
    }

    /// One came.
    pub fn came(&self) -> bool {
        matches!(self.0.read_signal(), Ok(Some(_)))
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
