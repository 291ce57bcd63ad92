// The 250 MHz user box of the OpenNIC shell, one physical function and one port: timely-nic between the host's queue and the wire.
// Ports are those that the shell gives a plugin; @CORE@ is emitted behind this module.
module tnic_opennic #(
  parameter NUM_QDMA = 1,
  parameter NUM_PHYS_FUNC = 1,
  parameter NUM_CMAC_PORT = 1
) (
  input wire         s_axil_awvalid,
  input wire  [31:0] s_axil_awaddr,
  output wire        s_axil_awready,
  input wire         s_axil_wvalid,
  input wire  [31:0] s_axil_wdata,
  output wire        s_axil_wready,
  output wire        s_axil_bvalid,
  output wire  [1:0] s_axil_bresp,
  input wire         s_axil_bready,
  input wire         s_axil_arvalid,
  input wire  [31:0] s_axil_araddr,
  output wire        s_axil_arready,
  output wire        s_axil_rvalid,
  output wire [31:0] s_axil_rdata,
  output wire  [1:0] s_axil_rresp,
  input wire         s_axil_rready,

  input wire         s_axis_qdma_h2c_tvalid,
  input wire [511:0] s_axis_qdma_h2c_tdata,
  input wire  [63:0] s_axis_qdma_h2c_tkeep,
  input wire         s_axis_qdma_h2c_tlast,
  input wire  [15:0] s_axis_qdma_h2c_tuser_size,
  input wire  [15:0] s_axis_qdma_h2c_tuser_src,
  input wire  [15:0] s_axis_qdma_h2c_tuser_dst,
  output wire        s_axis_qdma_h2c_tready,

  output wire         m_axis_qdma_c2h_tvalid,
  output wire [511:0] m_axis_qdma_c2h_tdata,
  output wire  [63:0] m_axis_qdma_c2h_tkeep,
  output wire         m_axis_qdma_c2h_tlast,
  output wire  [15:0] m_axis_qdma_c2h_tuser_size,
  output wire  [15:0] m_axis_qdma_c2h_tuser_src,
  output wire  [15:0] m_axis_qdma_c2h_tuser_dst,
  input wire          m_axis_qdma_c2h_tready,

  output wire         m_axis_adap_tx_250mhz_tvalid,
  output wire [511:0] m_axis_adap_tx_250mhz_tdata,
  output wire  [63:0] m_axis_adap_tx_250mhz_tkeep,
  output wire         m_axis_adap_tx_250mhz_tlast,
  output wire  [15:0] m_axis_adap_tx_250mhz_tuser_size,
  output wire  [15:0] m_axis_adap_tx_250mhz_tuser_src,
  output wire  [15:0] m_axis_adap_tx_250mhz_tuser_dst,
  input wire          m_axis_adap_tx_250mhz_tready,

  input wire         s_axis_adap_rx_250mhz_tvalid,
  input wire [511:0] s_axis_adap_rx_250mhz_tdata,
  input wire  [63:0] s_axis_adap_rx_250mhz_tkeep,
  input wire         s_axis_adap_rx_250mhz_tlast,
  input wire  [15:0] s_axis_adap_rx_250mhz_tuser_size,
  input wire  [15:0] s_axis_adap_rx_250mhz_tuser_src,
  input wire  [15:0] s_axis_adap_rx_250mhz_tuser_dst,
  output wire        s_axis_adap_rx_250mhz_tready,

  input wire  mod_rstn,
  output wire mod_rst_done,
  input wire  axil_aclk,
  input wire  axis_aclk
);
  generate
    if (NUM_QDMA != 1 || NUM_PHYS_FUNC != 1 || NUM_CMAC_PORT != 1) begin : built_for_another_shell
      timely_nic_needs_an_OpenNIC_of_one_QDMA_one_physical_function_and_one_CMAC_port stop();
    end
  endgenerate

  // 128 clocks of reset after a request, and after power-up; the core sees it through three registers of its own clock.
  reg [6:0] hold = 7'h7f;
  reg       axil_rst = 1'b1;
  reg       done = 1'b0;
  // No shift register in a LUT.
  (* ASYNC_REG = "TRUE" *) reg [2:0] core_rst = 3'b111;
  always @(posedge axil_aclk) begin
    if (!mod_rstn)
      hold <= 7'h7f;
    else if (hold != 7'h00)
      hold <= hold - 7'h01;
    axil_rst <= hold != 7'h00;
    done <= mod_rstn && hold == 7'h00;
  end
  always @(posedge axis_aclk) core_rst <= {core_rst[1:0], axil_rst};
  assign mod_rst_done = done;

  // Beside a frame go {dst, src, size}. Whatever the host says, the port is the one that there is, and so is the function.
  wire [47:0] wire_meta, host_meta;
  wire        is_ack;
  wire [15:0] ack_bytes;
  assign m_axis_adap_tx_250mhz_tuser_size = is_ack ? ack_bytes : wire_meta[15:0];
  assign m_axis_adap_tx_250mhz_tuser_src = is_ack ? 16'h0000 : wire_meta[31:16];
  assign m_axis_adap_tx_250mhz_tuser_dst = 16'h0040;
  assign m_axis_qdma_c2h_tuser_size = host_meta[15:0];
  assign m_axis_qdma_c2h_tuser_src = host_meta[31:16];
  assign m_axis_qdma_c2h_tuser_dst = 16'h0001;

  @CORE@ core (
    .clk(axis_aclk),
    .rst(core_rst[2]),
    .axil_clk(axil_aclk),
    .axil_rst(axil_rst),
    // The shell's address has the box's base in it, which is a multiple of the box's megabyte.
    .s_axil_awaddr({4'h0, s_axil_awaddr[19:0]}),
    .s_axil_awvalid(s_axil_awvalid),
    .s_axil_awready(s_axil_awready),
    .s_axil_wdata(s_axil_wdata),
    .s_axil_wstrb(4'hf),
    .s_axil_wvalid(s_axil_wvalid),
    .s_axil_wready(s_axil_wready),
    .s_axil_bresp(s_axil_bresp),
    .s_axil_bvalid(s_axil_bvalid),
    .s_axil_bready(s_axil_bready),
    .s_axil_araddr({4'h0, s_axil_araddr[19:0]}),
    .s_axil_arvalid(s_axil_arvalid),
    .s_axil_arready(s_axil_arready),
    .s_axil_rdata(s_axil_rdata),
    .s_axil_rresp(s_axil_rresp),
    .s_axil_rvalid(s_axil_rvalid),
    .s_axil_rready(s_axil_rready),
    .s_host_tdata(s_axis_qdma_h2c_tdata),
    .s_host_tkeep(s_axis_qdma_h2c_tkeep),
    .s_host_tvalid(s_axis_qdma_h2c_tvalid),
    .s_host_tready(s_axis_qdma_h2c_tready),
    .s_host_tlast(s_axis_qdma_h2c_tlast),
    .s_host_meta({s_axis_qdma_h2c_tuser_dst, s_axis_qdma_h2c_tuser_src, s_axis_qdma_h2c_tuser_size}),
    .m_wire_tdata(m_axis_adap_tx_250mhz_tdata),
    .m_wire_tkeep(m_axis_adap_tx_250mhz_tkeep),
    .m_wire_tvalid(m_axis_adap_tx_250mhz_tvalid),
    .m_wire_tready(m_axis_adap_tx_250mhz_tready),
    .m_wire_tlast(m_axis_adap_tx_250mhz_tlast),
    .m_wire_meta(wire_meta),
    .m_wire_ack(is_ack),
    .m_wire_ack_bytes(ack_bytes),
    .s_wire_tdata(s_axis_adap_rx_250mhz_tdata),
    .s_wire_tkeep(s_axis_adap_rx_250mhz_tkeep),
    .s_wire_tvalid(s_axis_adap_rx_250mhz_tvalid),
    .s_wire_tready(s_axis_adap_rx_250mhz_tready),
    .s_wire_tlast(s_axis_adap_rx_250mhz_tlast),
    .s_wire_meta({s_axis_adap_rx_250mhz_tuser_dst, s_axis_adap_rx_250mhz_tuser_src, s_axis_adap_rx_250mhz_tuser_size}),
    .m_host_tdata(m_axis_qdma_c2h_tdata),
    .m_host_tkeep(m_axis_qdma_c2h_tkeep),
    .m_host_tvalid(m_axis_qdma_c2h_tvalid),
    .m_host_tready(m_axis_qdma_c2h_tready),
    .m_host_tlast(m_axis_qdma_c2h_tlast),
    .m_host_meta(host_meta),
    .pause(8'h00),
    .lost(1'b0),
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
endmodule
