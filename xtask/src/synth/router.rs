//! Whether nextpnr's router comes nearer to its end, by what it says of each pass.

/// Fewer wires than these may become more again: of the last ones it gives one free and takes another.
const FEW: u64 = 100;

/// What was seen of its passes.
#[derive(Default)]
pub struct Router {
    /// The fewest wires that more than one net had after a pass.
    fewest: Option<u64>,
}

impl Router {
    /// Takes a line of its log; no, once twice as many wires are overused as were at their fewest. The price of a wire that is asked for twice
    /// grows with each pass: from there on detours take more wires than they give free, and it does not end.
    pub fn goes_on(&mut self, line: &str) -> bool {
        let count = line.split_once(" overused=").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        let Some(overused) = count else { return true };
        let fewest = self.fewest.map_or(overused, |f| f.min(overused));
        self.fewest = Some(fewest);
        overused < 2 * fewest.max(FEW)
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
    fn one_that_drifts_away_is_ended_at_twice_the_fewest() {
        assert_eq!(ended(&[85836, 49781, 2421, 2325, 3579, 4569, 4649, 4650, 6123]), Some(7));
        assert_eq!(ended(&[300, 99, 199, 200]), Some(3));
    }
}
