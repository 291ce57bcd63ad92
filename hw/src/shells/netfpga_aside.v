  // Port @N@, past the core both ways.
  wire [127:0] aside_@N@_meta;
  assign host_tready[@N@] = 1'b1;
  assign m_axis_@N@_tuser = {aside_@N@_meta[127:32], 8'h@TO@, aside_@N@_meta[23:0]};
  @ASIDE@ aside_@N@ (
    .clk(axis_aclk),
    .rst(rst),
    .s_tdata(host_tdata),
    .s_tkeep(host_tkeep),
    .s_tvalid(host_tvalid[@N@]),
    .s_tlast(host_tlast),
    .s_meta(host_meta),
    .m_tdata(m_axis_@N@_tdata),
    .m_tkeep(m_axis_@N@_tkeep),
    .m_tvalid(m_axis_@N@_tvalid),
    .m_tready(m_axis_@N@_tready),
    .m_tlast(m_axis_@N@_tlast),
    .m_meta(aside_@N@_meta),
    .dropped(dropped[@N@])
  );
  wire [@W-1@:0] up_@N@_tdata = s_axis_@N@_tdata;
  wire [@K-1@:0] up_@N@_tkeep = s_axis_@N@_tkeep;
  wire [127:0] up_@N@_tuser = {s_axis_@N@_tuser[127:32], 8'h@UP@, s_axis_@N@_tuser[23:0]};
  wire up_@N@_tvalid = s_axis_@N@_tvalid && up;
  wire up_@N@_tlast = s_axis_@N@_tlast;
  wire up_@N@_tready;
  assign s_axis_@N@_tready = up_@N@_tready && up;
