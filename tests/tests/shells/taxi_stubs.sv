// What our files name of taxi, written for tests: interfaces with the signals and parameters that they use, a clock in place of the PTP leaf,
// and a NIC core whose port 0 leads outside by the streams of its board control: frames to send come by the answers, arrived ones leave by the
// interrupts and completions by the commands. Its other ports send nothing.
interface taxi_axis_if #(
  parameter DATA_W = 8, parameter KEEP_W = (DATA_W + 7) / 8, parameter logic KEEP_EN = KEEP_W > 1, parameter logic STRB_EN = 0,
  parameter logic LAST_EN = 1, parameter logic ID_EN = 0, parameter ID_W = 8, parameter logic DEST_EN = 0, parameter DEST_W = 8,
  parameter logic USER_EN = 0, parameter USER_W = 1
) ();
  logic [DATA_W-1:0] tdata;
  logic [KEEP_W-1:0] tkeep, tstrb;
  logic [ID_W-1:0] tid;
  logic [DEST_W-1:0] tdest;
  logic [USER_W-1:0] tuser;
  logic tlast, tvalid, tready;
  modport src (output tdata, tkeep, tstrb, tid, tdest, tuser, tlast, tvalid, input tready);
  modport snk (input tdata, tkeep, tstrb, tid, tdest, tuser, tlast, tvalid, output tready);
endinterface

interface taxi_axil_if #(
  parameter DATA_W = 32, parameter ADDR_W = 32, parameter STRB_W = DATA_W / 8, parameter AWUSER_W = 1, parameter WUSER_W = 1,
  parameter BUSER_W = 1, parameter ARUSER_W = 1, parameter RUSER_W = 1
) ();
  logic [ADDR_W-1:0] awaddr, araddr;
  logic [2:0] awprot, arprot;
  logic [AWUSER_W-1:0] awuser;
  logic [WUSER_W-1:0] wuser;
  logic [BUSER_W-1:0] buser;
  logic [ARUSER_W-1:0] aruser;
  logic [RUSER_W-1:0] ruser;
  logic [DATA_W-1:0] wdata, rdata;
  logic [STRB_W-1:0] wstrb;
  logic [1:0] bresp, rresp;
  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  modport wr_slv (input awaddr, awprot, awuser, awvalid, wdata, wstrb, wuser, wvalid, bready, output awready, wready, bresp, buser, bvalid);
  modport rd_slv (input araddr, arprot, aruser, arvalid, rready, output arready, rdata, rresp, ruser, rvalid);
endinterface

interface taxi_dma_desc_if ();
  logic req_valid, req_ready, sts_valid;
  modport req_src (output req_valid, input req_ready);
  modport sts_snk (input sts_valid);
endinterface

interface taxi_dma_ram_if ();
  logic wr_cmd_valid, rd_cmd_valid;
  modport wr_slv (input wr_cmd_valid);
  modport rd_slv (input rd_cmd_valid);
endinterface

