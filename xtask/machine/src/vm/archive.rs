//! Initial file systems of guests.

/// An archive as the kernel unpacks one: cpio, format newc.
#[derive(Default)]
pub struct Archive(Vec<u8>);

impl Archive {
    fn pad(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }

    /// A file, folder or link of such a mode.
    pub fn put(&mut self, name: &str, mode: u32, data: &[u8]) {
        let inode = self.0.len() as u32;
        let fields = [inode, mode, 0, 0, 1, 0, data.len() as u32, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        self.0.extend(b"070701");
        fields.iter().for_each(|f| self.0.extend(format!("{f:08x}").bytes()));
        self.0.extend(name.bytes());
        self.0.push(0);
        self.pad();
        self.0.extend(data);
        self.pad();
    }

    /// A folder.
    pub fn folder(&mut self, name: &str) {
        self.put(name, 0o040_755, &[]);
    }

    /// A file that can be run.
    pub fn program(&mut self, name: &str, data: &[u8]) {
        self.put(name, 0o100_755, data);
    }

    /// The archive's bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.put("TRAILER!!!", 0, &[]);
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_its_parts_at_multiples_of_four() {
        let mut a = Archive::default();
        a.program("init", b"five!");
        let bytes = a.finish();
        assert_eq!(&bytes[..6], b"070701");
        assert_eq!(&bytes[14..22], b"000081ed");
        assert_eq!(&bytes[54..62], b"00000005");
        assert_eq!(&bytes[110..116], b"init\0\0");
        assert_eq!(&bytes[116..121], b"five!");
        assert_eq!(&bytes[124..130], b"070701");
        assert!(bytes.len().is_multiple_of(4) && bytes.windows(10).any(|w| w == b"TRAILER!!!"));
    }
}
