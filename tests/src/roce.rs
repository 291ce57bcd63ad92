//! Random RoCEv2 frames, and ways to spoil them.
use crate::frames::{class, envelope, good_of, mend};
use rand::Rng;
use timely_regs::roce::{Bth, Extension, ICRC_BYTES, Kind, PORT, icrc, layout, opcode};
use timely_regs::wire::Class;

/// A random opcode, of each kind about as often.
pub fn code(rng: &mut impl Rng) -> u8 {
    let kind = [Kind::Data, Kind::Read, Kind::Response, Kind::Ack, Kind::Cnp, Kind::Other][rng.random_range(0..6)];
    loop {
        let code = if kind == Kind::Cnp { opcode::CNP } else { rng.random_range(0..0x40) };
        if layout(code).kind == kind {
            return code;
        }
    }
}

/// A good frame of `class` with up to `most` bytes of payload where its opcode has any.
pub fn packet(rng: &mut impl Rng, class: Class, most: usize) -> Vec<u8> {
    let bth = Bth {
        opcode: code(rng),
        solicited: rng.random(),
        partition_key: rng.random(),
        congestion: rng.random(),
        queue_pair: rng.random_range(0..1 << 24),
        ack_request: rng.random(),
        psn: rng.random_range(0..1 << 24),
    };
    let extension = Extension {
        address: rng.random(),
        key: rng.random(),
        message_bytes: rng.random(),
        syndrome: rng.random(),
        message: rng.random_range(0..1 << 24),
    };
    let mut payload = vec![0; if layout(bth.opcode).bare { 0 } else { rng.random_range(0..=most) }];
    rng.fill(&mut payload[..]);
    bth.frame(&envelope(rng, class, 0), &extension, &payload)
}

/// Makes IPv4's checksum and the invariant check sequence of a frame without padding right again.
pub fn seal(frame: &mut [u8], class: Class) {
    mend(frame, class);
    if let Some(end) = frame.len().checked_sub(ICRC_BYTES).filter(|end| *end > class.header()) {
        let sequence = icrc(&frame[..end], class);
        frame[end..].copy_from_slice(&sequence.to_le_bytes());
    }
}

/// A frame as a wire brings it: good most of the time, else with padding, cut, with a bit changed
/// (sealed again or not), of another header value where the check looks, of our own protocol, or of
/// noise.
pub fn any(rng: &mut impl Rng, most: usize) -> Vec<u8> {
    let class = class(rng);
    let mut frame = packet(rng, class, most);
    let inside = class.ip()..class.header() + 32.min(frame.len() - class.header());
    match rng.random_range(0..16) {
        0 | 1 => frame.extend((0..rng.random_range(1..70)).map(|_| rng.random::<u8>())),
        2 => frame.truncate(rng.random_range(1..frame.len())),
        3 => {
            let at = rng.random_range(0..frame.len());
            frame[at] ^= 1 << rng.random_range(0..8);
        }
        4 | 5 => {
            let at = rng.random_range(inside);
            frame[at] ^= 1 << rng.random_range(0..8);
            seal(&mut frame, class);
        }
        6 => {
            frame[class.header()] = rng.random();
            seal(&mut frame, class);
        }
        7 => {
            let port = PORT + rng.random_range(0..2);
            frame = good_of(rng, class, port, most);
        }
        8 => rng.fill(&mut frame[..]),
        _ => {}
    }
    frame
}
