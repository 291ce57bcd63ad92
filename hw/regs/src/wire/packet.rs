//! A zero-copy view of a whole Ethernet frame of ours.
use super::{ACK, Class, Error, FIRST, Kind, LAST, READ, check, ethernet, ipv4, ipv4_header_checksum, ipv6, offset, udp, udp_checksum};

/// A frame of ours, Ethernet header first, without FCS. Every accessor is in range once
/// [`Packet::new_checked`] said yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<T: AsRef<[u8]>> {
    buffer: T,
    class: Class,
}

impl<T: AsRef<[u8]>> Packet<T> {
    /// Takes a buffer for a frame of ours, if [`check`] finds it one; `port` is our UDP port. The
    /// UDP checksum is a question of its own ([`Packet::udp_checksum_holds`]): hardware does not
    /// look at it either.
    ///
    /// # Errors
    /// The error that [`check`] found.
    pub fn new_checked(buffer: T, port: u16) -> Result<Self, Error> {
        let bytes = buffer.as_ref();
        let (class, _) = check(bytes, bytes.len(), port)?;
        Ok(Packet { buffer, class })
    }

    /// Takes a buffer for a frame of `class` without a look at it. Accessors panic when it is too
    /// short.
    pub fn new_unchecked(buffer: T, class: Class) -> Self {
        Packet { buffer, class }
    }

    /// Gives the buffer back.
    pub fn into_inner(self) -> T {
        self.buffer
    }

    /// The whole frame.
    pub fn frame(&self) -> &[u8] {
        self.buffer.as_ref()
    }

