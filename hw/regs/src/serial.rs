//! Registers over a serial line, for boards without a bus to a host: 8 data bits, no parity, one
//! stop bit.
//!
//! A request has [`REQUEST_BYTES`]: [`REQUEST`], [`READ`] or [`WRITE`], 3 bytes of address, 4 bytes
//! of data (of a read: any), the [`crc8`] of all but the first byte. Its answer has
//! [`ANSWER_BYTES`]: [`ANSWER`], a status, 4 bytes of data (of a write: zeros), the `crc8` of all
//! but the first byte. Numbers have their lowest byte first. A request that is silent for 65,536
//! clocks before it is whole is forgotten; what comes while one is being answered is not heard.

/// Bits a second.
pub const BAUD: u32 = 1_000_000;
/// The first byte of a request.
pub const REQUEST: u8 = 0x54;
/// The first byte of an answer.
pub const ANSWER: u8 = 0x74;
/// Kind of a request that reads.
pub const READ: u8 = 0;
/// Kind of a request that writes.
pub const WRITE: u8 = 1;
/// Status: done. Others below 4 are those of AXI: 2 refused by the register, 3 no register there.
pub const DONE: u8 = 0;
/// Status: the request's kind or check byte is wrong; nothing was done.
pub const REFUSED: u8 = 0x80;
/// Bytes of a request.
pub const REQUEST_BYTES: usize = 10;
/// Bytes of an answer.
pub const ANSWER_BYTES: usize = 7;

/// The check byte, 0 at first, after another byte: polynomial `x^8 + x^2 + x + 1`, highest bit
/// first.
pub const fn crc8(register: u8, byte: u8) -> u8 {
    let mut r = register ^ byte;
    let mut bit = 0;
    while bit < 8 {
        r = if r & 0x80 == 0 { r << 1 } else { r << 1 ^ 0x07 };
        bit += 1;
    }
    r
}

/// The check byte of these bytes.
pub fn check(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |r, b| crc8(r, *b))
}

/// A request; of a read, `data` is 0.
pub fn request(kind: u8, address: u32, data: u32) -> [u8; REQUEST_BYTES] {
    let mut bytes = [0; REQUEST_BYTES];
    (bytes[0], bytes[1]) = (REQUEST, kind);
    bytes[2..5].copy_from_slice(&address.to_le_bytes()[..3]);
    bytes[5..9].copy_from_slice(&data.to_le_bytes());
    bytes[9] = check(&bytes[1..9]);
    bytes
}

/// Status and data of an answer; none if it is not one.
pub fn answer(bytes: &[u8; ANSWER_BYTES]) -> Option<(u8, u32)> {
    let whole = bytes[0] == ANSWER && check(&bytes[1..6]) == bytes[6];
    whole.then(|| (bytes[1], u32::from_le_bytes([bytes[2], bytes[3], bytes[4], bytes[5]])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_byte_is_crc_8() {
        assert_eq!(check(b"123456789"), 0xf4);
    }

    #[test]
    fn an_answer_is_read_if_it_is_whole() {
        let mut bytes = [ANSWER, 2, 0x78, 0x56, 0x34, 0x12, 0];
        bytes[6] = check(&bytes[1..6]);
        assert_eq!(answer(&bytes), Some((2, 0x1234_5678)));
        bytes[3] ^= 1;
        assert_eq!(answer(&bytes), None);
        assert_eq!(request(WRITE, 0x00ab_cdef, 1)[..9], [REQUEST, WRITE, 0xef, 0xcd, 0xab, 1, 0, 0, 0]);
    }
}
