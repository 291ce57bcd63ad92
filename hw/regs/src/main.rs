//! Writes the documents that come out of the register tables.
fn main() -> std::io::Result<()> {
    if std::env::args_os().len() > 1 {
        eprintln!("usage: cargo run -p timely-regs\nwrites docs/registers.md and hw/regs/timely_regs.h; takes no arguments");
        std::process::exit(2);
    }
    for (path, text) in timely_regs::generate::documents() {
        std::fs::write(&path, text)?;
        println!("{}", path.display());
    }
    Ok(())
}
