//! What the virtual machine runs: the driver's self-test, linked so that it needs no library, and a script that loads VFIO before it.
use super::kernel::Machine;
use crate::process::{cargo, run, target};
use std::fs;
use std::path::{Path, PathBuf};

/// What stands before a line of the test's own among those of firmware and kernel.
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

/// An archive as the kernel unpacks one: cpio, format newc.
#[derive(Default)]
struct Archive(Vec<u8>);

impl Archive {
    fn pad(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }

    fn put(&mut self, name: &str, mode: u32, data: &[u8]) {
        let inode = self.0.len() as u32;
        let fields = [inode, mode, 0, 0, 1, 0, data.len() as u32, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        self.0.extend(b"070701");
        fields.iter().for_each(|f| self.0.extend(format!("{f:08x}").bytes()));
        self.0.extend(name.bytes());
        self.0.push(0);
        self.pad();
        self.0.extend(data);
        self.pad();
    }

    fn folder(&mut self, name: &str) {
        self.put(name, 0o040_755, &[]);
    }

    fn program(&mut self, name: &str, data: &[u8]) {
        self.put(name, 0o100_755, data);
    }

    fn finish(mut self) -> Vec<u8> {
        self.put("TRAILER!!!", 0, &[]);
        self.0
    }
}

/// Builds the guest's programs and packs them, for a NIC whose segments a second one answers or not; gives the archive's path.
pub fn initrd(dir: &Path, tree: &Machine, pair: bool) -> Result<PathBuf, String> {
    let read = |path: PathBuf| fs::read(&path).map_err(|e| format!("{}: {e}", path.display()));
    let own = target().join("guest");
    let mut build = cargo(&["build", "--quiet", "--package", "timely-driver", "--example", "selftest", "--target", TRIPLE, "--target-dir"]);
    // Nothing of this machine's is in the guest.
    build.arg(&own).env("RUSTFLAGS", "-C target-feature=+crt-static");
    run(build)?;
    let mut archive = Archive::default();
    for folder in ["bin", "dev", "modules", "proc", "run", "sys", "tmp", "var", "var/lib"] {
        archive.folder(folder);
    }
    archive.program("init", script(pair).as_bytes());
    archive.program("bin/busybox", &read(tree.path("usr/bin/busybox"))?);
    archive.program("selftest", &read(own.join(TRIPLE).join("debug/examples/selftest"))?);
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

    #[test]
    fn an_archive_has_its_parts_at_multiples_of_four() {
        let mut a = Archive::default();
        a.program("init", b"five!");
        let bytes = a.finish();
        assert_eq!(&bytes[..6], b"070701");
        assert_eq!(&bytes[14..22], b"000081ed");
        assert_eq!(&bytes[54..62], b"00000005");
        assert_eq!(&bytes[110..116], b"init\0\0");
        assert_eq!(&bytes[116..121], b"five!");
        assert_eq!(&bytes[124..130], b"070701");
        assert!(bytes.len().is_multiple_of(4) && bytes.windows(10).any(|w| w == b"TRAILER!!!"));
    }
}
