  wire s@N@_awready, s@N@_wready, s@N@_arready;
  assign S@N@_AXI_AWREADY = s@N@_awready && !axil_rst;
  assign S@N@_AXI_WREADY = s@N@_wready && !axil_rst;
  assign S@N@_AXI_ARREADY = s@N@_arready && !axil_rst;
  @VACANT@ vacant_@N@ (
    .clk(axi_aclk),
    .rst(axil_rst),
    .s_axil_awvalid(S@N@_AXI_AWVALID && !axil_rst),
    .s_axil_awready(s@N@_awready),
    .s_axil_wvalid(S@N@_AXI_WVALID && !axil_rst),
    .s_axil_wready(s@N@_wready),
    .s_axil_bresp(S@N@_AXI_BRESP),
    .s_axil_bvalid(S@N@_AXI_BVALID),
    .s_axil_bready(S@N@_AXI_BREADY),
    .s_axil_arvalid(S@N@_AXI_ARVALID && !axil_rst),
    .s_axil_arready(s@N@_arready),
    .s_axil_rdata(S@N@_AXI_RDATA),
    .s_axil_rresp(S@N@_AXI_RRESP),
    .s_axil_rvalid(S@N@_AXI_RVALID),
    .s_axil_rready(S@N@_AXI_RREADY)
  );