    /// The frame's stack.
    pub fn class(&self) -> Class {
        self.class
    }

    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        self.buffer.as_ref()[at..at + N].try_into().expect("a slice of N bytes")
    }

    fn u16_at(&self, at: usize) -> u16 {
        u16::from_be_bytes(self.bytes(at))
    }

    /// Four bytes of our header.
    fn u32_of(&self, at: usize) -> u32 {
        u32::from_be_bytes(self.bytes(self.class.header() + at))
    }

    fn u64_of(&self, at: usize) -> u64 {
        u64::from_be_bytes(self.bytes(self.class.header() + at))
    }

    fn u8_of(&self, at: usize) -> u8 {
        self.buffer.as_ref()[self.class.header() + at]
    }

    /// Destination MAC address.
    pub fn mac_destination(&self) -> [u8; 6] {
        self.bytes(ethernet::DESTINATION)
    }

    /// Source MAC address.
    pub fn mac_source(&self) -> [u8; 6] {
        self.bytes(ethernet::SOURCE)
    }

    /// Priority, DEI and VLAN number of the tag, if there is one.
    pub fn tci(&self) -> Option<u16> {
        self.class.vlan.then(|| self.u16_at(ethernet::TCI))
    }

    /// DSCP and ECN: IPv4's TOS, IPv6's traffic class.
    pub fn tos(&self) -> u8 {
        let ip = self.class.ip();
        if self.class.ipv6 { (self.u16_at(ip + ipv6::VERSION_CLASS_LABEL) >> 4) as u8 } else { self.buffer.as_ref()[ip + ipv4::TOS] }
    }

    /// IPv4's TTL, IPv6's hop limit.
    pub fn ttl(&self) -> u8 {
        self.buffer.as_ref()[self.class.ip() + if self.class.ipv6 { ipv6::HOP_LIMIT } else { ipv4::TTL }]
    }

    /// Source address: 4 or 16 bytes.
    pub fn ip_source(&self) -> &[u8] {
        let (at, bytes) = if self.class.ipv6 { (ipv6::SOURCE, 16) } else { (ipv4::SOURCE, 4) };
        &self.buffer.as_ref()[self.class.ip() + at..][..bytes]
    }

    /// Destination address: 4 or 16 bytes.
    pub fn ip_destination(&self) -> &[u8] {
        let (at, bytes) = if self.class.ipv6 { (ipv6::DESTINATION, 16) } else { (ipv4::DESTINATION, 4) };
        &self.buffer.as_ref()[self.class.ip() + at..][..bytes]
    }

    /// The IPv4 header checksum field.
    pub fn ip_checksum(&self) -> Option<u16> {
        (!self.class.ipv6).then(|| self.u16_at(self.class.ip() + ipv4::CHECKSUM))
    }

    /// UDP source port.
    pub fn port_source(&self) -> u16 {
        self.u16_at(self.class.udp() + udp::SOURCE)
    }

    /// UDP destination port.
    pub fn port_destination(&self) -> u16 {
        self.u16_at(self.class.udp() + udp::DESTINATION)
    }

    /// UDP length, header included.
    pub fn udp_length(&self) -> u16 {
        self.u16_at(self.class.udp() + udp::LENGTH)
    }

    /// The UDP checksum field.
    pub fn udp_checksum(&self) -> u16 {
        self.u16_at(self.class.udp() + udp::CHECKSUM)
    }

    /// The UDP header and what its length covers, padding left away.
    pub fn datagram(&self) -> &[u8] {
        &self.buffer.as_ref()[self.class.udp()..][..usize::from(self.udp_length())]
    }

    /// The UDP checksum is right, or absent where that is allowed (0, in IPv4 alone).
    pub fn udp_checksum_holds(&self) -> bool {
        let (found, right) = (self.udp_checksum(), udp_checksum(self.ip_source(), self.ip_destination(), self.datagram()));
        found == right || (found == 0 && !self.class.ipv6)
    }

    /// Our 48-byte header.
    pub fn header(&self) -> &[u8] {
        &self.buffer.as_ref()[self.class.header()..self.class.end()]
    }

    /// The bytes behind our header, padding left away.
    pub fn payload(&self) -> &[u8] {
        &self.datagram()[udp::BYTES + super::HEADER_BYTES..]
    }

    /// Data or ACK.
    pub fn kind(&self) -> Kind {
        if self.flags() & ACK != 0 { Kind::Ack } else { Kind::Data }
    }

    /// Version of our header.
    pub fn version(&self) -> u8 {
        self.u8_of(offset::VERSION)
    }

    /// All flags.
    pub fn flags(&self) -> u8 {
        self.u8_of(offset::FLAGS)
    }

    /// The first packet of its segment.
    pub fn is_first(&self) -> bool {
        self.flags() & FIRST != 0
    }

    /// The last packet of its segment.
    pub fn is_last(&self) -> bool {
        self.flags() & LAST != 0
    }

    /// A READ request.
    pub fn is_read(&self) -> bool {
        self.flags() & READ != 0
    }

    /// Packet number in the segment.
    pub fn packet(&self) -> u16 {
        self.u16_at(self.class.header() + offset::PACKET)
    }

    /// Place of the segment in the sender's ring of departures.
    pub fn place(&self) -> u16 {
        self.u16_at(self.class.header() + offset::PLACE)
    }

    /// Flow of the sender of the data; 16 bits.
    pub fn flow(&self) -> u32 {
        self.u16_at(self.class.header() + offset::FLOW).into()
    }

    /// Nonce of the segment.
    pub fn nonce(&self) -> u32 {
        self.u32_of(offset::NONCE)
    }

    /// Segment number.
    pub fn segment(&self) -> u32 {
        self.u32_of(offset::SEGMENT)
    }

    /// Bytes of the segment.
    pub fn segment_bytes(&self) -> u32 {
        self.u32_of(offset::SEGMENT_BYTES)
    }

    /// Charged bytes of a READ.
    pub fn charged_bytes(&self) -> u32 {
        self.u32_of(offset::CHARGED_BYTES)
    }

    /// TTL that the data packet left with.
    pub fn ttl_sent(&self) -> u8 {
        self.u8_of(offset::TTL_SENT)
    }

    /// TTL that the responder saw; 0 in data.
    pub fn ttl_seen(&self) -> u8 {
        self.u8_of(offset::TTL_SEEN)
    }

    /// ECN bits that the responder saw; 0 in data.
    pub fn ecn_seen(&self) -> u8 {
        self.u8_of(offset::ECN_SEEN) & 3
    }

    /// Lost packets as the responder knows them; 0 in data.
    pub fn loss(&self) -> u8 {
        self.u8_of(offset::LOSS)
    }

    /// Arrival at the responder, ns48.fns16; 0 in data.
    pub fn arrival(&self) -> u64 {
        self.u64_of(offset::ARRIVAL)
    }

    /// Departure at the responder, ns48.fns16; 0 in data.
    pub fn departure(&self) -> u64 {
        self.u64_of(offset::DEPARTURE)
    }
}

