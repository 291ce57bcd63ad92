//! The border of stability: where the margin changes its sign, nearest to a number of flows and a
//! delay.

/// Most flows at which a border is looked for.
pub const MOST_FLOWS: u32 = 128;
/// Delays between which a border is looked for, us.
pub const DELAYS_US: (f64, f64) = (0.1, 1e4);
/// Delays of a decade that are looked at.
const DECADE: f64 = 10.0;
/// Halvings of the interval of a border.
const HALVINGS: usize = 40;

/// The nearest change of the margin's sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Border {
    /// Number of flows with the other sign at the row's delay, the nearest of 1 to 128; `None`:
    /// there is none.
    pub flows: Option<u32>,
    /// Delay at which the margin of the row's flows is 0, us, the nearest of 0.1 to 10,000; `None`:
    /// there is none.
    pub delay_us: Option<f64>,
}

impl Border {
    /// The two numbers as columns of CSV.
    pub fn csv(&self) -> String {
        let flows = self.flows.map_or(String::new(), |n| n.to_string());
        format!("{flows},{}", self.delay_us.map_or(String::new(), |d| format!("{d:.6}")))
    }
}

/// The border next to a number of flows and a delay, by a function that says whether a margin is
/// positive; `None` of it is a law without a margin.
pub fn border(flows: f64, delay_us: f64, stable: impl Fn(f64, f64) -> Option<bool>) -> Border {
    let Some(here) = stable(flows, delay_us) else { return Border::default() };
    let number = |n: i64| (1..=i64::from(MOST_FLOWS)).contains(&n).then_some(n as u32);
    let further = i64::from(MOST_FLOWS).max(flows as i64);
    let other = (1..=further)
        .flat_map(|k| [flows as i64 - k, flows as i64 + k])
        .filter_map(number)
        .find(|n| stable(f64::from(*n), delay_us) == Some(!here));
    Border { flows: other, delay_us: delay_border(delay_us, |delay| stable(flows, delay), here) }
}

fn delay_border(from_us: f64, stable: impl Fn(f64) -> Option<bool>, here: bool) -> Option<f64> {
    let inside = |d: &f64| (DELAYS_US.0..=DELAYS_US.1).contains(d);
    let at = |k: i32| from_us.max(DELAYS_US.0) * 10f64.powf(f64::from(k) / DECADE);
    let furthest = ((DELAYS_US.1 / DELAYS_US.0).log10() * DECADE) as i32 + 1;
    // The step before has the other sign, and is no delay that cannot be held.
    let turns = |k: i32| inside(&at(k)) && stable(at(k)) == Some(!here) && (k == 0 || stable(at(k - k.signum())) == Some(here));
    let found = (0..=furthest).flat_map(|k| [-k, k]).find(|k| turns(*k))?;
    let (mut near, mut far) = (at(found - found.signum()), at(found));
    for _ in 0..HALVINGS {
        let middle = (near * far).sqrt();
        if stable(middle)? == here { near = middle } else { far = middle }
    }
    Some(far)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stable from 7 flows on below 60 us, and for no number of flows beyond.
    fn known(flows: f64, delay_us: f64) -> Option<bool> {
        Some(flows >= 7.0 && delay_us < 60.0)
    }

    #[test]
    fn the_nearest_change_of_sign_is_found() {
        let of = |flows, delay| border(flows, delay, known);
        assert_eq!(of(9.0, 8.0).flows, Some(6));
        assert_eq!(of(2.0, 8.0), Border { flows: Some(7), delay_us: None });
        assert!((of(9.0, 8.0).delay_us.expect("a border") / 60.0 - 1.0).abs() < 1e-9);
        assert!((of(9.0, 500.0).delay_us.expect("a border") / 60.0 - 1.0).abs() < 1e-9);
        assert_eq!(of(9.0, 500.0).flows, None);
        assert_eq!(of(500.0, 8.0).flows, Some(6));
        assert!((of(9.0, 0.0).delay_us.expect("a border") / 60.0 - 1.0).abs() < 1e-9);
        assert_eq!(border(2.0, 8.0, |_, _| None), Border::default());
    }
}
