//! Checks of a change before it is made: what a daemon's next start would refuse is not saved.
use super::{Service, ServiceError};
use crate::config::{Config, Number};
use crate::nic::Nic;
use crate::plan::{Plan, check_bound, check_rate};
use crate::spec::{FlowSpec, PortSpec, SpecError, check_cap};
use timely_regs::corundum::request::Request as DmaRequest;
use timely_regs::flow::FlowRecord;
use timely_regs::profile;

impl Service {
    /// The way of a request, on a board where Corundum's DMA reads the packets, and what is wrong
    /// with what a port says of it.
    pub(super) fn request(&self, port: Option<&PortSpec>) -> Result<Result<Option<DmaRequest>, SpecError>, ServiceError> {
        Ok(Nic::request(self.nic.transport(), port)?)
    }

    /// Plans a configuration as a daemon's start does; gives the plan, and the way of a request.
    pub(super) fn planned(&self, config: &Config) -> Result<(Plan, Option<DmaRequest>), ServiceError> {
        let plan = Plan::new(config, None)?;
        match self.request(config.port.as_ref())?? {
            None => Ok((plan, None)),
            Some(request) => Ok((Plan::new(config, Some(&request))?, Some(request))),
        }
    }

    pub(super) fn check_window(&self, spec: &FlowSpec) -> Result<(), ServiceError> {
        if spec.needs_window() { Ok(self.nic.must_have_window()?) } else { Ok(()) }
    }

    /// Checks a flow against the profile that the NIC has, and against that of the configuration: a
    /// write of a register may have made them two.
    pub(super) fn check_profile(&self, spec: &FlowSpec, record: &FlowRecord) -> Result<(), ServiceError> {
        let number = u32::from(spec.profile);
        let words = self.nic.profile(number)?;
        if words == [0; profile::WORDS] {
            return Err(SpecError::Unset(number).into());
        }
        let request = self.request(self.config.port.as_ref())??;
        let fits = |words: &[u32; profile::WORDS]| {
            check_rate(spec, words)?;
            check_bound(record, words)?;
            check_cap(spec, words, request.as_ref())
        };
        fits(&words)?;
        match self.config.profile.get(&Number(number)) {
            Some(saved) => Ok(fits(&saved.parameters_on(request.as_ref())?.quantise().map_err(SpecError::from)?)?),
            // The next start resets the NIC, and finds the profile nowhere.
            None if self.file.is_some() && !Nic::keeps_profile(self.nic.transport(), number)? => Err(SpecError::NotSaved(number).into()),
            None => Ok(()),
        }
    }
}
