//! Silence: rates fall without ACKs, and a peer that sends none costs other flows nothing.
use crate::common::thorough;
use crate::star::{Dressed, PACKETS, Star, rates};
use timely_regs::map::port;
use timely_sim::cores::{CoreSpec, Prepared};
use timely_sim::nic::Outbox;
use timely_sim::run::Observer;
use timely_sim::time::{Ps, US};

/// Time-out of the flows, us.
const TIMEOUT_US: u32 = 200;
/// Longest search for segments that have timed out, us.
const SCAN_US: u32 = 300;
/// When the peer of [`dcqcn_owes_nothing_for_a_silence`] falls silent.
const MUTE: Ps = 1000 * US;
/// When it answers again.
const HEARD: Ps = 42_000 * US;

/// Host 1 answers no segment.
fn mute(spec: &CoreSpec, nic: &mut Prepared) {
    if spec.host == 1 {
        nic.core.write32(port::ACK_ENABLE.address(), 0).expect("a register");
    }
}

/// Rates of host 0's flows in force, and when they gave segments up and measured RTTs.
#[derive(Default)]
struct Told {
    rates: Vec<(Ps, f64)>,
    timeouts: Vec<Ps>,
    answers: Vec<Ps>,
}

impl Observer for &mut Told {
    fn progress(&mut self, _: Ps) {}
    fn host(&mut self, node: u16, out: &Outbox) {
        if node == 0 {
            self.rates.extend(out.rates.iter().map(|r| (r.at, r.mbps)));
            self.timeouts.extend(out.timeouts.iter().map(|t| t.at));
            self.answers.extend(out.rtts.iter().map(|r| r.at));
        }
    }
}

/// Nothing answers, and no bound holds the flow: each time-out halves its rate, so that after five
/// a thirty-second is left, and after ten the least. From one time-out to the next it is a time-out
/// and a scan at most.
#[test]
fn rates_fall_to_their_least_without_any_ack() {
    for star in Star::all() {
        let line = 1000.0 * f64::from(star.gbps);
        let text = format!(
            "[profile.p]\nlike = 'timely-{}g'\ntimeout_us = {TIMEOUT_US}\noutstanding_kb = 0\nleast_mbps = {}\n\
             [[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\n{PACKETS}",
            star.gbps,
            line / 1000.0
        );
        let mut told = Told::default();
        let ms = 10.0 * f64::from(TIMEOUT_US + SCAN_US) / 1000.0;
        star.run(2, ms, &text, &Dressed(mute), &mut told);
        let times: Vec<u64> = told.timeouts.iter().map(|t| t / US).collect();
        println!("{star}: time-outs at {times:?} us, rates {:.0?}", told.rates.iter().map(|r| r.1).collect::<Vec<_>>());
        assert!(times.len() >= 10, "{star}: {} time-outs in {ms} ms", times.len());
        let longest = times[..5].windows(2).map(|w| w[1] - w[0]).max().expect("five time-outs");
        assert!(longest <= u64::from(TIMEOUT_US + SCAN_US), "{star}: {longest} us from a time-out to the next");
        let least = line / 1000.0;
        for pair in told.rates[..11].windows(2).map(|w| (w[0].1, w[1].1)) {
            assert!((pair.1 / (pair.0 / 2.0).max(least) - 1.0).abs() < 0.001, "{star}: {pair:?} Mb/s before and after a time-out");
        }
        let after = |n: usize| told.rates.iter().rfind(|r| r.0 <= told.timeouts[n - 1] + US).expect("a rate").1;
        assert!(after(5) <= line / 32.0 * 1.0001, "{star}: {} Mb/s after five time-outs", after(5));
        assert!(after(10) <= least * 1.001, "{star}: {} Mb/s after ten", after(10));
    }
}

