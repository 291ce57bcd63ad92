//! A Debian tree with QEMU, its firmware, a kernel and busybox, unpacked under `target/vm`: QEMU from 10.1 on has `vfio-user-pci`, and no
//! stable Debian has that yet but in its backports.
use crate::process::quiet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is in the tree; another text makes another tree.
const PACKAGES: &str = "qemu-system-x86,seabios,ipxe-qemu,busybox-static,linux-image-cloud-amd64/trixie";
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The tree.
pub struct Tree(PathBuf);

/// The mirror that this machine itself uses.
fn mirror() -> String {
    let folder = fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten().map(|e| e.path());
    let lists = folder.chain([PathBuf::from("/etc/apt/sources.list")]);
    let text: String = lists.filter_map(|l| fs::read_to_string(l).ok()).collect::<Vec<_>>().join("\n");
    let found = text.lines().filter(|l| !l.trim_start().starts_with('#')).flat_map(str::split_whitespace);
    let debian = found.map(|w| w.trim_end_matches('/')).find(|w| w.starts_with("http") && w.ends_with("/debian"));
    debian.unwrap_or("http://deb.debian.org/debian").to_owned()
}

/// Debian's mmdebstrap, installed or unpacked here.
fn mmdebstrap(dir: &Path) -> Result<Command, String> {
    if crate::setup::version("mmdebstrap", "--version").is_some() {
        return Ok(Command::new("mmdebstrap"));
    }
    let place = dir.join("mmdebstrap");
    let script = place.join("usr/bin/mmdebstrap");
    if !script.exists() {
        let mut download = Command::new("apt-get");
        download.args(["download", "mmdebstrap"]).current_dir(dir);
        quiet(download)
            .map_err(|e| format!("{e}\nmmdebstrap unpacks Debian's QEMU and kernel; run apt-get update, or install mmdebstrap"))?;
        let packages = fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path());
        let package = packages.filter(|p| p.extension().is_some_and(|e| e == "deb")).max().ok_or("apt-get downloaded no package")?;
        let mut unpack = Command::new("dpkg");
        unpack.arg("-x").arg(package).arg(&place);
        quiet(unpack)?;
    }
    let mut c = Command::new("perl");
    c.arg(script);
    Ok(c)
}

impl Tree {
    /// The tree is there under `dir`.
    pub fn is_there(dir: &Path) -> bool {
        fs::read_to_string(dir.join("tree.packages")).is_ok_and(|t| t == PACKAGES)
    }

    /// The tree under `dir`, unpacked if it is not there yet.
    pub fn get(dir: &Path) -> Result<Self, String> {
        let (tree, done) = (dir.join("tree"), dir.join("tree.packages"));
        if Self::is_there(dir) {
            return Ok(Tree(tree));
        }
        if !Path::new(KEYRING).exists() {
            return Err(format!(
                "{KEYRING} is missing: the test needs a Debian with debian-archive-keyring, for QEMU and a kernel of Debian's"
            ));
        }
        eprintln!("unpacking Debian's QEMU and kernel under {}, once: 260 MB, a minute or so", dir.display());
        let _ = fs::remove_dir_all(&tree);
        let list = dir.join("trixie.list");
        let line = |suite| format!("deb [signed-by={KEYRING}] {} {suite} main\n", mirror());
        fs::write(&list, line("trixie") + &line("trixie-backports")).map_err(|e| format!("{}: {e}", list.display()))?;
        let mut id = Command::new("id");
        id.arg("-u");
        let root = quiet(id).is_ok_and(|u| u.trim() == "0");
        let mut c = mmdebstrap(dir)?;
        c.args([if root { "--mode=root" } else { "--mode=unshare" }, "--variant=extract"]).arg(format!("--include={PACKAGES}"));
        c.args(["--aptopt=APT::Install-Recommends \"false\"", "--aptopt=APT::Default-Release \"trixie-backports\"", "trixie"]);
        c.arg(&tree).arg(&list);
        quiet(c)?;
        fs::write(&done, PACKAGES).map_err(|e| format!("{}: {e}", done.display()))?;
        Ok(Tree(tree))
    }

    /// A path in it.
    pub fn path(&self, inside: &str) -> PathBuf {
        self.0.join(inside)
    }

    /// A program of it, run with its own libraries.
    pub fn program(&self, inside: &str) -> Result<Command, String> {
        let libraries = self.path("usr/lib/x86_64-linux-gnu");
        let mut c = Command::new(libraries.join("ld-linux-x86-64.so.2"));
        // Some are in a folder of their own, to which a link would lead that an installation makes.
        c.arg("--library-path").arg(&libraries).arg(self.path(inside));
        Ok(c)
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
