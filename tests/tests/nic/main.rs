//! The whole NIC: its Verilog against its model, the model's two faces against each other, and both
//! against a hostile wire.
mod bound;
mod corundum;
mod dma;
mod ecpix5;
mod equal;
mod first_clocks;
mod forged;
mod fourstates;
mod hostile;
mod inline;
mod latency;
mod limited;
mod loss;
mod netfpga;
mod opennic;
mod pacing;
mod pause;
mod ptp;
mod reset;
mod roce;
mod soak;
mod strangers;
mod taxi;
mod wrap;

use timely_tests::loopback::Weather;

/// Everything at once.
const STORM: Weather =
    Weather { lost: 0.02, spoilt: 0.01, repeated: 0.02, forged: 0.05, hostile: 0.002, ready: 0.9, paused: 0.1, delay: 400 };
