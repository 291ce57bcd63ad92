//! Wide words out of slices: `a | (b << 128) | (c << 456)` becomes `{c, .., b, a}`.
//!
//! A kernel can put a word together by shifts alone. Where the parts lie side by side a
//! concatenation is the same word: synthesis sees no difference, a simulator that moves 32 bits at
//! a time is spared a pass over the whole word for each part.
use std::collections::HashMap;

/// Words up to this are shifted in one machine word anyway.
const NARROW: usize = 64;

/// Part of a word: `width` bits from bit `at` on.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    at: usize,
    width: usize,
    of: Source,
}

#[derive(Clone, Debug, PartialEq)]
enum Source {
    Slice { name: String, low: usize },
    Number(u64),
}

/// The value of an expression of which every bit's origin is known.
#[derive(Debug)]
enum Value {
    Parts(Vec<Part>),
    /// `2^n - 1`, in `n` bits.
    Ones(usize),
}

/// Declarations of a module: widths of signals, values of constants.
#[derive(Default)]
struct Names {
    width: HashMap<String, usize>,
    value: HashMap<String, u64>,
}

fn plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

// `12'hfff` or `12'b1`: bits, and the digits with their radix.
fn literal(text: &str) -> Option<(usize, u32, &str)> {
    let (width, digits) = text.split_once('\'')?;
    let radix = if digits.starts_with('h') { 16 } else { 2 };
    Some((width.parse().ok()?, radix, digits.strip_prefix(['h', 'b'])?))
}

