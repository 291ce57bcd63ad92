/* Registers, records and wire format of timely-nic. Generated from hw/regs by `cargo run -p timely-regs`; do not edit.
   Offsets are in bytes; a field's mask is in place, its value is shifted. */
#ifndef TIMELY_REGS_H
#define TIMELY_REGS_H

/* Common */
#define TIMELY_VENDOR 0x5469u /* upper half of a block's type */
#define TIMELY_MAGIC 0x544d4c59u
#define TIMELY_BAD_READ 0xbadacce5u /* what a read gives that no register answers */
#define TIMELY_HEADER_TYPE 0
#define TIMELY_HEADER_VERSION 4
#define TIMELY_HEADER_NEXT 8 /* offset of the next block in the BAR, 0 at the end */

/* Block id: What the design is, whether it is ready, what went wrong on the register bus. */
#define TIMELY_ID_TYPE 0x54690001u
#define TIMELY_ID_VERSION 3
#define TIMELY_ID_BASE 0x0u /* of this version of the map; walk the list instead */
#define TIMELY_ID_MAGIC 0xcu /* RO: a magic word; all ones when the device is gone */
#define TIMELY_ID_CORE_VERSION 0x10u /* RO: version of the core */
#define TIMELY_ID_CORE_VERSION_PATCH_SHIFT 0 /* patch */
#define TIMELY_ID_CORE_VERSION_PATCH_MASK 0xffu
#define TIMELY_ID_CORE_VERSION_MINOR_SHIFT 8 /* minor */
#define TIMELY_ID_CORE_VERSION_MINOR_MASK 0xff00u
#define TIMELY_ID_CORE_VERSION_MAJOR_SHIFT 16 /* major */
#define TIMELY_ID_CORE_VERSION_MAJOR_MASK 0xffff0000u
#define TIMELY_ID_FLOW_BITS 0x14u /* RO: size of the flow table */
#define TIMELY_ID_BUS_BITS 0x18u /* RO: width of the data path */
#define TIMELY_ID_RING_BITS 0x1cu /* RO: size of the ring of departures */
#define TIMELY_ID_CLOCK_PS 0x20u /* RO: nominal clock */
#define TIMELY_ID_STATUS 0x24u /* RO: state of the design */
#define TIMELY_ID_STATUS_READY_SHIFT 0 /* every RAM has been cleared after reset, and no soft reset is under way: flows and profiles may be loaded */
#define TIMELY_ID_STATUS_READY_MASK 0x1u
#define TIMELY_ID_STATUS_STOP_SHIFT 1 /* no packet leaves: not ready, not enabled, nonces without a key, or heartbeat lost */
#define TIMELY_ID_STATUS_STOP_MASK 0x2u
#define TIMELY_ID_CONTROL 0x28u /* RW: global enable; 0 stops every flow */
#define TIMELY_ID_CONTROL_ENABLE_SHIFT 0 /* flows may send */
#define TIMELY_ID_CONTROL_ENABLE_MASK 0x1u
#define TIMELY_ID_ERROR 0x2cu /* RO: the last access that was refused */
#define TIMELY_ID_ERROR_ADDRESS_SHIFT 0 /* address of the last access that was refused */
#define TIMELY_ID_ERROR_ADDRESS_MASK 0xffffffu
#define TIMELY_ID_ERROR_WRITE_SHIFT 24 /* it was a write */
#define TIMELY_ID_ERROR_WRITE_MASK 0x1000000u
#define TIMELY_ID_ERROR_REASON_SHIFT 28 /* 0 there was none, 1 no register or not aligned, 2 not readable or not writable, 3 not all four bytes written, 4 value out of range, 5 not now (busy, not ready, or not while flows may send) */
#define TIMELY_ID_ERROR_REASON_MASK 0x70000000u
#define TIMELY_ID_NONCE_KEY 0x30u /* WO: key of the nonces, to be written before NONCE_KEYED; from a source that nobody can predict, for who knows it can forge ACKs */
#define TIMELY_ID_NONCE_KEY_COUNT 3
#define TIMELY_ID_RESET 0x3cu /* WO: the soft reset: every flow is loaded with an empty record, which disables it and forgets its backlog, its rate, what it has outstanding and its telemetry; one in 32 clocks, during which ready is 0 and no flow is granted anything. Frames that were granted leave whole. Settings, profiles, the nonces' key, both times, histograms, counters, DMA and what is no flow's go on; refused (not now) while ready is 0 */
#define TIMELY_ID_RESET_RESET_SHIFT 0 /* 1 resets */
#define TIMELY_ID_RESET_RESET_MASK 0x1u
#define TIMELY_ID_RESET_RESET_LEAST 1u

/* Block time: The NIC's date, ns48.fns16 (48 bits of ns above 16 bits of fraction): what stamps are. Gaps and time-outs count on a steady time that no register moves. */
#define TIMELY_TIME_TYPE 0x54690002u
#define TIMELY_TIME_VERSION 2
#define TIMELY_TIME_BASE 0x100u /* of this version of the map; walk the list instead */
#define TIMELY_TIME_NOW_LOW 0x10u /* RO: reading it latches NOW_HIGH */
#define TIMELY_TIME_NOW_HIGH 0x14u /* RO: as it was when NOW_LOW was read */
#define TIMELY_TIME_INCREMENT 0x18u /* RW: what a clock adds to both times */
#define TIMELY_TIME_INCREMENT_INCREMENT_SHIFT 0 /* ns a clock, Q8.24: up to 16 ns, for which the calendar queue is drained fast enough */
#define TIMELY_TIME_INCREMENT_INCREMENT_MASK 0xffffffffu
#define TIMELY_TIME_INCREMENT_INCREMENT_LEAST 1048576u
#define TIMELY_TIME_INCREMENT_INCREMENT_MOST 268435456u
#define TIMELY_TIME_SET_LOW 0x1cu /* RW: low half of a date to set */
#define TIMELY_TIME_SET_HIGH 0x20u /* RW: a write sets the date to SET_HIGH:SET_LOW, at once, on or back; without effect while PTP is the source. Gaps and time-outs are of the steady time and do not notice */
#define TIMELY_TIME_SOURCE 0x24u /* RW: where the date comes from */
#define TIMELY_TIME_SOURCE_PTP_SHIFT 0 /* 0 as it was set, running as the clock does; 1 the PTP clock of the shell, which it follows at once, on and back; 1 after reset in Corundum, whose stamps are of that clock */
#define TIMELY_TIME_SOURCE_PTP_MASK 0x1u
#define TIMELY_TIME_LEAD 0x28u /* RW: how far ahead of its launch a packet is granted */
#define TIMELY_TIME_LEAD_LEAD_SHIFT 0 /* ns; unless 0, every packet waits for its launch in front of the MAC (Corundum: in the form with streams; 8000 after reset), and each start is that much later; a lower one is refused (not now) while flows may send (STATUS: stop is 0), for the pacer would take it as time that runs back */
#define TIMELY_TIME_LEAD_LEAD_MASK 0xffffu

/* Block port: Addresses of the port, and who gets ACKs. Byte 0 of an address, the first on the wire, is in bits 7..0 of its first word. A value of several registers is torn while it is written: set it while the design is not enabled. */
#define TIMELY_PORT_TYPE 0x54690003u
#define TIMELY_PORT_VERSION 4
#define TIMELY_PORT_BASE 0x200u /* of this version of the map; walk the list instead */
#define TIMELY_PORT_MAC_LOW 0x10u /* RW: own MAC */
#define TIMELY_PORT_MAC_HIGH 0x14u /* RW: own MAC */
#define TIMELY_PORT_MAC_HIGH_MAC_HIGH_SHIFT 0 /* bytes 4 and 5 */
#define TIMELY_PORT_MAC_HIGH_MAC_HIGH_MASK 0xffffu
#define TIMELY_PORT_IPV4 0x18u /* RW: own IPv4 address */
#define TIMELY_PORT_UDP_PORT 0x1cu /* RW: UDP port that makes a packet ours; 0 after reset, when none is */
#define TIMELY_PORT_UDP_PORT_UDP_PORT_SHIFT 0 /* port number */
#define TIMELY_PORT_UDP_PORT_UDP_PORT_MASK 0xffffu
#define TIMELY_PORT_UDP_PORT_UDP_PORT_LEAST 1u
#define TIMELY_PORT_IPV6 0x20u /* RW: own IPv6 address */
#define TIMELY_PORT_IPV6_COUNT 4
#define TIMELY_PORT_ACK_TOS 0x30u /* RW: TOS or traffic class of ACKs */
#define TIMELY_PORT_ACK_TOS_ACK_TOS_SHIFT 0 /* DSCP in bits 7..2, ECN in bits 1..0 */
#define TIMELY_PORT_ACK_TOS_ACK_TOS_MASK 0xffu
#define TIMELY_PORT_ACK_TTL 0x34u /* RW: TTL or hop limit of ACKs */
#define TIMELY_PORT_ACK_TTL_ACK_TTL_SHIFT 0 /* TTL or hop limit */
#define TIMELY_PORT_ACK_TTL_ACK_TTL_MASK 0xffu
#define TIMELY_PORT_ACK_TTL_ACK_TTL_LEAST 1u
#define TIMELY_PORT_ACK_ENABLE 0x38u /* RW: whether segments are answered */
#define TIMELY_PORT_ACK_ENABLE_ACK_ENABLE_SHIFT 0 /* answer segments of allowed peers */
#define TIMELY_PORT_ACK_ENABLE_ACK_ENABLE_MASK 0x1u
#define TIMELY_PORT_NS_PER_BYTE 0x3cu /* RW: time of a byte on the wire; 10 Gb/s after reset */
#define TIMELY_PORT_NS_PER_BYTE_NS_PER_BYTE_SHIFT 0 /* ns, Q16.16 */
#define TIMELY_PORT_NS_PER_BYTE_NS_PER_BYTE_MASK 0xffffffffu
#define TIMELY_PORT_NS_PER_BYTE_NS_PER_BYTE_LEAST 1u
#define TIMELY_PORT_VLAN 0x40u /* RW: VLAN in which segments are answered */
#define TIMELY_PORT_VLAN_VLAN_SHIFT 0 /* VLAN identifier; 0 frames without a tag, or with one that gives a priority alone */
#define TIMELY_PORT_VLAN_VLAN_MASK 0xfffu
#define TIMELY_PORT_VLAN_VLAN_MOST 4094u
#define TIMELY_PORT_PREFIX4 0x44u /* RW: the own IPv4 network, whose broadcast address is answered neither as destination nor as source */
#define TIMELY_PORT_PREFIX4_PREFIX4_SHIFT 0 /* bits of its prefix; 31 and 32 have no broadcast address */
#define TIMELY_PORT_PREFIX4_PREFIX4_MASK 0x3fu
#define TIMELY_PORT_PREFIX4_PREFIX4_MOST 32u
#define TIMELY_PORT_NONCE_KEYED 0x48u /* RW: whether the nonces of segments have a key; 0 after reset, and then no flow sends in any form of the NIC */
#define TIMELY_PORT_NONCE_KEYED_KEYED_SHIFT 0 /* a change from 0 to 1 takes NONCE_KEY, and the generator has nonces 40 clocks later */
#define TIMELY_PORT_NONCE_KEYED_KEYED_MASK 0x1u
#define TIMELY_PORT_STORE_BOUND 0x4cu /* RW: cells of 256 bytes that a flow may hold in the packet store, where there is one: a flow that holds as many stores no packet more */
#define TIMELY_PORT_STORE_BOUND_STORE_BOUND_SHIFT 0 /* cells */
#define TIMELY_PORT_STORE_BOUND_STORE_BOUND_MASK 0xffffu
#define TIMELY_PORT_ACK_RATE 0x50u /* RW: what ACKs take of the line on average, after a burst of 8192 wire bytes; a quarter of 10 Gb/s after reset. An ACK beyond it is dropped and counted */
#define TIMELY_PORT_STORE_WAIT 0x54u /* RW: what a full packet store does with the host's packets, where there is one */
#define TIMELY_PORT_STORE_WAIT_STORE_WAIT_SHIFT 0 /* 0 a packet whose flow is at STORE_BOUND, or for which no cells are free, is dropped and counted, and holds up no other; 1 none is: the host's stream waits as a whole, packets of other flows and unpaced ones too, until that flow holds less or cells are free */
#define TIMELY_PORT_STORE_WAIT_STORE_WAIT_MASK 0x1u
#define TIMELY_PORT_PAUSE 0x58u /* RW: whether pause frames are obeyed, and which of them stop ACKs */
#define TIMELY_PORT_PAUSE_ENABLE_SHIFT 0 /* obey PAUSE of IEEE 802.3, which stops all that leaves, and PFC of 802.1Qbb, which stops priorities; 0 ends what was paused */
#define TIMELY_PORT_PAUSE_ENABLE_MASK 0x1u
#define TIMELY_PORT_PAUSE_ACK_PRIORITY_SHIFT 1 /* priority of ACKs: PFC that pauses it stops them; their frames do not say it by this */
#define TIMELY_PORT_PAUSE_ACK_PRIORITY_MASK 0xeu
#define TIMELY_PORT_LINE_RATE 0x5cu /* RW: what the line carries, by which a pause's quanta of 512 bit times are counted; in line grants also wait until no more waits for the wire than the line carries in 64 clocks; 10 Gb/s after reset */
#define TIMELY_PORT_LINE_RATE_LINE_RATE_SHIFT 0 /* wire bytes a clock, Q8.24; the least is below 10 Mb/s, the slowest line with pause frames, at any clock */
#define TIMELY_PORT_LINE_RATE_LINE_RATE_MASK 0xffffffffu
#define TIMELY_PORT_LINE_RATE_LINE_RATE_LEAST 32768u
#define TIMELY_PORT_ALLOW_PREFIX 0x60u /* RW: allow list: what entry i holds; with neither family, as after reset, it holds nobody. Segments are answered of hosts that an entry holds */
#define TIMELY_PORT_ALLOW_PREFIX_COUNT 8
#define TIMELY_PORT_ALLOW_PREFIX_LENGTH_SHIFT 0 /* bits of the prefix; of IPv4 32 at most, of IPv6 128 */
#define TIMELY_PORT_ALLOW_PREFIX_LENGTH_MASK 0xffu
#define TIMELY_PORT_ALLOW_PREFIX_IPV4_SHIFT 8 /* the entry holds IPv4 addresses */
#define TIMELY_PORT_ALLOW_PREFIX_IPV4_MASK 0x100u
#define TIMELY_PORT_ALLOW_PREFIX_IPV6_SHIFT 9 /* the entry holds IPv6 addresses */
#define TIMELY_PORT_ALLOW_PREFIX_IPV6_MASK 0x200u
#define TIMELY_PORT_ALLOW 0x80u /* RW: allow list: word w of entry i's address is number 4 i + w; of IPv4 word 0 alone, the others 0 */
#define TIMELY_PORT_ALLOW_COUNT 32

