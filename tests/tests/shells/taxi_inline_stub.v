// In place of the in-line core of taxi's adapter, for what concerns the adapter alone. Frames of the host pass at once: those of an even tag past
// the store, those of an odd one as paced packets, every fourth tag (3, 7, ...) as an ACK of ours. Frames of the wire wait in a queue for the host.
module tnic_taxi_inline(
  input wire clk, input wire rst, input wire axil_clk, input wire axil_rst,
  input wire [23:0] s_axil_awaddr, input wire s_axil_awvalid, output wire s_axil_awready,
  input wire [31:0] s_axil_wdata, input wire [3:0] s_axil_wstrb, input wire s_axil_wvalid, output wire s_axil_wready,
  output wire [1:0] s_axil_bresp, output wire s_axil_bvalid, input wire s_axil_bready,
  input wire [23:0] s_axil_araddr, input wire s_axil_arvalid, output wire s_axil_arready,
  output wire [31:0] s_axil_rdata, output wire [1:0] s_axil_rresp, output wire s_axil_rvalid, input wire s_axil_rready,
  input wire [255:0] s_host_tdata, input wire [31:0] s_host_tkeep, input wire s_host_tvalid, output wire s_host_tready, input wire s_host_tlast,
  input wire [47:0] s_host_meta,
  output wire [255:0] m_wire_tdata, output wire [31:0] m_wire_tkeep, output wire m_wire_tvalid, input wire m_wire_tready,
  output wire m_wire_tlast, output wire [47:0] m_wire_meta, output wire m_wire_ack, output wire [15:0] m_wire_ack_bytes,
  input wire [255:0] s_wire_tdata, input wire [31:0] s_wire_tkeep, input wire s_wire_tvalid, output wire s_wire_tready, input wire s_wire_tlast,
  input wire [47:0] s_wire_meta,
  output wire [255:0] m_host_tdata, output wire [31:0] m_host_tkeep, output wire m_host_tvalid, input wire m_host_tready,
  output wire m_host_tlast, output wire [47:0] m_host_meta,
  input wire [7:0] pause, input wire lost, output wire [63:0] now, output wire stopped, input wire ptp_valid, input wire [63:0] ptp_time,
  input wire [63:0] s_wire_ts, input wire s_cpl_valid, input wire [15:0] s_cpl_tag, input wire [63:0] s_cpl_ts,
  output wire m_wire_past, output wire [7:0] m_wire_tag, output wire stored, output wire [47:0] stored_meta
);
  // The registers hold the sums of what the core is told, so that none of it is unknown.
  reg b = 1'b0, r = 1'b0;
  reg [31:0] read, departures = 32'h0, arrivals = 32'h0, losses = 32'h0, dates = 32'h0;
  reg [63:0] date = 64'h0;
  assign s_axil_awready = s_axil_awvalid && s_axil_wvalid && !b;
  assign s_axil_wready = s_axil_awready;
  assign {s_axil_bresp, s_axil_rresp, stopped, m_wire_ack_bytes} = 0;
  assign s_axil_bvalid = b;
  assign s_axil_arready = !r;
  assign s_axil_rvalid = r;
  assign s_axil_rdata = read;
  assign now = date;
  reg [7:0] tag = 8'h00;
  wire wired = m_wire_tvalid && m_wire_tready && m_wire_tlast;
  assign m_wire_ack = s_host_meta[1:0] == 2'd3;
  assign m_wire_past = !s_host_meta[0];
  assign m_wire_tag = tag;
  assign stored = wired && !m_wire_past;
  assign stored_meta = s_host_meta;
  assign {m_wire_tdata, m_wire_tkeep, m_wire_tvalid, m_wire_tlast, m_wire_meta} =
    {s_host_tdata, s_host_tkeep, s_host_tvalid, s_host_tlast, s_host_meta};
  assign s_host_tready = m_wire_tready;

  reg [336:0] words [255:0];
  reg [7:0] put = 8'h00, take = 8'h00;
  assign s_wire_tready = 1'b1;
  assign m_host_tvalid = put != take;
  assign {m_host_tdata, m_host_tkeep, m_host_tlast, m_host_meta} = words[take];
  always @(posedge clk) begin
    date <= date + 64'h40000;
    b <= s_axil_awready || (b && !s_axil_bready);
    r <= (s_axil_arvalid && !r) || (r && !s_axil_rready);
    if (s_axil_arvalid && !r)
      read <= {departures[7:0], arrivals[7:0], losses[7:0], dates[7:0] ^ {7'h0, ptp_valid} ^ ptp_time[23:16] ^ pause} ^ {8'h0, s_axil_araddr};
    if (wired) tag <= tag + 8'h01;
    if (s_cpl_valid) departures <= departures + s_cpl_ts[47:16] + {16'h0, s_cpl_tag};
    if (s_wire_tvalid) begin
      arrivals <= arrivals + s_wire_ts[47:16];
      words[put] <= {s_wire_tdata, s_wire_tkeep, s_wire_tlast, s_wire_meta};
      put <= put + 8'h01;
    end
    if (m_host_tvalid && m_host_tready) take <= take + 8'h01;
    if (lost) losses <= losses + 32'h1;
    dates <= ptp_time[31:0];
    if (rst) begin
      {b, r} <= 2'b00;
      {put, take, tag} <= 24'h0;
      {departures, arrivals, losses} <= 96'h0;
    end
  end
endmodule
