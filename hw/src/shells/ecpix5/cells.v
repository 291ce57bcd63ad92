// The ECP5's cells as empty boxes, for Verilator's lint of the whole board. Synthesis knows the cells; a simulation that has models of them
// defines ECP5_CELLS.
`ifdef VERILATOR
`ifndef ECP5_CELLS
module EHXPLLL #(
  parameter PLLRST_ENA = "", parameter INTFB_WAKE = "", parameter STDBY_ENABLE = "", parameter DPHASE_SOURCE = "",
  parameter OUTDIVIDER_MUXA = "", parameter OUTDIVIDER_MUXB = "", parameter OUTDIVIDER_MUXC = "", parameter OUTDIVIDER_MUXD = "",
  parameter CLKI_DIV = 1, parameter CLKFB_DIV = 1, parameter FEEDBK_PATH = "",
  parameter CLKOP_ENABLE = "", parameter CLKOP_DIV = 1, parameter CLKOP_CPHASE = 0, parameter CLKOP_FPHASE = 0,
  parameter CLKOS_ENABLE = "", parameter CLKOS_DIV = 1, parameter CLKOS_CPHASE = 0, parameter CLKOS_FPHASE = 0
) (
  input RST, input STDBY, input CLKI, input CLKFB, output CLKOP, output CLKOS, output LOCK,
  input PHASESEL0, input PHASESEL1, input PHASEDIR, input PHASESTEP, input PHASELOADREG, input PLLWAKESYNC, input ENCLKOP
);
endmodule

module ODDRX1F(input D0, input D1, input SCLK, input RST, output Q);
endmodule

module IDDRX1F(input D, input SCLK, input RST, output Q0, output Q1);
endmodule

module DELAYG #(parameter DEL_MODE = "", parameter DEL_VALUE = 0) (input A, output Z);
endmodule
`endif
`endif