/// Of a host's two flows one goes to a peer that answers nothing: the other has all of the line
/// that the first, whose time-outs take it to its least rate, leaves.
#[test]
fn a_silent_peer_costs_other_flows_nothing() {
    for star in Star::all() {
        let line = 1000.0 * f64::from(star.gbps);
        let least = line / 1000.0;
        let text = format!(
            "[profile.p]\nlike = 'timely-{}g'\ntimeout_us = {TIMEOUT_US}\nleast_mbps = {least}\n\
             [[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\n{PACKETS}[[flow]]\nfrom = 0\nto = 2\nprofile = 'p'\n{PACKETS}",
            star.gbps
        );
        let ms = if thorough() { 5.0 } else { 3.0 };
        let o = star.run(3, ms, &text, &Dressed(mute), |_| {});
        let rates = rates(&o);
        println!("{star}: {rates:.0?} Mb/s to the silent peer and to the other");
        assert!(rates[1] >= 0.97 * (line - rates[0]), "{star}: {rates:?}");
        // Half of the run is behind seven time-outs.
        assert!(rates[0] <= 0.02 * line, "{star}: {rates:?}");
    }
}

/// Host 1 answers nothing from [`MUTE`] to [`HEARD`].
fn mute_for_long(spec: &CoreSpec, nic: &mut Prepared) {
    if spec.host == 1 {
        nic.writes.extend([(MUTE, port::ACK_ENABLE.address(), 0), (HEARD, port::ACK_ENABLE.address(), 1)]);
        nic.writes.sort_by_key(|w| w.0);
    }
}

/// 41 ms without an ACK take a flow of DCQCN to its least rate. With ACKs again it rises no faster
/// than by the timers of SIGCOMM'15, which a time-out restarts: each 55 us end a stage, the first
/// five of which are fast recovery towards the rate that time-outs left, and any further one adds
/// R_AI at most. No stage is owed for the silence: in 13.5 us from the first ACK, which would be
/// enough for 135 stages, the rate rises by less than one.
#[test]
fn dcqcn_owes_nothing_for_a_silence() {
    const STAGE: Ps = 55 * US;
    for star in Star::all() {
        let (line, step) = (1000.0 * f64::from(star.gbps), f64::from(star.gbps));
        let least = line / 1000.0;
        let text = format!(
            "[profile.p]\nlike = 'dcqcn-{}g'\nadditive_step_mbps = {step}\ntimeout_us = 1000\n\
             [[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\n{PACKETS}",
            star.gbps
        );
        let mut told = Told::default();
        star.run(2, 47.0, &text, &Dressed(mute_for_long), &mut told);
        let first = *told.answers.iter().find(|at| **at > HEARD).expect("an ACK behind the silence");
        let last = *told.timeouts.iter().rfind(|at| **at < first).expect("time-outs");
        let before = told.rates.iter().rfind(|r| r.0 <= last + US).expect("a rate").1;
        let (end, reached) = *told.rates.last().expect("a rate");
        println!(
            "{star}: {before} Mb/s at the last time-out, at {} us, first ACK at {} us, {reached} Mb/s at {} us",
            last / US,
            first / US,
            end / US
        );
        assert!(before <= least * 1.001, "{star}: {before} Mb/s after {} time-outs", told.timeouts.len());
        for (at, mbps) in told.rates.iter().filter(|r| r.0 > last + US) {
            let stages = (at - last) / STAGE;
            let most = before + step * stages.saturating_sub(5) as f64;
            assert!(*mbps <= most + 0.01, "{star}: {mbps} Mb/s {stages} stages after the last time-out, {most} at most");
            assert!(
                *at > first + 13_500_000 || *mbps <= before + step,
                "{star}: {mbps} Mb/s {} ns after the first ACK",
                (at - first) / 1000
            );
        }
        let risen = step * ((end - first) / STAGE).saturating_sub(6) as f64;
        assert!(end > first + 2000 * US && reached >= before + 0.9 * risen, "{star}: {reached} Mb/s, timers give {}", before + risen);
    }
}
