//! The application block among what Corundum has around it: queues, a MAC that stamps and
//! completes, the core's rings, a DMA engine, the host's memory.
mod engines;

use super::equal::{RESET_CLOCKS, Twin};
use super::shell::Board;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use timely_model::app_block::TimeOfDay;
use timely_model::app_block::app::In as AppIn;
use timely_model::scheduler::courier;
use timely_model::stream::{Assembler, Beat, beats, bytes_of};

use timely_regs::corundum::{DOWN, MAIL_SIGN, MAIL_SWEPT, SIGN};
use timely_regs::device::{Bus, Memory};
use timely_sim::nic::axil::{Master, Response};
use timely_sim::nic::core::AccessError;
use timely_tests::Runs;
use timely_tests::frames::with_its_place;
use timely_tests::nic::PORT;
use timely_verilate::{Dut, In, Library, Out};

/// ns of a clock.
pub const CLOCK_NS: u64 = 4;
/// Time of day at clock 0, ns: a second ends soon.
const START_NS: u64 = 7_999_990_000;
/// Clocks in which a register access must end; after a reset the registers are swept first.
const ACCESS_CLOCKS: u32 = 5000;
/// Clocks from a frame's last beat out of a queue to its first towards the MAC, and from a frame's
/// first at the MAC to its completion.
const THROUGH_CLOCKS: u64 = 12;
const COMPLETION_CLOCKS: u64 = 20;
/// The host's memory.
const MEMORY_BYTES: usize = 1 << 20;
pub const MEMORY_AT: u64 = 0xffff_0000;

/// Time of day at a clock.
pub fn time_of_day(clk: u64) -> TimeOfDay {
    let ns = START_NS + clk * CLOCK_NS;
    TimeOfDay::new(ns / 1_000_000_000, (ns % 1_000_000_000) as u32, 0)
}

/// A frame with what goes beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Bytes of the frame.
    pub bytes: Vec<u8>,
    /// tuser of the frame: tag above a bit that says that it is bad, or stamp above that.
    pub user: u128,
    /// Queue of the frame, where it has one.
    pub queue: u16,
    /// The clock of its first beat, and of its last.
    pub clocks: (u64, u64),
}

/// A completion: tag, stamp.
pub type Completion = (u64, TimeOfDay);

/// A stream in either direction.
struct Side<V, R> {
    data: V,
    keep: V,
    valid: V,
    last: V,
    user: V,
    ready: R,
}

fn side<V, R>(port: impl Fn(&str) -> V, ready: R) -> Side<V, R> {
    Side { data: port("tdata"), keep: port("tkeep"), valid: port("tvalid"), last: port("tlast"), user: port("tuser"), ready }
}

/// Towards the block.
struct Source {
    ports: Side<In, Out>,
    queue: Option<In>,
    frames: VecDeque<(u64, Frame)>,
    beats: VecDeque<Beat>,
    pace: Runs,
    offering: bool,
    /// The beat that is offered at this clock, its frame's tuser and queue.
    shown: Option<(Beat, u128, u16)>,
}

impl Source {
    fn new(library: &Arc<Library>, name: &str) -> Self {
        let ports = side(|n| library.input(&format!("s_axis_{name}_{n}")), library.output(&format!("s_axis_{name}_tready")));
        let queue = (name == "if_tx").then(|| library.input("s_axis_if_tx_tid"));
        Source { ports, queue, frames: VecDeque::new(), beats: VecDeque::new(), pace: Runs::new(1.0, 20), offering: false, shown: None }
    }

    fn set(&mut self, dut: &mut Dut, clk: u64, width: usize, rng: &mut ChaCha8Rng) {
        if self.beats.is_empty()
            && let Some((at, frame)) = self.frames.front()
            && *at <= clk
        {
            self.beats.extend(beats(&frame.bytes, width));
        }
        self.offering = !self.beats.is_empty() && (self.offering || self.pace.next(rng));
        dut.set(self.ports.valid, self.offering.into());
        self.shown = None;
        let Some(beat) = self.beats.front().filter(|_| self.offering) else { return };
        let frame = &self.frames.front().expect("its frame").1;
        self.shown = Some((*beat, frame.user, frame.queue));
        dut.set_bytes(self.ports.data, &beat.data[..width / 8]);
        dut.set(self.ports.keep, beat.keep());
        dut.set(self.ports.last, beat.last.into());
        dut.set_bytes(self.ports.user, &frame.user.to_le_bytes());
        if let Some(queue) = self.queue {
            dut.set(queue, frame.queue.into());
        }
    }

