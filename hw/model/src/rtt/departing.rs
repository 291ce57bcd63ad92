//! Departures: the start of a segment's RTT from the completion of its frame.
use super::ring::{STAMP, Stamp};
use super::signal::q8;
use crate::bus::{Completion, Sent, TAG_NO_DATA};
use std::collections::{BTreeMap, VecDeque};
use timely_regs::profile;
use timely_regs::wire::ethernet::PREAMBLE_AND_GAP;

/// Clocks by which a completion waits for the tag of a frame that was sent at the same clock.
const WAITS: usize = 6;
/// Clocks from that at which a completion's entry is read to that at which the start of a segment
/// is written.
pub const OF_SEGMENTS: usize = 8;
/// The same where each frame is a segment of its own.
pub const OF_FRAMES: usize = 4;
/// Stages at whose clock the completion is decided, and the first packet's stamp of its flow is
/// written and read.
const DECIDED: usize = 2;
const FIRST_WRITTEN: usize = 3;
const FIRST_READ: usize = 4;
/// Bits of a segment's number that are kept with the stamp of its first frame.
const FIRST_SEGMENT: u8 = 63;
/// Clocks from a frame's `sent` to its entry.
const ENTERS: usize = 5;
/// Entries of the tag table.
const TAGS: usize = 256;

/// The use of a frame's completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gives {
    /// Nothing: the frame is neither first nor last of its segment as far as the profile's start of
    /// the RTT asks.
    #[default]
    Nothing,
    /// The start of a segment whose last frame is still to come.
    First,
    /// The start of the segment that the frame ends.
    Own,
    /// The frame ends a segment whose start is that of its first frame.
    OfFirst,
}

/// An entry of the tag table.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tag {
    upper: u16,
    flow: u32,
    segment: u32,
    place: u16,
    generation: u8,
    gives: Gives,
    /// The stamp is the departure plus `value`; otherwise `value` alone.
    relative: bool,
    value: u64,
}

impl Tag {
    /// The entry of a frame: `start` is its profile's `RTT_START`, `wire_time` the ns in Q.8 from
    /// its stamp to its end.
    pub fn of(sent: &Sent, start: u8, wire_time: u64) -> Tag {
        let gives = match (start, sent.first, sent.last) {
            (0, _, true) | (_, true, true) => Gives::Own,
            (0, _, false) | (_, false, false) => Gives::Nothing,
            (_, true, false) => Gives::First,
            (_, false, true) => Gives::OfFirst,
        };
        let value = match start {
            0 => wire_time,
            1 => 0,
            _ => q8(sent.launch),
        };
        Tag {
            upper: sent.tag >> 8 & 0x7f,
            flow: sent.flow,
            segment: sent.segment,
            place: sent.place,
            generation: sent.generation,
            gives,
            relative: start < 2,
            value,
        }
    }
}

/// A completion with the entry that it found.
#[derive(Clone, Copy, Debug)]
struct Departing {
    completion: Completion,
    /// Step of the time when it came, 2 bits.
    epoch: u8,
    tag: Tag,
    /// The segment's place was live when it was looked at.
    live: bool,
    /// The completion gives what its entry says.
    hit: bool,
    stamp: Stamp,
}

impl Departing {
    /// The completion is of the entry's frame, as far as the tag tells.
    fn fits(&self) -> bool {
        let tag = self.completion.tag;
        tag != TAG_NO_DATA && tag >> 8 == self.tag.upper
    }

    fn same_place(&self, tag: u16) -> bool {
        (self.completion.tag ^ tag) & 0xff == 0
    }
}

/// A frame on its way into the tag table.
#[derive(Clone, Debug)]
struct Sending {
    sent: Sent,
    bytes: u16,
    profile: u8,
    start: u8,
    wire_time: u64,
}

/// Frames on their way into the tag table, by clocks since they were sent.
#[derive(Clone, Debug)]
pub struct Sendings(VecDeque<Option<Sending>>);

impl Sendings {
    /// None.
    pub fn new() -> Self {
        Sendings(VecDeque::from([const { None }; ENTERS]))
    }

