// NetFPGA PLUS's datapath with the ports and parameters that the shell gives it, on a bench of one clock: that is both buses' there too.
// One master is at the three buses of registers, whichever `s_axil_bus` says; its clock is the core's.
module board(
  input wire clk,
  input wire axis_resetn,
  input wire axi_resetn,
  output wire mod_rst_done,
  output wire axil_next,
  input wire [1:0] s_axil_bus,
  input wire [31:0] s_axil_awaddr,
  input wire s_axil_awvalid,
  input wire [31:0] s_axil_wdata,
  input wire [3:0] s_axil_wstrb,
  input wire s_axil_wvalid,
  input wire s_axil_bready,
  input wire [31:0] s_axil_araddr,
  input wire s_axil_arvalid,
  input wire s_axil_rready,
  output wire s_axil_arready,
  output wire [31:0] s_axil_rdata,
  output wire [1:0] s_axil_rresp,
  output wire s_axil_rvalid,
  output wire s_axil_wready,
  output wire [1:0] s_axil_bresp,
  output wire s_axil_bvalid,
  output wire s_axil_awready,
  input wire [511:0] host_tdata,
  input wire [63:0] host_tkeep,
  input wire host_tvalid,
  input wire host_tlast,
  input wire [127:0] host_meta,
  output wire host_tready,
  input wire [511:0] rx0_tdata,
  input wire [63:0] rx0_tkeep,
  input wire rx0_tvalid,
  input wire rx0_tlast,
  input wire [127:0] rx0_meta,
  output wire rx0_tready,
  input wire [511:0] rx1_tdata,
  input wire [63:0] rx1_tkeep,
  input wire rx1_tvalid,
  input wire rx1_tlast,
  input wire [127:0] rx1_meta,
  output wire rx1_tready,
  output wire [511:0] up_tdata,
  output wire [63:0] up_tkeep,
  output wire up_tvalid,
  output wire up_tlast,
  output wire [127:0] up_meta,
  input wire up_tready,
  output wire [511:0] tx0_tdata,
  output wire [63:0] tx0_tkeep,
  output wire tx0_tvalid,
  output wire tx0_tlast,
  output wire [127:0] tx0_meta,
  input wire tx0_tready,
  output wire [511:0] tx1_tdata,
  output wire [63:0] tx1_tkeep,
  output wire tx1_tvalid,
  output wire tx1_tlast,
  output wire [127:0] tx1_meta,
  input wire tx1_tready
);
  parameter C_DATA_WIDTH = 512;
  parameter C_TUSER_WIDTH = 128;
  assign axil_next = 1'b1;
  assign mod_rst_done = bus_awready[0];
  wire [2:0] bus_arready;
  assign s_axil_arready = bus_arready[s_axil_bus];
  wire [31:0] bus_rdata [2:0];
  assign s_axil_rdata = bus_rdata[s_axil_bus];
  wire [1:0] bus_rresp [2:0];
  assign s_axil_rresp = bus_rresp[s_axil_bus];
  wire [2:0] bus_rvalid;
  assign s_axil_rvalid = bus_rvalid[s_axil_bus];
  wire [2:0] bus_wready;
  assign s_axil_wready = bus_wready[s_axil_bus];
  wire [1:0] bus_bresp [2:0];
  assign s_axil_bresp = bus_bresp[s_axil_bus];
  wire [2:0] bus_bvalid;
  assign s_axil_bvalid = bus_bvalid[s_axil_bus];
  wire [2:0] bus_awready;
  assign s_axil_awready = bus_awready[s_axil_bus];
  nf_datapath #(
    .C_S_AXI_DATA_WIDTH(32),
    .C_S_AXI_ADDR_WIDTH(32),
    .C_BASEADDR(32'h00000000),
    .C_M_AXIS_DATA_WIDTH(C_DATA_WIDTH),
    .C_S_AXIS_DATA_WIDTH(C_DATA_WIDTH),
    .C_M_AXIS_TUSER_WIDTH(C_TUSER_WIDTH),
    .C_S_AXIS_TUSER_WIDTH(C_TUSER_WIDTH),
    .NUM_QUEUES(5)
  ) nf_datapath_0 (
    .axis_aclk(clk), .axis_resetn(axis_resetn), .axi_aclk(clk), .axi_resetn(axi_resetn),
    .S0_AXI_AWADDR(s_axil_awaddr), .S0_AXI_AWVALID(s_axil_awvalid && s_axil_bus == 0), .S0_AXI_WDATA(s_axil_wdata), .S0_AXI_WSTRB(s_axil_wstrb),
    .S0_AXI_WVALID(s_axil_wvalid && s_axil_bus == 0), .S0_AXI_BREADY(s_axil_bready && s_axil_bus == 0), .S0_AXI_ARADDR(s_axil_araddr), .S0_AXI_ARVALID(s_axil_arvalid && s_axil_bus == 0),
    .S0_AXI_RREADY(s_axil_rready && s_axil_bus == 0), .S0_AXI_ARREADY(bus_arready[0]), .S0_AXI_RDATA(bus_rdata[0]), .S0_AXI_RRESP(bus_rresp[0]),
    .S0_AXI_RVALID(bus_rvalid[0]), .S0_AXI_WREADY(bus_wready[0]), .S0_AXI_BRESP(bus_bresp[0]), .S0_AXI_BVALID(bus_bvalid[0]),
    .S0_AXI_AWREADY(bus_awready[0]),
    .S1_AXI_AWADDR(s_axil_awaddr), .S1_AXI_AWVALID(s_axil_awvalid && s_axil_bus == 1), .S1_AXI_WDATA(s_axil_wdata), .S1_AXI_WSTRB(s_axil_wstrb),
    .S1_AXI_WVALID(s_axil_wvalid && s_axil_bus == 1), .S1_AXI_BREADY(s_axil_bready && s_axil_bus == 1), .S1_AXI_ARADDR(s_axil_araddr), .S1_AXI_ARVALID(s_axil_arvalid && s_axil_bus == 1),
    .S1_AXI_RREADY(s_axil_rready && s_axil_bus == 1), .S1_AXI_ARREADY(bus_arready[1]), .S1_AXI_RDATA(bus_rdata[1]), .S1_AXI_RRESP(bus_rresp[1]),
    .S1_AXI_RVALID(bus_rvalid[1]), .S1_AXI_WREADY(bus_wready[1]), .S1_AXI_BRESP(bus_bresp[1]), .S1_AXI_BVALID(bus_bvalid[1]),
    .S1_AXI_AWREADY(bus_awready[1]),
    .S2_AXI_AWADDR(s_axil_awaddr), .S2_AXI_AWVALID(s_axil_awvalid && s_axil_bus == 2), .S2_AXI_WDATA(s_axil_wdata), .S2_AXI_WSTRB(s_axil_wstrb),
    .S2_AXI_WVALID(s_axil_wvalid && s_axil_bus == 2), .S2_AXI_BREADY(s_axil_bready && s_axil_bus == 2), .S2_AXI_ARADDR(s_axil_araddr), .S2_AXI_ARVALID(s_axil_arvalid && s_axil_bus == 2),
    .S2_AXI_RREADY(s_axil_rready && s_axil_bus == 2), .S2_AXI_ARREADY(bus_arready[2]), .S2_AXI_RDATA(bus_rdata[2]), .S2_AXI_RRESP(bus_rresp[2]),
    .S2_AXI_RVALID(bus_rvalid[2]), .S2_AXI_WREADY(bus_wready[2]), .S2_AXI_BRESP(bus_bresp[2]), .S2_AXI_BVALID(bus_bvalid[2]),
    .S2_AXI_AWREADY(bus_awready[2]),
    .s_axis_0_tdata(rx0_tdata), .s_axis_0_tkeep(rx0_tkeep), .s_axis_0_tuser(rx0_meta),
    .s_axis_0_tvalid(rx0_tvalid), .s_axis_0_tready(rx0_tready), .s_axis_0_tlast(rx0_tlast),
    .s_axis_1_tdata(rx1_tdata), .s_axis_1_tkeep(rx1_tkeep), .s_axis_1_tuser(rx1_meta),
    .s_axis_1_tvalid(rx1_tvalid), .s_axis_1_tready(rx1_tready), .s_axis_1_tlast(rx1_tlast),
    .s_axis_2_tdata(host_tdata), .s_axis_2_tkeep(host_tkeep), .s_axis_2_tuser(host_meta),
    .s_axis_2_tvalid(host_tvalid), .s_axis_2_tready(host_tready), .s_axis_2_tlast(host_tlast),
    .m_axis_0_tdata(tx0_tdata), .m_axis_0_tkeep(tx0_tkeep), .m_axis_0_tuser(tx0_meta),
    .m_axis_0_tvalid(tx0_tvalid), .m_axis_0_tready(tx0_tready), .m_axis_0_tlast(tx0_tlast),
    .m_axis_1_tdata(tx1_tdata), .m_axis_1_tkeep(tx1_tkeep), .m_axis_1_tuser(tx1_meta),
    .m_axis_1_tvalid(tx1_tvalid), .m_axis_1_tready(tx1_tready), .m_axis_1_tlast(tx1_tlast),
    .m_axis_2_tdata(up_tdata), .m_axis_2_tkeep(up_tkeep), .m_axis_2_tuser(up_meta),
    .m_axis_2_tvalid(up_tvalid), .m_axis_2_tready(up_tready), .m_axis_2_tlast(up_tlast)
  );
endmodule