    /// Whether a beat went, and the frame if it was its last.
    fn step(&mut self, dut: &Dut) -> (bool, Option<Frame>) {
        if !self.offering || dut.get(self.ports.ready) & 1 == 0 {
            return (false, None);
        }
        self.offering = false;
        let beat = self.beats.pop_front().expect("it was offered");
        (true, beat.last.then(|| self.frames.pop_front().expect("its frame").1))
    }
}

/// Away from the block.
struct Sink {
    ports: Side<Out, In>,
    pace: Runs,
    ready: bool,
    frame: Assembler,
    begun: Option<(u64, u128)>,
}

impl Sink {
    fn new(library: &Arc<Library>, name: &str) -> Self {
        let ports = side(|n| library.output(&format!("m_axis_{name}_{n}")), library.input(&format!("m_axis_{name}_tready")));
        Sink { ports, pace: Runs::new(1.0, 20), ready: false, frame: Assembler::default(), begun: None }
    }

    fn set(&mut self, dut: &mut Dut, rng: &mut ChaCha8Rng) {
        self.ready = self.pace.next(rng);
        dut.set(self.ports.ready, self.ready.into());
    }

    /// A frame that is whole with this clock; `tag` gets the tuser of one that begins.
    fn step(&mut self, dut: &Dut, clk: u64, width: usize, users: u32) -> (Option<u128>, Option<Frame>) {
        if !self.ready || dut.get(self.ports.valid) & 1 == 0 {
            return (None, None);
        }
        let mut beat = Beat {
            bytes: bytes_of(dut.get(self.ports.keep) & (u64::MAX >> (64 - width / 8))),
            last: dut.get(self.ports.last) & 1 == 1,
            ..Beat::default()
        };
        beat.data[..width / 8].copy_from_slice(&dut.get_bytes(self.ports.data)[..width / 8]);
        assert!(usize::from(beat.bytes) == width / 8 || beat.last, "a beat of {} bytes that is not the last, clock {clk}", beat.bytes);
        let mut user = [0; 16];
        let read = dut.get_bytes(self.ports.user);
        let n = read.len().min(16);
        user[..n].copy_from_slice(&read[..n]);
        let user = u128::from_le_bytes(user) & ((1 << users) - 1);
        let begins = self.begun.is_none();
        let (first, beside) = *self.begun.get_or_insert((clk, user));
        assert_eq!(user, beside, "tuser changes inside a frame, clock {clk}");
        let frame = self.frame.push(&beat).map(|bytes| Frame { bytes, user, queue: 0, clocks: (first, clk) });
        if frame.is_some() {
            self.begun = None;
        }
        (begins.then_some(user), frame)
    }
}

/// The descriptor, of either kind, that a DMA engine works on.
#[derive(Default)]
struct Job {
    address: u64,
    place: usize,
    tag: u64,
    /// Of a write: what the segments have given. Of a read: bytes that are still to be put.
    bytes: Vec<u8>,
    /// Segments that are asked, or bytes that were put.
    asked: [bool; 2],
    answered: [bool; 2],
    put: usize,
    wait: u32,
}

/// The NIC's own registers, of which the scheduler's are some: what is under way on the block's
/// master.
#[derive(Default)]
struct Own {
    aw: Option<u32>,
    w: Option<u32>,
    answered: bool,
    read: bool,
    /// Readies of this clock: write address, write data, read address.
    may: [bool; 3],
}

/// The card.
pub struct Card {
    pub dut: Dut,
    pub rng: ChaCha8Rng,
    clk: u64,
    width: usize,
    segment: usize,
    tag_bits: u32,
    queues: Source,
    to_mac: Source,
    from_mac: Source,
    past_app: Sink,
    /// Frames between the ports of `if_tx`.
    marking: VecDeque<Frame>,
    /// Frames out of queues may get places: they are not held equal, but kept as they were and as
    /// they became.
    pub places: bool,
    pub placed: Vec<(Vec<u8>, Vec<u8>)>,
    mac: Sink,
    ring: Sink,
    completing: VecDeque<(u64, Completion)>,
    offered: Option<Completion>,
    /// Frames that left towards the MAC.
    pub sent: VecDeque<Frame>,
    /// Frames that reached the core from the MAC.
    pub received: VecDeque<Frame>,
    /// Completions that reached the core.
    pub completed: Vec<Completion>,
    /// Stamps that the MAC gave, by tag.
    pub stamped: Vec<Completion>,
    pub memory: RefCell<Vec<u8>>,
    writes: VecDeque<Job>,
    reads: VecDeque<Job>,
    /// The engine fails the coming descriptors.
    pub failing: bool,
    own: Own,
    /// Writes into the NIC's own registers: address and word.
    pub written: Vec<(u32, u32)>,
    /// Bus from the scheduler, in the form with streams.
    pub up: Vec<u8>,
    /// Bits of a row's number.
    row_bits: usize,
    /// Descriptors and answers of each segment that the engine takes at this clock; and the
    /// segments that it asks.
    takes: (bool, u64),
    asks: u64,
    axil: Master,
    /// The block's model, where it has one.
    twin: Option<Twin>,
    library: Arc<Library>,
}

