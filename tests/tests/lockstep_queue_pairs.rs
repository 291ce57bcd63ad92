//! `timely_hw::roce::queue_pairs` against `timely_model::queue_pairs`: packets of both directions,
//! commands and ageing at once, every output at every clock.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use timely_hw::roce::queue_pairs::QueuePairs;
use timely_model::Block;
use timely_model::queue_pairs::{self, Change, Command, Given, In, Key, Out, Status, Told, Verb, hash};
use timely_tests::{Runs, cycles, quick, rng, seeds, verilate};
use timely_verilate::{Dut, Library};

const STATUS: [Status; 5] = [Status::Done, Status::Absent, Status::Full, Status::Crowded, Status::Ambiguous];

/// The design's ports.
struct Bench<'a> {
    dut: Dut,
    library: &'a Library,
}

impl Bench<'_> {
    fn get(&self, name: &str) -> u64 {
        self.dut.get(self.library.output(name))
    }

    fn set(&mut self, name: &str, value: u64) {
        self.dut.set(self.library.input(name), value);
    }

    fn output(&self) -> Out {
        let found = |name: &str| {
            let get = |field| self.get(&format!("{name}_flow_{field}"));
            (get("valid") == 1).then(|| (get("hit") == 1).then(|| get("flow") as u32))
        };
        let change = || Change {
            flow: self.get("change_flow") as u32,
            given: (self.get("change_live") == 1)
                .then(|| Given { profile: self.get("change_profile") as u8, priority: self.get("change_priority") as u8 }),
        };
        let answer = found("answer");
        let key =
            |bytes: &[u8], pair: u64| Key { address: u128::from_le_bytes(bytes[..16].try_into().expect("16 bytes")), pair: pair as u32 };
        let answer_key = || {
            let bytes = self.dut.get_bytes(self.library.output("answer_key"));
            key(&bytes, u64::from(bytes[16]) | u64::from(bytes[17]) << 8 | u64::from(bytes[18]) << 16)
        };
        let told = || {
            let key = key(&self.dut.get_bytes(self.library.output("told_address")), self.get("told_pair"));
            if self.get("told_local") == 1 { Told::Local(key) } else { Told::Own(key, self.get("told_pinned") == 1) }
        };
        Out {
            swept: self.get("swept") == 1,
            sent: found("sent"),
            answer,
            answer_key: answer.map(|_| answer_key()),
            told: (self.get("told_own") + self.get("told_local") == 1).then(told),
            ask: (self.get("ask_valid") == 1).then(|| {
                let address = self.dut.get_bytes(self.library.output("ask_address"));
                (u128::from_le_bytes(address.try_into().expect("16 bytes")), self.get("ask_dscp") as u8)
            }),
            ready: self.get("command_ready") == 1,
            reply: (self.get("reply_valid") == 1).then(|| (STATUS[self.get("reply_status") as usize], self.get("reply_flow") as u32)),
            change: (self.get("change_valid") == 1).then(change),
            joined: (self.get("joined_valid") == 1).then(|| self.get("joined_flow") as u32),
            pulses: self.get("pulses") as u8,
        }
    }

    /// Fields of a word that is not valid are random, for they must not matter.
    fn look(&mut self, name: &str, key: Option<Key>, rng: &mut ChaCha8Rng) {
        let k = key.unwrap_or_else(|| Key { address: rng.random(), pair: rng.random_range(0..1 << 24) });
        self.set(&format!("{name}_valid"), key.is_some().into());
        self.dut.set_bytes(self.library.input(&format!("{name}_address")), &k.address.to_le_bytes());
        self.set(&format!("{name}_pair"), k.pair.into());
    }

    fn tick(&mut self, i: &In, rng: &mut ChaCha8Rng) {
        self.set("rst", i.rst.into());
        let secret: Vec<u8> = i.secret.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.dut.set_bytes(self.library.input("cfg_secret"), &secret);
        self.set("cfg_profile", i.given.profile.into());
        self.set("cfg_priority", i.given.priority.into());
        self.set("ask_hit", i.rule.is_some().into());
        self.set("ask_profile", i.rule.map_or_else(|| rng.random_range(0..16), |r| r.profile).into());
        self.set("ask_priority", i.rule.map_or_else(|| rng.random_range(0..8), |r| r.priority).into());
        self.set("cfg_age_unit", i.age_unit.into());
        self.look("sent", i.sent.map(|(k, _)| k), rng);
        let learn = i.sent.and_then(|s| s.1);
        self.set("sent_learn", if i.sent.is_some() { learn.is_some() } else { rng.random() }.into());
        self.set("sent_dscp", learn.unwrap_or_else(|| rng.random_range(0..64)).into());
        self.look("answer", i.answer, rng);
        let c = i.command;
        self.look("command", c.map(|c| c.key), rng);
        let local = c.and_then(|c| c.local);
        self.set("command_verb", c.map_or_else(|| rng.random_range(0..4), |c| c.verb as u64));
        self.set("command_joins", c.map_or_else(|| rng.random(), |_| local.is_some()).into());
        self.set("command_local_pair", local.unwrap_or_else(|| rng.random_range(0..1 << 24)).into());
        self.set("command_profile", c.map_or_else(|| rng.random_range(0..16), |c| c.profile).into());
        self.dut.tick();
    }
}

