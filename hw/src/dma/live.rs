//! Answer to csr while it looks at a register: the value, if hardware changes it, and whether a
//! write is refused now.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_regs::map::{Register, dma};

/// Answers at the clock after `look`, and holds the answer.
#[derive(LogicBlock, Default)]
pub struct Live {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// csr looks at a register.
    pub look_valid: Signal<In, Bit>,
    pub look_word: Signal<In, Bits<10>>,
    /// Data of the write; 0 for a read.
    pub look_data: Signal<In, Bits<32>>,
    /// DMA runs.
    pub running: Signal<In, Bit>,
    /// No burst is in flight.
    pub idle: Signal<In, Bit>,
    /// The heartbeat is lost.
    pub lost: Signal<In, Bit>,
    /// Interrupt status.
    pub interrupt: Signal<In, Bits<6>>,
    /// Producer index.
    pub producer: Signal<In, Bits<32>>,
    /// Consumer index.
    pub consumer: Signal<In, Bits<32>>,
    /// The snapshot: under way.
    pub snapshot_busy: Signal<In, Bit>,
    pub snapshot_done: Signal<In, Bit>,
    pub snapshot_code: Signal<In, Bits<3>>,
    pub snapshot_progress: Signal<In, Bits<17>>,
    /// The load: under way.
    pub load_busy: Signal<In, Bit>,
    pub load_done: Signal<In, Bit>,
    pub load_code: Signal<In, Bits<3>>,
    pub load_progress: Signal<In, Bits<17>>,
    pub load_refused: Signal<In, Bits<17>>,
    /// The register's value.
    pub live: Signal<Out, Bits<32>>,
    /// A write is refused now.
    pub refuse: Signal<Out, Bit>,
    /// Registers that change by themselves, and those that cannot always be written.
    at_live: [Const<Bits<10>>; 9],
    at_control: Const<Bits<10>>,
    at_ring: [Const<Bits<10>>; 3],
    at_snapshot: [Const<Bits<10>>; 5],
    at_load: [Const<Bits<10>>; 5],
    value: [Signal<Local, Bits<32>>; 9],
    moving: Signal<Local, Bit>,
    flags: Signal<Local, Bits<8>>,
    live_q: DFF<Bits<32>>,
    refuse_q: DFF<Bit>,
}

fn word(r: Register) -> Const<Bits<10>> {
    Const::new(bits::<10>(r.word().into()))
}

impl Live {
    /// The block with its constants.
    pub fn new() -> Self {
        use dma::*;
        Self {
            at_live: [STATUS, INTERRUPT, PRODUCER, CONSUMER, SNAPSHOT_STATUS, SNAPSHOT_PROGRESS, LOAD_STATUS, LOAD_PROGRESS, LOAD_REFUSED]
                .map(word),
            at_control: word(CONTROL),
            at_ring: [RING_LOW, RING_HIGH, RING_SIZE].map(word),
            at_snapshot: SNAPSHOT.map(word),
            at_load: LOAD.map(word),
            ..Default::default()
        }
    }
}

impl Logic for Live {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, live_q, refuse_q);
        self.flags.next = bits::<8>(0);
        if self.running.val() {
            self.flags.next = bits::<8>(1);
        }
        if self.idle.val() {
            self.flags.next = self.flags.val() | bits::<8>(2);
        }
        if self.snapshot_busy.val() {
            self.flags.next = self.flags.val() | bits::<8>(4);
        }
        if self.snapshot_done.val() {
            self.flags.next = self.flags.val() | bits::<8>(8);
        }
        if self.load_busy.val() {
            self.flags.next = self.flags.val() | bits::<8>(16);
        }
        if self.load_done.val() {
            self.flags.next = self.flags.val() | bits::<8>(32);
        }
        self.value[0].next = bit_cast::<32, 2>(self.flags.val().get_bits::<2>(0));
        self.value[1].next = bit_cast::<32, 6>(self.interrupt.val());
        self.value[2].next = self.producer.val();
        self.value[3].next = self.consumer.val();
        self.value[4].next = bit_cast::<32, 2>(self.flags.val().get_bits::<2>(2)) | (bit_cast::<32, 3>(self.snapshot_code.val()) << 4);
        self.value[5].next = bit_cast::<32, 17>(self.snapshot_progress.val());
        self.value[6].next = bit_cast::<32, 2>(self.flags.val().get_bits::<2>(4)) | (bit_cast::<32, 3>(self.load_code.val()) << 4);
        self.value[7].next = bit_cast::<32, 17>(self.load_progress.val());
        self.value[8].next = bit_cast::<32, 17>(self.load_refused.val());
        self.moving.next = self.running.val() | !self.idle.val();
        if self.look_valid.val() {
            self.live_q.d.next = bits::<32>(0);
            for i in 0..9 {
                if self.look_word.val() == self.at_live[i].val() {
                    self.live_q.d.next = self.value[i].val();
                }
            }
            self.refuse_q.d.next = false;
            if self.look_word.val() == self.at_control.val() {
                self.refuse_q.d.next = self.look_data.val().get_bit(0) & (self.moving.val() | self.lost.val());
            }
            for i in 0..3 {
                if self.look_word.val() == self.at_ring[i].val() {
                    self.refuse_q.d.next = self.moving.val();
                }
            }
            for i in 0..5 {
                if self.look_word.val() == self.at_snapshot[i].val() {
                    self.refuse_q.d.next = self.snapshot_busy.val();
                }
                if self.look_word.val() == self.at_load[i].val() {
                    self.refuse_q.d.next = self.load_busy.val();
                }
            }
            if self.look_word.val() == self.at_snapshot[4].val() {
                self.refuse_q.d.next = self.snapshot_busy.val() | !self.running.val();
            }
            if self.look_word.val() == self.at_load[4].val() {
                self.refuse_q.d.next = self.load_busy.val() | !self.running.val();
            }
        }
        self.live.next = self.live_q.q.val();
        self.refuse.next = self.refuse_q.q.val();
        if self.rst.val() {
            self.live_q.d.next = bits::<32>(0);
            self.refuse_q.d.next = false;
        }
    }
}
