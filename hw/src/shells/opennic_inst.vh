// timely-nic in the 250 MHz box: it has all of the box's registers, so there is no crossbar.
// Of the sixteen resets it takes the first.
assign mod_rst_done[15:1] = 15'h7fff;

tnic_opennic #(
  .NUM_QDMA      (NUM_QDMA),
  .NUM_PHYS_FUNC (NUM_PHYS_FUNC),
  .NUM_CMAC_PORT (NUM_CMAC_PORT)
) timely_inst (
@PORTS@
  .mod_rstn     (mod_rstn[0]),
  .mod_rst_done (mod_rst_done[0]),
  .axil_aclk    (axil_aclk),
  .axis_aclk    (axis_aclk)
);
