//! Commands of the host to the table of queue pairs.
use crate::bus::{PairCommandOut, PairReplyIn, PairToldIn, StoreWriteIn};
use crate::constant::Const;
use crate::csr::SettingsBus;
use crate::packed::packed;
use rust_hdl::prelude::*;
use timely_model::queue_pairs::{Status, Verb};
use timely_regs::map::roce::{self, BUSY, FLOW, OUTCOME, PRESENT, TOLD_GIVEN, TOLD_KNOWN, TOLD_PINNED};

const _: () = assert!(BUSY.low == 0 && PRESENT.low == 1 && OUTCOME.low == 4 && OUTCOME.high == 6 && FLOW.low == 16);
const _: () = assert!(roce::SET == Verb::Set as u32 + 1 && roce::REMOVE == Verb::Remove as u32 + 1);
const _: () = assert!(roce::JOIN == Verb::Join as u32 + 1 && roce::READ == Verb::Read as u32 + 1 && roce::TAKE == 5);
const _: () = assert!(Status::Absent as u32 == 1 && Status::Ambiguous as u32 == 4);
const _: () =
    assert!(roce::TOLD_REMOTE == 4 && roce::TOLD_LOCAL == 5 && TOLD_KNOWN.low == 24 && TOLD_PINNED.low == 25 && TOLD_GIVEN.low == 24);

packed! {
    /// The setting of a command's local queue pair.
    struct LocalPair {
        pair: Bits<24>,
        given: Bit,
    }
}

/// A write of `COMMAND` is offered to the table until that takes it; the outcome stays in `status`,
/// the register of that name, and what a command found in `told`. While `held`, nothing is offered
/// and both are forgotten.
///
/// The first answer to this port since the last `TAKE` whose pair is not joined waits here, for a
/// `TAKE` that shows it without the table.
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
    /// Keys of the pair that is read, before the outcome.
    pub found: PairToldIn,
    /// The pair of an answer to this port is not joined.
    pub unknown: Signal<In, Bit>,
    /// Remote address of that answer, above it the local queue pair.
    pub unknown_key: Signal<In, Bits<152>>,
    /// The command under way reads, and sets no pair.
    pub reads: Signal<Out, Bit>,
    /// The register.
    pub status: Signal<Out, Bits<32>>,
    /// The register `TOLD`.
    pub told: Signal<Out, Bits<32>>,
    at: Const<Bits<10>>,
    offered: DFF<Bit>,
    verb: DFF<Bits<2>>,
    runs: DFF<Bit>,
    outcome: DFF<Bits<3>>,
    flow: DFF<Bits<F>>,
    /// Findings of the last command; bit 24 of the numbers says that there is one.
    address: DFF<Bits<128>>,
    far: DFF<Bits<25>>,
    pinned: DFF<Bit>,
    near: DFF<Bits<25>>,
    /// An answer that waits to be taken.
    waits: DFF<Bit>,
    answer: DFF<Bits<152>>,
    code: Signal<Local, Bits<3>>,
    shown: Signal<Local, Bits<8>>,
    word: Signal<Local, Bits<3>>,
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
        dff_setup!(self, clk, offered, verb, runs, outcome, flow, address, far, pinned, near, waits, answer);
        self.code.next = self.st.data.val().get_bits::<3>(0);
        self.busy.next = self.held.val() | (self.offered.q.val() | self.runs.q.val());
        self.status.next = (bit_cast::<32, 1>(self.busy.val().into()) | bits::<32>(2))
            | ((bit_cast::<32, 3>(self.outcome.q.val()) << 4) | (bit_cast::<32, F>(self.flow.q.val()) << 16));
        self.command.valid.next = self.offered.q.val();
        self.command.verb.next = self.verb.q.val();
        self.command.address.next = self.settings.val().pair_address;
        self.command.pair.next = self.settings.val().pair_remote;
        self.reads.next = self.verb.q.val().all();
        if self.verb.q.val().all() {
            self.command.pair.next = bit_cast::<24, 16>(self.settings.val().pair_flow);
        }
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
            self.far.d.next = bits::<25>(0);
            self.near.d.next = bits::<25>(0);
            self.pinned.d.next = false;
            if self.code.val() == bits::<3>(5) {
                self.outcome.d.next = bits::<3>(1);
                self.flow.d.next = bits::<F>(0);
                self.address.d.next = self.answer.q.val().get_bits::<128>(0);
                if self.waits.q.val() {
                    self.outcome.d.next = bits::<3>(0);
                    self.near.d.next = bit_cast::<25, 24>(self.answer.q.val().get_bits::<24>(128)) | bits::<25>(0x100_0000);
                }
                self.waits.d.next = false;
            } else {
                self.offered.d.next = true;
                // 0 is no command of the host's: csr writes it after a reset.
                self.verb.d.next = bits::<2>(0);
                if self.code.val().any() {
                    self.verb.d.next = self.code.val().get_bits::<2>(0) - bits::<2>(1);
                }
            }
        }
        if self.found.own.val() {
            self.address.d.next = self.found.address.val();
            self.far.d.next = bit_cast::<25, 24>(self.found.pair.val()) | bits::<25>(0x100_0000);
            self.pinned.d.next = self.found.pinned.val();
        }
        if self.found.local.val() {
            self.near.d.next = bit_cast::<25, 24>(self.found.pair.val()) | bits::<25>(0x100_0000);
        }
        if self.unknown.val() & !self.waits.q.val() {
            self.waits.d.next = true;
            self.answer.d.next = self.unknown_key.val();
        }
        self.shown.next = self.settings.val().pair_word;
        self.word.next = self.shown.val().get_bits::<3>(0);
        self.told.next = bits::<32>(0);
        if self.word.val() == bits::<3>(0) {
            self.told.next = self.address.q.val().get_bits::<32>(0);
        }
        if self.word.val() == bits::<3>(1) {
            self.told.next = self.address.q.val().get_bits::<32>(32);
        }
        if self.word.val() == bits::<3>(2) {
            self.told.next = self.address.q.val().get_bits::<32>(64);
        }
        if self.word.val() == bits::<3>(3) {
            self.told.next = self.address.q.val().get_bits::<32>(96);
        }
        if self.word.val() == bits::<3>(4) {
            self.told.next = bit_cast::<32, 25>(self.far.q.val()) | (bit_cast::<32, 1>(self.pinned.q.val().into()) << 25);
        }
        if self.word.val() == bits::<3>(5) {
            self.told.next = bit_cast::<32, 25>(self.near.q.val());
        }
        if self.held.val() {
            self.offered.d.next = false;
            self.runs.d.next = false;
            self.outcome.d.next = bits::<3>(0);
            self.flow.d.next = bits::<F>(0);
            self.address.d.next = bits::<128>(0);
            self.far.d.next = bits::<25>(0);
            self.near.d.next = bits::<25>(0);
            self.pinned.d.next = false;
            self.waits.d.next = false;
        }
    }
}
