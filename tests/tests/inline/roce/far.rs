//! The receiving host behind a NIC of its own, which sends CNPs in its place or does not.
use super::node::{mapped, prepare, put_mac};
use super::rxe::{Receiver, Sender};
use super::table::{command, take};
use std::collections::{BTreeMap, VecDeque};
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, Beat, beats};
use timely_regs::map::roce;
use timely_regs::parameters::Parameters;
use timely_regs::roce::{Kind, check};
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::{Inline, Model};

/// Sideband of the host's frames.
const BESIDE: u128 = 0x77;
/// Least time between two CNPs of a pair, as DCQCN's notification point has it.
const INTERVAL_NS: u32 = 50_000;

pub struct Far {
    pub nic: Inline<Model>,
    /// Frames on their way to the NIC, by the clock of their arrival; and their beats.
    arrivals: VecDeque<(u64, Vec<u8>)>,
    arriving: VecDeque<Beat>,
    /// Beats of the host's answers.
    offered: VecDeque<Beat>,
    up: Assembler,
    leaving: Assembler,
    /// CNPs that left.
    pub notified: u64,
}

impl Far {
    /// A NIC whose pairs are joined, or are to be, and which may send CNPs.
    pub fn new(model: Model, gbps: f64, pairs: &[&Sender], notifies: bool, joins: bool) -> Self {
        let line = Parameters { outstanding_bytes: 0, ..Parameters::fixed(1000.0 * gbps) };
        let mut nic = prepare(model, &line, gbps, 0);
        // All pairs have one receiver.
        let own = address::mac(pairs[0].hosts.1);
        put_mac(&mut nic, own);
        for p in pairs.iter().filter(|_| joins) {
            let done = command(&mut nic, mapped(p.hosts.0), p.local, Some(p.remote), roce::SET);
            assert_eq!(done.map(|d| d.0), Some(0), "the pair is set and joined");
        }
        nic.write32(roce::NOTIFY_INTERVAL.address(), INTERVAL_NS).expect("a register");
        nic.write32(roce::NOTIFY.address(), notifies.into()).expect("a register");
        Far {
            nic,
            arrivals: VecDeque::new(),
            arriving: VecDeque::new(),
            offered: VecDeque::new(),
            up: Assembler::default(),
            leaving: Assembler::default(),
            notified: 0,
        }
    }

    /// The driver takes what came of pairs that are not joined, and joins by the host's list, which
    /// has the numbers of both ends and no addresses. Gives the pairs that were joined.
    pub fn follow(&mut self, list: &BTreeMap<u32, u32>, each: u32) -> usize {
        let mut joined = 0;
        for _ in 0..each {
            let Some((address, local)) = take(&mut self.nic) else { break };
            let done = list.get(&local).and_then(|remote| command(&mut self.nic, address, *remote, Some(local), roce::JOIN));
            joined += usize::from(done.is_some_and(|d| d.0 == 0));
        }
        joined
    }

    pub fn is_between_frames(&self) -> bool {
        let out = self.nic.peek();
        self.arriving.is_empty() && self.offered.is_empty() && out.host.is_none() && out.wire.is_none()
    }

    /// A frame is on its way to the NIC.
    pub fn send(&mut self, at: u64, frame: Vec<u8>) {
        self.arrivals.push_back((at, frame));
    }

    /// The first clock that must be made.
    pub fn next(&self) -> u64 {
        let (clk, out) = (self.nic.clk(), self.nic.peek());
        let busy = !self.arriving.is_empty() || !self.offered.is_empty() || out.host.is_some() || out.wire.is_some();
        let arrival = self.arrivals.front().map_or(u64::MAX, |a| a.0);
        if busy { clk } else { self.nic.wake().min(arrival).max(clk) }
    }

    /// A clock; the frame that has left at its end.
    pub fn clock(&mut self, clk: u64, receiver: &mut Receiver) -> Option<Vec<u8>> {
        if clk > self.nic.clk() {
            self.nic.skip_to(clk);
        }
        let width = self.nic.bus_bytes() * 8;
        if self.arriving.is_empty()
            && let Some((_, frame)) = self.arrivals.pop_front_if(|a| a.0 <= clk)
        {
            self.arriving.extend(beats(&frame, width));
        }
        let out = self.nic.drive(In {
            host: self.offered.front().map(|b| (*b, BESIDE)),
            host_ready: true,
            wire: self.arriving.front().map(|b| (*b, 5)),
            wire_ready: true,
            ..In::default()
        });
        if out.host_ready {
            self.offered.pop_front();
        }
        if out.wire_taken {
            self.arriving.pop_front();
        }
        if let Some((beat, _)) = out.host
            && let Some(frame) = self.up.push(&beat)
            && let Some(answer) = receiver.receive(&frame)
        {
            self.offered.extend(beats(&answer, width));
        }
        let w = out.wire?;
        let frame = self.leaving.push(&w.beat)?;
        let cnp = check(&frame).expect("a well-formed frame").kind == Kind::Cnp;
        let beside = if cnp { (0, Some(frame.len() as u16)) } else { (BESIDE, None) };
        assert_eq!((w.meta, w.ack), beside, "what goes beside a frame, CNP: {cnp}");
        self.notified += u64::from(cnp);
        Some(frame)
    }
}
