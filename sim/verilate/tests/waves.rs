//! Waves of a small module, as an FST file whose header says what is in it.
use std::io::{Write, stdout};
use std::path::Path;
use timely_verilate::{Options, build, cache_root};

const COUNTER: &str = "module counter(clk,step,count);
    input wire clk;
    input wire [7:0] step;
    output reg [31:0] count;
    always @(posedge clk) count <= count + {24'h0, step};
    initial count = 0;
endmodule
";

fn has_zlib() -> bool {
    Path::new("/usr/include/zlib.h").exists()
}

#[test]
fn waves_cover_every_clock_and_signal() {
    if !has_zlib() {
        // Past the test's capture, for `cargo xtask test` to tell.
        writeln!(stdout(), "left out: waves: FST needs the headers of zlib (Debian: apt-get install zlib1g-dev)").expect("stdout");
        return;
    }
    let library = build("counter-waves", COUNTER, "counter", Options { waves: true, ..Options::default() }).expect("it compiles");
    let path = cache_root().expect("a cache").join("test-waves/counter.fst");
    let mut dut = library.instantiate(0);
    dut.record(&path).expect("the file can be written");
    dut.record(&path).expect_err("one file an instance");
    let (step, count) = (library.input("step"), library.output("count"));
    dut.set(step, 3);
    for _ in 0..100 {
        dut.tick();
    }
    assert_eq!(dut.get(count), 300);
    drop(dut);
    let fst = std::fs::read(&path).expect("the file was written");
    // The header block of the format: type 0, length, first and last time, a double as endianness
    // test, memory, scopes, hierarchy variables, ids.
    let word = |at: usize| u64::from_be_bytes(fst[at..at + 8].try_into().expect("eight bytes"));
    assert_eq!((fst[0], word(1)), (0, 329));
    assert_eq!(word(9), 0, "first time");
    assert_eq!(word(17), 99 * 4000 + 2000, "last time");
    assert!(word(49) >= 3, "clk, step and count are among the {} variables", word(49));
}

#[test]
fn a_model_without_waves_says_so() {
    let library = build("counter", COUNTER, "counter", Options::default()).expect("it compiles");
    let error = library.instantiate(0).record(&cache_root().expect("a cache").join("test-waves/none.fst")).expect_err("it has none");
    assert!(error.to_string().contains("compiled without them"), "{error}");
}
