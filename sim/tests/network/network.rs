//! Links, switch and flow control against what theory says of them.
use crate::common::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use timely_sim::frame::Class;
use timely_sim::switch::Pfc;
use timely_sim::time::{MS, Ps, Speed, US};

#[test]
fn a_frame_takes_serialization_propagation_and_latency_to_the_picosecond() {
    let ten = Speed::bps(TEN);
    for bytes in [20, 60, 90, 1114, 1514, 9014] {
        let (a, _) = Script::nic(ten, vec![(5_000_001, data(0, 1, 0, bytes.max(91)))]);
        let (b, inbox) = Script::nic(ten, vec![]);
        run(star(2, ten, 0.0), config(None, None), vec![a, b], vec![], MS, 1);
        let got = inbox.lock().unwrap();
        let wire = u64::from((bytes.max(91) + 24).max(84)) * 800;
        let start = 5_000_001 + wire + DELAY + LATENCY + DELAY;
        assert_eq!((got[0].1, got[0].2), (start, start + wire), "{bytes} bytes");
    }
}

#[test]
fn acks_overtake_data_but_never_a_frame_on_the_wire() {
    let ten = Speed::bps(TEN);
    // Two senders fill the queue of host 2; then an ACK comes from host 1.
    let (a, _) = Script::nic(ten, (0..20).map(|i| (0, data(0, 2, i, 1114))).collect());
    let (b, _) = Script::nic(ten, (0..10).map(|i| (0, data(1, 2, i, 1114))).chain([(9 * US, ack(1, 2, 99))]).collect());
    let (c, inbox) = Script::nic(ten, vec![]);
    run(star(3, ten, 0.0), config(None, None), vec![a, b, c], vec![], MS, 1);
    let got = inbox.lock().unwrap();
    assert_eq!(got.len(), 31);
    let at = got.iter().position(|g| g.0.class == Class::Ack).unwrap();
    let entered = (10 * 1138 + 114) * 800 + DELAY + LATENCY;
    let start = got[at].1 - DELAY;
    assert!(start >= entered && start <= entered + 1138 * 800, "in line before all data: {start} for {entered}");
    assert!(got[at + 1..].iter().filter(|g| g.0.src == 1).count() > 0, "data of the same sender waits behind it");
    assert!(got.windows(2).all(|w| w[1].1 == w[0].2), "the port never idles while frames wait");
}

// Poisson arrivals of equal packets on one port: the mean wait of an M/D/1 queue is rho S / (2 (1 -
// rho)).
#[test]
fn a_port_is_an_m_d_1_queue() {
    let (fast, slow) = (Speed::gbps(1000.0), Speed::gbps(10.0));
    let service = slow.frame_time(1114) as f64;
    for rho in [0.3, 0.6, 0.8] {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut at = 0.0;
        let frames: Vec<(Ps, _)> = (0..200_000)
            .map(|i| {
                at -= (1.0 - rng.random::<f64>()).ln() * service / rho;
                (at as Ps, data(0, 1, i, 1114))
            })
            .collect();
        let end = at as Ps + MS;
        let links =
            [(0, fast), (1, slow)].map(|(a, speed)| timely_sim::topology::Link { a, b: 2, speed, delay: DELAY, loss: 0.0, damage: 0.0 });
        let topology = timely_sim::topology::Topology::new(vec![false, false, true], links.to_vec()).unwrap();
        let sent: Vec<Ps> = frames.iter().map(|f| f.0).collect();
        let (a, _) = Script::nic(fast, frames);
        let (b, inbox) = Script::nic(slow, vec![]);
        run(topology, config(None, None), vec![a, b], vec![], end, 1);
        let got = inbox.lock().unwrap();
        assert_eq!(got.len(), sent.len());
        let fixed = fast.frame_time(1114) + 2 * DELAY + LATENCY;
        let wait = got.iter().zip(&sent).map(|(g, s)| (g.1 - s - fixed) as f64).sum::<f64>() / sent.len() as f64;
        let theory = rho * service / (2.0 * (1.0 - rho));
        println!("rho {rho}: mean wait {:.1} ns, M/D/1 {:.1} ns", wait / 1e3, theory / 1e3);
        assert!((wait / theory - 1.0).abs() < 0.05, "rho {rho}: {wait} for {theory}");
    }
}

#[test]
fn flow_control_loses_nothing_and_bounds_what_an_ingress_port_holds() {
    let ten = Speed::bps(TEN);
    let senders = 4u16;
    let each = 4_000u32;
    let pfc = Pfc { xoff: 50_000, xon: 46_000 };
    // After XOFF: a frame on the wire that way, the pause frame, both propagations, the frame being
    // sent, the pipeline.
    let headroom = (2 * DELAY + LATENCY) / 800 + 2 * 1138 + 84;
    let buffer = u64::from(senders) * (pfc.xoff + 1118 + headroom);
    let mut nics = Vec::new();
    for s in 0..senders {
        nics.push(Script::nic(ten, (0..each).map(|i| (0, data(s, senders, i, 1114))).collect()).0);
    }
    let (sink, inbox) = Script::nic(ten, vec![]);
    nics.push(sink);
    let end = run(star(senders + 1, ten, 0.0), config(Some(pfc), Some(buffer)), nics, vec![], END, 1);
    let r = &end.network.recorder;
    assert_eq!((r.dropped, r.lost), (0, 0));
    assert_eq!(inbox.lock().unwrap().len(), usize::from(senders) * each as usize);
    println!("{} pauses, at most {} bytes of one ingress port", r.pauses, r.ingress_max);
    assert!(r.pauses > 100);
    assert!(r.ingress_max > pfc.xoff && r.ingress_max <= pfc.xoff + 1118 + headroom);
    // The bottleneck was never idle for want of frames.
    let got = inbox.lock().unwrap();
    let busy = got.iter().map(|g| g.2 - g.1).sum::<Ps>() as f64 / (got.last().unwrap().2 - got[0].1) as f64;
    assert!(busy > 0.9999, "busy {busy}");
}

#[test]
fn a_full_buffer_drops_without_flow_control() {
    let ten = Speed::bps(TEN);
    let mut nics: Vec<_> = (0..2).map(|s| Script::nic(ten, (0..1000).map(|i| (0, data(s, 2, i, 1114))).collect()).0).collect();
    let (sink, inbox) = Script::nic(ten, vec![]);
    nics.push(sink);
    let end = run(star(3, ten, 0.0), config(None, Some(100_000)), nics, vec![], END, 1);
    let dropped = end.network.recorder.dropped as usize;
    assert!(dropped > 800);
    assert_eq!(inbox.lock().unwrap().len() + dropped, 2000);
}

#[test]
fn loss_is_by_seed_and_at_its_rate() {
    let ten = Speed::bps(TEN);
    let lose = || {
        let (a, _) = Script::nic(ten, (0..20_000).map(|i| (0, data(0, 1, i, 200))).collect());
        let (b, inbox) = Script::nic(ten, vec![]);
        let end = run(star(2, ten, 0.01), config(None, None), vec![a, b], vec![], END, 1);
        let arrived: Vec<u32> = inbox.lock().unwrap().iter().map(|g| g.0.meta.segment).collect();
        (end.network.recorder.lost, arrived)
    };
    let (lost, arrived) = lose();
    assert_eq!(lost as usize + arrived.len(), 20_000);
    // Two links of 1 %: 398 expected, standard deviation 20.
    assert!((300..500).contains(&lost), "{lost}");
    assert_eq!(lose(), (lost, arrived));
}
