// A cndm NIC core of taxi with timely-nic between its ports and their MACs: in place of the core, with the same parameters and ports.
// The core is cndm_micro_core; define TIMELY_CNDM_CORE as cndm_lite_core for that one.
// With TIMELY_RX_PFC defined there is a port more, for MACs that keep pause frames to themselves.
// Ports of which PACED has a bit are paced, answered and measured; the others pass. The upper half of the control registers' addresses is ours,
// 64 KiB a port.
`ifndef TIMELY_CNDM_CORE
`define TIMELY_CNDM_CORE cndm_micro_core
`endif
module tnic_taxi_core #(
  parameter logic SIM = 1'b0,
  parameter string VENDOR = "XILINX",
  parameter string FAMILY = "virtexuplus",
  parameter FPGA_ID = 32'hDEADBEEF,
  parameter FW_ID = 32'h0000C001,
  parameter FW_VER = 32'h00001000,
  parameter BOARD_ID = 32'h12340000,
  parameter BOARD_VER = 32'h00100000,
  parameter BUILD_DATE = 32'd0,
  parameter GIT_HASH = 32'h0,
  parameter RELEASE_INFO = 32'h0,
  parameter PORTS = 2,
  parameter logic BRD_CTRL_EN = 1'b0,
  parameter SYS_CLK_PER_NS_NUM = 4,
  parameter SYS_CLK_PER_NS_DEN = 1,
  parameter WQN_W = 5,
  parameter CQN_W = WQN_W,
  parameter logic PTP_TS_EN = 1'b1,
  parameter logic PTP_TS_FMT_TOD = 1'b0,
  parameter PTP_CLK_PER_NS_NUM = 512,
  parameter PTP_CLK_PER_NS_DEN = 165,
  parameter logic [PORTS-1:0] PACED = PORTS'(1),
  // Bits of a stamp, as the MACs have them.
  parameter TS_W = PTP_TS_FMT_TOD ? 96 : @TS_W@,
  // Bits of the NIC core's streams, which run on its own clock: 25 Gb/s need over 64 of them at 250 MHz.
  parameter HOST_W = @HOST_W@
) (
  input wire clk,
  input wire rst,

  taxi_axil_if.wr_slv s_axil_ctrl_wr,
  taxi_axil_if.rd_slv s_axil_ctrl_rd,

  taxi_dma_desc_if.req_src dma_rd_desc_req,
  taxi_dma_desc_if.sts_snk dma_rd_desc_sts,
  taxi_dma_desc_if.req_src dma_wr_desc_req,
  taxi_dma_desc_if.sts_snk dma_wr_desc_sts,
  taxi_dma_ram_if.wr_slv   dma_ram_wr,
  taxi_dma_ram_if.rd_slv   dma_ram_rd,

  taxi_axis_if.src m_axis_irq,
  taxi_axis_if.src m_axis_brd_ctrl_cmd,
  taxi_axis_if.snk s_axis_brd_ctrl_rsp,

  input wire         ptp_clk,
  input wire         ptp_rst,
  input wire         ptp_sample_clk,
  input wire         ptp_td_sdi,
  output wire        ptp_td_sdo,
  output wire        ptp_pps,
  output wire        ptp_pps_str,
  output wire        ptp_sync_locked,
  output wire [63:0] ptp_sync_ts_rel,
  output wire        ptp_sync_ts_rel_step,
  output wire [95:0] ptp_sync_ts_tod,
  output wire        ptp_sync_ts_tod_step,
  output wire        ptp_sync_pps,
  output wire        ptp_sync_pps_str,

  input wire       mac_tx_clk [PORTS],
  input wire       mac_tx_rst [PORTS],
  taxi_axis_if.src mac_axis_tx [PORTS],
  taxi_axis_if.snk mac_axis_tx_cpl [PORTS],
  input wire       mac_rx_clk [PORTS],
  input wire       mac_rx_rst [PORTS],
  taxi_axis_if.snk mac_axis_rx [PORTS]
`ifdef TIMELY_RX_PFC
  // Priorities that the MACs say their peers have paused, on their receive clocks.
  , input wire [PORTS-1:0][7:0] rx_pfc_req
`endif
);
`ifndef TIMELY_RX_PFC
  wire [PORTS-1:0][7:0] rx_pfc_req = '0;
