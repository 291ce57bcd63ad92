//! The pacer as a whole. See `timely_hw::pacer::top`.
use super::timemap::TimeMap;
use super::{Timing, charge, doorbell, gate, park, pass, ready, wheel, wheel_bits};
use crate::Block;
use crate::bus::{FlowLoad, ProfileWrite, Release};
use timely_regs::counters::Counter;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A flow and packets posted.
    pub doorbell: Option<(u32, u16)>,
    /// Bytes that are outstanding no more.
    pub release: Option<Release>,
    /// A flow and the wire bytes of the packet that answers its oldest uncharged grant.
    pub charge: Option<(u32, u16)>,
    /// A flow and its rate, 2^-12 Mb/s.
    pub rate: Option<(u32, u32)>,
    /// A word on the profile bus.
    pub profile: Option<ProfileWrite>,
    /// A record on the flow bus.
    pub load: Option<FlowLoad>,
    /// Paused priorities.
    pub pause: u8,
    /// Everything is paused.
    pub stop: bool,
    /// ns48.fns16.
    pub now: u64,
    /// The grant offered is taken.
    pub grant_ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// A doorbell offered is taken.
    pub doorbell_ready: bool,
    /// A flow that may send a packet, and when it was due.
    pub grant: Option<gate::Grant>,
    /// A flow starts to send after its profile's idle time.
    pub idle: Option<u32>,
    /// Counted events, by `timely_regs::counters`.
    pub pulses: u32,
    /// The RAMs are clear; nothing is accepted before.
    pub swept: bool,
}

/// The pacer.
#[derive(Clone, Debug)]
pub struct Pacer {
    doorbell: doorbell::Doorbell,
    ready: ready::Ready,
    charge: charge::Charge,
    park: park::Park,
    pass: pass::Pass,
    wheel: wheel::Wheel,
    gate: gate::Gate,
    granted: bool,
}

impl Pacer {
    /// For `2^flow_bits` flows.
    pub fn new(flow_bits: u32, timing: Timing) -> Self {
        Pacer {
            doorbell: doorbell::Doorbell::new(flow_bits),
            ready: ready::Ready::new(),
            charge: charge::Charge::new(flow_bits),
            park: park::Park::new(flow_bits),
            pass: pass::Pass::new(flow_bits, timing),
            wheel: wheel::Wheel::new(flow_bits, wheel_bits(flow_bits as usize) as u32),
            gate: gate::Gate::new(),
            granted: false,
        }
    }

    /// Tells how `now` runs from here on. Without it `wake()` asks for every clock while a flow sleeps or a grant waits.
    pub fn set_time(&mut self, map: TimeMap) {
        self.wheel.set_time(map);
        self.gate.set_time(map);
    }

    /// What the last pass left of a flow.
    pub fn state(&self, flow: u32) -> &super::token::State {
        self.pass.state(flow)
    }
}

impl Block for Pacer {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let doorbell = self.doorbell.output(clk);
        let swept = doorbell.swept && self.charge.output(clk).swept && self.pass.output(clk).swept && self.wheel.output(clk).swept;
        Out {
            doorbell_ready: doorbell.doorbell_ready && swept,
            grant: self.gate.output(clk).grant,
            idle: self.pass.output(clk).idle,
            pulses: u32::from(self.granted) << Counter::Grants as u32 | u32::from(doorbell.refused) << Counter::DoorbellsRefused as u32,
            swept,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let go = self.output(clk).swept;
        let rst = i.rst;
        let doorbell = self.doorbell.output(clk);
        let head = self.ready.output(clk);
        let paid = self.charge.output(clk).paid;
        let parked = self.park.output(clk);
        let pass = self.pass.output(clk);
        let wheel = self.wheel.output(clk);
        let gate = self.gate.output(clk);
        let left = gate.grant.is_some() && i.grant_ready;

        self.doorbell.step(
            clk,
            &doorbell::In {
                rst,
                load: i.load.as_ref().filter(|_| go).map(|l| doorbell::Load { flow: l.flow, enable: l.enable(), keep: l.keep() }),
                release: i.release.filter(|_| go).map(|r| (r.flow, r.bytes)),
                sleep: pass.sleep,
                doorbell: i.doorbell.filter(|_| go),
                granted: pass.granted,
            },
        );
        self.charge.step(clk, &charge::In { rst, charge: i.charge.filter(|_| go) });
        self.ready.step(clk, &ready::In { rst, due: wheel.due, activate: doorbell.activate.or(parked), ready: pass.ready });
        self.park.step(clk, &park::In { rst, park: pass.park, resume: pass.resume, ready: doorbell.activate.is_none() });
        self.pass.step(
            clk,
            &pass::In {
                rst,
                flow: head,
                post: doorbell.post,
                paid,
                load: i.load.filter(|_| go),
                profile: i.profile.filter(|_| go),
                rate: i.rate.filter(|_| go),
                pause: i.pause,
                stop: i.stop,
                now: i.now,
                left,
                sleep_ready: doorbell.sleep_ready,
            },
        );
        self.wheel.step(clk, &wheel::In { rst, insert: pass.insert, now: i.now, ready: true });
        debug_assert!(pass.train.is_none() || gate.train_ready, "the pass keeps within the gate's places");
        self.gate.step(clk, &gate::In { rst, train: pass.train, now: i.now, ready: i.grant_ready });
        self.granted = left && !rst;
    }

    /// `pause`, `stop` and `now` are levels: a clock at which one of the first two changes must be stepped.
    fn wake(&self, clk: u64) -> u64 {
        if self.granted {
            return clk;
        }
        [
            self.doorbell.wake(clk),
            self.ready.wake(clk),
            self.charge.wake(clk),
            self.park.wake(clk),
            self.pass.wake(clk),
            self.wheel.wake(clk),
            self.gate.wake(clk),
        ]
        .into_iter()
        .min()
        .unwrap_or(u64::MAX)
    }
}
