//! Captures of both ends of the wire, held against each other.

/// A frame of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Simulated time, ns.
    pub ns: u64,
    /// The frame left the NIC by this end; else it came in.
    pub leaves: bool,
    /// Bytes of the frame.
    pub bytes: Vec<u8>,
}

/// The frames of a capture, as `timely-sim wire` writes it; of one that was cut off those before
/// the cut.
pub fn read(file: &[u8]) -> Vec<Passed> {
    let word = |at: usize| file.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let (mut at, mut all) = (0, Vec::new());
    while let (Some(kind), Some(length)) = (word(at), word(at + 4)) {
        let length = length as usize;
        if length < 12 || file.len() < at + length {
            break;
        }
        if kind == 6
            && let (Some(high), Some(low), Some(captured)) = (word(at + 12), word(at + 16), word(at + 20))
            && let Some(bytes) = file.get(at + 28..at + 28 + captured as usize)
        {
            let direction = word(at + 28 + (captured as usize).next_multiple_of(4) + 4);
            all.push(Passed { ns: u64::from(high) << 32 | u64::from(low), leaves: direction == Some(2), bytes: bytes.to_vec() });
        }
        at += length;
    }
    all
}

/// How many frames went from the first capture's end to the second's, all of them in order and byte
/// for byte the same.
///
/// # Errors
/// A frame that differs, or is missing. The last ones may still have been in the NIC.
pub fn same(from: &[Passed], to: &[Passed]) -> Result<usize, String> {
    let came: Vec<_> = from.iter().filter(|p| !p.leaves).collect();
    let left: Vec<_> = to.iter().filter(|p| p.leaves).collect();
    if left.len() > came.len() {
        return Err(format!("{} frames came and {} left", came.len(), left.len()));
    }
    match came.iter().zip(&left).position(|(a, b)| a.bytes != b.bytes) {
        Some(at) => Err(format!("frame {at} came with {} bytes and left with {}, or others", came[at].bytes.len(), left[at].bytes.len())),
        None => Ok(left.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(leaves: bool, byte: u8) -> Passed {
        Passed { ns: 0, leaves, bytes: vec![byte; 60] }
    }

    #[test]
    fn frames_are_held_against_each_other() {
        let from = [frame(false, 1), frame(true, 9), frame(false, 2), frame(false, 3)];
        assert_eq!(same(&from, &[frame(true, 1), frame(false, 7), frame(true, 2)]), Ok(2));
        assert!(same(&from, &[frame(true, 1), frame(true, 3)]).is_err_and(|e| e.contains("frame 1")));
        assert!(same(&[], &[frame(true, 1)]).is_err());
    }
}
