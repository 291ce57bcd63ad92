//! Saving of a NIC's configuration, again and again where it cannot be written at once.
use super::Service;
use crate::config::{Config, ConfigError};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time until a configuration that could not be saved is saved again.
const AGAIN: Duration = Duration::from_secs(1);

/// A configuration that could not be saved.
pub(super) struct Unsaved {
    /// When it is saved again.
    due: Instant,
    /// Why it could not be.
    why: String,
}

/// News of the file that the last request made, for its answer.
#[derive(Default)]
pub(super) struct News {
    /// Why the change was not saved, and what comes next.
    not_saved: Option<String>,
    /// Where the file of before is kept.
    kept: Option<PathBuf>,
}

impl News {
    /// The answer with the news: `saved`, `not_saved`, `kept` are left out where there are none.
    pub(super) fn added_to(self, mut answer: Value) -> Value {
        let mut add = |key: &str, value: Value| {
            if answer.is_null() {
                answer = json!({});
            }
            if let Some(fields) = answer.as_object_mut() {
                fields.insert(key.into(), value);
            }
        };
        if let Some(kept) = self.kept {
            add("kept", kept.display().to_string().into());
        }
        if let Some(text) = self.not_saved {
            add("saved", false.into());
            add("not_saved", text.into());
        }
        answer
    }
}

impl Service {
    /// Promises that the process goes on and calls [`Service::save_again`], which answers to
    /// changes then say.
    pub fn stay(&mut self) {
        self.stays = true;
    }

    /// Why the configuration is not saved, while it is not.
    pub fn unsaved(&self) -> Option<&str> {
        self.unsaved.as_ref().map(|u| u.why.as_str())
    }

    /// Saves what could not be saved, if there is any and a second has passed by `now`, or with
    /// `None` at once; `true` when that was done.
    ///
    /// # Errors
    /// When it still cannot be saved; it is kept for the next time.
    pub fn save_again(&mut self, now: Option<Instant>) -> Result<bool, ConfigError> {
        match (&self.unsaved, now) {
            (None, _) => Ok(false),
            (Some(u), Some(now)) if now < u.due => Ok(false),
            _ => self.write().map(|()| true),
        }
    }

    /// Saves the configuration; the answer to the change says when it could not be.
    pub(super) fn save(&mut self) {
        if let Err(source) = self.write() {
            let next = if self.stays {
                "timelyd saves again every second, and before it ends".into()
            } else {
                format!(
                    "it lasts until the NIC is reset. Then start `timelyd --device {}`, which sets the NIC as the file says, and do it again",
                    self.nic.name()
                )
            };
            self.news.not_saved = Some(format!("what was done is in force but not saved: {source}; {next}"));
        }
    }

    /// Saves an emptier configuration: the file of before, if it said anything, is kept.
    pub(super) fn save_over(&mut self, before: &Config) {
        self.stale |= *before != self.config;
        self.save();
    }

    /// Writes the file. The disk may take longer than the heartbeat lasts.
    fn write(&mut self) -> Result<(), ConfigError> {
        let Service { nic, config, file: Some(file), stale, .. } = self else { return Ok(()) };
        let (config, file, keep) = (&*config, &*file, *stale);
        let written = nic.kick_while(|| {
            let keep = keep && file.exists();
            if keep {
                Config::keep(file)?;
            }
            config.write(file).map(|()| keep)
        });
        self.unsaved = written.as_ref().err().map(|e| Unsaved { due: Instant::now() + AGAIN, why: e.to_string() });
        if written? {
            self.news.kept = self.file.as_deref().map(Config::before);
        }
        self.stale = false;
        Ok(())
    }
}
