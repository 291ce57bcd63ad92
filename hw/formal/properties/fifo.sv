// A FIFO of 2^A words: it neither overflows nor loses, doubles or reorders words, for ever; its occupancy is exact.
//
// One accepted word, any, is watched: it must leave when as many words have left as were ahead of it, unchanged. Since it can be any
// word, all do. Nothing is assumed: words come and go as they like, resets too.
`ifndef A
`define A 2
`define W 2
`endif
module top(input clk, input rst_in, input i_valid, input [`W-1:0] i_data, input o_ready, input pick);
    localparam N = 1 << `A;
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire i_ready, o_valid;
    wire [`W-1:0] o_data;
`ifdef HELD
    wire empty;
`endif
    `DUT dut(
`ifdef HELD
        .empty(empty),
`endif
        .clk(clk), .rst(rst), .i_valid(i_valid), .i_data(i_data), .i_ready(i_ready), .o_valid(o_valid), .o_data(o_data), .o_ready(o_ready));

    wire take = i_valid & i_ready;
    wire give = o_valid & o_ready;

    // What is inside, by what went in and out.
    reg [`A+1:0] count;
    // The watched word, and how many are ahead of it.
    reg watching;
    reg [`W-1:0] word;
    reg [`A+1:0] ahead;
    // Clocks for which something was inside but not shown.
    reg [1:0] hidden;
    // The output a clock ago.
    reg stalled;
    reg [`W-1:0] shown;
    always @(posedge clk) begin
        count <= count + take - give;
        stalled <= o_valid & !o_ready;
        shown <= o_data;
        hidden <= (count != 0 & !o_valid) ? hidden + 1 : 0;
        if (watching & give) begin
            if (ahead == 0) watching <= 0;
            else ahead <= ahead - 1;
        end
        if (!watching & take & pick) begin
            watching <= 1;
            word <= i_data;
            ahead <= count - give;
        end
        if (rst) begin
            count <= 0;
            watching <= 0;
            stalled <= 0;
            hidden <= 0;
        end
    end

    always @(*) if (begun) begin
        // N in the RAM, one at the output; it refuses only when the RAM is full.
        assert(count <= N + 1);
        assert(i_ready | count >= N);
        // Nothing comes out that did not go in, and what is inside shows in 2 clocks.
        assert(!o_valid | count != 0);
        assert(hidden <= 2);
        // The watched word comes in its turn.
        if (watching) assert(ahead < count);
        if (watching & o_valid & ahead == 0) assert(o_data == word);
`ifdef HELD
        assert(empty == (count == 0));
`endif
        // The output holds.
        if (stalled) assert(o_valid & o_data == shown);
    end

`ifndef TWIN
    // The state behind it, which makes the above inductive.
    (* hierconn *) wire [`A:0] \dut.fill__q ;
    (* hierconn *) wire [`A-1:0] \dut.read__q ;
    (* hierconn *) wire [`A-1:0] \dut.write__q ;
    (* hierconn *) wire \dut.pending__q ;
    (* hierconn *) wire [`W-1:0] \dut.ram.read_data ;
    (* hierconn *) wire [`W*N-1:0] \dut.ram.cells ;
`ifdef HELD
    // What is read next is behind what the RAM shows, and the count is late.
    (* hierconn *) wire \dut.came__q ;
    (* hierconn *) wire \dut.went__q ;
    wire [`A:0] fill = \dut.fill__q + \dut.came__q - \dut.went__q ;
    wire [`A-1:0] read = \dut.read__q - \dut.pending__q ;
    wire [`A-1:0] unread = \dut.write__q - \dut.read__q ;
    always @(*) if (begun) begin
        assert(\dut.fill__q <= N);
        assert(fill == unread + \dut.pending__q );
    end
`else
    (* hierconn *) wire [`A-1:0] \dut.second__q ;
    wire [`A:0] fill = \dut.fill__q ;
    wire [`A-1:0] read = \dut.read__q ;
    wire [`A-1:0] second = read + 1;
    always @(*) if (begun) assert(\dut.second__q == (second ^ 1));
`endif
    wire pending = \dut.pending__q ;
    wire [`A-1:0] slot = read + ahead[`A-1:0] - o_valid;
    reg [`W-1:0] at, oldest;
    integer i;
    always @(*) begin
        at = 0;
        oldest = 0;
        for (i = 0; i < N; i = i + 1) begin
            if (slot == i) at = \dut.ram.cells [i*`W +: `W];
            if (read == i) oldest = \dut.ram.cells [i*`W +: `W];
        end
    end
    always @(*) if (begun) begin
        assert(count == fill + o_valid);
        assert(fill <= N);
        assert(read + fill[`A-1:0] == \dut.write__q );
        assert(!pending | fill != 0);
`ifdef HELD
        // The word that the RAM shows may be written over in it.
        if (watching & pending & ahead == o_valid) assert(\dut.ram.read_data == word);
`else
        if (pending) assert(\dut.ram.read_data == oldest);
`endif
        assert(hidden == 0 | o_valid | count == 0 | pending);
        assert(hidden != 2 | o_valid | count == 0);
`ifdef HELD
        if (watching & ahead >= o_valid + pending) assert(at == word);
`else
        if (watching & ahead >= o_valid) assert(at == word);
`endif
    end
`endif
endmodule
