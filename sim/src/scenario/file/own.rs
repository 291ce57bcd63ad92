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
        hyper_mbps: field(&t.hyper_mbps, "hyper_mbps", d.hyper_mbps, 0.0, 1e5)?,
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
