//! Writes the documents that come out of the register tables.
fn main() -> std::io::Result<()> {
    for (path, text) in timely_regs::generate::documents() {
        std::fs::write(&path, text)?;
        println!("{}", path.display());
    }
    Ok(())
}
