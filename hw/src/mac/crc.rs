//! Ethernet's check sequence, a byte a clock.
use rust_hdl::prelude::*;

/// Value of the check sequence's register after another byte; no state.
///
/// Latency: none. The sequence is linear, so it is the sum of what each bit of the byte adds.
/// Model: `timely_model::mac::crc32`.
#[derive(LogicBlock, Default)]
pub struct Crc {
    /// The register, all ones at a frame's start.
    pub register: Signal<In, Bits<32>>,
    /// The byte.
    pub octet: Signal<In, Bits<8>>,
    /// The register after it.
    pub after: Signal<Out, Bits<32>>,
    mix: Signal<Local, Bits<8>>,
    bit_0: Signal<Local, Bits<32>>,
    bit_1: Signal<Local, Bits<32>>,
    bit_2: Signal<Local, Bits<32>>,
    bit_3: Signal<Local, Bits<32>>,
    bit_4: Signal<Local, Bits<32>>,
    bit_5: Signal<Local, Bits<32>>,
    bit_6: Signal<Local, Bits<32>>,
    bit_7: Signal<Local, Bits<32>>,
}

impl Logic for Crc {
    #[hdl_gen]
    fn update(&mut self) {
        self.mix.next = self.register.val().get_bits::<8>(0) ^ self.octet.val();
        self.bit_0.next = bits::<32>(0);
        self.bit_1.next = bits::<32>(0);
        self.bit_2.next = bits::<32>(0);
        self.bit_3.next = bits::<32>(0);
        self.bit_4.next = bits::<32>(0);
        self.bit_5.next = bits::<32>(0);
        self.bit_6.next = bits::<32>(0);
        self.bit_7.next = bits::<32>(0);
        if self.mix.val().get_bit(0) {
            self.bit_0.next = 0x77073096_u64.into();
        }
        if self.mix.val().get_bit(1) {
            self.bit_1.next = 0xee0e612c_u64.into();
        }
        if self.mix.val().get_bit(2) {
            self.bit_2.next = 0x076dc419_u64.into();
        }
        if self.mix.val().get_bit(3) {
            self.bit_3.next = 0x0edb8832_u64.into();
        }
        if self.mix.val().get_bit(4) {
            self.bit_4.next = 0x1db71064_u64.into();
        }
        if self.mix.val().get_bit(5) {
            self.bit_5.next = 0x3b6e20c8_u64.into();
        }
        if self.mix.val().get_bit(6) {
            self.bit_6.next = 0x76dc4190_u64.into();
        }
        if self.mix.val().get_bit(7) {
            self.bit_7.next = 0xedb88320_u64.into();
        }
        self.after.next = ((((self.register.val() >> 8) ^ self.bit_0.val()) ^ (self.bit_1.val() ^ self.bit_2.val()))
            ^ ((self.bit_3.val() ^ self.bit_4.val()) ^ (self.bit_5.val() ^ self.bit_6.val())))
            ^ self.bit_7.val();
    }
}
