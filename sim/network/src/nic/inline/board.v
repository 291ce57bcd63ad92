// The in-line core on a bench: one clock for packets and registers, and taps of what no port shows. What the bench has no use for is not connected.
/* verilator lint_save */
/* verilator lint_off PINMISSING */
module board(
  input wire clk,
  input wire rst,
  input wire [23:0] s_axil_awaddr,
  input wire s_axil_awvalid,
  output wire s_axil_awready,
  input wire [31:0] s_axil_wdata,
  input wire [3:0] s_axil_wstrb,
  input wire s_axil_wvalid,
  output wire s_axil_wready,
  output wire [1:0] s_axil_bresp,
  output wire s_axil_bvalid,
  input wire s_axil_bready,
  input wire [23:0] s_axil_araddr,
  input wire s_axil_arvalid,
  output wire s_axil_arready,
  output wire [31:0] s_axil_rdata,
  output wire [1:0] s_axil_rresp,
  output wire s_axil_rvalid,
  input wire s_axil_rready,
  input wire [@D@:0] s_host_tdata,
  input wire [@K@:0] s_host_tkeep,
  input wire s_host_tvalid,
  output wire s_host_tready,
  input wire s_host_tlast,
  input wire [@M@:0] s_host_meta,
  output wire [@D@:0] m_wire_tdata,
  output wire [@K@:0] m_wire_tkeep,
  output wire m_wire_tvalid,
  input wire m_wire_tready,
  output wire m_wire_tlast,
  output wire [@M@:0] m_wire_meta,
  output wire m_wire_ack,
  output wire [15:0] m_wire_ack_bytes,
  input wire [@D@:0] s_wire_tdata,
  input wire [@K@:0] s_wire_tkeep,
  input wire s_wire_tvalid,
  output wire s_wire_tready,
  input wire s_wire_tlast,
  input wire [@M@:0] s_wire_meta,
  output wire [@D@:0] m_host_tdata,
  output wire [@K@:0] m_host_tkeep,
  output wire m_host_tvalid,
  input wire m_host_tready,
  output wire m_host_tlast,
  output wire [@M@:0] m_host_meta,
  input wire [7:0] pause,
  input wire lost,
  output wire [63:0] now,
  output wire stopped,
  output wire tap_sample_valid,
  output wire [1:0] tap_sample_kind,
  output wire [15:0] tap_sample_flow,
  output wire [23:0] tap_sample_rtt_ns,
  output wire tap_rate_valid,
  output wire [15:0] tap_rate_flow,
  output wire [31:0] tap_rate_value,
  output wire tap_rec_valid,
  output wire [511:0] tap_rec_data
);
  assign tap_sample_valid = core.path__tap_sample_valid;
  assign tap_sample_kind = core.path__tap_sample_kind;
  assign tap_sample_flow = 16'(core.path__tap_sample_flow);
  assign tap_sample_rtt_ns = core.path__tap_sample_rtt_ns;
  assign tap_rate_valid = core.path__tap_rate_valid;
  assign tap_rate_flow = 16'(core.path__tap_rate_flow);
  assign tap_rate_value = core.path__tap_rate_value;
  assign tap_rec_valid = core.path__tap_rec_valid;
  assign tap_rec_data = core.path__tap_rec_data;
  @CORE@ core(
    .clk(clk), .rst(rst), .axil_clk(clk), .axil_rst(rst),
    .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
    .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb), .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
    .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
    .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
    .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
    .s_host_tdata(s_host_tdata), .s_host_tkeep(s_host_tkeep), .s_host_tvalid(s_host_tvalid), .s_host_tready(s_host_tready),
    .s_host_tlast(s_host_tlast), .s_host_meta(s_host_meta),
    .m_wire_tdata(m_wire_tdata), .m_wire_tkeep(m_wire_tkeep), .m_wire_tvalid(m_wire_tvalid), .m_wire_tready(m_wire_tready),
    .m_wire_tlast(m_wire_tlast), .m_wire_meta(m_wire_meta), .m_wire_ack(m_wire_ack), .m_wire_ack_bytes(m_wire_ack_bytes),
    .s_wire_tdata(s_wire_tdata), .s_wire_tkeep(s_wire_tkeep), .s_wire_tvalid(s_wire_tvalid), .s_wire_tready(s_wire_tready),
    .s_wire_tlast(s_wire_tlast), .s_wire_meta(s_wire_meta),
    .m_host_tdata(m_host_tdata), .m_host_tkeep(m_host_tkeep), .m_host_tvalid(m_host_tvalid), .m_host_tready(m_host_tready),
    .m_host_tlast(m_host_tlast), .m_host_meta(m_host_meta),
    .pause(pause), .lost(lost), .now(now), .stopped(stopped)
  );
endmodule
/* verilator lint_restore */
