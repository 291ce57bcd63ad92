// The date: always the steady time and the offset, never torn; the offset is the one that the sample of 5 clocks ago measured, or as it was;
// the epoch counts the offsets that differ by 256 ns or more, and no others; that of departures is the same, and for the 4,096 clocks from a
// step on the one before. The steady time is any, so long as `coming` shows it 2 clocks before.
module top(input clk, input rst_in, input valid, input [63:0] wanted, input [63:0] coming_in);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    localparam [63:0] START = 64'hffff_fffe_0000_0000;
    reg [63:0] coming3, steady;
    // After reset `coming` is where the count starts.
    reg held;
    wire [63:0] coming = held ? START : coming_in;
    always @(posedge clk) begin
        coming3 <= rst ? START : coming;
        steady <= rst ? START : coming3;
        held <= rst;
    end

    wire [63:0] date, offset;
    wire [1:0] epoch, departed_epoch;
    tnic_date dut(.clk(clk), .rst(rst), .valid(valid), .wanted(wanted), .steady(steady), .coming(coming), .date(date), .offset(offset),
        .epoch(epoch), .departed_epoch(departed_epoch));

    reg [63:0] measured [1:4];
    reg [4:1] sampled;
    reg [63:0] offset_ref;
    reg [1:0] epoch_ref;
    // Clocks since the last step, the step's own not counted.
    reg [12:0] since;
    wire [63:0] by = measured[4] - offset_ref;
    integer i;
    always @(posedge clk) begin
        measured[1] <= wanted - steady;
        sampled <= {sampled[3:1], valid};
        for (i = 2; i <= 4; i = i + 1) measured[i] <= measured[i - 1];
        if (!since[12]) since <= since + 1;
        if (sampled[4]) begin
            offset_ref <= measured[4];
            if (by[63:24] != 0 & ~by[63:24] != 0) begin
                epoch_ref <= epoch_ref + 1;
                since <= 0;
            end
        end
        if (rst) begin
            sampled <= 0;
            offset_ref <= -START;
            epoch_ref <= 0;
            since <= 4096;
        end
    end
    always @(*) if (begun) begin
        assert(date == steady + offset);
        assert(offset == offset_ref);
        assert(epoch == epoch_ref);
        assert(departed_epoch == (since[12] ? epoch_ref : epoch_ref - 2'd1));
    end
`ifndef TWIN
    // The state behind it, which makes the above inductive.
    (* hierconn *) wire \dut.valid1__q ;
    (* hierconn *) wire \dut.valid2__q ;
    (* hierconn *) wire \dut.valid3__q ;
    (* hierconn *) wire \dut.valid4__q ;
    (* hierconn *) wire [32:0] \dut.low1__q ;
    (* hierconn *) wire [31:0] \dut.wanted1__q ;
    (* hierconn *) wire [31:0] \dut.steady1__q ;
    (* hierconn *) wire [31:0] \dut.low2__q ;
    (* hierconn *) wire [31:0] \dut.high2__q ;
    (* hierconn *) wire [31:0] \dut.low__q ;
    (* hierconn *) wire [31:0] \dut.high3__q ;
    (* hierconn *) wire [8:0] \dut.differs3__q ;
    (* hierconn *) wire [31:0] \dut.high__q ;
    (* hierconn *) wire [31:0] \dut.low4__q ;
    (* hierconn *) wire [39:0] \dut.differs4__q ;
    (* hierconn *) wire [32:0] \dut.sum_low__q ;
    (* hierconn *) wire [11:0] \dut.settles5__q ;
    (* hierconn *) wire \dut.settling5__q ;
    (* hierconn *) wire [31:0] \dut.coming_high__q ;
    wire [31:0] subtrahend = \dut.steady1__q + \dut.low1__q [32];
    wire [31:0] upper1 = \dut.wanted1__q - subtrahend;
    // The offset as it is a clock from now, and two clocks from now.
    wire [63:0] offset_1 = sampled[4] ? measured[4] : offset_ref;
    wire [63:0] offset_2 = sampled[3] ? measured[3] : offset_1;
    wire [32:0] low_3 = {1'b0, measured[3][31:0]} - {1'b0, offset_1[31:0]};
    wire [32:0] low_sum = {1'b0, coming3[31:0]} + {1'b0, offset_1[31:0]};
    always @(*) if (begun) begin
        assert({ \dut.valid4__q , \dut.valid3__q , \dut.valid2__q , \dut.valid1__q } == sampled);
        if (sampled[1]) assert({upper1, \dut.low1__q [31:0]} == measured[1]);
        if (sampled[2]) assert({ \dut.high2__q , \dut.low2__q } == measured[2]);
        assert( \dut.low__q == offset_2[31:0] & \dut.low4__q == offset_1[31:0] & \dut.high__q == offset_1[63:32]);
        if (sampled[3]) assert( \dut.high3__q == measured[3][63:32] & \dut.differs3__q == low_3[32:24]);
        if (sampled[4]) assert( \dut.differs4__q == by[63:24]);
        assert( \dut.settling5__q == !since[12] & (since[12] | \dut.settles5__q == 12'd4095 - since[11:0]));
        assert( \dut.sum_low__q == low_sum & \dut.coming_high__q == coming3[63:32]);
    end
`endif
endmodule
