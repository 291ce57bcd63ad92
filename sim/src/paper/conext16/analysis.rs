//! Figures 3, 6 and 11: margins of DCQCN and of patched TIMELY, and DCQCN's time to converge.
use super::finding::{Finding, most, within};
use super::runs::settings;
use super::{Figure, Lab, curves};
use crate::fluid::settings::{Model, Settings};
use crate::stability::report::{Compared, compare_with};
use crate::stability::{Row, row};

// Published curves of a kind, each held to what is allowed of it.
fn compared(lab: &Lab, id: &'static str, of: impl Fn(&Compared) -> bool) -> Result<Vec<Finding>, String> {
    let all = compare_with(|s| lab.twin(s))?.into_iter().filter(|c| of(c));
    Ok(all.map(|c| most(id, format!("{}: worst of {} values, {}", c.curve, c.values, c.unit), c.allowed, c.worst)).collect())
}

fn rows(s: &Settings, flows: impl IntoIterator<Item = u32>) -> Result<Vec<Row>, String> {
    let all: Result<Vec<_>, _> = flows.into_iter().map(|n| row(s, n.into())).collect();
    Ok(all.map_err(|e| e.to_string())?.into_iter().flatten().collect())
}

fn count(rows: &[Row], of: impl Fn(&Row) -> bool) -> f64 {
    rows.iter().filter(|r| of(r)).count() as f64
}

/// Figure 3: DCQCN's margins.
pub fn figure_3(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig3";
    let mut findings = compared(lab, ID, |c| c.unit == "deg" && c.curve.contains("dcqcn"))?;
    let delays = ["0", "50", "85", "100"];
    let mut published = Vec::new();
    let mut full = Vec::new();
    for delay in delays {
        let r = rows(&settings(lab, Model::Dcqcn, &[&format!("delay_us={delay}")])?, (2..=60).step_by(2))?;
        let wrong = count(&r, |r| r.margin_deg.is_some_and(|m| (m < 0.0) != (r.root > 0.0)));
        findings.push(most(ID, format!("{delay} us: numbers of flows whose full margin and rightmost root differ in sign"), 0.0, wrong));
        if delay == "50" {
            let says = count(&r, |r| r.published_deg.is_some_and(|m| m < 0.0));
            findings.push(within(ID, "50 us: even numbers of flows with a negative published margin", 9.0, says, 0.0));
            let why = "the published transfer function is a low-order expansion at Taylor's fixed point, with alpha's pole at g C / N in place of g / tau'; \
                       the delay system itself, linearised at its exact fixed point, is stable at 50 us for any number of flows";
            findings.push(
                within(ID, "50 us: of these, unstable by the delay system's rightmost root", 9.0, count(&r, |r| r.root > 0.0), 0.0)
                    .why(why),
            );
        }
        published.push((delay, r.iter().filter_map(|r| Some((r.flows, r.published_deg?))).collect::<Vec<_>>()));
        full.push((delay, r.iter().filter_map(|r| Some((r.flows, r.margin_deg?))).collect::<Vec<_>>()));
    }
    let shown = |all: &[(&str, Vec<(f64, f64)>)]| {
        let names: Vec<String> = all.iter().map(|(delay, _)| format!("{delay} us")).collect();
        let named: Vec<_> = names.iter().zip(all).map(|(n, (_, points))| (n.as_str(), points.clone())).collect();
        curves("flows", "margin, degrees", &named)
    };
    let ((legend, plot), (legend_2, plot_2)) = (shown(&published), shown(&full));
    let text = "Phase margins over flows and feedback delay (us). Published values are met by their own formula; beside them the margins of the full \
                linearisation at the exact fixed point, which agree in sign with the rightmost root of the delay system at every number of flows."
        .into();
    let plots = vec![("Published formula".into(), legend, plot), ("Full linearisation".into(), legend_2, plot_2)];
    Ok(Figure { id: ID, title: "Figure 3: DCQCN's phase margins", text, findings, plots })
}

/// Figure 6 and theorem 2: time to converge in the discrete model.
pub fn figure_6(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig6";
    let findings = compared(lab, ID, |c| c.unit == "relative")?;
    let named = [("R_AI 40 Mb/s", "increase_mbps=40"), ("R_AI 10 Mb/s", "increase_mbps=10")];
    let mut lines = Vec::new();
    for (name, set) in named {
        let d = settings(lab, Model::Dcqcn, &[set])?.dcqcn();
        lines.push((
            name,
            (1..=50).map(|n| (f64::from(2 * n), 1e3 * crate::stability::published::convergence(&d, f64::from(2 * n)))).collect(),
        ));
    }
    let (legend, plot) = curves("flows", "time to a tenth of the share, ms", &lines);
    let text = "Time after which the rates of two synchronised flows differ by a tenth of their share.".into();
    Ok(Figure { id: ID, title: "Figure 6: DCQCN's convergence", text, findings, plots: vec![("Convergence".into(), legend, plot)] })
}

/// Figure 11: patched TIMELY's margins.
pub fn figure_11(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig11";
    let mut findings = compared(lab, ID, |c| c.unit == "deg" && c.curve.contains("patched"))?;
    let r = rows(&settings(lab, Model::Patched, &["delay_us=0"])?, (2..=60).step_by(2))?;
    let last = |of: &dyn Fn(&Row) -> bool| r.iter().filter(|r| of(r)).map(|r| r.flows).fold(0.0, f64::max);
    findings.push(within(
        ID,
        "most flows with a positive published margin, no propagation",
        38.0,
        last(&|r| r.published_deg.is_some_and(|m| m > 0.0)),
        0.0,
    ));
    let why = "the published formula takes .5 for the slope of the weight by the gradient, which is 2: with it the margin is 7.4 degrees for 2 flows, 5.7 for 18 and \
               -76.9 for 40. The rightmost root of the delay system agrees with that";
    findings
        .push(within(ID, "most flows that the delay system is stable with, no propagation", 38.0, last(&|r| r.root < 0.0), 2.0).why(why));
    let wrong = count(&r, |r| r.margin_deg.is_some_and(|m| (m < 0.0) != (r.root > 0.0)));
    findings.push(most(ID, "numbers of flows whose full margin and rightmost root differ in sign", 0.0, wrong));
    let over = |of: &dyn Fn(&Row) -> Option<f64>| r.iter().filter_map(|r| Some((r.flows, of(r)?))).collect::<Vec<_>>();
    let (legend, plot) = curves(
        "flows",
        "margin, degrees",
        &[("published formula", over(&|r| r.published_deg)), ("full linearisation", over(&|r| r.margin_deg))],
    );
    let text = "Patched TIMELY without propagation: the more flows, the longer its own queue delays what it hears.".into();
    Ok(Figure { id: ID, title: "Figure 11: patched TIMELY's phase margins", text, findings, plots: vec![("Margins".into(), legend, plot)] })
}
