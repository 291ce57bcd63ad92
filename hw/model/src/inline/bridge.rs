//! The way of the registers in of `timely_hw::inline::bridge`, where both of its clocks are one.
use crate::Block;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset of the shell's side.
    pub s_rst: bool,
    /// Synchronous reset of the core's side.
    pub rst: bool,
    /// From the shell: a write address is offered.
    pub aw: Option<u32>,
    /// From the shell: write data and strobes are offered.
    pub w: Option<(u32, u8)>,
    /// From the shell: the write answer is taken.
    pub b_ready: bool,
    /// From the shell: a read address is offered.
    pub ar: Option<u32>,
    /// From the shell: the read answer is taken.
    pub r_ready: bool,
    /// From the core: a write address, write data, a read address are taken.
    pub taken: [bool; 3],
    /// From the core: a write's answer.
    pub b: Option<u8>,
    /// From the core: what a read gave, and its answer.
    pub r: Option<(u32, u8)>,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// To the shell: a write address, write data, a read address are taken if offered.
    pub ready: [bool; 3],
    /// To the shell: a write's answer.
    pub b: Option<u8>,
    /// To the shell: what a read gave, and its answer.
    pub r: Option<(u32, u8)>,
    /// To the core: a write address.
    pub aw: Option<u32>,
    /// To the core: write data and strobes.
    pub w: Option<(u32, u8)>,
    /// To the core: a read address.
    pub ar: Option<u32>,
}

/// The bridge.
#[derive(Clone, Debug, Default)]
pub struct Bridge {
    // The shell's side.
    aw: Option<u32>,
    w: Option<(u32, u8)>,
    ar: Option<u32>,
    /// An access is under way; the last one is a write.
    busy: bool,
    writing: bool,
    /// Turns over with each access, and on its way to the core's side.
    ask: bool,
    asked: [bool; 2],
    b: bool,
    r: bool,
    // The core's side. `tell` turns over with each answer.
    tell: bool,
    told: [bool; 2],
    at_work: bool,
    m_aw: bool,
    m_w: bool,
    m_ar: bool,
    answer: (u32, u8),
}

impl Block for Bridge {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        Out {
            ready: [self.aw.is_none(), self.w.is_none(), self.ar.is_none()],
            b: self.b.then_some(self.answer.1),
            r: self.r.then_some(self.answer),
            aw: self.aw.filter(|_| self.m_aw),
            w: self.w.filter(|_| self.m_w),
            ar: self.ar.filter(|_| self.m_ar),
        }
    }

    fn step(&mut self, _clk: u64, i: &In) {
        let s = self.clone();
        // The shell's side holds one address and one word of data of each kind.
        self.aw = s.aw.or(i.aw);
        self.w = s.w.or(i.w);
        self.ar = s.ar.or(i.ar);
        let may_write = !s.busy && s.aw.is_some() && s.w.is_some();
        let may_read = !s.busy && s.ar.is_some();
        // A write goes first unless the last access was one.
        let writes = may_write && (!may_read || !s.writing);
        if writes || may_read {
            (self.busy, self.writing, self.ask) = (true, writes, !s.ask);
        }
        self.told = [s.tell, s.told[0]];
        if s.busy && s.told[1] == s.ask && !s.b && !s.r {
            (self.b, self.r) = (s.writing, !s.writing);
        }
        if s.b && i.b_ready {
            (self.b, self.busy, self.aw, self.w) = (false, false, None, None);
        }
        if s.r && i.r_ready {
            (self.r, self.busy, self.ar) = (false, false, None);
        }
        // The core's side: what was asked stands still until it is answered.
        self.asked = [s.ask, s.asked[0]];
        if !s.at_work && s.asked[1] != s.tell {
            (self.at_work, self.m_aw, self.m_w, self.m_ar) = (true, s.writing, s.writing, !s.writing);
        }
        let [aw, w, ar] = i.taken;
        self.m_aw &= !(s.m_aw && aw);
        self.m_w &= !(s.m_w && w);
        self.m_ar &= !(s.m_ar && ar);
        if s.at_work && (i.b.is_some() || i.r.is_some()) {
            (self.at_work, self.tell) = (false, !s.tell);
            let (data, response) = i.r.unwrap_or_default();
            self.answer = (data, i.b.unwrap_or(response));
        }
        if i.s_rst {
            (self.aw, self.w, self.ar) = (None, None, None);
            (self.busy, self.writing, self.ask, self.told, self.b, self.r) = (false, false, false, [false; 2], false, false);
        }
        if i.rst {
            (self.asked, self.tell, self.at_work) = ([false; 2], false, false);
            (self.m_aw, self.m_w, self.m_ar) = (false, false, false);
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        let offered = self.aw.is_some() || self.w.is_some() || self.ar.is_some();
        let crossing = self.asked != [self.ask; 2] || self.told != [self.tell; 2] || self.ask != self.tell;
        if offered || crossing || self.busy || self.at_work { clk } else { u64::MAX }
    }
}
