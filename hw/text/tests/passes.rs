//! Each pass over the text, by statements as RustHDL emits them.
use timely_text::{assign, gather, once, pack, registers, split};

fn packed(statement: &str) -> String {
    let head =
        "module m(a);\n    input wire  [7:0] a;\n    reg  [99:0] w;\n    reg  [99:0] v;\n    reg  s;\n    localparam  by = 7'b1000;\n";
    pack(&format!("{head}{statement}\n")).lines().last().unwrap_or_default().to_owned()
}

#[test]
fn parts_side_by_side_become_a_concatenation() {
    let ones = "100'hfffffffffffffffffffffffff";
    let statement = format!("        w = ((a) & {ones}) | (((a[(32'h2)+:(3)]) & {ones}) << 32'h10) | (((32'h5) & {ones}) << 32'h62);");
    assert_eq!(packed(&statement), "        w = {2'h1, 79'h0, a[2+:3], 8'h0, a};");
    assert_eq!(packed("    always @(*) w = v >> by;"), "    always @(*) w = {8'h0, v[8+:92]};");
    assert_eq!(packed(&format!("w = (v << by) | ((s) & {ones});")), "w = {v[0+:92], 7'h0, s};");
}

#[test]
fn what_overlaps_or_computes_stays() {
    for same in [
        "w = v | (v << 32'h8);",
        "w = (v << 32'h8) + v;",
        "w = (v << a);",
        "w = ~v << 32'h1;",
        "a = (a << 32'h4);",
        "w = (v << 32'h8) >> 32'h8;",
    ] {
        assert_eq!(packed(same), same);
    }
}

#[test]
fn fields_of_a_whole_word_become_a_concatenation() {
    let head = "module m(a);\n    input wire  [7:0] a;\n    reg  [11:0] w;\n    wire b$q;\n    localparam State$On = 1;\n";
    let gathered = |block: &str| gather(&format!("{head}{block}"))[head.len()..].to_owned();
    let (low, high) = ("        w[(64'h0)+:(8)] = a;\n", "        w[(64'h8)+:(3)] = v[(32'h2)+:(3)];\n");
    assert_eq!(gathered(&format!("{high}{low}        w[(64'hb)+:(1)] = b$q;\n")), "        w = {b$q, v[(32'h2)+:(3)], a};\n");
    // A gap, an overlap, a statement between, a name or a sum without a width, the word itself.
    for last in [
        "(64'hc)+:(1)] = b$q",
        "(64'ha)+:(2)] = b$q",
        "(64'hb)+:(1)] = State$On",
        "(64'hb)+:(1)] = a + b$q",
        "(64'hb)+:(1)] = w[(64'h0)+:(1)]",
    ] {
        let same = format!("{low}{high}        w[{last};\n");
        assert_eq!(gathered(&same), same);
    }
    let same = format!("{low}        a = b$q;\n{high}        w[(64'hb)+:(1)] = b$q;\n");
    assert_eq!(gathered(&same), same);
}

#[test]
fn only_what_depends_on_nothing_else_moves() {
    let block = "    always @(*) begin
        a = q;
        b = a & c;
        d = q;
        if (c) begin
            d = 1'b0;
        end
        e = d;
    end
";
    let split = split(block);
    assert_eq!(
        split,
        "    always @(*) begin
        d = q;
        if (c) begin
            d = 1'b0;
        end
        e = d;
    end
    always @(*) a = q;
    always @(*) b = a & c;
"
    );
}

