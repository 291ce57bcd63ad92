//! The register machine: decodes an access by the table of the map, checks it, carries it out,
//! answers it.
use super::Decode;
use crate::bus::{CopyIn, DoorbellOut, FlowLoadIn, FlowLoadOut, HostRateOut, LookOut, ProfileWriteOut, StoreWriteOut};
use crate::construct::construct;
use rust_hdl::prelude::*;
use timely_regs::map::{self, Build, Register, flow};

/// State of the access under way; a clock each, but for the last three.
#[derive(LogicState, Debug, Copy, Clone, PartialEq)]
pub enum State {
    /// The store is being filled.
    Sweep,
    /// Nothing is under way.
    Idle,
    /// The table and the store are read.
    Fetch,
    /// The words of table and store are captured.
    Capture,
    /// The captured words are compared.
    Check,
    /// The access is carried out or refused.
    Act,
    /// A flow record is being put together.
    Load,
    /// The doorbell before is not taken yet.
    Doorbell,
    /// The counter has not come round yet.
    Count,
}

/// Serves one request at a time; see [`Csr`](super::Csr) for what its ports mean outside.
///
/// `store` holds what registers read back, constants included, and is filled from the decoder's
/// table after reset. Writes leave at `st_*`, a clock after they were carried out, for the store
/// and for everything that holds a setting.
#[derive(LogicBlock)]
pub struct Control<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// An access is offered.
    pub request: Signal<In, Bit>,
    /// The offered access is a write.
    pub request_write: Signal<In, Bit>,
    /// Byte address of the access.
    pub request_address: Signal<In, Bits<24>>,
    /// Data of the write.
    pub request_data: Signal<In, Bits<32>>,
    /// The write is of all four bytes.
    pub request_whole: Signal<In, Bit>,
    /// The accepted access is answered.
    pub reply: Signal<Out, Bit>,
    /// The answered access was a write.
    pub reply_write: Signal<Out, Bit>,
    /// The answered access was refused.
    pub reply_error: Signal<Out, Bit>,
    /// Data of the read.
    pub reply_data: Signal<Out, Bits<32>>,
    /// A register is written.
    pub st: StoreWriteOut,
    /// A word of an answer.
    pub copy: CopyIn,
    /// The counter that comes round.
    pub count_index: Signal<In, Bits<5>>,
    /// Value of that counter.
    pub count_value: Signal<In, Bits<32>>,
    /// Value of the counter 32 above it.
    pub count_above: Signal<In, Bits<32>>,
    /// The count of the bin that is asked for.
    pub histogram_count: Signal<In, Bits<32>>,
    /// Histograms that are not cleared yet.
    pub histogram_clearing: Signal<In, Bits<16>>,
    /// State of the table of queue pairs.
    pub pair_status: Signal<In, Bits<32>>,
    /// Findings of the table's commands.
    pub pair_told: Signal<In, Bits<32>>,
    /// HISTOGRAM_COUNT was read; one clock.
    pub next_bin: Signal<Out, Bit>,
    /// Every block has cleared its RAM.
    pub swept: Signal<In, Bit>,
    /// The time.
    pub now: Signal<In, Bits<64>>,
    /// Flows may send: they are enabled, and the nonces have a key.
    pub enable: Signal<In, Bit>,
    /// The heartbeat is lost.
    pub lost: Signal<In, Bit>,
    /// A query is under way.
    pub busy: Signal<In, Bit>,
    /// The last command is done.
    pub done: Signal<In, Bit>,
    /// The last query was not answered.
    pub failed: Signal<In, Bit>,
    /// A register is looked at; one clock.
    pub look: LookOut,
    /// DMA loads flows.
    pub loading: Signal<In, Bit>,
    /// A soft reset is under way.
    pub clearing: Signal<In, Bit>,
    /// A flow that DMA or a reset loads; on the flow bus at the next clock.
    pub bulk: FlowLoadIn<F>,
    /// The flow of a command.
    pub flow_index: Signal<In, Bits<16>>,
    /// No grant may leave.
    pub stop: Signal<Out, Bit>,
    /// An access was refused; one clock.
    pub refused: Signal<Out, Bit>,
    /// The time is to step; one clock.
    pub time_set_valid: Signal<Out, Bit>,
    /// Profile bus.
    pub pw: ProfileWriteOut,
    /// Flow bus.
    pub fl: FlowLoadOut<F>,
    /// The load is by a command.
    pub fl_command: Signal<Out, Bit>,
    /// The host sets a flow's rate.
    pub host: HostRateOut<F>,
    /// Doorbell of the host.
    pub hd: DoorbellOut<F>,
    /// A flow's record is asked for.
    pub query_valid: Signal<Out, Bit>,
    decode: Decode,
    store: RAM<Bits<32>, 10>,
    bad_read: Constant<Bits<32>>,
    at_stage: Constant<Bits<10>>,
    at_answer: Constant<Bits<10>>,
    // Levels.
    swept_q: DFF<Bit>,
    ready: DFF<Bit>,
    go: DFF<Bit>,
    error: DFF<Bits<31>>,
    refused_q: DFF<Bit>,
    // The access under way.
    state: DFF<State>,
    write: DFF<Bit>,
    address: DFF<Bits<24>>,
    data: DFF<Bits<32>>,
    whole: DFF<Bit>,
    /// The word that is read: of the access, of the sweep, of the record that is loaded.
    word: DFF<Bits<10>>,
    last_word: DFF<Bits<10>>,
    sweeping: DFF<Bit>,
    reason: Signal<Local, Bits<3>>,
    left: DFF<Bits<12>>,
    // Outputs: the write to the store.
    stv: DFF<Bit>,
    stw: DFF<Bits<10>>,
    std: DFF<Bits<32>>,
    setting: DFF<Bit>,
    set: DFF<Bit>,
    pw_q: DFF<Bit>,
    fl_q: DFF<Bit>,
    fl_own: DFF<Bit>,
    fl_index: DFF<Bits<F>>,
    /// State `Load`, as a register: it reaches the whole record.
    fills: DFF<Bit>,
    record: DFF<Bits<512>>,
    host_q: DFF<Bit>,
    bell: DFF<Bit>,
    bell_flow: DFF<Bits<F>>,
    bell_packets: DFF<Bits<16>>,
    asking: DFF<Bit>,
    next_bin_q: DFF<Bit>,
}

