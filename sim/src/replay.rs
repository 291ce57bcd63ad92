//! Recorded rate updates, computed again on the integer model: a recording of a board or of Verilog
//! proves itself equal to it.
use std::fmt;
use timely_model::engine::law::{self, Kind, Operation, State};
use timely_regs::event::EventRecord;
use timely_regs::profile;
use timely_regs::recording::Recording;

/// Result of a rate update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Came {
    /// Law.
    pub law: u8,
    /// Branch of the law that decided.
    pub branch: u8,
    /// The increase was a hyperactive one.
    pub hyperactive: bool,
    /// Rate after, 2^-12 Mb/s.
    pub rate: u32,
}

impl fmt::Display for Came {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = if self.hyperactive { ", hyperactive" } else { "" };
        write!(f, "law {}, branch {}{step}, rate {} ({:.3} Mb/s)", self.law, self.branch, self.rate, f64::from(self.rate) / 4096.0)
    }
}

/// A record that the model does not agree with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Place of the record in the file, from 0.
    pub index: usize,
    /// The record.
    pub record: EventRecord,
    /// Result by the model; `None` when it would not have answered, or knows no such kind.
    pub computed: Option<Came>,
}

/// Results of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Records.
    pub records: usize,
    /// Records missing in the numbers between the first and the last of each NIC.
    pub missing: u64,
    /// Records that differ.
    pub differences: usize,
    /// The first of these.
    pub first: Option<Difference>,
}

fn kind(number: u8) -> Option<Kind> {
    let all = [Kind::Sample, Kind::Timeout, Kind::Init, Kind::Host, Kind::Idle, Kind::Loss, Kind::Reaction, Kind::Nak];
    all.into_iter().find(|k| *k as u8 == number)
}

/// Result as the record has it.
pub fn recorded(r: &EventRecord) -> Came {
    Came { law: r.law, branch: r.branch, hyperactive: r.hyperactive, rate: r.rate }
}

/// Result by the model from a record's inputs and state, under the words of its profile.
pub fn compute(r: &EventRecord, words: &law::Words) -> Option<Came> {
    let lost = r.branch != law::HELD;
    let operation =
        Operation { kind: kind(r.kind)?, rtt_ns: r.signal_ns, value: r.argument, hops: r.hops, endpoint_ns: r.endpoint_ns, lost };
    let mut state = State::from_words(&r.before, r.rate_before);
    let outcome = law::apply(words, &mut state, &operation);
    let law = profile::LAW.get(words) as u8;
    outcome.accepted.then_some(Came { law, branch: outcome.branch, hyperactive: outcome.hyperactive, rate: outcome.rate })
}

/// Computes every update of a recording again.
pub fn replay(recording: &Recording) -> Report {
    let mut report = Report { records: recording.records.len(), ..Report::default() };
    let mut last = vec![None; recording.profiles.len()];
    for (index, r) in recording.records.iter().enumerate() {
        let source = usize::from(r.source);
        // Numbers wrap.
        let gap = last[source].replace(r.sequence).map_or(0, |l: u32| r.sequence.wrapping_sub(l).wrapping_sub(1));
        report.missing += u64::from(gap);
        let computed = compute(r, &recording.profiles[source][usize::from(r.profile)]);
        if computed != Some(recorded(r)) {
            report.differences += 1;
            report.first = report.first.or(Some(Difference { index, record: *r, computed }));
        }
    }
    report
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing = if self.missing == 0 { String::new() } else { format!(", {} more were not recorded", self.missing) };
        let Some(d) = &self.first else {
            return write!(f, "{} updates, all equal to the model{missing}", self.records);
        };
        let r = &d.record;
        writeln!(f, "{} of {} updates differ from the model{missing}", self.differences, self.records)?;
        writeln!(
            f,
            "the first is record {}: number {} of NIC {}, flow {}, profile {}, kind {}, at {:.3} ns",
            d.index,
            r.sequence,
            r.source,
            r.flow,
            r.profile,
            r.kind,
            r.time as f64 / 65536.0
        )?;
        writeln!(f, "  recorded: {}", recorded(r))?;
        match &d.computed {
            Some(came) => write!(f, "  computed: {came}"),
            None => write!(f, "  computed: no update; the law of the profile takes none of that kind"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_regs::parameters::Parameters;

    /// Updates of one flow, as the model makes them, recorded.
    fn recording() -> Recording {
        let mut profiles = [[[0; profile::WORDS]; profile::PROFILES]];
        profiles[0][4] = Parameters::authors_10g().quantise().expect("valid");
        let mut state = State::default();
        let records = (0..500u32).map(|k| {
            let kind = if k == 0 { Kind::Init } else { Kind::Sample };
            let op = Operation { kind, rtt_ns: 20_000 + k * k % 977, value: 40_000 * k, ..Default::default() };
            let (before, rate_before) = (state.to_words(), state.rate);
            let out = law::apply(&profiles[0][4], &mut state, &op);
            EventRecord {
                sequence: k,
                flow: 9,
                profile: 4,
                law: profile::LAW_TIMELY as u8,
                kind: kind as u8,
                branch: out.branch,
                hyperactive: out.hyperactive,
                signal_ns: op.rtt_ns,
                argument: op.value,
                rate_before,
                rate: out.rate,
                before,
                ..Default::default()
            }
        });
        Recording { records: records.collect(), profiles: profiles.to_vec() }
    }

    #[test]
    fn what_the_model_recorded_it_computes() {
        let r = recording();
        assert_eq!(replay(&r), Report { records: 500, ..Default::default() });
        assert!(r.records.iter().any(|e| e.branch == law::DECREASE) && r.records.iter().any(|e| e.branch == law::INCREASE));
    }

    /// A change of any input, of the state or of the result of one record is found, and found in
    /// that one.
    #[test]
    fn one_wrong_word_is_found() {
        let changes: [fn(&mut EventRecord); 7] = [
            |r| r.rate += 1,
            |r| r.rate_before ^= 1 << 20,
            |r| r.branch ^= 1,
            |r| r.hyperactive ^= true,
            |r| r.law = 0,
            |r| r.kind = 1,
            |r| r.kind = 8,
        ];
        for (i, change) in changes.iter().enumerate() {
            let mut r = recording();
            change(&mut r.records[123]);
            let report = replay(&r);
            assert_eq!((report.differences, report.first.map(|d| d.index)), (1, Some(123)), "change {i}: {report}");
        }
        let mut r = recording();
        r.profiles[0][4][usize::from(profile::STEP.word)] += 100;
        let report = replay(&r);
        assert!(report.differences > 10 && report.to_string().contains("differ from the model"), "{report}");
    }

    #[test]
    fn missing_records_are_counted() {
        let mut r = recording();
        r.records.remove(100);
        r.records.drain(200..210);
        assert_eq!(replay(&r), Report { records: 489, missing: 11, ..Default::default() });
    }
}
