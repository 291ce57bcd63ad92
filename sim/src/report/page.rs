//! The page around the plots.
use super::plot::Plot;
use super::table::{HEADS, cells, window};
use super::{Arm, charts};
use crate::scenario::build::Outcome;
use crate::time::{MS, Ps};
use std::fmt::Write;

/// Sizes of plots, pixels.
const WIDE: (u32, u32) = (980, 340);
const PANEL: (u32, u32) = (480, 260);

/// The words of a page.
pub struct Words {
    /// Title of the page.
    pub title: String,
    /// Summary of the runs and their results, as HTML paragraphs.
    pub lead: String,
    /// Remarks on the figures, each an HTML list item.
    pub notes: Vec<String>,
}

/// Text in HTML.
pub fn escape(s: &str) -> String {
    s.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn ms(t: Ps) -> String {
    format!("{} ms", t as f64 / MS as f64)
}

/// The page of these runs.
pub fn page(words: &Words, arms: &[Arm]) -> String {
    let mut body = String::new();
    // Writing to a string does not fail.
    let mut put = |text: String| body.push_str(&text);
    put(format!("<header><h1>{}</h1>{}</header>", escape(&words.title), words.lead));
    put(figures(arms));
    let until = charts::shown(arms);
    put(format!(
        "<section><h2>Rates over time</h2><p>What each flow's receiver gets, one line a flow, over the first {}, \
         smoothed over {}. Shaded: the part that the figures above are of, where it is in view.</p><div class=grid>",
        ms(until),
        ms(until / charts::SMOOTH)
    ));
    let top = charts::rate_top(arms);
    put(panels(arms, |_, o| charts::rates(o, until, top, PANEL)));
    put("</div></section>".into());
    put(
        "<section><h2>Queue over time</h2><p>Bytes waiting at the bottleneck port of the switch, over the same time; note the logarithmic \
         scale, which is the same in all.</p><div class=grid>"
            .into(),
    );
    let top = charts::queue_top(arms);
    put(panels(arms, |a, o| charts::queue(a, o, until, top, PANEL)));
    put("</div></section>".into());
    let sections = [
        (
            "Round-trip time",
            "How the round-trip times of segments are distributed in the steady part: from the last bit of a segment's last packet at the \
             sender to the first bit of its ACK there. Further left is better.",
            charts::rtt(arms, WIDE),
        ),
        (
            "Departure gaps",
            "How the gaps between consecutive packets of one flow are distributed as they leave the sender. Pacing puts them around one \
             value; bursts put most of them at the wire's own spacing, with long silences between.",
            charts::gaps(arms, WIDE),
        ),
    ];
    for (head, text, plot) in sections {
        put(format!("<section><h2>{head}</h2><p>{text}</p>{}<figure>{}</figure></section>", legend(arms), plot.svg()));
    }
    let notes: String = words.notes.iter().map(|n| format!("<li>{n}</li>")).collect();
    put(format!("<section><h2>Notes</h2><ul class=notes>{notes}</ul></section>"));
    document(&words.title, "", &body)
}

/// A page in the style of all reports, with more style if it needs some.
pub fn document(title: &str, style: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width,initial-scale=1\">\
         <title>{}</title><style>{STYLE}{style}</style></head><body><main>{body}</main></body></html>\n",
        escape(title)
    )
}

// A plot for each run that there is.
fn panels(arms: &[Arm], plot: impl Fn(&Arm, &Outcome) -> Plot) -> String {
    let one = |a: &Arm| Some(format!("<figure><figcaption>{}</figcaption>{}</figure>", swatch(a), plot(a, a.outcome.as_ref().ok()?).svg()));
    arms.iter().filter_map(one).collect()
}

fn swatch(a: &Arm) -> String {
    format!("<span class=swatch style=\"background:#{:06x}\"></span>{}", a.color, escape(&a.title))
}

fn legend(arms: &[Arm]) -> String {
    if arms.len() < 2 {
        return String::new();
    }
    let items: String = arms.iter().filter(|a| a.outcome.is_ok()).map(|a| format!("<li>{}</li>", swatch(a))).collect();
    format!("<ul class=legend>{items}</ul>")
}

fn figures(arms: &[Arm]) -> String {
    let mut t = String::from("<section><h2>Figures</h2><div class=scroll><table><thead><tr>");
    for (i, h) in HEADS.iter().enumerate() {
        let class = if i < 2 { " class=text" } else { "" };
        write!(t, "<th{class}>{h}</th>").expect("writing to a string");
    }
    t.push_str("<th class=text>taken over</th></tr></thead><tbody>");
    for a in arms {
        let note = escape(&a.note);
        write!(t, "<tr><td class=text>{}<div class=note>{note}</div></td><td class=text>{}</td>", swatch(a), a.kind)
            .expect("writing to a string");
        match &a.outcome {
            Ok(o) => {
                for c in cells(o) {
                    write!(t, "<td>{c}</td>").expect("writing to a string");
                }
                write!(t, "<td class=text>{}</td></tr>", window(o)).expect("writing to a string");
            }
            Err(e) => write!(t, "<td colspan=10 class=text>not run: {}</td></tr>", escape(e)).expect("writing to a string"),
        }
    }
    t.push_str("</tbody></table></div></section>");
    t
}

/// The style of all reports.
const STYLE: &str = "\
:root{--ink:#1d2430;--soft:#5a6472;--line:#dfe3e8;--paper:#fff;--ground:#f5f6f8}\
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif}\
main{max-width:1120px;margin:0 auto;padding:40px 20px 60px}\
header h1{font-size:30px;line-height:1.2;margin:0 0 12px}header p{font-size:17px;max-width:76ch;margin:0 0 10px}\
section{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:20px 24px;margin:22px 0}\
h2{font-size:19px;margin:0 0 6px}section>p{color:var(--soft);margin:0 0 12px;max-width:86ch}\
figure{margin:0}svg{display:block;width:100%;height:auto}figcaption{font-size:14px;font-weight:600;margin:6px 0 2px}\
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(400px,100%),1fr));gap:14px 22px}\
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}\
th{font-weight:600;color:var(--soft);font-size:12.5px;text-align:right;vertical-align:bottom;padding:6px 7px;border-bottom:2px solid var(--line)}\
td{text-align:right;padding:9px 7px;border-bottom:1px solid var(--line);vertical-align:top;white-space:nowrap}\
th.text,td.text{text-align:left}td.text:first-child{white-space:normal;min-width:220px;font-weight:600}\
tbody tr:last-child td{border-bottom:0}.note{font-weight:400;color:var(--soft);font-size:13px;line-height:1.35;margin-top:2px}\
.swatch{display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:8px;vertical-align:-1px}\
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 22px;padding:0;margin:0 0 4px;font-size:14px}\
.notes{margin:6px 0 0;padding-left:20px}.notes li{margin:5px 0}code{font-size:.92em;background:var(--ground);padding:1px 5px;border-radius:4px}\
strong{font-weight:650}";
