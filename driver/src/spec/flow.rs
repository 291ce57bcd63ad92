//! A flow as people say it.
use super::{SpecError, parse_mac, read, unit, value};
use crate::units::{Mbps, parse_ip, parse_mbps};
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr};
use timely_regs::field::OutOfRange;
use timely_regs::flow::{FlowRecord, PAYLOAD_BYTES};

/// A flow. Fields that are left out have the device's defaults, but for [`FlowSpec::endless`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Destination address.
    #[serde(deserialize_with = "address")]
    pub to: IpAddr,
    /// Destination MAC address.
    pub mac: String,
    /// Profile, 0 to 15.
    #[serde(default)]
    pub profile: u8,
    /// Payload bytes of a packet.
    #[serde(default = "packet")]
    pub packet_bytes: u16,
    /// Packets of a segment, whose last one is answered.
    #[serde(default = "segment")]
    pub segment_packets: u8,
    /// The device always has packets for it; else they are posted.
    #[serde(default = "yes")]
    pub endless: bool,
    /// Priority for PFC, 0 to 7.
    #[serde(default)]
    pub priority: u8,
    /// VLAN tag, whole: priority, DEI and VLAN ID, 16 bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vlan: Option<u16>,
    /// TTL or hop limit.
    #[serde(default = "ttl")]
    pub ttl: u8,
    /// TOS or traffic class.
    #[serde(default)]
    pub tos: u8,
    /// UDP source port.
    #[serde(default = "port")]
    pub source_port: u16,
    /// UDP destination port; the port's own without, which is the only one that may be given: an
    /// ACK comes from it, and is known by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination_port: Option<u16>,
    /// Rate, of a flow whose profile has law `fixed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
}

fn address<'de, D: serde::Deserializer<'de>>(d: D) -> Result<IpAddr, D::Error> {
    read(d, parse_ip)
}

/// Rates that round to one which the register holds: half a step of it, 2^-13 Mb/s, is the least.
const RATES: &str = "123bps to 1048575Mbps; the register holds multiples of 244 b/s";

/// Refuses an address that is not of one host.
pub fn one_host(name: &str, address: IpAddr) -> Result<(), SpecError> {
    let group = address.is_multicast() || address == IpAddr::V4(Ipv4Addr::BROADCAST);
    if group || address.is_unspecified() {
        return Err(value(name, address, "the address of one host: nobody else answers"));
    }
    Ok(())
}

