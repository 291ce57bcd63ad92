//! Event records of a run's NICs, joined into one recording.
use crate::cores::{CoreFactory, CoreSpec, Prepared};
use crate::frame::NodeId;
use crate::nic::Outbox;
use crate::run::Observer;
use crate::time::Ps;
use std::collections::BTreeMap;
use std::sync::Mutex;
use timely_regs::event::{EventRecord, WORDS as RECORD_WORDS};
use timely_regs::map::{profiles, telemetry};
use timely_regs::profile::{PROFILES, WORDS};
use timely_regs::recording::{Profiles, Recording};

/// Makes the bit-true NICs of another factory record their rate updates, and keeps what profiles
/// they were given.
pub struct Recorded<'a> {
    cores: &'a dyn CoreFactory,
    every: u16,
    profiles: Mutex<BTreeMap<NodeId, Box<Profiles>>>,
}

impl<'a> Recorded<'a> {
    /// NICs of `cores` that record one of `every` updates, from the end of their set-up on.
    pub fn new(cores: &'a dyn CoreFactory, every: u16) -> Self {
        Recorded { cores, every, profiles: Mutex::default() }
    }

    /// The recording of a run: NICs by the number of their host.
    ///
    /// # Errors
    /// A record that a NIC gave is none; in a sentence.
    pub fn recording(self, records: Records) -> Result<Recording, String> {
        let known = self.profiles.into_inner().unwrap_or_else(|e| e.into_inner());
        let hosts = known.keys().next_back().map_or(0, |&last| usize::from(last) + 1);
        let mut profiles = vec![[[0; WORDS]; PROFILES]; hosts];
        for (host, words) in known {
            profiles[usize::from(host)] = *words;
        }
        let record = |(host, words): (NodeId, [u32; RECORD_WORDS])| {
            let r = EventRecord::from_words(&words).map_err(|e| format!("a record of host {host}: {e}"))?;
            Ok(EventRecord { source: host, ..r })
        };
        Ok(Recording { profiles, records: records.0.into_iter().map(record).collect::<Result<_, String>>()? })
    }
}

impl CoreFactory for Recorded<'_> {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        let mut prepared = self.cores.build(spec)?;
        let core = &mut *prepared.core;
        let mut words = Box::new([[0; WORDS]; PROFILES]);
        for (i, word) in words.as_flattened_mut().iter_mut().enumerate() {
            *word = core.read32(profiles::WORD.address() + 4 * i as u32).map_err(|e| e.to_string())?;
        }
        core.write32(telemetry::EVENT_EVERY.address(), self.every.into()).map_err(|e| e.to_string())?;
        self.profiles.lock().unwrap_or_else(|e| e.into_inner()).insert(spec.host, words);
        Ok(prepared)
    }
}

/// Event records as the run's NICs gave them, with their hosts.
#[derive(Default)]
pub struct Records(Vec<(NodeId, [u32; RECORD_WORDS])>);

/// Collects event records and reports progress.
pub struct Collector<'a, P> {
    /// Records collected so far.
    pub records: &'a mut Records,
    /// Callback with the time that the run has come to.
    pub progress: P,
}

impl<P: FnMut(Ps) + Send> Observer for Collector<'_, P> {
    fn progress(&mut self, now: Ps) {
        (self.progress)(now);
    }

    fn host(&mut self, node: NodeId, done: &Outbox) {
        self.records.0.extend(done.records.iter().map(|words| (node, *words)));
    }
}
