//! Why a scenario cannot be run, in words that say what to change.
use super::NicKind;
use std::path::PathBuf;

/// Why a scenario cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("{}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        source: crate::input::Error,
    },
    /// A file is not what it should be.
    #[error("{}:{line}: {message}", file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// The line.
        line: usize,
        /// Reason.
        message: String,
    },
    /// A value that is not allowed.
    #[error("{}:{line}: {field} is {value}; allowed: {allowed}", file.display())]
    Value {
        /// The file.
        file: PathBuf,
        /// The line.
        line: usize,
        /// The field.
        field: String,
        /// Value of the field.
        value: String,
        /// Allowed values.
        allowed: String,
    },
    /// A value that is not allowed, in a scenario with changed fields.
    #[error("{}, changed: {field} is {value}; allowed: {allowed}", file.display())]
    Changed {
        /// The file.
        file: PathBuf,
        /// The field.
        field: String,
        /// Value of the field.
        value: String,
        /// Allowed values.
        allowed: String,
    },
    /// An option that is not allowed.
    #[error("{option} is {value}; allowed: {allowed}")]
    Option {
        /// The option.
        option: String,
        /// Value of the option.
        value: String,
        /// Allowed values.
        allowed: String,
    },
    /// A topology that does not hold together.
    #[error("{}: topology: {message}", file.display())]
    Topology {
        /// The file.
        file: PathBuf,
        /// Reason.
        message: String,
    },
    /// A flow without a path.
    #[error(transparent)]
    Way(#[from] crate::topology::Error),
    /// A port that is not there.
    #[error("node {node} has no port {port}; ports count from 0 in the order of the node's links")]
    NoPort {
        /// The node.
        node: crate::frame::NodeId,
        /// The port.
        port: u16,
    },
    /// A watched port that has no queue.
    #[error("node {node} is a host, and its port has no queue to watch; name a switch and one of its ports, such as the one at the host")]
    NoQueue {
        /// The node.
        node: crate::frame::NodeId,
    },
    /// A scenario without flows.
    #[error(
        "there are no flows; add a [[flow]] table, or flows to the file of flows: the second one of `hpcc`, `flows_file` of a scenario"
    )]
    NoFlows,
    /// A scenario of which nothing happens.
    #[error("no flow starts before the run's end at {end_us} us, the first at {first_us} us; let it start earlier, or run for longer")]
    Late {
        /// When the first flow starts, microseconds.
        first_us: f64,
        /// When the run ends, microseconds.
        end_us: f64,
    },
    /// A profile that the hardware cannot hold.
    #[error("profile {name}: {message}")]
    Profile {
        /// Name of the profile.
        name: String,
        /// Reason.
        message: String,
    },
    /// NICs of this kind cannot be had.
    #[error("{kind} NICs: {message}")]
    Nic {
        /// The kind.
        kind: NicKind,
        /// Why.
        message: String,
    },
}