/// The name of a record's field in a specification.
fn typed(field: &'static str) -> &'static str {
    if field == PAYLOAD_BYTES.name { "packet_bytes" } else { field }
}

fn packet() -> u16 {
    1024
}

fn segment() -> u8 {
    2
}

fn yes() -> bool {
    true
}

fn ttl() -> u8 {
    64
}

pub(super) fn port() -> u16 {
    timely_regs::wire::DEFAULT_PORT
}

impl FlowSpec {
    /// A flow to this destination, all else as when nothing is said.
    pub fn to(to: IpAddr, mac: &str) -> Self {
        FlowSpec {
            to,
            mac: mac.into(),
            profile: 0,
            packet_bytes: packet(),
            segment_packets: segment(),
            endless: true,
            priority: 0,
            vlan: None,
            ttl: ttl(),
            tos: 0,
            source_port: port(),
            destination_port: None,
            rate: None,
        }
    }

    /// The record, checked, on a port of that UDP port.
    ///
    /// # Errors
    /// When a field is out of its range.
    pub fn record(&self, udp_port: u16) -> Result<FlowRecord, SpecError> {
        let mac = parse_mac(&self.mac)?;
        if mac[0] & 1 != 0 {
            return Err(value("mac", &self.mac, "the address of one host: nobody answers a multicast"));
        }
        if mac == [0; 6] {
            return Err(value("mac", &self.mac, "the address of one host, which is not all zeros"));
        }
        one_host("to", self.to)?;
        if self.ttl == 0 {
            return Err(value("ttl", 0, "1 to 255: the first router would drop it"));
        }
        let destination_port = self.destination_port.unwrap_or(udp_port);
        for (name, port) in [("source_port", self.source_port), ("destination_port", destination_port)] {
            if port == 0 {
                return Err(value(name, 0, "1 to 65535"));
            }
        }
        if destination_port != udp_port {
            let allowed = format!(
                "{udp_port}, the udp_port of the port: ACKs come from the destination port, and from another one are not taken for ACKs; leave \
                 destination_port out, or set the port with `--udp-port {destination_port}`"
            );
            return Err(value("destination_port", destination_port, allowed));
        }
        let record = FlowRecord {
            enable: true,
            endless: self.endless,
            profile: self.profile,
            priority: self.priority,
            vlan: self.vlan,
            payload_bytes: self.packet_bytes,
            segment_packets: self.segment_packets,
            mac,
            source_port: self.source_port,
            destination_port,
            ttl: self.ttl,
            tos: self.tos,
            address: self.to,
            ..FlowRecord::default()
        };
        record.pack().map_err(|e| SpecError::from(OutOfRange { name: typed(e.name), ..e }))?;
        self.rate()?;
        Ok(record)
    }

    /// An endless flow is set going by a doorbell, and a rate is written beside it.
    pub fn needs_window(&self) -> bool {
        self.endless || self.rate.is_some()
    }

    /// The rate for the rate register, if one is given.
    ///
    /// # Errors
    /// When it is none, or more than the register holds.
    pub fn rate(&self) -> Result<Option<u32>, SpecError> {
        let Some(text) = &self.rate else { return Ok(None) };
        let rate = Mbps(unit("rate", parse_mbps(text))?);
        if rate.0 > Mbps::from_register(u32::MAX).0 || rate.to_register() == 0 {
            return Err(value("rate", text, RATES));
        }
        Ok(Some(rate.to_register()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_read_and_checked() {
        let f: FlowSpec = toml::from_str("to = \"11.0.1.1\"\nmac = \"02:74:6e:00:00:01\"\nrate = \"5Gbps\"").expect("valid");
        let r = f.record(5000).expect("valid");
        assert_eq!((r.source_port, r.destination_port), (port(), 5000), "the port's");
        let own = |destination_port| FlowSpec { destination_port: Some(destination_port), ..f.clone() };
        assert_eq!(own(5000).record(5000), Ok(r));
        let other = own(21609).record(5000).expect_err("no ACK is known").to_string();
        assert!(
            other.starts_with("destination_port is `21609`; it must be 5000, the udp_port") && other.contains("--udp-port 21609"),
            "{other}"
        );
        assert_eq!((r.mac, r.payload_bytes, r.segment_packets, r.endless), ([2, 0x74, 0x6e, 0, 0, 1], 1024, 2, true));
        assert_eq!(f.rate(), Ok(Some(5000 << 12)));
        assert_eq!(f, FlowSpec { rate: f.rate.clone(), ..FlowSpec::to(f.to, &f.mac) });
        let text = |f: FlowSpec| f.record(port()).expect_err("wrong").to_string();
        assert_eq!(text(FlowSpec { profile: 16, ..f.clone() }), "profile is 16; it must be 0 to 15; give a value in that range");
        assert!(text(FlowSpec { packet_bytes: 16_384, ..f.clone() }).starts_with("packet_bytes is 16384; it must be 0 to 16383"));
        assert!(text(FlowSpec { mac: "01:00:5e:00:00:01".into(), ..f.clone() }).contains("multicast"));
        assert!(text(FlowSpec { mac: "2:74".into(), ..f.clone() }).contains("six bytes"));
        let to = |to: &str| FlowSpec { to: to.parse().expect("an address"), ..f.clone() };
        for bad in ["0.0.0.0", "::", "255.255.255.255", "224.0.0.1", "ff02::1"] {
            assert!(text(to(bad)).starts_with(&format!("to is `{bad}`; it must be the address of one host")));
        }
        assert!(text(FlowSpec { mac: "00:00:00:00:00:00".into(), ..f.clone() }).contains("not all zeros"));
        assert!(text(FlowSpec { ttl: 0, ..f.clone() }).starts_with("ttl is `0`; it must be 1 to 255"));
        assert_eq!(text(FlowSpec { source_port: 0, ..f.clone() }), "source_port is `0`; it must be 1 to 65535");
        assert_eq!(text(FlowSpec { destination_port: Some(0), ..f.clone() }), "destination_port is `0`; it must be 1 to 65535");
        let rate = |rate: &str| FlowSpec { rate: Some(rate.into()), ..f.clone() };
        for bad in ["2Tbps", "1048577Mbps", "122bps", "0bps"] {
            assert_eq!(text(rate(bad)), format!("rate is `{bad}`; it must be {RATES}"));
        }
        for (good, register) in [("123bps", 1), ("1048575Mbps", 1_048_575 << 12)] {
            assert_eq!(rate(good).rate(), Ok(Some(register)), "{good}");
        }
        let text = toml::from_str::<FlowSpec>("to = \"localhost\"\nmac = \"02:74:6e:00:00:01\"").expect_err("a name").to_string();
        assert!(text.contains("`localhost` is no IP address; write one of IPv4 or IPv6 (names are not looked up), as 10.0.0.2"), "{text}");
        assert!(toml::from_str::<FlowSpec>("to = \"11.0.1.1\"\nmac = \"02:74:6e:00:00:01\"\nspeed = 5").is_err());
    }
}