/* Block heartbeat: Stops every flow when the driver dies. A kick alone does not start them again: STATE must be cleared. */
#define TIMELY_HEARTBEAT_TYPE 0x54690004u
#define TIMELY_HEARTBEAT_VERSION 1
#define TIMELY_HEARTBEAT_BASE 0x300u /* of this version of the map; walk the list instead */
#define TIMELY_HEARTBEAT_PERIOD 0x10u /* RW: greatest time between two kicks; a write counts as a kick */
#define TIMELY_HEARTBEAT_BEAT 0x14u /* WO: a write kicks the heartbeat */
#define TIMELY_HEARTBEAT_BEAT_BEAT_SHIFT 0 /* any value */
#define TIMELY_HEARTBEAT_BEAT_BEAT_MASK 0x1u
#define TIMELY_HEARTBEAT_STATE 0x18u /* W1C: whether the heartbeat was lost */
#define TIMELY_HEARTBEAT_STATE_LOST_SHIFT 0 /* no kick came in time, and everything is stopped; writing 1 arms again, and counts as a kick */
#define TIMELY_HEARTBEAT_STATE_LOST_MASK 0x1u

/* Block roce: Queue pairs of RoCEv2, in forms that pace them. Addresses, queue pairs and profile are staged, then COMMAND takes them. */
#define TIMELY_ROCE_TYPE 0x5469000au
#define TIMELY_ROCE_VERSION 6
#define TIMELY_ROCE_BASE 0x340u /* of this version of the map; walk the list instead */
#define TIMELY_ROCE_CONTROL 0x10u /* RW: whether queue pairs are looked up; while bit 0 is 0 no pair is known or learned, and every packet goes past the store */
#define TIMELY_ROCE_CONTROL_ENABLE_SHIFT 0 /* 1 after SECRET is written, which then stays; a change to 0 forgets all pairs, whose stored packets still leave */
#define TIMELY_ROCE_CONTROL_ENABLE_MASK 0x1u
#define TIMELY_ROCE_CONTROL_ASK_EVERY_SHIFT 1 /* data that are so many packets behind their pair's last one that asks for an ACK ask for one: AckReq is set and the ICRC mended; 0 never */
#define TIMELY_ROCE_CONTROL_ASK_EVERY_MASK 0x1feu
#define TIMELY_ROCE_PROFILE 0x14u /* RW: profile of queue pairs that are learned from packets and that no rule is for */
#define TIMELY_ROCE_PROFILE_PROFILE_SHIFT 0 /* a profile */
#define TIMELY_ROCE_PROFILE_PROFILE_MASK 0xfu
#define TIMELY_ROCE_MTU 0x18u /* RW: least path MTU of all queue pairs, by which READ requests take sequence numbers */
#define TIMELY_ROCE_MTU_MTU_SHIFT 0 /* 1 to 5 for 256 to 4,096 bytes; 0 unknown, then a pair's payloads tell */
#define TIMELY_ROCE_MTU_MTU_MASK 0x7u
#define TIMELY_ROCE_MTU_MTU_MOST 5u
#define TIMELY_ROCE_AGE 0x1cu /* RW: when learned queue pairs are forgotten: 7 to 8 units after their last packet from the host */
#define TIMELY_ROCE_SECRET 0x20u /* WO: secret of the hash of queue pairs, to be written before CONTROL; from a source that nobody can predict */
#define TIMELY_ROCE_SECRET_COUNT 4
#define TIMELY_ROCE_SECRET_HIGH 0x30u /* WO: the rest of the secret */
#define TIMELY_ROCE_SECRET_HIGH_COUNT 2
#define TIMELY_ROCE_LOCAL 0x38u /* RW: local queue pair of the next command */
#define TIMELY_ROCE_LOCAL_LOCAL_SHIFT 0 /* its number */
#define TIMELY_ROCE_LOCAL_LOCAL_MASK 0xffffffu
#define TIMELY_ROCE_LOCAL_GIVEN_SHIFT 24 /* 1 the command joins the pair with this local one, by which its answers are known */
#define TIMELY_ROCE_LOCAL_GIVEN_MASK 0x1000000u
#define TIMELY_ROCE_REMOTE 0x3cu /* RW: remote queue pair of the next command */
#define TIMELY_ROCE_REMOTE_REMOTE_SHIFT 0 /* its number */
#define TIMELY_ROCE_REMOTE_REMOTE_MASK 0xffffffu
#define TIMELY_ROCE_ADDRESS 0x40u /* RW: remote address of the next command; an IPv4 address as ::ffff:a.b.c.d */
#define TIMELY_ROCE_ADDRESS_COUNT 4
#define TIMELY_ROCE_SET_PROFILE 0x50u /* RW: profile of a queue pair that the next command sets, if it was not known */
#define TIMELY_ROCE_SET_PROFILE_SET_PROFILE_SHIFT 0 /* a profile */
#define TIMELY_ROCE_SET_PROFILE_SET_PROFILE_MASK 0xfu
#define TIMELY_ROCE_COMMAND 0x54u /* WO: starts a command on the pair of ADDRESS and REMOTE; refused while one is under way, while bit 0 of CONTROL is 0, or where no table is */
#define TIMELY_ROCE_COMMAND_COMMAND_SHIFT 0 /* 1 set: the pair gets a flow, does not age, and is joined with LOCAL if that is given; 2 remove; 3 join a pair that is known, whose age counts on; 4 read the pair of READ_FLOW into TOLD; 5 take the first answer, or while NOTIFY is 1 data with CE, to this port's MAC since the last take whose pair was not joined into TOLD */
#define TIMELY_ROCE_COMMAND_COMMAND_MASK 0x7u
#define TIMELY_ROCE_COMMAND_COMMAND_LEAST 1u
#define TIMELY_ROCE_COMMAND_COMMAND_MOST 5u
#define TIMELY_ROCE_STATUS 0x58u /* RO: state of the last command */
#define TIMELY_ROCE_STATUS_BUSY_SHIFT 0 /* no command is taken: one is under way, or the table is not in use */
#define TIMELY_ROCE_STATUS_BUSY_MASK 0x1u
#define TIMELY_ROCE_STATUS_PRESENT_SHIFT 1 /* this form of the NIC has a table of queue pairs */
#define TIMELY_ROCE_STATUS_PRESENT_MASK 0x2u
#define TIMELY_ROCE_STATUS_OUTCOME_SHIFT 4 /* of the last command: 0 done; 1 there is no such pair, or no answer to take; 2 all flows are taken; 3 a bucket is full or the hash is another key's; 4 answers to LOCAL belong to another pair */
#define TIMELY_ROCE_STATUS_OUTCOME_MASK 0x70u
#define TIMELY_ROCE_STATUS_FLOW_SHIFT 16 /* flow of the last command's pair */
#define TIMELY_ROCE_STATUS_FLOW_MASK 0xffff0000u
#define TIMELY_ROCE_NOTIFY 0x5cu /* RW: whether data and READ responses that arrive with CE are answered by congestion notifications (CNPs), for a host whose RDMA NIC sends none */
#define TIMELY_ROCE_NOTIFY_NOTIFY_SHIFT 0 /* 1 those of queue pairs that are joined are answered, those of others are counted, and ACKs of the host make their pair known as requests do */
#define TIMELY_ROCE_NOTIFY_NOTIFY_MASK 0x1u
#define TIMELY_ROCE_NOTIFY_INTERVAL 0x60u /* RW: least time between two congestion notifications of a queue pair */
#define TIMELY_ROCE_NOTIFY_INTERVAL_INTERVAL_SHIFT 0 /* ns; 50 us after reset, as DCQCN has it */
#define TIMELY_ROCE_NOTIFY_INTERVAL_INTERVAL_MASK 0xffffffu
#define TIMELY_ROCE_NOTIFY_TOS 0x64u /* RW: TOS or traffic class of congestion notifications */
#define TIMELY_ROCE_NOTIFY_TOS_NOTIFY_TOS_SHIFT 0 /* DSCP in bits 7..2, ECN in bits 1..0; DSCP 48 after reset */
#define TIMELY_ROCE_NOTIFY_TOS_NOTIFY_TOS_MASK 0xffu
#define TIMELY_ROCE_PRIORITY 0x68u /* RW: priority of queue pairs that no rule is for, by which pause frames (PFC) stop them */
#define TIMELY_ROCE_PRIORITY_PRIORITY_SHIFT 0 /* 0 to 7; holds for pairs that are learned or set from then on */
#define TIMELY_ROCE_PRIORITY_PRIORITY_MASK 0x7u
#define TIMELY_ROCE_READ_FLOW 0x6cu /* RW: flow whose queue pair command 4 reads */
#define TIMELY_ROCE_READ_FLOW_READ_FLOW_SHIFT 0 /* a flow */
#define TIMELY_ROCE_READ_FLOW_READ_FLOW_MASK 0xffffu
#define TIMELY_ROCE_TOLD_WORD 0x70u /* RW: word that TOLD shows */
#define TIMELY_ROCE_TOLD_WORD_TOLD_WORD_SHIFT 0 /* 0 to 5; 6 and 7 show 0 */
#define TIMELY_ROCE_TOLD_WORD_TOLD_WORD_MASK 0x7u
#define TIMELY_ROCE_TOLD_WORD_OF_RULE_SHIFT 3 /* 1 word of a rule: 0 to 3 its address, 4 what RULE set, 0 if it is not in use */
#define TIMELY_ROCE_TOLD_WORD_OF_RULE_MASK 0x8u
#define TIMELY_ROCE_TOLD_WORD_SHOWN_RULE_SHIFT 4 /* which rule */
#define TIMELY_ROCE_TOLD_WORD_SHOWN_RULE_MASK 0xf0u
#define TIMELY_ROCE_TOLD 0x74u /* RO: what the last command 4 or 5 found, if its outcome is 0; word TOLD_WORD of it: 0 to 3 the remote address, as in ADDRESS; 4 the remote queue pair, in bit 24 whether there is one, in bit 25 whether a command set it; 5 the local queue pair, in bit 24 whether there is one; or, whatever command was last, a word of a rule */
#define TIMELY_ROCE_RULE 0x78u /* RW: a write sets a rule, with ADDRESS: the profile and priority of queue pairs that are learned from then on */
#define TIMELY_ROCE_RULE_INDEX_SHIFT 0 /* which of the 16; the first that is for a queue pair decides */
#define TIMELY_ROCE_RULE_INDEX_MASK 0xfu
#define TIMELY_ROCE_RULE_USED_SHIFT 4 /* 1 the rule is in use */
#define TIMELY_ROCE_RULE_USED_MASK 0x10u
#define TIMELY_ROCE_RULE_PREFIX_SHIFT 5 /* bits of ADDRESS that the remote address must have; IPv4 addresses have 96 bits in front, 0 any address, above 128 as 128 */
#define TIMELY_ROCE_RULE_PREFIX_MASK 0x1fe0u
#define TIMELY_ROCE_RULE_DSCP_SHIFT 13 /* DSCP of the packet from which the queue pair is learned */
#define TIMELY_ROCE_RULE_DSCP_MASK 0x7e000u
#define TIMELY_ROCE_RULE_BY_DSCP_SHIFT 19 /* 1 the packet must have this DSCP, 0 any */
#define TIMELY_ROCE_RULE_BY_DSCP_MASK 0x80000u
#define TIMELY_ROCE_RULE_RULE_PROFILE_SHIFT 20 /* profile of its queue pairs */
#define TIMELY_ROCE_RULE_RULE_PROFILE_MASK 0xf00000u
#define TIMELY_ROCE_RULE_RULE_PRIORITY_SHIFT 24 /* priority of its queue pairs */
#define TIMELY_ROCE_RULE_RULE_PRIORITY_MASK 0x7000000u
#define TIMELY_ROCE_HOST_TIMEOUT 0x7cu /* RW: shortest retransmission time-out of the hosts' queue pairs: half of it after its last READ a pair owes nothing more for what its READs brought */

