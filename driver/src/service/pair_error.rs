//! Refusals of requests for queue pairs.
use crate::units::{Mbps, Micros};
use std::net::IpAddr;
use timely_regs::map::roce;

/// Longest interval between two notifications of a pair: 24 bits of ns.
pub(super) const MOST_INTERVAL_US: u32 = 16_777;
/// Greatest bound in the store, in cells.
pub(super) const MOST_CELLS: u32 = 65_535;
/// Greatest differentiated-services code point.
pub(super) const MOST_DSCP: u32 = 63;
/// Most packets from one that asks for an ACK to the next that is made to ask.
pub(super) const MOST_ASK_EVERY: u32 = 255;
/// Priority of pairs when nothing is said: RoCEv2's class in most networks.
pub(super) const PRIORITY: u32 = 3;

/// Why a request for queue pairs was not done.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum PairError {
    /// The form of the NIC has no table.
    #[error("this NIC has no table of queue pairs; emit it with `timely-hw emit --shell opennic --roce` (docs/roce.md)")]
    None,
    /// The table is not in use.
    #[error("the table of queue pairs is not in use; `timelyctl pairs setup` takes it into use")]
    Off,
    /// A path MTU that RoCEv2 does not have.
    #[error("a path MTU of {0} bytes is none of RoCEv2's; give 256, 512, 1024, 2048 or 4096, or 0 where it is unknown")]
    Mtu(u32),
    /// An age that the register does not hold.
    #[error("an age of {asked} s is too long for this clock; give 0 to {most} s, 0 to forget no pair")]
    Age {
        /// Asked for.
        asked: u32,
        /// Longest.
        most: u64,
    },
    /// An interval of notifications that the register does not hold.
    #[error("no interval of {0} us between congestion notifications is to be had; give 1 to {MOST_INTERVAL_US}, 50 for most senders")]
    Interval(u32),
    /// A number of packets that the register does not hold.
    #[error("packets cannot be made to ask for an ACK every {0}; give 1 to {MOST_ASK_EVERY}, or 0 to leave them as they are")]
    AskEvery(u32),
    /// A priority that is none.
    #[error("{0} is no priority; give 0 to 7, {PRIORITY} in most networks")]
    Priority(u32),
    /// A bound that lets a pair have nothing in the store, or that the register does not hold.
    #[error("a store bound of {0} cells cannot be; give 1 to {MOST_CELLS}, more than the window of the host's sender")]
    Store(u32),
    /// A flow that would be added or changed where flows are queue pairs'.
    #[error("flows of this NIC are its queue pairs'; `timelyctl pairs join ADDRESS QP` makes one, and its profile sets it")]
    Flows,
    /// A flow of a pair, which goes with its pair.
    #[error(
        "flow {0} is a queue pair's, as all flows of this NIC; `timelyctl pairs remove ADDRESS QP` removes it with its pair (`rdma resource show qp` \
         has the number, `rdma resource show cm_id` the address)"
    )]
    Flow(u32),
    /// More rules than there is room for.
    #[error("{0} rules are too many; give {most} at most, of which the first that is for a pair decides", most = roce::RULES)]
    Rules(usize),
    /// An unset profile.
    #[error("profile {profile} is unset; `timelyctl profile set {profile} timely-10g{least}` first")]
    Unset {
        /// The profile.
        profile: u32,
        /// Setting of its least rate, if there is a floor.
        least: String,
    },
    /// A profile that may hold a pair's packets longer than the host waits for their ACKs.
    #[error(
        "profile {profile} may slow a pair to {slowest}, at which all that it may have in the NIC, {cells} cells in the store and packets in front of it, takes {takes} to leave, and has half of the {timeout} \
         after which the host sends all again: READs may have the other half. `timelyctl profile set {profile} {set}` or more, or give a smaller --store-bound or the \
         time-out of the host's queue pairs as --host-timeout (0 where it is not to be kept)"
    )]
    Floor {
        /// The profile.
        profile: u32,
        /// Slowest rate of the profile.
        slowest: Mbps,
        /// Setting of the least rate that keeps the time-out.
        set: String,
        /// Cells of a pair.
        cells: u32,
        /// Time that they take.
        takes: Micros,
        /// The host's time-out.
        timeout: Micros,
    },
    /// A DSCP that is none.
    #[error("{0} is no DSCP; give 0 to {MOST_DSCP}")]
    Dscp(u32),
    /// A number of no queue pair.
    #[error("{0} is no number of a queue pair; give 2 to 16777215, as `rdma resource show qp` shows it")]
    Number(u32),
    /// A random secret that is no secret.
    #[error(
        "the system's random source gave zeros for the secret of the hash, with which other hosts choose collisions; nothing was set up"
    )]
    Secret,
    /// There is no such pair.
    #[error("{remote} at {address} is no pair that the table knows; nothing was removed")]
    Unknown {
        /// Remote address.
        address: IpAddr,
        /// Remote queue pair.
        remote: u32,
    },
    /// The port has no address, so that no answer is to it.
    #[error(
        "the port has no MAC address, by which answers to this host are known; `timelyctl port set --mac MAC`, with the address of the RDMA \
         device's interface (`ip link`)"
    )]
    Mac,
    /// A list of the host's queue pairs that is too long.
    #[error("a list of {listed} queue pairs is too long; name the RDMA device behind this NIC with --rdma, {most} at most")]
    Listed {
        /// Queue pairs in the list.
        listed: usize,
        /// Most.
        most: usize,
    },
    /// No flow is left.
    #[error("all {0} flows have pairs; remove one, or set the table up with an --age")]
    Full(u32),
    /// The hash is taken.
    #[error(
        "the table has no place for {0}, for its hash is another pair's; it goes unpaced until `timelyctl pairs setup` draws another secret"
    )]
    Crowded(u32),
    /// The local number is another pair's.
    #[error(
        "answers to local queue pair {local} belong to another pair: this one was set and is not joined; remove the other, or give the right --local"
    )]
    Ambiguous {
        /// Local queue pair.
        local: u32,
    },
}
