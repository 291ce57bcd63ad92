//! A bench around a block: registers at all its ports, and three pins, whatever the block's width.

/// The name of the bench.
pub const BENCH: &str = "bench";

/// The ports of a module, as RustHDL writes them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ports {
    /// The module.
    pub module: String,
    /// Name and bits of inputs other than the clock.
    inputs: Vec<(String, usize)>,
    /// Name and bits of outputs.
    outputs: Vec<(String, usize)>,
}

impl Ports {
    /// Reads the first module of a file.
    pub fn read(verilog: &str) -> Option<Self> {
        let mut lines = verilog.lines().map(str::trim).skip_while(|l| !l.starts_with("module "));
        let module = lines.next()?.strip_prefix("module ")?.split('(').next()?.trim().to_owned();
        let mut ports = Ports { module, ..Ports::default() };
        for line in lines.take_while(|l| !l.starts_with("endmodule")) {
            // An output that one statement assigns is a wire.
            let output = line.strip_prefix("output reg").or_else(|| line.strip_prefix("output wire"));
            let (list, rest) = match (line.strip_prefix("input wire"), output) {
                (Some(rest), _) => (&mut ports.inputs, rest),
                (_, Some(rest)) => (&mut ports.outputs, rest),
                _ => continue,
            };
            let rest = rest.trim().trim_end_matches(';');
            let (bits, name) = match rest.strip_prefix('[').and_then(|r| r.split_once(":0]")) {
                Some((high, name)) => (high.parse::<usize>().ok()? + 1, name),
                None => (1, rest),
            };
            list.push((name.trim().to_owned(), bits));
        }
        ports.inputs.retain(|(name, _)| name != "clk");
        Some(ports)
    }

    /// Ports of the module's list that were not read: the bench would leave them open, and
    /// synthesis what is behind them out.
    pub fn open(&self, verilog: &str) -> Vec<String> {
        let list = verilog.split_once("module ").and_then(|(_, rest)| rest.split_once('(')).and_then(|(_, rest)| rest.split_once(')'));
        let names = list.map_or("", |(names, _)| names).split(',').map(|n| n.trim().to_owned());
        let read = |name: &String| self.inputs.iter().chain(&self.outputs).any(|(n, _)| n == name);
        names.filter(|n| !n.is_empty() && n != "clk" && !read(n)).collect()
    }

    /// The bench: inputs out of a shift register, outputs registered and then folded into another,
    /// so that nothing can be left out and every path of the block lies between registers.
    pub fn bench(&self) -> String {
        let mut connections = vec![".clk(clk)".to_owned()];
        let mut connect = |list: &[(String, usize)], bus: char| {
            list.iter().fold(0, |low, (name, bits)| {
                connections.push(format!(".{name}({bus}[{}:{low}])", low + bits - 1));
                low + bits
            })
        };
        let n = connect(&self.inputs, 'i').max(1);
        let m = connect(&self.outputs, 'o').max(1);
        format!(
            "module {BENCH}(input clk, input in, output out);\n  reg [{i}:0] i;\n  wire [{o}:0] o;\n  reg [{o}:0] q;\n  reg [{o}:0] s;\n  \
             always @(posedge clk) begin\n    i <= {{i, in}};\n    q <= o;\n    s <= {{s, 1'b0}} ^ q;\n  end\n  assign out = s[{o}];\n  \
             {} block({});\nendmodule\n",
            self.module,
            connections.join(", "),
            i = n - 1,
            o = m - 1,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Ports;

    #[test]
    fn every_port_but_the_clock_gets_a_register() {
        let verilog = "\n\nmodule tnic_x(clk,rst,a,y,z);\n    input wire  clk;\n    input wire  rst;\n    input wire  [7:0] a;\n    \
                       output reg  [2:0] y;\n    output wire z;\nendmodule\nmodule tnic_x__b(d);\n    input wire d;\nendmodule\n";
        let ports = Ports::read(verilog).expect("a module");
        assert_eq!((ports.module.as_str(), ports.inputs.len(), ports.outputs.len()), ("tnic_x", 2, 2));
        assert_eq!(ports.open(verilog), [""; 0]);
        assert_eq!(ports.open("module tnic_x(clk,rst,a,y,z,w);"), ["w"]);
        let bench = ports.bench();
        for part in ["reg [8:0] i;", "wire [3:0] o;", ".rst(i[0:0])", ".a(i[8:1])", ".y(o[2:0])", ".z(o[3:3])", "tnic_x block("] {
            assert!(bench.contains(part), "{part} in {bench}");
        }
        assert_eq!(Ports::read("no module"), None);
    }
}
