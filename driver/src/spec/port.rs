//! The port as people say it: its addresses, its rate, whom it answers.
use super::corundum::dma_ns;
use super::{SpecError, flow, network, optional, parse_mac, unit, value};
use crate::transport::{Failure, Registers};
use crate::units::{Mbps, parse_ipv4, parse_ipv6, parse_mbps};
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use timely_regs::device::{Device, Error};
use timely_regs::map::settings::TABLE;
use timely_regs::map::{ack_rate, port};

/// Slowest and fastest line, Mb/s. Pause frames are of full duplex, 10 Mb/s at least, and last as
/// long as the line is slow; a byte of the fastest takes the least time that a register holds.
const LINE_MBPS: (f64, f64) = (10.0, 5e8);

/// A port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortSpec {
    /// MAC address.
    pub mac: String,
    /// IPv4 address.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "ipv4")]
    pub ipv4: Option<Ipv4Addr>,
    /// Bits of its IPv4 network's prefix, whose broadcast address is then answered neither as
    /// destination nor as source.
    #[serde(default = "prefix4", skip_serializing_if = "is_prefix4")]
    pub prefix4: u8,
    /// IPv6 address.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "ipv6")]
    pub ipv6: Option<Ipv6Addr>,
    /// The VLAN in which it answers; 0 for frames without a tag.
    #[serde(default, skip_serializing_if = "is_vlan")]
    pub vlan: u16,
    /// The UDP port that makes a packet ours.
    #[serde(default = "flow::port")]
    pub udp_port: u16,
    /// Rate of the wire.
    #[serde(default = "line")]
    pub line: String,
    /// The port answers segments.
    #[serde(default = "answer")]
    pub answer: bool,
    /// Part of the line that its ACKs may take on average.
    #[serde(default = "ack_share", skip_serializing_if = "is_ack_share")]
    pub ack_share: Share,
    /// The port obeys pause frames: PAUSE of IEEE 802.3 and PFC of 802.1Qbb.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pause: bool,
    /// Priority of its ACKs: PFC that pauses it stops them.
    #[serde(default, skip_serializing_if = "is_priority")]
    pub ack_priority: u8,
    /// A full packet store makes the host wait, where packets are the host's; else they are
    /// dropped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub store_waits: bool,
    /// Longest time of both reads of the host's memory that a packet needs, together, where
    /// Corundum's DMA reads packets; 3us when nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dma: Option<String>,
    /// Networks whose hosts it answers, `address/bits`, eight at most; none needs `answer` to be
    /// false.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
}

fn ipv4<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Ipv4Addr>, D::Error> {
    optional(d, parse_ipv4)
}

fn ipv6<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Ipv6Addr>, D::Error> {
    optional(d, parse_ipv6)
}

fn is_priority(p: &u8) -> bool {
    *p == 0
}

fn line() -> String {
    "10Gbps".into()
}

/// Rates of Ethernet's links, Mb/s.
const LINKS: [(&str, u64); 6] =
    [("400Gbps", 400_000), ("200Gbps", 200_000), ("100Gbps", 100_000), ("25Gbps", 25_000), ("10Gbps", 10_000), ("1Gbps", 1000)];

/// The likely line of a NIC with such a bus, which tells no more of its link: the fastest that the
/// bus carries.
pub fn likely_line(bus_bits: u32, clock_ps: u32) -> &'static str {
    let most_mbps = u64::from(bus_bits) * 1_000_000 / u64::from(clock_ps.max(1));
    LINKS.iter().find(|l| l.1 <= most_mbps).map_or("1Gbps", |l| l.0)
}

fn answer() -> bool {
    true
}

fn prefix4() -> u8 {
    32
}

fn is_prefix4(bits: &u8) -> bool {
    *bits == prefix4()
}

fn is_vlan(vlan: &u16) -> bool {
    *vlan == 0
}

/// A part of the line, in percent: 25 is a quarter.
pub type Share = u8;

fn ack_share() -> Share {
    25
}

fn is_ack_share(share: &Share) -> bool {
    *share == ack_share()
}

