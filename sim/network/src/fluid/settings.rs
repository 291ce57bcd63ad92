//! Parameters of the fluid models by name: one table for the command line, its errors and the
//! reports.
use super::dcqcn::Dcqcn;
use super::marking::{Marker, Pi, Ramp};
use super::timely::{Timely, Variant};
use crate::quantity::within;

/// A fluid model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Model {
    /// DCQCN with RED-like marking.
    Dcqcn,
    /// TIMELY.
    Timely,
    /// Patched TIMELY.
    Patched,
    /// DCQCN with marking by a PI controller at the switch.
    PiSwitch,
    /// Patched TIMELY with a PI controller at each host.
    PiHost,
}

impl Model {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Model::Dcqcn => "dcqcn",
            Model::Timely => "timely",
            Model::Patched => "patched",
            Model::PiSwitch => "pi-switch",
            Model::PiHost => "pi-host",
        }
    }

    /// DCQCN, whatever marks.
    pub fn is_dcqcn(self) -> bool {
        matches!(self, Model::Dcqcn | Model::PiSwitch)
    }
}

/// The parameters in the units of their names.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // Each is described in [`FIELDS`].
pub struct Settings {
    pub model: Model,
    pub line_gbps: f64,
    pub packet_bytes: f64,
    pub delay_us: f64,
    pub increase_mbps: f64,
    pub kmin_kb: f64,
    pub kmax_kb: f64,
    pub pmax: f64,
    pub gain: f64,
    pub cnp_us: f64,
    pub alpha_timer_us: f64,
    pub timer_us: f64,
    pub counter_kb: f64,
    pub queue_delay: f64,
    pub stages: f64,
    pub reference_kb: f64,
    pub proportional: f64,
    pub integral: f64,
    pub period_us: f64,
    pub mark_most: f64,
    pub segment_kb: f64,
    pub t_low_us: f64,
    pub t_high_us: f64,
    pub min_rtt_us: f64,
    pub alpha: f64,
    pub beta: f64,
    pub pi_b: f64,
    pub pi_ratio: f64,
}

/// A parameter.
pub struct Field {
    /// Name of the parameter.
    pub name: &'static str,
    /// Meaning of the parameter.
    pub what: &'static str,
    /// Least and greatest value.
    pub range: (f64, f64),
    /// The models that have it.
    pub models: &'static [Model],
    /// Place of the parameter in the settings.
    pub place: fn(&mut Settings) -> &mut f64,
}

const ALL: &[Model] = &[Model::Dcqcn, Model::Timely, Model::Patched, Model::PiSwitch, Model::PiHost];
const DCQCN: &[Model] = &[Model::Dcqcn, Model::PiSwitch];
const RAMP: &[Model] = &[Model::Dcqcn];
const SWITCH: &[Model] = &[Model::PiSwitch];
const TIMELY: &[Model] = &[Model::Timely, Model::Patched, Model::PiHost];
const GRADIENT: &[Model] = &[Model::Timely, Model::Patched];
const HOST: &[Model] = &[Model::PiHost];

macro_rules! fields {
    ($($name:ident, $range:expr, $models:expr, $what:expr;)*) => {
        &[$(Field { name: stringify!($name), what: $what, range: $range, models: $models, place: |s| &mut s.$name }),*]
    };
}

