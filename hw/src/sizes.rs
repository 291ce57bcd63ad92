//! Const generics of a block that must fit one another, checked where the block is made.
//!
//! A field of these types puts nothing into the Verilog.
use rust_hdl::prelude::*;

/// `N` is `A + B`.
#[derive(Clone, Copy, Debug)]
pub struct Sum<const N: usize, const A: usize, const B: usize>;

impl<const N: usize, const A: usize, const B: usize> Default for Sum<N, A, B> {
    fn default() -> Self {
        assert_eq!(N, A + B, "a width of {N} bits is made of {A} and {B}");
        Sum
    }
}

/// `N` is `MOST` or less.
#[derive(Clone, Copy, Debug)]
pub struct AtMost<const N: usize, const MOST: usize>;

impl<const N: usize, const MOST: usize> Default for AtMost<N, MOST> {
    fn default() -> Self {
        assert!(N <= MOST, "{N} is more than {MOST}");
        AtMost
    }
}

/// Traits that RustHDL asks of a field.
macro_rules! nothing {
    ($name:ident<$($n:ident),*>) => {
        impl<$(const $n: usize),*> Logic for $name<$($n),*> {
            fn update(&mut self) {}
        }

        impl<$(const $n: usize),*> Block for $name<$($n),*> {
            fn connect_all(&mut self) {}

            fn update_all(&mut self) {}

            fn has_changed(&self) -> bool {
                false
            }

            fn accept(&self, _name: &str, _probe: &mut dyn Probe) {}
        }
    };
}
nothing!(Sum<N, A, B>);
nothing!(AtMost<N, MOST>);
