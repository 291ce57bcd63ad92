//! Whether nextpnr's router comes nearer to its end, by what it says of each pass.

/// Fewer wires than these may become more again: of the last ones it gives one free and takes
/// another.
const FEW: u64 = 100;

/// Passes in which no wire is taken twice and some are torn out as too slow: more do not make them
/// faster.
const TORN: u64 = 100;

/// State of the router's passes.
#[derive(Default)]
pub struct Router {
    /// The fewest wires that more than one net had after a pass.
    fewest: Option<u64>,
    /// Passes that left nothing but wires that are too slow.
    torn: u64,
}

impl Router {
    /// Takes a line of its log; no, once twice as many wires are overused as were at their fewest.
    /// The price of a wire that is asked for twice grows with each pass: from there on detours take
    /// more wires than they give free, and it does not end. Nor does it where the clock asked for
    /// cannot be had.
    pub fn goes_on(&mut self, line: &str) -> bool {
        let count = |name| -> Option<u64> { line.split_once(name)?.1.split(' ').next()?.parse().ok() };
        let Some(overused) = count(" overused=") else { return true };
        let fewest = self.fewest.map_or(overused, |f| f.min(overused));
        self.fewest = Some(fewest);
        self.torn += u64::from(overused == 0 && count(" tmgfail=").is_some_and(|torn| torn > 0));
        overused < 2 * fewest.max(FEW) && self.torn < TORN
    }
}

#[cfg(test)]
mod tests {
    use super::Router;

    // The first pass after which it is ended.
    fn ended(overused: &[u64]) -> Option<usize> {
        let mut router = Router::default();
        assert!(router.goes_on("Info: Running main router loop..."));
        let line = |(i, n): (usize, &u64)| format!("Info:     iter={} wires=1449512 overused={n} overuse={n} archfail=NA", i + 1);
        overused.iter().enumerate().map(line).position(|l| !router.goes_on(&l))
    }

    #[test]
    fn one_that_comes_nearer_goes_on() {
        assert_eq!(ended(&[76309, 42546, 25031, 9158, 9200, 1437, 295, 46, 45, 90, 2, 1, 1, 1, 150, 0]), None);
    }

    #[test]
    fn one_that_is_too_slow_for_ever_is_ended() {
        let line = |torn| format!("Info:     iter=167 wires=1026611 overused=0 overuse=0 tmgfail={torn} archfail=NA");
        let mut router = Router::default();
        assert!((1..100).all(|_| router.goes_on(&line(13))));
        assert!(router.goes_on(&line(0)), "nothing is too slow any more");
        assert!(!router.goes_on(&line(13)));
    }

    #[test]
    fn one_that_drifts_away_is_ended_at_twice_the_fewest() {
        assert_eq!(ended(&[85836, 49781, 2421, 2325, 3579, 4569, 4649, 4650, 6123]), Some(7));
        assert_eq!(ended(&[300, 99, 199, 200]), Some(3));
    }
}
