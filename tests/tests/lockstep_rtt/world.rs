//! Flows that send, a network that loses and repeats, peers that forge: what the RTT block is fed
//! with.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};
use timely_model::bus::{Ack, Completion, FlowLoad, ProfileWrite, Sent, TAG_NO_DATA};
use timely_model::{check, rtt};
use timely_regs::{flow, profile};
use timely_tests::Runs;

/// How often what goes wrong.
#[derive(Clone, Debug)]
pub struct Faults {
    pub lose_completion: f64,
    pub odd_completion: f64,
    /// The line stands until 250 frames wait for their departure; then come as many completions
    /// that mean nothing any more.
    pub stand: f64,
    pub lose_ack: f64,
    pub repeat_ack: f64,
    pub forge: f64,
    pub stray_ack: f64,
    pub odd_echo: f64,
    pub load: f64,
    pub gap: f64,
    pub profile: f64,
    pub rst: f64,
    /// The time steps forward, by up to 8.6 s.
    pub step: f64,
    /// The time that stamps are of steps.
    pub epoch: f64,
}

#[derive(Clone, Debug, Default)]
struct Source {
    segment: u32,
    nonce: u32,
    left: u32,
    first: bool,
    bytes: u32,
    /// Digest of its destination.
    destination: u32,
}

/// One NIC's surroundings.
pub struct World {
    pub rng: ChaCha8Rng,
    /// Key of the checks.
    pub key: u128,
    pub faults: Faults,
    flow_bits: u32,
    sources: Vec<(u32, Source)>,
    /// Time at clock 0 and by clock, ns48.fns16.
    start: u64,
    step: u64,
    ns_per_byte: u32,
    /// The peers' clock at our clock 0, and by clock, ns48.fns16.
    peer_start: u64,
    peer_step: u64,
    tag: u16,
    /// log2 of the places in the ring, and how many were given.
    ring_bits: u32,
    places: u32,
    epoch: u8,
    departed_epoch: u8,
    sending: Runs,
    departing: VecDeque<(u64, Sent)>,
    /// ACKs by the clock at which they arrive.
    acks: BTreeMap<u64, Ack>,
    /// Recent ones, to repeat or to forge.
    recent: VecDeque<Ack>,
    loaded: u64,
    setup: VecDeque<rtt::In>,
    /// Shortest and longest time from a departure to its ACK, clocks.
    pub soonest: u64,
    pub delay: u64,
    /// Nothing is sent any more.
    pub stopped: bool,
    /// The line stands; completions to be repeated after it did.
    stands: bool,
    again: u16,
    /// An odd stamp of a peer may be off by any time, else by half a second.
    pub wild: bool,
}

pub fn load(index: u32, enable: bool, keep: bool, profile: u32) -> FlowLoad {
    let mut record = [0; flow::WORDS];
    flow::ENABLE.set(&mut record, enable.into()).unwrap();
    flow::KEEP.set(&mut record, keep.into()).unwrap();
    flow::PROFILE.set(&mut record, profile).unwrap();
    FlowLoad { flow: index, record }
}

/// A profile's signal: with each start of the RTT, two of them.
pub fn signal(profile: u32) -> u32 {
    [0, 2, 1, 2, 1, 0][profile as usize % 6]
}

/// Base of a profile's one-way delay variation, ns.
pub fn base(profile: u32) -> u32 {
    [8000, 0, 12_345_678, profile::SIGNAL_BASE.most][profile as usize % 4]
}

