//! The charge of READ requests for their responses: `timely_hw::roce::ReadCharge`.
//!
//! A READ is granted and leaves as any request, charged the bytes of its own packet. What its
//! responses will have on the wire is added, as it leaves, to what its flow owes, and a doorbell of
//! its own is rung for it. Grants of a flow that owes pay [`PART`] bytes each and let no packet go,
//! and as long as something is left each such grant rings again: so a flow has as many doorbells
//! outstanding as it has packets in the store, and one more while it owes. The last one pays up to
//! twice as much, for the pacer plans by it.
//!
//! A flow that is loaded anew owes nothing, and none owes for longer than half of the host's
//! time-out: what is left then is let go.
use crate::bus::Charge;
use crate::{Block, fifo};
use timely_regs::roce::{AETH_BYTES, RETH_BYTES};

/// Bytes that a grant pays, at most: as a packet of data costs, for the pacer plans by the last
/// charge, and tokens beyond its profile's cap are lost where a packet costs less than that.
pub const PART: u32 = 1 << 11;
/// Bits of what a flow owes, bytes; it owes no more than that.
pub const OWED_BITS: u32 = 26;
/// Bytes of the longest READ; longer ones count as this.
pub const LONGEST_READ: u32 = (1 << 24) - 1;
/// Grants that are taken and not told of, at most.
pub const INSIDE: u32 = 4;
/// Doorbells that wait when no grant is taken.
pub const FEW_RINGS: u32 = 4;
/// Address bits of the queue of doorbells, and of those of grants and charges.
pub const RING_BITS: u32 = 6;
/// Address bits of the queues of grants and of charges.
pub const QUEUE_BITS: u32 = 2;
/// The unit in which it is kept until when a flow may owe is `2^UNIT_BITS` ns.
pub const UNIT_BITS: u32 = 21;
/// A flow owes for `2^-LIMIT_SHIFT` of the time-out's us, in units, at most: half of it.
pub const LIMIT_SHIFT: u32 = 12;
/// Bits of a time in units.
const TIME_BITS: u32 = 9;
/// Clocks from a READ's departure to the look at its flow.
const COUNT: usize = 5;
/// Clocks from there to the flow's new account.
const LOOK: usize = 3;

/// A READ request that left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brings {
    /// Flow.
    pub flow: u32,
    /// Bytes to be read.
    pub bytes: u32,
    /// Wire bytes of the request.
    pub wire_bytes: u16,
}

impl Brings {
    /// Wire bytes of all responses, where `mtu` (1 to 5 for 256 to 4,096 bytes) is the path MTU: a
    /// response has the headers of its request but RETH, and the first that of an ACK. The last
    /// one's, of more than one, does not count, nor does padding.
    pub fn wire(&self, mtu: u8) -> u32 {
        let bytes = self.bytes.min(LONGEST_READ);
        let packets = (bytes.saturating_sub(1) >> (7 + mtu.clamp(1, 5))) + 1;
        bytes + AETH_BYTES as u32 + packets * (u32::from(self.wire_bytes).min(0xff) - RETH_BYTES as u32)
    }
}

/// Inputs at a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A grant offered: flow, launch.
    pub grant: Option<(u32, u64)>,
    /// The store takes a grant.
    pub grant_taken: bool,
    /// The store answers no grant at this clock: what was paid is told.
    pub charge_taken: bool,
    /// The pacer takes a doorbell.
    pub ring_taken: bool,
    /// The store has a doorbell.
    pub stored: bool,
    /// A READ request left.
    pub read: Option<Brings>,
    /// A flow is loaded, and its stored packets are void.
    pub loaded: Option<u32>,
    /// Least path MTU, 1 to 5 for 256 to 4,096 bytes.
    pub mtu: u8,
    /// Shortest time-out of the host's queue pairs, us; 0 unknown: then all that is owed is paid.
    pub timeout_us: u32,
    /// The steady time, ns48.fns16.
    pub now: u64,
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out {
    /// The RAM is clear; no grant is taken before.
    pub swept: bool,
    /// A grant offered is taken.
    pub ready: bool,
    /// A grant for the store.
    pub grant: Option<(u32, u64)>,
    /// The charge of a grant that paid.
    pub paid: Option<Charge>,
    /// A doorbell for what a flow owes.
    pub ring: Option<u32>,
    /// The doorbell waits if the store has one: the last one was for a READ.
    pub yields: bool,
    /// A flow's debt was let go.
    pub let_go: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Account {
    owed: u32,
    /// Unit of time from which on nothing is owed.
    until: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Grant(u64),
    Owe(u32),
    Load,
}

/// Results of a look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Done {
    grant: Option<(u32, u64)>,
    paid: Option<Charge>,
    ring: Option<u32>,
    let_go: bool,
}

/// The block.
#[derive(Clone, Debug)]
pub struct ReadCharge {
    accounts: Vec<Account>,
    counted: [Option<(u32, u32)>; COUNT],
    loaded: Option<u32>,
    looks: [Option<(u32, Op)>; LOOK],
    done: Done,
    grants: fifo::Fifo<(u32, u64)>,
    charges: fifo::Fifo<Charge>,
    rings: fifo::Fifo<u32>,
    inside: u32,
    ringing: u32,
    /// The last doorbell that was taken was for a READ.
    belled: bool,
    /// Low bits of the time in units, at the clock before.
    unit: u16,
    swept_at: u64,
}

