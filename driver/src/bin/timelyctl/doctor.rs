//! `timelyctl doctor`: what is wrong with machine and device, and what to do about it.
use crate::advice::for_device;
use crate::backend::{Backend, CliError};
use crate::{fit, write_out};
use std::path::Path;
use std::process::ExitCode;
use timely_driver::Error;
use timely_driver::clock::Fit;
use timely_driver::pci::{Check, System, lockable};
use timely_driver::report::{ClockReport, DeviceReport};
use timely_driver::service::Request;
use timely_driver::target::Target;

/// A quartz is no further off than this, ppm; the simulated one follows no wall's clock.
const MOST_DRIFT_PPM: f64 = 200.0;

fn read<T: serde::de::DeserializeOwned>(nic: &mut Backend, request: Request) -> Result<T, String> {
    let value = nic.ask(request).map_err(|e| e.to_string())?;
    serde_json::from_value(value).map_err(|e| format!("an answer is not understood: {e}; use one version"))
}

fn clock(simulated: bool, fit: Option<Fit>) -> Result<String, String> {
    match fit {
        // Simulated time stands still whenever the machine is too slow for it.
        None if simulated => Ok("simulated: no line fits it".into()),
        None => Err("the clock stands, or too few times were read; look at `timelyctl clock --pairs 1000`".into()),
        Some(f) if !simulated && f.drift_ppm.abs() > MOST_DRIFT_PPM => {
            Err(format!("drifts by {:.1} ppm; no quartz does: is CLOCK_PS of the bitstream right?", f.drift_ppm))
        }
        Some(f) => Ok(format!("drifts by {:+.1} ppm", f.drift_ppm)),
    }
}

/// Runs all checks.
pub fn run(target: &Target, socket: Option<&Path>, json: bool) -> Result<ExitCode, CliError> {
    let mut checks: Vec<Check> = Vec::new();
    if let Target::Pci { address, .. } = target {
        checks = System::default().checks(*address, Path::new("/dev/vfio"), lockable());
    }
    if let Target::Sysfs { address, .. } = target {
        let found = System::default().find(*address);
        let driven = |f: timely_driver::pci::Found| f.driver.map_or("nobody drives it".into(), |d| format!("{d} drives it"));
        checks.push(("device", found.map(driven).map_err(|e| e.to_string())));
    }
    if let Target::Mqnic(path) = target {
        let opened = std::fs::OpenOptions::new().read(true).write(true).open(path);
        let next = "load Corundum's module (modprobe mqnic), and install driver/system/99-timely.rules, or run as root";
        let name = path.display();
        checks.push(("permission", opened.map(|_| format!("{name} can be opened")).map_err(|e| format!("{name}: {e}; {next}"))));
    }
    match Backend::open(target, socket) {
        Err(e) => checks.push(("opening", Err(e.to_string()))),
        Ok(mut nic) => {
            let through = if matches!(nic, Backend::Daemon(_)) { "through timelyd" } else { "by itself, no timelyd has it" };
            checks.push(("opening", Ok(through.into())));
            let info = read::<DeviceReport>(&mut nic, Request::Info {});
            checks.push(("registers", info.clone().map(|i| format!("core {}, {} flows", i.core_version, i.flows))));
            if let Ok(i) = &info {
                let ready = if i.ready { Ok("ready".into()) } else { Err("it is not ready; reset it: `timelyctl reset`".into()) };
                checks.push(("readiness", ready));
                let lost =
                    "it was lost, and all flows stopped: was timelyd or a self-test killed? start timelyd, or reset it: `timelyctl reset`";
                let heartbeat = match (i.heartbeat_lost, i.heartbeat_unfed) {
                    (true, _) => Err(lost.into()),
                    (_, true) => Err(Error::HeartbeatUnfed.to_string()),
                    _ => Ok("not lost".into()),
                };
                checks.push(("heartbeat", heartbeat));
                let count = |name: &str| i.counters.get(name).copied().unwrap_or(0);
                let bad = count("rx_bad");
                let link = if bad == 0 {
                    Ok(format!("{} frames in, {} out, none damaged", count("rx_frames"), count("tx_frames")))
                } else {
                    Err(format!("{bad} damaged frames of {}; look at cable, transceiver and FEC", count("rx_frames")))
                };
                checks.push(("link", link));
            }
            let fit = read::<ClockReport>(&mut nic, Request::Clock { pairs: 200 });
            checks.push((
                "clock",
                fit.and_then(|c| {
                    clock(!matches!(target, Target::Pci { .. } | Target::Sysfs { .. } | Target::Mqnic(_) | Target::Serial(_)), c.fit)
                }),
            ));
            checks.push(("closing", nic.close().map(|()| "in order".into()).map_err(|e| e.to_string())));
        }
    }
    let bad = checks.iter().filter(|c| c.1.is_err()).count();
    if json {
        let each = |(name, found): &Check| {
            let (ok, text) = found.as_ref().map_or_else(|e| (false, e), |t| (true, t));
            serde_json::json!({"check": name, "ok": ok, "text": text})
        };
        write_out(&serde_json::to_string_pretty(&checks.iter().map(each).collect::<Vec<_>>()).unwrap_or_default())?;
    } else {
        for (name, found) in &checks {
            let (mark, text) = found.as_ref().map_or_else(|e| ("WRONG", e), |t| ("ok", t));
            write_out(&fit(&format!("{mark:6} {name:14} {}", for_device(text, Some(target)))))?;
        }
    }
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(5) })
}
