//! Use of a card's interfaces by the host's network: default routes of all tables and next hops,
//! interfaces that are up and have addresses.
use netlink_packet_core::{NLM_F_DUMP, NLM_F_DUMP_INTR, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
use netlink_packet_route::route::{RouteAttribute, RouteHeader, RouteMessage, RouteType};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};
use nix::net::if_::InterfaceFlags;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::IpAddr;

/// A route that all traffic takes which no other route wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultRoute {
    /// Interfaces of its next hops, by index.
    pub interfaces: Vec<u32>,
    /// The destination, as `ip route` shows it.
    pub destination: &'static str,
    /// The routing table.
    pub table: u32,
}

impl fmt::Display for DefaultRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hops = if self.interfaces.len() > 1 { " over several next hops" } else { "" };
        match self.table {
            MAIN => write!(f, "{}{hops}", self.destination),
            table => write!(f, "{} of table {table}{hops}", self.destination),
        }
    }
}

/// The table that routes are in when none is named.
const MAIN: u32 = RouteHeader::RT_TABLE_MAIN as u32;

/// An interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Interface index.
    pub index: u32,
    /// Administratively up.
    pub up: bool,
    /// Addresses, but for those that IPv6 gives to every link.
    pub addresses: Vec<IpAddr>,
}

/// Interfaces by name, and default routes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// Interfaces.
    pub interfaces: BTreeMap<String, Interface>,
    /// Default routes.
    pub defaults: Vec<DefaultRoute>,
}

impl Network {
    /// Reads this process' network namespace.
    ///
    /// # Errors
    /// The kernel does not tell it.
    pub fn read() -> io::Result<Self> {
        let mut interfaces: BTreeMap<String, Interface> = BTreeMap::new();
        for known in &nix::net::if_::if_nameindex()? {
            interfaces.entry(known.name().to_string_lossy().into_owned()).or_default().index = known.index();
        }
        for found in nix::ifaddrs::getifaddrs()? {
            let interface = interfaces.entry(found.interface_name).or_default();
            interface.up |= found.flags.contains(InterfaceFlags::IFF_UP);
            let address = found.address.as_ref();
            let v4 = address.and_then(|a| a.as_sockaddr_in()).map(|a| IpAddr::from(a.ip()));
            let v6 = address.and_then(|a| a.as_sockaddr_in6()).map(|a| a.ip()).filter(|a| !a.is_unicast_link_local());
            interface.addresses.extend(v4.or(v6.map(IpAddr::from)));
        }
        Ok(Network { interfaces, defaults: routes()?.iter().filter_map(default_of).collect() })
    }

    /// The default route that goes over an interface. One whose next hops the kernel keeps apart,
    /// and does not tell here, may go over any.
    pub fn default_over(&self, interface: &str) -> Option<&DefaultRoute> {
        let of = self.interfaces.get(interface)?;
        self.defaults.iter().find(|d| d.interfaces.contains(&of.index) || d.interfaces.is_empty() && of.up)
    }

    /// Whether an interface is up.
    pub fn is_up(&self, interface: &str) -> bool {
        self.interfaces.get(interface).is_some_and(|i| i.up)
    }

    /// The addresses of an interface that is up.
    pub fn in_use(&self, interface: &str) -> Option<&[IpAddr]> {
        self.interfaces.get(interface).filter(|i| i.up && !i.addresses.is_empty()).map(|i| &i.addresses[..])
    }
}

/// A default route in a message of the kernel's. Two halves of all addresses, as VPNs route them,
/// and all of IPv6's global unicast are one too.
fn default_of(message: &RouteMessage) -> Option<DefaultRoute> {
    let header = &message.header;
    let first = message.attributes.iter().find_map(|a| match a {
        RouteAttribute::Destination(to) => Some(to),
        _ => None,
    });
    let destination = match (header.address_family, header.destination_prefix_length) {
        (AddressFamily::Inet, 0) => "default",
        (AddressFamily::Inet6, 0) => "default (IPv6)",
        (AddressFamily::Inet, 1) => "half of all addresses (/1)",
        (AddressFamily::Inet6, 1) => "half of all IPv6 addresses (/1)",
        // 2000::/3.
        (AddressFamily::Inet6, 3) if first.is_some() => "all of IPv6's global addresses (/3)",
        _ => return None,
    };
    // Routes of other types drop the packets they match, and use no interface.
    if header.kind != RouteType::Unicast {
        return None;
    }
    let mut interfaces = Vec::new();
    let mut table = u32::from(header.table);
    for attribute in &message.attributes {
        match attribute {
            RouteAttribute::Oif(index) => interfaces.push(*index),
            RouteAttribute::MultiPath(hops) => interfaces.extend(hops.iter().map(|h| h.interface_index)),
            RouteAttribute::Table(whole) => table = *whole,
            _ => {}
        }
    }
    Some(DefaultRoute { interfaces, destination, table })
}

/// Times that a dump is asked for again, because routes changed meanwhile.
const TRIES: u32 = 8;

/// All routes of all tables, IPv4 and IPv6.
fn routes() -> io::Result<Vec<RouteMessage>> {
    for _ in 0..TRIES {
        if let Some(whole) = dump()? {
            return Ok(whole);
        }
    }
    Err(io::Error::other("routes change too fast to be read"))
}

