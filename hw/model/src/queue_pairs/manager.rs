//! The manager: one change of the table at a time, as operations in clocks without a look-up.
use super::hash::Key;
use super::rules::Given;
use super::side::{Done, Slot};
use super::words::{Change, Command, In, OLD_UNITS, Out, Pulse, Status, Told, Verb};
use std::collections::VecDeque;

/// Purpose of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    Learn,
    Set,
    Remove,
    Join,
    Read,
    Scan,
}

/// Steps of a job; but for the first four each is an operation of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Idle,
    Address,
    Read,
    Decide,
    Find,
    Enter,
    Meet,
    Join,
    OldKey,
    OldSeek,
    OldDrop,
    OwnKey,
    OwnSeek,
    OwnDrop,
}

/// State of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Info {
    used: bool,
    /// Set by the host: does not age.
    pinned: bool,
    /// The answers' side has its key.
    joined: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Manager {
    step: Step,
    job: Job,
    /// The step's operation is on its way.
    sent: bool,
    /// Key of the operation.
    key: Key,
    command: Option<Command>,
    /// Profile and priority of a pair that is inserted, if no rule is for it.
    given: Given,
    flow: u32,
    place: (usize, usize),
    /// As far as it is known.
    info: Info,
    /// Infos and stamps of all flows; those that were read.
    infos: Vec<Info>,
    stamps: Vec<u8>,
    read: (Info, u8),
    free: VecDeque<u32>,
    scan: u32,
    /// A key was learned last, so that the scan is next.
    scan_next: bool,
    /// Clocks left of this unit of age.
    left: u32,
    epoch: u8,
    out: Out,
}

impl Manager {
    pub(super) fn new(flow_bits: u32) -> Self {
        Manager {
            step: Step::Idle,
            job: Job::Learn,
            sent: false,
            key: Key::default(),
            command: None,
            given: Given::default(),
            flow: 0,
            place: (0, 0),
            info: Info::default(),
            infos: vec![Info::default(); 1 << flow_bits],
            stamps: vec![0; 1 << flow_bits],
            read: (Info::default(), 0),
            free: (0..1 << flow_bits).collect(),
            scan: 0,
            scan_next: false,
            left: 0,
            epoch: 0,
            out: Out::default(),
        }
    }

    pub(super) fn free(&self) -> usize {
        self.free.len()
    }

    pub(super) fn output(&self, swept: bool) -> Out {
        Out { ready: swept && self.step == Step::Idle, ..self.out.clone() }
    }

    /// The key that is read by operations that end at this clock.
    pub(super) fn told(&self, done: [Option<Done>; 2]) -> Option<Told> {
        match (self.job, self.step, done) {
            (Job::Read, Step::OwnKey, [Some(Done { slot: Slot::Fetch { .. }, key, .. }), _]) => Some(Told::Own(key, self.info.pinned)),
            (Job::Read, Step::OldKey, [_, Some(Done { slot: Slot::Fetch { .. }, key, .. })]) => Some(Told::Local(key)),
            _ => None,
        }
    }

    /// No change is under way, and none is told.
    pub(super) fn is_idle(&self) -> bool {
        self.step == Step::Idle && self.out == Out::default()
    }

    /// The operation on offer was taken.
    pub(super) fn sent(&mut self) {
        self.sent = true;
    }

    /// Operations on offer, of the side of sent packets and of the answers'.
    fn offer(&self) -> [Option<(Slot, Key)>; 2] {
        let (flow, place) = (self.flow, self.place);
        let (side, slot) = match self.step {
            Step::Idle | Step::Address | Step::Read | Step::Decide => return [None; 2],
            Step::Find | Step::OwnSeek => (0, Slot::Probe),
            Step::Meet | Step::OldSeek => (1, Slot::Probe),
            Step::OwnKey => (0, Slot::Fetch { flow }),
            Step::OldKey => (1, Slot::Fetch { flow }),
            Step::Enter => (0, Slot::Write { flow, place, live: true }),
            Step::OwnDrop => (0, Slot::Write { flow, place, live: false }),
            Step::Join => (1, Slot::Write { flow, place, live: true }),
            Step::OldDrop => (1, Slot::Write { flow, place, live: false }),
        };
        let op = Some((slot, self.key)).filter(|_| !self.sent);
        if side == 0 { [op, None] } else { [None, op] }
    }

