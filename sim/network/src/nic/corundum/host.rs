//! The host of a Corundum NIC: a ring of descriptors a queue, and software that keeps it filled.
//!
//! A flow is a queue. Its software has so many bytes posted at most, as a driver has whose queue
//! has a limit, and rings a doorbell when it has posted more. A queue besides the flows always has
//! packets without our header: traffic that is not paced.
use crate::cores::CoreSpec;
use crate::frame::{NodeId, address};
use crate::nic::packets::Flow;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Descriptors of a ring, as Corundum's driver makes it.
const RING: usize = 1024;
/// Ethernet type of frames that are not ours: for local experiments (IEEE 802).
const OTHER: [u8; 2] = [0x88, 0xb5];

/// Packets of a queue.
enum Source {
    /// A flow of the scenario's.
    Flow(Flow),
    /// A fixed frame, so many of them posted at a time.
    Always(Vec<u8>, usize),
}

struct Queue {
    source: Source,
    ring: VecDeque<Vec<u8>>,
    /// Packets that the card has and that have not left.
    inside: usize,
}

/// The host.
pub struct Host {
    host: NodeId,
    window: u64,
    rng: ChaCha8Rng,
    queues: Vec<Queue>,
    doorbells: VecDeque<u32>,
}

impl Host {
    /// The host that `spec` describes.
    pub fn new(spec: &CoreSpec) -> Self {
        let queue = |(f, number)| Queue { source: Source::Flow(Flow::new(number, f, spec)), ring: VecDeque::new(), inside: 0 };
        Host {
            host: spec.host,
            window: spec.host_window,
            rng: ChaCha8Rng::seed_from_u64(spec.seed),
            queues: spec.flows.iter().zip(0..).map(queue).collect(),
            doorbells: VecDeque::new(),
        }
    }

    /// Queues that there are.
    pub fn queues(&self) -> u32 {
        self.queues.len() as u32
    }

    /// One more queue, whose frames have so many bytes and go to `to`; `packets` of them are always
    /// posted.
    pub fn always(&mut self, to: NodeId, bytes: usize, packets: usize) {
        let mut frame = [address::mac(to), address::mac(self.host)].concat();
        frame.extend(OTHER);
        frame.resize(bytes, 0);
        self.queues.push(Queue { source: Source::Always(frame, packets), ring: VecDeque::new(), inside: 0 });
    }

    /// A flow's software posts packets; 0 ends the flow with its next packet, which ends the
    /// segment.
    pub fn post(&mut self, queue: u32, packets: u32) {
        if let Some(Queue { source: Source::Flow(flow), .. }) = self.queues.get_mut(queue as usize) {
            flow.post(packets);
            self.fill(queue);
        }
    }

    /// Queues that are no flows begin.
    pub fn begin(&mut self) {
        for queue in 0..self.queues() {
            if matches!(self.queues[queue as usize].source, Source::Always(..)) {
                self.fill(queue);
            }
        }
    }

    fn fill(&mut self, queue: u32) {
        let q = &mut self.queues[queue as usize];
        let before = q.ring.len();
        loop {
            let posted = q.ring.len() + q.inside;
            let frame = match &mut q.source {
                Source::Flow(flow) if posted < RING && flow.may_send(self.window) => flow.build(&mut self.rng),
                Source::Always(frame, packets) if posted < *packets => frame.clone(),
                _ => break,
            };
            q.ring.push_back(frame);
        }
        if q.ring.len() > before && !self.doorbells.contains(&queue) {
            self.doorbells.push_back(queue);
        }
    }

    /// The doorbell that is rung at this clock.
    pub fn doorbell(&mut self) -> Option<u32> {
        self.doorbells.pop_front()
    }

    /// A doorbell waits.
    pub fn rings(&self) -> bool {
        !self.doorbells.is_empty()
    }

    /// Bytes of a queue's first packet.
    pub fn first(&self, queue: u32) -> Option<usize> {
        self.queues.get(queue as usize)?.ring.front().map(Vec::len)
    }

    /// The card takes it.
    pub fn take(&mut self, queue: u32) -> Option<Vec<u8>> {
        let q = self.queues.get_mut(queue as usize)?;
        let frame = q.ring.pop_front()?;
        q.inside += 1;
        Some(frame)
    }

    /// A packet of so many bytes of that queue has left.
    pub fn left(&mut self, queue: u32, bytes: usize) {
        if let Some(q) = self.queues.get_mut(queue as usize) {
            q.inside -= 1;
            if let Source::Flow(flow) = &mut q.source {
                flow.left(bytes as u64);
            }
            self.fill(queue);
        }
    }

    /// The card was reset: what was posted is forgotten.
    pub fn reset(&mut self) {
        self.doorbells.clear();
        for q in &mut self.queues {
            q.ring.clear();
            q.inside = 0;
            if let Source::Flow(flow) = &mut q.source {
                flow.reset();
            }
        }
    }
}
