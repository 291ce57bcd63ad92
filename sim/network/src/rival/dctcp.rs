//! DCTCP (Alizadeh et al., SIGCOMM'10): the window falls by half of the smoothed share of marked
//! packets, once a window.
use crate::fabric::control::{Answer, Controller};
use crate::time::Ps;

/// Weight of a new share in the smoothed one.
const GAIN: f64 = 1.0 / 16.0;
/// Packets of the window at first.
const FIRST: f64 = 10.0;
/// Least window, packets.
const LEAST: f64 = 2.0;
/// Greatest window of a line whose bandwidth-delay product is below half of it: a megabyte or so.
const MOST: f64 = 700.0;

/// DCTCP of one flow.
#[derive(Clone, Debug)]
pub struct Dctcp {
    mbps: f64,
    packet: u32,
    most: f64,
    window: f64,
    threshold: f64,
    share: f64,
    // Of the window that began when this offset was sent: packets, marked ones.
    until: u32,
    packets: u32,
    marked: u32,
}

impl Dctcp {
    /// A new flow on a line of so many Mb/s, with packets of so many wire bytes and this unloaded
    /// RTT. The greatest window is twice the bandwidth-delay product of the line, or 700 packets.
    pub fn new(mbps: f64, packet: u32, base_us: f64) -> Self {
        let most = MOST.max(2.0 * mbps / 8.0 * base_us / f64::from(packet));
        Dctcp { mbps, packet, most, window: FIRST, threshold: most, share: 1.0, until: 0, packets: 0, marked: 0 }
    }

    /// The smoothed share of marked packets.
    pub fn share(&self) -> f64 {
        self.share
    }
}

impl Controller for Dctcp {
    fn answer(&mut self, a: &Answer) {
        self.packets += a.packets;
        self.marked += a.marked;
        if self.window < self.threshold && a.marked == 0 {
            self.window += f64::from(a.packets);
        } else {
            self.window += f64::from(a.packets) / self.window;
        }
        if a.marked > 0 {
            self.threshold = self.threshold.min(self.window);
        }
        self.window = self.window.min(self.most);
        if a.acked.wrapping_sub(self.until) as i32 >= 0 {
            let share = f64::from(self.marked) / f64::from(self.packets.max(1));
            self.share += GAIN * (share - self.share);
            if self.marked > 0 {
                self.window = (self.window * (1.0 - self.share / 2.0)).max(LEAST);
                self.threshold = self.window;
            }
            (self.packets, self.marked, self.until) = (0, 0, a.sent);
        }
    }

    fn timeout(&mut self, _: Ps) {
        self.threshold = (self.window / 2.0).max(LEAST);
        self.window = LEAST;
    }

    fn rate(&self) -> f64 {
        self.mbps
    }

    fn window(&self) -> Option<u32> {
        Some((self.window * f64::from(self.packet)) as u32)
    }
}