impl ReadCharge {
    /// `2^flow_bits` flows that owe nothing, RAM init beginning at clock 0.
    pub fn new(flow_bits: u32) -> Self {
        ReadCharge {
            accounts: vec![Account::default(); 1 << flow_bits],
            counted: [None; COUNT],
            loaded: None,
            looks: [None; LOOK],
            done: Done::default(),
            grants: fifo::Fifo::new(QUEUE_BITS),
            charges: fifo::Fifo::new(QUEUE_BITS),
            rings: fifo::Fifo::new(RING_BITS),
            inside: 0,
            ringing: 0,
            belled: false,
            unit: 0,
            swept_at: 1 << flow_bits,
        }
    }

    /// Bytes that a flow owes.
    pub fn owed(&self, flow: u32) -> u32 {
        self.accounts[flow as usize].owed
    }

    fn look(&mut self, flow: u32, op: Op, i: &In) -> Done {
        let unit = self.unit;
        let account = &mut self.accounts[flow as usize];
        let mut done = Done::default();
        match op {
            Op::Load => *account = Account::default(),
            Op::Owe(bytes) => {
                done.ring = (account.owed == 0).then_some(flow);
                let limit = (i.timeout_us >> LIMIT_SHIFT).min((1 << (TIME_BITS - 1)) - 1) as u16;
                account.owed = (account.owed + bytes).min((1 << OWED_BITS) - 1);
                account.until = unit + limit;
            }
            Op::Grant(launch) if account.owed == 0 => done.grant = Some((flow, launch)),
            Op::Grant(_) => {
                let age = unit.wrapping_sub(account.until) & ((1 << TIME_BITS) - 1);
                done.let_go = i.timeout_us != 0 && age < 1 << (TIME_BITS - 1);
                let part = match account.owed {
                    _ if done.let_go => 0,
                    owed if owed < 2 * PART => owed,
                    _ => PART,
                };
                account.owed = if done.let_go { 0 } else { account.owed - part };
                done.paid = Some(Charge { flow, bytes: part as u16, ends: false });
                done.ring = (account.owed != 0).then_some(flow);
            }
        }
        done
    }
}

impl Block for ReadCharge {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let swept = clk >= self.swept_at;
        let busy = self.counted[COUNT - 1].is_some() || self.loaded.is_some();
        Out {
            swept,
            ready: swept && !busy && self.inside < INSIDE && self.ringing < FEW_RINGS,
            grant: self.grants.output(clk).head,
            paid: self.charges.output(clk).head,
            ring: self.rings.output(clk).head,
            yields: self.belled,
            let_go: self.done.let_go,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = ReadCharge::new(self.accounts.len().trailing_zeros());
            self.swept_at += clk + 1;
            return;
        }
        let out = self.output(clk);
        // What the last look did.
        let done = std::mem::take(&mut self.done);
        debug_assert!(done.ring.is_none() || self.rings.output(clk).ready, "a doorbell is lost");
        self.grants.step(clk, &fifo::In { rst: false, push: done.grant, ready: i.grant_taken });
        self.charges.step(clk, &fifo::In { rst: false, push: done.paid, ready: i.charge_taken });
        let belled = i.ring_taken && out.ring.is_some() && !(out.yields && i.stored);
        self.rings.step(clk, &fifo::In { rst: false, push: done.ring, ready: belled });
        if i.ring_taken && (out.ring.is_some() || i.stored) {
            self.belled = belled;
        }
        let gone = u32::from(out.grant.is_some() && i.grant_taken) + u32::from(out.paid.is_some() && i.charge_taken);
        let grant = i.grant.filter(|_| out.ready);
        self.inside = self.inside + u32::from(grant.is_some()) - gone;
        self.ringing = self.ringing + u32::from(done.ring.is_some()) - u32::from(belled);

        if let Some((flow, op)) = self.looks[LOOK - 1] {
            self.done = self.look(flow, op, i);
        }
        let owes = self.counted[COUNT - 1].map(|(flow, bytes)| (flow, Op::Owe(bytes)));
        let loads = self.loaded.filter(|_| owes.is_none());
        let look = owes.or(loads.map(|flow| (flow, Op::Load))).or(grant.map(|(flow, launch)| (flow, Op::Grant(launch))));
        self.looks = [look.filter(|_| out.swept), self.looks[0], self.looks[1]];
        self.loaded = i.loaded.or(self.loaded.filter(|_| loads.is_none()));
        let counted = i.read.map(|r| (r.flow, r.wire(i.mtu)));
        self.counted.rotate_right(1);
        self.counted[0] = counted;
        self.unit = (i.now >> (16 + UNIT_BITS)) as u16 & ((1 << TIME_BITS) - 1);
    }

    fn wake(&self, clk: u64) -> u64 {
        let looks = self.looks.iter().any(Option::is_some) || self.counted.iter().any(Option::is_some);
        if looks || self.loaded.is_some() || self.done != Done::default() || self.inside != 0 || self.ringing != 0 {
            clk
        } else if clk <= self.swept_at {
            self.swept_at
        } else {
            u64::MAX
        }
    }
}
