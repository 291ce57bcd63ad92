// NetFPGA's datapath with timely-nic in it, to stand in place of the reference NIC's; the rest is in @FILE@.
module nf_datapath #(
  parameter C_S_AXI_DATA_WIDTH = 32,
  parameter C_S_AXI_ADDR_WIDTH = 32,
@PARAMETERS@
  parameter C_M_AXIS_DATA_WIDTH = @BUS@,
  parameter C_S_AXIS_DATA_WIDTH = @BUS@,
  parameter C_M_AXIS_TUSER_WIDTH = 128,
  parameter C_S_AXIS_TUSER_WIDTH = 128,
  parameter NUM_QUEUES = 5
) (
@PORTS@
);
  generate
    if (C_M_AXIS_DATA_WIDTH != @BUS@ || C_S_AXIS_DATA_WIDTH != @BUS@) begin : built_for_another_bus
      timely_nic_needs_streams_of_@BUS@_bits stop();
    end
    if (C_M_AXIS_TUSER_WIDTH != 128 || C_S_AXIS_TUSER_WIDTH != 128 || C_S_AXI_DATA_WIDTH != 32 || C_S_AXI_ADDR_WIDTH != 32) begin : built_for_another_shell
      timely_nic_needs_a_tuser_of_128_bits_and_registers_of_32_bits stop();
    end
  endgenerate

  @TOP@ timely (
@NAMES@
  );
endmodule