fn word(r: Register) -> Constant<Bits<10>> {
    Constant::new(bits::<10>(r.word().into()))
}

impl<const F: usize> Control<F> {
    /// The register machine of a design built with `build`; `F` must be its flow bits, 16 at most.
    pub fn new(build: &Build) -> Self {
        assert!(build.flow_bits as usize == F, "FLOW_BITS is {F}, but the design is built with {}", build.flow_bits);
        const { assert!(flow::LOAD == 1 && flow::QUERY == 2, "bit 0 of a command tells a load") };
        assert!(flow::ANSWER.count == 32 && flow::ANSWER.word().is_multiple_of(32), "the answer must be 32 words, aligned");
        construct!({
            decode: Decode::new(build),
            bad_read: Constant::new(u64::from(map::BAD_READ).into()),
            at_stage: word(flow::STAGE),
            at_answer: word(flow::ANSWER),
        }
            clk, rst, request, request_write, request_address, request_data, request_whole, reply, reply_write,
            reply_error, reply_data, st, copy, count_index,
            count_value, count_above, histogram_count, histogram_clearing, pair_status, pair_told, next_bin, next_bin_q, swept, now, enable, lost, busy, done, failed, look, loading, clearing, bulk, flow_index, stop, refused, time_set_valid, pw, fl, fl_command, host, hd, query_valid, store, swept_q, ready, go, error, refused_q, state, write, address, data, whole, word, last_word,
            sweeping, reason, left, stv, stw, std, setting, set, pw_q, fl_q, fl_own, fl_index, fills, record, host_q, bell, bell_flow, bell_packets, asking)
    }
}

