//! taxi: the constraints of what crosses between the NIC core's clock and the MAC's, on the
//! registers of the emitted adapter.
use super::*;
use std::collections::{BTreeMap, BTreeSet};

/// The adapter as `tnic_taxi_core` has it.
const PLACE: &str = "cndm_inst/core_inst/port[0].paced.timely";

/// Register or RAM, as the vendor's tool names it.
struct Cell {
    clock: String,
    /// A register that is set without its clock.
    preset: bool,
    /// Registers of the same module that are its next value.
    sources: Vec<String>,
    /// LUT-RAM that another clock reads.
    read_elsewhere: bool,
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_name(c)).filter(|w| !w.is_empty())
}

/// Text of a module.
fn module<'a>(verilog: &'a str, name: &str) -> Option<&'a str> {
    let (_, text) = verilog.split_once(&format!("\nmodule {name} ")).or_else(|| verilog.split_once(&format!("module {name} ")))?;
    Some(text.split_once("\nendmodule").expect("its end").0)
}

/// Cells of module `name` at `place` and below, whose clocks are those of `clocks` above it.
fn cells(verilog: &str, name: &str, place: &str, clocks: &BTreeMap<String, String>, all: &mut BTreeMap<String, Cell>) {
    let text = module(verilog, name).unwrap_or_else(|| panic!("module {name}"));
    let above = |clock: &str| clocks.get(clock).cloned().unwrap_or_else(|| panic!("{place}: clock {clock}"));
    // The register behind a block RAM is the RAM's own.
    let block = text.contains("ram_style = \"block\"");
    let reads = clocks.get("m_clk").filter(|_| text.contains("m_data = words["));
    let mut within: Option<(String, bool)> = None;
    for line in text.lines() {
        if let Some((_, of)) = line.split_once("always_ff @(posedge ") {
            let clock = words(of).next().expect("a clock");
            within = Some((above(clock), of.contains("posedge asked")));
        } else if line.starts_with("  end") || !line.starts_with("  ") {
            within = within.filter(|_| line.starts_with("    "));
        }
        let (Some((clock, preset)), Some((target, value))) = (&within, line.split_once(" <= ")) else { continue };
        let Some(register) = words(target.rsplit(' ').next().unwrap_or(target)).next() else { continue };
        let cell = all.entry(format!("{place}/{register}_reg")).or_insert_with(|| Cell {
            clock: clock.clone(),
            preset: *preset,
            sources: vec![],
            read_elsewhere: register == "words" && reads.is_some_and(|r| r != clock),
        });
        assert!(cell.clock == *clock, "{place}/{register} has two clocks");
        cell.sources.extend(words(value).filter(|w| !(block && *w == "words")).map(|w| format!("{place}/{w}_reg")));
    }
    // Instances below: kind, parameters, name, pins.
    for (at, _) in text.match_indices("\n  tnic_taxi_") {
        let (instance, _) = text[at + 3..].split_once(");").expect("an instance ends");
        let kind = words(instance).next().expect("a kind");
        if !["tnic_taxi_frames", "tnic_taxi_queue", "tnic_taxi_reset"].contains(&kind) {
            continue;
        }
        let name = instance.lines().next().and_then(|l| words(l.split(" (").next()?).last()).expect("a name");
        let pin = |pin: &str| Some(instance.split_once(&format!(".{pin}("))?.1.split_once(')')?.0.to_owned());
        let below = ["clk", "s_clk", "m_clk"].into_iter().filter_map(|p| Some((p.to_owned(), above(&pin(p)?)))).collect();
        cells(verilog, kind, &format!("{place}/{name}"), &below, all);
    }
}

