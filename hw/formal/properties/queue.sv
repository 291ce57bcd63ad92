// The engine's queue of 4 flows: a word is lost only when it is full; then the newest takes the place of the youngest, and that is told;
// all others leave in order, unchanged, once. Places say where words stand: no two that wait have one. Assumed: who takes a word looks
// whether there is one.
//
// One place, any, is watched: its word must leave when as many words have left as were ahead of it.
module top(input clk, input rst_in, input i_valid, input [1:0] i_flow, input o_next, input o_free, input pick);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire o_valid, dropped;
    wire [1:0] o_flow, i_place, o_place;
    tnic_queue dut(.clk(clk), .rst(rst), .i_valid(i_valid), .i_flow(i_flow), .i_place(i_place), .o_valid(o_valid), .o_flow(o_flow),
        .o_place(o_place), .o_next(o_next), .o_free(o_free), .dropped(dropped));
    wire o_pop = o_next & o_free;
    always @(*) assume(!o_next | o_valid);

    (* hierconn *) wire \dut.lost__d ;
    (* hierconn *) wire \dut.any__q ;
    (* hierconn *) wire [1:0] \dut.read__q ;
    (* hierconn *) wire \dut.full__q ;
    (* hierconn *) wire [1:0] \dut.place__q ;
    (* hierconn *) wire [1:0] \dut.youngest__q ;
    (* hierconn *) wire [7:0] \dut.ram.cells ;

    // `dropped` tells a clock later.
    wire lost = \dut.lost__d ;
    wire take = i_valid & !lost;
    reg [2:0] count, ahead;
    reg watching, was_lost, stalled;
    reg [1:0] word, place, shown, stood;
    always @(posedge clk) begin
        count <= count + take - o_pop;
        was_lost <= lost & !rst;
        stalled <= o_valid & !o_pop & !rst;
        shown <= o_flow;
        stood <= o_place;
        if (watching & o_pop) begin
            if (ahead == 0) watching <= 0;
            else ahead <= ahead - 1;
        end
        if (watching & lost & ahead == count - 1) word <= i_flow;
        if (!watching & take & pick) begin
            watching <= 1;
            word <= i_flow;
            place <= i_place;
            ahead <= count - o_pop;
        end
        if (rst) begin
            count <= 0;
            watching <= 0;
        end
    end
    always @(*) if (begun) begin
        assert(count <= 4);
        assert(lost == (i_valid & count == 4 & !rst));
        assert(dropped == was_lost);
        assert(o_valid == (count != 0));
        if (watching) assert(ahead < count);
        if (watching & o_valid & ahead == 0) assert(o_flow == word & o_place == place);
        // What comes goes to the watched word's place when it takes it, and only then.
        if (watching & i_valid & !rst) assert((i_place == place) == (lost & ahead == count - 1));
        if (stalled) assert(o_valid & o_flow == shown & o_place == stood);
    end

`ifndef TWIN
    // The state behind it, which makes the above inductive.
    wire [1:0] slot = \dut.read__q + ahead[1:0];
    reg [1:0] at;
    integer i;
    always @(*) begin
        at = 0;
        for (i = 0; i < 4; i = i + 1) if (slot == i) at = \dut.ram.cells [i*2 +: 2];
    end
    wire [1:0] last = \dut.read__q + count[1:0] - 2'd1;
    always @(*) if (begun) begin
        assert(\dut.any__q == (count != 0));
        assert(\dut.full__q == (count == 4));
        assert(\dut.place__q == (count == 4 ? last : last + 2'd1));
        if (count != 0) assert(\dut.youngest__q == last);
        if (watching) assert(at == word & slot == place);
    end
`endif
endmodule
