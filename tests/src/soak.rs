//! The whole NIC for as long as one likes, its Verilog beside its model: a storm on the wire, a
//! busy host, snapshots and an event ring into a memory that stalls, resets in the middle of it
//! all. `cargo xtask soak --nic CLOCKS` runs it.
//!
//! A round sets the NIC up with flows and weather of its own, runs, falls quiet, and accounts for
//! every frame; then all flows must send again, and a reset ends it. Whatever is wrong panics, and
//! names the seed and the round, which can be run without those before it.
use crate::loopback::{Loop, Tally, Weather, any_form, near_peers, spec};
use crate::nic::{Nic, counters, start_with, twin};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use timely_regs::counters::Counter;
use timely_regs::map::{dma, flow, id, telemetry, time, window};
use timely_regs::parameters::Parameters;
use timely_sim::cores::CoreSpec;
use timely_sim::nic::core::CoreEvent;
use timely_sim::nic::memory::Behaviour;
use timely_sim::nic::setup;

/// Clocks in which data and ACKs must go on, whatever the wire and the host do: a time-out, a pause
/// and a stop by the host are shorter.
const PROGRESS: u64 = 400_000;
/// Clocks in which every flow must have sent a packet once the wire is calm.
const REVIVAL: u64 = 1_000_000;
/// Clocks in which all that is on its way must have arrived.
const CALM: u64 = 200_000;
/// Clocks between changes of the weather.
const SPELL: u64 = 10_000;
/// Where snapshots and the ring go.
const SNAPSHOT: u64 = 0x1_0000_0000;
const RING: u64 = 0x2_0000_0000;
/// Flows of the NIC, and the widths it has in turn.
const FLOW_BITS: u32 = 10;
const BUSES: [u32; 2] = [64, 512];

/// Counts of a soak.
#[derive(Clone, Copy, Debug, Default)]
pub struct Soaked {
    /// Clocks of the Verilog.
    pub clocks: u64,
    /// Rounds, each with at least two resets.
    pub rounds: u64,
    /// Resets in the middle of a frame that was sent or received.
    pub torn: u64,
    /// Frames sent: data, ACKs.
    pub sent: [u64; 2],
    /// Frames received, all accounted for.
    pub received: u64,
    /// Foreign, malformed and spoilt ones among them, and ACKs that were repeated or forged.
    pub bad: [u64; 2],
    /// Frames that the wire lost.
    pub lost: u64,
    /// Samples, time-outs, rates, event records.
    pub events: [u64; 4],
    /// Snapshots that ended.
    pub snapshots: u64,
}

impl Soaked {
    fn add(&mut self, t: &Tally) {
        self.sent[0] += t.data;
        self.sent[1] += t.acks;
        self.received += t.frames();
        self.bad[0] += t.hostile;
        self.bad[1] += t.forged;
        self.lost += t.lost;
    }

    fn count(&mut self, events: &mut Vec<CoreEvent>) {
        for e in events.drain(..) {
            self.events[match e {
                CoreEvent::Rtt { .. } => 0,
                CoreEvent::Timeout { .. } => 1,
                CoreEvent::Rate { .. } => 2,
                CoreEvent::Record { .. } => 3,
            }] += 1;
        }
    }
}

impl std::fmt::Display for Soaked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ([data, acks], [bad, forged], [samples, timeouts, rates, records]) = (self.sent, self.bad, self.events);
        write!(
            f,
            "{} clocks, {} rounds, {} resets inside a frame; sent {data} data frames and {acks} ACKs; received {} frames, of them {bad} foreign \
             or malformed and {forged} ACKs repeated or forged; {} lost; {samples} samples, {timeouts} time-outs, {rates} rates, {records} \
             records, {} snapshots",
            self.clocks, self.rounds, self.torn, self.received, self.lost, self.snapshots
        )
    }
}

