//! Forged ACKs: a host that is told place and number of each segment of another host's flow, and
//! has a flow of its own to learn nonces from, makes no sample of that flow.
use crate::common::thorough;
use crate::star::{Dressed, PACKETS, Star};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use timely_model::stream::beats;
use timely_regs::map::port;
use timely_regs::wire::{Addresses, DEFAULT_PORT, Envelope, Header, Packet};
use timely_sim::cores::{CoreFactory, CoreSpec, Prepared};
use timely_sim::frame::{NodeId, address};
use timely_sim::nic::Outbox;
use timely_sim::nic::core::{Core, CoreIn, Pins, TxBeat};
use timely_sim::run::Observer;
use timely_sim::scenario::Form;
use timely_sim::time::Ps;

/// The host whose ACKs are forged, and the one that forges; host 0 sends to both.
const LOST: NodeId = 1;
const FORGES: NodeId = 2;
/// Tag of forged frames, which no NIC gives.
const TAG: u16 = 0x7ffd;
const SEED: u64 = 11;

/// Knowledge of the forging host, and samples at host 0.
#[derive(Default)]
struct Known {
    /// Header of the last segment of the other host's flow.
    target: Option<Header>,
    /// Nonces of its own flow's segments.
    nonces: Vec<u32>,
    forged: u64,
    samples: u64,
    own_samples: u64,
}

/// The nonce and the source of a forged ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Secret {
    /// A nonce that it has seen, one beside it, or any; from the other host's addresses or its own.
    Guessed,
    /// The segment's nonce, from its own addresses.
    Told,
    /// The segment's nonce, from the addresses of the host that the segment went to: a true ACK.
    ToldAndElsewhere,
}

type Shared = Arc<Mutex<Known>>;

fn known(shared: &Shared) -> MutexGuard<'_, Known> {
    shared.lock().expect("no test panics with it")
}

/// The forging host's NIC: between its frames it sends forged ones.
struct Forger {
    core: Box<dyn Core>,
    shared: Shared,
    secret: Secret,
    rng: ChaCha8Rng,
    /// The NIC itself is inside a frame.
    inside: bool,
    frame: VecDeque<TxBeat>,
    next: u64,
}

impl Forger {
    /// Clocks from a forged frame to the next.
    const EVERY: u64 = 150;

    /// An ACK of the other flow's last segment.
    fn forge(&mut self) {
        let shared = self.shared.clone();
        let mut known = known(&shared);
        let (Some(header), Some(last)) = (known.target, known.nonces.last().copied()) else { return };
        known.forged += 1;
        let rng = &mut self.rng;
        let guessed = match rng.random_range(0..4) {
            0 => last,
            1 => last.wrapping_add(1),
            2 => known.nonces[rng.random_range(0..known.nonces.len())],
            _ => rng.random(),
        };
        let (nonce, from) = match self.secret {
            Secret::Guessed => (guessed, if rng.random() { LOST } else { FORGES }),
            Secret::Told => (header.nonce, FORGES),
            Secret::ToldAndElsewhere => (header.nonce, LOST),
        };
        let envelope = Envelope {
            mac_destination: address::mac(0),
            mac_source: address::mac(from),
            tci: None,
            addresses: Addresses::V4 { source: address::ipv4(from), destination: address::ipv4(0) },
            tos: 0,
            ttl: 64,
            port_source: DEFAULT_PORT,
            port_destination: DEFAULT_PORT,
        };
        let frame = envelope.frame(&Header { nonce, ..header.answered(64, 0, 0, 0) }, &[]);
        let beat = |b: timely_model::stream::Beat| TxBeat { data: b.data, bytes: b.bytes, last: b.last, tag: TAG };
        self.frame.extend(beats(&frame, 8 * self.core.bus_bytes()).map(beat));
    }
}

