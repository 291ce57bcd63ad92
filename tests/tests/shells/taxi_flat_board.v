// taxi's adapter with its interfaces as single ports, for simulators that know no interfaces, on a bench of one clock: streams of 64 bits, of the
// NIC core's too. The MAC is the bench's, as in taxi_board.sv.
module board(
  input wire clk,
  input wire rst_n,
  output wire mod_rst_done,
  input wire [31:0] s_axil_awaddr,
  input wire s_axil_awvalid,
  output wire s_axil_awready,
  input wire [31:0] s_axil_wdata,
  input wire s_axil_wvalid,
  output wire s_axil_wready,
  output wire [1:0] s_axil_bresp,
  output wire s_axil_bvalid,
  input wire s_axil_bready,
  input wire [31:0] s_axil_araddr,
  input wire s_axil_arvalid,
  output wire s_axil_arready,
  output wire [31:0] s_axil_rdata,
  output wire [1:0] s_axil_rresp,
  output wire s_axil_rvalid,
  input wire s_axil_rready,
  output wire axil_next,
  input wire [63:0] host_tdata,
  input wire [7:0] host_tkeep,
  input wire host_tvalid,
  input wire host_tlast,
  input wire [47:0] host_meta,
  output wire host_tready,
  output reg [63:0] tx_tdata,
  output wire [7:0] tx_tkeep,
  output wire tx_tvalid,
  output wire tx_tlast,
  output wire [47:0] tx_meta,
  input wire tx_tready,
  input wire [63:0] rx_tdata,
  input wire [7:0] rx_tkeep,
  input wire rx_tvalid,
  input wire rx_tlast,
  // Bit 0: the frame is bad.
  input wire [47:0] rx_meta,
  output wire rx_tready,
  output reg [63:0] up_tdata,
  output wire [7:0] up_tkeep,
  output wire up_tvalid,
  output wire up_tlast,
  output wire [47:0] up_meta,
  input wire up_tready,
  // Completions that the NIC core gets.
  output wire cpl_tvalid,
  output wire [7:0] cpl_tid,
  output wire [47:0] cpl_tdata
);
  wire rst = !rst_n;
  reg [3:0] since = 4'h0;
  always @(posedge clk) since <= rst ? 4'h0 : since == 4'hf ? since : since + 4'h1;
  assign mod_rst_done = since == 4'hf;
  assign axil_next = 1'b1;
  assign tx_meta = 48'h0;

  wire [63:0] rel;
  taxi_ptp_td_leaf clock (
    .clk(clk), .rst(1'b0), .sample_clk(1'b0), .ptp_clk(1'b0), .ptp_rst(1'b0), .ptp_td_sdi(1'b0), .output_ts_rel(rel), .output_ts_rel_step(),
    .output_ts_tod(), .output_ts_tod_step(), .output_pps(), .output_pps_str(), .locked()
  );
  // A completion follows its frame's first beat by 4 clocks.
  reg tx_inside = 1'b0;
  wire tx_taken = tx_tvalid && tx_tready;
  wire [7:0] tx_tid;
  reg [56:0] on_its_way_0 = 57'h0, on_its_way_1 = 57'h0, on_its_way_2 = 57'h0, on_its_way_3 = 57'h0;
  always @(posedge clk) begin
    if (tx_taken) tx_inside <= !tx_tlast;
    on_its_way_0 <= {tx_taken && !tx_inside, tx_tid, rel[47:0]};
    on_its_way_1 <= on_its_way_0;
    on_its_way_2 <= on_its_way_1;
    on_its_way_3 <= on_its_way_2;
  end
  reg rx_inside = 1'b0;
  reg [47:0] rx_begun;
  always @(posedge clk)
    if (rx_tvalid) begin
      rx_inside <= !rx_tlast;
      if (!rx_inside) rx_begun <= rel[47:0];
    end

  // Bytes that do not count are 0, here alone.
  wire [63:0] tx_data, up_data;
  wire [47:0] up_ts;
  assign up_meta = up_tvalid ? up_ts : 48'h0;
  integer i;
  always @* for (i = 0; i < 8; i = i + 1) tx_tdata[8*i +: 8] = tx_data[8*i +: 8] & {8{tx_tkeep[i]}};
  always @* for (i = 0; i < 8; i = i + 1) up_tdata[8*i +: 8] = up_data[8*i +: 8] & {8{up_tkeep[i]}};
  wire bad;
  tnic_taxi timely (
    .clk(clk), .rst(rst), .ptp_clk(1'b0), .ptp_rst(1'b0), .ptp_sample_clk(1'b0), .ptp_td_sdi(1'b0), .pause(8'h00),
    .s_axil_wr_awaddr(s_axil_awaddr[15:0]), .s_axil_wr_awvalid(s_axil_awvalid), .s_axil_wr_awready(s_axil_awready),
    .s_axil_wr_wdata(s_axil_wdata), .s_axil_wr_wstrb(4'hf), .s_axil_wr_wvalid(s_axil_wvalid), .s_axil_wr_wready(s_axil_wready),
    .s_axil_wr_bresp(s_axil_bresp), .s_axil_wr_buser(), .s_axil_wr_bvalid(s_axil_bvalid), .s_axil_wr_bready(s_axil_bready),
    .s_axil_rd_araddr(s_axil_araddr[15:0]), .s_axil_rd_arvalid(s_axil_arvalid), .s_axil_rd_arready(s_axil_arready),
    .s_axil_rd_rdata(s_axil_rdata), .s_axil_rd_rresp(s_axil_rresp), .s_axil_rd_ruser(), .s_axil_rd_rvalid(s_axil_rvalid),
    .s_axil_rd_rready(s_axil_rready),
    .s_axis_tx_tdata(host_tdata), .s_axis_tx_tkeep(host_tkeep), .s_axis_tx_tid(host_meta[7:0]), .s_axis_tx_tlast(host_tlast),
    .s_axis_tx_tvalid(host_tvalid), .s_axis_tx_tready(host_tready), .s_axis_tx_tstrb(8'h00), .s_axis_tx_tdest(8'h00), .s_axis_tx_tuser(1'b0),
    .m_axis_tx_cpl_tdata(cpl_tdata), .m_axis_tx_cpl_tkeep(), .m_axis_tx_cpl_tstrb(), .m_axis_tx_cpl_tid(cpl_tid), .m_axis_tx_cpl_tdest(),
    .m_axis_tx_cpl_tuser(), .m_axis_tx_cpl_tlast(), .m_axis_tx_cpl_tvalid(cpl_tvalid), .m_axis_tx_cpl_tready(1'b1),
    .m_axis_rx_tdata(up_data), .m_axis_rx_tkeep(up_tkeep), .m_axis_rx_tstrb(), .m_axis_rx_tid(), .m_axis_rx_tdest(),
    .m_axis_rx_tuser({up_ts, bad}), .m_axis_rx_tlast(up_tlast), .m_axis_rx_tvalid(up_tvalid), .m_axis_rx_tready(up_tready),
    .mac_tx_clk(clk), .mac_tx_rst(rst),
    .mac_axis_tx_tdata(tx_data), .mac_axis_tx_tkeep(tx_tkeep), .mac_axis_tx_tstrb(), .mac_axis_tx_tid(tx_tid), .mac_axis_tx_tdest(),
    .mac_axis_tx_tuser(), .mac_axis_tx_tlast(tx_tlast), .mac_axis_tx_tvalid(tx_tvalid), .mac_axis_tx_tready(tx_tready),
    .mac_axis_tx_cpl_tdata(on_its_way_3[47:0]), .mac_axis_tx_cpl_tid(on_its_way_3[55:48]), .mac_axis_tx_cpl_tvalid(on_its_way_3[56]),
    .mac_axis_tx_cpl_tready(), .mac_axis_tx_cpl_tkeep(6'h00), .mac_axis_tx_cpl_tstrb(6'h00), .mac_axis_tx_cpl_tdest(8'h00),
    .mac_axis_tx_cpl_tuser(1'b0), .mac_axis_tx_cpl_tlast(1'b1),
    .mac_rx_clk(clk), .mac_rx_rst(rst),
    .mac_axis_rx_tdata(rx_tdata), .mac_axis_rx_tkeep(rx_tkeep), .mac_axis_rx_tuser({rx_inside ? rx_begun : rel[47:0], rx_meta[0] && rx_tlast}),
    .mac_axis_rx_tlast(rx_tlast), .mac_axis_rx_tvalid(rx_tvalid), .mac_axis_rx_tready(rx_tready), .mac_axis_rx_tstrb(8'h00),
    .mac_axis_rx_tid(8'h00), .mac_axis_rx_tdest(8'h00)
  );
endmodule
