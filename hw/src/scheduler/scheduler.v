// Corundum's transmit scheduler, of @QUEUES@ queues at most, with timely-nic's pacer in place of the round-robin one.
// Ports and parameters are those that Corundum gives it; @CORE@ is emitted behind this module. With TIMELY_STREAMS defined there are two buses
// more, to and from timely-nic's application block.
// The shell sets widths of tags, destinations and addresses; inside they have their own.
/* verilator lint_save */
/* verilator lint_off WIDTH */
module mqnic_tx_scheduler_block #(
  parameter PORTS = 1,
  parameter INDEX = 0,
  parameter CLK_PERIOD_NS_NUM = 4,
  parameter CLK_PERIOD_NS_DENOM = 1,
  parameter PTP_CLK_PERIOD_NS_NUM = 4,
  parameter PTP_CLK_PERIOD_NS_DENOM = 1,
  parameter PTP_CLOCK_CDC_PIPELINE = 0,
  parameter PTP_PEROUT_ENABLE = 0,
  parameter PTP_PEROUT_COUNT = 1,
  parameter QUEUE_INDEX_WIDTH = @F@,
  parameter TX_SCHEDULER_OP_TABLE_SIZE = 8,
  parameter TX_SCHEDULER_PIPELINE = 3,
  parameter TDMA_INDEX_WIDTH = 6,
  parameter DMA_LEN_WIDTH = 16,
  parameter TX_REQ_TAG_WIDTH = 8,
  parameter MAX_TX_SIZE = 9214,
  parameter REG_ADDR_WIDTH = 16,
  parameter REG_DATA_WIDTH = 32,
  parameter REG_STRB_WIDTH = (REG_DATA_WIDTH / 8),
  parameter RB_BASE_ADDR = 0,
  parameter RB_NEXT_PTR = 0,
  parameter AXIL_DATA_WIDTH = 32,
  parameter AXIL_ADDR_WIDTH = @WINDOW@,
  parameter AXIL_STRB_WIDTH = (AXIL_DATA_WIDTH / 8),
  parameter AXIL_OFFSET = 0,
  parameter AXIS_TX_DEST_WIDTH = $clog2(PORTS) + 4
) (
  input wire clk,
  input wire rst,
  input wire [REG_ADDR_WIDTH-1:0] ctrl_reg_wr_addr,
  input wire [REG_DATA_WIDTH-1:0] ctrl_reg_wr_data,
  input wire [REG_STRB_WIDTH-1:0] ctrl_reg_wr_strb,
  input wire ctrl_reg_wr_en,
  output wire ctrl_reg_wr_wait,
  output wire ctrl_reg_wr_ack,
  input wire [REG_ADDR_WIDTH-1:0] ctrl_reg_rd_addr,
  input wire ctrl_reg_rd_en,
  output wire [REG_DATA_WIDTH-1:0] ctrl_reg_rd_data,
  output wire ctrl_reg_rd_wait,
  output wire ctrl_reg_rd_ack,
  input wire [AXIL_ADDR_WIDTH-1:0] s_axil_awaddr,
  input wire [2:0] s_axil_awprot,
  input wire s_axil_awvalid,
  output wire s_axil_awready,
  input wire [AXIL_DATA_WIDTH-1:0] s_axil_wdata,
  input wire [AXIL_STRB_WIDTH-1:0] s_axil_wstrb,
  input wire s_axil_wvalid,
  output wire s_axil_wready,
  output wire [1:0] s_axil_bresp,
  output wire s_axil_bvalid,
  input wire s_axil_bready,
  input wire [AXIL_ADDR_WIDTH-1:0] s_axil_araddr,
  input wire [2:0] s_axil_arprot,
  input wire s_axil_arvalid,
  output wire s_axil_arready,
  output wire [AXIL_DATA_WIDTH-1:0] s_axil_rdata,
  output wire [1:0] s_axil_rresp,
  output wire s_axil_rvalid,
  input wire s_axil_rready,
  output wire [QUEUE_INDEX_WIDTH-1:0] m_axis_tx_req_queue,
  output wire [TX_REQ_TAG_WIDTH-1:0] m_axis_tx_req_tag,
  output wire [AXIS_TX_DEST_WIDTH-1:0] m_axis_tx_req_dest,
  output wire m_axis_tx_req_valid,
  input wire m_axis_tx_req_ready,
  input wire [DMA_LEN_WIDTH-1:0] s_axis_tx_req_status_len,
  input wire [TX_REQ_TAG_WIDTH-1:0] s_axis_tx_req_status_tag,
  input wire s_axis_tx_req_status_valid,
  input wire [QUEUE_INDEX_WIDTH-1:0] s_axis_doorbell_queue,
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
  input wire [PTP_PEROUT_COUNT-1:0] ptp_perout_locked,
  input wire [PTP_PEROUT_COUNT-1:0] ptp_perout_error,
  input wire [PTP_PEROUT_COUNT-1:0] ptp_perout_pulse,
`ifdef TIMELY_STREAMS
  input wire [261:0] timely_down,
  output wire [166:0] timely_up,
`endif
  input wire [DMA_LEN_WIDTH-1:0] mtu
);
  generate
    if (QUEUE_INDEX_WIDTH > @F@ || QUEUE_INDEX_WIDTH < 1) begin : built_for_fewer_queues
      timely_nic_was_emitted_for_@QUEUES@_queues_at_most stop();
    end
    if (REG_DATA_WIDTH != 32 || REG_STRB_WIDTH != 4 || REG_ADDR_WIDTH < 8 || REG_ADDR_WIDTH > 24) begin : built_for_another_bus
      timely_nic_needs_registers_of_32_bits_and_addresses_of_8_to_24_bits stop();
    end
    if (AXIL_DATA_WIDTH != 32 || AXIL_STRB_WIDTH != 4 || AXIL_ADDR_WIDTH < @WINDOW@ || AXIL_ADDR_WIDTH > 24) begin : built_for_another_window
      timely_nic_needs_AXI_Lite_of_32_bits_and_addresses_of_@WINDOW@_to_24_bits stop();
    end
    if (DMA_LEN_WIDTH > 16 || AXIS_TX_DEST_WIDTH > 16) begin : built_for_shorter_packets
      timely_nic_needs_lengths_and_destinations_of_16_bits_at_most stop();
    end
    if (CLK_PERIOD_NS_NUM * 1000 != @CLOCK@ * CLK_PERIOD_NS_DENOM) begin : built_for_another_clock
      timely_nic_was_emitted_for_a_clock_of_@CLOCK@_ps stop();
    end
    if (2**TX_REQ_TAG_WIDTH < TX_SCHEDULER_OP_TABLE_SIZE || TX_SCHEDULER_OP_TABLE_SIZE < 1) begin : built_for_more_tags
      timely_nic_needs_a_tag_for_each_of_TX_SCHEDULER_OP_TABLE_SIZE_requests stop();
    end
  endgenerate

  wire [8:0] tags = TX_SCHEDULER_OP_TABLE_SIZE > 256 ? 256 : TX_SCHEDULER_OP_TABLE_SIZE;
  wire [15:0] first_dest = (INDEX % PORTS) << 4;
  wire [7:0] status_tag = s_axis_tx_req_status_tag;
  wire [15:0] status_len = s_axis_tx_req_status_len;
  wire [@F@-1:0] bell = s_axis_doorbell_queue;
  wire [31:0] window = AXIL_OFFSET;
  wire [31:0] base = RB_BASE_ADDR & ((1 << REG_ADDR_WIDTH) - 1);
  wire [@F@-1:0] queue;
  wire [7:0] tag;
  wire [15:0] dest;
  assign m_axis_tx_req_queue = queue;
  assign m_axis_tx_req_tag = tag;
  assign m_axis_tx_req_dest = dest;
  assign ctrl_reg_wr_wait = 1'b0;
  assign ctrl_reg_rd_wait = 1'b0;
