//! The rate engine's integers in a loop with a fluid queue and a delay.
use super::Nic;
use crate::fabric::control::{Answer, BRANCHES, Control};
use crate::time::{Ps, US};
use timely_model::engine::law::{Kind, Operation, State, Words, apply};

/// Step of the queue of the integers' loop.
const STEP: Ps = US / 5;
/// Samples of a steady RTT, none of which moves a rate within the dead zone.
const STILL: u32 = 64;
/// Furthest that the dead zone is looked for, ns.
const FURTHEST: u32 = 10_000;

/// Swing of a queue.
#[derive(Clone, Copy, Debug)]
pub struct Swing {
    /// Mean, bits.
    pub mean: f64,
    /// Standard deviation, bits.
    pub deviation: f64,
    /// Mean time between two passages of the mean upwards, seconds; `None` of fewer than four.
    pub period: Option<f64>,
}

impl Swing {
    /// Swing of samples that are so many seconds apart.
    pub fn of(samples: &[f64], apart: f64) -> Self {
        let n = samples.len().max(1) as f64;
        let mean = samples.iter().sum::<f64>() / n;
        let deviation = (samples.iter().map(|q| (q - mean).powi(2)).sum::<f64>() / n).sqrt();
        // Half a deviation either side is no passage, so that steps of a packet are none.
        let (mut low, mut passed) = (false, Vec::new());
        for (i, q) in samples.iter().enumerate() {
            if *q < mean - deviation / 2.0 {
                low = true;
            } else if low && *q > mean + deviation / 2.0 {
                low = false;
                passed.push(i);
            }
        }
        let between = passed.last().zip(passed.first()).map_or(0, |(l, f)| l - f) as f64 * apart;
        Swing { mean, deviation, period: (passed.len() > 3).then(|| between / (passed.len() - 1) as f64) }
    }
}

impl Nic {
    // The words of the profile, its flows starting with their share.
    fn words(&self, flows: u32) -> Result<Words, String> {
        let share = self.capacity / 1e6 / f64::from(flows);
        let start = timely_regs::parameters::Parameters { initial_mbps: share, ..self.profile.clone() };
        start.quantise().map_err(|e| e.to_string())
    }

    fn interval(&self, rate: u32) -> Ps {
        (self.segment / (f64::from(rate) / 4096.0 * 1e6) * 1e12) as Ps
    }

    // A flow with its share of the line, whose controller has the output of rest.
    fn at_rest(&self, words: &Words, flows: u32) -> State {
        let mut state = State::default();
        apply(words, &mut state, &Operation { kind: Kind::Init, ..Operation::default() });
        let output = self.fixed_output(f64::from(flows));
        State { marked: output > 0.0, mark: (output * 2f64.powi(40)) as u64, ..state }
    }

    /// The integers' loop for so many ms from a queue in bits: the queue of the last third.
    ///
    /// # Errors
    /// The profile cannot be held.
    pub fn integers(&self, flows: u32, queue: f64, ms: f64) -> Result<Swing, String> {
        let queues = self.queues(flows, queue, ms, STEP)?;
        Ok(Swing::of(&queues[(queues.len() - 1) * 2 / 3 + 1..], STEP as f64 * 1e-12))
    }

    /// The same: the queue after each step, bits.
    ///
    /// # Errors
    /// The profile cannot be held.
    pub fn queues(&self, flows: u32, queue: f64, ms: f64, step: Ps) -> Result<Vec<f64>, String> {
        let words = self.words(flows)?;
        let seconds = |t: Ps| t as f64 * 1e-12;
        let mut laws: Vec<Control> = (0..flows).map(|_| Control::Integer(self.at_rest(&words, flows), [0; BRANCHES])).collect();
        // Segments of the flows end evenly spread over the first interval.
        let mut due: Vec<Ps> = laws.iter().zip(0u64..).map(|(l, i)| self.interval(l.rate()) * i / u64::from(flows)).collect();
        let steps = (ms * 1e9) as Ps / step;
        let mut past = vec![queue];
        for k in 1..=steps {
            let now = k * step;
            let total: f64 = laws.iter().map(|l| f64::from(l.rate()) / 4096.0 * 1e6).sum();
            let q = (past[past.len() - 1] + (total - self.capacity) * seconds(step)).max(0.0);
            past.push(q);
            // Queue that a packet found, for the packet with an ACK that comes now.
            let lag = self.base + q / self.capacity;
            let found = past[(k as usize).saturating_sub((lag / seconds(step)) as usize)];
            for (law, due) in laws.iter_mut().zip(&mut due) {
                if *due <= now {
                    let rtt = ((self.base + found / self.capacity) * 1e12) as Ps;
                    let answer = Answer { now, rtt, bytes: 0, packets: 1, marked: 0, lost: false, acked: 0, sent: 0 };
                    *due = now.max(*due) + self.interval(law.answer(&words, &answer).0);
                }
            }
        }
        Ok(past)
    }

    /// Width of the range of steady RTTs, ns, that leave a rate at its share as it is to the bit
    /// for 64 samples; `None` of a law that rests at no RTT.
    ///
    /// # Errors
    /// The profile cannot be held.
    pub fn dead_zone(&self, flows: u32) -> Result<Option<u32>, String> {
        let Some(queue) = self.fixed_queue(f64::from(flows)) else { return Ok(None) };
        let words = self.words(flows)?;
        let rest = self.at_rest(&words, flows);
        let apart = (self.interval(rest.rate) / 1000) as u32;
        let middle = ((self.base + queue / self.capacity) * 1e9).round() as u32;
        let still = |rtt_ns: u32| {
            // The samples before had the same RTT.
            let mut s = State { history: true, rtt_ns, ..rest };
            (1..=STILL).all(|k| apply(&words, &mut s, &Operation { rtt_ns, value: k * apart, ..Operation::default() }).rate == rest.rate)
        };
        // The middle of the zone may be a ns off the rest.
        let Some(from) = (middle.saturating_sub(2)..middle + 3).find(|r| still(*r)) else { return Ok(Some(0)) };
        let up = (1..FURTHEST).take_while(|d| still(from + d)).count() as u32;
        let down = (1..FURTHEST.min(from)).take_while(|d| still(from - d)).count() as u32;
        Ok(Some(up + down + 1))
    }
}
