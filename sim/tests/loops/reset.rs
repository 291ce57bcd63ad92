//! The soft reset on model NICs whose flows send: what it forgets, and what it leaves.
use crate::common;
use timely_regs::map::{Build, id, port, ring_bits, window};
use timely_sim::cores::CoreSpec;
use timely_sim::nic::core::{Completion, Core, CoreIn};
use timely_sim::nic::corundum::Corundum;
use timely_sim::nic::model::Model;
use timely_sim::nic::setup::{configure, load, record, snapshot};

/// A NIC of the form, with two flows of 2 Gb/s that always have packets of 1,514 bytes.
fn spec(form: &str) -> CoreSpec {
    let flow = "[[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\npacket_bytes = 1424\nsegment_bytes = 2848\n";
    let text = format!(
        "name = 'reset'\nduration_ms = 1\nseed = 3\n[topology]\nhosts = 2\n[link]\nrate_gbps = 10\n[nic]\nkind = 'model'\nform = '{form}'\n\
         [profile.p]\nlike = 'fixed'\ninitial_mbps = 2000\noutstanding_kb = 0\n{flow}{flow}"
    );
    common::specification(&text)
}

/// Frames that ended within so many clocks: clock of the first beat, bytes. Each is stamped as it
/// begins; the stamp is a completion a clock later.
fn frames(nic: &mut dyn Core, clocks: u64, under_way: &mut Option<(u64, usize)>) -> Vec<(u64, usize)> {
    let (mut all, end) = (Vec::new(), nic.clk() + clocks);
    let mut stamped = None;
    while nic.clk() < end {
        let tx = nic.output().tx;
        let completion = stamped.take();
        if let Some(beat) = tx {
            if under_way.is_none() {
                stamped = Some(Completion { tag: beat.tag, ts: nic.now() });
            }
            let (first, bytes) = under_way.take().unwrap_or((nic.clk(), 0));
            let frame = (first, bytes + usize::from(beat.bytes));
            if beat.last { all.push(frame) } else { *under_way = Some(frame) }
        }
        nic.step(&CoreIn { tx_ready: tx.is_some(), completion, ..CoreIn::default() });
    }
    all
}

/// In the middle of a frame, of either form: that frame leaves whole, no flow has anything left
/// behind the reset, addresses, key and time go on, and flows send again that are loaded again. The
/// standalone NIC is silent in between; behind Corundum's queues the host's packets go on, as those
/// of no flow.
#[test]
fn a_soft_reset_forgets_the_flows_alone() {
    for form in ["standalone", "corundum"] {
        let spec = spec(form);
        let build = Build { flow_bits: 10, bus_bits: spec.bus_bits, ring_bits: ring_bits(spec.bus_bits), clock_ps: 4000, ptp: 0 };
        let mut nic: Box<dyn Core> = if form == "corundum" { Box::new(Corundum::new(build, &spec)) } else { Box::new(Model::new(build)) };
        let nic = nic.as_mut();
        let writes = configure(nic, &spec).expect("a valid set-up");
        writes.iter().for_each(|w| nic.post_write(w.1, w.2));
        let mut under_way = None;
        let before = frames(nic, 30_000, &mut under_way);
        assert!(before.len() > 20 && before.iter().all(|f| f.1 == 1514), "{form}: {before:?}");
        let sent = |nic: &mut dyn Core| snapshot(nic, 2).expect("queries").iter().map(|r| (r.packets, r.rate)).collect::<Vec<_>>();
        assert!(sent(nic).iter().all(|r| r.0 > 5 && r.1 != 0), "{form}");
        // 2 Gb/s twice of 10: a frame begins within a frame's time or two.
        for _ in 0..1000 {
            if under_way.is_none() {
                frames(nic, 2, &mut under_way);
            }
        }
        let (now, clk) = (nic.now(), nic.clk());
        nic.post_write(id::RESET.address(), 1);
        // A flow in 32 clocks, and what was granted.
        let during = frames(nic, 32 * 1024 + 4000, &mut under_way);
        assert!(during[0].0 < clk && during.iter().all(|f| f.1 == 1514), "{form}: {during:?}");
        let after = frames(nic, 10_000, &mut under_way);
        println!("{form}: {} frames before, {} while it lasted, {} behind it", before.len(), during.len(), after.len());
        assert!(after.is_empty() || form == "corundum", "{form}: {after:?}");
        // Granted packets count where their flow was reset before they left; so do packets with our
        // header out of any queue of Corundum's.
        let most = if form == "corundum" { (during.len() + after.len()) as u32 } else { 2 };
        assert!(sent(nic).iter().all(|r| r.0 <= most && r.1 == 0), "{form}: {:?}", sent(nic));
        let read = |nic: &mut dyn Core, register: &timely_regs::map::Register| nic.read32(register.address()).expect("a read");
        assert_eq!(read(nic, &id::STATUS), 1, "{form}: ready, not stopped");
        assert_eq!((read(nic, &port::IPV4), read(nic, &port::NONCE_KEYED)), (u32::from_le_bytes([11, 0, 0, 1]), 1), "{form}");
        assert_eq!((nic.now() - now) >> 16, 4 * (nic.clk() - clk), "{form}: ns");
        for (number, flow) in (0..).zip(&spec.flows) {
            for (address, value) in load(number, &record(flow, 0, &spec)).expect("a record") {
                nic.write32(address, value).expect("a write");
            }
            nic.post_write(window::doorbell(number), 64);
            frames(nic, 100, &mut under_way);
        }
        let again = frames(nic, 20_000, &mut under_way);
        assert!(again.len() > 10 && sent(nic).iter().all(|r| r.0 > 3 && r.1 == 2000 << 12), "{form}: {again:?}");
    }
}