/// Every name in the constraints finds registers, and whatever crosses between clocks is named.
#[test]
fn constraints_name_all_that_crosses() {
    if !has_tclsh("taxi") {
        return;
    }
    for bus in [64, 512] {
        let (bench, files) = Bench::new("", Shell::Taxi, Config::new(bus, 10).expect("a configuration"));
        let clocks = ["clk", "mac_tx_clk", "mac_rx_clk"].map(|c| (c.to_owned(), c.to_owned())).into();
        let mut all = BTreeMap::new();
        cells(&files[0].1, "tnic_taxi", PLACE, &clocks, &mut all);
        // The wrapper has the adapter under the name that the constraints look for.
        assert!(files[1].1.contains("begin : port\n") && files[1].1.contains("begin : paced\n") && files[1].1.contains(") timely (\n"));
        let named = |names: &dyn Fn(&str, &Cell) -> bool| -> Vec<&str> {
            all.iter().filter(|(name, cell)| names(&name[PLACE.len()..], cell)).map(|(name, _)| name.as_str()).collect()
        };
        let file = all.iter().map(|(name, cell)| format!("{{{name}}} {{{}{}}}\n", cell.clock, if cell.preset { " PRE" } else { "" }));
        bench.put("cells", &file.collect::<String>());
        let done = bench.source(&bench.path("emitted/timely_taxi.xdc"), "", "", &[("CELLS", &bench.path("cells").display().to_string())]);
        assert_eq!(done.code, 0, "{}", done.text);

        let ends = |end: &'static str| named(&|name: &str, _: &Cell| name.ends_with(end));
        // Tcl puts a name with brackets into braces.
        let list = |names: &[&str]| format!("{{{}}}", names.iter().map(|n| format!("{{{n}}}")).collect::<Vec<_>>().join(" "));
        let (puts, takes) = ([ends("/put_gray_reg"), ends("/put_1_reg")], [ends("/take_gray_reg"), ends("/take_1_reg")]);
        let ram = named(&|name: &str, _: &Cell| name.ends_with("ends_of_frames/words_reg") || name.ends_with("/completions/words_reg"));
        let pause = named(&|name: &str, _: &Cell| name == "/pause_1_reg");
        let presets = named(&|_: &str, cell: &Cell| cell.preset);
        let pins: Vec<String> = presets.iter().map(|name| format!("{name}/PRE")).collect();
        let pins: Vec<&str> = pins.iter().map(String::as_str).collect();
        let calls = [
            format!("set_max_delay -datapath_only 2.4 -from {} -to {}", list(&puts[0]), list(&puts[1])),
            format!("set_max_delay -datapath_only 2.4 -from {} -to {}", list(&takes[0]), list(&takes[1])),
            format!("set_max_delay -datapath_only 4.0 -from {}", list(&ram)),
            format!("set_false_path -quiet -to {}", list(&pause)),
            format!("set_false_path -to {}", list(&pins)),
        ];
        assert_eq!(done.calls, calls, "{}", done.text);

        // From another clock's register, by name or by an input of the adapter.
        let crossing: BTreeSet<(&str, &str)> = all
            .iter()
            .flat_map(|(to, cell)| {
                cell.sources
                    .iter()
                    .filter_map(|from| all.get_key_value(from))
                    .filter(|(_, source)| source.clock != cell.clock)
                    .map(|(from, _)| (from.as_str(), to.as_str()))
            })
            .collect();
        let covered = |from: &str, to: &str| [&puts, &takes].into_iter().any(|[f, t]| f.contains(&from) && t.contains(&to));
        let bare: Vec<_> = crossing.iter().filter(|(from, to)| !covered(from, to)).collect();
        assert!(bare.is_empty(), "crossings without a constraint: {bare:?}");
        let read: Vec<&str> = named(&|_: &str, cell: &Cell| cell.read_elsewhere);
        let losses = format!("{PLACE}/losses/words_reg");
        let unnamed: Vec<_> = read.iter().filter(|name| !ram.contains(name) && **name != losses).collect();
        assert!(unnamed.is_empty(), "LUT-RAM between clocks without a constraint: {unnamed:?}");
        println!("{bus} bits: {} cells, {} pointers and {} RAMs cross", all.len(), crossing.len(), read.len());
        assert!(crossing.len() >= 10 && presets.len() == 2 && pause.len() == 1, "{crossing:?}, {presets:?}");
    }
}
