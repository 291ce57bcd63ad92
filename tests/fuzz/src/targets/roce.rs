//! A frame at the parser of RoCEv2. The check and the parser's model agree on every bus. The frame
//! is looked at once more with the right sums, which a fuzzer hardly finds.
use crate::check::summed;
use timely_model::Block;
use timely_model::parse::inputs;
use timely_model::roce::{LATENCY, MALFORMED, Parse};
use timely_model::stream::Arrival;
use timely_regs::roce::{Error, ICRC_BYTES, check, icrc};
use timely_regs::wire::Class;

const BUSES: [usize; 4] = [64, 128, 256, 512];

pub fn run(frame: &[u8]) {
    if frame.is_empty() {
        return;
    }
    looked_at(frame);
    if let Some(frame) = mended(frame) {
        looked_at(&frame);
    }
}

// The frame with the sums that belong to it.
fn mended(frame: &[u8]) -> Option<Vec<u8>> {
    let mut frame = summed(frame)?;
    let (class, _) = Class::named_by(&frame);
    if frame.len() < class.header() {
        return None;
    }
    let sequence = icrc(&frame, class).to_le_bytes();
    assert_eq!(sequence.len(), ICRC_BYTES);
    frame.extend(sequence);
    Some(frame)
}

fn looked_at(frame: &[u8]) {
    let judged = check(frame);
    for bus in BUSES {
        let (mut parse, mut clk) = (Parse::new(bus), 0);
        for i in inputs(&Arrival { frame: frame.to_vec(), stamp: 7, bad: false }, bus, 0) {
            parse.step(clk, &i);
            clk += 1;
        }
        let report = parse.output(clk - 1 + LATENCY).expect("a report of every frame");
        let wanted = match judged {
            Ok(h) => (h.kind as u8, 0, Some(h)),
            Err(Error::Foreign) => (0, 0, None),
            Err(e) => (MALFORMED, e as u8, None),
        };
        assert_eq!((report.kind, report.reason, report.packet.map(|p| p.headers)), wanted, "on a bus of {bus} bits");
    }
}
