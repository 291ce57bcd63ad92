//! The host of a scenario behind an in-line NIC: software that builds our packets itself and hands
//! them over one after another.
//!
//! The host has the flows of the scenario, goes round among those with something to send, packet by
//! packet, at the rate of the bus, and waits where the NIC does. Of each flow it keeps so many
//! bytes at most between itself and the wire, as a driver does that is told of every packet that
//! has left.
use super::Side;
use crate::cores::CoreSpec;
use crate::nic::packets::Flow;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use timely_model::stream::{Beat, beat};

/// The host.
pub struct Host {
    flows: Vec<Flow>,
    width: usize,
    window: u64,
    rng: ChaCha8Rng,
    /// The flow that is looked at next.
    turn: usize,
    /// The frame that is handed over: its flow, its bytes, beats that were taken.
    frame: Option<(usize, Vec<u8>, usize)>,
    /// The host takes no frame from the NIC.
    pub deaf: bool,
}

impl Host {
    /// The host that `spec` describes, on a bus of `width` bits.
    pub fn new(spec: &CoreSpec, width: usize) -> Self {
        let flows = spec.flows.iter().zip(0..).map(|(f, number)| Flow::new(number, f, spec)).collect();
        let rng = ChaCha8Rng::seed_from_u64(spec.seed);
        Host { flows, width, window: spec.host_window, rng, turn: 0, frame: None, deaf: false }
    }

    fn may_send(&self, flow: usize) -> bool {
        self.flows[flow].may_send(self.window)
    }
}

impl Side for Host {
    fn offers(&self) -> bool {
        self.frame.is_some() || (0..self.flows.len()).any(|f| self.may_send(f))
    }

    // The flow's number and 1 go beside a frame.
    fn beat(&mut self) -> Option<(Beat, u128)> {
        if self.frame.is_none() {
            let n = self.flows.len();
            let flow = (0..n).map(|i| (self.turn + i) % n).find(|f| self.may_send(*f))?;
            self.turn = (flow + 1) % n;
            self.frame = Some((flow, self.flows[flow].build(&mut self.rng), 0));
        }
        let (flow, bytes, at) = self.frame.as_ref()?;
        Some((beat(bytes, self.width, *at), *flow as u128 + 1))
    }

    fn taken(&mut self) {
        if let Some((_, bytes, at)) = &mut self.frame {
            *at += 1;
            if *at * self.width / 8 >= bytes.len() {
                self.frame = None;
            }
        }
    }

    fn takes(&self) -> bool {
        !self.deaf
    }

    fn left(&mut self, meta: u128, bytes: u64) {
        if let Some(f) = (meta as usize).checked_sub(1).and_then(|f| self.flows.get_mut(f)) {
            f.left(bytes);
        }
    }

    // 0 packets end the flow with its next packet, which ends the segment.
    fn post(&mut self, flow: u32, packets: u32) {
        let Some(f) = self.flows.get_mut(flow as usize) else { return };
        f.post(packets);
    }

    fn reset(&mut self) {
        self.frame = None;
        self.flows.iter_mut().for_each(Flow::reset);
    }
}
