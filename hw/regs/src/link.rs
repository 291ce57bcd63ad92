//! Facts about the link below the frame: what a frame costs on the wire, and the tags that
//! departure stamps come back with.

/// Bytes that a frame takes on the wire besides its own without FCS: preamble and start delimiter
/// 8, FCS 4, gap 12.
pub const WIRE_OVERHEAD: u32 = 24;
/// Wire bytes of the shortest frame.
pub const WIRE_LEAST: u32 = 84;
/// Bytes of the longest frame that a host may send through the in-line core, without FCS; a
/// multiple of the packet store's cell.
pub const LONGEST_FRAME: u32 = 9_728;
/// Bytes of a cell of the packet store.
pub const CELL_BYTES: u32 = 256;
/// log2 of the beats that wait in front of the packet store.
pub const WAITING_BITS: u32 = 9;
/// Tag of every ACK at the MAC, so that its departure stamp is known not to be a data packet's.
pub const ACK_TAG: u16 = 0x7fff;
/// Tag of frames that go past the packet store, between the multiplexers of the in-line core.
pub const PAST_TAG: u16 = ACK_TAG - 1;
/// Bits of the running tag of data packets, above which a tag is 0.
pub const DATA_TAG_BITS: u32 = 8;

/// A doorbell is refused that would give a flow this many packets to send, or more. The pacer's own
/// bound is 2^16; it may see grants of the last few clocks late, hence the margin.
pub const BACKLOG_BOUND: u32 = 0xff00;

/// Wire bytes of a frame of `frame` bytes without FCS.
pub const fn wire_bytes(frame: u32) -> u32 {
    let wire = frame + WIRE_OVERHEAD;
    if wire < WIRE_LEAST { WIRE_LEAST } else { wire }
}

/// Wire bytes of all that one queue pair can have in the in-line core, by the cells that it may
/// have in the store and the width of the bus, at most: packets of one cell each, for these take
/// longest to leave; the largest one, which is stored whole while there is room for its first cell;
/// and packets of a beat of 512 bits in front of the store.
pub const fn most_waiting(cells: u32, bus_bits: u32) -> u64 {
    const SHORTEST: u32 = 64;
    let stored = (CELL_BYTES + WIRE_OVERHEAD) as u64 * (cells + LONGEST_FRAME / CELL_BYTES - 1) as u64;
    let beats = ((1 << WAITING_BITS) * (bus_bits / 8) / SHORTEST) as u64;
    stored + beats * (SHORTEST + WIRE_OVERHEAD) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_frames_are_padded() {
        assert_eq!((wire_bytes(1514), wire_bytes(60), wire_bytes(1)), (1538, 84, 84));
    }
}
