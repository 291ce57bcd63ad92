//! As much of HTTP as scrapers and people with curl speak: one request a connection, answered by
//! one page.
use httparse::{EMPTY_HEADER, Request, Status};

/// The longest head of a request.
pub const LONGEST: usize = 8192;
/// Most header fields that are looked at.
const FIELDS: usize = 64;

/// Format of a page of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Prometheus' text format 0.0.4.
    Text,
    /// OpenMetrics 1.0.0.
    OpenMetrics,
}

impl Format {
    /// Media type of the format.
    pub fn media_type(self) -> &'static str {
        match self {
            Format::Text => "text/plain; version=0.0.4; charset=utf-8",
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// Meaning of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    /// More of it must come.
    Part,
    /// The metrics, as this; without them where only the head is wanted.
    Metrics(Format, Head),
    /// Something else, and the answer to it.
    Refused(&'static str, &'static str, Head),
}

/// Whether the answer has its head alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// HEAD.
    Only,
    /// GET.
    AndBody,
}

/// Reads a request.
pub fn read(bytes: &[u8]) -> Asked {
    let mut fields = [EMPTY_HEADER; FIELDS];
    let mut request = Request::new(&mut fields);
    match request.parse(bytes) {
        Ok(Status::Complete(_)) => {}
        Ok(Status::Partial) if bytes.len() < LONGEST => return Asked::Part,
        Ok(Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            return Asked::Refused("431 Request Header Fields Too Large", "the request is too long\n", Head::AndBody);
        }
        Err(_) => return Asked::Refused("400 Bad Request", "this is no request of HTTP/1.1\n", Head::AndBody),
    }
    let head = match request.method {
        Some("GET") => Head::AndBody,
        Some("HEAD") => Head::Only,
        _ => return Asked::Refused("405 Method Not Allowed", "GET or HEAD /metrics\n", Head::AndBody),
    };
    // A query asks for a part of the metrics, of which there are none; a proxy names the whole
    // address.
    let target = request.path.unwrap_or_default();
    let path = target.strip_prefix("http://").map_or(target, |rest| rest.find('/').map_or("/", |at| &rest[at..]));
    if path.split(['?', '#']).next() != Some("/metrics") {
        return Asked::Refused("404 Not Found", "metrics are at /metrics\n", head);
    }
    let accepted = request.headers.iter().filter(|f| f.name.eq_ignore_ascii_case("accept"));
    let accepted = accepted.filter_map(|f| std::str::from_utf8(f.value).ok());
    Asked::Metrics(preferred(accepted.flat_map(|value| value.split(','))), head)
}

