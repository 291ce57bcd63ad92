//! The settings that other blocks read, as they follow the writes into the store.
use timely_regs::map::{id, port, telemetry, time};

/// Settings, on flat ports. Byte 0 of an address is its lowest byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Own MAC, 48 bits.
    pub mac: u64,
    /// Own IPv4 address.
    pub ipv4: u32,
    /// Own IPv6 address.
    pub ipv6: u128,
    /// UDP port that makes a packet ours.
    pub udp_port: u16,
    /// TOS of ACKs.
    pub ack_tos: u8,
    /// TTL of ACKs.
    pub ack_ttl: u8,
    /// ACKs are sent.
    pub ack_enable: bool,
    /// Time of a byte on the wire, ns in Q16.16.
    pub ns_per_byte: u32,
    /// Where the nonces start.
    pub nonce_seed: u32,
    /// Allowed IPv4 peers: address.
    pub allow4: u32,
    /// Allowed IPv4 peers: bits that count.
    pub mask4: u32,
    /// Allowed IPv6 peers: address.
    pub allow6: u128,
    /// Allowed IPv6 peers: bits that count.
    pub mask6: u128,
    /// Global enable.
    pub enable: bool,
    /// What a clock adds to the time, ns in Q8.24.
    pub time_increment: u32,
    /// PTP is the source of the time.
    pub time_ptp: bool,
    /// One of so many rate updates leaves as event record; 0 none.
    pub event_every: u16,
    /// Which ones, `timely_regs::map::telemetry::EVENT_FILTER`.
    pub event_filter: u32,
    /// How far ahead of its launch a packet is granted, ns.
    pub lead: u16,
    /// Cells of a flow that stores no packet more.
    pub store_bound: u16,
}

fn replace128(value: &mut u128, at: u32, data: u32) {
    let shift = 32 * at;
    *value = *value & !(0xffff_ffff << shift) | u128::from(data) << shift;
}

impl Settings {
    /// Word `word` of the store becomes `data`.
    pub(super) fn write(&mut self, word: u32, data: u32) {
        let part = |r: &timely_regs::map::Register| (word.wrapping_sub(r.word()) < r.count).then(|| word - r.word());
        let is = |r: &timely_regs::map::Register| word == r.word();
        if is(&port::MAC_LOW) {
            self.mac = self.mac >> 32 << 32 | u64::from(data);
        } else if is(&port::MAC_HIGH) {
            self.mac = self.mac & 0xffff_ffff | u64::from(data) << 32;
        } else if is(&port::IPV4) {
            self.ipv4 = data;
        } else if let Some(i) = part(&port::IPV6) {
            replace128(&mut self.ipv6, i, data);
        } else if is(&port::UDP_PORT) {
            self.udp_port = data as u16;
        } else if is(&port::ACK_TOS) {
            self.ack_tos = data as u8;
        } else if is(&port::ACK_TTL) {
            self.ack_ttl = data as u8;
        } else if is(&port::ACK_ENABLE) {
            self.ack_enable = data != 0;
        } else if is(&port::NS_PER_BYTE) {
            self.ns_per_byte = data;
        } else if is(&port::NONCE_SEED) {
            self.nonce_seed = data;
        } else if is(&port::ALLOW4) {
            self.allow4 = data;
        } else if is(&port::MASK4) {
            self.mask4 = data;
        } else if let Some(i) = part(&port::ALLOW6) {
            replace128(&mut self.allow6, i, data);
        } else if let Some(i) = part(&port::MASK6) {
            replace128(&mut self.mask6, i, data);
        } else if is(&id::CONTROL) {
            self.enable = id::ENABLE.get(&[data]) != 0;
        } else if is(&time::INCREMENT) {
            self.time_increment = data;
        } else if is(&time::SOURCE) {
            self.time_ptp = data != 0;
        } else if is(&telemetry::EVENT_EVERY) {
            self.event_every = data as u16;
        } else if is(&telemetry::EVENT_FILTER) {
            self.event_filter = data;
        } else if is(&time::LEAD) {
            self.lead = data as u16;
        } else if is(&port::STORE_BOUND) {
            self.store_bound = data as u16;
        }
    }
}
