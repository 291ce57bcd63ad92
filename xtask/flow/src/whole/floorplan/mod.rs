//! Where a design's block RAMs and multipliers stand.
//!
//! Block RAMs and multipliers are few and have many pins, and their sites are rows across the whole
//! FPGA. nextpnr's analytic placer gives each the first site that is free near where its equations
//! would have it, and draws all LUTs after them: two fifths of all wire end at them, and half of
//! that is for nothing. Here they change places until their wires are short, everything else as it
//! was placed before; then all is placed again around them.
mod anneal;
mod sites;

use anneal::{Anneal, Net};
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sites::{Kind, Site};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::LazyLock;

/// Exchanges that are tried for each block RAM and multiplier: more shorten the wires by little.
const EXCHANGES: u64 = 40_000;
/// Pins of clocks and carries, which have wires of their own.
const OWN_WIRES: [&str; 6] = ["CLK", "WCK", "CLKA", "CLKB", "CIN", "COUT"];

/// A site by a cell's name, less the numbers that a tool counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floorplan {
    /// Where each stands, as nextpnr names sites.
    pub site: BTreeMap<String, String>,
}

/// The wire that ends at block RAMs and multipliers, in tiles, by the half perimeter of each net.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wire {
    /// As placed.
    pub before: u64,
    /// In the floorplan.
    pub after: u64,
}

// A cell's name without what a tool counts: a line of the source, a number of its own.
fn stem(name: &str) -> String {
    static COUNTED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[:$]\d+").expect("constant pattern"));
    COUNTED.replace_all(name, "").into_owned()
}

fn cells<'a>(netlist: &'a Value, top: &str) -> Result<&'a serde_json::Map<String, Value>, String> {
    netlist["modules"][top]["cells"].as_object().ok_or_else(|| format!("the netlist has no module {top} with cells"))
}

// Block RAMs and multipliers: their names in the plan, kinds and names in the netlist. Those of one
// stem are told apart by their order.
fn macros(cells: &serde_json::Map<String, Value>) -> Vec<(String, Kind, String)> {
    let mut all: Vec<_> = cells.iter().filter_map(|(name, c)| Some((stem(name), Kind::of(c["type"].as_str()?)?, name.clone()))).collect();
    all.sort_by(|a, b| (&a.0, a.2.len(), &a.2).cmp(&(&b.0, b.2.len(), &b.2)));
    let mut seen = BTreeMap::<String, usize>::new();
    for (stem, ..) in &mut all {
        let n = seen.entry(stem.clone()).or_default();
        if *n > 0 {
            *stem = format!("{stem} {n}");
        }
        *n += 1;
    }
    all
}

impl Floorplan {
    /// As it was written.
    ///
    /// # Errors
    /// The text is not a floorplan, or names a site that does not exist.
    pub fn read(text: &str) -> Result<Self, String> {
        let plan: Floorplan = toml::from_str(text).map_err(|e| e.to_string())?;
        match plan.site.iter().find(|(_, site)| Site::named(site).is_none()) {
            Some((name, site)) => Err(format!("{name} is to stand at {site}, which is no site; ones are X4/Y22/EBR0 and X4/Y10/MULT18_0")),
            None => Ok(plan),
        }
    }

    /// As it is written.
    ///
    /// # Errors
    /// The floorplan cannot be written as TOML.
    pub fn text(&self) -> Result<String, String> {
        let body = toml::to_string(self).map_err(|e| e.to_string())?;
        Ok(format!(
            "# Where block RAMs and multipliers stand; written by `cargo xtask bitstream ecpix5`, anew with `--floorplan`.\n\n{body}"
        ))
    }

    /// Binds block RAMs and multipliers of the module `top`, in a netlist of `write_json`, to their
    /// sites; gives how many of them the plan does not know, or gives a site of another kind, or
    /// one that is taken.
    ///
    /// # Errors
    /// The netlist has no such module.
    pub fn bind(&self, netlist: &mut Value, top: &str) -> Result<usize, String> {
        let all = macros(cells(netlist, top)?);
        let mut taken = BTreeSet::new();
        let mut missing = 0;
        for (name, kind, cell) in all {
            match self.site.get(&name).and_then(|s| Site::named(s)).filter(|s| s.kind == kind && taken.insert(s.name())) {
                Some(site) => netlist["modules"][top]["cells"][&cell]["attributes"]["BEL"] = json!(site.name()),
                None => missing += 1,
            }
        }
        Ok(missing)
    }

