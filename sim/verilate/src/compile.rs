//! Runs Verilator and the C++ compiler, once for a given text.
use crate::cache::{Cache, VARIABLE, is_noexec};
use crate::{Library, mutant, ports};
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

/// Reasons why a model was not built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A tool is not installed or did not start.
    #[error(
        "{tool} did not start ({source}). Install Verilator and a C++ compiler (Debian: apt-get install verilator clang), or set VERILATOR and CXX"
    )]
    Tool {
        /// Name of the tool.
        tool: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A tool ran and failed.
    #[error("{tool} failed:\n{output}")]
    Failed {
        /// Name of the tool.
        tool: String,
        /// Output of the tool.
        output: String,
    },
    /// The module is not in the text, or its ports are not declared as our emission declares them.
    #[error("no module {0} with readable ports in the Verilog text")]
    Ports(String),
    /// A file could not be written or read.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
    /// Waves cannot be written.
    #[error("no waves can be written to {0}: the model was compiled without them, or writes some already, or the file cannot be opened")]
    Waves(PathBuf),
    /// The fault that was asked for has no number.
    #[error("TIMELY_MUTANT is {0:?}, which is no number")]
    Mutant(std::ffi::OsString),
    /// Verilator warns of what is not style, where no such model is asked for.
    #[error("Verilator warns of {top}:\n{warnings}")]
    Warnings {
        /// The top module.
        top: String,
        /// The warnings, a line each.
        warnings: String,
    },
    /// The compiled library did not load.
    #[error("the compiled model did not load: {0}")]
    Load(#[from] libloading::Error),
    /// The cache is on a file system from which nothing is executed.
    #[error("{}: it is mounted noexec, so no compiled model can be loaded from it; set {VARIABLE} to a folder that is not", .0.display())]
    NoExec(PathBuf),
    /// Other users could put code into the cache, or it cannot be made.
    #[error(
        "the cache of compiled models, {}: {}; what is loaded from it runs as this user: remove it, or set {VARIABLE} to a folder \
         that this user alone can write", folder.display(), whole(source)
    )]
    Cache {
        /// The folder or file.
        folder: PathBuf,
        /// The reason.
        source: fs_mistrust::Error,
    },
    /// No variable names a place for the cache.
    #[error("there is no place for compiled models: set HOME, or {VARIABLE} to a folder that this user alone can write")]
    NoCache,
}

