//! Exchanges sites until wires are short: simulated annealing (Kirkpatrick et al., Science
//! 220, 1983) over the half perimeters of nets, and over how far apart the cells of one net stand,
//! where that is too far for a clock.
use super::sites::{Kind, Site};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;

/// The first temperature, tiles; exchanges that lengthen wires by this are mostly made.
const HOT: f64 = 200.0;
/// The last.
const COLD: f64 = 0.5;
/// Exchanges at one temperature.
const STEP: u64 = 256;
/// So far, in tiles, cells of one net may stand apart: at 0.11 ns a tile that leaves a clock of 160
/// MHz what its ends need.
const NEAR: u32 = 40;
/// So often a tile beyond counts. A wide RAM has a wire for each of its bits and one address: by
/// their length alone its block RAMs stand anywhere, 122 tiles apart, and an address takes two
/// clocks to reach them all. What the bits come from follows them.
const FAR: u32 = 16;

/// A net: the tiles that stay, and the movable cells.
#[derive(Debug, Clone, Default)]
pub struct Net {
    /// Least and greatest column and row of what stays.
    fixed: Option<[u32; 4]>,
    cells: Vec<usize>,
}

impl Net {
    /// Adds a fixed tile at which the net ends.
    pub fn reaches(&mut self, (x, y): (u32, u32)) {
        self.fixed = Some(widened(self.fixed, (x, y)));
    }

    /// Adds a movable cell at which the net ends.
    pub fn joins(&mut self, cell: usize) {
        if !self.cells.contains(&cell) {
            self.cells.push(cell);
        }
    }
}

fn widened(to: Option<[u32; 4]>, (x, y): (u32, u32)) -> [u32; 4] {
    let [left, right, low, high] = to.unwrap_or([x, x, y, y]);
    [left.min(x), right.max(x), low.min(y), high.max(y)]
}

fn half_perimeter([left, right, low, high]: [u32; 4]) -> u32 {
    right - left + high - low
}

/// Cells at sites, and the nets between them and all else.
pub struct Anneal {
    at: Vec<Site>,
    nets: Vec<Net>,
    /// Nets of each cell.
    of: Vec<Vec<usize>>,
    all: BTreeMap<Kind, Vec<Site>>,
    taken: BTreeMap<Site, usize>,
}

impl Anneal {
    /// Cells where they stand, and nets; those that end at no cell do not count.
    pub fn new(at: Vec<Site>, nets: impl Iterator<Item = Net>) -> Self {
        let nets: Vec<Net> = nets.filter(|n| !n.cells.is_empty()).collect();
        let mut of = vec![Vec::new(); at.len()];
        for (i, net) in nets.iter().enumerate() {
            net.cells.iter().for_each(|&c| of[c].push(i));
        }
        let all = [Kind::Ram, Kind::Multiplier].into_iter().map(|k| (k, k.sites().collect())).collect();
        let taken = at.iter().copied().zip(0..).collect();
        Anneal { at, nets, of, all, taken }
    }

    /// Wire of all nets, tiles.
    pub fn wire(&self) -> u64 {
        self.nets.iter().map(|n| u64::from(self.around(n, n.fixed))).sum()
    }

    /// The cost that annealing makes small: length of wire, and cells of one net that stand too far
    /// apart.
    pub fn cost(&self) -> u64 {
        self.nets.iter().map(|n| u64::from(self.cost_of(n))).sum()
    }

    /// Where the cells are.
    pub fn sites(&self) -> impl Iterator<Item = Site> {
        self.at.iter().copied()
    }

    fn around(&self, net: &Net, fixed: Option<[u32; 4]>) -> u32 {
        net.cells.iter().fold(fixed, |box_, &c| Some(widened(box_, self.at[c].tile))).map_or(0, half_perimeter)
    }

    fn cost_of(&self, net: &Net) -> u32 {
        self.around(net, net.fixed) + FAR * self.around(net, None).saturating_sub(NEAR)
    }

    /// Tries `moves` exchanges of a random cell with a random site of its kind.
    pub fn run(&mut self, seed: u64, moves: u64) {
        if self.at.is_empty() {
            return;
        }
        let mut rng = StdRng::seed_from_u64(seed);
        let mut temperature = HOT;
        let mut touched: Vec<usize> = Vec::new();
        for i in 0..moves {
            if i % STEP == 0 {
                temperature = HOT * (COLD / HOT).powf(i as f64 / moves as f64);
            }
            let cell = rng.random_range(0..self.at.len());
            let from = self.at[cell];
            let sites = &self.all[&from.kind];
            let to = sites[rng.random_range(0..sites.len())];
            if to == from {
                continue;
            }
            let other = self.taken.get(&to).copied();
            touched.clear();
            touched.extend(&self.of[cell]);
            touched.extend(other.into_iter().flat_map(|o| &self.of[o]));
            touched.sort_unstable();
            touched.dedup();
            let cost = |all: &Self| touched.iter().map(|&n| i64::from(all.cost_of(&all.nets[n]))).sum::<i64>();
            let before = cost(self);
            self.at[cell] = to;
            other.into_iter().for_each(|o| self.at[o] = from);
            let worse = cost(self) - before;
            if worse <= 0 || rng.random_bool((-(worse as f64) / temperature).exp()) {
                self.taken.remove(&from);
                self.taken.insert(to, cell);
                if let Some(o) = other {
                    self.taken.insert(from, o);
                }
            } else {
                self.at[cell] = from;
                other.into_iter().for_each(|o| self.at[o] = to);
            }
        }
    }
}
