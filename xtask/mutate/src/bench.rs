//! The way of the input that selects a fault, through a bench, to the module that has the faults.
use regex::Regex;

/// The input that selects a fault; `timely_verilate::mutant` has the same.
pub const SELECT: &str = "mutsel";

/// `text` with the input that selects a fault in each module around `core`, and at each instance of
/// these: all modules up to the bench get it.
pub fn threaded(text: &str, core: &str) -> String {
    let mut modules: Vec<String> = text.split_inclusive("endmodule").map(str::to_owned).collect();
    let mut waiting = vec![core.to_owned()];
    let mut done: Vec<String> = Vec::new();
    while let Some(inner) = waiting.pop() {
        let instance = Regex::new(&format!(r"(?ms)^(\s*{inner}\s+(?:#\(.*?\)\s*)?\w+\s*\()")).expect("a name");
        for module in modules.iter_mut().filter(|m| instance.is_match(m)) {
            *module = instance.replace_all(module, format!("${{1}}.{SELECT}({SELECT}),")).into_owned();
            let Some(name) = name(module).filter(|n| !done.contains(n)) else { continue };
            *module = with_input(module, &name);
            done.push(name.clone());
            waiting.push(name);
        }
    }
    modules.concat()
}

/// Name of the first module of a text.
pub fn name(module: &str) -> Option<String> {
    let head = Regex::new(r"(?m)^\s*module\s+(\w+)").expect("constant pattern");
    head.captures(module).map(|c| c[1].to_owned())
}

// The module with one more input: its list of ports declares them, or names them alone.
fn with_input(module: &str, name: &str) -> String {
    let head = Regex::new(&format!(r"(?ms)^(\s*module\s+{name}\s*(?:#\(.*?\)\s*)?\()([^;]*?\);)")).expect("a name");
    let declared = head.captures(module).is_some_and(|c| c[2].contains("input"));
    let port = if declared {
        // A line of its own, as the shim reads the ports of a bench.
        format!("${{1}}\n  input wire [15:0] {SELECT},${{2}}")
    } else {
        format!("${{1}}{SELECT}, ${{2}} input wire [15:0] {SELECT};")
    };
    head.replace(module, port).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bench_selects_the_fault_of_its_core() {
        let bench = "module board(\n  input wire clk\n);\n  tnic_x_core core(\n    .clk(clk));\nendmodule\n";
        let with = "module board(\n  input wire [15:0] mutsel,\n  input wire clk\n);\n  tnic_x_core core(.mutsel(mutsel),\n    .clk(clk));\nendmodule\n";
        assert_eq!(threaded(bench, "tnic_x_core"), with);
    }

    /// Through a module with parameters, and one that declares its ports behind its list; what has
    /// no such core stays.
    #[test]
    fn the_input_goes_through_all_modules_between() {
        let text = "module board(\n input clk);\n box #(\n .A(1), .B((2))\n ) box_0 (.clk(clk));\n other o(.clk(clk));\nendmodule\n\
                    module box #(parameter A = 1, B = (3)) (\n input clk);\n tnic_x x(.clk(clk));\n tnic_x_y y(.clk(clk));\nendmodule\n\
                    module tnic_x(clk);\n input clk;\n tnic_core core(\n  .clk(clk));\nendmodule\n\
                    module other(input clk);\nendmodule\n";
        let with = threaded(text, "tnic_core");
        for line in [
            "module board(\n  input wire [15:0] mutsel,\n input clk);",
            ") box_0 (.mutsel(mutsel),.clk(clk));",
            "module box #(parameter A = 1, B = (3)) (\n  input wire [15:0] mutsel,\n input clk);",
            " tnic_x x(.mutsel(mutsel),.clk(clk));\n tnic_x_y y(.clk(clk));",
            "module tnic_x(mutsel, clk); input wire [15:0] mutsel;\n input clk;\n tnic_core core(.mutsel(mutsel),\n",
            "module other(input clk);",
        ] {
            assert!(with.contains(line), "no {line:?} in {with}");
        }
        assert_eq!(with.matches("mutsel").count(), 10, "{with}");
    }
}
