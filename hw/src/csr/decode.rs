//! Decoding of an access: the table's word on it, the comparisons with it, and the value of a read.
use crate::construct::construct;
use rust_hdl::prelude::*;
use std::collections::BTreeMap;
use timely_regs::map::{self, Build, Register, dma, flow, id, profiles, roce, telemetry, time, window};

/// Looks an access up and judges it, in the clocks `fetch`, `capture`, `check`; then the outputs
/// stand until the next.
///
/// `entries` says of each register whether it may be read and written, its reset value and the
/// bounds of a write. Registers that hardware changes are read here, all others from the store.
#[derive(LogicBlock)]
pub struct Decode {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// The table is read; the address is looked at.
    pub fetch: Signal<In, Bit>,
    /// The words of table and store are captured.
    pub capture: Signal<In, Bit>,
    /// The captured words are compared.
    pub check: Signal<In, Bit>,
    /// The access is a write.
    pub write: Signal<In, Bit>,
    /// Byte address of the access.
    pub address: Signal<In, Bits<24>>,
    /// Data of the write.
    pub data: Signal<In, Bits<32>>,
    /// The write is of all four bytes.
    pub whole: Signal<In, Bit>,
    /// The word that table and store are asked for.
    pub word: Signal<In, Bits<10>>,
    /// Word of the store.
    pub store_data: Signal<In, Bits<32>>,
    /// Every RAM is clear.
    pub ready: Signal<In, Bit>,
    /// Grants may leave.
    pub go: Signal<In, Bit>,
    /// The last refused access.
    pub error: Signal<In, Bits<31>>,
    /// The heartbeat is lost.
    pub lost: Signal<In, Bit>,
    /// A query is under way.
    pub busy: Signal<In, Bit>,
    /// The last command is done.
    pub done: Signal<In, Bit>,
    /// The last query was not answered.
    pub failed: Signal<In, Bit>,
    /// Value of the DMA register that is looked at, if it is one that DMA changes.
    pub look_live: Signal<In, Bits<32>>,
    /// DMA refuses a write to the register that is looked at now.
    pub look_refuse: Signal<In, Bit>,
    /// DMA loads flows.
    pub loading: Signal<In, Bit>,
    /// The time.
    pub now: Signal<In, Bits<64>>,
    /// The count of the bin that is asked for.
    pub histogram_count: Signal<In, Bits<32>>,
    /// Histograms that are not cleared yet.
    pub histogram_clearing: Signal<In, Bits<16>>,
    /// State of the table of queue pairs, as its register shows it.
    pub pair_status: Signal<In, Bits<32>>,
    /// Findings of the table's commands, as the register shows them.
    pub pair_told: Signal<In, Bits<32>>,
    /// Value after reset of the word that was asked for a clock ago; of a word of a profile,
    /// nothing useful.
    pub reset_value: Signal<Out, Bits<32>>,
    /// The access is to the window of the flows.
    pub window: Signal<Out, Bit>,
    /// With `window`: the access is to a rate, not to a doorbell.
    pub rate: Signal<Out, Bit>,
    /// The access is to a word of a profile.
    pub profile: Signal<Out, Bit>,
    /// The access is to the upper half of a time to step to.
    pub set_high: Signal<Out, Bit>,
    /// The access is to the command register.
    pub command: Signal<Out, Bit>,
    /// The access is to a counter.
    pub counter: Signal<Out, Bit>,
    /// The access is to the count of a histogram's bin.
    pub bin: Signal<Out, Bit>,
    /// Reason of the refusal, `timely_regs::map::id::Refusal`; 0 when the access is not refused.
    pub reason: Signal<Out, Bits<3>>,
    /// Value of the read, unless it is of a counter.
    pub read: Signal<Out, Bits<32>>,
    entries: SyncROM<Bits<130>, 9>,
    no_flow: Constant<Bits<16>>,
    at_now_low: Constant<Bits<10>>,
    at_now_high: Constant<Bits<10>>,
    at_set_high: Constant<Bits<10>>,
    at_status: Constant<Bits<10>>,
    at_error: Constant<Bits<10>>,
    at_state: Constant<Bits<10>>,
    at_command: Constant<Bits<10>>,
    at_flow_status: Constant<Bits<10>>,
    at_counter: Constant<Bits<10>>,
    at_dma: Constant<Bits<4>>,
    at_live: Constant<Bits<6>>,
    at_bin: Constant<Bits<10>>,
    at_lead: Constant<Bits<10>>,
    at_reset: Constant<Bits<10>>,
    at_clearing: Constant<Bits<10>>,
    at_pair_command: Constant<Bits<10>>,
    at_pair_status: Constant<Bits<10>>,
    at_pair_told: Constant<Bits<10>>,
    now_q: DFF<Bits<64>>,
    latched: DFF<Bits<32>>,
    /// The address is aligned and among the blocks.
    here: Signal<Local, Bit>,
    is_window: DFF<Bit>,
    is_rate: DFF<Bit>,
    is_profile: DFF<Bit>,
    is_now_low: DFF<Bit>,
    is_now_high: DFF<Bit>,
    is_set_high: DFF<Bit>,
    is_status: DFF<Bit>,
    is_error: DFF<Bit>,
    is_state: DFF<Bit>,
    is_command: DFF<Bit>,
    is_flow_status: DFF<Bit>,
    is_counter: DFF<Bit>,
    /// One of DMA's, and one of those that DMA changes.
    is_dma: DFF<Bit>,
    is_live: DFF<Bit>,
    is_bin: DFF<Bit>,
    is_lead: DFF<Bit>,
    is_reset: DFF<Bit>,
    is_clearing: DFF<Bit>,
    is_pair_command: DFF<Bit>,
    is_pair_status: DFF<Bit>,
    is_pair_told: DFF<Bit>,
    nowhere: DFF<Bit>,
    entry: DFF<Bits<130>>,
    stored: DFF<Bits<32>>,
    below: DFF<Bit>,
    above: DFF<Bit>,
    outside: DFF<Bit>,
    absent: DFF<Bit>,
    direction: DFF<Bit>,
    later: DFF<Bit>,
    /// The lead would shrink while flows may send.
    back: DFF<Bit>,
    value: DFF<Bits<32>>,
    flags: Signal<Local, Bits<32>>,
}

