//! The packets of each flow: the state of its segment and its backlog, one operation a clock.
use super::keystream::Keystream;
use crate::bus::Charge;
use crate::check;
use timely_regs::field::Field;
use timely_regs::flow;
use timely_regs::link::{BACKLOG_BOUND, wire_bytes};
use timely_regs::wire::Class;

/// Clocks from an operation to its outcome.
pub const LATENCY: u64 = 5;

/// An operation on a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A packet may leave, at the time given in ns48.fns16.
    Grant {
        /// The flow.
        flow: u32,
        /// When it was eligible.
        launch: u64,
    },
    /// Packets are posted.
    Doorbell {
        /// The flow.
        flow: u32,
        /// How many.
        packets: u16,
    },
    /// A record was loaded that ends what the flow was doing.
    Clear {
        /// The flow.
        flow: u32,
    },
}

impl Op {
    fn flow(self) -> u32 {
        match self {
            Op::Grant { flow, .. } | Op::Doorbell { flow, .. } | Op::Clear { flow } => flow,
        }
    }
}

/// A packet to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet {
    /// The packet's flow.
    pub flow: u32,
    /// The flow's record.
    pub record: [u32; flow::WORDS],
    /// Segment number.
    pub segment: u32,
    /// Number in the segment.
    pub number: u8,
    /// The segment's last.
    pub last: bool,
    /// Nonce of the segment.
    pub nonce: u32,
    /// Check of the segment: its nonce with the destination in it.
    pub check: u32,
    /// Wire bytes of the frame.
    pub wire: u16,
    /// Wire bytes of the segment so far, this one included; 24 bits.
    pub bytes: u32,
    /// Bytes that the segment was charged so far, this packet included: for a READ all of it at
    /// once; 24 bits.
    pub charged: u32,
    /// When it was eligible to leave, ns48.fns16.
    pub launch: u64,
}

/// The result of an operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// A grant's answer.
    pub charge: Option<Charge>,
    /// A packet to send.
    pub packet: Option<Packet>,
    /// A doorbell for the pacer.
    pub post: Option<(u32, u16)>,
    /// A doorbell was refused.
    pub refused: bool,
}

/// A flow's state.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    segment: u32,
    /// Packets of the segment that were sent.
    sent: u8,
    backlog: u16,
    bytes: u32,
    /// Bytes that the segment's packets were charged, each by the record of its time.
    charged: u32,
    nonce: u32,
}

/// An operation on its way, with its flow's record once that is read.
type Stage = Option<(Op, [u32; flow::WORDS])>;

/// Records and states of all flows.
#[derive(Clone, Debug)]
pub struct Packets {
    records: Vec<[u32; flow::WORDS]>,
    states: Vec<State>,
    stages: [Stage; LATENCY as usize - 1],
    outcome: Option<Outcome>,
    keys: Keystream,
}

/// The flow's destination.
pub fn address(record: &[u32; flow::WORDS]) -> [u8; 16] {
    let mut address = [0; 16];
    for (bytes, word) in address.chunks_exact_mut(4).zip(&record[usize::from(flow::ADDRESS_0.word)..]) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    address
}

/// Wire bytes of a frame of the flow.
fn wire(record: &[u32; flow::WORDS]) -> u16 {
    let class = Class { vlan: flow::VLAN.get(record) != 0, ipv6: flow::IPV6.get(record) != 0 };
    wire_bytes(class.end() as u32 + flow::PAYLOAD_BYTES.get(record)) as u16
}

impl Packets {
    /// `2^flow_bits` flows, none of which exists; their segments are counted from `first`.
    pub fn new(flow_bits: u32, first: u32) -> Self {
        let flows = 1 << flow_bits;
        Packets {
            records: vec![[0; flow::WORDS]; flows],
            states: vec![State { segment: first, ..State::default() }; flows],
            stages: Default::default(),
            outcome: None,
            keys: Keystream::default(),
        }
    }

