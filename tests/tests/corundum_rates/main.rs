//! Unpaced traffic in Corundum's form: the rate of our scheduler beside that of Corundum's own, on
//! the same card and host; and paced flows beside it.
//!
//! Our scheduler is its model, which the Verilog equals (`lockstep_store`).
mod card;
mod stock;

use card::{CLOCK_PS, Card, REQUESTS, Scheduler};
use stock::Stock;
use timely_hw::scheduler::emission::share;
use timely_model::Block;
use timely_model::pacer::Timing;
use timely_model::scheduler::registers::Given;
use timely_model::scheduler::top::{Down, In, Scheduler as Model};
use timely_model::scheduler::window;
use timely_regs::corundum::Kind;
use timely_regs::map::increment;
use timely_regs::profile::{OUTSTANDING, TOKEN_CAP, USE_WINDOW};
use timely_tests::{few_seeds, rng, thorough};

const F: usize = 10;
/// Parameters of our scheduler.
const GIVEN: Given = Given {
    base: 0x3000,
    address: 0x8_3000,
    next: 0x8_4000,
    window: 0x80_0000,
    queues: 1 << F,
    dest: 16,
    flow_bits: F as u8,
    streams: false,
};

/// Our scheduler at those ports.
struct Ours {
    model: Model,
    clk: u64,
}

