//! A frame at the parser of frames of ours: two bytes of our UDP port, then the frame.
//!
//! The check, the view of a frame and the parser's model, on every bus, agree. A frame that is well
//! formed gives the same header when it is written again. The frame is looked at once more with the
//! right sum in its IPv4 header, which a fuzzer hardly finds.
use crate::check::{said, summed};
use timely_model::Block;
use timely_model::parse::{LATENCY, Parse, inputs, kind};
use timely_model::stream::Arrival;
use timely_regs::counters::Counter;
use timely_regs::wire::{Addresses, Envelope, Error, Header, Kind, Packet, check, check_datagram};

const BUSES: [usize; 4] = [64, 128, 256, 512];

pub fn run(input: &[u8]) {
    let Some((port, frame)) = input.split_first_chunk::<2>() else { return };
    let port = u16::from_be_bytes(*port);
    looked_at(frame, port);
    if let Some(frame) = summed(frame) {
        looked_at(&frame, port);
    }
}

fn looked_at(frame: &[u8], port: u16) {
    let judged = check(frame, frame.len(), port).map(|(_, kind)| kind);
    let packet = Packet::new_checked(frame, port);
    assert_eq!(packet.as_ref().map(Packet::kind).map_err(|e| *e), judged);
    if let Err(e) = judged {
        said(&e);
    }
    if let Ok(packet) = packet {
        written_again(&packet, port);
    }
    for bus in BUSES {
        modelled(frame, bus, port, judged);
    }
    if let Err(e) = check_datagram(frame) {
        said(&e);
    }
}

fn written_again(packet: &Packet<&[u8]>, port: u16) {
    let (header, kind) = check_datagram(packet.header()).expect("a well-formed frame has a header");
    assert_eq!(kind, packet.kind());
    assert_eq!(Header::read(&header.bytes()), header);
    let (source, destination) = (packet.ip_source(), packet.ip_destination());
    let addresses = match (source.try_into(), destination.try_into()) {
        (Ok(source), Ok(destination)) => Addresses::V4 { source, destination },
        _ => {
            let [source, destination] = [source, destination].map(|a| a.try_into().expect("an address of 4 or 16 bytes"));
            Addresses::V6 { source, destination }
        }
    };
    let envelope = Envelope {
        mac_destination: packet.mac_destination(),
        mac_source: packet.mac_source(),
        tci: packet.tci(),
        addresses,
        tos: packet.tos(),
        ttl: packet.ttl(),
        port_source: packet.port_source(),
        port_destination: packet.port_destination(),
    };
    let again = Packet::new_checked(envelope.frame(&header, packet.payload()), port).expect("a frame of ours");
    assert!(again.udp_checksum_holds());
    assert_eq!((again.kind(), again.payload(), again.tos(), again.ttl()), (packet.kind(), packet.payload(), packet.tos(), packet.ttl()));
    assert_eq!(check_datagram(again.header()).map(|d| d.0), Ok(header));
}

fn modelled(frame: &[u8], bus: usize, port: u16, judged: Result<Kind, Error>) {
    if frame.is_empty() {
        return;
    }
    let (mut parse, mut clk) = (Parse::new(bus), 0);
    for i in inputs(&Arrival { frame: frame.to_vec(), stamp: 7, bad: false }, bus, port) {
        parse.step(clk, &i);
        clk += 1;
    }
    let report = parse.output(clk - 1 + LATENCY).report.expect("a report of every frame");
    let (of, reason) = match judged {
        Ok(Kind::Data) => (kind::DATA, 0),
        Ok(Kind::Ack) => (kind::ACK, 0),
        Err(Error::Foreign) => (kind::FOREIGN, 0),
        Err(e) => (kind::MALFORMED, e.counter() as u8),
    };
    assert_eq!((report.kind, report.reason, usize::from(report.bytes)), (of, reason, frame.len()), "on a bus of {bus} bits");
    let two = 1 << (Counter::RxFrames as u8);
    assert!(report.pulses() & two != 0 && report.pulses().count_ones() == 2, "a frame counts as one, and as one kind");
}
