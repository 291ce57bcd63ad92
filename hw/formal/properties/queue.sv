// The engine's queue of 4 words and two in registers: a word is lost only when the RAM is full; then the newest takes the place of the
// youngest there, and that is told; all others leave in order, unchanged, once. Assumed: who takes a word looks whether there is one.
//
// One place, any, is watched: its word must leave when as many words have left as were ahead of it.
module top(input clk, input rst_in, input i_valid, input [1:0] i_data, input o_pop, input pick);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire o_valid, dropped;
    wire [1:0] o_data;
    tnic_queue dut(.clk(clk), .rst(rst), .i_valid(i_valid), .i_data(i_data), .o_valid(o_valid), .o_data(o_data), .o_pop(o_pop),
        .dropped(dropped));
    always @(*) assume(!o_pop | o_valid);

    (* hierconn *) wire \dut.lost__d ;
    (* hierconn *) wire [2:0] \dut.fill__q ;
    (* hierconn *) wire [1:0] \dut.read__q ;
    (* hierconn *) wire [1:0] \dut.write__q ;
    (* hierconn *) wire \dut.pending__q ;
    (* hierconn *) wire \dut.spill_valid__q ;
    (* hierconn *) wire [1:0] \dut.spill__q ;
    (* hierconn *) wire [1:0] \dut.ram.read_data ;
    (* hierconn *) wire [7:0] \dut.ram.cells ;

    // `dropped` tells a clock later.
    wire lost = \dut.lost__d ;
    wire take = i_valid & !lost;
    reg [3:0] count, ahead;
    reg watching, was_lost, stalled;
    reg [1:0] word, shown;
    always @(posedge clk) begin
        count <= count + take - o_pop;
        was_lost <= lost & !rst;
        stalled <= o_valid & !o_pop & !rst;
        shown <= o_data;
        if (watching & o_pop) begin
            if (ahead == 0) watching <= 0;
            else ahead <= ahead - 1;
        end
        if (watching & lost & ahead == count - 1) word <= i_data;
        if (!watching & take & pick) begin
            watching <= 1;
            word <= i_data;
            ahead <= count - o_pop;
        end
        if (rst) begin
            count <= 0;
            watching <= 0;
        end
    end
    always @(*) if (begun) begin
        assert(count <= 6);
        assert(!lost | (i_valid & count >= 4));
        assert(dropped == was_lost);
        assert(!o_valid | count != 0);
        if (watching) assert(ahead < count);
        if (watching & o_valid & ahead == 0) assert(o_data == word);
        if (stalled) assert(o_valid & o_data == shown);
    end

`ifndef TWIN
    // The state behind it, which makes the above inductive.
    wire [2:0] fill = \dut.fill__q ;
    wire [1:0] read = \dut.read__q ;
    wire [1:0] shows = o_valid;
    wire [1:0] spills = shows + \dut.spill_valid__q ;
    wire [1:0] reads = spills + \dut.pending__q ;
    wire [1:0] slot = read + ahead[1:0] - reads;
    reg [1:0] at;
    integer i;
    always @(*) begin
        at = 0;
        for (i = 0; i < 4; i = i + 1) if (slot == i) at = \dut.ram.cells [i*2 +: 2];
    end
    always @(*) if (begun) begin
        assert(count == fill + reads);
        assert(fill <= 4);
        assert(reads <= 2);
        assert(! \dut.spill_valid__q | o_valid);
        assert(read + fill[1:0] == \dut.write__q );
        if (watching & ahead >= shows & ahead < spills) assert(\dut.spill__q == word);
        if (watching & ahead >= spills & ahead < reads) assert(\dut.ram.read_data == word);
        if (watching & ahead >= reads) assert(at == word);
    end
`endif
endmodule
