//! How long a request of the transmit scheduler is under way in Corundum, and what must cover it:
//! `LEAD` and a profile's token cap.
use crate::profile::TOKEN_CAP;

/// From a request to the record of its packet's completion, besides reads of the host's memory and
/// the wait for a launch, ns, rounded up.
pub const OWN_NS: u32 = 3000;
/// Longest reads of the host's memory with which `LEAD` has 16 bits at every bus width, ns.
pub const MOST_DMA_NS: u32 = 0xffff - OWN_NS;
/// Token cap that was enough for 9 Gb/s at 64 bits with `LEAD` 8000, bytes; raised caps start here.
pub const USUAL_CAP: u32 = 16_384;
/// Requests at once, `TX_SCHEDULER_OP_TABLE_SIZE` of an unchanged Corundum.
pub const REQUESTS: u32 = 32;

/// The way of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Bits of the bus between core and MAC.
    pub bus_bits: u32,
    /// Longest time of both reads of the host's memory that a packet needs, together, ns.
    pub dma_ns: u32,
    /// The halves are joined by streams, or may be: packets are asked for by `LEAD` earlier.
    pub streams: bool,
}

impl Request {
    /// How far ahead of its launch a packet is asked for, ns, at most 16 bits up to
    /// [`MOST_DMA_NS`]. As little as the host's memory allows: a request counts as one of
    /// [`REQUESTS`] until its packet has left.
    pub const fn lead_ns(&self) -> u32 {
        // At 64 bits packets of 1,514 bytes take 541 clocks besides reads of the host's memory, at
        // 512 some 200.
        self.dma_ns + if self.bus_bits == 512 { 1000 } else { OWN_NS }
    }

    /// Longest time from a request to the record of its packet's completion, ns: what is asked for
    /// stays charged until then.
    pub const fn ns(&self) -> u32 {
        self.dma_ns + OWN_NS + if self.streams { self.lead_ns() } else { 0 }
    }

    /// Wire bytes that a flow of this rate has charged in that time: with a lower token cap it does
    /// not reach the rate.
    pub fn bytes(&self, mbps: f64) -> u64 {
        (mbps * f64::from(self.ns()) / 8000.0).ceil() as u64
    }

    /// The token cap of a profile whose flows go up to this rate; `None` where no cap is enough.
    pub fn cap(&self, mbps: f64) -> Option<u32> {
        let cap = self.bytes(mbps).max(USUAL_CAP.into());
        u32::try_from(cap).ok().filter(|cap| *cap <= TOKEN_CAP.most)
    }

    /// The greatest rate that a token cap covers, Mb/s.
    pub fn most_mbps(&self) -> f64 {
        f64::from(TOKEN_CAP.most) * 8000.0 / f64::from(self.ns())
    }

    /// Greatest rate of [`REQUESTS`] packets of so many wire bytes, Mb/s: each is under way for
    /// `LEAD` and some 100 ns, in either form.
    pub fn table_mbps(&self, wire_bytes: u32) -> f64 {
        f64::from(REQUESTS * wire_bytes) * 8000.0 / f64::from(self.lead_ns() + 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 100 Gb/s are 12.5 bytes a ns.
    #[test]
    fn caps_and_leads_are_those_of_the_line() {
        let at = |bus_bits, dma_ns, streams| Request { bus_bits, dma_ns, streams };
        let r = at(512, 3000, true);
        assert_eq!((r.lead_ns(), r.ns(), r.bytes(100_000.0), r.cap(100_000.0)), (4000, 10_000, 125_000, Some(125_000)));
        assert_eq!(at(512, 3000, false).cap(100_000.0), Some(75_000));
        let r = at(64, 3000, true);
        assert_eq!((r.lead_ns(), r.bytes(10_000.0), r.cap(10_000.0)), (6000, 15_000, Some(USUAL_CAP)));
        let slow = at(512, 40_000, true);
        assert_eq!((slow.bytes(100_000.0), slow.cap(100_000.0)), (1_050_000, None));
        assert!(slow.cap(slow.most_mbps()).is_some());
        assert_eq!(at(64, MOST_DMA_NS, true).lead_ns(), 0xffff);
        // docs/simulator.md: 96 Gb/s of 1,514 bytes at 3 us, 71 of 1,114 bytes.
        let gbps = |wire| (at(512, 3000, true).table_mbps(wire) / 1000.0).round();
        assert_eq!((gbps(1538), gbps(1138)), (96.0, 71.0));
    }
}