impl Card {
    /// A card that has been reset.
    pub fn new(library: &Arc<Library>, board: &Board, mut rng: ChaCha8Rng) -> Self {
        let values = board.values(&[]);
        let mut dut = library.instantiate(rng.random());
        dut.set(library.input("rst"), 1);
        for _ in 0..RESET_CLOCKS {
            dut.tick();
        }
        dut.set(library.input("rst"), 0);
        Card {
            dut,
            rng,
            clk: 0,
            width: board.bus,
            segment: values["RAM_SEG_DATA_WIDTH"] as usize / 8,
            tag_bits: values["TX_TAG_WIDTH"] as u32,
            queues: Source::new(library, "if_tx"),
            to_mac: Source::new(library, "sync_tx"),
            from_mac: Source::new(library, "sync_rx"),
            past_app: Sink::new(library, "if_tx"),
            marking: VecDeque::new(),
            places: false,
            placed: Vec::new(),
            mac: Sink::new(library, "sync_tx"),
            ring: Sink::new(library, "sync_rx"),
            completing: VecDeque::new(),
            offered: None,
            sent: VecDeque::new(),
            received: VecDeque::new(),
            completed: Vec::new(),
            stamped: Vec::new(),
            memory: RefCell::new(vec![0; MEMORY_BYTES]),
            writes: VecDeque::new(),
            reads: VecDeque::new(),
            failing: false,
            own: Own::default(),
            written: Vec::new(),
            up: Vec::new(),
            row_bits: values["RAM_SEG_ADDR_WIDTH"] as usize,
            takes: (false, 0),
            asks: 0,
            axil: Master::default(),
            twin: None,
            library: library.clone(),
        }
    }

    /// A card of a block without a generator, held equal to the model.
    pub fn beside_model(self, board: &Board, streams: bool) -> Self {
        Card { twin: Some(Twin::new(board, streams)), ..self }
    }

    /// The coming clock.
    pub fn clk(&self) -> u64 {
        self.clk
    }

    /// How often what is offered is there, and what comes is taken.
    pub fn weather(&mut self, offered: f64, taken: f64) {
        [&mut self.queues, &mut self.to_mac, &mut self.from_mac].into_iter().for_each(|s| s.pace.p = offered);
        [&mut self.past_app, &mut self.mac].into_iter().for_each(|s| s.pace.p = taken);
    }

    /// The tag of the core's `n`th frame: its highest bit is 1, of the others the core uses five.
    pub fn tag(&self, n: u32) -> u64 {
        1 << (self.tag_bits - 1) | u64::from(n % 32)
    }

    /// A frame out of queue `queue`, with the tag of the core's `n`th.
    pub fn transmit(&mut self, n: u32, queue: u16, bytes: Vec<u8>) {
        let user = u128::from(self.tag(n)) << 1;
        self.queues.frames.push_back((0, Frame { bytes, user, queue, clocks: (0, 0) }));
    }

    /// The same frame, behind its queue: towards the MAC, not before clock `at`.
    pub fn emerge(&mut self, at: u64, n: u32, bytes: Vec<u8>) {
        let user = u128::from(self.tag(n)) << 1;
        self.to_mac.frames.push_back((at, Frame { bytes, user, queue: 0, clocks: (0, 0) }));
    }

    /// The core's `n`th frame departs at this clock, which the MAC says at once.
    pub fn depart(&mut self, n: u32) {
        let completion = (self.tag(n), time_of_day(self.clk));
        self.stamped.push(completion);
        self.completing.push_back((self.clk, completion));
    }

    /// Frames on their way to the MAC.
    pub fn on_their_way(&self) -> usize {
        self.queues.frames.len() + self.marking.len() + self.to_mac.frames.len()
    }

    /// A frame from the MAC, not before clock `at`, whose stamp is that clock's time.
    pub fn arrive(&mut self, at: u64, bytes: Vec<u8>, bad: bool) {
        let user = time_of_day(at).0 << 1 | u128::from(bad);
        self.from_mac.frames.push_back((at, Frame { bytes, user, queue: 0, clocks: (0, 0) }));
    }

