//! Changes of a table of queue pairs that is in use, which keeps its pairs.
use super::pair_error::{MOST_ASK_EVERY, PairError};
use super::pairs::notify_settings;
use super::{NotifySetup, Service, ServiceError, json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use timely_regs::device::PairChange;

/// Settings to change, as they are asked for; one that is left out stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairsChange {
    /// Packets from one that asks for an ACK to the next that is made to ask, 1 to 255; 0 none is.
    pub ask_every: Option<u32>,
    /// Congestion notifications are sent in the host's place.
    pub notify: Option<bool>,
    /// Least time between two of a pair, us.
    pub interval_us: Option<u32>,
    /// DSCP of notifications.
    pub dscp: Option<u32>,
}

/// The values of the registers.
fn checked(c: &PairsChange) -> Result<PairChange, PairError> {
    if let Some(every) = c.ask_every.filter(|n| *n > MOST_ASK_EVERY) {
        return Err(PairError::AskEvery(every));
    }
    // Of the two that are checked together, the one that is not given is right.
    let n = notify_settings(NotifySetup { interval_us: c.interval_us.unwrap_or(1), dscp: c.dscp.unwrap_or(0) })?;
    Ok(PairChange {
        ask_every: c.ask_every,
        notify: c.notify,
        interval_ns: c.interval_us.map(|_| n.interval_ns),
        tos: c.dscp.map(|_| n.tos),
    })
}

impl Service {
    /// Changes the table's settings; gives its state.
    pub(super) fn pairs_change(&mut self, change: &PairsChange) -> Result<Value, ServiceError> {
        self.must_have_pairs(true)?;
        let registers = checked(change)?;
        self.nic.checked("the settings of the table of queue pairs", |d| d.change_pairs(&registers))?;
        Ok(json(self.pairs()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_stays() {
        assert_eq!(checked(&PairsChange::default()), Ok(PairChange::default()));
        let c = PairsChange { ask_every: Some(0), notify: Some(false), interval_us: Some(20), dscp: Some(1) };
        assert_eq!(checked(&c), Ok(PairChange { ask_every: Some(0), notify: Some(false), interval_ns: Some(20_000), tos: Some(4) }));
        assert_eq!(checked(&PairsChange { ask_every: Some(256), ..c }), Err(PairError::AskEvery(256)));
        assert_eq!(checked(&PairsChange { interval_us: Some(0), ..c }), Err(PairError::Interval(0)));
        assert_eq!(checked(&PairsChange { dscp: Some(64), ..c }), Err(PairError::Dscp(64)));
    }
}
