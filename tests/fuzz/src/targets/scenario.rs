//! A scenario file. An error names a line that the file has; what is read, is read alike again.
use crate::check::{beside, said};
use timely_sim::scenario::Error;
use timely_sim::scenario::file::parse;

pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let path = beside("scenario.toml");
    match parse(&path, text) {
        Ok(plan) => {
            if let Err(e) = plan.check() {
                said(&e);
            }
        }
        Err(e) => {
            said(&e);
            if let Error::Syntax { file, line, message } = &e
                && *file == path
            {
                assert!((1..=text.matches('\n').count() + 1).contains(line) && !message.is_empty(), "{e}");
            }
            if let Error::Value { file, line, field, allowed, .. } = &e
                && *file == path
            {
                assert!((1..=text.matches('\n').count() + 1).contains(line) && !field.is_empty() && !allowed.is_empty(), "{e}");
            }
        }
    }
}
