//! The cells' RAM: large enough for UltraRAM, and in banks, so that no word crosses all of it in a
//! clock.
use rust_hdl::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Banks, a power of two.
const BANKS: usize = 8;

/// Bits beyond which the RAM asks for UltraRAM: no device holds more in its block RAMs beside the
/// flows' state, and each shell with such a store is for devices that have UltraRAM.
const ULTRA_BITS: usize = 1 << 25;

/// `2^N` words of type `D` in eight banks, one read and one write a clock. A word that is read
/// in the clock of its write is the old one.
///
/// Latency: 4 clocks from an address to its word. One register stands before the banks, one in each
/// RAM, one behind it, and one behind the choice of the bank: 2^17 words of 512 bits are eight
/// banks of 4 x 8 UltraRAMs (UG573: 4,096 words of 72 bits each, with an output register).
/// Throughput: a word a clock each way. Back pressure: none.
#[derive(LogicBlock, Default)]
pub struct Cells<D: Synth, const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Address of the read.
    pub read_address: Signal<In, Bits<N>>,
    /// The word, 4 clocks later.
    pub read_data: Signal<Out, D>,
    /// A word is written.
    pub write_enable: Signal<In, Bit>,
    /// Address of the write.
    pub write_address: Signal<In, Bits<N>>,
    /// The word.
    pub write_data: Signal<In, D>,
    _words: BTreeMap<Bits<N>, D>,
    _at: Bits<N>,
    _read: [D; 2],
    _write: Option<(Bits<N>, D)>,
}

impl<D: Synth, const N: usize> Logic for Cells<D, N> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.read_data.next = self._read[1];
            self._read = [self._words.get(&self._at).copied().unwrap_or_default(), self._read[0]];
            self._at = self.read_address.val();
            if let Some((at, word)) = self._write.take() {
                self._words.insert(at, word);
            }
            self._write = self.write_enable.val().then(|| (self.write_address.val(), self.write_data.val()));
        }
    }
    fn connect(&mut self) {
        self.read_data.connect();
    }
    fn hdl(&self) -> Verilog {
        let words = (1usize << N) / BANKS;
        assert!(words > 1, "2^{N} words are too few for {BANKS} banks");
        let bank_bits = BANKS.ilog2() as usize;
        let (word, address, bank) = (D::BITS - 1, N - 1, bank_bits - 1);
        let (top, within) = (format!("[{address}:{}]", N - bank_bits), format!("[{}:0]", N - bank_bits - 1));
        let style = if D::BITS << N > ULTRA_BITS { "(* ram_style = \"ultra\" *)\n" } else { "" };
        let mut text = format!(
            "reg[{address}:0] at;\nreg[{bank}:0] read_bank;\nreg[{bank}:0] held_bank;
reg writes;\nreg[{address}:0] written_at;\nreg[{word}:0] written;\n"
        );
        let (mut banks, mut choice) = (String::new(), String::new());
        for i in 0..BANKS {
            write!(text, "{style}reg[{word}:0] mem{i}[{}:0];\nreg[{word}:0] read{i};\nreg[{word}:0] held{i};\n", words - 1)
                .and_then(|()| {
                    write!(
                        banks,
                        "   if (writes && written_at{top} == {i}) begin\n      mem{i}[written_at{within}] <= written;\n   end
   if (at{top} == {i}) begin\n      read{i} <= mem{i}[at{within}];\n   end\n   held{i} <= read{i};\n"
                    )
                })
                .and_then(|()| writeln!(choice, "      {i}: read_data <= held{i};"))
                .expect("a string takes it");
        }
        Verilog::Custom(format!(
            "{text}\nalways @(posedge clock) begin
   at <= read_address;\n   writes <= write_enable;\n   written_at <= write_address;\n   written <= write_data;
   read_bank <= at{top};\n   held_bank <= read_bank;
{banks}   case (held_bank)\n{choice}   endcase\nend\n"
        ))
    }
}