/* Block counters: Events of the whole NIC, by index. */
#define TIMELY_COUNTERS_TYPE 0x54690005u
#define TIMELY_COUNTERS_VERSION 2
#define TIMELY_COUNTERS_BASE 0x3c0u /* of this version of the map; walk the list instead */
#define TIMELY_COUNTERS_COUNT 0x10u /* RO: counters in use */
#define TIMELY_COUNTERS_COUNTER 0x40u /* RO: events since reset, wrapping; an event is in it at most 40 clocks later */
#define TIMELY_COUNTERS_COUNTER_COUNT 64

/* Block flow: Loads flows and asks for their records. A record goes in whole and comes out whole, never torn. */
#define TIMELY_FLOW_TYPE 0x54690006u
#define TIMELY_FLOW_VERSION 1
#define TIMELY_FLOW_BASE 0x500u /* of this version of the map; walk the list instead */
#define TIMELY_FLOW_INDEX 0x10u /* RW: flow of the next command */
#define TIMELY_FLOW_INDEX_INDEX_SHIFT 0 /* below 2^FLOW_BITS */
#define TIMELY_FLOW_INDEX_INDEX_MASK 0xffffu
#define TIMELY_FLOW_COMMAND 0x14u /* WO: starts a command; refused while busy or not ready */
#define TIMELY_FLOW_COMMAND_COMMAND_SHIFT 0 /* 1 load: the staged words become the flow, at once; 2 query: ask for the flow's record */
#define TIMELY_FLOW_COMMAND_COMMAND_MASK 0x3u
#define TIMELY_FLOW_COMMAND_COMMAND_LEAST 1u
#define TIMELY_FLOW_COMMAND_COMMAND_MOST 2u
#define TIMELY_FLOW_STATUS 0x18u /* RO: state of the last command */
#define TIMELY_FLOW_STATUS_BUSY_SHIFT 0 /* a query is under way */
#define TIMELY_FLOW_STATUS_BUSY_MASK 0x1u
#define TIMELY_FLOW_STATUS_DONE_SHIFT 1 /* the last command is done; ANSWER holds the record if it was a query */
#define TIMELY_FLOW_STATUS_DONE_MASK 0x2u
#define TIMELY_FLOW_STATUS_ERROR_SHIFT 2 /* the last query was not answered in 4096 clocks */
#define TIMELY_FLOW_STATUS_ERROR_MASK 0x4u
#define TIMELY_FLOW_WINDOW 0x1cu /* RO: offset of the first flow's doorbell */
#define TIMELY_FLOW_STRIDE 0x20u /* RO: bytes from one flow's doorbell to the next */
#define TIMELY_FLOW_STAGE 0x40u /* RW: a flow record on its way in; see the flow record */
#define TIMELY_FLOW_STAGE_COUNT 16
#define TIMELY_FLOW_ANSWER 0x80u /* RO: the answer to the last query, valid when STATUS says done; see the telemetry record */
#define TIMELY_FLOW_ANSWER_COUNT 32

/* Block profiles: What the rate engine and the pacer do for the flows of a profile. */
#define TIMELY_PROFILES_TYPE 0x54690007u
#define TIMELY_PROFILES_VERSION 2
#define TIMELY_PROFILES_BASE 0x600u /* of this version of the map; walk the list instead */
#define TIMELY_PROFILES_PROFILES 0x10u /* RO: number of profiles */
#define TIMELY_PROFILES_WORDS 0x14u /* RO: words of a profile */
#define TIMELY_PROFILES_WORD 0x200u /* RW: word w of profile p is number 32 p + w; in force at once; refused while not ready; ranges are software's to check */
#define TIMELY_PROFILES_WORD_COUNT 512

/* Block telemetry: Event records of rate updates, and histograms of the signal (RTT, or what the profile takes in its place) by profile. The counters of a flow are in its telemetry record. */
#define TIMELY_TELEMETRY_TYPE 0x54690009u
#define TIMELY_TELEMETRY_VERSION 1
#define TIMELY_TELEMETRY_BASE 0x680u /* of this version of the map; walk the list instead */
#define TIMELY_TELEMETRY_EVENT_EVERY 0x10u /* RW: which updates leave as event records: the first that passes EVENT_FILTER once the value has changed, and of those after it one of so many */
#define TIMELY_TELEMETRY_EVENT_EVERY_EVERY_SHIFT 0 /* 1 every update, n one of n, 0 none */
#define TIMELY_TELEMETRY_EVENT_EVERY_EVERY_MASK 0xffffu
#define TIMELY_TELEMETRY_EVENT_FILTER 0x14u /* RW: which updates may be recorded; 0 all */
#define TIMELY_TELEMETRY_EVENT_FILTER_FLOW_SHIFT 0 /* a flow */
#define TIMELY_TELEMETRY_EVENT_FILTER_FLOW_MASK 0xffffu
#define TIMELY_TELEMETRY_EVENT_FILTER_BY_FLOW_SHIFT 16 /* only updates of `flow` */
#define TIMELY_TELEMETRY_EVENT_FILTER_BY_FLOW_MASK 0x10000u
#define TIMELY_TELEMETRY_EVENT_FILTER_PROFILE_SHIFT 20 /* a profile */
#define TIMELY_TELEMETRY_EVENT_FILTER_PROFILE_MASK 0xf00000u
#define TIMELY_TELEMETRY_EVENT_FILTER_BY_PROFILE_SHIFT 24 /* only updates of flows of `profile` */
#define TIMELY_TELEMETRY_EVENT_FILTER_BY_PROFILE_MASK 0x1000000u
#define TIMELY_TELEMETRY_HISTOGRAM_BINS 0x18u /* RO: bins of a profile's histogram */
#define TIMELY_TELEMETRY_HISTOGRAM_INDEX 0x1cu /* RW: the bin that HISTOGRAM_COUNT reads next; what was written last */
#define TIMELY_TELEMETRY_HISTOGRAM_INDEX_BIN_SHIFT 0 /* a bin */
#define TIMELY_TELEMETRY_HISTOGRAM_INDEX_BIN_MASK 0x1ffu
#define TIMELY_TELEMETRY_HISTOGRAM_INDEX_PROFILE_SHIFT 9 /* a profile */
#define TIMELY_TELEMETRY_HISTOGRAM_INDEX_PROFILE_MASK 0x1e00u
#define TIMELY_TELEMETRY_HISTOGRAM_COUNT 0x20u /* RO: the bin's count, wrapping; each read goes on to the next bin */
#define TIMELY_TELEMETRY_HISTOGRAM_CLEAR 0x24u /* WO: clears histograms, bin by bin, a bin in each clock without an update; what comes meanwhile is counted in the bins that are done */
#define TIMELY_TELEMETRY_HISTOGRAM_CLEAR_CLEAR_SHIFT 0 /* 1 clears the histogram of the profile of that number */
#define TIMELY_TELEMETRY_HISTOGRAM_CLEAR_CLEAR_MASK 0xffffu
#define TIMELY_TELEMETRY_HISTOGRAM_STATE 0x28u /* RO: which histograms are not cleared yet */
#define TIMELY_TELEMETRY_HISTOGRAM_STATE_CLEARING_SHIFT 0 /* 1 the histogram of the profile of that number is being cleared, or waits for it */
#define TIMELY_TELEMETRY_HISTOGRAM_STATE_CLEARING_MASK 0xffffu

