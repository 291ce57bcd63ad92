-- A Wireshark dissector for timely-nic's packets (docs/wire-format.md).
--   wireshark -X lua_script:docs/wireshark/timely.lua capture.pcapng
-- For root it is loaded where run_user_scripts_when_superuser is true in Wireshark's init.lua, as Debian has it; otherwise it is not, and nothing says so.
-- The UDP port is a preference of the protocol; 21609 in simulated networks.
local timely = Proto("timely", "timely-nic")

local flag = { FIRST = 0x01, LAST = 0x02, ACK = 0x04, READ = 0x08 }
local f = timely.fields
f.version = ProtoField.uint8("timely.version", "Version")
f.flags = ProtoField.uint8("timely.flags", "Flags", base.HEX)
f.first = ProtoField.bool("timely.first", "First packet of its segment", 8, nil, flag.FIRST)
f.last = ProtoField.bool("timely.last", "Last packet of its segment", 8, nil, flag.LAST)
f.ack = ProtoField.bool("timely.ack", "ACK", 8, nil, flag.ACK)
f.read = ProtoField.bool("timely.read", "READ request", 8, nil, flag.READ)
f.packet = ProtoField.uint16("timely.packet", "Packet number")
f.place = ProtoField.uint16("timely.place", "Place in the ring of departures")
f.flow = ProtoField.uint16("timely.flow", "Flow")
f.nonce = ProtoField.uint32("timely.nonce", "Nonce", base.HEX)
f.segment = ProtoField.uint32("timely.segment", "Segment number")
f.segment_bytes = ProtoField.uint32("timely.segment_bytes", "Segment bytes")
f.charged_bytes = ProtoField.uint32("timely.charged_bytes", "Charged bytes")
f.ttl_sent = ProtoField.uint8("timely.ttl_sent", "TTL sent")
f.ttl_seen = ProtoField.uint8("timely.ttl_seen", "TTL seen")
f.ecn_seen = ProtoField.uint8("timely.ecn_seen", "ECN seen", base.DEC, nil, 0x03)
f.loss = ProtoField.uint8("timely.loss", "Loss", base.HEX)
f.arrived = ProtoField.uint8("timely.arrived", "Segment", base.DEC, { [0] = "unknown", "complete", "incomplete", "reserved" }, 0xc0)
f.skipped = ProtoField.uint8("timely.skipped", "Segments skipped before", base.DEC, nil, 0x3f)
f.arrival = ProtoField.double("timely.arrival_ns", "Arrival at the responder, ns")
f.departure = ProtoField.double("timely.departure_ns", "Departure of the ACK, ns")
f.residence = ProtoField.double("timely.residence_ns", "Residence at the responder, ns")
local short = ProtoExpert.new("timely.short", "Shorter than the header", expert.group.MALFORMED, expert.severity.ERROR)
local unknown = ProtoExpert.new("timely.unknown", "A version that is not 2, or unknown flags", expert.group.MALFORMED, expert.severity.ERROR)
timely.experts = { short, unknown }
timely.prefs.port = Pref.uint("UDP port", 21609, "The port that data packets go to")

local HEADER = 48

-- ns48.fns16
local function stamp(range)
  local high, low = range(0, 4):uint(), range(4, 4):uint()
  return (high * 4294967296.0 + low) / 65536.0
end

function timely.dissector(buffer, pinfo, tree)
  local sub = tree:add(timely, buffer(0, math.min(HEADER, buffer:len())))
  if buffer:len() < HEADER then
    sub:add_proto_expert_info(short)
    return buffer:len()
  end
  pinfo.cols.protocol = "TIMELY"
  local flags = buffer(1, 1):uint()
  sub:add(f.version, buffer(0, 1))
  local of = sub:add(f.flags, buffer(1, 1))
  of:add(f.first, buffer(1, 1))
  of:add(f.last, buffer(1, 1))
  of:add(f.ack, buffer(1, 1))
  of:add(f.read, buffer(1, 1))
  if buffer(0, 1):uint() ~= 2 or flags > 15 then sub:add_proto_expert_info(unknown) end
  sub:add(f.packet, buffer(2, 2))
  sub:add(f.place, buffer(4, 2))
  sub:add(f.flow, buffer(6, 2))
  sub:add(f.nonce, buffer(8, 4))
  sub:add(f.segment, buffer(12, 4))
  sub:add(f.segment_bytes, buffer(16, 4))
  sub:add(f.charged_bytes, buffer(20, 4))
  sub:add(f.ttl_sent, buffer(24, 1))
  local ack = bit.band(flags, flag.ACK) ~= 0
  if ack then
    local arrival, departure = stamp(buffer(28, 8)), stamp(buffer(36, 8))
    sub:add(f.ttl_seen, buffer(25, 1))
    sub:add(f.ecn_seen, buffer(26, 1))
    local loss = sub:add(f.loss, buffer(27, 1))
    loss:add(f.arrived, buffer(27, 1))
    loss:add(f.skipped, buffer(27, 1))
    sub:add(f.arrival, buffer(28, 8), arrival)
    sub:add(f.departure, buffer(36, 8), departure)
    sub:add(f.residence, buffer(28, 16), departure - arrival):set_generated()
  end
  local kind = ack and "ACK" or "data"
  if bit.band(flags, flag.READ) ~= 0 then kind = "READ " .. kind end
  pinfo.cols.info = string.format("%s, flow %d, segment %d, packet %d%s", kind, buffer(6, 2):uint(), buffer(12, 4):uint(), buffer(2, 2):uint(),
    (not ack and bit.band(flags, flag.LAST) ~= 0) and ", last" or "")
  return buffer:len()
end

local ports = DissectorTable.get("udp.port")
local port = timely.prefs.port
ports:add(port, timely)
function timely.prefs_changed()
  if port ~= timely.prefs.port then
    ports:remove(port, timely)
    port = timely.prefs.port
    ports:add(port, timely)
  end
end
