//! Turns emitted Verilog into a loaded Verilator model: a word array in, a word array out, one call
//! a clock.
//!
//! [`build`] runs Verilator and the C++ compiler once for a given text and keeps the shared library
//! in [`cache_root`], named by a hash of all that went into it. [`Library::instantiate`] makes as
//! many independent models as wanted; each may live on its own thread.
//!
//! With `TIMELY_WAVES=DIR` in the environment every model is compiled to write waves, and every
//! instance writes `DIR/NAME-N.fst`, for GTKWave or Surfer: twenty times slower, so shorten the
//! run. [`Dut::record`] does the same for one instance.
//!
//! With `TIMELY_COVERAGE=DIR` every model counts its lines, branches and toggles, and every
//! instance writes them to a file of its own there; with `TIMELY_COVERAGE_OF=NAME,..` those do
//! whose names begin so.
//!
//! With `TIMELY_LINT` in the environment a model of which Verilator warns is refused.
//!
//! A module fits when its clock is called `clk`, and its outputs depend on registers alone (they
//! are sampled after the edge).
mod cache;
mod compile;
pub mod mutant;
mod ports;
mod runtime;
mod tool;

pub use cache::{VARIABLE, cache_root};
pub use compile::{COVERAGE, LINT, build, warnings};
pub use ports::{Direction, Port};
pub use tool::{Error, Options};

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

type New = unsafe extern "C" fn(seed: u32) -> *mut c_void;
type Delete = unsafe extern "C" fn(*mut c_void);
type Record = unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int;
type Cycle = unsafe extern "C" fn(*mut c_void, *const u32, *mut u32);

/// A compiled and loaded model, from which instances are made.
#[derive(Clone)]
pub struct Library {
    ports: Vec<Port>,
    // Where in them a name is: test benches look names up at every clock.
    places: HashMap<String, usize>,
    in_words: usize,
    out_words: usize,
    new: New,
    delete: Delete,
    settle: Cycle,
    cycle: Cycle,
    record: Record,
    // Where every instance writes its waves, without the number that ends the name.
    waves: Option<PathBuf>,
    // The fault that is active in every instance of a mutated text.
    mutant: u32,
    verilog: PathBuf,
    top: String,
    // Clocks of which every instance keeps a trace.
    keeps: usize,
    // Keeps the code mapped for as long as the pointers above are in use.
    _code: Arc<libloading::Library>,
}

/// Where a port's words stand in an instance's input or output array.
#[derive(Clone, Copy, Debug)]
pub struct In {
    at: usize,
    words: usize,
}

/// As [`In`], for an output.
#[derive(Clone, Copy, Debug)]
pub struct Out {
    at: usize,
    words: usize,
}

impl Library {
    /// The ports of the top module, in order, without `clk`.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// The file with its Verilog, and the module on top.
    pub fn verilog(&self) -> (&Path, &str) {
        (&self.verilog, &self.top)
    }

    fn find(&self, name: &str, direction: Direction) -> &Port {
        let known = || self.ports.iter().filter(|p| p.direction == direction).map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
        self.places
            .get(name)
            .map(|place| &self.ports[*place])
            .filter(|p| p.direction == direction)
            .unwrap_or_else(|| panic!("no {direction:?} port {name}; there are: {}", known()))
    }

    /// The input called `name`.
    ///
    /// # Panics
    /// When there is none: a test bench that names a wrong port is a programming error.
    pub fn input(&self, name: &str) -> In {
        let p = self.find(name, Direction::In);
        In { at: p.offset, words: p.words() }
    }

    /// The output called `name`.
    ///
    /// # Panics
    /// When there is none.
    pub fn output(&self, name: &str) -> Out {
        let p = self.find(name, Direction::Out);
        Out { at: p.offset, words: p.words() }
    }

    /// A library with instances that begin with zeros and keep a trace of their first `clocks`
    /// clocks, for [`Dut::trace`].
    pub fn keeping(&self, clocks: usize) -> Arc<Self> {
        Arc::new(Library { keeps: clocks, ..self.clone() })
    }

