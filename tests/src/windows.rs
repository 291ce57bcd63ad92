//! Memory that a modelled NIC in this process reaches, for the transports of tests and of fuzzing.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use timely_driver::transport::memory::Shared;
use timely_sim::nic::memory::Store;

/// The memory that the NIC reaches: what was mapped for it, and nothing else.
#[derive(Clone, Default)]
pub struct Windows(Arc<Mutex<BTreeMap<u64, Arc<Shared>>>>);

impl Windows {
    /// The mapped memory, by its first address.
    pub fn map(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Shared>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory that has all of these bytes, and where in it they are.
    pub fn find(&self, address: u64, bytes: usize) -> Option<(Arc<Shared>, usize)> {
        let map = self.map();
        let (first, shared) = map.range(..=address).next_back()?;
        let at = (address - first) as usize;
        (at + bytes <= shared.bytes()).then(|| (shared.clone(), at))
    }
}

impl Store for Windows {
    fn read(&self, address: u64, to: &mut [u8]) -> bool {
        self.find(address, to.len()).map(|(shared, at)| shared.read(at, to)).is_some()
    }

    fn write(&mut self, address: u64, from: &[u8]) -> bool {
        self.find(address, from.len()).map(|(shared, at)| shared.write(at, from)).is_some()
    }
}