    /// There is none.
    pub fn is_idle(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// A clock: a frame of a flow of this profile is sent. `starts` is `profile::RTT_START` by
    /// profile.
    pub fn step(&mut self, sent: Option<(Sent, u8)>, starts: &[u8; profile::PROFILES], ns_per_byte: u32, departures: &mut Departures) {
        // Fifth clock: the tag.
        if let Some(s) = self.0.pop_back().flatten() {
            departures.write(s.sent.tag, Tag::of(&s.sent, s.start, s.wire_time));
        }
        // Third: the start that the profile, read in the second, asks for. Second: the
        // multiplication.
        if let Some(s) = &mut self.0[1] {
            s.start = starts[usize::from(s.profile)];
            let product = u64::from(s.bytes) * u64::from(ns_per_byte);
            s.wire_time = ((product + 128) >> 8) & STAMP;
        }
        self.0.push_front(sent.map(|(sent, profile)| Sending {
            sent,
            bytes: sent.wire_bytes.wrapping_sub(PREAMBLE_AND_GAP),
            profile,
            start: 0,
            wire_time: 0,
        }));
    }
}

/// The departures that are looked at, and what is kept for them.
#[derive(Clone, Debug)]
pub struct Departures {
    tags: Vec<Tag>,
    live: Vec<bool>,
    /// By flow: the stamp of a segment's first frame, to 1/16 ns, with the low 6 bits of the
    /// segment's number.
    firsts: BTreeMap<u32, (u8, Stamp)>,
    waiting: VecDeque<Option<(Completion, u8)>>,
    /// By clocks since the entry was read.
    stages: VecDeque<Option<Departing>>,
    /// Clocks from that to the start: [`OF_SEGMENTS`] or [`OF_FRAMES`].
    given: usize,
}

impl Departures {
    /// Nothing under way; starts are given `given` clocks after the entry was read.
    pub fn new(given: usize) -> Self {
        Departures {
            tags: vec![Tag::default(); TAGS],
            live: vec![false; TAGS],
            firsts: BTreeMap::new(),
            waiting: VecDeque::from([None; WAITS]),
            stages: VecDeque::from([None; OF_SEGMENTS]),
            given,
        }
    }

    /// Nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.waiting.iter().all(Option::is_none) && self.stages.iter().all(Option::is_none)
    }

    /// A frame's entry.
    pub fn write(&mut self, tag: u16, entry: Tag) {
        self.tags[usize::from(tag) % TAGS] = entry;
        self.live[usize::from(tag) % TAGS] = true;
    }

    /// A clock: a completion comes in the step `epoch` of the time; `stamp` is given place, turn
    /// and start of a segment whose start is known. To be called before [`Departures::write`] at
    /// the same clock.
    pub fn step(&mut self, completion: Option<Completion>, epoch: u8, stamp: impl FnOnce(u16, u8, Stamp)) {
        // Looked at two clocks after the entry was read, decided a clock later, and the tag is
        // spent after one more. Completions between with the same tag are told.
        if let Some(d) = &mut self.stages[DECIDED - 1] {
            d.live = self.live[usize::from(d.completion.tag) % TAGS];
        }
        if let Some(mut d) = self.stages[DECIDED] {
            let spent = self.stages.range(DECIDED + 1..DECIDED + 3).flatten().any(|o| o.hit && o.same_place(d.completion.tag));
            d.hit = d.fits() && d.live && !spent;
            let base = if d.tag.relative { q8(d.completion.ts) } else { 0 };
            d.stamp = Stamp { valid: true, at: (base + d.tag.value) & STAMP, epoch: d.epoch };
            self.stages[DECIDED] = Some(d);
        }
        if let Some(d) = self.stages[self.given - 1].filter(|d| d.hit) {
            match d.tag.gives {
                Gives::Own => stamp(d.tag.place, d.tag.generation, d.stamp),
                Gives::OfFirst if d.stamp.valid => stamp(d.tag.place, d.tag.generation, d.stamp),
                _ => {}
            }
        }
        if let Some(d) = &mut self.stages[FIRST_READ]
            && d.tag.gives == Gives::OfFirst
        {
            let (segment, stamp) = self.firsts.get(&d.tag.flow).copied().unwrap_or_default();
            d.stamp = Stamp { valid: stamp.valid && segment == d.tag.segment as u8 & FIRST_SEGMENT, ..stamp };
        }
        if let Some(d) = self.stages[FIRST_WRITTEN].filter(|d| d.hit) {
            self.live[usize::from(d.completion.tag) % TAGS] = false;
            if d.tag.gives == Gives::First {
                let stamp = Stamp { at: d.stamp.at & !15, ..d.stamp };
                self.firsts.insert(d.tag.flow, (d.tag.segment as u8 & FIRST_SEGMENT, stamp));
            }
        }
        self.stages.pop_back();
        let arrived = self.waiting.pop_back().flatten();
        self.stages.push_front(arrived.map(|(completion, epoch)| Departing {
            completion,
            epoch,
            tag: self.tags[usize::from(completion.tag) % TAGS],
            live: false,
            hit: false,
            stamp: Stamp::default(),
        }));
        self.waiting.push_front(completion.map(|c| (c, epoch)));
    }
}
