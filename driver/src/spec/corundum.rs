//! Packets that Corundum's DMA reads: what a port says of it, and what follows for caps of
//! profiles.
use super::{FlowSpec, PortSpec, ProfileSpec, SpecError, unit, value};
use crate::units::{Mbps, Micros, parse_us};
use timely_regs::corundum::request::{MOST_DMA_NS, Request};
use timely_regs::parameters::Parameters;
use timely_regs::profile;

/// Reads of the host's memory that a packet needs, when nothing is said, ns.
const DMA_NS: u32 = 3000;

/// The way of a request on a board whose bus has `bus_bits` bits behind Corundum's DMA; nothing on
/// another board.
///
/// # Errors
/// When `dma` is no time, is out of range, or is said of a board without Corundum.
pub fn request(port: Option<&PortSpec>, bus_bits: Option<u32>) -> Result<Option<Request>, SpecError> {
    let told = port.and_then(|p| p.dma.as_ref());
    let Some(bus_bits) = bus_bits else {
        return told
            .map_or(Ok(None), |text| Err(value("dma", text, "left out: it is for Corundum boards alone, whose DMA reads the packets")));
    };
    // The driver cannot see streams. Without them a cap for them is more than is needed, and with
    // them less is too little.
    Ok(Some(Request { bus_bits, dma_ns: told.map_or(Ok(DMA_NS), |text| dma_ns(text))?, streams: true }))
}

/// The time of both reads, ns.
pub(super) fn dma_ns(text: &str) -> Result<u32, SpecError> {
    let ns = unit("dma", parse_us(text))? * 1000.0;
    if !(1.0..=f64::from(MOST_DMA_NS)).contains(&ns) {
        let most = Micros(f64::from(MOST_DMA_NS) / 1000.0);
        return Err(value("dma", text, format!("1ns to {most}, the longest reads that LEAD can cover")));
    }
    Ok(ns.ceil() as u32)
}

impl ProfileSpec {
    /// [`ProfileSpec::parameters`] on a board: behind Corundum's DMA the cap covers what is under
    /// way, unless the profile says another.
    ///
    /// # Errors
    /// The errors of [`ProfileSpec::parameters`], and that no cap covers the bytes under way.
    pub fn parameters_on(&self, request: Option<&Request>) -> Result<Parameters, SpecError> {
        let mut p = self.parameters()?;
        let Some(request) = request.filter(|_| !self.set.contains_key("cap")) else { return Ok(p) };
        let cap = request.cap(p.greatest_mbps).ok_or_else(|| {
            let (dma, ns) = (Micros(f64::from(request.dma_ns) / 1000.0), Micros(f64::from(request.ns()) / 1000.0));
            let allowed = format!(
                "at most {}: with `dma` {dma} a packet stays charged for {ns}, and a cap holds {} bytes; lower the profile's line, or `dma` of the port",
                Mbps(request.most_mbps()),
                profile::TOKEN_CAP.most
            );
            value("greatest", Mbps(p.greatest_mbps), allowed)
        })?;
        p.cap_bytes = p.cap_bytes.max(cap);
        Ok(p)
    }
}