/// Contents of a port's registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    mac: [u8; 6],
    ipv4: Ipv4Addr,
    ipv6: Ipv6Addr,
    udp_port: u16,
    ns_per_byte: u32,
    answer: bool,
    prefix4: u8,
    vlan: u16,
    ack_bps: u64,
    /// Bits a second of the line.
    line_bps: u64,
    /// Pause frames are obeyed.
    pause: bool,
    /// Priority of ACKs, for PFC.
    ack_priority: u8,
    /// The host waits where the packet store is full.
    store_waits: bool,
    allow: Vec<(IpAddr, u32)>,
}

impl PortSpec {
    /// With this MAC address, all else as when nothing is said.
    pub fn with_mac(mac: &str) -> Self {
        PortSpec {
            mac: mac.into(),
            ipv4: None,
            prefix4: prefix4(),
            ipv6: None,
            vlan: 0,
            udp_port: flow::port(),
            line: line(),
            answer: true,
            ack_share: ack_share(),
            pause: false,
            ack_priority: 0,
            store_waits: false,
            dma: None,
            allow: Vec::new(),
        }
    }

    /// Rate of the wire, Mb/s.
    ///
    /// # Errors
    /// When it is none.
    pub fn line_mbps(&self) -> Result<f64, SpecError> {
        unit("line", parse_mbps(&self.line))
    }

    /// Contents of the registers, checked.
    ///
    /// # Errors
    /// When a field is out of its range.
    pub fn port(&self) -> Result<Port, SpecError> {
        let mbps = self.line_mbps()?;
        if !(LINE_MBPS.0..=LINE_MBPS.1).contains(&mbps) {
            let allowed = format!("{} to {}, the wire's rate: pauses are timed by it", Mbps(LINE_MBPS.0), Mbps(LINE_MBPS.1));
            return Err(value("line", &self.line, allowed));
        }
        // ns a byte in Q16.16.
        let ns_per_byte = (8000.0 / mbps * 65_536.0).round();
        if self.udp_port == 0 {
            return Err(value("udp_port", 0, "1 to 65535"));
        }
        let mac = parse_mac(&self.mac)?;
        if mac[0] & 1 != 0 {
            return Err(value("mac", &self.mac, "the address of one host, not a multicast"));
        }
        if mac == [0; 6] {
            return Err(value("mac", &self.mac, "the address of one host, which is not all zeros"));
        }
        if let Some(group) = self.ipv4.filter(|a| a.is_multicast() || a.is_broadcast()) {
            return Err(value("ipv4", group, "the address of one host, not a multicast or the broadcast"));
        }
        if let Some(group) = self.ipv6.filter(Ipv6Addr::is_multicast) {
            return Err(value("ipv6", group, "the address of one host, not a multicast"));
        }
        if self.prefix4 > 32 {
            return Err(value("prefix4", self.prefix4, "0 to 32"));
        }
        if self.vlan > 4094 {
            return Err(value("vlan", self.vlan, "0 to 4094; 0 for frames without a tag"));
        }
        if self.ack_priority > 7 {
            return Err(value("ack_priority", self.ack_priority, "0 to 7"));
        }
        if !(1..=100).contains(&self.ack_share) {
            return Err(value("ack_share", self.ack_share, "1 to 100, percent of the line"));
        }
        self.dma.as_deref().map(dma_ns).transpose()?;
        if self.answer && self.allow.is_empty() {
            let line =
                "false, or stand beside a line as `allow = [\"10.0.0.0/8\"]` (--allow 10.0.0.0/8), the networks whose hosts are answered";
            return Err(value("answer", true, line));
        }
        if self.allow.len() > port::PREFIXES {
            return Err(value("allow", self.allow.join(", "), format!("{} networks at most", port::PREFIXES)));
        }
        let allow = self.allow.iter().map(|text| self.network(text)).collect::<Result<Vec<_>, _>>()?;
        Ok(Port {
            mac,
            ipv4: self.ipv4.unwrap_or(Ipv4Addr::UNSPECIFIED),
            ipv6: self.ipv6.unwrap_or(Ipv6Addr::UNSPECIFIED),
            udp_port: self.udp_port,
            ns_per_byte: ns_per_byte as u32,
            answer: self.answer,
            prefix4: self.prefix4,
            vlan: self.vlan,
            ack_bps: (mbps * 1e4 * f64::from(self.ack_share)).round() as u64,
            line_bps: (mbps * 1e6).round() as u64,
            pause: self.pause,
            ack_priority: self.ack_priority,
            store_waits: self.store_waits,
            allow,
        })
    }

