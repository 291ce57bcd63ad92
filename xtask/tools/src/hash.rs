//! Digests that tell texts apart.

/// FNV-1a: for telling texts apart, not for security.
pub fn hash<T: AsRef<[u8]>>(texts: &[T]) -> String {
    let byte = |h: u64, b: &u8| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", texts.iter().flat_map(|t| t.as_ref()).fold(0xcbf2_9ce4_8422_2325, byte))
}

#[cfg(test)]
mod tests {
    use super::hash;

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(hash(&["foo", "bar"]), "85944171f73967e8");
    }
}
