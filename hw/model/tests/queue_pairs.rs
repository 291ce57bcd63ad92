//! The table of queue pairs against what it is for: a map from keys to flows that never answers
//! with another key's flow.
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use timely_model::Block;
use timely_model::queue_pairs::{Command, Given, In, Key, LATENCY, Out, Pulse, QueuePairs, Status, Told, Verb, WAYS, hash};

/// DSCP of all packets.
const DSCP: u8 = 26;

struct Bench {
    table: QueuePairs,
    clk: u64,
    idle: In,
    pulses: [u32; 8],
    changes: Vec<(u32, Option<u8>)>,
    told: Vec<Told>,
}

impl Bench {
    fn new(flow_bits: u32, rng: &mut ChaCha8Rng) -> Bench {
        let idle = In { secret: rng.random(), given: Given { profile: 5, priority: 2 }, ..In::default() };
        let mut bench = Bench { table: QueuePairs::new(flow_bits), clk: 0, idle, pulses: [0; 8], changes: Vec::new(), told: Vec::new() };
        while !bench.step(None, None, None).swept {}
        bench
    }

    fn step(&mut self, sent: Option<(Key, bool)>, answer: Option<Key>, command: Option<Command>) -> Out {
        let out = self.table.output(self.clk);
        let sent = sent.map(|(key, learn)| (key, learn.then_some(DSCP)));
        self.table.step(self.clk, &In { sent, answer, command, ..self.idle.clone() });
        self.clk += 1;
        for (bit, count) in self.pulses.iter_mut().enumerate() {
            *count += u32::from(out.pulses >> bit & 1);
        }
        self.changes.extend(out.change.map(|c| (c.flow, c.given.map(|g| g.profile))));
        self.told.extend(out.told);
        out
    }

    fn look(&mut self, key: Key) -> Option<u32> {
        self.step(Some((key, false)), None, None);
        (1..LATENCY).for_each(|_| assert_eq!(self.step(None, None, None).sent, None));
        self.step(None, None, None).sent.expect("a result")
    }

    fn answer(&mut self, key: Key) -> Option<u32> {
        self.step(None, Some(key), None);
        (1..LATENCY).for_each(|_| assert_eq!(self.step(None, None, None).answer, None));
        self.step(None, None, None).answer.expect("a result")
    }

    /// A packet of a pair that may be learned, and the clocks that learning takes.
    fn learn(&mut self, key: Key) {
        self.step(Some((key, true)), None, None);
        (0..60).for_each(|_| _ = self.step(None, None, None));
    }

    fn command(&mut self, command: Command) -> (Status, u32) {
        while !self.step(None, None, Some(command)).ready {}
        loop {
            if let Some(reply) = self.step(None, None, None).reply {
                return reply;
            }
        }
    }

    fn count(&self, pulse: Pulse) -> u32 {
        self.pulses[pulse as usize]
    }
}

fn random(rng: &mut ChaCha8Rng) -> Key {
    Key { address: rng.random(), pair: rng.random_range(0..1 << 24) }
}

fn mapped(host: u32) -> u128 {
    u128::from_le_bytes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, (host >> 16) as u8, (host >> 8) as u8, host as u8])
}

fn seeded(seed: u64) -> ChaCha8Rng {
    println!("seed {seed}");
    ChaCha8Rng::seed_from_u64(seed)
}

/// A key by its number.
type Shape = Box<dyn Fn(u32, &mut ChaCha8Rng) -> Key>;

