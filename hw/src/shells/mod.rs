//! The shells that take the datapath, and the files that each is given: our core, and around it a
//! module with exactly the shell's ports.
pub mod corundum;
pub mod ecpix5;
pub mod manifest;
mod netfpga;
mod taxi;

use crate::config::{CLOCK_PS, Config};
use crate::dma::replace_dma;
use crate::emit::PREFIX;
use crate::inline::Inline;
use crate::inline::pairs::{FLOW_BITS as PAIR_FLOW_BITS, Joint, pair_core};
use crate::scheduler::emission as scheduler;
use crate::standalone::{self, with_stack};
use netfpga::{NetFpga, PLUS, SUME};
use std::fmt;
use std::str::FromStr;
use timely_regs::serial::BAUD;

/// A shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// The NIC alone, with a traffic generator.
    Standalone,
    /// The 250 MHz user box of OpenNIC.
    OpenNic,
    /// The datapath of NetFPGA PLUS.
    NetFpgaPlus,
    /// The datapath of NetFPGA SUME.
    NetFpgaSume,
    /// The application block of Corundum.
    Corundum,
    /// An ECPIX-5, whole.
    Ecpix5,
    /// A port of taxi's cndm NICs.
    Taxi,
}

/// Every shell and its name.
const NAMES: [(Shell, &str); 7] = [
    (Shell::Standalone, "standalone"),
    (Shell::OpenNic, "opennic"),
    (Shell::NetFpgaPlus, "netfpga-plus"),
    (Shell::NetFpgaSume, "netfpga-sume"),
    (Shell::Corundum, "corundum"),
    (Shell::Ecpix5, "ecpix5"),
    (Shell::Taxi, "taxi"),
];

/// Requests for which no shell is built.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ShellError {
    /// No shell is called that.
    #[error("no shell is called {name}; there are {}", NAMES.map(|n| n.1).join(", "))]
    Name {
        /// Name in the request.
        name: String,
    },
    /// The shell has another bus.
    #[error("the bus of {shell} has {has} bits, not {asked}; leave --bus out")]
    Bus {
        /// Shell.
        shell: Shell,
        /// Bits of the shell's bus.
        has: usize,
        /// Bits in the request.
        asked: usize,
    },
}

impl fmt::Display for Shell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES.iter().find(|n| n.0 == *self).map_or("", |n| n.1))
    }
}

impl FromStr for Shell {
    type Err = ShellError;

    fn from_str(name: &str) -> Result<Self, ShellError> {
        NAMES.iter().find(|n| n.1 == name).map(|n| n.0).ok_or_else(|| ShellError::Name { name: name.into() })
    }
}

/// Optional parts of a shell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// A traffic generator beside the host's queues: of Corundum's application block.
    pub generator: bool,
    /// The in-line core whose flows are RoCEv2's queue pairs, in place of the one for our own
    /// packets.
    pub roce: bool,
}

/// A file, by its path from the folder of the emission.
#[derive(Clone, Debug)]
pub struct File {
    /// Path of the file.
    pub path: String,
    /// Text of the file.
    pub text: String,
}

impl Shell {
    /// Every shell.
    pub fn all() -> impl Iterator<Item = Shell> {
        NAMES.into_iter().map(|n| n.0)
    }

    /// The width of its bus, if it has one of its own.
    pub fn bus(self) -> Option<usize> {
        match self {
            Shell::Standalone | Shell::Corundum | Shell::Taxi => None,
            Shell::OpenNic | Shell::NetFpgaPlus => Some(512),
            Shell::NetFpgaSume => Some(256),
            Shell::Ecpix5 => Some(64),
        }
    }

    /// The bus that is meant when `asked` was asked for.
    ///
    /// # Errors
    /// When the shell has another.
    pub fn bus_of(self, asked: Option<usize>) -> Result<usize, ShellError> {
        match (self.bus(), asked) {
            (Some(has), Some(asked)) if has != asked => Err(ShellError::Bus { shell: self, has, asked }),
            (Some(has), _) => Ok(has),
            (None, asked) => Ok(asked.unwrap_or(64)),
        }
    }

    /// The host's own packets go through the NIC.
    pub fn is_inline(self) -> bool {
        matches!(self, Shell::OpenNic | Shell::NetFpgaPlus | Shell::NetFpgaSume | Shell::Taxi)
    }

