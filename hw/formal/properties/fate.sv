// The fate of a flow at its pass: each flow in the pass has one fate, and no more grants are decided than the gate has places, no more
// requests to sleep made than their queue holds, 64 each.
// Assumed: what is issued comes to its fate once; grants leave and requests are taken that were made; a bucket gives one verdict
// (proven as `bucket`); if a train is too short, so are all shorter ones.
module top(input clk, input rst_in, input want, input left_in, input slept_in, input [7:0] pause, input stop, input comes, input [2:0] pfc,
    input [14:0] verdict, input due, input [4:0] wished);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    // Flows in the pass, grants not left, requests not taken: what was decided a clock ago is told at this one.
    reg [7:0] inside, granted, asked;
    wire ready, grant, sleep, clear, bounded, awake, write, insert, again, soon, park, idle, resume;
    wire [2:0] size;
    wire [5:0] train;
    wire issue = want & ready;
    wire valid = comes & inside != 0;
    wire left = left_in & granted != 0;
    wire slept = slept_in & asked != 0;
    wire [4:0] verdicts = verdict[11:7];
    always @(*) assume(verdicts == 1 | verdicts == 2 | verdicts == 4 | verdicts == 8 | verdicts == 16);
    always @(*) assume((wished & (wished + 5'd1)) == 0 & verdict[5:3] <= 5);
    tnic_fate dut(.clk(clk), .rst(rst), .issue(issue), .left(left), .slept(slept), .pause(pause), .stop(stop), .valid(valid), .pfc(pfc),
        .bucket(verdict), .due(due), .wished(wished), .ready(ready), .grant(grant), .size(size), .train(train), .sleep(sleep), .clear(clear),
        .bounded(bounded), .awake(awake), .write(write), .insert(insert), .again(again), .soon(soon), .park(park), .idle(idle),
        .resume(resume));

    // What is shown now counts as decided.
    wire [7:0] granted_now = granted + (grant ? train : 0);
    wire [7:0] asked_now = asked + sleep;
    reg was_valid, was_clear, was_paused;
    reg [14:0] verdict_was;
    always @(posedge clk) begin
        inside <= inside + issue - valid;
        granted <= granted_now - left;
        asked <= asked_now - slept;
        was_valid <= valid & !rst;
        verdict_was <= verdict;
        if (rst) begin
            inside <= 0;
            granted <= 0;
            asked <= 0;
        end
    end
    (* hierconn *) wire [6:0] \dut.room_swap__q ;
    wire [6:0] in_flight = 7'd64 - (\dut.room_swap__q ^ 7'd64);
    (* hierconn *) wire [6:0] \dut.owed__q ;
    always @(*) if (begun) begin
        // Each has one fate.
        assert({1'b0, sleep} + insert + park == was_valid);
        // A grant is a train of 1 to 32 packets, and only what may send is granted.
        if (grant) assert(was_valid & verdict_was[11] & !park & train != 0 & train <= 32 & train == 6'd1 << size);
        // The places.
        assert(granted_now <= 64 & asked_now <= 64 & inside <= 64);
        assert(granted <= 64 & asked <= 64);
`ifndef TWIN
        // The state behind it, which makes the above inductive.
        assert(in_flight == inside + granted_now & in_flight <= 64);
        assert(\dut.owed__q == inside + asked_now & \dut.owed__q <= 64);
`endif
    end
endmodule