    /// A clock: the operations on offer, and whether the key at the head of the queue is taken.
    pub(super) fn step(
        &mut self,
        i: &In,
        swept: bool,
        done: [Option<Done>; 2],
        unknown: Option<(Key, u8)>,
        postponed: bool,
    ) -> ([Option<(Slot, Key)>; 2], bool) {
        self.out = Out::default();
        if postponed {
            self.pulse(Pulse::Postponed);
        }
        let offer = self.offer();
        let result = done.into_iter().flatten().find(|d| !matches!(d.slot, Slot::Look { .. }));
        let read = (self.infos[self.flow as usize], self.stamps[self.flow as usize]);
        let mut taken = false;
        match self.step {
            Step::Idle if swept => taken = self.begin(i, unknown),
            Step::Idle => {}
            Step::Address => (self.read, self.step) = (read, Step::Read),
            Step::Read => self.step = Step::Decide,
            Step::Decide => self.decide(),
            _ => {
                if let Some(d) = result {
                    self.sent = false;
                    self.follow(&d, i.rule);
                }
            }
        }
        if let Some(flow) = done[0].and_then(|d| d.flow) {
            self.stamps[flow as usize] = self.epoch;
        }
        if self.left <= 1 {
            self.left = i.age_unit;
            self.epoch = (self.epoch + u8::from(i.age_unit != 0)) % (2 * OLD_UNITS);
        } else {
            self.left -= 1;
        }
        (offer, taken)
    }

    fn begin(&mut self, i: &In, unknown: Option<(Key, u8)>) -> bool {
        self.command = i.command;
        self.given = i.command.map_or(i.given, |c| Given { profile: c.profile, ..i.given });
        self.info = Info::default();
        if let Some(c) = i.command {
            (self.job, self.key, self.step) = match c.verb {
                Verb::Set => (Job::Set, c.key, Step::Find),
                Verb::Remove => (Job::Remove, c.key, Step::Find),
                Verb::Join => (Job::Join, c.key, Step::Find),
                Verb::Read => (Job::Read, c.key, Step::Address),
            };
            if c.verb == Verb::Read {
                self.flow = c.key.pair % self.infos.len() as u32;
            }
        } else if let Some((key, dscp)) = unknown.filter(|_| !self.scan_next) {
            self.out.ask = Some((key.address, dscp));
            (self.job, self.key, self.step) = (Job::Learn, key, Step::Find);
            self.scan_next = i.age_unit != 0;
            return true;
        } else {
            self.scan_next = false;
            if i.age_unit != 0 {
                (self.job, self.flow, self.step) = (Job::Scan, self.scan, Step::Address);
                self.scan = (self.scan + 1) % self.infos.len() as u32;
            }
        }
        false
    }

    /// The flow's word was read: the job goes on with it.
    fn decide(&mut self) {
        let (info, stamp) = self.read;
        self.info = info;
        let old = self.epoch.wrapping_sub(stamp) % (2 * OLD_UNITS) >= OLD_UNITS;
        match self.job {
            Job::Scan if !(info.used && !info.pinned && old) => self.step = Step::Idle,
            Job::Scan | Job::Remove => self.step = if info.joined { Step::OldKey } else { Step::OwnKey },
            Job::Read if !info.used => self.end(Status::Absent),
            Job::Read => self.step = Step::OwnKey,
            Job::Learn | Job::Set | Job::Join => {
                self.write(Info { pinned: info.pinned || self.job == Job::Set, ..info });
                self.join_or_end();
            }
        }
    }

