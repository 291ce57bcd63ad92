//! Fluid models of "ECN or Delay" (CoNEXT'16): delay differential equations of N flows, each with
//! its own start and rate.
//!
//! [`law`] is what a law is, [`dcqcn`] and [`timely`] are the laws, [`solve`] integrates them,
//! [`settings`] names their parameters.
pub mod dcqcn;
pub mod law;
pub mod marking;
pub mod settings;
pub mod solve;
pub mod timely;

use settings::Settings;
use solve::{Error, FlowStart, Series, Steps};

/// Integrates a model with its parameters.
///
/// # Errors
/// The queue runs away.
pub fn run(settings: &Settings, flows: &[FlowStart], steps: &Steps) -> Result<Series, Error> {
    if settings.model.is_dcqcn() { solve::solve(&settings.dcqcn(), flows, steps) } else { solve::solve(&settings.timely(), flows, steps) }
}
