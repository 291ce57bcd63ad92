//! Span to a flow's next packet, the gap between its packets, and the packets of a train.
use crate::constant::Const;
use crate::num::{S, U};
use crate::pacer::delay::Delay;
use rust_hdl::prelude::*;
use timely_model::pacer::Timing;
use timely_model::pacer::token::{COVER, WINDOW};

/// The second half of `timely_model::pacer::token::plan`. `y` and `e` at clock 0, `packet` at 0,
/// `deficit` at 2, `now` at 6; outputs at clock 7.
#[derive(LogicBlock, Default)]
pub struct Span {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Clock 0: mantissa of one over the rate.
    pub y: Signal<In, Bits<17>>,
    /// Clock 0: exponent of one over the rate.
    pub e: Signal<In, Bits<5>>,
    /// Clock 0: 125 times the bytes of a packet.
    pub packet: Signal<In, Bits<23>>,
    /// Clock 2: tokens that the flow lacks to send; signed.
    pub deficit: Signal<In, Bits<52>>,
    /// Clock 6: the time, ns.
    pub now: Signal<In, Bits<48>>,
    /// 2^-8 ns to the flow's next packet; signed.
    pub tau: Signal<Out, Bits<32>>,
    /// 2^-8 ns between its packets.
    pub gap: Signal<Out, Bits<31>>,
    /// Clock 4: the same gap.
    pub gap_4: Signal<Out, Bits<31>>,
    /// The next packet is near enough to be granted now.
    pub due: Signal<Out, Bit>,
    /// Clock 6: the bucket allows a train of two to the power of this.
    pub least: Signal<In, Bits<3>>,
    /// Bit k: a train of 2^k neither covers the time to the flow's next pass nor is what the bucket
    /// allows, so that all shorter ones do not.
    pub wished: Signal<Out, Bits<5>>,
    /// Launch of the train, ns48.fns16.
    pub launch: Signal<Out, Bits<64>>,
    window: Const<Bits<17>>,
    full: Const<Bits<18>>,
    ys: Delay<17, 2>,
    es: Delay<5, 4>,
    e1: DFF<Bits<5>>,
    step1: DFF<Bits<35>>,
    step1_high: DFF<Bits<22>>,
    step2: DFF<Bits<46>>,
    fine_by: DFF<Bits<5>>,
    whole: Signal<Local, Bits<40>>,
    over2: DFF<Bit>,
    step3: DFF<Bits<33>>,
    over3: DFF<Bit>,
    gap4: DFF<Bits<31>>,
    gaps: Delay<31, 2>,
    beyonds: Delay<5, 2>,
    gap7: DFF<Bits<31>>,
    low3: DFF<Bits<35>>,
    middle3: DFF<Bits<34>>,
    lower: Signal<Local, Bits<52>>,
    high3: DFF<S<35>>,
    low4: DFF<Bits<26>>,
    high4: DFF<S<35>>,
    size5: DFF<Bits<39>>,
    over5: DFF<Bit>,
    sign5: DFF<Bit>,
    tau6: DFF<Bits<32>>,
    due6: DFF<Bit>,
    need6: DFF<Bits<18>>,
    tau7: DFF<Bits<32>>,
    due7: DFF<Bit>,
    wished7: DFF<Bits<5>>,
    launch7: DFF<Bits<64>>,
    product: Signal<Local, Bits<50>>,
    coarse_by: Signal<Local, Bits<5>>,
    coarse: Signal<Local, Bits<50>>,
    fine: Signal<Local, Bits<46>>,
    y_u: Signal<Local, U<17>>,
    packet_low: Signal<Local, U<18>>,
    packet_high: Signal<Local, U<5>>,
    y2_u: Signal<Local, U<17>>,
    y2_s: Signal<Local, S<18>>,
    low_u: Signal<Local, U<18>>,
    middle_u: Signal<Local, U<17>>,
    high_s: Signal<Local, S<17>>,
    carry_s: Signal<Local, S<18>>,
    high_b: Signal<Local, Bits<35>>,
    extended: Signal<Local, Bits<85>>,
    by_coarse: Signal<Local, Bits<5>>,
    by_fine: Signal<Local, Bits<5>>,
    by_eights: Signal<Local, Bits<85>>,
    by_ones: Signal<Local, Bits<46>>,
    beyond: Signal<Local, Bits<22>>,
    above: Signal<Local, Bits<8>>,
    over: Signal<Local, Bit>,
    far: Signal<Local, Bit>,
    need: Signal<Local, Bits<20>>,
    reach: [Signal<Local, Bits<20>>; 5],
    enough: [Signal<Local, Bit>; 5],
    covers: [Signal<Local, Bits<20>>; 5],
    short: [Signal<Local, Bits<20>>; 5],
    offset: Signal<Local, Bits<64>>,
}

