//! Human units to profile words, and what is refused on the way.
use super::{LawKind, ParameterError, Parameters};
use crate::field::Field;
use crate::profile::{self as p, AVERAGE_FRACTION, RATE_FRACTION, WORDS};

/// Greatest rate that 32 bits hold in 2^-12 Mb/s.
const GREATEST_MBPS: f64 = ((1u64 << 32) - 1) as f64 / (1u64 << RATE_FRACTION) as f64;
/// Greatest time that 24 bits hold in ns, as us.
const GREATEST_US: f64 = ((1u32 << 24) - 1) as f64 / 1000.0;
/// Greatest time that 31 bits hold in ns, as us.
const GREATEST_LONG_US: f64 = ((1u32 << 31) - 1) as f64 / 1000.0;
/// Greatest step that 24 bits hold in 2^-12 Mb/s.
const GREATEST_STEP: f64 = ((1u32 << 24) - 1) as f64 / (1u32 << RATE_FRACTION) as f64;
/// Longest period of DCQCN: half of what its times count before they wrap.
const GREATEST_PERIOD_US: f64 = (1u32 << 23) as f64 / 1000.0;
/// Least alpha: below it Q.32 has too few significant bits.
const LEAST_ALPHA: f64 = 1.0 / 256.0;

/// The longest time-out in us at which a flow of this rate has less outstanding than a bound can
/// say, 2^30 bytes: the sums that tell what a flow has outstanding are compared with sign.
fn longest_timeout_us(mbps: f64) -> f64 {
    let paced = mbps.min(p::GREATEST_PACED as f64 / (1u32 << RATE_FRACTION) as f64);
    let ns = (f64::from(p::OUTSTANDING.most) + 1.0) * 8000.0 / paced;
    GREATEST_LONG_US.min((ns.ceil() - 1.0) / 1000.0)
}

fn rate(mbps: f64) -> u32 {
    (mbps * (1u32 << RATE_FRACTION) as f64).round() as u32
}

fn ns(us: f64) -> u32 {
    (us * 1000.0).round() as u32
}

/// Leading zeros of a 24-bit number.
fn zeros24(x: u32) -> u32 {
    x.leading_zeros().saturating_sub(8).min(23)
}

/// `x` rounded, at most `bits` bits of ones.
fn mantissa(x: f64, bits: u32) -> u32 {
    (x.round() as u64).min((1 << bits) - 1) as u32
}

impl Parameters {
    /// The rate engine's deadband, ns: the wanted one, but at least the range in which its rounded
    /// filter stands still. The filter stands still where alpha times its argument, cut to 2^-10
    /// ns, is below half of its unit of 2^-13 ns.
    pub fn effective_deadband_ns(&self) -> f64 {
        self.deadband_word() as f64 / (1u32 << AVERAGE_FRACTION) as f64
    }

    fn deadband_word(&self) -> u32 {
        let stuck = (0.5 / self.alpha).ceil() as u32 + 5;
        stuck.max((self.deadband_ns * (1u32 << AVERAGE_FRACTION) as f64).round() as u32)
    }

