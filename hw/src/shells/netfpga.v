// NetFPGA's datapath, @PORTS@ ports: timely-nic between the host and port 0; frames of the other ports go past it, unpaced. Beside a frame goes
// tuser: bytes [15:0], source [23:16] and destination [31:24], of which bit 2n is port n and bit 2n + 1 its queue at the host.
// Ports are those that the shell gives its datapath; @CORE@ and its neighbours are emitted behind this module.
module @TOP@ (
@PORT_LIST@
);
  // 128 clocks of reset after either reset, and after power-up. The core sees it through three registers of its own clock; nothing is taken from
  // either bus before all of it is over.
  reg [1:0] asked = 2'b11;
  reg [6:0] hold = 7'h7f;
  reg       axil_rst = 1'b1;
  reg [5:0] core_rst = 6'h3f;
  always @(posedge axi_aclk) begin
    asked <= {asked[0], !axis_resetn};
    if (!axi_resetn || asked[1])
      hold <= 7'h7f;
    else if (hold != 7'h00)
      hold <= hold - 7'h01;
    axil_rst <= hold != 7'h00;
  end
  always @(posedge axis_aclk) core_rst <= {core_rst[4:0], axil_rst};
  wire rst = core_rst[2];
  wire up = !core_rst[5];

  // Registers are S0's. S1 and S2 have none: an access is answered, and refused.
  wire s0_awready, s0_wready, s0_arready;
  assign S0_AXI_AWREADY = s0_awready && !axil_rst;
  assign S0_AXI_WREADY = s0_wready && !axil_rst;
  assign S0_AXI_ARREADY = s0_arready && !axil_rst;
@VACANT@
  // From the host, to the port whose queue a frame comes from.
  wire [@W-1@:0] host_tdata;
  wire [@K-1@:0] host_tkeep;
  wire [127:0] host_meta;
  wire [3:0] host_tvalid, host_tready;
  wire host_tlast, host_taken;
  assign s_axis_@DMA@_tready = host_taken && up;
  @SPREAD@ spread (
    .clk(axis_aclk),
    .rst(rst),
    .s_tdata(s_axis_@DMA@_tdata),
    .s_tkeep(s_axis_@DMA@_tkeep),
    .s_tvalid(s_axis_@DMA@_tvalid && up),
    .s_tready(host_taken),
    .s_tlast(s_axis_@DMA@_tlast),
    .s_meta(s_axis_@DMA@_tuser),
    .m_tdata(host_tdata),
    .m_tkeep(host_tkeep),
    .m_tvalid(host_tvalid),
    .m_tready(host_tready),
    .m_tlast(host_tlast),
    .m_meta(host_meta)
  );
  wire [3:0] dropped;
@ASIDES@
  // An ACK of ours has its own size, and port 0's queue for its source.
  wire [127:0] wire_meta, up_meta;
  wire is_ack;
  wire [15:0] ack_bytes;
  assign m_axis_0_tuser = is_ack ? {96'h0, 8'h01, 8'h02, ack_bytes} : {wire_meta[127:32], 8'h01, wire_meta[23:0]};
  wire [@W-1@:0] up_0_tdata;
  wire [@K-1@:0] up_0_tkeep;
  wire up_0_tvalid, up_0_tready, up_0_tlast, wire_taken;
  wire [127:0] up_0_tuser = {up_meta[127:32], 8'h02, up_meta[23:0]};
  assign s_axis_0_tready = wire_taken && up;
  @CORE@ core (
    .clk(axis_aclk),
    .rst(rst),
    .axil_clk(axi_aclk),
    .axil_rst(axil_rst),
    // The shell's address has a base in it, which is a multiple of 64 KiB.
    .s_axil_awaddr({8'h00, S0_AXI_AWADDR[15:0]}),
    .s_axil_awvalid(S0_AXI_AWVALID && !axil_rst),
    .s_axil_awready(s0_awready),
    .s_axil_wdata(S0_AXI_WDATA),
    .s_axil_wstrb(S0_AXI_WSTRB),
    .s_axil_wvalid(S0_AXI_WVALID && !axil_rst),
    .s_axil_wready(s0_wready),
    .s_axil_bresp(S0_AXI_BRESP),
    .s_axil_bvalid(S0_AXI_BVALID),
    .s_axil_bready(S0_AXI_BREADY),
    .s_axil_araddr({8'h00, S0_AXI_ARADDR[15:0]}),
    .s_axil_arvalid(S0_AXI_ARVALID && !axil_rst),
    .s_axil_arready(s0_arready),
    .s_axil_rdata(S0_AXI_RDATA),
    .s_axil_rresp(S0_AXI_RRESP),
    .s_axil_rvalid(S0_AXI_RVALID),
    .s_axil_rready(S0_AXI_RREADY),
    .s_host_tdata(host_tdata),
    .s_host_tkeep(host_tkeep),
    .s_host_tvalid(host_tvalid[0]),
    .s_host_tready(host_tready[0]),
    .s_host_tlast(host_tlast),
    .s_host_meta(host_meta),
    .m_wire_tdata(m_axis_0_tdata),
    .m_wire_tkeep(m_axis_0_tkeep),
    .m_wire_tvalid(m_axis_0_tvalid),
    .m_wire_tready(m_axis_0_tready),
    .m_wire_tlast(m_axis_0_tlast),
    .m_wire_meta(wire_meta),
    .m_wire_ack(is_ack),
    .m_wire_ack_bytes(ack_bytes),
    .s_wire_tdata(s_axis_0_tdata),
    .s_wire_tkeep(s_axis_0_tkeep),
    .s_wire_tvalid(s_axis_0_tvalid && up),
    .s_wire_tready(wire_taken),
    .s_wire_tlast(s_axis_0_tlast),
    .s_wire_meta(s_axis_0_tuser),
    .m_host_tdata(up_0_tdata),
    .m_host_tkeep(up_0_tkeep),
    .m_host_tvalid(up_0_tvalid),
    .m_host_tready(up_0_tready),
    .m_host_tlast(up_0_tlast),
    .m_host_meta(up_meta),
    .pause(8'h00),
    .lost(|dropped),
    .now(),
    .stopped(),
    // Frames are stamped at the core's ports.
    .ptp_valid(1'b0),
    .ptp_time(64'h0),
    .s_wire_ts(64'h0),
    .s_cpl_valid(1'b0),
    .s_cpl_tag(16'h0),
    .s_cpl_ts(64'h0),
    .m_wire_past(),
    .m_wire_tag(),
    .stored(),
    .stored_meta()
  );

  // To the host, frames of all ports by turns.
@MERGES@endmodule
