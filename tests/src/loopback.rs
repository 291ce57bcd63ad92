//! A NIC whose wire comes back to itself: its flows send to their own host, so one NIC is sender,
//! responder and receiver of ACKs. The loop delays, loses, repeats and spoils frames, forges ACKs,
//! stalls the transmit stream and pauses priorities.
use crate::Runs;
use crate::frames::{Fault, class, counter, mend};
use crate::nic::{self, HOST, PORT};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, VecDeque};
use std::net::{Ipv4Addr, Ipv6Addr};
use timely_model::stream::{Beat, beats};
use timely_regs::counters::Counter;
use timely_regs::flow::FlowRecord;
use timely_regs::link::ACK_TAG;
use timely_regs::map::port;
use timely_regs::parameters::Parameters;
use timely_regs::wire::{Class, Kind, Packet, ethernet, ipv4, ipv6};
use timely_sim::cores::CoreSpec;
use timely_sim::frame::address;
use timely_sim::nic::core::{Completion, CoreIn, Pins, RxBeat};

/// The host that data comes from, as the loop has it.
pub const PEER: u16 = 2;

/// How hostile the loop is; probabilities a frame, or a clock.
#[derive(Clone, Copy, Debug)]
pub struct Weather {
    /// A frame is lost.
    pub lost: f64,
    /// A frame is spoilt on its way.
    pub spoilt: f64,
    /// An ACK comes a second time.
    pub repeated: f64,
    /// An ACK comes a second time with something in it changed.
    pub forged: f64,
    /// A foreign, malformed or random frame arrives beside it, a clock.
    pub hostile: f64,
    /// The MAC takes a beat, while it is in a frame.
    pub ready: f64,
    /// A priority is paused.
    pub paused: f64,
    /// Longest delay, clocks.
    pub delay: u64,
}

/// Counts of the frames that arrived, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Frames that the NIC sent.
    pub sent: u64,
    /// Data frames among them.
    pub data: u64,
    /// Data frames by form: IPv4, IPv6, both with a VLAN tag.
    pub forms: [u64; 4],
    /// ACKs among them.
    pub acks: u64,
    /// Frames that were not ours, or spoilt.
    pub hostile: u64,
    /// ACKs that were repeated or forged.
    pub forged: u64,
    /// Frames lost.
    pub lost: u64,
    /// Frames that the NIC received, by the counter that each must count in.
    pub received: [u64; Counter::RxAcks as usize + 1],
}

impl Tally {
    /// All frames that the NIC received.
    pub fn frames(&self) -> u64 {
        self.received.iter().sum()
    }
}

/// The wire that leads back.
pub struct Loop {
    /// How it behaves.
    pub weather: Weather,
    /// Counts of the frames that the wire saw.
    pub tally: Tally,
    width: usize,
    rng: ChaCha8Rng,
    ready: Runs,
    pause: Runs,
    frame: Vec<u8>,
    tag: u16,
    arrivals: VecDeque<(u64, Vec<u8>, bool)>,
    hostile: VecDeque<(Vec<u8>, bool)>,
    beats: VecDeque<RxBeat>,
    completions: VecDeque<(u64, Completion)>,
    last_sent: HashMap<u32, u64>,
}

impl Loop {
    /// A loop for a bus of `width` bits.
    pub fn new(width: usize, weather: Weather, rng: ChaCha8Rng) -> Self {
        Loop {
            weather,
            tally: Tally::default(),
            width,
            rng,
            ready: Runs::new(weather.ready, 12),
            pause: Runs::new(weather.paused, 2000),
            frame: Vec::new(),
            tag: 0,
            arrivals: VecDeque::new(),
            hostile: VecDeque::new(),
            beats: VecDeque::new(),
            completions: VecDeque::new(),
            last_sent: HashMap::new(),
        }
    }

    /// The weather changes.
    pub fn set_weather(&mut self, weather: Weather) {
        self.weather = weather;
        // A pause of the weather before would outlast a calm.
        self.ready.set(weather.ready);
        self.pause.set(weather.paused);
    }

    /// The clock at which a flow's last packet left.
    pub fn last_sent(&self, flow: u32) -> Option<u64> {
        self.last_sent.get(&flow).copied()
    }

