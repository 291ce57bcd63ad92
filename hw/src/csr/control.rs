//! The register machine: decodes an access by the table of the map, checks it, carries it out, answers it.
use crate::construct::construct;
use rust_hdl::prelude::*;
use std::collections::BTreeMap;
use timely_regs::map::{self, Build, Register, flow, id, profiles, time, window};

/// What the access under way waits for; a clock each, but for the last three.
#[derive(LogicState, Debug, Copy, Clone, PartialEq)]
pub enum State {
    /// The store is being filled.
    Sweep,
    /// Nothing is under way.
    Idle,
    /// The table and the store are read.
    Fetch,
    /// What they gave is captured.
    Capture,
    /// It is compared.
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
/// `entries` says for each register whether it may be read and written, its reset value and the bounds of a write; `store` holds
/// what registers read back, constants included, and is filled from the table after reset. Writes leave at `st_*`, a clock after
/// they were carried out, for the store and for everything that holds a setting.
#[derive(LogicBlock)]
pub struct Control<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// An access is offered.
    pub request: Signal<In, Bit>,
    /// It is a write.
    pub request_write: Signal<In, Bit>,
    /// Its byte address.
    pub request_address: Signal<In, Bits<24>>,
    /// What it writes.
    pub request_data: Signal<In, Bits<32>>,
    /// It writes all four bytes.
    pub request_whole: Signal<In, Bit>,
    /// It is accepted.
    pub accept: Signal<Out, Bit>,
    /// The accepted access is answered.
    pub reply: Signal<Out, Bit>,
    /// It was a write.
    pub reply_write: Signal<Out, Bit>,
    /// It was refused.
    pub reply_error: Signal<Out, Bit>,
    /// What it read.
    pub reply_data: Signal<Out, Bits<32>>,
    /// A word of the store is written.
    pub st_valid: Signal<Out, Bit>,
    /// The word's number.
    pub st_word: Signal<Out, Bits<10>>,
    /// Its value.
    pub st_data: Signal<Out, Bits<32>>,
    /// A word of an answer is to be stored.
    pub copy_valid: Signal<In, Bit>,
    /// Its number in the answer.
    pub copy_index: Signal<In, Bits<5>>,
    /// The word.
    pub copy_data: Signal<In, Bits<32>>,
    /// It is stored.
    pub copy_ready: Signal<Out, Bit>,
    /// The counter that comes round.
    pub count_index: Signal<In, Bits<5>>,
    /// Its value.
    pub count_value: Signal<In, Bits<32>>,
    /// Every block has cleared its RAM.
    pub swept: Signal<In, Bit>,
    /// The time.
    pub now: Signal<In, Bits<64>>,
    /// Flows may send.
    pub enable: Signal<In, Bit>,
    /// The heartbeat is lost.
    pub lost: Signal<In, Bit>,
    /// A query is under way.
    pub busy: Signal<In, Bit>,
    /// The last command is done.
    pub done: Signal<In, Bit>,
    /// The last query was not answered.
    pub failed: Signal<In, Bit>,
    /// No grant may leave.
    pub stop: Signal<Out, Bit>,
    /// An access was refused; one clock.
    pub refused: Signal<Out, Bit>,
    /// The time is to step; one clock.
    pub time_set_valid: Signal<Out, Bit>,
    /// A word of a profile changes.
    pub pw_valid: Signal<Out, Bit>,
    /// The profile.
    pub pw_profile: Signal<Out, Bits<4>>,
    /// The word of the profile.
    pub pw_word: Signal<Out, Bits<5>>,
    /// Its value.
    pub pw_data: Signal<Out, Bits<32>>,
    /// A flow is loaded.
    pub fl_valid: Signal<Out, Bit>,
    /// Its record.
    pub fl_record: Signal<Out, Bits<512>>,
    /// A flow's rate is set.
    pub host_valid: Signal<Out, Bit>,
    /// The flow.
    pub host_flow: Signal<Out, Bits<F>>,
    /// The rate.
    pub host_rate: Signal<Out, Bits<32>>,
    /// A doorbell.
    pub hd_valid: Signal<Out, Bit>,
    /// It is taken.
    pub hd_ready: Signal<In, Bit>,
    /// Its flow.
    pub hd_flow: Signal<Out, Bits<F>>,
    /// The packets that it posts.
    pub hd_packets: Signal<Out, Bits<16>>,
    /// A flow's record is asked for.
    pub query_valid: Signal<Out, Bit>,
    /// What the table says of a register: its fields by [`entry`].
    entries: SyncROM<Bits<130>, 9>,
    store: RAM<Bits<32>, 10>,
    bad_read: Constant<Bits<32>>,
    no_flow: Constant<Bits<16>>,
    at_now_low: Constant<Bits<10>>,
    at_now_high: Constant<Bits<10>>,
    at_set_high: Constant<Bits<10>>,
    at_status: Constant<Bits<10>>,
    at_error: Constant<Bits<10>>,
    at_state: Constant<Bits<10>>,
    at_command: Constant<Bits<10>>,
    at_flow_status: Constant<Bits<10>>,
    at_stage: Constant<Bits<10>>,
    at_answer: Constant<Bits<10>>,
    at_counter: Constant<Bits<10>>,
    // Levels.
    swept_q: DFF<Bit>,
    ready: DFF<Bit>,
    go: DFF<Bit>,
    now_q: DFF<Bits<64>>,
    now_high: DFF<Bits<32>>,
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
    nowhere: DFF<Bit>,
    entry: DFF<Bits<130>>,
    stored: DFF<Bits<32>>,
    below: DFF<Bit>,
    above: DFF<Bit>,
    outside: DFF<Bit>,
    absent: DFF<Bit>,
    direction: DFF<Bit>,
    later: DFF<Bit>,
    read: DFF<Bits<32>>,
    flags: Signal<Local, Bits<32>>,
    reason: Signal<Local, Bits<3>>,
    left: DFF<Bits<12>>,
    // What leaves.
    stv: DFF<Bit>,
    stw: DFF<Bits<10>>,
    std: DFF<Bits<32>>,
    setting: DFF<Bit>,
    set: DFF<Bit>,
    pw: DFF<Bit>,
    fl: DFF<Bit>,
    record: DFF<Bits<512>>,
    host: DFF<Bit>,
    bell: DFF<Bit>,
    bell_flow: DFF<Bits<F>>,
    bell_packets: DFF<Bits<16>>,
    asking: DFF<Bit>,
}

