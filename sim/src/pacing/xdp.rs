//! A thread that polls a timing wheel and sends by AF_XDP: it makes the frames itself, writes a
//! descriptor for each that is due, and a system call has the kernel take them. There is no
//! segmentation: a burst is as many descriptors.
use super::clock::now;
use super::kernel::Given;
use super::load::{Load, PAYLOAD};
use super::receiver::{label, since};
use super::sender::Wheel;
use super::site::output;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use timely_regs::wire::{Addresses, Envelope};
use timely_xdp::Sender;

/// Bytes of the headers of Ethernet, IPv4 and UDP.
const HEADERS: usize = 42;
/// Queue of the device that frames leave by.
const QUEUE: u32 = 0;

/// Fields of the headers of frames to a receiver, and the device that they leave by.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Way {
    device: u32,
    macs: [[u8; 6]; 2],
    from: Ipv4Addr,
    to: (Ipv4Addr, u16),
}

// The word behind a name, as iproute2 prints them.
fn behind<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split_whitespace().skip_while(|w| *w != name).nth(1)
}

fn mac(text: &str) -> Option<[u8; 6]> {
    let mut bytes = text.split(':').map(|b| u8::from_str_radix(b, 16));
    let mac = [0; 6].map(|_: u8| bytes.next().and_then(Result::ok));
    mac.iter().all(Option::is_some).then(|| mac.map(Option::unwrap_or_default))
}

impl Way {
    /// From what `ip` says of the device, its address and its neighbour.
    fn read(link: &str, address: &str, neighbour: &str, to: (Ipv4Addr, u16)) -> Option<Self> {
        let device = link.split(':').next()?.trim().parse().ok()?;
        let macs = [mac(behind(neighbour, "lladdr")?)?, mac(behind(link, "link/ether")?)?];
        let from = behind(address, "inet")?.split('/').next()?.parse().ok()?;
        Some(Way { device, macs, from, to })
    }

    /// To a receiver by a device of this thread's namespace. The receiver's Ethernet address is
    /// asked for by a datagram to another port of it.
    fn find(device: &str, to: SocketAddr) -> Result<Self, String> {
        let IpAddr::V4(ip) = to.ip() else {
            return Err(format!("{to}: frames are written as IPv4; give the receiver an IPv4 address"));
        };
        let asked = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|s| s.send_to(&[0], (ip, 9)));
        asked.map_err(|e| format!("sending to {ip}: {e}"))?;
        let link = output(&format!("ip -o link show dev {device}"))?;
        let address = output(&format!("ip -o -4 address show dev {device}"))?;
        let neighbour = output(&format!("ip -o neigh show to {ip} dev {device}"))?;
        let none =
            || format!("no Ethernet address of {ip} on {device}: `{link}`, `{address}`, `{neighbour}`; is the way there without a router?");
        Way::read(&link, &address, &neighbour, (ip, to.port())).ok_or_else(none)
    }

    /// A packet's headers; a UDP checksum of 0 is none.
    fn headers(&self) -> [u8; HEADERS] {
        let [mac_destination, mac_source] = self.macs;
        let addresses = Addresses::V4 { source: self.from.octets(), destination: self.to.0.octets() };
        let (port_source, port_destination) = (self.to.1, self.to.1);
        let envelope = Envelope { mac_destination, mac_source, tci: None, addresses, tos: 0, ttl: 64, port_source, port_destination };
        let mut headers = [0; HEADERS];
        headers.copy_from_slice(&envelope.around(&[0; PAYLOAD], false)[..HEADERS]);
        headers
    }
}

/// Socket, headers, and what the kernel took.
pub struct Socket {
    sender: Sender,
    headers: [u8; HEADERS],
    run: u32,
    burst: u32,
    given: Given,
    /// Packets that were written since the kernel was last told.
    written: u64,
}

impl Socket {
    /// Opens a socket on a device of this thread's namespace, for packets to `to`.
    ///
    /// # Errors
    /// The kernel refuses AF_XDP, or the way to the receiver is not known.
    pub fn open(device: &str, to: SocketAddr, run: u32, load: &Load) -> Result<Self, String> {
        let way = Way::find(device, to)?;
        let sender = Sender::open(way.device, QUEUE)
            .map_err(|e| format!("AF_XDP on {device}: {e}; it takes root, and a kernel with CONFIG_XDP_SOCKETS"))?;
        Ok(Socket { sender, headers: way.headers(), run, burst: load.burst, given: Given::default(), written: 0 })
    }

    fn tell(&mut self) {
        if let Err(e) = self.sender.kick() {
            self.given.refused += 1;
            self.given.why = Some(e.to_string());
        }
        // Frames that the kernel has not taken leave when it is told again, and count then.
        let left = u64::from(self.sender.waiting());
        self.given.sent += self.written.saturating_sub(left);
        self.written = left;
    }

    // Burst `j` of a flow.
    fn write(&mut self, flow: u32, j: u64) {
        let (headers, run) = (self.headers, self.run);
        for k in j * u64::from(self.burst)..(j + 1) * u64::from(self.burst) {
            let put = |sender: &mut Sender| {
                sender.put(|place| {
                    place[..HEADERS].copy_from_slice(&headers);
                    label(&mut place[HEADERS..], run, flow, k);
                    HEADERS + PAYLOAD
                })
            };
            // Many flows that are due at once may have written all frames.
            if !put(&mut self.sender) {
                self.tell();
                if !put(&mut self.sender) {
                    self.given.refused += 1;
                    self.given.why = Some("no frame is free: the device holds all of them".into());
                    continue;
                }
            }
            self.written += 1;
        }
    }

    /// Sends for the length of the load, counted from `epoch`: what is in the slots that have begun
    /// is written, and then the kernel is told once.
    pub fn run(mut self, load: &Load, epoch: u64, slot_ns: f64) -> Given {
        let mut wheel = Wheel::new(load, slot_ns);
        let end = load.seconds * 1e9;
        let mut at = since(epoch, now());
        while at < end {
            wheel.turn(at, |flow, j| {
                self.write(flow, j);
                since(epoch, now()) < end
            });
            if self.written > 0 {
                self.tell();
            }
            at = since(epoch, now());
        }
        self.given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_read_from_iproute2() {
        let link = "2: v0@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP mode DEFAULT group default qlen 1000\\    link/ether 02:00:00:00:0a:01 brd ff:ff:ff:ff:ff:ff link-netnsid 0";
        let address = "2: v0    inet 192.0.2.1/30 scope global v0\\       valid_lft forever preferred_lft forever";
        let neighbour = "192.0.2.2 dev v0 lladdr 02:00:00:00:0a:02 REACHABLE";
        let to = (Ipv4Addr::new(192, 0, 2, 2), 4000);
        let way = Way::read(link, address, neighbour, to).expect("a way");
        assert_eq!((way.device, way.from), (2, Ipv4Addr::new(192, 0, 2, 1)));
        assert_eq!(way.macs, [[2, 0, 0, 0, 10, 2], [2, 0, 0, 0, 10, 1]]);
        assert_eq!(Way::read(link, address, "192.0.2.2 dev v0 FAILED", to), None);
        let h = way.headers();
        // RFC 1071: the sum over a header with its checksum is all ones.
        let sum: u32 = h[14..34].chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1])).sum();
        assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff);
        assert_eq!((&h[16..18], &h[36..40]), (&1500u16.to_be_bytes()[..], &[0x0f, 0xa0, 0x05, 0xc8][..]));
    }
}