/* Block dma: The event ring in the host's memory, snapshots into it, loads from it, interrupts. All bursts are of 64 bytes, aligned. Writes are refused before the design is ready. A memory that answers with an error stops all of it. To stop: write 0 to CONTROL, wait for `idle` and not `running`; then memory may be unmapped. */
#define TIMELY_DMA_TYPE 0x54690008u
#define TIMELY_DMA_VERSION 1
#define TIMELY_DMA_BASE 0x700u /* of this version of the map; walk the list instead */
#define TIMELY_DMA_CONTROL 0x10u /* RW: starts and stops; starting is refused while DMA runs or bursts are in flight, and while the heartbeat is lost */
#define TIMELY_DMA_CONTROL_ENABLE_SHIFT 0 /* 1 starts DMA, with an empty ring whose indices are 0; 0 stops it after the bursts in flight */
#define TIMELY_DMA_CONTROL_ENABLE_MASK 0x1u
#define TIMELY_DMA_CONTROL_RING_SHIFT 1 /* 1 event records go into the ring; 0 they are dropped, and the ring's address means nothing */
#define TIMELY_DMA_CONTROL_RING_MASK 0x2u
#define TIMELY_DMA_INTERRUPT_MASK 0x14u /* RW: interrupt lines that are let out */
#define TIMELY_DMA_INTERRUPT_MASK_WATERMARK_SHIFT 0 /* as many records as the watermark are unread, or there are some and the hold-off time has passed */
#define TIMELY_DMA_INTERRUPT_MASK_WATERMARK_MASK 0x1u
#define TIMELY_DMA_INTERRUPT_MASK_OVERFLOW_SHIFT 1 /* a record waits, and the ring has no room for it */
#define TIMELY_DMA_INTERRUPT_MASK_OVERFLOW_MASK 0x2u
#define TIMELY_DMA_INTERRUPT_MASK_SNAPSHOT_SHIFT 2 /* a snapshot ended */
#define TIMELY_DMA_INTERRUPT_MASK_SNAPSHOT_MASK 0x4u
#define TIMELY_DMA_INTERRUPT_MASK_LOAD_SHIFT 3 /* a load ended */
#define TIMELY_DMA_INTERRUPT_MASK_LOAD_MASK 0x8u
#define TIMELY_DMA_INTERRUPT_MASK_ERROR_SHIFT 4 /* the memory answered a burst with an error, and DMA stopped */
#define TIMELY_DMA_INTERRUPT_MASK_ERROR_MASK 0x10u
#define TIMELY_DMA_INTERRUPT_MASK_HEARTBEAT_SHIFT 5 /* the heartbeat was lost, and DMA stopped */
#define TIMELY_DMA_INTERRUPT_MASK_HEARTBEAT_MASK 0x20u
#define TIMELY_DMA_RING_LOW 0x18u /* RW: address of the ring; refused while DMA runs */
#define TIMELY_DMA_RING_LOW_RING_LOW_SHIFT 6 /* bits 31..6 of the address; bits 5..0 are 0 */
#define TIMELY_DMA_RING_LOW_RING_LOW_MASK 0xffffffc0u
#define TIMELY_DMA_RING_HIGH 0x1cu /* RW: address of the ring; refused while DMA runs */
#define TIMELY_DMA_RING_SIZE 0x20u /* RW: size of the ring; refused while DMA runs */
#define TIMELY_DMA_RING_SIZE_RING_BITS_SHIFT 0 /* log2 of its records, of 64 bytes each */
#define TIMELY_DMA_RING_SIZE_RING_BITS_MASK 0x1fu
#define TIMELY_DMA_RING_SIZE_RING_BITS_LEAST 1u
#define TIMELY_DMA_RING_SIZE_RING_BITS_MOST 20u
#define TIMELY_DMA_WATERMARK 0x24u /* RW: unread records at which the ring interrupts */
#define TIMELY_DMA_WATERMARK_WATERMARK_SHIFT 0 /* records */
#define TIMELY_DMA_WATERMARK_WATERMARK_MASK 0x1fffffu
#define TIMELY_DMA_WATERMARK_WATERMARK_LEAST 1u
#define TIMELY_DMA_WATERMARK_WATERMARK_MOST 1048576u
#define TIMELY_DMA_HOLDOFF 0x28u /* RW: time after which a ring with unread records interrupts all the same; counts from its first one, and from each write of CONSUMER */
#define TIMELY_DMA_STATUS 0x40u /* RO: state of DMA */
#define TIMELY_DMA_STATUS_RUNNING_SHIFT 0 /* DMA runs: enabled, and not stopped by an error or a lost heartbeat */
#define TIMELY_DMA_STATUS_RUNNING_MASK 0x1u
#define TIMELY_DMA_STATUS_IDLE_SHIFT 1 /* DMA is stopped and no burst is in flight: memory may be unmapped; 0 while `running` is 1 */
#define TIMELY_DMA_STATUS_IDLE_MASK 0x2u
#define TIMELY_DMA_INTERRUPT 0x44u /* W1C: what happened, masked or not; `watermark` and `overflow` come again at once while they hold */
#define TIMELY_DMA_INTERRUPT_WATERMARK_SHIFT 0 /* as many records as the watermark are unread, or there are some and the hold-off time has passed */
#define TIMELY_DMA_INTERRUPT_WATERMARK_MASK 0x1u
#define TIMELY_DMA_INTERRUPT_OVERFLOW_SHIFT 1 /* a record waits, and the ring has no room for it */
#define TIMELY_DMA_INTERRUPT_OVERFLOW_MASK 0x2u
#define TIMELY_DMA_INTERRUPT_SNAPSHOT_SHIFT 2 /* a snapshot ended */
#define TIMELY_DMA_INTERRUPT_SNAPSHOT_MASK 0x4u
#define TIMELY_DMA_INTERRUPT_LOAD_SHIFT 3 /* a load ended */
#define TIMELY_DMA_INTERRUPT_LOAD_MASK 0x8u
#define TIMELY_DMA_INTERRUPT_ERROR_SHIFT 4 /* the memory answered a burst with an error, and DMA stopped */
#define TIMELY_DMA_INTERRUPT_ERROR_MASK 0x10u
#define TIMELY_DMA_INTERRUPT_HEARTBEAT_SHIFT 5 /* the heartbeat was lost, and DMA stopped */
#define TIMELY_DMA_INTERRUPT_HEARTBEAT_MASK 0x20u
#define TIMELY_DMA_PRODUCER 0x48u /* RO: records that are whole in memory: the ring's next record is number PRODUCER, modulo its size */
#define TIMELY_DMA_CONSUMER 0x4cu /* RW: records that software has read; one that is not within the ring's size before PRODUCER makes the ring full */
#define TIMELY_DMA_SNAPSHOT_STATUS 0x50u /* RO: state of the snapshot */
#define TIMELY_DMA_SNAPSHOT_STATUS_BUSY_SHIFT 0 /* the command is under way */
#define TIMELY_DMA_SNAPSHOT_STATUS_BUSY_MASK 0x1u
#define TIMELY_DMA_SNAPSHOT_STATUS_DONE_SHIFT 1 /* the last command ended */
#define TIMELY_DMA_SNAPSHOT_STATUS_DONE_MASK 0x2u
#define TIMELY_DMA_SNAPSHOT_STATUS_CODE_SHIFT 4 /* how it ended: 0 complete, 1 flows beyond the table and nothing was done, 2 the memory answered with an error, 3 DMA was stopped, 4 no answer from telemetry */
#define TIMELY_DMA_SNAPSHOT_STATUS_CODE_MASK 0x70u
#define TIMELY_DMA_SNAPSHOT_PROGRESS 0x54u /* RO: flows whose records are whole in memory */
#define TIMELY_DMA_SNAPSHOT_PROGRESS_SNAPSHOT_PROGRESS_SHIFT 0 /* flows */
#define TIMELY_DMA_SNAPSHOT_PROGRESS_SNAPSHOT_PROGRESS_MASK 0x1ffffu
#define TIMELY_DMA_LOAD_STATUS 0x58u /* RO: state of the load */
#define TIMELY_DMA_LOAD_STATUS_BUSY_SHIFT 0 /* the command is under way */
#define TIMELY_DMA_LOAD_STATUS_BUSY_MASK 0x1u
#define TIMELY_DMA_LOAD_STATUS_DONE_SHIFT 1 /* the last command ended */
#define TIMELY_DMA_LOAD_STATUS_DONE_MASK 0x2u
#define TIMELY_DMA_LOAD_STATUS_CODE_SHIFT 4 /* how it ended: 0 complete, 1 flows beyond the table and nothing was done, 2 the memory answered with an error, 3 DMA was stopped, 4 no answer from telemetry */
#define TIMELY_DMA_LOAD_STATUS_CODE_MASK 0x70u
#define TIMELY_DMA_LOAD_PROGRESS 0x5cu /* RO: records that were read, those refused among them */
#define TIMELY_DMA_LOAD_PROGRESS_LOAD_PROGRESS_SHIFT 0 /* flows */
#define TIMELY_DMA_LOAD_PROGRESS_LOAD_PROGRESS_MASK 0x1ffffu
#define TIMELY_DMA_LOAD_REFUSED 0x60u /* RO: records whose values a staged word would not take: their flows stay as they were */
#define TIMELY_DMA_LOAD_REFUSED_LOAD_REFUSED_SHIFT 0 /* flows */
#define TIMELY_DMA_LOAD_REFUSED_LOAD_REFUSED_MASK 0x1ffffu
#define TIMELY_DMA_SNAPSHOT_LOW 0x80u /* RW: address of the snapshot; refused while one is under way */
#define TIMELY_DMA_SNAPSHOT_LOW_ADDRESS_LOW_SHIFT 6 /* bits 31..6 of the address; bits 5..0 are 0 */
#define TIMELY_DMA_SNAPSHOT_LOW_ADDRESS_LOW_MASK 0xffffffc0u
#define TIMELY_DMA_SNAPSHOT_HIGH 0x84u /* RW: address of the snapshot; refused while one is under way */
#define TIMELY_DMA_SNAPSHOT_FIRST 0x88u /* RW: first flow of the snapshot; refused while one is under way */
#define TIMELY_DMA_SNAPSHOT_FIRST_FIRST_SHIFT 0 /* below 2^FLOW_BITS */
#define TIMELY_DMA_SNAPSHOT_FIRST_FIRST_MASK 0xffffu
#define TIMELY_DMA_SNAPSHOT_COUNT 0x8cu /* RW: flows of the snapshot; refused while one is under way */
#define TIMELY_DMA_SNAPSHOT_COUNT_COUNT_SHIFT 0 /* flows of 128 bytes each, at most 2^FLOW_BITS */
#define TIMELY_DMA_SNAPSHOT_COUNT_COUNT_MASK 0x1ffffu
#define TIMELY_DMA_SNAPSHOT_COUNT_COUNT_LEAST 1u
#define TIMELY_DMA_SNAPSHOT_COUNT_COUNT_MOST 65536u
#define TIMELY_DMA_SNAPSHOT_COMMAND 0x90u /* WO: starts a snapshot; refused while one is under way, or DMA does not run */
#define TIMELY_DMA_SNAPSHOT_COMMAND_START_SHIFT 0 /* 1 starts */
#define TIMELY_DMA_SNAPSHOT_COMMAND_START_MASK 0x1u
#define TIMELY_DMA_SNAPSHOT_COMMAND_START_LEAST 1u
#define TIMELY_DMA_LOAD_LOW 0xa0u /* RW: address of the load; refused while one is under way */
#define TIMELY_DMA_LOAD_LOW_ADDRESS_LOW_SHIFT 6 /* bits 31..6 of the address; bits 5..0 are 0 */
#define TIMELY_DMA_LOAD_LOW_ADDRESS_LOW_MASK 0xffffffc0u
#define TIMELY_DMA_LOAD_HIGH 0xa4u /* RW: address of the load; refused while one is under way */
#define TIMELY_DMA_LOAD_FIRST 0xa8u /* RW: first flow of the load; refused while one is under way */
#define TIMELY_DMA_LOAD_FIRST_FIRST_SHIFT 0 /* below 2^FLOW_BITS */
#define TIMELY_DMA_LOAD_FIRST_FIRST_MASK 0xffffu
#define TIMELY_DMA_LOAD_COUNT 0xacu /* RW: flows of the load; refused while one is under way */
#define TIMELY_DMA_LOAD_COUNT_COUNT_SHIFT 0 /* flows of 64 bytes each, at most 2^FLOW_BITS */
#define TIMELY_DMA_LOAD_COUNT_COUNT_MASK 0x1ffffu
#define TIMELY_DMA_LOAD_COUNT_COUNT_LEAST 1u
#define TIMELY_DMA_LOAD_COUNT_COUNT_MOST 65536u
#define TIMELY_DMA_LOAD_COMMAND 0xb0u /* WO: starts a load; refused while one is under way, or DMA does not run */
#define TIMELY_DMA_LOAD_COMMAND_START_SHIFT 0 /* 1 starts */
#define TIMELY_DMA_LOAD_COMMAND_START_MASK 0x1u
#define TIMELY_DMA_LOAD_COMMAND_START_LEAST 1u
#define TIMELY_FLOW_COMMAND_LOAD 1
#define TIMELY_FLOW_COMMAND_QUERY 2
#define TIMELY_REFUSAL_NO_REGISTER 1
#define TIMELY_REFUSAL_DIRECTION 2
#define TIMELY_REFUSAL_STROBE 3
#define TIMELY_REFUSAL_RANGE 4
#define TIMELY_REFUSAL_NOT_NOW 5

/* Window of the flows */
#define TIMELY_WINDOW_BASE 0x400000u
#define TIMELY_WINDOW_STRIDE 64
#define TIMELY_WINDOW_DOORBELL 0 /* WO: packets to post */
#define TIMELY_WINDOW_FIXED_RATE 4 /* WO: rate of a flow of law fixed, 2^-12 Mb/s */
#define TIMELY_WINDOW_MOST_PACKETS 65535

