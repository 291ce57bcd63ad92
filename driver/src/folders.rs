//! Folders of this user: sockets, locks and logs; state that is kept from one run to the next. No
//! other user can write or replace them: a user that could would answer in a daemon's place, hold a
//! lock for ever, or choose the configuration of a NIC.
use fs_mistrust::Mistrust;
use rustix::process::geteuid;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Where root's daemons listen, for all users.
pub const ROOTS: &str = "/run/timely";

/// A folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {what}; set {variable} to a folder that this user alone can write", path.display())]
pub struct FolderError {
    /// The folder.
    pub path: PathBuf,
    /// The reason.
    pub what: String,
    /// The variable that names another one.
    pub variable: &'static str,
}

/// FNV-1a, 32 bits: names of files must be the same in every version of this software.
fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Characters of a device's path in the name of a file.
const READABLE: usize = 24;

/// A device's name as part of a file's, of one that is named by a path: the path's end, and a hash
/// of all of it.
pub(crate) fn file_name(device: &str) -> String {
    let plain: String = device.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
    let end = plain[plain.len().saturating_sub(READABLE)..].trim_start_matches(['-', '.']);
    format!("{end}-{:08x}", fnv1a(device))
}

/// A variable's absolute path: relative ones are to be ignored, as the base directory specification
/// has it.
fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|p| p.is_absolute())
}

fn owner(path: &Path) -> Option<u32> {
    std::fs::symlink_metadata(path).ok().filter(|m| m.is_dir()).map(|m| m.uid())
}

fn runtime(user: u32, variable: Option<PathBuf>) -> PathBuf {
    // After `su` and under `sudo -E` it is still the other user's.
    let given = variable.filter(|v| user != 0 || owner(v).is_none_or(|o| o == 0));
    let session = || Some(PathBuf::from(format!("/run/user/{user}"))).filter(|p| owner(p) == Some(user));
    match given.or_else(|| if user == 0 { None } else { session() }) {
        Some(base) => base.join("timely"),
        None if user == 0 => ROOTS.into(),
        None => format!("/tmp/timely-{user}").into(),
    }
}

/// The user's folder of sockets, locks and logs: in `XDG_RUNTIME_DIR`, or `/run/timely` for root.
/// Root's can be entered by others: its daemons say themselves whom they answer.
///
/// # Errors
/// When it cannot be made, or others can write it.
pub fn runtime_folder() -> Result<PathBuf, FolderError> {
    let path = runtime(geteuid().as_raw(), named("XDG_RUNTIME_DIR"));
    own_folder(&path, if path == Path::new(ROOTS) { 0o755 } else { 0o700 }, "XDG_RUNTIME_DIR")
}

/// The folder of locks on devices of the machine. All that root runs shares one, whatever its
/// variables.
///
/// # Errors
/// As for [`runtime_folder`].
pub fn lock_folder() -> Result<PathBuf, FolderError> {
    if geteuid().is_root() { own_folder(Path::new(ROOTS), 0o755, "XDG_RUNTIME_DIR") } else { runtime_folder() }
}

/// The user's folder of what is kept from one run to the next: in `XDG_STATE_HOME` or
/// `~/.local/state`, `/var/lib/timely` for root.
///
/// # Errors
/// When it cannot be made, or others can write it.
pub fn state_folder() -> Result<PathBuf, FolderError> {
    let variable = "XDG_STATE_HOME";
    let path = state(geteuid().as_raw(), named(variable), named("HOME"));
    let none = || FolderError { path: "~/.local/state/timely".into(), what: "HOME is not set to an absolute path".into(), variable };
    own_folder(&path.ok_or_else(none)?, 0, variable)
}

/// State folder: under `variable`, else under /var/lib for root and under the home for other users;
/// `None` for another user without a home.
fn state(user: u32, variable: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let own = || if user == 0 { Some("/var/lib".into()) } else { home.map(|h| h.join(".local/state")) };
    Some(variable.or_else(own)?.join("timely"))
}

