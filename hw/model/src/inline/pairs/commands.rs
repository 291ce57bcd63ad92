//! Commands of the host to the table of queue pairs.
use crate::csr::Settings;
use crate::queue_pairs::{Command, Key, Out};
use timely_regs::map::roce;

/// A command under way, and the outcome of the last one.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    /// Waits until the table takes it: it removes.
    offered: Option<bool>,
    /// The table has it.
    runs: bool,
    outcome: u8,
    flow: u32,
}

impl Commands {
    /// `roce::STATUS`; `held` says that the table is not in use.
    pub fn status(&self, held: bool) -> u32 {
        let busy = held || self.offered.is_some() || self.runs;
        u32::from(busy) << roce::BUSY.low
            | 1 << roce::PRESENT.low
            | u32::from(self.outcome) << roce::OUTCOME.low
            | self.flow << roce::FLOW.low
    }

    /// No command waits for the table.
    pub fn is_idle(&self) -> bool {
        self.offered.is_none()
    }

    /// The command for the table.
    pub fn offered(&self, c: &Settings) -> Option<Command> {
        self.offered.map(|remove| Command {
            remove,
            key: Key { address: c.pair_address, pair: c.pair_remote },
            local: (c.pair_local >> roce::LOCAL_GIVEN.low & 1 == 1).then_some(c.pair_local & roce::LOCAL_PAIR.mask()),
            profile: c.pair_set_profile,
        })
    }

    /// A clock: a register that was written, and what the table shows.
    pub fn step(&mut self, held: bool, written: Option<(u32, u32)>, table: &Out) {
        if self.offered.is_some() && table.ready {
            (self.offered, self.runs) = (None, true);
        }
        if let Some((status, flow)) = table.reply {
            (self.runs, self.outcome, self.flow) = (false, status as u8, flow);
        }
        if let Some((word, data)) = written.filter(|w| w.0 == roce::COMMAND.word()) {
            debug_assert_eq!(word, roce::COMMAND.word());
            self.offered = Some(data == roce::REMOVE);
        }
        if held {
            *self = Commands::default();
        }
    }
}