    /// As [`Shell::config`], of the form that `extras` ask for.
    ///
    /// # Errors
    /// As [`Shell::config`]; and when the form is not built for that many flows, in a sentence.
    pub fn config_with(self, bus: Option<usize>, flow_bits: Option<usize>, extras: Extras) -> Result<Config, String> {
        let config = self.config(bus, flow_bits)?;
        if extras.roce && !PAIR_FLOW_BITS.contains(&config.flow_bits) {
            let built: Vec<String> = PAIR_FLOW_BITS.iter().map(|f| format!("2^{f}")).collect();
            return Err(format!("--roce has {} flows, not 2^{}; name one of these with --flow-bits", built.join(", "), config.flow_bits));
        }
        Ok(config)
    }

    /// The configuration that is meant when these were asked for: a bus, log2 of the flows.
    ///
    /// # Errors
    /// When the shell has others, or these are not built, in a sentence.
    pub fn config(self, bus: Option<usize>, flow_bits: Option<usize>) -> Result<Config, String> {
        let bus = self.bus_of(bus).map_err(|e| e.to_string())?;
        if self == Shell::Taxi && !taxi::BUSES.contains(&bus) {
            return Err(format!(
                "{self} has MACs of 64 bits, for 10 and 25 Gb/s, and of 512, for 100 Gb/s, not of {bus}; leave --bus out for 64"
            ));
        }
        match (self, flow_bits) {
            (Shell::Ecpix5, None | Some(ecpix5::FLOW_BITS)) => Ok(Config { bus, flow_bits: ecpix5::FLOW_BITS }),
            (Shell::Ecpix5, Some(asked)) => {
                Err(format!("{self} has RAM for 2^{} flows, not 2^{asked}; leave --flow-bits out", ecpix5::FLOW_BITS))
            }
            (_, asked) => Config::new(bus, asked.unwrap_or(10)).map_err(|e| e.to_string()),
        }
    }

    /// Checks that the shell takes the optional parts.
    ///
    /// # Errors
    /// The shell does not take one of the parts; a sentence says which.
    pub fn takes(self, extras: Extras) -> Result<(), String> {
        if extras.roce && !self.is_inline() {
            let inline: Vec<String> = Shell::all().filter(|s| s.is_inline()).map(|s| s.to_string()).collect();
            return Err(format!(
                "{self} has no in-line core to pace RoCEv2's queue pairs; {} have: leave --roce out, or take one of these",
                inline.join(", ")
            ));
        }
        match self {
            Shell::Corundum => Ok(()),
            Shell::Standalone | Shell::Ecpix5 if extras.generator => Err(format!("{self} has a generator always; leave --generator out")),
            _ if extras.generator => Err(format!("there is no generator for {self}: its packets are the host's; leave --generator out")),
            _ => Ok(()),
        }
    }

    /// Period of the shell's clock, ps; the usual one where the shell has none of its own.
    pub fn clock_ps(self) -> u32 {
        match self {
            Shell::NetFpgaSume => 5_000,
            Shell::Ecpix5 => ecpix5::CLOCK_PS,
            Shell::Standalone | Shell::OpenNic | Shell::NetFpgaPlus | Shell::Corundum | Shell::Taxi => CLOCK_PS,
        }
    }

    /// Top module of the shell.
    pub fn top(self) -> String {
        match self {
            // Corundum's core knows the module around this one.
            Shell::Corundum => format!("{PREFIX}corundum_app"),
            _ => format!("{PREFIX}{}", self.to_string().replace('-', "_")),
        }
    }

    /// File of the shell's Verilog.
    pub fn file_name(self, config: Config, extras: Extras) -> String {
        let form = if extras.roce { "_roce" } else { "" };
        match self {
            Shell::Corundum => format!("timely_corundum_app_{config}.v"),
            Shell::Taxi => format!("timely_taxi{form}_{config}.sv"),
            _ => format!("timely_{self}{form}_{config}.v"),
        }
    }

    /// Files of the shell: the Verilog first.
    ///
    /// # Errors
    /// RustHDL's checks reject the design; the reason as text.
    pub fn emit(self, config: Config, clock_ps: u32) -> Result<Vec<File>, String> {
        self.emit_with(config, clock_ps, Extras::default())
    }