    /// The floorplan with the shortest wires that random exchanges find, [`EXCHANGES`] for each
    /// cell, with everything else where nextpnr wrote in `placed` that it stands.
    ///
    /// # Errors
    /// One of both is not what it should be.
    pub fn improve(netlist: &Value, top: &str, placed: impl Read, seed: u64) -> Result<(Self, Wire), String> {
        let cells = cells(netlist, top)?;
        let bels = placement(placed)?;
        // nextpnr may give a cell another name.
        let at = |cell: &str| ["", "$CCU2_COMB0", "$DPRAM_COMB0"].iter().find_map(|end| bels.get(&format!("{cell}{end}")));
        let all = macros(cells);
        let mut sites = Vec::new();
        for (_, _, cell) in &all {
            let bel = at(cell).ok_or_else(|| format!("{cell} was not placed"))?;
            sites.push(Site::named(bel).ok_or_else(|| format!("{cell} stands at {bel}, which is no site of the FPGA's"))?);
        }
        let number: BTreeMap<&str, usize> = all.iter().enumerate().map(|(i, (_, _, cell))| (cell.as_str(), i)).collect();
        let mut nets = BTreeMap::<u64, Net>::new();
        for (name, cell) in cells {
            let place = at(name).and_then(|b| sites::tile(b));
            for (pin, bits) in cell["connections"].as_object().into_iter().flatten() {
                if OWN_WIRES.contains(&pin.as_str()) {
                    continue;
                }
                for net in bits.as_array().into_iter().flatten().filter_map(Value::as_u64) {
                    let net = nets.entry(net).or_default();
                    match (number.get(name.as_str()), place) {
                        (Some(&m), _) => net.joins(m),
                        (None, Some(tile)) => net.reaches(tile),
                        (None, None) => {}
                    }
                }
            }
        }
        let mut anneal = Anneal::new(sites, nets.into_values());
        let (before, cost) = (anneal.wire(), anneal.cost());
        let stood: Vec<Site> = anneal.sites().collect();
        anneal.run(seed, EXCHANGES * all.len() as u64);
        // Annealing starts hot: from sites that are good already it may end at worse ones.
        let (sites, after) = if anneal.cost() < cost { (anneal.sites().collect(), anneal.wire()) } else { (stood, before) };
        let site = all.into_iter().zip(sites).map(|((name, ..), s)| (name, s.name())).collect();
        Ok((Floorplan { site }, Wire { before, after }))
    }
}

// Every cell's site in a design as nextpnr writes it: hundreds of megabytes, of which this alone is
// kept.
fn placement(placed: impl Read) -> Result<BTreeMap<String, String>, String> {
    #[derive(Deserialize)]
    struct Design {
        modules: BTreeMap<String, Module>,
    }
    #[derive(Deserialize)]
    struct Module {
        cells: BTreeMap<String, Cell>,
    }
    #[derive(Deserialize)]
    struct Cell {
        attributes: Attributes,
    }
    #[derive(Deserialize)]
    struct Attributes {
        #[serde(rename = "NEXTPNR_BEL")]
        bel: Option<String>,
    }
    let design: Design = serde_json::from_reader(std::io::BufReader::new(placed)).map_err(|e| format!("what nextpnr placed: {e}"))?;
    let cells = design.modules.into_values().flat_map(|m| m.cells);
    Ok(cells.filter_map(|(name, c)| Some((name, c.attributes.bel?))).collect())
}

#[cfg(test)]
mod tests {
    use super::{Floorplan, Wire, stem};
    use serde_json::json;

    fn netlist() -> serde_json::Value {
        let ram = |q: u64| json!({"type": "DP16KD", "attributes": {}, "connections": {"DOA0": [q], "CLKA": [9]}});
        let flop = |d: u64| json!({"type": "TRELLIS_FF", "attributes": {}, "connections": {"DI": [d], "CLK": [9]}});
        json!({"modules": {"top": {"cells": {"a.mem.0.0": ram(2), "b.mem.0.0": ram(3), "x": flop(2), "y": flop(3)}}}})
    }

    #[test]
    fn rams_go_where_their_wires_end() {
        let at = |bel: &str| json!({"attributes": {"NEXTPNR_BEL": bel}});
        // Each RAM beside the other's flip-flop.
        let placed = json!({"modules": {"top": {"cells": {"a.mem.0.0": at("X118/Y82/EBR2"), "b.mem.0.0": at("X4/Y22/EBR0"), "x": at("X4/Y21/SLICEA.FF0"),
            "y": at("X118/Y80/SLICEB.FF1")}}}});
        let mut netlist = netlist();
        let (plan, wire) = Floorplan::improve(&netlist, "top", placed.to_string().as_bytes(), 1).unwrap();
        assert_eq!(plan.site, [("a.mem.0.0", "X4/Y22/EBR0"), ("b.mem.0.0", "X118/Y82/EBR2")].map(|(c, s)| (c.into(), s.into())).into());
        assert_eq!(wire, Wire { before: 175 + 172, after: 1 + 2 });
        assert_eq!(plan.bind(&mut netlist, "top"), Ok(0));
        assert_eq!(netlist["modules"]["top"]["cells"]["a.mem.0.0"]["attributes"]["BEL"], "X4/Y22/EBR0");
        assert_eq!(netlist["modules"]["top"]["cells"]["x"]["attributes"], json!({}));
    }

