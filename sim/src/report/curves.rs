//! Plots of a few named lines, as papers have them.
use super::page::escape;
use super::plot::{Axis, Line, Plot, short};

/// Colour and name of each line of a plot.
pub type Legend = Vec<(u32, String)>;

/// A line's name and points.
pub type Named<'a> = (&'a str, Vec<(f64, f64)>);

/// A plot with its caption and legend, as HTML.
pub fn figure(caption: &str, legend: &Legend, plot: &Plot) -> String {
    let item =
        |(color, name): &(u32, String)| format!("<li><span class=swatch style=\"background:#{color:06x}\"></span>{}</li>", escape(name));
    let items: String = legend.iter().map(item).collect();
    format!("<figure><figcaption>{}</figcaption><ul class=legend>{items}</ul>{}</figure>", escape(caption), plot.svg())
}

/// Height of a row of a legend, width of a letter and of what stands around a name, pixels.
const ENTRY: (u32, f64, f64) = (22, 7.8, 34.0);

/// A plot for a file of its own, its legend above it.
pub fn svg(legend: &Legend, plot: &Plot) -> String {
    let (mut items, mut x, mut row) = (String::new(), 10.0, 0);
    for (color, name) in legend {
        let wide = name.chars().count() as f64 * ENTRY.1 + ENTRY.2;
        if x + wide > f64::from(plot.size.0) && x > 10.0 {
            (x, row) = (10.0, row + 1);
        }
        let y = row * ENTRY.0 + 6;
        let (text_x, text_y, name) = (x + 16.0, y + 10, escape(name));
        items += &format!("<rect x=\"{x}\" y=\"{y}\" width=\"11\" height=\"11\" fill=\"#{color:06x}\"/>");
        items += &format!(
            "<text x=\"{text_x}\" y=\"{text_y}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#444b55\">{name}</text>\n"
        );
        x += wide;
    }
    let (w, h, top) = (plot.size.0, plot.size.1, (row + 1) * ENTRY.0);
    let inner = plot.svg().replacen("<svg ", &format!("<svg x=\"0\" y=\"{top}\" width=\"{w}\" height=\"{h}\" "), 1);
    format!("<svg viewBox=\"0 0 {w} {}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">\n{items}{inner}\n</svg>\n", h + top)
}

/// Colours of lines, in turn.
pub const COLORS: [u32; 6] = [0x0b62a8, 0xd1495b, 0x2e8b57, 0xe08e1b, 0x6a4c93, 0x5a6472];
/// Size of such a plot, pixels.
pub const SIZE: (u32, u32) = (760, 320);

/// Points of a line from which on it is drawn thin.
const DENSE: usize = 400;
/// First part of a time axis that does not decide how high a plot is.
const START: f64 = 0.1;
/// Times by which the start has to go beyond the rest to be cut off.
const BEYOND: f64 = 3.0;

/// Lines through points over a linear x, y from 0 or the least value. Over time, a start that goes
/// far beyond all that comes later is cut off, and the label of y has its top.
pub fn curves(x_label: &str, y_label: &str, named: &[Named]) -> (Legend, Plot) {
    let all = || named.iter().flat_map(|n| &n.1);
    let (low, high) = (all().map(|p| p.0).fold(f64::MAX, f64::min), all().map(|p| p.0).fold(f64::MIN, f64::max));
    let (least, most) = (all().map(|p| p.1).fold(0.0, f64::min), all().map(|p| p.1).fold(0.0, f64::max));
    let later = all().filter(|p| p.0 > low + START * (high - low)).map(|p| p.1).fold(0.0, f64::max);
    let (mut top, mut y_label) = (most, y_label.to_owned());
    if x_label.starts_with("time") && later > 0.0 && most > BEYOND * later {
        top = 1.25 * later;
        y_label += &format!(" (at the start up to {})", short(&most.round()));
    }
    let width = if named.iter().any(|n| n.1.len() > DENSE) { 1 } else { 2 };
    // A figure that is unknown has no point.
    let known = |points: &[(f64, f64)]| points.iter().copied().filter(|p| p.0.is_finite() && p.1.is_finite()).collect();
    let line = |(i, n): (usize, &Named)| Line { color: COLORS[i % 6], points: known(&n.1), width };
    let plot = Plot {
        size: SIZE,
        x_label: x_label.into(),
        y_label,
        x: Axis::Linear(low, high.max(low + 1e-9)),
        y: Axis::Linear(least * 1.08, (top * 1.08).max(1e-9)),
        lines: named.iter().enumerate().map(line).collect(),
        shade: None,
    };
    (named.iter().enumerate().map(|(i, n)| (COLORS[i % 6], n.0.to_owned())).collect(), plot)
}

/// Lines over a linear x and a logarithmic y of whole decades; values below `least` are on its
/// edge.
pub fn decades(x_label: &str, y_label: &str, least: f64, named: &[Named]) -> (Legend, Plot) {
    let (legend, mut plot) = curves(x_label, y_label, named);
    let all = || named.iter().flat_map(|n| &n.1).map(|p| p.1.max(least));
    let whole = |v: f64, up: bool| 10f64.powf(if up { v.log10().ceil() } else { v.log10().floor() });
    let (low, high) = (whole(all().fold(f64::MAX, f64::min), false), whole(all().fold(0.0, f64::max), true));
    (plot.y_label, plot.y) = (y_label.into(), Axis::Log(low, high.max(low * 10.0)));
    (legend, plot)
}

/// Distributions over a logarithmic x.
pub fn distributions(x_label: &str, named: &[Named]) -> (Legend, Plot) {
    let (legend, mut plot) = curves(x_label, "share", named);
    let all = || named.iter().flat_map(|n| &n.1).map(|p| p.0).filter(|x| *x > 0.0);
    let (low, high) = (all().fold(f64::MAX, f64::min).max(0.1), all().fold(1.0, f64::max));
    plot.x = Axis::Log(10f64.powf(low.log10().floor()), 10f64.powf(high.log10().ceil()));
    plot.y = Axis::Linear(0.0, 1.0);
    (legend, plot)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A start of 1,000 above 20 is cut off and told of; one that lasts is not, nor is one that is
    /// no time.
    #[test]
    fn a_start_far_beyond_the_rest_is_cut_off() {
        let line = |until: f64| (0..100).map(|t| (f64::from(t), if f64::from(t) < until { 1000.0 } else { 20.0 })).collect::<Vec<_>>();
        let (_, cut) = curves("time, ms", "queue, KB", &[("a", line(5.0))]);
        assert_eq!((cut.y_label.as_str(), cut.y), ("queue, KB (at the start up to 1000)", Axis::Linear(0.0, 27.0)));
        for (x, until) in [("time, ms", 50.0), ("flows", 5.0)] {
            let (_, whole) = curves(x, "queue, KB", &[("a", line(until))]);
            assert_eq!((whole.y_label.as_str(), whole.y), ("queue, KB", Axis::Linear(0.0, 1080.0)));
        }
        let (_, log) = decades("time, ms", "queue, KB", 1.0, &[("a", line(5.0))]);
        assert_eq!((log.y_label.as_str(), log.y), ("queue, KB", Axis::Log(10.0, 1000.0)));
        let (_, below) = curves("flows", "margin, degrees", &[("a", vec![(1.0, -50.0), (2.0, 100.0)])]);
        assert_eq!(below.y, Axis::Linear(-54.0, 108.0));
    }

    /// A plot for a file has its names in rows that are as wide as it is.
    #[test]
    fn a_file_has_the_names_above_its_plot() {
        let names: Vec<String> = (0..12).map(|i| format!("line <{i}>")).collect();
        let named: Vec<Named> = names.iter().map(|n| (n.as_str(), vec![(0.0, 1.0), (1.0, 2.0)])).collect();
        let (legend, plot) = curves("x", "y", &named);
        let text = svg(&legend, &plot);
        assert!(text.starts_with("<svg viewBox=\"0 0 760 364\"") && text.contains("<svg x=\"0\" y=\"44\""), "{text}");
        assert_eq!((text.matches("line &lt;").count(), text.matches("</svg>").count()), (12, 2));
    }
}
