//! The hot path: 64 bytes for each flow, from [`BASE`] up. Everything else in it is no register.

/// Offset of flow 0.
pub const BASE: u32 = 0x40_0000;
/// Bytes of a flow.
pub const STRIDE: u32 = 64;
/// Offset of the doorbell in a flow's bytes.
pub const DOORBELL: u32 = 0;
/// Offset of the rate register in a flow's bytes.
pub const FIXED_RATE: u32 = 4;
/// Most packets that one doorbell posts; the least is 1.
pub const MOST_PACKETS: u32 = 0xffff;
/// Flows that the window has room for.
pub const FLOWS: u32 = 1 << 16;

/// The doorbell of a flow: WO, a write posts that many packets.
pub const fn doorbell(flow: u32) -> u32 {
    BASE + flow * STRIDE + DOORBELL
}

/// The rate register of a flow: WO, the rate of a flow of law `fixed`, in 2^-12 Mb/s.
pub const fn fixed_rate(flow: u32) -> u32 {
    BASE + flow * STRIDE + FIXED_RATE
}
