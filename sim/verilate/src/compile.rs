//! Runs Verilator and the C++ compiler, once for a given text.
use crate::cache::{Cache, is_noexec};
use crate::runtime::{DEFINES, cxx, optimization, runtime};
use crate::tool::{Error, Options, hash, locked, run, text, write};
use crate::{Library, mutant, ports};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Variable of the folder to which models write what they covered, one file an instance; with it in
/// the environment models are compiled to count.
pub const COVERAGE: &str = "TIMELY_COVERAGE";

/// Variable of how the names of models begin that count, separated by commas; without it all do.
const COVERAGE_OF: &str = "TIMELY_COVERAGE_OF";

/// Variable that sets [`Options::lint`] of every model, as `cargo xtask test` does: what its tests
/// run is linted by that.
pub const LINT: &str = "TIMELY_LINT";

/// Warnings of style, which `-Wall` alone brings: with no other, plain `--lint-only` is silent. A
/// shell's files leave pins empty that it does not need, and say so: `.pin()`.
const STYLE: [&str; 5] = ["DECLFILENAME", "UNUSEDPARAM", "UNUSEDSIGNAL", "VARHIDDEN", "PINCONNECTEMPTY"];

/// The first line of each of Verilator's warnings that is not of style, a line each.
pub fn warnings(verilator: &str) -> String {
    let all = verilator.split("%Warning-").skip(1);
    let real = all.filter(|w| !STYLE.contains(&w.split(':').next().unwrap_or_default()));
    real.filter_map(|w| w.lines().next()).map(|line| format!("{line}\n")).collect()
}

// The text from its first line on that is no comment, or one for Verilator.
fn behind_comments(mut verilog: &str) -> &str {
    let says_nothing = |line: &str| line.is_empty() || (line.starts_with("//") && !line.contains("verilator"));
    while let Some((_, rest)) = verilog.split_once('\n').filter(|(line, _)| says_nothing(line)) {
        verilog = rest;
    }
    verilog
}

fn verilator() -> String {
    std::env::var("VERILATOR").unwrap_or_else(|_| "verilator".into())
}

/// The C++ compiler: `CXX`, else clang, else gcc. Clang takes a quarter of gcc's time for the
/// straight-line code of a whole NIC, and what it makes runs a third faster.
fn compiler() -> String {
    std::env::var("CXX").unwrap_or_else(|_| {
        let runs = |c: &str| Command::new(c).arg("--version").output().is_ok_and(|o| o.status.success());
        if runs("clang++") { "clang++" } else { "g++" }.into()
    })
}

/// The file of a model's warnings, beside it.
const WARNINGS: &str = "warnings.txt";

/// Behind it a compiler leaves functions as they are.
const UNOPTIMIZED: &str = "#ifdef __clang__\n#pragma clang optimize off\n#else\n#pragma GCC optimize(\"O0\")\n#endif\n";

/// Statements of a generated function, in nodes of Verilator's. A whole NIC in a few functions of
/// any length takes Clang twice as long (28 s for 14), and runs no faster; at 300 it runs slower by
/// a third.
const SPLIT: &str = "2000";

/// Bytes of generated C++ up to which a model is one translation unit: those of a block.
const ONE_UNIT: u64 = 2 << 20;

/// Compiles (or finds compiled) module `top` of `verilog` and loads it. `name` is for people
/// looking into the cache.
///
/// # Errors
/// A tool that is missing or fails, a text without the module, a cache that cannot be written.
pub fn build(name: &str, verilog: &str, top: &str, options: Options) -> Result<Arc<Library>, Error> {
    // With what a file says of itself in front or without, a text is compiled once.
    let verilog = behind_comments(verilog);
    let waves = std::env::var_os("TIMELY_WAVES").map(PathBuf::from);
    let counts = || std::env::var(COVERAGE_OF).map_or(true, |of| of.split(',').any(|n| name.starts_with(n)));
    let coverage = options.coverage || std::env::var_os(COVERAGE).is_some() && counts();
    let lint = options.lint || std::env::var_os(LINT).is_some();
    // What is compiled is the same.
    let options = Options { waves: options.waves || waves.is_some(), coverage, lint: false, ..options };
    let ports = ports::parse(verilog, top).ok_or_else(|| Error::Ports(top.into()))?;
    let shim = ports::shim(&ports, options.waves, name);
    let version = text(&run("verilator", Command::new(verilator()).arg("--version"))?.stdout);
    let compiler = compiler();
    let cache = Cache::open()?;
    let dir = cache
        .folder(&format!("{name}-{}", hash((verilog, top, &shim, &version, &compiler, options, DEFINES, UNOPTIMIZED, WARNINGS, SPLIT))))?;
    // Before a minute is spent on it.
    if is_noexec(&dir) {
        return Err(Error::NoExec(dir));
    }
    let object = dir.join("model.so");
    locked(&dir.join("lock"), || {
        if object.exists() { Ok(()) } else { compile(&cache, &dir, &object, verilog, top, &shim, &version, &compiler, options) }
    })?;
    cache.check(&object)?;
    if lint {
        let path = dir.join(WARNINGS);
        let warnings = fs::read_to_string(&path).map_err(|e| Error::File(path, e))?;
        if !warnings.is_empty() {
            return Err(Error::Warnings { top: top.into(), warnings });
        }
    }
    // SAFETY: the library is what `compile` linked from the shim below, for the cache lets no other
    // user write it; its initialisers only register C++ statics.
    let code = unsafe { libloading::Library::new(&object)? };
    // SAFETY: the shim defines these five symbols with these signatures.
    let (new, delete, settle, cycle, record) = unsafe {
        (
            *code.get(b"tnv_new\0")?,
            *code.get(b"tnv_delete\0")?,
            *code.get(b"tnv_settle\0")?,
            *code.get(b"tnv_cycle\0")?,
            *code.get(b"tnv_record\0")?,
        )
    };
    let words = |d| ports.iter().filter(|p| p.direction == d).map(|p| p.offset + p.words()).max().unwrap_or(0);
    let (in_words, out_words) = (words(ports::Direction::In), words(ports::Direction::Out));
    let waves = waves.map(|dir| dir.join(name));
    let mutant = mutant::selected()?;
    Ok(Arc::new(Library {
        places: ports.iter().map(|p| p.name.clone()).zip(0..).collect(),
        in_words,
        out_words,
        ports,
        new,
        delete,
        settle,
        cycle,
        record,
        waves,
        mutant,
        verilog: dir.join("dut.v"),
        top: top.into(),
        keeps: 0,
        _code: Arc::new(code),
    }))
}