// 4 ns a clock; a second wraps soon.
module taxi_ptp_td_leaf #(
  parameter logic TS_REL_EN = 1, parameter logic TS_TOD_EN = 1
) (
  input wire clk, input wire rst, input wire sample_clk, input wire ptp_clk, input wire ptp_rst, input wire ptp_td_sdi,
  output wire [63:0] output_ts_rel, output wire output_ts_rel_step, output wire [95:0] output_ts_tod, output wire output_ts_tod_step,
  output wire output_pps, output wire output_pps_str, output wire locked
);
  logic [63:0] rel = 64'h0000_fffe_c000_0000;
  logic [47:0] seconds = 48'd1;
  logic [29:0] ns = 30'd999_600_000;
  always_ff @(posedge clk) begin
    rel <= rel + 64'h4_0000;
    ns <= ns == 30'd999_999_996 ? 30'd0 : ns + 30'd4;
    if (ns == 30'd999_999_996)
      seconds <= seconds + 48'd1;
  end
  assign output_ts_rel = TS_REL_EN ? rel : '0;
  assign output_ts_tod = TS_TOD_EN ? {seconds, 2'b00, ns, 16'h0000} : '0;
  assign {output_ts_rel_step, output_ts_tod_step, output_pps, output_pps_str} = '0;
  assign locked = !(rst || sample_clk || ptp_clk || ptp_rst || ptp_td_sdi);
endmodule

module cndm_micro_core #(
  parameter logic SIM = 0, parameter string VENDOR = "", parameter string FAMILY = "", parameter FPGA_ID = 0, parameter FW_ID = 0,
  parameter FW_VER = 0, parameter BOARD_ID = 0, parameter BOARD_VER = 0, parameter BUILD_DATE = 0, parameter GIT_HASH = 0,
  parameter RELEASE_INFO = 0, parameter PORTS = 2, parameter logic BRD_CTRL_EN = 0, parameter SYS_CLK_PER_NS_NUM = 4,
  parameter SYS_CLK_PER_NS_DEN = 1, parameter WQN_W = 5, parameter CQN_W = WQN_W, parameter logic PTP_TS_EN = 1,
  parameter logic PTP_TS_FMT_TOD = 0, parameter PTP_CLK_PER_NS_NUM = 512, parameter PTP_CLK_PER_NS_DEN = 165
) (
  input wire clk, input wire rst,
  taxi_axil_if.wr_slv s_axil_ctrl_wr, taxi_axil_if.rd_slv s_axil_ctrl_rd,
  taxi_dma_desc_if.req_src dma_rd_desc_req, taxi_dma_desc_if.sts_snk dma_rd_desc_sts,
  taxi_dma_desc_if.req_src dma_wr_desc_req, taxi_dma_desc_if.sts_snk dma_wr_desc_sts,
  taxi_dma_ram_if.wr_slv dma_ram_wr, taxi_dma_ram_if.rd_slv dma_ram_rd,
  taxi_axis_if.src m_axis_irq, taxi_axis_if.src m_axis_brd_ctrl_cmd, taxi_axis_if.snk s_axis_brd_ctrl_rsp,
  input wire ptp_clk, input wire ptp_rst, input wire ptp_sample_clk, input wire ptp_td_sdi,
  output wire ptp_td_sdo, output wire ptp_pps, output wire ptp_pps_str, output wire ptp_sync_locked,
  output wire [63:0] ptp_sync_ts_rel, output wire ptp_sync_ts_rel_step, output wire [95:0] ptp_sync_ts_tod, output wire ptp_sync_ts_tod_step,
  output wire ptp_sync_pps, output wire ptp_sync_pps_str,
  input wire mac_tx_clk [PORTS], input wire mac_tx_rst [PORTS], taxi_axis_if.src mac_axis_tx [PORTS],
  taxi_axis_if.snk mac_axis_tx_cpl [PORTS],
  input wire mac_rx_clk [PORTS], input wire mac_rx_rst [PORTS], taxi_axis_if.snk mac_axis_rx [PORTS]
);
  assign dma_rd_desc_req.req_valid = 1'b0;
  assign dma_wr_desc_req.req_valid = 1'b0;
  assign {ptp_td_sdo, ptp_pps, ptp_pps_str, ptp_sync_locked, ptp_sync_ts_rel, ptp_sync_ts_rel_step} = '0;
  assign {ptp_sync_ts_tod, ptp_sync_ts_tod_step, ptp_sync_pps, ptp_sync_pps_str} = '0;

  // Each register reads as its address, and takes nothing.
  logic b = 1'b0, r = 1'b0;
  logic [31:0] address;
  assign s_axil_ctrl_wr.awready = s_axil_ctrl_wr.awvalid && s_axil_ctrl_wr.wvalid && !b;
  assign s_axil_ctrl_wr.wready = s_axil_ctrl_wr.awready;
  assign s_axil_ctrl_wr.bvalid = b;
  assign s_axil_ctrl_wr.bresp = 2'b00;
  assign s_axil_ctrl_wr.buser = '0;
  assign s_axil_ctrl_rd.arready = !r;
  assign s_axil_ctrl_rd.rvalid = r;
  assign s_axil_ctrl_rd.rdata = address;
  assign s_axil_ctrl_rd.rresp = 2'b00;
  assign s_axil_ctrl_rd.ruser = '0;
  always_ff @(posedge clk) begin
    b <= s_axil_ctrl_wr.awready || (b && !s_axil_ctrl_wr.bready);
    r <= (s_axil_ctrl_rd.arvalid && !r) || (r && !s_axil_ctrl_rd.rready);
    if (s_axil_ctrl_rd.arvalid && !r)
      address <= 32'(s_axil_ctrl_rd.araddr);
    if (rst)
      {b, r} <= '0;
  end

  assign mac_axis_tx[0].tdata = s_axis_brd_ctrl_rsp.tdata;
  assign mac_axis_tx[0].tkeep = s_axis_brd_ctrl_rsp.tkeep;
  assign mac_axis_tx[0].tid = s_axis_brd_ctrl_rsp.tid;
  assign mac_axis_tx[0].tlast = s_axis_brd_ctrl_rsp.tlast;
  assign mac_axis_tx[0].tvalid = s_axis_brd_ctrl_rsp.tvalid;
  assign s_axis_brd_ctrl_rsp.tready = mac_axis_tx[0].tready;
  assign {mac_axis_tx[0].tstrb, mac_axis_tx[0].tdest, mac_axis_tx[0].tuser} = '0;
  assign m_axis_irq.tdata = mac_axis_rx[0].tdata;
  assign m_axis_irq.tkeep = mac_axis_rx[0].tkeep;
  assign m_axis_irq.tuser = mac_axis_rx[0].tuser;
  assign m_axis_irq.tlast = mac_axis_rx[0].tlast;
  assign m_axis_irq.tvalid = mac_axis_rx[0].tvalid;
  assign mac_axis_rx[0].tready = m_axis_irq.tready;
  assign {m_axis_irq.tstrb, m_axis_irq.tid, m_axis_irq.tdest} = '0;
  assign m_axis_brd_ctrl_cmd.tdata = mac_axis_tx_cpl[0].tdata;
  assign m_axis_brd_ctrl_cmd.tid = mac_axis_tx_cpl[0].tid;
  assign m_axis_brd_ctrl_cmd.tvalid = mac_axis_tx_cpl[0].tvalid;
  assign mac_axis_tx_cpl[0].tready = m_axis_brd_ctrl_cmd.tready;
  assign {m_axis_brd_ctrl_cmd.tkeep, m_axis_brd_ctrl_cmd.tstrb, m_axis_brd_ctrl_cmd.tdest} = '0;
  assign {m_axis_brd_ctrl_cmd.tuser, m_axis_brd_ctrl_cmd.tlast} = '0;
  for (genvar p = 1; p < PORTS; p++) begin : others
    assign {mac_axis_tx[p].tdata, mac_axis_tx[p].tkeep, mac_axis_tx[p].tid, mac_axis_tx[p].tlast, mac_axis_tx[p].tvalid} = '0;
    assign {mac_axis_tx[p].tstrb, mac_axis_tx[p].tdest, mac_axis_tx[p].tuser} = '0;
    assign mac_axis_rx[p].tready = 1'b1;
    assign mac_axis_tx_cpl[p].tready = 1'b1;
  end
endmodule
