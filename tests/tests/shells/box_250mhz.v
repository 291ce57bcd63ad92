// The 250 MHz user box with the ports and parameters that the OpenNIC shell gives it, and the two files of a plugin that it takes in.
module box_250mhz #(
  parameter MIN_PKT_LEN   = 64,
  parameter MAX_PKT_LEN   = 1518,
  parameter USE_PHYS_FUNC = 1,
  parameter NUM_PHYS_FUNC = 1,
  parameter NUM_QDMA      = 1,
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

  input wire      [NUM_PHYS_FUNC*NUM_QDMA-1:0] s_axis_qdma_h2c_tvalid,
  input wire  [512*NUM_PHYS_FUNC*NUM_QDMA-1:0] s_axis_qdma_h2c_tdata,
  input wire   [64*NUM_PHYS_FUNC*NUM_QDMA-1:0] s_axis_qdma_h2c_tkeep,
  input wire      [NUM_PHYS_FUNC*NUM_QDMA-1:0] s_axis_qdma_h2c_tlast,
  input wire   [16*NUM_PHYS_FUNC*NUM_QDMA-1:0] s_axis_qdma_h2c_tuser_size,
  input wire   [16*NUM_PHYS_FUNC*NUM_QDMA-1:0] s_axis_qdma_h2c_tuser_src,
  input wire   [16*NUM_PHYS_FUNC*NUM_QDMA-1:0] s_axis_qdma_h2c_tuser_dst,
  output wire     [NUM_PHYS_FUNC*NUM_QDMA-1:0] s_axis_qdma_h2c_tready,

  output wire     [NUM_PHYS_FUNC*NUM_QDMA-1:0] m_axis_qdma_c2h_tvalid,
  output wire [512*NUM_PHYS_FUNC*NUM_QDMA-1:0] m_axis_qdma_c2h_tdata,
  output wire  [64*NUM_PHYS_FUNC*NUM_QDMA-1:0] m_axis_qdma_c2h_tkeep,
  output wire     [NUM_PHYS_FUNC*NUM_QDMA-1:0] m_axis_qdma_c2h_tlast,
  output wire  [16*NUM_PHYS_FUNC*NUM_QDMA-1:0] m_axis_qdma_c2h_tuser_size,
  output wire  [16*NUM_PHYS_FUNC*NUM_QDMA-1:0] m_axis_qdma_c2h_tuser_src,
  output wire  [16*NUM_PHYS_FUNC*NUM_QDMA-1:0] m_axis_qdma_c2h_tuser_dst,
  input wire      [NUM_PHYS_FUNC*NUM_QDMA-1:0] m_axis_qdma_c2h_tready,

  output wire     [NUM_CMAC_PORT-1:0] m_axis_adap_tx_250mhz_tvalid,
  output wire [512*NUM_CMAC_PORT-1:0] m_axis_adap_tx_250mhz_tdata,
  output wire  [64*NUM_CMAC_PORT-1:0] m_axis_adap_tx_250mhz_tkeep,
  output wire     [NUM_CMAC_PORT-1:0] m_axis_adap_tx_250mhz_tlast,
  output wire  [16*NUM_CMAC_PORT-1:0] m_axis_adap_tx_250mhz_tuser_size,
  output wire  [16*NUM_CMAC_PORT-1:0] m_axis_adap_tx_250mhz_tuser_src,
  output wire  [16*NUM_CMAC_PORT-1:0] m_axis_adap_tx_250mhz_tuser_dst,
  input wire      [NUM_CMAC_PORT-1:0] m_axis_adap_tx_250mhz_tready,

  input wire      [NUM_CMAC_PORT-1:0] s_axis_adap_rx_250mhz_tvalid,
  input wire  [512*NUM_CMAC_PORT-1:0] s_axis_adap_rx_250mhz_tdata,
  input wire   [64*NUM_CMAC_PORT-1:0] s_axis_adap_rx_250mhz_tkeep,
  input wire      [NUM_CMAC_PORT-1:0] s_axis_adap_rx_250mhz_tlast,
  input wire   [16*NUM_CMAC_PORT-1:0] s_axis_adap_rx_250mhz_tuser_size,
  input wire   [16*NUM_CMAC_PORT-1:0] s_axis_adap_rx_250mhz_tuser_src,
  input wire   [16*NUM_CMAC_PORT-1:0] s_axis_adap_rx_250mhz_tuser_dst,
  output wire     [NUM_CMAC_PORT-1:0] s_axis_adap_rx_250mhz_tready,

  input wire  [15:0] mod_rstn,
  output wire [15:0] mod_rst_done,
  input wire         box_rstn,
  output wire        box_rst_done,
  input wire         axil_aclk,
  input wire         axis_aclk
);
  assign box_rst_done = box_rstn;
  `include "box_250mhz_address_map_inst.vh"
  `include "user_plugin_250mhz_inst.vh"
endmodule
