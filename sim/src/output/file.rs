//! Files of results. They are opened before what they are of is run, so that no result is lost for
//! want of a place, and a regular one gets its name when all is in it: a run that fails leaves the
//! older file, and no broken one.
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file that can be written.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A regular file, or none yet: where it is behind all links, and what its permissions were.
    Named(PathBuf, Option<Permissions>),
    /// A device or a pipe, which no other file can take the place of.
    Open(File),
}

/// All files that a command writes.
#[derive(Debug, Default)]
pub struct Outputs {
    inputs: Vec<PathBuf>,
    taken: Vec<(PathBuf, PathBuf)>,
}

impl Outputs {
    /// No outputs yet, of a command that reads these inputs.
    pub fn besides<'a>(inputs: impl IntoIterator<Item = &'a Path>) -> Self {
        // An input without a path of its own, such as a pipe, is no file that could be written
        // over.
        Outputs { inputs: inputs.into_iter().filter_map(|i| fs::canonicalize(i).ok()).collect(), taken: Vec::new() }
    }

    /// A file to write.
    ///
    /// # Errors
    /// The file cannot be written, is read by the command, or is written by it already; the
    /// sentence says what to do.
    pub fn file(&mut self, path: &Path) -> Result<Output, String> {
        let output = Output::open(path)?;
        if let Place::Named(place, _) = &output.place {
            if self.inputs.contains(place) {
                return Err(format!("{}: this command reads it; name another file to write", path.display()));
            }
            if let Some((_, other)) = self.taken.iter().find(|t| t.0 == *place) {
                return Err(format!("{} and {} are one file; name two", other.display(), path.display()));
            }
            self.taken.push((place.clone(), path.into()));
        }
        Ok(output)
    }

    /// Files of these names in a folder, which is made if missing.
    ///
    /// # Errors
    /// The folder cannot be made, or as for a file.
    pub fn folder<const N: usize>(&mut self, dir: &Path, names: [&str; N]) -> Result<[Output; N], String> {
        make(dir)?;
        let all = names.into_iter().map(|n| self.file(&dir.join(n))).collect::<Result<Vec<_>, _>>()?;
        Ok(all.try_into().expect("as many as names"))
    }
}

/// Makes a folder, if it is missing.
///
/// # Errors
/// The folder cannot be made; the sentence says what to do.
pub fn make(dir: &Path) -> Result<(), String> {
    fs::create_dir_all(dir).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            format!("{}: is no folder, or has a file in its path; name a folder, or one that can be made", dir.display())
        }
        _ => format!("{}: the folder cannot be made: {e}; name another", dir.display()),
    })
}

fn is(there: &Metadata, stream: impl AsFd) -> Option<File> {
    let open = File::from(stream.as_fd().try_clone_to_owned().ok()?);
    open.metadata().ok().filter(|m| (m.dev(), m.ino()) == (there.dev(), there.ino()))?;
    Some(open)
}

// A new file in a folder, and its path.
fn part(dir: &Path) -> io::Result<(File, PathBuf)> {
    let mut number = 0;
    loop {
        let path = dir.join(format!(".timely-sim.{}.{number}.part", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => number += 1,
            done => return Ok((done?, path)),
        }
    }
}

impl Output {
    fn open(path: &Path) -> Result<Self, String> {
        let refused = |why: String| Err(format!("{}: {why}", path.display()));
        let there = fs::metadata(path).ok();
        if there.as_ref().is_some_and(Metadata::is_dir) || path.as_os_str().as_bytes().ends_with(b"/") {
            return refused("is a folder; name a file".into());
        }
        let place = |place| Output { path: path.into(), place };
        if let Some(there) = &there {
            // Opened anew it would be written from its beginning, over what else was said.
            if let Some(open) = is(there, io::stdout()).or_else(|| is(there, io::stderr())) {
                return Ok(place(Place::Open(open)));
            }
            match OpenOptions::new().write(true).open(path) {
                Ok(open) if !there.is_file() => return Ok(place(Place::Open(open))),
                Ok(_) => {}
                Err(e) => return refused(format!("cannot be written: {e}; name another file")),
            }
        }
        let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let named = match (&there, path.file_name()) {
            (None, Some(name)) => fs::canonicalize(dir).map(|d| d.join(name)),
            _ => fs::canonicalize(path),
        };
        // Made and removed: nothing is left of a run that is killed.
        let tried = named.and_then(|n| part(n.parent().unwrap_or(dir)).and_then(|(_, p)| fs::remove_file(p)).map(|()| n));
        match tried {
            Ok(n) => Ok(place(Place::Named(n, there.map(|t| t.permissions())))),
            Err(e) if e.kind() == ErrorKind::NotFound => refused(format!("there is no folder {}; make it first", dir.display())),
            Err(e) => refused(format!("the folder {} takes no file: {e}; name a file in another", dir.display())),
        }
    }

    /// Path of the output, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes all bytes. A pipe with a closed reading end is no error.
    ///
    /// # Errors
    /// The file was not written, and an older one is as it was.
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), String> {
        let done = match &mut self.place {
            Place::Open(file) => {
                file.write_all(bytes.as_ref()).or_else(|e| if e.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(e) })
            }
            Place::Named(place, permissions) => replace(place, permissions.as_ref(), bytes.as_ref()),
        };
        done.map_err(|e| format!("{}: {e}; free space there, or name another file", self.path.display()))
    }
}

fn replace(place: &Path, permissions: Option<&Permissions>, bytes: &[u8]) -> io::Result<()> {
    let (mut file, path) = part(place.parent().unwrap_or(Path::new("/")))?;
    let kept = permissions.map_or(Ok(()), |p| file.set_permissions(p.clone()));
    let done = kept.and_then(|()| file.write_all(bytes)).and_then(|()| fs::rename(&path, place));
    if done.is_err() {
        let _ = fs::remove_file(&path);
    }
    done
}