    /// The outcome of the operation that was given [`LATENCY`] clocks ago.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// No operation is under way.
    pub fn is_idle(&self) -> bool {
        self.outcome.is_none() && self.stages.iter().all(Option::is_none) && self.keys.is_idle()
    }

    /// The nonces have a key.
    pub fn is_keyed(&self) -> bool {
        self.keys.is_ready()
    }

    /// A clock: an operation, a record for a flow, the key of the nonces and whether it is written.
    pub fn step(&mut self, op: Option<Op>, load: Option<(u32, [u32; flow::WORDS])>, (key, keyed): (u128, bool)) {
        self.outcome = self.stages[3].take().map(|(op, record)| self.apply(op, &record, key));
        let drawn = self.outcome.as_ref().is_some_and(|o| o.packet.as_ref().is_some_and(|p| p.number == 0));
        self.keys.step(drawn, key, keyed);
        self.stages.rotate_right(1);
        // The record is read in the clock after the operation came, before what is loaded at that
        // clock.
        if let Some((op, record)) = &mut self.stages[1] {
            *record = self.records[op.flow() as usize];
        }
        self.stages[0] = op.map(|op| (op, [0; flow::WORDS]));
        if let Some((flow, record)) = load {
            self.records[flow as usize] = record;
        }
    }

    fn apply(&mut self, op: Op, record: &[u32; flow::WORDS], key: u128) -> Outcome {
        let s = &mut self.states[op.flow() as usize];
        let flag = |f: Field| f.get(record) != 0;
        let (enable, endless, read) = (flag(flow::ENABLE), flag(flow::ENDLESS), flag(flow::READ));
        let mut outcome = Outcome::default();
        match op {
            Op::Grant { flow, .. } if !enable || s.backlog == 0 => outcome.charge = Some(Charge { flow, ..Charge::default() }),
            Op::Grant { flow, launch } => {
                let first = s.sent == 0;
                let full = u32::from(s.sent) + 1 >= flow::SEGMENT_PACKETS.get(record);
                let last = full || (s.backlog == 1 && !endless);
                let wire = wire(record);
                // Every segment costs something, so that the sum of a flow's charges tells its
                // segments apart.
                let read_bytes = flow::CHARGED_BYTES.get(record).clamp(1, 0xffff);
                let bytes = (s.bytes + u32::from(wire)) & 0xff_ffff;
                let nonce = if first { self.keys.word() } else { s.nonce };
                let check = nonce ^ check::product(key, check::digest(&address(record), flag(flow::IPV6)));
                let charge = match (read, first) {
                    (false, _) => wire,
                    (true, true) => read_bytes as u16,
                    (true, false) => 0,
                };
                let charged = (s.charged + u32::from(charge)) & 0xff_ffff;
                outcome.charge = Some(Charge { flow, bytes: charge, ends: last });
                outcome.post = endless.then_some((flow, 1));
                outcome.packet = Some(Packet {
                    flow,
                    record: *record,
                    segment: s.segment,
                    number: s.sent,
                    last,
                    nonce,
                    check,
                    wire,
                    bytes,
                    charged,
                    launch,
                });
                s.nonce = nonce;
                s.backlog -= u16::from(!endless);
                (s.sent, s.bytes, s.charged) = if last { (0, 0, 0) } else { (s.sent + 1, bytes, charged) };
                s.segment = s.segment.wrapping_add(last.into());
            }
            Op::Doorbell { flow, packets } => {
                let backlog = u32::from(s.backlog) + u32::from(packets);
                if enable && backlog < BACKLOG_BOUND {
                    s.backlog = backlog as u16;
                    outcome.post = Some((flow, packets));
                } else {
                    outcome.refused = true;
                }
            }
            Op::Clear { .. } => {
                s.segment = s.segment.wrapping_add((s.sent != 0).into());
                (s.sent, s.bytes, s.charged, s.backlog) = (0, 0, 0, 0);
            }
        }
        outcome
    }
}