    /// The operation of the step is done.
    fn follow(&mut self, d: &Done, rule: Option<Given>) {
        let host = matches!(self.job, Job::Set | Job::Join);
        match self.step {
            Step::Find => {
                if let Some(flow) = d.flow {
                    self.flow = flow;
                    self.step = if self.job == Job::Learn { Step::Idle } else { Step::Address };
                } else if matches!(self.job, Job::Remove | Job::Join) {
                    self.end(Status::Absent);
                } else if let Some(place) = d.place.filter(|_| !d.collides) {
                    self.place = place;
                    self.flow = self.free.front().copied().unwrap_or(self.flow);
                    self.step = Step::Enter;
                    if self.free.is_empty() {
                        self.end(Status::Full);
                    }
                } else {
                    self.end(Status::Crowded);
                }
            }
            Step::Enter => {
                self.free.pop_front();
                self.pulse(if host { Pulse::Set } else { Pulse::Learned });
                let given = rule.filter(|_| !host).unwrap_or(self.given);
                self.out.change = Some(Change { flow: self.flow, given: Some(given) });
                self.write(Info { used: true, pinned: host, joined: false });
                self.join_or_end();
            }
            Step::Meet => match d.flow {
                Some(flow) => self.end(if flow == self.flow { Status::Done } else { Status::Ambiguous }),
                None if self.info.joined => self.step = Step::OldKey,
                None => match d.place.filter(|_| !d.collides) {
                    Some(place) => {
                        // Told before the first answer can find the flow.
                        (self.place, self.step) = (place, Step::Join);
                        self.out.joined = Some(self.flow);
                    }
                    None => self.end(Status::Crowded),
                },
            },
            Step::Join => {
                self.write(Info { joined: true, ..self.info });
                self.end(Status::Done);
            }
            Step::OwnKey if self.job == Job::Read && self.info.joined => self.step = Step::OldKey,
            Step::OwnKey | Step::OldKey if self.job == Job::Read => self.end(Status::Done),
            Step::OldKey => (self.key, self.step) = (d.key, Step::OldSeek),
            Step::OwnKey => (self.key, self.step) = (d.key, Step::OwnSeek),
            Step::OldSeek => (self.place, self.step) = (d.place.expect("the flow's place"), Step::OldDrop),
            Step::OwnSeek => (self.place, self.step) = (d.place.expect("the flow's place"), Step::OwnDrop),
            Step::OldDrop => {
                self.write(Info { joined: false, ..self.info });
                self.out.joined = Some(self.flow);
                self.step = Step::OwnKey;
                if host {
                    self.join_or_end();
                }
            }
            Step::OwnDrop => {
                self.write(Info::default());
                self.free.push_back(self.flow);
                self.out.change = Some(Change { flow: self.flow, given: None });
                self.pulse(if self.job == Job::Scan { Pulse::Aged } else { Pulse::Removed });
                self.end(Status::Done);
            }
            Step::Idle | Step::Address | Step::Read | Step::Decide => unreachable!("a step without an operation"),
        }
    }

    fn write(&mut self, info: Info) {
        self.info = info;
        self.infos[self.flow as usize] = info;
    }

    /// The pair stands; its answers' key is next, if the host gave one.
    fn join_or_end(&mut self) {
        match self.command.and_then(|c| Some(Key { pair: c.local?, ..c.key })) {
            Some(key) => (self.key, self.step) = (key, Step::Meet),
            None => self.end(Status::Done),
        }
    }

    fn pulse(&mut self, pulse: Pulse) {
        self.out.pulses |= 1 << pulse as u8;
    }

    fn end(&mut self, status: Status) {
        match status {
            Status::Full => self.pulse(Pulse::Full),
            Status::Crowded => self.pulse(Pulse::Crowded),
            Status::Ambiguous => self.pulse(Pulse::Ambiguous),
            Status::Done | Status::Absent => {}
        }
        self.out.reply = self.command.map(|_| (status, self.flow));
        self.step = Step::Idle;
    }
}
