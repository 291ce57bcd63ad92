//! A host outside the simulation at the core's host side.
use super::{Inline, Path, Side};
use crate::nic::socket::Socket;
use timely_model::stream::Beat;

impl<P: Path> Inline<P, Socket> {
    /// A NIC that has just left reset, whose host's frames come from outside the simulation.
    pub fn outside(path: P) -> Self {
        let host = Socket::new(path.bus_bytes());
        Inline::between(path, host)
    }
}

impl Side for Socket {
    fn offers(&self) -> bool {
        self.waiting() > 0
    }

    // Nothing goes beside a frame.
    fn beat(&mut self) -> Option<(Beat, u128)> {
        Socket::beat(self).map(|beat| (beat, 0))
    }

    fn taken(&mut self) {
        Socket::taken(self);
    }

    fn takes(&self) -> bool {
        self.is_taking()
    }

    fn given(&mut self, beat: &Beat) {
        Socket::given(self, beat);
    }

    fn reset(&mut self) {
        Socket::reset(self);
    }

    fn socket(&mut self) -> Option<&mut Socket> {
        Some(self)
    }
}
