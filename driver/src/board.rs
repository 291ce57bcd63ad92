//! Finds the register map on a board: by the table of boards and the card's PCI IDs, or where the
//! user says that it is.
use crate::failure::Failure;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use timely_regs::board::{self, Board, CONFIGURED, STANDALONE, corundum};
use timely_regs::map::{ADDRESS_BITS, BLOCK_BYTES, HEADER_NEXT, HEADER_TYPE, HEADER_VERSION, VENDOR};
use timely_regs::text::parse_whole;

/// More blocks than any list has, so that a walk over a broken one ends.
const LONGEST_LIST: usize = 64;
/// Blocks that a message names.
const NAMED: usize = 8;

/// Where a user says that the map is: `bar=2,offset=0x110000`, or `[device]` of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Said")]
pub struct Place {
    /// The BAR.
    pub bar: u32,
    /// Offset of the map in it.
    pub offset: u32,
}

/// A place as it stands in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    bar: u32,
    #[serde(default)]
    offset: u32,
}

impl TryFrom<Said> for Place {
    type Error = PlaceError;

    fn try_from(said: Said) -> Result<Self, PlaceError> {
        let place = Place { bar: said.bar, offset: said.offset };
        if place.is_possible() { Ok(place) } else { Err(PlaceError(place.to_string())) }
    }
}

impl From<board::Place> for Place {
    fn from(p: board::Place) -> Self {
        Place { bar: p.bar, offset: p.offset }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bar={},offset={:#x}", self.bar, self.offset)
    }
}

/// A place that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no place of registers; write bar=2,offset=0x110000: a BAR from 0 to 5, and a multiple of 4")]
pub struct PlaceError(String);

impl Place {
    /// The BAR exists, and the offset is one of a register.
    fn is_possible(&self) -> bool {
        self.bar < 6 && self.offset.is_multiple_of(4)
    }
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        let number = |t: &str| parse_whole::<u32>(t).ok();
        let parse = || {
            let (bar, offset) = text.split_once(',').unwrap_or((text, "offset=0"));
            let place = Place { bar: number(bar.strip_prefix("bar=")?)?, offset: number(offset.strip_prefix("offset=")?)? };
            place.is_possible().then_some(place)
        };
        parse().ok_or_else(|| PlaceError(text.into()))
    }
}

/// The map of a device: on which board, where, and how much of it there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The board.
    pub board: &'static Board,
    /// Where.
    pub place: Place,
    /// Bytes of the map: less than a whole one where the shell leaves it less.
    pub bytes: u64,
}

impl Placed {
    /// The standalone NIC's, in a BAR of so many bytes.
    pub fn standalone(bytes: u64) -> Self {
        Placed { board: &STANDALONE, place: STANDALONE.place.into(), bytes }
    }
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, registers at BAR {} + {:#x}", self.board.what, self.place.bar, self.place.offset)
    }
}

/// The BARs of a device, whatever is in them.
pub trait Bars {
    /// The device's name.
    fn name(&self) -> &str;

    /// Vendor and device ID.
    ///
    /// # Errors
    /// When the transport fails.
    fn ids(&self) -> Result<(u16, u16), Failure>;

    /// Bytes of a BAR; 0 when it is not there.
    ///
    /// # Errors
    /// When the transport fails.
    fn bytes(&self, bar: u32) -> Result<u64, Failure>;

    /// Reads 32 bits.
    ///
    /// # Errors
    /// When the transport fails.
    fn read32(&self, bar: u32, offset: u32) -> Result<u32, Failure>;
}

fn failure(bars: &dyn Bars, what: String, next: &str) -> Failure {
    Failure::Board { device: bars.name().into(), what, next: next.into() }
}

/// Finds the map: at `asked`, or where the board of these IDs has it, or at the start of BAR 0.
/// Whether it is ours the magic word says later; a Corundum board is asked for its application
/// first.
///
/// # Errors
/// When the transport fails, the BAR is not there or too small, or Corundum has another
/// application.
pub fn locate(bars: &dyn Bars, asked: Option<Place>) -> Result<Placed, Failure> {
    let (vendor, device) = bars.ids()?;
    let known = board::with_ids(vendor, device);
    let board = known.unwrap_or(if asked.is_some() { &CONFIGURED } else { &STANDALONE });
    let place = asked.unwrap_or_else(|| board.place.into());
    let Place { bar, offset } = place;
    let whole = bars.bytes(bar)?;
    let left = whole.saturating_sub(offset.into());
    // Of what the board leaves us elsewhere nothing is known.
    let most = if asked.is_some() { 1 << ADDRESS_BITS } else { board.bytes };
    if left < BLOCK_BYTES.into() {
        let size = if whole == 0 { "is not there".into() } else { format!("has {whole:#x} bytes") };
        let what = format!("BAR {bar} {size}; the registers of {} need {BLOCK_BYTES:#x} from {offset:#x} on", board.what);
        return Err(failure(bars, what, board.next));
    }
    if board.name == board::CORUNDUM.name && asked.is_none() {
        check_application(bars)?;
    }
    Ok(Placed { board, place, bytes: left.min(most.into()) })
}

