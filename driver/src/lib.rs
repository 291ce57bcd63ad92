//! The timely-nic driver in user space.
//!
//! [`transport`] reaches a device: kernel VFIO, vfio-user over a socket, a card beside its network
//! driver, a serial line, or any other implementation of [`transport::Transport`]. [`board`] finds
//! the registers on it. [`nic`] is the driver's logic, written once on the register accessors of
//! `timely_regs`: opening and closing in the careful order, flows, profiles, event ring, snapshots,
//! heartbeat. [`selftest`] runs all of it on a device and says what held.
//!
//! ```
//! use std::net::Ipv4Addr;
//! use timely_driver::nic::{End, Nic, Start};
//! use timely_driver::transport::vfio_user::VfioUser;
//! use timely_regs::flow::FlowRecord;
//! use timely_regs::parameters::Parameters;
//! # let socket = std::env::temp_dir().join(format!("timely-open-{}", std::process::id()));
//! # // The NIC's model, served by a thread as `timely-sim serve --model` does.
//! # use timely_sim::serve::{device::Function, listener::Listener, serve, setup};
//! # use timely_sim::{cores, scenario::NicKind, time::Speed};
//! # let (kind, speed, pair) = (NicKind::Model, Speed::gbps(10.0), None);
//! # let options = setup::Options { kind, bus_bits: 64, flow_bits: 10, speed, pair, seed: 1 };
//! # let function = Function::new(setup::wire(&options, &cores::known())?, true);
//! # let listener = Listener::bind(&socket)?;
//! # let (stop, stopped) = std::os::unix::net::UnixStream::pair()?;
//! # let server = std::thread::spawn(move || serve(&listener, function, &stopped, None));
//!
//! // `socket` is that of `timely-sim serve --socket PATH --model`.
//! let transport = VfioUser::connect(&socket)?;
//! let mut nic = Nic::open(Box::new(transport), Start::Fresh)?;
//! nic.set_profile(0, &Parameters::timely_10g(15.0))?;
//! let to = Ipv4Addr::new(11, 0, 1, 1).into();
//! let record = FlowRecord { address: to, mac: [2, 0, 0, 0, 0, 1], ..FlowRecord::default() };
//! let flow = nic.add_flow(None, &record)?;
//! nic.enable(true)?;
//! nic.post_all(flow, 3)?;
//! let flow = nic.telemetry(flow)?;
//! assert!(flow.rate <= 10_000 << 12); // Mb/s, Q.12
//! nic.close(End::Stopped)?;
//! # drop(stop);
//! # server.join().expect("the server's end")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(clippy::print_stdout, clippy::print_stderr)]
pub mod board;
pub mod client;
pub mod clock;
pub mod command;
pub mod config;
pub mod daemon;
pub mod error;
pub mod failure;
pub mod folders;
pub mod host;
pub mod lock;
pub mod nic;
pub mod pci;
pub mod plan;
pub mod protocol;
pub mod rdma;
pub mod record;
pub mod registers;
pub mod report;
pub mod say;
pub mod selftest;
pub mod service;
pub mod signals;
pub mod sim;
pub mod spec;
pub mod target;
pub mod traffic;
pub mod transport;
pub mod units;

pub use error::Error;
