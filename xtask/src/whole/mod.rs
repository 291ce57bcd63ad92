//! What the open tools need for a whole NIC, beyond what a block needs: few control sets, a global reset, sites for its macros, room.
pub mod floorplan;
pub mod globals;
pub mod sets;

/// What nextpnr is told of the FPGA that everything is placed on.
pub const DEVICE: [&str; 6] = ["--um5g-85k", "--package", "CABGA554", "--speed", "8", "--timing-allow-fail"];

/// Options of nextpnr: regions four fifths full, for with its own nine tenths the last wires stay taken twice; and the router that
/// weighs wires that many ask for. (The other gives a wire to whoever asks last, and most of its time goes into giving them back.)
pub const NEXTPNR: [&str; 4] = ["--placer-heap-beta", "0.8", "--router", "router2"];
/// How `globals` and `floorplan` are used, by a name that changes with them: what was placed otherwise is not taken for it.
pub const METHOD: &str = "a global reset, sites annealed from a placement by the same nextpnr, those of one address together";
