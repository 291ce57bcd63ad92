//! An emission as a folder: every file under a header, with the module prefix that was asked for,
//! and written only where it replaces nothing but an earlier emission of itself.
use crate::config::Config;
use crate::emit::PREFIX;
use crate::shells::{Extras, File, Shell};
use regex::{NoExpand, Regex};
use std::fs;
use std::path::Path;

/// Most characters of a module prefix: some tools cut names at 256, and the longest module path
/// takes half of that.
const LONGEST_PREFIX: usize = 32;

/// Introduces the parameters in a header.
const PARAMETERS: &str = "Parameters: ";

/// Beginning of the name of every emitted module: `tnic_` unless asked for, so that two
/// configurations fit into one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix(String);

impl Default for Prefix {
    fn default() -> Self {
        Prefix(PREFIX.into())
    }
}

impl std::str::FromStr for Prefix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let first = text.starts_with(|c: char| c.is_ascii_alphabetic());
        let fits = first && text.len() <= LONGEST_PREFIX && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let refused = || {
            format!(
                "a prefix begins with a letter and has letters, digits and underscores, at most {LONGEST_PREFIX}, as nic0_; not `{text}`"
            )
        };
        fits.then(|| Prefix(text.into())).ok_or_else(refused)
    }
}

impl std::fmt::Display for Prefix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// An emission: all that its files depend on.
#[derive(Clone, Debug)]
pub struct Emission {
    /// The shell.
    pub shell: Shell,
    /// Bus and flows.
    pub config: Config,
    /// Clock period, ps.
    pub clock_ps: u32,
    /// Optional parts of the shell.
    pub extras: Extras,
    /// Beginning of the name of every module.
    pub prefix: Prefix,
}

impl Emission {
    /// One of `shell` with its usual clock and prefix, and no extras.
    pub fn new(shell: Shell, config: Config) -> Self {
        Emission { shell, config, clock_ps: shell.clock_ps(), extras: Extras::default(), prefix: Prefix::default() }
    }

    /// The parameters as a header has them.
    fn parameters(&self) -> String {
        let Emission { shell, config, clock_ps, extras, prefix } = self;
        let generator = if extras.generator { ", generator" } else { "" };
        let roce = if extras.roce { ", roce" } else { "" };
        format!(
            "shell {shell}, bus {} bits, flow bits {}, clock {clock_ps} ps, prefix {prefix}{generator}{roce}",
            config.bus, config.flow_bits
        )
    }

    /// The name of the top module.
    pub fn top(&self) -> String {
        self.renamed(&self.shell.top())
    }

    /// The file of the top module. A prefix that was asked for is in its name too.
    pub fn file_name(&self) -> String {
        let usual = self.shell.file_name(self.config, self.extras);
        if self.prefix == Prefix::default() { usual } else { usual.replacen("timely_", &self.prefix.0, 1) }
    }

    fn renamed(&self, text: &str) -> String {
        if self.prefix == Prefix::default() {
            return text.to_owned();
        }
        let own = Regex::new(&format!(r"\b{PREFIX}")).expect("constant pattern");
        let files = text.replace(&self.shell.file_name(self.config, self.extras), &self.file_name());
        own.replace_all(&files, NoExpand(&self.prefix.0)).into_owned()
    }

    /// All files, that of the top module first.
    ///
    /// # Errors
    /// RustHDL's checks reject the design, or the configuration is not built; the reason as text.
    pub fn files(&self) -> Result<Vec<File>, String> {
        let Emission { shell, config, clock_ps, extras, .. } = self;
        let mut files = shell.emit_with(*config, *clock_ps, *extras)?;
        files.extend(shell.besides(*config, *clock_ps)?);
        for file in &mut files {
            *file = File { path: self.renamed(&file.path), text: header(&file.path, &self.parameters(), &self.renamed(&file.text)) };
        }
        // The manifest counts bytes, those of headers too.
        if let Some(manifest) = shell.manifest(*config, *clock_ps, &files.iter().collect::<Vec<_>>()) {
            files.push(File { text: header(&manifest.path, &self.parameters(), &self.renamed(&manifest.text)), ..manifest });
        }
        Ok(files)
    }

    /// Refuses to write `files` into `folder` where one would replace a file that is not an earlier
    /// emission with the same parameters.
    ///
    /// # Errors
    /// Each such file, with the parameters that its header gives, and what to do.
    pub fn fits_into(&self, folder: &Path, files: &[File]) -> Result<(), String> {
        let mut told = Vec::new();
        for path in files.iter().map(|f| folder.join(&f.path)) {
            // Of one that is there and cannot be read, writing says why.
            let Ok(there) = fs::read(&path) else { continue };
            match parameters(&String::from_utf8_lossy(&there)) {
                Some(same) if same == self.parameters() => {}
                Some(other) => told.push(format!("{} is of another emission ({other})", path.display())),
                None => told.push(format!("{} has no header of timely-hw", path.display())),
            }
        }
        if told.is_empty() {
            return Ok(());
        }
        Err(format!("{}; nothing was written: name another folder with --out, or add --force to replace what is there", told.join("; ")))
    }
}

/// `text` under a header in the comments of the language that the file's name tells.
pub fn header(path: &str, parameters: &str, text: &str) -> String {
    let comment = if [".v", ".vh", ".sv", ".f"].iter().any(|end| path.ends_with(end)) { "//" } else { "#" };
    // A script's first line says what runs it.
    let (first, rest) = match text.split_once('\n') {
        Some((first, rest)) if first.starts_with("#!") => (format!("{first}\n"), rest),
        _ => (String::new(), text),
    };
    format!(
        "{first}{comment} timely-nic, written by timely-hw {}: emit it anew rather than edit it.\n{comment} {PARAMETERS}{parameters}\n\
         {comment} SPDX-License-Identifier: {}\n{rest}",
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_LICENSE"),
    )
}

/// The parameters that the header of `text` gives.
fn parameters(text: &str) -> Option<&str> {
    let mut head = text.lines().take_while(|l| l.starts_with(['#', '/']));
    head.find_map(|l| l.trim_start_matches(['#', '/', ' ']).strip_prefix(PARAMETERS))
}
