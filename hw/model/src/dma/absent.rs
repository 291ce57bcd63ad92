//! The block in DMA's place in forms without host memory: `timely_hw::dma::NoDma`.
use super::{In, Master, Out};
use crate::Block;
use timely_regs::map::dma as map;

/// DMA that never starts: a start, and with it a snapshot or a load, is refused; records are
/// dropped.
#[derive(Clone, Debug, Default)]
pub struct NoDma {
    live: u32,
    refuse: bool,
}

impl Block for NoDma {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        Out {
            live: self.live,
            refuse: self.refuse,
            record_ready: true,
            query: None,
            load: None,
            loading: false,
            irq: 0,
            memory: Master::default(),
        }
    }

    fn step(&mut self, _clk: u64, i: &In) {
        if i.rst {
            *self = NoDma::default();
        } else if let Some(look) = &i.look {
            let is = |r: &timely_regs::map::Register| r.word() == look.word;
            self.live = if is(&map::STATUS) { 1 << map::IDLE.low } else { 0 };
            self.refuse = is(&map::CONTROL) && look.data & 1 == 1 || is(&map::SNAPSHOT[4]) || is(&map::LOAD[4]);
        }
    }

    fn wake(&self, _clk: u64) -> u64 {
        u64::MAX
    }
}