/// Makes a folder, or checks the one that is there and all above it; gives it at least that mode.
fn own_folder(path: &Path, mode: u32, variable: &'static str) -> Result<PathBuf, FolderError> {
    let failed = |what: String| FolderError { path: path.into(), what, variable };
    let with_causes = |e: fs_mistrust::Error| {
        std::iter::successors(Some(&e as &dyn std::error::Error), |e| e.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
    };
    // No variable turns the checks off.
    let mut checks = Mistrust::builder();
    checks.ignore_environment();
    // A system without user database, as an initial RAM disk, has no private groups: then no group
    // is trusted.
    let trust = checks.build().or_else(|_| checks.trust_no_group_id().build()).map_err(|e| failed(with_causes(e)))?;
    trust.verifier().permit_readable().make_directory(path).map_err(|e| failed(with_causes(e)))?;
    let meta = std::fs::metadata(path).map_err(|e| failed(e.to_string()))?;
    // The mode holds whatever the umask is, and whichever process made the folder.
    if meta.mode() & mode != mode {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).map_err(|e| failed(e.to_string()))?;
    }
    Ok(path.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{lchown, symlink};

    const NOBODY: u32 = 65_534;

    fn place(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("timely-folder-{name}-{}", std::process::id()))
    }

    #[test]
    fn roots_folder_can_be_entered_by_others() {
        let path = place("mode");
        let mode = || std::fs::metadata(&path).expect("a folder").mode() & 0o777;
        for (wanted, there) in [(0o700, 0o700), (0o755, 0o755), (0o700, 0o755)] {
            own_folder(&path, wanted, "XDG_RUNTIME_DIR").expect("ours");
            assert_eq!(mode(), there);
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).expect("set");
        let text = own_folder(&path, 0o755, "XDG_RUNTIME_DIR").expect_err("anybody could put a socket there").to_string();
        assert!(text.contains("XDG_RUNTIME_DIR"), "{text}");
        // Nor in a folder whose parent lets any user replace it.
        std::fs::create_dir(path.join("timely")).expect("a folder");
        assert!(own_folder(&path.join("timely"), 0o755, "XDG_RUNTIME_DIR").is_err());
        std::fs::remove_dir_all(path).expect("removed");
    }

    #[test]
    fn who_has_no_home_is_not_sent_to_roots() {
        let home = || Some(PathBuf::from("/home/u"));
        assert_eq!(state(1000, None, home()), Some("/home/u/.local/state/timely".into()));
        assert_eq!(state(1000, Some("/x".into()), None), Some("/x/timely".into()));
        assert_eq!(state(1000, None, None), None);
        // Under sudo HOME may still be the other user's.
        assert_eq!(state(0, None, home()), Some("/var/lib/timely".into()));
    }

    #[test]
    fn another_users_folder_is_not_used() {
        use std::io::Write;
        if !geteuid().is_root() {
            // Past the test's capture, for `cargo xtask test` to tell.
            writeln!(std::io::stdout(), "left out: another user's folder: only root can make one").expect("stdout");
            return;
        }
        let path = place("theirs");
        std::fs::create_dir(&path).expect("a folder");
        std::fs::create_dir(path.join("timely")).expect("a folder");
        own_folder(&path, 0, "XDG_STATE_HOME").expect("ours");
        lchown(&path, Some(NOBODY), None).expect("root may");
        assert!(own_folder(&path.join("timely"), 0, "XDG_STATE_HOME").is_err(), "one of theirs above it");
        assert_eq!(runtime(0, Some(path.clone())), Path::new(ROOTS), "root keeps no sockets in another user's session");
        lchown(&path, Some(0), None).expect("root may");
        assert_eq!(runtime(0, Some(path.clone())), path.join("timely"));
        // A link of theirs to a folder of ours.
        let link = place("link");
        symlink(&path, &link).expect("a link");
        lchown(&link, Some(NOBODY), None).expect("root may");
        assert!(own_folder(&link, 0, "XDG_STATE_HOME").is_err(), "its owner may turn it elsewhere");
        std::fs::remove_file(link).expect("removed");
        std::fs::remove_dir_all(path).expect("removed");
    }
}
