//! Whether the loop opens in networks: flows that hear nothing of their segments, on the models.
use super::figure::{Bound, Figure};
use timely_sim::cores;
use timely_sim::loops::Cell;

/// Simulated time of each network, milliseconds.
const MS: f64 = 3.0;

/// Measures it.
///
/// # Errors
/// A network that cannot be run, in a sentence.
pub fn measure(quick: bool, out: &mut Vec<Figure>) -> Result<(), String> {
    let (cells, ms) = if quick { (&Cell::FEW[..1], 0.1) } else { (&Cell::FEW[..], MS) };
    let (mut flows, mut blind, mut longest) = (0, 0, 0f64);
    for cell in cells {
        let heard = cell.run(cores::factory().as_ref(), ms).map_err(|e| format!("{cell}: {e}"))?;
        (flows, blind, longest) = (flows + heard.flows, blind + heard.blind, longest.max(heard.longest_us));
    }
    let what = format!(
        "of {flows} in {} networks of models, standalone, in line and in Corundum, 10 to 100 Gb/s, to 32 to 1, with and without a bound: those without a sample or a \
         time-out for a time-out and a scan; the longest wait was {longest:.0} us",
        cells.len()
    );
    out.push(Figure::new("loop.blind_flows", blind as f64, &what).bound(Bound::Exactly(0.0)));
    Ok(())
}
