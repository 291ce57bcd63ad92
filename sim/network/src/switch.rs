//! A store-and-forward switch: output queues by class, accounting by ingress port, priority flow
//! control.
use crate::frame::{CLASSES, Class, Frame};
use crate::marking::Controlled;
use crate::time::Ps;
use std::collections::VecDeque;

/// Priority flow control of a class, by the bytes that an ingress port has in the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pfc {
    /// Pause the neighbour above this many bytes.
    pub xoff: u64,
    /// Let it go on at this many.
    pub xon: u64,
}

/// A switch's settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// From a frame's last bit in to its place in the output queue.
    pub latency: Ps,
    /// Flow control of each class; `None`: the class is not paused.
    pub pfc: [Option<Pfc>; CLASSES],
    /// Bytes of shared buffer; `None`: unbounded.
    pub buffer: Option<u64>,
    /// ACKs leave before all data; else they wait in the same queue.
    pub ack_priority: bool,
}

/// A frame in an output queue, and the port it came in by.
#[derive(Debug)]
pub(crate) struct Queued {
    pub frame: Frame,
    pub ingress: u16,
    /// The frame found the port busy, paused or with a queue.
    pub waits: bool,
}

/// Transmission of a port.
#[derive(Debug)]
pub(crate) enum Send {
    Frame(Queued),
    Pause(u8),
}

/// A port: its output queues and its ingress account.
#[derive(Debug, Default)]
pub(crate) struct Port {
    queues: [VecDeque<Queued>; CLASSES],
    /// Buffer bytes in the output queues and on the wire.
    pub queued: u64,
    /// Something is on the wire.
    pub busy: bool,
    /// Buffer bytes, class and ingress port of the frame on the wire.
    pub sending: Option<(u64, Class, u16)>,
    /// Classes that the neighbour has paused.
    pub paused: u8,
    /// Bytes that came in by this port and are still here.
    ingress: [u64; CLASSES],
    /// Classes in which this port's neighbour is to be paused.
    off: u8,
    /// A pause frame waits to be sent; it carries the state of that moment.
    control: bool,
    /// Index of the tap on this port.
    pub tap: Option<usize>,
    /// State of a PI controller of the port's marks.
    pub controlled: Controlled,
}

impl Port {
    /// Buffer bytes that wait, without the frame on the wire.
    pub fn waiting(&self) -> u64 {
        self.queued - self.sending.map_or(0, |s| s.0)
    }

    /// A frame of this class cannot be sent at once.
    pub fn holds(&self, class: Class) -> bool {
        self.busy || self.waiting() > 0 || self.paused & (1 << class as u8) != 0
    }

    pub fn push(&mut self, q: Queued) {
        self.queued += q.frame.buffer_bytes();
        self.queues[q.frame.class as usize].push_back(q);
    }

    /// The next thing to send: pause frames, then ACKs, then data.
    pub fn next(&mut self) -> Option<Send> {
        if std::mem::take(&mut self.control) {
            return Some(Send::Pause(self.off));
        }
        let paused = self.paused;
        let mut classes = self.queues.iter_mut().enumerate();
        classes.find_map(|(c, q)| if paused & (1 << c) == 0 { q.pop_front() } else { None }).map(Send::Frame)
    }

    /// Bytes came in; true when the neighbour is to be paused now.
    pub fn admit(&mut self, class: Class, bytes: u64, pfc: &[Option<Pfc>; CLASSES]) -> bool {
        let c = class as usize;
        self.ingress[c] += bytes;
        match pfc[c] {
            Some(p) if self.ingress[c] > p.xoff && self.off & (1 << c) == 0 => {
                self.off |= 1 << c;
                self.control = true;
                true
            }
            _ => false,
        }
    }

    /// Bytes that came in by this port have left; true when the neighbour may go on now.
    pub fn release(&mut self, class: Class, bytes: u64, pfc: &[Option<Pfc>; CLASSES]) -> bool {
        let c = class as usize;
        self.ingress[c] -= bytes;
        match pfc[c] {
            Some(p) if self.ingress[c] <= p.xon && self.off & (1 << c) != 0 => {
                self.off &= !(1 << c);
                self.control = true;
                true
            }
            _ => false,
        }
    }

    /// Bytes that came in by this port and are still here.
    pub fn ingress_bytes(&self) -> u64 {
        self.ingress.iter().sum()
    }
}
