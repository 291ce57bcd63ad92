// timely-nic between a NIC core of taxi and its MAC, a port of @MAC@ bits or less: paced, answered and measured.
// All that is named of taxi are its interfaces and the leaf of its PTP clock; @CORE@ is emitted behind this module.
// The NIC core's side is on `clk`, the NIC core's own: give it `clk` for its MAC clocks.
module tnic_taxi #(
  parameter logic PTP_TS_FMT_TOD = 1'b0
) (
  input wire clk,
  input wire rst,

  taxi_axil_if.wr_slv s_axil_wr,
  taxi_axil_if.rd_slv s_axil_rd,

  input wire       ptp_clk,
  input wire       ptp_rst,
  input wire       ptp_sample_clk,
  input wire       ptp_td_sdi,
  // Priorities that a peer has paused, as the MAC says it on its receive clock.
  input wire [7:0] pause,

  // The NIC core, on `clk`.
  taxi_axis_if.snk s_axis_tx,
  taxi_axis_if.src m_axis_tx_cpl,
  taxi_axis_if.src m_axis_rx,

  // The MAC.
  input wire       mac_tx_clk,
  input wire       mac_tx_rst,
  taxi_axis_if.src mac_axis_tx,
  taxi_axis_if.snk mac_axis_tx_cpl,
  input wire       mac_rx_clk,
  input wire       mac_rx_rst,
  taxi_axis_if.snk mac_axis_rx
);
  localparam W = @W@;
  localparam K = W / 8;
  localparam TS_W = mac_axis_tx_cpl.DATA_W;
  localparam MAC_W = mac_axis_tx.DATA_W;
  localparam HOST_W = s_axis_tx.DATA_W;
  localparam UP_W = m_axis_rx.DATA_W;

  if (!(@MAC_WIDTHS@) || mac_axis_rx.DATA_W != MAC_W)
    $error("timely-nic was emitted for a MAC of @MAC_SAID@ bits in both directions: emit it with the --bus of this MAC");
  if (HOST_W > W || W % HOST_W != 0 || UP_W > W || W % UP_W != 0 || HOST_W < 8 || UP_W < 8)
    $error("timely-nic needs streams of the NIC core of 8 to @W@ bits, a power of two");
  if (TS_W != (PTP_TS_FMT_TOD ? 96 : 48) && (PTP_TS_FMT_TOD || TS_W != 64))
    $error("timely-nic needs stamps of 96 bits with PTP_TS_FMT_TOD, of 48 or 64 without: set PTP_TS_FMT_TOD as the MAC has it");
  if (mac_axis_rx.USER_W != TS_W + 1 || m_axis_rx.USER_W != TS_W + 1 || m_axis_tx_cpl.DATA_W != TS_W)
    $error("timely-nic needs stamps from MAC and to NIC core in one format: tuser of a stamp and one bit, completions of a stamp");
  if (mac_axis_tx.ID_W != 8 || mac_axis_tx_cpl.ID_W != 8 || s_axis_tx.ID_W > 8 || m_axis_tx_cpl.ID_W > 8)
    $error("timely-nic needs tags (tid) of 8 bits at the MAC, and of 8 at most from the NIC core");
  if (s_axil_wr.DATA_W != 32 || s_axil_rd.DATA_W != 32 || s_axil_wr.ADDR_W < 16 || s_axil_rd.ADDR_W < 16)
    $error("timely-nic needs registers of 32 bits and addresses of 16 at least");

  // 128 clocks of reset after a request, and after power-up. Nothing is taken before all of it is over.
  logic [6:0] hold = '1;
  logic       core_rst = 1'b1, mac_rst = 1'b1, up = 1'b0;
  logic [3:0] over = '0;
  always_ff @(posedge clk) begin
    if (rst)
      hold <= '1;
    else if (hold != '0)
      hold <= hold - 1'b1;
    core_rst <= hold != '0;
    // The same, for what does not wait for its clock.
    mac_rst <= hold != '0;
    over <= {over[2:0], !core_rst};
    up <= over[3] && !core_rst && hold == '0;
  end
  wire tx_rst, rx_rst;
  tnic_taxi_reset tx_reset (.clk(mac_tx_clk), .asked(mac_rst), .rst(tx_rst));
  tnic_taxi_reset rx_reset (.clk(mac_rx_clk), .asked(mac_rst), .rst(rx_rst));

  // PTP's time on this clock, as the MAC has it, and as a line of ns for the core's date.
  wire [63:0] ptp_rel;
  wire [95:0] ptp_tod;
  wire ptp_locked;
  taxi_ptp_td_leaf #(
    .TS_REL_EN(1'b1),
    .TS_TOD_EN(1'b1)
  ) leaf (
    .clk(clk),
    .rst(rst),
    .sample_clk(ptp_sample_clk),
    .ptp_clk(ptp_clk),
    .ptp_rst(ptp_rst),
    .ptp_td_sdi(ptp_td_sdi),
    .output_ts_rel(ptp_rel),
    .output_ts_rel_step(),
    .output_ts_tod(ptp_tod),
    .output_ts_tod_step(),
    .output_pps(),
    .output_pps_str(),
    .locked(ptp_locked)
  );
  wire [63:0] line;
  logic [63:0] ptp_line;
  logic [@LINEAR@:0] locked;
  tnic_taxi_linear linear (
    .clk(clk),
    .sec(ptp_tod[95:48]),
    .ns(ptp_tod[45:16]),
    .fraction(ptp_tod[15:0]),
    .linear(line)
  );
  always_ff @(posedge clk) begin
    // The time that the way through the product takes.
    ptp_line <= line + 64'd@LINEAR_AGE@;
    locked <= {locked[@LINEAR@-1:0], ptp_locked};
  end

  // Stamps inside have 48 bits: ns32.fns16 of a relative one; of a time of day two bits of the seconds, ns30 and fns16.
  logic [47:0] now;
  assign now = PTP_TS_FMT_TOD ? {ptp_tod[49:48], ptp_tod[45:0]} : ptp_rel[47:0];
  function automatic logic [47:0] inner(input logic [TS_W-1:0] ts);
    logic [95:0] whole;
    whole = 96'(ts);
    inner = PTP_TS_FMT_TOD ? {whole[49:48], whole[45:0]} : whole[47:0];
  endfunction
  function automatic logic [47:0] since(input logic [47:0] ts);
    logic [1:0] seconds;
    seconds = now[47:46] - ts[47:46];
    if (PTP_TS_FMT_TOD) since = {2'b00, now[45:0]} - {2'b00, ts[45:0]} + {30'd1_000_000_000, 16'h0000} * {46'h0, seconds};
    else since = now - ts;
  endfunction
  function automatic logic [TS_W-1:0] outer(input logic [47:0] ts);
    logic [47:0] seconds;
    logic [63:0] whole;
    seconds = ptp_tod[95:48] - {46'h0, ptp_tod[49:48] - ts[47:46]};
    whole = ptp_rel - {16'h0000, ptp_rel[47:0] - ts};
    if (PTP_TS_FMT_TOD) outer = TS_W'({seconds, 2'b00, ts[45:0]});
    else outer = TS_W'({whole[63:48], ts});
  endfunction
  // A stamp becomes a date: this clock's, less the stamp's age. One of over 16 ms, or of the future, is none: PTP stepped in between.
  wire [63:0] date;
  function automatic logic [63:0] dated(input logic [63:0] at, input logic [47:0] age);
    dated = at - (age[47:40] == '0 ? {24'h0, age[39:0]} : 64'h0);
  endfunction
  logic [63:0] date_q;
  always_ff @(posedge clk) date_q <= date;

  // Each priority's level crosses by itself.
  (* ASYNC_REG = "TRUE" *) logic [7:0] pause_1 = '0, pause_2 = '0;
  always_ff @(posedge clk) begin
    pause_1 <= pause;
    pause_2 <= pause_1;
  end

  // From the NIC core. While the completions of frames that the core keeps wait, no other begins.
  wire [W-1:0] host_tdata;
  wire [K-1:0] host_tkeep;
  wire [7:0] host_id;
  wire host_tvalid, host_tready, host_tlast;
  wire crowded;
  logic host_inside = 1'b0;
  wire host_begins = host_inside || !crowded;
  wire host_offered, host_taken;
  tnic_taxi_widen #(.W(W), .N(HOST_W), .SIDE(8)) host_widen (
    .clk(clk),
    .flush(!up),
    .s_tdata(s_axis_tx.tdata),
    .s_tkeep(s_axis_tx.tkeep),
    .s_tvalid(s_axis_tx.tvalid && up),
    .s_tready(host_taken),
    .s_tlast(s_axis_tx.tlast),
    .s_side(8'(s_axis_tx.tid)),
    .m_tdata(host_tdata),
    .m_tkeep(host_tkeep),
    .m_tvalid(host_offered),
    .m_tready(host_tready && host_begins),
    .m_tlast(host_tlast),
    .m_side(host_id)
  );
  assign s_axis_tx.tready = host_taken && up;
  assign host_tvalid = host_offered && host_begins;
  always_ff @(posedge clk) begin
    if (host_tvalid && host_tready)
      host_inside <= !host_tlast;
    if (!up)
      host_inside <= 1'b0;
  end

  // To the MAC: frames under tags of our own, of which a table says whose the completion is.
  wire [W-1:0] wire_tdata;
  wire [K-1:0] wire_tkeep;
  wire wire_tvalid, wire_tready, wire_tlast, wire_ack, wire_past;
  wire [7:0] wire_tag;
  wire [47:0] wire_meta;
  localparam logic [1:0] NOBODY = 2'd0, HOST = 2'd1, CORE = 2'd2;
  (* ram_style = "distributed" *) logic [9:0] owners [256];
  logic [7:0] tag = '0;
  always_ff @(posedge clk)
    if (wire_tvalid && wire_tready && wire_tlast) begin
      owners[tag] <= wire_ack ? {NOBODY, 8'h00} : wire_past ? {HOST, wire_meta[7:0]} : {CORE, wire_tag};
      tag <= tag + 1'b1;
    end
  wire [W-1:0] out_tdata;
  wire [K-1:0] out_tkeep;
  wire [7:0] out_tag;
  wire out_tvalid, out_tready, out_tlast;
  tnic_taxi_frames #(.W(W), .LOG(@TX_LOG@), .FRAMES(@TX_FRAMES@), .SIDE(8), .DROPS(0)) tx_frames (
    .s_clk(clk),
    .s_rst(core_rst),
    .s_flush(1'b0),
    .s_tdata(wire_tdata),
    .s_tkeep(wire_tkeep),
    .s_tvalid(wire_tvalid),
    .s_tready(wire_tready),
    .s_tlast(wire_tlast),
    .s_bad(1'b0),
    .s_side(tag),
    .s_lost(),
    .m_clk(mac_tx_clk),
    .m_rst(tx_rst),
    .m_flush(mac_tx_rst),
    .m_tdata(out_tdata),
    .m_tkeep(out_tkeep),
    .m_tvalid(out_tvalid),
    .m_tready(out_tready),
    .m_tlast(out_tlast),
    .m_side(out_tag)
  );
  // A frame that our reset cuts ends at the MAC as a bad one, which else would wait for its rest.
  wire [MAC_W-1:0] beat_tdata;
  wire [MAC_W/8-1:0] beat_tkeep;
  wire [7:0] beat_tag;
  wire beat_tvalid, beat_tlast;
  logic tx_inside = 1'b0, tx_cut = 1'b0;
  tnic_taxi_narrow #(.W(W), .N(MAC_W), .SIDE(8)) tx_narrow (
    .clk(mac_tx_clk),
    .flush(mac_tx_rst || tx_rst),
    .s_tdata(out_tdata),
    .s_tkeep(out_tkeep),
    .s_tvalid(out_tvalid),
    .s_tready(out_tready),
    .s_tlast(out_tlast),
    .s_side(out_tag),
    .m_tdata(beat_tdata),
    .m_tkeep(beat_tkeep),
    .m_tvalid(beat_tvalid),
    .m_tready(mac_axis_tx.tready && !tx_cut),
    .m_tlast(beat_tlast),
    .m_side(beat_tag)
  );
  assign mac_axis_tx.tdata = beat_tdata;
  assign mac_axis_tx.tkeep = tx_cut ? '1 : beat_tkeep;
  assign mac_axis_tx.tid = beat_tag;
  assign mac_axis_tx.tvalid = beat_tvalid || tx_cut;
  assign mac_axis_tx.tlast = beat_tlast || tx_cut;
  assign mac_axis_tx.tstrb = mac_axis_tx.tkeep;
  assign mac_axis_tx.tdest = '0;
  assign mac_axis_tx.tuser = mac_axis_tx.USER_W'(tx_cut);
  always_ff @(posedge mac_tx_clk) begin
    if (mac_axis_tx.tvalid && mac_axis_tx.tready)
      tx_inside <= !mac_axis_tx.tlast;
    tx_cut <= tx_cut ? !mac_axis_tx.tready : tx_rst && tx_inside && !beat_tvalid;
    if (mac_tx_rst)
      {tx_inside, tx_cut} <= 2'b00;
  end

  // Completions: those of frames past the core are the NIC core's, those of paced frames are departures.
  wire [7:0] done_tag;
  wire [47:0] done_ts;
  wire done, done_ready;
  tnic_taxi_queue #(.W(56), .LOG(5)) completions (
    .s_clk(mac_tx_clk),
    .s_rst(tx_rst),
    .s_data({mac_axis_tx_cpl.tid, inner(mac_axis_tx_cpl.tdata)}),
    .s_valid(mac_axis_tx_cpl.tvalid && !mac_tx_rst),
    .s_ready(mac_axis_tx_cpl.tready),
    .s_held(),
    .m_clk(clk),
    .m_rst(core_rst),
    .m_data({done_tag, done_ts}),
    .m_valid(done),
    .m_ready(done_ready)
  );
  wire [1:0] owner;
  wire [7:0] owner_id;
  assign {owner, owner_id} = owners[done_tag];
  // A frame that the core keeps, or drops, is done with for the NIC core, which may wait for it: its stamp is that time.
  wire stored, kept, kept_ready;
  wire [47:0] stored_meta;
  wire [7:0] kept_id;
  wire [10:0] kept_count;
  assign crowded = kept_count[10:9] != '0;
  tnic_taxi_queue #(.W(8), .LOG(10)) kept_frames (
    .s_clk(clk),
    .s_rst(core_rst),
    .s_data(stored_meta[7:0]),
    .s_valid(stored),
    .s_ready(),
    .s_held(kept_count),
    .m_clk(clk),
    .m_rst(core_rst),
    .m_data(kept_id),
    .m_valid(kept),
    .m_ready(kept_ready)
  );
  logic cpl_valid = 1'b0;
  logic [7:0] cpl_id;
  logic [47:0] cpl_ts;
  wire cpl_free = !cpl_valid || m_axis_tx_cpl.tready;
  wire done_past = done && owner == HOST;
  assign done_ready = owner != HOST || cpl_free;
  assign kept_ready = cpl_free && !done_past;
  // A departure comes 16 clocks late, behind the report of its frame.
  localparam LATE = 14;
  logic [72:0] late [LATE];
  logic left = 1'b0;
  logic [7:0] left_tag;
  logic [47:0] left_age;
  always_ff @(posedge clk) begin
    if (cpl_free) begin
      cpl_valid <= done_past || kept;
      cpl_id <= done_past ? owner_id : kept_id;
      cpl_ts <= done_past ? done_ts : now;
    end
    left <= done && owner == CORE;
    left_tag <= owner_id;
    left_age <= since(done_ts);
    late[0] <= {left, left_tag, dated(date_q, left_age)};
    for (int i = 1; i < LATE; i++)
      late[i] <= late[i-1];
    if (core_rst) begin
      cpl_valid <= 1'b0;
      left <= 1'b0;
    end
  end
  assign m_axis_tx_cpl.tdata = outer(cpl_ts);
  assign m_axis_tx_cpl.tkeep = '1;
  assign m_axis_tx_cpl.tstrb = '1;
  assign m_axis_tx_cpl.tid = m_axis_tx_cpl.ID_W'(cpl_id);
  assign m_axis_tx_cpl.tdest = '0;
  assign m_axis_tx_cpl.tuser = '0;
  assign m_axis_tx_cpl.tlast = 1'b1;
  assign m_axis_tx_cpl.tvalid = cpl_valid;

  // From the MAC, which does not wait. Bad frames end here, and one whose head fell into our reset.
  logic rx_inside = 1'b0, rx_headless = 1'b0;
  wire rx_goes_on = mac_axis_rx.tvalid ? !mac_axis_rx.tlast : rx_inside;
  always_ff @(posedge mac_rx_clk) begin
    rx_inside <= rx_goes_on && !mac_rx_rst;
    rx_headless <= (rx_rst || rx_headless) && rx_goes_on && !mac_rx_rst;
  end
  wire [W-1:0] in_tdata, rx_tdata;
  wire [K-1:0] in_tkeep, rx_tkeep;
  wire in_tvalid, in_tlast, in_bad, rx_tvalid, rx_tlast;
  wire [47:0] in_ts, rx_ts;
  wire rx_lost, lost;
  tnic_taxi_widen #(.W(W), .N(MAC_W), .SIDE(49)) rx_widen (
    .clk(mac_rx_clk),
    .flush(mac_rx_rst || rx_rst),
    .s_tdata(mac_axis_rx.tdata),
    .s_tkeep(mac_axis_rx.tkeep),
    .s_tvalid(mac_axis_rx.tvalid && !rx_headless),
    .s_tready(),
    .s_tlast(mac_axis_rx.tlast),
    .s_side({mac_axis_rx.tuser[0], inner(mac_axis_rx.tuser[TS_W:1])}),
    .m_tdata(in_tdata),
    .m_tkeep(in_tkeep),
    .m_tvalid(in_tvalid),
    .m_tready(1'b1),
    .m_tlast(in_tlast),
    .m_side({in_bad, in_ts})
  );
  assign mac_axis_rx.tready = 1'b1;
  tnic_taxi_frames #(.W(W), .LOG(9), .FRAMES(8), .SIDE(48), .DROPS(1)) rx_frames (
    .s_clk(mac_rx_clk),
    .s_rst(rx_rst),
    .s_flush(mac_rx_rst),
    .s_tdata(in_tdata),
    .s_tkeep(in_tkeep),
    .s_tvalid(in_tvalid),
    .s_tready(),
    .s_tlast(in_tlast),
    .s_bad(in_bad),
    .s_side(in_ts),
    .s_lost(rx_lost),
    .m_clk(clk),
    .m_rst(core_rst),
    .m_flush(1'b0),
    .m_tdata(rx_tdata),
    .m_tkeep(rx_tkeep),
    .m_tvalid(rx_tvalid),
    .m_tready(up),
    .m_tlast(rx_tlast),
    .m_side(rx_ts)
  );
  tnic_taxi_queue #(.W(1), .LOG(4)) losses (
    .s_clk(mac_rx_clk),
    .s_rst(rx_rst),
    .s_data(1'b1),
    .s_valid(rx_lost),
    .s_ready(),
    .s_held(),
    .m_clk(clk),
    .m_rst(core_rst),
    .m_data(),
    .m_valid(lost),
    .m_ready(1'b1)
  );
  // The core takes a beat a clock; a frame's date is found on the way.
  logic [W-1:0] rx_tdata_1, rx_tdata_2;
  logic [K-1:0] rx_tkeep_1, rx_tkeep_2;
  logic rx_tvalid_1 = 1'b0, rx_tvalid_2 = 1'b0, rx_tlast_1, rx_tlast_2;
  logic [47:0] rx_ts_1, rx_ts_2, rx_age;
  logic [63:0] rx_date;
  always_ff @(posedge clk) begin
    {rx_tdata_1, rx_tkeep_1, rx_tlast_1, rx_ts_1} <= {rx_tdata, rx_tkeep, rx_tlast, rx_ts};
    {rx_tdata_2, rx_tkeep_2, rx_tlast_2, rx_ts_2} <= {rx_tdata_1, rx_tkeep_1, rx_tlast_1, rx_ts_1};
    rx_tvalid_1 <= rx_tvalid && up;
    rx_tvalid_2 <= rx_tvalid_1 && up;
    rx_age <= since(rx_ts);
    rx_date <= dated(date_q, rx_age);
  end

  // To the NIC core.
  wire [W-1:0] up_tdata;
  wire [K-1:0] up_tkeep;
  wire up_tvalid, up_tready, up_tlast;
  wire [47:0] up_ts, m_ts;
  tnic_taxi_narrow #(.W(W), .N(UP_W), .SIDE(48)) up_narrow (
    .clk(clk),
    .flush(core_rst),
    .s_tdata(up_tdata),
    .s_tkeep(up_tkeep),
    .s_tvalid(up_tvalid),
    .s_tready(up_tready),
    .s_tlast(up_tlast),
    .s_side(up_ts),
    .m_tdata(m_axis_rx.tdata),
    .m_tkeep(m_axis_rx.tkeep),
    .m_tvalid(m_axis_rx.tvalid),
    .m_tready(m_axis_rx.tready),
    .m_tlast(m_axis_rx.tlast),
    .m_side(m_ts)
  );
  assign m_axis_rx.tstrb = m_axis_rx.tkeep;
  assign m_axis_rx.tid = '0;
  assign m_axis_rx.tdest = '0;
  assign m_axis_rx.tuser = {outer(m_ts), 1'b0};

  wire awready, wready, arready;
  assign s_axil_wr.awready = awready && up;
  assign s_axil_wr.wready = wready && up;
  assign s_axil_wr.buser = '0;
  assign s_axil_rd.arready = arready && up;
  assign s_axil_rd.ruser = '0;
  @CORE@ core (
    .clk(clk),
    .rst(core_rst),
    .axil_clk(clk),
    .axil_rst(core_rst),
    .s_axil_awaddr({8'h00, s_axil_wr.awaddr[15:0]}),
    .s_axil_awvalid(s_axil_wr.awvalid && up),
    .s_axil_awready(awready),
    .s_axil_wdata(s_axil_wr.wdata),
    .s_axil_wstrb(s_axil_wr.wstrb),
    .s_axil_wvalid(s_axil_wr.wvalid && up),
    .s_axil_wready(wready),
    .s_axil_bresp(s_axil_wr.bresp),
    .s_axil_bvalid(s_axil_wr.bvalid),
    .s_axil_bready(s_axil_wr.bready),
    .s_axil_araddr({8'h00, s_axil_rd.araddr[15:0]}),
    .s_axil_arvalid(s_axil_rd.arvalid && up),
    .s_axil_arready(arready),
    .s_axil_rdata(s_axil_rd.rdata),
    .s_axil_rresp(s_axil_rd.rresp),
    .s_axil_rvalid(s_axil_rd.rvalid),
    .s_axil_rready(s_axil_rd.rready),
    .s_host_tdata(host_tdata),
    .s_host_tkeep(host_tkeep),
    .s_host_tvalid(host_tvalid),
    .s_host_tready(host_tready),
    .s_host_tlast(host_tlast),
    .s_host_meta({40'h0, host_id}),
    .m_wire_tdata(wire_tdata),
    .m_wire_tkeep(wire_tkeep),
    .m_wire_tvalid(wire_tvalid),
    .m_wire_tready(wire_tready),
    .m_wire_tlast(wire_tlast),
    .m_wire_meta(wire_meta),
    .m_wire_ack(wire_ack),
    .m_wire_ack_bytes(),
    .s_wire_tdata(rx_tdata_2),
    .s_wire_tkeep(rx_tkeep_2),
    .s_wire_tvalid(rx_tvalid_2),
    .s_wire_tready(),
    .s_wire_tlast(rx_tlast_2),
    .s_wire_meta(rx_ts_2),
    .m_host_tdata(up_tdata),
    .m_host_tkeep(up_tkeep),
    .m_host_tvalid(up_tvalid),
    .m_host_tready(up_tready),
    .m_host_tlast(up_tlast),
    .m_host_meta(up_ts),
    .pause(pause_2),
    .lost(lost),
    .now(date),
    .stopped(),
    .ptp_valid(locked[@LINEAR@]),
    .ptp_time(ptp_line),
    .s_wire_ts(rx_date),
    .s_cpl_valid(late[LATE-1][72]),
    .s_cpl_tag({8'h00, late[LATE-1][71:64]}),
    .s_cpl_ts(late[LATE-1][63:0]),
    .m_wire_past(wire_past),
    .m_wire_tag(wire_tag),
    .stored(stored),
    .stored_meta(stored_meta)
  );
endmodule
