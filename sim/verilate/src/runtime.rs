//! The C++ compiler's options, and what all models have in common: the simulator's runtime and its
//! headers.
use crate::cache::Cache;
use crate::tool::{Error, Options, hash, locked, run, write};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Macros and language of generated code.
pub const DEFINES: [&str; 5] = ["-DVERILATOR=1", "-DVM_SC=0", "-DVM_TRACE_VCD=0", "-faligned-new", "-std=gnu++17"];

/// A call of the C++ compiler with the options of all models.
pub fn cxx(compiler: &str, include: &Path, opt: &str, options: Options) -> Command {
    let mut c = Command::new(compiler);
    c.arg(if options.coverage { "-DVM_COVERAGE=1" } else { "-DVM_COVERAGE=0" });
    c.args(if options.waves { ["-DVM_TRACE=1", "-DVM_TRACE_FST=1"] } else { ["-DVM_TRACE=0", "-DVM_TRACE_FST=0"] });
    c.args(DEFINES).args(["-fPIC", "-w", opt, "-I"]).arg(include).arg("-I").arg(include.join("vltstd"));
    c
}

/// The level of optimisation. Clang 14 takes minutes for some of the code at -O1, and seconds at
/// -O2.
pub fn optimization(compiler: &str, options: Options) -> &'static str {
    match (compiler.contains("clang"), options.fast) {
        // Counters are most of the code, and a run is short.
        _ if options.coverage => "-O0",
        (true, _) => "-O2",
        (false, true) => "-O3",
        (false, false) => "-O1",
    }
}

/// The simulator's own part of each model, compiled once for all.
pub struct Runtime {
    /// Objects to link.
    pub objects: Vec<PathBuf>,
    /// Headers that are read already: half of the time of a small block. Of clang alone, which
    /// takes them by a name.
    pub headers: Option<PathBuf>,
}

/// The headers of generated code and of the shim.
const HEADERS: &str = "#include \"verilated.h\"\n#include <atomic>\n#include <cstdint>\n#include <cstdlib>\n#include <string>\n";

/// Compiles it, or finds it compiled.
///
/// # Errors
/// The compiler fails, or the cache cannot be written.
pub fn runtime(cache: &Cache, include: &Path, version: &str, compiler: &str, options: Options) -> Result<Runtime, Error> {
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
        // Clang takes them only from the same folder, read by the same compiler, and unchanged.
        let read_by = compiler.contains("clang").then(|| {
            let source = fs::metadata(include.join("verilated.h")).ok();
            let version = run(compiler, Command::new(compiler).arg("--version")).map(|o| o.stdout).unwrap_or_default();
            hash((&dir, version, source.as_ref().map(|m| m.len()), source.and_then(|m| m.modified().ok())))
        });
        let headers = read_by.map(|key| dir.join(format!("headers-{key}.pch")));
        if let Some(headers) = &headers {
            if !headers.exists() {
                let (text, part) = (headers.with_extension("h"), headers.with_extension("part.pch"));
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
