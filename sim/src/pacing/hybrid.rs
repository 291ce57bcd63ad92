//! The paper's hybrid: software releases whole segments, and the NIC sends each one's packets at a
//! fixed rate (SIGCOMM'15, section 5).
//!
//! There is no such NIC here. The software half is what was measured of a thread that sleeps; the
//! NIC's half is computed from it.
use super::load::WIRE_BYTES;
use super::row::Row;
use super::stats::{Departure, judge};

/// The NIC's fixed rate, Mb/s: the paper's best in figure 16.
pub const NIC_MBPS: f64 = 700.0;

/// Rows of the hybrid, one for each of a sleeping thread that released segments.
pub fn rows(measured: &[Row]) -> Vec<Row> {
    measured.iter().filter(|r| r.name == "sleep" && r.load.burst > 1 && r.received > 0).map(row).collect()
}

fn row(software: &Row) -> Row {
    let load = software.load;
    let apart = WIRE_BYTES as f64 * 8000.0 / NIC_MBPS;
    let mut free = vec![f64::NEG_INFINITY; load.flows as usize];
    let mut left = Vec::with_capacity(software.received as usize);
    // In the order of time, so a flow's segments wait for the one before.
    for release in &software.released {
        let free = &mut free[release.flow as usize];
        let start = release.at.max(*free);
        let packet = |i: u64| Departure { k: release.k + i, at: start + i as f64 * apart, ..*release };
        left.extend((0..u64::from(load.burst)).map(packet));
        *free = start + f64::from(load.burst) * apart;
    }
    let sent = left.len() as u64;
    let mut row = Row::new("hybrid", software.place, &load);
    let starts: Vec<f64> = load.starts();
    let cpu = software.cpu_s_per_mpacket.unwrap_or(0.0) * sent as f64 * 1e-6;
    row.fill(judge(&load, Some(&starts), left), (sent, sent), cpu);
    row.note = format!("modelled: segments as the sleeping thread released them, their packets at {NIC_MBPS} Mb/s, which caps a flow");
    row
}