/* Flow record */
#define TIMELY_FLOW_RECORD_WORDS 16
#define TIMELY_FLOW_RECORD_ENABLE_WORD 0
#define TIMELY_FLOW_RECORD_ENABLE_SHIFT 0 /* the flow exists: it may send, and ACKs for it count */
#define TIMELY_FLOW_RECORD_ENABLE_MASK 0x1u
#define TIMELY_FLOW_RECORD_KEEP_WORD 0
#define TIMELY_FLOW_RECORD_KEEP_SHIFT 1 /* leave rate, law state, backlog and counters as they are */
#define TIMELY_FLOW_RECORD_KEEP_MASK 0x2u
#define TIMELY_FLOW_RECORD_ENDLESS_WORD 0
#define TIMELY_FLOW_RECORD_ENDLESS_SHIFT 2 /* the generator posts a packet for every one that it is granted */
#define TIMELY_FLOW_RECORD_ENDLESS_MASK 0x4u
#define TIMELY_FLOW_RECORD_READ_WORD 0
#define TIMELY_FLOW_RECORD_READ_SHIFT 3 /* READ: charge `charged_bytes` a segment in place of its own bytes */
#define TIMELY_FLOW_RECORD_READ_MASK 0x8u
#define TIMELY_FLOW_RECORD_PROFILE_WORD 0
#define TIMELY_FLOW_RECORD_PROFILE_SHIFT 4 /* profile */
#define TIMELY_FLOW_RECORD_PROFILE_MASK 0xf0u
#define TIMELY_FLOW_RECORD_PRIORITY_WORD 0
#define TIMELY_FLOW_RECORD_PRIORITY_SHIFT 8 /* priority, for PFC */
#define TIMELY_FLOW_RECORD_PRIORITY_MASK 0x700u
#define TIMELY_FLOW_RECORD_IPV6_WORD 0
#define TIMELY_FLOW_RECORD_IPV6_SHIFT 11 /* IPv6 */
#define TIMELY_FLOW_RECORD_IPV6_MASK 0x800u
#define TIMELY_FLOW_RECORD_VLAN_WORD 0
#define TIMELY_FLOW_RECORD_VLAN_SHIFT 12 /* frames carry a VLAN tag */
#define TIMELY_FLOW_RECORD_VLAN_MASK 0x1000u
#define TIMELY_FLOW_RECORD_VLAN_TCI_WORD 0
#define TIMELY_FLOW_RECORD_VLAN_TCI_SHIFT 16 /* VLAN TCI */
#define TIMELY_FLOW_RECORD_VLAN_TCI_MASK 0xffff0000u
#define TIMELY_FLOW_RECORD_PAYLOAD_BYTES_WORD 1
#define TIMELY_FLOW_RECORD_PAYLOAD_BYTES_SHIFT 0 /* payload bytes a packet, after our header */
#define TIMELY_FLOW_RECORD_PAYLOAD_BYTES_MASK 0x3fffu
#define TIMELY_FLOW_RECORD_SEGMENT_PACKETS_WORD 1
#define TIMELY_FLOW_RECORD_SEGMENT_PACKETS_SHIFT 16 /* packets a segment */
#define TIMELY_FLOW_RECORD_SEGMENT_PACKETS_MASK 0xff0000u
#define TIMELY_FLOW_RECORD_SEGMENT_PACKETS_LEAST 1u
#define TIMELY_FLOW_RECORD_MAC_LOW_WORD 2
#define TIMELY_FLOW_RECORD_MAC_LOW_SHIFT 0 /* destination MAC, bytes 0 to 3 (byte 0 in bits 7..0) */
#define TIMELY_FLOW_RECORD_MAC_LOW_MASK 0xffffffffu
#define TIMELY_FLOW_RECORD_MAC_HIGH_WORD 3
#define TIMELY_FLOW_RECORD_MAC_HIGH_SHIFT 0 /* destination MAC, bytes 4 and 5 */
#define TIMELY_FLOW_RECORD_MAC_HIGH_MASK 0xffffu
#define TIMELY_FLOW_RECORD_SOURCE_PORT_WORD 4
#define TIMELY_FLOW_RECORD_SOURCE_PORT_SHIFT 0 /* UDP source port */
#define TIMELY_FLOW_RECORD_SOURCE_PORT_MASK 0xffffu
#define TIMELY_FLOW_RECORD_DESTINATION_PORT_WORD 4
#define TIMELY_FLOW_RECORD_DESTINATION_PORT_SHIFT 16 /* UDP destination port */
#define TIMELY_FLOW_RECORD_DESTINATION_PORT_MASK 0xffff0000u
#define TIMELY_FLOW_RECORD_TTL_WORD 5
#define TIMELY_FLOW_RECORD_TTL_SHIFT 0 /* TTL or hop limit */
#define TIMELY_FLOW_RECORD_TTL_MASK 0xffu
#define TIMELY_FLOW_RECORD_TOS_WORD 5
#define TIMELY_FLOW_RECORD_TOS_SHIFT 8 /* TOS or traffic class */
#define TIMELY_FLOW_RECORD_TOS_MASK 0xff00u
#define TIMELY_FLOW_RECORD_CHARGED_BYTES_WORD 6
#define TIMELY_FLOW_RECORD_CHARGED_BYTES_SHIFT 0 /* charged bytes a segment of a READ; 0 counts as 1, above 65,535 as that */
#define TIMELY_FLOW_RECORD_CHARGED_BYTES_MASK 0xffffffffu
#define TIMELY_FLOW_RECORD_ADDRESS_0_WORD 8
#define TIMELY_FLOW_RECORD_ADDRESS_0_SHIFT 0 /* destination address, bytes 0 to 3 (byte 0 in bits 7..0); all of an IPv4 address */
#define TIMELY_FLOW_RECORD_ADDRESS_0_MASK 0xffffffffu
#define TIMELY_FLOW_RECORD_ADDRESS_1_WORD 9
#define TIMELY_FLOW_RECORD_ADDRESS_1_SHIFT 0 /* destination address, bytes 4 to 7 */
#define TIMELY_FLOW_RECORD_ADDRESS_1_MASK 0xffffffffu
#define TIMELY_FLOW_RECORD_ADDRESS_2_WORD 10
#define TIMELY_FLOW_RECORD_ADDRESS_2_SHIFT 0 /* destination address, bytes 8 to 11 */
#define TIMELY_FLOW_RECORD_ADDRESS_2_MASK 0xffffffffu
#define TIMELY_FLOW_RECORD_ADDRESS_3_WORD 11
#define TIMELY_FLOW_RECORD_ADDRESS_3_SHIFT 0 /* destination address, bytes 12 to 15 */
#define TIMELY_FLOW_RECORD_ADDRESS_3_MASK 0xffffffffu

