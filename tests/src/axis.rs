//! AXI-Stream ports of a Verilated block as [`Beat`]s.
use rand::Rng;
use std::sync::Arc;
use timely_model::stream::{Beat, WIDEST, bytes_of};
use timely_verilate::{Dut, In, Library, Out};

/// A stream that the bench offers to the block: `<prefix>_tdata`, `_tkeep`, `_tvalid`, `_tlast`.
pub struct Offered {
    data: In,
    keep: In,
    valid: In,
    last: In,
}

/// A stream that the block offers.
pub struct Taken {
    data: Out,
    keep: Out,
    valid: Out,
    last: Out,
}

impl Offered {
    /// The stream called `prefix`.
    pub fn new(library: &Arc<Library>, prefix: &str) -> Self {
        let port = |name: &str| library.input(&format!("{prefix}_{name}"));
        Offered { data: port("tdata"), keep: port("tkeep"), valid: port("tvalid"), last: port("tlast") }
    }

    /// Offers a beat for the coming edge; without one, the other signals are random.
    pub fn set(&self, dut: &mut Dut, beat: Option<&Beat>, rng: &mut impl Rng) {
        dut.set(self.valid, beat.is_some().into());
        match beat {
            Some(beat) => {
                dut.set_bytes(self.data, &beat.data);
                dut.set(self.keep, beat.keep());
                dut.set(self.last, beat.last.into());
            }
            None => {
                dut.set_bytes(self.data, &rng.random::<[u8; 32]>().repeat(2));
                dut.set(self.keep, rng.random());
                dut.set(self.last, rng.random());
            }
        }
    }
}

impl Taken {
    /// The stream called `prefix`.
    pub fn new(library: &Arc<Library>, prefix: &str) -> Self {
        let port = |name: &str| library.output(&format!("{prefix}_{name}"));
        Taken { data: port("tdata"), keep: port("tkeep"), valid: port("tvalid"), last: port("tlast") }
    }

    /// The beat that the block offers at this clock. Bytes that are not there come as the block
    /// sends them.
    pub fn get(&self, dut: &Dut) -> Option<Beat> {
        (dut.get(self.valid) == 1).then(|| {
            let mut data = [0; WIDEST];
            let bytes = dut.get_bytes(self.data);
            data[..bytes.len()].copy_from_slice(&bytes);
            Beat { data, bytes: bytes_of(dut.get(self.keep)), last: dut.get(self.last) == 1 }
        })
    }
}

/// A random beat of a bus of `bytes` bytes: full, or a frame's last.
pub fn random_beat(rng: &mut impl Rng, bytes: usize, last: bool) -> Beat {
    let n = if last { rng.random_range(1..=bytes) } else { bytes };
    let mut beat = Beat { bytes: n as u8, last, ..Beat::default() };
    rng.fill(&mut beat.data[..n]);
    beat
}