    #[test]
    fn rams_of_one_address_stand_together() {
        let at = |bel: &str| json!({"attributes": {"NEXTPNR_BEL": bel}});
        // Each RAM at both its bits, a chip's width apart, and one address for both.
        let ram =
            |d: u64| json!({"type": "DP16KD", "attributes": {}, "connections": {"DIA0": [d], "DOA0": [d + 1], "ADA0": [8], "CLKA": [9]}});
        let flop = |d: u64| json!({"type": "TRELLIS_FF", "attributes": {}, "connections": {"DI": [d + 1], "Q": [d], "CLK": [9]}});
        let netlist = json!({"modules": {"top": {"cells": {"a.mem.0.0": ram(2), "a.mem.0.1": ram(4), "x": flop(2), "y": flop(4)}}}});
        let placed = json!({"modules": {"top": {"cells": {"a.mem.0.0": at("X4/Y46/EBR0"), "a.mem.0.1": at("X118/Y46/EBR2"), "x": at("X4/Y46/SLICEA.FF0"),
            "y": at("X118/Y46/SLICEB.FF1")}}}});
        let (plan, wire) = Floorplan::improve(&netlist, "top", placed.to_string().as_bytes(), 1).unwrap();
        let column = |cell: &str| super::sites::tile(&plan.site[cell]).unwrap().0;
        assert!(column("a.mem.0.0").abs_diff(column("a.mem.0.1")) <= 40, "{plan:?}");
        assert_eq!(wire.before, 114, "only the address went across");
    }

    #[test]
    fn good_sites_stay() {
        let at = |bel: &str| json!({"attributes": {"NEXTPNR_BEL": bel}});
        // Between both ends of its wire any site of the row is as good as another.
        let placed =
            json!({"modules": {"top": {"cells": {"a": at("X58/Y46/EBR0"), "x": at("X4/Y46/SLICEA.FF0"), "y": at("X120/Y46/SLICEA.FF0")}}}});
        let ram = json!({"type": "DP16KD", "attributes": {}, "connections": {"DOA0": [2]}});
        let flop = json!({"type": "TRELLIS_FF", "attributes": {}, "connections": {"DI": [2]}});
        let netlist = json!({"modules": {"top": {"cells": {"a": ram, "x": flop, "y": flop}}}});
        let (plan, wire) = Floorplan::improve(&netlist, "top", placed.to_string().as_bytes(), 1).unwrap();
        assert_eq!((plan.site["a"].as_str(), wire), ("X58/Y46/EBR0", Wire { before: 116, after: 116 }));
    }

    #[test]
    fn a_plan_of_another_design_is_noticed() {
        let plan = |sites: &[(&str, &str)]| Floorplan { site: sites.iter().map(|(c, s)| (c.to_string(), s.to_string())).collect() };
        let mut netlist = netlist();
        assert_eq!(plan(&[("a.mem.0.0", "X4/Y22/EBR0")]).bind(&mut netlist, "top"), Ok(1), "one is new");
        assert_eq!(plan(&[("a.mem.0.0", "X4/Y22/EBR0"), ("b.mem.0.0", "X4/Y22/EBR0")]).bind(&mut netlist, "top"), Ok(1), "two at one site");
        assert_eq!(
            plan(&[("a.mem.0.0", "X4/Y10/MULT18_0"), ("b.mem.0.0", "X5/Y22/EBR0")]).bind(&mut netlist, "top"),
            Ok(2),
            "no sites of theirs"
        );
        assert!(plan(&[]).bind(&mut netlist, "none").is_err());
        let nothing = json!({"modules": {"top": {"cells": {}}}}).to_string();
        assert!(Floorplan::improve(&netlist, "top", nothing.as_bytes(), 1).unwrap_err().contains("a.mem.0.0 was not placed"));
        assert!(Floorplan::improve(&netlist, "top", &b"{"[..], 1).is_err());
    }

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        let plan = Floorplan { site: [("a.mem.0.0".into(), "X4/Y22/EBR0".into()), ("$mul$t.v 1".into(), "X4/Y10/MULT18_0".into())].into() };
        assert_eq!(Floorplan::read(&plan.text().unwrap()), Ok(plan));
        let error = Floorplan::read("[site]\na = \"X5/Y22/EBR0\"\n").unwrap_err();
        assert!(error.starts_with("a is to stand at X5/Y22/EBR0, which is no site"), "{error}");
        assert!(Floorplan::read("site = 1").is_err());
    }

    #[test]
    fn what_a_tool_counts_is_no_name() {
        assert_eq!(stem("nic.core.ram.mem.0.4"), "nic.core.ram.mem.0.4");
        assert_eq!(stem("$flatten\\nic.\\rate.$mul$timely.v:48156$30261.slice[0].mul"), "$flatten\\nic.\\rate.$mul$timely.v.slice[0].mul");
        assert_eq!(stem("$mul$timely.v:48156$30261"), "$mul$timely.v");
    }
}