    /// A fresh model whose uninitialised state (RAM) is filled at random from `seed`; `0` fills it
    /// with zeros.
    pub fn instantiate(self: &Arc<Self>, seed: u32) -> Dut {
        // SAFETY: `new` was taken from the library that `self` keeps mapped, with the signature the
        // shim defines.
        let model = unsafe { (self.new)(if self.keeps > 0 { 0 } else { seed }) };
        let (inputs, outputs) = (vec![0; self.in_words], vec![0; self.out_words]);
        let mut dut = Dut { library: self.clone(), model, inputs, outputs, trace: Trace::default() };
        if let Some(port) = self.ports.iter().find(|p| p.name == mutant::PORT) {
            dut.inputs[port.offset] = self.mutant;
        }
        if let Some(stem) = &self.waves {
            static NEXT: AtomicU32 = AtomicU32::new(0);
            let mut path = stem.clone().into_os_string();
            path.push(format!("-{}.fst", NEXT.fetch_add(1, Ordering::Relaxed)));
            if let Err(e) = dut.record(Path::new(&path)) {
                eprintln!("no waves: {e}");
            }
        }
        dut.settle();
        dut
    }
}

/// One instance of a model.
pub struct Dut {
    library: Arc<Library>,
    model: *mut c_void,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    trace: Trace,
}

/// Values of an instance's ports, clock by clock.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Words of the inputs at each edge, where [`Port::offset`] says.
    pub inputs: Vec<Vec<u32>>,
    /// Words of the outputs behind it.
    pub outputs: Vec<Vec<u32>>,
}

// SAFETY: a model owns all its state, its Verilator context included, and is used through
// `&mut self` alone.
unsafe impl Send for Dut {}

impl Dut {
    /// The library this is an instance of.
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// Writes the waves of all signals from here on to an FST file, until the instance is dropped.
    ///
    /// # Errors
    /// The model was compiled without [`Options::waves`], is recorded already, or the file cannot
    /// be written.
    pub fn record(&mut self, path: &Path) -> Result<(), Error> {
        let failed = |e| Error::File(path.into(), e);
        if let Some(dir) = path.parent().filter(|d| !d.as_os_str().is_empty()) {
            std::fs::create_dir_all(dir).map_err(failed)?;
        }
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|e| failed(e.into()))?;
        // SAFETY: `model` is live until drop, and `name` ends with a zero and outlives the call,
        // which copies it.
        match unsafe { (self.library.record)(self.model, name.as_ptr()) } {
            0 => Err(Error::Waves(path.into())),
            _ => Ok(()),
        }
    }

    /// Values of the ports in the first clocks, as many as [`Library::keeping`] was asked for.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Sets an input of up to 64 bits for the coming edge.
    pub fn set(&mut self, port: In, value: u64) {
        self.inputs[port.at] = value as u32;
        if port.words > 1 {
            self.inputs[port.at + 1] = (value >> 32) as u32;
            self.inputs[port.at + 2..port.at + port.words].fill(0);
        }
    }

    /// Sets an input of any width from 32-bit words, lowest first; words that are missing are 0.
    pub fn set_words(&mut self, port: In, value: &[u32]) {
        for i in 0..port.words {
            self.inputs[port.at + i] = value.get(i).copied().unwrap_or(0);
        }
    }

    /// Sets an input of any width from bytes, lowest first; bytes that are missing are 0.
    pub fn set_bytes(&mut self, port: In, value: &[u8]) {
        for i in 0..port.words {
            let byte = |k: usize| value.get(i * 4 + k).copied().unwrap_or(0);
            self.inputs[port.at + i] = u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]);
        }
    }

    /// The low 64 bits of an output, as registered after the last edge.
    pub fn get(&self, port: Out) -> u64 {
        let low = u64::from(self.outputs[port.at]);
        if port.words > 1 { low | u64::from(self.outputs[port.at + 1]) << 32 } else { low }
    }

    /// An output of any width as 32-bit words, lowest first.
    pub fn get_words(&self, port: Out) -> &[u32] {
        &self.outputs[port.at..port.at + port.words]
    }

    /// An output of any width as bytes, lowest first.
    pub fn get_bytes(&self, port: Out) -> Vec<u8> {
        self.get_words(port).iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    /// One rising edge of `clk` with the inputs as set; then the outputs are those of the next
    /// clock.
    pub fn tick(&mut self) {
        // SAFETY: `model` is live until drop and the arrays have the sizes that the shim was
        // generated with.
        unsafe { (self.library.cycle)(self.model, self.inputs.as_ptr(), self.outputs.as_mut_ptr()) }
        if self.trace.inputs.len() < self.library.keeps {
            self.trace.inputs.push(self.inputs.clone());
            self.trace.outputs.push(self.outputs.clone());
        }
    }

    /// Evaluates without an edge.
    pub fn settle(&mut self) {
        // SAFETY: as in `tick`.
        unsafe { (self.library.settle)(self.model, self.inputs.as_ptr(), self.outputs.as_mut_ptr()) }
    }
}

impl Drop for Dut {
    fn drop(&mut self) {
        // SAFETY: `model` came from `new` and is deleted once.
        unsafe { (self.library.delete)(self.model) }
    }
}