/// Twenty keys of the same two buckets, at random or of one host.
fn crowd(rng: &mut ChaCha8Rng, secret: [u64; 3], bucket_bits: u32, host: Option<u128>) -> Vec<Key> {
    let mask = (1 << (2 * bucket_bits)) - 1;
    let buckets = rng.random::<u32>() & mask;
    std::iter::repeat_with(|| Key { address: host.unwrap_or_else(|| rng.random()), pair: rng.random_range(0..1 << 24) })
        .filter(|key| hash(secret, *key) & mask == buckets)
        .take(20)
        .collect()
}

/// Keys of a run: of few hosts and in a row, some of a crowded bucket, and some a bit apart.
fn pool(rng: &mut ChaCha8Rng, secret: [u64; 3], bucket_bits: u32, keys: usize) -> Vec<Key> {
    let hosts: [u128; 3] = rng.random();
    let mut pool: Vec<Key> = (0..keys as u32).map(|n| Key { address: hosts[n as usize % 3], pair: n / 3 }).collect();
    pool.extend(crowd(rng, secret, bucket_bits, None));
    // One bit of difference in address or number; the hash is another, but the buckets may be the
    // same.
    for bit in 0..152 {
        let key = pool[0];
        let (address, pair) = if bit < 128 { (key.address ^ 1 << bit, key.pair) } else { (key.address, key.pair ^ 1 << (bit - 128)) };
        pool.push(Key { address, pair });
    }
    pool
}