    /// Frames that are still to come from the MAC.
    pub fn arriving(&self) -> usize {
        self.from_mac.frames.len()
    }

    fn input(&mut self, name: &str, value: u64) {
        self.dut.set(self.library.input(name), value);
    }

    fn output(&self, name: &str) -> u64 {
        self.dut.get(self.library.output(name))
    }

    /// The pacer's time that the scheduler is told, ns48.fns16: the steady time of a clock ago, and
    /// the lead.
    pub fn later(&self) -> u64 {
        self.below("later")
    }

    /// A part of the bus to the scheduler.
    pub fn below(&self, name: &str) -> u64 {
        let words = self.dut.get_words(self.library.output("timely_down"));
        let (_, low, width) = DOWN.iter().find(|p| p.0 == name).expect("a part of the bus");
        (0..*width).fold(0, |time, bit| time | u64::from(words[(low + bit) / 32] >> ((low + bit) % 32) & 1) << bit)
    }

    /// One clock.
    pub fn tick(&mut self) {
        let (clk, width) = (self.clk, self.width);
        let now = time_of_day(clk);
        let port = self.library.input("ptp_sync_ts_tod");
        self.dut.set_bytes(port, &now.0.to_le_bytes()[..12]);
        if !self.up.is_empty() {
            let port = self.library.input("timely_up");
            self.dut.set_bytes(port, &self.up);
        }
        for s in [&mut self.queues, &mut self.to_mac, &mut self.from_mac] {
            s.set(&mut self.dut, clk, width, &mut self.rng);
        }
        for s in [&mut self.past_app, &mut self.mac, &mut self.ring] {
            s.set(&mut self.dut, &mut self.rng);
        }
        self.offered = self.offered.or_else(|| self.completing.pop_front_if(|c| c.0 <= clk).map(|c| c.1));
        self.input("s_axis_sync_tx_cpl_valid", self.offered.is_some().into());
        if let Some((tag, stamp)) = self.offered {
            self.input("s_axis_sync_tx_cpl_tag", tag);
            let port = self.library.input("s_axis_sync_tx_cpl_ts");
            self.dut.set_bytes(port, &stamp.0.to_le_bytes()[..12]);
        }
        let takes_completion = self.rng.random_bool(0.8);
        self.input("m_axis_sync_tx_cpl_ready", takes_completion.into());
        self.dma_inputs();
        self.registers();
        self.own_inputs();
        self.dut.settle();
        self.twin_step(now, takes_completion);
        self.axil_step();
        self.own_step();
        self.dma_step();
        if self.offered.is_some() && self.output("s_axis_sync_tx_cpl_ready") & 1 == 1 {
            self.offered = None;
        }
        if takes_completion && self.output("m_axis_sync_tx_cpl_valid") & 1 == 1 {
            let tag = self.output("m_axis_sync_tx_cpl_tag") & ((1 << self.tag_bits) - 1);
            let bytes = self.dut.get_bytes(self.library.output("m_axis_sync_tx_cpl_ts"));
            let mut stamp = [0; 16];
            stamp[..12].copy_from_slice(&bytes[..12]);
            self.completed.push((tag, TimeOfDay(u128::from_le_bytes(stamp))));
        }
        // From its queue past the block to what is behind it, whole.
        let (_, from_queue) = self.queues.step(&self.dut);
        self.marking.extend(from_queue);
        let (_, passed) = self.past_app.step(&self.dut, clk, width, self.tag_bits + 1);
        if let Some(after) = passed {
            let before = self.marking.pop_front().expect("a frame out of a queue");
            let queue = self.output("m_axis_if_tx_tid") as u16;
            assert!(before.user == after.user && before.queue == queue, "tag or queue is another behind if_tx, clock {clk}");
            if self.places {
                self.placed.push((before.bytes, after.bytes.clone()));
            } else {
                let expected = with_its_place(&before.bytes, &after.bytes, PORT);
                assert!(expected == after.bytes, "a frame is another behind if_tx, clock {clk}");
            }
            self.to_mac.frames.push_back((clk + THROUGH_CLOCKS, Frame { bytes: after.bytes, queue, ..before }));
        }
        self.to_mac.step(&self.dut);
        let (begins, left) = self.mac.step(&self.dut, clk, width, self.tag_bits + 1);
        if let Some(user) = begins {
            let completion = ((user >> 1) as u64, now);
            self.stamped.push(completion);
            self.completing.push_back((clk + COMPLETION_CLOCKS, completion));
        }
        self.sent.extend(left);
        self.from_mac.step(&self.dut);
        let (_, received) = self.ring.step(&self.dut, clk, width, 97);
        self.received.extend(received);
        self.dut.tick();
        self.clk += 1;
    }

