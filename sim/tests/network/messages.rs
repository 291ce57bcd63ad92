//! Messages on every kind of NIC: when they are complete, what of them is payload, how they are cut
//! into packets.
use std::path::Path;
use timely_sim::cores;
use timely_sim::scenario::build::{self, Outcome};
use timely_sim::scenario::file::{self, Overrides};
use timely_sim::scenario::{NicKind, hpcc};
use timely_sim::time::US;

const KINDS: [NicKind; 5] = [NicKind::Model, NicKind::Paced, NicKind::Software, NicKind::Event, NicKind::Posted];

fn run(text: &str, kind: NicKind) -> Outcome {
    let told = Overrides { nics: Some(kind), ..Overrides::default() };
    let plan = file::parse_with(Path::new("x.toml"), text, &told).unwrap_or_else(|e| panic!("{e}"));
    build::run(plan, &*cores::factory(), |_| {}).unwrap_or_else(|e| panic!("{e}"))
}

/// Ten messages of 1,000 bytes, 500 us apart, in packets of 9,000: the last one is posted at 4.5
/// ms, and no kind of NIC may say that the flow ended earlier, nor that it carried more.
#[test]
fn no_flow_is_complete_before_its_last_message_is_posted() {
    let text = "duration_ms = 10\n[topology]\nhosts = 3\n[[flow]]\nfrom = 0\nto = 2\nbytes = 1000\nmessages = 10\nevery_us = 500\n\
                packet_bytes = 9000\n";
    for kind in KINDS {
        let o = run(text, kind);
        let flow = &o.recorder.flows[0];
        let completion = flow.completion.expect("complete") / US;
        println!("{kind}: complete at {completion} us, {} bytes in {} packets, notes {:?}", flow.payload, flow.packets, o.plan.notes);
        // A round trip over two links of 1.55 us and a switch, and software's timer of 2 us.
        assert!((4506..4530).contains(&completion), "{kind}: {completion} us");
        assert_eq!((flow.payload, flow.packets), (10_000, 10), "{kind}");
        assert_eq!(o.plan.notes.len(), usize::from(kind == NicKind::Model), "{kind}: {:?}", o.plan.notes);
        // The network alone takes as long.
        let (fct, left) = hpcc::fct(&o.plan, &o.recorder);
        let cells: Vec<f64> = fct.split_whitespace().skip(6).map(|c| c.parse().expect("a time")).collect();
        assert!(left == 0 && cells[0] / cells[1] >= 1.0 && cells[0] / cells[1] < 1.005, "{kind}: {fct}");
    }
}

/// Thirty messages of 128 bytes that are posted together are thirty packets on each kind of NIC.
#[test]
fn no_packet_has_bytes_of_two_messages() {
    let text = "duration_ms = 10\n[topology]\nhosts = 3\n[[flow]]\nfrom = 0\nto = 2\nbytes = 128\nmessages = 30\nevery_us = 0\n";
    for kind in KINDS {
        let flow = &run(text, kind).recorder.flows[0];
        assert_eq!((flow.payload, flow.packets, flow.completion.is_some()), (3840, 30, true), "{kind}");
    }
}

/// A call on an idle network takes the time of its request and its reply, and the table of
/// completion times says that this is its time alone.
#[test]
fn a_call_alone_takes_its_time_alone() {
    let text = "duration_ms = 50\n[topology]\nhosts = 3\n[profile.f]\nlike = 'fixed'\n[[load]]\nfrom = [0]\nto = [1]\nbytes = 1000\nload = 0.001\n\
                reply_bytes = 100000\nprofile = 'f'\n";
    let o = run(text, NicKind::Event);
    let (fct, _) = hpcc::fct(&o.plan, &o.recorder);
    let replies: Vec<f64> = fct
        .lines()
        .map(|l| l.split(' ').skip(4).map(|c| c.parse().expect("a number")).collect::<Vec<f64>>())
        .filter(|c| c[0] == 100_000.0)
        .map(|c| c[2] / c[3])
        .collect();
    println!("{} calls, slowdown {:.4?}", replies.len(), replies);
    assert!(replies.len() >= 3 && replies.iter().filter(|r| (**r - 1.0).abs() < 0.003).count() * 3 >= replies.len() * 2, "{fct}");
}

/// Messages that only the fabric counts are not known elsewhere, and not 0.
#[test]
fn messages_that_are_not_counted_are_not_known() {
    let text = "duration_ms = 2\n[topology]\nhosts = 2\n[[flow]]\nfrom = 0\nto = 1\nbytes = 100000\n";
    let of = |kind| serde_json::to_value(run(text, kind).summary).expect("JSON");
    for kind in [NicKind::Model, NicKind::Paced, NicKind::Software] {
        let s = of(kind);
        assert!(s["messages"].is_null() && s["completed"].is_null(), "{kind}: {s}");
    }
    let s = of(NicKind::Event);
    assert_eq!((s["messages"].as_u64(), s["completed"].as_u64()), (Some(1), Some(1)));
}
