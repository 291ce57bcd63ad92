//! Arrays of parts whose number is a parameter of their block.
use rust_hdl::prelude::*;
use std::ops::{Deref, DerefMut};

/// `N` parts. Rust's arrays have a default for some lengths alone, and one array without is enough
/// to lose the derived `Default` of a block.
pub struct Array<T, const N: usize>([T; N]);

impl<T, const N: usize> Array<T, N> {
    /// Parts by their numbers.
    pub fn from_fn(part: impl FnMut(usize) -> T) -> Self {
        Array(std::array::from_fn(part))
    }
}

impl<T: Default, const N: usize> Default for Array<T, N> {
    fn default() -> Self {
        Array(std::array::from_fn(|_| T::default()))
    }
}

impl<T, const N: usize> Deref for Array<T, N> {
    type Target = [T; N];

    fn deref(&self) -> &[T; N] {
        &self.0
    }
}

impl<T, const N: usize> DerefMut for Array<T, N> {
    fn deref_mut(&mut self) -> &mut [T; N] {
        &mut self.0
    }
}

impl<T: Logic, const N: usize> Logic for Array<T, N> {
    fn update(&mut self) {}
}

impl<T: Block, const N: usize> Block for Array<T, N> {
    fn connect_all(&mut self) {
        self.0.connect_all();
    }

    fn update_all(&mut self) {
        self.0.update_all();
    }

    fn has_changed(&self) -> bool {
        self.0.has_changed()
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe);
    }
}