/// 2^14 pairs as hosts number them, or at random, all find a flow of their own; the next one does
/// not, and no other key finds one. `TIMELY_TABLES` is the number of tables of each kind.
#[test]
fn sixteen_thousand_pairs_have_a_flow_each() {
    let mut refused = BTreeMap::new();
    let tables = std::env::var("TIMELY_TABLES").map_or(8, |n| n.parse().expect("a number of tables"));
    for seed in 1..=tables {
        let mut rng = seeded(seed);
        let shapes: [(&str, Shape); 4] = [
            ("at random", Box::new(|_, rng| random(rng))),
            ("of one host in a row", Box::new(|n, _| Key { address: mapped(1), pair: 0x11 + n })),
            ("of 128 hosts", Box::new(|n, _| Key { address: mapped(n % 128), pair: 0x100 + n / 128 })),
            ("of 1,024 IPv6 hosts, even", Box::new(|n, _| Key { address: 0xfe80 | u128::from(n >> 4) << 64, pair: 0x1000 + (n & 15) * 2 })),
        ];
        for (name, shape) in shapes {
            let keys: Vec<Key> = (0..1 << 14).map(|n| shape(n, &mut rng)).collect();
            let mut bench = Bench::new(14, &mut rng);
            keys.iter().for_each(|k| bench.learn(*k));
            let crowded = bench.count(Pulse::Crowded);
            *refused.entry(name).or_insert(0) += crowded;
            assert_eq!(bench.table.free() as u32, crowded, "{name}: flows without a pair");
            let mut owner = HashMap::new();
            for key in &keys {
                if let Some(flow) = bench.look(*key) {
                    assert_eq!(owner.insert(flow, *key), None, "{name}: flow {flow} twice");
                }
            }
            assert_eq!(owner.len() as u32, (1 << 14) - crowded, "{name}");
            for _ in 0..1000 {
                let other = random(&mut rng);
                assert_eq!(bench.look(other), None, "{name}");
            }
            if crowded == 0 {
                bench.learn(random(&mut rng));
                assert_eq!(bench.count(Pulse::Full), 1, "{name}");
            }
        }
    }
    println!("refused of {tables} times 2^14: {refused:?}");
    // Two of 2^14 keys have the same hash of 32 bits in one table of 32.
    assert!(refused.values().all(|n| *n <= 1 + tables as u32 / 10), "{refused:?}");
}

/// Keys that the matrix gives the same bits of `mask` as `key`: its sums with differences of which
/// the product is 0 there, by elimination.
fn twins(secret: [u64; 3], key: Key, n: usize, mask: u32) -> Vec<Key> {
    let bit = |at: usize| secret[at / 64] >> (at % 64) & 1;
    let column = |c: usize| (0..32).map(|row| (bit(row + c) << row) as u32).sum::<u32>() & mask;
    let unit = |c: usize| Key { address: if c < 128 { 1 << c } else { 0 }, pair: if c < 128 { 0 } else { 1 << (c - 128) } };
    let sum = |a: Key, b: Key| Key { address: a.address ^ b.address, pair: a.pair ^ b.pair };
    let (mut basis, mut kernel): (Vec<(u32, Key)>, _) = (Vec::new(), Vec::new());
    for c in 0..152 {
        let reduced = basis.iter().fold((column(c), unit(c)), |(v, d), (b, e)| if v ^ b < v { (v ^ b, sum(d, *e)) } else { (v, d) });
        if reduced.0 == 0 { kernel.push(sum(key, reduced.1)) } else { basis.push(reduced) }
    }
    kernel.truncate(n);
    kernel
}

#[test]
fn keys_of_one_hash_are_told_apart() {
    let mut rng = seeded(3);
    let mut bench = Bench::new(6, &mut rng);
    let key = random(&mut rng);
    let twins = twins(bench.idle.secret, key, 20, u32::MAX);
    bench.learn(key);
    let flow = bench.look(key).expect("a flow");
    for (n, twin) in (1..).zip(&twins) {
        assert_eq!(hash(bench.idle.secret, *twin), hash(bench.idle.secret, key));
        bench.learn(*twin);
        assert_eq!((bench.look(*twin), bench.count(Pulse::Crowded)), (None, n));
        let set = Command { verb: Verb::Set, key: *twin, local: None, profile: 0 };
        if n == 20 {
            assert_eq!(bench.command(set).0, Status::Crowded);
        }
    }
    assert_eq!(bench.look(key), Some(flow));
    let remove = Command { verb: Verb::Remove, key: twins[0], local: None, profile: 0 };
    assert_eq!(bench.command(remove).0, Status::Absent);
    assert_eq!(bench.command(Command { key, ..remove }), (Status::Done, flow));
    bench.learn(twins[1]);
    assert!(bench.look(twins[1]).is_some() && bench.look(key).is_none());
}