    /// Checks every field against what the hardware holds and against the others.
    ///
    /// # Errors
    /// The first field that is out of its range, with that range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let check = |field, value: f64, least: f64, greatest: f64, advice| {
            if value >= least && value <= greatest { Ok(()) } else { Err(ParameterError { field, value, least, greatest, advice }) }
        };
        let unit = 1.0 / (1u32 << RATE_FRACTION) as f64;
        check("greatest_mbps", self.greatest_mbps, unit, GREATEST_MBPS, "give the line's rate in Mb/s")?;
        let above = self.least_mbps > self.greatest_mbps;
        let advice = if above { "the least rate must not exceed the greatest" } else { "a flow at rate 0 would never send again" };
        check("least_mbps", self.least_mbps, unit, self.greatest_mbps, advice)?;
        check("initial_mbps", self.initial_mbps, self.least_mbps, self.greatest_mbps, "start between the least and the greatest rate")?;
        check("idle_mbps", self.idle_mbps, self.least_mbps, self.greatest_mbps, "restart between the least and the greatest rate")?;
        check("outstanding_bytes", self.outstanding_bytes.into(), 0.0, p::OUTSTANDING.most.into(), "use 0 for no bound")?;
        let longest_us = longest_timeout_us(self.greatest_mbps);
        let advice = if longest_us < GREATEST_LONG_US {
            "at its greatest rate a flow must send less than 2^30 bytes in its time-out: shorten it or lower that rate; 0 for no time-out"
        } else {
            "use 0 for no time-out"
        };
        check("timeout_us", self.timeout_us, 0.0, longest_us, advice)?;
        check("idle_us", self.idle_us, 0.0, GREATEST_LONG_US, "use 0 for no idle restart")?;
        check("cap_bytes", self.cap_bytes.into(), 0.0, ((1u32 << 20) - 1) as f64, "a cap of two packets is enough to pace")?;
        check("signal_base_us", self.signal_base_us, 0.0, GREATEST_US, "give the unloaded RTT in microseconds")?;
        check("use_window_us", self.use_window_us, 0.0, GREATEST_US, "use 0 for rates that grow whatever the flow sends")?;
        check("loss_decrease", self.loss_decrease, 0.0, 1.0, "half is what a time-out takes; use 0 for rates that no loss lowers")?;
        if self.law == LawKind::Fixed {
            return Ok(());
        }
        if self.law == LawKind::Dcqcn {
            return self.validate_dcqcn();
        }
        check("beta", self.beta, unit, 1.0, "the authors' is 0.8")?;
        check("update_interval_us", self.update_interval_us, 0.1, GREATEST_US, "the authors' is min_rtt_us")?;
        check("additive_step_mbps", self.additive_step_mbps, unit, GREATEST_STEP, "the authors' is 10 a 10 Gb/s")?;
        if self.law == LawKind::Swift {
            check("base_target_us", self.base_target_us, 1.0, GREATEST_US / 2.0, "the unloaded RTT and what queueing may add")?;
            check("hop_us", self.hop_us, 0.0, 32.0, "a hop's delay in microseconds")?;
            check("flow_least_packets", self.flow_least_packets, 0.001, 1e6, "Swift's is 0.1")?;
            check("flow_most_packets", self.flow_most_packets, 1.001 * self.flow_least_packets, 1e6, "Swift's is 100")?;
            check("packet_bytes", self.packet_bytes.into(), 64.0, 65_536.0, "bytes of a packet on the wire")?;
            check("max_decrease", self.max_decrease, 1e-6, 1.0, "Swift's is 0.5")?;
            check("endpoint_target_us", self.endpoint_target_us, 0.001, GREATEST_US, "give it in microseconds")?;
            let (_, span_us) = self.flow_scaling();
            return check(
                "flow_range_us",
                self.flow_range_us,
                0.0,
                self.flow_range_us * 500.0 / (self.beta * span_us).max(1e-9),
                "beta times flow scaling must stay below 0.5 ms",
            );
        }
        check("alpha", self.alpha, LEAST_ALPHA, 1.0, "the weight of the newest difference; the authors' is 0.02")?;
        check("t_high_us", self.t_high_us, 0.001, GREATEST_US, "give it in microseconds")?;
        check("t_low_us", self.t_low_us, 0.0, self.t_high_us, "Tlow must not exceed Thigh")?;
        check("min_rtt_us", self.min_rtt_us, 1.0, GREATEST_US, "give the least RTT of the network in microseconds")?;
        check("hyperactive_after", self.hyperactive_after.into(), 1.0, 7.0, "the authors' is 5")?;
        let step_bound = GREATEST_STEP / self.additive_step_mbps;
        check("hyperactive_factor", self.hyperactive_factor, 1.0, step_bound, "factor times step must stay below 4096 Mb/s")?;
        check("deadband_ns", self.deadband_ns, 0.0, 100.0, "use 0 for the least that the hardware needs")?;
        if self.law == LawKind::Timely {
            return Ok(());
        }
        check("reference_us", self.reference_us, 1.0, GREATEST_US, "CoNEXT'16 has Tlow")?;
        // The product of weight and error has two bits before the point.
        let most = 3.9 / (self.t_high_us / self.reference_us - 1.0).max(1.0);
        check("error_beta", self.error_beta, 0.0001, most.min(1.0), "CoNEXT'16 has 0.008")?;
        if self.law == LawKind::Pi {
            let scale = self.error_beta / (self.reference_us * 1000.0);
            let (least, most) = (2f64.powi(-34) / scale, 2f64.powi(-22) / scale);
            check("integral_gain", self.integral_gain, least, most, "times error_beta / reference_us it is held to 2^-49 a ns")?;
            check("proportional_gain", self.proportional_gain, 0.0, 2f64.powi(-16) / scale, "it is held to 2^-41 a ns likewise")?;
        }
        Ok(())
    }

    fn validate_dcqcn(&self) -> Result<(), ParameterError> {
        let check = |field, value: f64, least: f64, greatest: f64, advice| {
            if value >= least && value <= greatest { Ok(()) } else { Err(ParameterError { field, value, least, greatest, advice }) }
        };
        // Beyond a quarter the rounded alpha could leave its range.
        check("alpha_gain", self.alpha_gain, 1.0 / 4096.0, 0.25, "DCQCN's g is 1/256")?;
        check("cnp_interval_us", self.cnp_interval_us, 0.1, GREATEST_PERIOD_US, "DCQCN's is 50")?;
        check("alpha_timer_us", self.alpha_timer_us, 0.1, GREATEST_PERIOD_US, "DCQCN's is 55")?;
        check("rate_timer_us", self.rate_timer_us, 0.1, GREATEST_PERIOD_US, "DCQCN's is 55")?;
        check("byte_counter", self.byte_counter.into(), 1500.0, GREATEST_US * 1000.0, "DCQCN's is 10 MB")?;
        check("fast_stages", self.fast_stages.into(), 1.0, 7.0, "DCQCN's is 5")?;
        let unit = 1.0 / (1u32 << RATE_FRACTION) as f64;
        check("additive_step_mbps", self.additive_step_mbps, unit, GREATEST_STEP, "DCQCN's is 40 at 40 Gb/s")?;
        check("hyper_step_mbps", self.hyper_step_mbps, unit, GREATEST_STEP, "ten times the additive one")
    }

    /// Swift's flow scaling, us: what is divided by the root of the window, and the whole span
    /// before it is lowered and bounded.
    fn flow_scaling(&self) -> (f64, f64) {
        let (least, most) = (self.flow_least_packets.sqrt().recip(), self.flow_most_packets.sqrt().recip());
        let alpha = self.flow_range_us / (least - most);
        (alpha, alpha * least)
    }

    /// The words of the profile.
    ///
    /// Rates and steps are rounded to 2^-12 Mb/s, times to ns; the other constants to 24
    /// significant bits or more.
    ///
    /// # Errors
    /// As [`Parameters::validate`].
    pub fn quantise(&self) -> Result<[u32; WORDS], ParameterError> {
        self.validate()?;
        let mut w = [0u32; WORDS];
        let mut put = |field: &Field, value: u32| field.set(&mut w, value).expect("what is valid fits its field");
        put(&p::LAW, self.law as u32);
        put(&p::HAI_SMOOTHED, self.hyperactive_smoothed.into());
        put(&p::NO_DELTA_FACTOR, (!self.delta_factor).into());
        put(&p::HALF_FLOOR, self.half_floor.into());
        put(&p::RTT_START, self.rtt_start as u32);
        put(&p::SIGNAL, self.signal as u32);
        put(&p::SIGNAL_BASE, ns(self.signal_base_us));
        put(&p::OUTSTANDING, self.outstanding_bytes);
        put(&p::TIMEOUT_NS, ns(self.timeout_us));
        put(&p::IDLE_NS, ns(self.idle_us));
        put(&p::TOKEN_CAP, self.cap_bytes);
        put(&p::USE_WINDOW, ns(self.use_window_us));
        put(&p::LOSS_DECREASE, (self.loss_decrease * 2f64.powi(26)).round() as u32);
        put(&p::INITIAL_RATE, rate(self.initial_mbps));
        put(&p::RESTART_RATE, rate(self.idle_mbps));
        put(&p::LEAST_RATE, rate(self.least_mbps));
        put(&p::GREATEST_RATE, rate(self.greatest_mbps));
        // A law that does not look at a field still has a value there that the field may hold.
        put(&p::HYPERACTIVE_AFTER, self.hyperactive_after.clamp(1, 7));
        if self.law == LawKind::Fixed {
            return Ok(w);
        }
        if self.law == LawKind::Dcqcn {
            put(&p::ALPHA, mantissa(self.alpha_gain * 2f64.powi(32), 32));
            put(&p::T_LOW, ns(self.cnp_interval_us));
            put(&p::T_HIGH, ns(self.alpha_timer_us));
            put(&p::UPDATE_INTERVAL, ns(self.rate_timer_us));
            put(&p::T_REF, self.byte_counter);
            put(&p::STEP, rate(self.additive_step_mbps));
            put(&p::HYPERACTIVE_STEP, rate(self.hyper_step_mbps));
            put(&p::HYPERACTIVE_AFTER, self.fast_stages);
            return Ok(w);
        }
        let swift = self.law == LawKind::Swift;
        let interval = ns(self.update_interval_us);
        let t_high = ns(if swift { self.endpoint_target_us } else { self.t_high_us });
        put(&p::T_LOW, ns(if swift { self.base_target_us } else { self.t_low_us }));
        put(&p::T_HIGH, t_high);
        put(&p::T_HIGH_ZEROS, zeros24(t_high));
        put(&p::BETA, (self.beta * 2f64.powi(31)).round() as u32);
        put(&p::BETA_T_HIGH, mantissa(self.beta * f64::from(t_high << zeros24(t_high)) * 256.0, 32));
        let shift = zeros24(interval) / p::UPDATE_STEP;
        put(&p::UPDATE_INTERVAL, interval);
        put(&p::UPDATE_SHIFT, shift);
        put(&p::UPDATE_INVERSE, mantissa(2f64.powi(48 - (p::UPDATE_STEP * shift) as i32) / f64::from(interval), 30));
        put(&p::STEP, rate(self.additive_step_mbps));
        if swift {
            let (alpha_us, span_us) = self.flow_scaling();
            // ns, for a rate of 1 in its unit: window = rate * T_upd / packet.
            let whole = 1000.0 * alpha_us * (8.0 * f64::from(self.packet_bytes) * 4096.0 / self.update_interval_us).sqrt();
            let shift = (0..16).rev().find(|s| whole * 2f64.powi(s - 16) < 1000.0 * span_us).unwrap_or(0);
            put(&p::ALPHA, mantissa(self.beta * 2f64.powi(32), 32));
            put(&p::HOP, ns(self.hop_us));
            put(&p::FLOW_GAIN, mantissa(self.beta * whole * 2f64.powi(shift - 3), 32));
            put(&p::FLOW_SHIFT, shift as u32);
            put(&p::FLOW_OFFSET, mantissa(self.beta * 1000.0 * (span_us - self.flow_range_us) * 2f64.powi(13), 32));
            put(&p::FLOW_RANGE, mantissa(self.beta * 1000.0 * self.flow_range_us * 2f64.powi(13), 32));
            put(&p::MAX_DECREASE, (self.max_decrease * 2f64.powi(26)).round() as u32);
            return Ok(w);
        }
        put(&p::ALPHA, mantissa(self.alpha * 2f64.powi(32), 32));
        put(&p::DEADBAND, self.deadband_word());
        // Differences from `full` on cut by everything, so the engine shifts smaller ones left
        // until `full` would fill 24 bits.
        let timely = self.law == LawKind::Timely;
        let gain = if timely { self.beta } else { 4.0 } / (self.min_rtt_us * 1000.0);
        let full = (1.0 / gain).ceil().min(2f64.powi(24)) as u32;
        let shift = (zeros24(full - 1) / p::GRADIENT_STEP).min(3);
        put(&p::GRADIENT_FULL, full);
        put(&p::GRADIENT_SHIFT, shift);
        put(&p::GRADIENT_GAIN, mantissa(gain * 2f64.powi(50 - (p::GRADIENT_STEP * shift) as i32), 30));
        put(&p::HYPERACTIVE_STEP, rate(self.additive_step_mbps * self.hyperactive_factor));
        put(&p::HYPERACTIVE_AFTER, self.hyperactive_after);
        if timely {
            return Ok(w);
        }
        let gain = self.error_beta / (self.reference_us * 1000.0);
        put(&p::T_REF, ns(self.reference_us));
        if self.law == LawKind::Pi {
            put(&p::ERROR_GAIN, mantissa(self.integral_gain * gain * 2f64.powi(49), 27));
            put(&p::PROPORTIONAL_GAIN, (self.proportional_gain * gain * 2f64.powi(40)).round() as u32);
        } else {
            let shift = (zeros24((4.0 / gain).ceil().min(2f64.powi(24)) as u32 - 1) / p::ERROR_STEP).min(3);
            put(&p::ERROR_SHIFT, shift);
            put(&p::ERROR_GAIN, mantissa(gain * 2f64.powi(48 - (p::ERROR_STEP * shift) as i32), 30));
        }
        Ok(w)
    }
}

