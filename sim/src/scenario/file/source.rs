//! A scenario file while it is read: where errors are in it, and the bounds that values have alone
//! and together.
use super::tables::Number;
use crate::quantity::{Quantity, form};
use crate::scenario::Error;
use crate::time::{Ps, US, ps};
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A file being read: its name and text, for error messages, and what came of it so far.
pub(super) struct Source<'a> {
    pub(super) file: &'a Path,
    pub(super) text: &'a str,
    // Messages of all flows, an endless one counted as one.
    planned: Cell<u64>,
    // Other files that were read.
    files: RefCell<Vec<PathBuf>>,
}

/// Most messages of a scenario: what there is memory for.
const MOST_MESSAGES: u64 = 1 << 22;
/// Latest time that a file may name, microseconds.
const LATEST_US: u64 = 1_000_000_000;
/// Most payload bytes of a flow.
pub(super) const MOST_BYTES: u64 = 1 << 50;
/// Most packets of a segment.
const MOST_PACKETS: u32 = u16::MAX as u32;

impl<'a> Source<'a> {
    pub(super) fn new(file: &'a Path, text: &'a str) -> Self {
        Source { file, text, planned: Cell::new(0), files: RefCell::default() }
    }

    fn line(&self, at: std::ops::Range<usize>) -> usize {
        self.text[..at.start.min(self.text.len())].matches('\n').count() + 1
    }

    pub(super) fn error<T: std::fmt::Display>(
        &self,
        at: std::ops::Range<usize>,
        field: &str,
        value: T,
        allowed: impl Into<String>,
    ) -> Error {
        let line = self.line(at);
        Error::Value { file: self.file.into(), line, field: field.into(), value: value.to_string(), allowed: allowed.into() }
    }

    // A number with its default, within bounds.
    pub(super) fn number(&self, v: &Number, field: &str, default: f64, least: f64, greatest: f64) -> Result<f64, Error> {
        let Some(v) = v else { return Ok(default) };
        let told = v.get_ref();
        let form = if matches!(told, Quantity::Text(_)) { form(field) } else { "" };
        let x = told.of(field).filter(|x| (least..=greatest).contains(x));
        x.ok_or_else(|| self.error(v.span(), field, told, format!("{least} to {greatest}{form}")))
    }

    pub(super) fn whole(&self, v: &Number, field: &str, default: u64, least: u64, greatest: u64) -> Result<u64, Error> {
        let x = self.number(v, field, default as f64, least as f64, greatest as f64)?;
        match v {
            Some(s) if x.fract() != 0.0 => Err(self.error(s.span(), field, x, "a whole number")),
            _ => Ok(x as u64),
        }
    }

    // Payload bytes of a packet and of a segment, of a table. A segment is of whole packets, as the
    // hardware's are, whatever kind the NICs are of; the last one of a flow or message alone may
    // end in a shorter packet.
    pub(super) fn payloads(&self, table: &str, packet: &Number, segment: &Number) -> Result<(u32, u32), Error> {
        let packet = self.whole(packet, &format!("{table}.packet_bytes"), 1024, 1, 9000)? as u32;
        let field = format!("{table}.segment_bytes");
        let bytes = self.whole(segment, &field, 2048, 1, 1 << 24)? as u32;
        if bytes.div_ceil(packet) > MOST_PACKETS {
            let most =
                format!("1 to {} with packets of {packet} bytes: a segment has at most {MOST_PACKETS} packets", packet * MOST_PACKETS);
            return Err(self.error(span(segment), &field, bytes, most));
        }
        Ok((packet, packet * bytes.div_ceil(packet)))
    }

    // So many things, each `every` after the one before, take no longer than the latest time that a
    // file may name. So no sum of a start and such times overflows.
    pub(super) fn in_time(&self, v: &Number, field: &str, every: Ps, count: u64) -> Result<(), Error> {
        if u128::from(every) * u128::from(count.saturating_sub(1)) <= u128::from(LATEST_US * US) {
            return Ok(());
        }
        let most = LATEST_US / (count - 1);
        let allowed = format!("at most {most} with {count} of them, so that the last is {LATEST_US} us after the first or before");
        Err(self.error(span(v), field, every as f64 / US as f64, allowed))
    }

    // Messages that are still allowed.
    pub(super) fn room(&self) -> u64 {
        MOST_MESSAGES - self.planned.get()
    }

    // Counts so many messages of a table; `None`: more than there is room for.
    pub(super) fn plan(&self, at: std::ops::Range<usize>, table: &str, messages: Option<u64>) -> Result<(), Error> {
        if let Some(n) = messages.filter(|n| *n <= self.room()) {
            self.planned.set(self.planned.get() + n);
            return Ok(());
        }
        let told = messages.map_or_else(|| format!("more than {}", self.room()), |n| n.to_string());
        let allowed = format!("at most {MOST_MESSAGES} in the whole scenario, {} of them in other tables", self.planned.get());
        Err(self.error(at, &format!("the number of messages of [[{table}]]"), told, allowed))
    }

    // Note on a start that the run does not come to. Such a start may be meant: `--duration-ms`
    // cuts runs short, and sweeps put flows off.
    pub(super) fn late(&self, v: &Number, field: &str, end: Ps) -> Option<String> {
        let v = v.as_ref().filter(|v| v.get_ref().of(field).is_some_and(|us| ps(us, US) >= end))?;
        let (line, end_us) = (self.line(v.span()), end as f64 / US as f64);
        Some(format!("{}:{line}: {field} is {}, and the run ends at {end_us}: nothing of it is sent", self.file.display(), v.get_ref()))
    }

    // The files that were named.
    pub(super) fn named(self) -> Vec<PathBuf> {
        self.files.into_inner()
    }

    // A file that this one names, beside it.
    pub(super) fn beside(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = self.file.parent().unwrap_or(Path::new("")).join(path);
        self.files.borrow_mut().push(path.clone());
        path
    }
}

pub(super) fn span(v: &Number) -> std::ops::Range<usize> {
    v.as_ref().map_or(0..0, Spanned::span)
}