/// All parameters.
pub const FIELDS: &[Field] = fields! {
    line_gbps, (0.1, 800.0), ALL, "capacity of the bottleneck, Gb/s";
    packet_bytes, (64.0, 9000.0), ALL, "packet, bytes";
    delay_us, (0.0, 1e4), ALL, "feedback delay, of TIMELY without the queue's share, us";
    increase_mbps, (0.01, 1e5), ALL, "additive increase (R_AI, delta), Mb/s";
    kmin_kb, (0.0, 1e6), RAMP, "queue at the foot of the marking ramp, KB";
    kmax_kb, (0.001, 1e6), RAMP, "queue at its top, KB";
    pmax, (1e-6, 1.0), RAMP, "marking probability at its top";
    gain, (1e-6, 1.0), DCQCN, "gain of alpha (g)";
    cnp_us, (1.0, 1e4), DCQCN, "least time between CNPs of a flow (tau), us";
    alpha_timer_us, (1.0, 1e4), DCQCN, "time without a CNP after which alpha decays (tau'), us";
    timer_us, (1.0, 1e5), DCQCN, "timer of an increase stage (T), us";
    counter_kb, (1.0, 1e7), DCQCN, "byte counter of an increase stage (B), KB";
    stages, (0.0, 100.0), DCQCN, "stages of fast recovery (F)";
    queue_delay, (0.0, 1.0), DCQCN, "share of the queue's own delay in the feedback: 0 marks packets that leave, 1 packets that come";
    reference_kb, (0.001, 1e6), SWITCH, "queue that the switch's controller holds, KB";
    proportional, (0.0, 1.0), SWITCH, "proportional gain, a KB";
    integral, (0.0, 1e4), SWITCH, "integral gain, a KB and second";
    period_us, (0.0, 1e5), SWITCH, "period of the controller's samples, us; 0: continuous";
    mark_most, (1e-6, 1.0), SWITCH, "greatest integral of the controller";
    segment_kb, (0.064, 1e4), TIMELY, "segment, KB";
    t_low_us, (0.1, 1e5), TIMELY, "T_low, us";
    t_high_us, (0.1, 1e5), TIMELY, "T_high, us";
    min_rtt_us, (0.1, 1e5), GRADIENT, "normalisation of gradients and least update interval (D_min), us";
    alpha, (1e-3, 1.0), GRADIENT, "weight of a new gradient";
    beta, (1e-6, 1.0), GRADIENT, "multiplicative decrease";
    pi_b, (0.0, 1.0), HOST, "gain of the host's controller on the queue an update ago, a bit and second";
    pi_ratio, (0.0, 10.0), HOST, "its gain on the present queue over pi_b";
};

impl Settings {
    /// The study's parameters of a model; the switch's controller has gains of ours, since the
    /// study gives none.
    pub fn conext16(model: Model) -> Self {
        let dcqcn = model.is_dcqcn();
        let segment_kb = if model == Model::PiHost { 64.0 } else { 16.0 };
        Settings {
            model,
            line_gbps: if dcqcn { 40.0 } else { 10.0 },
            packet_bytes: 1000.0,
            delay_us: 4.0,
            increase_mbps: if dcqcn { 40.0 } else { 10.0 },
            kmin_kb: 5.0,
            kmax_kb: 200.0,
            pmax: 0.01,
            gain: 1.0 / 256.0,
            cnp_us: 50.0,
            alpha_timer_us: 55.0,
            timer_us: 55.0,
            counter_kb: 10e3,
            queue_delay: 0.0,
            stages: 5.0,
            reference_kb: 200.0,
            proportional: 1e-5,
            integral: 5e-4,
            period_us: 20.0,
            mark_most: 0.1,
            segment_kb,
            t_low_us: 50.0,
            t_high_us: 500.0,
            min_rtt_us: 20.0,
            alpha: 0.875,
            beta: if model == Model::Timely { 0.8 } else { 0.008 },
            pi_b: 1.816e-9 / (10.0 * segment_kb * 8e3 / 10e9),
            pi_ratio: 1.0005,
        }
    }

    /// The model has a parameter of this name.
    pub fn has(&self, name: &str) -> bool {
        FIELDS.iter().any(|f| f.name == name && f.models.contains(&self.model))
    }

    /// Sets a parameter from `name=value`.
    ///
    /// # Errors
    /// The model has none of that name, or the value is not allowed; with what is.
    pub fn set(&mut self, told: &str) -> Result<(), String> {
        let (name, value) =
            told.split_once('=').ok_or_else(|| format!("{told} is no setting; write name=value, for example delay_us=85"))?;
        let model = self.model;
        let field = FIELDS.iter().find(|f| f.name == name && f.models.contains(&model)).ok_or_else(|| {
            let all: Vec<&str> = FIELDS.iter().filter(|f| f.models.contains(&model)).map(|f| f.name).collect();
            format!("{name} is no parameter of {}; allowed: {}", model.name(), all.join(", "))
        })?;
        let (least, most) = field.range;
        *(field.place)(self) = within(value, name, least, most).map_err(|allowed| format!("{name} is {value}; {allowed}"))?;
        Ok(())
    }

