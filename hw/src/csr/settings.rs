//! The settings that other blocks read: registers that follow the writes into the store.
use crate::construct::construct;
use rust_hdl::prelude::*;
use timely_regs::map::{Register, flow, id, port, telemetry, time};

/// Settings on flat ports, valid the clock after the store is written. Byte 0 of an address, the first on the wire, is its lowest.
///
/// All are 0 from a reset until the sweep of the store comes to them.
#[derive(LogicBlock)]
pub struct Settings {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A word of the store is written.
    pub st_valid: Signal<In, Bit>,
    /// The word's number.
    pub st_word: Signal<In, Bits<10>>,
    /// Its value.
    pub st_data: Signal<In, Bits<32>>,
    /// Own MAC.
    pub cfg_mac: Signal<Out, Bits<48>>,
    /// Own IPv4 address.
    pub cfg_ipv4: Signal<Out, Bits<32>>,
    /// UDP port that makes a packet ours.
    pub cfg_udp_port: Signal<Out, Bits<16>>,
    /// TOS or traffic class of ACKs.
    pub cfg_ack_tos: Signal<Out, Bits<8>>,
    /// TTL or hop limit of ACKs.
    pub cfg_ack_ttl: Signal<Out, Bits<8>>,
    /// Time of a byte on the wire: ns, Q16.16.
    pub cfg_ns_per_byte: Signal<Out, Bits<32>>,
    /// Where the nonces start.
    pub cfg_nonce_seed: Signal<Out, Bits<32>>,
    /// Allowed IPv4 peers: address.
    pub cfg_allow4: Signal<Out, Bits<32>>,
    /// Allowed IPv4 peers: bits that count.
    pub cfg_mask4: Signal<Out, Bits<32>>,
    /// What a clock adds to the time: ns, Q8.24.
    pub cfg_time_increment: Signal<Out, Bits<32>>,
    /// ACKs are sent.
    pub cfg_ack_enable: Signal<Out, Bit>,
    /// Flows may send.
    pub cfg_enable: Signal<Out, Bit>,
    /// PTP is the source of the time.
    pub cfg_time_ptp: Signal<Out, Bit>,
    /// How far ahead of its launch a packet is granted, ns.
    pub cfg_lead: Signal<Out, Bits<16>>,
    /// Cells of a flow that stores no packet more.
    pub cfg_store_bound: Signal<Out, Bits<16>>,
    /// Own IPv6 address.
    pub cfg_ipv6: Signal<Out, Bits<128>>,
    /// Allowed IPv6 peers: address.
    pub cfg_allow6: Signal<Out, Bits<128>>,
    /// Allowed IPv6 peers: bits that count.
    pub cfg_mask6: Signal<Out, Bits<128>>,
    /// One of so many rate updates leaves as event record.
    pub cfg_event_every: Signal<Out, Bits<16>>,
    /// Which ones.
    pub cfg_event_filter: Signal<Out, Bits<25>>,
    /// HISTOGRAM_COUNT was read.
    pub next_bin: Signal<In, Bit>,
    /// The bin whose count is asked for.
    pub histogram_at: Signal<Out, Bits<13>>,
    /// Histograms to be cleared.
    pub histogram_clear: Signal<Out, Bits<16>>,
    /// Flow of the next command.
    pub flow_index: Signal<Out, Bits<16>>,
    /// Time of the next step.
    pub time_set_value: Signal<Out, Bits<64>>,
    at_mac_low: Constant<Bits<10>>,
    at_mac_high: Constant<Bits<10>>,
    at_ipv4: Constant<Bits<10>>,
    at_udp_port: Constant<Bits<10>>,
    at_ack_tos: Constant<Bits<10>>,
    at_ack_ttl: Constant<Bits<10>>,
    at_ns_per_byte: Constant<Bits<10>>,
    at_nonce_seed: Constant<Bits<10>>,
    at_allow4: Constant<Bits<10>>,
    at_mask4: Constant<Bits<10>>,
    at_time_increment: Constant<Bits<10>>,
    at_ack_enable: Constant<Bits<10>>,
    at_enable: Constant<Bits<10>>,
    at_time_ptp: Constant<Bits<10>>,
    at_event_every: Constant<Bits<10>>,
    at_event_filter: Constant<Bits<10>>,
    at_histogram_index: Constant<Bits<10>>,
    at_histogram_clear: Constant<Bits<10>>,
    at_lead: Constant<Bits<10>>,
    at_store_bound: Constant<Bits<10>>,
    at_ipv6: Constant<Bits<8>>,
    at_allow6: Constant<Bits<8>>,
    at_mask6: Constant<Bits<8>>,
    at_index: Constant<Bits<10>>,
    at_set_low: Constant<Bits<10>>,
    at_set_high: Constant<Bits<10>>,
    mac_low: DFF<Bits<32>>,
    mac_high: DFF<Bits<16>>,
    ipv4: DFF<Bits<32>>,
    udp_port: DFF<Bits<16>>,
    ack_tos: DFF<Bits<8>>,
    ack_ttl: DFF<Bits<8>>,
    ns_per_byte: DFF<Bits<32>>,
    nonce_seed: DFF<Bits<32>>,
    allow4: DFF<Bits<32>>,
    mask4: DFF<Bits<32>>,
    time_increment: DFF<Bits<32>>,
    index: DFF<Bits<16>>,
    set_low: DFF<Bits<32>>,
    set_high: DFF<Bits<32>>,
    ack_enable: DFF<Bit>,
    enable: DFF<Bit>,
    time_ptp: DFF<Bit>,
    event_every: DFF<Bits<16>>,
    event_filter: DFF<Bits<25>>,
    bin: DFF<Bits<13>>,
    cleared: DFF<Bits<16>>,
    lead: DFF<Bits<16>>,
    store_bound: DFF<Bits<16>>,
    ipv6: [DFF<Bits<32>>; 4],
    allow6: [DFF<Bits<32>>; 4],
    mask6: [DFF<Bits<32>>; 4],
}

