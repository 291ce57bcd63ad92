// The token pass with 4 flows: each flow that it takes from READY comes to exactly one place: parked 16 clocks later, among the requests
// to sleep 17 clocks later, or in the wheel 20 clocks later; and nobody comes there who was not taken.
// Assumed: a bucket gives one verdict (proven as `bucket`). Memory, reciprocal, span, the rings and the queue of requests may do anything; that
// the queue never overflows is proven as `fate`. One flow, any, is watched.
module top(input clk, input rst_in, input q_valid, input [1:0] q_flow, input [7:0] pause, input stop, input [63:0] now, input left,
    input sleep_ready);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire q_ready, insert_valid, park_valid;
    wire [1:0] insert_flow, park_flow;
    tnic_pass dut(.clk(clk), .rst(rst), .q_valid(q_valid), .q_flow(q_flow), .q_ready(q_ready), .pause(pause), .stop(stop), .now(now),
        .left(left), .sleep_ready(sleep_ready), .insert_valid(insert_valid), .insert_flow(insert_flow), .park_valid(park_valid),
        .park_flow(park_flow));
    (* hierconn *) wire \dut.sleeps__i_valid ;
    (* hierconn *) wire [51:0] \dut.sleeps__i_data ;
    (* hierconn *) wire [14:0] \dut.bucket__verdict ;
    wire [4:0] verdicts = \dut.bucket__verdict [11:7];
    always @(*) assume(verdicts == 1 | verdicts == 2 | verdicts == 4 | verdicts == 8 | verdicts == 16);

    (* anyconst *) wire [1:0] mine;
    // It was taken so many clocks ago, parked, put among the requests.
    reg [20:1] taken;
    reg [4:1] parked;
    reg [3:1] asked;
    wire parks = park_valid & park_flow == mine;
    wire asks = \dut.sleeps__i_valid & \dut.sleeps__i_data [51:50] == mine;
    wire inserts = insert_valid & insert_flow == mine;
    always @(posedge clk) begin
        taken <= {taken[19:1], q_valid & q_ready & q_flow == mine};
        parked <= {parked[3:1], parks};
        asked <= {asked[2:1], asks};
        if (rst) begin
            taken <= 0;
            parked <= 0;
            asked <= 0;
        end
    end
    always @(*) if (begun) assert({1'b0, parked[4]} + asked[3] + inserts == taken[20]);
`ifndef TWIN
    // The state behind it, which makes the above inductive.
    (* hierconn *) wire \dut.fate__insert ;
    (* hierconn *) wire \dut.fate__sleep ;
    (* hierconn *) wire \dut.wake.valid1__q ;
    (* hierconn *) wire \dut.wake.valid2__q ;
    (* hierconn *) wire \dut.wake.valid3__q ;
    (* hierconn *) wire \dut.valid__0__q ;
    (* hierconn *) wire [1:0] \dut.flow__0__q ;
    (* hierconn *) wire \dut.valid__1__q ;
    (* hierconn *) wire [1:0] \dut.flow__1__q ;
    (* hierconn *) wire \dut.valid__2__q ;
    (* hierconn *) wire [1:0] \dut.flow__2__q ;
    (* hierconn *) wire \dut.valid__3__q ;
    (* hierconn *) wire [1:0] \dut.flow__3__q ;
    (* hierconn *) wire \dut.valid__4__q ;
    (* hierconn *) wire [1:0] \dut.flow__4__q ;
    (* hierconn *) wire \dut.valid__5__q ;
    (* hierconn *) wire [1:0] \dut.flow__5__q ;
    (* hierconn *) wire \dut.valid__6__q ;
    (* hierconn *) wire [1:0] \dut.flow__6__q ;
    (* hierconn *) wire \dut.valid__7__q ;
    (* hierconn *) wire [1:0] \dut.flow__7__q ;
    (* hierconn *) wire \dut.valid__8__q ;
    (* hierconn *) wire [1:0] \dut.flow__8__q ;
    (* hierconn *) wire \dut.valid__9__q ;
    (* hierconn *) wire [1:0] \dut.flow__9__q ;
    (* hierconn *) wire \dut.valid__10__q ;
    (* hierconn *) wire [1:0] \dut.flow__10__q ;
    (* hierconn *) wire \dut.valid__11__q ;
    (* hierconn *) wire [1:0] \dut.flow__11__q ;
    (* hierconn *) wire \dut.valid__12__q ;
    (* hierconn *) wire [1:0] \dut.flow__12__q ;
    (* hierconn *) wire \dut.valid__13__q ;
    (* hierconn *) wire [1:0] \dut.flow__13__q ;
    (* hierconn *) wire \dut.valid__14__q ;
    (* hierconn *) wire [1:0] \dut.flow__14__q ;
    (* hierconn *) wire \dut.valid__15__q ;
    (* hierconn *) wire [1:0] \dut.flow__15__q ;
    (* hierconn *) wire \dut.valid__16__q ;
    (* hierconn *) wire [1:0] \dut.flow__16__q ;
    (* hierconn *) wire \dut.valid__17__q ;
    (* hierconn *) wire [1:0] \dut.flow__17__q ;
    (* hierconn *) wire \dut.valid__18__q ;
    (* hierconn *) wire [1:0] \dut.flow__18__q ;
    wire [19:1] stages = {\dut.valid__18__q & \dut.flow__18__q == mine,
        \dut.valid__17__q & \dut.flow__17__q == mine,
        \dut.valid__16__q & \dut.flow__16__q == mine,
        \dut.valid__15__q & \dut.flow__15__q == mine,
        \dut.valid__14__q & \dut.flow__14__q == mine,
        \dut.valid__13__q & \dut.flow__13__q == mine,
        \dut.valid__12__q & \dut.flow__12__q == mine,
        \dut.valid__11__q & \dut.flow__11__q == mine,
        \dut.valid__10__q & \dut.flow__10__q == mine,
        \dut.valid__9__q & \dut.flow__9__q == mine,
        \dut.valid__8__q & \dut.flow__8__q == mine,
        \dut.valid__7__q & \dut.flow__7__q == mine,
        \dut.valid__6__q & \dut.flow__6__q == mine,
        \dut.valid__5__q & \dut.flow__5__q == mine,
        \dut.valid__4__q & \dut.flow__4__q == mine,
        \dut.valid__3__q & \dut.flow__3__q == mine,
        \dut.valid__2__q & \dut.flow__2__q == mine,
        \dut.valid__1__q & \dut.flow__1__q == mine,
        \dut.valid__0__q & \dut.flow__0__q == mine};
    always @(*) if (begun) begin
        assert(taken[19:1] == stages);
        assert({1'b0, parks} + (\dut.fate__insert & taken[16]) + (\dut.fate__sleep & taken[16]) == taken[16]);
        assert({1'b0, parked[1]} + (\dut.wake.valid1__q & taken[17]) + asks == taken[17]);
        assert({1'b0, parked[2]} + (\dut.wake.valid2__q & taken[18]) + asked[1] == taken[18]);
        assert({1'b0, parked[3]} + (\dut.wake.valid3__q & taken[19]) + asked[2] == taken[19]);
    end
`endif
endmodule
