//! Constants of blocks whose other fields have defaults.
use rust_hdl::prelude::*;

/// A constant of a block. RustHDL's `Constant` has no `Default`, and one such field is enough to lose the derived `Default` of its block.
///
/// A constant that got no value appears as a signal that nothing drives, so that RustHDL's checks refuse its block and name it.
#[derive(Clone, Debug)]
pub struct Const<T: Synth>(Option<Constant<T>>);

impl<T: Synth> Const<T> {
    /// A constant of this value.
    pub fn new(value: T) -> Self {
        Const(Some(Constant::new(value)))
    }

    /// The value. Kernels may call it.
    pub fn val(&self) -> T {
        self.0.as_ref().map_or_else(T::default, Constant::val)
    }
}

impl<T: Synth> Default for Const<T> {
    fn default() -> Self {
        Const(None)
    }
}

impl<T: Synth> Logic for Const<T> {
    fn update(&mut self) {}
}

impl<T: Synth> Block for Const<T> {
    fn connect_all(&mut self) {}

    fn update_all(&mut self) {}

    fn has_changed(&self) -> bool {
        false
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        match &self.0 {
            Some(constant) => constant.accept(name, probe),
            None => Signal::<Local, T>::default().accept(name, probe),
        }
    }
}