fn word(r: Register) -> Constant<Bits<10>> {
    Constant::new(bits::<10>(r.word().into()))
}

/// The word of an array of four without its lowest two bits, by which the four differ.
fn four(r: Register) -> Constant<Bits<8>> {
    assert!(r.count == 4 && r.word().is_multiple_of(4), "{} must be four words, aligned", r.name);
    Constant::new(bits::<8>((r.word() / 4).into()))
}

impl Default for Settings {
    fn default() -> Self {
        construct!({
            at_mac_low: word(port::MAC_LOW),
            at_mac_high: word(port::MAC_HIGH),
            at_ipv4: word(port::IPV4),
            at_udp_port: word(port::UDP_PORT),
            at_ack_tos: word(port::ACK_TOS),
            at_ack_ttl: word(port::ACK_TTL),
            at_ns_per_byte: word(port::NS_PER_BYTE),
            at_nonce_seed: word(port::NONCE_SEED),
            at_allow4: word(port::ALLOW4),
            at_mask4: word(port::MASK4),
            at_time_increment: word(time::INCREMENT),
            at_ack_enable: word(port::ACK_ENABLE),
            at_enable: word(id::CONTROL),
            at_time_ptp: word(time::SOURCE),
            at_event_every: word(telemetry::EVENT_EVERY),
            at_event_filter: word(telemetry::EVENT_FILTER),
            at_histogram_index: word(telemetry::HISTOGRAM_INDEX),
            at_histogram_clear: word(telemetry::HISTOGRAM_CLEAR),
            at_lead: word(time::LEAD),
            at_store_bound: word(port::STORE_BOUND),
            at_ipv6: four(port::IPV6),
            at_allow6: four(port::ALLOW6),
            at_mask6: four(port::MASK6),
            at_index: word(flow::INDEX),
            at_set_low: word(time::SET_LOW),
            at_set_high: word(time::SET_HIGH),
        } clk, rst, st_valid, st_word, st_data, cfg_mac, cfg_ipv4, cfg_udp_port, cfg_ack_tos, cfg_ack_ttl, cfg_ns_per_byte, cfg_nonce_seed, cfg_allow4, cfg_mask4, cfg_time_increment, cfg_ack_enable, cfg_enable, cfg_time_ptp, cfg_lead, cfg_store_bound, cfg_ipv6, cfg_allow6, cfg_mask6, cfg_event_every, cfg_event_filter, next_bin, histogram_at, histogram_clear, event_every, event_filter, bin, cleared, flow_index, time_set_value, mac_low, mac_high, ipv4, udp_port, ack_tos, ack_ttl, ns_per_byte, nonce_seed, allow4, mask4, time_increment, index, set_low, set_high, ack_enable, enable, time_ptp, lead, store_bound; ipv6, allow6, mask6)
    }
}

