//! The NIC's side of the frames at both ends: each is counted and captured, and given to its
//! socket's thread.
use super::{Shared, held};
use crate::output::note;
use crate::pcapng;
use crate::serve::wire::{End, Ends};
use crate::time::{NS, Ps};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A file of the frames that pass an end, written as they do.
#[derive(Debug)]
pub struct Capture {
    path: PathBuf,
    /// Nothing once it could not be written.
    file: Option<BufWriter<File>>,
}

impl Capture {
    /// A file for the frames of the interface of that name.
    ///
    /// # Errors
    /// The file cannot be written; the sentence names it.
    pub fn create(path: &Path, interface: &str) -> Result<Self, String> {
        let failed = |e: std::io::Error| format!("{}: {e}; name a file that can be written", path.display());
        let mut file = BufWriter::new(File::create(path).map_err(failed)?);
        file.write_all(&pcapng::start(interface)).and_then(|()| file.flush()).map_err(failed)?;
        Ok(Capture { path: path.into(), file: Some(file) })
    }

    fn pass(&mut self, at: Ps, leaves: bool, frame: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let mut block = Vec::new();
        pcapng::packet(&mut block, at, leaves, frame.len() as u32, frame);
        if let Err(e) = file.write_all(&block) {
            note(format_args!("{}: {e}: no more frames are written to it", self.path.display()));
            self.file = None;
        }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        if let Some(e) = self.file.as_mut().and_then(|f| f.flush().err()) {
            note(format_args!("{}: {e}: its last frames are missing", self.path.display()));
        }
    }
}

/// The machines at both ends, as the NIC sees them.
pub struct Outside {
    shared: Arc<Shared>,
    captures: [Option<Capture>; 2],
}

impl Outside {
    /// Ends whose frames are captured, the host's first, or are not.
    pub fn new(shared: Arc<Shared>, captures: [Option<Capture>; 2]) -> Self {
        Outside { shared, captures }
    }
}

impl Ends for Outside {
    fn came(&mut self, end: End, at: Ps, frame: &[u8]) {
        let count = &mut held(&self.shared.counts)[end as usize];
        count.came += 1;
        count.came_bytes += frame.len() as u64;
        if let Some(c) = &mut self.captures[end as usize] {
            c.pass(at, false, frame);
        }
    }

    fn leaves(&mut self, end: End, at: Ps, frame: &[u8]) {
        if let Some(c) = &mut self.captures[end as usize] {
            c.pass(at, true, frame);
        }
        let taken = self.shared.leaves(end, frame);
        let count = &mut held(&self.shared.counts)[end as usize];
        if taken {
            count.left += 1;
            count.left_bytes += frame.len() as u64;
        } else {
            count.untaken += 1;
        }
    }

    fn taken(&mut self, end: End, frames: usize) {
        if frames > 0 {
            self.shared.taken(end, frames);
        }
    }

    fn host_takes(&self) -> bool {
        self.shared.takes(End::Host)
    }

    fn ran(&mut self, simulated: Ps, wall: Duration) {
        let ran = &mut *held(&self.shared.ran);
        ran.0 += Duration::from_nanos(simulated / NS);
        ran.1 += wall;
    }
}
