//! The token bucket that bounds ACKs to a share of the line.
use rust_hdl::prelude::*;
use timely_model::ack::BURST_BYTES;

// A kernel takes literals alone.
const _: () = assert!(BURST_BYTES == 8192);

/// The bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Bucket {
    /// Wire bytes that may leave, 8192 at most.
    tokens: Bits<14>,
    /// Tokens that the next clock adds, bytes.
    gain: Bits<9>,
    /// Fraction of a byte, 2^-24.
    fraction: Bits<24>,
}

/// Holds up to 8,192 wire bytes, filled at `rate` wire bytes a clock, Q8.24; full after a reset.
///
/// `enough` says whether `bytes` are there; `take` takes them, and must come with `enough` alone.
/// Model: `timely_model::ack`, `share`.
#[derive(LogicBlock, Default)]
pub struct Share {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Wire bytes a clock, Q8.24.
    pub rate: Signal<In, Bits<32>>,
    /// Wire bytes of the request.
    pub bytes: Signal<In, Bits<8>>,
    /// The bucket holds at least `bytes`.
    pub enough: Signal<Out, Bit>,
    /// The bytes leave the bucket.
    pub take: Signal<In, Bit>,
    bucket: DFF<Bucket>,
    tokens: Signal<Local, Bits<14>>,
    filled: Signal<Local, Bits<33>>,
    kept: Signal<Local, Bits<14>>,
    left: Signal<Local, Bits<14>>,
}

impl Logic for Share {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, bucket);
        self.tokens.next = self.bucket.q.val().tokens;
        self.enough.next = self.tokens.val() >= bit_cast::<14, 8>(self.bytes.val());
        self.filled.next = bit_cast::<33, 24>(self.bucket.q.val().fraction) + bit_cast::<33, 32>(self.rate.val());
        self.kept.next = self.tokens.val() + bit_cast::<14, 9>(self.bucket.q.val().gain);
        self.left.next = self.kept.val() - bit_cast::<14, 8>(self.bytes.val());
        self.bucket.d.next.fraction = self.filled.val().get_bits::<24>(0);
        self.bucket.d.next.gain = self.filled.val().get_bits::<9>(24);
        self.bucket.d.next.tokens = self.kept.val();
        // Full: bit 13 is set from 8192 on, and twice as many never come together.
        if self.kept.val().get_bit(13) {
            self.bucket.d.next.tokens = bits::<14>(8192);
        }
        if self.take.val() {
            self.bucket.d.next.tokens = self.left.val();
            if self.left.val().get_bit(13) {
                self.bucket.d.next.tokens = bits::<14>(8192);
            }
        }
        if self.rst.val() {
            self.bucket.d.next.tokens = bits::<14>(8192);
            self.bucket.d.next.gain = bits::<9>(0);
            self.bucket.d.next.fraction = bits::<24>(0);
        }
    }
}
