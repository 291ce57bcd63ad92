//! Stub for designs without queue pairs.
use crate::bus::PairSourceOut;
use rust_hdl::prelude::*;

/// Drives what queue pairs would give the control half: never anything. Model: `Source`'s default
/// in `timely_model::core`.
#[derive(LogicBlock, Default)]
pub struct NoPairs<const F: usize> {
    /// To the control half.
    pub pairs: PairSourceOut<F>,
}

impl<const F: usize> Logic for NoPairs<F> {
    #[hdl_gen]
    fn update(&mut self) {
        self.pairs.sample_valid.next = false;
        self.pairs.sample_kind.next = bits::<2>(0);
        self.pairs.sample_flow.next = bits::<F>(0);
        self.pairs.sample_rtt_ns.next = bits::<24>(0);
        self.pairs.sample_now_ns.next = bits::<32>(0);
        self.pairs.notice_valid.next = false;
        self.pairs.notice_flow.next = bits::<F>(0);
        self.pairs.notice_marked.next = false;
        self.pairs.notice_bytes.next = bits::<16>(0);
        self.pairs.load_valid.next = false;
        self.pairs.load_flow.next = bits::<F>(0);
        self.pairs.load_live.next = false;
        self.pairs.load_profile.next = bits::<4>(0);
        self.pairs.load_priority.next = bits::<3>(0);
        self.pairs.loading.next = false;
        self.pairs.status.next = bits::<32>(0);
        self.pairs.told.next = bits::<32>(0);
    }
}
