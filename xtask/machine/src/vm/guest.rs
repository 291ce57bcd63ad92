//! The virtual machine's programs: the driver's self-test, linked so that it needs no library, and
//! a script that loads VFIO before it.
use super::archive::Archive;
use super::kernel::Machine;
use std::fs;
use std::path::{Path, PathBuf};
use timely_tools::process::{cargo, run, target};

/// Prefix of the test's own lines among those of firmware and kernel.
pub const MARK: &str = "vm-test: ";
/// Modules in the order in which they need each other. Kernels before 6.2 have the fourth.
const MODULES: [&str; 6] = ["irqbypass", "vfio", "vfio_iommu_type1", "vfio_virqfd", "vfio-pci-core", "vfio-pci"];
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// The script that is the machine's first process.
fn script(pair: bool) -> String {
    let options = if pair { " --pair" } else { "" };
    format!(
        r#"#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
for module in {}; do
    if [ -e /modules/$module.ko ]; then insmod /modules/$module.ko || echo "{MARK}module $module was not loaded"; fi
done
echo "{MARK}Linux $(uname -r)"
if /selftest{options} > /tmp/said 2>&1; then end=passed; else end=failed; fi
while read -r line; do echo "{MARK}$line"; done < /tmp/said
[ $end = passed ] || dmesg | tail -n 30
echo "{MARK}$end"
poweroff -f
"#,
        MODULES.join(" ")
    )
}

/// Builds the guest's programs and packs them, for a NIC whose segments a second one answers or
/// not; gives the archive's path.
pub fn initrd(dir: &Path, tree: &Machine, pair: bool) -> Result<PathBuf, String> {
    let read = |path: PathBuf| fs::read(&path).map_err(|e| format!("{}: {e}", path.display()));
    let own = target().join("guest");
    let mut build = cargo(&["build", "--quiet", "--package", "timely-guest", "--target", TRIPLE, "--target-dir"]);
    // Nothing of this machine's is in the guest.
    build.arg(&own).env("RUSTFLAGS", "-C target-feature=+crt-static");
    // What is linted is linted on the host.
    build.env_remove("RUSTC_WORKSPACE_WRAPPER");
    run(build)?;
    let mut archive = Archive::default();
    for folder in ["bin", "dev", "modules", "proc", "run", "sys", "tmp", "var", "var/lib"] {
        archive.folder(folder);
    }
    archive.program("init", script(pair).as_bytes());
    archive.program("bin/busybox", &read(tree.path("usr/bin/busybox"))?);
    archive.program("selftest", &read(own.join(TRIPLE).join("debug/timely-guest"))?);
    for module in MODULES {
        if let Some(data) = tree.module(module)? {
            archive.put(&format!("modules/{module}.ko"), 0o100_644, &data);
        }
    }
    let path = dir.join("initrd");
    fs::write(&path, archive.finish()).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guest_is_told_of_a_peer() {
        assert!(script(true).contains("if /selftest --pair > "));
        assert!(script(false).contains("if /selftest > "));
    }
}
