//! The netlist into which faults are put, as yosys writes it in JSON.
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Deserialize)]
struct File {
    modules: BTreeMap<String, ModuleText>,
}

#[derive(Deserialize)]
struct ModuleText {
    ports: BTreeMap<String, PortText>,
    cells: HashMap<String, CellText>,
}

#[derive(Deserialize)]
struct PortText {
    direction: String,
    bits: Vec<Bit>,
}

#[derive(Deserialize)]
struct CellText {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    port_directions: HashMap<String, String>,
    connections: HashMap<String, Vec<Bit>>,
}

/// The net or constant that a bit of a port is connected to.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(untagged)]
pub enum Bit {
    /// A net.
    Net(u64),
    /// A constant: `0`, `1`, `x` or `z`.
    Constant(String),
}

/// A port of a module.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    /// Bits.
    pub width: usize,
    /// Whether the module drives it.
    pub is_output: bool,
}

/// Cells whose output bit depends on the input bits of its own number alone, beside a select.
const BITWISE: [&str; 6] = ["$mux", "$and", "$or", "$xor", "$xnor", "$not"];

/// A cell.
pub struct Cell {
    /// Type of the cell: `$add`, or a module.
    pub kind: String,
    outputs: HashSet<String>,
    ports: HashMap<String, Vec<Bit>>,
}

/// The cells of the modules that get faults, and the bits that each module's cells read.
#[derive(Default)]
pub struct Netlist {
    cells: HashMap<(String, String), Cell>,
    read: HashMap<String, HashSet<Bit>>,
    ports: HashMap<String, BTreeMap<String, Port>>,
}

// As JSON has it: a name of the text without the backslash that yosys puts before it.
fn plain(name: &str) -> &str {
    name.strip_prefix('\\').unwrap_or(name)
}

impl Netlist {
    /// Out of the JSON text.
    ///
    /// # Errors
    /// The text is not a netlist.
    pub fn read(json: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(json).map_err(|e| format!("the netlist of yosys: {e}"))?;
        let mut netlist = Netlist::default();
        for (module, text) in file.modules {
            let port = |p: &PortText| Port { width: p.bits.len(), is_output: p.direction != "input" };
            netlist.ports.insert(module.clone(), text.ports.iter().map(|(n, p)| (n.clone(), port(p))).collect());
            let mut read: HashSet<Bit> = text.ports.into_values().filter(|p| p.direction != "input").flat_map(|p| p.bits).collect();
            for (name, cell) in text.cells {
                let outputs: HashSet<String> = cell.port_directions.into_iter().filter(|d| d.1 == "output").map(|d| d.0).collect();
                read.extend(cell.connections.iter().filter(|c| !outputs.contains(c.0)).flat_map(|c| c.1.iter().cloned()));
                netlist.cells.insert((module.clone(), name), Cell { kind: cell.kind, outputs, ports: cell.connections });
            }
            netlist.read.insert(module, read);
        }
        Ok(netlist)
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// The ports of a module, by name.
    pub fn ports(&self, module: &str) -> Option<&BTreeMap<String, Port>> {
        self.ports.get(plain(module))
    }

    /// A cell by the names of yosys' scripts.
    pub fn cell(&self, module: &str, cell: &str) -> Option<&Cell> {
        self.cells.get(&(plain(module).to_owned(), plain(cell).to_owned()))
    }

    /// A bit of an output that nothing reads, or a bit of an input that goes to such a one alone:
    /// synthesis would not build it.
    pub fn is_unread(&self, module: &str, cell: &Cell, port: &str, bit: usize) -> bool {
        let unread = |port: &str| !cell.bit(port, bit).is_some_and(|b| self.read.get(plain(module)).is_some_and(|r| r.contains(b)));
        match (cell.is_output(port), port) {
            (true, _) => unread(port),
            (_, "A" | "B") if BITWISE.contains(&cell.kind.as_str()) => unread("Y"),
            (_, "D") if cell.kind.contains("dff") => unread("Q"),
            _ => false,
        }
    }
}

impl Cell {
    /// The net or constant that a bit of a port is connected to.
    pub fn bit(&self, port: &str, bit: usize) -> Option<&Bit> {
        self.ports.get(plain(port))?.get(bit)
    }

    /// Whether a port drives.
    pub fn is_output(&self, port: &str) -> bool {
        self.outputs.contains(plain(port))
    }
}