/// A table entry: reset value, mask, least and greatest value in 32 bits each, then readable, writable.
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

impl<const F: usize> Control<F> {
    /// The register machine of a design built with `build`; `F` must be its flow bits, 16 at most.
    pub fn new(build: &Build) -> Self {
        assert!(build.flow_bits as usize == F && F <= 16, "FLOW_BITS is {F}; it must be that of the build, 16 at most");
        const { assert!(flow::LOAD == 1 && flow::QUERY == 2, "bit 0 of a command tells a load") };
        for r in [flow::ANSWER, map::counters::COUNTER] {
            assert!(r.count == 32 && r.word().is_multiple_of(32), "{} must be 32 words, aligned", r.name);
        }
        assert!(profiles::WORD.address() == map::BLOCK_BYTES / 2, "the words of the profiles are the upper half of the blocks");
        assert!((window::BASE, window::STRIDE, window::FIXED_RATE) == (1 << 22, 64, 4), "the window's address is cut at fixed bits");
        let entries: BTreeMap<_, _> = (0..512).map(|w| (bits::<9>(w), entry(w as u32, build))).collect();
        construct!({
            entries: SyncROM::new(entries),
            bad_read: Constant::new(u64::from(map::BAD_READ).into()),
            no_flow: Constant::new(bits::<16>(0xffff & !((1 << F) - 1))),
            at_now_low: word(time::NOW_LOW),
            at_now_high: word(time::NOW_HIGH),
            at_set_high: word(time::SET_HIGH),
            at_status: word(id::STATUS),
            at_error: word(id::ERROR),
            at_state: word(map::heartbeat::STATE),
            at_command: word(flow::COMMAND),
            at_flow_status: word(flow::STATUS),
            at_stage: word(flow::STAGE),
            at_answer: word(flow::ANSWER),
            at_counter: word(map::counters::COUNTER),
        }
            clk, rst, request, request_write, request_address, request_data, request_whole, accept, reply, reply_write, reply_error,
            reply_data, st_valid, st_word, st_data, copy_valid, copy_index, copy_data, copy_ready, count_index, count_value, swept, now, enable,
            lost, busy, done, failed, stop, refused, time_set_valid, pw_valid, pw_profile, pw_word, pw_data, fl_valid, fl_record, host_valid,
            host_flow, host_rate, hd_valid, hd_ready, hd_flow, hd_packets, query_valid, store, swept_q, ready, go, now_q, now_high, error,
            refused_q, state, write, address, data, whole, word, last_word, sweeping, here, is_window, is_rate, is_profile, is_now_low,
            is_now_high, is_set_high, is_status, is_error, is_state, is_command, is_flow_status, is_counter, nowhere, entry, stored, below,
            above, outside, absent, direction, later, read, flags, reason, left, stv, stw, std, setting, set, pw, fl, record, host, bell, bell_flow,
            bell_packets, asking)
    }
}

