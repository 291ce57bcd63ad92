//! RAMs of the emitted text that shells shape, and the list of blocks.
//!
//! Not beside the code: the crate's own tests would be the datapath compiled a second time.
use std::collections::HashSet;
use timely_hw::blocks::{BLOCKS, Measure};
use timely_hw::shells::ecpix5::small::in_luts;
use timely_hw::short::short;

#[test]
fn names_are_one_of_a_kind() {
    let names: HashSet<_> = BLOCKS.iter().map(|b| b.name).collect();
    assert_eq!(names.len(), BLOCKS.len());
    assert!(BLOCKS.iter().any(|b| b.measure == Measure::Speed && b.name == "core_64_10_small"));
}

#[test]
fn rams_of_few_words_go_into_luts() {
    let ram = |name: &str| {
        format!("module {name}(read_address,write_address);\n    reg[7:0] mem[511:0];\n  read_data <= mem[read_address];\nendmodule\n")
    };
    let parents = ["x__kept(clk,at,i,o)", "x__gain(clk,bus,address,data)", "x__most(clk,bus,address,other,data)"];
    let parents = parents.map(|p| format!("module {p};\nendmodule\n")).concat();
    let rams = ["x__kept__ram", "x__gain__ram", "x__most__ram", "x__pass__memory__cap_ram", "x__other__ram", "x__epochs"].map(ram).concat();
    let verilog = parents + &rams;
    let count = |text: &str, part: &str| text.matches(part).count();
    let (text, found) = in_luts(&verilog);
    assert_eq!(found, [4, 1]);
    // A word of each profile, and two of each or a delay.
    assert_eq!([16, 32].map(|n| count(&text, &format!("mem[{}:0]", n - 1))), [2, 2]);
    assert_eq!([3, 4].map(|n| count(&text, &format!("mem[read_address[{n}:0]]"))), [2, 2]);
    assert_eq!(count(&text, "mem[511:0]"), 2);
    assert_eq!(count(&text, "distributed"), 1);
}

#[test]
fn long_rams_are_cut_and_roms_are_not() {
    let module = |name: &str, ports: &str| {
        format!(
            "module {name}({ports});\n    reg[7:0] mem[1023:0];\n  read_data <= (read_address == write_address) ? 8'bx : mem[read_address];\nendmodule\n"
        )
    };
    let text = short(&(module("ram", "read_address,write_address") + &module("rom", "read_address")));
    assert_eq!(text.matches("(read_address[8:0] == write_address[8:0])").count(), 1);
    assert_eq!(text.matches("mem[511:0]").count(), 1);
    assert_eq!(text.matches("mem[read_address[8:0]]").count(), 1);
    assert!(text.ends_with(&module("rom", "read_address")));
}
