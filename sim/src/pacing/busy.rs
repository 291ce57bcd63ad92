//! A second task on the sending thread's core, which computes and never sleeps: what a host that
//! does something else looks like.
use super::site::Worker;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// The task; it ends with this.
pub struct Busy {
    over: Arc<AtomicBool>,
    task: Option<JoinHandle<()>>,
}

// Keeps the calling thread on a core.
fn stay_on(core: usize) -> Result<(), String> {
    let mut set = CpuSet::new();
    let set = set.set(core).and_then(|()| sched_setaffinity(Pid::from_raw(0), &set));
    set.map_err(|e| format!("a thread cannot be kept on core {core}: {e}"))
}

impl Busy {
    /// Starts the task on the core that the worker is on, and keeps both there.
    ///
    /// # Errors
    /// The kernel gives no core number, or refuses the affinity.
    pub fn beside(worker: &Worker) -> Result<Self, String> {
        let core = worker.run(|| {
            let core = nix::sched::sched_getcpu().map_err(|e| format!("no core's number: {e}"))?;
            stay_on(core).map(|()| core)
        })?;
        let over = Arc::new(AtomicBool::new(false));
        let told = over.clone();
        let task = std::thread::spawn(move || {
            // Where it may not stay it computes on another core; the worker was just told the same.
            let _ = stay_on(core);
            while !told.load(Ordering::Relaxed) {
                std::hint::black_box((0..10_000u64).fold(1u64, |a, i| a.wrapping_mul(i | 1)));
            }
        });
        Ok(Busy { over, task: Some(task) })
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(task) = self.task.take() {
            let _ = task.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pacing::clock::cpu_seconds;

    #[test]
    fn it_shares_the_workers_core() {
        let worker = Worker::spawn();
        let busy = Busy::beside(&worker).expect("a task");
        // The worker's computation takes longer than its own CPU time: the other task has turns
        // between.
        let (own, all) = worker.run(|| {
            let (cpu, start) = (cpu_seconds(), crate::pacing::clock::now());
            while cpu_seconds() - cpu < 0.05 {
                std::hint::spin_loop();
            }
            (cpu_seconds() - cpu, (crate::pacing::clock::now() - start) as f64 * 1e-9)
        });
        drop(busy);
        assert!(all > 1.3 * own, "{own} of {all} s");
    }
}