impl<T: AsRef<[u8]> + AsMut<[u8]>> Packet<T> {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.buffer.as_mut()[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn put_of(&mut self, at: usize, bytes: &[u8]) {
        let header = self.class.header();
        self.put(header + at, bytes);
    }

    /// Sets the destination MAC address.
    pub fn set_mac_destination(&mut self, address: [u8; 6]) {
        self.put(ethernet::DESTINATION, &address);
    }

    /// Sets the source MAC address.
    pub fn set_mac_source(&mut self, address: [u8; 6]) {
        self.put(ethernet::SOURCE, &address);
    }

    /// Sets DSCP and ECN.
    pub fn set_tos(&mut self, tos: u8) {
        let ip = self.class.ip();
        if self.class.ipv6 {
            let first = self.u16_at(ip) & 0xf00f | u16::from(tos) << 4;
            self.put(ip, &first.to_be_bytes());
        } else {
            self.put(ip + ipv4::TOS, &[tos]);
        }
    }

    /// Sets TTL or hop limit.
    pub fn set_ttl(&mut self, ttl: u8) {
        let at = self.class.ip() + if self.class.ipv6 { ipv6::HOP_LIMIT } else { ipv4::TTL };
        self.put(at, &[ttl]);
    }

    /// Sets the UDP source port.
    pub fn set_port_source(&mut self, port: u16) {
        let at = self.class.udp() + udp::SOURCE;
        self.put(at, &port.to_be_bytes());
    }

    /// Sets the UDP destination port.
    pub fn set_port_destination(&mut self, port: u16) {
        let at = self.class.udp() + udp::DESTINATION;
        self.put(at, &port.to_be_bytes());
    }

    /// Sets the flags.
    pub fn set_flags(&mut self, flags: u8) {
        self.put_of(offset::FLAGS, &[flags]);
    }

    /// Sets the packet number.
    pub fn set_packet(&mut self, packet: u16) {
        self.put_of(offset::PACKET, &packet.to_be_bytes());
    }

    /// Sets the place.
    pub fn set_place(&mut self, place: u16) {
        self.put_of(offset::PLACE, &place.to_be_bytes());
    }

    /// Sets the flow, of which 16 bits count.
    pub fn set_flow(&mut self, flow: u32) {
        self.put_of(offset::FLOW, &(flow as u16).to_be_bytes());
    }

    /// Sets the nonce.
    pub fn set_nonce(&mut self, nonce: u32) {
        self.put_of(offset::NONCE, &nonce.to_be_bytes());
    }

    /// Sets the segment number.
    pub fn set_segment(&mut self, segment: u32) {
        self.put_of(offset::SEGMENT, &segment.to_be_bytes());
    }

    /// Sets the segment's bytes.
    pub fn set_segment_bytes(&mut self, bytes: u32) {
        self.put_of(offset::SEGMENT_BYTES, &bytes.to_be_bytes());
    }

    /// Sets the charged bytes.
    pub fn set_charged_bytes(&mut self, bytes: u32) {
        self.put_of(offset::CHARGED_BYTES, &bytes.to_be_bytes());
    }

    /// Sets the TTL as sent.
    pub fn set_ttl_sent(&mut self, ttl: u8) {
        self.put_of(offset::TTL_SENT, &[ttl]);
    }

    /// Sets the TTL as received.
    pub fn set_ttl_seen(&mut self, ttl: u8) {
        self.put_of(offset::TTL_SEEN, &[ttl]);
    }

    /// Sets the ECN bits seen.
    pub fn set_ecn_seen(&mut self, ecn: u8) {
        self.put_of(offset::ECN_SEEN, &[ecn & 3]);
    }

    /// Sets what the responder knows of lost packets.
    pub fn set_loss(&mut self, loss: u8) {
        self.put_of(offset::LOSS, &[loss]);
    }

    /// Sets the arrival stamp.
    pub fn set_arrival(&mut self, stamp: u64) {
        self.put_of(offset::ARRIVAL, &stamp.to_be_bytes());
    }

    /// Sets the departure stamp.
    pub fn set_departure(&mut self, stamp: u64) {
        self.put_of(offset::DEPARTURE, &stamp.to_be_bytes());
    }

    /// Makes the IPv4 header checksum and the UDP checksum right for what the frame holds.
    pub fn fill_checksums(&mut self) {
        let ip = self.class.ip();
        if !self.class.ipv6 {
            let sum = ipv4_header_checksum(&self.buffer.as_ref()[ip..ip + ipv4::BYTES]);
            self.put(ip + ipv4::CHECKSUM, &sum.to_be_bytes());
        }
        let sum = udp_checksum(self.ip_source(), self.ip_destination(), self.datagram());
        let at = self.class.udp() + udp::CHECKSUM;
        self.put(at, &sum.to_be_bytes());
    }
}
