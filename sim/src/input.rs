//! Files that are read: regular ones or pipes, for others may have no end, and no more of them than
//! there is memory for.
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Most bytes of a scenario, a sweep, or another file that it names.
pub const MOST_TEXT: u64 = 64 << 20;

/// Why a file could not be read, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened or read.
    #[error("{0}; {next}", next = next(.0))]
    Io(#[from] io::Error),
    /// The path is no regular file or pipe.
    #[error("is no file but {0}; name a file, or a pipe")]
    Kind(&'static str),
    /// The file is longer than the limit, in bytes.
    #[error("is longer than {} MiB; name a file of at most that", .0 >> 20)]
    Long(u64),
    /// The file is not UTF-8.
    #[error("is no text: byte {0} is not UTF-8; name a text file")]
    Binary(usize),
}

fn next(e: &io::Error) -> impl fmt::Display {
    match e.kind() {
        ErrorKind::NotFound => "check the path",
        ErrorKind::PermissionDenied => "ask its owner for leave to read it, or name another file",
        ErrorKind::NotADirectory => "a folder in its path is a file; check the path",
        _ => "name another file",
    }
}

/// The bytes of a file, `most` at most.
///
/// # Errors
/// The file cannot be read, is neither a regular file nor a pipe, or is longer.
pub fn bytes(file: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let kind = std::fs::metadata(file)?.file_type();
    if kind.is_dir() {
        return Err(Error::Kind("a folder"));
    }
    if !kind.is_file() && !kind.is_fifo() {
        return Err(Error::Kind(if kind.is_socket() { "a socket" } else { "a device" }));
    }
    let mut all = Vec::new();
    File::open(file)?.take(most.saturating_add(1)).read_to_end(&mut all)?;
    if all.len() as u64 > most { Err(Error::Long(most)) } else { Ok(all) }
}

/// The text of a file, [`MOST_TEXT`] bytes at most.
///
/// # Errors
/// As of its bytes, or it is not UTF-8.
pub fn text(file: &Path) -> Result<String, Error> {
    let text = String::from_utf8(bytes(file, MOST_TEXT)?).map_err(|e| Error::Binary(e.utf8_error().valid_up_to()))?;
    // Editors of other systems begin a file with a mark, which no reader of words could show.
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_word() {
        let file = std::env::temp_dir().join(format!("timely-mark-{}", std::process::id()));
        std::fs::write(&file, "\u{feff}4 1 3\r\n").expect("written");
        assert_eq!(text(&file).expect("text"), "4 1 3\r\n");
        std::fs::remove_file(file).expect("removed");
    }

    #[test]
    fn what_has_no_end_is_not_read() {
        let why = |file: &str| text(Path::new(file)).unwrap_err().to_string();
        assert_eq!(why("/dev/zero"), "is no file but a device; name a file, or a pipe");
        assert_eq!(why("/"), "is no file but a folder; name a file, or a pipe");
        assert_eq!(why("/nowhere"), "No such file or directory (os error 2); check the path");
        let long = std::env::temp_dir().join(format!("timely-long-{}", std::process::id()));
        File::create(&long).and_then(|f| f.set_len(MOST_TEXT + 1)).unwrap();
        assert_eq!(why(long.to_str().unwrap()), "is longer than 64 MiB; name a file of at most that");
        std::fs::write(&long, [b'a', 0xff]).unwrap();
        assert_eq!(why(long.to_str().unwrap()), "is no text: byte 1 is not UTF-8; name a text file");
        std::fs::remove_file(long).unwrap();
    }
}