/// Writes of a busy host while packets fly: doorbells, rates, loads, the enable, the time, the
/// lead, the hosts that it answers. Most are about the first `flows` of a NIC's, some about any.
pub fn chatter(nic: &mut dyn Nic, flow_bits: u32, flows: u32, rng: &mut ChaCha8Rng) {
    let among = if rng.random_bool(0.2) { 1 << flow_bits } else { flows };
    let f = rng.random_range(0..among);
    match rng.random_range(0..15) {
        0..3 => nic.post_write(window::doorbell(f), rng.random_range(1..300)),
        3..6 => nic.post_write(window::fixed_rate(f), rng.random_range(1..20_000 << 12)),
        // The record that was staged last, for this flow: with a start of its own, or as a change
        // of what it was.
        6 => {
            nic.post_write(flow::INDEX.address(), f);
            nic.post_write(flow::COMMAND.address(), flow::LOAD);
            nic.post_write(window::doorbell(f), rng.random_range(1..20));
        }
        7 => nic.post_write(id::CONTROL.address(), rng.random_range(0..8).min(1)),
        8 => {
            let to = nic.now().wrapping_add(rng.random_range(0..1 << 33)).wrapping_sub(rng.random_range(0..1 << 33));
            nic.post_write(time::SET_LOW.address(), to as u32);
            nic.post_write(time::SET_HIGH.address(), (to >> 32) as u32);
        }
        9 => nic.post_write(telemetry::HISTOGRAM_INDEX.address(), 11 << 4 | rng.random_range(0..16)),
        10 => nic.post_write(telemetry::HISTOGRAM_CLEAR.address(), 1 << rng.random_range(0..16)),
        11 => drop(nic.read32(telemetry::HISTOGRAM_COUNT.address())),
        12 => nic.post_write(time::LEAD.address(), [0, 100, 400, 2000][rng.random_range(0..4)]),
        13 => near_peers(rng).into_iter().for_each(|(address, value)| nic.post_write(address, value)),
        _ => drop(nic.read32(time::NOW_LOW.address())),
    }
}

fn weather(rng: &mut ChaCha8Rng) -> Weather {
    Weather {
        lost: [0.0, 0.02, 0.3][rng.random_range(0..3)],
        spoilt: 0.01,
        repeated: 0.02,
        forged: 0.05,
        hostile: [0.0, 0.002, 0.05][rng.random_range(0..3)],
        ready: [0.3, 0.9, 1.0][rng.random_range(0..3)],
        paused: [0.0, 0.1, 0.5][rng.random_range(0..3)],
        delay: [20, 400, 3000][rng.random_range(0..3)],
    }
}

/// Nothing is lost, spoilt or held up.
const PEACE: Weather = Weather { lost: 0.0, spoilt: 0.0, repeated: 0.0, forged: 0.0, hostile: 0.0, ready: 1.0, paused: 0.0, delay: 20 };

/// Flows of every law; their time-outs strike.
fn flows(bus: u32, rng: &mut ChaCha8Rng) -> CoreSpec {
    let laws = [
        Parameters::timely_10g(8.0),
        Parameters::timely_10g(2.0).algorithm_1(),
        Parameters::patched_10g(8.0),
        Parameters::patched_10g(8.0).pi(),
        Parameters::swift_10g(8.0),
        Parameters::fixed(1500.0),
        Parameters::dcqcn_10g(),
    ];
    let laws = laws.map(|p| Parameters { timeout_us: 100.0, least_mbps: p.least_mbps.max(100.0), ..p });
    let mut spec = spec(bus, FLOW_BITS, rng.random_range(2..40), &laws[0], rng);
    for f in &mut spec.flows {
        f.parameters = laws[rng.random_range(0..laws.len())].clone();
        if rng.random() {
            f.parameters = Parameters { idle_us: 10.0, outstanding_bytes: 20_000, ..f.parameters.clone() };
        }
    }
    spec
}

/// A round under way.
struct Round<'a> {
    nic: &'a mut dyn Nic,
    wire: Loop,
    events: Vec<CoreEvent>,
    /// First word of the record that is staged, and the flow that was removed.
    staged: u32,
    removed: Option<u32>,
    seed: u64,
}

