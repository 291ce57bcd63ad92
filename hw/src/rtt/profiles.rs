//! Profile words that decide an ACK: time-out, signal and base.
use crate::bus::ProfileWriteIn;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// Time-out, signal and base by profile: addressed at one clock, there at the next.
#[derive(LogicBlock, Default)]
pub struct Profiles {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// The words are being cleared.
    pub sweep: Signal<In, Bit>,
    /// Profile that is cleared.
    pub sweep_at: Signal<In, Bits<4>>,
    /// The profile that is looked up.
    pub profile: Signal<In, Bits<4>>,
    /// Profile bus.
    pub pw: ProfileWriteIn,
    /// Time-out, ns.
    pub timeout: Signal<Out, Bits<31>>,
    /// The time-out is not 0.
    pub times_out: Signal<Out, Bit>,
    /// The signal: 1 RTT less residence, 2 one-way delay variation, else RTT.
    pub signal: Signal<Out, Bits<2>>,
    /// Base of the signal, ns.
    pub base: Signal<Out, Bits<24>>,
    // Bit 31: the time-out is not 0.
    timeouts: RAM<Bits<32>, 4>,
    read: Signal<Local, Bits<32>>,
    given: Signal<Local, Bits<31>>,
    signals: RAM<Bits<2>, 4>,
    bases: RAM<Bits<24>, 4>,
    timeout_word: Const<Bits<5>>,
    signal_word: Const<Bits<5>>,
    base_word: Const<Bits<5>>,
}

// A kernel takes literals alone; this holds the places that it takes the fields from to their
// homes.
const _: () = assert!(profile::TIMEOUT_NS.mask() == u32::MAX >> 1 && profile::SIGNAL.mask() == 3 << 10);
const _: () = assert!(profile::SIGNAL_BASE.mask() == u32::MAX >> 8);

impl Profiles {
    /// The block with its constants.
    pub fn new() -> Self {
        let word = |f: &timely_regs::field::Field| Const::new(bits::<5>(f.word.into()));
        Self {
            timeout_word: word(&profile::TIMEOUT_NS),
            signal_word: word(&profile::SIGNAL),
            base_word: word(&profile::SIGNAL_BASE),
            ..Default::default()
        }
    }
}

impl Logic for Profiles {
    #[hdl_gen]
    fn update(&mut self) {
        self.timeouts.read_clock.next = self.clk.val();
        self.timeouts.write_clock.next = self.clk.val();
        self.signals.read_clock.next = self.clk.val();
        self.signals.write_clock.next = self.clk.val();
        self.bases.read_clock.next = self.clk.val();
        self.bases.write_clock.next = self.clk.val();
        self.timeouts.read_address.next = self.profile.val();
        self.signals.read_address.next = self.profile.val();
        self.bases.read_address.next = self.profile.val();
        self.read.next = self.timeouts.read_data.val();
        self.timeout.next = self.read.val().get_bits::<31>(0);
        self.times_out.next = self.read.val().get_bit(31);
        self.signal.next = self.signals.read_data.val();
        self.base.next = self.bases.read_data.val();
        self.timeouts.write_enable.next = self.sweep.val() | (self.pw.valid.val() & (self.pw.word.val() == self.timeout_word.val()));
        self.signals.write_enable.next = self.sweep.val() | (self.pw.valid.val() & (self.pw.word.val() == self.signal_word.val()));
        self.bases.write_enable.next = self.sweep.val() | (self.pw.valid.val() & (self.pw.word.val() == self.base_word.val()));
        self.timeouts.write_address.next = self.pw.profile.val();
        self.signals.write_address.next = self.pw.profile.val();
        self.bases.write_address.next = self.pw.profile.val();
        self.given.next = self.pw.data.val().get_bits::<31>(0);
        self.timeouts.write_data.next = bit_cast::<32, 31>(self.given.val()) | (bit_cast::<32, 1>(self.given.val().any().into()) << 31);
        self.signals.write_data.next = self.pw.data.val().get_bits::<2>(10);
        self.bases.write_data.next = self.pw.data.val().get_bits::<24>(0);
        if self.sweep.val() {
            self.timeouts.write_address.next = self.sweep_at.val();
            self.signals.write_address.next = self.sweep_at.val();
            self.bases.write_address.next = self.sweep_at.val();
            self.timeouts.write_data.next = bits::<32>(0);
            self.signals.write_data.next = bits::<2>(0);
            self.bases.write_data.next = bits::<24>(0);
        }
    }
}
