//! The definitions that timely-nic hardware and software share, each written once: the wire format,
//! the register map, the layout of profiles, flow records, telemetry records and event records, the
//! list of counters, the boards, a profile in human units, registers over a serial line, and values
//! as people write them. No dependencies, no `unsafe`.
pub mod board;
pub mod corundum;
pub mod counters;
pub mod device;
pub mod event;
pub mod field;
pub mod flow;
pub mod generate;
pub mod histogram;
pub mod layout;
pub mod link;
pub mod map;
pub mod parameters;
pub mod pci;
pub mod profile;
pub mod recording;
pub mod roce;
pub mod serial;
pub mod telemetry;
pub mod text;
pub mod wire;