/// One dump of all routes; `None` when the routes changed meanwhile.
fn dump() -> io::Result<Option<Vec<RouteMessage>>> {
    let mut socket = Socket::new(NETLINK_ROUTE)?;
    socket.bind_auto()?;
    socket.connect(&SocketAddr::new(0, 0))?;
    let mut found = Vec::new();
    let mut whole = true;
    for family in [AddressFamily::Inet, AddressFamily::Inet6] {
        let mut asked = RouteMessage::default();
        asked.header.address_family = family;
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | NLM_F_DUMP;
        let mut request = NetlinkMessage::new(header, NetlinkPayload::from(RouteNetlinkMessage::GetRoute(asked)));
        request.finalize();
        let mut bytes = vec![0; request.buffer_len()];
        request.serialize(&mut bytes);
        socket.send(&bytes, 0)?;
        'answer: loop {
            let (received, _) = socket.recv_from_full()?;
            let mut rest = &received[..];
            while !rest.is_empty() {
                let wrong = |e: &dyn fmt::Display| io::Error::new(io::ErrorKind::InvalidData, format!("the kernel's routes: {e}"));
                let message = NetlinkMessage::<RouteNetlinkMessage>::deserialize(rest).map_err(|e| wrong(&e))?;
                whole &= message.header.flags & NLM_F_DUMP_INTR == 0;
                match message.payload {
                    NetlinkPayload::Done(_) => break 'answer,
                    // A kernel without IPv6 knows nothing of its routes.
                    NetlinkPayload::Error(e) if family == AddressFamily::Inet6 && e.raw_code() == -nix::libc::EOPNOTSUPP => break 'answer,
                    NetlinkPayload::Error(e) => return Err(e.to_io()),
                    NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewRoute(route)) => found.push(route),
                    _ => {}
                }
                // Messages stand at multiples of four.
                let length = (message.header.length as usize).next_multiple_of(4);
                rest = rest.get(length.max(16)..).unwrap_or_default();
            }
        }
    }
    Ok(whole.then_some(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sched::{CloneFlags, unshare};
    use std::process::Command;

    /// The kernel's own answers, in a namespace of the test's own.
    #[test]
    fn default_routes_of_all_tables_and_next_hops_are_read() {
        let ip = |words: &str| {
            let out = Command::new("ip").args(words.split(' ')).output().expect("iproute2");
            assert!(out.status.success(), "ip {words}: {}", String::from_utf8_lossy(&out.stderr));
        };
        let read = || Network::read().expect("the kernel tells");
        let over = |network: &Network| {
            let names = ["a0", "a1", "b0", "b1"];
            let found = |n: &&str| network.default_over(n).map(|d| format!("{n}: {d}"));
            names.iter().filter_map(found).collect::<Vec<_>>()
        };
        let in_a_namespace = move || {
            if unshare(CloneFlags::CLONE_NEWNET).is_err() || Command::new("ip").arg("-V").output().is_err() {
                return false;
            }
            for words in [
                "link add a0 type veth peer name a1",
                "link add b0 type veth peer name b1",
                "link set a0 up",
                "link set a1 up",
                "link set b0 up",
                "link set b1 up",
                "address add 10.9.0.1/24 dev a0",
                "address add 10.10.0.1/24 dev b0",
                "address add fd00:9::1/64 dev a0 nodad",
                "address add fd00:a::1/64 dev b0 nodad",
            ] {
                ip(words);
            }
            let empty = read();
            assert_eq!(over(&empty), [""; 0]);
            assert_eq!(empty.in_use("a0").map(<[_]>::len), Some(2));
            assert_eq!(empty.in_use("a1"), None, "every link has an address of IPv6's");
            for (route, wanted) in [
                ("default via 10.9.0.2 dev a0", vec!["a0: default"]),
                ("default via 10.9.0.2 dev a0 table 100", vec!["a0: default of table 100"]),
                ("default via 10.9.0.2 dev a0 table 70000", vec!["a0: default of table 70000"]),
                (
                    "default nexthop via 10.9.0.2 dev a0 nexthop via 10.10.0.2 dev b0",
                    vec!["a0: default over several next hops", "b0: default over several next hops"],
                ),
                ("0.0.0.0/1 via 10.10.0.2 dev b0", vec!["b0: half of all addresses (/1)"]),
                ("default metric 4000 dev b0", vec!["b0: default"]),
                ("blackhole default", vec![]),
                ("10.11.0.0/16 via 10.10.0.2 dev b0", vec![]),
            ] {
                ip(&format!("route add {route}"));
                assert_eq!(over(&read()), wanted, "{route}");
                ip(&format!("route del {route}"));
            }
            for (route, wanted) in [
                ("default via fd00:a::2 dev b0", vec!["b0: default (IPv6)"]),
                ("default via fd00:a::2 dev b0 table 7", vec!["b0: default (IPv6) of table 7"]),
                ("2000::/3 via fd00:9::2 dev a0", vec!["a0: all of IPv6's global addresses (/3)"]),
                ("2001:db8::/32 via fd00:9::2 dev a0", vec![]),
            ] {
                ip(&format!("-6 route add {route}"));
                assert_eq!(over(&read()), wanted, "{route}");
                ip(&format!("-6 route del {route}"));
            }
            ip("-6 route add default nexthop via fd00:9::2 dev a0 nexthop via fd00:a::2 dev b0");
            assert_eq!(over(&read()).len(), 2, "both next hops");
            ip("link set a0 down");
            assert_eq!(read().in_use("a0"), None);
            true
        };
        if !std::thread::spawn(in_a_namespace).join().expect("no thread panics") {
            use std::io::Write;
            // Past the test's capture, for `cargo xtask test` to tell.
            writeln!(std::io::stdout(), "left out: pci::network: it takes root and iproute2 to make routes").expect("stdout");
        }
    }
}
