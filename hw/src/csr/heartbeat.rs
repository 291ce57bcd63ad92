//! The driver's heartbeat, as writes into the store set, beat and arm it.
use crate::bus::StoreWriteIn;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_regs::map::heartbeat;

/// Counts down from the period; `lost` from the clock after the count's end until it is armed
/// again.
#[derive(LogicBlock, Default)]
pub struct Heartbeat {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A register is written.
    pub st: StoreWriteIn,
    /// The heartbeat was lost.
    pub lost: Signal<Out, Bit>,
    /// The heartbeat was lost just now; one clock.
    pub pulse: Signal<Out, Bit>,
    at_period: Const<Bits<10>>,
    at_beat: Const<Bits<10>>,
    at_state: Const<Bits<10>>,
    period: DFF<Bits<32>>,
    left: DFF<Bits<32>>,
    /// A period is set.
    running: DFF<Bit>,
    lost_q: DFF<Bit>,
    pulse_q: DFF<Bit>,
}

impl Heartbeat {
    /// The block with its constants.
    pub fn new() -> Self {
        let word = |r: timely_regs::map::Register| Const::new(bits::<10>(r.word().into()));
        Self { at_period: word(heartbeat::PERIOD), at_beat: word(heartbeat::BEAT), at_state: word(heartbeat::STATE), ..Default::default() }
    }
}

impl Logic for Heartbeat {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, period, left, running, lost_q, pulse_q);
        self.pulse_q.d.next = false;
        if self.running.q.val() & !self.lost_q.q.val() {
            self.left.d.next = self.left.q.val() - bits::<32>(1);
            if self.left.q.val() == bits::<32>(1) {
                self.lost_q.d.next = true;
                self.pulse_q.d.next = true;
            }
        }
        // A write at the last clock is in time.
        if self.st.valid.val() {
            if self.st.word.val() == self.at_period.val() {
                self.period.d.next = self.st.data.val();
                self.left.d.next = self.st.data.val();
                self.running.d.next = self.st.data.val().any();
                self.lost_q.d.next = self.lost_q.q.val();
                self.pulse_q.d.next = false;
            }
            if self.st.word.val() == self.at_beat.val() {
                self.left.d.next = self.period.q.val();
                self.lost_q.d.next = self.lost_q.q.val();
                self.pulse_q.d.next = false;
            }
            if (self.st.word.val() == self.at_state.val()) & self.st.data.val().get_bit(0) {
                self.left.d.next = self.period.q.val();
                self.lost_q.d.next = false;
                self.pulse_q.d.next = false;
            }
        }
        self.lost.next = self.lost_q.q.val();
        self.pulse.next = self.pulse_q.q.val();
        if self.rst.val() {
            self.running.d.next = false;
            self.lost_q.d.next = false;
            self.pulse_q.d.next = false;
        }
    }
}
