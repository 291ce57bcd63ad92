//! Half of the event counters: few bits each that count at once, and a RAM that a round of 32
//! clocks adds them to.
use rust_hdl::prelude::*;

/// 32 counters of 32 bits, wrapping. Each is visited every 32 clocks, so 6 bits hold what happened
/// since the last visit; more counters are more of these blocks, so that no selection grows.
///
/// `value` is counter `index`, one after the other, a clock each, [`Counters::LATENCY`] clocks
/// after its visit: an event shows after at most 36 clocks. Reset clears the counters in the first
/// round.
#[derive(LogicBlock, Default)]
pub struct Counters {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Events of this clock, a bit each.
    pub pulses: Signal<In, Bits<32>>,
    /// The counter shown.
    pub index: Signal<Out, Bits<5>>,
    /// Value of the counter.
    pub value: Signal<Out, Bits<32>>,
    ram: RAM<Bits<32>, 5>,
    recent: [DFF<Bits<6>>; 32],
    visited: DFF<Bits<5>>,
    /// The first round is over.
    cleared: DFF<Bit>,
    index1: DFF<Bits<5>>,
    events1: DFF<Bits<6>>,
    index2: DFF<Bits<5>>,
    events2: DFF<Bits<6>>,
    old2: DFF<Bits<32>>,
    cleared1: DFF<Bit>,
    cleared2: DFF<Bit>,
    index3: DFF<Bits<5>>,
    value3: DFF<Bits<32>>,
}

impl Counters {
    /// Clocks from the visit of a counter to its new value at the output.
    pub const LATENCY: usize = 3;
}

impl Logic for Counters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, visited, cleared, index1, events1, index2, events2, old2, cleared1, cleared2, index3, value3);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.visited.d.next = self.visited.q.val() + bits::<5>(1);
        if self.visited.q.val().all() {
            self.cleared.d.next = true;
        }
        // 1: take what happened since the last visit.
        self.ram.read_address.next = self.visited.q.val();
        self.index1.d.next = self.visited.q.val();
        self.cleared1.d.next = self.cleared.q.val();
        self.events1.d.next = bits::<6>(0);
        for i in 0..32 {
            self.recent[i].clock.next = self.clk.val();
            self.recent[i].d.next = self.recent[i].q.val();
            if self.pulses.val().get_bit(i) {
                // 32 are there at a visit alone.
                self.recent[i].d.next = (self.recent[i].q.val() & bits::<6>(31)) + bits::<6>(1);
            }
            if self.visited.q.val().index() == i {
                self.events1.d.next = self.recent[i].q.val();
                self.recent[i].d.next = bits::<6>(0);
                if self.pulses.val().get_bit(i) {
                    self.recent[i].d.next = bits::<6>(1);
                }
            }
            if self.rst.val() {
                self.recent[i].d.next = bits::<6>(0);
            }
        }
        // 2: capture the counter.
        self.index2.d.next = self.index1.q.val();
        self.events2.d.next = self.events1.q.val();
        self.cleared2.d.next = self.cleared1.q.val();
        self.old2.d.next = self.ram.read_data.val();
        // 3: add.
        self.index3.d.next = self.index2.q.val();
        self.value3.d.next = bit_cast::<32, 6>(self.events2.q.val());
        if self.cleared2.q.val() {
            self.value3.d.next = self.old2.q.val() + bit_cast::<32, 6>(self.events2.q.val());
        }
        // 4: write back; the next visit is 28 clocks away.
        self.ram.write_address.next = self.index3.q.val();
        self.ram.write_data.next = self.value3.q.val();
        self.ram.write_enable.next = true;
        self.index.next = self.index3.q.val();
        self.value.next = self.value3.q.val();
        if self.rst.val() {
            self.visited.d.next = bits::<5>(0);
            self.cleared.d.next = false;
        }
    }
}
