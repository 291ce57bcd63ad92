//! Hosts as people name them, for sockets of this host: an address, or a name that the system
//! resolves, as `localhost`. Destinations of the NIC are addresses alone
//! (`timely_regs::text::parse_ip`).
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

/// A text that names no host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no {what}; write an address or a name that this system resolves, as {example}{why}")]
pub struct HostError {
    text: String,
    what: &'static str,
    example: &'static str,
    why: String,
}

/// A name that may be asked for: what ends in a number is an address that is not whole, which
/// resolvers make up the rest of.
fn is_name(text: &str) -> bool {
    let last = text.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    plain && last.starts_with(|c: char| c.is_ascii_alphabetic())
}

fn resolve(text: &str) -> Result<IpAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    if !is_name(text) {
        return Err(String::new());
    }
    let found: Vec<IpAddr> = (text, 0).to_socket_addrs().map_err(|e| format!(" ({e})"))?.map(|a| a.ip()).collect();
    // `recv` binds to IPv4 unless told otherwise.
    found.iter().find(|a| a.is_ipv4()).or(found.first()).copied().ok_or_else(|| " (it has no address)".into())
}

/// Reads a host.
///
/// # Errors
/// The text is no address, and no name that resolves; the error gives the form.
pub fn parse_host(text: &str) -> Result<IpAddr, HostError> {
    resolve(text).map_err(|why| HostError { text: text.into(), what: "address of a host", example: "10.0.0.2", why })
}

/// Reads a host and a port.
///
/// # Errors
/// The text is not both, or the name does not resolve; the error gives the form.
pub fn parse_socket(text: &str) -> Result<SocketAddr, HostError> {
    let error = |why| HostError { text: text.into(), what: "address and port", example: "127.0.0.1:9464", why };
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let (host, port) = text.rsplit_once(':').filter(|(host, _)| is_name(host)).ok_or_else(|| error(String::new()))?;
    let port = port.parse().map_err(|_| error(String::new()))?;
    resolve(host).map(|ip| SocketAddr::new(ip, port)).map_err(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn localhost_is_a_host() {
        assert!(parse_host("localhost").expect("resolves").is_loopback());
        let address = parse_socket("localhost:9464").expect("resolves");
        assert!(address.ip().is_loopback() && address.port() == 9464);
        assert_eq!(parse_socket("[::1]:9464").map(|a| a.to_string()), Ok("[::1]:9464".into()));
        for bad in ["10.0.0", "0x7f000001", "", "a b", "localhost:21609", "1.2.3.4.5"] {
            let told = parse_host(bad).expect_err(bad).to_string();
            assert!(
                told.starts_with(&format!("`{bad}` is no address of a host; write an address or a name")) && told.contains("as 10.0.0.2"),
                "{told}"
            );
        }
        for bad in ["localhost", "localhost:", "localhost:99999", ":9464", "127.1:9464", "::1:9464:x"] {
            let told = parse_socket(bad).expect_err(bad).to_string();
            assert!(told.starts_with(&format!("`{bad}` is no address and port")) && told.contains("as 127.0.0.1:9464"), "{told}");
        }
    }
}
