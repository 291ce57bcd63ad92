//! Corundum's surroundings of the application block: its parameters with values of a board's, and a
//! bench of exactly its ports.
use std::collections::HashMap;
use std::fmt::Write;
use timely_hw::shells::corundum::{FLOW_BITS, parameters, ports};
use timely_regs::board::corundum::APPLICATION_ID;
use timely_regs::corundum::{DOWN_BITS, UP_BITS};
use timely_tests::thorough;

/// Values of parameters.
pub type Values = HashMap<&'static str, i64>;

/// The value of a width or a default: numbers, parameters, `+ - * / ** > ?:`, parentheses and
/// `$clog2`.
struct Reader<'a> {
    rest: &'a str,
    values: &'a Values,
}

impl Reader<'_> {
    fn takes(&mut self, what: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(what) {
            // A product is no power.
            Some(rest) if what != "*" || !rest.starts_with('*') => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn choice(&mut self) -> i64 {
        let mut value = self.sum();
        if self.takes(">") {
            value = i64::from(value > self.sum());
        }
        if self.takes("?") {
            let yes = self.choice();
            assert!(self.takes(":"), "a choice without a colon before {}", self.rest);
            let no = self.choice();
            value = if value != 0 { yes } else { no };
        }
        value
    }

    fn sum(&mut self) -> i64 {
        let mut value = self.product();
        loop {
            value = match () {
                () if self.takes("+") => value + self.product(),
                () if self.takes("-") => value - self.product(),
                () => return value,
            }
        }
    }

    fn product(&mut self) -> i64 {
        let mut value = self.power();
        loop {
            value = match () {
                () if self.takes("*") => value * self.power(),
                () if self.takes("/") => value / self.power(),
                () => return value,
            }
        }
    }

    fn power(&mut self) -> i64 {
        let value = self.atom();
        if self.takes("**") { value.pow(self.power() as u32) } else { value }
    }

    fn atom(&mut self) -> i64 {
        for (open, logarithm) in [("$clog2(", true), ("(", false)] {
            if self.takes(open) {
                let value = self.choice();
                assert!(self.takes(")"), "a parenthesis that does not end before {}", self.rest);
                return if logarithm { i64::from(64 - (value - 1).max(0).leading_zeros()) } else { value };
            }
        }
        if self.takes("32'h") {
            let end = self.rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(self.rest.len());
            let (digits, rest) = self.rest.split_at(end);
            self.rest = rest;
            return i64::from_str_radix(digits, 16).expect("hexadecimal digits");
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.parse().unwrap_or_else(|_| *self.values.get(word).unwrap_or_else(|| panic!("no parameter {word:?} before {rest:?}")))
    }
}

fn value(expression: &str, values: &Values) -> i64 {
    let mut reader = Reader { rest: expression, values };
    let value = reader.choice();
    assert!(reader.rest.trim().is_empty(), "{expression}: what is {:?}?", reader.rest);
    value
}

/// A board.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// Bits of its streams.
    pub bus: usize,
    /// log2 of its flows.
    pub flow_bits: usize,
    /// Parameters that the board's build sets beside those of every build of ours.
    pub sets: &'static [(&'static str, i64)],
}

/// Of 10G, 25G and 100G: other interfaces than ours, short tags, and both kinds of RAM among them.
pub const BOARDS: [Board; 3] = [
    Board {
        bus: 64,
        flow_bits: 10,
        sets: &[("AXIS_DATA_WIDTH", 64), ("RAM_ADDR_WIDTH", 15), ("AXIL_APP_CTRL_ADDR_WIDTH", 24), ("AXIL_CTRL_ADDR_WIDTH", 24)],
    },
    Board {
        bus: 128,
        flow_bits: 10,
        sets: &[
            ("AXIS_DATA_WIDTH", 64),
            ("AXIS_SYNC_DATA_WIDTH", 128),
            ("IF_COUNT", 2),
            ("TX_TAG_WIDTH", 6),
            ("RAM_SEG_DATA_WIDTH", 512),
            ("AXIL_APP_CTRL_ADDR_WIDTH", 24),
            ("AXIL_CTRL_ADDR_WIDTH", 24),
        ],
    },
    Board {
        bus: 512,
        flow_bits: 13,
        sets: &[("RAM_SEG_DATA_WIDTH", 512), ("RAM_ADDR_WIDTH", 17), ("AXIL_APP_CTRL_ADDR_WIDTH", 24), ("AXIL_CTRL_ADDR_WIDTH", 24)],
    },
];

