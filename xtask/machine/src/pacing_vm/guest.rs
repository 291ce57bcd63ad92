//! The guest: an archive with the simulator's program, `ip`, `tc` and three modules, and how QEMU
//! runs it.
//!
//! QEMU counts instructions (`-icount`): one is 1 ns of the guest's time, and time without any is
//! skipped. One processor, no random numbers of the host's and a fixed date make all of the guest a
//! function of its archive.
use crate::vm::archive::Archive;
use crate::vm::kernel::Machine;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use timely_tools::debian::listed;
use timely_tools::process::quiet;

/// Prefix of the guest's own lines among those of firmware and kernel.
pub const MARK: &str = "pacing-vm: ";
/// Description of the guest's machine in the report.
const MACHINE: &str = "in a virtual machine that counts instructions, 1 ns each";
/// Modules in the order in which they need each other.
const MODULES: [&str; 3] = ["veth", "sch_fq", "sch_etf"];
/// The loader's path in programs.
const LOADER: &str = "/lib64/ld-linux-x86-64.so.2";
/// Where the archive has this machine's libraries, beside those of the tree.
const HOST: &str = "host";

/// How many loads a guest measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A few for moments.
    Quick,
    /// Three.
    Few,
    /// All.
    Whole,
}

/// How a guest measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// How much later than the first the measurement starts, us.
    pub phase_us: u64,
    /// A second task computes on its processor.
    pub busy: bool,
    /// How many loads.
    pub extent: Extent,
    /// Times are divided by this, and loads run at as small a part of their rates.
    pub scale: f64,
}

impl Run {
    /// The kernel's command line: words that the kernel does not know become the first process's
    /// environment.
    fn words(&self) -> String {
        let extent = match self.extent {
            Extent::Quick => "quick",
            Extent::Few => "few",
            Extent::Whole => "whole",
        };
        format!("phase_us={} scale={} busy={} extent={extent}", self.phase_us, self.scale, u8::from(self.busy))
    }
}

/// The script that is the guest's first process. Its shell would take applets of its own for `ip`
/// and `tc`; none of them are linked.
fn script() -> String {
    format!(
        r#"#!/bin/busybox sh
export PATH=/usr/sbin
b=/bin/busybox
$b mount -t proc none /proc
$b mount -t sysfs none /sys
$b mount -t devtmpfs none /dev
for module in {}; do
    $b insmod /modules/$module.ko || echo "{MARK}module $module was not loaded"
done
$b stty -F /dev/ttyS1 raw
set -- --software-to /tmp/software.json --machine "{MACHINE}" --scale "$scale"
[ "$busy" = 1 ] && set -- "$@" --busy
[ "$extent" = whole ] || set -- "$@" --$extent
# The kernel's own threads have work for some seconds.
$b sleep 5
$b usleep $phase_us
{{ /{HOST}/ld.so --library-path /{HOST} /timely-sim pacing "$@"; echo $? > /tmp/status; }} 2>&1 | while read -r line; do echo "{MARK}$line"; done
$b cat /tmp/software.json > /dev/ttyS1
[ "$($b cat /tmp/status)" = 0 ] && echo "{MARK}passed" || echo "{MARK}failed"
$b poweroff -f
"#,
        MODULES.join(" ")
    )
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Packs the archive; gives its path.
///
/// # Errors
/// A part of it is missing.
pub fn initrd(dir: &Path, tree: &Machine, program: &Path) -> Result<PathBuf, String> {
    let mut archive = Archive::default();
    for folder in
        ["bin", "dev", HOST, "lib64", "modules", "proc", "run", "sys", "tmp", "usr", "usr/lib", "usr/lib/x86_64-linux-gnu", "usr/sbin"]
    {
        archive.folder(folder);
    }
    archive.program("init", script().as_bytes());
    archive.program("bin/busybox", &read(&tree.path("usr/bin/busybox"))?);
    // Debian's programs with Debian's libraries.
    let mut libraries = Vec::new();
    for (tool, place) in [("ip", "usr/bin/ip"), ("tc", "usr/sbin/tc")] {
        archive.program(&format!("usr/sbin/{tool}"), &read(&tree.path(place))?);
        libraries.extend(tree.libraries(place)?);
    }
    libraries.sort();
    libraries.dedup();
    for library in libraries {
        archive.program(&format!("usr/lib/x86_64-linux-gnu/{}", name(&library)), &read(&library)?);
    }
    archive.program(&LOADER[1..], &read(&tree.path("usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"))?);
    // Ours with this machine's, without the lines of its sources, which are two thirds of it.
    let stripped = dir.join("timely-sim");
    let mut strip = Command::new("strip");
    strip.arg("--strip-debug").arg("-o").arg(&stripped).arg(program);
    quiet(strip).map_err(|e| format!("{e}\nstrip is in the package binutils"))?;
    archive.program("timely-sim", &read(&stripped)?);
    let mut list = Command::new(LOADER);
    list.arg("--list").arg(program);
    for library in listed(&quiet(list)?) {
        archive.program(&format!("{HOST}/{}", name(&library)), &read(&library)?);
    }
    archive.program(&format!("{HOST}/ld.so"), &read(Path::new(LOADER))?);
    for module in MODULES {
        let data = tree.module(module)?.ok_or_else(|| format!("the kernel has no module {module}"))?;
        archive.put(&format!("modules/{module}.ko"), 0o100_644, &data);
    }
    let path = dir.join("initrd");
    fs::write(&path, archive.finish()).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

/// QEMU with this guest; it writes what the guest says to `log`, and what was measured to
/// `results`.
///
/// # Errors
/// The tree has no kernel.
pub fn qemu(tree: &Machine, initrd: &Path, run: &Run, log: &Path, results: &Path) -> Result<Command, String> {
    let memory = if run.extent == Extent::Quick { "1024" } else { "4096" };
    let mut c = tree.qemu();
    c.args(["-M", "q35", "-accel", "tcg", "-smp", "1", "-m", memory, "-nodefaults", "-nographic", "-no-reboot"]);
    // Idle time is skipped, and no host's clock is looked at.
    c.args(["-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01T00:00:00,clock=vm", "-seed", "1"]);
    // Each byte of a `rep movsb` counts as an instruction: the kernel must not take that for fast.
    c.args(["-cpu", "max,-rdrand,-rdseed,-erms,-fsrm,-fzrm,-fsrs"]);
    // Files take all at once: a pipe would make the guest wait for its reader.
    c.arg("-serial").arg(format!("file:{}", log.display())).arg("-serial").arg(format!("file:{}", results.display()));
    c.arg("-kernel").arg(tree.kernel()?).arg("-initrd").arg(initrd).arg("-append");
    c.arg(format!("console=ttyS0 panic=-1 quiet nokaslr norandmaps no_timer_check mitigations=off init_on_alloc=0 {}", run.words()));
    c.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    Ok(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guest_is_told_how_to_measure() {
        let run = Run { phase_us: 1370, busy: true, extent: Extent::Few, scale: 4.0 };
        assert_eq!(run.words(), "phase_us=1370 scale=4 busy=1 extent=few");
        let script = script();
        assert!(script.contains("--software-to /tmp/software.json --machine \"in a virtual machine that counts instructions, 1 ns each\""));
        for word in ["$phase_us", "\"$scale\"", "\"$busy\"", "\"$extent\""] {
            assert!(script.contains(word), "{word}");
        }
        // Nothing of busybox is in the way of iproute2.
        assert!(!script.contains("--install"));
    }
}
