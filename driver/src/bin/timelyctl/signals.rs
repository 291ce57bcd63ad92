//! The signals that ask a command to end, as a descriptor.
use crate::backend::CliError;
use nix::sys::signalfd::SignalFd;
use std::os::fd::{AsFd, BorrowedFd};

/// Signals that ask a command to end, blocked and read from a descriptor.
pub struct Signals(SignalFd);

impl Signals {
    /// Waits for them.
    ///
    /// # Errors
    /// When there is no descriptor left.
    pub fn new() -> Result<Self, CliError> {
        timely_driver::signals::ending().map(Signals).map_err(CliError::Failed)
    }

    /// A signal came; takes it.
    pub fn came(&self) -> bool {
        matches!(self.0.read_signal(), Ok(Some(_)))
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