/// Keys whose product by the matrix has the same buckets do not meet in them: what is behind it is
/// not linear.
#[test]
fn keys_of_one_product_are_spread() {
    let mut rng = seeded(5);
    let mut bench = Bench::new(6, &mut rng);
    let key = random(&mut rng);
    let twins = twins(bench.idle.secret, key, 48, 0x3f);
    twins.iter().for_each(|k| bench.learn(*k));
    assert_eq!((bench.count(Pulse::Learned), bench.count(Pulse::Crowded)), (48, 0));
}

/// A host that knows the secret fills both buckets of a key; what is too much is counted, and goes
/// in when there is room.
#[test]
fn full_buckets_refuse_and_take_again() {
    let mut rng = seeded(4);
    let mut bench = Bench::new(6, &mut rng);
    let secret = bench.idle.secret;
    let aimed = std::iter::repeat_with(|| random(&mut rng)).filter(|k| hash(secret, *k) & 0x3f == 0o25);
    let keys: Vec<Key> = aimed.take(2 * WAYS + 3).collect();
    keys.iter().for_each(|k| bench.learn(*k));
    assert_eq!((bench.count(Pulse::Learned), bench.count(Pulse::Crowded)), (2 * WAYS as u32, 3));
    assert_eq!(bench.table.held()[0], (2 * WAYS, 2 * WAYS));
    let hits = keys.iter().filter(|k| bench.look(**k).is_some()).count();
    assert_eq!(hits, 2 * WAYS);
    let (last, gone) = (keys[2 * WAYS], keys[5]);
    assert_eq!(bench.command(Command { verb: Verb::Set, key: last, local: None, profile: 1 }).0, Status::Crowded);
    let (status, flow) = bench.command(Command { verb: Verb::Remove, key: gone, local: None, profile: 0 });
    assert_eq!((status, bench.look(gone)), (Status::Done, None));
    bench.learn(last);
    assert!(bench.look(last).is_some_and(|f| f != flow), "the flow that was freed last is used last");
}

