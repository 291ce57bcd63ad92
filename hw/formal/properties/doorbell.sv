// The doorbell unit with 4 flows: it activates a flow only if that is nowhere else in the pacer, answers each request to sleep once, and
// puts no flow to sleep that has packets, or a release, which the pass did not know of when it asked.
// Assumed: a flow asks to sleep only if it is active (it is in the pass), and once; requests hold; none come before the RAM is clear.
// The two queues may offer anything once the RAM is clear: they are proven as `fifo`, and nothing goes in before. One flow, any, is
// watched.
module top(input clk, input rst_in, input fl_valid, input [1:0] fl_flow, input fl_enable, input fl_keep, input sleep_valid,
    input [1:0] sleep_flow, input [1:0] sleep_why, input [15:0] sleep_granted, input [31:0] sleep_released, input granted_valid,
    input [1:0] granted_flow, input [15:0] granted_count, input release_valid, input doorbell_valid);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire sleep_ready, doorbell_ready, act_valid, post_valid, refused, swept;
    wire [1:0] act_flow, post_flow;
    wire [48:0] post_word;
    tnic_doorbell dut(.clk(clk), .rst(rst), .fl_valid(fl_valid), .fl_flow(fl_flow), .fl_enable(fl_enable), .fl_keep(fl_keep),
        .release_valid(release_valid), .release_flow(2'b0), .release_bytes(32'b0), .sleep_valid(sleep_valid), .sleep_ready(sleep_ready),
        .sleep_flow(sleep_flow), .sleep_why(sleep_why), .sleep_granted(sleep_granted), .sleep_released(sleep_released),
        .doorbell_valid(doorbell_valid), .doorbell_ready(doorbell_ready), .doorbell_flow(2'b0), .doorbell_packets(16'b0),
        .granted_valid(granted_valid), .granted_flow(granted_flow), .granted_count(granted_count), .act_valid(act_valid),
        .act_flow(act_flow), .post_valid(post_valid), .post_flow(post_flow), .post_word(post_word), .refused(refused), .swept(swept));

    (* anyconst *) wire [1:0] mine;
    wire activated = act_valid & act_flow == mine;
    wire posted = post_valid & post_flow == mine;
    wire asks = sleep_valid & sleep_ready & sleep_flow == mine;
    // The flow is somewhere in the pacer, its request to sleep taken or not.
    reg out;
    // Its request was taken so many clocks ago; the answer comes after 4.
    reg [3:0] asked;
    reg [1:0] why [0:3];
    reg [15:0] granted [0:3];
    reg [31:0] released [0:3];
    // How it fell asleep, and what the pass knew then; a flow that never ran is as one that had nothing to send.
    reg bounded;
    reg [15:0] knew_granted;
    reg [31:0] knew_released;
    integer i;
    wire answer = asked[3];
    (* hierconn *) wire \dut.releases__o_valid ;
    (* hierconn *) wire \dut.doorbells__o_valid ;
    always @(*) assume(!(sleep_valid | \dut.releases__o_valid | \dut.doorbells__o_valid ) | swept);
    always @(*) assume(!(sleep_valid & sleep_flow == mine) | (out & asked == 0));
    always @(posedge clk) begin
        asked <= {asked[2:0], asks};
        why[0] <= sleep_why;
        granted[0] <= sleep_granted;
        released[0] <= sleep_released;
        for (i = 1; i < 4; i = i + 1) begin
            why[i] <= why[i - 1];
            granted[i] <= granted[i - 1];
            released[i] <= released[i - 1];
        end
        if (activated) out <= 1;
        else if (answer) begin
            out <= 0;
            bounded <= why[3] == 1;
            knew_granted <= granted[3];
            knew_released <= released[3];
        end
        if (rst) begin
            out <= 0;
            asked <= 0;
            bounded <= 0;
            knew_granted <= 0;
        end
    end
    // The answer itself: asleep, with what.
    wire falls_asleep = answer & !activated;
    always @(*) if (begun) begin
        assert(!activated | posted);
        // In one place: it is activated when it is nowhere, or as the answer to its request.
        assert(!activated | !out | answer);
        // The answer is there in time.
        assert(!answer | posted);
        // Nobody falls asleep over packets, or a release, that the pass did not see; nor stays asleep when they come.
        if (falls_asleep & why[3] == 0) assert(post_word[15:0] == granted[3] & !post_word[48]);
        if (falls_asleep & why[3] == 1) assert(post_word[47:16] == released[3] & !post_word[48]);
        if (posted & !out & !activated & !bounded) assert(post_word[15:0] == knew_granted & !post_word[48]);
        if (posted & !out & !activated & bounded) assert(post_word[47:16] == knew_released & !post_word[48]);
    end
`ifndef TWIN
    // The state behind it, which makes the above inductive.
    (* hierconn *) wire [2:0] \dut.sweep__q ;
    (* hierconn *) wire \dut.load__q ;
    (* hierconn *) wire \dut.valid__0__q ;
    (* hierconn *) wire \dut.valid__1__q ;
    (* hierconn *) wire \dut.valid__2__q ;
    (* hierconn *) wire [1:0] \dut.flow__0__q ;
    (* hierconn *) wire [1:0] \dut.flow__1__q ;
    (* hierconn *) wire [1:0] \dut.flow__2__q ;
    (* hierconn *) wire [1:0] \dut.kind__0__q ;
    (* hierconn *) wire [1:0] \dut.kind__1__q ;
    (* hierconn *) wire [1:0] \dut.kind__2__q ;
    (* hierconn *) wire [51:0] \dut.result ;
    (* hierconn *) wire [207:0] \dut.ram.cells ;
    wire [51:0] stored = mine == 0 ? \dut.ram.cells [51:0] : mine == 1 ? \dut.ram.cells [103:52]
        : mine == 2 ? \dut.ram.cells [155:104] : \dut.ram.cells [207:156];
    // The flow's word as it stands; bits 50 active, 51 bounded.
    wire [51:0] word = posted ? \dut.result : stored;
    wire out_now = activated | (out & !answer);
    wire bounded_now = answer ? why[3] == 1 : bounded;
    wire [15:0] knew_granted_now = answer ? granted[3] : knew_granted;
    wire [31:0] knew_released_now = answer ? released[3] : knew_released;
    wire [2:0] mine_sleeps = {\dut.valid__2__q & \dut.flow__2__q == mine & \dut.kind__2__q == 2,
        \dut.valid__1__q & \dut.flow__1__q == mine & \dut.kind__1__q == 2, \dut.valid__0__q & \dut.flow__0__q == mine & \dut.kind__0__q == 2};
    always @(*) if (begun) begin
        assert(\dut.sweep__q <= 4);
        assert(swept | !(\dut.valid__0__q | \dut.valid__1__q | \dut.valid__2__q | post_valid | \dut.load__q | act_valid));
        assert(swept | (!out & asked == 0 & !bounded & knew_granted == 0));
        assert(asked == 0 | asked == 1 | asked == 2 | asked == 4 | asked == 8);
        assert(asked == 0 | out);
        assert(asked[2:0] == mine_sleeps);
        if (\dut.sweep__q > mine) begin
            assert(word[50] == out_now);
            if (!out_now) assert(word[51] == bounded_now & !word[48]);
            if (!out_now & !bounded_now) assert(word[15:0] == knew_granted_now);
            if (!out_now & bounded_now) assert(word[47:16] == knew_released_now);
            if (out_now) assert(!word[51]);
        end
    end
`endif
endmodule
