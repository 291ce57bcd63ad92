// READY with 4 flows: each flow that comes in, by either input, comes out once, in order, `due` before `act` of the same clock.
// Assumed: no more flows than there are stand in it, which holds while each stands in one place of the pacer.
//
// One flow that comes in, any, is watched: it must leave when as many have left as were ahead of it.
module top(input clk, input rst_in, input due_valid, input [1:0] due_flow, input act_valid, input [1:0] act_flow, input o_ready,
    input pick_due, input pick_act);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire o_valid;
    wire [1:0] o_flow;
    tnic_ready dut(.clk(clk), .rst(rst), .due_valid(due_valid), .due_flow(due_flow), .act_valid(act_valid), .act_flow(act_flow),
        .o_valid(o_valid), .o_flow(o_flow), .o_ready(o_ready));

    (* hierconn *) wire [1:0] \dut.read__q ;
    (* hierconn *) wire [1:0] \dut.write__q ;
    (* hierconn *) wire \dut.pending__q ;
    (* hierconn *) wire \dut.pending_odd__q ;
    (* hierconn *) wire [1:0] \dut.even.read_data ;
    (* hierconn *) wire [1:0] \dut.odd.read_data ;
    (* hierconn *) wire [3:0] \dut.even.cells ;
    (* hierconn *) wire [3:0] \dut.odd.cells ;

    wire give = o_valid & o_ready;
    reg [3:0] count, ahead;
    reg watching, stalled;
    reg [1:0] flow, shown;
    reg [1:0] hidden;
    always @(*) assume(count + due_valid + act_valid <= 4);
    always @(posedge clk) begin
        count <= count + due_valid + act_valid - give;
        stalled <= o_valid & !o_ready & !rst;
        shown <= o_flow;
        hidden <= (count != 0 & !o_valid) ? hidden + 1 : 0;
        if (watching & give) begin
            if (ahead == 0) watching <= 0;
            else ahead <= ahead - 1;
        end
        if (!watching & due_valid & pick_due) begin
            watching <= 1;
            flow <= due_flow;
            ahead <= count - give;
        end else if (!watching & act_valid & pick_act) begin
            watching <= 1;
            flow <= act_flow;
            ahead <= count + due_valid - give;
        end
        if (rst) begin
            count <= 0;
            watching <= 0;
            hidden <= 0;
        end
    end
    always @(*) if (begun) begin
        assert(count <= 4);
        assert(!o_valid | count != 0);
        assert(hidden <= 2);
        if (watching) assert(ahead < count);
        if (watching & o_valid & ahead == 0) assert(o_flow == flow);
        if (stalled) assert(o_valid & o_flow == shown);
    end

`ifndef TWIN
    // The state behind it, which makes the above inductive.
    wire [1:0] read = \dut.read__q ;
    wire [1:0] unread = \dut.write__q - read;
    wire [1:0] shows = o_valid;
    wire [1:0] reads = shows + \dut.pending__q ;
    wire [1:0] slot = read + ahead[1:0] - reads;
    wire [1:0] delivered = \dut.pending_odd__q ? \dut.odd.read_data : \dut.even.read_data ;
    wire [3:0] bank = slot[0] ? \dut.odd.cells : \dut.even.cells ;
    wire [1:0] at = slot[1] ? bank[3:2] : bank[1:0];
    always @(*) if (begun) begin
        // Never a whole round behind.
        assert(count == unread + reads);
        assert(hidden == 0 | o_valid | count == 0 | \dut.pending__q );
        assert(hidden != 2 | o_valid | count == 0);
        if (watching & ahead >= shows & ahead < reads) assert(delivered == flow);
        if (watching & ahead >= reads) assert(at == flow);
    end
`endif
endmodule
