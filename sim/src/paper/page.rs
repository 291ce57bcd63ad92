//! The report of a paper: one HTML file with everything inline.
use super::finding::Verdict;
use super::{Figure, Finding, Paper};
use crate::report::curves::figure;
use crate::report::page::{document, escape};
use std::fmt::Write;

/// A number as short as it can be read.
pub fn short(v: f64) -> String {
    if v != 0.0 && v.abs() < 0.005 {
        return format!("{v:.0e}");
    }
    let digits = if v.abs() >= 100.0 || v == 0.0 {
        0
    } else if v.abs() >= 10.0 {
        1
    } else {
        2
    };
    format!("{v:.digits$}")
}

/// The paper's number as it is held against ours: `>= 0.95`, and a star where the paper has words
/// and the number is our bound.
pub fn paper(f: &Finding) -> String {
    let sign = match f.by.as_str() {
        "at least" => ">= ",
        "at most" => "<= ",
        _ => "",
    };
    format!("{sign}{}{}", short(f.paper), if f.in_words { "*" } else { "" })
}

/// Our number: the median of the seeds.
pub fn ours(f: &Finding) -> String {
    short(f.median)
}

/// From the least seed's to the greatest's, where there are several.
pub fn spread(f: &Finding) -> String {
    if f.seeds > 1 { format!("{} to {}", short(f.spread[0]), short(f.spread[1])) } else { String::new() }
}

/// The verdict as it is printed.
pub fn verdict(f: &Finding) -> &'static str {
    match f.verdict {
        Verdict::Agrees => "yes",
        Verdict::Differs => "NO",
        Verdict::Unsettled => "unsettled",
    }
}

/// How many of the findings have each verdict, in words.
pub fn count(findings: &[&Finding]) -> String {
    let of = |v: Verdict| findings.iter().filter(|f| f.verdict == v).count();
    let (agree, differ) = (of(Verdict::Agrees), of(Verdict::Differs));
    format!("{agree} of {} quantities agree by every seed, {differ} by none, {} by some", findings.len(), of(Verdict::Unsettled))
}

// The reason is a row of its own, so that the table is read without sideways scrolling.
fn row(f: &Finding) -> String {
    let (mark, class) = match f.verdict {
        Verdict::Agrees => ("agrees", "agrees"),
        Verdict::Differs => ("differs", "differs"),
        Verdict::Unsettled => ("unsettled", "differs"),
    };
    let mut row = format!(
        "<tr><td class=text>{}</td><td class=\"text what\">{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"text {class}\">{mark}</td>\
         <td class=text>{}</td></tr>",
        f.figure,
        escape(&f.quantity),
        escape(&paper(f)),
        ours(f),
        spread(f),
        escape(&f.by)
    );
    if !f.why.is_empty() {
        row += &format!("<tr><td></td><td class=\"text why\" colspan=6>{}</td></tr>", escape(&f.why));
    }
    row
}

/// The page of these figures.
pub fn page(paper: &Paper, figures: &[Figure]) -> String {
    let mut body = String::new();
    let all: Vec<&Finding> = figures.iter().flat_map(|f| &f.findings).collect();
    // Writing to a string does not fail.
    let mut put = |text: String| body.push_str(&text);
    put(format!(
        "<header><h1>{}</h1><p>{}. A star marks what the paper says in words alone: the number is the bound that we take them for.</p><p>{}</p></header>",
        escape(paper.title),
        count(&all),
        escape(paper.parameters)
    ));
    for f in figures {
        let mut table = String::new();
        for finding in &f.findings {
            write!(table, "{}", row(finding)).expect("writing to a string");
        }
        put(format!("<section><h2>{}</h2><p>{}</p>", f.title, f.text));
        for (caption, legend, plot) in &f.plots {
            put(figure(caption, legend, plot));
        }
        put(format!(
            "<div class=scroll><table><thead><tr><th class=text>figure</th><th class=text>quantity</th><th>paper</th><th>ours</th><th>seeds</th>\
             <th class=text></th><th class=text>by</th></tr></thead><tbody>{table}</tbody></table></div></section>"
        ));
    }
    document(
        paper.title,
        ".differs{color:#a33}.agrees{color:#2a6b3c}td.why{white-space:normal;color:#555}td.what{white-space:normal}\
         td.text:first-child{min-width:5em}figure{max-width:800px}",
        &body,
    )
}
