//! Numbers that a RustHDL kernel can multiply at any width: [`U`] unsigned, [`S`] signed.
//!
//! RustHDL multiplies only `Bits<16>` and only truncated. These newtypes declare plain Verilog
//! vectors (`S` as `reg signed`) and leave the product's width to the assignment target, which must
//! be exactly the sum of the operands' widths.
use num_bigint::BigUint;
use rust_hdl::core::type_descriptor::{TypeDescriptor, TypeKind};
use rust_hdl::prelude::*;

/// An unsigned number of `N` bits.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct U<const N: usize>(pub Bits<N>);

impl<const N: usize> Synth for U<N> {
    const BITS: usize = N;
    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: format!("U{N}"), kind: TypeKind::Bits(N) }
    }
    fn vcd(self) -> VCDValue {
        self.0.into()
    }
    fn verilog(self) -> VerilogLiteral {
        self.0.into()
    }
}

impl<const N: usize> From<Bits<N>> for U<N> {
    fn from(x: Bits<N>) -> Self {
        U(x)
    }
}

impl<const N: usize> From<U<N>> for Bits<N> {
    fn from(x: U<N>) -> Self {
        x.0
    }
}

/// A full-precision unsigned product on its way into a `Bits` of exactly its width.
pub struct Product {
    value: u128,
    width: usize,
}

impl<const N: usize, const M: usize> std::ops::Mul<U<M>> for U<N> {
    type Output = Product;
    fn mul(self, r: U<M>) -> Product {
        assert!(N + M <= 128, "a product of {N} by {M} bits is wider than 128");
        Product { value: self.0.to_u128() * r.0.to_u128(), width: N + M }
    }
}

impl<const K: usize> From<Product> for Bits<K> {
    fn from(p: Product) -> Self {
        assert_eq!(K, p.width, "a product must be assigned to exactly its own width");
        Bits::<K>::from(BigUint::from(p.value))
    }
}

/// A signed number of `N` bits, kept sign-extended.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct S<const N: usize>(pub i128);

fn wrap<const N: usize>(x: i128) -> i128 {
    (x << (128 - N)) >> (128 - N)
}

impl<const N: usize> Synth for S<N> {
    const BITS: usize = N;
    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: format!("S{N}"), kind: TypeKind::Signed(N) }
    }
    fn vcd(self) -> VCDValue {
        Bits::<N>::from(self).into()
    }
    fn verilog(self) -> VerilogLiteral {
        Bits::<N>::from(self).into()
    }
}

impl<const N: usize> From<S<N>> for Bits<N> {
    fn from(x: S<N>) -> Self {
        Bits::from(BigUint::from(x.0 as u128 & (u128::MAX >> (128 - N))))
    }
}

impl<const N: usize> From<Bits<N>> for S<N> {
    fn from(x: Bits<N>) -> Self {
        S(wrap::<N>(x.to_u128() as i128))
    }
}

/// A signed result on its way into an [`S`] of the target's width.
#[derive(PartialEq, PartialOrd)]
pub struct Exact(i128);

impl<const N: usize, const M: usize> std::ops::Mul<S<M>> for S<N> {
    type Output = Exact;
    fn mul(self, r: S<M>) -> Exact {
        Exact(self.0 * r.0)
    }
}

impl<const N: usize, const M: usize> std::ops::Add<S<M>> for S<N> {
    type Output = Exact;
    fn add(self, r: S<M>) -> Exact {
        Exact(self.0 + r.0)
    }
}

impl<const N: usize, const M: usize> std::ops::Sub<S<M>> for S<N> {
    type Output = Exact;
    fn sub(self, r: S<M>) -> Exact {
        Exact(self.0 - r.0)
    }
}

impl<const K: usize> From<Exact> for S<K> {
    fn from(x: Exact) -> Self {
        S(wrap::<K>(x.0))
    }
}
