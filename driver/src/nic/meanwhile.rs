//! Work that takes long and needs no device, done while the heartbeat is kicked.
use super::Nic;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

impl Nic {
    /// Does something in a thread of its own, as writing a file or a long text, and kicks the
    /// heartbeat until that is done: also before and behind it, if a kick is due. Without a
    /// heartbeat, or a thread, it is done here. The next [`Nic::kick`] reports a lost heartbeat or
    /// a device that is gone.
    pub fn kick_while<T: Send>(&self, act: impl FnOnce() -> T + Send) -> T {
        let Some(mut due) = self.next_kick() else { return act() };
        let _ = self.kick_meanwhile();
        let waiting = Mutex::new(Some(act));
        let take = || waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        let done = std::thread::scope(|scope| {
            let (ended, end) = channel::<()>();
            let work = move || {
                // Dropped when the work has ended, however it has.
                let _ended = ended;
                take().map(|act| act())
            };
            let worker = std::thread::Builder::new().name("timely-work".into()).spawn_scoped(scope, work).ok()?;
            while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(due.saturating_duration_since(Instant::now())) {
                let _ = self.kick_meanwhile();
                due = self.next_kick().unwrap_or_else(|| Instant::now() + Duration::from_secs(1));
            }
            worker.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        let _ = self.kick_meanwhile();
        match (done, take()) {
            (Some(done), _) => done,
            (None, Some(act)) => act(),
            (None, None) => unreachable!("the work is either done or waits"),
        }
    }
}
