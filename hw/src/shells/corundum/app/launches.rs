//! Launches of packets, in their order.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use rust_hdl::prelude::*;
use timely_model::app_block::launches::QUEUE;

const _: () = assert!(QUEUE == 6);

/// Keeps the launches of the scheduler's requests until the packets come, and forgets those whose
/// queue was empty.
///
/// A request is void before the packet of any later one comes; its tag may be used again as soon as
/// that is known.
///
/// Latency: 3 clocks to the output, 2 until a void one is seen there. Throughput: a launch each 3
/// clocks. Back pressure: none; of more than 65 requests under way the latest are lost. Model:
/// `timely_model::app_block::launches::Launches`.
#[derive(LogicBlock, Default)]
pub struct Launches {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A request is made.
    pub launch_valid: Signal<In, Bit>,
    pub launch_tag: Signal<In, Bits<8>>,
    pub launch_paced: Signal<In, Bit>,
    /// Launch of the request, ns48.fns16.
    pub launch_time: Signal<In, Bits<64>>,
    /// A request finds no packet.
    pub void_valid: Signal<In, Bit>,
    pub void_tag: Signal<In, Bits<8>>,
    /// A packet takes the launch at the output.
    pub take: Signal<In, Bit>,
    /// The next packet's launch is here.
    pub head_valid: Signal<Out, Bit>,
    pub head_paced: Signal<Out, Bit>,
    /// The launch, ns48.fns16.
    pub head_time: Signal<Out, Bits<64>>,
    /// No request is under way that has not been taken.
    pub empty: Signal<Out, Bit>,
    // Launch 64, paced 1.
    entries: RAM<Bits<65>, 6>,
    // Of each tag's latest request.
    places: RAM<Bits<6>, 8>,
    voided: DFF<Bits<64>>,
    voiding: DFF<Bit>,
    put: DFF<Bits<6>>,
    get: DFF<Bits<6>>,
    fill: DFF<Bits<7>>,
    fetching: DFF<Bit>,
    held: DFF<Bit>,
    head: DFF<Bits<65>>,
    head_place: DFF<Bits<6>>,
    push: Signal<Local, Bit>,
    here: Signal<Local, Bits<64>>,
    others: Signal<Local, Bits<64>>,
    gone: Signal<Local, Bits<64>>,
    front: Signal<Local, Bits<64>>,
    valid: Signal<Local, Bit>,
}

impl Logic for Launches {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, voided, voiding, put, get, fill, fetching, held, head, head_place);
        self.entries.read_clock.next = self.clk.val();
        self.entries.write_clock.next = self.clk.val();
        self.places.read_clock.next = self.clk.val();
        self.places.write_clock.next = self.clk.val();
        self.push.next = self.launch_valid.val() & !self.fill.q.val().get_bit(6);
        self.entries.write_enable.next = self.push.val();
        self.entries.write_address.next = self.put.q.val();
        self.entries.write_data.next =
            bit_cast::<65, 64>(self.launch_time.val()) | (bit_cast::<65, 1>(self.launch_paced.val().into()) << 64);
        self.places.write_enable.next = self.push.val();
        self.places.write_address.next = self.launch_tag.val();
        self.places.write_data.next = self.put.q.val();
        self.places.read_address.next = self.void_tag.val();
        self.voiding.d.next = self.void_valid.val();
        // Of a place that is void, and one that is new.
        self.gone.next = bits::<64>(0);
        if self.voiding.q.val() {
            self.gone.next = bits::<64>(1) << self.places.read_data.val();
        }
        self.here.next = bits::<64>(0);
        if self.push.val() {
            self.here.next = bits::<64>(1) << self.put.q.val();
            self.put.d.next = self.put.q.val() + bits::<6>(1);
        }
        self.others.next = !self.here.val();
        self.voided.d.next = (self.voided.q.val() | self.gone.val()) & self.others.val();
        // The head.
        self.front.next = self.voided.q.val() >> self.head_place.q.val();
        self.valid.next = self.held.q.val() & !self.front.val().get_bit(0);
        if self.held.q.val() & (!self.valid.val() | self.take.val()) {
            self.held.d.next = false;
        }
        self.entries.read_address.next = self.get.q.val();
        self.fetching.d.next = (!self.held.q.val() & !self.fetching.q.val()) & self.fill.q.val().any();
        if self.fetching.q.val() {
            self.held.d.next = true;
            self.head.d.next = self.entries.read_data.val();
            self.head_place.d.next = self.get.q.val();
            self.get.d.next = self.get.q.val() + bits::<6>(1);
        }
        if self.push.val() & !self.fetching.q.val() {
            self.fill.d.next = self.fill.q.val() + bits::<7>(1);
        }
        if self.fetching.q.val() & !self.push.val() {
            self.fill.d.next = self.fill.q.val() - bits::<7>(1);
        }
        self.head_valid.next = self.valid.val();
        self.head_paced.next = self.head.q.val().get_bit(64);
        self.head_time.next = self.head.q.val().get_bits::<64>(0);
        self.empty.next = !self.fill.q.val().any() & !self.held.q.val();
        if self.rst.val() {
            self.voided.d.next = bits::<64>(0);
            self.voiding.d.next = false;
            self.put.d.next = bits::<6>(0);
            self.get.d.next = bits::<6>(0);
            self.fill.d.next = bits::<7>(0);
            self.fetching.d.next = false;
            self.held.d.next = false;
        }
    }
}
