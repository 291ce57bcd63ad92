//! One direction's exact match: two choices of a bucket of eight places, and a key a flow.
use super::hash::{Key, hash};
use std::collections::VecDeque;

/// Clocks from a look-up to its result, and from an operation to its own.
pub const LATENCY: u64 = 15;

/// Places of a bucket.
pub const WAYS: usize = 8;

/// A slot of the pipeline: a look-up, or an operation of the manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A packet's key is looked up; one that is not found may be learned.
    Look {
        /// DSCP of the packet, if the key may be learned.
        learn: Option<u8>,
    },
    /// A key is looked up, and a place for it.
    Probe,
    /// The key of a flow is read.
    Fetch {
        /// The flow.
        flow: u32,
    },
    /// A place and a flow's key are written.
    Write {
        /// The flow.
        flow: u32,
        /// Choice and place in its bucket.
        place: (usize, usize),
        /// Place and flow hold the key from now on; otherwise both are free.
        live: bool,
    },
}

/// Outcome of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The slot.
    pub slot: Slot,
    /// Key of the slot, or of the flow that it names.
    pub key: Key,
    /// The key's flow.
    pub flow: Option<u32>,
    /// Another key of the same hash stands in a bucket.
    pub collides: bool,
    /// Place of the key, or one that is free for it.
    pub place: Option<(usize, usize)>,
}

/// Hash and flow of the keys in a bucket.
type Bucket = [Option<(u32, u32)>; WAYS];

/// Keys of `2^flow_bits` flows in twice as many places.
#[derive(Clone, Debug)]
pub struct Side {
    bucket_bits: u32,
    buckets: [Vec<Bucket>; 2],
    keys: Vec<Option<Key>>,
    pipeline: VecDeque<(u64, Done)>,
}

impl Side {
    /// An empty table.
    pub fn new(flow_bits: u32) -> Self {
        let bucket_bits = flow_bits - 3;
        let empty = || vec![[None; WAYS]; 1 << bucket_bits];
        Side { bucket_bits, buckets: [empty(), empty()], keys: vec![None; 1 << flow_bits], pipeline: VecDeque::new() }
    }

    fn bucket(&mut self, choice: usize, hash: u32) -> &mut Bucket {
        let at = hash.rotate_right(choice as u32 * self.bucket_bits) & ((1 << self.bucket_bits) - 1);
        &mut self.buckets[choice][at as usize]
    }

    /// Does at once what a slot that enters at clock `clk` does: all of it is in the order of the
    /// slots.
    pub fn enter(&mut self, clk: u64, secret: [u64; 3], slot: Slot, key: Key) {
        let mut done = Done { slot, key, flow: None, collides: false, place: None };
        let h = hash(secret, key);
        match slot {
            Slot::Look { .. } | Slot::Probe => {
                let buckets = [*self.bucket(0, h), *self.bucket(1, h)];
                let same = (0..2).find_map(|c| Some((c, buckets[c].iter().position(|p| p.is_some_and(|(x, _)| x == h))?)));
                if let Some((choice, way)) = same {
                    let (_, flow) = buckets[choice][way].expect("a place with this hash");
                    done.flow = Some(flow).filter(|f| self.keys[*f as usize] == Some(key));
                    done.collides = done.flow.is_none();
                    done.place = same;
                } else {
                    let [first, second] = buckets.map(|b| b.iter().flatten().count());
                    let choice = usize::from(second < first);
                    done.place = buckets[choice].iter().position(Option::is_none).map(|way| (choice, way));
                }
            }
            Slot::Fetch { flow } => done.key = self.keys[flow as usize].unwrap_or_default(),
            Slot::Write { flow, place: (choice, way), live } => {
                self.bucket(choice, h)[way] = live.then_some((h, flow));
                self.keys[flow as usize] = live.then_some(key);
                done.flow = live.then_some(flow);
            }
        }
        self.pipeline.push_back((clk + LATENCY, done));
    }

    /// The slot that ends at this clock.
    pub fn output(&self, clk: u64) -> Option<&Done> {
        self.pipeline.front().filter(|(due, _)| *due == clk).map(|(_, done)| done)
    }

    /// No slot is under way.
    pub fn is_idle(&self) -> bool {
        self.pipeline.is_empty()
    }

    /// Forgets the slots that ended.
    pub fn retire(&mut self, clk: u64) {
        while self.pipeline.front().is_some_and(|(due, _)| *due <= clk) {
            self.pipeline.pop_front();
        }
    }

    /// Keys that stand in places, and flows with a key.
    pub fn held(&self) -> (usize, usize) {
        let places = self.buckets.iter().flatten().flatten().flatten().count();
        (places, self.keys.iter().flatten().count())
    }
}
