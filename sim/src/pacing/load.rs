//! Loads: so many flows, so fast together, in packets or bursts of them.
use serde::{Deserialize, Serialize};

/// UDP payload of a packet, which fills an IP packet of 1,500 bytes.
pub const PAYLOAD: usize = 1472;
/// Bytes of that packet on the wire: preamble, Ethernet, IP, UDP, FCS, gap.
pub const WIRE_BYTES: u64 = 1538;
/// Packets of the bursts: single ones, 16 KB and 64 KB of payload as near as whole packets come.
pub const BURSTS: [u32; 3] = [1, 11, 44];

/// Load of a pacer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Flows, all of one rate.
    pub flows: u32,
    /// Rate of all flows together, wire bits, Mb/s.
    pub mbps: f64,
    /// Packets that a flow sends at a time.
    pub burst: u32,
    /// How long.
    pub seconds: f64,
}

impl Load {
    /// Time from packet to packet of a flow, ns.
    pub fn gap_ns(&self) -> f64 {
        WIRE_BYTES as f64 * 8000.0 * f64::from(self.flows) / self.mbps
    }

    /// Time from burst to burst of a flow, ns.
    pub fn period_ns(&self) -> f64 {
        self.gap_ns() * f64::from(self.burst)
    }

    /// When each flow's first burst is due, ns from the start: spread evenly over a period, and by
    /// the golden ratio, so that neighbours in number are none in time.
    pub fn starts(&self) -> Vec<f64> {
        let golden = 0.618_033_988_749_894_9;
        (0..self.flows).map(|f| (f64::from(f) * golden).fract() * self.period_ns()).collect()
    }

    /// Bytes that an ideal pacer of single packets puts on the wire in a window of so many ns.
    pub fn ideal_bytes(&self, window_ns: f64) -> f64 {
        self.mbps * window_ns / 8000.0
    }

    /// Payload bytes of a burst.
    pub fn burst_payload(&self) -> usize {
        self.burst as usize * PAYLOAD
    }
}

impl std::fmt::Display for Load {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Load { flows, mbps, .. } = self;
        let s = if *flows == 1 { "" } else { "s" };
        if *mbps >= 1000.0 { write!(f, "{flows} flow{s}, {} Gb/s", mbps / 1000.0) } else { write!(f, "{flows} flow{s}, {mbps} Mb/s") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_spread() {
        let l = Load { flows: 100, mbps: 1000.0, burst: 11, seconds: 1.0 };
        let mut s = l.starts();
        s.sort_by(f64::total_cmp);
        let even = l.period_ns() / 100.0;
        assert!(s.windows(2).all(|w| w[1] - w[0] > 0.3 * even && w[1] - w[0] < 3.0 * even));
        assert_eq!(l.to_string(), "100 flows, 1 Gb/s");
        assert!(l.burst_payload() < 65_507);
    }
}