impl World {
    /// `flows` of `2^flow_bits` send; profile `p` starts its RTT at `p % 3`, has signal `signal(p)`
    /// and times out after `timeout * (1 + p)` ns.
    pub fn new(mut rng: ChaCha8Rng, flow_bits: u32, ring_bits: u32, flows: usize, busy: f64, timeout: u32, faults: Faults) -> Self {
        let near = |rng: &mut ChaCha8Rng, wrap: u64| wrap.wrapping_sub(rng.random_range(0..3000 << 16));
        // Just before the wraps of 32 bits of ns in Q.8, of 32 bits of ns, and of all 64 bits.
        let start = match rng.random_range(0..4) {
            0 => near(&mut rng, 1 << 48),
            1 => near(&mut rng, 0),
            2 => near(&mut rng, 5 << 40),
            _ => rng.random(),
        };
        let mut sources: Vec<(u32, Source)> = vec![];
        while sources.len() < flows {
            let index = rng.random_range(0..1 << flow_bits);
            if sources.iter().all(|s| s.0 != index) {
                // Numbers that start elsewhere than at 0 are a gap; some wrap soon.
                let segment = [0, 0u32.wrapping_sub(rng.random_range(1..100)), (1 << 31) - 20, rng.random()][rng.random_range(0..4)];
                sources.push((index, Source { segment, destination: rng.random(), ..Source::default() }));
            }
        }
        let mut setup = VecDeque::new();
        for p in 0..profile::PROFILES as u32 {
            let mut words = [0; profile::WORDS];
            profile::RTT_START.set(&mut words, p % 3).unwrap();
            profile::SIGNAL.set(&mut words, signal(p)).unwrap();
            profile::SIGNAL_BASE.set(&mut words, base(p)).unwrap();
            profile::TIMEOUT_NS.set(&mut words, timeout * (1 + p)).unwrap();
            for word in [0, 2, 29] {
                let write = ProfileWrite { profile: p as u8, word, data: words[usize::from(word)] };
                setup.push_back(rtt::In { profile: Some(write), ..rtt::In::default() });
            }
        }
        for (i, (index, _)) in sources.iter().enumerate() {
            setup.push_back(rtt::In { flow: Some(load(*index, true, false, i as u32 % 16)), ..rtt::In::default() });
            setup.extend(std::iter::repeat_n(rtt::In::default(), 8));
        }
        let step: u64 = [4 << 16, 4 << 16, 3 << 16 | 0x1234, 2000 << 16, 20_000 << 16][rng.random_range(0..5)];
        let ns_per_byte = [52429, 5243, 524_288, rng.random()][rng.random_range(0..4)];
        World {
            flow_bits,
            sources,
            start,
            step,
            ns_per_byte,
            peer_start: [near(&mut rng, 0), near(&mut rng, 1 << 63), rng.random()][rng.random_range(0..3)],
            // As much as two clocks of 100 parts a million differ.
            peer_step: step - step / 5000 + step / 5000 * rng.random_range(0..3),
            tag: rng.random_range(0..TAG_NO_DATA),
            ring_bits,
            places: rng.random(),
            epoch: 0,
            departed_epoch: 0,
            sending: Runs::new(busy, 12),
            departing: VecDeque::new(),
            acks: BTreeMap::new(),
            recent: VecDeque::new(),
            loaded: 0,
            setup,
            soonest: 9,
            delay: 300,
            stopped: false,
            stands: false,
            again: 0,
            wild: true,
            faults,
            key: rng.random::<u128>() >> 32,
            rng,
        }
    }

    pub fn set_step(&mut self, step: u64) {
        (self.step, self.peer_step) = (step, step - step / 5000);
    }

    pub fn set_ns_per_byte(&mut self, ns_per_byte: u32) {
        self.ns_per_byte = ns_per_byte;
    }

    pub fn now(&self, clk: u64) -> u64 {
        self.start.wrapping_add(clk.wrapping_mul(self.step))
    }

    fn random_time(&mut self, clk: u64) -> u64 {
        let within = self.rng.random_range(0..self.step);
        self.now(clk).wrapping_sub(within)
    }

    fn chance(&mut self, p: f64) -> bool {
        p > 0.0 && self.rng.random_bool(p)
    }

