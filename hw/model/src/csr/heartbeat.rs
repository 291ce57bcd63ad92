//! The driver's heartbeat.
use super::Written;
use timely_regs::map::heartbeat;

/// Counts down to the loss of the heartbeat.
#[derive(Clone, Debug, Default)]
pub(super) struct Heartbeat {
    period: u32,
    /// The clock whose edge loses the heartbeat.
    deadline: Option<u64>,
    /// The heartbeat was lost and not armed again.
    pub lost: bool,
    /// The heartbeat was lost just now.
    pub pulse: bool,
}

impl Heartbeat {
    pub fn step(&mut self, clk: u64, written: Written) {
        self.pulse = false;
        let mut restart = false;
        match written {
            Some((word, data)) if word == heartbeat::PERIOD.word() => {
                self.period = data;
                restart = true;
            }
            Some((word, _)) if word == heartbeat::BEAT.word() => restart = true,
            Some((word, 1)) if word == heartbeat::STATE.word() => {
                self.lost = false;
                restart = true;
            }
            _ => {}
        }
        if restart {
            self.deadline = (self.period != 0 && !self.lost).then(|| clk + u64::from(self.period));
        } else if self.deadline == Some(clk) {
            *self = Heartbeat { lost: true, pulse: true, deadline: None, ..*self };
        }
    }

    pub fn wake(&self, clk: u64) -> u64 {
        if self.pulse { clk } else { self.deadline.unwrap_or(u64::MAX) }
    }
}