#[cfg(test)]
mod tests {
    use super::super::NAMES;
    use super::*;

    #[test]
    fn named_profiles_are_valid() {
        for name in NAMES {
            let words = Parameters::named(name, 8.0).expect("listed").quantise().expect(name);
            assert!(p::GREATEST_RATE.get(&words) >= p::INITIAL_RATE.get(&words), "{name}");
            assert!(p::FIELDS.iter().all(|f| f.checked(&words).is_ok()), "{name}: a field may not hold what it has");
        }
    }

    #[test]
    fn out_of_range_is_refused_with_the_range() {
        let mut parameters = Parameters::authors_10g();
        parameters.t_low_us = 1000.5;
        let text = parameters.quantise().expect_err("Tlow above Thigh").to_string();
        assert_eq!(text, "t_low_us is 1000.5; allowed are 0 to 1000: Tlow must not exceed Thigh");
        parameters.t_low_us = f64::NAN;
        assert_eq!(parameters.quantise().expect_err("not a number").field, "t_low_us");
    }

    #[test]
    fn a_timeout_is_shorter_than_the_sums_of_bytes() {
        let of = |mbps: f64, timeout_us: f64| Parameters { timeout_us, ..Parameters::timely_100g(8.0).line(mbps) };
        // 85,899,346 ns at 100 Gb/s are 2^30 bytes and 1 byte.
        let text = of(100_000.0, 85_899.346).quantise().expect_err("2^30 bytes").to_string();
        let advice =
            "at its greatest rate a flow must send less than 2^30 bytes in its time-out: shorten it or lower that rate; 0 for no time-out";
        assert_eq!(text, format!("timeout_us is 85899.346; allowed are 0 to 85899.345: {advice}"));
        assert_eq!(p::TIMEOUT_NS.get(&of(100_000.0, 85_899.345).quantise().expect("less")), 85_899_345);
        // Exactly 2^30 bytes: 2^33 bits at 8,192 Mb/s take 2^20 us.
        assert!(of(8192.0, 1_048_576.0).quantise().is_err() && of(8192.0, 1_048_575.999).quantise().is_ok());
        // Faster than the pacer is no rate of a flow; slower than 4 Gb/s, the register is too
        // short.
        assert!(of(1_048_000.0, 32_768.0).quantise().is_ok() && of(1_048_000.0, 32_768.001).quantise().is_err());
        assert_eq!(of(1000.0, 2_147_484.0).quantise().expect_err("32 bits").advice, "use 0 for no time-out");
        let bounded = |outstanding_bytes| Parameters { outstanding_bytes, ..Parameters::timely_100g(8.0) }.quantise();
        assert_eq!(p::OUTSTANDING.get(&bounded((1 << 30) - 1).expect("30 bits")), (1 << 30) - 1);
        let text = bounded(1 << 30).expect_err("31 bits").to_string();
        assert_eq!(text, "outstanding_bytes is 1073741824; allowed are 0 to 1073741823: use 0 for no bound");
    }

