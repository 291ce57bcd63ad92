//! Frames from the wire that mean harm: none stalls the NIC in line or is lost in it, and each is
//! counted.
use crate::both::Both;
use crate::shell;
use crate::world::between;
use rand::Rng;
use std::collections::VecDeque;
use timely_model::bus::KIND_RTT;
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, beats};
use timely_regs::counters::{COUNTERS, Counter};
use timely_regs::link::wire_bytes;
use timely_regs::parameters::Parameters;
use timely_regs::wire::{FIRST, Header, LAST};
use timely_sim::cores::CoreSpec;
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::{Inline, Model};
use timely_sim::nic::setup::configure;
use timely_sim::scenario::Form;
use timely_tests::bench::answer;
use timely_tests::frames::{COUNTED, counter, hostile};
use timely_tests::nic::{CLOCK_PS, HOST, PORT, build, counters, flow, spec};
use timely_tests::{cycles, few_seeds, rng};

const PEER: u16 = 2;
/// Width of the bus, bits.
const BUS: u32 = 512;
/// Rate of the flow, Mb/s.
const MBPS: f64 = 5000.0;

/// As many bad frames as the wire carries between a flow's ACKs: each is counted by the wire
/// format's rules and reaches the host as it came, in its order, while the flow keeps its rate and
/// has an RTT of every ACK. The Verilog, beside its model.
#[test]
fn bad_frames_are_counted_and_stall_nothing() {
    for seed in few_seeds() {
        let mut rng = rng(seed);
        let fixed = Parameters { outstanding_bytes: 0, timeout_us: 100.0, ..Parameters::fixed(MBPS) };
        let spec = CoreSpec { form: Form::Inline, ..spec(BUS, 10, 40.0, vec![flow(0, PEER, 1024, 1, &fixed)]) };
        let both = Both::new(shell(BUS, 10).instantiate(seed as u32), Model::new(build(BUS, 10)));
        let mut nic = Inline::new(both, &spec);
        configure(&mut nic, &spec).expect("a valid set-up");
        let (mut host, mut wire, mut arrivals, mut rising) = (VecDeque::new(), VecDeque::new(), VecDeque::new(), VecDeque::new());
        let (mut leaving, mut up) = (Assembler::default(), Assembler::default());
        let (mut expected, mut segment, mut acks, mut rtts, mut left) = ([0u32; COUNTERS], 0, 0, 0, Vec::new());
        let begun = nic.clk();
        let (end, quiet) = (begun + cycles() / 2, begun + cycles() / 2 + 3000);
        while nic.clk() < quiet {
            let clk = nic.clk();
            if host.is_empty() && clk < end {
                let header = Header { flags: FIRST | LAST, nonce: segment ^ 0x5a5a_5a5a, segment, ttl_sent: 64, ..Header::default() };
                host.extend(beats(&between(HOST, PEER, &header, 1024), BUS as usize));
                segment += 1;
            }
            if wire.is_empty() {
                let own = arrivals.pop_front_if(|a: &mut (u64, Vec<u8>)| a.0 <= clk).map(|a| a.1);
                let frame = own.or_else(|| (clk < end).then(|| hostile(&mut rng, address::mac(HOST), PORT)));
                if let Some(frame) = frame {
                    expected[counter(&frame, false, PORT) as usize] += 1;
                    wire.extend(beats(&frame, BUS as usize));
                    rising.push_back(frame);
                }
            }
            let offered = host.front().map(|b| (*b, 1));
            let out =
                nic.drive(In { host: offered, host_ready: true, wire: wire.front().map(|b| (*b, 2)), wire_ready: true, ..In::default() });
            if offered.is_some() && out.host_ready {
                host.pop_front();
            }
            if out.wire_taken {
                wire.pop_front();
            }
            rtts += u32::from(out.sample.is_some_and(|s| s.kind == KIND_RTT));
            if let Some(frame) = out.host.and_then(|(beat, _)| up.push(&beat)) {
                assert!(Some(&frame) == rising.pop_front().as_ref(), "another frame is at the host than came, clock {clk}, seed {seed}");
            }
            let Some(w) = out.wire else { continue };
            let Some(frame) = leaving.push(&w.beat).filter(|_| w.ack.is_none()) else { continue };
            left.push((clk, wire_bytes(frame.len() as u32)));
            // What the store still has then waits for no answer.
            if clk >= end {
                continue;
            }
            arrivals.push_back((clk + rng.random_range(50..500), answer(&frame, clk << 16, (clk + 20) << 16)));
            acks += 1;
        }
        let counted = counters(&mut nic);
        let bits: u32 = left[..left.len() - 1].iter().map(|l| 8 * l.1).sum();
        let mbps = f64::from(bits) / ((left[left.len() - 1].0 - left[0].0) as f64 * f64::from(CLOCK_PS) / 1e6);
        println!("seed {seed}: {:?}; {mbps:.1} Mb/s, {rtts} RTTs of {acks} ACKs", COUNTED.map(|c| (c, counted[c as usize])));
        for kind in COUNTED {
            assert_eq!(counted[kind as usize], expected[kind as usize], "{kind:?}, seed {seed}");
            // The MAC drops what it finds bad.
            assert!(kind == Counter::RxBad || u64::from(counted[kind as usize]) > cycles() / 2000, "few {kind:?}, seed {seed}");
        }
        assert_eq!(counted[Counter::RxFrames as usize], expected.iter().sum::<u32>(), "each frame counts, seed {seed}");
        assert!(rising.is_empty(), "{} frames did not reach the host, seed {seed}", rising.len());
        assert!((mbps / MBPS - 1.0).abs() < 0.01, "{mbps} Mb/s, seed {seed}");
        assert!(rtts == acks && acks > 100, "{rtts} RTTs of {acks} ACKs, seed {seed}");
    }
}