    fn send(&mut self, clk: u64) -> Sent {
        // Two flows at a time: the others are idle for long, some with segments outstanding.
        let which = (clk as usize / 2048 + self.rng.random_range(0..2)) % self.sources.len();
        let launch = self.random_time(clk.wrapping_sub(self.rng.clone().random_range(0..50)));
        let gap = self.chance(self.faults.gap);
        let key = self.key;
        let (flow, s) = &mut self.sources[which];
        if s.left == 0 {
            s.segment = s.segment.wrapping_add(1 + if gap { self.rng.random() } else { 0 });
            s.nonce = self.rng.random();
            s.left = self.rng.random_range(1..=3);
            s.first = true;
            s.bytes = 0;
        }
        s.left -= 1;
        let wire_bytes = self.rng.random_range(84..9100);
        s.bytes += u32::from(wire_bytes);
        let first = std::mem::take(&mut s.first);
        let last = s.left == 0;
        let (place, turn) = (self.places & ((1 << self.ring_bits) - 1), self.places >> self.ring_bits & 3);
        self.places = self.places.wrapping_add(last.into());
        self.tag = if self.tag + 1 == TAG_NO_DATA { 0 } else { self.tag + 1 };
        let sent = Sent {
            tag: self.tag,
            flow: *flow,
            segment: s.segment,
            nonce: s.nonce ^ check::product(key, s.destination),
            first,
            last,
            wire_bytes,
            // Some flows are charged so much that their sums wrap often.
            segment_bytes: if which.is_multiple_of(3) { s.bytes + 20_000_000 } else { s.bytes },
            place: if last { place as u16 } else { 0 },
            generation: if last { turn as u8 } else { 0 },
            launch,
        };
        // A departure may be told at the clock at which its frame is.
        let ready = self.departing.back().map_or(clk, |d| d.0).max(clk + self.rng.random_range(0..9));
        self.departing.push_back((ready + self.rng.random_range(0..3), sent));
        sent
    }

    fn depart(&mut self, clk: u64) -> Option<Completion> {
        let (_, sent) = self.departing.pop_front_if(|d| d.0 <= clk)?;
        // The last ones before a flow goes idle are lost more often: only a time-out releases them.
        let lose = if clk % 2048 > 1600 { self.faults.lose_ack.max(0.7) } else { self.faults.lose_ack };
        if sent.last && !self.chance(lose) {
            let mut due = clk + self.rng.random_range(self.soonest..self.delay);
            while self.acks.contains_key(&due) {
                due += 1;
            }
            let (flow, place) = (sent.flow, sent.place);
            let source = self.sources.iter().find(|s| s.0 == flow).map_or(0, |s| s.1.destination);
            let nonce = sent.nonce ^ check::product(self.key, source);
            let ack = Ack { flow, place, segment: sent.segment, nonce, source, ..self.echo(clk, due) };
            self.acks.insert(due, ack);
            if self.chance(self.faults.repeat_ack) {
                self.acks.insert(due + self.rng.random_range(1..6), ack);
            }
        }
        let ts = self.random_time(clk);
        (!self.chance(self.faults.lose_completion)).then_some(Completion { tag: sent.tag, ts })
    }

    /// The responder's ACK: the packet arrived between two of our clocks, and was kept for a part
    /// of that.
    fn echo(&mut self, from: u64, to: u64) -> Ack {
        let arrived = self.rng.random_range(from..to);
        let left = self.rng.random_range(arrived..to);
        let peer = |clk: u64| self.peer_start.wrapping_add(clk.wrapping_mul(self.peer_step));
        let (mut arrival, mut departure) = (peer(arrived), peer(left).wrapping_add(self.rng.random_range(0..0x1_0000)));
        if self.chance(self.faults.odd_echo) {
            let far = self.rng.random::<u64>() >> self.rng.random_range(if self.wild { 0 } else { 19 }..50);
            match self.rng.random_range(0..4) {
                0 if self.wild => (arrival, departure) = (0, 0),
                0 => departure = arrival,
                1 => departure = departure.wrapping_add(far),
                2 => arrival = arrival.wrapping_add(far),
                _ => arrival = arrival.wrapping_sub(far),
            }
        }
        Ack { arrival, departure, ttl_sent: self.rng.random(), ttl_seen: self.rng.random(), loss: self.rng.random(), ..Ack::default() }
    }

    fn spoil(&mut self, mut ack: Ack) -> Ack {
        match self.rng.random_range(0..8) {
            6 => ack.source ^= 1 << self.rng.random_range(0..32),
            5 | 7 => ack.place ^= 1 << self.rng.random_range(0..16),
            0 => ack.nonce ^= 1 << self.rng.random_range(0..32),
            1 => ack.segment = ack.segment.wrapping_add(self.rng.random_range(0..9)).wrapping_sub(4),
            2 => ack.segment ^= 1 << self.rng.random_range(0..32),
            3 => ack.flow ^= 1 << self.rng.random_range(0..32),
            _ => {
                let flow = self.rng.random_range(0..2 << self.flow_bits);
                ack = Ack { flow, segment: self.rng.random_range(0..4), place: self.rng.random_range(0..8), ..Ack::default() };
            }
        }
        ack
    }

