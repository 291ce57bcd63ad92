//! Software that paces by itself: a thread that sleeps until the next burst is due, and a thread
//! that polls a timing wheel.
//!
//! Both keep to the schedule: a burst that is late does not make those behind it late, and what has
//! been missed is made up for at once.
use super::clock::now;
use super::load::{Load, PAYLOAD};
use super::receiver::{label, since};
use nix::sys::socket::{setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::{IpAddr, SocketAddr, UdpSocket};

/// Socket of a thread that sends in bursts.
pub struct Outlet {
    socket: UdpSocket,
    payload: Vec<u8>,
    run: u32,
    /// Packets that the kernel took.
    pub sent: u64,
    /// Bursts that it did not take.
    pub refused: u64,
    /// The kernel's reason for the last of those.
    pub why: Option<String>,
}

impl Outlet {
    /// Packets to `to`, labelled with the number of the run, in bursts that the kernel cuts up (UDP
    /// GSO).
    ///
    /// # Errors
    /// The kernel refuses the socket, its address or segmentation (UDP GSO).
    pub fn new(to: SocketAddr, run: u32, load: &Load) -> Result<Self, String> {
        let failed = |e: std::io::Error| format!("sending to {to}: {e}");
        let any: IpAddr = if to.is_ipv4() { [0, 0, 0, 0].into() } else { [0u16; 8].into() };
        let socket = UdpSocket::bind((any, 0)).map_err(failed)?;
        socket.connect(to).map_err(failed)?;
        if load.burst > 1 {
            let size = PAYLOAD as i32;
            setsockopt(&socket, sockopt::UdpGsoSegment, &size)
                .map_err(|e| format!("bursts of {} packets (UDP_SEGMENT): {e}", load.burst))?;
        }
        Ok(Outlet { socket, payload: vec![0; load.burst_payload()], run, sent: 0, refused: 0, why: None })
    }

    /// The socket.
    pub fn socket(&self) -> &UdpSocket {
        &self.socket
    }

    /// Burst `j` of a flow, labelled.
    pub fn burst(&mut self, flow: u32, j: u64) -> &[u8] {
        let packets = (self.payload.len() / PAYLOAD) as u64;
        for (i, packet) in self.payload.chunks_mut(PAYLOAD).enumerate() {
            label(packet, self.run, flow, j * packets + i as u64);
        }
        &self.payload
    }

    /// Counts a burst as taken or refused by the kernel.
    pub fn count(&mut self, took: std::io::Result<()>) {
        match took {
            Ok(()) => self.sent += (self.payload.len() / PAYLOAD) as u64,
            Err(e) => {
                self.refused += 1;
                self.why = Some(e.to_string());
            }
        }
    }

    /// Sends the burst that was labelled last.
    pub fn push(&mut self) {
        let took = self.socket.send(&self.payload);
        self.count(took.map(drop));
    }

    fn send(&mut self, flow: u32, j: u64) {
        self.burst(flow, j);
        self.push();
    }
}

/// Sleeps until a time of [`now`]'s clock, if it is not over.
pub fn sleep_until(at: u64) {
    let until = TimeSpec::new((at / 1_000_000_000) as i64, (at % 1_000_000_000) as i64);
    // Woken by a signal it is early, and looks again.
    while now() < at {
        let _ = clock_nanosleep(ClockId::CLOCK_REALTIME, ClockNanosleepFlags::TIMER_ABSTIME, &until);
    }
}

/// A thread that sleeps until the next burst of any flow is due (`clock_nanosleep`, no timer
/// slack), counted from `epoch`.
pub fn sleeping(load: &Load, epoch: u64, out: &mut Outlet) {
    // Else the kernel adds 50 us to wake several threads at once.
    let _ = nix::sys::prctl::set_timerslack(1);
    ahead(load, epoch, 0, |flow, j, _| out.send(flow, j));
}

/// Sleeps and calls `send` `lead` ns ahead of each burst, with the flow, the number of the burst
/// and its due time.
pub fn ahead(load: &Load, epoch: u64, lead: u64, mut send: impl FnMut(u32, u64, u64)) {
    let (starts, period, end) = (load.starts(), load.period_ns(), epoch + (load.seconds * 1e9) as u64);
    let due = |flow: u32, j: u64| epoch + (starts[flow as usize] + j as f64 * period) as u64;
    let mut next: BinaryHeap<_> = (0..load.flows).map(|f| Reverse((due(f, 0), f, 0u64))).collect();
    while let Some(Reverse((at, flow, j))) = next.pop() {
        // Bursts that were not sent in time are not sent.
        if at >= end || now() >= end {
            break;
        }
        sleep_until(at - lead);
        send(flow, j, at);
        next.push(Reverse((due(flow, j + 1), flow, j + 1)));
    }
}

const NONE: u32 = u32::MAX;

/// A timing wheel: flows in slots of the time, in lists.
pub struct Wheel {
    heads: Vec<u32>,
    next: Vec<u32>,
    slot_ns: f64,
    /// The next slot to look at.
    slot: u64,
    /// When each flow's first burst is due, ns, and from burst to burst.
    starts: Vec<f64>,
    period_ns: f64,
    bursts: Vec<u64>,
}

impl Wheel {
    /// A wheel with all flows of a load, times counted from the load's start.
    pub fn new(load: &Load, slot_ns: f64) -> Self {
        // Longer than from burst to burst, so that no slot has flows of two turns.
        let slots = ((load.period_ns() / slot_ns) as usize + 2).next_power_of_two();
        let flows = load.flows as usize;
        let (starts, period_ns) = (load.starts(), load.period_ns());
        let mut wheel =
            Wheel { heads: vec![NONE; slots], next: vec![NONE; flows], slot_ns, slot: 0, starts, period_ns, bursts: vec![0; flows] };
        for flow in 0..load.flows {
            wheel.insert(flow, wheel.starts[flow as usize], 0);
        }
        wheel
    }

    /// A flow goes into the first slot that begins when it is due or later, and not before
    /// `earliest`.
    fn insert(&mut self, flow: u32, due: f64, earliest: u64) {
        let slot = ((due / self.slot_ns).ceil() as u64).max(earliest) as usize & (self.heads.len() - 1);
        self.next[flow as usize] = std::mem::replace(&mut self.heads[slot], flow);
    }

    /// Empties a slot.
    fn take(&mut self, slot: u64) -> u32 {
        let at = slot as usize & (self.heads.len() - 1);
        std::mem::replace(&mut self.heads[at], NONE)
    }

    /// Calls `send` with each flow in the slots that have begun at a time, ns, and the number of
    /// its burst; the flow's next one goes into the wheel. Ends when `send` says false.
    pub fn turn(&mut self, at: f64, mut send: impl FnMut(u32, u64) -> bool) {
        while self.slot as f64 * self.slot_ns <= at {
            let mut flow = self.take(self.slot);
            while flow != NONE {
                let (f, after) = (flow as usize, self.next[flow as usize]);
                let goes_on = send(flow, self.bursts[f]);
                self.bursts[f] += 1;
                let due = self.starts[f] + self.bursts[f] as f64 * self.period_ns;
                self.insert(flow, due, self.slot + 1);
                if !goes_on {
                    return;
                }
                flow = after;
            }
            self.slot += 1;
        }
    }
}

/// A thread that polls the clock and sends what is in the slots that have begun, as Carousel does.
pub fn polling(load: &Load, epoch: u64, slot_ns: f64, out: &mut Outlet) {
    let mut wheel = Wheel::new(load, slot_ns);
    let end = load.seconds * 1e9;
    let mut at = since(epoch, now());
    while at < end {
        wheel.turn(at, |flow, j| {
            out.send(flow, j);
            since(epoch, now()) < end
        });
        at = since(epoch, now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_gives_flows_when_due() {
        // A packet each 36.912 us of a flow; the others start .618 and .236 of that later.
        let load = Load { flows: 3, mbps: 1000.0, burst: 1, seconds: 1.0 };
        let mut wheel = Wheel::new(&load, 500.0);
        let at = |wheel: &mut Wheel, ns: f64| {
            let mut all = Vec::new();
            wheel.turn(ns, |flow, j| {
                all.push((flow, j));
                true
            });
            all
        };
        assert_eq!(at(&mut wheel, 8_600.0), [(0, 0)]);
        assert_eq!(at(&mut wheel, 8_999.0), []);
        assert_eq!(at(&mut wheel, 9_000.0), [(2, 0)]);
        // Late by a whole turn it makes up for what was missed, in the order of the slots.
        assert_eq!(at(&mut wheel, 60_000.0), [(1, 0), (0, 1), (2, 1), (1, 1)]);
        assert_eq!(at(&mut wheel, 73_900.0), []);
        assert_eq!(at(&mut wheel, 74_000.0), [(0, 2)]);
    }
}