/// One change after the other, each foretold by a map: packets, commands of all kinds, joins.
#[test]
fn the_table_is_a_map() {
    for seed in 1..=3 {
        let mut rng = seeded(seed);
        let mut bench = Bench::new(6, &mut rng);
        // Few hosts, few numbers, more keys than flows.
        let pool: Vec<Key> = (0..90).map(|n| Key { address: mapped(n % 3), pair: n / 3 }).collect();
        let (mut map, mut joins): (HashMap<Key, u32>, HashMap<Key, u32>) = (HashMap::new(), HashMap::new());
        let mut pinned = HashSet::new();
        let mut seen = BTreeMap::<_, u32>::new();
        for _ in 0..6000 {
            let key = pool[rng.random_range(0..pool.len())];
            let known = map.get(&key).copied();
            let full = map.len() == 64;
            bench.changes.clear();
            bench.told.clear();
            let remove = rng.random_bool(0.45);
            if rng.random_bool(0.1) {
                // A flow is read: the keys of its pair, or that it has none.
                let flow = rng.random_range(0..64);
                let read = Command { verb: Verb::Read, key: Key { pair: flow, ..key }, local: None, profile: 0 };
                let pair = map.iter().find(|(_, f)| **f == flow).map(|(k, _)| *k);
                let answers = joins.iter().find(|(_, f)| **f == flow).map(|(k, _)| *k);
                assert_eq!(bench.command(read), (if pair.is_some() { Status::Done } else { Status::Absent }, flow));
                let own = pair.map(|k| Told::Own(k, pinned.contains(&flow)));
                assert_eq!(bench.told, own.into_iter().chain(answers.map(Told::Local)).collect::<Vec<_>>());
                *seen.entry(("read", pair.is_some(), answers.is_some())).or_default() += 1;
            } else if rng.random_bool(0.15) {
                // Only a pair that is known is joined, and it stays as old as it was.
                let pair = rng.random_range(0..40);
                let (status, flow) = bench.command(Command { verb: Verb::Join, key, local: Some(pair), profile: 9 });
                let answers = Key { pair, ..key };
                let taken = known.is_some() && joins.get(&answers).is_some_and(|f| Some(*f) != known);
                let expected = if taken { Status::Ambiguous } else { Status::Done };
                assert_eq!(status, if known.is_some() { expected } else { Status::Absent });
                *seen.entry(("join a known pair", known.is_some(), taken)).or_default() += 1;
                if status == Status::Done {
                    assert_eq!(Some(flow), known);
                    joins.retain(|_, f| *f != flow);
                    joins.insert(answers, flow);
                }
            } else if rng.random_bool(0.3) {
                bench.learn(key);
                *seen.entry(("learn", known.is_some(), full)).or_default() += 1;
                let flow = bench.look(key);
                assert_eq!(flow.is_some(), known.is_some() || !full);
                if let (Some(flow), None) = (flow, known) {
                    assert_eq!(bench.changes, [(flow, Some(5))]);
                    assert!(map.values().all(|f| *f != flow));
                    pinned.remove(&flow);
                    map.insert(key, flow);
                }
            } else {
                let local = rng.random_bool(0.5).then(|| rng.random_range(0..40));
                let (status, flow) = bench.command(Command { verb: if remove { Verb::Remove } else { Verb::Set }, key, local, profile: 9 });
                *seen.entry((if remove { "remove" } else { "set" }, known.is_some(), full)).or_default() += 1;
                if remove {
                    assert_eq!(status, if known.is_some() { Status::Done } else { Status::Absent });
                    if let Some(flow) = map.remove(&key) {
                        joins.retain(|_, f| *f != flow);
                        bench.step(None, None, None);
                        assert_eq!(bench.changes, [(flow, None)]);
                    }
                } else if known.is_none() && full {
                    assert_eq!(status, Status::Full);
                } else {
                    assert!(known.is_none_or(|f| f == flow) && (known.is_some() || map.values().all(|f| *f != flow)));
                    map.insert(key, flow);
                    pinned.insert(flow);
                    if let Some(pair) = local {
                        let answers = Key { pair, ..key };
                        let taken = joins.get(&answers).is_some_and(|f| *f != flow);
                        assert_eq!(status, if taken { Status::Ambiguous } else { Status::Done });
                        *seen.entry(("join", taken, joins.values().any(|f| *f == flow))).or_default() += 1;
                        if !taken {
                            joins.retain(|_, f| *f != flow);
                            joins.insert(answers, flow);
                        }
                    }
                }
            }
            let probe = pool[rng.random_range(0..pool.len())];
            assert_eq!(bench.look(probe), map.get(&probe).copied());
            let probe = Key { pair: rng.random_range(0..40), ..probe };
            assert_eq!(bench.answer(probe), joins.get(&probe).copied());
            assert_eq!(bench.table.held(), [(map.len(), map.len()), (joins.len(), joins.len())]);
            assert_eq!(bench.table.free(), 64 - map.len());
        }
        println!("seed {seed}: {seen:?}, {:?}", bench.pulses);
        assert!(seen.len() >= 12 && seen.values().all(|n| *n >= 10), "{seen:?}");
    }
}