/* Profile */
#define TIMELY_PROFILE_COUNT 16
#define TIMELY_PROFILE_WORDS 32
#define TIMELY_PROFILE_LAW_WORD 0
#define TIMELY_PROFILE_LAW_SHIFT 0 /* 0 fixed (the host writes the rate), 1 TIMELY, 2 Patched TIMELY, 3 Swift, 4 PI, 5 DCQCN */
#define TIMELY_PROFILE_LAW_MASK 0xfu
#define TIMELY_PROFILE_LAW_MOST 5u
#define TIMELY_PROFILE_HAI_SMOOTHED_WORD 0
#define TIMELY_PROFILE_HAI_SMOOTHED_SHIFT 4 /* hyperactive increase counts smoothed gradients (else raw differences) */
#define TIMELY_PROFILE_HAI_SMOOTHED_MASK 0x10u
#define TIMELY_PROFILE_NO_DELTA_FACTOR_WORD 0
#define TIMELY_PROFILE_NO_DELTA_FACTOR_SHIFT 5 /* no delta factor */
#define TIMELY_PROFILE_NO_DELTA_FACTOR_MASK 0x20u
#define TIMELY_PROFILE_HALF_FLOOR_WORD 0
#define TIMELY_PROFILE_HALF_FLOOR_SHIFT 6 /* an update never goes below half the old rate */
#define TIMELY_PROFILE_HALF_FLOOR_MASK 0x40u
#define TIMELY_PROFILE_RTT_START_WORD 0
#define TIMELY_PROFILE_RTT_START_SHIFT 8 /* start of the RTT: 0 last byte out, 1 first byte out, 2 eligible to send */
#define TIMELY_PROFILE_RTT_START_MASK 0x300u
#define TIMELY_PROFILE_RTT_START_MOST 2u
#define TIMELY_PROFILE_SIGNAL_WORD 0
#define TIMELY_PROFILE_SIGNAL_SHIFT 10 /* what the law takes for the RTT: 0 the RTT, 1 the RTT less the responder's residence, 2 one-way delay variation */
#define TIMELY_PROFILE_SIGNAL_MASK 0xc00u
#define TIMELY_PROFILE_SIGNAL_MOST 2u
#define TIMELY_PROFILE_OUTSTANDING_WORD 1
#define TIMELY_PROFILE_OUTSTANDING_SHIFT 0 /* outstanding bound, wire bytes; 0 none; a segment that is longer, or a READ that is dearer, goes beyond it to its end, alone and packet by packet */
#define TIMELY_PROFILE_OUTSTANDING_MASK 0x3fffffffu
#define TIMELY_PROFILE_TIMEOUT_NS_WORD 2
#define TIMELY_PROFILE_TIMEOUT_NS_SHIFT 0 /* segment time-out, ns; 0 none */
#define TIMELY_PROFILE_TIMEOUT_NS_MASK 0x7fffffffu
#define TIMELY_PROFILE_IDLE_NS_WORD 3
#define TIMELY_PROFILE_IDLE_NS_SHIFT 0 /* idle time after which a flow restarts, ns; 0 never */
#define TIMELY_PROFILE_IDLE_NS_MASK 0x7fffffffu
#define TIMELY_PROFILE_TOKEN_CAP_WORD 4
#define TIMELY_PROFILE_TOKEN_CAP_SHIFT 0 /* token cap while backlogged, bytes */
#define TIMELY_PROFILE_TOKEN_CAP_MASK 0xfffffu
#define TIMELY_PROFILE_INITIAL_RATE_WORD 5
#define TIMELY_PROFILE_INITIAL_RATE_SHIFT 0 /* rate of a new flow */
#define TIMELY_PROFILE_INITIAL_RATE_MASK 0xffffffffu
#define TIMELY_PROFILE_RESTART_RATE_WORD 6
#define TIMELY_PROFILE_RESTART_RATE_SHIFT 0 /* idle-restart rate */
#define TIMELY_PROFILE_RESTART_RATE_MASK 0xffffffffu
#define TIMELY_PROFILE_LEAST_RATE_WORD 7
#define TIMELY_PROFILE_LEAST_RATE_SHIFT 0 /* least rate */
#define TIMELY_PROFILE_LEAST_RATE_MASK 0xffffffffu
#define TIMELY_PROFILE_GREATEST_RATE_WORD 8
#define TIMELY_PROFILE_GREATEST_RATE_SHIFT 0 /* greatest rate */
#define TIMELY_PROFILE_GREATEST_RATE_MASK 0xffffffffu
#define TIMELY_PROFILE_T_LOW_NS_WORD 9
#define TIMELY_PROFILE_T_LOW_NS_SHIFT 0 /* Tlow, ns; Swift: the target's base; DCQCN: least time from a CNP to the next */
#define TIMELY_PROFILE_T_LOW_NS_MASK 0xffffffu
#define TIMELY_PROFILE_T_HIGH_NS_WORD 10
#define TIMELY_PROFILE_T_HIGH_NS_SHIFT 0 /* Thigh, ns; Swift: the endpoint delay's target; DCQCN: time without a CNP after which alpha decays */
#define TIMELY_PROFILE_T_HIGH_NS_MASK 0xffffffu
#define TIMELY_PROFILE_T_HIGH_ZEROS_WORD 10
#define TIMELY_PROFILE_T_HIGH_ZEROS_SHIFT 24 /* leading zeros of Thigh as a 24-bit number */
#define TIMELY_PROFILE_T_HIGH_ZEROS_MASK 0x1f000000u
#define TIMELY_PROFILE_T_HIGH_ZEROS_MOST 23u
#define TIMELY_PROFILE_ALPHA_WORD 11
#define TIMELY_PROFILE_ALPHA_SHIFT 0 /* weight of the newest RTT difference, Q.32; Swift: beta; DCQCN: gain of alpha */
#define TIMELY_PROFILE_ALPHA_MASK 0xffffffffu
#define TIMELY_PROFILE_DEADBAND_WORD 12
#define TIMELY_PROFILE_DEADBAND_SHIFT 0 /* smoothed differences up to this, 2^-13 ns, count as zero */
#define TIMELY_PROFILE_DEADBAND_MASK 0xfffffu
#define TIMELY_PROFILE_GRADIENT_FULL_NS_WORD 13
#define TIMELY_PROFILE_GRADIENT_FULL_NS_SHIFT 0 /* minRTT / beta, ns, rounded up: smoothed differences from here on cut by all they may. Patched and PI: minRTT / 4, where the weight ends */
#define TIMELY_PROFILE_GRADIENT_FULL_NS_MASK 0x1ffffffu
#define TIMELY_PROFILE_GRADIENT_FULL_NS_MOST 16777216u
#define TIMELY_PROFILE_GRADIENT_GAIN_WORD 14
#define TIMELY_PROFILE_GRADIENT_GAIN_SHIFT 0 /* beta / minRTT: round(beta / minRTT[ns] * 2^(50 - 4 gradient_shift)); Patched and PI: with 4 for beta */
#define TIMELY_PROFILE_GRADIENT_GAIN_MASK 0x3fffffffu
#define TIMELY_PROFILE_GRADIENT_SHIFT_WORD 14
#define TIMELY_PROFILE_GRADIENT_SHIFT_SHIFT 30 /* a quarter, rounded down, of the leading zeros of gradient_full_ns - 1 as a 24-bit number, at most 3 */
#define TIMELY_PROFILE_GRADIENT_SHIFT_MASK 0xc0000000u
#define TIMELY_PROFILE_UPDATE_INTERVAL_NS_WORD 15
#define TIMELY_PROFILE_UPDATE_INTERVAL_NS_SHIFT 0 /* T_upd: interval that a full additive step is for, ns; DCQCN: the rate timer */
#define TIMELY_PROFILE_UPDATE_INTERVAL_NS_MASK 0xffffffu
#define TIMELY_PROFILE_UPDATE_INVERSE_WORD 16
#define TIMELY_PROFILE_UPDATE_INVERSE_SHIFT 0 /* 1 / T_upd: round(2^(48 - 6 update_shift) / T_upd[ns]) */
#define TIMELY_PROFILE_UPDATE_INVERSE_MASK 0x3fffffffu
#define TIMELY_PROFILE_UPDATE_SHIFT_WORD 16
#define TIMELY_PROFILE_UPDATE_SHIFT_SHIFT 30 /* a sixth, rounded down, of the leading zeros of update_interval_ns as a 24-bit number */
#define TIMELY_PROFILE_UPDATE_SHIFT_MASK 0xc0000000u
#define TIMELY_PROFILE_STEP_WORD 17
#define TIMELY_PROFILE_STEP_SHIFT 0 /* additive step, 2^-12 Mb/s */
#define TIMELY_PROFILE_STEP_MASK 0xffffffu
#define TIMELY_PROFILE_HYPERACTIVE_STEP_WORD 18
#define TIMELY_PROFILE_HYPERACTIVE_STEP_SHIFT 0 /* hyperactive additive step, 2^-12 Mb/s; DCQCN: the hyper step */
#define TIMELY_PROFILE_HYPERACTIVE_STEP_MASK 0xffffffu
#define TIMELY_PROFILE_HYPERACTIVE_AFTER_WORD 18
#define TIMELY_PROFILE_HYPERACTIVE_AFTER_SHIFT 24 /* negative differences in a row from which it applies; DCQCN: stages of fast recovery */
#define TIMELY_PROFILE_HYPERACTIVE_AFTER_MASK 0x7000000u
#define TIMELY_PROFILE_HYPERACTIVE_AFTER_LEAST 1u
#define TIMELY_PROFILE_BETA_WORD 19
#define TIMELY_PROFILE_BETA_SHIFT 0 /* multiplicative decrease, Q.31 */
#define TIMELY_PROFILE_BETA_MASK 0xffffffffu
#define TIMELY_PROFILE_BETA_MOST 2147483648u
#define TIMELY_PROFILE_BETA_T_HIGH_WORD 20
#define TIMELY_PROFILE_BETA_T_HIGH_SHIFT 0 /* round(beta * (Thigh[ns] << t_high_zeros) * 2^8) */
#define TIMELY_PROFILE_BETA_T_HIGH_MASK 0xffffffffu
#define TIMELY_PROFILE_ERROR_GAIN_WORD 21
#define TIMELY_PROFILE_ERROR_GAIN_SHIFT 0 /* Patched: b / Tref, round(b / Tref[ns] * 2^(48 - 4 error_shift)); PI: the integral gain, round(ki * b / Tref[ns] * 2^49) */
#define TIMELY_PROFILE_ERROR_GAIN_MASK 0x3fffffffu
#define TIMELY_PROFILE_ERROR_SHIFT_WORD 21
#define TIMELY_PROFILE_ERROR_SHIFT_SHIFT 30 /* Patched: a quarter, rounded down, of the leading zeros of ceil(4 Tref / b) - 1 as a 24-bit number, at most 3; PI: not looked at */
#define TIMELY_PROFILE_ERROR_SHIFT_MASK 0xc0000000u
#define TIMELY_PROFILE_T_REF_NS_WORD 22
#define TIMELY_PROFILE_T_REF_NS_SHIFT 0 /* Tref of Patched and PI, ns; DCQCN: the byte counter, bytes */
#define TIMELY_PROFILE_T_REF_NS_MASK 0xffffffu
#define TIMELY_PROFILE_PROPORTIONAL_GAIN_WORD 23
#define TIMELY_PROFILE_PROPORTIONAL_GAIN_SHIFT 0 /* PI: the proportional gain, round(kp * b / Tref[ns] * 2^40) */
#define TIMELY_PROFILE_PROPORTIONAL_GAIN_MASK 0x1ffffffu
#define TIMELY_PROFILE_PROPORTIONAL_GAIN_MOST 16777216u
#define TIMELY_PROFILE_HOP_NS_WORD 24
#define TIMELY_PROFILE_HOP_NS_SHIFT 0 /* Swift: what a hop adds to the target, ns */
#define TIMELY_PROFILE_HOP_NS_MASK 0x7fffu
#define TIMELY_PROFILE_FLOW_GAIN_WORD 25
#define TIMELY_PROFILE_FLOW_GAIN_SHIFT 0 /* Swift: flow scaling, beta * alpha * sqrt(packet / T_upd): round(that[ns, with the rate in its unit] * 2^(flow_shift - 3)) */
#define TIMELY_PROFILE_FLOW_GAIN_MASK 0xffffffffu
#define TIMELY_PROFILE_FLOW_OFFSET_WORD 26
#define TIMELY_PROFILE_FLOW_OFFSET_SHIFT 0 /* Swift: beta times what flow scaling is lowered by, 2^-13 ns */
#define TIMELY_PROFILE_FLOW_OFFSET_MASK 0xffffffffu
#define TIMELY_PROFILE_FLOW_RANGE_WORD 27
#define TIMELY_PROFILE_FLOW_RANGE_SHIFT 0 /* Swift: beta times the most that flow scaling adds, 2^-13 ns */
#define TIMELY_PROFILE_FLOW_RANGE_MASK 0xffffffffu
#define TIMELY_PROFILE_MAX_DECREASE_WORD 28
#define TIMELY_PROFILE_MAX_DECREASE_SHIFT 0 /* Swift: the greatest decrease of an update, and that of a time-out, Q.26 */
#define TIMELY_PROFILE_MAX_DECREASE_MASK 0x7ffffffu
#define TIMELY_PROFILE_MAX_DECREASE_MOST 67108864u
#define TIMELY_PROFILE_FLOW_SHIFT_WORD 28
#define TIMELY_PROFILE_FLOW_SHIFT_SHIFT 28 /* Swift: half the leading zeros of the least rate at which flow scaling is below its bound */
#define TIMELY_PROFILE_FLOW_SHIFT_MASK 0xf0000000u
#define TIMELY_PROFILE_SIGNAL_BASE_NS_WORD 29
#define TIMELY_PROFILE_SIGNAL_BASE_NS_SHIFT 0 /* signal 2: what is added to the variation, ns; the unloaded RTT keeps thresholds their meaning */
#define TIMELY_PROFILE_SIGNAL_BASE_NS_MASK 0xffffffu
#define TIMELY_PROFILE_USE_WINDOW_NS_WORD 30
#define TIMELY_PROFILE_USE_WINDOW_NS_SHIFT 0 /* the rate of a flow does not grow from when it is this far behind 80 % of its use, ns, until it has caught up; 0 it may always */
#define TIMELY_PROFILE_USE_WINDOW_NS_MASK 0xffffffu
#define TIMELY_PROFILE_LOSS_DECREASE_WORD 31
#define TIMELY_PROFILE_LOSS_DECREASE_SHIFT 0 /* decrease of the rate by a sample whose ACK tells of lost packets, or by a NAK, at most once in an RTT, Q.26; 0 none */
#define TIMELY_PROFILE_LOSS_DECREASE_MASK 0x7ffffffu
#define TIMELY_PROFILE_LOSS_DECREASE_MOST 67108864u

