// Corundum's application block with timely-nic in it; the rest is in @FILE@.
// Interface 0 is the one that is paced, answered and measured; all others pass.
// The shell sets widths of addresses, tags and queues; inside they have their own.
/* verilator lint_save */
/* verilator lint_off WIDTH */
module mqnic_app_block #(
@PARAMETERS@
) (
@PORTS@
`ifdef TIMELY_STREAMS
  ,
  output wire [261:0] timely_down,
  input wire [166:0] timely_up
`endif
);
  generate
    if (APP_ID != 32'h@ID@) begin : built_for_another_id
      timely_nic_needs_an_APP_ID_of_32h@ID@ stop();
    end
    if (AXIS_SYNC_DATA_WIDTH != @BUS@ || AXIS_SYNC_KEEP_WIDTH != @BUS@ / 8 || AXIS_IF_DATA_WIDTH != @BUS@ || AXIS_IF_KEEP_WIDTH != @BUS@ / 8) begin : built_for_another_bus
      timely_nic_needs_sync_and_interface_streams_of_@BUS@_bits stop();
    end
    if (PORTS_PER_IF != 1) begin : built_for_one_port
      timely_nic_needs_one_port_an_interface stop();
    end
    if (SCHED_PER_IF != 1) begin : built_for_one_scheduler
      timely_nic_needs_one_scheduler_an_interface stop();
    end
    if (PTP_TS_ENABLE == 0 || PTP_TS_WIDTH != 96 || AXIS_SYNC_RX_USER_WIDTH != 97) begin : built_for_stamps
      timely_nic_needs_PTP_stamps_of_96_bits stop();
    end
    if (TX_TAG_WIDTH < @TAG_BITS@ || TX_TAG_WIDTH > 16 || AXIS_SYNC_TX_USER_WIDTH != TX_TAG_WIDTH + 1 || AXIS_IF_TX_USER_WIDTH != TX_TAG_WIDTH + 1 || AXIS_IF_TX_ID_WIDTH > 16) begin : built_for_other_tags
      timely_nic_needs_tags_of_@TAGS@_bits_and_queues_of_16_at_most stop();
    end
    if (AXIS_IF_TX_DEST_WIDTH > 16) begin : built_for_other_destinations
      timely_nic_needs_destinations_of_16_bits_at_most stop();
    end
    if (APP_CTRL_ENABLE == 0 || APP_AXIS_SYNC_ENABLE == 0 || APP_AXIS_IF_ENABLE == 0) begin : built_for_all_streams
      timely_nic_needs_APP_CTRL_ENABLE_APP_AXIS_SYNC_ENABLE_and_APP_AXIS_IF_ENABLE stop();
    end
    if (AXIL_APP_CTRL_DATA_WIDTH != 32 || AXIL_APP_CTRL_ADDR_WIDTH < 12 || AXIL_APP_CTRL_ADDR_WIDTH > 24 || AXIL_CTRL_DATA_WIDTH != 32 || AXIL_CTRL_ADDR_WIDTH != 24) begin : built_for_registers
      timely_nic_needs_registers_of_32_bits_application_addresses_of_12_to_24_bits_and_own_addresses_of_24 stop();
    end
    if (APP_DMA_ENABLE != 0 && (RAM_SEG_COUNT != 2 || (RAM_SEG_DATA_WIDTH != 256 && RAM_SEG_DATA_WIDTH != 512) || RAM_ADDR_WIDTH < 11 || DMA_TAG_WIDTH < 4 || DMA_ADDR_WIDTH > 64)) begin : built_for_another_ram
      timely_nic_needs_DMA_RAM_of_two_segments_of_256_or_512_bits_or_APP_DMA_ENABLE_0 stop();
    end
  endgenerate

  // What only passes.
@THROUGH@
  // What is not used.
@UNUSED@
  // Other interfaces than 0.
  genvar n;
  generate
    for (n = 1; n < PORT_COUNT; n = n + 1) begin : past
      assign m_axis_sync_tx_tdata[n*AXIS_SYNC_DATA_WIDTH +: AXIS_SYNC_DATA_WIDTH] = s_axis_sync_tx_tdata[n*AXIS_SYNC_DATA_WIDTH +: AXIS_SYNC_DATA_WIDTH];
      assign m_axis_sync_tx_tkeep[n*AXIS_SYNC_KEEP_WIDTH +: AXIS_SYNC_KEEP_WIDTH] = s_axis_sync_tx_tkeep[n*AXIS_SYNC_KEEP_WIDTH +: AXIS_SYNC_KEEP_WIDTH];
      assign m_axis_sync_tx_tvalid[n] = s_axis_sync_tx_tvalid[n];
      assign s_axis_sync_tx_tready[n] = m_axis_sync_tx_tready[n];
      assign m_axis_sync_tx_tlast[n] = s_axis_sync_tx_tlast[n];
      assign m_axis_sync_tx_tuser[n*AXIS_SYNC_TX_USER_WIDTH +: AXIS_SYNC_TX_USER_WIDTH] = s_axis_sync_tx_tuser[n*AXIS_SYNC_TX_USER_WIDTH +: AXIS_SYNC_TX_USER_WIDTH];
      assign m_axis_sync_tx_cpl_ts[n*PTP_TS_WIDTH +: PTP_TS_WIDTH] = s_axis_sync_tx_cpl_ts[n*PTP_TS_WIDTH +: PTP_TS_WIDTH];
      assign m_axis_sync_tx_cpl_tag[n*TX_TAG_WIDTH +: TX_TAG_WIDTH] = s_axis_sync_tx_cpl_tag[n*TX_TAG_WIDTH +: TX_TAG_WIDTH];
      assign m_axis_sync_tx_cpl_valid[n] = s_axis_sync_tx_cpl_valid[n];
      assign s_axis_sync_tx_cpl_ready[n] = m_axis_sync_tx_cpl_ready[n];
    end
  endgenerate

  generate
    for (n = 1; n < IF_COUNT; n = n + 1) begin : other_queues
      assign m_axis_if_tx_tdata[n*AXIS_IF_DATA_WIDTH +: AXIS_IF_DATA_WIDTH] = s_axis_if_tx_tdata[n*AXIS_IF_DATA_WIDTH +: AXIS_IF_DATA_WIDTH];
      assign m_axis_if_tx_tkeep[n*AXIS_IF_KEEP_WIDTH +: AXIS_IF_KEEP_WIDTH] = s_axis_if_tx_tkeep[n*AXIS_IF_KEEP_WIDTH +: AXIS_IF_KEEP_WIDTH];
      assign m_axis_if_tx_tvalid[n] = s_axis_if_tx_tvalid[n];
      assign s_axis_if_tx_tready[n] = m_axis_if_tx_tready[n];
      assign m_axis_if_tx_tlast[n] = s_axis_if_tx_tlast[n];
      assign m_axis_if_tx_tid[n*AXIS_IF_TX_ID_WIDTH +: AXIS_IF_TX_ID_WIDTH] = s_axis_if_tx_tid[n*AXIS_IF_TX_ID_WIDTH +: AXIS_IF_TX_ID_WIDTH];
      assign m_axis_if_tx_tdest[n*AXIS_IF_TX_DEST_WIDTH +: AXIS_IF_TX_DEST_WIDTH] = s_axis_if_tx_tdest[n*AXIS_IF_TX_DEST_WIDTH +: AXIS_IF_TX_DEST_WIDTH];
      assign m_axis_if_tx_tuser[n*AXIS_IF_TX_USER_WIDTH +: AXIS_IF_TX_USER_WIDTH] = s_axis_if_tx_tuser[n*AXIS_IF_TX_USER_WIDTH +: AXIS_IF_TX_USER_WIDTH];
    end
  endgenerate

  // Tags inside have 16 bits, of which the highest is the one that says whose it is.
  localparam TAG = TX_TAG_WIDTH;
  wire [15:0] s_tx_tag = {s_axis_sync_tx_tuser[TAG], 15'h0} | {1'b0, s_axis_sync_tx_tuser[TAG-1:1]};
  wire [15:0] if_tag = {s_axis_if_tx_tuser[TAG], 15'h0} | {1'b0, s_axis_if_tx_tuser[TAG-1:1]};
  wire [15:0] s_cpl_tag = {s_axis_sync_tx_cpl_tag[TAG-1], 15'h0} | {1'b0, s_axis_sync_tx_cpl_tag[TAG-2:0]};
  wire [15:0] m_tx_tag, m_cpl_tag, m_if_tag;
  wire        m_tx_bad, m_if_bad;
  assign m_axis_if_tx_tuser[TAG:0] = {m_if_tag[15], m_if_tag[TAG-2:0], m_if_bad};
  assign m_axis_sync_tx_tuser[TAG:0] = {m_tx_tag[15], m_tx_tag[TAG-2:0], m_tx_bad};
  assign m_axis_sync_tx_cpl_tag[TAG-1:0] = {m_cpl_tag[15], m_cpl_tag[TAG-2:0]};

  // Addresses inside have 24 bits, queues 16; the shell's parameters say how many bits come.
  wire [23:0] awaddr = s_axil_app_ctrl_awaddr;
  wire [23:0] araddr = s_axil_app_ctrl_araddr;
  wire [15:0] if_queue = s_axis_if_tx_tid[AXIS_IF_TX_ID_WIDTH-1:0];
  wire [15:0] if_dest = s_axis_if_tx_tdest[AXIS_IF_TX_DEST_WIDTH-1:0];
  wire [15:0] m_if_queue, m_if_dest;
  assign m_axis_if_tx_tid[AXIS_IF_TX_ID_WIDTH-1:0] = m_if_queue[AXIS_IF_TX_ID_WIDTH-1:0];
  assign m_axis_if_tx_tdest[AXIS_IF_TX_DEST_WIDTH-1:0] = m_if_dest[AXIS_IF_TX_DEST_WIDTH-1:0];

  // DMA: places of 64 bytes in a RAM, of which a row of the shell's has one.
  wire [63:0]  wd_address, rd_address;
  wire [3:0]   wd_place;
  wire         wd_valid, wd_ready, rd_place, rd_valid, rd_ready;
  wire         ws_valid, rs_valid;
  wire [3:0]   ws_place;
  wire         rs_place, ws_failed, rs_failed;
  wire [1:0]   ask_valid, ask_ready, answer_valid, answer_ready;
  wire [7:0]   ask_place;
  wire [511:0] answer_0, answer_1;
  wire [1:0]   half_valid, half_place;
  wire [63:0]  half_enable;
  wire [511:0] half_data;
  generate
    if (APP_DMA_ENABLE != 0) begin : dma
      localparam ROW = $clog2(RAM_SEG_COUNT * RAM_SEG_DATA_WIDTH / 8);
      reg [1:0] written = 2'b00;
      always @(posedge clk) written <= rst ? 2'b00 : data_dma_ram_wr_cmd_valid;
      assign m_axis_data_dma_write_desc_dma_addr = wd_address[DMA_ADDR_WIDTH-1:0];
      assign m_axis_data_dma_write_desc_ram_sel = 0;
      assign m_axis_data_dma_write_desc_ram_addr = {{(RAM_ADDR_WIDTH-4){1'b0}}, wd_place} << ROW;
      assign m_axis_data_dma_write_desc_imm = 0;
      assign m_axis_data_dma_write_desc_imm_en = 1'b0;
      assign m_axis_data_dma_write_desc_len = 64;
      assign m_axis_data_dma_write_desc_tag = wd_place;
      assign m_axis_data_dma_write_desc_valid = wd_valid;
      assign wd_ready = m_axis_data_dma_write_desc_ready;
      assign ws_valid = s_axis_data_dma_write_desc_status_valid;
      assign ws_place = s_axis_data_dma_write_desc_status_tag[3:0];
      assign ws_failed = s_axis_data_dma_write_desc_status_error != 4'h0;
      assign m_axis_data_dma_read_desc_dma_addr = rd_address[DMA_ADDR_WIDTH-1:0];
      assign m_axis_data_dma_read_desc_ram_sel = 0;
      assign m_axis_data_dma_read_desc_ram_addr = {{(RAM_ADDR_WIDTH-1){1'b0}}, rd_place} << ROW;
      assign m_axis_data_dma_read_desc_len = 64;
      assign m_axis_data_dma_read_desc_tag = rd_place;
      assign m_axis_data_dma_read_desc_valid = rd_valid;
      assign rd_ready = m_axis_data_dma_read_desc_ready;
      assign rs_valid = s_axis_data_dma_read_desc_status_valid;
      assign rs_place = s_axis_data_dma_read_desc_status_tag[0];
      assign rs_failed = s_axis_data_dma_read_desc_status_error != 4'h0;
      assign ask_valid = data_dma_ram_rd_cmd_valid;
      assign ask_place = {data_dma_ram_rd_cmd_addr[RAM_SEG_ADDR_WIDTH +: 4], data_dma_ram_rd_cmd_addr[3:0]};
      assign data_dma_ram_rd_cmd_ready = ask_ready;
      assign data_dma_ram_rd_resp_valid = answer_valid;
      assign answer_ready = data_dma_ram_rd_resp_ready;
      assign data_dma_ram_wr_cmd_ready = 2'b11;
      assign data_dma_ram_wr_done = written;
      if (RAM_SEG_DATA_WIDTH == 256) begin : halves
        assign data_dma_ram_rd_resp_data = {answer_1[511:256], answer_0[255:0]};
        assign half_valid = data_dma_ram_wr_cmd_valid;
        assign half_place = {data_dma_ram_wr_cmd_addr[RAM_SEG_ADDR_WIDTH], data_dma_ram_wr_cmd_addr[0]};
        assign half_enable = data_dma_ram_wr_cmd_be;
        assign half_data = data_dma_ram_wr_cmd_data;
      end else begin : wholes
        // A place is in segment 0.
        assign data_dma_ram_rd_resp_data = {answer_1, answer_0};
        assign half_valid = {2{data_dma_ram_wr_cmd_valid[0]}};
        assign half_place = {2{data_dma_ram_wr_cmd_addr[0]}};
        assign half_enable = data_dma_ram_wr_cmd_be[63:0];
        assign half_data = data_dma_ram_wr_cmd_data[511:0];
      end
    end else begin : no_dma
      assign m_axis_data_dma_write_desc_dma_addr = 0;
      assign m_axis_data_dma_write_desc_ram_sel = 0;
      assign m_axis_data_dma_write_desc_ram_addr = 0;
      assign m_axis_data_dma_write_desc_imm = 0;
      assign m_axis_data_dma_write_desc_imm_en = 1'b0;
      assign m_axis_data_dma_write_desc_len = 0;
      assign m_axis_data_dma_write_desc_tag = 0;
      assign m_axis_data_dma_write_desc_valid = 1'b0;
      assign m_axis_data_dma_read_desc_dma_addr = 0;
      assign m_axis_data_dma_read_desc_ram_sel = 0;
      assign m_axis_data_dma_read_desc_ram_addr = 0;
      assign m_axis_data_dma_read_desc_len = 0;
      assign m_axis_data_dma_read_desc_tag = 0;
      assign m_axis_data_dma_read_desc_valid = 1'b0;
      assign data_dma_ram_wr_cmd_ready = 0;
      assign data_dma_ram_wr_done = 0;
      assign data_dma_ram_rd_cmd_ready = 0;
      assign data_dma_ram_rd_resp_data = 0;
      assign data_dma_ram_rd_resp_valid = 0;
      assign {wd_ready, rd_ready, ws_valid, rs_valid, ws_place, rs_place, ws_failed, rs_failed} = 0;
      assign ask_valid = 2'b00;
      assign ask_place = 8'h00;
      assign answer_ready = 2'b00;
      assign half_valid = 2'b00;
      assign half_place = 2'b00;
      assign half_enable = 64'h0;
      assign half_data = 512'h0;
    end
  endgenerate

  // The window of the first scheduler of interface 0 in the NIC's own registers: the upper half of an interface's begins with it.
  localparam [23:0] WINDOW = 24'd1 << (AXIL_CTRL_ADDR_WIDTH - $clog2(IF_COUNT) - 1);
  wire [23:0] own_awaddr, own_araddr;
  wire        own_awvalid, own_wvalid, own_arvalid;
  assign m_axil_ctrl_awaddr = own_awaddr;
  assign m_axil_ctrl_awprot = 3'b000;
  assign m_axil_ctrl_wstrb = 4'hf;
  assign m_axil_ctrl_araddr = own_araddr;
  assign m_axil_ctrl_arprot = 3'b000;
`ifdef TIMELY_STREAMS
  assign {m_axil_ctrl_awvalid, m_axil_ctrl_wvalid, m_axil_ctrl_arvalid} = 3'b000;
`else
  assign {m_axil_ctrl_awvalid, m_axil_ctrl_wvalid, m_axil_ctrl_arvalid} = {own_awvalid, own_wvalid, own_arvalid};
`endif

@GENERATOR@

  @CORE@ core (
    .clk(clk),
    .rst(rst),
@TOWARDS@
    .s_axil_awaddr(awaddr),
    .s_axil_awvalid(s_axil_app_ctrl_awvalid),
    .s_axil_awready(s_axil_app_ctrl_awready),
    .s_axil_wdata(s_axil_app_ctrl_wdata),
    .s_axil_wstrb(s_axil_app_ctrl_wstrb),
    .s_axil_wvalid(s_axil_app_ctrl_wvalid),
    .s_axil_wready(s_axil_app_ctrl_wready),
    .s_axil_bresp(s_axil_app_ctrl_bresp),
    .s_axil_bvalid(s_axil_app_ctrl_bvalid),
    .s_axil_bready(s_axil_app_ctrl_bready),
    .s_axil_araddr(araddr),
    .s_axil_arvalid(s_axil_app_ctrl_arvalid),
    .s_axil_arready(s_axil_app_ctrl_arready),
    .s_axil_rdata(s_axil_app_ctrl_rdata),
    .s_axil_rresp(s_axil_app_ctrl_rresp),
    .s_axil_rvalid(s_axil_app_ctrl_rvalid),
    .s_axil_rready(s_axil_app_ctrl_rready),
    .ptp_ts(ptp_sync_ts_tod[95:0]),
    .s_tx_tdata(s_axis_sync_tx_tdata[AXIS_SYNC_DATA_WIDTH-1:0]),
    .s_tx_tkeep(s_axis_sync_tx_tkeep[AXIS_SYNC_KEEP_WIDTH-1:0]),
    .s_tx_tvalid(s_axis_sync_tx_tvalid[0]),
    .s_tx_tready(s_axis_sync_tx_tready[0]),
    .s_tx_tlast(s_axis_sync_tx_tlast[0]),
    .s_tx_tag(s_tx_tag),
    .s_tx_bad(s_axis_sync_tx_tuser[0]),
    .m_tx_tdata(m_axis_sync_tx_tdata[AXIS_SYNC_DATA_WIDTH-1:0]),
    .m_tx_tkeep(m_axis_sync_tx_tkeep[AXIS_SYNC_KEEP_WIDTH-1:0]),
    .m_tx_tvalid(m_axis_sync_tx_tvalid[0]),
    .m_tx_tready(m_axis_sync_tx_tready[0]),
    .m_tx_tlast(m_axis_sync_tx_tlast[0]),
    .m_tx_tag(m_tx_tag),
    .m_tx_bad(m_tx_bad),
    .rx_tdata(s_axis_sync_rx_tdata[AXIS_SYNC_DATA_WIDTH-1:0]),
    .rx_tkeep(s_axis_sync_rx_tkeep[AXIS_SYNC_KEEP_WIDTH-1:0]),
    .rx_taken(s_axis_sync_rx_tvalid[0] && m_axis_sync_rx_tready[0]),
    .rx_tlast(s_axis_sync_rx_tlast[0]),
    .rx_ts(s_axis_sync_rx_tuser[96:1]),
    .rx_bad(s_axis_sync_rx_tuser[0]),
    .if_tdata(s_axis_if_tx_tdata[AXIS_IF_DATA_WIDTH-1:0]),
    .if_tkeep(s_axis_if_tx_tkeep[AXIS_IF_KEEP_WIDTH-1:0]),
    .if_tvalid(s_axis_if_tx_tvalid[0]),
    .if_tready(s_axis_if_tx_tready[0]),
    .if_tlast(s_axis_if_tx_tlast[0]),
    .if_queue(if_queue),
    .if_tag(if_tag),
    .if_bad(s_axis_if_tx_tuser[0]),
    .if_dest(if_dest),
    .m_if_tdata(m_axis_if_tx_tdata[AXIS_IF_DATA_WIDTH-1:0]),
    .m_if_tkeep(m_axis_if_tx_tkeep[AXIS_IF_KEEP_WIDTH-1:0]),
    .m_if_tvalid(m_axis_if_tx_tvalid[0]),
    .m_if_tready(m_axis_if_tx_tready[0]),
    .m_if_tlast(m_axis_if_tx_tlast[0]),
    .m_if_queue(m_if_queue),
    .m_if_tag(m_if_tag),
    .m_if_bad(m_if_bad),
    .m_if_dest(m_if_dest),
    .s_cpl_ts(s_axis_sync_tx_cpl_ts[95:0]),
    .s_cpl_tag(s_cpl_tag),
    .s_cpl_valid(s_axis_sync_tx_cpl_valid[0]),
    .s_cpl_ready(s_axis_sync_tx_cpl_ready[0]),
    .m_cpl_ts(m_axis_sync_tx_cpl_ts[95:0]),
    .m_cpl_tag(m_cpl_tag),
    .m_cpl_valid(m_axis_sync_tx_cpl_valid[0]),
    .m_cpl_ready(m_axis_sync_tx_cpl_ready[0]),
    .dma_enable(APP_DMA_ENABLE != 0),
    .wd_address(wd_address),
    .wd_place(wd_place),
    .wd_valid(wd_valid),
    .wd_ready(wd_ready),
    .ws_valid(ws_valid),
    .ws_place(ws_place),
    .ws_failed(ws_failed),
    .r0_valid(ask_valid[0]),
    .r0_place(ask_place[3:0]),
    .r0_ready(ask_ready[0]),
    .a0_data(answer_0),
    .a0_valid(answer_valid[0]),
    .a0_ready(answer_ready[0]),
    .r1_valid(ask_valid[1]),
    .r1_place(ask_place[7:4]),
    .r1_ready(ask_ready[1]),
    .a1_data(answer_1),
    .a1_valid(answer_valid[1]),
    .a1_ready(answer_ready[1]),
    .rd_address(rd_address),
    .rd_place(rd_place),
    .rd_valid(rd_valid),
    .rd_ready(rd_ready),
    .rs_valid(rs_valid),
    .rs_place(rs_place),
    .rs_failed(rs_failed),
    .h0_valid(half_valid[0]),
    .h0_place(half_place[0]),
    .h0_enable(half_enable[31:0]),
    .h0_data(half_data[255:0]),
    .h1_valid(half_valid[1]),
    .h1_place(half_place[1]),
    .h1_enable(half_enable[63:32]),
    .h1_data(half_data[511:256]),
    .base(WINDOW),
    .m_axil_awaddr(own_awaddr),
    .m_axil_awvalid(own_awvalid),
    .m_axil_awready(m_axil_ctrl_awready),
    .m_axil_wdata(m_axil_ctrl_wdata),
    .m_axil_wvalid(own_wvalid),
    .m_axil_wready(m_axil_ctrl_wready),
    .m_axil_bresp(m_axil_ctrl_bresp),
    .m_axil_bvalid(m_axil_ctrl_bvalid),
    .m_axil_bready(m_axil_ctrl_bready),
    .m_axil_araddr(own_araddr),
    .m_axil_arvalid(own_arvalid),
    .m_axil_arready(m_axil_ctrl_arready),
    .m_axil_rdata(m_axil_ctrl_rdata),
    .m_axil_rresp(m_axil_ctrl_rresp),
    .m_axil_rvalid(m_axil_ctrl_rvalid),
    .m_axil_rready(m_axil_ctrl_rready),
`ifdef TIMELY_STREAMS
    .streams(1'b1),
    .down(timely_down),
    .up(timely_up)
`else
    .streams(1'b0),
    .down(),
    .up(167'h0)
`endif
  );
endmodule
/* verilator lint_restore */
