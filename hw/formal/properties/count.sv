// The sums of the time: what is shown is the exact sum of all that was added 8 clocks ago, and never steps backwards.
// Assumed: a step is less than 2^47 ns (proven as `time_rate`). The ns and seconds of the second are not looked at here.
module top(input clk, input rst_in, input [31:0] rate, input [47:0] step_ns, input [15:0] step_fraction, input [18:0] step_sec,
    input [29:0] step_rest);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire [63:0] now;
    tnic_count dut(.clk(clk), .rst(rst), .rate(rate), .step_ns(step_ns), .step_fraction(step_fraction), .step_sec(step_sec),
        .step_rest(step_rest), .now(now));
    always @(*) assume(!step_ns[47]);

    // The fraction of 24 bits and what it carries into the ns; the number is the stage, that is the clocks after `rate`.
    reg [32:0] part1;
    reg [47:0] step1;
    reg [23:0] fraction [2:9];
    wire [33:0] sum = part1 + fraction[2];
    reg [47:0] gain [2:8];
    reg [47:0] ns [4:9];
    integer i;
    always @(posedge clk) begin
        part1 <= rate + {step_fraction, 8'b0};
        step1 <= step_ns;
        fraction[2] <= sum[23:0];
        gain[2] <= step1 + sum[33:24];
        for (i = 3; i <= 9; i = i + 1) fraction[i] <= fraction[i - 1];
        for (i = 3; i <= 8; i = i + 1) gain[i] <= gain[i - 1];
        ns[4] <= ns[4] + gain[3];
        for (i = 5; i <= 9; i = i + 1) ns[i] <= ns[i - 1];
        if (rst) begin
            part1 <= 0;
            step1 <= 0;
            for (i = 2; i <= 9; i = i + 1) fraction[i] <= 0;
            for (i = 2; i <= 8; i = i + 1) gain[i] <= 0;
            for (i = 4; i <= 9; i = i + 1) ns[i] <= 0;
        end
    end
    always @(*) if (begun) begin
        assert(now == {ns[8], fraction[8][23:8]});
        // From the clock before to this one: not back in the ns, modulo 2^48; not back in the fraction without a gain in the ns.
        assert(ns[8] == ns[9] + gain[8]);
        assert(gain[8] < 48'h8000_0000_0400 & (gain[8] != 0 | fraction[8] >= fraction[9]));
    end
`ifndef TWIN
    // The state behind it, which makes the above inductive: what is on its way at each stage.
    (* hierconn *) wire [32:0] \dut.addend__q ;
    (* hierconn *) wire [47:0] \dut.ns1__q ;
    (* hierconn *) wire [23:0] \dut.fraction__q ;
    (* hierconn *) wire [9:0] \dut.delta__q ;
    (* hierconn *) wire [47:0] \dut.ns2__q ;
    (* hierconn *) wire [15:0] \dut.fraction3__q ;
    (* hierconn *) wire [24:0] \dut.low3__q ;
    (* hierconn *) wire [23:0] \dut.high3__q ;
    (* hierconn *) wire [15:0] \dut.fraction4__q ;
    (* hierconn *) wire [23:0] \dut.low__q ;
    (* hierconn *) wire [1:0] \dut.carry4__q ;
    (* hierconn *) wire [23:0] \dut.high4__q ;
    (* hierconn *) wire [15:0] \dut.fraction5__q ;
    (* hierconn *) wire [23:0] \dut.low5__q ;
    (* hierconn *) wire [23:0] \dut.high5__q ;
    (* hierconn *) wire [15:0] \dut.fraction6__q ;
    (* hierconn *) wire [23:0] \dut.low6__q ;
    (* hierconn *) wire [23:0] \dut.high__q ;
    (* hierconn *) wire [63:0] \dut.now7__q ;
    wire [47:0] stage2 = \dut.ns2__q + \dut.delta__q ;
    wire [47:0] stage3 = {\dut.high3__q , 24'b0} + \dut.low3__q ;
    wire [23:0] stage4 = \dut.high4__q + \dut.carry4__q ;
    always @(*) if (begun) begin
        assert(\dut.addend__q == part1 & \dut.ns1__q == step1 & !step1[47]);
        assert(\dut.fraction__q == fraction[2] & stage2 == gain[2]);
        assert(\dut.fraction3__q == fraction[3][23:8] & stage3 == gain[3]);
        assert({\dut.low__q , \dut.fraction4__q } == {ns[4][23:0], fraction[4][23:8]});
        assert(ns[4][47:24] == ns[5][47:24] + stage4);
        assert({\dut.low5__q , \dut.fraction5__q } == {ns[5][23:0], fraction[5][23:8]});
        assert(ns[5][47:24] == ns[6][47:24] + \dut.high5__q );
        assert({\dut.high__q , \dut.low6__q , \dut.fraction6__q } == {ns[6], fraction[6][23:8]});
        assert(\dut.now7__q == {ns[7], fraction[7][23:8]});
        for (i = 2; i <= 8; i = i + 1) assert(gain[i] < 48'h8000_0000_0400 & (gain[i] != 0 | fraction[i] >= fraction[i + 1]));
        for (i = 4; i <= 8; i = i + 1) assert(ns[i] == ns[i + 1] + gain[i]);
    end
`endif
endmodule