`endif
  localparam ADDR_W = s_axil_ctrl_wr.ADDR_W;

  if (s_axil_ctrl_wr.DATA_W != 32 || ADDR_W < 17 + $clog2(PORTS + 2) || s_axil_ctrl_rd.ADDR_W != ADDR_W)
    $error("timely-nic needs control registers of 32 bits, and half of their addresses: set AXIL_CTRL_ADDR_W to 24");
  if (!PTP_TS_EN)
    $error("timely-nic needs the stamps of the MAC: set PTP_TS_EN");
  if (PACED == '0)
    $error("timely-nic needs a port: set a bit of PACED");

  // Registers: one access of each kind at a time, to the core (0) or to a port of ours.
  localparam TARGETS = PORTS + 1;
  localparam T_W = $clog2(PORTS + 2);
  localparam logic [T_W-1:0] NONE = T_W'(PORTS + 1);
  function automatic logic [T_W-1:0] target(input logic [ADDR_W-1:0] address);
    target = NONE;
    if (!address[ADDR_W-1]) target = '0;
    else
      for (int p = 0; p < PORTS; p++)
        if (PACED[p] && address[ADDR_W-2:16] == (ADDR_W-17)'(p)) target = T_W'(p + 1);
  endfunction
  wire [TARGETS-1:0] t_awready, t_wready, t_bvalid, t_arready, t_rvalid;
  wire [1:0] t_bresp [TARGETS];
  wire [1:0] t_rresp [TARGETS];
  wire [31:0] t_rdata [TARGETS];
  logic w_busy = 1'b0, aw_asks = 1'b0, w_asks = 1'b0, b_valid = 1'b0;
  logic r_busy = 1'b0, ar_asks = 1'b0, r_valid = 1'b0;
  logic [ADDR_W-1:0] w_addr, r_addr;
  logic [2:0] w_prot, r_prot;
  logic [31:0] w_data, r_data;
  logic [3:0] w_strb;
  logic [1:0] b_resp, r_resp;
  logic [T_W-1:0] w_to, r_to;
  wire w_begins = s_axil_ctrl_wr.awvalid && s_axil_ctrl_wr.wvalid && !w_busy;
  wire r_begins = s_axil_ctrl_rd.arvalid && !r_busy;
  assign s_axil_ctrl_wr.awready = w_begins;
  assign s_axil_ctrl_wr.wready = w_begins;
  assign s_axil_ctrl_wr.bvalid = b_valid;
  assign s_axil_ctrl_wr.bresp = b_resp;
  assign s_axil_ctrl_wr.buser = '0;
  assign s_axil_ctrl_rd.arready = r_begins;
  assign s_axil_ctrl_rd.rvalid = r_valid;
  assign s_axil_ctrl_rd.rresp = r_resp;
  assign s_axil_ctrl_rd.rdata = r_data;
  assign s_axil_ctrl_rd.ruser = '0;
  always_ff @(posedge clk) begin
    if (w_begins) begin
      w_busy <= 1'b1;
      {aw_asks, w_asks} <= 2'b11;
      w_to <= target(s_axil_ctrl_wr.awaddr);
      {w_addr, w_prot, w_data, w_strb} <= {s_axil_ctrl_wr.awaddr, s_axil_ctrl_wr.awprot, s_axil_ctrl_wr.wdata, s_axil_ctrl_wr.wstrb};
    end else if (w_busy && !b_valid) begin
      if (w_to == NONE) begin
        {b_valid, b_resp, aw_asks, w_asks} <= {1'b1, 2'b11, 2'b00};
      end else begin
        if (t_awready[w_to]) aw_asks <= 1'b0;
        if (t_wready[w_to]) w_asks <= 1'b0;
        if (t_bvalid[w_to]) {b_valid, b_resp} <= {1'b1, t_bresp[w_to]};
      end
    end else if (b_valid && s_axil_ctrl_wr.bready)
      {b_valid, w_busy} <= 2'b00;
    if (r_begins) begin
      r_busy <= 1'b1;
      ar_asks <= 1'b1;
      r_to <= target(s_axil_ctrl_rd.araddr);
      {r_addr, r_prot} <= {s_axil_ctrl_rd.araddr, s_axil_ctrl_rd.arprot};
    end else if (r_busy && !r_valid) begin
      if (r_to == NONE) begin
        {r_valid, r_resp, r_data, ar_asks} <= {1'b1, 2'b11, 32'h0, 1'b0};
      end else begin
        if (t_arready[r_to]) ar_asks <= 1'b0;
        if (t_rvalid[r_to]) {r_valid, r_resp, r_data} <= {1'b1, t_rresp[r_to], t_rdata[r_to]};
      end
    end else if (r_valid && s_axil_ctrl_rd.rready)
      {r_valid, r_busy} <= 2'b00;
    if (rst) begin
      {w_busy, aw_asks, w_asks, b_valid} <= '0;
      {r_busy, ar_asks, r_valid} <= '0;
    end
  end

  taxi_axil_if #(.DATA_W(32), .ADDR_W(ADDR_W)) core_axil ();
  assign core_axil.awaddr = w_addr;
  assign core_axil.awprot = w_prot;
  assign core_axil.awuser = '0;
  assign core_axil.awvalid = aw_asks && w_to == '0;
  assign core_axil.wdata = w_data;
  assign core_axil.wstrb = w_strb;
  assign core_axil.wuser = '0;
  assign core_axil.wvalid = w_asks && w_to == '0;
  assign core_axil.bready = w_busy && !b_valid && w_to == '0;
  assign core_axil.araddr = r_addr;
  assign core_axil.arprot = r_prot;
  assign core_axil.aruser = '0;
  assign core_axil.arvalid = ar_asks && r_to == '0;
  assign core_axil.rready = r_busy && !r_valid && r_to == '0;
  assign t_awready[0] = core_axil.awready;
  assign t_wready[0] = core_axil.wready;
  assign t_bvalid[0] = core_axil.bvalid;
  assign t_bresp[0] = core_axil.bresp;
  assign t_arready[0] = core_axil.arready;
  assign t_rvalid[0] = core_axil.rvalid;
  assign t_rresp[0] = core_axil.rresp;
  assign t_rdata[0] = core_axil.rdata;

  wire core_tx_clk [PORTS];
  wire core_tx_rst [PORTS];
  wire core_rx_clk [PORTS];
  wire core_rx_rst [PORTS];
  taxi_axis_if #(.DATA_W(HOST_W), .ID_W(8), .USER_EN(1), .USER_W(1)) core_tx [PORTS] ();
  taxi_axis_if #(.DATA_W(TS_W), .KEEP_W(1), .ID_W(8)) core_tx_cpl [PORTS] ();
  taxi_axis_if #(.DATA_W(HOST_W), .ID_W(8), .USER_EN(1), .USER_W(TS_W + 1)) core_rx [PORTS] ();

  `TIMELY_CNDM_CORE #(
    .SIM(SIM),
    .VENDOR(VENDOR),
    .FAMILY(FAMILY),
    .FPGA_ID(FPGA_ID),
    .FW_ID(FW_ID),
    .FW_VER(FW_VER),
    .BOARD_ID(BOARD_ID),
    .BOARD_VER(BOARD_VER),
    .BUILD_DATE(BUILD_DATE),
    .GIT_HASH(GIT_HASH),
    .RELEASE_INFO(RELEASE_INFO),
    .PORTS(PORTS),
    .BRD_CTRL_EN(BRD_CTRL_EN),
    .SYS_CLK_PER_NS_NUM(SYS_CLK_PER_NS_NUM),
    .SYS_CLK_PER_NS_DEN(SYS_CLK_PER_NS_DEN),
    .WQN_W(WQN_W),
    .CQN_W(CQN_W),
    .PTP_TS_EN(PTP_TS_EN),
    .PTP_TS_FMT_TOD(PTP_TS_FMT_TOD),
    .PTP_CLK_PER_NS_NUM(PTP_CLK_PER_NS_NUM),
    .PTP_CLK_PER_NS_DEN(PTP_CLK_PER_NS_DEN)
  ) core (
    .clk(clk),
    .rst(rst),
    .s_axil_ctrl_wr(core_axil),
    .s_axil_ctrl_rd(core_axil),
    .dma_rd_desc_req(dma_rd_desc_req),
    .dma_rd_desc_sts(dma_rd_desc_sts),
    .dma_wr_desc_req(dma_wr_desc_req),
    .dma_wr_desc_sts(dma_wr_desc_sts),
    .dma_ram_wr(dma_ram_wr),
    .dma_ram_rd(dma_ram_rd),
    .m_axis_irq(m_axis_irq),
    .m_axis_brd_ctrl_cmd(m_axis_brd_ctrl_cmd),
    .s_axis_brd_ctrl_rsp(s_axis_brd_ctrl_rsp),
    .ptp_clk(ptp_clk),
    .ptp_rst(ptp_rst),
    .ptp_sample_clk(ptp_sample_clk),
    .ptp_td_sdi(ptp_td_sdi),
    .ptp_td_sdo(ptp_td_sdo),
    .ptp_pps(ptp_pps),
    .ptp_pps_str(ptp_pps_str),
    .ptp_sync_locked(ptp_sync_locked),
    .ptp_sync_ts_rel(ptp_sync_ts_rel),
    .ptp_sync_ts_rel_step(ptp_sync_ts_rel_step),
    .ptp_sync_ts_tod(ptp_sync_ts_tod),
    .ptp_sync_ts_tod_step(ptp_sync_ts_tod_step),
    .ptp_sync_pps(ptp_sync_pps),
    .ptp_sync_pps_str(ptp_sync_pps_str),
    .mac_tx_clk(core_tx_clk),
    .mac_tx_rst(core_tx_rst),
    .mac_axis_tx(core_tx),
    .mac_axis_tx_cpl(core_tx_cpl),
    .mac_rx_clk(core_rx_clk),
    .mac_rx_rst(core_rx_rst),
    .mac_axis_rx(core_rx)
  );

  // The NIC core's FIFOs of a port of ours run on its own clock; the way to the MAC's is ours.
  for (genvar p = 0; p < PORTS; p++) begin : port
    assign core_tx_clk[p] = PACED[p] ? clk : mac_tx_clk[p];
    assign core_tx_rst[p] = PACED[p] ? rst : mac_tx_rst[p];
    assign core_rx_clk[p] = PACED[p] ? clk : mac_rx_clk[p];
    assign core_rx_rst[p] = PACED[p] ? rst : mac_rx_rst[p];
    if (PACED[p]) begin : paced
      taxi_axil_if #(.DATA_W(32), .ADDR_W(16)) axil ();
      assign axil.awaddr = w_addr[15:0];
      assign axil.awprot = w_prot;
      assign axil.awuser = '0;
      assign axil.awvalid = aw_asks && w_to == T_W'(p + 1);
      assign axil.wdata = w_data;
      assign axil.wstrb = w_strb;
      assign axil.wuser = '0;
      assign axil.wvalid = w_asks && w_to == T_W'(p + 1);
      assign axil.bready = w_busy && !b_valid && w_to == T_W'(p + 1);
      assign axil.araddr = r_addr[15:0];
      assign axil.arprot = r_prot;
      assign axil.aruser = '0;
      assign axil.arvalid = ar_asks && r_to == T_W'(p + 1);
      assign axil.rready = r_busy && !r_valid && r_to == T_W'(p + 1);
      assign t_awready[p+1] = axil.awready;
      assign t_wready[p+1] = axil.wready;
      assign t_bvalid[p+1] = axil.bvalid;
      assign t_bresp[p+1] = axil.bresp;
      assign t_arready[p+1] = axil.arready;
      assign t_rvalid[p+1] = axil.rvalid;
      assign t_rresp[p+1] = axil.rresp;
      assign t_rdata[p+1] = axil.rdata;
      tnic_taxi #(.PTP_TS_FMT_TOD(PTP_TS_FMT_TOD)) timely (
        .clk(clk),
        .rst(rst),
        .s_axil_wr(axil),
        .s_axil_rd(axil),
        .ptp_clk(ptp_clk),
        .ptp_rst(ptp_rst),
        .ptp_sample_clk(ptp_sample_clk),
        .ptp_td_sdi(ptp_td_sdo),
        .pause(rx_pfc_req[p]),
        .s_axis_tx(core_tx[p]),
        .m_axis_tx_cpl(core_tx_cpl[p]),
        .m_axis_rx(core_rx[p]),
        .mac_tx_clk(mac_tx_clk[p]),
        .mac_tx_rst(mac_tx_rst[p]),
        .mac_axis_tx(mac_axis_tx[p]),
        .mac_axis_tx_cpl(mac_axis_tx_cpl[p]),
        .mac_rx_clk(mac_rx_clk[p]),
        .mac_rx_rst(mac_rx_rst[p]),
        .mac_axis_rx(mac_axis_rx[p])
      );
    end else begin : past
      assign t_awready[p+1] = 1'b0;
      assign t_wready[p+1] = 1'b0;
      assign t_bvalid[p+1] = 1'b0;
      assign t_bresp[p+1] = 2'b00;
      assign t_arready[p+1] = 1'b0;
      assign t_rvalid[p+1] = 1'b0;
      assign t_rresp[p+1] = 2'b00;
      assign t_rdata[p+1] = 32'h0;
      tnic_taxi_past widths (
        .s_axis_tx(core_tx[p]),
        .m_axis_tx_cpl(core_tx_cpl[p]),
        .m_axis_rx(core_rx[p]),
        .mac_tx_clk(mac_tx_clk[p]),
        .mac_tx_rst(mac_tx_rst[p]),
        .mac_axis_tx(mac_axis_tx[p]),
        .mac_axis_tx_cpl(mac_axis_tx_cpl[p]),
        .mac_rx_clk(mac_rx_clk[p]),
        .mac_rx_rst(mac_rx_rst[p]),
        .mac_axis_rx(mac_axis_rx[p])
      );
    end
  end