impl Span {
    /// For these distances in time.
    pub fn new(timing: Timing) -> Self {
        assert!(timing.lead + COVER < 512, "a lead of {} ns: it must be below {}", timing.lead, 512 - COVER);
        Self {
            window: Const::new(bits::<17>(u64::from(timing.lead + WINDOW) << 8)),
            full: Const::new(bits::<18>(u64::from(timing.lead + COVER) << 8)),
            reach: std::array::from_fn(|_| Default::default()),
            enough: std::array::from_fn(|_| Default::default()),
            covers: std::array::from_fn(|_| Default::default()),
            short: std::array::from_fn(|_| Default::default()),
            ..Default::default()
        }
    }
}

impl Logic for Span {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, e1, step1, step1_high, fine_by, step2, over2, step3, over3, gap4, gap7, low3, middle3, high3, low4, high4, size5,
            over5, sign5
        );
        dff_setup!(self, clk, tau6, due6, need6, tau7, due7, wished7, launch7);
        self.ys.clk.next = self.clk.val();
        self.es.clk.next = self.clk.val();
        self.gaps.clk.next = self.clk.val();
        self.beyonds.clk.next = self.clk.val();

        // 0..3: the gap, rounded to nearest.
        self.y_u.next = self.y.val().into();
        // No product is wider than an ECP5's multiplier, so that its register is the multiplier's
        // own.
        self.packet_low.next = self.packet.val().get_bits::<18>(0).into();
        self.packet_high.next = self.packet.val().get_bits::<5>(18).into();
        self.step1.d.next = (self.packet_low.val() * self.y_u.val()).into();
        self.step1_high.d.next = (self.packet_high.val() * self.y_u.val()).into();
        self.e1.d.next = self.e.val();
        self.whole.next = bit_cast::<40, 35>(self.step1.q.val()) + (bit_cast::<40, 22>(self.step1_high.q.val()) << 18);
        self.product.next = bit_cast::<50, 40>(self.whole.val()) << 10;
        // By the exponent's high bits first: what lies beyond the result is seen between the two
        // shifts.
        self.coarse_by.next = self.e1.q.val() & bits::<5>(24);
        self.coarse.next = self.product.val() >> self.coarse_by.val();
        self.step2.d.next = self.coarse.val().get_bits::<46>(0);
        self.fine_by.d.next = self.e1.q.val() & bits::<5>(7);
        // What would not fit the next register; what fits it and is beyond the result is seen
        // there.
        self.over2.d.next = self.coarse.val().get_bits::<4>(46).any();
        self.fine.next = self.step2.q.val() >> self.fine_by.q.val();
        self.step3.d.next = bit_cast::<33, 32>(self.fine.val().get_bits::<32>(0)) + bits::<33>(1);
        self.over3.d.next = (self.over2.q.val() | self.step2.q.val().get_bits::<7>(39).any()) | self.fine.val().get_bits::<7>(32).any();
        self.gap4.d.next = self.step3.q.val().get_bits::<31>(1);
        if self.over3.q.val() | self.step3.q.val().get_bit(32) {
            self.gap4.d.next = bits::<31>(2147483647);
        }
        self.gaps.i.next = self.gap4.q.val();
        self.gap_4.next = self.gap4.q.val();
        // Whether shifts by 0 to 4 leave any of it behind 18 bits.
        self.beyonds.i.next = bits::<5>(0);
        if self.gap4.q.val().get_bits::<13>(18).any() {
            self.beyonds.i.next = bits::<5>(31);
        } else if self.gap4.q.val().get_bit(17) {
            self.beyonds.i.next = bits::<5>(30);
        } else if self.gap4.q.val().get_bit(16) {
            self.beyonds.i.next = bits::<5>(28);
        } else if self.gap4.q.val().get_bit(15) {
            self.beyonds.i.next = bits::<5>(24);
        } else if self.gap4.q.val().get_bit(14) {
            self.beyonds.i.next = bits::<5>(16);
        }
        self.gap7.d.next = self.gaps.o.val();

        // 2, 3: deficit over rate.
        self.ys.i.next = self.y.val();
        self.es.i.next = self.e.val();
        self.y2_u.next = self.ys.o.val().into();
        self.y2_s.next = bit_cast::<18, 17>(self.ys.o.val()).into();
        self.low_u.next = self.deficit.val().get_bits::<18>(0).into();
        self.middle_u.next = self.deficit.val().get_bits::<17>(18).into();
        self.high_s.next = self.deficit.val().get_bits::<17>(35).into();
        self.low3.d.next = (self.low_u.val() * self.y2_u.val()).into();
        self.middle3.d.next = (self.middle_u.val() * self.y2_u.val()).into();
        self.lower.next = bit_cast::<52, 35>(self.low3.q.val()) + (bit_cast::<52, 34>(self.middle3.q.val()) << 18);
        self.high3.d.next = (self.high_s.val() * self.y2_s.val()).into();
        self.carry_s.next = bit_cast::<18, 17>(self.lower.val().get_bits::<17>(35)).into();
        self.high4.d.next = (self.high3.q.val() + self.carry_s.val()).into();
        self.low4.d.next = self.lower.val().get_bits::<26>(9);

        // 4: shift it with its sign, so that a negative one is rounded down too; in two steps, as
        // the gap.
        self.high_b.next = self.high4.q.val().into();
        self.extended.next = (bit_cast::<85, 35>(self.high_b.val()) << 26) | bit_cast::<85, 26>(self.low4.q.val());
        if self.high_b.val().get_bit(34) {
            self.extended.next =
                ((bit_cast::<85, 35>(self.high_b.val()) << 26) | bit_cast::<85, 26>(self.low4.q.val())) | (bits::<85>(16777215) << 61);
        }
        self.by_coarse.next = self.es.o.val() & bits::<5>(24);
        self.by_fine.next = self.es.o.val() & bits::<5>(7);
        self.by_eights.next = self.extended.val() >> self.by_coarse.val();
        self.by_ones.next = self.by_eights.val().get_bits::<46>(0) >> self.by_fine.val();
        self.size5.d.next = self.by_ones.val().get_bits::<39>(0);
        self.beyond.next = self.by_eights.val().get_bits::<22>(39);
        self.sign5.d.next = self.high_b.val().get_bit(34);
        self.over5.d.next = self.beyond.val().any();
        if self.high_b.val().get_bit(34) {
            self.over5.d.next = !self.beyond.val().all();
        }

        // 5: saturate; is it due, and how much must a train cover?
        self.above.next = self.size5.q.val().get_bits::<8>(31);
        self.over.next = self.over5.q.val() | self.above.val().any();
        if self.sign5.q.val() {
            self.over.next = self.over5.q.val() | !self.above.val().all();
        }
        self.tau6.d.next = self.size5.q.val().get_bits::<32>(0);
        if self.over.val() {
            self.tau6.d.next = bits::<32>(2147483647);
            if self.sign5.q.val() {
                self.tau6.d.next = 0x8000_0000_u64.into();
            }
        }
        self.far.next =
            (self.over5.q.val() | self.size5.q.val().get_bits::<22>(17).any()) | (self.size5.q.val().get_bits::<17>(0) > self.window.val());
        self.due6.d.next = self.sign5.q.val() | !self.far.val();
        self.need6.d.next = self.full.val();
        if !self.sign5.q.val() {
            self.need6.d.next = self.full.val() - bit_cast::<18, 17>(self.size5.q.val().get_bits::<17>(0));
        }

        // 6
        self.reach[0].next = bit_cast::<20, 18>(self.gaps.o.val().get_bits::<18>(0));
        self.reach[1].next = bit_cast::<20, 17>(self.gaps.o.val().get_bits::<17>(0)) << 1;
        self.reach[2].next = bit_cast::<20, 16>(self.gaps.o.val().get_bits::<16>(0)) << 2;
        self.reach[3].next = bit_cast::<20, 15>(self.gaps.o.val().get_bits::<15>(0)) << 3;
        self.reach[4].next = bit_cast::<20, 14>(self.gaps.o.val().get_bits::<14>(0)) << 4;
        self.need.next = bit_cast::<20, 18>(self.need6.q.val());
        // Bits that a shift leaves behind make it enough, and so does the bucket.
        self.enough[0].next = self.beyonds.o.val().get_bit(0) | (self.least.val() <= bits::<3>(0));
        self.enough[1].next = self.beyonds.o.val().get_bit(1) | (self.least.val() <= bits::<3>(1));
        self.enough[2].next = self.beyonds.o.val().get_bit(2) | (self.least.val() <= bits::<3>(2));
        self.enough[3].next = self.beyonds.o.val().get_bit(3) | (self.least.val() <= bits::<3>(3));
        self.enough[4].next = self.beyonds.o.val().get_bit(4) | (self.least.val() <= bits::<3>(4));
        for i in 0..5 {
            // Carries: a bare comparison becomes a tree of LUTs. What makes it enough enters above
            // them.
            self.covers[i].next = self.reach[i].val();
            if self.enough[i].val() {
                self.covers[i].next = self.reach[i].val() | bits::<20>(0x40000);
            }
            self.short[i].next = self.covers[i].val() - self.need.val();
        }
        // If a train is enough, so is a longer one.
        self.wished7.d.next = bit_cast::<5, 1>(self.short[0].val().get_bits::<1>(19))
            | (bit_cast::<5, 1>(self.short[1].val().get_bits::<1>(19)) << 1)
            | (bit_cast::<5, 1>(self.short[2].val().get_bits::<1>(19)) << 2)
            | (bit_cast::<5, 1>(self.short[3].val().get_bits::<1>(19)) << 3)
            | (bit_cast::<5, 1>(self.short[4].val().get_bits::<1>(19)) << 4);
        self.tau7.d.next = self.tau6.q.val();
        self.due7.d.next = self.due6.q.val();
        self.offset.next = bit_cast::<64, 32>(self.tau6.q.val()) << 8;
        if self.tau6.q.val().get_bit(31) {
            self.offset.next = (bit_cast::<64, 32>(self.tau6.q.val()) << 8) | (bits::<64>(16777215) << 40);
        }
        self.launch7.d.next = (bit_cast::<64, 48>(self.now.val()) << 16) + self.offset.val();

        self.tau.next = self.tau7.q.val();
        self.gap.next = self.gap7.q.val();
        self.due.next = self.due7.q.val();
        self.wished.next = self.wished7.q.val();
        self.launch.next = self.launch7.q.val();
    }
}