/// The boards where tags have the width that a generator needs, as in Corundum's own builds of
/// these speeds.
pub const GENERATING: [Board; 3] = [
    BOARDS[0],
    Board {
        bus: 128,
        flow_bits: 10,
        sets: &[
            ("AXIS_DATA_WIDTH", 64),
            ("AXIS_SYNC_DATA_WIDTH", 128),
            ("IF_COUNT", 2),
            ("RAM_SEG_DATA_WIDTH", 512),
            ("AXIL_APP_CTRL_ADDR_WIDTH", 24),
            ("AXIL_CTRL_ADDR_WIDTH", 24),
        ],
    },
    BOARDS[2],
];

/// Of these those that a run fits: in an ordinary one each as it is, under `cargo xtask soak` each
/// with every flow count.
pub fn fitted(of: &[Board]) -> Vec<Board> {
    let all = |b: &Board| FLOW_BITS.map(|flow_bits| Board { flow_bits, ..*b });
    if thorough() { of.iter().flat_map(all).collect() } else { of.to_vec() }
}

/// Of these those whose behaviour a run tests: in an ordinary one those of these buses.
fn of_buses(of: &[Board], buses: &[usize]) -> Vec<Board> {
    fitted(of).into_iter().filter(|b| thorough() || buses.contains(&b.bus)).collect()
}

/// Boards without streams and generator whose registers and DMA a run tests: in an ordinary one the
/// narrowest bus and the widest.
pub fn plain() -> Vec<Board> {
    of_buses(&BOARDS, &[64, 512])
}

/// The same whose frames a run tests: in an ordinary one the widest bus.
pub fn widest() -> Vec<Board> {
    of_buses(&BOARDS, &[512])
}

/// Boards of the form with streams: in an ordinary run the narrowest bus.
pub fn streaming() -> Vec<Board> {
    of_buses(&BOARDS, &[64])
}

/// Boards with a traffic generator: in an ordinary run the narrowest bus, in which a beat more or
/// less shows most.
pub fn generating() -> Vec<Board> {
    of_buses(&GENERATING, &[64])
}

impl Board {
    /// The values of all parameters, with `more` on top.
    pub fn values(&self, more: &[(&'static str, i64)]) -> Values {
        let set: HashMap<&str, i64> = self.sets.iter().chain(more).copied().collect();
        let mut values = Values::new();
        for (name, default) in parameters() {
            let own = if name == "APP_ID" { Some(i64::from(APPLICATION_ID)) } else { None };
            let value = set.get(name).copied().or(own).unwrap_or_else(|| value(default, &values));
            values.insert(name, value);
        }
        values
    }

    /// A module `board` of exactly the block's ports, around the block with every parameter given;
    /// with `streams`, of those that a scheduler of ours has too.
    pub fn bench(&self, values: &Values, streams: bool) -> String {
        let mut out = String::from("module board(\n");
        let last = ports().len() - 1;
        for (i, port) in ports().iter().enumerate() {
            let way = if port.output { "output" } else { "input" };
            let _ = match value(port.width, values) {
                1 => write!(out, "  {way} wire {}", port.name),
                bits => write!(out, "  {way} wire [{}:0] {}", bits - 1, port.name),
            };
            out += if i < last || streams { ",\n" } else { "\n" };
        }
        let given: Vec<String> = parameters().iter().map(|(name, _)| format!("    .{name}({})", values[name])).collect();
        let more = [("output", "timely_down", DOWN_BITS), ("input", "timely_up", UP_BITS)];
        let more = &more[..if streams { 2 } else { 0 }];
        for (i, (way, name, bits)) in more.iter().enumerate() {
            let _ = writeln!(out, "  {way} wire [{}:0] {name}{}", bits - 1, if i == 0 { "," } else { "" });
        }
        let names = ports().into_iter().map(|p| p.name).chain(more.iter().map(|m| m.1));
        let wired: Vec<String> = names.map(|name| format!("    .{name}({name})")).collect();
        let _ = writeln!(out, ");\n  mqnic_app_block #(\n{}\n  ) block (\n{}\n  );\nendmodule", given.join(",\n"), wired.join(",\n"));
        out
    }
}