    /// The NIC's inputs at clock `clk`, at which it shows `pins` and its time is `now`.
    pub fn inputs(&mut self, clk: u64, now: u64, pins: &Pins) -> CoreIn {
        self.hostility();
        let tx_ready = self.ready.next(&mut self.rng);
        if let Some(beat) = pins.tx.filter(|_| tx_ready) {
            if self.frame.is_empty() {
                self.tag = beat.tag;
                let due = clk + self.rng.random_range(5..20);
                let due = self.completions.back().map_or(due, |c| due.max(c.0 + 1));
                self.completions.push_back((due, Completion { tag: beat.tag, ts: now + (3 << 16) }));
            }
            self.frame.extend_from_slice(&beat.data[..usize::from(beat.bytes)]);
            if beat.last {
                let frame = std::mem::take(&mut self.frame);
                self.sent(clk, frame);
            }
        }
        if self.beats.is_empty()
            && let Some((frame, bad)) = self.next_arrival(clk)
        {
            self.tally.received[counter(&frame, bad, PORT) as usize] += 1;
            let to_rx = |b: Beat| RxBeat { data: b.data, bytes: b.bytes, last: b.last, ts: now, bad: bad && b.last };
            self.beats.extend(beats(&frame, self.width).map(to_rx));
        }
        let completion = self.completions.front().filter(|c| c.0 <= clk).map(|c| c.1);
        if completion.is_some() {
            self.completions.pop_front();
        }
        let pause = if self.pause.next(&mut self.rng) { 1 << 3 } else { 0 };
        CoreIn { rx: self.beats.pop_front(), tx_ready, completion, pause, ptp: None }
    }

    /// Forgets the frame that the NIC was sending: it was reset. What is on its way to it still
    /// arrives.
    pub fn reset(&mut self) {
        self.frame.clear();
    }

    /// The NIC is in the middle of sending a frame, and of receiving one.
    pub fn in_frame(&self) -> (bool, bool) {
        (!self.frame.is_empty(), !self.beats.is_empty())
    }

    /// Nothing is on its way to the NIC.
    pub fn is_idle(&self) -> bool {
        self.arrivals.is_empty() && self.hostile.is_empty() && self.beats.is_empty() && self.completions.is_empty()
    }

    fn sent(&mut self, clk: u64, frame: Vec<u8>) {
        let packet = Packet::new_checked(&frame[..], PORT).expect("the NIC sends well-formed frames");
        self.tally.sent += 1;
        let ack = packet.kind() == Kind::Ack;
        assert_eq!(ack, self.tag == ACK_TAG, "ACKs, and only they, carry the ACKs' tag");
        assert!(packet.udp_checksum_holds(), "the UDP checksum is right");
        if ack {
            self.tally.acks += 1
        } else {
            self.tally.data += 1;
            let class = packet.class();
            self.tally.forms[usize::from(class.ipv6) + 2 * usize::from(class.vlan)] += 1;
            self.last_sent.insert(packet.flow(), clk);
        }
        // A NIC does not answer itself.
        let class = packet.class();
        let frame = if ack { frame } else { from_peer(frame, class) };
        let w = self.weather;
        let at = clk + 1 + self.rng.random_range(0..=w.delay);
        let at = self.arrivals.back().map_or(at, |a| at.max(a.0));
        if self.rng.random_bool(w.lost) {
            self.tally.lost += 1;
            return;
        }
        let spoilt = self.rng.random_bool(w.spoilt);
        self.tally.hostile += u64::from(spoilt);
        self.arrivals.push_back((at, frame.clone(), spoilt));
        if ack && self.rng.random_bool(w.repeated) {
            self.tally.forged += 1;
            self.arrivals.push_back((at, frame.clone(), false));
        }
        if ack && self.rng.random_bool(w.forged) {
            self.tally.forged += 1;
            let mut forged = frame;
            // Anywhere in flow, nonce or segment of our header.
            let at_byte = forged.len() - timely_regs::wire::HEADER_BYTES + self.rng.random_range(4..16);
            forged[at_byte] ^= 1 << self.rng.random_range(0..8);
            self.arrivals.push_back((at, forged, false));
        }
    }

    fn hostility(&mut self) {
        if self.hostile.len() < 8 && self.rng.random_bool(self.weather.hostile) {
            let fault = Fault::ALL[self.rng.random_range(0..Fault::ALL.len())];
            let class = class(&mut self.rng);
            let mut frame = fault.frame(&mut self.rng, class, PORT);
            if !frame.is_empty() {
                self.tally.hostile += 1;
                let bad = self.rng.random_bool(0.1);
                if frame.len() >= 6 && self.rng.random() {
                    frame[..6].copy_from_slice(&address::mac(HOST));
                }
                self.hostile.push_back((frame, bad));
            }
        }
    }

