//! Figures and what is asked of them.

/// The bound that a figure must keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// No less.
    AtLeast(f64),
    /// No more.
    AtMost(f64),
    /// Equal.
    Exactly(f64),
}

impl Bound {
    /// A value keeps to it.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Bound::AtLeast(b) => value >= b,
            Bound::AtMost(b) => value <= b,
            Bound::Exactly(b) => value == b,
        }
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Bound::AtLeast(b) => write!(f, "at least {}", number(b)),
            Bound::AtMost(b) => write!(f, "at most {}", number(b)),
            Bound::Exactly(b) => write!(f, "{}", number(b)),
        }
    }
}

/// A figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Name of the figure; dots separate its groups.
    pub key: String,
    /// Value of the figure; `None` if it could not be measured.
    pub value: Option<f64>,
    /// Bound that the figure must keep.
    pub bound: Option<Bound>,
    /// Explanation of the figure, or why there is none.
    pub note: String,
}

impl Figure {
    pub(super) fn new(key: &str, value: f64, note: &str) -> Self {
        Figure { key: key.into(), value: Some(value), bound: None, note: note.into() }
    }

    pub(super) fn missing(key: &str, why: &str) -> Self {
        Figure { key: key.into(), value: None, bound: None, note: why.into() }
    }

    pub(super) fn bound(self, bound: Bound) -> Self {
        Figure { bound: Some(bound), ..self }
    }

    /// The figure misses its bound.
    pub fn is_missed(&self) -> bool {
        matches!((self.value, self.bound), (Some(v), Some(b)) if !b.holds(v))
    }
}

/// A number as people read it: four digits that mean something.
pub fn number(x: f64) -> String {
    if x != 0.0 && (x.abs() < 1e-3 || x.abs() >= 1e7) {
        format!("{x:.1e}")
    } else if x.fract() == 0.0 || x.abs() >= 1000.0 {
        format!("{x:.0}")
    } else {
        let decimals = (3 - x.abs().log10().floor() as i32).clamp(0, 4) as usize;
        format!("{x:.decimals$}")
    }
}
