//! The wheel's own time, in slots: it follows `now`, and says how far the drain may go.
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::pacer::wheel::GUARD;

/// Slots of time for the insert and for the drain. `X` bits a slot, `A = X - 4` bits a word.
#[derive(LogicBlock, Default)]
pub struct Time<const X: usize, const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high, which keeps the last times in flip-flops.
    pub rst: Signal<In, Bit>,
    /// The NIC's time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// Take `now` as it is: nothing is in the wheel.
    pub free: Signal<In, Bit>,
    /// The word under the drain.
    pub word: Signal<In, Bits<A>>,
    /// The slot of `now` a clock ago. It holds while `now` is behind it, or ahead of the drain by
    /// 15/16 of the wheel or more: it never laps the drain, or slots would seem over that inserts
    /// are still on their way to.
    pub slot_now: Signal<Out, Bits<X>>,
    /// Slots from the drain's word to `slot_now`, a clock ago.
    pub lag: Signal<Out, Bits<X>>,
    /// The word of what `slot_now` was 4 clocks ago.
    pub start: Signal<Out, Bits<A>>,
    /// Slots from the drain's word on that are over, a clock ago.
    pub over: Signal<Out, Bits<X>>,
    slot: Signal<Local, Bits<X>>,
    ahead: Signal<Local, Bits<X>>,
    less: Signal<Local, Bits<X>>,
    behind: Signal<Local, Bit>,
    /// All but the highest bit.
    low: Const<Bits<X>>,
    top: Const<Bits<X>>,
    far: Const<Bits<X>>,
    guard: Const<Bits<X>>,
    t0: DFF<Bits<X>>,
    t1: DFF<Bits<X>>,
    t2: DFF<Bits<X>>,
    t3: DFF<Bits<X>>,
    t4: DFF<Bits<X>>,
    /// Beside `t4`, and the guard more: no insert that is still on its way lies before it.
    safe: DFF<Bits<X>>,
    base: Signal<Local, Bits<X>>,
    room: Signal<Local, Bits<X>>,
    to_time: Signal<Local, Bits<X>>,
    to_safe: Signal<Local, Bits<X>>,
    q_lag: DFF<Bits<X>>,
    q_over: DFF<Bits<X>>,
}

impl<const X: usize, const A: usize> Time<X, A> {
    /// With its constants.
    pub fn new() -> Self {
        Self {
            low: Const::new(((1_u64 << (X - 1)) - 1).into()),
            top: Const::new((1_u64 << (X - 1)).into()),
            far: Const::new((15_u64 << (X - 4)).into()),
            guard: Const::new(u64::from(GUARD).into()),
            ..Default::default()
        }
    }
}

impl<const X: usize, const A: usize> Logic for Time<X, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, t0, t1, t2, t3, t4, safe, q_lag, q_over);
        // 16 fraction bits, 3 bits of the slot's 8 ns.
        self.slot.next = self.now.val().get_bits::<X>(19);
        self.base.next = bit_cast::<X, A>(self.word.val()) << 4;
        self.ahead.next = self.slot.val() - self.base.val();
        self.to_time.next = self.t0.q.val() - self.base.val();
        // The sign of a difference: a bare comparison becomes a tree of LUTs. The highest bits
        // stand aside, for there is no wider word here.
        self.less.next = (self.ahead.val() & self.low.val()) - (self.to_time.val() & self.low.val());
        self.behind.next = (self.less.val() & self.top.val()).any();
        if ((self.ahead.val() ^ self.to_time.val()) & self.top.val()).any() {
            self.behind.next = (self.to_time.val() & self.top.val()).any();
        }
        // 15/16 of the wheel and more have these four bits.
        if self.free.val() | (!self.behind.val() & (!self.ahead.val() & self.far.val()).any()) {
            self.t0.d.next = self.slot.val();
        }
        self.t1.d.next = self.t0.q.val();
        self.t2.d.next = self.t1.q.val();
        self.t3.d.next = self.t2.q.val();
        self.t4.d.next = self.t3.q.val();
        self.safe.d.next = self.t3.q.val() + self.guard.val();
        // The nearer of `slot_now` and `safe`; both distances are ready when it is known which.
        self.room.next = self.safe.q.val() - self.t0.q.val();
        self.to_safe.next = self.safe.q.val() - self.base.val();
        if self.room.val() <= self.guard.val() {
            self.q_over.d.next = self.to_time.val();
        } else {
            self.q_over.d.next = self.to_safe.val();
        }
        self.q_lag.d.next = self.to_time.val();
        self.slot_now.next = self.t0.q.val();
        self.lag.next = self.q_lag.q.val();
        self.start.next = self.t4.q.val().get_bits::<A>(4);
        self.over.next = self.q_over.q.val();
        if self.rst.val() {
            self.t2.d.next = bits::<X>(0);
        }
    }
}
