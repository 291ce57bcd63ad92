//! Tables of a profile that a rival alone reads: DCQCN's, and the PI controller's at the host.
use super::source::Source;
use super::tables::{DcqcnTable, Number, PiHostTable, ProfileTable};
use crate::rival::dcqcn::Parameters;
use crate::rival::patched::PiHost;
use crate::rival::{Own, Rival};
use crate::scenario::{Control, Error};
use crate::time::{Ps, US, ps};
use toml::Spanned;

/// The tables of a profile.
pub(super) fn own(src: &Source, profile: &str, t: &ProfileTable, control: Control) -> Result<Own, Error> {
    let mut own = Own::default();
    if let Some(t) = heard(src, profile, &t.dcqcn, ("dcqcn", "dcqcn", Rival::Dcqcn), control)? {
        own.dcqcn = dcqcn(src, profile, t)?;
    }
    if let Some(t) = heard(src, profile, &t.pi_host, ("pi_host", "pi-conext", Rival::PiConext), control)? {
        own.pi_host = pi_host(src, profile, t)?;
    }
    Ok(own)
}

/// Fields that a rival of the profile does not read are refused: those of the hardware's DCQCN, and
/// for DCQCN the step that its own table has.
pub(super) fn unheard(src: &Source, profile: &str, t: &ProfileTable, control: Control) -> Result<(), Error> {
    let Control::Rival(rival) = control else { return Ok(()) };
    let of_engine = [
        ("alpha_gain", &t.alpha_gain, "gain"),
        ("cnp_interval_us", &t.cnp_interval_us, "cnp_us"),
        ("alpha_timer_us", &t.alpha_timer_us, "alpha_timer_us"),
        ("rate_timer_us", &t.rate_timer_us, "timer_us"),
        ("byte_counter_kb", &t.byte_counter_kb, "counter_kb"),
        ("fast_stages", &t.fast_stages, "stages"),
        ("hyper_step_mbps", &t.hyper_step_mbps, "hyper_mbps"),
    ];
    let step = ("additive_step_mbps", &t.additive_step_mbps, "increase_mbps");
    for (field, told, own) in of_engine.into_iter().chain((rival == Rival::Dcqcn).then_some(step)) {
        if let Some(told) = told {
            let allowed = match rival {
                Rival::Dcqcn => format!("it without control alone; with control = \"dcqcn\" set dcqcn.{own}"),
                _ => "it without control alone, in a profile like a dcqcn- one".into(),
            };
            return Err(src.error(told.span(), &format!("profile.{profile}.{field}"), told.get_ref(), allowed));
        }
    }
    Ok(())
}

fn dcqcn(src: &Source, profile: &str, t: &DcqcnTable) -> Result<Parameters, Error> {
    let field = |v: &Number, field: &str, default: f64, least: f64, most: f64| {
        src.number(v, &format!("profile.{profile}.dcqcn.{field}"), default, least, most)
    };
    let (d, us) = (Parameters::default(), |t: Ps| t as f64 / US as f64);
    Ok(Parameters {
        gain: field(&t.gain, "gain", d.gain, 1e-6, 1.0)?,
        cnp: ps(field(&t.cnp_us, "cnp_us", us(d.cnp), 1.0, 1e4)?, US),
        cnp_grid: t.cnp_grid.unwrap_or(d.cnp_grid),
        alpha_timer: ps(field(&t.alpha_timer_us, "alpha_timer_us", us(d.alpha_timer), 1.0, 1e4)?, US),
        timer: ps(field(&t.timer_us, "timer_us", us(d.timer), 1.0, 1e5)?, US),
        counter: (field(&t.counter_kb, "counter_kb", d.counter as f64 / 1e3, 1.0, 1e7)? * 1e3) as u64,
        stages: src.whole(&t.stages, &format!("profile.{profile}.dcqcn.stages"), d.stages.into(), 0, 100)? as u32,
        increase_mbps: field(&t.increase_mbps, "increase_mbps", d.increase_mbps, 0.001, 1e5)?,
        hyper_mbps: field(&t.hyper_mbps, "hyper_mbps", d.hyper_mbps, 0.0, 1e5)?,
        loss_decrease: d.loss_decrease,
    })
}

fn pi_host(src: &Source, profile: &str, t: &PiHostTable) -> Result<PiHost, Error> {
    let field =
        |v: &Number, field: &str, default: f64, most: f64| src.number(v, &format!("profile.{profile}.pi_host.{field}"), default, 0.0, most);
    let d = PiHost::default();
    Ok(PiHost {
        start: field(&t.start, "start", d.start, 1.0)?,
        gain: field(&t.gain, "gain", d.gain, 1.0)?,
        ratio: field(&t.ratio, "ratio", d.ratio, 10.0)?,
    })
}

// A table, which is refused beside a control that does not read it.
fn heard<'a, T>(
    src: &Source,
    profile: &str,
    table: &'a Option<Spanned<T>>,
    (name, control, rival): (&str, &str, Rival),
    is: Control,
) -> Result<Option<&'a T>, Error> {
    match table {
        Some(t) if is != Control::Rival(rival) => {
            let allowed = format!("it with control = \"{control}\" alone");
            Err(src.error(t.span(), &format!("profile.{profile}.{name}"), "there", allowed))
        }
        _ => Ok(table.as_ref().map(Spanned::get_ref)),
    }
}
