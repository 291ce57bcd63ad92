//! Plots as inline SVG.
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// Evenly, from and to.
    Linear(f64, f64),
    /// By powers of ten, from and to.
    Log(f64, f64),
}

/// A line of a plot.
#[derive(Clone, Debug)]
pub struct Line {
    /// Colour, `0xrrggbb`.
    pub color: u32,
    /// Points in the order of x.
    pub points: Vec<(f64, f64)>,
    /// Width in pixels.
    pub width: u32,
}

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Size in pixels.
    pub size: (u32, u32),
    /// Name of the x axis, with its unit.
    pub x_label: String,
    /// Name of the y axis, with its unit.
    pub y_label: String,
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The lines, the last on top.
    pub lines: Vec<Line>,
    /// A shaded range of x.
    pub shade: Option<(f64, f64)>,
}

fn rgb(c: u32) -> RGBColor {
    RGBColor((c >> 16) as u8, (c >> 8) as u8, c as u8)
}

/// A number as short as it can be read: `0.1`, `5`, `1000`, `1e6`.
pub fn short(v: &f64) -> String {
    let v = if v.abs() < 1e-9 { 0.0 } else { *v };
    if v.abs() >= 1e6 {
        return format!("{v:e}");
    }
    let text = format!("{v:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

const INK: RGBColor = RGBColor(0x44, 0x4b, 0x55);
const GRID: RGBColor = RGBColor(0xe4, 0xe7, 0xeb);
const SHADE: RGBColor = RGBColor(0xf3, 0xf6, 0xf9);

impl Plot {
    /// The plot as an SVG element that scales with its place.
    pub fn svg(&self) -> String {
        let mut text = String::new();
        {
            let root = SVGBackend::with_string(&mut text, self.size).into_drawing_area();
            // Writing to a string does not fail.
            let drawn = match (self.x, self.y) {
                (Axis::Linear(a, b), Axis::Linear(c, d)) => self.draw(&root, a..b, c..d),
                (Axis::Log(a, b), Axis::Linear(c, d)) => self.draw(&root, (a..b).log_scale(), c..d),
                (Axis::Linear(a, b), Axis::Log(c, d)) => self.draw(&root, a..b, (c..d).log_scale()),
                (Axis::Log(a, b), Axis::Log(c, d)) => self.draw(&root, (a..b).log_scale(), (c..d).log_scale()),
            };
            drawn.and_then(|()| root.present()).expect("an SVG in memory");
        }
        let (w, h) = self.size;
        let head = format!("<svg width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\"");
        // Half of the last label of the x axis stands in the right margin.
        text.replacen(&head, &format!("<svg viewBox=\"0 0 {w} {h}\" role=\"img\""), 1)
    }

    fn draw<X, Y>(
        &self,
        root: &DrawingArea<SVGBackend<'_>, Shift>,
        x: X,
        y: Y,
    ) -> Result<(), DrawingAreaErrorKind<<SVGBackend<'_> as DrawingBackend>::ErrorType>>
    where
        X: plotters::coord::ranged1d::AsRangedCoord<Value = f64>,
        Y: plotters::coord::ranged1d::AsRangedCoord<Value = f64>,
        X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let (Axis::Linear(x0, x1) | Axis::Log(x0, x1)) = self.x;
        let (Axis::Linear(y0, y1) | Axis::Log(y0, y1)) = self.y;
        let mut chart = ChartBuilder::on(root)
            .margin_top(10)
            .margin_right(34)
            .margin_left(6)
            .x_label_area_size(44)
            .y_label_area_size(58)
            .build_cartesian_2d(x, y)?;
        if let Some((a, b)) = self.shade {
            chart.draw_series([Rectangle::new([(a.max(x0), y0), (b.min(x1), y1)], SHADE.filled())])?;
        }
        let font = |size: u32| ("system-ui, sans-serif", size).into_font().color(&INK);
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(RGBColor(0xb8, 0xbf, 0xc8))
            .label_style(font(13))
            .axis_desc_style(font(13))
            .x_label_formatter(&short)
            .y_label_formatter(&short)
            .x_labels(8)
            .y_labels(6)
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .draw()?;
        for l in &self.lines {
            let inside = l.points.iter().map(|p| (p.0.clamp(x0, x1), p.1.clamp(y0, y1)));
            chart.draw_series(LineSeries::new(inside, rgb(l.color).stroke_width(l.width)))?;
        }
        Ok(())
    }
}