/// A table entry: reset value, mask, least and greatest value in 32 bits each, then readable,
/// writable.
fn entry(word: u32, build: &Build) -> Bits<130> {
    let e = map::decode(word, build);
    let mut all = num_bigint::BigUint::default();
    for (i, v) in [e.reset, e.mask, e.least, e.most, u32::from(e.readable) | u32::from(e.writable) << 1].into_iter().enumerate() {
        all |= num_bigint::BigUint::from(v) << (32 * i);
    }
    all.into()
}

fn word(r: Register) -> Constant<Bits<10>> {
    Constant::new(bits::<10>(r.word().into()))
}

impl Decode {
    /// Decodes for a design with these numbers.
    pub fn new(build: &Build) -> Self {
        assert!(build.flow_bits <= 16, "flow_bits is {}; it must be 16 at most", build.flow_bits);
        const {
            assert!(window::BASE == 1 << 22 && window::STRIDE == 64 && window::FIXED_RATE == 4, "the window's address is cut at fixed bits")
        };
        assert!(profiles::WORD.address() == map::BLOCK_BYTES / 2, "the words of the profiles are the upper half of the blocks");
        const {
            assert!(
                dma::BLOCK.base.is_multiple_of(256) && dma::LIVE == 64 && dma::LIVE_BYTES == 64,
                "DMA's addresses are cut at fixed bits"
            )
        };
        let counter = map::counters::COUNTER;
        assert!(counter.count == 64 && counter.word().is_multiple_of(64), "the counters must be 64 words, aligned");
        let entries: BTreeMap<_, _> = (0..512).map(|w| (bits::<9>(w), entry(w as u32, build))).collect();
        construct!({
            entries: SyncROM::new(entries),
            no_flow: Constant::new(bits::<16>(0xffff & !((1 << build.flow_bits) - 1))),
            at_now_low: word(time::NOW_LOW),
            at_now_high: word(time::NOW_HIGH),
            at_set_high: word(time::SET_HIGH),
            at_status: word(id::STATUS),
            at_error: word(id::ERROR),
            at_state: word(map::heartbeat::STATE),
            at_command: word(flow::COMMAND),
            at_flow_status: word(flow::STATUS),
            at_counter: word(counter),
            at_bin: word(telemetry::HISTOGRAM_COUNT),
            at_lead: word(time::LEAD),
            at_reset: word(id::RESET),
            at_clearing: word(telemetry::HISTOGRAM_STATE),
            at_pair_command: word(roce::COMMAND),
            at_pair_status: word(roce::STATUS),
            at_pair_told: word(roce::TOLD),
            at_dma: Constant::new(bits::<4>((dma::BLOCK.base / 256).into())),
            at_live: Constant::new(bits::<6>(((dma::BLOCK.base + dma::LIVE) / 64).into())),
        }
            clk, rst, fetch, capture, check, write, address, data, whole, word, store_data, ready, go, error, lost, busy, done, failed, look_live, look_refuse, loading, now, histogram_count, histogram_clearing, pair_status, pair_told, is_pair_command, is_pair_status, is_pair_told,
            reset_value, window, rate, profile, set_high, command, counter, bin, is_bin, is_clearing, reason, read, now_q, latched, here, is_window, is_rate, is_profile, is_now_low, is_now_high, is_set_high, is_status, is_error, is_state, is_command, is_flow_status, is_counter, is_dma, is_live, is_lead, is_reset, nowhere, entry, stored, below, above,
            outside, absent, direction, later, back, value, flags)
    }
}