    /// Files of the shell with optional parts.
    ///
    /// # Errors
    /// As [`Shell::emit`]; and when the shell does not take one of the parts, in a sentence.
    pub fn emit_with(self, config: Config, clock_ps: u32, extras: Extras) -> Result<Vec<File>, String> {
        self.takes(extras)?;
        let path = self.file_name(config, extras);
        let file = |path: &str, text: String| File { path: path.into(), text };
        match self {
            Shell::Standalone => Ok(vec![file(&path, standalone::emit(config, clock_ps)?)]),
            Shell::OpenNic => {
                let core = if extras.roce {
                    pair_core("opennic_core", config, clock_ps, Joint::PORTS)?
                } else {
                    with_stack(move || opennic_core(config, clock_ps))?
                };
                let name = format!("{PREFIX}opennic_core");
                let top = include_str!("opennic.v").replace("@CORE@", &name);
                let none = |what: &str| format!("// The 250 MHz box has no {what}: timely-nic takes all of its registers.\n");
                let plugin = connections(&top);
                Ok(vec![
                    file(&path, top + "\n" + &core),
                    file("box_250mhz/user_plugin_250mhz_inst.vh", include_str!("opennic_inst.vh").replace("@PORTS@", &plugin)),
                    file("box_250mhz/box_250mhz_address_map_inst.vh", none("address map")),
                    file("box_250mhz/box_250mhz_address_map.v", none("address map")),
                    file("box_250mhz/box_250mhz_axi_crossbar.tcl", none("crossbar").replace("//", "#")),
                    file("build_box_250mhz.tcl", include_str!("opennic_box.tcl").replace("@FILE@", &path)),
                    file("timely_opennic.xdc", include_str!("opennic.xdc").into()),
                ])
            }
            Shell::NetFpgaPlus => self.netfpga(&PLUS, config, clock_ps, extras),
            Shell::NetFpgaSume => self.netfpga(&SUME, config, clock_ps, extras),
            Shell::Corundum => corundum::files(&path, config, clock_ps, extras.generator),
            Shell::Ecpix5 => ecpix5::files(&path, clock_ps, BAUD),
            Shell::Taxi => taxi::files(&path, config, clock_ps, extras.roce),
        }
    }

    /// File of the shell that stands by itself: Corundum's scheduler.
    ///
    /// # Errors
    /// As [`Shell::emit`].
    pub fn besides(self, config: Config, clock_ps: u32) -> Result<Option<File>, String> {
        let scheduler = || Ok(File { path: scheduler::FILE.into(), text: scheduler::verilog(config.flow_bits, config.bus, clock_ps)? });
        (self == Shell::Corundum).then(scheduler).transpose()
    }

    fn netfpga(self, shell: &'static NetFpga, config: Config, clock_ps: u32, extras: Extras) -> Result<Vec<File>, String> {
        let path = self.file_name(config, extras);
        let datapath = File { path: "nf_datapath.v".into(), text: shell.datapath(&path) };
        let text = with_stack(move || shell.top(config, clock_ps, extras.roce))?;
        Ok(vec![File { path, text }, datapath])
    }
}

/// A line for each port of `top` whose name the shell has too.
fn connections(top: &str) -> String {
    let ports = top.lines().take_while(|l| *l != ");").filter(|l| l.starts_with("  input wire") || l.starts_with("  output wire"));
    let names = ports.filter_map(|l| l.trim_end_matches(',').split_whitespace().last()).filter(|n| n.contains("_axi"));
    names.map(|n| format!("  .{n}({n}),")).collect::<Vec<_>>().join("\n")
}

fn opennic_core(config: Config, clock_ps: u32) -> Result<String, String> {
    let build = config.build(clock_ps);
    // 2^15 cells, 8 MiB.
    macro_rules! arms {
        ($(($f:literal, $s:literal, $x:literal, $t:literal))*) => {
            match (config.bus, config.flow_bits) {
                $((512, $f) => {
                    let core = crate::emit::emit("opennic_core", Inline::<512, 64, $f, $s, { if $f > $s { $f } else { $s } }, $x, { $f + 16 }, { $x - 4 }, { $x + 4 },
                        { $f - 1 }, { $f + 1 }, { $f + 32 }, { $f + 50 }, { $f + 94 }, 138, 15, 16, $t, 2, 17, { $f + 64 }, 48, 136, 159, 65,
                        { $f + 2 }, 112, 689>::new(&build, false))?;
                    replace_dma::<512, 64, $f>(&core, "opennic_core__path__core__control__dma")
                })*
                _ => Err(format!("{config} is not built")),
            }
        };
    }
    arms!((10, 16, 13, 16)(13, 16, 14, 16)(14, 16, 15, 16)(16, 16, 17, 17))
}