/// Walks Corundum's list to the block that names the application.
fn check_application(bars: &dyn Bars) -> Result<(), Failure> {
    let bar = corundum::LIST_BAR;
    let next = board::CORUNDUM.next;
    let bytes = bars.bytes(bar)?;
    let (mut at, mut seen) = (0u32, Vec::new());
    for _ in 0..LONGEST_LIST {
        if u64::from(at) + u64::from(corundum::APP_INFO_ID) + 4 > bytes || !at.is_multiple_of(4) {
            let what = format!("the list of register blocks in BAR {bar} leads to {at:#x}, and the BAR has {bytes:#x} bytes");
            return Err(failure(bars, what, "is it a bitstream of Corundum from 2023 on?"));
        }
        let [kind, version, following] = [HEADER_TYPE, HEADER_VERSION, HEADER_NEXT].map(|o| bars.read32(bar, at + o));
        let (kind, version, following) = (kind?, version?, following?);
        if [kind, version, following] == [u32::MAX; 3] {
            return Err(Failure::Gone { device: bars.name().into() });
        }
        if kind == corundum::APP_INFO_TYPE && version == corundum::APP_INFO_VERSION {
            let id = bars.read32(bar, at + corundum::APP_INFO_ID)?;
            let where_read = format!("block {kind:#06x} at BAR {bar} + {at:#x}");
            return match id {
                0 => Err(failure(bars, format!("Corundum has no application block: its ID, in {where_read}, reads 0"), next)),
                id if id >> 16 != VENDOR => {
                    let what = format!("Corundum's application has ID {id:#010x} in {where_read}, not {:#010x}", corundum::APPLICATION_ID);
                    Err(failure(bars, what, next))
                }
                _ => Ok(()),
            };
        }
        // A block of type 0 is a place that is kept free.
        if kind != 0 && seen.len() < NAMED {
            seen.push(format!("{kind:#x}"));
        }
        at = following;
        if at == 0 {
            break;
        }
    }
    let seen = if seen.is_empty() { "none".into() } else { seen.join(", ") };
    let what = format!(
        "the list of register blocks in BAR {bar} has no block {:#x} version {:#x}, which names Corundum's application; types found: {seen}",
        corundum::APP_INFO_TYPE,
        corundum::APP_INFO_VERSION
    );
    Err(failure(bars, what, "use a bitstream of Corundum from 2023 on, with our application block"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A card in words.
    struct Card {
        ids: (u16, u16),
        bars: [u64; 6],
        words: BTreeMap<(u32, u32), u32>,
    }

    impl Bars for Card {
        fn name(&self) -> &str {
            "card"
        }

        fn ids(&self) -> Result<(u16, u16), Failure> {
            Ok(self.ids)
        }

        fn bytes(&self, bar: u32) -> Result<u64, Failure> {
            Ok(self.bars[bar as usize])
        }

        fn read32(&self, bar: u32, offset: u32) -> Result<u32, Failure> {
            assert!(u64::from(offset) + 4 <= self.bars[bar as usize], "BAR {bar} was read at {offset:#x}");
            Ok(self.words.get(&(bar, offset)).copied().unwrap_or(0))
        }
    }

    fn card(ids: (u16, u16), bars: [u64; 6], blocks: &[(u32, [u32; 4])]) -> Card {
        let words = blocks.iter().flat_map(|(at, words)| (0u32..).zip(words).map(move |(i, w)| ((0, at + 4 * i), *w))).collect();
        Card { ids, bars, words }
    }

    const CORUNDUM_IDS: (u16, u16) = (0x1234, 0x1001);
    const CORUNDUM_BARS: [u64; 6] = [1 << 24, 0, 1 << 24, 0, 0, 0];
    const FW: [u32; 4] = [u32::MAX, 0x100, 0x40, 0x1234];

    fn refused(card: &Card, asked: Option<Place>, names: &[&str]) {
        let text = locate(card, asked).expect_err("refused").to_string();
        for name in names {
            assert!(text.contains(name), "{text}: {name}");
        }
    }

    #[test]
    fn each_board_has_the_map_in_its_place() {
        let standalone = locate(&card((0x1234, 0x544d), [1 << 24, 0, 4096, 0, 0, 0], &[]), None).expect("found");
        assert_eq!(standalone, Placed::standalone(1 << 24));
        // A free place of type 0 on the way, as Corundum leaves them.
        let list = [(0, FW), (0x40, [0, 0, 0x80, 0]), (0x80, [0xc005, 0x200, 0, 0x5469_0001])];
        let found = locate(&card(CORUNDUM_IDS, CORUNDUM_BARS, &list), None).expect("found");
        assert_eq!((found.board.name, found.place, found.bytes), ("corundum", Place { bar: 2, offset: 0 }, 1 << 24));
        let opennic = card((0x10ee, 0x903f), [1 << 18, 0, 4 << 20, 0, 0, 0], &[]);
        let found = locate(&opennic, None).expect("found");
        assert_eq!((found.board.name, found.place.offset, found.bytes), ("opennic", 0x10_0000, 1 << 20));
        assert_eq!(found.to_string(), "an OpenNIC board, registers at BAR 2 + 0x100000");
        let taxi = locate(&card((0x1234, 0xc001), [1 << 24, 0, 0, 0, 0, 0], &[]), None).expect("found");
        assert_eq!((taxi.board.name, taxi.place, taxi.bytes), ("taxi", Place { bar: 0, offset: 0x80_0000 }, 1 << 16));
        // The same card with a shell that has the registers elsewhere, and a card that is no known
        // board.
        let asked = Place { bar: 2, offset: 0x11_0000 };
        assert_eq!(locate(&opennic, Some(asked)).map(|p| (p.place, p.bytes)).expect("found"), (asked, 0x2f_0000));
        let other = card((0x8086, 1), [0, 0, 4 << 20, 0, 0, 0], &[]);
        assert_eq!(locate(&other, Some(asked)).expect("found").board, &CONFIGURED);
    }

    #[test]
    fn what_is_not_there_is_named_with_the_next_step() {
        refused(
            &card((0x10ee, 0x903f), [1 << 18, 0, 1 << 20, 0, 0, 0], &[]),
            None,
            &["BAR 2 has 0x100000 bytes", "0x1000 from 0x100000", "250 MHz"],
        );
        refused(&card((0x1234, 0xc001), [1 << 23, 0, 0, 0, 0, 0], &[]), None, &["BAR 0 has 0x800000 bytes", "tnic_taxi_core"]);
        refused(&card((0x8086, 1), [0; 6], &[]), Some(Place { bar: 4, offset: 0 }), &["BAR 4 is not there", "give the bar and offset"]);
        let corundum = |list: &[_]| card(CORUNDUM_IDS, CORUNDUM_BARS, list);
        let none = corundum(&[(0, FW), (0x40, [0xc005, 0x200, 0, 0])]);
        refused(&none, None, &["no application block", "BAR 0 + 0x40", "reads 0", "APP_ENABLE"]);
        refused(&corundum(&[(0, [0xc005, 0x200, 0, 0x1234_0001])]), None, &["ID 0x12340001", "not 0x54690001", "application block"]);
        refused(
            &corundum(&[(0, FW), (0x40, [0xc005, 0x100, 0, 0x5469_0001])]),
            None,
            &["no block 0xc005 version 0x200", "0xffffffff, 0xc005"],
        );
        refused(&corundum(&[(0, [1, 1, 0x4000_0000, 0])]), None, &["leads to 0x40000000", "0x1000000 bytes"]);
        refused(&corundum(&[(0, [1, 1, 0x40, 0]), (0x40, [2, 1, 0x40, 0])]), None, &["no block 0xc005", "0x1, 0x2"]);
        refused(&corundum(&[(0, [u32::MAX; 4])]), None, &["every register reads 0xffffffff"]);
        refused(&card(CORUNDUM_IDS, [1 << 24, 0, 0, 0, 0, 0], &[]), None, &["BAR 2 is not there", "APP_ENABLE 1"]);
    }

    #[test]
    fn places_are_read_as_they_are_printed() {
        for text in ["bar=2,offset=0x110000", "bar=0,offset=0x0"] {
            assert_eq!(text.parse::<Place>().expect("valid").to_string(), text);
        }
        assert_eq!("bar=4".parse(), Ok(Place { bar: 4, offset: 0 }));
        for bad in ["", "bar=6", "bar=2,offset=0x3", "bar=2,offset=", "offset=1,bar=2", "bar=-1"] {
            assert!(bad.parse::<Place>().expect_err(bad).to_string().contains("bar=2,offset=0x110000"), "{bad}");
        }
    }
}
