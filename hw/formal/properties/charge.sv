// The charge unit with 4 flows: a flow's account is the sum of its charges, whatever the others do and however close they follow.
// Nothing is assumed. One flow, any, is watched.
module top(input clk, input rst_in, input valid, input [1:0] flow, input [15:0] bytes, input ends);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire paid_valid, paid_ends, swept;
    wire [1:0] paid_flow;
    wire [56:0] paid_word;
    wire [7:0] paid_voids;
    tnic_charge dut(.clk(clk), .rst(rst), .charge_valid(valid), .charge_flow(flow), .charge_bytes(bytes), .charge_ends(ends), .paid_valid(paid_valid),
        .paid_flow(paid_flow), .paid_word(paid_word), .paid_voids(paid_voids), .paid_ends(paid_ends), .swept(swept));

    (* anyconst *) wire [1:0] mine;
    // What the charges of the flow sum up to, 4 clocks after each was offered.
    reg [3:0] on;
    reg [15:0] b [0:2];
    reg [3:0] e;
    reg [31:0] sum;
    reg [8:0] packets;
    reg [15:0] last;
    reg [7:0] voids;
    always @(posedge clk) begin
        on <= {on[2:0], valid & swept & flow == mine};
        e <= {e[2:0], ends};
        b[0] <= bytes;
        b[1] <= b[0];
        b[2] <= b[1];
        if (on[2]) begin
            sum <= sum + b[2];
            packets <= packets + 1;
            if (b[2] != 0) last <= b[2];
            else voids <= voids + 1;
        end
        if (rst) begin
            on <= 0;
            sum <= 0;
            packets <= 0;
            last <= 0;
            voids <= 0;
        end
    end
    always @(*) if (begun) begin
        assert((paid_valid & paid_flow == mine) == on[3]);
        if (on[3]) assert(paid_word == {last, packets, sum} & paid_voids == voids & paid_ends == e[3]);
    end

`ifndef TWIN
    // The state behind it, which makes the above inductive.
    (* hierconn *) wire [2:0] \dut.sweep__q ;
    (* hierconn *) wire \dut.valid__0__q ;
    (* hierconn *) wire \dut.valid__1__q ;
    (* hierconn *) wire \dut.valid__2__q ;
    (* hierconn *) wire [259:0] \dut.ram.cells ;
    wire [64:0] cell_mine = mine == 0 ? \dut.ram.cells [64:0] : mine == 1 ? \dut.ram.cells [129:65]
        : mine == 2 ? \dut.ram.cells [194:130] : \dut.ram.cells [259:195];
    always @(*) if (begun) begin
        assert(\dut.sweep__q <= 4);
        assert(swept | !(\dut.valid__0__q | \dut.valid__1__q | \dut.valid__2__q | paid_valid));
        assert(swept | (on == 0 & sum == 0 & packets == 0 & last == 0 & voids == 0));
        if (\dut.sweep__q > mine & !on[3]) assert(cell_mine == {voids, last, packets, sum});
    end
`endif
endmodule
