//! `timely_hw::serial` against `timely_model::serial`, every output at every clock.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use timely_model::Block;
use timely_model::serial::{In, Out, Serial};
use timely_regs::serial::{ANSWER_BYTES, DONE, READ, REFUSED, WRITE, answer, request};
use timely_tests::{cycles, rng, seeds, verilate};

/// Clocks a bit: as short as may be, for many requests.
const BIT: u32 = 5;

/// A host that asks, and says nonsense between; on its line, a level a clock.
#[derive(Default)]
struct Host {
    levels: VecDeque<bool>,
}

impl Host {
    fn say(&mut self, byte: u8, stop: bool) {
        let bits = (0..8).map(|i| byte >> i & 1 == 1);
        for bit in std::iter::once(false).chain(bits).chain([stop]) {
            self.levels.extend([bit; BIT as usize]);
        }
    }

    fn next(&mut self, rng: &mut ChaCha8Rng, quiet: &mut u32) -> bool {
        if let Some(level) = self.levels.pop_front() {
            return level;
        }
        if *quiet > 0 {
            *quiet -= 1;
            return true;
        }
        let mut bytes = request([READ, WRITE, 2][rng.random_range(0..3)], rng.random(), rng.random()).to_vec();
        match rng.random_range(0..20) {
            0 => bytes[rng.random_range(0..10)] ^= 1 << rng.random_range(0..8),
            1 => bytes.truncate(rng.random_range(0..10)),
            _ => {}
        }
        let glitch = rng.random_bool(0.02);
        bytes.iter().for_each(|b| self.say(*b, !(glitch && rng.random_bool(0.2))));
        if rng.random_bool(0.1) {
            self.levels.push_back(false);
        }
        // Long enough for an answer; rarely for a request to be forgotten.
        *quiet = if rng.random_bool(0.1) { rng.random_range(0..200) } else { 500 + rng.random_range(0..100) };
        if rng.random_bool(0.01) {
            *quiet = [66_500, 60_000, 5_000][rng.random_range(0..3)];
        }
        true
    }
}

#[test]
fn rtl_equals_model() {
    let library = verilate("serial", timely_hw::serial::Serial::new(BIT));
    let input = |n: &str| library.input(n);
    let output = |n: &str| library.output(n);
    let (rst, rx, tx) = (input("rst"), input("rx"), output("tx"));
    let [awready, wready, arready, bvalid, bresp, rvalid, rresp, rdata] =
        ["awready", "wready", "arready", "bvalid", "bresp", "rvalid", "rresp", "rdata"].map(|n| input(&format!("m_axil_{n}")));
    let [awvalid, awaddr, wvalid, wdata, arvalid, araddr] =
        ["awvalid", "awaddr", "wvalid", "wdata", "arvalid", "araddr"].map(|n| output(&format!("m_axil_{n}")));
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut host, mut quiet) = (Host::default(), 10);
        let mut dut = library.instantiate(seed as u32);
        let mut model = Serial::new(BIT);
        let mut asked = 0;
        for clk in 0..4 * cycles() {
            let rtl = Out {
                line: dut.get(tx) == 1,
                awvalid: dut.get(awvalid) == 1,
                wvalid: dut.get(wvalid) == 1,
                arvalid: dut.get(arvalid) == 1,
                address: dut.get(araddr) as u32,
                data: dut.get(wdata) as u32,
            };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            assert_eq!(dut.get(awaddr), dut.get(araddr));
            asked += u64::from(rtl.wvalid || rtl.arvalid);
            let i = In {
                rst: rng.random_bool(0.00005),
                line: host.next(&mut rng, &mut quiet),
                awready: rng.random_bool(0.3),
                wready: rng.random_bool(0.3),
                b: rng.random_bool(0.05).then(|| rng.random_range(0..4)),
                arready: rng.random_bool(0.3),
                r: rng.random_bool(0.05).then(|| (rng.random_range(0..4), rng.random())),
            };
            let set = [
                (rst, i.rst.into()),
                (rx, i.line.into()),
                (awready, i.awready.into()),
                (wready, i.wready.into()),
                (arready, i.arready.into()),
                (bvalid, i.b.is_some().into()),
                (bresp, i.b.unwrap_or(rng.random_range(0..4)).into()),
                (rvalid, i.r.is_some().into()),
                (rresp, i.r.map_or(rng.random_range(0..4), |r| r.0).into()),
                (rdata, i.r.map_or_else(|| rng.random(), |r| r.1).into()),
            ];
            set.into_iter().for_each(|(port, value): (_, u64)| dut.set(port, value));
            dut.tick();
            model.step(clk, &i);
        }
        println!("registers were asked for {asked} clocks");
        assert!(asked > cycles() / 2000, "seed {seed}");
    }
}

/// Of the model, bit by bit on the line: each request has its answer, and one with a wrong check
/// byte has the one that says so.
#[test]
fn requests_are_answered() {
    let mut rng = rng(1);
    let mut model = Serial::new(BIT);
    let (mut host, mut quiet, mut clk) = (Host::default(), u32::MAX, 0);
    for n in 0..60u32 {
        let kind = [READ, WRITE][n as usize % 2];
        let (address, data, spoiled) = (rng.random::<u32>() & 0xff_ffff, rng.random::<u32>(), n % 7 == 6);
        let mut bytes = request(kind, address, data);
        bytes[9] ^= u8::from(spoiled);
        bytes.iter().for_each(|b| host.say(*b, true));
        let (mut line, mut told) = (vec![], None);
        for _ in 0..900 {
            let out = model.output(clk);
            line.push(out.line);
            let done = match (out.wvalid, out.arvalid) {
                (true, _) => Some((out.address, Some(out.data))),
                (_, true) => Some((out.address, None)),
                _ => None,
            };
            told = done.or(told);
            let (b, r) = (out.wvalid.then_some(2), out.arvalid.then_some((DONE, 0x1234_5678)));
            let i = In { line: host.next(&mut rng, &mut quiet), awready: true, wready: true, arready: true, b, r, rst: false };
            model.step(clk, &i);
            clk += 1;
        }
        let mut said = vec![];
        let mut at = 0;
        while let Some(start) = line[at..].iter().position(|l| !l).map(|p| p + at) {
            let bit = |i: usize| line[start + i * BIT as usize + BIT as usize / 2];
            assert!(!bit(0) && bit(9), "request {n}: a byte without its start or stop");
            said.push((0..8).fold(0, |b, i| b | u8::from(bit(i + 1)) << i));
            at = start + 10 * BIT as usize - 1;
        }
        let said: [u8; ANSWER_BYTES] = said.try_into().unwrap_or_else(|s| panic!("request {n}: an answer of {s:?}"));
        let expected = match (spoiled, kind) {
            (true, _) => (REFUSED, 0),
            (_, WRITE) => (2, 0),
            _ => (DONE, 0x1234_5678),
        };
        assert_eq!(answer(&said), Some(expected), "request {n}");
        let asked = if spoiled { None } else { Some((address, (kind == WRITE).then_some(data))) };
        assert_eq!(told, asked, "request {n}");
    }
}
