//! `timely-hw`: emits the datapath as Verilog.
fn main() {
    print!("{}", timely_hw::emit::emit("fifo", timely_hw::fifo::Fifo::<24, 4, 5>::default()).unwrap());
}
