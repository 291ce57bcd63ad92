//! Specifications of a NIC - its port, its profiles, its flows - as files and the socket's messages
//! carry them, checked where they are read.
mod corundum;
mod flow;
mod port;
mod profile;
mod rule;

pub use corundum::{check_cap, request};
pub use flow::{FlowSpec, one_host};
pub use port::{Port, PortSpec, likely_line};
pub use profile::{ProfileSpec, fields as profile_fields};
pub use rule::RuleSpec;

use crate::units::{TextError, parse_whole};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::net::IpAddr;
use timely_regs::field::OutOfRange;
use timely_regs::parameters::ParameterError;

/// Error of a specification.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// A number with a unit.
    #[error("{name}: {source}")]
    Unit {
        /// Name of the field or option.
        name: String,
        /// Why.
        source: TextError,
    },
    /// Another value.
    #[error("{name} is `{value}`; it must be {allowed}")]
    Value {
        /// Name of the field or option.
        name: String,
        /// Value given.
        value: String,
        /// Values allowed.
        allowed: String,
    },
    /// An unset profile: its flows would have rate 0, as flows that are not loaded.
    #[error("profile {0} is unset; `timelyctl profile set {0} timely-10g` first")]
    Unset(u32),
    /// A profile that the device has and the configuration has not, as after writes of registers.
    #[error("profile {0} is on the NIC alone and in no file, so a start would not set it; `timelyctl profile set {0} timely-10g` first")]
    NotSaved(u32),
    /// A profile that neither the file nor the device has.
    #[error("profile {0} is unset; add a table [profile.{0}] with like = \"timely-10g\"")]
    NoTable(u32),
    /// Another UDP port while a flow is in use that the configuration has not.
    #[error(
        "udp_port is `{port}`; it must stay as it is while flow {flow} is on the NIC alone and in no file: flows are loaded anew for another \
         port; `timelyctl flow remove {flow}` first, or `timelyctl reset --flows`"
    )]
    OnNicAlone {
        /// The flow.
        flow: u32,
        /// UDP port that was asked for.
        port: u16,
    },
    /// A value that the hardware cannot hold.
    #[error("{0}; give a value in that range")]
    Range(#[from] OutOfRange),
    /// A profile that the hardware cannot hold.
    #[error("{0}")]
    Parameter(#[from] ParameterError),
}

fn value(name: &str, value: impl std::fmt::Display, allowed: impl Into<String>) -> SpecError {
    SpecError::Value { name: name.into(), value: value.to_string(), allowed: allowed.into() }
}

/// A network, as 10.0.0.0/8, and its prefix's bits.
fn network(name: &str, text: &str) -> Result<(IpAddr, u32), SpecError> {
    let wrong = || value(name, text, "address/bits, as 10.0.0.0/8");
    let (address, bits) = text.split_once('/').ok_or_else(wrong)?;
    let (address, bits): (IpAddr, u32) = (address.parse().map_err(|_| wrong())?, parse_whole(bits).map_err(|_| wrong())?);
    if bits > if address.is_ipv4() { 32 } else { 128 } { Err(wrong()) } else { Ok((address, bits)) }
}

fn unit<T>(name: &str, read: Result<T, TextError>) -> Result<T, SpecError> {
    read.map_err(|source| SpecError::Unit { name: name.into(), source })
}

/// Reads a value out of a string of a file or message by its parser.
fn read<'de, D: Deserializer<'de>, T>(d: D, parse: impl FnOnce(&str) -> Result<T, TextError>) -> Result<T, D::Error> {
    parse(&String::deserialize(d)?).map_err(D::Error::custom)
}

/// Reads a value that may be null, as JSON has it.
fn optional<'de, D: Deserializer<'de>, T>(d: D, parse: impl FnOnce(&str) -> Result<T, TextError>) -> Result<Option<T>, D::Error> {
    Option::<String>::deserialize(d)?.map(|text| parse(&text)).transpose().map_err(D::Error::custom)
}

/// A MAC address as `02:74:6e:00:00:01`.
///
/// # Errors
/// When it is none.
pub fn parse_mac(text: &str) -> Result<[u8; 6], SpecError> {
    let parts: Option<Vec<u8>> =
        text.split([':', '-']).map(|p| u8::from_str_radix(p, 16).ok().filter(|_| p.len() == 2 && !p.starts_with('+'))).collect();
    parts.and_then(|p| p.try_into().ok()).ok_or_else(|| value("mac", text, "six bytes in hexadecimal, as 02:74:6e:00:00:01"))
}

/// Prints a MAC address.
pub fn print_mac(mac: [u8; 6]) -> String {
    mac.map(|b| format!("{b:02x}")).join(":")
}
