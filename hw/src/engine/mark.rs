//! A flow's mark: the law's own number of a flow, beside its history.
use super::words::{Action, Flags, Kind, KindBits, MarkWord, Marked};
use crate::pacer::delay::Ring;
use rust_hdl::prelude::*;

/// The mark that an operation leaves: of Swift the time of a decrease, of PI what the controller's
/// output goes on from, of DCQCN the target rate.
///
/// DCQCN's target is the new rate where a loss or a time-out lowered it: with the old one five
/// stages would bring the old rate back. So the mark is known at 19 alone. A port's number is the
/// clock after the issue at which it holds.
#[derive(LogicBlock, Default)]
pub struct Mark {
    pub clk: Signal<In, Clock>,
    /// Clear the mark of the flow that is swept.
    pub sweep: Signal<In, Bit>,
    /// Clock counter of the rings.
    pub at: Signal<In, Bits<9>>,
    /// The flow's mark before.
    pub before_2: Signal<In, Marked>,
    /// Kind of the operation, and whether the reaction block or a NAK asks for it.
    pub kind_10: Signal<In, Kind>,
    /// The same.
    pub kind_18: Signal<In, Kind>,
    /// The same.
    pub reacts_18: Signal<In, Bit>,
    /// Law of the operation.
    pub flags_10: Signal<In, Flags>,
    /// Action that the reaction block asks for.
    pub action_10: Signal<In, Action>,
    /// Swift lowers the rate.
    pub falls_10: Signal<In, Bit>,
    /// Time of the operation, ns.
    pub time_10: Signal<In, Bits<32>>,
    /// Number that PI's controller goes on from.
    pub kept_10: Signal<In, MarkWord>,
    /// DCQCN's target behind the action.
    pub target_10: Signal<In, Bits<32>>,
    /// There is an operation.
    pub valid_18: Signal<In, Bit>,
    /// A loss lowers the rate.
    pub loss_18: Signal<In, Bit>,
    /// The new rate.
    pub rate_19: Signal<In, Bits<32>>,
    /// The flow's mark changes.
    pub write_19: Signal<Out, Bit>,
    /// To this.
    pub mark_19: Signal<Out, Marked>,
    old: Ring<Marked, 8>,
    later: Ring<Marked, 8>,
    now: Signal<Local, Marked>,
    decrease: Signal<Local, MarkWord>,
    aim: Signal<Local, MarkWord>,
    settled: Signal<Local, MarkWord>,
    is_sample: Signal<Local, Bit>,
    replaces: Signal<Local, Bit>,
    bits_10: Signal<Local, KindBits>,
    bits_18: Signal<Local, KindBits>,
    mark: DFF<Marked>,
    // Index k is the register of clock k + 11.
    dcqcn: [DFF<Bit>; 8],
    dcqcn_18: Signal<Local, Bit>,
    timed_out: Signal<Local, Bit>,
    settles: Signal<Local, Bit>,
    settles_19: DFF<Bit>,
    writes: DFF<Bit>,
}

impl Logic for Mark {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, mark, settles_19, writes);
        for i in 0..8 {
            self.dcqcn[i].clock.next = self.clk.val();
        }
        for i in 0..7 {
            self.dcqcn[i + 1].d.next = self.dcqcn[i].q.val();
        }
        // 2 to 10
        self.old.clk.next = self.clk.val();
        self.old.at.next = self.at.val();
        self.old.i.next = self.before_2.val();
        // 10
        self.dcqcn[0].d.next = self.flags_10.val().dcqcn;
        self.bits_10.next = self.kind_10.val().into();
        self.is_sample.next = self.kind_10.val() == Kind::Sample;
        self.decrease.next = bit_cast::<40, 32>(self.time_10.val()).into();
        self.aim.next = bit_cast::<40, 32>(self.target_10.val()).into();
        self.now.next = self.old.o.val();
        if (self.is_sample.val() & self.falls_10.val()) | (self.bits_10.val().valued & self.flags_10.val().swift) {
            self.now.next.marked = true;
            self.now.next.mark = self.decrease.val();
        } else if self.is_sample.val() & self.flags_10.val().pi {
            self.now.next.marked = true;
            self.now.next.mark = self.kept_10.val();
        }
        if self.flags_10.val().dcqcn & (self.action_10.val().cnp | self.action_10.val().increase) {
            self.now.next.marked = true;
            self.now.next.mark = self.aim.val();
        }
        self.replaces.next = self.bits_10.val().replaces | self.sweep.val();
        self.mark.d.next = self.now.val();
        if self.replaces.val() {
            self.mark.d.next = bits::<41>(0).into();
        }
        // 11 to 19
        self.later.clk.next = self.clk.val();
        self.later.at.next = self.at.val();
        self.later.i.next = self.mark.q.val();
        // 18. Nothing is asked of a flow of another law; a NAK changes no mark but DCQCN's.
        self.dcqcn_18.next = self.dcqcn[7].q.val();
        self.bits_18.next = self.kind_18.val().into();
        self.timed_out.next = (self.bits_18.val().valued & !self.bits_18.val().replaces) & !self.reacts_18.val();
        self.settles.next = (self.valid_18.val() & self.dcqcn_18.val()) & (self.loss_18.val() | self.timed_out.val());
        self.settles_19.d.next = self.settles.val();
        self.writes.d.next = (((self.valid_18.val() & (self.kind_18.val() != Kind::Host))
            & !(self.reacts_18.val() & !self.dcqcn_18.val()))
            | self.settles.val())
            | self.sweep.val();
        // 19
        self.settled.next = bit_cast::<40, 32>(self.rate_19.val()).into();
        self.write_19.next = self.writes.q.val();
        self.mark_19.next = self.later.o.val();
        if self.settles_19.q.val() {
            self.mark_19.next.marked = true;
            self.mark_19.next.mark = self.settled.val();
        }
    }
}
