// The bucket at full widths: a flow's tokens never exceed its cap, and they are exactly what they were, plus rate times time, less what
// was charged, or the cap if that is less. So summed over passes, what is charged is at most what accrued plus a cap.
// Assumed: no flow owes 2^50 tokens (8.6 MB of wire bytes; the pass grants nothing while 256 packets are uncharged).
// Taken on trust: that `*` of 15 by 14 bits is a product; the four products are summed here as the block sums them.
module top(input clk, input [50:0] tokens, input [47:0] time_was, input [29:0] rate_was, input [24:0] seen, input [49:0] others,
    input awake, input [48:0] post, input [24:0] bytes, input [31:0] paid_others, input [31:0] ended, input [29:0] rate, input [15:0] size, input [47:0] now,
    input [29:0] bound, input [30:0] idle, input [19:0] cap);
    // Clocks that the pipeline has run, up to 9.
    reg [3:0] age = 0;
    always @(posedge clk) age <= age == 9 ? 9 : age + 1;

    wire [204:0] state = {others[1:0], awake, others[33:2], others[49:34], seen, rate_was, time_was, tokens};
    wire [50:0] tokens_out;
    tnic_bucket dut(.clk(clk), .rst(1'b0), .state(state), .post(post), .paid({paid_others, bytes}), .ended(ended), .rate(rate), .size(size), .now(now), .bound(bound),
        .idle(idle), .cap(cap), .tokens(tokens_out));

    // The same in the fewest words; the number is the clock of the operation.
    reg [50:0] tokens1, tokens2;
    reg [47:0] time1, elapsed2;
    reg [29:0] rate1, rate2, rate3;
    reg [24:0] sent1;
    reg [23:0] sent_low2;
    reg [14:0] sent_high2, sent_high3;
    reg awake1, awake2;
    reg [19:0] cap2;
    reg [26:0] cap3, cap4, cap5, cap6, cap7, cap8;
    reg signed [51:0] tokens3, tokens4, tokens5, tokens6;
    reg [27:0] elapsed3;
    reg [28:0] low_low, low_high, high_low, high_high;
    reg [43:0] low, high;
    reg [57:0] filled;
    reg signed [59:0] sum7, sum8;
    reg over;
    wire signed [50:0] tokens_signed = tokens2;
    wire signed [59:0] cap_now = {15'b0, cap8, 18'b0};
    wire signed [50:0] result = tokens_out;
`ifndef TWIN
    (* hierconn *) wire [24:0] \dut.sent__q ;
    (* hierconn *) wire [204:0] \dut.state1__q ;
    (* hierconn *) wire [29:0] \dut.rate1__q ;
    (* hierconn *) wire \dut.lower__q ;
    (* hierconn *) wire [50:0] \dut.tokens2__q ;
    (* hierconn *) wire [47:0] \dut.elapsed2__q ;
    (* hierconn *) wire [29:0] \dut.rate2__q ;
    (* hierconn *) wire [23:0] \dut.sent_low2__q ;
    (* hierconn *) wire [14:0] \dut.sent_high2__q ;
    (* hierconn *) wire [14:0] \dut.sent_high3__q ;
    (* hierconn *) wire [5:0] \dut.flags2__q ;
    (* hierconn *) wire [19:0] \dut.cap2__q ;
    (* hierconn *) wire [51:0] \dut.tokens3__q ;
    (* hierconn *) wire [27:0] \dut.elapsed3__q ;
    (* hierconn *) wire [29:0] \dut.rate3__q ;
    (* hierconn *) wire [26:0] \dut.cap3__q ;
    (* hierconn *) wire [28:0] \dut.low_low__q ;
    (* hierconn *) wire [28:0] \dut.low_high__q ;
    (* hierconn *) wire [28:0] \dut.high_low__q ;
    (* hierconn *) wire [28:0] \dut.high_high__q ;
    (* hierconn *) wire [51:0] \dut.tokens4__q ;
    (* hierconn *) wire [26:0] \dut.cap4__q ;
    (* hierconn *) wire [43:0] \dut.low5__q ;
    (* hierconn *) wire [43:0] \dut.high5__q ;
    (* hierconn *) wire [51:0] \dut.tokens5__q ;
    (* hierconn *) wire [26:0] \dut.cap5__q ;
    (* hierconn *) wire [57:0] \dut.filled6__q ;
    (* hierconn *) wire [51:0] \dut.tokens6__q ;
    (* hierconn *) wire [26:0] \dut.caps.v__0__q ;
    (* hierconn *) wire [53:0] \dut.tokens7__q ;
    (* hierconn *) wire \dut.over7__q ;
    (* hierconn *) wire [26:0] \dut.caps.v__1__q ;
`endif
`ifdef TWIN
    wire [29:0] rate_operand = rate3;
    wire [27:0] time_operand = elapsed3;
`else
    // The same, as is asserted below; a solver sees that two products of the very same operands are one.
    wire [29:0] rate_operand = \dut.rate3__q ;
    wire [27:0] time_operand = \dut.elapsed3__q ;
`endif
    always @(posedge clk) begin
        tokens1 <= tokens;
        time1 <= time_was;
        rate1 <= rate < rate_was ? rate : rate_was;
        sent1 <= bytes - seen;
        awake1 <= awake;
        tokens2 <= tokens1;
        elapsed2 <= now - time1;
        rate2 <= rate1;
        sent_low2 <= sent1[16:0] * 7'd125;
        sent_high2 <= sent1[24:17] * 7'd125;
        sent_high3 <= sent_high2;
        awake2 <= awake1;
        cap2 <= cap;
        tokens3 <= {tokens2[50], tokens2} - {10'b0, sent_low2, 18'b0};
        elapsed3 <= elapsed2 > 48'hfff_ffff ? 28'hfff_ffff : elapsed2;
        rate3 <= rate2;
        low_low <= rate_operand[14:0] * time_operand[13:0];
        low_high <= rate_operand[14:0] * time_operand[27:14];
        high_low <= rate_operand[29:15] * time_operand[13:0];
        high_high <= rate_operand[29:15] * time_operand[27:14];
        low <= {15'b0, low_low} + {high_low, 15'b0};
        high <= {15'b0, low_high} + {high_high, 15'b0};
        filled <= {14'b0, low} + {high, 14'b0};
        tokens4 <= tokens3 - {2'b0, sent_high3, 35'b0};
        tokens5 <= tokens4;
        tokens6 <= tokens5;
        sum7 <= tokens6 + $signed({2'b0, filled});
        over <= |filled[57:52];
        sum8 <= sum7;
        cap3 <= awake2 ? cap2 * 7'd125 : 0;
        cap4 <= cap3;
        cap5 <= cap4;
        cap6 <= cap5;
        cap7 <= cap6;
        cap8 <= cap7;
    end
    always @(*) assume(age < 8 | sum7 >= -60'sd1125899906842624);
    always @(*) if (age == 9) begin
        assert(result <= cap_now);
        assert(result == (sum8 > cap_now ? cap_now : sum8));
    end
`ifndef TWIN
    // The state behind it, which makes the above inductive: stage for stage the same.
    always @(*) begin
        if (age >= 1) begin
            assert(\dut.state1__q [50:0] == tokens1 & \dut.state1__q [98:51] == time1 & \dut.state1__q [202] == awake1);
            assert((\dut.lower__q ? \dut.rate1__q : \dut.state1__q [128:99]) == rate1);
        end
        if (age >= 1) assert(\dut.sent__q == sent1);
        if (age >= 2) assert(\dut.tokens2__q == tokens2 & \dut.elapsed2__q == elapsed2 & \dut.rate2__q == rate2 &
            \dut.sent_low2__q == sent_low2 & \dut.sent_high2__q == sent_high2 & \dut.flags2__q [4] == awake2 & \dut.cap2__q == cap2);
        if (age >= 3) assert(\dut.tokens3__q == tokens3 & \dut.elapsed3__q == elapsed3 & \dut.rate3__q == rate3 & \dut.cap3__q == cap3 &
            \dut.sent_high3__q == sent_high3);
        if (age >= 4) assert(\dut.low_low__q == low_low & \dut.low_high__q == low_high & \dut.high_low__q == high_low &
            \dut.high_high__q == high_high & \dut.tokens4__q == tokens4 & \dut.cap4__q == cap4);
        if (age >= 5) assert(\dut.low5__q == low & \dut.high5__q == high & \dut.tokens5__q == tokens5 & \dut.cap5__q == cap5);
        if (age >= 6) assert(\dut.filled6__q == filled & \dut.tokens6__q == tokens6 & \dut.caps.v__0__q == cap6);
        if (age >= 7) begin
            assert(\dut.caps.v__1__q == cap7 & \dut.over7__q == over & (over | \dut.tokens7__q == sum7[53:0]));
            // The bits that it leaves out: so many tokens that any cap is less, or none.
            if (over) assert(sum7 >= 60'sd2251799813685248);
            else assert(sum7[59:53] == 0 | (&sum7[59:53]));
        end
    end
`endif
endmodule
