//! A file of event records: one that is read is written again as it was, and can be replayed; so
//! can each of its records by themselves.
use crate::check::said;
use timely_regs::event::{self, EventRecord};
use timely_regs::profile::{PROFILES, WORDS};
use timely_regs::recording::{HEADER_BYTES, MAGIC, Recording, VERSION};
use timely_sim::replay::replay;

pub fn run(input: &[u8]) {
    read(input);
    // The same behind the head of a file of one NIC, which is longer than most inputs.
    let mut whole = MAGIC.to_vec();
    for number in [VERSION, 1, PROFILES as u32, WORDS as u32] {
        whole.extend(number.to_le_bytes());
    }
    whole.resize(HEADER_BYTES, 0);
    let (records, profiles) = input.split_at(input.len() / event::BYTES.max(1) / 2 * event::BYTES);
    let words = profiles.iter().copied().chain(std::iter::repeat(0)).take(4 * PROFILES * WORDS);
    whole.extend(words);
    whole.extend(records);
    read(&whole);
}

fn read(bytes: &[u8]) {
    match Recording::from_bytes(bytes) {
        Ok(recording) => {
            let again = recording.to_bytes();
            assert_eq!(Recording::from_bytes(&again).as_ref(), Ok(&recording));
            for (record, _) in recording.records.iter().zip(0..64) {
                assert_eq!(EventRecord::from_bytes(&record.to_bytes()).as_ref(), Ok(record));
                let line = timely_driver::record::csv(record);
                assert_eq!(line.split(',').count(), timely_driver::record::HEAD.split(',').count(), "{line}");
            }
            let report = replay(&recording);
            assert_eq!(report.records, recording.records.len());
            assert!(report.differences <= report.records && report.first.is_some() == (report.differences > 0));
            assert!(!report.to_string().is_empty());
        }
        Err(e) => drop(said(&e)),
    }
}
