//! Constants of blocks whose other fields have defaults.
use rust_hdl::prelude::*;

/// A constant of a block. RustHDL's `Constant` has no `Default`, and one such field is enough to
/// lose the derived `Default` of its block.
///
/// A constant that got no value appears as a signal that nothing drives, so that RustHDL's checks
/// refuse its block and name it.
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

/// The constant `V` of `N` bits, known by its type, so that its block derives `Default`.
#[derive(Clone, Debug)]
pub struct Fixed<const N: usize, const V: u64>(Constant<Bits<N>>);

impl<const N: usize, const V: u64> Default for Fixed<N, V> {
    fn default() -> Self {
        assert!(N >= 64 || V >> N == 0, "{V} has more than {N} bits");
        Fixed(Constant::new(bits::<N>(V)))
    }
}

/// A constant of `N` bits of which bit `AT`, the highest, is 1: the number of words of a RAM with
/// `AT` address bits.
#[derive(Clone, Debug)]
pub struct OneHot<const N: usize, const AT: usize>(Constant<Bits<N>>);

impl<const N: usize, const AT: usize> Default for OneHot<N, AT> {
    fn default() -> Self {
        assert_eq!(N, AT + 1, "a counter of {AT} bits' words has one bit more than their address");
        OneHot(Constant::new(bits::<N>(1 << AT)))
    }
}

/// Traits that RustHDL asks of a constant that is known by its type.
macro_rules! constant {
    ($name:ident, $value:ident: $type:ty) => {
        impl<const N: usize, const $value: $type> $name<N, $value> {
            /// The value. Kernels may call it.
            pub fn val(&self) -> Bits<N> {
                self.0.val()
            }
        }

        impl<const N: usize, const $value: $type> Logic for $name<N, $value> {
            fn update(&mut self) {}
        }

        impl<const N: usize, const $value: $type> Block for $name<N, $value> {
            fn connect_all(&mut self) {}

            fn update_all(&mut self) {}

            fn has_changed(&self) -> bool {
                false
            }

            fn accept(&self, name: &str, probe: &mut dyn Probe) {
                self.0.accept(name, probe);
            }
        }
    };
}
constant!(Fixed, V: u64);
constant!(OneHot, AT: usize);
