//! Changes to the emitted Verilog before it is proven: RAMs opened to view, bugs put in.
use regex::Regex;
use std::sync::LazyLock;

/// RAMs of no more words than this can be seen.
const SEEN: usize = 16;

static RAM: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^ *reg *(?:\[(\d+):0\])? *mem\[(\d+):0\];$").expect("constant pattern"));

/// Adds to each small RAM a wire `cells` that shows all of its words, word 0 in the low bits:
/// induction needs to speak of them.
pub fn open_rams(verilog: &str) -> String {
    RAM.replace_all(verilog, |c: &regex::Captures| {
        let number = |i: usize| c.get(i).map_or(0, |m| m.as_str().parse::<usize>().unwrap_or(usize::MAX - 1));
        let (width, words) = (number(1) + 1, number(2) + 1);
        if words > SEEN {
            return c[0].to_owned();
        }
        let cells: Vec<String> = (0..words).rev().map(|i| format!("mem[{i}]")).collect();
        format!("{}\n    wire [{}:0] cells = {{{}}};", &c[0], width * words - 1, cells.join(", "))
    })
    .into_owned()
}

/// The Verilog with one text in place of another.
///
/// # Errors
/// Says how often the text stands there if that is not once: a bug that is not put in would refute
/// nothing.
pub fn substitute(verilog: &str, find: &str, replace: &str) -> Result<String, String> {
    match verilog.matches(find).count() {
        1 => Ok(verilog.replacen(find, replace, 1)),
        0 => Err(format!("the text of the twin's bug is not in the Verilog (did the block change?): {find:?}")),
        n => Err(format!("the text of the twin's bug stands in the Verilog {n} times, not once: {find:?}")),
    }
}