/// Keys of one hash, of which two differ in each bit as often as not: sums of a key with
/// differences that the matrix turns to 0. The last third are such keys, each with another bit of
/// the hash inverted.
fn twins(rng: &mut ChaCha8Rng, secret: [u64; 3]) -> Vec<Key> {
    let key = Key { address: rng.random(), pair: rng.random_range(0..1 << 24) };
    let bit = |at: usize| secret[at / 64] >> (at % 64) & 1;
    let column = |c: usize| (0..32).map(|row| (bit(row + c) << row) as u32).sum::<u32>();
    let unit = |c: usize| Key { address: if c < 128 { 1 << c } else { 0 }, pair: if c < 128 { 0 } else { 1 << (c - 128) } };
    let sum = |a: Key, b: Key| Key { address: a.address ^ b.address, pair: a.pair ^ b.pair };
    let reduce = |basis: &[(u32, Key)], (v, d): (u32, Key)| {
        basis.iter().fold((v, d), |(v, d), (b, e)| if v ^ b < v { (v ^ b, sum(d, *e)) } else { (v, d) })
    };
    let (mut basis, mut kernel): (Vec<(u32, Key)>, _) = (Vec::new(), Vec::new());
    for c in 0..152 {
        let reduced = reduce(&basis, (column(c), unit(c)));
        if reduced.0 == 0 {
            kernel.push(reduced.1);
        } else {
            basis.push(reduced);
            basis.sort_unstable_by_key(|(v, _)| std::cmp::Reverse(*v));
        }
    }
    // Differences that the matrix turns to one bit.
    let near: Vec<Key> = (0..32).map(|bit| reduce(&basis, (1 << bit, Key::default()))).filter(|(v, _)| *v == 0).map(|(_, d)| d).collect();
    let any = |rng: &mut ChaCha8Rng| kernel.iter().filter(|_| rng.random()).fold(key, |k, d| sum(k, *d));
    let mut twins: Vec<Key> = std::iter::repeat_with(|| any(rng)).take(40).collect();
    twins.extend((0..20).map(|n| sum(twins[n], near[rng.random_range(0..near.len())])).collect::<Vec<_>>());
    twins
}

