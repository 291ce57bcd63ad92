//! Two runs at a time, until all are done.
use super::cells::Clock;
use super::flow::{Figure, Flow, Step, Unit};
use super::record::Block;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Runs at a time: each takes a processor and up to 3 GB.
const AT_ONCE: usize = 2;

/// The results of a block.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Figures of the block.
    pub block: Block,
    /// The slowest path of its first seed.
    pub path: Vec<String>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<(usize, Step)>,
    running: usize,
    done: usize,
    all: usize,
    clocks: BTreeMap<(usize, u32), Clock>,
    blocks: BTreeMap<usize, Block>,
    errors: Vec<String>,
}

struct Work<'a> {
    flow: &'a Flow,
    units: &'a [Unit],
    seeds: u32,
    state: Mutex<State>,
    changed: Condvar,
}

impl Work<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // The next run; none when all are done.
    fn next(&self) -> Option<(usize, Step)> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.queue.pop_front() {
                state.running += 1;
                return Some(job);
            }
            if state.running == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finish(&self, unit: usize, step: Step, result: Result<Figure, String>, seconds: f64) {
        let mut state = self.lock();
        (state.running, state.done) = (state.running - 1, state.done + 1);
        let place = format!("[{}/{}] {}", state.done, state.all, self.units[unit].name);
        let block = state.blocks.entry(unit).or_default();
        let text = match result {
            Ok(Figure::Ecp5(area)) => {
                let text = format!("ECP5 {} LUT4, {} FF", area.lut4, area.ff);
                block.ecp5 = Some(area);
                (1..=self.seeds).rev().for_each(|seed| state.queue.push_front((unit, Step::Seed(seed))));
                text
            }
            Ok(Figure::Clock(seed, clock)) => {
                let text = format!("seed {seed}: {:.1} MHz", clock.mhz);
                state.clocks.insert((unit, seed), clock);
                text
            }
            Ok(Figure::Xcup(area)) => {
                let text = format!("UltraScale+ {} LUT, {} FF", area.lut, area.ff);
                block.xcup = area;
                text
            }
            Ok(Figure::Depth(ps)) => {
                block.xc7_ps = ps;
                format!("7 series {ps} ps")
            }
            Err(e) => {
                state.errors.push(format!("{}, {step:?}: {e}", self.units[unit].name));
                format!("{step:?} failed")
            }
        };
        eprintln!("{place}: {text} ({seconds:.0} s)");
        self.changed.notify_all();
    }

    fn run(&self) {
        while let Some((unit, step)) = self.next() {
            let started = Instant::now();
            // The other of the two waits until this one is finished.
            let result = catch_unwind(AssertUnwindSafe(|| self.flow.step(&self.units[unit], step)));
            let result = result.unwrap_or_else(|_| Err("a panic, which is a bug of xtask; its text is above".into()));
            self.finish(unit, step, result, started.elapsed().as_secs_f64());
        }
    }
}

/// Measures the blocks, the placed ones with seeds 1 to `seeds`.
///
/// # Errors
/// The errors of the runs that failed, after everything else was done.
pub fn measure(flow: &Flow, units: &[Unit], seeds: u32, area: bool) -> Result<BTreeMap<String, Outcome>, String> {
    let mut state = State::default();
    for (i, unit) in units.iter().enumerate() {
        if unit.speed {
            state.queue.push_back((i, Step::Ecp5));
            state.all += 1 + seeds as usize;
        }
        if area && !unit.for_its_clock() {
            state.queue.extend([(i, Step::Xcup), (i, Step::Xc7)]);
            state.all += 2;
        }
    }
    let work = Work { flow, units, seeds, state: Mutex::new(state), changed: Condvar::new() };
    std::thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(|| work.run()))));
    let mut state = work.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if !state.errors.is_empty() {
        return Err(state.errors.join("\n"));
    }
    let outcome = |(i, unit): (usize, &Unit)| {
        let mut block = state.blocks.remove(&i).unwrap_or_default();
        block.hash = unit.hash.clone();
        let clocks: Vec<&Clock> = state.clocks.range((i, 0)..=(i, u32::MAX)).map(|(_, c)| c).collect();
        block.ecp5_mhz = clocks.iter().map(|c| c.mhz).collect();
        (unit.name.clone(), Outcome { block, path: clocks.first().map_or(Vec::new(), |c| c.path.clone()) })
    };
    Ok(units.iter().enumerate().map(outcome).collect())
}