    // A network whose hosts are answered, from the port's address of that family.
    fn network(&self, text: &str) -> Result<(IpAddr, u32), SpecError> {
        let (address, bits) = network("allow", text)?;
        let (own, field) = match address {
            IpAddr::V4(_) => (self.ipv4.is_some(), "ipv4"),
            IpAddr::V6(_) => (self.ipv6.is_some(), "ipv6"),
        };
        if self.answer && !own {
            return Err(value(
                "allow",
                text,
                format!("of a family that the port has an address of; add one with a line `{field} = ..` (--{field})"),
            ));
        }
        Ok((address, bits))
    }
}

impl Port {
    /// The NIC has these addresses.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn is_in(&self, d: &Device<Registers>) -> Result<bool, Error<Failure>> {
        let [a, b, c, e, high @ ..] = self.mac;
        let addresses = d.read(&port::MAC_LOW)? == u32::from_le_bytes([a, b, c, e])
            && d.read(&port::MAC_HIGH)? == u32::from(u16::from_le_bytes(high))
            && d.read(&port::IPV4)? == u32::from_le_bytes(self.ipv4.octets());
        Ok(addresses && self.has_udp_port(d)?)
    }

    /// The UDP port.
    pub fn udp_port(&self) -> u16 {
        self.udp_port
    }

    /// The NIC has this UDP port.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn has_udp_port(&self, d: &Device<Registers>) -> Result<bool, Error<Failure>> {
        Ok(d.read(&port::UDP_PORT)? == u32::from(self.udp_port))
    }

    /// Writes it; flows must not be enabled, for what is longer than a register is torn meanwhile.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn write(&self, d: &Device<Registers>) -> Result<(), Error<Failure>> {
        d.write(&port::ACK_ENABLE, 0)?;
        d.set_mac(self.mac)?;
        d.set_ipv4(self.ipv4)?;
        d.set_ipv6(self.ipv6)?;
        d.write(&port::UDP_PORT, self.udp_port.into())?;
        d.write(&port::NS_PER_BYTE, self.ns_per_byte)?;
        d.set(&TABLE.prefix4, self.prefix4.into())?;
        d.set(&TABLE.vlan, self.vlan.into())?;
        d.set(&TABLE.ack_rate, ack_rate(self.ack_bps, d.build().clock_ps).into())?;
        d.set(&TABLE.line_rate, ack_rate(self.line_bps, d.build().clock_ps).max(port::LEAST_LINE_RATE).into())?;
        d.set(&TABLE.pause, u128::from(self.pause) | u128::from(self.ack_priority) << 1)?;
        d.set(&TABLE.store_wait, self.store_waits.into())?;
        d.allow(&self.allow)?;
        d.write(&port::ACK_ENABLE, self.answer.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Buses and clocks of the shells: standalone and Corundum at 10 Gb/s, taxi at 10 and 25,
    /// OpenNIC, the ECPIX-5.
    #[test]
    fn a_bus_bounds_its_line() {
        for (bus, clock_ps, line) in [
            (64, 4000, "10Gbps"),
            (64, 6400, "10Gbps"),
            (64, 2560, "25Gbps"),
            (512, 4000, "100Gbps"),
            (64, 14_000, "1Gbps"),
            (8, 0, "400Gbps"),
            (8, 20_000, "1Gbps"),
        ] {
            assert_eq!(likely_line(bus, clock_ps), line, "{bus} bits, {clock_ps} ps");
        }
    }

    #[test]
    fn a_port_is_read_and_checked() {
        let bare = PortSpec::with_mac("02:00:00:00:00:07");
        let text = bare.port().expect_err("nobody to answer").to_string();
        assert!(text.starts_with("answer is `true`; it must be false, or stand beside a line as `allow = [\"10.0.0.0/8\"]`"), "{text}");
        assert!(PortSpec { answer: false, ..bare.clone() }.port().expect("valid").allow.is_empty());
        let own = |ipv4: &str, ipv6: &str| PortSpec { ipv4: ipv4.parse().ok(), ipv6: ipv6.parse().ok(), ..bare.clone() };
        let spec = PortSpec { allow: vec!["10.0.0.0/8".into()], ..own("10.0.0.7", "fd00::7") };
        let p = spec.port().expect("valid");
        assert_eq!(
            (p.ns_per_byte, p.udp_port, p.prefix4, p.vlan, p.ack_bps),
            (52_429, timely_regs::wire::DEFAULT_PORT, 32, 0, 2_500_000_000)
        );
        assert!(![4791, 4793].contains(&p.udp_port), "RoCEv2's or Ultra Ethernet's");
        let allow = |a: &[&str]| PortSpec { allow: a.iter().map(|s| s.to_string()).collect(), ..spec.clone() }.port();
        let p = allow(&["10.1.0.0/16", "fd00::/8", "0.0.0.0/0"]).expect("valid");
        let networks = [("10.1.0.0", 16), ("fd00::", 8), ("0.0.0.0", 0)].map(|(a, bits)| (a.parse().expect("an address"), bits));
        assert_eq!(p.allow, networks);
        assert_eq!(allow(&["10.0.0.0/8"; 8]).expect("valid").allow.len(), 8);
        assert!(allow(&["10.0.0.0/8"; 9]).expect_err("nine").to_string().ends_with("it must be 8 networks at most"));
        let only6 = PortSpec { ipv4: None, ..spec.clone() }.port().expect_err("no address").to_string();
        assert!(only6.contains("allow is `10.0.0.0/8`") && only6.contains("`ipv4 = ..`"), "{only6}");
        for (wrong, text) in [
            (PortSpec { prefix4: 33, ..spec.clone() }, "prefix4 is `33`; it must be 0 to 32"),
            (PortSpec { vlan: 4095, ..spec.clone() }, "vlan is `4095`; it must be 0 to 4094"),
            (PortSpec { ack_share: 0, ..spec.clone() }, "ack_share is `0`; it must be 1 to 100"),
            (PortSpec { ack_share: 101, ..spec.clone() }, "ack_share is `101`; it must be 1 to 100"),
        ] {
            let said = wrong.port().expect_err(text).to_string();
            assert!(said.starts_with(text), "{said}");
        }
        for bad in ["10.1.0.0", "10.1.0.0/33", "ten/8", "fd00::/129"] {
            assert!(allow(&[bad]).expect_err(bad).to_string().contains("address/bits"));
        }
        for group in ["255.255.255.255", "224.0.0.1"] {
            let text = PortSpec { ipv4: group.parse().ok(), ..spec.clone() }.port().expect_err(group).to_string();
            assert!(text.starts_with(&format!("ipv4 is `{group}`; it must be the address of one host")), "{text}");
        }
        let text = PortSpec { ipv6: "ff02::1".parse().ok(), ..spec.clone() }.port().expect_err("a group").to_string();
        assert!(text.starts_with("ipv6 is `ff02::1`"), "{text}");
        assert!(PortSpec::with_mac("00:00:00:00:00:00").port().expect_err("zeros").to_string().contains("not all zeros"));
        for (field, told) in [("ipv4", "`localhost` is no IPv4 address; write four numbers"), ("ipv6", "`localhost` is no IPv6 address")] {
            let text = toml::from_str::<PortSpec>(&format!("mac = \"02:00:00:00:00:07\"\n{field} = \"localhost\"")).expect_err("a name");
            assert!(text.to_string().contains(told), "{text}");
        }
        for line in ["1Kbps", "9.9Mbps", "501Tbps"] {
            let text = PortSpec { line: line.into(), ..spec.clone() }.port().expect_err(line).to_string();
            assert_eq!(text, format!("line is `{line}`; it must be 10Mbps to 500Tbps, the wire's rate: pauses are timed by it"));
        }
        for line in ["10Mbps", "500Tbps"] {
            assert!(PortSpec { line: line.into(), ..spec.clone() }.port().is_ok(), "{line}");
        }
    }
}
