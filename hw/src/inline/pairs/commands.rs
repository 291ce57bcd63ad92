//! Commands of the host to the table of queue pairs.
use crate::bus::{PairCommandOut, PairReplyIn, StoreWriteIn};
use crate::constant::Const;
use crate::csr::SettingsBus;
use crate::packed::packed;
use rust_hdl::prelude::*;
use timely_model::queue_pairs::Status;
use timely_regs::map::roce::{self, BUSY, FLOW, OUTCOME, PRESENT};

const _: () = assert!(BUSY.low == 0 && PRESENT.low == 1 && OUTCOME.low == 4 && OUTCOME.high == 6 && FLOW.low == 16);
const _: () = assert!(roce::SET == 1 && roce::REMOVE == 2 && Status::Ambiguous as u32 == 4);

packed! {
    /// The setting of a command's local queue pair.
    struct LocalPair {
        pair: Bits<24>,
        given: Bit,
    }
}

/// A write of `COMMAND` is offered to the table until that takes it; the outcome stays in `status`,
/// the register of that name. While `held`, nothing is offered and the outcome is forgotten.
///
/// Latency: a clock from the write. Back pressure: `status` says busy, and csr then refuses a
/// command. Model: `Commands` in `timely_model::inline::pairs`.
#[derive(LogicBlock, Default)]
pub struct PairCommands<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// The table is not in use.
    pub held: Signal<In, Bit>,
    /// Registers that are written.
    pub st: StoreWriteIn,
    /// Settings.
    pub settings: Signal<In, SettingsBus>,
    /// To the table.
    pub command: PairCommandOut,
    /// Outcome.
    pub reply: PairReplyIn<F>,
    /// The register.
    pub status: Signal<Out, Bits<32>>,
    at: Const<Bits<10>>,
    offered: DFF<Bit>,
    removes: DFF<Bit>,
    runs: DFF<Bit>,
    outcome: DFF<Bits<3>>,
    flow: DFF<Bits<F>>,
    busy: Signal<Local, Bit>,
    local_pair: Signal<Local, LocalPair>,
}

impl<const F: usize> PairCommands<F> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { at: Const::new(bits::<10>(roce::COMMAND.word().into())), ..Default::default() }
    }
}

impl<const F: usize> Logic for PairCommands<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, offered, removes, runs, outcome, flow);
        self.busy.next = self.held.val() | (self.offered.q.val() | self.runs.q.val());
        self.status.next = (bit_cast::<32, 1>(self.busy.val().into()) | bits::<32>(2))
            | ((bit_cast::<32, 3>(self.outcome.q.val()) << 4) | (bit_cast::<32, F>(self.flow.q.val()) << 16));
        self.command.valid.next = self.offered.q.val();
        self.command.remove.next = self.removes.q.val();
        self.command.address.next = self.settings.val().pair_address;
        self.command.pair.next = self.settings.val().pair_remote;
        self.local_pair.next = self.settings.val().pair_local.into();
        self.command.joins.next = self.local_pair.val().given;
        self.command.local_pair.next = self.local_pair.val().pair;
        self.command.profile.next = self.settings.val().pair_set_profile;
        if self.offered.q.val() & self.command.ready.val() {
            self.offered.d.next = false;
            self.runs.d.next = true;
        }
        if self.reply.valid.val() {
            self.runs.d.next = false;
            self.outcome.d.next = self.reply.status.val();
            self.flow.d.next = self.reply.flow.val();
        }
        if self.st.valid.val() & (self.st.word.val() == self.at.val()) {
            self.offered.d.next = true;
            self.removes.d.next = self.st.data.val().get_bit(1);
        }
        if self.held.val() {
            self.offered.d.next = false;
            self.runs.d.next = false;
            self.outcome.d.next = bits::<3>(0);
            self.flow.d.next = bits::<F>(0);
        }
    }
}
