//! The beats of an AXI stream, as the blocks that carry frames take and give them, and the way
//! between frames and beats.

/// Bytes of the widest bus.
pub const WIDEST: usize = 64;

/// One beat: up to 64 bytes, of which a bus of `K` bytes uses the first `K`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// `tdata`, byte `i` in bits `8i+7..8i`. Bytes from `bytes` on mean nothing.
    pub data: [u8; WIDEST],
    /// `tkeep`: this many ones from bit 0 on; [`Beat::HOLES`] for a keep that is no such run.
    pub bytes: u8,
    /// `tlast`.
    pub last: bool,
}

impl Default for Beat {
    fn default() -> Self {
        Beat { data: [0; WIDEST], bytes: 0, last: false }
    }
}

impl Beat {
    /// In `bytes`: a `tkeep` with a hole. The protocol forbids it; a receiver may get it.
    pub const HOLES: u8 = 255;

    /// `tkeep` as bits; [`Beat::HOLES`] has no single one.
    ///
    /// # Panics
    /// When `bytes` is more than 64.
    pub fn keep(&self) -> u64 {
        keep(usize::from(self.bytes))
    }
}

/// `bytes` ones from bit 0 on.
///
/// # Panics
/// When `bytes` is more than 64.
pub fn keep(bytes: usize) -> u64 {
    assert!(bytes <= WIDEST, "{bytes} bytes in a beat of at most {WIDEST}");
    if bytes == WIDEST { u64::MAX } else { (1 << bytes) - 1 }
}

/// The `bytes` of a beat with this `tkeep`.
pub fn bytes_of(keep: u64) -> u8 {
    if keep & keep.wrapping_add(1) == 0 { keep.count_ones() as u8 } else { Beat::HOLES }
}

/// Cuts `frame` into beats of a bus of `width` bits. A frame of no bytes is one empty beat.
///
/// # Panics
/// When `width` is not a multiple of 8 up to 512.
pub fn beats(frame: &[u8], width: usize) -> impl Iterator<Item = Beat> + '_ {
    assert!(width.is_multiple_of(8) && (8..=WIDEST * 8).contains(&width), "{width} is no width of a bus");
    let count = frame.len().div_ceil(width / 8).max(1);
    (0..count).map(move |i| beat(frame, width, i))
}

/// Beat `index` of `frame` on a bus of `width` bits.
///
/// # Panics
/// When the frame has no such beat.
pub fn beat(frame: &[u8], width: usize, index: usize) -> Beat {
    let part = &frame[index * width / 8..];
    let bytes = part.len().min(width / 8);
    let mut data = [0; WIDEST];
    data[..bytes].copy_from_slice(&part[..bytes]);
    Beat { data, bytes: bytes as u8, last: bytes == part.len() }
}

/// Puts beats together to frames again: the other way of [`beats`].
#[derive(Clone, Debug, Default)]
pub struct Assembler {
    frame: Vec<u8>,
}

impl Assembler {
    /// Takes a beat; with the last one of a frame, gives the frame.
    pub fn push(&mut self, beat: &Beat) -> Option<Vec<u8>> {
        self.frame.extend_from_slice(&beat.data[..usize::from(beat.bytes).min(WIDEST)]);
        beat.last.then(|| std::mem::take(&mut self.frame))
    }
}

/// A frame on its way into a block: its bytes, the stamp of its start, the MAC's verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The frame without FCS.
    pub frame: Vec<u8>,
    /// Stamp of its start, ns48.fns16.
    pub stamp: u64,
    /// The MAC marks it bad.
    pub bad: bool,
}
