// The pins of the ECPIX-5's top, its RGMII out led back in by a PHY's board: what the NIC behind them sends must be what it receives, at 125 MHz, and
// the clock beside the data must have its edges in the middle of them. The NIC is one that sends numbers.
`timescale 1ns / 1ps
module tnic_ecpix5_nic(
  input wire clk, input wire tx_clk, input wire rx_clk, input wire arst,
  output reg [7:0] gmii_txd, output reg gmii_tx_en, output reg gmii_tx_er,
  input wire [7:0] gmii_rxd, input wire gmii_rx_dv, input wire gmii_rx_er,
  input wire uart_rx, output wire uart_tx,
  output wire led_link, output wire led_traffic, output wire led_error, output wire led_running, output wire led_clock
);
  reg [15:0] sent = 0;
  initial begin
    gmii_txd = 0; gmii_tx_en = 0; gmii_tx_er = 0;
  end
  always @(posedge tx_clk) begin
    sent <= sent + 1;
    gmii_txd <= sent * 8'd37;
    gmii_tx_en <= sent[5];
    gmii_tx_er <= sent[7:5] == 3'd3;
  end
  // Any constant distance will do.
  reg  [9:0] past [0:15];
  integer i, n = 0, same = 0, best = 0;
  integer hits [0:15];
  initial for (i = 0; i < 16; i = i + 1) begin
    hits[i] = 0; past[i] = 0;
  end
  always @(posedge rx_clk) begin
    for (i = 15; i > 0; i = i - 1) past[i] = past[i-1];
    past[0] = {gmii_tx_en, gmii_tx_er, gmii_txd};
    n = n + 1;
    if (n > 100) for (i = 0; i < 16; i = i + 1)
      if (past[i] === {gmii_rx_dv, gmii_rx_er, gmii_rxd}) hits[i] = hits[i] + 1;
  end
  assign uart_tx = uart_rx;
  assign {led_link, led_traffic, led_error, led_running, led_clock} = 5'b10110;
endmodule

module bench;
  reg clk100 = 0;
  always #5 clk100 = !clk100;
  wire       tx_clk, tx_ctl, phy_rst_n, mdc, uart_tx;
  wire [3:0] tx_data, led_r, led_g, led_b;
  tnic_ecpix5 top(
    .clk100(clk100), .rst_n(1'b1),
    .eth_tx_clk(tx_clk), .eth_tx_ctl(tx_ctl), .eth_tx_data(tx_data),
    .eth_rx_clk(tx_clk), .eth_rx_ctl(tx_ctl), .eth_rx_data(tx_data),
    .eth_rst_n(phy_rst_n), .eth_mdc(mdc), .uart_rx(1'b1), .uart_tx(uart_tx), .led_r(led_r), .led_g(led_g), .led_b(led_b));

  // From each edge of the clock to the data's last change, and to the next.
  realtime edge_at = 0, change_at = 0, period_at = 0, period = 0;
  integer bad = 0;
  always @(tx_clk) begin
    if ($realtime > 3000 && $realtime - change_at < 1.9) bad = bad + 1;
    edge_at = $realtime;
  end
  always @(tx_data) begin
    if ($realtime > 3000 && $realtime - edge_at < 1.9) bad = bad + 1;
    change_at = $realtime;
  end
  always @(posedge tx_clk) begin
    period = $realtime - period_at;
    period_at = $realtime;
  end
  integer i, best;
  initial begin
    #40000;
    best = 0;
    for (i = 0; i < 16; i = i + 1) if (top.nic.hits[i] > best) best = top.nic.hits[i];
    if (bad != 0) $display("FAILED: %0d edges of the clock are not in the middle of the data", bad);
    if (period < 7.999 || period > 8.001) $display("FAILED: a clock of %f ns", period);
    if (top.nic.n < 4000 || best != top.nic.n - 100) $display("FAILED: %0d of %0d bytes came back", best, top.nic.n - 100);
    if (phy_rst_n !== 0) $display("FAILED: the PHY's reset ends at once");
    if (led_r !== 4'b1011 || led_g !== 4'b0110 || led_b !== 4'b1111) $display("FAILED: lights %b %b %b", led_r, led_g, led_b);
    $display("%0d bytes, period %f ns", best, period);
    $finish;
  end
endmodule
