//! Cache of compiled models. A model that is loaded runs as the user that loads it, so the cache is
//! a folder that no other user can write, and everything in it is checked again before it is
//! loaded.
use crate::Error;
use fs_mistrust::{Mistrust, Verifier};
use rustix::fs::StatVfsMountFlags;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The variable that names the cache.
pub const VARIABLE: &str = "TIMELY_CACHE";

/// A folder for the cache, before it is made.
#[derive(Debug, PartialEq)]
struct Place {
    folder: PathBuf,
    /// A build folder whose owner could replace the running program: nothing above it is checked.
    built: Option<PathBuf>,
}

/// The user's own place: `TIMELY_CACHE`; else `verilated` in the cargo target directory that the
/// running program stands in, if that directory is the user's; else `/var/cache` for root,
/// `XDG_CACHE_HOME` or `~/.cache` for others.
fn choose(variable: impl Fn(&str) -> Option<OsString>, program: &Path, user: u32) -> Result<Place, Error> {
    // The base directory specification has relative paths ignored.
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let cached = |folder| Ok(Place { folder, built: None });
    if let Some(own) = variable(VARIABLE).filter(|own| !own.is_empty()) {
        return std::path::absolute(PathBuf::from(own)).map_or_else(|e| Err(Error::File(VARIABLE.into(), e)), cached);
    }
    let named = variable("CARGO_TARGET_DIR").and_then(|d| std::fs::canonicalize(d).ok()).filter(|d| program.starts_with(d));
    let above = || program.ancestors().find(|p| p.file_name().is_some_and(|n| n == "target")).map(Path::to_owned);
    let own = |dir: &PathBuf| std::fs::symlink_metadata(dir).is_ok_and(|m| m.is_dir() && m.uid() == user);
    if let Some(target) = named.or_else(above).filter(own) {
        return Ok(Place { folder: target.join("verilated"), built: Some(target) });
    }
    let home = || absolute("HOME").filter(|_| user != 0).map(|h| h.join(".cache"));
    let base = absolute("XDG_CACHE_HOME").or_else(home).or_else(|| (user == 0).then(|| "/var/cache".into()));
    base.map_or(Err(Error::NoCache), |base| cached(base.join("timely/verilated")))
}

/// The cache of the running program's user.
#[derive(Debug)]
pub(crate) struct Cache {
    root: PathBuf,
    trust: Mistrust,
}

impl Cache {
    fn at(place: Place) -> Result<Self, Error> {
        let Place { folder, built } = place;
        let mut builder = Mistrust::builder();
        // No variable turns the checks off.
        builder.ignore_environment();
        if let Some(built) = built {
            builder.ignore_prefix(built);
        }
        let unsafe_at = |folder: &Path| {
            let folder = folder.to_owned();
            move |source| Error::Cache { folder, source }
        };
        // A system without user database has no private groups: then no group is trusted.
        let trust = builder.build().or_else(|_| builder.trust_no_group_id().build()).map_err(unsafe_at(&folder))?;
        let cache = Cache { root: folder.clone(), trust };
        cache.verifier().make_directory(&folder).map_err(unsafe_at(&folder))?;
        Ok(cache)
    }

    pub(crate) fn open() -> Result<Self, Error> {
        let program = std::env::current_exe().unwrap_or_default();
        Self::at(choose(|name| std::env::var_os(name), &program, rustix::process::geteuid().as_raw())?)
    }

    fn verifier(&self) -> Verifier<'_> {
        // Nothing in it is secret.
        self.trust.verifier().permit_readable()
    }

    /// A folder of the cache, which no other user can write.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, Error> {
        let folder = self.root.join(name);
        self.verifier().make_directory(&folder).map_err(|source| Error::Cache { folder: folder.clone(), source })?;
        Ok(folder)
    }

    /// Holds that a file of the cache was made by this user or root and can be written by no other.
    pub(crate) fn check(&self, file: &Path) -> Result<(), Error> {
        self.verifier().require_file().check(file).map_err(|source| Error::Cache { folder: file.into(), source })
    }
}

/// Where compiled models are kept; the folder is there and checked.
///
/// # Errors
/// Another user can write it, it cannot be made, or there is no place for it.
pub fn cache_root() -> Result<PathBuf, Error> {
    Ok(Cache::open()?.root)
}

