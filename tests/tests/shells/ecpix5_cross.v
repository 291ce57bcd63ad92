// A queue between two clocks on a bench of one: an input says of which the coming edge is one too.
module cross_board(
  input wire clk,
  input wire w_go,
  input wire r_go,
  input wire arst,
  input wire w_valid,
  input wire [39:0] w_data,
  output wire w_ready,
  output wire w_rst,
  output wire r_valid,
  output wire [39:0] r_data,
  output wire r_rst,
  input wire r_ready
);
  wire w_clk = clk & w_go;
  wire r_clk = clk & r_go;
  tnic_ecpix5_reset w_reset(.clk(w_clk), .arst(arst), .rst(w_rst));
  tnic_ecpix5_reset r_reset(.clk(r_clk), .arst(arst), .rst(r_rst));
  tnic_ecpix5_cross #(.W(40), .A(4)) queue(
    .w_clk(w_clk), .w_rst(w_rst), .w_valid(w_valid), .w_data(w_data), .w_ready(w_ready),
    .r_clk(r_clk), .r_rst(r_rst), .r_valid(r_valid), .r_data(r_data), .r_ready(r_ready));
endmodule
