//! The engine's pipeline: the wiring of its blocks, by the clock after an operation's issue.
use super::{Engine, words::Kind};
use crate::bus::{FlowPulseIn, HostRateIn, SampleIn};
use rust_hdl::prelude::*;

impl<const F: usize> Logic for Engine<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, low_10, edge_13, sweep_count, sweep_done, sweeping, turn, measured);
        dff_setup!(self, clk, given, above, smoothed, kept, writes, last, filtered);
        for i in 0..3 {
            self.endpoint[i].clock.next = self.clk.val();
            self.value[i].clock.next = self.clk.val();
            self.aims[i].clock.next = self.clk.val();
        }
        self.lowers[0].clock.next = self.clk.val();
        self.lowers[1].clock.next = self.clk.val();
        for i in 0..4 {
            self.hops[i].clock.next = self.clk.val();
            self.rtt[i].clock.next = self.clk.val();
        }
        for i in 0..9 {
            self.threshold[i].clock.next = self.clk.val();
            self.endpoint_inverse[i].clock.next = self.clk.val();
        }
        for i in 0..10 {
            self.negative[i].clock.next = self.clk.val();
            self.count[i].clock.next = self.clk.val();
        }
        for i in 0..11 {
            self.zeros[i].clock.next = self.clk.val();
            self.inverse[i].clock.next = self.clk.val();
        }
        for i in 0..15 {
            self.flags[i].clock.next = self.clk.val();
            self.rising[i].clock.next = self.clk.val();
            self.reached[i].clock.next = self.clk.val();
        }
        for i in 0..17 {
            self.bus[i].clock.next = self.clk.val();
        }
        for i in 0..14 {
            self.action[i].clock.next = self.clk.val();
        }
        for i in 0..20 {
            self.reacts[i].clock.next = self.clk.val();
            self.kind[i].clock.next = self.clk.val();
            self.profile[i].clock.next = self.clk.val();
        }
        for i in 0..26 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        // The sweep after reset: all flows, and all profiles through the profile bus.
        self.sweep.next = self.sweeping.q.val();
        self.sweep_flow.next = self.sweep_count.q.val().get_bits::<F>(0);
        self.sweep_count.d.next = self.sweep_count.q.val() + bits::<17>(1);
        if self.sweep_count.q.val() == self.last_sweep.val() {
            self.sweep_done.d.next = true;
        }
        self.sweeping.d.next = !self.sweep_done.d.val();
        self.swept.next = self.sweep_done.q.val();
        // The incoming word is all zeros while there is none: then it is not written.
        self.bus_in.next = bits::<42>(0).into();
        if self.pw.valid.val() {
            self.bus_in.next.data = self.pw.data.val();
            self.bus_in.next.word = self.pw.word.val();
            self.bus_in.next.profile = self.pw.profile.val();
            self.bus_in.next.valid = true;
        }
        if self.sweep.val() {
            self.bus_in.next.data = bits::<32>(0);
            self.bus_in.next.word = self.sweep_count.q.val().get_bits::<5>(0);
            self.bus_in.next.profile = self.sweep_count.q.val().get_bits::<4>(5);
            self.bus_in.next.valid = true;
        }
        self.bus[0].d.next = bits::<42>(0).into();
        self.bus[1].d.next = self.bus_in.val();
        // Delay lines; what does not start at 1 has zeros before.
        self.valid[0].d.next = false;
        self.flow[0].d.next = bits::<F>(0);
        self.kind[0].d.next = Kind::Sample;
        self.rtt[0].d.next = bits::<24>(0);
        self.value[0].d.next = bits::<32>(0);
        self.hops[0].d.next = bits::<8>(0);
        self.action[0].d.next = bits::<8>(0).into();
        self.reacts[0].d.next = false;
        self.endpoint[0].d.next = bits::<24>(0);
        for i in 0..3 {
            self.profile[i].d.next = bits::<4>(0);
        }
        for i in 0..4 {
            self.zeros[i].d.next = bits::<5>(0);
            self.negative[i].d.next = false;
            self.count[i].d.next = bits::<3>(0);
        }
        for i in 0..6 {
            self.flags[i].d.next = bits::<14>(0).into();
        }
        for i in 0..7 {
            self.threshold[i].d.next = bits::<32>(0);
        }
        for i in 0..8 {
            self.inverse[i].d.next = bits::<29>(0);
            self.endpoint_inverse[i].d.next = bits::<29>(0);
        }
        for i in 0..10 {
            self.rising[i].d.next = false;
        }
        for i in 0..11 {
            self.reached[i].d.next = false;
        }
        self.endpoint[2].d.next = self.endpoint[1].q.val();
        self.value[2].d.next = self.value[1].q.val();
        for i in 1..3 {
            self.hops[i + 1].d.next = self.hops[i].q.val();
            self.rtt[i + 1].d.next = self.rtt[i].q.val();
        }
        for i in 1..16 {
            self.bus[i + 1].d.next = self.bus[i].q.val();
        }
        for i in 1..19 {
            self.kind[i + 1].d.next = self.kind[i].q.val();
            self.reacts[i + 1].d.next = self.reacts[i].q.val();
        }
        for i in 1..13 {
            self.action[i + 1].d.next = self.action[i].q.val();
        }
        for i in 1..25 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        for i in 3..19 {
            self.profile[i + 1].d.next = self.profile[i].q.val();
        }
        for i in 4..9 {
            self.negative[i + 1].d.next = self.negative[i].q.val();
            self.count[i + 1].d.next = self.count[i].q.val();
        }
        for i in 4..10 {
            self.zeros[i + 1].d.next = self.zeros[i].q.val();
        }
        for i in 6..14 {
            self.flags[i + 1].d.next = self.flags[i].q.val();
        }
        self.threshold[8].d.next = self.threshold[7].q.val();
        self.inverse[9].d.next = self.inverse[8].q.val();
        self.inverse[10].d.next = self.inverse[9].q.val();
        for i in 10..14 {
            self.rising[i + 1].d.next = self.rising[i].q.val();
        }
        for i in 11..14 {
            self.reached[i + 1].d.next = self.reached[i].q.val();
        }
        // 0: issue.
        self.arbiter.clk.next = self.clk.val();
        self.arbiter.rst.next = self.rst.val();
        self.arbiter.enable.next = self.sweep_done.q.val();
        SampleIn::<F>::link(&mut self.sample, &mut self.arbiter.sample);
        FlowPulseIn::<F>::link(&mut self.idle, &mut self.arbiter.idle);
        HostRateIn::<F>::link(&mut self.host, &mut self.arbiter.host);
        self.options.next = self.fl.record.val().get_bits::<11>(0).into();
        self.arbiter.load_valid.next = self.fl.valid.val() & self.options.val().enable & !self.options.val().keep;
        self.arbiter.load_flow.next = self.fl.flow.val();
        self.valid[1].d.next = self.arbiter.issue.val();
        // The sweep goes through the flow's own delay to where the RAMs are written.
        self.flow[1].d.next = self.arbiter.flow.val();
        if self.sweep.val() {
            self.flow[1].d.next = self.sweep_flow.val();
        }
        self.arbiter.reaction_valid.next = self.reaction_valid.val();
        self.arbiter.reaction_flow.next = self.reaction_flow.val();
        self.arbiter.reaction.next = self.reaction.val();
        self.action[1].d.next = self.arbiter.action.val().into();
        self.reacts[1].d.next = self.arbiter.reacts.val();
        self.kind[1].d.next = self.arbiter.kind.val();
        self.rtt[1].d.next = self.arbiter.rtt_ns.val();
        self.value[1].d.next = self.arbiter.value.val();
        self.hops[1].d.next = self.arbiter.hops.val();
        self.endpoint[1].d.next = self.arbiter.endpoint_ns.val();
        self.turn.d.next = self.turn.q.val() + bits::<9>(1);
        self.inputs.clk.next = self.clk.val();
        self.inputs.at.next = self.turn.q.val();
        self.inputs.i.next.rtt_ns = self.rtt[1].q.val();
        self.inputs.i.next.hops = self.hops[1].q.val();
        self.inputs.i.next.endpoint_ns = self.endpoint[1].q.val();
        self.inputs.i.next.value = self.value[1].q.val();
        self.kind_18.next = self.kind[18].q.val().into();
        self.late_18.next = self.kind_18.val().replaces | self.kind_18.val().idle;
        self.measured.d.next.rtt_ns = self.inputs.o.val().rtt_ns;
        self.measured.d.next.hops = self.inputs.o.val().hops;
        self.measured.d.next.endpoint_ns = self.inputs.o.val().endpoint_ns;
        self.given.d.next = self.inputs.o.val().value;
        if self.late_18.val() | self.reacts[18].q.val() {
            self.measured.d.next.rtt_ns = bits::<24>(0);
            self.measured.d.next.endpoint_ns = bits::<24>(0);
        }
        if self.late_18.val() {
            self.measured.d.next.hops = bits::<8>(0);
        }
        // A NAK has the number of a host rate, beside `reacts`.
        if (self.late_18.val() & !self.kind_18.val().valued) | (self.reacts[18].q.val() & !self.kind_18.val().replaces) {
            self.given.d.next = bits::<32>(0);
        }
        self.stamps.clk.next = self.clk.val();
        self.stamps.at.next = self.turn.q.val();
        self.stamps.i.next.rtt_ns = self.rtt[1].q.val();
        self.stamps.i.next.time_ns = self.value[1].q.val();
        self.values.clk.next = self.clk.val();
        self.values.rst.next = self.rst.val();
        self.values.i.next = self.stamps.o.val().time_ns;
        // 0 to 3: what the flow remembers.
        self.state.clk.next = self.clk.val();
        self.state.sweep.next = self.sweep.val();
        self.state.sweep_flow.next = self.sweep_flow.val();
        self.state.load_valid.next = self.fl.valid.val();
        self.state.load_flow.next = self.fl.flow.val();
        self.state.load_profile.next = self.options.val().profile;
        self.state.flow_0.next = self.arbiter.flow.val();
        self.state.rtt_2.next = self.rtt[2].q.val();
        self.state.time_2.next = self.value[2].q.val();
        self.profile[3].d.next = self.state.profile_2.val();
        self.earlier.clk.next = self.clk.val();
        self.earlier.at.next = self.turn.q.val();
        self.earlier.i.next = self.state.record_2.val();
        self.mark.clk.next = self.clk.val();
        self.mark.at.next = self.turn.q.val();
        self.mark.sweep.next = self.sweep.val();
        self.mark.before_2.next.marked = self.state.record_2.val().marked;
        self.mark.before_2.next.mark = self.state.record_2.val().mark;
        // 0 to 7: the reciprocals.
        self.reciprocal.clk.next = self.clk.val();
        self.reciprocal.rst.next = self.rst.val();
        self.reciprocal.rtt_0.next = self.arbiter.rtt_ns.val();
        self.reciprocal.short_0.next = self.arbiter.rtt_short.val();
        self.zeros[4].d.next = self.reciprocal.zeros_3.val();
        self.inverse[8].d.next = self.reciprocal.complement_7.val();
        self.endpoint_reciprocal.clk.next = self.clk.val();
        self.endpoint_reciprocal.rst.next = self.rst.val();
        self.endpoint_reciprocal.rtt_0.next = self.arbiter.endpoint_ns.val();
        self.endpoint_reciprocal.short_0.next = self.arbiter.endpoint_short.val();
        self.endpoint_inverse[8].d.next = self.endpoint_reciprocal.complement_7.val();
        // 2 to 6: thresholds and options.
        self.branch.clk.next = self.clk.val();
        self.branch.bus_1.next = self.bus[1].q.val();
        self.branch.bus_3.next = self.bus[3].q.val();
        self.branch.profile_1.next = self.state.profile_1.val();
        self.state.swift_2.next = self.branch.swift_2.val();
        self.state.dcqcn_2.next = self.branch.dcqcn_2.val();
        self.state.decay_2.next = self.action[2].q.val().decay;
        self.branch.profile_3.next = self.profile[3].q.val();
        self.branch.rtt_2.next = self.rtt[2].q.val();
        self.branch.endpoint_2.next = self.endpoint[2].q.val();
        self.branch.zeros_3.next = self.reciprocal.zeros_3.val();
        self.branch.endpoint_zeros_3.next = self.endpoint_reciprocal.zeros_3.val();
        self.branch.marked_3.next = self.state.record_3.val().marked;
        self.branch.since_3.next = self.state.since_3.val();
        self.flags[6].d.next = self.branch.flags_5.val();
        self.threshold[7].d.next = self.branch.threshold_6.val();
        // 2 to 8: the delta factor.
        self.delta.clk.next = self.clk.val();
        self.delta.rst.next = self.rst.val();
        self.delta.bus_1.next = self.bus[1].q.val();
        self.delta.profile_1.next = self.state.profile_1.val();
        self.delta.full_3.next = !self.state.record_3.val().history | self.branch.no_delta_3.val();
        self.delta.age_3.next = self.state.age_3.val();
        // 3 to 9: the smoothed difference, or how far Swift's delay lies above its base target.
        self.average.clk.next = self.clk.val();
        self.average.rst.next = self.rst.val();
        self.average.bus_1.next = self.bus[1].q.val();
        self.average.bus_6.next = self.bus[6].q.val();
        self.average.profile_1.next = self.state.profile_1b.val();
        self.average.bus_3.next = self.bus[3].q.val();
        self.average.profile_3.next = self.profile[3].q.val();
        self.average.profile_6.next = self.profile[6].q.val();
        self.average.swift_3.next = self.branch.swift_3.val();
        self.average.other_3.next = self.branch.other_3.val();
        self.average.hold_3.next = self.branch.dcqcn_3.val() & !(self.action[3].q.val().cnp | self.action[3].q.val().decay);
        self.average.old_3.next = self.state.record_3.val().average;
        self.average.difference_3.next = self.state.difference_3.val();
        self.average.low_3.next = self.branch.low_3.val();
        self.average.hops_3.next = self.hops[3].q.val();
        self.above.d.next = self.average.average_8.val();
        self.smoothed.d.next = self.above.q.val();
        self.rising[10].d.next = self.average.rising_9.val();
        // 3 to 9: error, output, flow scaling.
        self.error.clk.next = self.clk.val();
        self.error.rst.next = self.rst.val();
        self.error.bus_1.next = self.bus[1].q.val();
        self.error.bus_3.next = self.bus[3].q.val();
        self.error.bus_6.next = self.bus[6].q.val();
        self.error.profile_1.next = self.state.profile_1b.val();
        self.error.profile_3.next = self.profile[3].q.val();
        self.error.profile_6.next = self.profile[6].q.val();
        self.error.other_3.next = self.branch.other_3.val();
        self.error.pi_3.next = self.branch.pi_3.val();
        self.error.rtt_3.next = self.rtt[3].q.val();
        self.error.difference_3.next = self.state.difference_3.val();
        self.error.mark_3.next = self.state.record_3.val().mark.into();
        self.error.root_3.next = self.root.root_3.val();
        self.kept.d.next = self.error.kept_9.val().into();
        if self.error.over_9.val() {
            self.kept.d.next = bits::<40>(0xFF_FFFF_FFFF_u64).into();
        }
        // 7 to 14: by delta factor, rate, reciprocal.
        self.scale.clk.next = self.clk.val();
        self.scale.rst.next = self.rst.val();
        self.scale.middle_7.next = self.flags[7].q.val().middle;
        self.scale.pi_7.next = self.flags[7].q.val().pi;
        self.scale.error_7.next = self.error.total_7.val();
        self.scale.threshold_7.next = self.threshold[7].q.val();
        self.scale.delta_7.next = self.delta.factor_7.val();
        self.scale.above_9.next = self.above.q.val();
        self.scale.flow_9.next = self.error.flow_9.val();
        self.scale.zeros_10.next = self.zeros[10].q.val();
        self.scale.swift_10.next = self.flags[10].q.val().swift;
        self.scale.middle_10.next = self.flags[10].q.val().middle;
        self.scale.below_13.next = self.flags[13].q.val().swift & !self.reached[13].q.val();
        self.scale.reciprocal_10.next = self.inverse[10].q.val();
        self.scale.rate_10.next = self.rate.before_10.val();
        self.reached[11].d.next = self.scale.reached_10.val();
        // 8 to 14: gradient, weight, the endpoint's part.
        self.gradient.clk.next = self.clk.val();
        self.gradient.rst.next = self.rst.val();
        self.gradient.bus_6.next = self.bus[6].q.val();
        self.gradient.bus_8.next = self.bus[8].q.val();
        self.gradient.bus_11.next = self.bus[11].q.val();
        self.gradient.profile_6.next = self.profile[6].q.val();
        self.gradient.profile_8.next = self.profile[8].q.val();
        self.gradient.profile_11.next = self.profile[11].q.val();
        self.gradient.average_8.next = self.average.average_8.val();
        self.gradient.threshold_8.next = self.threshold[8].q.val();
        self.gradient.reciprocal_8.next = self.endpoint_inverse[8].q.val();
        self.gradient.swift_8.next = self.flags[8].q.val().swift;
        self.gradient.swift_10.next = self.flags[10].q.val().swift;
        self.gradient.swift_12.next = self.flags[12].q.val().swift;
        self.gradient.swift_13.next = self.flags[13].q.val().swift;
        self.gradient.patched_10.next = self.flags[10].q.val().patched;
        self.gradient.patched_12.next = self.flags[12].q.val().patched;
        self.gradient.patched_13.next = self.flags[13].q.val().patched;
        self.gradient.over_13.next = self.flags[13].q.val().endpoint_over;
        self.gradient.kind_13.next = self.kind[13].q.val();
        self.gradient.loss_13.next = self.loss.falls_13.val() | self.lowers[1].q.val();
        self.gradient.by_loss_13.next = self.loss.decrease_13.val();
        // 9 to 14: the increase.
        self.negative[4].d.next = self.state.difference_3.val().get_bit(24);
        self.count[4].d.next = self.state.record_3.val().negatives;
        self.increase.clk.next = self.clk.val();
        self.increase.rst.next = self.rst.val();
        self.increase.bus_8.next = self.bus[8].q.val();
        self.increase.profile_8.next = self.profile[8].q.val();
        self.increase.count_9.next = self.count[9].q.val();
        self.increase.negative_9.next = self.negative[9].q.val();
        self.increase.falling_9.next = self.average.falling_9.val();
        self.increase.smoothed_9.next = self.flags[9].q.val().hai_smoothed;
        self.increase.allowed_10.next = self.flags[10].q.val().timely & !self.flags[10].q.val().below_low;
        self.low_10.d.next = !self.flags[9].q.val().above_high;
        self.increase.low_10.next = self.low_10.q.val();
        self.edge_13.d.next = (!self.flags[12].q.val().middle | (self.kind[12].q.val() != Kind::Sample)) | self.loss.falls_12.val();
        self.increase.edge_13.next = self.edge_13.q.val();
        self.increase.delta_10.next = self.delta.factor_10.val();
        // 10 to 19: what the flow remembers from now on.
        self.kind_10.next = self.kind[10].q.val().into();
        self.is_sample.next = self.kind[10].q.val() == Kind::Sample;
        self.falls.next = self.flags[10].q.val().swift
            & self.flags[10].q.val().may_fall
            & (self.scale.reached_10.val() | self.flags[10].q.val().endpoint_over);
        self.target.clk.next = self.clk.val();
        self.target.rst.next = self.rst.val();
        self.target.bus_1.next = self.bus[1].q.val();
        self.target.bus_4.next = self.bus[4].q.val();
        self.target.profile_1.next = self.state.profile_1b.val();
        self.target.profile_4.next = self.profile[4].q.val();
        self.target.hyper_1.next = self.action[1].q.val().hyper;
        self.target.steps_3.next = self.action[3].q.val().steps;
        self.target.limited_3.next = self.limits.limited_3.val();
        self.target.marked_3.next = self.state.record_3.val().marked;
        self.aimed.next = self.state.record_3.val().mark;
        self.target.target_3.next = self.aimed.val().low;
        self.target.before_10.next = self.rate.before_10.val();
        self.target.cnp_10.next = self.action[10].q.val().cnp;
        self.aims[0].d.next = self.target.target_10.val();
        self.aims[1].d.next = self.aims[0].q.val();
        self.aims[2].d.next = self.aims[1].q.val();
        self.alpha.clk.next = self.clk.val();
        self.alpha.at.next = self.turn.q.val();
        self.alpha_in.next = self.state.record_2.val().average;
        self.alpha.i.next = self.alpha_in.val().get_bits::<25>(11);
        self.lowers[0].d.next = self.flags[11].q.val().dcqcn & self.action[11].q.val().cnp;
        self.lowers[1].d.next = self.lowers[0].q.val();
        self.loss.cnp_12.next = self.lowers[0].q.val();
        self.loss.half_alpha_12.next = !self.alpha.o.val();
        self.mark.kind_10.next = self.kind[10].q.val();
        self.mark.kind_18.next = self.kind[18].q.val();
        self.mark.reacts_18.next = self.reacts[18].q.val();
        self.mark.flags_10.next = self.flags[10].q.val();
        self.mark.action_10.next = self.action[10].q.val();
        self.mark.falls_10.next = self.falls.val();
        self.mark.time_10.next = self.stamps.o.val().time_ns;
        self.mark.kept_10.next = self.kept.q.val();
        self.mark.target_10.next = self.target.target_10.val();
        self.mark.valid_18.next = self.valid[18].q.val();
        self.mark.loss_18.next = self.loss.falls_18.val();
        self.mark.rate_19.next = self.rate.rate_19.val();
        self.last.d.next.rtt_ns = self.stamps.o.val().rtt_ns;
        self.last.d.next.time_ns = self.stamps.o.val().time_ns;
        self.last.d.next.history = true;
        if !self.is_sample.val() | self.sweep.val() {
            self.last.d.next = bits::<57>(0).into();
        }
        self.filtered.d.next.negatives = self.increase.count_10.val();
        self.filtered.d.next.average = self.smoothed.q.val();
        if (!self.is_sample.val() & !self.reacts[10].q.val()) | self.flags[10].q.val().swift | self.sweep.val() {
            self.filtered.d.next = bits::<41>(0).into();
        }
        // Nothing is asked of a flow of another law.
        self.writes.d.next = ((self.valid[10].q.val() & (self.kind[10].q.val() != Kind::Host))
            & !(self.reacts[10].q.val() & !self.flags[10].q.val().dcqcn))
            | self.sweep.val();
        self.state.flow_11.next = self.flow[11].q.val();
        self.state.write_11.next = self.writes.q.val();
        self.state.last_11.next = self.last.q.val();
        self.state.filtered_11.next = self.filtered.q.val();
        self.state.flow_19.next = self.flow[19].q.val();
        self.state.write_19.next = self.mark.write_19.val();
        self.state.mark_19.next = self.mark.mark_19.val();
        // 13, 14: what is done.
        self.choose.clk.next = self.clk.val();
        self.choose.rst.next = self.rst.val();
        self.choose.bus_11.next = self.bus[11].q.val();
        self.choose.profile_11.next = self.profile[11].q.val();
        self.choose.kind_13.next = self.kind[13].q.val();
        self.choose.flags_13.next = self.flags[13].q.val();
        self.choose.action_13.next = self.action[13].q.val();
        self.choose.reacts_13.next = self.reacts[13].q.val();
        self.choose.target_13.next = self.aims[2].q.val();
        self.choose.loss_13.next = self.loss.falls_13.val();
        self.choose.reached_13.next = self.reached[13].q.val();
        self.choose.rising_13.next = self.rising[13].q.val();
        self.choose.hyperactive_13.next = self.increase.hyperactive_13.val();
        self.choose.weight_14.next = self.gradient.weight_14.val();
        self.choose.most_14.next = self.gradient.most_14.val();
        self.choose.part_14.next = self.scale.part_14.val();
        self.choose.beta_14.next = self.increase.beta_14.val();
        self.choose.of_rate_14.next = self.scale.of_rate_14.val();
        self.choose.step_14.next = self.increase.step_14.val();
        self.choose.weighed_step_14.next = self.increase.weighed_14.val();
        self.choose.rate_14.next = self.rate.before_14.val();
        self.choose.value_14.next = self.values.o.val();
        // 8 to 19: the rate.
        self.rate.clk.next = self.clk.val();
        self.rate.rst.next = self.rst.val();
        self.rate.sweep.next = self.sweep.val();
        self.rate.bus_14.next = self.bus[14].q.val();
        self.rate.profile_14.next = self.profile[14].q.val();
        self.rate.bus_15.next = self.bus[15].q.val();
        self.rate.profile_15.next = self.profile[15].q.val();
        self.rate.flow_8.next = self.flow[8].q.val();
        self.rate.flow_19.next = self.flow[19].q.val();
        self.rate.valid_19.next = self.valid[19].q.val();
        self.rate.none_14.next = self.choose.none_14.val();
        self.rate.weight_14.next = self.choose.weight_next.val();
        self.rate.weighed_14.next = self.choose.weighed_next.val();
        self.rate.risen_15.next = self.choose.risen_15.val();
        self.rate.falls_15.next = self.choose.falls_15.val();
        self.rate.sets_15.next = self.choose.sets_15.val();
        self.kind_14.next = self.kind[14].q.val().into();
        self.rate.idle_14.next = self.kind_14.val().idle;
        self.rate.hold_17.next = self.limits.limited_17.val() & ((self.kind[17].q.val() == Kind::Sample) | self.reacts[17].q.val());
        self.limits.clk.next = self.clk.val();
        self.limits.sweep.next = self.sweep.val();
        self.limits.sweep_flow.next = self.sweep_flow.val();
        self.limits.write.next = self.limited_valid.val();
        self.limits.write_flow.next = self.limited_flow.val();
        self.limits.write_bit.next = self.limited.val();
        self.limits.flow_0.next = self.arbiter.flow.val();
        // 0 to 14: does a loss lower the rate?
        self.loss.clk.next = self.clk.val();
        self.loss.rst.next = self.rst.val();
        self.loss.sweep.next = self.sweep.val();
        self.loss.sweep_flow.next = self.sweep_flow.val();
        self.loss.bus_8.next = self.bus[8].q.val();
        self.loss.profile_8.next = self.profile[8].q.val();
        self.loss.flow_0.next = self.arbiter.flow.val();
        self.loss.lost_0.next = self.arbiter.lost.val();
        self.loss.rtt_2.next = self.rtt[2].q.val();
        self.kind_2.next = self.kind[2].q.val().into();
        if self.reacts[2].q.val() & self.kind_2.val().replaces {
            self.loss.rtt_2.next = self.state.record_2.val().rtt_ns;
        }
        self.loss.endpoint_2.next = self.endpoint[2].q.val();
        self.loss.time_2.next = self.value[2].q.val();
        self.naks.next = self.kind_10.val().replaces & self.reacts[10].q.val();
        self.loss.law_10.next = self.flags[10].q.val().governed & (self.is_sample.val() | self.naks.val());
        self.loss.valid_14.next = self.valid[14].q.val();
        self.loss.flow_14.next = self.flow[14].q.val();
        self.loss.time_14.next = self.values.o.val();
        // 19 to 25: its root, for the next.
        self.root.clk.next = self.clk.val();
        self.root.sweep.next = self.sweep.val();
        self.root.flow_2.next = self.flow[2].q.val();
        self.root.rate_19.next = self.rate.rate_19.val();
        self.root.flow_25.next = self.flow[25].q.val();
        self.root.valid_25.next = self.valid[25].q.val();
        // 19: out.
        self.rate_now.next = self.valid[19].q.val() & self.choose.sets_19.val();
        self.refused_now.next = self.valid[19].q.val() & !self.choose.accepted_19.val();
        self.rate_valid.next = self.rate_now.val();
        self.rate_flow.next = self.flow[19].q.val();
        self.rate_value.next = self.rate.rate_19.val();
        self.event.valid.next = self.valid[19].q.val() & self.choose.accepted_19.val();
        self.event.flow.next = self.flow[19].q.val();
        self.event.branch.next = self.choose.branch_19.val().into();
        self.event.hyperactive.next = self.choose.hyperactive_19.val();
        self.event.rtt_ns.next = self.measured.q.val().rtt_ns;
        self.event.rate.next = self.rate.rate_19.val();
        self.event.kind.next = self.kind[19].q.val().into();
        if self.loss.falls_19.val() {
            self.event.kind.next = Kind::Loss.into();
        }
        self.kind_19.next = self.kind[19].q.val().into();
        if self.reacts[19].q.val() {
            self.event.kind.next = Kind::Reaction.into();
            if self.kind_19.val().replaces {
                self.event.kind.next = Kind::Nak.into();
            }
        }
        // As the record, but for the words that its numbers start in.
        self.mark_19.next = self.earlier.o.val().mark;
        self.shown.next = bits::<160>(0).into();
        self.shown.next.rtt_ns = self.earlier.o.val().rtt_ns;
        self.shown.next.history = self.earlier.o.val().history;
        self.shown.next.negatives = self.earlier.o.val().negatives;
        self.shown.next.marked = self.earlier.o.val().marked;
        self.shown.next.limited = self.limits.limited_19.val();
        self.shown.next.time_ns = self.earlier.o.val().time_ns;
        self.shown.next.average = self.earlier.o.val().average;
        self.shown.next.mark_high = self.mark_19.val().high;
        self.shown.next.mark_low = self.mark_19.val().low;
        self.event.before.next = self.shown.val().into();
        self.event.rate_before.next = self.rate.before_19.val();
        self.event.now_ns.next = self.given.q.val();
        self.event.hops.next = self.measured.q.val().hops;
        self.event.endpoint_ns.next = self.measured.q.val().endpoint_ns;
        self.event.profile.next = self.profile[19].q.val();
        self.superseded.valid.next = self.arbiter.sample_dropped.val();
        self.superseded.flow.next = self.arbiter.dropped_flow.val();
        self.pulses.next = bits::<32>(0);
        if self.rate_now.val() {
            self.pulses.next = self.pulses.val() | self.rate_updates.val();
        }
        if self.refused_now.val() {
            self.pulses.next = self.pulses.val() | self.refused.val();
        }
        if self.arbiter.sample_dropped.val() {
            self.pulses.next = self.pulses.val() | self.samples_dropped.val();
        }
        if self.arbiter.other_dropped.val() {
            self.pulses.next = self.pulses.val() | self.overflows.val();
        }
        if self.rst.val() {
            self.sweep_count.d.next = bits::<17>(0);
            self.sweep_done.d.next = false;
            self.sweeping.d.next = true;
            // Nothing but validity needs it; with it these stay in flip-flops, of which there are
            // more than LUTs.
            for i in 0..26 {
                self.valid[i].d.next = false;
                self.flow[i].d.next = bits::<F>(0);
            }
            for i in 0..4 {
                self.hops[i].d.next = bits::<8>(0);
            }
            for i in 0..14 {
                self.action[i].d.next = bits::<8>(0).into();
            }
            for i in 2..17 {
                self.bus[i].d.next = bits::<42>(0).into();
            }
            for i in 0..20 {
                self.reacts[i].d.next = false;
                self.kind[i].d.next = Kind::Sample;
                self.profile[i].d.next = bits::<4>(0);
            }
            for i in 5..11 {
                self.zeros[i].d.next = bits::<5>(0);
            }
            for i in 5..10 {
                self.negative[i].d.next = false;
                self.count[i].d.next = bits::<3>(0);
            }
            for i in 9..11 {
                self.inverse[i].d.next = bits::<29>(0);
            }
            for i in 7..15 {
                self.flags[i].d.next = bits::<14>(0).into();
            }
        }
    }
}
