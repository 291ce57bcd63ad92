//! NetFPGA's datapath, of PLUS and of SUME: its ports, and around the in-line core what tells the
//! ports' frames apart and brings them together.
use crate::config::Config;
use crate::dma::replace_dma;
use crate::emit::{PREFIX, emit};
use crate::inline::Inline;
use crate::inline::aside::Aside;
use crate::inline::pairs::{Joint, pair_core};
use crate::inline::spread::Spread;
use crate::inline::vacant::Vacant;
use crate::txmux::TxMux;
use std::fmt::Write;

/// A shell of NetFPGA's.
pub struct NetFpga {
    /// Name of the shell in modules.
    pub name: &'static str,
    /// Bits of its buses.
    pub bus: usize,
    /// Ports to the wire; the host's stream is the one behind them.
    pub ports: usize,
    /// Parameters of its datapath besides the widths, and their values.
    parameters: &'static str,
}

/// NetFPGA PLUS: two ports of 100 Gb/s.
pub const PLUS: NetFpga = NetFpga { name: "netfpga_plus", bus: 512, ports: 2, parameters: "  parameter C_BASEADDR = 32'h00000000,\n" };
/// NetFPGA SUME: four ports of 10 Gb/s.
pub const SUME: NetFpga = NetFpga {
    name: "netfpga_sume",
    bus: 256,
    ports: 4,
    parameters: "  parameter C_USE_WSTRB = 0,\n  parameter C_DPHASE_TIMEOUT = 0,\n  parameter C_BASEADDR = 32'h00000000,\n  \
                 parameter C_HIGHADDR = 32'h0000FFFF,\n",
};

