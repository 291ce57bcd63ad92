// The engine's arbiter: it serves one queue at a time, the first in rank that has something, takes only what is there, and issues an
// operation of a flow only when the last one of that flow was issued at least five clocks ago; a request is never held up otherwise.
// The queues may offer anything: they are proven as `queue`.
module top(input clk, input rst_in, input in1, input [1:0] kind1, input [1:0] flow1, input [23:0] rtt, input [31:0] value);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire issue;
    wire [2:0] kind;
    wire [1:0] flow;
    tnic_arbiter dut(.clk(clk), .rst(rst), .issue(issue), .kind(kind), .flow(flow));

    (* hierconn *) wire \dut.loads__o_pop ;
    (* hierconn *) wire \dut.samples__o_pop ;
    (* hierconn *) wire \dut.hosts__o_pop ;
    (* hierconn *) wire \dut.idles__o_pop ;
    (* hierconn *) wire \dut.loads__o_valid ;
    (* hierconn *) wire \dut.samples__o_valid ;
    (* hierconn *) wire \dut.hosts__o_valid ;
    (* hierconn *) wire \dut.idles__o_valid ;
    (* hierconn *) wire \dut.held__q ;
    wire [3:0] pops = {\dut.idles__o_pop , \dut.hosts__o_pop , \dut.samples__o_pop , \dut.loads__o_pop };
    wire [3:0] offers = {\dut.idles__o_valid , \dut.hosts__o_valid , \dut.samples__o_valid , \dut.loads__o_valid };

    // What was issued 1 to 4 clocks ago.
    reg [3:0] was;
    reg [1:0] f [0:3];
    reg popped;
    reg [1:0] waited;
    integer i;
    always @(posedge clk) begin
        was <= {was[2:0], issue & !rst};
        f[0] <= flow;
        f[1] <= f[0];
        f[2] <= f[1];
        f[3] <= f[2];
        if (rst) was <= 0;
    end
    wire near = (was[0] & f[0] == flow) | (was[1] & f[1] == flow) | (was[2] & f[2] == flow) | (was[3] & f[3] == flow);
    always @(*) if (begun) begin
        // One at a time, of those that offer, the first.
        assert((pops & (pops - 4'd1)) == 0);
        assert((pops & ~offers) == 0);
        assert(pops == 0 | (offers & (pops - 4'd1)) == 0);
        // It takes one whenever the issue stage is free.
        assert(pops != 0 | offers == 0 | (\dut.held__q & !issue));
        // Spacing, exactly: what is at the issue stage waits for its own flow and for nothing else.
        assert(issue == (\dut.held__q & !near));
    end

`ifndef TWIN
    // The state behind it, which makes the above inductive.
    (* hierconn *) wire \dut.valid__0__q ;
    (* hierconn *) wire \dut.valid__1__q ;
    (* hierconn *) wire \dut.valid__2__q ;
    (* hierconn *) wire [1:0] \dut.flows__0__q ;
    (* hierconn *) wire [1:0] \dut.flows__1__q ;
    (* hierconn *) wire [1:0] \dut.flows__2__q ;
    (* hierconn *) wire \dut.block__0__q ;
    (* hierconn *) wire \dut.block__1__q ;
    (* hierconn *) wire \dut.block__2__q ;
    (* hierconn *) wire \dut.block__3__q ;
    always @(*) if (begun) begin
        assert(was[2:0] == {\dut.valid__2__q , \dut.valid__1__q , \dut.valid__0__q });
        if (was[0]) assert(f[0] == \dut.flows__0__q );
        if (was[1]) assert(f[1] == \dut.flows__1__q );
        if (was[2]) assert(f[2] == \dut.flows__2__q );
        if (\dut.held__q ) begin
            assert(\dut.block__0__q == (was[0] & f[0] == flow));
            assert(\dut.block__1__q == (was[1] & f[1] == flow));
            assert(\dut.block__2__q == (was[2] & f[2] == flow));
            assert(\dut.block__3__q == (was[3] & f[3] == flow));
        end
    end
`endif
endmodule
