// The ECPIX-5's NIC, and a queue of its own between two clocks, on a bench of one clock: an input says of which clocks the coming edge is one too.
// A reset ends at an edge of its clock: queues between clocks take it at once, all else at an edge.
/* verilator lint_off SYNCASYNCNET */
module board(
  input wire clk,
  input wire core_go,
  input wire tx_go,
  input wire rx_go,
  input wire arst,
  output wire [7:0] gmii_txd,
  output wire gmii_tx_en,
  output wire gmii_tx_er,
  input wire [7:0] gmii_rxd,
  input wire gmii_rx_dv,
  input wire gmii_rx_er,
  input wire uart_rx,
  output wire uart_tx,
  output wire led_link,
  output wire led_traffic,
  output wire led_error,
  output wire led_running,
  output wire led_clock
);
  tnic_ecpix5_nic nic(
    .clk(clk & core_go), .tx_clk(clk & tx_go), .rx_clk(clk & rx_go), .arst(arst),
    .gmii_txd(gmii_txd), .gmii_tx_en(gmii_tx_en), .gmii_tx_er(gmii_tx_er),
    .gmii_rxd(gmii_rxd), .gmii_rx_dv(gmii_rx_dv), .gmii_rx_er(gmii_rx_er),
    .uart_rx(uart_rx), .uart_tx(uart_tx),
    .led_link(led_link), .led_traffic(led_traffic), .led_error(led_error), .led_running(led_running), .led_clock(led_clock));
endmodule