/// A signal: which way, what its width is of and divided by, name.
type Part = (bool, Option<(&'static str, usize)>, &'static str);

/// Signals of a bus of registers: output, parameter of its width, what that is divided by, name.
const AXI: [Part; 17] = [
    (false, Some(("C_S_AXI_ADDR_WIDTH", 1)), "AWADDR"),
    (false, None, "AWVALID"),
    (false, Some(("C_S_AXI_DATA_WIDTH", 1)), "WDATA"),
    (false, Some(("C_S_AXI_DATA_WIDTH", 8)), "WSTRB"),
    (false, None, "WVALID"),
    (false, None, "BREADY"),
    (false, Some(("C_S_AXI_ADDR_WIDTH", 1)), "ARADDR"),
    (false, None, "ARVALID"),
    (false, None, "RREADY"),
    (true, None, "ARREADY"),
    (true, Some(("C_S_AXI_DATA_WIDTH", 1)), "RDATA"),
    (true, Some(("2", 1)), "RRESP"),
    (true, None, "RVALID"),
    (true, None, "WREADY"),
    (true, Some(("2", 1)), "BRESP"),
    (true, None, "BVALID"),
    (true, None, "AWREADY"),
];

/// Signals of a stream: against its direction, what of it the width is of, what that is divided by,
/// name.
const STREAM: [Part; 6] = [
    (false, Some(("DATA", 1)), "tdata"),
    (false, Some(("DATA", 8)), "tkeep"),
    (false, Some(("TUSER", 1)), "tuser"),
    (false, None, "tvalid"),
    (true, None, "tready"),
    (false, None, "tlast"),
];

/// A port of the datapath: output, width, name.
type Port = (bool, Option<(String, usize)>, String);

impl NetFpga {
    fn parts(&self) -> Vec<Port> {
        let mut out: Vec<Port> = ["axis_aclk", "axis_resetn", "axi_aclk", "axi_resetn"].map(|n| (false, None, n.into())).into();
        for s in 0..3 {
            let port = |(output, width, name): &Part| (*output, width.map(|(of, by)| (of.to_owned(), by)), format!("S{s}_AXI_{name}"));
            out.extend(AXI.iter().map(port));
        }
        for (output, side) in [(false, "s"), (true, "m")] {
            for n in 0..=self.ports {
                for (against, width, name) in &STREAM {
                    let width = width.map(|(of, by)| (format!("C_{}_AXIS_{of}_WIDTH", side.to_uppercase()), by));
                    out.push((output != *against, width, format!("{side}_axis_{n}_{name}")));
                }
            }
        }
        out
    }

    /// Bits that a parameter of a width stands for.
    fn width(&self, parameter: &str) -> usize {
        match parameter {
            "2" => 2,
            "C_S_AXI_ADDR_WIDTH" | "C_S_AXI_DATA_WIDTH" => 32,
            _ if parameter.contains("TUSER") => 128,
            _ => self.bus,
        }
    }

    /// A line a port; `range` makes one of a width and what it is divided by.
    fn list(&self, range: impl Fn(&str, usize) -> String) -> String {
        let line = |(output, width, name): Port| {
            let range = width.map(|(of, by)| range(&of, by) + " ").unwrap_or_default();
            format!("  {} wire {range}{name}", if output { "output" } else { "input" })
        };
        self.parts().into_iter().map(line).collect::<Vec<_>>().join(",\n")
    }

    /// The module that the shell calls its datapath, with its ports and parameters.
    pub fn datapath(&self, file: &str) -> String {
        let ports = self.list(|of, by| {
            if of == "2" {
                "[1:0]".into()
            } else if by == 1 {
                format!("[{of}-1:0]")
            } else {
                format!("[({of}/{by})-1:0]")
            }
        });
        let names: Vec<String> = self.parts().into_iter().map(|(_, _, name)| format!("    .{name}({name})")).collect();
        include_str!("nf_datapath.v")
            .replace("@FILE@", file)
            .replace("@PARAMETERS@\n", self.parameters)
            .replace("@BUS@", &self.bus.to_string())
            .replace("@TOP@", &format!("{PREFIX}{}", self.name))
            .replace("@PORTS@", &ports)
            .replace("@NAMES@", &names.join(",\n"))
    }

    /// Our module, and what it is made of behind it; with `roce` around the core with queue pairs.
    pub fn top(&self, config: Config, clock_ps: u32, roce: bool) -> Result<String, String> {
        let name = |part: &str| format!("{}_{part}", self.name);
        let module = |part: &str| format!("{PREFIX}{}", name(part));
        let (w, k, dma) = (self.bus, self.bus / 8, self.ports);
        let mut vacant = String::new();
        for s in 1..3 {
            vacant += &include_str!("netfpga_vacant.v").replace("@N@", &s.to_string()).replace("@VACANT@", &module("vacant"));
        }
        let mut asides = String::new();
        for n in 1..self.ports {
            asides += &include_str!("netfpga_aside.v")
                .replace("@N@", &n.to_string())
                .replace("@TO@", &format!("{:02x}", 1 << (2 * n)))
                .replace("@UP@", &format!("{:02x}", 2 << (2 * n)))
                .replace("@ASIDE@", &module("aside"));
        }
        if self.ports < 4 {
            let _ =
                writeln!(asides, "  assign host_tready[3:{0}] = {1}'h0;\n  assign dropped[3:{0}] = {1}'h0;", self.ports, 4 - self.ports);
        }
        asides += "  assign dropped[0] = 1'b0;\n";
        let text = include_str!("netfpga.v")
            .replace("@PORT_LIST@", &self.list(|of, by| format!("[{}:0]", self.width(of) / by - 1)))
            .replace("@VACANT@", &vacant)
            .replace("@ASIDES@", &asides)
            .replace("@MERGES@", &self.merges(&module("merge")))
            .replace("@TOP@", &format!("{PREFIX}{}", self.name))
            .replace("@CORE@", &module("core"))
            .replace("@SPREAD@", &module("spread"))
            .replace("@PORTS@", &self.ports.to_string())
            .replace("@DMA@", &dma.to_string())
            .replace("@W-1@", &(w - 1).to_string())
            .replace("@K-1@", &(k - 1).to_string());
        // Two streams by turns is what the multiplexer of the wire does; what goes beside a frame
        // goes with its bytes, as 16 of them more.
        let (spread, aside, merge) = match self.ports {
            2 => (
                emit(&name("spread"), Spread::<512, 64, 128, 65, 2>::new())?,
                emit(&name("aside"), Aside::<512, 64, 128, 65>::new())?,
                emit(&name("merge"), TxMux::<640, 80>::default())?,
            ),
            _ => (
                emit(&name("spread"), Spread::<256, 32, 128, 33, 4>::new())?,
                emit(&name("aside"), Aside::<256, 32, 128, 33>::new())?,
                emit(&name("merge"), TxMux::<384, 48>::default())?,
            ),
        };
        let vacant = emit(&name("vacant"), Vacant::default())?;
        let core = if roce {
            pair_core(&name("core"), config, clock_ps, Joint { beside: 128, stamped: false })?
        } else {
            core(&name("core"), config, clock_ps)?
        };
        Ok([text, spread, aside, merge, vacant, core].join("\n"))
    }

    /// The frames of all ports into one stream: pairs, then pairs of those.
    fn merges(&self, module: &str) -> String {
        let mut streams: Vec<String> = (0..self.ports).map(|n| format!("up_{n}")).collect();
        let mut out = String::new();
        while streams.len() > 1 {
            streams = streams
                .chunks(2)
                .map(|pair| {
                    let to = if streams.len() == 2 { format!("m_axis_{}", self.ports) } else { format!("{}_{}", pair[0], &pair[1][3..]) };
                    if streams.len() > 2 {
                        let (w, k) = (self.bus - 1, self.bus / 8 - 1);
                        let _ = write!(
                            out,
                            "  wire [{w}:0] {to}_tdata;\n  wire [{k}:0] {to}_tkeep;\n  wire [127:0] {to}_tuser;\n  \
                             wire {to}_tvalid, {to}_tready, {to}_tlast;\n"
                        );
                    }
                    let _ = write!(
                        out,
                        "  wire [15:0] {to}_none;\n{}",
                        include_str!("netfpga_merge.v")
                            .replace("@MERGE@", module)
                            .replace("@A@", &pair[0])
                            .replace("@D@", &pair[1])
                            .replace("@TO@", &to)
                    );
                    to
                })
                .collect();
        }
        out
    }
}

fn core(name: &str, config: Config, clock_ps: u32) -> Result<String, String> {
    let build = config.build(clock_ps);
    // 2^15 cells of 256 bytes with PLUS, whose boards have UltraRAM; 2^13 with SUME, which has 52
    // Mb of RAM in all.
    macro_rules! arms {
        ($(($w:literal, $k:literal, $l:literal, $c:literal, $b:literal: $(($f:literal, $s:literal, $x:literal, $t:literal))*))*) => {
            match (config.bus, config.flow_bits) {
                $($(($w, $f) => {
                    let core = emit(name, Inline::<$w, $k, $f, $s, { if $f > $s { $f } else { $s } }, $x, { $f + 16 }, { $x - 4 }, { $x + 4 }, { $f - 1 }, { $f + 1 },
                        { $f + 32 }, { $f + 50 }, { $f + 94 }, $l, $c, { $c + 1 }, $t, $b, { $c + $b }, { $f + 64 }, 128, 216, 239, { $k + 1 },
                        { $f + 2 }, 192, { $w + $k + 193 }>::new(&build, false))?;
                    replace_dma::<$w, $k, $f>(&core, &format!("{name}__path__core__control__dma"))
                })*)*
                _ => Err(format!("{config} is not built")),
            }
        };
    }
    arms!(
        (512, 64, 138, 15, 2: (10, 16, 13, 16)(13, 16, 14, 16)(14, 16, 15, 16)(16, 16, 17, 17))
        (256, 32, 106, 13, 3: (10, 15, 13, 14)(13, 15, 14, 14)(14, 15, 15, 15)(16, 15, 17, 17))
    )
}
