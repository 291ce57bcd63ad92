//! Programs of a newer Debian than this machine's: their packages are unpacked under `target/` and
//! run with their own libraries; nothing outside of it changes.
use crate::process::{put, quiet, version};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
/// Where a tree's libraries are, and what loads them.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";
const LOADER: &str = "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2";
/// The number under which a script opens a folder of data, and the path that leads to it.
const OPEN_FILE: u8 = 9;
const OPEN_FOLDER: &str = "/proc/self/fd/9";

/// Contents of a tree.
pub struct Contents {
    /// Packages, with what they need; another text makes another tree.
    pub packages: &'static str,
    /// The releases that they are from; the last is preferred.
    pub suites: &'static [&'static str],
    /// Description and size of the packages, for the user who waits for them.
    pub what: &'static str,
}

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
    if version("mmdebstrap", "--version").is_some() {
        return Ok(Command::new("mmdebstrap"));
    }
    let place = dir.join("mmdebstrap");
    let script = place.join("usr/bin/mmdebstrap");
    if !script.exists() {
        let mut download = Command::new("apt-get");
        download.args(["download", "mmdebstrap"]).current_dir(dir);
        quiet(download).map_err(|e| format!("{e}\nmmdebstrap unpacks Debian's packages; run apt-get update, or install mmdebstrap"))?;
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

/// The paths of libraries in what a loader lists, as in `libc.so.6 => /lib/libc.so.6 (0x7f)`.
pub fn listed(text: &str) -> Vec<PathBuf> {
    let path = |line: &str| Some(PathBuf::from(line.split_once("=> ")?.1.split(' ').next()?));
    text.lines().filter_map(path).filter(|p| p.is_absolute()).collect()
}

impl Tree {
    /// The tree is there under `dir`.
    pub fn is_there(dir: &Path, contents: &Contents) -> bool {
        fs::read_to_string(dir.join("tree.packages")).is_ok_and(|t| t == contents.packages)
    }

    /// The tree under `dir`, unpacked if it is not there yet.
    ///
    /// # Errors
    /// The machine is not an x86-64 with Debian's keyring, or the packages did not come.
    pub fn get(dir: &Path, contents: &Contents) -> Result<Self, String> {
        let (tree, done) = (dir.join("tree"), dir.join("tree.packages"));
        if Self::is_there(dir, contents) {
            return Ok(Tree(tree));
        }
        if !cfg!(target_arch = "x86_64") {
            return Err(format!("Debian's {} is for an x86-64 alone here", contents.what));
        }
        if !Path::new(KEYRING).exists() {
            return Err(format!("{KEYRING} is missing: it takes a Debian with debian-archive-keyring, for Debian's {}", contents.what));
        }
        fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        eprintln!("unpacking Debian's {} under {}, once", contents.what, dir.display());
        let _ = fs::remove_dir_all(&tree);
        let list = dir.join("sources.list");
        let line = |suite: &&str| format!("deb [signed-by={KEYRING}] {} {suite} main\n", mirror());
        put(&list, &contents.suites.iter().map(line).collect::<String>())?;
        let mut id = Command::new("id");
        id.arg("-u");
        let root = quiet(id).is_ok_and(|u| u.trim() == "0");
        let mut c = mmdebstrap(dir)?;
        let (first, last) = (contents.suites.first().unwrap_or(&"stable"), contents.suites.last().unwrap_or(&"stable"));
        c.args([if root { "--mode=root" } else { "--mode=unshare" }, "--variant=extract"]);
        c.arg(format!("--include={}", contents.packages)).arg("--aptopt=APT::Install-Recommends \"false\"");
        c.arg(format!("--aptopt=APT::Default-Release \"{last}\"")).arg(first).arg(&tree).arg(&list);
        quiet(c)?;
        put(&done, contents.packages)?;
        Ok(Tree(tree))
    }

    /// A path in it.
    pub fn path(&self, inside: &str) -> PathBuf {
        self.0.join(inside)
    }

    /// A program of it, run with its own libraries.
    pub fn program(&self, inside: &str) -> Command {
        let mut c = Command::new(self.path(LOADER));
        // Some are in a folder of their own, to which a link would lead that an installation makes.
        c.arg("--library-path").arg(self.libraries()).arg(self.path(inside));
        c
    }

    /// The libraries that a program of it is run with.
    ///
    /// # Errors
    /// The tree's loader does not know the program.
    pub fn needed(&self, inside: &str) -> Result<Vec<PathBuf>, String> {
        let mut c = Command::new(self.path(LOADER));
        c.arg("--library-path").arg(self.libraries()).arg("--list").arg(self.path(inside));
        Ok(listed(&quiet(c)?))
    }

    /// A program of it as a file of its own beside the tree, which gives it `first` before all
    /// other arguments. An interpreter within it has its modules from the tree.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn script(&self, inside: &str, first: &str) -> Result<PathBuf, String> {
        self.calling(&self.path(inside), "", first)
    }

    /// The same for a program that has the folder of its data built in, such as `/usr/share/name/`:
    /// a copy of it has the path of an open file there, which the script opens on the tree's own
    /// folder.
    ///
    /// # Errors
    /// The program has no such path in it, or more than one, or one that is too short; or a file
    /// could not be written.
    pub fn script_with_data(&self, inside: &str, data: &str) -> Result<PathBuf, String> {
        let program = self.path(inside);
        let mut bytes = fs::read(&program).map_err(|e| format!("{}: {e}", program.display()))?;
        let mut found = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(data.as_bytes()));
        let (Some(at), None, true) = (found.next(), found.next(), data.len() >= OPEN_FOLDER.len()) else {
            return Err(format!("{} does not look for its data in {data} alone", program.display()));
        };
        drop(found);
        // As long as before, by slashes that do not count.
        bytes[at..at + data.len()].copy_from_slice(format!("{OPEN_FOLDER:/<width$}", width = data.len()).as_bytes());
        let copy = self.0.with_extension("programs").join(program.file_name().unwrap_or_default());
        // Another command may be running the one that is there.
        let part = copy.with_extension(format!("{}.part", std::process::id()));
        fs::create_dir_all(copy.parent().unwrap_or(&self.0))
            .and_then(|()| fs::write(&part, bytes))
            .and_then(|()| fs::rename(&part, &copy))
            .map_err(|e| format!("{}: {e}", copy.display()))?;
        self.calling(&copy, &format!("exec {OPEN_FILE}<'{}'\n", self.path(data.trim_matches('/')).display()), "")
    }

    fn calling(&self, program: &Path, before: &str, first: &str) -> Result<PathBuf, String> {
        use std::os::unix::fs::PermissionsExt;
        let file = self.0.with_file_name(program.file_name().unwrap_or_default());
        let (loader, libraries, home) = (self.path(LOADER), self.libraries(), self.path("usr"));
        let text = format!(
            "#!/bin/sh\n{before}export PYTHONHOME='{}'\nexec '{}' --library-path '{libraries}' '{}' {first} \"$@\"\n",
            home.display(),
            loader.display(),
            program.display()
        );
        put(&file, &text)?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(file)
    }

    // Each is looked for where it is if this tree has no such folder.
    fn libraries(&self) -> String {
        let folders = ["", "/blas", "/lapack"].map(|f| self.path(&format!("{LIBRARIES}{f}")).display().to_string());
        folders.join(":")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A file that was just written may be open in the child of another test, and is run by nothing
    // but a shell that reads it.
    fn by_shell(file: &Path) -> Command {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(file).expect("it is there").permissions().mode();
        assert!(mode & 0o111 == 0o111 && fs::read(file).expect("a file").starts_with(b"#!/bin/sh\n"), "it would not run by itself");
        let mut c = Command::new("/bin/sh");
        c.arg(file);
        c
    }

    #[test]
    fn a_tree_of_other_packages_is_not_there() {
        let dir = std::env::temp_dir().join(format!("timely-tree-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("a folder");
        let wanted = |packages| Contents { packages, suites: &["trixie"], what: "nothing" };
        assert!(!Tree::is_there(&dir, &wanted("a")));
        put(&dir.join("tree.packages"), "a").expect("a file");
        assert!(Tree::is_there(&dir, &wanted("a")) && !Tree::is_there(&dir, &wanted("a,b")));
        fs::remove_dir_all(&dir).ok();
    }

    #[test]
    fn libraries_are_read_from_a_loaders_list() {
        let text = "\tlinux-vdso.so.1 (0x00007f)\n\tlibc.so.6 => /lib/libc.so.6 (0x00007f)\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n\tlibx => not found";
        assert_eq!(listed(text), [PathBuf::from("/lib/libc.so.6")]);
    }

    #[test]
    fn a_script_hands_arguments_on() {
        let dir = std::env::temp_dir().join(format!("timely script {}", std::process::id()));
        let tree = Tree(dir.join("tree"));
        for folder in [LIBRARIES, "usr/bin"] {
            fs::create_dir_all(tree.path(folder)).expect("a folder");
        }
        // In place of a loader, what prints how it was called.
        std::os::unix::fs::symlink("/bin/echo", tree.path(LOADER)).expect("a link");
        let file = tree.script("usr/bin/tool", "--db here").expect("a script");
        let mut call = by_shell(&file);
        call.arg("two words");
        let out = quiet(call).expect("it runs");
        let tool = tree.path("usr/bin/tool");
        assert!(out.trim_end().ends_with(&format!("{} --db here two words", tool.display())), "{out}");
        fs::remove_dir_all(&dir).ok();
    }

    #[test]
    fn a_script_leads_a_program_to_its_data() {
        let dir = std::env::temp_dir().join(format!("timely data {}", std::process::id()));
        let tree = Tree(dir.join("tree"));
        for folder in [LIBRARIES, "usr/bin", "usr/share/tool"] {
            fs::create_dir_all(tree.path(folder)).expect("a folder");
        }
        let loader = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/loader.sh");
        std::os::unix::fs::symlink(loader, tree.path(LOADER)).expect("a link");
        put(&tree.path("usr/share/tool/text"), "what it reads").expect("a file");
        put(&tree.path("usr/bin/tool"), "cat /usr/share/tool/text\n").expect("a file");
        let file = tree.script_with_data("usr/bin/tool", "/usr/share/tool/").expect("a script");
        assert_eq!(quiet(by_shell(&file)).expect("it runs"), "what it reads");
        put(&tree.path("usr/bin/tool"), "cat /usr/share/tool/text /usr/share/tool/text\n").expect("a file");
        tree.script_with_data("usr/bin/tool", "/usr/share/tool/").expect_err("which of them?");
        tree.script_with_data("usr/bin/tool", "/usr/lib/").expect_err("it has no such path");
        fs::remove_dir_all(&dir).ok();
    }
}
