//! Clocks in which beats of frames move and nothing else does: most of those that are stepped. They
//! have the outcome of [`Core::step`], for the blocks that it would step are the same.
use super::{Core, Pins, Shown, Source};
use crate::{Block, csr, dma, parse, txmux};

impl<D: Block<In = dma::In, Out = dma::Out>> Core<D> {
    /// Behind the step of a clock: how long what did not move at it will not by itself. `moved`: a
    /// block was stepped that is neither parser nor multiplexer, or is when an answer is taken.
    pub(super) fn calm(&mut self, moved: bool) {
        let moves = moved || !self.swept || self.is_stirred();
        self.calm_until = if moves { 0 } else { self.parts(u64::MAX, u64::MAX).into_iter().min().unwrap_or(0) };
    }

    /// Whether at clock `clk`, with these inputs and a source that gives beats alone, nothing but
    /// beats moves. The reset is not checked.
    pub fn is_calm(&self, clk: u64, i: &Pins) -> bool {
        let registers = i.aw.is_some() || i.w.is_some() || i.ar.is_some();
        let memory = i.memory.b.is_some() || i.memory.r.is_some();
        let told = i.completion.is_some() || i.ptp.is_some() || i.pause != 0;
        clk < self.calm_until && clk < self.parse.due && !(registers || memory || told)
    }

    /// As [`Core::show`], where `shown` is what it gave at the clock that was stepped last.
    pub fn show_again(&self, clk: u64, shown: &mut Shown) {
        if clk >= self.calm_until {
            *shown = self.show(clk);
            return;
        }
        shown.time = self.time.block.output(clk);
        shown.parse = self.parse.block.output(clk);
        shown.txmux = self.txmux.block.output(clk);
        shown.tx = shown.txmux.beat;
        shown.data_ready = shown.txmux.data_ready && shown.data_goes;
    }

    /// The edge that ends a calm clock.
    pub fn step_calm(&mut self, clk: u64, i: &Pins, source: &Source) {
        let port = self.csr.block.settings().udp_port;
        self.parse.step(clk, i.rx.is_some(), || parse::In { rst: false, beat: i.rx, stamp: i.rx_ts, bad: i.rx_bad, port });
        let data = source.data;
        if data.is_some() || clk >= self.txmux.due {
            if let Some((beat, _)) = data.filter(|_| self.txmux.block.output(clk).data_ready) {
                self.data_inside = !beat.last;
            }
            self.txmux.step(clk, true, || txmux::In { rst: false, fair: false, ack: None, data, ready: i.tx_ready });
        }
    }

    /// Registers as they are.
    pub fn settings(&self) -> &csr::Settings {
        self.csr.block.settings()
    }

    /// A doorbell would be taken at clock `clk`.
    pub fn takes_doorbell(&self, clk: u64) -> bool {
        self.pacer.as_ref().is_some_and(|p| p.block.output(clk).doorbell_ready)
    }
}

impl Source {
    /// Nothing but, perhaps, a beat of data comes from the source.
    pub fn gives_beats_alone(&self) -> bool {
        let Source { sent, doorbell, charge, pulses, idle, limited, sample, notice, load, swept, .. } = self;
        let told = sent.is_some() || doorbell.is_some() || charge.is_some() || idle.is_some() || limited.is_some();
        *swept && *pulses == 0 && !(told || sample.is_some() || notice.is_some() || load.is_some())
    }
}