/// Refuses a flow of the host's packets whose profile has a cap below what it must have under way
/// for its rate. An endless flow may be the generator's, whose cap is a burst.
///
/// # Errors
/// When the cap is too low; the error has the cap and the bytes needed.
pub fn check_cap(spec: &FlowSpec, words: &[u32; profile::WORDS], request: Option<&Request>) -> Result<(), SpecError> {
    let Some(request) = request.filter(|_| !spec.endless) else { return Ok(()) };
    let fixed = profile::LAW.get(words) == profile::LAW_FIXED;
    let rate = if fixed { spec.rate()?.unwrap_or(profile::INITIAL_RATE.get(words)) } else { profile::GREATEST_RATE.get(words) };
    let (cap, rate) = (profile::TOKEN_CAP.get(words), Mbps::from_register(rate));
    let need = request.bytes(rate.0);
    if u64::from(cap) >= need {
        return Ok(());
    }
    let ns = Micros(f64::from(request.ns()) / 1000.0);
    let advice =
        format!("{need} bytes or more in profile {}: at {rate} that is charged in {ns}; leave `cap` out, and it is set so", spec.profile);
    Err(value("cap", format_args!("{cap}B"), advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(port: &str, profile: &[&str]) -> Result<Parameters, String> {
        let port: PortSpec = toml::from_str(&format!("mac = \"02:00:00:00:00:07\"\n{port}")).expect("TOML");
        let set: Vec<String> = profile[1..].iter().map(|s| s.to_string()).collect();
        let request = request(Some(&port), Some(512)).map_err(|e| e.to_string())?;
        ProfileSpec::new(profile[0], None, None, &set).and_then(|p| p.parameters_on(request.as_ref())).map_err(|e| e.to_string())
    }

    /// By hand: at 12.5 bytes a ns, reads of 3 us twice, 3 us of the core's own and 1 us more are
    /// 125,000 bytes.
    #[test]
    fn a_cap_covers_what_is_under_way() {
        let cap = |port, profile: &[&str]| of(port, profile).expect("valid").cap_bytes;
        assert_eq!(cap("", &["timely-100g"]), 125_000);
        assert_eq!(cap("dma = \"1us\"", &["timely-100g"]), 75_000);
        assert_eq!(cap("", &["timely-100g", "cap=4096B"]), 4096, "as was said");
        let text = of("dma = \"40us\"", &["timely-100g"]).expect_err("no cap");
        assert!(
            text.starts_with("greatest is `100Gbps`; it must be at most 99.86Gbps: with `dma` 40us a packet stays charged for 84us"),
            "{text}"
        );
        assert!(of("dma = \"40us\"", &["timely-25g"]).is_ok());
        let text = of("dma = \"70us\"", &["timely-10g"]).expect_err("no LEAD");
        assert_eq!(text, "dma is `70us`; it must be 1ns to 62.53us, the longest reads that LEAD can cover");
    }

    #[test]
    fn a_flow_that_cannot_have_its_rate_is_refused() {
        let request = request(None, Some(512)).expect("valid").expect("Corundum");
        let check = |like: &str, set: &[&str], flow: &str| {
            let set: Vec<String> = set.iter().map(|s| s.to_string()).collect();
            let p = ProfileSpec::new(like, None, None, &set).and_then(|p| p.parameters_on(Some(&request))).expect("valid");
            let flow: FlowSpec = toml::from_str(&format!("to = \"11.0.1.1\"\nmac = \"02:74:6e:00:00:01\"\n{flow}")).expect("TOML");
            check_cap(&flow, &p.quantise().expect("valid"), Some(&request)).map_err(|e| e.to_string())
        };
        let posted = "endless = false\n";
        assert_eq!(check("timely-100g", &[], posted), Ok(()));
        let text = check("timely-100g", &["cap=64KiB"], posted).expect_err("too small");
        assert!(
            text.starts_with("cap is `65536B`; it must be 125000 bytes or more in profile 0: at 100Gbps that is charged in 10us"),
            "{text}"
        );
        assert_eq!(check("timely-100g", &["cap=64KiB"], ""), Ok(()), "a generator's");
        let fixed = |rate: &str| check("fixed", &["cap=5000B"], &format!("{posted}rate = \"{rate}\""));
        assert_eq!(fixed("4Gbps"), Ok(()));
        assert!(fixed("4.1Gbps").is_err());
    }

    #[test]
    fn reads_of_memory_are_corundums() {
        let port = PortSpec { dma: Some("2us".into()), ..PortSpec::with_mac("02:00:00:00:00:07") };
        let text = request(Some(&port), None).expect_err("another board").to_string();
        assert_eq!(text, "dma is `2us`; it must be left out: it is for Corundum boards alone, whose DMA reads the packets");
        assert_eq!(request(None, None), Ok(None));
    }
}
