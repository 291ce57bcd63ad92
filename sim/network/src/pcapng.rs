//! Capture of the frames that pass a port, as a pcapng file with stamps in nanoseconds: simulated
//! time counts from 1970.
use crate::frame::{FOREIGN, Frame, NodeId, UDP_PORT, address};
use crate::time::{NS, Ps};
use std::sync::Arc;
use timely_regs::wire::{ACK, Addresses, Envelope, Header, LAST};

/// A frame that passed.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Time at which the frame's first bit passed.
    pub at: Ps,
    /// The frame left by the port; else it came in.
    pub out: bool,
    /// Bytes of the frame without FCS.
    pub bytes: u32,
    /// Bytes of the frame, from its start; of an event-level host's frame the headers alone.
    pub data: Arc<[u8]>,
}

/// A port that is watched, and what passed it.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The node.
    pub node: NodeId,
    /// Port of the node.
    pub port: u16,
    /// The frames; in the order of time once the run has ended.
    pub frames: Vec<Passed>,
}

// An event-level host's frame has a meaning and no bytes: these are the headers that say it.
fn headers(f: &Frame) -> Arc<[u8]> {
    let flags = if f.meta.ack { LAST | ACK } else { u8::from(f.meta.last) * LAST };
    let header = Header { flags, flow: f.flow, segment: f.meta.segment, ttl_sent: 64, ..Header::default() };
    let envelope = Envelope {
        mac_destination: address::mac(f.dst),
        mac_source: address::mac(f.src),
        tci: None,
        addresses: Addresses::V4 { source: address::ipv4(f.src), destination: address::ipv4(f.dst) },
        tos: 0,
        ttl: 64,
        port_source: if f.meta.ack { UDP_PORT } else { 49_152 },
        port_destination: if f.meta.ack { 49_152 } else { UDP_PORT },
    };
    // With its payload's length in it, without its payload.
    let whole = envelope.frame(&header, &vec![0; f.meta.payload.min(65_000) as usize]);
    whole[..envelope.class().end()].into()
}

impl Capture {
    /// Capture of this port.
    pub fn new(node: NodeId, port: u16) -> Self {
        Capture { node, port, frames: Vec::new() }
    }

    /// A frame passes.
    pub fn pass(&mut self, at: Ps, out: bool, frame: &Frame) {
        let data = match &frame.body {
            Some(bytes) => bytes.clone(),
            None if frame.flow == FOREIGN => return,
            None => headers(frame),
        };
        self.frames.push(Passed { at, out, bytes: frame.bytes, data });
    }

    /// The run has ended: puts the frames in order.
    pub fn finish(&mut self) {
        self.frames.sort_by_key(|f| f.at);
    }

    /// The file.
    pub fn file(&self) -> Vec<u8> {
        let mut out = start(&format!("node {} port {}", self.node, self.port));
        for f in &self.frames {
            packet(&mut out, f.at, f.out, f.bytes, &f.data);
        }
        out
    }
}

/// The beginning of a file of the frames that pass one interface.
pub fn start(interface: &str) -> Vec<u8> {
    let mut out = Vec::new();
    // Section header: byte order, version 1.0, length unknown.
    block(&mut out, 0x0a0d_0d0a, &[&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat(), &[(4, b"timely-sim")]);
    // The interface: Ethernet, whole frames, 10^-9 s.
    block(&mut out, 1, &[1, 0, 0, 0, 0, 0, 0, 0], &[(2, interface.as_bytes()), (9, &[9])]);
    out
}

/// Appends a frame of so many bytes, of which `data` are kept.
pub fn packet(out: &mut Vec<u8>, at: Ps, leaves: bool, bytes: u32, data: &[u8]) {
    let ns = at / NS;
    let mut body = Vec::with_capacity(32 + data.len());
    for word in [0, (ns >> 32) as u32, ns as u32, data.len() as u32, bytes] {
        body.extend(word.to_le_bytes());
    }
    body.extend_from_slice(data);
    body.resize(body.len().next_multiple_of(4), 0);
    let direction: u32 = if leaves { 2 } else { 1 };
    block(out, 6, &body, &[(2, &direction.to_le_bytes())]);
}

// A block with its options: code and value each.
fn block(out: &mut Vec<u8>, kind: u32, body: &[u8], options: &[(u16, &[u8])]) {
    let mut tail = Vec::new();
    for (code, value) in options {
        tail.extend(code.to_le_bytes());
        tail.extend((value.len() as u16).to_le_bytes());
        tail.extend_from_slice(value);
        tail.resize(tail.len().next_multiple_of(4), 0);
    }
    tail.extend([0; 4]);
    let length = (12 + body.len() + tail.len()) as u32;
    out.extend(kind.to_le_bytes());
    out.extend(length.to_le_bytes());
    out.extend_from_slice(body);
    out.extend(tail);
    out.extend(length.to_le_bytes());
}
