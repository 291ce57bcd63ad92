//! The delays of the vectors' cases.
use timely_regs::parameters::Parameters;

/// Updates of a case.
const UPDATES: u32 = 240;

/// A published generator (xorshift64*), so that the vectors depend on no library's version.
struct Random(u64);

impl Random {
    /// Uniform in `[low, high)`.
    fn range(&mut self, low: f64, high: f64) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        low + (high - low) * (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Rounded to ns.
fn ns(us: f64) -> f64 {
    (us * 1000.0).round() / 1000.0
}

/// Inputs of an update; times in us.
pub struct Update {
    /// Now.
    pub now: f64,
    /// RTT; for Swift the fabric's delay.
    pub rtt: f64,
    /// The endpoint's delay.
    pub endpoint: f64,
    /// Hops.
    pub hops: u8,
    /// The ACK echoes a mark.
    pub marked: bool,
    /// Bytes that it acknowledges.
    pub bytes: u32,
}

/// All updates of a case.
pub type Trace = Vec<Update>;

fn update(rtt: f64, now: f64) -> Update {
    Update { now: ns(now), rtt: ns(rtt), endpoint: 0.0, hops: 0, marked: false, bytes: 0 }
}

/// RTTs as a queue makes them: they climb and drain, cross both thresholds, and fall for long
/// enough to be hyperactive.
pub fn queue(p: &Parameters, seed: u64) -> Trace {
    let mut random = Random(seed);
    let (mut rtt, mut now, mut slope) = (p.t_low_us.max(p.min_rtt_us), 0.0, 0.0);
    let span = p.t_high_us - p.t_low_us;
    (0..UPDATES)
        .map(|k| {
            if k % 24 == 0 {
                slope = random.range(-0.1, 0.1) * span;
            }
            rtt = (rtt + slope + random.range(-0.01, 0.01) * span).clamp(0.5 * p.min_rtt_us, 1.5 * p.t_high_us);
            now += ns(random.range(0.1, 2.0) * p.update_interval_us);
            update(rtt, now)
        })
        .collect()
}

/// Exactly at, just below and just above each threshold; equal RTTs; no time between updates; jumps
/// that reach floor and limits.
pub fn corners(p: &Parameters) -> Trace {
    let (low, high) = (p.t_low_us, p.t_high_us);
    let edges = [low, low - 0.001, low, low + 0.001, high, high + 0.001, high, high - 0.001, high, high];
    let jumps = [low + 1.0, 16_000.0, low + 1.0, 16_000.0, 16_000.0, low + 2.0];
    let fall = (0..12).map(|k| low + 40.0 - 2.0 * f64::from(k));
    let rise = (0..12).map(|k| low + 10.0 + 3.0 * f64::from(k));
    let rtts: Vec<f64> = edges.into_iter().chain(fall.clone()).chain(rise).chain(jumps).chain(edges).chain(fall).collect();
    let gaps = [p.update_interval_us, 0.0, 0.25 * p.update_interval_us, 0.999 * p.update_interval_us, 7.0 * p.update_interval_us];
    let mut now = 0.0;
    let many = rtts.into_iter().cycle().take(UPDATES as usize).enumerate();
    many.map(|(k, rtt)| {
        now += gaps[k % 5];
        update(rtt, now)
    })
    .collect()
}

/// ACKs for DCQCN: marks by turns many, few and none, bytes by turns small and more than a stage's.
pub fn marks(p: &Parameters, seed: u64) -> Trace {
    let mut random = Random(seed);
    let mut now = 2.0 * p.cnp_interval_us;
    (0..UPDATES)
        .map(|k| {
            now += ns(random.range(0.05, 1.2) * p.cnp_interval_us);
            let marked = random.range(0.0, 1.0) < [0.4, 0.0, 0.1][k as usize / 24 % 3];
            let most = f64::from(p.byte_counter) * if k % 48 < 24 { 0.2 } else { 1.8 };
            Update { marked, bytes: random.range(64.0, most) as u32, ..update(0.0, now) }
        })
        .collect()
}

/// Delays around Swift's target that climb and drain, of a path of changing length and an endpoint
/// that is slow now and then.
pub fn fabric(p: &Parameters, seed: u64) -> Trace {
    let mut random = Random(seed);
    let (mut rtt, mut now, mut slope, mut slow) = (p.base_target_us, 0.0, 0.0, 1.0);
    (0..UPDATES)
        .map(|k| {
            if k % 24 == 0 {
                slope = random.range(-0.06, 0.06) * (p.base_target_us + p.flow_range_us);
                slow = if k % 72 == 48 { 3.0 } else { 1.0 };
            }
            rtt = (rtt + slope + random.range(-1.0, 1.0)).clamp(0.4 * p.base_target_us, 4.0 * p.base_target_us);
            // From within a window to a window far below one packet.
            now += ns(p.update_interval_us * if k % 48 < 24 { random.range(0.02, 0.5) } else { random.range(0.5, 4.0) });
            let endpoint = ns(slow * random.range(0.1, 0.99) * p.endpoint_target_us);
            Update { endpoint, hops: (k / 60) as u8, ..update(rtt, now) }
        })
        .collect()
}
