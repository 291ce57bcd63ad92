//! Connections between a module's instances, kept from RustHDL's text and put into it afterwards.
//!
//! RustHDL looks at every connection for each port of each instance and each port of the module,
//! most of an emission's time where many buses meet. The text is the same, byte by byte.
use crate::unroll::unroll;
use rust_hdl::core::ast::{Verilog, VerilogBlock, VerilogLink, VerilogLinkDetails, VerilogStatement};
use rust_hdl::core::atom::Atom;
use rust_hdl::core::module_defines::ModuleDefines;
use rust_hdl::core::probe::Probe;
use rust_hdl::core::verilog_gen::verilog_link_extraction;
use rust_hdl::prelude::*;
use std::collections::{HashMap, HashSet};

/// A connection: both names, and the statement that makes it where neither is a port.
struct Link {
    names: [String; 2],
    statement: String,
}

impl Link {
    fn new(link: &VerilogLink) -> Self {
        let name = |of: &str, d: &VerilogLinkDetails| if d.my_name.is_empty() { of.to_owned() } else { format!("{of}${}", d.my_name) };
        let bare = |of: &str| of.replace('[', "$").replace(']', "");
        let driven = |to: &str, from: &str, d: &VerilogLinkDetails| {
            format!("always @(*) {}${} = {}${};", bare(to), d.my_name, bare(from), d.my_name)
        };
        match link {
            VerilogLink::Forward(d) => Link {
                names: [&d.other_name, &d.owner_name].map(|of| format!("{of}${}", d.my_name)),
                statement: driven(&d.other_name, &d.owner_name, d),
            },
            VerilogLink::Backward(d) => Link {
                names: [&d.owner_name, &d.other_name].map(|of| format!("{of}${}", d.my_name)),
                statement: driven(&d.owner_name, &d.other_name, d),
            },
            VerilogLink::Bidirectional(d) => {
                let [owner, other] = [&d.owner_name, &d.other_name].map(|of| name(of, d));
                let statement = format!("assign {owner} = {other};");
                Link { names: if d.my_name.is_empty() { [owner, other] } else { [other, owner] }, statement }
            }
        }
    }
}

/// Modules of a block, by RustHDL, and their connections apart.
#[derive(Default)]
pub struct Modules {
    defines: ModuleDefines,
    path: Vec<String>,
    links: HashMap<String, Vec<Link>>,
}

/// A block of which the text alone counts.
struct Text(Verilog);

impl Logic for Text {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        self.0.clone()
    }
}

impl Block for Text {
    fn connect_all(&mut self) {}

    fn update_all(&mut self) {}

    fn has_changed(&self) -> bool {
        false
    }

    fn accept(&self, _name: &str, _probe: &mut dyn Probe) {}
}

impl Probe for Modules {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        self.path.push(name.to_owned());
        let mut text = node.hdl();
        if let Verilog::Combinatorial(code) = &mut text {
            unroll(code);
            let mut connections = VerilogBlock::new();
            take_links(code, &mut connections);
            if !connections.is_empty() {
                let links = verilog_link_extraction(&connections).iter().map(Link::new).collect();
                self.links.insert(self.path.join("$"), links);
            }
        }
        self.defines.visit_start_scope(name, &Text(text));
    }

    fn visit_start_namespace(&mut self, name: &str, node: &dyn Block) {
        self.defines.visit_start_namespace(name, node);
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        self.defines.visit_atom(name, signal);
    }

    fn visit_end_namespace(&mut self, name: &str, node: &dyn Block) {
        self.defines.visit_end_namespace(name, node);
    }

    fn visit_end_scope(&mut self, name: &str, node: &dyn Block) {
        self.path.pop();
        self.defines.visit_end_scope(name, node);
    }
}

/// Moves the connections out of `code`. A kernel connects at its top, or in loops there.
fn take_links(code: &mut VerilogBlock, to: &mut VerilogBlock) {
    to.extend(code.extract_if(.., |s| matches!(s, VerilogStatement::Link(_))));
    for statement in code {
        if let VerilogStatement::Macro(block) = statement {
            take_links(block, to);
        }
    }
}

impl Modules {
    /// The Verilog of all modules.
    pub fn verilog(&self) -> String {
        let text = self.defines.defines();
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find("\nmodule ") {
            let (before, from) = rest.split_at(at + 1);
            out.push_str(before);
            let end = from.find("endmodule").unwrap_or(from.len());
            let (module, after) = from.split_at(end);
            let name = module["module ".len()..].split('(').next().unwrap_or_default();
            match self.links.get(name) {
                Some(links) => joined(module, links, &mut out),
                None => out.push_str(module),
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

/// Writes one module, up to its `endmodule`, with its connections.
fn joined(module: &str, links: &[Link], out: &mut String) {
    let list = module.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(list, _)| list);
    let ports: HashSet<&str> = list.split(',').collect();
    // The other name of the first connection that has a name.
    let mut other: HashMap<&str, &str> = HashMap::new();
    // Signals in whose place a port stands.
    let mut gone: HashSet<&str> = HashSet::new();
    for Link { names: [a, b], .. } in links {
        other.entry(a).or_insert(b);
        other.entry(b).or_insert(a);
        gone.extend(ports.contains(b.as_str()).then_some(a.as_str()));
        gone.extend(ports.contains(a.as_str()).then_some(b.as_str()));
    }
    let pin = |line: &str| -> Option<(String, String)> {
        let (port, rest) = line.trim_start().strip_prefix('.')?.split_once('(')?;
        let (name, _) = rest.split_once(')')?;
        Some((port.to_owned(), name.to_owned()))
    };
    let passed: HashSet<String> =
        module.lines().filter_map(pin).map(|(_, name)| other.get(name.as_str()).map_or(name.clone(), |o| (*o).to_owned())).collect();
    for line in module.split_inclusive('\n') {
        let name = line.trim_end().trim_end_matches(';').rsplit(' ').next().unwrap_or_default();
        let declares = |kind: &str| line.starts_with("    ") && line[4..].starts_with(kind) && line.trim_end().ends_with(';');
        if let Some((port, name)) = pin(line).filter(|_| line.starts_with("        .")) {
            let to = other.get(name.as_str()).copied().filter(|_| gone.contains(name.as_str())).unwrap_or(&name);
            out.push_str(&line.replacen(&format!(".{port}({name})"), &format!(".{port}({to})"), 1));
        } else if declares("output reg ") && passed.contains(name) {
            out.push_str(&line.replacen("output reg ", "output wire ", 1));
        } else if (declares("reg ") || declares("wire ")) && gone.contains(name) {
            // The port has a declaration.
        } else {
            out.push_str(line);
        }
    }
    // `endmodule` stands at the line's start.
    for Link { names: [a, b], statement } in links {
        if !ports.contains(a.as_str()) && !ports.contains(b.as_str()) {
            out.push_str(&format!("    {statement}\n"));
        }
    }
}