    /// Inputs of the block at a clock; `swept` is its output of that name.
    pub fn next(&mut self, clk: u64, swept: bool) -> rtt::In {
        let mut i = rtt::In::default();
        if swept {
            i = self.setup.pop_front().unwrap_or_default();
            if !self.stopped && self.setup.is_empty() && self.sending.next(&mut self.rng) {
                i.sent = Some(self.send(clk));
            }
            if self.stands {
                self.stands = !self.stopped && self.departing.len() < 250;
                self.again = 250;
            } else {
                i.completion = self.depart(clk);
                self.stands = self.setup.is_empty() && self.chance(self.faults.stand);
            }
            i.ack = self.acks.remove(&clk);
        } else {
            self.acks.remove(&clk);
        }
        if let Some(a) = i.ack {
            self.recent.push_back(a);
            if self.recent.len() > 20 {
                self.recent.pop_front();
            }
        } else if self.chance(self.faults.forge) && !self.recent.is_empty() {
            let again = self.recent[self.rng.random_range(0..self.recent.len())];
            i.ack = Some(self.spoil(again));
        } else if self.chance(self.faults.stray_ack) && !self.acks.is_empty() {
            // An ACK that is still to come, spoilt or (from a peer that guesses well) not.
            let early = *self.acks.values().next().unwrap();
            i.ack = Some(if self.rng.random() { early } else { self.spoil(early) });
        }
        if let Some(a) = &mut i.ack {
            a.ts = self.now(clk).wrapping_sub(self.rng.random_range(0..self.step));
        }
        if i.completion.is_none() && !self.stands && self.departing.is_empty() && self.again > 0 {
            let tag = self.tag.wrapping_sub(self.again);
            let ts = self.random_time(clk);
            i.completion = Some(Completion { tag, ts });
            self.again -= 1;
        } else if i.completion.is_none() && self.chance(self.faults.odd_completion) {
            // Often one that was completed before, so that it means nothing now.
            let past = self.tag.wrapping_sub(self.rng.random_range(0..256));
            let tag = [TAG_NO_DATA, self.tag, past, past, past, self.tag ^ 0x100, self.tag | 0x8000, self.rng.random()];
            let tag = tag[self.rng.random_range(0..8)];
            let ts = self.random_time(clk);
            i.completion = Some(Completion { tag, ts });
        }
        if clk > self.loaded + 8 && self.chance(self.faults.load) {
            let index = self.sources[self.rng.random_range(0..self.sources.len())].0;
            i.flow = Some(load(index, self.rng.random_bool(0.8), self.rng.random(), self.rng.random_range(0..16)));
            self.loaded = clk;
        }
        if self.chance(self.faults.profile) {
            let data = self.rng.random::<u32>() & 0x8000_0fff;
            i.profile =
                Some(ProfileWrite { profile: self.rng.random_range(0..16), word: [0, 1, 2, 3, 29][self.rng.random_range(0..5)], data });
        }
        i.rst = self.chance(self.faults.rst);
        i.ns_per_byte = self.ns_per_byte;
        if self.chance(self.faults.step) {
            self.start = self.start.wrapping_add(self.rng.random_range(0..1 << 49));
        }
        i.now = self.now(clk);
        if self.chance(self.faults.epoch) {
            self.departed_epoch = self.epoch;
            self.epoch = (self.epoch + 1) & 3;
        } else if self.chance(20.0 * self.faults.epoch) {
            self.departed_epoch = self.epoch;
        }
        (i.time_epoch, i.departed_epoch) = (self.epoch, self.departed_epoch);
        i.key = self.key;
        i
    }

    /// Nothing is on its way.
    pub fn is_drained(&self) -> bool {
        self.departing.is_empty() && self.acks.is_empty()
    }
}