impl Names {
    fn declare(&mut self, line: &str) {
        let line = line.trim().trim_end_matches(';');
        if let Some((name, value)) = line.strip_prefix("localparam").and_then(|l| l.split_once('=')) {
            let number = literal(value.trim()).and_then(|(_, radix, digits)| u64::from_str_radix(digits, radix).ok());
            self.value.extend(number.map(|n| (name.trim().to_owned(), n)));
            return;
        }
        let Some(rest) = ["input wire ", "output reg ", "reg ", "wire "].iter().find_map(|p| line.strip_prefix(p)) else { return };
        let rest = rest.trim();
        let (width, name) = match rest.strip_prefix('[').and_then(|r| r.split_once(":0]")) {
            Some((high, name)) => (high.parse::<usize>().ok().map(|h| h + 1), name.trim()),
            None => (Some(1), rest),
        };
        if let (Some(width), true) = (width, plain(name)) {
            self.width.insert(name.to_owned(), width);
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    names: &'a Names,
}

fn cut(parts: Vec<Part>, width: usize) -> Vec<Part> {
    let fits = parts.into_iter().filter(|p| p.at < width);
    fits.map(|p| Part { width: p.width.min(width - p.at), ..p }).collect()
}

impl Reader<'_> {
    fn token(&mut self, token: &str) -> Option<()> {
        self.text = self.text.trim_start().strip_prefix(token)?;
        Some(())
    }

    fn word(&mut self) -> Option<String> {
        self.text = self.text.trim_start();
        let end = self.text.find(|c: char| !(c.is_ascii_alphanumeric() || "_'".contains(c))).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        (!word.is_empty()).then(|| word.to_owned())
    }

    fn number(&mut self) -> Option<u64> {
        let word = self.word()?;
        match literal(&word) {
            Some((_, radix, digits)) => u64::from_str_radix(digits, radix).ok(),
            None => word.parse().ok().or_else(|| self.names.value.get(&word).copied()),
        }
    }

    // `[(low)+:(width)]` or `[bit]`.
    fn slice(&mut self) -> Option<(usize, usize)> {
        let bracketed = self.token("(").is_some();
        let low = usize::try_from(self.number()?).ok()?;
        if !bracketed {
            self.token("]")?;
            return Some((low, 1));
        }
        [")", "+:", "("].iter().try_for_each(|t| self.token(t))?;
        let width = usize::try_from(self.number()?).ok()?;
        [")", "]"].iter().try_for_each(|t| self.token(t))?;
        Some((low, width))
    }

    fn primary(&mut self) -> Option<Value> {
        if self.token("(").is_some() {
            let value = self.any()?;
            self.token(")")?;
            return Some(value);
        }
        let name = self.word()?;
        if let Some((width, radix, digits)) = literal(&name) {
            let bits = u64::from_str_radix(digits, radix).ok();
            let ones = radix == 16 && digits[1..].bytes().all(|d| d == b'f') && {
                let top = u32::from_str_radix(&digits[..1], 16).unwrap_or(0);
                (top + 1).is_power_of_two() && 4 * (digits.len() - 1) + top.count_ones() as usize == width
            };
            return if ones { Some(Value::Ones(width)) } else { Some(Value::Parts(constant(bits?))) };
        }
        if let Some(value) = self.names.value.get(&name) {
            return Some(Value::Parts(constant(*value)));
        }
        let whole = *self.names.width.get(&name)?;
        let (low, width) = if self.token("[").is_some() { self.slice()? } else { (0, whole) };
        (low + width <= whole).then(|| Value::Parts(vec![Part { at: 0, width, of: Source::Slice { name, low } }]))
    }

    fn shifted(&mut self) -> Option<Value> {
        let mut value = self.primary()?;
        while let Some(left) = [("<<", true), (">>", false)].iter().find_map(|(t, l)| self.token(t).map(|()| *l)) {
            let by = usize::try_from(self.number()?).ok()?;
            let Value::Parts(parts) = value else { return None };
            let moved = if left {
                parts.into_iter().map(|p| Part { at: p.at + by, ..p }).collect()
            } else {
                // What an earlier shift pushed out at the top would come back.
                let [Part { at: 0, width, of: Source::Slice { name, low } }] = parts.as_slice() else { return None };
                let source = Source::Slice { name: name.clone(), low: low + by };
                if by < *width { vec![Part { at: 0, width: width - by, of: source }] } else { vec![] }
            };
            value = Value::Parts(moved);
        }
        Some(value)
    }

    fn masked(&mut self) -> Option<Value> {
        let mut value = self.shifted()?;
        while self.token("&").is_some() {
            value = match (value, self.shifted()?) {
                (Value::Parts(parts), Value::Ones(width)) | (Value::Ones(width), Value::Parts(parts)) => Value::Parts(cut(parts, width)),
                (Value::Ones(a), Value::Ones(b)) => Value::Ones(a.min(b)),
                _ => return None,
            };
        }
        Some(value)
    }

    fn any(&mut self) -> Option<Value> {
        let mut value = self.masked()?;
        while self.token("|").is_some() {
            value = match (value, self.masked()?) {
                (Value::Parts(mut a), Value::Parts(b)) => {
                    a.extend(b);
                    Value::Parts(a)
                }
                _ => return None,
            };
        }
        Some(value)
    }
}

fn constant(value: u64) -> Vec<Part> {
    let width = (u64::BITS - value.leading_zeros()) as usize;
    if width == 0 { vec![] } else { vec![Part { at: 0, width, of: Source::Number(value) }] }
}

// The concatenation, if the parts leave one another alone.
fn packed(parts: Vec<Part>, width: usize, names: &Names) -> Option<String> {
    let mut parts = cut(parts, width);
    parts.sort_by_key(|p| p.at);
    let mut words: Vec<String> = Vec::new();
    let mut end = 0;
    for part in &parts {
        if part.at < end {
            return None;
        }
        if part.at > end {
            words.push(format!("{}'h0", part.at - end));
        }
        end = part.at + part.width;
        words.push(match &part.of {
            Source::Slice { name, low: 0 } if names.width.get(name) == Some(&part.width) => name.clone(),
            Source::Slice { name, low } => format!("{name}[{low}+:{}]", part.width),
            Source::Number(n) => format!("{}'h{:x}", part.width, n & (u64::MAX >> (64 - part.width))),
        });
    }
    if end < width {
        words.push(format!("{}'h0", width - end));
    }
    words.reverse();
    Some(format!("{{{}}}", words.join(", ")))
}

fn statement(line: &str, names: &Names) -> Option<String> {
    let (left, right) = line.strip_suffix(';')?.split_once(" = ")?;
    let target = left.rsplit(' ').next()?;
    let width = *names.width.get(target).filter(|w| **w > NARROW)?;
    if !right.contains("<<") && !right.contains(">>") {
        return None;
    }
    let mut reader = Reader { text: right, names };
    let Value::Parts(parts) = reader.any()? else { return None };
    if !reader.text.trim().is_empty() {
        return None;
    }
    Some(format!("{left} = {};", packed(parts, width, names)?))
}

/// Rewrites the assignments of wide words that can be.
pub fn pack(verilog: &str) -> String {
    let mut out = String::with_capacity(verilog.len());
    let mut names = Names::default();
    for line in verilog.lines() {
        if line.starts_with("module ") {
            names = Names::default();
        }
        match statement(line, &names) {
            Some(statement) => out.push_str(&statement),
            None => {
                names.declare(line);
                out.push_str(line);
            }
        }
        out.push('\n');
    }
    out
}