impl Logic for Decode {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, now_q, latched, is_window, is_rate, is_profile, is_now_low, is_now_high, is_set_high, is_status);
        dff_setup!(self, clk, is_error, is_state, is_command, is_flow_status, is_counter, is_dma, is_live, is_bin, is_clearing, is_lead);
        dff_setup!(self, clk, is_pair_command, is_pair_status, is_pair_told);
        dff_setup!(self, clk, is_reset, nowhere, entry, stored, below, above, outside, absent, direction, later, back, value);
        self.entries.clock.next = self.clk.val();
        self.entries.address.next = self.word.val().get_bits::<9>(0);
        self.reset_value.next = self.entries.data.val().get_bits::<32>(0);
        self.now_q.d.next = self.now.val();
        // Fetch: which registers hardware must know, and addresses that nothing answers.
        self.here.next = !self.address.val().get_bits::<12>(12).any() & !self.address.val().get_bits::<2>(0).any();
        if self.fetch.val() {
            self.is_window.d.next = self.address.val().get_bits::<2>(22) == bits::<2>(1);
            self.is_rate.d.next = self.address.val().get_bit(2);
            self.is_profile.d.next = self.here.val() & self.word.val().get_bit(9);
            self.is_now_low.d.next = self.here.val() & (self.word.val() == self.at_now_low.val());
            self.is_now_high.d.next = self.here.val() & (self.word.val() == self.at_now_high.val());
            self.is_set_high.d.next = self.here.val() & (self.word.val() == self.at_set_high.val());
            self.is_status.d.next = self.here.val() & (self.word.val() == self.at_status.val());
            self.is_error.d.next = self.here.val() & (self.word.val() == self.at_error.val());
            self.is_state.d.next = self.here.val() & (self.word.val() == self.at_state.val());
            self.is_command.d.next = self.here.val() & (self.word.val() == self.at_command.val());
            self.is_flow_status.d.next = self.here.val() & (self.word.val() == self.at_flow_status.val());
            self.is_counter.d.next = self.here.val() & (self.word.val().get_bits::<4>(6) == self.at_counter.val().get_bits::<4>(6));
            self.is_dma.d.next = self.here.val() & (self.word.val().get_bits::<4>(6) == self.at_dma.val());
            self.is_live.d.next = self.here.val() & (self.word.val().get_bits::<6>(4) == self.at_live.val());
            self.is_bin.d.next = self.here.val() & (self.word.val() == self.at_bin.val());
            self.is_clearing.d.next = self.here.val() & (self.word.val() == self.at_clearing.val());
            self.is_lead.d.next = self.here.val() & (self.word.val() == self.at_lead.val());
            self.is_reset.d.next = self.here.val() & (self.word.val() == self.at_reset.val());
            self.is_pair_command.d.next = self.here.val() & (self.word.val() == self.at_pair_command.val());
            self.is_pair_status.d.next = self.here.val() & (self.word.val() == self.at_pair_status.val());
            self.is_pair_told.d.next = self.here.val() & (self.word.val() == self.at_pair_told.val());
            self.nowhere.d.next = !self.here.val();
            if self.address.val().get_bits::<2>(22) == bits::<2>(1) {
                self.nowhere.d.next = self.address.val().get_bits::<2>(0).any()
                    | self.address.val().get_bits::<3>(3).any()
                    | (self.address.val().get_bits::<16>(6) & self.no_flow.val()).any();
            }
        }
        self.flags.next = bits::<32>(0);
        if self.capture.val() {
            self.entry.d.next = self.entries.data.val();
            self.stored.d.next = self.store_data.val();
        }
        // Check: each comparison in a register of its own.
        if self.check.val() {
            self.absent.d.next = self.nowhere.q.val();
            self.outside.d.next = false;
            self.below.d.next = false;
            self.above.d.next = false;
            self.later.d.next = !self.ready.val();
            self.back.d.next =
                (self.is_lead.q.val() & self.go.val()) & (self.data.val().get_bits::<16>(0) < self.stored.q.val().get_bits::<16>(0));
            if self.is_window.q.val() {
                self.direction.d.next = !self.write.val();
                self.below.d.next = !self.is_rate.q.val() & !self.data.val().any();
                self.above.d.next = !self.is_rate.q.val() & self.data.val().get_bits::<16>(16).any();
            } else {
                if self.is_profile.q.val() {
                    self.direction.d.next = false;
                } else {
                    self.absent.d.next = self.nowhere.q.val() | !self.entry.q.val().get_bits::<2>(128).any();
                    self.direction.d.next = !self.entry.q.val().get_bit(128);
                    if self.write.val() {
                        self.direction.d.next = !self.entry.q.val().get_bit(129);
                    }
                    self.outside.d.next = (self.data.val() & !self.entry.q.val().get_bits::<32>(32)).any();
                    self.below.d.next = self.data.val() < self.entry.q.val().get_bits::<32>(64);
                    self.above.d.next = self.data.val() > self.entry.q.val().get_bits::<32>(96);
                    // Bit 0 of a command tells a load.
                    self.later.d.next = (self.is_command.q.val()
                        & (self.busy.val() | !self.ready.val() | (self.loading.val() & self.data.val().get_bit(0))))
                        | ((self.is_dma.q.val() & (self.look_refuse.val() | !self.ready.val()))
                            | (self.is_reset.q.val() & !self.ready.val()))
                        | (self.is_pair_command.q.val()
                            & ((self.pair_status.val().get_bit(0) | !self.pair_status.val().get_bit(1)) | !self.ready.val()));
                }
            }
            self.value.d.next = self.stored.q.val();
            if self.is_now_low.q.val() {
                self.value.d.next = self.now_q.q.val().get_bits::<32>(0);
                if !self.write.val() {
                    self.latched.d.next = self.now_q.q.val().get_bits::<32>(32);
                }
            }
            if self.is_now_high.q.val() {
                self.value.d.next = self.latched.q.val();
            }
            if self.is_live.q.val() {
                self.value.d.next = self.look_live.val();
            }
            if self.is_pair_status.q.val() {
                self.value.d.next = self.pair_status.val();
            }
            if self.is_pair_told.q.val() {
                self.value.d.next = self.pair_told.val();
            }
            if self.is_error.q.val() {
                self.value.d.next = bit_cast::<32, 31>(self.error.val());
            }
            if self.is_bin.q.val() {
                self.value.d.next = self.histogram_count.val();
            }
            if self.is_clearing.q.val() {
                self.value.d.next = bit_cast::<32, 16>(self.histogram_clearing.val());
            }
            // Bit by bit: a negated bit in a wider expression would be negated at its width.
            if (self.is_status.q.val() & self.ready.val())
                | (self.is_state.q.val() & self.lost.val())
                | (self.is_flow_status.q.val() & self.busy.val())
            {
                self.flags.next = self.flags.val() | bits::<32>(1);
            }
            if (self.is_status.q.val() & !self.go.val()) | (self.is_flow_status.q.val() & self.done.val()) {
                self.flags.next = self.flags.val() | bits::<32>(2);
            }
            if self.is_flow_status.q.val() & self.failed.val() {
                self.flags.next = self.flags.val() | bits::<32>(4);
            }
            if self.is_status.q.val() | self.is_state.q.val() | self.is_flow_status.q.val() {
                self.value.d.next = self.flags.val();
            }
        }
        // The first reason that holds refuses, hence the order.
        self.reason.next = bits::<3>(0);
        if self.write.val() {
            if self.later.q.val() | self.back.q.val() {
                self.reason.next = bits::<3>(5);
            }
            if self.outside.q.val() | self.below.q.val() | self.above.q.val() {
                self.reason.next = bits::<3>(4);
            }
            if !self.whole.val() {
                self.reason.next = bits::<3>(3);
            }
        }
        if self.direction.q.val() {
            self.reason.next = bits::<3>(2);
        }
        if self.absent.q.val() {
            self.reason.next = bits::<3>(1);
        }
        self.window.next = self.is_window.q.val();
        self.rate.next = self.is_rate.q.val();
        self.profile.next = self.is_profile.q.val();
        self.set_high.next = self.is_set_high.q.val();
        self.command.next = self.is_command.q.val();
        self.counter.next = self.is_counter.q.val();
        self.bin.next = self.is_bin.q.val();
        self.read.next = self.value.q.val();
        if self.rst.val() {
            self.latched.d.next = bits::<32>(0);
        }
    }
}
