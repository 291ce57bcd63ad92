//! Steps of the date, on and back: paced flows depart as if there were none, no RTT is wrong, and
//! no segment is given up.
use crate::common::thorough;
use crate::star::{Dressed, PACKETS, Star};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use timely_regs::map::time;
use timely_sim::cores::{CoreSpec, Prepared};
use timely_sim::nic::Outbox;
use timely_sim::run::Observer;
use timely_sim::scenario::Form;
use timely_sim::time::{NS, Ps, US};

const MS: f64 = 2.0;
/// From a step of a NIC's date to the next: longer than an RTT, so that some samples straddle none.
const BETWEEN: Ps = 211 * US + 411 * NS;
const SEED: u64 = 9;

/// Each NIC's date runs by itself.
fn free(_: &CoreSpec, nic: &mut Prepared) {
    nic.core.write32(time::SOURCE.address(), 0).expect("a register");
}

/// Each NIC's date is set all the time: to any other, or by up to 50 us on or back.
fn steps(spec: &CoreSpec, nic: &mut Prepared) {
    free(spec, nic);
    let mut rng = ChaCha8Rng::seed_from_u64(SEED + u64::from(spec.host));
    let (mut at, mut date) = (rng.random_range(0..BETWEEN), 0u64);
    while at < (MS * 1000.0) as u64 * US {
        let by = rng.random_range(-50_000i64..50_000) << 16;
        date = if rng.random() { rng.random() } else { date.wrapping_add_signed(by) };
        nic.writes.push((at, time::SET_LOW.address(), date as u32));
        nic.writes.push((at, time::SET_HIGH.address(), (date >> 32) as u32));
        at += BETWEEN;
        date = date.wrapping_add((BETWEEN / NS) << 16);
    }
    nic.writes.sort_by_key(|w| w.0);
}

/// The date of the receiver, host 2, is set to any other about as often as it takes to answer a
/// segment.
fn receiver_steps(spec: &CoreSpec, nic: &mut Prepared) {
    free(spec, nic);
    if spec.host == 2 {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let mut at = 0;
        while at < (MS * 1000.0) as u64 * US {
            at += rng.random_range(100 * NS..200 * NS);
            nic.writes.push((at, time::SET_HIGH.address(), rng.random()));
        }
    }
}

/// When data left host 0.
#[derive(Default)]
struct Departures(Vec<Ps>);

impl Observer for &mut Departures {
    fn progress(&mut self, _: Ps) {}
    fn host(&mut self, node: u16, out: &Outbox) {
        if node == 0 {
            self.0.extend(out.departures.iter().filter(|d| !d.frame.meta.ack).map(|d| d.start));
        }
    }
}

/// Two flows at fixed rates leave at the same times, to the picosecond, whether dates step or not.
#[test]
fn departures_do_not_notice_a_step() {
    for star in Star::all() {
        let profile = |n: u32| format!("[profile.p{n}]\nlike = 'fixed'\ninitial_mbps = {}\ntimeout_us = 50\n", star.gbps * 100 * n);
        let flow = |n: u32| format!("[[flow]]\nfrom = 0\nto = {n}\nprofile = 'p{n}'\n{PACKETS}");
        let text = profile(1) + &profile(3) + &flow(1) + &flow(3).replace("to = 3", "to = 2");
        let run = |stepping: bool| {
            let mut left = Departures::default();
            let dress = |spec: &CoreSpec, nic: &mut Prepared| if stepping { steps(spec, nic) } else { free(spec, nic) };
            let o = star.run(3, MS, &text, &Dressed(dress), &mut left);
            (left.0, o.summary)
        };
        let ((quiet, still), (stepped, s)) = (run(false), run(true));
        println!("{star}: {} packets, {} samples without steps, {} with", stepped.len(), still.samples, s.samples);
        assert!(quiet.len() > 20 && quiet == stepped, "{star}, seed {SEED}: departures differ");
        // Some samples straddle a step.
        assert!(s.timeouts == 0 && s.samples < still.samples, "{star}, seed {SEED}: {s:?}");
    }
}