impl Round<'_> {
    fn step(&mut self) {
        let input = self.wire.inputs(self.nic.clk(), self.nic.now(), &self.nic.output());
        self.nic.step(&input);
        if self.nic.clk().is_multiple_of(4096) {
            self.nic.drain(&mut self.events);
        }
    }

    fn dma(&mut self, ring_bits: u32) {
        let writes = [
            (&dma::RING_LOW, RING as u32),
            (&dma::RING_HIGH, (RING >> 32) as u32),
            (&dma::RING_SIZE, ring_bits),
            (&dma::INTERRUPT_MASK, 1 << dma::SNAPSHOT_LINE),
            (&dma::SNAPSHOT[0], SNAPSHOT as u32),
            (&dma::SNAPSHOT[1], (SNAPSHOT >> 32) as u32),
            (&dma::SNAPSHOT[3], 64),
            (&dma::CONTROL, 3),
            (&telemetry::EVENT_EVERY, 1),
        ];
        writes.into_iter().for_each(|(r, value)| self.nic.post_write(r.address(), value));
    }

    /// Stages a flow's record, so that a load has one. A load in bulk stages none.
    fn stage(&mut self, spec: &CoreSpec) {
        let last = spec.flows.len() - 1;
        let writes = setup::load(last as u32, &setup::record(&spec.flows[last], 0, spec)).expect("a valid record");
        self.staged = writes.iter().find(|w| w.0 == flow::STAGE.address()).expect("the record has a first word").1;
        writes.into_iter().for_each(|(address, value)| self.nic.post_write(address, value));
    }

    /// Loads a flow with the record that is staged.
    fn load(&mut self, f: u32) {
        self.nic.post_write(flow::INDEX.address(), f);
        self.nic.post_write(flow::COMMAND.address(), flow::LOAD);
    }

    /// Removes a flow, wherever it is queued, or brings back the one that was.
    fn remove(&mut self, f: u32) {
        if let Some(f) = self.removed.take() {
            return self.load(f);
        }
        self.nic.post_write(flow::STAGE.address(), self.staged & !1);
        self.load(f);
        self.nic.post_write(flow::STAGE.address(), self.staged);
        self.removed = Some(f);
    }

    /// Traffic, and a host that talks to the NIC.
    fn storm(&mut self, clocks: u64, flows: u32, rng: &mut ChaCha8Rng, soaked: &mut Soaked) {
        let end = self.nic.clk() + clocks;
        let mut progress = (self.nic.clk(), self.wire.tally);
        while self.nic.clk() < end {
            let clk = self.nic.clk();
            if clk.is_multiple_of(SPELL) {
                self.wire.set_weather(weather(rng));
            }
            if rng.random_range(0..1500) == 0 {
                chatter(self.nic, FLOW_BITS, flows + 1, rng);
            }
            if rng.random_range(0..20_000) == 0 {
                // Refused while the last one is under way.
                self.nic.post_write(dma::SNAPSHOT[4].address(), dma::START);
            }
            if rng.random_range(0..20_000) == 0 {
                self.remove(rng.random_range(0..flows));
            }
            if self.nic.irq() != 0 {
                self.nic.post_write(dma::INTERRUPT.address(), 1 << dma::SNAPSHOT_LINE);
                (0..40).for_each(|_| self.step());
                soaked.snapshots += 1;
            }
            self.step();
            if self.nic.clk() >= progress.0 + PROGRESS {
                let (before, t) = (progress.1, self.wire.tally);
                assert!(
                    t.data > before.data && t.acks > before.acks,
                    "{PROGRESS} clocks to {} without traffic, seed {}",
                    self.nic.clk(),
                    self.seed
                );
                progress = (self.nic.clk(), t);
            }
        }
    }

    /// Stops the flows and lets everything arrive.
    fn calm(&mut self) {
        self.wire.set_weather(PEACE);
        self.nic.post_write(id::CONTROL.address(), 0);
        let (from, mut quiet) = (self.nic.clk(), 0);
        while quiet < 1000 {
            self.step();
            quiet = if self.wire.is_idle() && self.nic.output().tx.is_none() { quiet + 1 } else { 0 };
            assert!(self.nic.clk() - from < CALM, "the NIC does not fall quiet, seed {}", self.seed);
        }
    }

    /// Every frame is in the counter that is its own.
    fn account(&mut self) {
        let counted = counters(self.nic);
        let count = |c: Counter| u64::from(counted[c as usize]);
        let (t, seed) = (self.wire.tally, self.seed);
        let kinds = [
            Counter::RxForeign,
            Counter::RxBad,
            Counter::RxTruncated,
            Counter::RxBadIp,
            Counter::RxBadHeader,
            Counter::RxData,
            Counter::RxAcks,
        ];
        for kind in kinds {
            assert_eq!(count(kind), t.received[kind as usize], "{kind:?}, seed {seed}");
        }
        assert_eq!(count(Counter::RxFrames), t.frames(), "every frame counts, seed {seed}");
        assert_eq!((count(Counter::TxFrames), count(Counter::AcksSent)), (t.data, t.acks), "what was sent, seed {seed}");
        let answers =
            [Counter::AcksSent, Counter::AckRefusedAddress, Counter::AckRefusedPeer, Counter::AcksDropped, Counter::AckShareExceeded];
        assert!(answers.into_iter().map(count).sum::<u64>() <= count(Counter::RxData), "more answers than data, seed {seed}");
    }

    /// Every flow sends again.
    fn revive(&mut self, flows: u32) {
        let from = self.nic.clk();
        self.nic.post_write(id::CONTROL.address(), 1);
        if let Some(f) = self.removed.take() {
            self.load(f);
        }
        for f in 0..flows {
            // One that was loaded anew has nothing posted; one whose rate the host wrote may have
            // to wait for long.
            self.nic.post_write(window::fixed_rate(f), 500 << 12);
            self.nic.post_write(window::doorbell(f), 1);
        }
        loop {
            self.step();
            let Some(silent) = (0..flows).find(|f| self.wire.last_sent(*f).is_none_or(|clk| clk <= from)) else { break };
            assert!(self.nic.clk() - from < REVIVAL, "flow {silent} does not send any more, seed {}", self.seed);
        }
    }
}

