// The bucket's verdict is exactly one of: cleared, empty, bounded, looked at again, may send. For any inputs: nothing is assumed.
module top(input clk, input [204:0] state, input [48:0] post, input [56:0] paid, input [31:0] ended, input [29:0] rate, input [15:0] size, input [47:0] now,
    input [29:0] bound, input [30:0] idle, input [19:0] cap);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire [14:0] verdict;
    tnic_bucket dut(.clk(clk), .rst(1'b0), .state(state), .post(post), .paid(paid), .ended(ended), .rate(rate), .size(size), .now(now), .bound(bound), .idle(idle),
        .cap(cap), .verdict(verdict));
    wire [4:0] verdicts = verdict[11:7];
    always @(*) if (begun) assert(verdicts == 1 | verdicts == 2 | verdicts == 4 | verdicts == 8 | verdicts == 16);
endmodule