/// The format that `Accept` prefers; text where neither is named, or both alike.
fn preferred<'a>(ranges: impl Iterator<Item = &'a str>) -> Format {
    // Each format has the weight of the most specific range that has it in it.
    let (mut open, mut text) = ((0, 0.0), (0, 0.0));
    for range in ranges {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default().to_ascii_lowercase();
        let (mut weight, mut version) = (1.0, None);
        for (name, value) in parts.filter_map(|p| p.split_once('=')) {
            match name.trim().to_ascii_lowercase().as_str() {
                "q" => weight = value.trim().parse().unwrap_or(0.0),
                "version" => version = Some(value.trim().trim_matches('"').to_owned()),
                _ => {}
            }
        }
        let is = |wanted: &str| version.as_deref().is_none_or(|v| v == wanted);
        let exact = 3 + u32::from(version.is_some());
        let [of_open, of_text] = match media.as_str() {
            "application/openmetrics-text" if is("1.0.0") => [exact, 0],
            "text/plain" if is("0.0.4") => [0, exact],
            "application/*" => [2, 0],
            "text/*" => [0, 2],
            "*/*" => [1, 1],
            _ => [0, 0],
        };
        for (kept, specific) in [(&mut open, of_open), (&mut text, of_text)] {
            if specific > kept.0 || specific != 0 && specific == kept.0 && weight > kept.1 {
                *kept = (specific, weight);
            }
        }
    }
    if open.1 > text.1 { Format::OpenMetrics } else { Format::Text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str, fields: &str) -> Asked {
        read(format!("{line} HTTP/1.1\r\nHost: x\r\n{fields}\r\n").as_bytes())
    }

    #[test]
    fn metrics_are_given_as_they_are_accepted() {
        let format = |accept: &str| match asked("GET /metrics", &format!("Accept: {accept}\r\n")) {
            Asked::Metrics(format, Head::AndBody) => format,
            other => panic!("{accept}: {other:?}"),
        };
        // Prometheus 2 and 3, browsers, curl.
        let v2 = "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,\
                  text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        let v3 = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.1";
        for (accept, wanted) in [
            (v2, Format::OpenMetrics),
            (v3, Format::OpenMetrics),
            ("application/openmetrics-text", Format::OpenMetrics),
            ("Application/OpenMetrics-Text; Version=1.0.0", Format::OpenMetrics),
            ("*/*", Format::Text),
            ("text/plain", Format::Text),
            ("text/html,application/xhtml+xml,*/*;q=0.8", Format::Text),
            ("text/plain;q=0.2, application/openmetrics-text;q=0.1", Format::Text),
            ("application/openmetrics-text;q=0", Format::Text),
            ("application/openmetrics-text;version=0.0.1", Format::Text),
            ("application/openmetrics-text;version=9.0.0,text/plain;q=0.1", Format::Text),
            ("*/*;q=0.9, text/plain;q=0.1", Format::OpenMetrics),
        ] {
            assert_eq!(format(accept), wanted, "{accept}");
        }
        assert_eq!(asked("GET /metrics", ""), Asked::Metrics(Format::Text, Head::AndBody), "who says nothing");
        let twice = asked("GET /metrics", "Accept: text/plain;q=0.1\r\naccept: application/openmetrics-text\r\n");
        assert_eq!(twice, Asked::Metrics(Format::OpenMetrics, Head::AndBody));
    }

    #[test]
    fn head_queries_and_whole_addresses_are_answered() {
        for line in ["/metrics", "/metrics?collect[]=flows&x", "/metrics?", "http://127.0.0.1:9464/metrics"] {
            assert_eq!(asked(&format!("GET {line}"), ""), Asked::Metrics(Format::Text, Head::AndBody), "{line}");
            assert_eq!(asked(&format!("HEAD {line}"), ""), Asked::Metrics(Format::Text, Head::Only), "{line}");
        }
        let status = |asked| match asked {
            Asked::Refused(status, _, _) => &status[..3],
            other => panic!("{other:?}"),
        };
        for (line, wanted) in [
            ("GET /", "404"),
            ("HEAD /metric", "404"),
            ("GET /metrics2", "404"),
            ("GET /metrics/", "404"),
            ("GET http://host", "404"),
            ("POST /metrics", "405"),
            ("OPTIONS *", "405"),
            ("get /metrics", "405"),
        ] {
            assert_eq!(status(asked(line, "")), wanted, "{line}");
        }
        assert_eq!(status(read(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")), "400");
        assert_eq!(status(read(b"\x16\x03\x01\x02\x00\x01\x00")), "400");
        assert_eq!(status(asked("GET /metrics", &"X: y\r\n".repeat(FIELDS + 1))), "431");
        let long = [b"GET /metrics HTTP/1.1\r\nX: ".as_slice(), &[b'y'; LONGEST]].concat();
        assert_eq!(status(read(&long)), "431");
        // Whole or not.
        let whole = b"GET /metrics HTTP/1.0\r\n\r\n";
        for end in 0..whole.len() {
            assert_eq!(read(&whole[..end]), Asked::Part, "{end} bytes");
        }
        assert_eq!(read(whole), Asked::Metrics(Format::Text, Head::AndBody));
    }
}
