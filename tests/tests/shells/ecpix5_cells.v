// What the ECPIX-5's top uses of an ECP5, as far as a bench needs it.
`timescale 1ns / 1ps
module EHXPLLL #(
  parameter PLLRST_ENA = "", parameter INTFB_WAKE = "", parameter STDBY_ENABLE = "", parameter DPHASE_SOURCE = "",
  parameter OUTDIVIDER_MUXA = "", parameter OUTDIVIDER_MUXB = "", parameter OUTDIVIDER_MUXC = "", parameter OUTDIVIDER_MUXD = "",
  parameter CLKI_DIV = 1, parameter CLKFB_DIV = 1, parameter FEEDBK_PATH = "",
  parameter CLKOP_ENABLE = "", parameter CLKOP_DIV = 1, parameter CLKOP_CPHASE = 0, parameter CLKOP_FPHASE = 0,
  parameter CLKOS_ENABLE = "", parameter CLKOS_DIV = 1, parameter CLKOS_CPHASE = 0, parameter CLKOS_FPHASE = 0
) (
  input RST, input STDBY, input CLKI, input CLKFB, output reg CLKOP, output reg CLKOS, output reg LOCK,
  input PHASESEL0, input PHASESEL1, input PHASEDIR, input PHASESTEP, input PHASELOADREG, input PLLWAKESYNC, input ENCLKOP
);
  // The input is 10 ns; the oscillator runs so much faster, and its frequency must be one that the PLL has.
  localparam real OSCILLATOR_NS = 10.0 * CLKI_DIV / CLKFB_DIV / CLKOP_DIV;
  initial begin
    CLKOP = 0; CLKOS = 0; LOCK = 0;
    if (OSCILLATOR_NS < 1.25 || OSCILLATOR_NS > 2.5) $display("FAILED: an oscillator of %f ns", OSCILLATOR_NS);
    #1000 LOCK = 1;
  end
  always #(OSCILLATOR_NS * CLKOP_DIV / 2) CLKOP = !CLKOP;
  always #(OSCILLATOR_NS * CLKOS_DIV / 2) CLKOS = !CLKOS;
endmodule

// D0 while the clock is high, then D1, both taken at the rising edge.
module ODDRX1F(input D0, input D1, input SCLK, input RST, output Q);
  reg rise = 0, fall = 0;
  always @(posedge SCLK) begin
    rise <= D0;
    fall <= D1;
  end
  assign Q = SCLK ? rise : fall;
endmodule

// What was there at the rising edge, and at the falling one behind it; both come out at the next rising edge.
module IDDRX1F(input D, input SCLK, input RST, output reg Q0, output reg Q1);
  reg rise = 0, fall = 0;
  always @(negedge SCLK) fall <= D;
  always @(posedge SCLK) begin
    rise <= D;
    Q0 <= rise;
    Q1 <= fall;
  end
endmodule

module DELAYG #(parameter DEL_MODE = "", parameter DEL_VALUE = 0) (input A, output Z);
  generate
    if (DEL_VALUE == 0) begin : none
      assign Z = A;
    end else begin : taps
      assign #(0.025 * DEL_VALUE) Z = A;
    end
  endgenerate
endmodule
