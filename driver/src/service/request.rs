//! Requests, as they stand on the daemon's socket.
use super::{PairKey, PairNumbers, PairSetup, PairsChange};
use crate::spec::{FlowSpec, PortSpec, ProfileSpec, RuleSpec};
use serde::{Deserialize, Serialize};

/// A request. As JSON its fields stand beside `verb`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs)]
pub enum Request {
    /// Identity, version, state and addresses of the device.
    Info {},
    /// Resets it; nothing is configured then.
    Reset {},
    /// Removes every flow at once; all else goes on.
    ResetFlows {},
    /// Lets flows send, or stops them all.
    Enable {
        on: bool,
    },
    PortShow {},
    PortSet {
        port: PortSpec,
    },
    ProfileList {},
    ProfileShow {
        profile: u32,
    },
    ProfileSet {
        profile: u32,
        spec: ProfileSpec,
    },
    FlowList {},
    FlowShow {
        flow: u32,
    },
    /// Without a number the lowest free one is taken.
    FlowAdd {
        flow: Option<u32>,
        spec: FlowSpec,
    },
    /// Rate, backlog and counters stay.
    FlowSet {
        flow: u32,
        spec: FlowSpec,
    },
    FlowRemove {
        flow: u32,
    },
    /// Posts packets of a flow that is not endless.
    FlowPost {
        flow: u32,
        packets: u32,
    },
    /// State of the table of RoCEv2's queue pairs.
    PairsShow {},
    /// Takes the table into use with a secret of the system's; pairs that it knew are forgotten.
    PairsSetup {
        setup: PairSetup,
    },
    /// Changes settings of the table in use, which keeps its pairs.
    PairsChange {
        change: PairsChange,
    },
    /// Replaces the rules of pairs that are learned from then on.
    PairsRules {
        rules: Vec<RuleSpec>,
    },
    /// Takes the table out of use: every packet goes past unpaced.
    PairsStop {},
    /// Sets a pair, and joins it with the local one if that is given.
    PairJoin {
        pair: PairKey,
        local: Option<u32>,
        profile: u32,
    },
    PairRemove {
        pair: PairKey,
    },
    /// Pairs that the table knows.
    PairsList {},
    /// Takes answers whose pairs are not joined, and joins those that this list has.
    PairsMatch {
        pairs: Vec<PairNumbers>,
    },
    /// Removes a pair that was joined by its answers, if it is still what it was.
    PairOver {
        flow: u32,
        pair: PairKey,
        local: u32,
    },
    /// Of these flows; of all in use without.
    Telemetry {
        flows: Option<Vec<u32>>,
    },
    RegRead {
        register: String,
    },
    RegWrite {
        register: String,
        value: u32,
    },
    RegDump {
        block: Option<String>,
    },
    /// Reads the NIC's clock and the host's so many times.
    Clock {
        pairs: u32,
    },
    /// Records one of so many rate updates from now on; 0 none.
    Events {
        every: u32,
        flow: Option<u32>,
        profile: Option<u32>,
    },
}

impl Request {
    /// The request changes the device: its configuration, its registers, or the packets posted to
    /// it.
    pub fn changes(&self) -> bool {
        use Request::*;
        matches!(
            self,
            Reset {}
                | ResetFlows {}
                | Enable { .. }
                | PortSet { .. }
                | ProfileSet { .. }
                | FlowAdd { .. }
                | FlowSet { .. }
                | FlowRemove { .. }
                | FlowPost { .. }
                | PairsSetup { .. }
                | PairsChange { .. }
                | PairsRules { .. }
                | PairsStop {}
                | PairJoin { .. }
                | PairRemove { .. }
                | PairsMatch { .. }
                | PairOver { .. }
                | RegWrite { .. }
        )
    }
}
