// A NIC of taxi with two ports, of which ours paces the first, on a bench of one clock. The MAC is the bench's: it stamps frames as they come and
// go, and completes those that go in their order, some clocks later.
module board(
  input wire clk,
  input wire rst_n,
  output wire mod_rst_done,
  input wire [31:0] s_axil_awaddr,
  input wire s_axil_awvalid,
  output wire s_axil_awready,
  input wire [31:0] s_axil_wdata,
  input wire s_axil_wvalid,
  output wire s_axil_wready,
  output wire [1:0] s_axil_bresp,
  output wire s_axil_bvalid,
  input wire s_axil_bready,
  input wire [31:0] s_axil_araddr,
  input wire s_axil_arvalid,
  output wire s_axil_arready,
  output wire [31:0] s_axil_rdata,
  output wire [1:0] s_axil_rresp,
  output wire s_axil_rvalid,
  input wire s_axil_rready,
  output wire axil_next,
  input wire [63:0] host_tdata,
  input wire [7:0] host_tkeep,
  input wire host_tvalid,
  input wire host_tlast,
  input wire [47:0] host_meta,
  output wire host_tready,
  output wire [63:0] tx_tdata,
  output wire [7:0] tx_tkeep,
  output wire tx_tvalid,
  output wire tx_tlast,
  output wire [47:0] tx_meta,
  input wire tx_tready,
  input wire [63:0] rx_tdata,
  input wire [7:0] rx_tkeep,
  input wire rx_tvalid,
  input wire rx_tlast,
  // Bit 0: the frame is bad. Bit 1: from this beat on the MAC says that the priorities of bits 15 to 8 are paused.
  input wire [47:0] rx_meta,
  output wire rx_tready,
  output wire [63:0] up_tdata,
  output wire [7:0] up_tkeep,
  output wire up_tvalid,
  output wire up_tlast,
  output wire [47:0] up_meta,
  input wire up_tready,
  // Completions that the NIC core got: how many, tag and stamp (ns) of the last, their tags' sum.
  output wire [15:0] cpl_count,
  output wire [7:0] cpl_tag,
  output wire [31:0] cpl_ns,
  output wire [31:0] cpl_tags,
  // Beats that the MAC lacked inside a frame, and frames that ended at it as bad ones.
  output wire [15:0] gaps,
  output wire [15:0] spoilt
);
  // Widths of the ports above, which a bench for 512 bits has in numbers too.
  parameter BUS = 64;
  parameter logic TOD = 1'b0;
  parameter TS_W = TOD ? 96 : BUS == 512 ? 64 : 48;
  parameter ADDR_W = 24;
  parameter ID_W = 8;
  localparam HOST_W = BUS < 128 ? 2 * BUS : BUS;
  wire rst = !rst_n;
  // Frames may stand at the inputs while our own reset lasts.
  logic [3:0] since = '0;
  always_ff @(posedge clk) since <= rst ? '0 : since == '1 ? since : since + 1'b1;
  assign mod_rst_done = since == '1;
  assign axil_next = 1'b1;

  taxi_axil_if #(.DATA_W(32), .ADDR_W(ADDR_W)) axil ();
  assign axil.awaddr = s_axil_awaddr[ADDR_W-1:0];
  assign axil.araddr = s_axil_araddr[ADDR_W-1:0];
  assign {axil.awprot, axil.arprot, axil.awuser, axil.wuser, axil.aruser} = '0;
  assign axil.awvalid = s_axil_awvalid;
  assign s_axil_awready = axil.awready;
  assign axil.wdata = s_axil_wdata;
  assign axil.wstrb = 4'hf;
  assign axil.wvalid = s_axil_wvalid;
  assign s_axil_wready = axil.wready;
  assign s_axil_bresp = axil.bresp;
  assign s_axil_bvalid = axil.bvalid;
  assign axil.bready = s_axil_bready;
  assign axil.arvalid = s_axil_arvalid;
  assign s_axil_arready = axil.arready;
  assign s_axil_rdata = axil.rdata;
  assign s_axil_rresp = axil.rresp;
  assign s_axil_rvalid = axil.rvalid;
  assign axil.rready = s_axil_rready;

  // The NIC core's frames are wider than the MAC's.
  taxi_axis_if #(.DATA_W(HOST_W), .USER_EN(1)) send ();
  taxi_axis_if #(.DATA_W(HOST_W), .USER_EN(1), .USER_W(TS_W + 1)) arrived ();
  taxi_axis_if #(.DATA_W(TS_W), .KEEP_W(1)) completed ();
  tnic_taxi_widen #(.W(HOST_W), .N(BUS), .SIDE(8)) host (
    .clk(clk), .flush(rst), .s_tdata(host_tdata), .s_tkeep(host_tkeep), .s_tvalid(host_tvalid), .s_tready(host_tready), .s_tlast(host_tlast),
    .s_side(host_meta[7:0]), .m_tdata(send.tdata), .m_tkeep(send.tkeep), .m_tvalid(send.tvalid), .m_tready(send.tready),
    .m_tlast(send.tlast), .m_side(send.tid)
  );
  assign {send.tstrb, send.tdest, send.tuser} = '0;
  wire [TS_W:0] up_user;
  tnic_taxi_narrow #(.W(HOST_W), .N(BUS), .SIDE(TS_W + 1)) up (
    .clk(clk), .flush(rst), .s_tdata(arrived.tdata), .s_tkeep(arrived.tkeep), .s_tvalid(arrived.tvalid), .s_tready(arrived.tready),
    .s_tlast(arrived.tlast), .s_side(arrived.tuser), .m_tdata(up_tdata), .m_tkeep(up_tkeep), .m_tvalid(up_tvalid), .m_tready(up_tready),
    .m_tlast(up_tlast), .m_side(up_user)
  );
  assign up_meta = up_user[48:1];
  assign completed.tready = 1'b1;
  logic [15:0] count, lacking, bad;
  logic [7:0] tag;
  logic [31:0] ns, tags;
  assign {cpl_count, cpl_tag, cpl_ns, cpl_tags, gaps, spoilt} = {count, tag, ns, tags, lacking, bad};
  always_ff @(posedge clk)
    if (rst) {count, tag, ns, tags} <= '0;
    else if (completed.tvalid) begin
      count <= count + 1'b1;
      tag <= completed.tid;
      ns <= TOD ? {2'b00, completed.tdata[45:16]} : completed.tdata[47:16];
      tags <= tags + {24'h0, completed.tid};
    end

  // The MAC.
  wire [63:0] rel;
  wire [95:0] tod;
  wire [TS_W-1:0] now = TOD ? TS_W'(tod) : TS_W'(rel);
  taxi_ptp_td_leaf clock (
    .clk(clk), .rst(1'b0), .sample_clk(1'b0), .ptp_clk(1'b0), .ptp_rst(1'b0), .ptp_td_sdi(1'b0), .output_ts_rel(rel), .output_ts_rel_step(),
    .output_ts_tod(tod), .output_ts_tod_step(), .output_pps(), .output_pps_str(), .locked()
  );
  taxi_axis_if #(.DATA_W(BUS), .ID_W(ID_W), .USER_EN(1)) mac_tx [2] ();
  taxi_axis_if #(.DATA_W(TS_W), .KEEP_W(1), .ID_W(ID_W)) mac_tx_cpl [2] ();
  taxi_axis_if #(.DATA_W(BUS), .USER_EN(1), .USER_W(TS_W + 1)) mac_rx [2] ();
  wire mac_clk [2];
  wire mac_rst [2];
  assign mac_clk = '{clk, clk};
  // The MAC runs through all resets but the first.
  logic running = 1'b0;
  always_ff @(posedge clk) running <= running || rst_n;
  assign mac_rst = '{!running, !running};
  assign tx_tdata = mac_tx[0].tdata;
  assign tx_tkeep = mac_tx[0].tkeep;
  assign tx_tvalid = mac_tx[0].tvalid;
  assign tx_tlast = mac_tx[0].tlast;
  assign tx_meta = 48'h0;
  assign mac_tx[0].tready = tx_tready;
  // A completion follows its frame's first beat by 8 clocks.
  logic tx_inside = 1'b0;
  wire tx_taken = tx_tvalid && tx_tready;
  logic [TS_W+8:0] on_its_way [8];
  always_ff @(posedge clk) begin
    if (tx_taken)
      tx_inside <= !tx_tlast;
    on_its_way[0] <= {tx_taken && !tx_inside, mac_tx[0].tid, now};
    for (int i = 1; i < 8; i++)
      on_its_way[i] <= on_its_way[i-1];
    if (!running) {lacking, bad} <= '0;
    else begin
      if (tx_inside && !tx_tvalid) lacking <= lacking + 1'b1;
      if (tx_taken && tx_tlast && mac_tx[0].tuser[0]) bad <= bad + 1'b1;
    end
  end
  assign {mac_tx_cpl[0].tvalid, mac_tx_cpl[0].tid, mac_tx_cpl[0].tdata} = on_its_way[7];
  assign {mac_tx_cpl[0].tkeep, mac_tx_cpl[0].tstrb, mac_tx_cpl[0].tdest, mac_tx_cpl[0].tuser, mac_tx_cpl[0].tlast} = '0;
  logic rx_inside = 1'b0;
  logic [TS_W-1:0] rx_begun;
  always_ff @(posedge clk)
    if (rx_tvalid) begin
      rx_inside <= !rx_tlast;
      if (!rx_inside) rx_begun <= now;
    end
  assign mac_rx[0].tdata = rx_tdata;
  assign mac_rx[0].tkeep = rx_tkeep;
  assign mac_rx[0].tvalid = rx_tvalid;
  assign mac_rx[0].tlast = rx_tlast;
  assign mac_rx[0].tuser = {rx_inside ? rx_begun : now, rx_meta[0] && rx_tlast};
  assign {mac_rx[0].tstrb, mac_rx[0].tid, mac_rx[0].tdest} = '0;
  assign rx_tready = mac_rx[0].tready;
`ifdef TIMELY_RX_PFC
  logic [1:0][7:0] paused = '0;
  always_ff @(posedge clk)
    if (rx_tvalid && rx_meta[1]) paused[0] <= rx_meta[15:8];
`endif
  assign mac_tx[1].tready = 1'b1;
  assign {mac_tx_cpl[1].tvalid, mac_tx_cpl[1].tid, mac_tx_cpl[1].tdata, mac_tx_cpl[1].tkeep, mac_tx_cpl[1].tstrb} = '0;
  assign {mac_tx_cpl[1].tdest, mac_tx_cpl[1].tuser, mac_tx_cpl[1].tlast} = '0;
  assign {mac_rx[1].tdata, mac_rx[1].tkeep, mac_rx[1].tvalid, mac_rx[1].tlast, mac_rx[1].tuser} = '0;
  assign {mac_rx[1].tstrb, mac_rx[1].tid, mac_rx[1].tdest} = '0;

  taxi_dma_desc_if dma_rd ();
  taxi_dma_desc_if dma_wr ();
  taxi_dma_ram_if ram ();
  assign {dma_rd.req_ready, dma_rd.sts_valid, dma_wr.req_ready, dma_wr.sts_valid, ram.wr_cmd_valid, ram.rd_cmd_valid} = '0;
  tnic_taxi_core #(
    .PORTS(2),
    .PTP_TS_FMT_TOD(TOD)
  ) core (
    .clk(clk), .rst(rst), .s_axil_ctrl_wr(axil), .s_axil_ctrl_rd(axil),
    .dma_rd_desc_req(dma_rd), .dma_rd_desc_sts(dma_rd), .dma_wr_desc_req(dma_wr), .dma_wr_desc_sts(dma_wr), .dma_ram_wr(ram), .dma_ram_rd(ram),
    .m_axis_irq(arrived), .m_axis_brd_ctrl_cmd(completed), .s_axis_brd_ctrl_rsp(send),
    .ptp_clk(1'b0), .ptp_rst(1'b0), .ptp_sample_clk(1'b0), .ptp_td_sdi(1'b0), .ptp_td_sdo(), .ptp_pps(), .ptp_pps_str(), .ptp_sync_locked(),
    .ptp_sync_ts_rel(), .ptp_sync_ts_rel_step(), .ptp_sync_ts_tod(), .ptp_sync_ts_tod_step(), .ptp_sync_pps(), .ptp_sync_pps_str(),
    .mac_tx_clk(mac_clk), .mac_tx_rst(mac_rst), .mac_axis_tx(mac_tx), .mac_axis_tx_cpl(mac_tx_cpl),
    .mac_rx_clk(mac_clk), .mac_rx_rst(mac_rst), .mac_axis_rx(mac_rx)
`ifdef TIMELY_RX_PFC
    , .rx_pfc_req(paused)
`endif
  );
endmodule
