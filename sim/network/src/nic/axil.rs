//! An AXI-Lite master that makes queued register accesses while the NIC's clock runs.
use super::core::AccessError;
use std::collections::VecDeque;

/// Signals that the master drives during a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Write address, while `awvalid`.
    pub aw: Option<u32>,
    /// Write data, while `wvalid`; all bytes are strobed.
    pub w: Option<u32>,
    /// `bready`.
    pub bready: bool,
    /// Read address, while `arvalid`.
    pub ar: Option<u32>,
    /// `rready`.
    pub rready: bool,
}

impl Request {
    /// No signal is asserted: the master asks for nothing and awaits nothing.
    pub fn is_idle(&self) -> bool {
        *self == Request::default()
    }
}

/// Signals that the slave drives during a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// `awready`.
    pub awready: bool,
    /// `wready`.
    pub wready: bool,
    /// `bresp`, while `bvalid`.
    pub b: Option<u8>,
    /// `arready`.
    pub arready: bool,
    /// `rdata` and `rresp`, while `rvalid`.
    pub r: Option<(u32, u8)>,
}

#[derive(Clone, Copy, Debug)]
enum Access {
    Write { addr: u32, value: u32, aw_done: bool, w_done: bool },
    Read { addr: u32, ar_done: bool },
}

/// The master: one access at a time, in the order queued.
#[derive(Clone, Debug, Default)]
pub struct Master {
    queue: VecDeque<Access>,
    finished: Option<Result<u32, AccessError>>,
    /// Accesses that were answered with an error, without a caller that waited for the result.
    pub errors: u64,
}

impl Master {
    /// Queues a write.
    pub fn write(&mut self, addr: u32, value: u32) {
        self.queue.push_back(Access::Write { addr, value, aw_done: false, w_done: false });
    }

    /// Queues a read.
    pub fn read(&mut self, addr: u32) {
        self.queue.push_back(Access::Read { addr, ar_done: false });
    }

    /// No access is queued or under way.
    pub fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    /// The result of the access that finished last, once.
    pub fn take_result(&mut self) -> Option<Result<u32, AccessError>> {
        self.finished.take()
    }

    /// The pins during the coming clock.
    pub fn request(&self) -> Request {
        match self.queue.front() {
            None => Request::default(),
            Some(&Access::Write { addr, value, aw_done, w_done }) => {
                Request { aw: (!aw_done).then_some(addr), w: (!w_done).then_some(value), bready: true, ..Default::default() }
            }
            Some(&Access::Read { addr, ar_done }) => Request { ar: (!ar_done).then_some(addr), rready: true, ..Default::default() },
        }
    }

    /// The edge: what the slave showed in the clock that ends.
    pub fn step(&mut self, seen: &Response) {
        let error = |addr, code| AccessError { addr, what: if code == 2 { "slave error" } else { "decode error" } };
        let result = match self.queue.front_mut() {
            None => return,
            Some(Access::Write { addr, aw_done, w_done, .. }) => {
                *aw_done |= seen.awready;
                *w_done |= seen.wready;
                seen.b.map(|code| if code == 0 { Ok(0) } else { Err(error(*addr, code)) })
            }
            Some(Access::Read { addr, ar_done }) => {
                *ar_done |= seen.arready;
                seen.r.map(|(data, code)| if code == 0 { Ok(data) } else { Err(error(*addr, code)) })
            }
        };
        if let Some(result) = result {
            self.errors += u64::from(result.is_err());
            self.queue.pop_front();
            self.finished = Some(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_waits_for_both_channels_and_its_answer() {
        let mut m = Master::default();
        m.write(8, 5);
        assert_eq!(m.request(), Request { aw: Some(8), w: Some(5), bready: true, ..Default::default() });
        m.step(&Response { wready: true, ..Default::default() });
        assert_eq!(m.request().w, None);
        assert_eq!(m.request().aw, Some(8));
        m.step(&Response { awready: true, ..Default::default() });
        assert!(!m.is_idle());
        m.step(&Response { b: Some(2), ..Default::default() });
        assert!(m.is_idle());
        assert_eq!(m.take_result(), Some(Err(AccessError { addr: 8, what: "slave error" })));
    }

    #[test]
    fn a_read_gives_its_data() {
        let mut m = Master::default();
        m.read(4);
        m.step(&Response { arready: true, ..Default::default() });
        assert_eq!(m.request(), Request { rready: true, ..Default::default() });
        m.step(&Response { r: Some((7, 0)), ..Default::default() });
        assert_eq!(m.take_result(), Some(Ok(7)));
    }
}
