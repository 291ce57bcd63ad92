//! Congestion notifications in the host's place.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{AxisOut, PairFlowIn, PairReplyIn};
use crate::csr::SettingsBus;
use crate::fifo::WideFifo;
use crate::packed::packed;
use crate::roce::Packet;
use crate::roce::notifier::{Marked, Notifier};
use rust_hdl::prelude::*;
use timely_model::queue_pairs::Status;

const _: () = assert!(Status::Done as u32 == 0);

packed! {
    /// A packet whose pair is looked up.
    pub struct Arrived {
        /// Headers, without the remote queue pair.
        pub headers: Marked,
        /// An answer may go back.
        pub answerable: Bit,
        /// The packet has CE.
        pub ce: Bit,
    }
}

/// Answers packets that arrive with CE by congestion notifications, by [`Notifier`], whose
/// parameters these are; while it `watches`, packets without CE are to be shown too. The remote
/// queue pair of a flow is that of the last command that set it, which for joined pairs, the only
/// ones that arrivals find, is the pair's.
///
/// A packet that is not addressed to this port, or whose addresses no answer can have, counts as
/// one of a pair that is not known: switches flood frames for others, and anyone can forge a mark.
///
/// Latency: a packet is a mark of the notifier 2 clocks after its look-up; a pair is joined a clock
/// before `reply`. No back pressure but of `m`. Model: `Notices` in `timely_model::inline::pairs`.
#[derive(LogicBlock, Default)]
pub struct PairNotices<const W: usize, const K: usize, const F: usize, const Z: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The table is not in use: packets whose pairs are looked up are forgotten.
    pub held: Signal<In, Bit>,
    /// A packet arrived that may draw a notification, and its pair is looked up.
    pub arrived: Signal<In, Bit>,
    pub packet: Signal<In, Packet>,
    /// Such a packet's flow.
    pub found: PairFlowIn<F>,
    /// The table takes a command on a pair, and its outcome.
    pub commanded: Signal<In, Bit>,
    pub remote: Signal<In, Bits<24>>,
    pub reply: PairReplyIn<F>,
    pub settings: Signal<In, SettingsBus>,
    /// Steady time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// A pair is owed a notification.
    pub watches: Signal<Out, Bit>,
    /// Notifications.
    pub m: AxisOut<W, K>,
    /// Counted events, by `timely_model::notifier::Pulse`.
    pub pulses: Signal<Out, Bits<3>>,
    notifier: Notifier<W, K, F, Z>,
    /// Packets whose pairs are looked up, of type [`Arrived`].
    waiting: WideFifo<428, 5, 6>,
    tos: Signal<Local, Bits<8>>,
    to: Signal<Local, Bits<48>>,
    from: Signal<Local, Bits<48>>,
    own: Signal<Local, Bits<48>>,
    source: Signal<Local, Bits<128>>,
    destination: Signal<Local, Bits<128>>,
    /// Sender and receiver are groups of hosts, by the first byte of their IP address.
    is_from_group: Signal<Local, Bit>,
    is_to_group: Signal<Local, Bit>,
    answerable: Signal<Local, Bit>,
    entry: Signal<Local, Arrived>,
    head: Signal<Local, Arrived>,
    ip_class: Signal<Local, Bits<2>>,
    headers: Signal<Local, Marked>,
    named: DFF<Bits<24>>,
    /// Remote queue pair of a flow. A word that is read while it is written again is the old one.
    remotes: RAM<Bits<24>, F>,
    // A clock after the look-up, and two.
    found_1: DFF<Bit>,
    hit_1: DFF<Bit>,
    flow_1: DFF<Bits<F>>,
    found_2: DFF<Bit>,
    hit_2: DFF<Bit>,
    flow_2: DFF<Bits<F>>,
    mark: Signal<Local, Marked>,
}

impl<const W: usize, const K: usize, const F: usize, const Z: usize> PairNotices<W, K, F, Z> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { notifier: Notifier::new(), ..Default::default() }
    }
}

