//! Theory of a flow on an idle network, exact: its unloaded RTT and its completion time.
use super::{FlowPlan, Plan};
use crate::frame::NodeId;
use crate::nic::stream::HEADERS;
use crate::time::{Ps, wire_bytes};
use crate::topology::{Error, flow_key};

impl Plan {
    // One-way delay of a frame: serialization on all links but the first, propagation, switches.
    fn one_way(&self, from: NodeId, to: NodeId, key: u32, bytes: u32) -> Result<Ps, Error> {
        let path = self.topology.path(from, to, key)?;
        let links = path.iter().map(|e| &self.topology.links()[e.link]);
        let mut t = (path.len() as u64 - 1) * self.switch.latency;
        // Hundreds of links of a bit a second would take longer than 2^64 ps.
        for (i, l) in links.enumerate() {
            t = t.saturating_add(l.delay + if i > 0 { l.speed.frame_time(bytes) } else { 0 });
        }
        Ok(t)
    }

    /// The unloaded RTT of a flow: from the end of a full packet at the sender to the first bit of
    /// its ACK there.
    pub fn unloaded(&self, f: &FlowPlan) -> Result<Ps, Error> {
        // Equal paths are alike, so the flow's number does not matter.
        let there = self.one_way(f.src, f.dst, flow_key(f.src, f.dst, 0), f.packet + HEADERS)?;
        let back = self.one_way(f.dst, f.src, flow_key(f.dst, f.src, 0), HEADERS)?;
        let ack = wire_bytes(HEADERS);
        let first = self.topology.host_link(f.dst).speed.time(u64::from(ack));
        let last = self.topology.host_link(f.src).speed.time(u64::from(ack));
        let back = (self.nic.ack_delay + first).saturating_add(back);
        Ok(there.saturating_add(back - last))
    }

    /// The time that a flow would take alone: from its first message to the end of the last ACK's
    /// arrival. Of several messages a lower bound: the last bytes do not arrive before a line that
    /// was never idle from some message on has sent them in full packets.
    pub fn standalone(&self, f: &FlowPlan) -> Ps {
        let ack = self.topology.host_link(f.dst).speed.frame_time(HEADERS);
        let back = self.one_way(f.dst, f.src, flow_key(f.dst, f.src, 0), HEADERS).unwrap_or(0);
        self.alone(f) + self.nic.ack_delay + ack + back
    }

    /// The time that a flow would take alone to the arrival of its last byte.
    pub fn alone(&self, f: &FlowPlan) -> Ps {
        let (first, mut left) = (f.first(), f.total().unwrap_or(0));
        let mut latest = self.burst(f, left);
        for (at, bytes) in f.posts() {
            // Bytes that are posted later are sent later.
            if at > first && left > 0 {
                latest = latest.max(at - first + self.burst(f, left));
            }
            left = left.saturating_sub(bytes);
        }
        latest
    }

    // The time to the arrival of the last of so many bytes that are posted at once.
    fn burst(&self, f: &FlowPlan, bytes: u64) -> Ps {
        let bytes = bytes.max(1);
        let full = (bytes - 1) / u64::from(f.packet);
        let last = (bytes - full * u64::from(f.packet)) as u32 + HEADERS;
        let Ok(path) = self.topology.path(f.src, f.dst, flow_key(f.src, f.dst, 0)) else { return 0 };
        // Where the last full packet and the last packet have left each link: neither overtakes,
        // both wait for the slowest link.
        let (mut full_left, mut last_left, mut slowest) = (0, 0, 0);
        for (i, link) in path.iter().map(|e| &self.topology.links()[e.link]).enumerate() {
            let between = if i > 0 { self.switch.latency } else { 0 };
            let each = link.speed.frame_time(f.packet + HEADERS);
            if full > 0 {
                let before = (full - 1) * slowest;
                slowest = slowest.max(each);
                full_left += between + each + (full - 1) * slowest - before;
            }
            last_left = (last_left + between).max(full_left) + link.speed.frame_time(last);
            full_left += link.delay;
            last_left += link.delay;
        }
        last_left
    }
}
