//! Why a request is not done.
use super::PairError;
use crate::plan::PlanError;
use crate::registers::NameError;
use crate::spec::SpecError;
use crate::{Error, clock};

/// Why a request was not done.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The device, or the transport to it.
    #[error(transparent)]
    Device(#[from] Error),
    /// A value that cannot be.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A value of a file that cannot be.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A name that is no register's.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A request for queue pairs.
    #[error(transparent)]
    Pair(#[from] PairError),
    /// A register that cannot be read, or cannot be written.
    #[error("{register} is {access}; docs/registers.md says what may be done with it")]
    Access {
        /// The register.
        register: String,
        /// Access that the register has: read only or write only.
        access: &'static str,
    },
    /// A block that is none.
    #[error("there is no block `{0}`; `timelyctl reg list` names them all")]
    NoBlock(String),
    /// A number of pairs that cannot be.
    #[error("{0} pairs; give {least} to {most}", least = clock::LEAST_PAIRS, most = MOST_PAIRS)]
    Pairs(u32),
    /// More flows than there are: an answer has no more records than the device has flows.
    #[error("{asked} flows; the device has {flows}, name each once")]
    Flows {
        /// Flows asked for.
        asked: usize,
        /// Flows of the device.
        flows: u32,
    },
}

/// Most pairs of times that one request reads.
pub const MOST_PAIRS: u32 = 10_000;

impl ServiceError {
    /// The device is gone, or the server of it: no later request can be done.
    pub fn is_gone(&self) -> bool {
        use crate::transport::Failure;
        matches!(self, ServiceError::Device(Error::Transport(Failure::Gone { .. } | Failure::Closed { .. })))
    }

    /// Kind of the error: the code that a client of the socket gets, and the exit code of
    /// `timelyctl`.
    pub fn code(&self) -> (&'static str, u8) {
        use crate::transport::Failure;
        match self {
            ServiceError::Device(Error::Transport(Failure::InUse { .. })) => ("in_use", 4),
            ServiceError::Device(
                Error::OutOfRange(_)
                | Error::Parameter(_)
                | Error::NoFlow { .. }
                | Error::FlowInUse(_)
                | Error::FlowNotInUse(_)
                | Error::NoFlowLeft(_)
                | Error::NoWindow { .. }
                | Error::Doorbell { .. }
                | Error::Heartbeat { .. },
            )
            | ServiceError::Spec(_)
            | ServiceError::Plan(_)
            | ServiceError::Name(_)
            | ServiceError::Pair(_)
            | ServiceError::Access { .. }
            | ServiceError::NoBlock(_)
            | ServiceError::Pairs(_)
            | ServiceError::Flows { .. } => ("refused", 3),
            ServiceError::Device(_) => ("device", 1),
        }
    }
}
