//! The Verilog and its model as one in-line NIC, driven alike.
use timely_model::bus::Sample;
use timely_model::inline::nic::{In, Out, WireBeat};
use timely_model::stream::Beat;
use timely_sim::nic::inline::rtl::Rtl;
use timely_sim::nic::inline::{Model, Path};

pub struct Both {
    rtl: Rtl,
    model: Model,
    clk: u64,
}

/// Clocks for which the Verilog is held in reset.
const RESET_CLOCKS: u64 = 16;

impl Both {
    /// After the reset of the Verilog, which the model goes through too.
    pub fn new(rtl: Rtl, mut model: Model) -> Self {
        for clk in 0..RESET_CLOCKS {
            model.step(clk, &In { rst: true, ..In::default() });
        }
        Both { rtl, model, clk: RESET_CLOCKS }
    }

    fn compare(&self, clk: u64) -> Out {
        let (rtl, model) = (self.rtl.output(clk), comparable(self.model.output(clk)));
        assert_eq!(rtl, model, "clock {clk}: Verilog and model");
        rtl
    }
}

/// Without what stands behind a frame's last byte, and what no tap shows.
fn comparable(out: Out) -> Out {
    let cut = |b: Beat| {
        let mut data = b.data;
        data[usize::from(b.bytes).min(64)..].fill(0);
        Beat { data, ..b }
    };
    Out {
        wire: out.wire.map(|w| WireBeat { beat: cut(w.beat), ..w }),
        host: out.host.map(|(b, meta)| (cut(b), meta)),
        sample: out.sample.map(|s| Sample { kind: s.kind, flow: s.flow, rtt_ns: s.rtt_ns, ..Sample::default() }),
        ..out
    }
}

impl Path for Both {
    fn bus_bytes(&self) -> usize {
        self.model.bus_bytes()
    }

    fn output(&self, clk: u64) -> Out {
        self.compare(clk + self.clk)
    }

    fn wire(&self, clk: u64) -> Option<WireBeat> {
        self.compare(clk + self.clk).wire
    }

    fn now(&self, clk: u64) -> u64 {
        self.model.now(clk + self.clk)
    }

    fn step(&mut self, clk: u64, i: &In) {
        self.compare(clk + self.clk);
        self.rtl.step(clk + self.clk, i);
        self.model.step(clk + self.clk, i);
    }

    fn wake(&self, clk: u64) -> u64 {
        match self.model.wake(clk + self.clk) {
            u64::MAX => u64::MAX,
            at => at - self.clk,
        }
    }

    /// The model skips, the Verilog steps: nothing may happen in it.
    fn skip(&mut self, from: u64, to: u64) {
        for clk in from..to {
            self.compare(clk + self.clk);
            self.rtl.step(clk + self.clk, &In::default());
        }
        self.compare(to + self.clk);
    }
}