/// All at once: a flow that a key finds is no other key's until the table says that it changed, and
/// a key has one flow.
#[test]
fn no_key_finds_the_flow_of_another() {
    for seed in 1..=3 {
        let mut rng = seeded(seed);
        let mut bench = Bench::new(6, &mut rng);
        bench.idle.age_unit = 400;
        let pool: Vec<Key> = (0..100).map(|n| Key { address: mapped(n % 5), pair: n / 5 }).collect();
        let mut owner: HashMap<u32, Key> = HashMap::new();
        let (mut looked, mut hits, mut command) = (VecDeque::new(), 0, None);
        for clk in 0..300_000 {
            let busy = rng.random_bool(0.6);
            // Of some keys packets come seldom, so that they age.
            let most = if clk % 20_000 < 10_000 { 100 } else { 30 };
            let sent = busy.then(|| (pool[rng.random_range(0..most)], rng.random_bool(0.9)));
            looked.push_back(sent);
            if command.is_none() && rng.random_bool(0.006) {
                let key = pool[rng.random_range(0..100)];
                let local = rng.random_bool(0.5).then(|| rng.random_range(0..5));
                command = Some(Command { verb: if rng.random_bool(0.7) { Verb::Remove } else { Verb::Set }, key, local, profile: 1 });
            }
            let out = bench.step(sent, None, command);
            if out.ready {
                command = None;
            }
            if let Some(change) = out.change {
                owner.remove(&change.flow);
            }
            if looked.len() as u64 > LATENCY {
                let key = looked.pop_front().expect("a clock").map(|(key, _)| key);
                assert_eq!(out.sent.is_some(), key.is_some());
                if let (Some(key), Some(Some(flow))) = (key, out.sent) {
                    hits += 1;
                    assert_eq!(*owner.entry(flow).or_insert(key), key, "clock {clk}: flow {flow}");
                    assert!(owner.iter().all(|(f, k)| *k != key || *f == flow), "clock {clk}: {key:?} has two flows");
                }
            }
        }
        println!("seed {seed}: {hits} hits, {:?}", bench.pulses);
        let counts = [Pulse::Learned, Pulse::Set, Pulse::Removed, Pulse::Aged, Pulse::Full, Pulse::Ambiguous, Pulse::Postponed];
        assert!(counts.iter().all(|p| bench.count(*p) >= 20) && hits > 100_000, "{:?}", bench.pulses);
    }
}

/// A pair that was not seen for 8 units frees its flow, joined or not; one that was seen or that
/// the host set does not.
#[test]
fn pairs_age() {
    let mut rng = seeded(6);
    let mut bench = Bench::new(6, &mut rng);
    bench.idle.age_unit = 1000;
    let [seen, left, joined, set] = [(); 4].map(|()| random(&mut rng));
    [seen, left, joined].into_iter().for_each(|k| bench.learn(k));
    assert_eq!(bench.command(Command { verb: Verb::Join, key: joined, local: Some(8), profile: 2 }).0, Status::Done);
    assert!(bench.answer(Key { pair: 8, ..joined }).is_some());
    assert_eq!(bench.command(Command { verb: Verb::Set, key: set, local: Some(7), profile: 2 }).0, Status::Done);
    let born = bench.clk;
    let mut gone = None;
    while bench.clk < born + 40_000 {
        bench.step((bench.clk.is_multiple_of(6900)).then_some((seen, false)), None, None);
        if gone.is_none() && bench.count(Pulse::Aged) == 2 {
            gone = Some(bench.clk - born);
        }
    }
    let gone = gone.expect("aged");
    assert!((7000 - 200..8000 + 500).contains(&gone), "aged after {gone} clocks");
    assert_eq!(bench.count(Pulse::Aged), 2);
    assert!(bench.look(joined).is_none() && bench.answer(Key { pair: 8, ..joined }).is_none());
    assert!(bench.look(seen).is_some() && bench.look(set).is_some() && bench.look(left).is_none());
    assert!(bench.answer(Key { pair: 7, ..set }).is_some());
}
