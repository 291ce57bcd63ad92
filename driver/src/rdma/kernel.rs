//! The kernel's list of queue pairs, by netlink (`rdma/rdma_netlink.h`).
use super::{ListError, LocalPair};
use netlink_packet_core::{
    DefaultNla, Emitable, NLM_F_DUMP, NLM_F_REQUEST, NetlinkDeserializable, NetlinkHeader, NetlinkMessage, NetlinkPayload,
    NetlinkSerializable, NlasIterator,
};
use netlink_sys::protocols::NETLINK_RDMA;
use netlink_sys::{Socket, SocketAddr};
use std::convert::Infallible;
use std::io;

/// Client of the requests, which stands above their number in a message's type.
const NLDEV: u16 = 5;
/// Lists devices.
const DEVICES: u16 = NLDEV << 10 | 1;
/// Lists the queue pairs of one.
const QUEUE_PAIRS: u16 = NLDEV << 10 | 10;

// Attributes.
const DEV_INDEX: u16 = 1;
const DEV_NAME: u16 = 2;
const RES_QP: u16 = 19;
const RES_QP_ENTRY: u16 = 20;
const RES_LQPN: u16 = 21;
const RES_RQPN: u16 = 22;
const RES_TYPE: u16 = 26;
const RES_STATE: u16 = 27;
/// A reliable connection, as [`RES_TYPE`].
const RELIABLE: u8 = 2;

/// States of a queue pair that is connected: ready to receive, ready to send, draining, and with an
/// error of a send.
const CONNECTED: std::ops::RangeInclusive<u8> = 2..=5;

/// A request, or a part of an answer: its attributes as they stand.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Message {
    kind: u16,
    attributes: Vec<u8>,
}

impl NetlinkSerializable for Message {
    fn message_type(&self) -> u16 {
        self.kind
    }

    fn buffer_len(&self) -> usize {
        self.attributes.len()
    }

    fn serialize(&self, buffer: &mut [u8]) {
        buffer.copy_from_slice(&self.attributes);
    }
}

impl NetlinkDeserializable for Message {
    type Error = Infallible;

    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> Result<Self, Infallible> {
        Ok(Message { kind: header.message_type, attributes: payload.to_vec() })
    }
}

/// Attributes of this kind; what cannot be read ends them.
fn all(attributes: &[u8], kind: u16) -> impl Iterator<Item = &[u8]> {
    NlasIterator::new(attributes).map_while(Result::ok).filter(move |a| a.kind() == kind).map(|a| {
        // Out of the buffer, which lives as long as `attributes` and goes on behind this one.
        let length = usize::from(a.length());
        &a.into_inner()[4..length]
    })
}

fn number(attributes: &[u8], kind: u16) -> Option<u32> {
    all(attributes, kind).next().and_then(|v| Some(u32::from_ne_bytes(v.get(..4)?.try_into().ok()?)))
}

/// Index and name of a device.
fn device(attributes: &[u8]) -> Option<(u32, String)> {
    let name = all(attributes, DEV_NAME).next()?;
    let name = name.split(|b| *b == 0).next()?;
    Some((number(attributes, DEV_INDEX)?, String::from_utf8_lossy(name).into_owned()))
}

/// The reliable connections in a part of a list: local and remote number, of which the latter is 0
/// before there is a peer.
fn connections(attributes: &[u8]) -> Vec<(u32, u32)> {
    let entries = all(attributes, RES_QP).flat_map(|table| all(table, RES_QP_ENTRY));
    let byte = |e: &[u8], kind| all(e, kind).next().and_then(|v| v.first().copied());
    let connected = |e: &&[u8]| byte(e, RES_TYPE) == Some(RELIABLE) && byte(e, RES_STATE).is_none_or(|s| CONNECTED.contains(&s));
    let entries = entries.filter(|e| number(e, RES_RQPN).is_some_and(|r| r != 0));
    entries.filter(connected).filter_map(|e| Some((number(e, RES_LQPN)?, number(e, RES_RQPN)?))).collect()
}

/// Asks for a list, and reads its parts.
fn dump(socket: &mut Socket, kind: u16, index: Option<u32>) -> io::Result<Vec<Vec<u8>>> {
    let asked: Vec<DefaultNla> = index.map(|i| DefaultNla::new(DEV_INDEX, i.to_ne_bytes().into())).into_iter().collect();
    let mut attributes = vec![0; asked.as_slice().buffer_len()];
    asked.as_slice().emit(&mut attributes);
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    let mut request = NetlinkMessage::new(header, NetlinkPayload::InnerMessage(Message { kind, attributes }));
    request.finalize();
    let mut bytes = vec![0; request.buffer_len()];
    request.serialize(&mut bytes);
    socket.send(&bytes, 0)?;
    let mut parts = Vec::new();
    loop {
        let (received, _) = socket.recv_from_full()?;
        let mut rest = &received[..];
        while !rest.is_empty() {
            let message =
                NetlinkMessage::<Message>::deserialize(rest).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.to_string()))?;
            match message.payload {
                // A list that the kernel broke off ends so too, with an error.
                NetlinkPayload::Done(d) if d.code != 0 => return Err(io::Error::from_raw_os_error(d.code.saturating_abs())),
                NetlinkPayload::Done(_) => return Ok(parts),
                NetlinkPayload::Error(e) => return Err(e.to_io()),
                NetlinkPayload::InnerMessage(part) if part.kind == kind => parts.push(part.attributes),
                _ => {}
            }
            // Messages stand at multiples of four.
            let length = (message.header.length as usize).next_multiple_of(4);
            rest = rest.get(length.max(16)..).unwrap_or_default();
        }
    }
}

