//! The table of queue pairs of `timely_hw::roce::queue_pairs`: which flow a queue pair is, by its
//! remote address and number, exactly.
mod hash;
mod manager;
mod rules;
mod side;
mod words;

use crate::{Block, fifo};
pub use hash::{Key, SECRET_BITS, hash};
use manager::Manager;
pub use rules::{Given, In as RulesIn, Out as RulesOut, RULE_LATENCY, Rules};
pub use side::{LATENCY, WAYS};
use side::{Side, Slot};
pub use words::{Change, Command, In, LEARN_QUEUE, OLD_UNITS, Out, Pulse, Status, Told, Verb};

/// `2^flow_bits` queue pairs in twice as many places.
#[derive(Clone, Debug)]
pub struct QueuePairs {
    flow_bits: u32,
    sweep_end: u64,
    sent: Side,
    answers: Side,
    learn: fifo::Fifo<(Key, u8)>,
    manager: Manager,
}

impl QueuePairs {
    /// A table as it is after power-up.
    ///
    /// # Panics
    /// When `flow_bits` is not 6 to 16.
    pub fn new(flow_bits: u32) -> Self {
        assert!((6..=16).contains(&flow_bits), "a table of 2^{flow_bits} queue pairs; there are 2^6 to 2^16");
        QueuePairs {
            flow_bits,
            sweep_end: 1 << flow_bits,
            sent: Side::new(flow_bits),
            answers: Side::new(flow_bits),
            learn: fifo::Fifo::new(LEARN_QUEUE),
            manager: Manager::new(flow_bits),
        }
    }

    /// Keys that stand in places and flows with a key, of both directions.
    pub fn held(&self) -> [(usize, usize); 2] {
        [self.sent.held(), self.answers.held()]
    }

    /// Flows without a pair.
    pub fn free(&self) -> usize {
        self.manager.free()
    }
}

impl Block for QueuePairs {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let found = |side: &Side| side.output(clk).filter(|d| matches!(d.slot, Slot::Look { .. })).map(|d| d.flow);
        let swept = clk >= self.sweep_end;
        let answer = found(&self.answers);
        let done = [self.sent.output(clk).copied(), self.answers.output(clk).copied()];
        Out {
            swept,
            sent: found(&self.sent),
            answer,
            answer_key: answer.and(done[1].map(|d| d.key)),
            told: self.manager.told(done),
            ..self.manager.output(swept)
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = QueuePairs { sweep_end: clk + 1 + (1 << self.flow_bits), ..QueuePairs::new(self.flow_bits) };
            return;
        }
        let swept = clk >= self.sweep_end;
        let done = [self.sent.output(clk).copied(), self.answers.output(clk).copied()];
        let learn = self.learn.output(clk);
        let unknown = done[0].filter(|d| d.flow.is_none()).and_then(|d| match d.slot {
            Slot::Look { learn } => Some((d.key, learn?)),
            _ => None,
        });
        let (ops, taken) = self.manager.step(i, swept, done, learn.head, unknown.is_some() && !learn.ready);
        self.learn.step(clk, &fifo::In { rst: false, push: unknown, ready: taken });
        for ((side, op), look) in [&mut self.sent, &mut self.answers].into_iter().zip(ops).zip([i.sent, i.answer.map(|k| (k, None))]) {
            side.retire(clk);
            if let Some((key, learn)) = look.filter(|_| swept) {
                side.enter(clk, i.secret, Slot::Look { learn }, key);
            } else if let Some((slot, key)) = op {
                side.enter(clk, i.secret, slot, key);
                self.manager.sent();
            }
        }
    }

    /// Of a table whose pairs do not age: ages go on at every clock.
    fn wake(&self, clk: u64) -> u64 {
        let idle = self.manager.is_idle() && self.learn.is_empty() && self.sent.is_idle() && self.answers.is_idle();
        match clk.cmp(&self.sweep_end) {
            std::cmp::Ordering::Less => self.sweep_end,
            _ if idle => u64::MAX,
            _ => clk,
        }
    }
}
