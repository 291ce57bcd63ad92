//! How long until a flow's next packet, how far apart its packets are, and how many of them make a train.
use crate::construct::construct;
use crate::num::{S, U};
use crate::pacer::delay::Delay;
use rust_hdl::prelude::*;
use timely_model::pacer::Timing;
use timely_model::pacer::token::{COVER, WINDOW};

/// The second half of `timely_model::pacer::token::plan`. `y` and `e` at clock 0, `packet` at 0, `deficit` at 2, `now` at 6; outputs
/// at clock 7.
#[derive(LogicBlock)]
pub struct Span {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Clock 0: mantissa of one over the rate.
    pub y: Signal<In, Bits<17>>,
    /// Clock 0: its exponent.
    pub e: Signal<In, Bits<5>>,
    /// Clock 0: 125 times the bytes of a packet.
    pub packet: Signal<In, Bits<23>>,
    /// Clock 2: what the flow lacks to send, tokens; signed.
    pub deficit: Signal<In, Bits<52>>,
    /// Clock 6: the time, ns.
    pub now: Signal<In, Bits<48>>,
    /// 2^-8 ns to the flow's next packet; signed.
    pub tau: Signal<Out, Bits<32>>,
    /// 2^-8 ns between its packets.
    pub gap: Signal<Out, Bits<31>>,
    /// The next packet is near enough to be granted now.
    pub due: Signal<Out, Bit>,
    /// A train of two to the power of this covers the time to the next pass.
    pub enough: Signal<Out, Bits<3>>,
    /// Its launch, ns48.fns16.
    pub launch: Signal<Out, Bits<64>>,
    window: Constant<Bits<17>>,
    full: Constant<Bits<18>>,
    ys: Delay<17, 2>,
    es: Delay<5, 4>,
    e1: DFF<Bits<5>>,
    step1: DFF<Bits<40>>,
    step2: DFF<Bits<50>>,
    step3: DFF<Bits<51>>,
    gap4: DFF<Bits<31>>,
    gaps: Delay<31, 2>,
    gap7: DFF<Bits<31>>,
    low3: DFF<Bits<42>>,
    high3: DFF<S<45>>,
    low4: DFF<Bits<16>>,
    high4: DFF<S<45>>,
    size5: DFF<Bits<60>>,
    sign5: DFF<Bit>,
    tau6: DFF<Bits<32>>,
    due6: DFF<Bit>,
    need6: DFF<Bits<18>>,
    tau7: DFF<Bits<32>>,
    due7: DFF<Bit>,
    enough7: DFF<Bits<3>>,
    launch7: DFF<Bits<64>>,
    product: Signal<Local, Bits<50>>,
    wide: Signal<Local, Bits<32>>,
    y_u: Signal<Local, U<17>>,
    packet_u: Signal<Local, U<23>>,
    y2_u: Signal<Local, U<17>>,
    y2_s: Signal<Local, S<18>>,
    low_u: Signal<Local, U<25>>,
    high_s: Signal<Local, S<27>>,
    carry_s: Signal<Local, S<18>>,
    high_b: Signal<Local, Bits<45>>,
    whole: Signal<Local, Bits<61>>,
    size: Signal<Local, Bits<60>>,
    over: Signal<Local, Bit>,
    magnitude: Signal<Local, Bits<31>>,
    far: Signal<Local, Bit>,
    reach: [Signal<Local, Bits<36>>; 5],
    need: Signal<Local, Bits<36>>,
    offset: Signal<Local, Bits<64>>,
}

impl Span {
    /// For these distances in time.
    pub fn new(timing: Timing) -> Self {
        assert!(timing.lead + COVER < 512, "a lead of {} ns: it must be below {}", timing.lead, 512 - COVER);
        construct!({
            window: Constant::new(bits::<17>(u64::from(timing.lead + WINDOW) << 8)),
            full: Constant::new(bits::<18>(u64::from(timing.lead + COVER) << 8)),
        } clk, y, e, packet, deficit, now, tau, gap, due, enough, launch, ys, es, e1, step1, step2, step3, gap4, gaps, gap7, low3, high3, low4,
            high4, size5, sign5, tau6, due6, need6, tau7, due7, enough7, launch7, product, wide, y_u, packet_u, y2_u, y2_s, low_u, high_s, carry_s, high_b,
            whole, size, over, magnitude, far, need, offset; reach)
    }
}

