//! Saving of a NIC's configuration, again and again where it cannot be written at once.
use super::{Service, ServiceError};
use crate::config::{Config, ConfigError};
use std::time::{Duration, Instant};

/// Time until a configuration that could not be saved is saved again.
const AGAIN: Duration = Duration::from_secs(1);

impl Service {
    /// Promises that the process goes on and calls [`Service::save_again`], which errors then say.
    pub fn stay(&mut self) {
        self.stays = true;
    }

    /// Saves what could not be saved, if there is any and a second has passed by `now`, or with
    /// `None` at once; `true` when that was done.
    ///
    /// # Errors
    /// When it still cannot be saved; it is kept for the next time.
    pub fn save_again(&mut self, now: Option<Instant>) -> Result<bool, ServiceError> {
        match (self.unsaved, now) {
            (None, _) => Ok(false),
            (Some(due), Some(now)) if now < due => Ok(false),
            _ => self.save().map(|()| true),
        }
    }

    /// Saves the configuration.
    pub(super) fn save(&mut self) -> Result<(), ServiceError> {
        let written = self.write();
        self.unsaved = written.is_err().then(|| Instant::now() + AGAIN);
        written.map_err(|source| {
            let next = if self.stays {
                "timelyd saves again every second, and before it ends".into()
            } else {
                format!(
                    "it lasts until the NIC is reset. Then start `timelyd --device {}`, which sets the NIC as the file says, and do it again",
                    self.nic.name()
                )
            };
            ServiceError::NotSaved { source, next }
        })
    }

    /// Writes the file. The disk may take longer than the heartbeat lasts.
    fn write(&mut self) -> Result<(), ConfigError> {
        let Service { nic, config, file: Some(file), stale, .. } = self else { return Ok(()) };
        let (config, file, keep) = (&*config, &*file, *stale);
        nic.kick_while(|| {
            if keep && file.exists() {
                Config::keep(file)?;
            }
            config.write(file)
        })?;
        *stale = false;
        Ok(())
    }
}
