//! List of the written files, for the scripts of `bitstreams/` that add them to a shell: they
//! refuse a folder that has lost a file, or has another's.
use super::{File, Shell};
use crate::config::Config;
use std::fmt::Write;

/// Name of the list's file.
pub const FILE: &str = "timely.files";

impl Shell {
    /// The list of `files`, a word and its values a line; none of a shell that no script takes up.
    pub fn manifest(self, config: Config, clock_ps: u32, files: &[&File]) -> Option<File> {
        if matches!(self, Shell::Standalone | Shell::Ecpix5) {
            return None;
        }
        let mut text = format!(
            "# What timely-hw emit wrote, each file with its bytes. The scripts of bitstreams/ read it.\n\
             shell {self}\nbus {}\nflow_bits {}\nclock_ps {clock_ps}\ntop {}\n",
            config.bus,
            config.flow_bits,
            self.top()
        );
        for file in files {
            let _ = writeln!(text, "file {} {}", file.path, file.text.len());
        }
        Some(File { path: FILE.into(), text })
    }
}