impl Logic for Span {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, e1, step1, step2, step3, gap4, gap7, low3, high3, low4, high4, size5, sign5, tau6, due6, need6);
        dff_setup!(self, clk, tau7, due7, enough7, launch7);
        self.ys.clk.next = self.clk.val();
        self.es.clk.next = self.clk.val();
        self.gaps.clk.next = self.clk.val();

        // 0..3: the gap, rounded to nearest.
        self.y_u.next = self.y.val().into();
        self.packet_u.next = self.packet.val().into();
        self.step1.d.next = (self.packet_u.val() * self.y_u.val()).into();
        self.e1.d.next = self.e.val();
        self.product.next = bit_cast::<50, 40>(self.step1.q.val()) << 10;
        self.step2.d.next = self.product.val() >> self.e1.q.val();
        self.step3.d.next = bit_cast::<51, 50>(self.step2.q.val()) + bits::<51>(1);
        self.gap4.d.next = self.step3.q.val().get_bits::<31>(1);
        if self.step3.q.val().get_bits::<19>(32).any() {
            self.gap4.d.next = bits::<31>(2147483647);
        }
        self.gaps.i.next = self.gap4.q.val();
        self.gap7.d.next = self.gaps.o.val();

        // 2, 3: deficit over rate.
        self.ys.i.next = self.y.val();
        self.es.i.next = self.e.val();
        self.y2_u.next = self.ys.o.val().into();
        self.y2_s.next = bit_cast::<18, 17>(self.ys.o.val()).into();
        self.low_u.next = self.deficit.val().get_bits::<25>(0).into();
        self.high_s.next = self.deficit.val().get_bits::<27>(25).into();
        self.low3.d.next = (self.low_u.val() * self.y2_u.val()).into();
        self.high3.d.next = (self.high_s.val() * self.y2_s.val()).into();
        self.carry_s.next = bit_cast::<18, 17>(self.low3.q.val().get_bits::<17>(25)).into();
        self.high4.d.next = (self.high3.q.val() + self.carry_s.val()).into();
        self.low4.d.next = self.low3.q.val().get_bits::<16>(9);

        // 4: shift the one's complement, so that a negative one is rounded down too.
        self.high_b.next = self.high4.q.val().into();
        self.whole.next = (bit_cast::<61, 45>(self.high_b.val()) << 16) | bit_cast::<61, 16>(self.low4.q.val());
        self.size.next = self.whole.val().get_bits::<60>(0);
        if self.whole.val().get_bit(60) {
            self.size.next = !self.whole.val().get_bits::<60>(0);
        }
        self.size5.d.next = self.size.val() >> self.es.o.val();
        self.sign5.d.next = self.whole.val().get_bit(60);

        // 5: saturate; is it due, and how much must a train cover?
        self.over.next = self.size5.q.val().get_bits::<29>(31).any();
        self.magnitude.next = self.size5.q.val().get_bits::<31>(0);
        if self.over.val() {
            self.magnitude.next = bits::<31>(2147483647);
        }
        self.wide.next = bit_cast::<32, 31>(self.magnitude.val());
        self.tau6.d.next = self.wide.val();
        if self.sign5.q.val() {
            self.tau6.d.next = !self.wide.val();
        }
        self.far.next = self.size5.q.val().get_bits::<43>(17).any() | (self.size5.q.val().get_bits::<17>(0) > self.window.val());
        self.due6.d.next = self.sign5.q.val() | !self.far.val();
        self.need6.d.next = self.full.val();
        if !self.sign5.q.val() {
            self.need6.d.next = self.full.val() - bit_cast::<18, 17>(self.size5.q.val().get_bits::<17>(0));
        }

        // 6
        self.need.next = bit_cast::<36, 18>(self.need6.q.val());
        self.reach[0].next = bit_cast::<36, 31>(self.gaps.o.val());
        self.reach[1].next = bit_cast::<36, 31>(self.gaps.o.val()) << 1;
        self.reach[2].next = bit_cast::<36, 31>(self.gaps.o.val()) << 2;
        self.reach[3].next = bit_cast::<36, 31>(self.gaps.o.val()) << 3;
        self.reach[4].next = bit_cast::<36, 31>(self.gaps.o.val()) << 4;
        self.enough7.d.next = bits::<3>(5);
        if self.reach[0].val() >= self.need.val() {
            self.enough7.d.next = bits::<3>(0);
        } else if self.reach[1].val() >= self.need.val() {
            self.enough7.d.next = bits::<3>(1);
        } else if self.reach[2].val() >= self.need.val() {
            self.enough7.d.next = bits::<3>(2);
        } else if self.reach[3].val() >= self.need.val() {
            self.enough7.d.next = bits::<3>(3);
        } else if self.reach[4].val() >= self.need.val() {
            self.enough7.d.next = bits::<3>(4);
        }
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
        self.enough.next = self.enough7.q.val();
        self.launch.next = self.launch7.q.val();
    }
}
