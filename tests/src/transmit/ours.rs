//! Our scheduler before that engine: its model, which the Verilog equals (`lockstep_store`).
use super::{CLOCK_PS, REQUESTS, Scheduler};
use timely_hw::scheduler::emission::share;
use timely_model::Block;
use timely_model::pacer::Timing;
use timely_model::scheduler::registers::Given;
use timely_model::scheduler::top::{Down, In, Scheduler as Model};
use timely_model::scheduler::window;
use timely_regs::corundum::Kind;
use timely_regs::map::increment;
use timely_regs::profile::{OUTSTANDING, TOKEN_CAP, USE_WINDOW};

/// log2 of its flows, which are queues.
pub const FLOW_BITS: usize = 10;
/// Parameters of our scheduler.
const GIVEN: Given = Given {
    base: 0x3000,
    address: 0x8_3000,
    next: 0x8_4000,
    window: 0x80_0000,
    queues: 1 << FLOW_BITS,
    dest: 16,
    flow_bits: FLOW_BITS as u8,
    streams: false,
};

/// Model of our scheduler, at the ports of [`Scheduler`].
pub struct Ours {
    model: Model,
    clk: u64,
}

impl Ours {
    /// Scheduler that is enabled and has been told of no flow; without a queue that is.
    pub fn swept(streams: bool, bus_bits: usize) -> Self {
        let model = Model::new(Given { streams, ..GIVEN }, Timing::default(), REQUESTS, share(bus_bits), increment(CLOCK_PS as u32));
        let mut ours = Ours { model, clk: 0 };
        while !ours.model.output(ours.clk).up.swept {
            ours.clock(In::default());
        }
        while !ours.model.output(ours.clk).registers.wr_ack {
            ours.clock(In { write: Some((0x3028, 1, 15)), ..In::default() });
        }
        ours
    }

    /// Scheduler of an interface that the application block does not serve, in a tree with streams:
    /// the bus is wired to 0, so that the time stands.
    pub fn beside(bus_bits: usize, queues: usize) -> Self {
        let mut ours = Ours::swept(true, bus_bits);
        (0..queues as u32).for_each(|q| ours.write(Kind::Channel, q, 3));
        ours
    }

    /// Scheduler whose first `queues` are enabled; the first of them are flows of such rates, Mb/s,
    /// and with `idle` one more queue is a flow that has nothing to send.
    pub fn new(bus_bits: usize, queues: usize, flows: &[u32], idle: bool) -> Self {
        // The least caps that the driver gives on such boards without streams, for reads of 3 us.
        let cap = if bus_bits < 512 { 16_384 } else { 75_000 };
        let mut ours = Ours::swept(false, bus_bits);
        for (word, data) in [(OUTSTANDING.word, 0), (TOKEN_CAP.word, cap), (USE_WINDOW.word, 0)] {
            ours.write(Kind::Profile, word.into(), data);
        }
        let idle = if idle { Some((queues as u32, 1000)) } else { None };
        for (flow, mbps) in (0..).zip(flows.iter().copied()).chain(idle) {
            ours.write(Kind::Load, flow, 1 | 1400 << 16);
            ours.write(Kind::Rate, flow, mbps << 12);
        }
        (0..=queues as u32).for_each(|q| ours.write(Kind::Channel, q, 3));
        ours
    }

    fn clock(&mut self, i: In) {
        self.model.step(self.clk, &In { down: Down::default(), ..i });
        self.clk += 1;
    }

    /// Writes a word of its window.
    pub fn write(&mut self, kind: Kind, index: u32, data: u32) {
        self.write_at(kind.address(FLOW_BITS, index), data);
    }

    /// Writes the word at `address`, from the window's first byte on.
    pub fn write_at(&mut self, address: u32, data: u32) {
        let (mut aw, mut w) = (Some(address), Some((data, 15)));
        loop {
            let o = self.model.output(self.clk).window;
            self.clock(In { window: window::In { aw, w, b_ready: true, ..window::In::default() }, ..In::default() });
            (aw, w) = (aw.filter(|_| !o.aw_ready), w.filter(|_| !o.w_ready));
            if o.b.is_some() {
                break;
            }
        }
    }
}

impl Scheduler for Ours {
    fn request(&self) -> Option<(u32, u8)> {
        self.model.output(self.clk).request
    }

    fn step(&mut self, doorbell: Option<u32>, ready: bool, status: Option<(u8, u16)>) {
        self.clock(In { doorbell, request_ready: ready, status, ..In::default() });
    }
}
