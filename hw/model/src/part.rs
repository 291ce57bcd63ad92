//! A block inside a larger one, stepped only when it matters.
use crate::Block;

/// A block and the clock at which it must be stepped next.
#[derive(Clone, Debug)]
pub struct Part<B> {
    /// The block.
    pub block: B,
    /// The clock at which it must be stepped though its input is idle.
    pub due: u64,
}

impl<B: Block> Part<B> {
    /// A block that is stepped at the first clock.
    pub fn new(block: B) -> Self {
        Part { block, due: 0 }
    }

    /// The edge that ends clock `clk`, if it matters: because the input is not idle (`busy`), or
    /// because the block is due. Says whether it did.
    pub fn step(&mut self, clk: u64, busy: bool, input: impl FnOnce() -> B::In) -> bool {
        let matters = busy || clk >= self.due;
        if matters {
            self.block.step(clk, &input());
            self.due = self.block.wake(clk + 1);
        }
        matters
    }
}
