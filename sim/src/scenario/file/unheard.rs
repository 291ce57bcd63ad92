//! Fields that a scenario sets and that nothing in it hears: notes, and no errors, as `--nics` or
//! another profile may make them heard.
use super::tables::{NicTable, ProfileTable};
use crate::scenario::{Control, Form, NicKind, NicPlan, Plan, Profile};
use timely_regs::parameters::{LawKind, Parameters};

/// Fields of `[nic]` that this kind of NIC, or this form of it, does not hear.
pub(super) fn of_nic(t: &NicTable, plan: &NicPlan) -> Option<String> {
    use NicKind::{Event, Model, Paced, Posted, Rtl, Software};
    let kind = |kinds: &[NicKind]| kinds.contains(&plan.kind);
    let (clocked, bursts, fabric) = (kind(&[Rtl, Model]), kind(&[Software, Posted]), kind(&[Event, Posted]));
    let corundum = clocked && plan.form == Form::Corundum;
    let fields = [
        ("form", t.form.is_some(), clocked),
        ("host_kb", t.host_kb.is_some(), clocked && plan.form != Form::Standalone),
        ("dma_ns", t.dma_ns.is_some(), corundum),
        ("streams", t.streams.is_some(), corundum),
        ("bus_bits", t.bus_bits.is_some(), clocked),
        ("flow_bits", t.flow_bits.is_some(), clocked),
        ("clock_mhz", t.clock_mhz.is_some(), clocked),
        ("ppm", t.ppm.is_some(), clocked),
        ("fifo_jitter_ns", t.fifo_jitter_ns.is_some(), clocked),
        ("ack_delay_ns", t.ack_delay_ns.is_some(), kind(&[Paced]) || bursts || fabric),
        ("slot_us", t.slot_us.is_some(), bursts),
        ("software_jitter_us", t.software_jitter_us.is_some(), bursts),
        ("subtract_own_burst", t.subtract_own_burst.is_some(), bursts),
        ("spacing_mbps", t.spacing_mbps.is_some(), kind(&[Posted])),
        ("rtt_noise_us", t.rtt_noise_us.is_some(), fabric),
        ("lateness_file", t.lateness_file.is_some(), fabric),
        ("rtt_noise", t.rtt_noise.is_some(), fabric),
    ];
    let form = if clocked { format!(" and form {}", plan.form.name()) } else { String::new() };
    unheard(&fields).map(|all| format!("without an effect on NICs of kind {}{form}: {all} of [nic]", plan.kind))
}

/// Fields of a profile that its law does not hear.
pub(super) fn of_profile(t: &ProfileTable, profile: &Profile) -> Option<String> {
    let like = Parameters::named(&profile.like, 10.0).filter(|_| profile.control == Control::Engine)?;
    let (swift, pi, dcqcn) = (like.law == LawKind::Swift, like.law == LawKind::Pi, like.law == LawKind::Dcqcn);
    let fields = [
        ("base_target_us", t.base_target_us.is_some(), swift),
        ("flow_range_us", t.flow_range_us.is_some(), swift),
        ("flow_least_packets", t.flow_least_packets.is_some(), swift),
        ("flow_most_packets", t.flow_most_packets.is_some(), swift),
        ("integral_gain", t.integral_gain.is_some(), pi),
        ("proportional_gain", t.proportional_gain.is_some(), pi),
        ("alpha_gain", t.alpha_gain.is_some(), dcqcn),
        ("cnp_interval_us", t.cnp_interval_us.is_some(), dcqcn),
        ("alpha_timer_us", t.alpha_timer_us.is_some(), dcqcn),
        ("rate_timer_us", t.rate_timer_us.is_some(), dcqcn),
        ("byte_counter_kb", t.byte_counter_kb.is_some(), dcqcn),
        ("fast_stages", t.fast_stages.is_some(), dcqcn),
        ("hyper_step_mbps", t.hyper_step_mbps.is_some(), dcqcn),
    ];
    let name = &profile.name;
    unheard(&fields).map(|all| format!("without an effect in a profile like {}: {all} of [profile.{name}]", profile.like))
}

// The fields that are told and not heard.
fn unheard(fields: &[(&str, bool, bool)]) -> Option<String> {
    let all: Vec<&str> = fields.iter().filter(|f| f.1 && !f.2).map(|f| f.0).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Profiles that no flow has.
pub(super) fn profiles(plan: &Plan) -> Vec<String> {
    let unused = plan.profiles.iter().filter(|p| plan.flows.iter().all(|f| f.profile != p.name));
    unused.map(|p| format!("profile.{} has no effect: no flow has it", p.name)).collect()
}