impl Ours {
    fn swept(given: Given, bus_bits: usize) -> Self {
        let model = Model::new(given, Timing::default(), REQUESTS, share(bus_bits), increment(CLOCK_PS as u32));
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
    fn beside(bus_bits: usize, queues: usize) -> Self {
        let mut ours = Ours::swept(Given { streams: true, ..GIVEN }, bus_bits);
        (0..queues as u32).for_each(|q| ours.write(Kind::Channel, q, 3));
        ours
    }

    /// Scheduler whose first `queues` are enabled; the first of them are flows of such rates, Mb/s,
    /// and with `idle` one more queue is a flow that has nothing to send.
    fn new(bus_bits: usize, queues: usize, flows: &[u32], idle: bool) -> Self {
        // The least caps that the driver gives on such boards without streams, for reads of 3 us.
        let cap = if bus_bits < 512 { 16_384 } else { 75_000 };
        let mut ours = Ours::swept(GIVEN, bus_bits);
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

    fn write(&mut self, kind: Kind, index: u32, data: u32) {
        let (mut aw, mut w) = (Some(kind.address(F, index)), Some((data, 15)));
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

/// Gb/s of a card's line, and bits of its bus.
type Line = (u64, usize);
/// Cards of 10 and of 100 Gb/s.
const CARDS: [Line; 2] = [(10, 64), (100, 512)];
/// Bytes of packets, and seed, of the table in the documentation.
const SIZES: &[usize] = &[60, 1514, 9014];
const DOCUMENTED: u64 = 1;

/// Gb/s on the wire of each queue in so many clocks, behind a quarter of them, of a card that
/// begins with that scheduler.
fn rates((gbps, bus_bits): Line, seed: u64, bytes: Vec<usize>, clocks: u64, mut scheduler: impl Scheduler) -> Vec<f64> {
    let mut card = Card::new(bus_bits, gbps * 1000, bytes, 100..=400, rng(seed));
    (0..clocks / 4).for_each(|_| card.step(&mut scheduler));
    let before = card.sent.clone();
    (0..clocks).for_each(|_| card.step(&mut scheduler));
    let gbps = |(queue, sent): (usize, &u64)| ((sent - before[queue]) * card.wire_bytes(queue) * 8000) as f64 / (clocks * CLOCK_PS) as f64;
    card.sent.iter().enumerate().map(gbps).collect()
}

/// Unpaced queues have at least 95 % of the rate that they have with the stock scheduler, with no
/// flow loaded, beside one that has nothing to send, and on an interface without an application
/// block's half, on a host that answers a read after 400 to 1,600 ns. Under `cargo xtask soak`
/// packets of more sizes. The table of `docs/corundum.md` has these figures.
#[test]
fn unpaced_traffic_is_as_fast_as_with_the_stock_scheduler() {
    const CLOCKS: u64 = 200_000;
    let page = include_str!("../../../docs/corundum.md");
    // Gb/s that Corundum's own core, simulated, had with its own scheduler.
    let core = [(10, 60, 5.81), (10, 1514, 9.86), (100, 60, 6.02), (100, 1514, 95.6), (100, 9014, 100.0)];
    let sizes: &[usize] = if thorough() { &[60, 300, 1514, 2034, 4082, 6000, 9014] } else { SIZES };
    for seed in few_seeds() {
        for line @ (gbps, bus_bits) in CARDS {
            for &bytes in sizes {
                let mut row = format!("| {gbps} Gb/s, {bus_bits} bits | {bytes} |");
                for queues in [1, 8] {
                    let cell = format!("{gbps} Gb/s, {bytes} bytes, {queues} queues");
                    let rate = |scheduler: Ours| rates(line, seed, vec![bytes; queues], CLOCKS, scheduler).iter().sum::<f64>();
                    let stock: f64 = rates(line, seed, vec![bytes; queues], CLOCKS, Stock::new(1 << F)).iter().sum();
                    let ours = [false, true].map(|idle| rate(Ours::new(bus_bits, queues, &[], idle)));
                    println!(
                        "{cell}: {stock:.2} Gb/s with the stock scheduler, {:.2} with ours, {:.2} beside an idle flow",
                        ours[0], ours[1]
                    );
                    row += &format!(" {stock:.2} | {:.2} | {:.2} |", ours[0], ours[1]);
                    let beside = rate(Ours::beside(bus_bits, queues));
                    for rate in [ours[0], ours[1], beside] {
                        assert!(rate >= 0.95 * stock, "{cell}, seed {seed}: {rate:.2} of {stock:.2} Gb/s");
                    }
                    if let Some(&(_, _, real)) = core.iter().find(|c| (c.0, c.1, 1) == (gbps, bytes, queues)) {
                        assert!((stock / real - 1.0).abs() < 0.05, "{cell}: {stock:.2} Gb/s, and {real} in Corundum's core");
                    }
                }
                let shown = seed == DOCUMENTED && SIZES.contains(&bytes);
                assert!(!shown || page.contains(&row), "docs/corundum.md has another row than this:\n{row}");
            }
        }
    }
}

/// Four flows of 5, 7, 11 and 35 % of the line, in packets of 1,514 bytes, keep these rates beside
/// three queues that always have packets of any size, and these take turns.
#[test]
fn paced_flows_keep_their_rates_beside_unpaced_traffic() {
    const CLOCKS: u64 = 400_000;
    for line @ (gbps, bus_bits) in CARDS {
        for bytes in [60, 1514, 9014] {
            let cell = format!("{gbps} Gb/s, three queues of {bytes} bytes");
            let flows = [5, 7, 11, 35].map(|n| n * 10 * gbps as u32);
            let sizes = [vec![1514; 4], vec![bytes; 3]].concat();
            let rates = rates(line, few_seeds()[0], sizes, CLOCKS, Ours::new(bus_bits, 7, &flows, false));
            println!("{cell}: {rates:.3?} Gb/s, paced at {flows:?} Mb/s");
            // A packet more or less at the ends.
            let packet = (1538 * 8000) as f64 / (CLOCKS * CLOCK_PS) as f64;
            for (rate, mbps) in rates.iter().zip(flows) {
                let asked = f64::from(mbps) / 1000.0;
                assert!((rate - asked).abs() <= 0.01 * asked + packet, "{cell}: {rate:.3} Gb/s of {asked}");
            }
            let turns = &rates[4..];
            let (least, most) = (turns.iter().copied().fold(f64::MAX, f64::min), turns.iter().copied().fold(0.0, f64::max));
            assert!(least > 0.9 * most && least > 0.0, "{cell}: turns {turns:?}");
        }
    }
}
