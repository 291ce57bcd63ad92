//! The card's PTP date for chronyd, through its reference clock of type `SOCK`: datagrams of 40
//! bytes to a socket that chronyd listens at (`refclock` in chrony.conf(5); the layout is that of
//! `struct sock_sample` in its `refclock_sock.c`).
use super::DaemonError;
use crate::say::{Often, note};
use crate::service::{Dated, Service};
use std::io::{self, ErrorKind};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time between two samples; chronyd takes one in each poll of its own, and of more the median.
const APART: Duration = Duration::from_secs(1);
/// Last word of a sample, "SOCK".
const MAGIC: i32 = 0x534f_434b;
/// Bits of ns that a date has.
const DATE_BITS: u32 = 48;

/// A reference clock of chronyd's.
pub(super) struct Refclock {
    socket: UnixDatagram,
    path: PathBuf,
    due: Instant,
    failures: Often,
    /// A note said that the date is not of PTP.
    said: bool,
}

impl Refclock {
    /// Sends to a path, which need not exist yet.
    pub(super) fn new(path: &Path) -> Result<Self, DaemonError> {
        let socket = UnixDatagram::unbound().and_then(|s| s.set_nonblocking(true).map(|()| s));
        let socket = socket.map_err(super::socket_error(format!("a socket for {}", path.display()), "this should not happen"))?;
        Ok(Refclock { socket, path: path.into(), due: Instant::now(), failures: Often::default(), said: false })
    }

    /// How long nothing is due.
    pub(super) fn wait(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// Reads the date and sends a sample when one is due. Without PTP nothing is sent; what
    /// chronyd does not take is lost, and said once a second at most.
    pub(super) fn turn(&mut self, service: &Service) -> Result<(), DaemonError> {
        let now = Instant::now();
        if now < self.due {
            return Ok(());
        }
        self.due = now + APART;
        let Some(dated) = service.dated()? else {
            if !std::mem::replace(&mut self.said, true) {
                note(
                    "--refclock: the card's date is not of PTP (SOURCE.ptp is 0), so chronyd is told nothing; `timelyctl reg write source 1` where the shell has a PTP clock",
                );
            }
            return Ok(());
        };
        self.said = false;
        if let Err(e) = self.send(&dated) {
            self.failures.happened();
            if let Some(times) = self.failures.due(now) {
                let path = self.path.display();
                note(format_args!(
                    "--refclock {path}: {e} ({times} samples lost); chrony.conf needs `refclock SOCK {path} tai`, and chronyd must run"
                ));
            }
        }
        Ok(())
    }

    fn send(&self, dated: &Dated) -> io::Result<()> {
        match self.socket.send_to(&sample(dated), &self.path) {
            // A full socket: chronyd is slow, and takes a later one.
            Err(e) if e.kind() == ErrorKind::WouldBlock => Ok(()),
            sent => sent.map(|_| ()),
        }
    }
}

/// The card's date less the host's, ns. A date has 48 bits of ns, 78 hours: of all that one may be
/// the nearest is taken.
fn offset_ns(dated: &Dated) -> f64 {
    let away = dated.date_ns.wrapping_sub(dated.host_ns) << (64 - DATE_BITS);
    let whole = (away as i64) >> (64 - DATE_BITS);
    whole as f64 + dated.fraction_ns
}

/// A sample as chronyd reads it: the host's time, seconds and microseconds of 64 bits; how far the
/// reference is ahead, seconds, as a double; no pulse; no leap second; padding; the magic.
fn sample(dated: &Dated) -> [u8; 40] {
    let us_ns = dated.host_ns / 1000 * 1000;
    // Truncation of the time to microseconds leaves the offset as it is: clocks run alike for one.
    let seconds = (us_ns / 1_000_000_000) as i64;
    let microseconds = (us_ns % 1_000_000_000 / 1000) as i64;
    let mut bytes = [0; 40];
    bytes[..8].copy_from_slice(&seconds.to_ne_bytes());
    bytes[8..16].copy_from_slice(&microseconds.to_ne_bytes());
    bytes[16..24].copy_from_slice(&(offset_ns(dated) * 1e-9).to_ne_bytes());
    bytes[36..].copy_from_slice(&MAGIC.to_ne_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dated(host_ns: u64, ahead_ns: i64, fraction_ns: f64) -> Dated {
        let date_ns = host_ns.wrapping_add_signed(ahead_ns) & ((1 << DATE_BITS) - 1);
        Dated { host_ns, date_ns, fraction_ns }
    }

    /// The nearest date counts, on either side of where the card's wraps.
    #[test]
    fn the_nearest_date() {
        for host_ns in [1_700_000_000_123_456_789, 6_039 << DATE_BITS, (6_040 << DATE_BITS) - 1] {
            for ahead_ns in [0, 1, -1, 37_000_000_000, -37_000_000_000, (1 << 47) - 1, -(1 << 47)] {
                assert_eq!(offset_ns(&dated(host_ns, ahead_ns, 0.0)), ahead_ns as f64, "{host_ns} {ahead_ns}");
            }
        }
        assert_eq!(offset_ns(&dated(5, 2, 0.25)), 2.25);
    }

    /// The bytes of a sample, one by one, on a machine of little endian.
    #[test]
    #[cfg(target_endian = "little")]
    fn the_bytes_of_a_sample() {
        let bytes = sample(&dated(1_700_000_000_123_456_789, -500_000_000, 0.0));
        let expected = "00f1536500000000 40e2010000000000 000000000000e0bf 00000000 00000000 00000000 4b434f53";
        let shown: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(shown, expected.replace(' ', ""));
    }

    /// A chronyd that does not run loses samples, which is an error; one that does not read its
    /// socket keeps nobody waiting; one that came later is told.
    #[test]
    fn nobody_waits_for_chronyd() {
        let path = std::env::temp_dir().join(format!("timely-refclock-{}", std::process::id()));
        let clock = Refclock::new(&path).expect("a socket");
        let at = dated(1_700_000_000_000_000_000, 0, 0.0);
        assert_eq!(clock.send(&at).map_err(|e| e.kind()), Err(ErrorKind::NotFound));
        let chronyd = UnixDatagram::bind(&path).expect("a path");
        assert!((0..10_000).all(|_| clock.send(&at).is_ok()), "it is full, and nothing waits");
        let mut bytes = [0; 64];
        assert_eq!((chronyd.recv(&mut bytes).expect("a sample"), bytes[..40] == sample(&at)), (40, true));
        drop(chronyd);
        assert_eq!(clock.send(&at).map_err(|e| e.kind()), Err(ErrorKind::ConnectionRefused));
        std::fs::remove_file(&path).expect("removed");
    }
}