impl Logic for Settings {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, mac_low, mac_high, ipv4, udp_port, ack_tos, ack_ttl, ns_per_byte, nonce_seed, allow4, mask4, time_increment);
        dff_setup!(self, clk, event_every, event_filter, bin, cleared);
        dff_setup!(self, clk, index, set_low, set_high, ack_enable, enable, time_ptp, lead, store_bound);
        self.cleared.d.next = bits::<16>(0);
        if self.next_bin.val() {
            self.bin.d.next = self.bin.q.val() + bits::<13>(1);
        }
        if self.st_valid.val() {
            if self.st_word.val() == self.at_event_every.val() {
                self.event_every.d.next = self.st_data.val().get_bits::<16>(0);
            }
            if self.st_word.val() == self.at_event_filter.val() {
                self.event_filter.d.next = self.st_data.val().get_bits::<25>(0);
            }
            if self.st_word.val() == self.at_histogram_index.val() {
                self.bin.d.next = self.st_data.val().get_bits::<13>(0);
            }
            if self.st_word.val() == self.at_histogram_clear.val() {
                self.cleared.d.next = self.st_data.val().get_bits::<16>(0);
            }
            if self.st_word.val() == self.at_mac_low.val() {
                self.mac_low.d.next = self.st_data.val();
            }
            if self.st_word.val() == self.at_mac_high.val() {
                self.mac_high.d.next = self.st_data.val().get_bits::<16>(0);
            }
            if self.st_word.val() == self.at_ipv4.val() {
                self.ipv4.d.next = self.st_data.val();
            }
            if self.st_word.val() == self.at_udp_port.val() {
                self.udp_port.d.next = self.st_data.val().get_bits::<16>(0);
            }
            if self.st_word.val() == self.at_ack_tos.val() {
                self.ack_tos.d.next = self.st_data.val().get_bits::<8>(0);
            }
            if self.st_word.val() == self.at_ack_ttl.val() {
                self.ack_ttl.d.next = self.st_data.val().get_bits::<8>(0);
            }
            if self.st_word.val() == self.at_ns_per_byte.val() {
                self.ns_per_byte.d.next = self.st_data.val();
            }
            if self.st_word.val() == self.at_nonce_seed.val() {
                self.nonce_seed.d.next = self.st_data.val();
            }
            if self.st_word.val() == self.at_allow4.val() {
                self.allow4.d.next = self.st_data.val();
            }
            if self.st_word.val() == self.at_mask4.val() {
                self.mask4.d.next = self.st_data.val();
            }
            if self.st_word.val() == self.at_time_increment.val() {
                self.time_increment.d.next = self.st_data.val();
            }
            if self.st_word.val() == self.at_index.val() {
                self.index.d.next = self.st_data.val().get_bits::<16>(0);
            }
            if self.st_word.val() == self.at_set_low.val() {
                self.set_low.d.next = self.st_data.val();
            }
            if self.st_word.val() == self.at_set_high.val() {
                self.set_high.d.next = self.st_data.val();
            }
            if self.st_word.val() == self.at_ack_enable.val() {
                self.ack_enable.d.next = self.st_data.val().get_bit(0);
            }
            if self.st_word.val() == self.at_enable.val() {
                self.enable.d.next = self.st_data.val().get_bit(0);
            }
            if self.st_word.val() == self.at_time_ptp.val() {
                self.time_ptp.d.next = self.st_data.val().get_bit(0);
            }
            if self.st_word.val() == self.at_lead.val() {
                self.lead.d.next = self.st_data.val().get_bits::<16>(0);
            }
            if self.st_word.val() == self.at_store_bound.val() {
                self.store_bound.d.next = self.st_data.val().get_bits::<16>(0);
            }
        }
        for i in 0..4 {
            self.ipv6[i].clock.next = self.clk.val();
            self.ipv6[i].d.next = self.ipv6[i].q.val();
            self.allow6[i].clock.next = self.clk.val();
            self.allow6[i].d.next = self.allow6[i].q.val();
            self.mask6[i].clock.next = self.clk.val();
            self.mask6[i].d.next = self.mask6[i].q.val();
            if self.st_valid.val() & (self.st_word.val().get_bits::<2>(0).index() == i) {
                if self.st_word.val().get_bits::<8>(2) == self.at_ipv6.val() {
                    self.ipv6[i].d.next = self.st_data.val();
                }
                if self.st_word.val().get_bits::<8>(2) == self.at_allow6.val() {
                    self.allow6[i].d.next = self.st_data.val();
                }
                if self.st_word.val().get_bits::<8>(2) == self.at_mask6.val() {
                    self.mask6[i].d.next = self.st_data.val();
                }
            }
            if self.rst.val() {
                self.ipv6[i].d.next = bits::<32>(0);
                self.allow6[i].d.next = bits::<32>(0);
                self.mask6[i].d.next = bits::<32>(0);
            }
        }
        self.cfg_mac.next = (bit_cast::<48, 16>(self.mac_high.q.val()) << 32) | bit_cast::<48, 32>(self.mac_low.q.val());
        self.cfg_ipv4.next = self.ipv4.q.val();
        self.cfg_udp_port.next = self.udp_port.q.val();
        self.cfg_ack_tos.next = self.ack_tos.q.val();
        self.cfg_ack_ttl.next = self.ack_ttl.q.val();
        self.cfg_ns_per_byte.next = self.ns_per_byte.q.val();
        self.cfg_nonce_seed.next = self.nonce_seed.q.val();
        self.cfg_allow4.next = self.allow4.q.val();
        self.cfg_mask4.next = self.mask4.q.val();
        self.cfg_time_increment.next = self.time_increment.q.val();
        self.cfg_ack_enable.next = self.ack_enable.q.val();
        self.cfg_enable.next = self.enable.q.val();
        self.cfg_time_ptp.next = self.time_ptp.q.val();
        self.cfg_lead.next = self.lead.q.val();
        self.cfg_store_bound.next = self.store_bound.q.val();
        self.cfg_ipv6.next = (bit_cast::<128, 32>(self.ipv6[3].q.val()) << 96)
            | (bit_cast::<128, 32>(self.ipv6[2].q.val()) << 64)
            | (bit_cast::<128, 32>(self.ipv6[1].q.val()) << 32)
            | bit_cast::<128, 32>(self.ipv6[0].q.val());
        self.cfg_allow6.next = (bit_cast::<128, 32>(self.allow6[3].q.val()) << 96)
            | (bit_cast::<128, 32>(self.allow6[2].q.val()) << 64)
            | (bit_cast::<128, 32>(self.allow6[1].q.val()) << 32)
            | bit_cast::<128, 32>(self.allow6[0].q.val());
        self.cfg_mask6.next = (bit_cast::<128, 32>(self.mask6[3].q.val()) << 96)
            | (bit_cast::<128, 32>(self.mask6[2].q.val()) << 64)
            | (bit_cast::<128, 32>(self.mask6[1].q.val()) << 32)
            | bit_cast::<128, 32>(self.mask6[0].q.val());
        self.cfg_event_every.next = self.event_every.q.val();
        self.cfg_event_filter.next = self.event_filter.q.val();
        self.histogram_at.next = self.bin.q.val();
        self.histogram_clear.next = self.cleared.q.val();
        self.flow_index.next = self.index.q.val();
        self.time_set_value.next = (bit_cast::<64, 32>(self.set_high.q.val()) << 32) | bit_cast::<64, 32>(self.set_low.q.val());
        if self.rst.val() {
            self.event_every.d.next = bits::<16>(0);
            self.event_filter.d.next = bits::<25>(0);
            self.bin.d.next = bits::<13>(0);
            self.cleared.d.next = bits::<16>(0);
            self.mac_low.d.next = bits::<32>(0);
            self.mac_high.d.next = bits::<16>(0);
            self.ipv4.d.next = bits::<32>(0);
            self.udp_port.d.next = bits::<16>(0);
            self.ack_tos.d.next = bits::<8>(0);
            self.ack_ttl.d.next = bits::<8>(0);
            self.ns_per_byte.d.next = bits::<32>(0);
            self.nonce_seed.d.next = bits::<32>(0);
            self.allow4.d.next = bits::<32>(0);
            self.mask4.d.next = bits::<32>(0);
            self.time_increment.d.next = bits::<32>(0);
            self.index.d.next = bits::<16>(0);
            self.set_low.d.next = bits::<32>(0);
            self.set_high.d.next = bits::<32>(0);
            self.ack_enable.d.next = false;
            self.enable.d.next = false;
            self.time_ptp.d.next = false;
            self.lead.d.next = bits::<16>(0);
            self.store_bound.d.next = bits::<16>(0);
        }
    }
}
