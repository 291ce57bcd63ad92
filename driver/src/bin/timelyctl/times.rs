//! Times on the command line.
use std::time::Duration;
use timely_driver::units::{TextError, parse_duration};

/// A time.
pub fn duration(text: &str) -> Result<Duration, TextError> {
    parse_duration(text)
}

/// A time between two looks: not so short that the machine does nothing else.
pub fn interval(text: &str) -> Result<Duration, String> {
    let time = duration(text).map_err(|e| e.to_string())?;
    if time >= Duration::from_millis(1) { Ok(time) } else { Err(format!("{text} is shorter than 1ms")) }
}