impl<const W: usize, const K: usize, const F: usize, const Z: usize> Logic for PairNotices<W, K, F, Z> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, named, found_1, hit_1, flow_1, found_2, hit_2, flow_2);
        self.notifier.clk.next = self.clk.val();
        self.notifier.rst.next = self.rst.val();
        self.waiting.clk.next = self.clk.val();
        self.waiting.rst.next = self.rst.val() | self.held.val();
        self.remotes.read_clock.next = self.clk.val();
        self.remotes.write_clock.next = self.clk.val();

        // Remote numbers.
        if self.commanded.val() {
            self.named.d.next = self.remote.val();
        }
        self.remotes.write_enable.next = self.reply.valid.val() & (self.reply.status.val() == bits::<3>(0));
        self.remotes.write_address.next = self.reply.flow.val();
        self.remotes.write_data.next = self.named.q.val();

        // Headers wait for the look-up. Bit 0 of a class is a tag, bit 1 IPv6.
        self.ip_class.next = self.packet.val().ip_class;
        self.headers.next.mac_destination = self.packet.val().mac_destination;
        self.headers.next.mac_source = self.packet.val().mac_source;
        self.headers.next.tci = self.packet.val().tci;
        self.headers.next.source = self.packet.val().source;
        self.headers.next.destination = self.packet.val().destination;
        self.headers.next.port = self.packet.val().port;
        self.headers.next.pair = bits::<24>(0);
        self.headers.next.partition_key = self.packet.val().partition_key;
        self.headers.next.has_tag = self.ip_class.val().get_bit(0);
        self.headers.next.is_ipv6 = self.ip_class.val().get_bit(1);
        // Bit 0 of a MAC address is a group's; IP's groups begin at 224 and at ff00::. Behind those
        // of IPv4 are reserved addresses and the broadcast.
        self.to.next = self.packet.val().mac_destination;
        self.from.next = self.packet.val().mac_source;
        self.own.next = self.settings.val().mac;
        self.source.next = self.packet.val().source;
        self.destination.next = self.packet.val().destination;
        self.is_from_group.next = self.source.val().get_bits::<3>(5).all();
        self.is_to_group.next = self.destination.val().get_bits::<3>(5).all();
        if self.ip_class.val().get_bit(1) {
            self.is_from_group.next = self.source.val().get_bits::<8>(0).all();
            self.is_to_group.next = self.destination.val().get_bits::<8>(0).all();
        }
        self.answerable.next = ((self.to.val() == self.own.val()) & (self.from.val() != self.own.val()))
            & (!self.from.val().get_bit(0) & (!self.is_from_group.val() & !self.is_to_group.val()));
        self.tos.next = self.packet.val().tos;
        self.entry.next.headers = self.headers.val();
        self.entry.next.answerable = self.answerable.val();
        self.entry.next.ce = self.tos.val().get_bits::<2>(0).all();
        self.waiting.i_valid.next = self.arrived.val();
        self.waiting.i_data.next = self.entry.val().into();
        self.found_1.d.next = self.found.valid.val();
        self.hit_1.d.next = self.found.hit.val();
        self.flow_1.d.next = self.found.flow.val();
        self.remotes.read_address.next = self.flow_1.q.val();
        self.found_2.d.next = self.found_1.q.val();
        self.hit_2.d.next = self.hit_1.q.val();
        self.flow_2.d.next = self.flow_1.q.val();
        self.waiting.o_ready.next = self.found_2.q.val();
        self.head.next = self.waiting.o_data.val().into();
        self.mark.next = self.head.val().headers;
        self.mark.next.pair = self.remotes.read_data.val();
        self.notifier.mark_valid.next = self.found_2.q.val() & self.waiting.o_valid.val();
        self.notifier.mark_known.next = self.hit_2.q.val() & self.head.val().answerable;
        self.notifier.mark_ce.next = self.head.val().ce;
        self.notifier.mark_flow.next = self.flow_2.q.val();
        self.notifier.mark.next = self.mark.val();
        self.notifier.cfg_enable.next = self.settings.val().notify_enable.any();
        self.notifier.cfg_interval.next = self.settings.val().notify_interval;
        self.notifier.cfg_tos.next = self.settings.val().notify_tos;
        self.notifier.now.next = self.now.val();
        self.watches.next = self.notifier.watches.val();
        AxisOut::<W, K>::link(&mut self.m, &mut self.notifier.m);
        self.pulses.next = self.notifier.pulses.val();
        if self.rst.val() | self.held.val() {
            self.found_1.d.next = false;
            self.found_2.d.next = false;
        }
    }
}
