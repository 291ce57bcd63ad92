// timely-nic on LambdaConcept's ECPIX-5 with an LFE5UM5G-85F: pins, clocks and the ECP5's own cells. Everything else is in the module behind it.
module tnic_ecpix5 (
  input wire        clk100,
  input wire        rst_n,

  output wire       eth_tx_clk,
  output wire       eth_tx_ctl,
  output wire [3:0] eth_tx_data,
  input wire        eth_rx_clk,
  input wire        eth_rx_ctl,
  input wire  [3:0] eth_rx_data,
  output wire       eth_rst_n,
  output wire       eth_mdc,

  input wire        uart_rx,
  output wire       uart_tx,

  // Active low.
  output wire [3:0] led_r,
  output wire [3:0] led_g,
  output wire [3:0] led_b
);
  // 100 MHz become 125 MHz and, of the same 500 MHz, the core's clock.
  wire tx_clk, clk, locked;
  (* ICP_CURRENT="12", LPF_RESISTOR="8", MFG_ENABLE_FILTEROPAMP="1", MFG_GMCREF_SEL="2" *)
  EHXPLLL #(
    .PLLRST_ENA("DISABLED"), .INTFB_WAKE("DISABLED"), .STDBY_ENABLE("DISABLED"), .DPHASE_SOURCE("DISABLED"),
    .OUTDIVIDER_MUXA("DIVA"), .OUTDIVIDER_MUXB("DIVB"), .OUTDIVIDER_MUXC("DIVC"), .OUTDIVIDER_MUXD("DIVD"),
    .CLKI_DIV(4), .CLKFB_DIV(5), .FEEDBK_PATH("CLKOP"),
    .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(4), .CLKOP_CPHASE(3), .CLKOP_FPHASE(0),
    .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(@CORE_DIV@), .CLKOS_CPHASE(@CORE_PHASE@), .CLKOS_FPHASE(0)
  ) pll (
    .RST(1'b0), .STDBY(1'b0), .CLKI(clk100), .CLKFB(tx_clk), .CLKOP(tx_clk), .CLKOS(clk), .LOCK(locked),
    .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0)
  );

  // The PHY is held in reset for 2^21 clocks of 100 MHz, 21 ms, from power-up and from each reset on; so is the NIC.
  reg [20:0] hold = 21'h0;
  reg  [1:0] pressed = 2'b00;
  reg        run = 1'b0;
  always @(posedge clk100) begin
    pressed <= {pressed[0], !rst_n || !locked};
    run <= &hold;
    if (pressed[1])
      hold <= 21'h0;
    else if (!(&hold))
      hold <= hold + 21'h1;
  end
  assign eth_rst_n = run;
  assign eth_mdc = 1'b0;

  // RGMII: the low half of a byte at the rising edge, the high one at the falling edge; with the control, "valid" and "valid but for an error".
  wire [7:0] txd, rxd;
  wire       tx_en, tx_er, rx_dv, rx_mix;
  wire [4:0] tx_rise = {tx_en, txd[3:0]};
  wire [4:0] tx_fall = {tx_en ^ tx_er, txd[7:4]};
  wire [4:0] tx_pin, rx_rise, rx_fall;
  wire [4:0] rx_pin = {eth_rx_ctl, eth_rx_data};
  genvar i;
  generate
    for (i = 0; i < 5; i = i + 1) begin : line
      wire tx_late, rx_late;
      ODDRX1F tx_ddr(.D0(tx_rise[i]), .D1(tx_fall[i]), .SCLK(tx_clk), .RST(1'b0), .Q(tx_late));
      DELAYG #(.DEL_MODE("SCLK_ALIGNED"), .DEL_VALUE(0)) tx_delay(.A(tx_late), .Z(tx_pin[i]));
      // The PHY delays its clock by itself.
      DELAYG #(.DEL_MODE("SCLK_ALIGNED"), .DEL_VALUE(0)) rx_delay(.A(rx_pin[i]), .Z(rx_late));
      IDDRX1F rx_ddr(.D(rx_late), .SCLK(eth_rx_clk), .RST(1'b0), .Q0(rx_rise[i]), .Q1(rx_fall[i]));
    end
  endgenerate
  assign {eth_tx_ctl, eth_tx_data} = tx_pin;
  assign rxd = {rx_fall[3:0], rx_rise[3:0]};
  assign rx_dv = rx_rise[4];
  assign rx_mix = rx_fall[4];

  // The clock that goes with the data is 80 taps of 25 ps late: a quarter of its period.
  wire tx_clk_pin;
  ODDRX1F clock_ddr(.D0(1'b1), .D1(1'b0), .SCLK(tx_clk), .RST(1'b0), .Q(tx_clk_pin));
  DELAYG #(.DEL_MODE("SCLK_ALIGNED"), .DEL_VALUE(80)) clock_delay(.A(tx_clk_pin), .Z(eth_tx_clk));

  wire link, traffic, error, running, beat;
  tnic_ecpix5_nic nic(
    .clk(clk), .tx_clk(tx_clk), .rx_clk(eth_rx_clk), .arst(!run),
    .gmii_txd(txd), .gmii_tx_en(tx_en), .gmii_tx_er(tx_er), .gmii_rxd(rxd), .gmii_rx_dv(rx_dv), .gmii_rx_er(rx_dv ^ rx_mix),
    .uart_rx(uart_rx), .uart_tx(uart_tx),
    .led_link(link), .led_traffic(traffic), .led_error(error), .led_running(running), .led_clock(beat));

  assign led_r = ~{1'b0, error, 2'b00};
  assign led_g = ~{running, 2'b00, link};
  assign led_b = ~{beat, 1'b0, traffic, 1'b0};
endmodule