/// TIMELY among steps: samples that straddle one are dropped, all others are as right as without
/// steps within two clocks (the in-line form stamps in front of its MAC), no segment is given up,
/// and the link is as full as without.
#[test]
fn the_loop_holds_among_steps() {
    for star in Star::all() {
        let text = format!(
            "[profile.p]\nlike = 'timely-{}g'\ninitial_mbps = {}\n[[flow]]\nfrom = [0, 1]\nto = 2\nprofile = 'p'\nstagger_us = 50\n{PACKETS}",
            star.gbps,
            star.gbps * 500
        );
        let still = star.run(3, MS, &text, &Dressed(free), |_| {}).summary;
        let s = star.run(3, MS, &text, &Dressed(steps), |_| {}).summary;
        let [off, before] = [&s, &still].map(|s| s.rtt_error_clocks_max.expect("a sample"));
        println!(
            "{star}: {} samples, off by {off:.2} clocks at most, {} by {before:.2} without steps; utilization {:.3} and {:.3}",
            s.samples, still.samples, s.utilization, still.utilization
        );
        assert!((still.samples / 2..still.samples).contains(&s.samples) && off <= before + 2.0, "{star}, seed {SEED}: {s:?}");
        assert!(
            s.timeouts == 0 && s.utilization > 0.98 * still.utilization && s.utilization > 0.9,
            "{star}, seed {SEED}: {s:?}, {still:?}"
        );
    }
}

/// The signal of one-way delays among steps of either clock: rates do not fall for them.
#[test]
fn one_way_delays_hold_among_steps() {
    for star in Star::all() {
        let text = format!(
            "[profile.p]\nlike = 'timely-{}g'\nsignal = 'one_way'\nsignal_base_us = 5\ninitial_mbps = {}\n[[flow]]\nfrom = [0, 1]\nto = 2\nprofile = 'p'\nstagger_us = 50\n{PACKETS}",
            star.gbps,
            star.gbps * 500
        );
        let still = star.run(3, MS, &text, &Dressed(free), |_| {}).summary;
        let s = star.run(3, MS, &text, &Dressed(steps), |_| {}).summary;
        println!(
            "{star}: {} samples, {} without steps; utilization {:.3} and {:.3}",
            s.samples, still.samples, s.utilization, still.utilization
        );
        assert!(
            s.timeouts == 0 && s.utilization > 0.95 * still.utilization && s.utilization > 0.9,
            "{star}, seed {SEED}: {s:?}, {still:?}"
        );
    }
}

/// The signal of RTTs less the receiver's residence, while the receiver's date steps as it answers:
/// a residence that cannot be leaves the RTT, so the queue is what RTTs make it; and no law takes
/// it for a slow receiver.
#[test]
fn residences_hold_among_steps() {
    let every = Star::all().into_iter().flat_map(|star| ["timely", "swift"].map(|law| (star, law)));
    // In an ordinary run one form has the second law.
    for (star, law) in every.filter(|(star, law)| thorough() || *law == "timely" || star.form == Form::Standalone) {
        let text = format!(
            "[profile.p]\nlike = '{law}-{}g'\nsignal = 'less_residence'\ninitial_mbps = {}\n[[flow]]\nfrom = [0, 1]\nto = 2\nprofile = 'p'\nstagger_us = 50\n{PACKETS}",
            star.gbps,
            star.gbps * 500
        );
        let still = star.run(3, MS, &text, &Dressed(free), |_| {}).summary;
        let s = star.run(3, MS, &text, &Dressed(receiver_steps), |_| {}).summary;
        println!(
            "{star}, {law}: RTT {:.2} us, p99 {:.2}, {:.2} and {:.2} without steps; utilization {:.3} and {:.3}; {} samples and {}",
            s.rtt_us.mean, s.rtt_us.p99, still.rtt_us.mean, still.rtt_us.p99, s.utilization, still.utilization, s.samples, still.samples
        );
        assert!(
            s.timeouts == 0 && s.samples > 0 && s.utilization > 0.98 * still.utilization && s.rtt_us.p99 < 1.1 * still.rtt_us.p99,
            "{star}, {law}, seed {SEED}: {s:?}, {still:?}"
        );
    }
}