    fn twin_step(&mut self, now: TimeOfDay, takes_completion: bool) {
        let Some(twin) = &mut self.twin else { return };
        let request = self.axil.request();
        let (aw, w) = (request.aw, request.w.map(|w| (w, 0xf)));
        twin.i = AppIn { aw, w, b_ready: request.bready, ar: request.ar, r_ready: request.rready, ..twin.i.clone() };
        twin.i.ptp = Some(now);
        twin.i.tx = self.to_mac.shown.map(|(beat, user, _)| twin.core_beat(beat, user));
        twin.i.tx_ready = self.mac.ready;
        let rx = self.from_mac.shown.filter(|_| self.ring.ready);
        twin.i.rx = rx.map(|(beat, user, _)| (beat, TimeOfDay(user >> 1), user & 1 == 1));
        twin.i.queue = self.queues.shown.map(|(beat, user, queue)| (beat, twin.beside(user, queue)));
        twin.i.queue_ready = self.past_app.ready;
        twin.i.completion = self.offered.map(|(tag, stamp)| (twin.inside(u128::from(tag) << 1).0, stamp));
        twin.i.completion_ready = takes_completion;
        (twin.i.write.enable, twin.i.read.enable) = (true, true);
        (twin.i.write.descriptor_ready, twin.i.read.descriptor_ready) = (self.takes.0, self.takes.0);
        let own = &self.own;
        let r = own.read.then_some((0, SIGN << MAIL_SIGN.low | 1 << MAIL_SWEPT.low));
        let [aw_ready, w_ready, ar_ready] = own.may;
        twin.i.window = courier::In { aw_ready, w_ready, b: own.answered.then_some(0), ar_ready, r, ..courier::In::default() };
        twin.up(&self.up);
        twin.step(&self.dut, &self.library);
    }

    fn registers(&mut self) {
        let request = self.axil.request();
        for (name, value) in [
            ("awaddr", request.aw.unwrap_or(0).into()),
            ("awvalid", request.aw.is_some().into()),
            ("wdata", request.w.unwrap_or(0).into()),
            ("wstrb", 0xf),
            ("wvalid", request.w.is_some().into()),
            ("bready", request.bready.into()),
            ("araddr", request.ar.unwrap_or(0).into()),
            ("arvalid", request.ar.is_some().into()),
            ("rready", request.rready.into()),
        ] {
            self.input(&format!("s_axil_app_ctrl_{name}"), value);
        }
    }

    fn axil_step(&mut self) {
        let [awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp] =
            ["awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp"]
                .map(|n| self.output(&format!("s_axil_app_ctrl_{n}")));
        self.axil.step(&Response {
            awready: awready == 1,
            wready: wready == 1,
            b: (bvalid == 1).then_some(bresp as u8),
            arready: arready == 1,
            r: (rvalid == 1).then_some((rdata as u32, rresp as u8)),
        });
    }

    fn access(&mut self, queue: impl FnOnce(&mut Master)) -> Result<u32, AccessError> {
        queue(&mut self.axil);
        for _ in 0..ACCESS_CLOCKS {
            self.tick();
            if let Some(result) = self.axil.take_result() {
                return result;
            }
        }
        Err(AccessError { addr: 0, what: "no answer" })
    }
}

/// The registers of the card's application.
pub struct Registers<'a>(pub RefCell<&'a mut Card>);

impl Bus for &Registers<'_> {
    type Error = AccessError;

    fn read32(&self, offset: u32) -> Result<u32, AccessError> {
        self.0.borrow_mut().access(|m| m.read(offset))
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), AccessError> {
        self.0.borrow_mut().access(|m| m.write(offset, value)).map(drop)
    }
}

/// A part of the host's memory.
pub struct Buffer<'a, 'b>(pub &'a Registers<'b>, pub usize, pub usize);

impl Memory for Buffer<'_, '_> {
    fn address(&self) -> u64 {
        MEMORY_AT + self.1 as u64
    }
    fn bytes(&self) -> usize {
        self.2
    }
    fn read(&self, at: usize, to: &mut [u8]) {
        let card = self.0.0.borrow();
        to.copy_from_slice(&card.memory.borrow()[self.1 + at..self.1 + at + to.len()]);
    }
    fn write(&self, at: usize, from: &[u8]) {
        let card = self.0.0.borrow();
        card.memory.borrow_mut()[self.1 + at..self.1 + at + from.len()].copy_from_slice(from);
    }
}