#[test]
fn a_block_writes_a_signal_once() {
    let text = "module m(a);
    output reg  [3:0] a;
    reg  r$d;
    reg  s$d;
    // Local signals
    reg  [3:0] h1;
    // Sub module instances
    // Update code
    always @(*) begin
        h1 = 4'h1;
        a = h1;
        r$d = r$q;
        if (s$q) begin
            r$d = 1'b0;
            a[(64'h1)+:(2)] = {r$d, 1'b1};
            h1 = 4'h2;
        end
        s$d = r$d & (h1 == a);
    end
endmodule
";
    let expected = text
        .replacen("    output reg  [3:0] a;\n", "    output reg  [3:0] a;\n    reg  [3:0] a_v;\n", 1)
        .replacen("    reg  r$d;\n", "    reg  r$d;\n    reg  r$d_v;\n", 1)
        .replace(" a = h1", " a_v = h1")
        .replace(" a[", " a_v[")
        .replace("== a)", "== a_v)")
        .replace(" r$d = r$q", " r$d_v = r$q")
        .replace(" r$d = 1", " r$d_v = 1")
        .replace("{r$d,", "{r$d_v,")
        .replace("= r$d &", "= r$d_v &")
        .replace("    end\nendmodule", "        a = a_v;\n        r$d = r$d_v;\n    end\nendmodule");
    assert_eq!(once(text), expected);
}

#[test]
fn flip_flops_are_registers_of_their_module() {
    let flop = |name: &str, range: &str, states: &str, value: &str| {
        format!(
            "module {name}(d,q,clock);\n    \n    // Module arguments\n    input wire  {range}d;\n    output reg  {range}q;\n    input wire  clock;\n    \n\
             {states}    // Update code (custom)\n    initial begin\n       q = {value};\n    end\n    \n    always @(posedge clock) begin\n       \
             q <= d;\n    end\n          \nendmodule // {name}\n"
        )
    };
    let held = |name: &str, q: &str| {
        format!("    m__{name} {name}(\n        .d({name}__d),\n        .q({q}),\n        .clock({name}__clock)\n    );\n")
    };
    let (a, b, c) = (held("a", "a__q"), held("b", "b__q"), held("c", "out"));
    let text = format!(
        "module m(clk,out);\n    input wire  clk;\n    output wire  out;\n    wire  a__d;\n    wire signed [34:0] a__q;\n    wire a__clock;\n    \
         wire [1:0] b__q;\n    wire b__clock;\n    wire c__clock;\n{a}{b}{c}    assign a__clock = clk;\n    assign b__clock = clk;\n    \
         assign c__clock = clk;\nendmodule\n{}{}{}",
        flop("m__a", "[34:0] ", "", "35'sh3"),
        flop("m__b", "[1:0] ", "    // Enums\n    localparam State__On = 0;\n    localparam State__Off = 1;\n    \n", "64'h0"),
        flop("m__c", "", "", "1'h0"),
    );
    // An output that is no wire of the module keeps its flip-flop.
    let expected = format!(
        "module m(clk,out);\n    input wire  clk;\n    output wire  out;\n    wire  a__d;\n    reg signed [34:0] a__q = 35'sh3;\n    \
         reg [1:0] b__q = 2'h0;\n    wire c__clock;\n{c}    assign c__clock = clk;\n    always @(posedge clk) begin\n        a__q <= a__d;\n        \
         b__q <= b__d;\n    end\nendmodule\n{}",
        flop("m__c", "", "", "1'h0"),
    );
    assert_eq!(registers(&text), expected);
}

#[test]
fn what_stands_alone_is_assigned() {
    let text = "module m(a);
    output reg  [3:0] a;
    reg signed [1:0] z;
    reg  b;
    reg  kept;
    localparam  by = 7'b1000;
    always @(*) a = ((32'h2) & 4'hf) | by;
    always @(*) z = 2'h0;
    always @(*) b = c;
    always @(*) begin
        kept = c;
        if (d) begin
            kept = e;
        end
    end
endmodule
module n(a,kept);
    output reg  [3:0] a;
    output reg  b;
    always @(*) a = by;
endmodule
";
    let expected = text
        .replace("output reg  [3:0] a", "output wire [3:0] a")
        .replace("reg signed [1:0] z", "wire signed [1:0] z")
        .replacen("    reg  b;", "    wire b;", 1)
        .replace("always @(*) a =", "assign a =")
        .replace("always @(*) z =", "assign z =")
        .replace("always @(*) b =", "assign b =");
    assert_eq!(assign(text), expected);
}
