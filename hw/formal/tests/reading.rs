//! The table of proofs, what is done to the Verilog, and what the solvers say.
//!
//! Not beside the code: the crate's own tests would be its blocks compiled a second time.
use timely_formal::blocks;
use timely_formal::run::table_folder;
use timely_formal::solve::last_step;
use timely_formal::table::{parse, read};
use timely_formal::verilog::{open_rams, substitute};

const ROW: &str =
    "[[proof]]\nname = 'a'\nsays = 's'\nblock = 'fifo'\nproperties = 'fifo.sv'\ntwin = { find = 'x', replace = 'y', within = 9 }\n";

#[test]
fn what_would_prove_nothing_is_refused() {
    let with = |keys: &str| parse(&ROW.replace("[[proof]]\n", &format!("[[proof]]\n{keys}\n")));
    assert!(with("base = 5").is_ok());
    assert!(with("induction = 5").unwrap_err().contains("base"));
    assert!(with("base = 4\ninduction = 5").unwrap_err().contains("base case"));
    assert!(with("base = 5\nbass = 6").is_err());
    assert!(parse(&format!("{ROW}{ROW}").replace("[[proof]]\n", "[[proof]]\nbase = 5\n")).unwrap_err().contains("two proofs"));
    assert!(parse(&ROW.replace("'fifo'", "'fife'").replace("[[proof]]\n", "[[proof]]\nbase = 5\n")).unwrap_err().contains("fife"));
}

#[test]
fn small_rams_are_opened() {
    let seen = open_rams("    reg[1:0] mem[3:0];\n    reg mem[1:0];\n    reg[7:0] mem[1023:0];\n");
    assert!(seen.contains("wire [7:0] cells = {mem[3], mem[2], mem[1], mem[0]};"), "{seen}");
    assert!(seen.contains("wire [1:0] cells = {mem[1], mem[0]};"), "{seen}");
    assert_eq!(seen.matches("cells").count(), 2, "{seen}");
}

#[test]
fn a_bug_must_find_its_place() {
    assert_eq!(substitute("a + b", "+", "-").as_deref(), Ok("a - b"));
    assert!(substitute("a + b", "*", "-").unwrap_err().contains("not in the Verilog"));
    assert!(substitute("a + b + c", "+", "-").unwrap_err().contains("2 times"));
}

/// A change of a block may take a bug's place away, or a module that is left free; no proof has to
/// run to see it.
#[test]
fn each_bug_and_each_free_module_is_in_the_block() {
    let proofs = read(&table_folder()).unwrap_or_else(|e| panic!("{e}"));
    for p in proofs {
        let verilog = blocks::verilog(blocks::find(&p.block).expect("a block")).unwrap_or_else(|e| panic!("{}: {e}", p.name));
        substitute(&verilog, &p.twin.find, &p.twin.replace).unwrap_or_else(|e| panic!("{}: {e}", p.name));
        for module in &p.free {
            assert!(verilog.contains(&format!("module {module}(")), "{}: there is no module {module}", p.name);
        }
    }
}

#[test]
fn the_step_of_a_failure_is_read() {
    let text = "##   0:00:00  Checking assertions in step 6..\n##   0:00:00  Checking assertions in step 7..\n##   0:00:00  BMC failed!\n";
    assert_eq!(last_step(text), 7);
    assert_eq!(last_step("nothing"), 0);
}
