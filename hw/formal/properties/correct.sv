// What a clock adds to the time: at least half of the increment, never more than it, and a step never turns the time back.
// Nothing is assumed.
module top(input clk, input rst_in, input [31:0] increment, input ptp, input set_valid, input [63:0] set_value, input ptp_valid,
    input [63:0] ptp_time, input [63:0] now);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire [31:0] rate;
    wire [47:0] step_ns;
    wire [15:0] step_fraction;
    tnic_correct dut(.clk(clk), .rst(rst), .cfg_time_increment(increment), .cfg_time_ptp(ptp), .time_set_valid(set_valid),
        .time_set_value(set_value), .ptp_valid(ptp_valid), .ptp_time(ptp_time), .now(now), .rate(rate), .step_ns(step_ns),
        .step_fraction(step_fraction));

    // The increment as it was when this rate was made.
    reg [31:0] was [0:2];
    reg stepped;
    always @(posedge clk) begin
        was[0] <= rst ? 0 : increment;
        was[1] <= rst ? 0 : was[0];
        was[2] <= rst ? 0 : was[1];
        stepped <= !rst & (step_ns != 0 | step_fraction != 0);
    end
    always @(*) if (begun) begin
        assert(rate <= was[2] & rate >= was[2] - (was[2] >> 1));
        assert(!step_ns[47]);
        // A step lasts one clock.
        if (stepped) assert(step_ns == 0 & step_fraction == 0);
    end

`ifndef TWIN
    // The state behind it, which makes the above inductive.
    (* hierconn *) wire [31:0] \dut.increment__q ;
    (* hierconn *) wire [31:0] \dut.increment_2__q ;
    (* hierconn *) wire [31:0] \dut.take__q ;
    always @(*) if (begun) assert(\dut.increment__q == was[0] & \dut.increment_2__q == was[1] & \dut.take__q <= was[1] >> 1);
`endif
endmodule
