//! What the open tools need for a whole NIC, beyond what a block needs: few control sets, a global reset, sites for its macros, room.
pub mod floorplan;
pub mod globals;
pub mod sets;

/// Options of nextpnr: regions four fifths full, for with its own nine tenths the last wires stay taken twice; and the router that
/// weighs wires that many ask for. (The other gives a wire to whoever asks last, and most of its time goes into giving them back.)
pub const NEXTPNR: [&str; 4] = ["--placer-heap-beta", "0.8", "--router", "router2"];
