//! NICs for simulated networks.
use timely_hw::config::{CLOCK_PS, Config};
use timely_sim::cores::Cores;
use timely_verilate::cache_root;

/// NICs of 64 bits and 2^10 flows, as models and from Verilog that is emitted now.
pub fn cores() -> Cores {
    let config = Config::new(64, 10).unwrap_or_else(|e| panic!("{e}"));
    let verilog = timely_hw::standalone::emit(config, CLOCK_PS).unwrap_or_else(|e| panic!("emission: {e}"));
    // Tests run side by side: what they find is whole, and the same from all.
    let dir = cache_root().unwrap_or_else(|e| panic!("{e}")).join("emitted");
    let (whole, part) = (dir.join(config.file_name()), dir.join(format!("{}.part", std::process::id())));
    let write =
        || std::fs::create_dir_all(&dir).and_then(|()| std::fs::write(&part, &verilog)).and_then(|()| std::fs::rename(&part, &whole));
    static WRITING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _one = WRITING.lock();
    write().unwrap_or_else(|e| panic!("{}: {e}", whole.display()));
    Cores::new(dir)
}
