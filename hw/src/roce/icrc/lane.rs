//! Eight bytes of a beat: ones in place of what may change on the way, zeros in place of what the
//! sequence does not cover, and the sum of the rest.
use super::matrix::data_row;
use crate::array::Array;
use crate::constant::Const;
use crate::rom::Rom;
use rust_hdl::prelude::*;
use timely_regs::roce::variant_bits;
use timely_regs::wire::Class;

/// With `place`, `has_tag` and `is_ipv6` at clock `t` and the others at `t + 1`, gives at `t + 3`
/// what these eight bytes add to the register of the check sequence at the end of their beat.
#[derive(LogicBlock, Default)]
pub(super) struct Lane {
    pub clk: Signal<In, Clock>,
    /// Number of these eight bytes in the frame; 16 and above are alike.
    pub place: Signal<In, Bits<5>>,
    pub has_tag: Signal<In, Bit>,
    pub is_ipv6: Signal<In, Bit>,
    /// A clock later: the bytes, and how many of them, from the first, are in front of the packet's
    /// end.
    pub octets: Signal<In, Bits<64>>,
    pub all: Signal<In, Bit>,
    pub some: Signal<In, Bit>,
    pub count: Signal<In, Bits<3>>,
    pub o_sum: Signal<Out, Bits<32>>,
    /// By place and class: bits that count as ones, and bytes that do not count.
    masks: Rom<Bits<72>, 7>,
    row: [Const<Bits<64>>; 32],
    byte: [Const<Bits<64>>; 8],
    address: Signal<Local, Bits<7>>,
    kept: Signal<Local, Bits<8>>,
    kept_bits: [Signal<Local, Bits<64>>; 9],
    masked: DFF<Bits<64>>,
    bits: Array<Signal<Local, Bits<32>>, 33>,
    sum: DFF<Bits<32>>,
}

/// A word of the ROM.
fn masks(address: usize) -> Bits<72> {
    let (place, class) = (address & 31, Class::ALL[address >> 5]);
    (0..8).fold(bits::<72>(0), |word, i| {
        let at = 8 * place + i;
        let ones = if at < class.ip() { 0 } else { variant_bits(class, at) };
        let uncounted = bits::<72>(u64::from(at < class.ip()));
        word | bits::<72>(u64::from(ones) << (8 * i)) | (uncounted << (64 + i as u64))
    })
}

impl Lane {
    /// A lane that `behind` bytes of the beat follow.
    pub(super) fn new(behind: usize) -> Self {
        Lane {
            masks: Rom::new(masks),
            row: std::array::from_fn(|j| Const::new(Bits::from(data_row(j, behind)))),
            byte: std::array::from_fn(|i| Const::new(Bits::from(0xff_u64 << (8 * i)))),
            ..Default::default()
        }
    }
}

impl Logic for Lane {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, masked, sum);
        self.masks.clock.next = self.clk.val();
        self.address.next = bit_cast::<7, 5>(self.place.val());
        if self.has_tag.val() {
            self.address.next = self.address.val() | bits::<7>(0x20);
        }
        if self.is_ipv6.val() {
            self.address.next = self.address.val() | bits::<7>(0x40);
        }
        self.masks.address.next = self.address.val();
        self.kept.next = bits::<8>(0);
        if self.all.val() {
            self.kept.next = bits::<8>(0xff);
        }
        if self.some.val() {
            self.kept.next = !(bits::<8>(0xff) << bit_cast::<8, 3>(self.count.val()));
        }
        self.kept.next = self.kept.val() & !self.masks.data.val().get_bits::<8>(64);
        self.kept_bits[0].next = bits::<64>(0);
        for i in 0..8 {
            self.kept_bits[i + 1].next = self.kept_bits[i].val();
            if self.kept.val().get_bit(i) {
                self.kept_bits[i + 1].next = self.kept_bits[i].val() | self.byte[i].val();
            }
        }
        self.masked.d.next = (self.octets.val() | self.masks.data.val().get_bits::<64>(0)) & self.kept_bits[8].val();
        self.bits[0].next = bits::<32>(0);
        for i in 0..32 {
            self.bits[i + 1].next = self.bits[i].val().replace_bit(i, (self.masked.q.val() & self.row[i].val()).xor());
        }
        self.sum.d.next = self.bits[32].val();
        self.o_sum.next = self.sum.q.val();
    }
}
