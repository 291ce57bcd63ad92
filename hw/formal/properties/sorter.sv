// The gate's 64 places: the head is offered only if its launch was here at the clock before, or if it was marked as long past.
// Assumed: the time goes forward by less than 2^20 units of 2^-8 ns a clock and is not stepped; a grant enters while a place is free,
// with a launch within 2^26 units of now; the head leaves when it is offered.
module top(input clk, input rst_in, input [19:0] passes, input want, input [29:0] x_key, input [1:0] x_flow, input pop_in);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    reg [29:0] now, now_was;
    reg x_valid;
    wire due, full;
    wire [29:0] key;
    wire [1:0] flow;
    wire pop = pop_in & due;
    tnic_sorter dut(.clk(clk), .rst(rst), .now(now), .stepped(1'b0), .x_valid(x_valid), .x_key(x_key), .x_flow(x_flow), .pop(pop),
        .due(due), .key(key), .flow(flow), .full(full));
    wire [29:0] x_from = x_key - now + 30'h400_0000;
    always @(*) assume(!x_valid | x_from < 30'h800_0000);
    always @(posedge clk) begin
        now <= now + passes;
        now_was <= now;
        x_valid <= want & !full & !rst;
    end
    (* hierconn *) wire \dut.valids__0__q ;
    (* hierconn *) wire \dut.olds__0__q ;
    wire [29:0] late = now_was - key;
    always @(*) if (begun) begin
        assert(!due | \dut.valids__0__q );
        assert(!due | \dut.olds__0__q | !late[29]);
    end
endmodule