    #[test]
    fn the_signal_has_its_words() {
        let w = Parameters::timely_10g(8.0).one_way(8.25).quantise().expect("valid");
        assert_eq!((w[0] >> 10 & 3, w[29]), (2, 8250));
        let parameters = Parameters { signal_base_us: 16_778.0, ..Parameters::timely_10g(8.0) };
        let text = parameters.quantise().expect_err("more than 24 bits of ns").to_string();
        assert_eq!(text, "signal_base_us is 16778; allowed are 0 to 16777.215: give the unloaded RTT in microseconds");
    }

    #[test]
    fn constants_carry_their_scale() {
        let w = Parameters::authors_10g().quantise().expect("valid");
        assert_eq!((p::T_HIGH.get(&w), p::T_HIGH_ZEROS.get(&w)), (1_000_000, 4));
        let gain = f64::from(p::GRADIENT_GAIN.get(&w)) / 2f64.powi(50 - (p::GRADIENT_STEP * p::GRADIENT_SHIFT.get(&w)) as i32);
        assert!((gain / (0.8 / 20_000.0) - 1.0).abs() < 3e-8, "{gain}");
        let inverse = f64::from(p::UPDATE_INVERSE.get(&w)) / 2f64.powi(48 - (p::UPDATE_STEP * p::UPDATE_SHIFT.get(&w)) as i32);
        assert!((inverse * 20_000.0 - 1.0).abs() < 3e-8, "{inverse}");
        assert_eq!((p::GRADIENT_FULL.get(&w), p::DEADBAND.get(&w), p::STEP.get(&w)), (25_000, 30, 40_960));
    }
}
