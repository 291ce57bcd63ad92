// The NIC of an ECPIX-5 without what only an ECP5 has: three clocks, GMII, a serial line.
module tnic_ecpix5_nic (
  // Of the core: @PERIOD_NS@ ns.
  input wire        clk,
  // 125 MHz, of frames that are sent and that come.
  input wire        tx_clk,
  input wire        rx_clk,
  // Resets everything, at once.
  input wire        arst,

  output wire [7:0] gmii_txd,
  output wire       gmii_tx_en,
  output wire       gmii_tx_er,
  input wire  [7:0] gmii_rxd,
  input wire        gmii_rx_dv,
  input wire        gmii_rx_er,

  input wire        uart_rx,
  output wire       uart_tx,

  // A Gigabit link; a frame came or went; one was damaged; the pacer runs; the core's clock does.
  output wire       led_link,
  output wire       led_traffic,
  output reg        led_error,
  output wire       led_running,
  output wire       led_clock
);
  wire rst, tx_rst, rx_rst;
  tnic_ecpix5_reset core_reset(.clk(clk), .arst(arst), .rst(rst));
  tnic_ecpix5_reset tx_reset(.clk(tx_clk), .arst(arst), .rst(tx_rst));
  tnic_ecpix5_reset rx_reset(.clk(rx_clk), .arst(arst), .rst(rx_rst));

  // Registers: from the serial line.
  wire [23:0] awaddr, araddr;
  wire [31:0] wdata, rdata;
  wire  [1:0] bresp, rresp;
  wire        awvalid, awready, wvalid, wready, bvalid, arvalid, arready, rvalid;
  tnic_ecpix5_serial serial(
    .clk(clk), .rst(rst), .rx(uart_rx), .tx(uart_tx),
    .m_axil_awaddr(awaddr), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
    .m_axil_wdata(wdata), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
    .m_axil_bresp(bresp), .m_axil_bvalid(bvalid),
    .m_axil_araddr(araddr), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
    .m_axil_rdata(rdata), .m_axil_rresp(rresp), .m_axil_rvalid(rvalid));

  // From the wire. The core takes a beat at every clock, so the queue never fills.
  wire [63:0] mac_data;
  wire  [7:0] mac_keep;
  wire        mac_valid, mac_last, mac_bad, begun;
  wire  [3:0] status;
  tnic_ecpix5_mac_rx mac_rx(
    .clk(rx_clk), .rst(rx_rst), .gmii_d(gmii_rxd), .gmii_dv(gmii_rx_dv), .gmii_er(gmii_rx_er),
    .m_tdata(mac_data), .m_tkeep(mac_keep), .m_tvalid(mac_valid), .m_tlast(mac_last), .m_bad(mac_bad), .begun(begun), .status(status));
  wire [63:0] rx_data;
  wire  [7:0] rx_keep;
  wire        rx_valid, rx_last, rx_bad;
  tnic_ecpix5_cross #(.W(74), .A(4)) from_wire(
    .w_clk(rx_clk), .w_rst(rx_rst), .w_valid(mac_valid), .w_data({mac_bad, mac_last, mac_keep, mac_data}), .w_ready(),
    .r_clk(clk), .r_rst(rst), .r_valid(rx_valid), .r_data({rx_bad, rx_last, rx_keep, rx_data}), .r_ready(1'b1));

  // To the wire.
  wire [63:0] tx_data, out_data;
  wire  [7:0] tx_keep, out_keep;
  wire [15:0] tx_tag, out_tag, sent_tag;
  wire        tx_valid, tx_ready, tx_last, out_valid, out_ready, out_last, sent, underrun;
  tnic_ecpix5_cross #(.W(89), .A(4)) to_wire(
    .w_clk(clk), .w_rst(rst), .w_valid(tx_valid), .w_data({tx_tag, tx_last, tx_keep, tx_data}), .w_ready(tx_ready),
    .r_clk(tx_clk), .r_rst(tx_rst), .r_valid(out_valid), .r_data({out_tag, out_last, out_keep, out_data}), .r_ready(out_ready));
  tnic_ecpix5_mac_tx mac_tx(
    .clk(tx_clk), .rst(tx_rst), .s_tdata(out_data), .s_tkeep(out_keep), .s_tvalid(out_valid), .s_tready(out_ready), .s_tlast(out_last),
    .s_tag(out_tag), .gmii_d(gmii_txd), .gmii_en(gmii_tx_en), .gmii_er(gmii_tx_er), .sent(sent), .sent_tag(sent_tag), .underrun(underrun));

  // Stamps: the core's time when the end of a preamble has crossed to its clock. Both ways cross alike, so that a round trip loses the crossing.
  // The tag stands still for 84 bytes from there on.
  wire [63:0] now;
  wire        begun_here, sent_here, underrun_here;
  wire  [3:0] status_here;
  tnic_ecpix5_level #(.W(7)) here(.clk(clk), .d({begun, sent, underrun, status}), .q({begun_here, sent_here, underrun_here, status_here}));
  reg         begun_before = 1'b0, sent_before = 1'b0, underrun_before = 1'b0;
  reg         cpl_valid = 1'b0;
  reg  [15:0] cpl_tag;
  reg  [63:0] cpl_ts, begun_ts, held_ts;
  reg         rx_open = 1'b0;
  always @(posedge clk) begin
    begun_before <= begun_here;
    sent_before <= sent_here;
    underrun_before <= underrun_here;
    if (begun_here != begun_before) begun_ts <= now;
    cpl_valid <= sent_here != sent_before && !rst;
    cpl_tag <= sent_tag;
    cpl_ts <= now;
    // The next frame begins before the last beat of this one has come.
    if (!rx_open) held_ts <= begun_ts;
    if (rx_valid) rx_open <= !rx_last;
    if (rst) rx_open <= 1'b0;
  end

  wire stopped;
  tnic_ecpix5_core core(
    .clk(clk), .rst(rst),
    .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
    .s_axil_wdata(wdata), .s_axil_wstrb(4'hf), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
    .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(1'b1),
    .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1),
    .s_axis_rx_tdata(rx_data), .s_axis_rx_tkeep(rx_keep), .s_axis_rx_tvalid(rx_valid), .s_axis_rx_tlast(rx_last),
    .s_axis_rx_ts(rx_open ? held_ts : begun_ts), .s_axis_rx_bad(rx_bad),
    .m_axis_tx_tdata(tx_data), .m_axis_tx_tkeep(tx_keep), .m_axis_tx_tvalid(tx_valid), .m_axis_tx_tready(tx_ready),
    .m_axis_tx_tlast(tx_last), .m_axis_tx_tag(tx_tag),
    .tx_cpl_valid(cpl_valid), .tx_cpl_tag(cpl_tag), .tx_cpl_ts(cpl_ts),
    .ptp_valid(1'b0), .ptp_time(64'h0), .pause(8'h00), .now(now), .stopped(stopped),
    .tap_sample_valid(), .tap_sample_kind(), .tap_sample_flow(), .tap_sample_rtt_ns(), .tap_rate_valid(), .tap_rate_flow(), .tap_rate_value(),
    // There is no host memory, and so no DMA behind these ports: a start of it is refused.
    .m_axi_awaddr(), .m_axi_awlen(), .m_axi_awsize(), .m_axi_awburst(), .m_axi_awvalid(), .m_axi_awready(1'b0),
    .m_axi_wdata(), .m_axi_wstrb(), .m_axi_wlast(), .m_axi_wvalid(), .m_axi_wready(1'b0),
    .m_axi_bresp(2'd0), .m_axi_bvalid(1'b0), .m_axi_bready(),
    .m_axi_araddr(), .m_axi_arlen(), .m_axi_arsize(), .m_axi_arburst(), .m_axi_arvalid(), .m_axi_arready(1'b0),
    .m_axi_rdata(64'h0), .m_axi_rresp(2'd0), .m_axi_rlast(1'b0), .m_axi_rvalid(1'b0), .m_axi_rready(),
    .irq(), .tap_rec_valid(), .tap_rec_data());

  // Lights stay on for 2^22 clocks, some 50 ms, after what they show.
  reg [21:0] traffic = 22'h0, error = 22'h0;
  reg [25:0] beat = 26'h0;
  always @(posedge clk) begin
    beat <= beat + 26'h1;
    if (begun_here != begun_before || sent_here != sent_before)
      traffic <= 22'h3fffff;
    else if (traffic != 22'h0)
      traffic <= traffic - 22'h1;
    if ((rx_valid && rx_last && rx_bad) || underrun_here != underrun_before)
      error <= 22'h3fffff;
    else if (error != 22'h0)
      error <= error - 22'h1;
    led_error <= error != 22'h0;
    if (rst) begin
      traffic <= 22'h0;
      error <= 22'h0;
    end
  end
  assign led_link = status_here == 4'b1101;
  assign led_traffic = traffic != 22'h0;
  assign led_running = !stopped;
  assign led_clock = beat[25];
endmodule