impl Core for Forger {
    crate::common::core_within!();
    fn output(&self) -> Pins {
        match self.frame.front() {
            Some(beat) => Pins { tx: Some(*beat) },
            None => self.core.output(),
        }
    }
    fn step(&mut self, input: &CoreIn) {
        let forging = !self.frame.is_empty();
        if let Some(beat) = self.core.output().tx.filter(|_| input.tx_ready && !forging) {
            self.inside = !beat.last;
        }
        if forging && input.tx_ready {
            self.frame.pop_front();
        }
        let completion = input.completion.filter(|c| c.tag != TAG);
        let clk = self.core.clk();
        self.core.step(&CoreIn { tx_ready: input.tx_ready && !forging, completion, ..*input });
        if clk >= self.next && !self.inside && self.frame.is_empty() {
            self.next = clk + Self::EVERY;
            self.forge();
        }
    }
    fn wake(&self) -> u64 {
        let own = if self.frame.is_empty() { self.next.max(self.clk()) } else { self.clk() };
        self.core.wake().min(own)
    }
}

struct Forging(Shared, Secret);

impl CoreFactory for Forging {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        let mute = |spec: &CoreSpec, nic: &mut Prepared| {
            if spec.host == LOST {
                nic.core.write32(port::ACK_ENABLE.address(), 0).expect("a register");
            }
        };
        let form = if spec.host == FORGES { Form::Standalone } else { spec.form };
        let Prepared { mut core, writes } = Dressed(mute).build(&CoreSpec { form, ..spec.clone() })?;
        if spec.host == FORGES {
            let rng = ChaCha8Rng::seed_from_u64(SEED);
            core = Box::new(Forger { core, shared: self.0.clone(), secret: self.1, rng, inside: false, frame: VecDeque::new(), next: 0 });
        }
        Ok(Prepared { core, writes })
    }
}

/// Tells the forging host what it knows, and counts samples.
struct Wire(Shared);

impl Observer for &mut Wire {
    fn progress(&mut self, _: Ps) {}
    fn host(&mut self, node: u16, out: &Outbox) {
        if node != 0 {
            return;
        }
        let mut known = known(&self.0);
        for frame in out.departures.iter().map(|d| &d.frame).filter(|f| !f.meta.ack && f.meta.last) {
            let body = frame.body.as_deref().expect("bytes");
            let packet = Packet::new_checked(body, DEFAULT_PORT).expect("a packet of ours");
            let header = Header::read(packet.header().try_into().expect("a header"));
            if frame.dst == LOST {
                known.target = Some(header);
            } else {
                known.nonces.push(header.nonce);
            }
        }
        known.samples += out.rtts.iter().filter(|r| r.flow == 0).count() as u64;
        known.own_samples += out.rtts.iter().filter(|r| r.flow == 1).count() as u64;
    }
}

/// Nothing of the one flow is ever answered, so that each sample of it is a forged one's: there is
/// none, not even with the segment's nonce, as long as the ACK is not from where the segment went.
/// One that has both is believed, so that forged frames do arrive.
#[test]
fn the_receiver_of_one_flow_makes_no_sample_of_another() {
    for star in Star::all() {
        let flow = |to: NodeId| format!("[[flow]]\nfrom = 0\nto = {to}\nprofile = 'p'\n{PACKETS}");
        let rate = star.gbps * 250;
        let text = format!("[profile.p]\nlike = 'fixed'\ninitial_mbps = {rate}\ntimeout_us = 100\n{}{}", flow(LOST), flow(FORGES));
        for secret in [Secret::Guessed, Secret::Told, Secret::ToldAndElsewhere] {
            let shared = Shared::default();
            let ms = if thorough() { 5.0 } else { 2.0 };
            star.run(3, ms, &text, &Forging(shared.clone(), secret), &mut Wire(shared.clone()));
            let known = known(&shared);
            println!(
                "{star}, {secret:?}: {} forged, {} samples of that flow, {} of its own",
                known.forged, known.samples, known.own_samples
            );
            assert!(known.forged > 1000 && known.own_samples > 100, "{star}, {secret:?}, seed {SEED}");
            let right = if secret == Secret::ToldAndElsewhere { known.samples > 50 } else { known.samples == 0 };
            assert!(right, "{star}, {secret:?}, seed {SEED}: {} samples by forged ACKs", known.samples);
        }
    }
}
