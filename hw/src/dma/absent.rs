//! DMA stub for a build without memory.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::live::Live;
use crate::bus::{AxiMaster, StoreWriteIn};
use crate::emit::{PREFIX, emit};
use rust_hdl::prelude::*;

/// [`Dma`](super::Dma) that never starts, with its ports and registers: a start, and with it a
/// snapshot or a load, is refused; its settings read back what was written; status says stopped and
/// idle; records are dropped; no query, no load, no burst, no interrupt.
///
/// Latency: `look` is answered at the next clock. No back pressure.
/// Model: `timely_model::dma::NoDma`.
#[derive(LogicBlock, Default)]
pub struct NoDma<const W: usize, const K: usize, const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A register is written.
    pub st: StoreWriteIn,
    /// csr looks at a register.
    pub look_valid: Signal<In, Bit>,
    pub look_word: Signal<In, Bits<10>>,
    /// Data of the write; 0 for a read.
    pub look_data: Signal<In, Bits<32>>,
    /// Value of the register, if hardware changes it; from the next clock on.
    pub look_live: Signal<Out, Bits<32>>,
    /// A write to the register is refused; from the next clock on.
    pub look_refuse: Signal<Out, Bit>,
    /// The heartbeat is lost.
    pub lost: Signal<In, Bit>,
    /// An event record is offered.
    pub rec_valid: Signal<In, Bit>,
    pub rec_ready: Signal<Out, Bit>,
    pub rec_data: Signal<In, Bits<512>>,
    /// A flow's telemetry record is asked for.
    pub query_valid: Signal<Out, Bit>,
    pub query_ready: Signal<In, Bit>,
    pub query_flow: Signal<Out, Bits<F>>,
    /// Telemetry answers.
    pub answer_valid: Signal<In, Bit>,
    pub answer_record: Signal<In, Bits<1024>>,
    /// A flow is to be loaded; one clock.
    pub load_valid: Signal<Out, Bit>,
    pub load_flow: Signal<Out, Bits<F>>,
    pub load_record: Signal<Out, Bits<512>>,
    /// A load is under way: csr must not load.
    pub loading: Signal<Out, Bit>,
    /// Interrupt lines; levels.
    pub irq: Signal<Out, Bits<6>>,
    /// Host memory.
    pub m_axi: AxiMaster<W, K>,
    live: Live,
}

impl<const W: usize, const K: usize, const F: usize> NoDma<W, K, F> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { live: Live::new(), ..Default::default() }
    }
}

impl<const W: usize, const K: usize, const F: usize> Logic for NoDma<W, K, F> {
    #[hdl_gen]
    fn update(&mut self) {
        self.live.clk.next = self.clk.val();
        self.live.rst.next = self.rst.val();
        self.live.look_valid.next = self.look_valid.val();
        self.live.look_word.next = self.look_word.val();
        self.live.look_data.next = self.look_data.val();
        // As with a heartbeat that never comes: a start is refused.
        self.live.lost.next = true;
        self.live.idle.next = true;
        self.live.running.next = false;
        self.live.interrupt.next = bits::<6>(0);
        self.live.producer.next = bits::<32>(0);
        self.live.consumer.next = bits::<32>(0);
        self.live.snapshot_busy.next = false;
        self.live.snapshot_done.next = false;
        self.live.snapshot_code.next = bits::<3>(0);
        self.live.snapshot_progress.next = bits::<17>(0);
        self.live.load_busy.next = false;
        self.live.load_done.next = false;
        self.live.load_code.next = bits::<3>(0);
        self.live.load_progress.next = bits::<17>(0);
        self.live.load_refused.next = bits::<17>(0);
        self.look_live.next = self.live.live.val();
        self.look_refuse.next = self.live.refuse.val();
        self.rec_ready.next = true;
        self.query_valid.next = false;
        self.query_flow.next = bits::<F>(0);
        self.load_valid.next = false;
        self.load_flow.next = bits::<F>(0);
        self.load_record.next = bits::<512>(0);
        self.loading.next = false;
        self.irq.next = bits::<6>(0);
        self.m_axi.awaddr.next = bits::<64>(0);
        self.m_axi.awlen.next = bits::<8>(0);
        self.m_axi.awsize.next = bits::<3>(0);
        self.m_axi.awburst.next = bits::<2>(0);
        self.m_axi.awvalid.next = false;
        self.m_axi.wdata.next = bits::<W>(0);
        self.m_axi.wstrb.next = bits::<K>(0);
        self.m_axi.wlast.next = false;
        self.m_axi.wvalid.next = false;
        self.m_axi.bready.next = false;
        self.m_axi.araddr.next = bits::<64>(0);
        self.m_axi.arlen.next = bits::<8>(0);
        self.m_axi.arsize.next = bits::<3>(0);
        self.m_axi.arburst.next = bits::<2>(0);
        self.m_axi.arvalid.next = false;
        self.m_axi.rready.next = false;
    }
}

/// `verilog`, in which the module `name` is a [`Dma`](super::Dma) of these sizes, with a [`NoDma`]
/// in its place.
///
/// # Errors
/// There is no such module, or what RustHDL's checks found wrong, as text.
pub fn replace_dma<const W: usize, const K: usize, const F: usize>(verilog: &str, name: &str) -> Result<String, String> {
    let own = [format!("module {PREFIX}{name}("), format!("module {PREFIX}{name}__")];
    if !verilog.lines().any(|line| line.starts_with(&own[0])) {
        return Err(format!("there is no module {PREFIX}{name} to replace"));
    }
    let (mut out, mut inside) = (String::with_capacity(verilog.len()), false);
    for line in verilog.split_inclusive('\n') {
        inside |= own.iter().any(|o| line.starts_with(o));
        if !inside {
            out += line;
        }
        inside &= !line.starts_with("endmodule");
    }
    Ok(out + "\n" + &emit(name, NoDma::<W, K, F>::new())?)
}