impl<const F: usize> Logic for Control<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, swept_q, ready, go, now_q, now_high, error, refused_q, state, write, address, data, whole, word, last_word);
        dff_setup!(self, clk, sweeping, is_window, is_rate, is_profile, is_now_low, is_now_high, is_set_high, is_status, is_error);
        dff_setup!(self, clk, is_state, is_command, is_flow_status, is_counter, nowhere, entry, stored, below, above, outside, absent);
        dff_setup!(self, clk, direction, later, read, left, stv, stw, std, setting, set, pw, fl, record, host, bell, bell_flow);
        dff_setup!(self, clk, bell_packets, asking);
        self.entries.clock.next = self.clk.val();
        self.entries.address.next = self.word.q.val().get_bits::<9>(0);
        self.store.read_clock.next = self.clk.val();
        self.store.write_clock.next = self.clk.val();
        self.store.read_address.next = self.word.q.val();
        self.store.write_address.next = self.stw.q.val();
        self.store.write_data.next = self.std.q.val();
        self.store.write_enable.next = self.stv.q.val();
        // Levels, and what lasts a clock.
        self.swept_q.d.next = self.swept.val();
        self.ready.d.next = self.swept_q.q.val() & (self.state.q.val() != State::Sweep);
        self.go.d.next = self.ready.q.val() & self.enable.val() & !self.lost.val();
        self.now_q.d.next = self.now.val();
        self.refused_q.d.next = false;
        self.setting.d.next = false;
        self.set.d.next = self.setting.q.val();
        self.pw.d.next = false;
        self.fl.d.next = false;
        self.host.d.next = false;
        self.asking.d.next = false;
        if self.hd_ready.val() {
            self.bell.d.next = false;
        }
        // The store's writes: the sweep's a clock after the table gave the value, an answer's when no access writes.
        self.last_word.d.next = self.word.q.val();
        self.sweeping.d.next = self.state.q.val() == State::Sweep;
        self.stv.d.next = self.copy_valid.val();
        self.stw.d.next = self.at_answer.val() | bit_cast::<10, 5>(self.copy_index.val());
        self.std.d.next = self.copy_data.val();
        if self.sweeping.q.val() {
            self.stv.d.next = true;
            self.stw.d.next = self.last_word.q.val();
            self.std.d.next = self.entries.data.val().get_bits::<32>(0);
            if self.last_word.q.val().get_bit(9) {
                self.std.d.next = bits::<32>(0);
            }
        }
        self.copy_ready.next = self.state.q.val() != State::Act;
        // Fetch: which registers hardware must know, and addresses that nothing answers.
        self.here.next = !self.address.q.val().get_bits::<12>(12).any() & !self.address.q.val().get_bits::<2>(0).any();
        if self.state.q.val() == State::Fetch {
            self.is_window.d.next = self.address.q.val().get_bits::<2>(22) == bits::<2>(1);
            self.is_rate.d.next = self.address.q.val().get_bit(2);
            self.is_profile.d.next = self.here.val() & self.word.q.val().get_bit(9);
            self.is_now_low.d.next = self.here.val() & (self.word.q.val() == self.at_now_low.val());
            self.is_now_high.d.next = self.here.val() & (self.word.q.val() == self.at_now_high.val());
            self.is_set_high.d.next = self.here.val() & (self.word.q.val() == self.at_set_high.val());
            self.is_status.d.next = self.here.val() & (self.word.q.val() == self.at_status.val());
            self.is_error.d.next = self.here.val() & (self.word.q.val() == self.at_error.val());
            self.is_state.d.next = self.here.val() & (self.word.q.val() == self.at_state.val());
            self.is_command.d.next = self.here.val() & (self.word.q.val() == self.at_command.val());
            self.is_flow_status.d.next = self.here.val() & (self.word.q.val() == self.at_flow_status.val());
            self.is_counter.d.next = self.here.val() & (self.word.q.val().get_bits::<5>(5) == self.at_counter.val().get_bits::<5>(5));
            self.nowhere.d.next = !self.here.val();
            if self.address.q.val().get_bits::<2>(22) == bits::<2>(1) {
                self.nowhere.d.next = self.address.q.val().get_bits::<2>(0).any()
                    | self.address.q.val().get_bits::<3>(3).any()
                    | (self.address.q.val().get_bits::<16>(6) & self.no_flow.val()).any();
            }
        }
        self.flags.next = bits::<32>(0);
        // Check: each comparison in a register of its own.
        if self.state.q.val() == State::Capture {
            self.entry.d.next = self.entries.data.val();
            self.stored.d.next = self.store.read_data.val();
        }
        if self.state.q.val() == State::Check {
            self.absent.d.next = self.nowhere.q.val();
            self.outside.d.next = false;
            self.below.d.next = false;
            self.above.d.next = false;
            self.later.d.next = !self.ready.q.val();
            if self.is_window.q.val() {
                self.direction.d.next = !self.write.q.val();
                self.below.d.next = !self.is_rate.q.val() & !self.data.q.val().any();
                self.above.d.next = !self.is_rate.q.val() & self.data.q.val().get_bits::<16>(16).any();
            } else {
                if self.is_profile.q.val() {
                    self.direction.d.next = false;
                } else {
                    self.absent.d.next = self.nowhere.q.val() | !self.entry.q.val().get_bits::<2>(128).any();
                    self.direction.d.next = !self.entry.q.val().get_bit(128);
                    if self.write.q.val() {
                        self.direction.d.next = !self.entry.q.val().get_bit(129);
                    }
                    self.outside.d.next = (self.data.q.val() & !self.entry.q.val().get_bits::<32>(32)).any();
                    self.below.d.next = self.data.q.val() < self.entry.q.val().get_bits::<32>(64);
                    self.above.d.next = self.data.q.val() > self.entry.q.val().get_bits::<32>(96);
                    self.later.d.next = self.is_command.q.val() & (self.busy.val() | !self.ready.q.val());
                }
            }
            self.read.d.next = self.stored.q.val();
            if self.is_now_low.q.val() {
                self.read.d.next = self.now_q.q.val().get_bits::<32>(0);
                if !self.write.q.val() {
                    self.now_high.d.next = self.now_q.q.val().get_bits::<32>(32);
                }
            }
            if self.is_now_high.q.val() {
                self.read.d.next = self.now_high.q.val();
            }
            if self.is_error.q.val() {
                self.read.d.next = bit_cast::<32, 31>(self.error.q.val());
            }
            // Bit by bit: a negated bit in a wider expression would be negated at its width.
            if (self.is_status.q.val() & self.ready.q.val())
                | (self.is_state.q.val() & self.lost.val())
                | (self.is_flow_status.q.val() & self.busy.val())
            {
                self.flags.next = self.flags.val() | bits::<32>(1);
            }
            if (self.is_status.q.val() & !self.go.q.val()) | (self.is_flow_status.q.val() & self.done.val()) {
                self.flags.next = self.flags.val() | bits::<32>(2);
            }
            if self.is_flow_status.q.val() & self.failed.val() {
                self.flags.next = self.flags.val() | bits::<32>(4);
            }
            if self.is_status.q.val() | self.is_state.q.val() | self.is_flow_status.q.val() {
                self.read.d.next = self.flags.val();
            }
        }
        // Act: the first reason that holds refuses, hence the order.
        self.reason.next = bits::<3>(0);
        if self.write.q.val() {
            if self.later.q.val() {
                self.reason.next = bits::<3>(5);
            }
            if self.outside.q.val() | self.below.q.val() | self.above.q.val() {
                self.reason.next = bits::<3>(4);
            }
            if !self.whole.q.val() {
                self.reason.next = bits::<3>(3);
            }
        }
        if self.direction.q.val() {
            self.reason.next = bits::<3>(2);
        }
        if self.absent.q.val() {
            self.reason.next = bits::<3>(1);
        }
        self.accept.next = false;
        self.reply.next = false;
        self.reply_error.next = false;
        self.reply_data.next = self.read.q.val();
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
                    self.accept.next = true;
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
                        if self.is_window.q.val() {
                            if self.is_rate.q.val() {
                                self.host.d.next = true;
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
                            self.pw.d.next = self.is_profile.q.val();
                            self.setting.d.next = self.is_set_high.q.val();
                            if self.is_command.q.val() {
                                if self.data.q.val().get_bit(0) {
                                    self.reply.next = false;
                                    self.state.d.next = State::Load;
                                    self.word.d.next = self.at_stage.val();
                                    self.left.d.next = bits::<12>(16);
                                } else {
                                    self.asking.d.next = true;
                                }
                            }
                        }
                    } else {
                        if self.is_counter.q.val() {
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
                self.record.d.next = (self.record.q.val() >> 32) | (bit_cast::<512, 32>(self.store.read_data.val()) << 480);
                if !self.left.q.val().any() {
                    self.fl.d.next = true;
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
                if self.count_index.val() == self.word.q.val().get_bits::<5>(0) {
                    self.reply.next = true;
                    self.state.d.next = State::Idle;
                }
            }
            _ => {
                self.state.d.next = State::Idle;
            }
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
        self.st_valid.next = self.stv.q.val();
        self.st_word.next = self.stw.q.val();
        self.st_data.next = self.std.q.val();
        self.stop.next = !self.go.q.val();
        self.refused.next = self.refused_q.q.val();
        self.time_set_valid.next = self.set.q.val();
        self.pw_valid.next = self.pw.q.val();
        self.pw_profile.next = self.stw.q.val().get_bits::<4>(5);
        self.pw_word.next = self.stw.q.val().get_bits::<5>(0);
        self.pw_data.next = self.std.q.val();
        self.fl_valid.next = self.fl.q.val();
        self.fl_record.next = self.record.q.val();
        self.host_valid.next = self.host.q.val();
        self.host_flow.next = self.address.q.val().get_bits::<F>(6);
        self.host_rate.next = self.std.q.val();
        self.hd_valid.next = self.bell.q.val();
        self.hd_flow.next = self.bell_flow.q.val();
        self.hd_packets.next = self.bell_packets.q.val();
        self.query_valid.next = self.asking.q.val();
        if self.rst.val() {
            self.state.d.next = State::Sweep;
            self.word.d.next = bits::<10>(0);
            self.sweeping.d.next = false;
            self.stv.d.next = false;
            self.swept_q.d.next = false;
            self.ready.d.next = false;
            self.go.d.next = false;
            self.now_high.d.next = bits::<32>(0);
            self.error.d.next = bits::<31>(0);
            self.refused_q.d.next = false;
            self.setting.d.next = false;
            self.set.d.next = false;
            self.pw.d.next = false;
            self.fl.d.next = false;
            self.host.d.next = false;
            self.bell.d.next = false;
            self.asking.d.next = false;
        }
    }
}
