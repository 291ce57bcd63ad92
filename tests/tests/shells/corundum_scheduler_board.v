// Corundum's place for a transmit scheduler: the ports and parameters that its interface module gives one.
module board(
  input wire clk,
  input wire rst,
  input wire [18:0] ctrl_reg_wr_addr,
  input wire [31:0] ctrl_reg_wr_data,
  input wire [3:0] ctrl_reg_wr_strb,
  input wire ctrl_reg_wr_en,
  output wire ctrl_reg_wr_wait,
  output wire ctrl_reg_wr_ack,
  input wire [18:0] ctrl_reg_rd_addr,
  input wire ctrl_reg_rd_en,
  output wire [31:0] ctrl_reg_rd_data,
  output wire ctrl_reg_rd_wait,
  output wire ctrl_reg_rd_ack,
  input wire [20:0] s_axil_awaddr,
  input wire [2:0] s_axil_awprot,
  input wire s_axil_awvalid,
  output wire s_axil_awready,
  input wire [31:0] s_axil_wdata,
  input wire [3:0] s_axil_wstrb,
  input wire s_axil_wvalid,
  output wire s_axil_wready,
  output wire [1:0] s_axil_bresp,
  output wire s_axil_bvalid,
  input wire s_axil_bready,
  input wire [20:0] s_axil_araddr,
  input wire [2:0] s_axil_arprot,
  input wire s_axil_arvalid,
  output wire s_axil_arready,
  output wire [31:0] s_axil_rdata,
  output wire [1:0] s_axil_rresp,
  output wire s_axil_rvalid,
  input wire s_axil_rready,
  output wire [9:0] m_axis_tx_req_queue,
  output wire [5:0] m_axis_tx_req_tag,
  output wire [8:0] m_axis_tx_req_dest,
  output wire m_axis_tx_req_valid,
  input wire m_axis_tx_req_ready,
  input wire [15:0] s_axis_tx_req_status_len,
  input wire [5:0] s_axis_tx_req_status_tag,
  input wire s_axis_tx_req_status_valid,
  input wire [9:0] s_axis_doorbell_queue,
  input wire s_axis_doorbell_valid,
  input wire ptp_clk,
  input wire ptp_rst,
  input wire ptp_sample_clk,
  input wire ptp_td_sd,
  input wire ptp_pps,
  input wire ptp_pps_str,
  input wire ptp_sync_locked,
  input wire [63:0] ptp_sync_ts_rel,
  input wire ptp_sync_ts_rel_step,
  input wire [96:0] ptp_sync_ts_tod,
  input wire ptp_sync_ts_tod_step,
  input wire ptp_sync_pps,
  input wire ptp_sync_pps_str,
  input wire [0:0] ptp_perout_locked,
  input wire [0:0] ptp_perout_error,
  input wire [0:0] ptp_perout_pulse,
  input wire [15:0] mtu
);
  parameter PORTS = 2;
  parameter INDEX = 1;
  parameter CLK_PERIOD_NS_NUM = 4;
  parameter CLK_PERIOD_NS_DENOM = 1;
  parameter PTP_CLK_PERIOD_NS_NUM = 32;
  parameter PTP_CLK_PERIOD_NS_DENOM = 5;
  parameter PTP_CLOCK_CDC_PIPELINE = 0;
  parameter PTP_PEROUT_ENABLE = 0;
  parameter PTP_PEROUT_COUNT = 1;
  parameter QUEUE_INDEX_WIDTH = 10;
  parameter TX_SCHEDULER_OP_TABLE_SIZE = 32;
  parameter TX_SCHEDULER_PIPELINE = 4;
  parameter TDMA_INDEX_WIDTH = 6;
  parameter DMA_LEN_WIDTH = 16;
  parameter TX_REQ_TAG_WIDTH = 6;
  parameter MAX_TX_SIZE = 9214;
  parameter REG_ADDR_WIDTH = 19;
  parameter REG_DATA_WIDTH = 32;
  parameter REG_STRB_WIDTH = 4;
  parameter RB_BASE_ADDR = 32'h00083000;
  parameter RB_NEXT_PTR = 32'h00084000;
  parameter AXIL_DATA_WIDTH = 32;
  parameter AXIL_ADDR_WIDTH = 21;
  parameter AXIL_STRB_WIDTH = 4;
  parameter AXIL_OFFSET = 32'h00800000;
  parameter AXIS_TX_DEST_WIDTH = 9;
  mqnic_tx_scheduler_block #(
    .PORTS(PORTS),
    .INDEX(INDEX),
    .CLK_PERIOD_NS_NUM(CLK_PERIOD_NS_NUM),
    .CLK_PERIOD_NS_DENOM(CLK_PERIOD_NS_DENOM),
    .PTP_CLK_PERIOD_NS_NUM(PTP_CLK_PERIOD_NS_NUM),
    .PTP_CLK_PERIOD_NS_DENOM(PTP_CLK_PERIOD_NS_DENOM),
    .PTP_CLOCK_CDC_PIPELINE(PTP_CLOCK_CDC_PIPELINE),
    .PTP_PEROUT_ENABLE(PTP_PEROUT_ENABLE),
    .PTP_PEROUT_COUNT(PTP_PEROUT_COUNT),
    .QUEUE_INDEX_WIDTH(QUEUE_INDEX_WIDTH),
    .TX_SCHEDULER_OP_TABLE_SIZE(TX_SCHEDULER_OP_TABLE_SIZE),
    .TX_SCHEDULER_PIPELINE(TX_SCHEDULER_PIPELINE),
    .TDMA_INDEX_WIDTH(TDMA_INDEX_WIDTH),
    .DMA_LEN_WIDTH(DMA_LEN_WIDTH),
    .TX_REQ_TAG_WIDTH(TX_REQ_TAG_WIDTH),
    .MAX_TX_SIZE(MAX_TX_SIZE),
    .REG_ADDR_WIDTH(REG_ADDR_WIDTH),
    .REG_DATA_WIDTH(REG_DATA_WIDTH),
    .REG_STRB_WIDTH(REG_STRB_WIDTH),
    .RB_BASE_ADDR(RB_BASE_ADDR),
    .RB_NEXT_PTR(RB_NEXT_PTR),
    .AXIL_DATA_WIDTH(AXIL_DATA_WIDTH),
    .AXIL_ADDR_WIDTH(AXIL_ADDR_WIDTH),
    .AXIL_STRB_WIDTH(AXIL_STRB_WIDTH),
    .AXIL_OFFSET(AXIL_OFFSET),
    .AXIS_TX_DEST_WIDTH(AXIS_TX_DEST_WIDTH)
  ) scheduler_block (
`ifdef TIMELY_STREAMS
    .timely_down(262'h0),
    .timely_up(),
`endif
    .clk(clk),
    .rst(rst),
    .ctrl_reg_wr_addr(ctrl_reg_wr_addr),
    .ctrl_reg_wr_data(ctrl_reg_wr_data),
    .ctrl_reg_wr_strb(ctrl_reg_wr_strb),
    .ctrl_reg_wr_en(ctrl_reg_wr_en),
    .ctrl_reg_wr_wait(ctrl_reg_wr_wait),
    .ctrl_reg_wr_ack(ctrl_reg_wr_ack),
    .ctrl_reg_rd_addr(ctrl_reg_rd_addr),
    .ctrl_reg_rd_en(ctrl_reg_rd_en),
    .ctrl_reg_rd_data(ctrl_reg_rd_data),
    .ctrl_reg_rd_wait(ctrl_reg_rd_wait),
    .ctrl_reg_rd_ack(ctrl_reg_rd_ack),
    .s_axil_awaddr(s_axil_awaddr),
    .s_axil_awprot(s_axil_awprot),
    .s_axil_awvalid(s_axil_awvalid),
    .s_axil_awready(s_axil_awready),
    .s_axil_wdata(s_axil_wdata),
    .s_axil_wstrb(s_axil_wstrb),
    .s_axil_wvalid(s_axil_wvalid),
    .s_axil_wready(s_axil_wready),
    .s_axil_bresp(s_axil_bresp),
    .s_axil_bvalid(s_axil_bvalid),
    .s_axil_bready(s_axil_bready),
    .s_axil_araddr(s_axil_araddr),
    .s_axil_arprot(s_axil_arprot),
    .s_axil_arvalid(s_axil_arvalid),
    .s_axil_arready(s_axil_arready),
    .s_axil_rdata(s_axil_rdata),
    .s_axil_rresp(s_axil_rresp),
    .s_axil_rvalid(s_axil_rvalid),
    .s_axil_rready(s_axil_rready),
    .m_axis_tx_req_queue(m_axis_tx_req_queue),
    .m_axis_tx_req_tag(m_axis_tx_req_tag),
    .m_axis_tx_req_dest(m_axis_tx_req_dest),
    .m_axis_tx_req_valid(m_axis_tx_req_valid),
    .m_axis_tx_req_ready(m_axis_tx_req_ready),
    .s_axis_tx_req_status_len(s_axis_tx_req_status_len),
    .s_axis_tx_req_status_tag(s_axis_tx_req_status_tag),
    .s_axis_tx_req_status_valid(s_axis_tx_req_status_valid),
    .s_axis_doorbell_queue(s_axis_doorbell_queue),
    .s_axis_doorbell_valid(s_axis_doorbell_valid),
    .ptp_clk(ptp_clk),
    .ptp_rst(ptp_rst),
    .ptp_sample_clk(ptp_sample_clk),
    .ptp_td_sd(ptp_td_sd),
    .ptp_pps(ptp_pps),
    .ptp_pps_str(ptp_pps_str),
    .ptp_sync_locked(ptp_sync_locked),
    .ptp_sync_ts_rel(ptp_sync_ts_rel),
    .ptp_sync_ts_rel_step(ptp_sync_ts_rel_step),
    .ptp_sync_ts_tod(ptp_sync_ts_tod),
    .ptp_sync_ts_tod_step(ptp_sync_ts_tod_step),
    .ptp_sync_pps(ptp_sync_pps),
    .ptp_sync_pps_str(ptp_sync_pps_str),
    .ptp_perout_locked(ptp_perout_locked),
    .ptp_perout_error(ptp_perout_error),
    .ptp_perout_pulse(ptp_perout_pulse),
    .mtu(mtu)
  );
endmodule