`ifdef TIMELY_STREAMS
  wire [261:0] down = timely_down;
  wire [166:0] up;
  assign timely_up = up;
  wire streams = 1'b1;
`else
  wire [261:0] down = 262'h0;
  wire [166:0] up;
  wire streams = 1'b0;
`endif
  @CORE@ scheduler (
    .clk(clk),
    .rst(rst),
    .s_axil_awaddr({{(24-AXIL_ADDR_WIDTH){1'b0}}, s_axil_awaddr}),
    .s_axil_awvalid(s_axil_awvalid),
    .s_axil_awready(s_axil_awready),
    .s_axil_wdata(s_axil_wdata),
    .s_axil_wstrb(s_axil_wstrb),
    .s_axil_wvalid(s_axil_wvalid),
    .s_axil_wready(s_axil_wready),
    .s_axil_bresp(s_axil_bresp),
    .s_axil_bvalid(s_axil_bvalid),
    .s_axil_bready(s_axil_bready),
    .s_axil_araddr({{(24-AXIL_ADDR_WIDTH){1'b0}}, s_axil_araddr}),
    .s_axil_arvalid(s_axil_arvalid),
    .s_axil_arready(s_axil_arready),
    .s_axil_rdata(s_axil_rdata),
    .s_axil_rresp(s_axil_rresp),
    .s_axil_rvalid(s_axil_rvalid),
    .s_axil_rready(s_axil_rready),
    .wr_addr({{(24-REG_ADDR_WIDTH){1'b0}}, ctrl_reg_wr_addr}),
    .wr_data(ctrl_reg_wr_data),
    .wr_strb(ctrl_reg_wr_strb),
    .wr_en(ctrl_reg_wr_en),
    .wr_ack(ctrl_reg_wr_ack),
    .rd_addr({{(24-REG_ADDR_WIDTH){1'b0}}, ctrl_reg_rd_addr}),
    .rd_en(ctrl_reg_rd_en),
    .rd_data(ctrl_reg_rd_data),
    .rd_ack(ctrl_reg_rd_ack),
    .cfg_base(base[23:0]),
    .cfg_address(RB_BASE_ADDR),
    .cfg_next(RB_NEXT_PTR),
    .cfg_window(window),
    .cfg_queues(32'd1 << QUEUE_INDEX_WIDTH),
    .cfg_dest(first_dest),
    .cfg_streams(streams),
    .cfg_tags(tags),
    .cfg_share(5'd@SHARE@),
    .cfg_increment(32'd@INCREMENT@),
    .down(down),
    .up(up),
    .doorbell_valid(s_axis_doorbell_valid),
    .doorbell_queue(bell),
    .request_valid(m_axis_tx_req_valid),
    .request_ready(m_axis_tx_req_ready),
    .request_queue(queue),
    .request_tag(tag),
    .request_dest(dest),
    .status_valid(s_axis_tx_req_status_valid),
    .status_tag(status_tag),
    .status_len(status_len)
  );
endmodule
/* verilator lint_restore */
