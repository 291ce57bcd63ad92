//! Checks of a plan before anything of it is built or run.
use super::{Error, Form, NicKind, Plan};
use crate::nic::mac::bus_gbps;
use crate::time::{Ps, US};
use std::collections::HashSet;
use timely_regs::parameters::{LawKind, RttStart, Signal};

impl Plan {
    /// Refuses what cannot be run: flows without a path, parameters that nothing can hold, and
    /// whatever NICs of its kind, or their network, do not have. What only a core can say, such as
    /// that there is no Verilog of its size, is left to the run.
    ///
    /// # Errors
    /// The first of it, with what to change.
    pub fn check(&self) -> Result<(), Error> {
        if self.flows.is_empty() {
            return Err(Error::NoFlows);
        }
        let first = self.first();
        if first >= self.duration {
            let us = |t: Ps| t as f64 / US as f64;
            return Err(Error::Late { first_us: us(first), end_us: us(self.duration) });
        }
        let kind = self.nic.kind;
        let refused = |message: &str| Err(Error::Nic { kind, message: message.into() });
        let (on_fabric, has_core) = (matches!(kind, NicKind::Event | NicKind::Posted), matches!(kind, NicKind::Rtl | NicKind::Model));
        if !on_fabric {
            self.refuse_what_only_the_fabric_has()?;
        } else if !self.capture.is_empty() {
            return refused("their frames have no bytes to capture; use rtl, model, paced or software");
        }
        if !on_fabric && self.fabric.detail == Some(false) {
            return refused("they keep every sample; leave `series` out");
        }
        if self.nic.form != Form::Standalone && !has_core {
            let form = self.nic.form.name();
            let kinds = if self.nic.form == Form::Inline { "rtl or model" } else { "model" };
            return refused(&format!("they have one form, in which they build packets themselves; for nic.form = \"{form}\" use {kinds}"));
        }
        if self.nic.form == Form::Corundum && kind == NicKind::Rtl {
            return refused(Form::NO_RTL);
        }
        if self.snapshot && !has_core {
            return refused("they keep no telemetry to take a snapshot of; use rtl or model");
        }
        for (node, port) in self.capture.iter().chain(&self.watch) {
            if usize::from(*node) >= self.topology.nodes() || usize::from(*port) >= self.topology.ports(*node).len() {
                return Err(Error::NoPort { node: *node, port: *port });
            }
        }
        if let Some((node, _)) = self.watch.iter().find(|w| !self.topology.is_switch(w.0)) {
            return Err(Error::NoQueue { node: *node });
        }
        if has_core {
            self.check_buses()?;
        }
        self.check_profiles()
    }

    fn check_buses(&self) -> Result<(), Error> {
        let (kind, gbps) = (self.nic.kind, bus_gbps(self.nic.bus_bits, self.nic.clock));
        let fastest = self.topology.hosts().map(|h| self.topology.host_link(h).speed.as_gbps()).fold(0.0, f64::max);
        if gbps < fastest {
            let message = format!(
                "a bus of {} bits carries {gbps:.2} Gb/s at this clock, the link {fastest}: more nic.bus_bits, or more nic.clock_mhz",
                self.nic.bus_bits
            );
            return Err(Error::Nic { kind, message });
        }
        let most = 1usize << self.nic.flow_bits;
        match self.numbers().into_iter().max() {
            Some(last) if last as usize >= most => {
                let message = format!("a host has {} flows, the NIC's table {most}: more nic.flow_bits", last + 1);
                Err(Error::Nic { kind, message })
            }
            _ => Ok(()),
        }
    }

    // Each path and each profile once.
    fn check_profiles(&self) -> Result<(), Error> {
        let kind = self.nic.kind;
        let (mut ways, mut profiles) = (HashSet::new(), HashSet::new());
        for f in self.flows.iter().filter(|f| ways.insert((f.src, f.dst))) {
            self.topology.path(f.src, f.dst, 0)?;
            self.topology.path(f.dst, f.src, 0)?;
        }
        let base_us = self.base_rtt_us()?;
        for f in &self.flows {
            let line = self.topology.host_link(f.src).speed;
            if !profiles.insert((f.profile.as_str(), line.as_bps())) {
                continue;
            }
            let p = self.parameters(&f.profile, base_us, line)?;
            let refused = |message: String| Err(Error::Profile { name: f.profile.clone(), message });
            let own_law = self.control(&f.profile) == super::Control::Engine;
            if p.use_window_us > 0.0 && (!own_law || matches!(kind, NicKind::Paced | NicKind::Software)) {
                let of = if own_law { format!("NICs of kind {kind}") } else { "controllers that are not the hardware's".into() };
                let message = format!(
                    "use_window_us is {}: {of} raise their rate whatever the flow sends; use event, posted, rtl or model, and no control",
                    p.use_window_us
                );
                return refused(message);
            }
            let other = p.signal == Signal::LessResidence || p.rtt_start != RttStart::LastByteOut;
            match kind {
                NicKind::Paced | NicKind::Software if own_law && p.law == LawKind::Dcqcn => {
                    return refused(format!("NICs of kind {kind} hear no marks, by which DCQCN goes; use event, posted, rtl or model"));
                }
                NicKind::Paced | NicKind::Software if p.signal != Signal::Rtt => {
                    return refused(format!("NICs of kind {kind} have no signal but the RTT; use rtl or model, or signal = \"rtt\""));
                }
                NicKind::Event | NicKind::Posted if other => {
                    let message = "event-level NICs have no signal but the RTT from the last byte out and the one-way delay; use rtl or model, or signal = \"rtt\"";
                    return refused(message.into());
                }
                NicKind::Event | NicKind::Posted if f.read && p.signal == Signal::OneWay => {
                    return refused("a READ has no one-way delay: its reply is its answer; use signal = \"rtt\"".into());
                }
                // NICs of these two kinds take any parameters.
                NicKind::Paced | NicKind::Software => {}
                _ => {
                    p.quantise().map_err(|e| Error::Profile { name: f.profile.clone(), message: e.to_string() })?;
                }
            }
        }
        Ok(())
    }
}
