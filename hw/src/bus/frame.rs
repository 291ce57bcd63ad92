//! Frames: beats in wire order (byte `i` of a beat in bits `8i+7..8i`), reports, completions.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// AXI4-Stream of `W` bits, `K = W / 8`. Beats are full but for a frame's last, which has a run
    /// of bytes from byte 0.
    AxisOut, "AxisOut", AxisIn, "AxisIn", [const W: usize, const K: usize]
    Forth tdata: Bits<W>,
    Forth tkeep: Bits<K>,
    Forth tvalid: Bit,
    Back tready: Bit,
    Forth tlast: Bit,
}

bus! {
    /// AXI4-Stream with the frame's tag in all of its beats.
    TaggedAxisOut, "TaggedAxisOut", TaggedAxisIn, "TaggedAxisIn", [const W: usize, const K: usize]
    Forth tdata: Bits<W>,
    Forth tkeep: Bits<K>,
    Forth tvalid: Bit,
    Back tready: Bit,
    Forth tlast: Bit,
    Forth tag: Bits<16>,
}

bus! {
    /// AXI4-Stream with `M` bits beside each beat.
    SideAxisOut, "SideAxisOut", SideAxisIn, "SideAxisIn", [const W: usize, const K: usize, const M: usize]
    Forth tdata: Bits<W>,
    Forth tkeep: Bits<K>,
    Forth tvalid: Bit,
    Back tready: Bit,
    Forth tlast: Bit,
    Forth side: Bits<M>,
}

bus! {
    /// Received frames, a beat at every clock with `tvalid`: `ts` is the stamp of the frame's
    /// start, ns48.fns16, held for all its beats; `bad` comes with the last beat of a damaged
    /// frame.
    ReceivedOut, "ReceivedOut", ReceivedIn, "ReceivedIn", [const W: usize, const K: usize]
    Forth tdata: Bits<W>,
    Forth tkeep: Bits<K>,
    Forth tvalid: Bit,
    Forth tlast: Bit,
    Forth ts: Bits<64>,
    Forth bad: Bit,
}

bus! {
    /// A parsed frame: `kind` 0 foreign, 1 data, 2 ACK, 3 malformed or bad; `class` bit 0 VLAN tag,
    /// bit 1 IPv6, without a meaning for frames that are foreign or bad; `head` its first 66 bytes,
    /// those behind its end left over from what the bus carried before; `hdr` our header, where the
    /// class has it; `len` its bytes without FCS, 0 if they could not be counted; `ts` the stamp of
    /// its start, ns48.fns16.
    ReportOut, "ReportOut", ReportIn, "ReportIn", []
    Forth valid: Bit,
    Forth kind: Bits<2>,
    Forth class: Bits<2>,
    Forth head: Bits<528>,
    Forth hdr: Bits<384>,
    Forth len: Bits<16>,
    Forth ts: Bits<64>,
}

bus! {
    /// The frame of a tag has departed; its first byte left at `ts`, ns48.fns16.
    CompletionOut, "CompletionOut", CompletionIn, "CompletionIn", []
    Forth valid: Bit,
    Forth tag: Bits<16>,
    Forth ts: Bits<64>,
}
