//! The signals that ask a program to end, as a descriptor.
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// SIGINT, SIGTERM, SIGQUIT, and SIGHUP when a terminal is closed.
const ENDING: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGQUIT, Signal::SIGHUP];

/// Signals of [`ENDING`] that the program was not started with as ignored, as `nohup` ignores
/// SIGHUP: a blocked signal is delivered to the descriptor even when it is ignored. `status` is
/// `/proc/self/status`.
fn wanted(status: &str) -> impl Iterator<Item = Signal> {
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:")).and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0);
    ENDING.into_iter().filter(move |s| mask >> (*s as u32 - 1) & 1 == 0)
}

/// A descriptor that can be read when one of the signals came. From now on the signals end nothing
/// by themselves.
///
/// # Errors
/// There is no descriptor left; the error says what to do.
pub fn ending() -> Result<SignalFd, String> {
    let mut set = SigSet::empty();
    wanted(&std::fs::read_to_string("/proc/self/status").unwrap_or_default()).for_each(|s| set.add(s));
    let fd = set.thread_block().and_then(|()| SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK));
    fd.map_err(|e| format!("a descriptor for signals: {e}; raise the limit on open files (ulimit -n)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nohup_has_ignored_ends_nothing() {
        let of = |ignored: &str| {
            wanted(&format!("SigBlk:\t0000000000000000\nSigIgn:\t{ignored}\nSigCgt:\t0000000000000000\n")).collect::<Vec<_>>()
        };
        assert_eq!(of("0000000000001000"), ENDING, "SIGPIPE, which Rust ignores");
        assert_eq!(of("0000000000001001"), ENDING[..3], "SIGHUP, under nohup");
        // A shell's background jobs without job control.
        assert_eq!(of("0000000000001006"), [Signal::SIGTERM, Signal::SIGHUP]);
        assert_eq!(wanted("").collect::<Vec<_>>(), ENDING);
    }
}