/* Telemetry record */
#define TIMELY_TELEMETRY_WORDS 32
#define TIMELY_TELEMETRY_PACKETS_WORD 0
#define TIMELY_TELEMETRY_PACKETS_SHIFT 0 /* data packets handed to the MAC */
#define TIMELY_TELEMETRY_PACKETS_MASK 0xffffffffu
#define TIMELY_TELEMETRY_WIRE_BYTES_LOW_WORD 1
#define TIMELY_TELEMETRY_WIRE_BYTES_LOW_SHIFT 0 /* their wire bytes, bits 31 to 0 */
#define TIMELY_TELEMETRY_WIRE_BYTES_LOW_MASK 0xffffffffu
#define TIMELY_TELEMETRY_WIRE_BYTES_HIGH_WORD 2
#define TIMELY_TELEMETRY_WIRE_BYTES_HIGH_SHIFT 0 /* their wire bytes, bits 47 to 32 */
#define TIMELY_TELEMETRY_WIRE_BYTES_HIGH_MASK 0xffffu
#define TIMELY_TELEMETRY_SEGMENTS_WORD 3
#define TIMELY_TELEMETRY_SEGMENTS_SHIFT 0 /* segments whose last packet was handed to the MAC */
#define TIMELY_TELEMETRY_SEGMENTS_MASK 0xffffffffu
#define TIMELY_TELEMETRY_SAMPLES_WORD 4
#define TIMELY_TELEMETRY_SAMPLES_SHIFT 0 /* RTTs measured */
#define TIMELY_TELEMETRY_SAMPLES_MASK 0xffffffffu
#define TIMELY_TELEMETRY_TIMEOUTS_WORD 5
#define TIMELY_TELEMETRY_TIMEOUTS_SHIFT 0 /* time-outs that the engine was told of */
#define TIMELY_TELEMETRY_TIMEOUTS_MASK 0xffffffffu
#define TIMELY_TELEMETRY_RTT_MIN_WORD 6
#define TIMELY_TELEMETRY_RTT_MIN_SHIFT 0 /* least RTT, ns; only if `measured` */
#define TIMELY_TELEMETRY_RTT_MIN_MASK 0xffffffu
#define TIMELY_TELEMETRY_MEASURED_WORD 6
#define TIMELY_TELEMETRY_MEASURED_SHIFT 31 /* an RTT was measured since the record was cleared */
#define TIMELY_TELEMETRY_MEASURED_MASK 0x80000000u
#define TIMELY_TELEMETRY_RTT_LAST_WORD 7
#define TIMELY_TELEMETRY_RTT_LAST_SHIFT 0 /* last RTT, ns; only if `measured` */
#define TIMELY_TELEMETRY_RTT_LAST_MASK 0xffffffu
#define TIMELY_TELEMETRY_RTT_SMOOTHED_WORD 8
#define TIMELY_TELEMETRY_RTT_SMOOTHED_SHIFT 0 /* smoothed RTT (by 1/8 a sample), 2^-8 ns; only if `measured`; see `smooth` */
#define TIMELY_TELEMETRY_RTT_SMOOTHED_MASK 0xffffffffu
#define TIMELY_TELEMETRY_ACKS_WORD 9
#define TIMELY_TELEMETRY_ACKS_SHIFT 0 /* ACKs that released a segment, with an RTT or without */
#define TIMELY_TELEMETRY_ACKS_MASK 0xffffffffu
#define TIMELY_TELEMETRY_ACKS_STALE_WORD 10
#define TIMELY_TELEMETRY_ACKS_STALE_SHIFT 0 /* ACKs of segments that were not outstanding any more, or not yet */
#define TIMELY_TELEMETRY_ACKS_STALE_MASK 0xffffffffu
#define TIMELY_TELEMETRY_ACKS_REPEATED_WORD 11
#define TIMELY_TELEMETRY_ACKS_REPEATED_SHIFT 0 /* ACKs of segments that were acknowledged before */
#define TIMELY_TELEMETRY_ACKS_REPEATED_MASK 0xffffffffu
#define TIMELY_TELEMETRY_ACKS_FORGED_WORD 12
#define TIMELY_TELEMETRY_ACKS_FORGED_SHIFT 0 /* ACKs with a wrong nonce, or from another host */
#define TIMELY_TELEMETRY_ACKS_FORGED_MASK 0xffffffffu
#define TIMELY_TELEMETRY_SAMPLED_AT_WORD 13
#define TIMELY_TELEMETRY_SAMPLED_AT_SHIFT 0 /* steady time when the last RTT was measured, 2^10 ns, wrapping after 73 minutes; only if `measured` */
#define TIMELY_TELEMETRY_SAMPLED_AT_MASK 0xffffffffu
#define TIMELY_TELEMETRY_READ_AT_WORD 14
#define TIMELY_TELEMETRY_READ_AT_SHIFT 0 /* steady time when the record was read, 2^10 ns; less `sampled_at`, the age of the last RTT */
#define TIMELY_TELEMETRY_READ_AT_MASK 0xffffffffu
#define TIMELY_TELEMETRY_LOST_WORD 15
#define TIMELY_TELEMETRY_LOST_SHIFT 0 /* segments that lost packets, as the ACKs of RTTs told, of more than 63 that followed one another 63; NAKs of a queue pair */
#define TIMELY_TELEMETRY_LOST_MASK 0xffffffffu
#define TIMELY_TELEMETRY_UPDATES_WORD 16
#define TIMELY_TELEMETRY_UPDATES_SHIFT 0 /* times that the engine set the rate; the sum of the branches */
#define TIMELY_TELEMETRY_UPDATES_MASK 0xffffffffu
#define TIMELY_TELEMETRY_BELOW_TLOW_WORD 17
#define TIMELY_TELEMETRY_BELOW_TLOW_SHIFT 0 /* of these, because the RTT was below Tlow */
#define TIMELY_TELEMETRY_BELOW_TLOW_MASK 0xffffffffu
#define TIMELY_TELEMETRY_ABOVE_THIGH_WORD 18
#define TIMELY_TELEMETRY_ABOVE_THIGH_SHIFT 0 /* because it was above Thigh */
#define TIMELY_TELEMETRY_ABOVE_THIGH_MASK 0xffffffffu
#define TIMELY_TELEMETRY_GRADIENT_INCREASE_WORD 19
#define TIMELY_TELEMETRY_GRADIENT_INCREASE_SHIFT 0 /* increased by the gradient */
#define TIMELY_TELEMETRY_GRADIENT_INCREASE_MASK 0xffffffffu
#define TIMELY_TELEMETRY_GRADIENT_DECREASE_WORD 20
#define TIMELY_TELEMETRY_GRADIENT_DECREASE_SHIFT 0 /* decreased by the gradient */
#define TIMELY_TELEMETRY_GRADIENT_DECREASE_MASK 0xffffffffu
#define TIMELY_TELEMETRY_OTHER_WORD 21
#define TIMELY_TELEMETRY_OTHER_SHIFT 0 /* others: time-out, loss, load, host, idle restart; decreases of Swift that wait; DCQCN */
#define TIMELY_TELEMETRY_OTHER_MASK 0xffffffffu
#define TIMELY_TELEMETRY_HYPERACTIVE_WORD 22
#define TIMELY_TELEMETRY_HYPERACTIVE_SHIFT 0 /* increases that were hyperactive */
#define TIMELY_TELEMETRY_HYPERACTIVE_MASK 0xffffffffu
#define TIMELY_TELEMETRY_RATE_WORD 23
#define TIMELY_TELEMETRY_RATE_SHIFT 0 /* rate since the last update, 2^-12 Mb/s */
#define TIMELY_TELEMETRY_RATE_MASK 0xffffffffu
#define TIMELY_TELEMETRY_LAST_BRANCH_WORD 24
#define TIMELY_TELEMETRY_LAST_BRANCH_SHIFT 0 /* branch of the last update: 0 `below_tlow`, 1 `above_thigh`, 2 `gradient_increase`, 3 `gradient_decrease`, 4 `other` (no law), 5 `held` (Swift is above a target and decreased less than an RTT ago), which counts in `other` */
#define TIMELY_TELEMETRY_LAST_BRANCH_MASK 0x7u
#define TIMELY_TELEMETRY_LAST_KIND_WORD 24
#define TIMELY_TELEMETRY_LAST_KIND_SHIFT 4 /* what the last update answered, as the engine's events name it */
#define TIMELY_TELEMETRY_LAST_KIND_MASK 0x70u
#define TIMELY_TELEMETRY_SUPERSEDED_WORD 25
#define TIMELY_TELEMETRY_SUPERSEDED_SHIFT 0 /* RTTs and time-outs that the engine never took, because newer ones of the flow came before its turn */
#define TIMELY_TELEMETRY_SUPERSEDED_MASK 0xffffffffu

/* Event record */
#define TIMELY_EVENT_RECORD_WORDS 16
#define TIMELY_EVENT_RECORD_VERSION_VALUE 1
#define TIMELY_EVENT_RECORD_SEQUENCE_WORD 0
#define TIMELY_EVENT_RECORD_SEQUENCE_SHIFT 0 /* number of the record, from 0 after reset, wrapping; a record that was dropped leaves a gap */
#define TIMELY_EVENT_RECORD_SEQUENCE_MASK 0xffffffffu
#define TIMELY_EVENT_RECORD_TIME_LOW_WORD 1
#define TIMELY_EVENT_RECORD_TIME_LOW_SHIFT 0 /* time of the update, ns48.fns16, bits 31 to 0 */
#define TIMELY_EVENT_RECORD_TIME_LOW_MASK 0xffffffffu
#define TIMELY_EVENT_RECORD_TIME_HIGH_WORD 2
#define TIMELY_EVENT_RECORD_TIME_HIGH_SHIFT 0 /* time of the update, bits 63 to 32 */
#define TIMELY_EVENT_RECORD_TIME_HIGH_MASK 0xffffffffu
#define TIMELY_EVENT_RECORD_FLOW_WORD 3
#define TIMELY_EVENT_RECORD_FLOW_SHIFT 0 /* flow */
#define TIMELY_EVENT_RECORD_FLOW_MASK 0xffffu
#define TIMELY_EVENT_RECORD_PROFILE_WORD 3
#define TIMELY_EVENT_RECORD_PROFILE_SHIFT 16 /* its profile */
#define TIMELY_EVENT_RECORD_PROFILE_MASK 0xf0000u
#define TIMELY_EVENT_RECORD_LAW_WORD 3
#define TIMELY_EVENT_RECORD_LAW_SHIFT 20 /* law of that profile when the record was made, as the profile names it */
#define TIMELY_EVENT_RECORD_LAW_MASK 0xf00000u
#define TIMELY_EVENT_RECORD_KIND_WORD 3
#define TIMELY_EVENT_RECORD_KIND_SHIFT 24 /* what was answered: 0 RTT, 1 time-out, 2 load, 3 host rate, 4 idle restart, 5 RTT whose ACK told of a loss, and the rate fell by that, 6 a CNP or a timer of DCQCN, 7 a NAK of a queue pair */
#define TIMELY_EVENT_RECORD_KIND_MASK 0x7000000u
#define TIMELY_EVENT_RECORD_BRANCH_WORD 3
#define TIMELY_EVENT_RECORD_BRANCH_SHIFT 27 /* what decided, as the telemetry record's `last_branch` names it */
#define TIMELY_EVENT_RECORD_BRANCH_MASK 0x38000000u
#define TIMELY_EVENT_RECORD_HYPERACTIVE_WORD 3
#define TIMELY_EVENT_RECORD_HYPERACTIVE_SHIFT 30 /* the increase was a hyperactive one */
#define TIMELY_EVENT_RECORD_HYPERACTIVE_MASK 0x40000000u
#define TIMELY_EVENT_RECORD_SIGNAL_WORD 4
#define TIMELY_EVENT_RECORD_SIGNAL_SHIFT 0 /* RTT or what the profile takes in its place, ns */
#define TIMELY_EVENT_RECORD_SIGNAL_MASK 0xffffffu
#define TIMELY_EVENT_RECORD_HOPS_WORD 4
#define TIMELY_EVENT_RECORD_HOPS_SHIFT 24 /* TTL as sent less TTL as received; of kind 6 what was done: bit 0 a CNP lowered the rate, 1 alpha decayed, 2 the rate was raised, 3 by the hyper step; 7..4 steps that the target rose by */
#define TIMELY_EVENT_RECORD_HOPS_MASK 0xff000000u
#define TIMELY_EVENT_RECORD_ENDPOINT_WORD 5
#define TIMELY_EVENT_RECORD_ENDPOINT_SHIFT 0 /* time in the responder, ns */
#define TIMELY_EVENT_RECORD_ENDPOINT_MASK 0xffffffu
#define TIMELY_EVENT_RECORD_VERSION_WORD 5
#define TIMELY_EVENT_RECORD_VERSION_SHIFT 24 /* 1: the layout described here */
#define TIMELY_EVENT_RECORD_VERSION_MASK 0xff000000u
#define TIMELY_EVENT_RECORD_VERSION_LEAST 1u
#define TIMELY_EVENT_RECORD_VERSION_MOST 1u
#define TIMELY_EVENT_RECORD_ARGUMENT_WORD 6
#define TIMELY_EVENT_RECORD_ARGUMENT_SHIFT 0 /* steady time of the sample or time-out, ns, low 32 bits; of kind host rate the rate that was asked for */
#define TIMELY_EVENT_RECORD_ARGUMENT_MASK 0xffffffffu
#define TIMELY_EVENT_RECORD_RATE_BEFORE_WORD 7
#define TIMELY_EVENT_RECORD_RATE_BEFORE_SHIFT 0 /* rate before the update, 2^-12 Mb/s */
#define TIMELY_EVENT_RECORD_RATE_BEFORE_MASK 0xffffffffu
#define TIMELY_EVENT_RECORD_RATE_WORD 8
#define TIMELY_EVENT_RECORD_RATE_SHIFT 0 /* rate after it */
#define TIMELY_EVENT_RECORD_RATE_MASK 0xffffffffu
#define TIMELY_EVENT_RECORD_BEFORE_0_WORD 9
#define TIMELY_EVENT_RECORD_BEFORE_0_SHIFT 0 /* the law's state before the update; for the rate engine's model alone */
#define TIMELY_EVENT_RECORD_BEFORE_0_MASK 0xffffffffu
#define TIMELY_EVENT_RECORD_BEFORE_1_WORD 10
#define TIMELY_EVENT_RECORD_BEFORE_1_SHIFT 0 /* the same */
#define TIMELY_EVENT_RECORD_BEFORE_1_MASK 0xffffffffu
#define TIMELY_EVENT_RECORD_BEFORE_2_WORD 11
#define TIMELY_EVENT_RECORD_BEFORE_2_SHIFT 0 /* the same */
#define TIMELY_EVENT_RECORD_BEFORE_2_MASK 0xffffffffu
#define TIMELY_EVENT_RECORD_BEFORE_3_WORD 12
#define TIMELY_EVENT_RECORD_BEFORE_3_SHIFT 0 /* the same */
#define TIMELY_EVENT_RECORD_BEFORE_3_MASK 0xffffffffu
#define TIMELY_EVENT_RECORD_BEFORE_4_WORD 13
#define TIMELY_EVENT_RECORD_BEFORE_4_SHIFT 0 /* the same */
#define TIMELY_EVENT_RECORD_BEFORE_4_MASK 0xffffffffu
#define TIMELY_EVENT_RECORD_SOURCE_WORD 14
#define TIMELY_EVENT_RECORD_SOURCE_SHIFT 0 /* 0; software that joins the records of several NICs writes the NIC's number */
#define TIMELY_EVENT_RECORD_SOURCE_MASK 0xffffu
#define TIMELY_EVENT_RECORD_SEQUENCE_AGAIN_WORD 15
#define TIMELY_EVENT_RECORD_SEQUENCE_AGAIN_SHIFT 0 /* `sequence` again */
#define TIMELY_EVENT_RECORD_SEQUENCE_AGAIN_MASK 0xffffffffu

