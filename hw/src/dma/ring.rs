//! The event ring: its indices, whether it has room, when it is to be read.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::Cursor;
use rust_hdl::prelude::*;

/// Indices count records modulo 2^32. A record may be written every third clock, when `open` knows
/// of the one before.
#[derive(LogicBlock, Default)]
pub struct Ring {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// DMA starts: the ring is empty.
    pub start: Signal<In, Bit>,
    /// Address of the ring.
    pub base: Signal<In, Bits<64>>,
    /// log2 of its records.
    pub size: Signal<In, Bits<5>>,
    /// Unread records at which it is to be read.
    pub watermark: Signal<In, Bits<21>>,
    /// Clocks after which it is to be read all the same.
    pub holdoff: Signal<In, Bits<32>>,
    /// The write of a record starts.
    pub took: Signal<In, Bit>,
    /// The write of a record ended.
    pub done: Signal<In, Bit>,
    /// The write that ended failed.
    pub failed: Signal<In, Bit>,
    /// A new consumer index.
    pub consumed: Signal<In, Bit>,
    /// The index.
    pub consumed_to: Signal<In, Bits<32>>,
    /// Address of the next record.
    pub address: Signal<Out, Bits<64>>,
    /// A record may be written.
    pub open: Signal<Out, Bit>,
    /// There is no room for another record.
    pub crowded: Signal<Out, Bit>,
    /// The ring is to be read.
    pub wants: Signal<Out, Bit>,
    /// Producer index.
    pub producer: Signal<Out, Bits<32>>,
    /// Consumer index.
    pub consumer: Signal<Out, Bits<32>>,
    cursor: Cursor,
    ones: Signal<Local, Bits<32>>,
    /// Bits of a count that are above the ring's size.
    beyond: DFF<Bits<32>>,
    issued: DFF<Bits<32>>,
    produced: DFF<Bits<32>>,
    read: DFF<Bits<32>>,
    fill: DFF<Bits<32>>,
    full: DFF<Bit>,
    unread: DFF<Bits<32>>,
    some: DFF<Bit>,
    reached: DFF<Bit>,
    settle: DFF<Bits<2>>,
    broken: DFF<Bit>,
    /// The write of a record started a clock ago: cursor and slot follow then, which are many bits,
    /// and no other starts within two clocks.
    follows: DFF<Bit>,
    slot: DFF<Bits<21>>,
    slot_next: Signal<Local, Bits<21>>,
    /// The slot is the ring's last: known three clocks after the one before was taken.
    wraps: DFF<Bit>,
    left: DFF<Bits<32>>,
}

impl Logic for Ring {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, beyond, issued, produced, read, fill, full, unread, some, reached, settle, broken, follows, slot, wraps, left
        );
        self.ones.next = 0xFFFF_FFFF_u64.into();
        self.beyond.d.next = self.ones.val() << self.size.val();
        // Room: two clocks behind the indices, which `settle` waits for.
        self.fill.d.next = self.issued.q.val() - self.read.q.val();
        self.full.d.next = (self.fill.q.val() & self.beyond.q.val()).any();
        if self.settle.q.val().any() {
            self.settle.d.next = self.settle.q.val() - bits::<2>(1);
        }
        // Unread records.
        self.unread.d.next = self.produced.q.val() - self.read.q.val();
        self.some.d.next = self.unread.q.val().any();
        self.reached.d.next = self.unread.q.val().any() & (self.unread.q.val() >= bit_cast::<32, 21>(self.watermark.val()));
        if !self.some.q.val() | self.consumed.val() {
            self.left.d.next = self.holdoff.val();
        } else {
            if self.left.q.val().any() {
                self.left.d.next = self.left.q.val() - bits::<32>(1);
            }
        }
        if self.consumed.val() {
            self.read.d.next = self.consumed_to.val();
        }
        if self.done.val() {
            if self.failed.val() {
                self.broken.d.next = true;
            } else {
                if !self.broken.q.val() {
                    self.produced.d.next = self.produced.q.val() + bits::<32>(1);
                }
            }
        }
        self.slot_next.next = self.slot.q.val() + bits::<21>(1);
        self.wraps.d.next = (self.slot_next.val() & self.beyond.q.val().get_bits::<21>(0)).any();
        self.cursor.clk.next = self.clk.val();
        self.cursor.base.next = self.base.val();
        self.follows.d.next = self.took.val();
        self.cursor.advance.next = self.follows.q.val();
        self.cursor.set_base.next = self.start.val() | (self.follows.q.val() & self.wraps.q.val());
        if self.took.val() {
            self.issued.d.next = self.issued.q.val() + bits::<32>(1);
            self.settle.d.next = bits::<2>(2);
        }
        if self.follows.q.val() {
            self.slot.d.next = self.slot_next.val();
            if self.wraps.q.val() {
                self.slot.d.next = bits::<21>(0);
            }
        }
        if self.start.val() {
            self.issued.d.next = bits::<32>(0);
            self.produced.d.next = bits::<32>(0);
            self.read.d.next = bits::<32>(0);
            self.fill.d.next = bits::<32>(0);
            self.full.d.next = false;
            self.unread.d.next = bits::<32>(0);
            self.some.d.next = false;
            self.reached.d.next = false;
            self.settle.d.next = bits::<2>(3);
            self.broken.d.next = false;
            self.follows.d.next = false;
            self.slot.d.next = bits::<21>(0);
        }
        self.address.next = self.cursor.address.val();
        self.open.next = !self.settle.q.val().any() & !self.full.q.val();
        self.crowded.next = !self.settle.q.val().any() & self.full.q.val();
        self.wants.next = self.reached.q.val() | (self.some.q.val() & !self.left.q.val().any());
        self.producer.next = self.produced.q.val();
        self.consumer.next = self.read.q.val();
        if self.rst.val() {
            self.issued.d.next = bits::<32>(0);
            self.produced.d.next = bits::<32>(0);
            self.read.d.next = bits::<32>(0);
            self.fill.d.next = bits::<32>(0);
            self.full.d.next = false;
            self.unread.d.next = bits::<32>(0);
            self.some.d.next = false;
            self.reached.d.next = false;
            self.settle.d.next = bits::<2>(0);
            self.broken.d.next = false;
            self.follows.d.next = false;
            self.slot.d.next = bits::<21>(0);
        }
    }
}
