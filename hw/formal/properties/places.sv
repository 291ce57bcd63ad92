// The launch gate tells its places right whether the packet that enters goes behind the one that entered at the clock before: as the difference
// of both as they compare there, in 2 ns, says, though it is decided a clock earlier; and no packet that enters is outside of their range. Nothing is assumed, of the time neither.
module top(input clk, input rst_in, input [63:0] now, input train_valid, input [1:0] train_flow, input [5:0] train_packets,
    input [63:0] train_launch, input [31:0] train_gap, input grant_ready);
    reg begun = 0;
    wire rst = rst_in | !begun;
    tnic_gate dut(.clk(clk), .rst(rst), .now(now), .train_valid(train_valid), .train_flow(train_flow), .train_packets(train_packets),
        .train_launch(train_launch), .train_gap(train_gap), .grant_ready(grant_ready));

    (* hierconn *) wire \dut.places.enter ;
    (* hierconn *) wire \dut.places.near ;
    (* hierconn *) wire \dut.places.stays ;
    (* hierconn *) wire \dut.places.holds ;
    (* hierconn *) wire [21:0] \dut.places.low ;
    reg entered;
    reg [10:0] key_was;
    wire [10:0] behind = \dut.places.low [19:9] - key_was;
    always @(posedge clk) begin
        begun <= 1;
        entered <= \dut.places.enter & !rst;
        key_was <= \dut.places.low [19:9];
    end
    always @(*) if (begun & \dut.places.enter ) begin
        assert((\dut.places.near ? \dut.places.stays : \dut.places.holds ) == (entered & !behind[10]));
    end

`ifndef TWIN
    (* hierconn *) wire [55:0] \dut.launch__q ;
    (* hierconn *) wire [18:0] \dut.ahead__q ;
    (* hierconn *) wire [33:0] \dut.seen__q ;
    (* hierconn *) wire [6:0] \dut.floor__q ;
    (* hierconn *) wire [5:0] \dut.left__q ;
    (* hierconn *) wire \dut.single__q ;
    (* hierconn *) wire \dut.train__q ;
    always @(*) if (begun) begin
        assert(\dut.ahead__q == \dut.launch__q [33:15] - \dut.seen__q [33:15]);
        assert(\dut.floor__q == \dut.seen__q [21:15] - 7'd2);
        assert(!\dut.train__q | \dut.single__q == (\dut.left__q == 1));
    end
    // What `sorter` assumes besides: from 3 * 2^15 units before to 2^18 behind the time of the last clock.
    wire [21:0] from = \dut.places.low - \dut.seen__q [21:0] + 22'h1_8000;
    always @(*) if (begun & \dut.places.enter ) assert(from < 22'h5_8000);
`endif
endmodule