fn devices(socket: &mut Socket) -> io::Result<Vec<(u32, String)>> {
    Ok(dump(socket, DEVICES, None)?.iter().filter_map(|d| device(d)).collect())
}

fn socket() -> io::Result<Socket> {
    let mut socket = Socket::new(NETLINK_RDMA)?;
    socket.bind_auto()?;
    socket.connect(&SocketAddr::new(0, 0))?;
    Ok(socket)
}

/// The connected queue pairs of one device, or of all.
pub(super) fn pairs(only: Option<&str>) -> Result<Vec<LocalPair>, ListError> {
    let mut socket = socket().map_err(ListError::Kernel)?;
    let there = devices(&mut socket).map_err(ListError::Kernel)?;
    if let Some(asked) = only
        && there.iter().all(|d| d.1 != asked)
    {
        return Err(ListError::Device { asked: asked.into(), there: there.into_iter().map(|d| d.1).collect() });
    }
    let mut found = Vec::new();
    for (index, device) in there.into_iter().filter(|d| only.is_none_or(|o| d.1 == o)) {
        for part in dump(&mut socket, QUEUE_PAIRS, Some(index)).map_err(ListError::Kernel)? {
            found.extend(connections(&part).into_iter().map(|(local, remote)| LocalPair { device: device.clone(), local, remote }));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
        let length = 4 + value.len();
        let mut bytes = [(length as u16).to_ne_bytes(), kind.to_ne_bytes()].concat();
        bytes.extend(value);
        bytes.resize(length.next_multiple_of(4), 0);
        bytes
    }

    /// Entries as the kernel's `fill_res_qp_entry` writes them: datagrams have no remote number,
    /// and queue pairs that are not connected one of 0.
    #[test]
    fn entries_of_connections_are_read() {
        let number = |kind, n: u32| attribute(kind, &n.to_ne_bytes());
        let entry = |parts: &[Vec<u8>]| attribute(RES_QP_ENTRY | 1 << 15, &parts.concat());
        let table = [
            entry(&[number(3, 1), number(RES_LQPN, 1), attribute(RES_TYPE, &[1]), attribute(27, &[3])]),
            entry(&[
                number(3, 1),
                number(RES_LQPN, 17),
                number(RES_RQPN, 35),
                number(23, 9),
                attribute(RES_TYPE, &[RELIABLE]),
                attribute(RES_STATE, &[3]),
            ]),
            entry(&[number(RES_LQPN, 18), number(RES_RQPN, 0), attribute(RES_TYPE, &[RELIABLE]), attribute(RES_STATE, &[1])]),
            entry(&[number(RES_LQPN, 21), number(RES_RQPN, 37), attribute(RES_TYPE, &[RELIABLE]), attribute(RES_STATE, &[6])]),
            entry(&[number(RES_LQPN, 19), number(RES_RQPN, 36), attribute(RES_TYPE, &[3])]),
            entry(&[number(RES_LQPN, 20), number(RES_RQPN, 0xff_ffff), attribute(RES_TYPE, &[RELIABLE])]),
        ]
        .concat();
        let part = [number(DEV_INDEX, 2), attribute(DEV_NAME, b"rxe0\0"), attribute(RES_QP | 1 << 15, &table)].concat();
        assert_eq!(connections(&part), [(17, 35), (20, 0xff_ffff)]);
        assert_eq!(device(&part), Some((2, "rxe0".into())));
        // Cut at any place, what is left of it is read.
        for cut in 0..part.len() {
            assert!(connections(&part[..cut]).len() <= 2);
        }
        assert_eq!((connections(&[]), device(&[])), (vec![], None));
    }

    /// A kernel without RDMA says what is to be done.
    #[test]
    fn a_kernel_without_rdma_is_told_of() {
        if let Err(e) = pairs(None) {
            assert!(e.to_string().contains("--list"), "{e}");
        }
        if let Err(e) = pairs(Some("no such device")) {
            assert!(e.to_string().contains("--list") || e.to_string().contains("this host has"), "{e}");
        }
    }
}