/* Histogram: values below 2^MANTISSA_BITS have the bin of their number, others 2^MANTISSA_BITS bins an octave */
#define TIMELY_HISTOGRAM_BINS 336
#define TIMELY_HISTOGRAM_MANTISSA_BITS 4
#define TIMELY_HISTOGRAM_VALUE_BITS 24

/* Event counters */
#define TIMELY_COUNTER_RX_FRAMES 0 /* A frame arrived, of any kind. */
#define TIMELY_COUNTER_RX_FOREIGN 1 /* A frame that is not ours. */
#define TIMELY_COUNTER_RX_BAD 2 /* The MAC marked it bad. */
#define TIMELY_COUNTER_RX_TRUNCATED 3 /* A frame that ended before its headers, or before the lengths that they give. */
#define TIMELY_COUNTER_RX_BAD_IP 4 /* Ours by port, but its IP header has options, is a fragment, or contradicts the frame's length. */
#define TIMELY_COUNTER_RX_BAD_HEADER 5 /* Ours by port, but version or flags of our header are not defined. */
#define TIMELY_COUNTER_RX_DATA 6 /* A data packet of ours. */
#define TIMELY_COUNTER_RX_ACKS 7 /* An ACK. */
#define TIMELY_COUNTER_ACKS_SENT 8 /* An ACK was sent. */
#define TIMELY_COUNTER_ACK_REFUSED_PEER 9 /* A segment of a peer that is not allowed was not answered. */
#define TIMELY_COUNTER_ACK_REFUSED_ADDRESS 10 /* A segment was not answered that was not to our MAC, IP address, UDP port and VLAN, or not from another host's unicast address. */
#define TIMELY_COUNTER_ACKS_DROPPED 11 /* A segment was not answered because the ACK queue was full. */
#define TIMELY_COUNTER_ACK_STALE 12 /* An ACK of a segment that is not outstanding any more, or not yet. */
#define TIMELY_COUNTER_ACK_FORGED 13 /* An ACK with a wrong nonce. */
#define TIMELY_COUNTER_ACK_REPEATED 14 /* An ACK of a segment that was acknowledged before. */
#define TIMELY_COUNTER_ACK_UNKNOWN_FLOW 15 /* An ACK of a flow that does not exist or is not enabled. */
#define TIMELY_COUNTER_SEGMENT_TIMEOUTS 16 /* A segment was not acknowledged in its profile's time. */
#define TIMELY_COUNTER_SAMPLES_DROPPED 17 /* An RTT sample found the engine's queue full. */
#define TIMELY_COUNTER_RATE_UPDATES 18 /* A rate was computed. */
#define TIMELY_COUNTER_TX_FRAMES 19 /* A data packet was handed to the MAC. */
#define TIMELY_COUNTER_GRANTS 20 /* A grant left the pacer. */
#define TIMELY_COUNTER_DOORBELLS_REFUSED 21 /* A doorbell of a disabled flow, or beyond what a flow may post. */
#define TIMELY_COUNTER_LAUNCHES_MISSED 22 /* A packet left the launch gate more than a microsecond after its launch, or its launch was farther ahead than LEAD can be and it left at once. */
#define TIMELY_COUNTER_CSR_ERRORS 23 /* A register access that no register answers. */
#define TIMELY_COUNTER_HEARTBEAT_STOPS 24 /* The heartbeat was lost. */
#define TIMELY_COUNTER_ACKS_SKIPPED 25 /* A segment's ACK never came, but that of a later one did. */
#define TIMELY_COUNTER_HOST_RATES_REFUSED 26 /* The host wrote the rate of a flow whose law is not `fixed`. */
#define TIMELY_COUNTER_ENGINE_OVERFLOWS 27 /* A host rate, an idle restart or a loaded flow found its queue at the rate engine full, or a sample that of DCQCN's reaction point; a CNP dropped periods that its flow was owed. */
#define TIMELY_COUNTER_RESIDENCE_ABOVE_RTT 28 /* An accepted ACK claims a residence longer than its RTT. */
#define TIMELY_COUNTER_RECORDS_DROPPED 29 /* An event record found its queue full. What DMA discards behind the queue, while it does not run with its ring, or in a form without DMA, counts nowhere: a gap in `sequence` tells. */
#define TIMELY_COUNTER_PACKETS_REFUSED 30 /* A packet of the host's found no room in the packet store (with STORE_WAIT 1 it waits instead), its flow is not enabled, or its addresses are not the flow's. */
#define TIMELY_COUNTER_PACKETS_DISCARDED 31 /* A packet was too long or had a gap, its flow was loaded anew or disabled while it waited, or it came from the wire while the host took none. */
#define TIMELY_COUNTER_ACK_SHARE_EXCEEDED 32 /* A segment was not answered because ACKs had used up their share of the line. */
#define TIMELY_COUNTER_ACKS_DISABLED 33 /* A segment was not answered because answering is not enabled. */
#define TIMELY_COUNTER_SAMPLES_ACROSS_STEP 34 /* An accepted ACK gave no RTT sample because the time stepped between its two stamps, or at most 4,096 clocks before the departure was reported. */
#define TIMELY_COUNTER_SAMPLES_UNSTAMPED 35 /* An accepted ACK gave no RTT sample because its segment's departure was not stamped. */
#define TIMELY_COUNTER_PAUSE_FRAMES 36 /* A PAUSE frame of IEEE 802.3 came and was obeyed, also one of time 0. */
#define TIMELY_COUNTER_PFC_FRAMES 37 /* A PFC frame of 802.1Qbb came and was obeyed, also one of time 0. */
#define TIMELY_COUNTER_PAUSED_TIME 38 /* Pause frames had stopped a priority or more for another 256 clocks. */
#define TIMELY_COUNTER_SEGMENTS_INCOMPLETE 39 /* An ACK was sent that says its segment is incomplete. */
#define TIMELY_COUNTER_SEGMENTS_SKIPPED 40 /* An ACK was sent that says segments of its flow were skipped before it. */
#define TIMELY_COUNTER_LOSS_UNKNOWN 41 /* An ACK was sent that says nothing about lost packets, because the responder's table does not know. */
#define TIMELY_COUNTER_PAIRS_LEARNED 42 /* A queue pair was learned from a packet that the host sends. */
#define TIMELY_COUNTER_PAIRS_SET 43 /* A queue pair was set by a command that was not known. */
#define TIMELY_COUNTER_PAIRS_REMOVED 44 /* A queue pair was removed by a command. */
#define TIMELY_COUNTER_PAIRS_AGED 45 /* A queue pair was forgotten because no packet of it was seen for long. */
#define TIMELY_COUNTER_PAIRS_FULL 46 /* A queue pair got no flow, for all are taken. */
#define TIMELY_COUNTER_PAIRS_CROWDED 47 /* A queue pair was not inserted or not joined, for its buckets are full or its hash is taken. */
#define TIMELY_COUNTER_PAIRS_AMBIGUOUS 48 /* A queue pair was not joined, for answers to its local one belong to another. */
#define TIMELY_COUNTER_PAIRS_POSTPONED 49 /* A queue pair was not learned, for too many waited; the next packet tries again. */
#define TIMELY_COUNTER_REQUESTS_REPEATED 50 /* A request of a queue pair was sent again. */
#define TIMELY_COUNTER_REQUESTS_RESTARTED 51 /* A request began another connection on a queue pair. */
#define TIMELY_COUNTER_SAMPLES_UNSURE 52 /* No RTT sample: the request was sent twice (Karn's rule) or outlived its time-out. */
#define TIMELY_COUNTER_NAKS_RECEIVED 53 /* A NAK of a queue pair's receiver. */
#define TIMELY_COUNTER_RECEIVERS_NOT_READY 54 /* A queue pair's receiver was not ready. */
#define TIMELY_COUNTER_ANSWERS_STRAY 55 /* An answer to a request that is not under way. */
#define TIMELY_COUNTER_ANSWERS_UNKNOWN 56 /* An ACK, NAK or READ response from the wire is of no queue pair that is joined. */
#define TIMELY_COUNTER_CONGESTION_NOTIFIED 57 /* A congestion notification of a queue pair that is joined. */
#define TIMELY_COUNTER_PAIRS_MALFORMED 58 /* A frame from the wire is no well-formed RoCEv2 packet to its port, or its check sequence is wrong. */
#define TIMELY_COUNTER_NOTIFICATIONS_SENT 59 /* A congestion notification was sent in the host's place. */
#define TIMELY_COUNTER_MARKS_UNKNOWN 60 /* A packet arrived with CE whose queue pair is not joined, or that is not addressed to this port: it was not answered. */
#define TIMELY_COUNTER_MARKS_POSTPONED 61 /* A packet arrived with CE while another notification was made, and is answered later; or within 4 clocks of another packet, and is not. */
#define TIMELY_COUNTER_READS_UNCHARGED 62 /* A queue pair was not charged in full for what its READ requests brought: it would have been held up for longer than half of the host's time-out. */

/* The standalone NIC on PCI Express */
#define TIMELY_PCI_VENDOR_ID 0x1234u /* vendor */
#define TIMELY_PCI_DEVICE_ID 0x544du /* device */
#define TIMELY_PCI_SUBSYSTEM_VENDOR_ID 0x1234u /* subsystem vendor */
#define TIMELY_PCI_SUBSYSTEM_ID 0x1u /* subsystem: the standalone shell */
#define TIMELY_PCI_CLASS_CODE 0x20000u /* Ethernet controller */
#define TIMELY_PCI_REGISTERS_BAR 0x0u /* BAR of the register map, 64-bit */
#define TIMELY_PCI_REGISTERS_BYTES 0x1000000u /* its bytes */
#define TIMELY_PCI_MSIX_BAR 0x2u /* BAR of MSI-X, 64-bit */
#define TIMELY_PCI_MSIX_BYTES 0x1000u /* its bytes */
#define TIMELY_PCI_MSIX_TABLE 0x0u /* offset of the MSI-X table in it */
#define TIMELY_PCI_MSIX_PBA 0x800u /* offset of the pending bits in it */
#define TIMELY_PCI_VECTORS 0x6u /* MSI-X vectors, one an interrupt line of block dma, by its number */

/* Our header on the wire, big-endian */
#define TIMELY_WIRE_HEADER_BYTES 48
#define TIMELY_WIRE_VERSION_VALUE 2
#define TIMELY_WIRE_FLAG_FIRST 0x1u
#define TIMELY_WIRE_FLAG_LAST 0x2u
#define TIMELY_WIRE_FLAG_ACK 0x4u
#define TIMELY_WIRE_FLAG_READ 0x8u
#define TIMELY_WIRE_VERSION 0 /* 1 bytes */
#define TIMELY_WIRE_FLAGS 1 /* 1 bytes */
#define TIMELY_WIRE_PACKET 2 /* 2 bytes */
#define TIMELY_WIRE_FLOW 6 /* 4 bytes */
#define TIMELY_WIRE_NONCE 8 /* 4 bytes */
#define TIMELY_WIRE_SEGMENT 12 /* 4 bytes */
#define TIMELY_WIRE_SEGMENT_BYTES 16 /* 4 bytes */
#define TIMELY_WIRE_CHARGED_BYTES 20 /* 4 bytes */
#define TIMELY_WIRE_TTL_SENT 24 /* 1 bytes */
#define TIMELY_WIRE_TTL_SEEN 25 /* 1 bytes */
#define TIMELY_WIRE_ECN_SEEN 26 /* 1 bytes */
#define TIMELY_WIRE_LOSS 27 /* 1 bytes */
#define TIMELY_WIRE_ARRIVAL 28 /* 8 bytes */
#define TIMELY_WIRE_DEPARTURE 36 /* 8 bytes */
#define TIMELY_WIRE_OVERHEAD 24 /* bytes on the wire beside the frame without FCS */
#define TIMELY_WIRE_LEAST 84 /* wire bytes of the shortest frame */

#endif
