//! Plots of a few named lines, as papers have them.
use super::page::escape;
use super::plot::{Axis, Line, Plot};

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

/// Colours of lines, in turn.
pub const COLORS: [u32; 6] = [0x0b62a8, 0xd1495b, 0x2e8b57, 0xe08e1b, 0x6a4c93, 0x5a6472];
/// Size of such a plot, pixels.
pub const SIZE: (u32, u32) = (760, 320);

/// Lines through points over a linear x, y from 0.
pub fn curves(x_label: &str, y_label: &str, named: &[Named]) -> (Legend, Plot) {
    let all = || named.iter().flat_map(|n| &n.1);
    let top = all().map(|p| p.1).fold(0.0, f64::max) * 1.08;
    let (low, high) = (all().map(|p| p.0).fold(f64::MAX, f64::min), all().map(|p| p.0).fold(f64::MIN, f64::max));
    let line = |(i, n): (usize, &Named)| Line { color: COLORS[i % 6], points: n.1.clone(), width: 2 };
    let plot = Plot {
        size: SIZE,
        x_label: x_label.into(),
        y_label: y_label.into(),
        x: Axis::Linear(low, high.max(low + 1e-9)),
        y: Axis::Linear(0.0, top.max(1e-9)),
        lines: named.iter().enumerate().map(line).collect(),
        shade: None,
    };
    (named.iter().enumerate().map(|(i, n)| (COLORS[i % 6], n.0.to_owned())).collect(), plot)
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
