//! Verilator's warnings of a model, which refuse it where that is asked for.
use timely_verilate::{Error, Options, build, warnings};

const LATCH: &str = "module latched(clk,open,value,kept);
    input wire clk;
    input wire open;
    input wire [7:0] value;
    output reg [7:0] kept;
    reg [7:0] held;
    always @(*) begin
        if (open) held = value;
    end
    always @(posedge clk) kept <= held;
endmodule
";

#[test]
fn a_latch_is_refused_when_asked_for() {
    // Compiled, and found compiled.
    for _ in 0..2 {
        let refused = build("latched", LATCH, "latched", Options { lint: true, ..Options::default() });
        let Err(Error::Warnings { top, warnings }) = refused else { panic!("no warning") };
        assert!(top == "latched" && warnings.starts_with("LATCH: ") && warnings.lines().count() == 1, "{warnings}");
    }
    let whole = LATCH.replace("if (open) held = value;", "held = open ? value : 0;");
    build("latched", &whole, "latched", Options { lint: true, ..Options::default() }).expect("no warning");
}

#[test]
fn warnings_of_style_are_none() {
    let said = "%Warning-UNUSEDSIGNAL: a.v:3:8: not used\n   3 | wire x;\n%Warning-WIDTH: a.v:4:1: wide\n   4 | y\n";
    assert_eq!(warnings(said), "WIDTH: a.v:4:1: wide\n");
    assert_eq!(warnings("%Warning-DECLFILENAME: a.v:1:8: no\n"), "");
}
