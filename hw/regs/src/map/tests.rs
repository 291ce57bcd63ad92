use super::*;

const BUILD: Build = Build { flow_bits: 10, bus_bits: 64, ring_bits: 4, clock_ps: 4000, ptp: 0 };

/// Every word of the map has at most one register, and the words that `decode` knows are exactly
/// those of the tables.
#[test]
fn registers_do_not_overlap() {
    let mut words = vec![None; (BLOCK_BYTES / 4) as usize];
    let mut take = |address: u32, name: String| {
        let place = &mut words[(address / 4) as usize];
        assert!(place.is_none() && address.is_multiple_of(4), "{name} stands on {place:?}");
        *place = Some(name);
    };
    for b in &BLOCKS {
        assert_eq!(b.kind.block(), b, "Kind::block finds another block");
        for at in [HEADER_TYPE, HEADER_VERSION, HEADER_NEXT] {
            take(b.base + at, format!("{} header", b.name));
        }
        for r in b.registers {
            assert_eq!(r.block, b.kind, "{} is in another block", r.name);
            for i in 0..r.count {
                take(r.address() + 4 * i, format!("{} {}", b.name, r.name));
            }
        }
    }
    for (word, name) in words.iter().enumerate() {
        let e = decode(word as u32, &BUILD);
        assert_eq!(e.readable || e.writable, name.is_some(), "word {word:#x}, {name:?}");
    }
}

#[test]
fn fields_fit_hardwares_compare() {
    for r in BLOCKS.iter().flat_map(|b| b.registers) {
        crate::field::assert_layout(r.fields, 1);
        assert!(!r.fields.is_empty(), "{} has no field", r.name);
        only_the_highest_has_a_range(r.name, r.fields);
    }
    for word in 0..crate::flow::WORDS as u8 {
        let fields: Vec<_> = crate::flow::FIELDS.iter().filter(|f| f.word == word).copied().collect();
        only_the_highest_has_a_range("flow record", &fields);
    }
}

fn only_the_highest_has_a_range(name: &str, fields: &[Field]) {
    for f in fields.iter().rev().skip(1) {
        assert_eq!(f.range(0, f.mask() >> f.low), *f, "{name}: {} is not the highest field and has a range", f.name);
    }
}

/// A walk as a driver does it: from 0 by the next pointers, every type once, none 0 or all ones.
#[test]
fn the_list_can_be_walked() {
    let read = |address: u32| decode(address / 4, &BUILD).reset;
    let (mut at, mut seen) = (0, vec![]);
    loop {
        let kind = read(at + HEADER_TYPE);
        assert!(kind != 0 && kind != u32::MAX && !seen.contains(&kind), "type {kind:#x} at {at:#x}");
        seen.push(kind);
        at = read(at + HEADER_NEXT);
        if at == 0 {
            break;
        }
    }
    assert_eq!(seen, BLOCKS.iter().map(|b| b.kind.type_word()).collect::<Vec<_>>());
}

#[test]
fn bounds_follow_the_build() {
    assert_eq!(decode(time::INCREMENT.word(), &BUILD).reset, 4 << 24);
    assert_eq!(Build { clock_ps: 3103, ..BUILD }.increment(), 52_059_701);
    assert_eq!(decode(flow::INDEX.word(), &BUILD).most, 1023);
    let packets = decode(flow::STAGE.word() + 1, &BUILD);
    assert_eq!((packets.mask, packets.least, packets.most, packets.reset), (0x00ff_3fff, 0x1_0000, 0xff_ffff, 0x1_0000));
}

/// 64K flows of 64 bytes fit a 24-bit BAR, above the blocks.
#[test]
fn the_window_fits() {
    assert!(window::BASE >= BLOCK_BYTES && window::doorbell(window::FLOWS) <= 1 << ADDRESS_BITS);
}