fn lockstep<const F: usize, const B: usize, const C: usize>(keys: usize, all: u64) {
    let library = verilate("queue_pairs", QueuePairs::<F, B, C>::new());
    let mut tally = BTreeMap::<String, u64>::new();
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut bench = Bench { dut: library.instantiate(seed as u32), library: &library };
        let mut model = queue_pairs::QueuePairs::new(F as u32);
        let mut i = In { secret: rng.random(), ..In::default() };
        let mut keys_of = pool(&mut rng, i.secret, B as u32, keys);
        let mut twins_of = twins(&mut rng, i.secret);
        let mut crowd_of = crowd(&mut rng, i.secret, B as u32, Some(keys_of[0].address));
        let (mut sent, mut answers) = (Runs::new(0.6, 40), Runs::new(0.6, 40));
        let (mut some, mut learns, mut commands, mut mood, mut next) = (0..1, 0.5, 0.05, 0, 0);
        let mut joined: Vec<Key> = vec![Key::default()];
        for clk in 0..cycles() {
            let out = model.output(clk);
            assert_eq!(bench.output(), out, "clock {clk}, seed {seed}");
            let mut count = |what: &str| *tally.entry(what.into()).or_default() += 1;
            (0..8)
                .filter(|b| out.pulses >> b & 1 == 1)
                .for_each(|b| count(["learned", "set", "removed", "aged", "full", "crowded", "ambiguous", "postponed"][b]));
            out.joined.iter().for_each(|_| count("joined"));
            out.ask.iter().for_each(|_| count("asked"));
            out.told.iter().for_each(|t| count(if matches!(t, Told::Own(..)) { "own key read" } else { "answers' key read" }));
            let verb = i.command.filter(|_| out.ready).map(|c| c.verb);
            verb.iter().for_each(|v| count(&format!("{v:?} begins")));
            out.reply.iter().for_each(|(status, _)| count(&format!("{status:?}")));
            out.sent.iter().for_each(|flow| count(if flow.is_some() { "hit" } else { "miss" }));
            out.answer.iter().for_each(|flow| count(if flow.is_some() { "answer" } else { "no answer" }));
            // The mood: how many of the keys come, how often both directions, whether pairs age;
            // now and then behind a reset, for a secret and a table of its own.
            let fresh = clk % 5000 == 0 && rng.random();
            if clk % 5000 == 0 {
                learns = [0.05, 0.5, 1.0][rng.random_range(0..3)];
                // All, a part, or those of the crowded buckets.
                some = [0..keys_of.len(), 0..rng.random_range(1..=keys_of.len()), keys..keys + 20][rng.random_range(0..3)].clone();
                sent.set([0.1, 0.6, 0.95][rng.random_range(0..3)]);
                answers.set([0.1, 0.6, 0.95][rng.random_range(0..3)]);
                commands = [0.0, 0.05, 1.0][rng.random_range(0..3)];
                i.age_unit = [0, 1, 300, 3000][rng.random_range(0..4)];
                // Of the host's commands.
                mood = rng.random_range(0..5);
                if mood == 4 {
                    // Each flow is given back and given again.
                    (some, learns, commands, i.age_unit) = (0..40, 0.0, 1.0, 0);
                    sent.set(0.1);
                    answers.set(0.1);
                }
                if mood == 2 {
                    // Behind pairs that do not age the buckets fill.
                    (some, commands, i.age_unit) = (0..60, 1.0, [0, 100][rng.random_range(0..2)]);
                    sent.set(0.1);
                    answers.set(0.3);
                }
                if mood == 3 {
                    (learns, commands, i.age_unit) = (1.0, 1.0, 0);
                    sent.set(0.1);
                    answers.set(0.5);
                }
            }
            let twin = |rng: &mut ChaCha8Rng| twins_of[rng.random_range(0..twins_of.len())];
            let of = |rng: &mut ChaCha8Rng| {
                if rng.random_bool(if mood == 3 { 0.9 } else { 0.1 }) { twin(rng) } else { keys_of[rng.random_range(some.clone())] }
            };
            i.given = Given { profile: rng.random_range(0..16), priority: rng.random_range(0..8) };
            i.rule = rng.random_bool(0.5).then(|| Given { profile: rng.random_range(0..16), priority: rng.random_range(0..8) });
            // Now and then the same key again, clock after clock.
            let again = rng.random_bool(0.3);
            let last = i.sent.map(|(k, _)| k).filter(|_| again);
            i.sent = sent
                .next(&mut rng)
                .then(|| (last.unwrap_or_else(|| of(&mut rng)), rng.random_bool(learns).then(|| rng.random_range(0..64))));
            i.answer =
                answers.next(&mut rng).then(|| if rng.random_bool(0.7) { joined[rng.random_range(0..joined.len())] } else { of(&mut rng) });
            if out.ready || i.command.is_none() {
                i.command = rng.random_bool(commands).then(|| {
                    let key = of(&mut rng);
                    let local = rng.random_bool(0.6).then(|| rng.random_range(0..6));
                    // Other pairs of the hosts of twins, so that only the answers' keys have one
                    // hash; or such of one host, one by one, that only the answers' buckets are
                    // crowded.
                    next += 1;
                    let (join, crowd) = (twin(&mut rng), crowd_of[next % crowd_of.len()]);
                    let (key, local) = match mood {
                        0 => (key, local),
                        4 => (keys_of[next / 2 % 40], local),
                        1 | 3 => (Key { pair: rng.random_range(0..3), ..join }, Some(join.pair)),
                        _ => (Key { pair: (next % crowd_of.len()) as u32, ..crowd }, Some(crowd.pair)),
                    };
                    let verb = match rng.random::<f64>() {
                        _ if mood == 4 => [Verb::Set, Verb::Remove][next % 2],
                        x if x < [0.4, 0.1, 0.1, 0.0][mood] => Verb::Remove,
                        x if x > 0.9 => Verb::Read,
                        x if x > 0.7 => Verb::Join,
                        _ => Verb::Set,
                    };
                    Command { verb, key, local, profile: rng.random_range(0..16) }
                });
                if let Some(Command { local: Some(pair), key, .. }) = i.command {
                    joined.push(Key { pair, ..key });
                    if joined.len() > 40 {
                        joined.swap_remove(0);
                    }
                }
            }
            i.rst = fresh || rng.random_bool(0.00005);
            if i.rst {
                i.secret = rng.random();
            }
            bench.tick(&i, &mut rng);
            model.step(clk, &i);
            if i.rst {
                keys_of = pool(&mut rng, i.secret, B as u32, keys);
                twins_of = twins(&mut rng, i.secret);
                crowd_of = crowd(&mut rng, i.secret, B as u32, Some(keys_of[0].address));
                tally.entry("reset".into()).and_modify(|n| *n += 1).or_insert(1);
            }
        }
    }
    println!("2^{F} pairs: {tally:?}");
    if quick() {
        return;
    }
    for what in [
        "learned",
        "set",
        "removed",
        "aged",
        "full",
        "crowded",
        "ambiguous",
        "postponed",
        "joined",
        "asked",
        "own key read",
        "answers' key read",
        "Join begins",
        "Read begins",
        "Done",
        "Absent",
        "Full",
        "Crowded",
        "Ambiguous",
        "hit",
        "miss",
        "answer",
        "no answer",
    ] {
        let (n, least) = (tally.get(what).copied().unwrap_or(0), if what == "full" || what == "Full" { all } else { 4 });
        assert!(n >= least, "2^{F} pairs: {what} came {n} times");
    }
}

