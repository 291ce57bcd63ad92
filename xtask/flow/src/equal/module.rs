//! The modules of emitted Verilog, and their instances.
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// Modules by name.
pub struct Modules {
    texts: BTreeMap<String, String>,
    instance: Regex,
    flip_flop: Regex,
}

impl Modules {
    /// The modules of a text as `timely-hw emit` writes it: `module` and `endmodule` begin lines,
    /// and so do instances with named connections.
    pub fn new(verilog: &str) -> Self {
        let module = Regex::new(r"(?ms)^module\s+(\w+)\s*\(.*?^endmodule").expect("constant pattern");
        Modules {
            texts: module.captures_iter(verilog).map(|c| (c[1].to_owned(), c[0].to_owned())).collect(),
            instance: Regex::new(r"(?m)^\s*(\w+)\s+\w+\s*\(\s*\.").expect("constant pattern"),
            flip_flop: Regex::new(r"always @\(posedge clock\) begin\s*q <= d;\s*end").expect("constant pattern"),
        }
    }

    /// There is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// All names, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// A module's text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// The module is a flip-flop of any width, without enable or reset.
    pub fn is_flip_flop(&self, name: &str) -> bool {
        self.text(name).is_some_and(|t| self.flip_flop.is_match(t))
    }

    /// The modules that a module has instances of.
    pub fn children(&self, name: &str) -> BTreeSet<&str> {
        let text = self.text(name).unwrap_or_default();
        self.instance.captures_iter(text).filter_map(|c| self.texts.get_key_value(&c[1])).map(|(n, _)| n.as_str()).collect()
    }

    /// A module with its flip-flops whole and its other instances as black boxes.
    pub fn closed(&self, name: &str) -> String {
        let part = |child: &str| if self.is_flip_flop(child) { self.texts[child].clone() } else { black_box(&self.texts[child]) };
        let parts: Vec<String> = std::iter::once(self.texts[name].clone()).chain(self.children(name).into_iter().map(part)).collect();
        parts.join("\n\n")
    }
}

/// A module's ports alone.
fn black_box(text: &str) -> String {
    let port = Regex::new(r"(?m)^\s*(input|output|inout)\s+(?:wire|reg)?\s*(\[[^\]]*\])?\s*(\w+)\s*;").expect("constant pattern");
    let head = text.find(");").map_or(text, |end| &text[..end + 2]);
    let ports = port.captures_iter(text).map(|c| format!("{} wire {} {};", &c[1], c.get(2).map_or("", |w| w.as_str()), &c[3]));
    format!("(* blackbox *)\n{head}\n{}\nendmodule", ports.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
module a(d,q,clock);
    input wire  [3:0] d;
    output reg  [3:0] q;
    input wire  clock;
    always @(posedge clock) begin
       q <= d;
    end
endmodule // a

module b(x,y);
    input wire  x;
    output reg  y;
    always @(*) y = !x;
endmodule // b

module top(x,y,clk);
    input wire  x;
    output wire  y;
    input wire  clk;
    a state(
        .d(x)
        );
    b other(
        .x(x)
        );
endmodule // top
";

    #[test]
    fn instances_are_black_boxes_but_flip_flops() {
        let modules = Modules::new(TEXT);
        assert_eq!(modules.names().collect::<Vec<_>>(), ["a", "b", "top"]);
        assert_eq!(modules.children("top").into_iter().collect::<Vec<_>>(), ["a", "b"]);
        assert!(modules.is_flip_flop("a") && !modules.is_flip_flop("b"));
        let closed = modules.closed("top");
        assert!(closed.contains("q <= d;") && !closed.contains("!x"), "{closed}");
        assert!(closed.contains("(* blackbox *)\nmodule b(x,y);\ninput wire  x;\noutput wire  y;\nendmodule"), "{closed}");
    }
}
