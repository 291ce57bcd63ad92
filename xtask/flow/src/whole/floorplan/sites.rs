//! Where an LFE5UM5G-85F has block RAMs and multipliers, as Project Trellis' database names them.

/// First tiles of the columns' groups of four.
const GROUPS: [u32; 13] = [4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114];
/// Tiles in a group, from its first, of block RAMs.
const RAM_TILES: [u32; 4] = [0, 2, 4, 6];
/// Rows of block RAMs.
const RAM_ROWS: [u32; 4] = [22, 46, 70, 82];
/// Tiles in a group, from its first, of multipliers: they have these numbers too.
const MULTIPLIER_TILES: [u32; 4] = [0, 1, 4, 5];
/// Rows of multipliers.
const MULTIPLIER_ROWS: [u32; 3] = [10, 34, 58];

/// The cell that stands at a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A block RAM of 18 Kb.
    Ram,
    /// A multiplier of 18 x 18.
    Multiplier,
}

/// A site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The kind of cell that the site is for.
    pub kind: Kind,
    /// Tile of the site: column and row.
    pub tile: (u32, u32),
    number: u32,
}

/// Column and row in a site's name, `X4/Y22/EBR0`.
pub fn tile(site: &str) -> Option<(u32, u32)> {
    let mut parts = site.split('/');
    let mut axis = |letter| parts.next()?.strip_prefix(letter)?.parse().ok();
    Some((axis('X')?, axis('Y')?))
}

impl Kind {
    /// Of a cell of this type.
    pub fn of(cell: &str) -> Option<Self> {
        match cell {
            "DP16KD" => Some(Kind::Ram),
            "MULT18X18D" => Some(Kind::Multiplier),
            _ => None,
        }
    }

    /// All sites.
    pub fn sites(self) -> impl Iterator<Item = Site> {
        let (tiles, rows) = match self {
            Kind::Ram => (RAM_TILES, RAM_ROWS.as_slice()),
            Kind::Multiplier => (MULTIPLIER_TILES, MULTIPLIER_ROWS.as_slice()),
        };
        rows.iter().flat_map(move |&row| {
            let group = move |first: u32| {
                (0..4).map(move |i| Site {
                    kind: self,
                    tile: (first + tiles[i as usize], row),
                    number: if self == Kind::Ram { i } else { tiles[i as usize] },
                })
            };
            GROUPS.into_iter().flat_map(group)
        })
    }
}

impl Site {
    /// As nextpnr names it.
    pub fn name(&self) -> String {
        let (x, y) = self.tile;
        let kind = if self.kind == Kind::Ram { "EBR" } else { "MULT18_" };
        format!("X{x}/Y{y}/{kind}{}", self.number)
    }

    /// The site of this name.
    pub fn named(name: &str) -> Option<Self> {
        let tile = tile(name)?;
        [Kind::Ram, Kind::Multiplier].into_iter().flat_map(Kind::sites).find(|s| s.tile == tile && s.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Site, tile};

    #[test]
    fn sites_have_the_database_s_names() {
        let names = |kind: Kind| kind.sites().map(|s| s.name()).collect::<Vec<_>>();
        let (rams, multipliers) = (names(Kind::Ram), names(Kind::Multiplier));
        assert_eq!((rams.len(), multipliers.len()), (208, 156), "as many as the data sheet has, FPGA-DS-02012 table 1.1");
        assert_eq!([&rams[0], &rams[5], &rams[207]], ["X4/Y22/EBR0", "X15/Y22/EBR1", "X120/Y82/EBR3"]);
        assert_eq!([&multipliers[0], &multipliers[2], &multipliers[155]], ["X4/Y10/MULT18_0", "X8/Y10/MULT18_4", "X119/Y58/MULT18_5"]);
        for name in rams.iter().chain(&multipliers) {
            assert_eq!(Site::named(name).map(|s| s.name()).as_ref(), Some(name));
        }
        assert_eq!(Site::named("X5/Y22/EBR0"), None);
        assert_eq!(tile("X70/Y45/SLICEA.COMB0"), Some((70, 45)));
        assert_eq!(tile("nowhere"), None);
    }
}