/// A round's name, said where it ends badly.
struct Named {
    clocks: u64,
    seed: u64,
    round: u64,
}

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Named { clocks, seed, round } = self;
            eprintln!(
                "in round {round} of seed {seed}; without those before: `cargo run -p timely-tests --bin timely-soak -- {clocks} {seed} {round}`"
            );
        }
    }
}

/// Soaks a NIC for at least so many clocks, from round `from` of the seed on. `said` is told how
/// far it is after each round. With more clocks rounds are longer, up to 2,000,000.
///
/// # Panics
/// When Verilog and model differ, something is wedged, or a frame is not accounted for.
pub fn soak(clocks: u64, seed: u64, from: u64, mut said: impl FnMut(&Soaked)) -> Soaked {
    let mut soaked = Soaked::default();
    let mut nics = BUSES.map(|bus| twin(bus, FLOW_BITS, seed));
    let longest = (clocks / 4).clamp(20_000, 2_000_000);
    while soaked.clocks < clocks {
        let named = Named { clocks, seed, round: from + soaked.rounds };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(named.round);
        let which = named.round as usize % BUSES.len();
        let nic = &mut *nics[which];
        let begun = nic.clk();
        let behaviour =
            Behaviour { ready: rng.random_range(40..=256), latency: (rng.random_range(0..80), rng.random_range(0..200)), errors: 0 };
        nic.attach(rng.random(), &behaviour);
        let spec = flows(BUSES[which], &mut rng);
        let n = spec.flows.len() as u32;
        start_with(nic, &spec, any_form(&mut rng));
        let wire = Loop::new(BUSES[which] as usize, weather(&mut rng), ChaCha8Rng::seed_from_u64(rng.random()));
        let mut round = Round { nic, wire, events: Vec::new(), staged: 0, removed: None, seed };
        round.stage(&spec);
        round.dma(rng.random_range(4..10));
        round.storm(rng.random_range(longest / 4..longest), n, &mut rng, &mut soaked);
        round.calm();
        round.account();
        round.revive(n);
        round.storm(rng.random_range(0..20_000), n, &mut rng, &mut soaked);
        soaked.add(&round.wire.tally);
        let (out, into) = round.wire.in_frame();
        soaked.torn += u64::from(out || into);
        // Frames on their way meet a NIC that is being reset, and then one that is clearing its
        // RAMs.
        round.nic.reset(rng.random_range(2..20));
        round.wire.reset();
        round.wire.set_weather(PEACE);
        let end = round.nic.clk() + CALM;
        while !round.wire.is_idle() && round.nic.clk() < end {
            round.step();
        }
        round.nic.reset(rng.random_range(2..20));
        round.nic.drain(&mut round.events);
        soaked.count(&mut round.events);
        soaked.clocks += nic.clk() - begun;
        soaked.rounds += 1;
        said(&soaked);
    }
    soaked
}
