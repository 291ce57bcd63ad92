// The park with 4 flows: whoever is parked leaves once, in order, after a pause has ended since, and not before.
// Assumed: no more flows than there are stand in it, which holds while each stands in one place of the pacer.
//
// One flow that comes in, any, is watched. The queue inside is a FIFO of 4 words, proven as `fifo_held`.
module top(input clk, input rst_in, input park_valid, input [1:0] park_flow, input resume, input o_ready, input pick);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire o_valid;
    wire [1:0] o_flow;
    tnic_park dut(.clk(clk), .rst(rst), .park_valid(park_valid), .park_flow(park_flow), .resume(resume), .o_valid(o_valid),
        .o_flow(o_flow), .o_ready(o_ready));

    (* hierconn *) wire [2:0] \dut.fill__q ;
    (* hierconn *) wire [2:0] \dut.left__q ;
    (* hierconn *) wire \dut.queue__i_ready ;
    (* hierconn *) wire [2:0] \dut.queue.fill__q ;
    (* hierconn *) wire [1:0] \dut.queue.read__q ;
    (* hierconn *) wire [1:0] \dut.queue.write__q ;
    (* hierconn *) wire \dut.queue.pending__q ;
    (* hierconn *) wire \dut.queue.out_valid__q ;
    (* hierconn *) wire [1:0] \dut.queue.out__q ;
    (* hierconn *) wire \dut.queue.came__q ;
    (* hierconn *) wire \dut.queue.went__q ;
    (* hierconn *) wire \dut.queue.occupied__q ;
    (* hierconn *) wire [1:0] \dut.queue.ram.read_data ;
    (* hierconn *) wire [7:0] \dut.queue.ram.cells ;

    wire give = o_valid & o_ready;
    reg [3:0] count, ahead;
    reg watching, resumed;
    reg [1:0] flow;
    // Clocks for which one that may leave was not offered.
    reg [1:0] hidden;
    always @(*) assume(count + park_valid <= 4);
    always @(posedge clk) begin
        count <= count + park_valid - give;
        hidden <= (\dut.left__q != 0 & !o_valid) ? hidden + 1 : 0;
        if (resume) resumed <= 1;
        if (watching & give) begin
            if (ahead == 0) watching <= 0;
            else ahead <= ahead - 1;
        end
        if (!watching & park_valid & pick) begin
            watching <= 1;
            flow <= park_flow;
            ahead <= count - give;
            resumed <= 0;
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
        assert(!park_valid | \dut.queue__i_ready );
        if (watching) assert(ahead < count);
        if (watching & o_valid & ahead == 0) assert(o_flow == flow & resumed);
        assert(hidden <= 2);
        // Once resumed it leaves, whatever comes: it is among those that may.
        if (watching & resumed) assert(\dut.left__q > ahead);
    end

`ifndef TWIN
    // The state behind it, which makes the above inductive.
    wire [2:0] fill = \dut.queue.fill__q + \dut.queue.came__q - \dut.queue.went__q ;
    wire pending = \dut.queue.pending__q ;
    wire [1:0] read = \dut.queue.read__q ;
    wire [1:0] unread = \dut.queue.write__q - read;
    wire [1:0] shows = \dut.queue.out_valid__q ;
    wire [1:0] past = shows + pending;
    wire [1:0] slot = read + ahead[1:0] - past;
    reg [1:0] at;
    integer i;
    always @(*) begin
        at = 0;
        for (i = 0; i < 4; i = i + 1) if (slot == i) at = \dut.queue.ram.cells [i*2 +: 2];
    end
    always @(*) if (begun) begin
        assert(count == \dut.fill__q );
        assert(count == fill + shows);
        assert(\dut.queue.fill__q <= 4);
        assert(fill == unread + pending);
        assert(\dut.queue.occupied__q == (count != 0));
        assert(\dut.left__q <= count);
        if (watching & !resumed) assert(\dut.left__q <= ahead);
        assert(hidden != 1 | shows | pending | fill != 0);
        assert(hidden != 2 | shows | pending);
        if (watching & ahead == 0 & shows) assert(\dut.queue.out__q == flow);
        if (watching & ahead == shows & pending) assert(\dut.queue.ram.read_data == flow);
        if (watching & ahead >= past) assert(at == flow);
    end
`endif
endmodule