endmodule

// A port that is not paced: the NIC core's streams on the MAC's clocks, of another width.
module tnic_taxi_past (
  taxi_axis_if.snk s_axis_tx,
  taxi_axis_if.src m_axis_tx_cpl,
  taxi_axis_if.src m_axis_rx,
  input wire       mac_tx_clk,
  input wire       mac_tx_rst,
  taxi_axis_if.src mac_axis_tx,
  taxi_axis_if.snk mac_axis_tx_cpl,
  input wire       mac_rx_clk,
  input wire       mac_rx_rst,
  taxi_axis_if.snk mac_axis_rx
);
  localparam MAC_W = mac_axis_tx.DATA_W;
  localparam HOST_W = s_axis_tx.DATA_W;
  localparam TS_W = mac_axis_tx_cpl.DATA_W;
  if (HOST_W % MAC_W != 0 || HOST_W < MAC_W || mac_axis_rx.DATA_W != MAC_W)
    $error("timely-nic needs a HOST_W of the NIC core that is a multiple of the MAC's width");
  if (m_axis_tx_cpl.DATA_W != TS_W || mac_axis_rx.USER_W != TS_W + 1 || m_axis_rx.USER_W != TS_W + 1)
    $error("timely-nic needs stamps from MAC and to NIC core in one format: set TS_W as the MACs have it");
  wire bad;
  wire [7:0] tag;
  tnic_taxi_narrow #(.W(HOST_W), .N(MAC_W), .SIDE(9)) tx_narrow (
    .clk(mac_tx_clk),
    .flush(mac_tx_rst),
    .s_tdata(s_axis_tx.tdata),
    .s_tkeep(s_axis_tx.tkeep),
    .s_tvalid(s_axis_tx.tvalid),
    .s_tready(s_axis_tx.tready),
    .s_tlast(s_axis_tx.tlast),
    .s_side({s_axis_tx.tuser[0], 8'(s_axis_tx.tid)}),
    .m_tdata(mac_axis_tx.tdata),
    .m_tkeep(mac_axis_tx.tkeep),
    .m_tvalid(mac_axis_tx.tvalid),
    .m_tready(mac_axis_tx.tready),
    .m_tlast(mac_axis_tx.tlast),
    .m_side({bad, tag})
  );
  assign mac_axis_tx.tid = mac_axis_tx.ID_W'(tag);
  assign mac_axis_tx.tstrb = mac_axis_tx.tkeep;
  assign mac_axis_tx.tdest = '0;
  assign mac_axis_tx.tuser = mac_axis_tx.USER_W'(bad);
  assign m_axis_tx_cpl.tdata = mac_axis_tx_cpl.tdata;
  assign m_axis_tx_cpl.tkeep = '1;
  assign m_axis_tx_cpl.tstrb = '1;
  assign m_axis_tx_cpl.tid = m_axis_tx_cpl.ID_W'(mac_axis_tx_cpl.tid);
  assign m_axis_tx_cpl.tdest = '0;
  assign m_axis_tx_cpl.tuser = '0;
  assign m_axis_tx_cpl.tlast = 1'b1;
  assign m_axis_tx_cpl.tvalid = mac_axis_tx_cpl.tvalid;
  assign mac_axis_tx_cpl.tready = m_axis_tx_cpl.tready;
  tnic_taxi_widen #(.W(HOST_W), .N(MAC_W), .SIDE(TS_W + 1)) rx_widen (
    .clk(mac_rx_clk),
    .flush(mac_rx_rst),
    .s_tdata(mac_axis_rx.tdata),
    .s_tkeep(mac_axis_rx.tkeep),
    .s_tvalid(mac_axis_rx.tvalid),
    .s_tready(mac_axis_rx.tready),
    .s_tlast(mac_axis_rx.tlast),
    .s_side(mac_axis_rx.tuser),
    .m_tdata(m_axis_rx.tdata),
    .m_tkeep(m_axis_rx.tkeep),
    .m_tvalid(m_axis_rx.tvalid),
    .m_tready(m_axis_rx.tready),
    .m_tlast(m_axis_rx.tlast),
    .m_side(m_axis_rx.tuser)
  );
  assign m_axis_rx.tstrb = m_axis_rx.tkeep;
  assign m_axis_rx.tid = '0;
  assign m_axis_rx.tdest = '0;
endmodule
