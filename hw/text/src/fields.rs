//! Words whose fields are assigned one by one.
use regex::Regex;
use std::collections::HashMap;

/// Joins the assignments of a word's fields, where they follow one another and make up the whole
/// word, into one of a concatenation.
///
/// RustHDL assigns a field as a slice. As one assignment the word can leave the update block by
/// [`split`](fn@crate::split).
pub fn gather(verilog: &str) -> String {
    let declared = Regex::new(r"^    (?:input |output )?(?:reg|wire) +(?:\[(\d+):0\] )?([\w$]+);$").expect("constant pattern");
    let field = Regex::new(r"^( +)([\w$]+)\[\(\d+'h([0-9a-f]+)\)\+:\((\d+)\)\] = ([\w$]+(?:\[\(\d+'h[0-9a-f]+\)\+:\(\d+\)\])?|1'b[01]);$")
        .expect("constant pattern");
    let mut width: HashMap<&str, usize> = HashMap::new();
    let mut out = String::with_capacity(verilog.len());
    let mut lines = verilog.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("module ") {
            width.clear();
        }
        if let Some(c) = declared.captures(line) {
            let high = c.get(1).map_or(Ok(0), |high| high.as_str().parse::<usize>());
            width.insert(c.get(2).map_or("", |m| m.as_str()), high.map_or(0, |high| high + 1));
        }
        let Some(first) = field.captures(line) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let mut run = vec![(line, first)];
        while let Some((next, c)) = lines.peek().and_then(|l| field.captures(l).map(|c| (*l, c)))
            && (c[1] == run[0].1[1] && c[2] == run[0].1[2])
        {
            run.push((next, c));
            lines.next();
        }
        let mut fields: Vec<(usize, usize, &str)> = run
            .iter()
            .map(|(_, c)| {
                let number = |i: usize, radix: u32| usize::from_str_radix(&c[i], radix).unwrap_or(usize::MAX / 2);
                (number(3, 16), number(4, 10), c.get(5).map_or("", |m| m.as_str()))
            })
            .collect();
        fields.sort_by_key(|f| f.0);
        let end = fields.iter().try_fold(0, |end, (low, width, _)| (*low == end).then_some(end + width));
        let name = &run[0].1[2];
        // A state's name has no width and can't stand in a concatenation; nor can the word's own
        // bits, which change between the assignments.
        let sized = |&(_, bits, value): &(usize, usize, &str)| {
            let (of, slice) = value.split_once('[').map_or((value, false), |(of, _)| (of, true));
            of != name && (slice || value.starts_with("1'b") || width.get(value) == Some(&bits))
        };
        if end.is_some() && end == width.get(name).copied() && fields.iter().all(sized) {
            let parts: Vec<&str> = fields.iter().rev().map(|f| f.2).collect();
            out.push_str(&format!("{}{name} = {{{}}};\n", &run[0].1[1], parts.join(", ")));
        } else {
            run.iter().for_each(|(line, _)| out.push_str(&format!("{line}\n")));
        }
    }
    out
}