impl<const F: usize> Logic for Control<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, swept_q, ready, go, error, refused_q, state, write, address, data, whole, word, last_word, sweeping);
        dff_setup!(self, clk, left, stv, stw, std, setting, set, pw_q, fl_q, fl_own, fl_index, fills, record, host_q, bell, bell_flow);
        dff_setup!(self, clk, bell_packets, asking, next_bin_q);
        self.store.read_clock.next = self.clk.val();
        self.store.write_clock.next = self.clk.val();
        self.store.read_address.next = self.word.q.val();
        self.store.write_address.next = self.stw.q.val();
        self.store.write_data.next = self.std.q.val();
        self.store.write_enable.next = self.stv.q.val();
        // Levels, and what lasts a clock.
        self.swept_q.d.next = self.swept.val();
        self.ready.d.next = (self.swept_q.q.val() & !self.clearing.val()) & (self.state.q.val() != State::Sweep);
        self.go.d.next = self.ready.q.val() & self.enable.val() & !self.lost.val();
        self.refused_q.d.next = false;
        self.setting.d.next = false;
        self.set.d.next = self.setting.q.val();
        self.pw_q.d.next = false;
        self.fl_q.d.next = false;
        self.fl_own.d.next = false;
        self.host_q.d.next = false;
        self.asking.d.next = false;
        self.next_bin_q.d.next = false;
        if self.hd.ready.val() {
            self.bell.d.next = false;
        }
        // The store's writes: the sweep's a clock after the table gave the value, an answer's when
        // no access writes.
        self.last_word.d.next = self.word.q.val();
        self.sweeping.d.next = self.state.q.val() == State::Sweep;
        self.stv.d.next = self.copy.valid.val();
        self.stw.d.next = self.at_answer.val() | bit_cast::<10, 5>(self.copy.index.val());
        self.std.d.next = self.copy.data.val();
        if self.sweeping.q.val() {
            self.stv.d.next = true;
            self.stw.d.next = self.last_word.q.val();
            self.std.d.next = self.decode.reset_value.val();
            if self.last_word.q.val().get_bit(9) {
                self.std.d.next = bits::<32>(0);
            }
        }
        self.copy.ready.next = self.state.q.val() != State::Act;
        self.decode.clk.next = self.clk.val();
        self.decode.rst.next = self.rst.val();
        self.decode.fetch.next = self.state.q.val() == State::Fetch;
        self.decode.capture.next = self.state.q.val() == State::Capture;
        self.decode.check.next = self.state.q.val() == State::Check;
        self.decode.write.next = self.write.q.val();
        self.decode.address.next = self.address.q.val();
        self.decode.data.next = self.data.q.val();
        self.decode.whole.next = self.whole.q.val();
        self.decode.word.next = self.word.q.val();
        self.decode.store_data.next = self.store.read_data.val();
        self.decode.ready.next = self.ready.q.val();
        self.decode.go.next = self.go.q.val();
        self.decode.error.next = self.error.q.val();
        self.decode.lost.next = self.lost.val();
        self.decode.busy.next = self.busy.val();
        self.decode.done.next = self.done.val();
        self.decode.failed.next = self.failed.val();
        self.decode.look_live.next = self.look.live.val();
        self.decode.look_refuse.next = self.look.refuse.val();
        self.decode.loading.next = self.loading.val();
        self.decode.now.next = self.now.val();
        self.decode.histogram_count.next = self.histogram_count.val();
        self.decode.histogram_clearing.next = self.histogram_clearing.val();
        self.decode.pair_status.next = self.pair_status.val();
        self.decode.pair_told.next = self.pair_told.val();
        self.next_bin.next = self.next_bin_q.q.val();
        self.reason.next = self.decode.reason.val();
        self.reply.next = false;
        self.reply_error.next = false;
        self.reply_data.next = self.decode.read.val();
        match self.state.q.val() {
            State::Sweep => {
                self.word.d.next = self.word.q.val() + bits::<10>(1);
                if self.word.q.val().all() {
                    self.state.d.next = State::Idle;
                }
            }
            State::Idle => {
                self.write.d.next = self.request_write.val();
                self.address.d.next = self.request_address.val();
                self.data.d.next = self.request_data.val();
                self.whole.d.next = self.request_whole.val();
                self.word.d.next = self.request_address.val().get_bits::<10>(2);
                if self.request.val() {
                    self.state.d.next = State::Fetch;
                }
            }
            State::Fetch => {
                self.state.d.next = State::Capture;
            }
            State::Capture => {
                self.state.d.next = State::Check;
            }
            State::Check => {
                self.state.d.next = State::Act;
            }
            State::Act => {
                self.state.d.next = State::Idle;
                self.reply.next = true;
                self.left.d.next = bits::<12>(4095);
                self.stv.d.next = false;
                self.stw.d.next = self.word.q.val();
                self.std.d.next = self.data.q.val();
                if self.reason.val().any() {
                    self.reply_error.next = true;
                } else {
                    if self.write.q.val() {
                        if self.decode.window.val() {
                            if self.decode.rate.val() {
                                self.host_q.d.next = true;
                            } else {
                                if self.bell.q.val() {
                                    self.reply.next = false;
                                    self.state.d.next = State::Doorbell;
                                } else {
                                    self.bell.d.next = true;
                                    self.bell_flow.d.next = self.address.q.val().get_bits::<F>(6);
                                    self.bell_packets.d.next = self.data.q.val().get_bits::<16>(0);
                                }
                            }
                        } else {
                            self.stv.d.next = true;
                            self.pw_q.d.next = self.decode.profile.val();
                            self.setting.d.next = self.decode.set_high.val();
                            if self.decode.command.val() {
                                if self.data.q.val().get_bit(0) {
                                    self.reply.next = false;
                                    self.state.d.next = State::Load;
                                    self.fills.d.next = true;
                                    self.word.d.next = self.at_stage.val();
                                    self.left.d.next = bits::<12>(16);
                                } else {
                                    self.asking.d.next = true;
                                }
                            }
                        }
                    } else {
                        self.next_bin_q.d.next = self.decode.bin.val();
                        if self.decode.counter.val() {
                            self.reply.next = false;
                            self.state.d.next = State::Count;
                        }
                    }
                }
            }
            State::Load => {
                // A word comes out of the store the clock after its number went in.
                self.word.d.next = self.word.q.val() + bits::<10>(1);
                self.left.d.next = self.left.q.val() - bits::<12>(1);
                if !self.left.q.val().any() {
                    self.fills.d.next = false;
                    self.fl_q.d.next = true;
                    self.fl_own.d.next = true;
                    self.fl_index.d.next = self.flow_index.val().get_bits::<F>(0);
                    self.reply.next = true;
                    self.state.d.next = State::Idle;
                }
            }
            State::Doorbell => {
                self.left.d.next = self.left.q.val() - bits::<12>(1);
                if !self.bell.q.val() {
                    self.bell.d.next = true;
                    self.bell_flow.d.next = self.address.q.val().get_bits::<F>(6);
                    self.bell_packets.d.next = self.data.q.val().get_bits::<16>(0);
                    self.reply.next = true;
                    self.state.d.next = State::Idle;
                } else {
                    if !self.left.q.val().any() {
                        self.reason.next = bits::<3>(5);
                        self.reply.next = true;
                        self.reply_error.next = true;
                        self.state.d.next = State::Idle;
                    }
                }
            }
            State::Count => {
                self.reply_data.next = self.count_value.val();
                if self.word.q.val().get_bit(5) {
                    self.reply_data.next = self.count_above.val();
                }
                if self.count_index.val() == self.word.q.val().get_bits::<5>(0) {
                    self.reply.next = true;
                    self.state.d.next = State::Idle;
                }
            }
            _ => {
                self.state.d.next = State::Idle;
            }
        }
        if self.fills.q.val() {
            self.record.d.next =
                bit_cast::<512, 480>(self.record.q.val().get_bits::<480>(32)) | (bit_cast::<512, 32>(self.store.read_data.val()) << 480);
        }
        // Load by DMA or a soft reset; no command loads at the same time.
        if self.bulk.valid.val() {
            self.fl_q.d.next = true;
            self.fl_index.d.next = self.bulk.flow.val();
            self.record.d.next = self.bulk.record.val();
        }
        self.reply_write.next = self.write.q.val();
        if self.reply_error.val() {
            self.reply_data.next = self.bad_read.val();
            self.refused_q.d.next = true;
            self.error.d.next = (bit_cast::<31, 3>(self.reason.val()) << 28) | bit_cast::<31, 24>(self.address.q.val());
            if self.write.q.val() {
                self.error.d.next =
                    (bit_cast::<31, 3>(self.reason.val()) << 28) | (bits::<31>(1) << 24) | bit_cast::<31, 24>(self.address.q.val());
            }
        }
        self.st.valid.next = self.stv.q.val();
        self.st.word.next = self.stw.q.val();
        self.st.data.next = self.std.q.val();
        self.stop.next = !self.go.q.val();
        self.refused.next = self.refused_q.q.val();
        self.time_set_valid.next = self.set.q.val();
        self.pw.valid.next = self.pw_q.q.val();
        self.pw.profile.next = self.stw.q.val().get_bits::<4>(5);
        self.pw.word.next = self.stw.q.val().get_bits::<5>(0);
        self.pw.data.next = self.std.q.val();
        self.look.valid.next = self.state.q.val() == State::Fetch;
        self.look.word.next = self.word.q.val();
        self.look.data.next = bits::<32>(0);
        if self.write.q.val() {
            self.look.data.next = self.data.q.val();
        }
        self.fl.valid.next = self.fl_q.q.val();
        self.fl_command.next = self.fl_own.q.val();
        self.fl.flow.next = self.fl_index.q.val();
        self.fl.record.next = self.record.q.val();
        self.host.valid.next = self.host_q.q.val();
        self.host.flow.next = self.address.q.val().get_bits::<F>(6);
        self.host.rate.next = self.std.q.val();
        self.hd.valid.next = self.bell.q.val();
        self.hd.flow.next = self.bell_flow.q.val();
        self.hd.packets.next = self.bell_packets.q.val();
        self.query_valid.next = self.asking.q.val();
        if self.rst.val() {
            self.state.d.next = State::Sweep;
            self.word.d.next = bits::<10>(0);
            self.sweeping.d.next = false;
            self.stv.d.next = false;
            self.swept_q.d.next = false;
            self.ready.d.next = false;
            self.go.d.next = false;
            self.error.d.next = bits::<31>(0);
            self.refused_q.d.next = false;
            self.setting.d.next = false;
            self.set.d.next = false;
            self.pw_q.d.next = false;
            self.fl_q.d.next = false;
            self.fl_own.d.next = false;
            self.fills.d.next = false;
            self.host_q.d.next = false;
            self.bell.d.next = false;
            self.asking.d.next = false;
            self.next_bin_q.d.next = false;
        }
    }
}
