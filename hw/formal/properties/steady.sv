// The steady time: the exact sum of the increments since reset, and `later` is it with the lead of two clocks ago. Nothing is assumed.
module top(input clk, input rst_in, input [31:0] increment, input [15:0] lead);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire [63:0] coming, steady, later;
    tnic_steady dut(.clk(clk), .rst(rst), .cfg_time_increment(increment), .cfg_lead(lead), .coming(coming), .steady(steady), .later(later));

    // ns48.fns24; the number is the clocks after the increment.
    localparam [71:0] START = {48'hffff_fffe_0000, 24'h0};
    reg [71:0] sum [1:4];
    reg [15:0] lead3, lead4;
    integer i;
    always @(posedge clk) begin
        sum[1] <= sum[1] + increment;
        for (i = 2; i <= 4; i = i + 1) sum[i] <= sum[i - 1];
        lead3 <= lead;
        lead4 <= lead3;
        if (rst) begin
            for (i = 1; i <= 4; i = i + 1) sum[i] <= START;
            lead3 <= 0;
            lead4 <= 0;
        end
    end
    always @(*) if (begun) begin
        assert(steady == sum[4][71:8]);
        assert(coming == sum[2][71:8]);
        assert(later == steady + {lead4, 16'b0});
        // Never back, and never on by more than an increment can be.
        assert(sum[3] - sum[4] < 72'h1_0000_0000);
    end
`ifndef TWIN
    // The state behind it, which makes the above inductive.
    (* hierconn *) wire [31:0] \dut.low1__q ;
    (* hierconn *) wire \dut.carry1__q ;
    (* hierconn *) wire [39:0] \dut.high2__q ;
    (* hierconn *) wire [63:0] \dut.steady3__q ;
    (* hierconn *) wire [16:0] \dut.later3__q ;
    always @(*) if (begun) begin
        assert(sum[1][31:0] == \dut.low1__q );
        assert(sum[1][71:32] == \dut.high2__q + \dut.carry1__q );
        assert(\dut.steady3__q == sum[3][71:8]);
        assert(\dut.later3__q == sum[3][39:24] + {1'b0, lead3});
        assert(sum[1] - sum[2] < 72'h1_0000_0000 & sum[2] - sum[3] < 72'h1_0000_0000);
    end
`endif
endmodule
