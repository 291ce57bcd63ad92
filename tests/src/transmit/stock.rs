//! Corundum's round-robin scheduler, by its behaviour: what a transmit engine sees of it, for the
//! rates that ours is compared with.
//!
//! A queue waits in a list while it may hold packets, which is from its doorbell on until a request
//! finds it empty that no doorbell has overtaken. The first of the list asks if a tag is free, and
//! goes to the list's end. Doorbells, ends of requests and requests are operations of three clocks,
//! one begun a clock in that order of precedence; none begins beside another one on the same queue,
//! and a request only when the one before was taken.
use super::{REQUESTS, Scheduler};
use std::collections::VecDeque;

#[derive(Clone, Copy)]
enum What {
    Bell,
    Over(u8, bool),
    Ask(u8),
}

#[derive(Clone, Copy, Default)]
struct Queue {
    active: bool,
    listed: bool,
}

/// A request under way: its queue, and whether a doorbell came for that since.
#[derive(Clone, Copy)]
struct Under {
    queue: u32,
    rung: bool,
}

/// The scheduler.
pub struct Stock {
    queues: Vec<Queue>,
    bells: VecDeque<u32>,
    list: VecDeque<u32>,
    over: VecDeque<(u8, bool)>,
    /// The end of a request that is looked at next.
    next: Option<(u8, bool)>,
    table: [Option<Under>; REQUESTS as usize],
    operations: [Option<(u32, What)>; 3],
    request: Option<(u32, u8)>,
}

impl Stock {
    /// A scheduler whose queues are enabled.
    pub fn new(queues: usize) -> Self {
        Stock {
            queues: vec![Queue::default(); queues],
            bells: VecDeque::new(),
            list: VecDeque::new(),
            over: VecDeque::new(),
            next: None,
            table: [None; REQUESTS as usize],
            operations: [None; 3],
            request: None,
        }
    }

    fn act(&mut self, queue: u32, what: What) {
        let q = &mut self.queues[queue as usize];
        match what {
            What::Bell => {
                q.active = true;
                self.table.iter_mut().flatten().filter(|u| u.queue == queue).for_each(|u| u.rung = true);
            }
            What::Over(tag, found) => {
                let rung = self.table[usize::from(tag)].take().is_some_and(|u| u.rung);
                q.active = found || rung;
            }
            What::Ask(tag) => {
                q.listed = false;
                if q.active {
                    self.request = Some((queue, tag));
                } else {
                    self.table[usize::from(tag)] = None;
                }
            }
        }
        if q.active && !q.listed {
            q.listed = true;
            self.list.push_back(queue);
        }
    }
}

impl Scheduler for Stock {
    fn request(&self) -> Option<(u32, u8)> {
        self.request
    }

    fn step(&mut self, doorbell: Option<u32>, ready: bool, status: Option<(u8, u16)>) {
        let is_free = |operations: &[Option<(u32, What)>], queue: u32| operations.iter().flatten().all(|o| o.0 != queue);
        let asks = self.operations.iter().flatten().any(|o| matches!(o.1, What::Ask(_)));
        let tag = self.table.iter().position(Option::is_none).filter(|_| !asks && (self.request.is_none() || ready));
        let ended = self.next.and_then(|(tag, found)| Some((self.table[usize::from(tag)]?.queue, What::Over(tag, found))));
        let (bell, first) = (self.bells.front().copied(), self.list.front().copied());
        let begun = if let Some(queue) = bell.filter(|q| is_free(&self.operations, *q)) {
            self.bells.pop_front();
            Some((queue, What::Bell))
        } else if let Some((queue, what)) = ended.filter(|o| is_free(&self.operations, o.0)) {
            self.next = None;
            Some((queue, what))
        } else if let Some((queue, tag)) = first.zip(tag).filter(|f| is_free(&self.operations, f.0)) {
            self.list.pop_front();
            self.table[tag] = Some(Under { queue, rung: false });
            Some((queue, What::Ask(tag as u8)))
        } else {
            None
        };
        if ready {
            self.request = None;
        }
        let done = self.operations[2];
        self.operations = [begun, self.operations[0], self.operations[1]];
        if let Some((queue, what)) = done {
            self.act(queue, what);
        }
        if self.next.is_none() {
            self.next = self.over.pop_front();
        }
        self.over.extend(status.map(|(tag, bytes)| (tag, bytes != 0)));
        self.bells.extend(doorbell);
    }
}
