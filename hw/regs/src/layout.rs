//! Text for terminals that are narrower than it: a number is never broken over two lines.

/// Breaks lines longer than `columns` characters at spaces; what goes on is indented by two more
/// than its line. A word longer than a line stays whole.
pub fn fold(text: &str, columns: usize) -> String {
    text.split('\n').map(|line| fold_line(line, columns)).collect::<Vec<_>>().join("\n")
}

fn fold_line(line: &str, columns: usize) -> String {
    if line.chars().count() <= columns {
        return line.to_owned();
    }
    let own = line.len() - line.trim_start_matches(' ').len();
    let indent = " ".repeat((own + 2).min(columns / 2));
    let (mut out, mut length) = (String::new(), 0);
    // A word with the spaces before it, which go where a line is broken.
    let mut rest = line;
    while !rest.is_empty() {
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        let end = rest[spaces..].find(' ').map_or(rest.len(), |e| spaces + e);
        let (word, behind) = rest.split_at(end);
        let width = word.chars().count();
        if length > 0 && length + width > columns && spaces < word.len() {
            out = out.trim_end_matches(' ').to_owned() + "\n" + &indent + &word[spaces..];
            length = indent.len() + width - spaces;
        } else {
            out.push_str(word);
            length += width;
        }
        rest = behind;
    }
    out
}

/// A table with a line a cell, each row under its first cell, for where the columns do not fit side
/// by side.
pub fn stacked(heads: &[String], rows: &[Vec<String>]) -> String {
    let widest = heads.iter().skip(1).map(|h| h.chars().count()).max().unwrap_or(0);
    let row = |cells: &Vec<String>| {
        let first = match (heads.first().map_or("", |h| h.trim()), cells.first().map_or("", |c| c.trim())) {
            ("", cell) => cell.to_owned(),
            (head, cell) => format!("{head} {cell}"),
        };
        let others = heads.iter().zip(cells).skip(1).map(|(head, cell)| format!("  {head:widest$}  {}", cell.trim()).trim_end().to_owned());
        std::iter::once(first).chain(others).collect::<Vec<_>>().join("\n")
    };
    rows.iter().map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_never_broken() {
        let text = "  utilization 0.9995   goodput 8.91\nshort\n\n1234567890123 x";
        assert_eq!(fold(text, 80), text);
        for columns in 1..80 {
            let folded = fold(text, columns);
            let words = |t: &str| t.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&folded), words(text), "{columns}");
            let longest = folded.lines().filter(|l| l.split_whitespace().count() > 1).map(|l| l.chars().count()).max();
            assert!(longest.is_none_or(|l| l <= columns), "{columns}: {folded}");
        }
        assert_eq!(fold("  a 0.9995   b 8.91", 12), "  a 0.9995\n    b 8.91");
        assert_eq!(fold("µµµ µµµ", 7), "µµµ µµµ");
    }

    #[test]
    fn a_row_becomes_lines() {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let (heads, rows) = (row(["flow", "rate", "RTT min"]), [row(["0", "10Gbps", "8us"]), row(["1", "1Gbps", ""])]);
        assert_eq!(stacked(&heads, &rows), "flow 0\n  rate     10Gbps\n  RTT min  8us\nflow 1\n  rate     1Gbps\n  RTT min");
        assert_eq!(stacked(&row(["", "a", "b"]), &rows[..1]), "0\n  a  10Gbps\n  b  8us");
    }
}
