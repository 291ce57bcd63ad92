//! RAMs that RustHDL's library lacks.
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

// The word that is read, or anything while it is written.
fn unless_written(bits: usize) -> String {
    format!("write_enable & (read_address == write_address) ? {{{bits}{{1'bx}}}} : mem[read_address]")
}

// Zeros before the first write.
fn zeros(address_bits: usize) -> String {
    format!("integer i;\ninitial for (i = 0; i < {}; i = i + 1) mem[i] = 0;\n", 1usize << address_bits)
}

/// Block RAM whatever its size, which holds what it read last: one read and one write a clock. A
/// word read while it is written is the old one.
#[derive(LogicBlock, Default)]
pub struct BlockRam<D: Synth, const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// `read_data` is to become the word at `read_address`.
    pub read_enable: Signal<In, Bit>,
    /// Address of the read.
    pub read_address: Signal<In, Bits<N>>,
    /// The word, a clock later, until another is read.
    pub read_data: Signal<Out, D>,
    /// A word is written.
    pub write_enable: Signal<In, Bit>,
    /// Address of the write.
    pub write_address: Signal<In, Bits<N>>,
    /// The word.
    pub write_data: Signal<In, D>,
    _words: BTreeMap<Bits<N>, D>,
    _zeros: bool,
    _apart: bool,
}

impl<D: Synth, const N: usize> BlockRam<D, N> {
    /// Zeros as the device is configured; otherwise it holds anything until it is written.
    pub fn zeros(self) -> Self {
        BlockRam { _zeros: true, ..self }
    }

    /// A word that is read while it is written may be anything: an ECP5 needs no logic behind the
    /// RAM for it.
    pub fn apart(self) -> Self {
        BlockRam { _apart: true, ..self }
    }
}

impl<D: Synth, const N: usize> Logic for BlockRam<D, N> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if self.read_enable.val() {
                self.read_data.next = self._words.get(&self.read_address.val()).copied().unwrap_or_default();
            }
            if self.write_enable.val() {
                self._words.insert(self.write_address.val(), self.write_data.val());
            }
        }
    }
    fn connect(&mut self) {
        self.read_data.connect();
    }
    fn hdl(&self) -> Verilog {
        let zeros = if self._zeros { zeros(N) } else { String::new() };
        Verilog::Custom(format!(
            "(* ram_style = \"block\" *)\nreg[{high}:0] mem[{last}:0];
{zeros}
always @(posedge clock) begin
   if (read_enable) begin
      read_data <= {read};
   end
   if (write_enable) begin
      mem[write_address] <= write_data;
   end
end
",
            read = match self._apart {
                true => unless_written(D::BITS),
                false => "mem[read_address]".into(),
            },
            high = D::BITS - 1,
            last = (1usize << N) - 1
        ))
    }
}

/// [`BlockRam::apart`] by its type, so that its block derives `Default`.
pub struct ApartBlockRam<D: Synth, const N: usize>(BlockRam<D, N>);

impl<D: Synth, const N: usize> Default for ApartBlockRam<D, N> {
    fn default() -> Self {
        ApartBlockRam(BlockRam::default().apart())
    }
}

impl<D: Synth, const N: usize> std::ops::Deref for ApartBlockRam<D, N> {
    type Target = BlockRam<D, N>;

    fn deref(&self) -> &BlockRam<D, N> {
        &self.0
    }
}

impl<D: Synth, const N: usize> std::ops::DerefMut for ApartBlockRam<D, N> {
    fn deref_mut(&mut self) -> &mut BlockRam<D, N> {
        &mut self.0
    }
}

impl<D: Synth, const N: usize> Logic for ApartBlockRam<D, N> {
    fn update(&mut self) {}
}

impl<D: Synth, const N: usize> Block for ApartBlockRam<D, N> {
    fn connect_all(&mut self) {
        self.0.connect_all();
    }

    fn update_all(&mut self) {
        self.0.update_all();
    }

    fn has_changed(&self) -> bool {
        self.0.has_changed()
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe);
    }
}

/// Single-clock RAM without a read-during-write guarantee: such a read returns an undefined word,
/// so that an ECP5 needs no logic behind the RAM for it.
#[derive(LogicBlock, Default)]
pub struct ApartRam<D: Synth, const N: usize> {
    /// Address of the read.
    pub read_address: Signal<In, Bits<N>>,
    /// Clock.
    pub read_clock: Signal<In, Clock>,
    /// The word, a clock later.
    pub read_data: Signal<Out, D>,
    /// Address of the write.
    pub write_address: Signal<In, Bits<N>>,
    /// Clock of the writes: the same clock.
    pub write_clock: Signal<In, Clock>,
    /// The word.
    pub write_data: Signal<In, D>,
    /// A word is written.
    pub write_enable: Signal<In, Bit>,
    _words: BTreeMap<Bits<N>, D>,
}

impl<D: Synth, const N: usize> Logic for ApartRam<D, N> {
    fn update(&mut self) {
        if self.read_clock.pos_edge() {
            self.read_data.next = self._words.get(&self.read_address.val()).copied().unwrap_or_default();
        }
        if self.write_clock.pos_edge() && self.write_enable.val() {
            self._words.insert(self.write_address.val(), self.write_data.val());
        }
    }
    fn connect(&mut self) {
        self.read_data.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "reg[{high}:0] mem[{last}:0];\n
always @(posedge read_clock) begin
   read_data <= {read};
end

always @(posedge write_clock) begin
   if (write_enable) begin
      mem[write_address] <= write_data;
   end
end
",
            read = unless_written(D::BITS),
            high = D::BITS - 1,
            last = (1usize << N) - 1
        ))
    }
}

/// A RAM in LUTs that is read within the clock; one read and one write a clock.
#[derive(LogicBlock, Default)]
pub struct LutRam<D: Synth, const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Address of the read.
    pub read_address: Signal<In, Bits<N>>,
    /// The word, at the same clock.
    pub read_data: Signal<Out, D>,
    /// A word is written.
    pub write_enable: Signal<In, Bit>,
    /// Address of the write.
    pub write_address: Signal<In, Bits<N>>,
    /// The word.
    pub write_data: Signal<In, D>,
    _words: BTreeMap<Bits<N>, D>,
    _zeros: bool,
}

impl<D: Synth, const N: usize> LutRam<D, N> {
    /// Zeros as the device is configured; otherwise it holds anything until it is written.
    pub fn zeros(self) -> Self {
        LutRam { _zeros: true, ..self }
    }
}

impl<D: Synth, const N: usize> Logic for LutRam<D, N> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.write_enable.val() {
            self._words.insert(self.write_address.val(), self.write_data.val());
        }
        self.read_data.next = self._words.get(&self.read_address.val()).copied().unwrap_or_default();
    }
    fn connect(&mut self) {
        self.read_data.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "(* ram_style = \"distributed\" *)\nreg[{high}:0] mem[{last}:0];\n{zeros}
always @(*) read_data = mem[read_address];

always @(posedge clock) begin
   if (write_enable) begin
      mem[write_address] <= write_data;
   end
end
",
            zeros = if self._zeros { zeros(N) } else { String::new() },
            high = D::BITS - 1,
            last = (1usize << N) - 1
        ))
    }
}
