//! The seam between the network and a bit-true NIC: what stands on a NIC's pins at one clock.
//!
//! A [`Core`] is the Verilated RTL, or the integer model of the whole NIC. [`super::mac::MacNic`]
//! gives it a clock, a wire and a place in the network. As everywhere in the datapath, outputs are
//! functions of registers alone.
use super::memory::{Behaviour, Memory};
use super::socket::Socket;

use timely_regs::event;

/// A beat that the NIC offers to its MAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TxBeat {
    /// The bytes, byte 0 first; those from `bytes` on are 0.
    pub data: [u8; 64],
    /// How many: the bus width, except in the last beat.
    pub bytes: u8,
    /// Last beat of the frame.
    pub last: bool,
    /// Tag of the frame, given back with its departure stamp.
    pub tag: u16,
}

/// The NIC's outputs during a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pins {
    /// The beat on the transmit stream while its `tvalid` is 1.
    pub tx: Option<TxBeat>,
}

/// A beat that the MAC hands to the NIC; the NIC always takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RxBeat {
    /// The bytes, byte 0 first; those from `bytes` on are 0.
    pub data: [u8; 64],
    /// How many.
    pub bytes: u8,
    /// Last beat of the frame.
    pub last: bool,
    /// Arrival of the frame's first bit in the NIC's own time, ns48.fns16; the same in all beats of
    /// a frame.
    pub ts: u64,
    /// With the last beat: the frame is damaged.
    pub bad: bool,
}

/// A departure stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The frame's tag.
    pub tag: u16,
    /// Departure of the frame's first bit in the NIC's own time, ns48.fns16.
    pub ts: u64,
}

/// The NIC's inputs at a clock's edge. The default is the idle input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreIn {
    /// A received beat.
    pub rx: Option<RxBeat>,
    /// The MAC takes the beat that is offered in this clock.
    pub tx_ready: bool,
    /// A departure stamp.
    pub completion: Option<Completion>,
    /// Paused priorities (PFC), a level.
    pub pause: u8,
    /// PTP's time at this clock, ns48.fns16.
    pub ptp: Option<u64>,
}

/// Something inside the NIC that the simulator records; a pulse of the datapath, seen at a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CoreEvent {
    /// `rtt -> engine`: a valid round trip.
    Rtt {
        /// Clock at whose edge the pulse is consumed.
        clk: u64,
        /// Flow.
        flow: u32,
        /// The measured RTT in nanoseconds.
        ns: u32,
    },
    /// `rtt -> engine`: a segment was given up.
    Timeout {
        /// Clock.
        clk: u64,
        /// Flow.
        flow: u32,
    },
    /// `engine -> pacer`: a rate is in force.
    Rate {
        /// Clock.
        clk: u64,
        /// Flow.
        flow: u32,
        /// The rate register, 2^-12 Mb/s.
        rate: u32,
    },
    /// An event record leaves.
    Record {
        /// Clock.
        clk: u64,
        /// The record, `timely_regs::event`.
        words: [u32; event::WORDS],
    },
}

/// A register access that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("register {addr:#08x}: {what}")]
pub struct AccessError {
    /// Byte address.
    pub addr: u32,
    /// Answer of the bus.
    pub what: &'static str,
}

/// A bit-true NIC.
pub trait Core: Send {
    /// Bytes of a beat: 8 to 64.
    fn bus_bytes(&self) -> usize;

    /// The number of the coming clock: that of the edge that the next [`Core::step`] makes.
    fn clk(&self) -> u64;

    /// Outputs during the coming clock.
    fn output(&self) -> Pins;

    /// The edge that ends the coming clock.
    fn step(&mut self, input: &CoreIn);

    /// The NIC's own time during the coming clock, ns48.fns16.
    fn now(&self) -> u64;

    /// The first clock, from the coming one on, that must be stepped although the input stays idle
    /// (nothing received, no stamp, not ready, no pause); `u64::MAX` when there is none. RTL
    /// answers `self.clk()`.
    ///
    /// While [`Core::output`] offers a beat that the MAC does not take, idle clocks may be skipped
    /// too if nothing else goes on.
    fn wake(&self) -> u64;

    /// Passes idle clocks without stepping them, up to `clk`, exclusive; `clk` is at most
    /// `self.wake()`.
    fn skip_to(&mut self, clk: u64);

    /// Writes a register and waits for the answer, stepping as many clocks with idle inputs as that
    /// takes. For set-up.
    fn write32(&mut self, addr: u32, value: u32) -> Result<(), AccessError>;

    /// Reads a register, as [`Core::write32`] writes one.
    fn read32(&mut self, addr: u32) -> Result<u32, AccessError>;

    /// Holds `rst` for so many clocks, with idle inputs. Queued register accesses are dropped, and
    /// what is in flight to and from the memory.
    fn reset(&mut self, clocks: u64);

    /// Queues a register write that the AXI-Lite handshake then makes in the course of the clocks
    /// that follow, while traffic goes on; [`Core::wake`] must cover it. This is how a scenario
    /// starts a flow.
    fn post_write(&mut self, addr: u32, value: u32);

    /// Queues a register read, as [`Core::post_write`] queues a write.
    fn post_read(&mut self, addr: u32);

    /// The result of the queued access that ended last, once; nothing while any is under way.
    fn answer(&mut self) -> Option<Result<u32, AccessError>>;

    /// Puts a memory behind the AXI4 master, in place of the one that is there: of zeros, and with
    /// nothing in flight.
    ///
    /// A core without DMA has no memory: what is read from it is 0.
    fn attach(&mut self, seed: u64, behaviour: &Behaviour) {
        let _ = (seed, behaviour);
    }

    /// The memory, if there is one.
    fn memory(&mut self) -> Option<&mut Memory> {
        None
    }

    /// Copies from the memory.
    fn read_memory(&self, address: u64, to: &mut [u8]) {
        let _ = address;
        to.fill(0);
    }

    /// Copies into the memory.
    fn write_memory(&mut self, address: u64, from: &[u8]) {
        let _ = (address, from);
    }

    /// Interrupt lines during the coming clock, `timely_regs::map::dma`.
    fn irq(&self) -> u32 {
        0
    }

    /// Frames of a host outside the simulation, of a core that has one.
    fn socket(&mut self) -> Option<&mut Socket> {
        None
    }

    /// The MAC drops frames that arrive damaged; else it hands them over marked as damaged.
    fn drops_damaged(&self) -> bool {
        false
    }

    /// Clocks that a received beat takes before the NIC looks at it.
    fn arrival_clocks(&self) -> u64 {
        0
    }

    /// Moves the events since the last call into `events`, in order.
    fn drain(&mut self, events: &mut Vec<CoreEvent>);
}
