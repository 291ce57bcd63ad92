//! Tables in blocks whose other fields have defaults.
use rust_hdl::prelude::*;
use std::ops::{Deref, DerefMut};

/// A ROM of `2^N` words that gives the word at `address` a clock later, as RustHDL's `SyncROM`,
/// which has no `Default`: one such field is enough to lose the derived `Default` of its block.
pub struct Rom<D: Synth, const N: usize>(SyncROM<D, N>, bool);

impl<D: Synth, const N: usize> Rom<D, N> {
    /// A ROM of these words.
    pub fn new(word: impl Fn(usize) -> D) -> Self {
        Rom(SyncROM::new((0..1 << N).map(|a| (bits::<N>(a as u64), word(a))).collect()), true)
    }
}

impl<D: Synth, const N: usize> Default for Rom<D, N> {
    fn default() -> Self {
        Rom(SyncROM::new(std::iter::empty().collect()), false)
    }
}

impl<D: Synth, const N: usize> Deref for Rom<D, N> {
    type Target = SyncROM<D, N>;

    fn deref(&self) -> &SyncROM<D, N> {
        &self.0
    }
}

impl<D: Synth, const N: usize> DerefMut for Rom<D, N> {
    fn deref_mut(&mut self) -> &mut SyncROM<D, N> {
        &mut self.0
    }
}

impl<D: Synth, const N: usize> Logic for Rom<D, N> {
    fn update(&mut self) {}
}

impl<D: Synth, const N: usize> Block for Rom<D, N> {
    fn connect_all(&mut self) {
        self.0.connect_all();
    }

    fn update_all(&mut self) {
        self.0.update_all();
    }

    fn has_changed(&self) -> bool {
        self.0.has_changed()
    }

    /// # Panics
    /// When the ROM got no words.
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        assert!(self.1, "the ROM {name} has no words");
        self.0.accept(name, probe);
    }
}
