//! The targets, a file each.
mod config;
mod daemon;
mod hpcc;
mod lateness;
mod metrics;
mod recording;
mod roce;
mod run;
mod scenario;
mod sizes;
mod sweep;
mod text;
mod topology;
mod vfio_user;
mod wire;

use crate::Target;

pub const ALL: &[Target] = &[
    Target { name: "wire", run: wire::run },
    Target { name: "roce", run: roce::run },
    Target { name: "vfio_user", run: vfio_user::run },
    Target { name: "daemon", run: daemon::run },
    Target { name: "metrics", run: metrics::run },
    Target { name: "scenario", run: scenario::run },
    Target { name: "run", run: run::run },
    Target { name: "sweep", run: sweep::run },
    Target { name: "topology", run: topology::run },
    Target { name: "hpcc", run: hpcc::run },
    Target { name: "sizes", run: sizes::run },
    Target { name: "lateness", run: lateness::run },
    Target { name: "recording", run: recording::run },
    Target { name: "config", run: config::run },
    Target { name: "text", run: text::run },
];