#[allow(clippy::too_many_arguments)]
fn compile(
    cache: &Cache,
    dir: &Path,
    object: &Path,
    verilog: &str,
    top: &str,
    shim: &str,
    version: &str,
    compiler: &str,
    options: Options,
) -> Result<(), Error> {
    let root_dir = match std::env::var("VERILATOR_ROOT") {
        Ok(r) => r,
        Err(_) => text(&run("verilator", Command::new(verilator()).args(["--getenv", "VERILATOR_ROOT"]))?.stdout).trim().to_owned(),
    };
    let include = Path::new(&root_dir).join("include");
    if options.fast {
        eprintln!("compiling {top}, once for this Verilog: a minute or so");
    }
    write(&dir.join("dut.v"), verilog)?;
    write(&dir.join("shim.cpp"), shim)?;
    let mut verilate = Command::new(verilator());
    verilate.args(["--cc", "--prefix", "Vdut", "-Wall", "-Wno-fatal", "--top-module", top, "-O3", "--x-assign", "fast"]);
    verilate.args(["--output-split-cfuncs", SPLIT]);
    if options.waves {
        verilate.arg("--trace-fst");
    }
    if options.coverage {
        verilate.args(["--coverage-line", "--coverage-toggle"]);
    }
    verilate.args(["--Mdir"]).arg(dir.join("cc")).arg(dir.join("dut.v"));
    write(&dir.join(WARNINGS), &warnings(&text(&run("verilator", &mut verilate)?.stderr)))?;
    let mut sources: Vec<PathBuf> = fs::read_dir(dir.join("cc"))
        .map_err(|e| Error::File(dir.join("cc"), e))?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "cpp"))
        .collect();
    sources.sort();
    // Code that runs at the start alone is half of it and not worth a compiler's effort. Of a block
    // it comes last in the one translation unit, for the headers cost more than its code; of a
    // whole NIC it is a unit of its own, which costs less than telling the optimizer to leave it
    // alone.
    let (cold, hot): (Vec<_>, Vec<_>) = sources.iter().partition(|p| p.to_string_lossy().ends_with("__Slow.cpp"));
    let bytes: u64 = sources.iter().filter_map(|p| fs::metadata(p).ok()).map(|m| m.len()).sum();
    let unit = |paths: &[&PathBuf]| paths.iter().map(|p| format!("#include \"{}\"\n", p.display())).collect::<String>();
    let (with_hot, apart) =
        if bytes <= ONE_UNIT { ([UNOPTIMIZED, &unit(&cold)].concat(), String::new()) } else { (String::new(), unit(&cold)) };
    write(&dir.join("unit.cpp"), &[unit(&hot), unit(&[&dir.join("shim.cpp")]), with_hot].concat())?;
    let runtime = runtime(cache, &include, version, compiler, options)?;
    let (start, part) = (dir.join("start.o"), dir.join("model.part.so"));
    let compile = |opt: &str| {
        let mut c = cxx(compiler, &include, opt, options);
        c.arg("-I").arg(dir.join("cc"));
        c
    };
    if !apart.is_empty() {
        write(&dir.join("start.cpp"), &apart)?;
        run(compiler, compile("-O0").arg("-c").arg(dir.join("start.cpp")).arg("-o").arg(&start))?;
    }
    // In this order: of an inline function that both have, the linker takes the first.
    let link = |headers: Option<&PathBuf>| {
        let mut c = compile(optimization(compiler, options));
        c.args(headers.into_iter().flat_map(|h| [Path::new("-include-pch"), h]))
            .arg("-shared")
            .arg(dir.join("unit.cpp"))
            .args((!apart.is_empty()).then_some(&start))
            .args(&runtime.objects)
            .args(["-lpthread", "-latomic"])
            .args(options.waves.then_some("-lz"))
            .arg("-o")
            .arg(&part);
        run(compiler, &mut c)
    };
    // Headers that changed since they were read: then they are read again.
    if runtime.headers.is_none() || link(runtime.headers.as_ref()).is_err() {
        link(None)?;
    }
    // The generated sources of a whole NIC are tens of megabytes; the library is all that is needed
    // again.
    let _ = fs::remove_dir_all(dir.join("cc"));
    let _ = fs::remove_file(&start);
    fs::rename(&part, object).map_err(|e| Error::File(object.into(), e))
}

#[cfg(test)]
mod tests {
    use super::behind_comments;

    #[test]
    fn what_a_file_says_of_itself_compiles_nothing_again() {
        let module = "module a(\n// of a clock\n";
        assert_eq!(behind_comments(&["// Of timely-nic.\n// MIT\n\n", module].concat()), module);
        assert_eq!(behind_comments(module), module);
        let told = "// verilator lint_off WIDTH\nmodule a(";
        assert_eq!(behind_comments(told), told);
        assert_eq!(behind_comments("// alone"), "// alone");
    }
}
