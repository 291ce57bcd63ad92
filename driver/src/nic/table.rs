//! Table of a device's flows in use.
use crate::Error;
use bitvec::vec::BitVec;

/// A bit a flow.
#[derive(Clone, Debug)]
pub struct FlowTable(BitVec);

impl FlowTable {
    /// Of so many flows, none in use.
    pub fn new(flows: u32) -> Self {
        FlowTable(BitVec::repeat(false, flows as usize))
    }

    /// Flows of the device.
    pub fn len(&self) -> u32 {
        self.0.len() as u32
    }

    /// The device has no flows at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn place(&self, flow: u32) -> Result<usize, Error> {
        if flow < self.len() { Ok(flow as usize) } else { Err(Error::NoFlow { flow, last: self.len().saturating_sub(1) }) }
    }

    /// The lowest flow that is free.
    ///
    /// # Errors
    /// When none is.
    pub fn free(&self) -> Result<u32, Error> {
        self.0.first_zero().map(|f| f as u32).ok_or(Error::NoFlowLeft(self.len()))
    }

    /// Checks that a flow is free.
    ///
    /// # Errors
    /// When it is in use, or does not exist.
    pub fn must_be_free(&self, flow: u32) -> Result<(), Error> {
        if self.0[self.place(flow)?] { Err(Error::FlowInUse(flow)) } else { Ok(()) }
    }

    /// Checks that a flow is in use.
    ///
    /// # Errors
    /// When it is not, or does not exist.
    pub fn must_be_used(&self, flow: u32) -> Result<(), Error> {
        if self.0[self.place(flow)?] { Ok(()) } else { Err(Error::FlowNotInUse(flow)) }
    }

    /// Says whether a flow is in use.
    ///
    /// # Errors
    /// When it does not exist.
    pub fn mark(&mut self, flow: u32, used: bool) -> Result<(), Error> {
        let place = self.place(flow)?;
        self.0.set(place, used);
        Ok(())
    }

    /// The flows in use.
    pub fn used(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter_ones().map(|f| f as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_taken_lowest_first() {
        let mut t = FlowTable::new(3);
        assert_eq!(t.free().expect("free"), 0);
        for f in [0, 2] {
            t.must_be_free(f).expect("free");
            t.mark(f, true).expect("exists");
        }
        assert_eq!((t.free().expect("free"), t.used().collect::<Vec<_>>()), (1, vec![0, 2]));
        t.mark(1, true).expect("exists");
        assert_eq!(t.free().expect_err("full").to_string(), "all 3 flows are in use; `flow remove` one first");
        assert_eq!(
            t.must_be_free(2).expect_err("used").to_string(),
            "flow 2 is in use; change it with `flow set`, or `flow remove` it first"
        );
        t.mark(2, false).expect("exists");
        assert!(t.must_be_used(2).is_err() && t.must_be_used(0).is_ok());
        let text = t.mark(3, true).expect_err("beyond").to_string();
        assert_eq!(text, "flow 3 does not exist; the device has flows 0 to 2: give one of those");
    }
}