#[test]
fn rtl_equals_model_small() {
    lockstep::<6, 3, 7>(120, 4);
}

/// In the time that the test has the larger table does not fill.
#[test]
fn rtl_equals_model_10() {
    lockstep::<10, 7, 11>(300, 0);
}

/// 2^14 pairs in a row are learned and some joined; then packets of both directions come at .6 a
/// clock each, and each finds its flow, while the host goes on.
#[test]
fn rtl_equals_model_full() {
    const PAIRS: u64 = 1 << 14;
    const JOINED: u64 = 200;
    let library = verilate("queue_pairs", QueuePairs::<14, 11, 15>::new());
    let mut rng = rng(1);
    let mut bench = Bench { dut: library.instantiate(1), library: &library };
    let mut model = queue_pairs::QueuePairs::new(14);
    let mut i = In { secret: rng.random(), given: Given { profile: 3, priority: 1 }, ..In::default() };
    let key = |pair: u64| Key { address: 0xfe80, pair: pair as u32 };
    let (mut looks, mut hits, mut replies) = ([0; 2], [0; 2], BTreeMap::<Status, u64>::new());
    let (mut pairs, mut commands, load) = (0, 0, 700_000..800_000);
    for clk in 0..load.end + 100 {
        let out = model.output(clk);
        assert_eq!(bench.output(), out, "clock {clk}");
        (i.sent, i.answer) = (None, None);
        if pairs < PAIRS {
            if out.swept && clk.is_multiple_of(40) {
                (i.sent, pairs) = (Some((key(pairs), Some(pairs as u8 % 64))), pairs + 1);
            }
        } else if load.contains(&clk) {
            i.sent = rng.random_bool(0.6).then(|| (key(rng.random_range(0..PAIRS)), Some(0)));
            i.answer = rng.random_bool(0.6).then(|| key(100_000 + rng.random_range(0..JOINED)));
        }
        if clk >= load.start {
            for (side, (look, flow)) in [(i.sent.is_some(), out.sent), (i.answer.is_some(), out.answer)].into_iter().enumerate() {
                looks[side] += u64::from(look);
                hits[side] += u64::from(flow.flatten().is_some());
            }
        }
        out.reply.iter().for_each(|(status, _)| *replies.entry(*status).or_default() += 1);
        if clk > 680_000 && (out.ready || i.command.is_none()) {
            let local = (commands < JOINED).then_some(100_000 + commands as u32);
            i.command = Some(Command { verb: Verb::Set, key: key(commands), local, profile: 1 });
            commands += 1;
        }
        bench.tick(&i, &mut rng);
        model.step(clk, &i);
    }
    println!("{looks:?} look-ups, {hits:?} hits, replies {replies:?}");
    assert_eq!(hits, looks, "each packet has its flow");
    assert!(looks.iter().all(|n| *n > 59_000) && replies.len() == 1 && replies[&Status::Done] > 1000, "{replies:?}");
}
