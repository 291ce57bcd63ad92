//! QEMU, its firmware, a kernel, busybox and iproute2: QEMU from 10.1 on has `vfio-user-pci`, and
//! no stable Debian has that yet but in its backports.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use timely_tools::debian::{Contents, Tree};

/// The packages of the tree.
const CONTENTS: Contents = Contents {
    packages: "qemu-system-x86,seabios,ipxe-qemu,busybox-static,iproute2,linux-image-cloud-amd64/trixie",
    suites: &["trixie", "trixie-backports"],
    what: "QEMU and kernel (260 MB, a minute or so)",
};

/// The tree with all of it.
pub struct Machine(Tree);

impl Machine {
    /// The tree is unpacked under `dir`.
    pub fn is_there(dir: &Path) -> bool {
        Tree::is_there(dir, &CONTENTS)
    }

    /// The tree under `dir`, unpacked if it is not there yet.
    pub fn get(dir: &Path) -> Result<Self, String> {
        Tree::get(dir, &CONTENTS).map(Machine)
    }

    /// A tree of other packages is unpacked under `dir`.
    pub fn has(dir: &Path, contents: &Contents) -> bool {
        Tree::is_there(dir, contents)
    }

    /// A tree of other packages under `dir`, unpacked if it is not there yet.
    pub fn of(dir: &Path, contents: &Contents) -> Result<Self, String> {
        Tree::get(dir, contents).map(Machine)
    }

    /// A path in the tree.
    pub fn path(&self, inside: &str) -> PathBuf {
        self.0.path(inside)
    }

    /// QEMU, with its firmware.
    pub fn qemu(&self) -> Command {
        let mut c = self.0.program("usr/bin/qemu-system-x86_64");
        for data in ["usr/share/qemu", "usr/share/seabios", "usr/lib/ipxe/qemu"] {
            c.arg("-L").arg(self.path(data));
        }
        c
    }

    /// The loader and libraries that a program of the tree is run with.
    pub fn libraries(&self, inside: &str) -> Result<Vec<PathBuf>, String> {
        self.0.needed(inside)
    }

    /// The kernel's version: the name of its folder of modules.
    fn version(&self) -> Result<String, String> {
        let modules = self.path("usr/lib/modules");
        let versions = fs::read_dir(&modules).map_err(|e| format!("{}: {e}", modules.display()))?;
        let names = versions.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
        names.max().ok_or_else(|| format!("{} has no kernel's modules", modules.display()))
    }

    /// The kernel.
    pub fn kernel(&self) -> Result<PathBuf, String> {
        Ok(self.path(&format!("boot/vmlinuz-{}", self.version()?)))
    }

    /// A module of the kernel, as the kernel takes it; `None` where it has no such module.
    pub fn module(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let mut folders = vec![self.path("usr/lib/modules").join(self.version()?).join("kernel")];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()) {
                let file = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
                if path.is_dir() {
                    folders.push(path);
                } else if file == format!("{name}.ko") {
                    return fs::read(&path).map(Some).map_err(|e| format!("{}: {e}", path.display()));
                } else if file == format!("{name}.ko.xz") {
                    let mut xz = Command::new("xz");
                    let out = xz.arg("-dc").arg(&path).output().map_err(|e| format!("xz did not start: {e}; install xz-utils"))?;
                    return if out.status.success() { Ok(Some(out.stdout)) } else { Err(format!("{} is broken", path.display())) };
                }
            }
        }
        Ok(None)
    }
}
