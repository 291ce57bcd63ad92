//! One over a rate, biased low.
use crate::num::U;
use rust_hdl::prelude::*;
use timely_model::pacer::token::TABLE;

/// `(y, e)` of `rate`, 6 clocks later: `timely_model::pacer::token::reciprocal`.
#[derive(LogicBlock)]
pub struct Reciprocal {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// 2^-12 Mb/s.
    pub rate: Signal<In, Bits<30>>,
    /// Mantissa: `1 / rate` is about `y / 2^(17 + e)`.
    pub y: Signal<Out, Bits<17>>,
    /// Exponent: the place of the rate's highest bit.
    pub e: Signal<Out, Bits<5>>,
    rom: SyncROM<Bits<31>, 8>,
    coarse: DFF<Bits<30>>,
    coarse_zeros: DFF<Bits<5>>,
    fine: DFF<Bits<30>>,
    fine_zeros: DFF<Bits<5>>,
    fraction: [DFF<Bits<16>>; 2],
    exponent: [DFF<Bits<5>>; 4],
    entry: DFF<Bits<31>>,
    product: DFF<Bits<27>>,
    from: DFF<Bits<20>>,
    mantissa: DFF<Bits<20>>,
    by2: Signal<Local, Bits<30>>,
    by2_zeros: Signal<Local, Bits<5>>,
    slope: Signal<Local, U<11>>,
    part: Signal<Local, U<16>>,
}

impl Default for Reciprocal {
    fn default() -> Self {
        // The mantissa's bias is in the table.
        let entry = |i: usize| bits::<31>(u64::from(TABLE[i].0 - 4) | u64::from(TABLE[i].1) << 20);
        let rom = SyncROM::new((0..TABLE.len()).map(|i| (bits::<8>(i as u64), entry(i))).collect());
        Self {
            rom,
            clk: Default::default(),
            rate: Default::default(),
            y: Default::default(),
            e: Default::default(),
            coarse: Default::default(),
            coarse_zeros: Default::default(),
            fine: Default::default(),
            fine_zeros: Default::default(),
            entry: Default::default(),
            product: Default::default(),
            from: Default::default(),
            mantissa: Default::default(),
            by2: Default::default(),
            by2_zeros: Default::default(),
            slope: Default::default(),
            part: Default::default(),
            fraction: Default::default(),
            exponent: Default::default(),
        }
    }
}

impl Logic for Reciprocal {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, coarse, coarse_zeros, fine, fine_zeros, entry, product, from, mantissa);
        for i in 0..2 {
            self.fraction[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.exponent[i].clock.next = self.clk.val();
        }
        self.rom.clock.next = self.clk.val();
        // 0, 1: normalise. Nothing is divided by a rate of 0.
        self.coarse.d.next = self.rate.val() << 24;
        self.coarse_zeros.d.next = bits::<5>(24);
        if self.rate.val().get_bits::<8>(22).any() {
            self.coarse.d.next = self.rate.val();
            self.coarse_zeros.d.next = bits::<5>(0);
        } else if self.rate.val().get_bits::<8>(14).any() {
            self.coarse.d.next = self.rate.val() << 8;
            self.coarse_zeros.d.next = bits::<5>(8);
        } else if self.rate.val().get_bits::<8>(6).any() {
            self.coarse.d.next = self.rate.val() << 16;
            self.coarse_zeros.d.next = bits::<5>(16);
        }
        self.by2.next = self.coarse.q.val() << 6;
        self.by2_zeros.next = self.coarse_zeros.q.val() | bits::<5>(6);
        if self.coarse.q.val().get_bits::<2>(28).any() {
            self.by2.next = self.coarse.q.val();
            self.by2_zeros.next = self.coarse_zeros.q.val();
        } else if self.coarse.q.val().get_bits::<2>(26).any() {
            self.by2.next = self.coarse.q.val() << 2;
            self.by2_zeros.next = self.coarse_zeros.q.val() | bits::<5>(2);
        } else if self.coarse.q.val().get_bits::<2>(24).any() {
            self.by2.next = self.coarse.q.val() << 4;
            self.by2_zeros.next = self.coarse_zeros.q.val() | bits::<5>(4);
        }
        self.fine.d.next = self.by2.val();
        self.fine_zeros.d.next = self.by2_zeros.val();
        if !self.by2.val().get_bit(29) {
            self.fine.d.next = self.by2.val() << 1;
            self.fine_zeros.d.next = self.by2_zeros.val() | bits::<5>(1);
        }
        // 2: table. 3: capture. 4: interpolate. 5: subtract.
        self.rom.address.next = self.fine.q.val().get_bits::<8>(21);
        self.fraction[0].d.next = self.fine.q.val().get_bits::<16>(5);
        self.fraction[1].d.next = self.fraction[0].q.val();
        self.exponent[0].d.next = bits::<5>(29) - self.fine_zeros.q.val();
        for i in 0..3 {
            self.exponent[i + 1].d.next = self.exponent[i].q.val();
        }
        self.entry.d.next = self.rom.data.val();
        self.slope.next = self.entry.q.val().get_bits::<11>(20).into();
        self.part.next = self.fraction[1].q.val().into();
        self.product.d.next = (self.slope.val() * self.part.val()).into();
        self.from.d.next = self.entry.q.val().get_bits::<20>(0);
        self.mantissa.d.next = self.from.q.val() - bit_cast::<20, 11>(self.product.q.val().get_bits::<11>(16));
        self.y.next = self.mantissa.q.val().get_bits::<17>(2);
        self.e.next = self.exponent[3].q.val();
    }
}