/// Nothing in this folder may be executed: it is mounted so.
pub(crate) fn is_noexec(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|s| s.f_flag.contains(StatVfsMountFlags::NOEXEC))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    const NOBODY: u32 = 65_534;

    fn chosen(variables: &[(&str, &str)], program: &str, user: u32) -> Result<Place, Error> {
        choose(|name| variables.iter().find(|v| v.0 == name).map(|v| v.1.into()), Path::new(program), user)
    }

    /// A folder of this user's, in one that all users may write.
    struct Shared(PathBuf);

    impl Shared {
        fn new(name: &str) -> Self {
            let dir = std::env::temp_dir().join(format!("timely-cache-{name}-{}", std::process::id()));
            fs::create_dir(&dir).expect("a folder");
            Shared(dir)
        }

        fn folder(&self, name: &str, mode: u32) -> PathBuf {
            let folder = self.0.join(name);
            fs::create_dir_all(&folder).expect("a folder");
            fs::set_permissions(&folder, Permissions::from_mode(mode)).expect("its mode");
            folder
        }

        fn cache(&self, folder: &Path) -> Result<Cache, Error> {
            Cache::at(Place { folder: folder.into(), built: None })
        }
    }

    impl Drop for Shared {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn an_installed_program_has_a_cache_of_its_users() {
        let folder = |v: &[(&str, &str)], user| chosen(v, "/usr/bin/timely-sim", user).expect("a place").folder;
        let all = [("XDG_CACHE_HOME", "/x"), ("HOME", "/home/u"), ("TMPDIR", "/tmp"), ("CARGO_TARGET_DIR", "/tmp")];
        assert_eq!(folder(&all, 1000), Path::new("/x/timely/verilated"));
        assert_eq!(folder(&all[1..], 1000), Path::new("/home/u/.cache/timely/verilated"));
        // Under sudo HOME may still be the other user's.
        assert_eq!(folder(&all[1..], 0), Path::new("/var/cache/timely/verilated"));
        assert_eq!(folder(&[("XDG_CACHE_HOME", "x"), ("HOME", "/h")], 1000), Path::new("/h/.cache/timely/verilated"), "no relative one");
        assert_eq!(folder(&[(VARIABLE, "/own"), ("HOME", "/h")], 1000), Path::new("/own"));
        let text = chosen(&[], "/usr/bin/timely-sim", 1000).expect_err("no place").to_string();
        assert!(text.contains(VARIABLE), "{text}");
    }

    #[test]
    fn a_build_folder_is_used_by_its_owner_alone() {
        let shared = Shared::new("built");
        let target = shared.folder("target", 0o755);
        let program = target.join("debug/timely-sim");
        let place = |user| chosen(&[("HOME", "/h")], program.to_str().expect("text"), user).expect("a place");
        let own = rustix::process::geteuid().as_raw();
        assert_eq!(place(own), Place { folder: target.join("verilated"), built: Some(target.clone()) });
        assert_eq!(place(NOBODY).folder, Path::new("/h/.cache/timely/verilated"));
        // The variable counts for programs that stand in its folder, under whatever name that is.
        let named = shared.folder("named", 0o755);
        let variables = [("CARGO_TARGET_DIR", named.to_str().expect("text")), ("HOME", "/h")];
        let inside = named.join("debug/timely-sim");
        assert_eq!(chosen(&variables, inside.to_str().expect("text"), own).expect("a place").folder, named.join("verilated"));
        let outside = chosen(&variables, "/usr/bin/timely-sim", NOBODY).expect("a place");
        assert_eq!(outside.folder, Path::new("/h/.cache/timely/verilated"));
    }

    #[test]
    fn what_others_can_write_is_not_used() {
        let shared = Shared::new("shared");
        let cache = shared.cache(&shared.0.join("new/verilated")).expect("ours");
        assert_eq!(fs::metadata(&cache.root).expect("made").mode() & 0o777, 0o700);
        let refused = |e: Error| {
            let text = e.to_string();
            assert!(text.contains(shared.0.to_str().expect("text")) && text.contains(VARIABLE), "{text}");
        };
        // The folder itself, one above it, one in it, a file in it.
        refused(shared.cache(&shared.folder("open", 0o777)).expect_err("others may write it"));
        shared.folder("above", 0o777);
        refused(shared.cache(&shared.0.join("above/verilated")).expect_err("others may replace it"));
        shared.folder("new/verilated/model", 0o777);
        refused(cache.folder("model").expect_err("others may write it"));
        let file = cache.folder("good").expect("ours").join("model.so");
        fs::write(&file, "code").expect("written");
        cache.check(&file).expect("ours");
        fs::set_permissions(&file, Permissions::from_mode(0o666)).expect("its mode");
        refused(cache.check(&file).expect_err("others may write it"));
    }

    #[test]
    fn what_another_user_made_is_not_used() {
        use rustix::process::geteuid;
        use std::io::Write;
        if !geteuid().is_root() {
            // Past the test's capture, for `cargo xtask test` to tell.
            writeln!(std::io::stdout(), "left out: another user's cache: only root can make one").expect("stdout");
            return;
        }
        let shared = Shared::new("others");
        let folder = shared.folder("verilated", 0o755);
        let cache = shared.cache(&folder).expect("ours");
        let file = cache.folder("model").expect("ours").join("model.so");
        fs::write(&file, "code").expect("written");
        for theirs in [&file, &folder.join("model"), &folder] {
            cache.folder("model").and_then(|_| cache.check(&file)).expect("ours");
            std::os::unix::fs::chown(theirs, Some(NOBODY), None).expect("root may");
            assert!(cache.folder("model").and_then(|_| cache.check(&file)).is_err(), "{} is another user's", theirs.display());
            std::os::unix::fs::chown(theirs, Some(0), None).expect("root may");
        }
        // A link of theirs that leads to what is ours.
        let link = shared.0.join("link");
        std::os::unix::fs::symlink(&folder, &link).expect("a link");
        std::os::unix::fs::lchown(&link, Some(NOBODY), None).expect("root may");
        assert!(shared.cache(&link).is_err(), "its owner may turn it elsewhere");
    }

    /// On a file system of the test's own, which no other process sees.
    #[test]
    fn a_folder_that_nothing_is_executed_from_is_named() {
        use nix::mount::{MsFlags, mount};
        use nix::sched::{CloneFlags, unshare};
        use std::io::Write;
        let shared = Shared::new("noexec");
        let folder = shared.folder("mounted", 0o700);
        assert!(!is_noexec(&folder));
        let mounted = std::thread::spawn(move || {
            let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
            let apart = unshare(CloneFlags::CLONE_NEWNS).and_then(|()| mount(None::<&str>, "/", None::<&str>, private, None::<&str>));
            let options = MsFlags::MS_NOEXEC;
            apart.and_then(|()| mount(None::<&str>, &folder, Some("tmpfs"), options, None::<&str>)).ok().map(|()| is_noexec(&folder))
        });
        match mounted.join().expect("no thread panics") {
            Some(found) => assert!(found),
            // Past the test's capture, for `cargo xtask test` to tell.
            None => writeln!(std::io::stdout(), "left out: a folder mounted noexec: only root can mount one").expect("stdout"),
        }
    }
}
