//! Construction of blocks that have constants: RustHDL's `Constant` has no `Default`, and one is
//! enough to lose the derived one.

/// `construct!({ constant: value, .. } field, .. ; array, ..)`: `Self` with the given values, and
/// defaults elsewhere.
macro_rules! construct {
    ({ $($name:ident: $value:expr),* $(,)? } $($field:ident),* $(,)? $(; $($array:ident),* $(,)?)?) => {
        Self {
            $($name: $value,)*
            $($field: Default::default(),)*
            $($($array: std::array::from_fn(|_| Default::default()),)*)?
        }
    };
}
pub(crate) use construct;