    /// The frame that begins to arrive at clock `clk`: one of the NIC's own or a hostile one, by
    /// lot when there are both.
    fn next_arrival(&mut self, clk: u64) -> Option<(Vec<u8>, bool)> {
        let own = self.arrivals.front().is_some_and(|a| a.0 <= clk);
        if !self.hostile.is_empty() && (!own || self.rng.random()) {
            return self.hostile.pop_front();
        }
        self.arrivals.pop_front_if(|a| a.0 <= clk).map(|a| (a.1, a.2))
    }
}

/// A NIC of `flows` endless flows to itself, at rates that follow `parameters`.
pub fn spec(bus_bits: u32, flow_bits: u32, flows: u32, parameters: &Parameters, rng: &mut impl Rng) -> CoreSpec {
    let flow = |id| nic::flow(id, HOST, [64, 256, 1024, 1400][rng.random_range(0..4)], rng.random_range(1..=4), parameters);
    nic::spec(bus_bits, flow_bits, 10.0, (0..flows).map(flow).collect())
}

/// Makes of records those of all forms that frames have, four in turn, IPv4 or IPv6, tagged or not;
/// one in five is a READ, another goes elsewhere, where no host answers, and the other fields of
/// the frames are random.
pub fn any_form(rng: &mut impl Rng) -> impl FnMut(FlowRecord) -> FlowRecord {
    let mut number = rng.random_range(0..20);
    move |record| {
        number += 1;
        let elsewhere = number % 5 == 1;
        let own = Ipv6Addr::from(address::ipv6(HOST));
        let address = match (number & 1 == 0, elsewhere) {
            (true, false) => record.address,
            (true, true) => Ipv4Addr::from(rng.random::<u32>()).into(),
            (false, false) => own.into(),
            (false, true) => Ipv6Addr::from(rng.random::<u128>()).into(),
        };
        FlowRecord {
            read: number % 5 == 0,
            charged_bytes: rng.random_range(100..4000),
            priority: if rng.random() { record.priority } else { rng.random_range(0..8) },
            vlan: (number & 2 != 0).then(|| rng.random()),
            mac: if elsewhere { rng.random() } else { record.mac },
            source_port: if elsewhere { rng.random() } else { record.source_port },
            ttl: rng.random_range(1..=255),
            tos: rng.random(),
            address,
            ..record
        }
    }
}

/// The writes that let a NIC answer hosts near [`PEER`]: prefixes of random lengths, of which some
/// hold it.
pub fn near_peers(rng: &mut impl Rng) -> Vec<(u32, u32)> {
    let entry = rng.random_range(0..port::PREFIXES as u32);
    let (v4, v6) = (address::ipv4(PEER), address::ipv6(PEER));
    let (bytes, family) = if rng.random() { (&v4[..], port::ALLOW_IPV4.mask()) } else { (&v6[..], port::ALLOW_IPV6.mask()) };
    let at = |w: u32| port::ALLOW.address() + 4 * (port::ALLOW_WORDS * entry + w);
    let length = rng.random_range(0..=8 * bytes.len() as u32);
    let prefix = (port::ALLOW_PREFIX.address() + 4 * entry, if rng.random_bool(0.9) { family | length } else { 0 });
    let words = bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes")) ^ u32::from(rng.random_bool(0.1)) << 31);
    words.zip(0..).map(|(word, w)| (at(w), word)).chain([prefix]).collect()
}

/// The frame as another host sends it: from [`PEER`], without a VLAN's number, to which nothing
/// here belongs.
fn from_peer(mut frame: Vec<u8>, class: Class) -> Vec<u8> {
    frame[ethernet::SOURCE..][..6].copy_from_slice(&address::mac(PEER));
    let ip = class.ip();
    if class.ipv6 {
        frame[ip + ipv6::SOURCE..][..16].copy_from_slice(&address::ipv6(PEER));
    } else {
        frame[ip + ipv4::SOURCE..][..4].copy_from_slice(&address::ipv4(PEER));
        mend(&mut frame, class);
    }
    if class.vlan {
        frame[ethernet::TCI] &= 0xf0;
        frame[ethernet::TCI + 1] = 0;
    }
    frame
}