    /// Refuses thresholds in the wrong order.
    ///
    /// # Errors
    /// The two, and what is allowed.
    pub fn check(&self) -> Result<(), String> {
        if self.model == Model::Dcqcn && self.kmax_kb <= self.kmin_kb {
            return Err(format!("kmax_kb is {}; allowed: more than kmin_kb, which is {}", self.kmax_kb, self.kmin_kb));
        }
        if !self.model.is_dcqcn() && self.t_high_us < self.t_low_us {
            return Err(format!("t_high_us is {}; allowed: at least t_low_us, which is {}", self.t_high_us, self.t_low_us));
        }
        Ok(())
    }

    /// DCQCN with these parameters.
    pub fn dcqcn(&self) -> Dcqcn {
        let marker = if self.model == Model::PiSwitch {
            Marker::Pi(Pi {
                reference: self.reference_kb * 1e3,
                proportional: self.proportional / 1e3,
                integral: self.integral / 1e3,
                period: self.period_us / 1e6,
                most: self.mark_most,
            })
        } else {
            Marker::Ramp(Ramp { least: self.kmin_kb * 1e3, most: self.kmax_kb * 1e3, chance: self.pmax })
        };
        Dcqcn {
            capacity: self.line_gbps * 1e9 / 8.0 / self.packet_bytes,
            packet: self.packet_bytes,
            delay: self.delay_us / 1e6,
            cnp: self.cnp_us / 1e6,
            alpha_timer: self.alpha_timer_us / 1e6,
            gain: self.gain,
            counter: self.counter_kb * 1e3 / self.packet_bytes,
            timer: self.timer_us / 1e6,
            queue_delay: self.queue_delay,
            stages: self.stages,
            increase: self.increase_mbps * 1e6 / 8.0 / self.packet_bytes,
            marker,
        }
    }

    /// TIMELY with these parameters.
    pub fn timely(&self) -> Timely {
        Timely {
            variant: match self.model {
                Model::Patched => Variant::Patched,
                Model::PiHost => Variant::Pi,
                _ => Variant::Original,
            },
            capacity: self.line_gbps * 1e9,
            segment: self.segment_kb * 8e3,
            packet: self.packet_bytes * 8.0,
            propagation: self.delay_us / 1e6,
            min_rtt: self.min_rtt_us / 1e6,
            t_low: self.t_low_us / 1e6,
            t_high: self.t_high_us / 1e6,
            increase: self.increase_mbps * 1e6,
            beta: self.beta,
            alpha: self.alpha,
            pi_a: self.pi_ratio * self.pi_b,
            pi_b: self.pi_b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_named_and_bounded() {
        let mut s = Settings::conext16(Model::Dcqcn);
        assert_eq!(s.set("delay_us=85"), Ok(()));
        assert_eq!(s.dcqcn().delay, 85e-6);
        let why = |s: &mut Settings, told: &str| s.set(told).unwrap_err();
        assert_eq!(why(&mut s, "delay_us"), "delay_us is no setting; write name=value, for example delay_us=85");
        assert_eq!(why(&mut s, "pmax=2"), "pmax is 2; allowed: 0.000001 to 1");
        assert_eq!(why(&mut s, "pmax=nan"), "pmax is nan; allowed: 0.000001 to 1");
        assert!(why(&mut s, "beta=0.5").starts_with("beta is no parameter of dcqcn; allowed: line_gbps, packet_bytes"));
        assert_eq!(s.set("kmin_kb=200"), Ok(()));
        assert_eq!(s.check().unwrap_err(), "kmax_kb is 200; allowed: more than kmin_kb, which is 200");
    }
}
