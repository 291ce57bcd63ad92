//! The way out where flows are queue pairs: requests that leave, and their departures.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::RequestInfo;
use crate::bus::PairFrameOut;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_regs::link::{WIRE_LEAST, WIRE_OVERHEAD};

/// Looks at the beats of frames that leave and came from the store (`K` bytes a beat), and reports
/// each as a request, with the stamp of its first beat, under eight running bits.
///
/// Latency: 2 clocks from a frame's last beat to its report. Throughput: a beat a clock. Back
/// pressure: none. Model: `PairExit` in `timely_model::inline::pairs`.
#[derive(LogicBlock, Default)]
pub struct PairExit<const K: usize, const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A beat leaves.
    pub s_tkeep: Signal<In, Bits<K>>,
    pub s_tvalid: Signal<In, Bit>,
    pub s_tlast: Signal<In, Bit>,
    /// With the last beat: launch by the steady time, and what goes beside the request.
    pub s_launch: Signal<In, Bits<64>>,
    pub s_info: Signal<In, Bits<72>>,
    /// The date, and that less the steady time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    pub time_offset: Signal<In, Bits<64>>,
    /// The request, launch as a date.
    pub frame: PairFrameOut<F>,
    /// Departure of the request.
    pub ts: Signal<Out, Bits<64>>,
    midway: DFF<Bit>,
    stamp: DFF<Bits<64>>,
    /// Bytes of the frame before this beat.
    sofar: DFF<Bits<16>>,
    tag: DFF<Bits<8>>,
    // 1: the last beat's keep.
    last: DFF<Bit>,
    keep: DFF<Bits<64>>,
    last_before: DFF<Bits<16>>,
    last_launch: DFF<Bits<64>>,
    last_info: DFF<Bits<72>>,
    last_stamp: DFF<Bits<64>>,
    // 2: reported.
    done: DFF<Bit>,
    done_bytes: DFF<Bits<16>>,
    done_launch: DFF<Bits<64>>,
    done_info: DFF<Bits<72>>,
    done_stamp: DFF<Bits<64>>,
    full: Const<Bits<16>>,
    overhead: Const<Bits<16>>,
    least: Const<Bits<16>>,
    /// Bit j of the bytes of a keep that is a run: how many of these there are is odd.
    places: [Const<Bits<64>>; 7],
    odd: [Signal<Local, Bits<1>>; 7],
    count: Signal<Local, Bits<16>>,
    bytes: Signal<Local, Bits<16>>,
    begun: Signal<Local, Bits<64>>,
    launch: Signal<Local, Bits<40>>,
    info: Signal<Local, RequestInfo>,
    flow: Signal<Local, Bits<14>>,
}

impl<const K: usize, const F: usize> PairExit<K, F> {
    /// The block with its constants.
    pub fn new() -> Self {
        let places = |j: usize| (1..=64u64).filter(|n| n.is_multiple_of(1 << j)).fold(0, |mask, n| mask | 1 << (n - 1));
        Self {
            full: Const::new(bits::<16>(K as u64)),
            overhead: Const::new(bits::<16>(WIRE_OVERHEAD.into())),
            least: Const::new(bits::<16>(WIRE_LEAST.into())),
            places: std::array::from_fn(|j| Const::new(Bits::from(places(j)))),
            ..Default::default()
        }
    }
}

impl<const K: usize, const F: usize> Logic for PairExit<K, F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, midway, stamp, sofar, tag, last, keep, last_before, last_launch, last_info, last_stamp);
        dff_setup!(self, clk, done, done_bytes, done_launch, done_info, done_stamp);
        self.begun.next = self.stamp.q.val();
        if !self.midway.q.val() {
            self.begun.next = self.now.val();
        }
        self.last.d.next = self.s_tvalid.val() & self.s_tlast.val();
        self.keep.d.next = bit_cast::<64, K>(self.s_tkeep.val());
        self.last_before.d.next = self.sofar.q.val();
        self.last_launch.d.next = self.s_launch.val();
        self.last_info.d.next = self.s_info.val();
        self.last_stamp.d.next = self.begun.val();
        if self.s_tvalid.val() {
            self.midway.d.next = !self.s_tlast.val();
            self.stamp.d.next = self.begun.val();
            self.sofar.d.next = self.sofar.q.val() + self.full.val();
            if self.s_tlast.val() {
                self.sofar.d.next = bits::<16>(0);
            }
        }
        for i in 0..7 {
            self.odd[i].next = (self.keep.q.val() & self.places[i].val()).xor().into();
        }
        self.count.next = bit_cast::<16, 1>(self.odd[0].val())
            | (bit_cast::<16, 1>(self.odd[1].val()) << 1)
            | (bit_cast::<16, 1>(self.odd[2].val()) << 2)
            | (bit_cast::<16, 1>(self.odd[3].val()) << 3)
            | (bit_cast::<16, 1>(self.odd[4].val()) << 4)
            | (bit_cast::<16, 1>(self.odd[5].val()) << 5)
            | (bit_cast::<16, 1>(self.odd[6].val()) << 6);
        self.bytes.next = (self.last_before.q.val() + self.count.val()) + self.overhead.val();
        self.done.d.next = self.last.q.val();
        self.done_bytes.d.next = self.bytes.val();
        if self.bytes.val() < self.least.val() {
            self.done_bytes.d.next = self.least.val();
        }
        self.done_launch.d.next = self.last_launch.q.val();
        self.done_info.d.next = self.last_info.q.val();
        self.done_stamp.d.next = self.last_stamp.q.val();
        if self.done.q.val() {
            self.tag.d.next = self.tag.q.val() + bits::<8>(1);
        }
        // A launch is of the steady time; what is measured from it needs a date.
        self.launch.next = self.done_launch.q.val().get_bits::<40>(8) + self.time_offset.val().get_bits::<40>(8);
        self.info.next = self.done_info.q.val().into();
        self.flow.next = self.info.val().flow;
        self.frame.valid.next = self.done.q.val();
        self.frame.tag.next = bit_cast::<16, 8>(self.tag.q.val());
        self.frame.wire_bytes.next = self.done_bytes.q.val();
        self.frame.launch.next = bit_cast::<64, 40>(self.launch.val()) << 8;
        self.frame.request.next = true;
        self.frame.flow.next = self.flow.val().get_bits::<F>(0);
        self.frame.psn.next = self.info.val().psn;
        self.frame.read.next = self.info.val().read;
        self.frame.asks.next = self.info.val().asks;
        self.frame.bytes.next = self.info.val().bytes;
        self.ts.next = self.done_stamp.q.val();
        if self.rst.val() {
            self.midway.d.next = false;
            self.sofar.d.next = bits::<16>(0);
            self.tag.d.next = bits::<8>(0);
            self.last.d.next = false;
            self.done.d.next = false;
        }
    }
}