/// An error with its causes.
fn whole(e: &dyn std::error::Error) -> String {
    std::iter::successors(Some(e), |e| e.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Variable of the folder to which models write what they covered, one file an instance; with it in
/// the environment every model is compiled to count.
pub const COVERAGE: &str = "TIMELY_COVERAGE";

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

/// How a model is compiled.
#[derive(Clone, Copy, Debug, Hash, Default)]
pub struct Options {
    /// The model can write waves, as FST; twenty times slower while it does. Needs the headers of
    /// zlib.
    pub waves: bool,
    /// For whole NICs that run long: gcc compiles with `-O3` instead of `-O1`. Clang always does
    /// with `-O2`.
    pub fast: bool,
    /// The model counts lines, branches and toggles.
    pub coverage: bool,
    /// A model of which Verilator warns is not loaded.
    pub lint: bool,
}

fn run(tool: &str, command: &mut Command) -> Result<Output, Error> {
    let out = command.output().map_err(|source| Error::Tool { tool: tool.into(), source })?;
    if out.status.success() { Ok(out) } else { Err(Error::Failed { tool: tool.into(), output: text(&[out.stdout, out.stderr].concat()) }) }
}

fn text(said: &[u8]) -> String {
    String::from_utf8_lossy(said).into_owned()
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|e| Error::File(path.into(), e))
}

/// The locks of concurrent builds: the first builds, the others wait and load what it built.
fn locked<T>(path: &Path, f: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let failed = |e| Error::File(path.into(), e);
    let file = fs::File::create(path).map_err(failed)?;
    file.lock().map_err(failed)?;
    f()
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

fn hash(x: impl Hash) -> String {
    let mut h = DefaultHasher::new();
    x.hash(&mut h);
    format!("{:016x}", h.finish())
}

const DEFINES: [&str; 5] = ["-DVERILATOR=1", "-DVM_SC=0", "-DVM_TRACE_VCD=0", "-faligned-new", "-std=gnu++17"];

/// The file of a model's warnings, beside it.
const WARNINGS: &str = "warnings.txt";

/// Behind it a compiler leaves functions as they are.
const UNOPTIMIZED: &str = "#ifdef __clang__\n#pragma clang optimize off\n#else\n#pragma GCC optimize(\"O0\")\n#endif\n";

/// Bytes of generated C++ up to which a model is one translation unit: those of a block.
const ONE_UNIT: u64 = 2 << 20;

fn cxx(compiler: &str, include: &Path, opt: &str, options: Options) -> Command {
    let mut c = Command::new(compiler);
    c.arg(if options.coverage { "-DVM_COVERAGE=1" } else { "-DVM_COVERAGE=0" });
    c.args(if options.waves { ["-DVM_TRACE=1", "-DVM_TRACE_FST=1"] } else { ["-DVM_TRACE=0", "-DVM_TRACE_FST=0"] });
    c.args(DEFINES).args(["-fPIC", "-w", opt, "-I"]).arg(include).arg("-I").arg(include.join("vltstd"));
    c
}

/// The level of optimisation. Clang 14 takes minutes for some of the code at -O1, and seconds at
/// -O2.
fn optimization(compiler: &str, options: Options) -> &'static str {
    match (compiler.contains("clang"), options.fast) {
        // Counters are most of the code, and a run is short.
        _ if options.coverage => "-O0",
        (true, _) => "-O2",
        (false, true) => "-O3",
        (false, false) => "-O1",
    }
}

/// The simulator's own part of each model, compiled once for all.
struct Runtime {
    objects: Vec<PathBuf>,
    /// Headers that are read already: half of the time of a small block. Of clang alone, which
    /// takes them by a name.
    headers: Option<PathBuf>,
}

/// The headers of generated code and of the shim.
const HEADERS: &str = "#include \"verilated.h\"\n#include <atomic>\n#include <cstdint>\n#include <cstdlib>\n#include <string>\n";

fn runtime(cache: &Cache, include: &Path, version: &str, compiler: &str, options: Options) -> Result<Runtime, Error> {
    let dir = cache.folder(&format!("runtime-{}", hash((version, compiler, options.waves, options.coverage, HEADERS))))?;
    locked(&dir.join("lock"), || {
        let mut objects = Vec::new();
        let writer = options.waves.then_some("verilated_fst_c.cpp");
        let counter = options.coverage.then_some("verilated_cov.cpp");
        for source in ["verilated.cpp", "verilated_threads.cpp"].into_iter().chain(writer).chain(counter) {
            let object = dir.join(source).with_extension("o");
            if !object.exists() {
                let part = object.with_extension("part.o");
                run(compiler, cxx(compiler, include, "-O2", options).arg("-c").arg(include.join(source)).arg("-o").arg(&part))?;
                fs::rename(&part, &object).map_err(|e| Error::File(object.clone(), e))?;
            }
            cache.check(&object)?;
            objects.push(object);
        }
        let is_clang = compiler.contains("clang");
        // What clang keeps of them names their folder: a copy of the cache gets its own.
        let headers = is_clang.then(|| dir.join(format!("headers-{}.pch", hash(&dir))));
        if let Some(headers) = &headers {
            if !headers.exists() {
                let (text, part) = (dir.join("headers.h"), headers.with_extension("part.pch"));
                write(&text, HEADERS)?;
                let mut c = cxx(compiler, include, optimization(compiler, options), options);
                run(compiler, c.args(["-x", "c++-header"]).arg(&text).arg("-o").arg(&part))?;
                fs::rename(&part, headers).map_err(|e| Error::File(headers.clone(), e))?;
            }
            cache.check(headers)?;
        }
        Ok(Runtime { objects, headers })
    })
}

/// Compiles (or finds compiled) module `top` of `verilog` and loads it. `name` is for people
/// looking into the cache.
///
/// # Errors
/// A tool that is missing or fails, a text without the module, a cache that cannot be written.
pub fn build(name: &str, verilog: &str, top: &str, options: Options) -> Result<Arc<Library>, Error> {
    let waves = std::env::var_os("TIMELY_WAVES").map(PathBuf::from);
    let coverage = options.coverage || std::env::var_os(COVERAGE).is_some();
    let lint = options.lint || std::env::var_os(LINT).is_some();
    // What is compiled is the same.
    let options = Options { waves: options.waves || waves.is_some(), coverage, lint: false, ..options };
    let ports = ports::parse(verilog, top).ok_or_else(|| Error::Ports(top.into()))?;
    let shim = ports::shim(&ports, options.waves, name);
    let version = text(&run("verilator", Command::new(verilator()).arg("--version"))?.stdout);
    let compiler = compiler();
    let cache = Cache::open()?;
    let dir =
        cache.folder(&format!("{name}-{}", hash((verilog, top, &shim, &version, &compiler, options, DEFINES, UNOPTIMIZED, WARNINGS))))?;
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
    let mut link = compile(optimization(compiler, options));
    if let Some(headers) = &runtime.headers {
        link.arg("-include-pch").arg(headers);
    }
    // In this order: of an inline function that both have, the linker takes the first.
    link.arg("-shared")
        .arg(dir.join("unit.cpp"))
        .args((!apart.is_empty()).then_some(&start))
        .args(&runtime.objects)
        .args(["-lpthread", "-latomic"])
        .args(options.waves.then_some("-lz"))
        .arg("-o")
        .arg(&part);
    run(compiler, &mut link)?;
    // The generated sources of a whole NIC are tens of megabytes; the library is all that is needed
    // again.
    let _ = fs::remove_dir_all(dir.join("cc"));
    let _ = fs::remove_file(&start);
    fs::rename(&part, object).map_err(|e| Error::File(object.into(), e))
}
