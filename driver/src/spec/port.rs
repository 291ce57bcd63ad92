//! The port as people say it: its addresses, its rate, whom it answers.
use super::{SpecError, flow, optional, parse_mac, unit, value};
use crate::transport::{Failure, Registers};
use crate::units::{parse_ipv4, parse_ipv6, parse_mbps};
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use timely_regs::device::{Device, Error};
use timely_regs::map::port;

/// A port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortSpec {
    /// Its MAC address.
    pub mac: String,
    /// Its IPv4 address.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "ipv4")]
    pub ipv4: Option<Ipv4Addr>,
    /// Its IPv6 address.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "ipv6")]
    pub ipv6: Option<Ipv6Addr>,
    /// The UDP port that makes a packet ours.
    #[serde(default = "flow::port")]
    pub udp_port: u16,
    /// Rate of the wire.
    #[serde(default = "line")]
    pub line: String,
    /// It answers segments.
    #[serde(default = "answer")]
    pub answer: bool,
    /// Whom it answers, `address/bits`: one of IPv4 and one of IPv6, nobody of a family without one. Everybody when nothing is said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
}

fn ipv4<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Ipv4Addr>, D::Error> {
    optional(d, parse_ipv4)
}

fn ipv6<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Ipv6Addr>, D::Error> {
    optional(d, parse_ipv6)
}

fn line() -> String {
    "10Gbps".into()
}

fn answer() -> bool {
    true
}

/// What the registers of a port are to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    mac: [u8; 6],
    ipv4: Ipv4Addr,
    ipv6: Ipv6Addr,
    udp_port: u16,
    ns_per_byte: u32,
    answer: bool,
    allow4: (Ipv4Addr, Ipv4Addr),
    allow6: (Ipv6Addr, Ipv6Addr),
}

impl PortSpec {
    /// With this MAC address, all else as when nothing is said.
    pub fn with_mac(mac: &str) -> Self {
        PortSpec { mac: mac.into(), ipv4: None, ipv6: None, udp_port: flow::port(), line: line(), answer: true, allow: Vec::new() }
    }

    /// What the registers are to hold, checked.
    ///
    /// # Errors
    /// When a field is out of its range.
    pub fn port(&self) -> Result<Port, SpecError> {
        let mbps = unit("line", parse_mbps(&self.line))?;
        // ns a byte in Q16.16.
        let ns_per_byte = (8000.0 / mbps * 65_536.0).round();
        if !(1.0..=f64::from(u32::MAX)).contains(&ns_per_byte) {
            return Err(value("line", &self.line, "200Kbps to 500Tbps"));
        }
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
        // Of an address and a mask. Nobody sends from the unspecified address: all its bits are asked for where the other family is named.
        let (mut allow4, mut allow6) = ((Ipv4Addr::UNSPECIFIED, Ipv4Addr::UNSPECIFIED), (Ipv6Addr::UNSPECIFIED, Ipv6Addr::UNSPECIFIED));
        if !self.allow.is_empty() {
            (allow4.1, allow6.1) = (Ipv4Addr::BROADCAST, Ipv6Addr::from(u128::MAX));
        }
        let mut named = [false; 2];
        for text in &self.allow {
            let wrong = || value("allow", text, "address/bits, as 10.0.0.0/8");
            let (address, bits) = text.split_once('/').ok_or_else(wrong)?;
            let bits: u32 = bits.parse().map_err(|_| wrong())?;
            let address = address.parse().map_err(|_| wrong())?;
            if std::mem::replace(&mut named[usize::from(matches!(address, IpAddr::V6(_)))], true) {
                return Err(value("allow", text, "the only one of its family; name one network that holds all, as 10.0.0.0/8"));
            }
            match address {
                IpAddr::V4(a) if bits <= 32 => allow4 = (a, Ipv4Addr::from(u32::MAX.checked_shl(32 - bits).unwrap_or(0))),
                IpAddr::V6(a) if bits <= 128 => allow6 = (a, Ipv6Addr::from(u128::MAX.checked_shl(128 - bits).unwrap_or(0))),
                _ => return Err(wrong()),
            }
        }
        Ok(Port {
            mac,
            ipv4: self.ipv4.unwrap_or(Ipv4Addr::UNSPECIFIED),
            ipv6: self.ipv6.unwrap_or(Ipv6Addr::UNSPECIFIED),
            udp_port: self.udp_port,
            ns_per_byte: ns_per_byte as u32,
            answer: self.answer,
            allow4,
            allow6,
        })
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
        Ok(addresses && d.read(&port::UDP_PORT)? == u32::from(self.udp_port))
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
        d.allow_ipv4(self.allow4.0, self.allow4.1)?;
        d.allow_ipv6(self.allow6.0, self.allow6.1)?;
        d.write(&port::ACK_ENABLE, self.answer.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_read_and_checked() {
        let spec = PortSpec::with_mac("02:00:00:00:00:07");
        let p = spec.port().expect("valid");
        assert_eq!((p.ns_per_byte, p.udp_port, p.allow4.1), (52_429, 4791, Ipv4Addr::UNSPECIFIED));
        let allow = |a: &[&str]| PortSpec { allow: a.iter().map(|s| s.to_string()).collect(), ..spec.clone() }.port();
        let p = allow(&["10.1.0.0/16", "fd00::/8"]).expect("valid");
        assert_eq!((p.allow4.1, p.allow6.1.octets()[..2].to_vec()), (Ipv4Addr::new(255, 255, 0, 0), vec![0xff, 0]));
        // Of the family that is not named nobody is answered.
        let (four, six) = (allow(&["10.1.0.0/16"]).expect("valid"), allow(&["fd00::/8"]).expect("valid"));
        assert_eq!((four.allow6, six.allow4.1), ((Ipv6Addr::UNSPECIFIED, Ipv6Addr::from(u128::MAX)), Ipv4Addr::BROADCAST));
        assert_eq!((p.allow6.1, spec.port().expect("valid").allow6.1.is_unspecified()), (six.allow6.1, true));
        for twice in [["10.1.0.0/16", "10.2.0.0/16"], ["fd00::/8", "fe80::/10"]] {
            let text = allow(&twice).expect_err("two").to_string();
            assert!(text.contains(twice[1]) && text.contains("one network that holds all"), "{text}");
        }
        assert_eq!(allow(&["10.1.0.0/0"]).expect("valid").allow4.1, Ipv4Addr::UNSPECIFIED);
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
        let text = PortSpec { line: "1Kbps".into(), ..spec }.port().expect_err("too slow").to_string();
        assert_eq!(text, "line is `1Kbps`; it must be 200Kbps to 500Tbps");
    }
}
