//! The head of an HTTP request for metrics. A request of which more must come is below the limit,
//! and its beginnings are none that is answered otherwise.
use timely_driver::daemon::http::{Asked, LONGEST, read};

pub fn run(input: &[u8]) {
    let asked = read(input);
    assert!(asked != Asked::Part || input.len() < LONGEST, "a request without an end");
    if let Asked::Refused(status, text, _) = &asked {
        assert!(status.starts_with('4') && text.ends_with('\n'), "{status}: {text}");
    }
    if let Asked::Metrics(..) = asked {
        let end = (0..input.len()).find(|end| read(&input[..*end]) != Asked::Part).unwrap_or(input.len());
        assert!(matches!(read(&input[..end]), Asked::Metrics(..)), "refused before its end came");
    }
}
