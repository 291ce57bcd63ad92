// The engine's arbiter: it serves one queue at a time, the first in rank that has something, takes only what is there, and issues an
// operation of a flow only when the last one of that flow was issued at least 24 clocks ago; a request is never held up otherwise.
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

    // What was issued 1 to 23 clocks ago.
    reg [22:0] was, near;
    reg [45:0] f;
    integer i;
    always @(posedge clk) begin
        was <= {was[21:0], issue & !rst};
        f <= {f[43:0], flow};
        if (rst) was <= 0;
    end
    always @(*) for (i = 0; i < 23; i = i + 1) near[i] = was[i] & f[2*i +: 2] == flow;
    always @(*) if (begun) begin
        // One at a time, of those that offer, the first.
        assert((pops & (pops - 4'd1)) == 0);
        assert((pops & ~offers) == 0);
        assert(pops == 0 | (offers & (pops - 4'd1)) == 0);
        // It takes one whenever the issue stage is free.
        assert(pops != 0 | offers == 0 | (\dut.held__q & !issue));
        // Spacing, exactly: what is at the issue stage waits for its own flow and for nothing else.
        assert(issue == (\dut.held__q & near == 0));
    end

`ifndef TWIN
    // The state behind it, which makes the above inductive.
    (* hierconn *) wire \dut.valid__0__q ;
    (* hierconn *) wire [1:0] \dut.flows__0__q ;
    (* hierconn *) wire \dut.valid__1__q ;
    (* hierconn *) wire [1:0] \dut.flows__1__q ;
    (* hierconn *) wire \dut.valid__2__q ;
    (* hierconn *) wire [1:0] \dut.flows__2__q ;
    (* hierconn *) wire \dut.valid__3__q ;
    (* hierconn *) wire [1:0] \dut.flows__3__q ;
    (* hierconn *) wire \dut.valid__4__q ;
    (* hierconn *) wire [1:0] \dut.flows__4__q ;
    (* hierconn *) wire \dut.valid__5__q ;
    (* hierconn *) wire [1:0] \dut.flows__5__q ;
    (* hierconn *) wire \dut.valid__6__q ;
    (* hierconn *) wire [1:0] \dut.flows__6__q ;
    (* hierconn *) wire \dut.valid__7__q ;
    (* hierconn *) wire [1:0] \dut.flows__7__q ;
    (* hierconn *) wire \dut.valid__8__q ;
    (* hierconn *) wire [1:0] \dut.flows__8__q ;
    (* hierconn *) wire \dut.valid__9__q ;
    (* hierconn *) wire [1:0] \dut.flows__9__q ;
    (* hierconn *) wire \dut.valid__10__q ;
    (* hierconn *) wire [1:0] \dut.flows__10__q ;
    (* hierconn *) wire \dut.valid__11__q ;
    (* hierconn *) wire [1:0] \dut.flows__11__q ;
    (* hierconn *) wire \dut.valid__12__q ;
    (* hierconn *) wire [1:0] \dut.flows__12__q ;
    (* hierconn *) wire \dut.valid__13__q ;
    (* hierconn *) wire [1:0] \dut.flows__13__q ;
    (* hierconn *) wire \dut.valid__14__q ;
    (* hierconn *) wire [1:0] \dut.flows__14__q ;
    (* hierconn *) wire \dut.valid__15__q ;
    (* hierconn *) wire [1:0] \dut.flows__15__q ;
    (* hierconn *) wire \dut.valid__16__q ;
    (* hierconn *) wire [1:0] \dut.flows__16__q ;
    (* hierconn *) wire \dut.valid__17__q ;
    (* hierconn *) wire [1:0] \dut.flows__17__q ;
    (* hierconn *) wire \dut.valid__18__q ;
    (* hierconn *) wire [1:0] \dut.flows__18__q ;
    (* hierconn *) wire \dut.valid__19__q ;
    (* hierconn *) wire [1:0] \dut.flows__19__q ;
    (* hierconn *) wire \dut.valid__20__q ;
    (* hierconn *) wire [1:0] \dut.flows__20__q ;
    (* hierconn *) wire \dut.valid__21__q ;
    (* hierconn *) wire [1:0] \dut.flows__21__q ;
    (* hierconn *) wire \dut.block__0__q ;
    (* hierconn *) wire \dut.block__1__q ;
    (* hierconn *) wire \dut.block__2__q ;
    (* hierconn *) wire \dut.block__3__q ;
    (* hierconn *) wire \dut.block__4__q ;
    (* hierconn *) wire \dut.block__5__q ;
    (* hierconn *) wire \dut.block__6__q ;
    (* hierconn *) wire \dut.block__7__q ;
    (* hierconn *) wire \dut.block__8__q ;
    (* hierconn *) wire \dut.block__9__q ;
    (* hierconn *) wire \dut.block__10__q ;
    (* hierconn *) wire \dut.block__11__q ;
    (* hierconn *) wire \dut.block__12__q ;
    (* hierconn *) wire \dut.block__13__q ;
    (* hierconn *) wire \dut.block__14__q ;
    (* hierconn *) wire \dut.block__15__q ;
    (* hierconn *) wire \dut.block__16__q ;
    (* hierconn *) wire \dut.block__17__q ;
    (* hierconn *) wire \dut.block__18__q ;
    (* hierconn *) wire \dut.block__19__q ;
    (* hierconn *) wire \dut.block__20__q ;
    (* hierconn *) wire \dut.block__21__q ;
    (* hierconn *) wire \dut.block__22__q ;
    wire [21:0] valid =
        {\dut.valid__21__q , \dut.valid__20__q , \dut.valid__19__q , \dut.valid__18__q , \dut.valid__17__q ,
        \dut.valid__16__q , \dut.valid__15__q , \dut.valid__14__q , \dut.valid__13__q , \dut.valid__12__q ,
        \dut.valid__11__q , \dut.valid__10__q , \dut.valid__9__q , \dut.valid__8__q , \dut.valid__7__q , \dut.valid__6__q ,
        \dut.valid__5__q , \dut.valid__4__q , \dut.valid__3__q , \dut.valid__2__q , \dut.valid__1__q , \dut.valid__0__q };
    wire [43:0] flows =
        {\dut.flows__21__q , \dut.flows__20__q , \dut.flows__19__q , \dut.flows__18__q , \dut.flows__17__q ,
        \dut.flows__16__q , \dut.flows__15__q , \dut.flows__14__q , \dut.flows__13__q , \dut.flows__12__q ,
        \dut.flows__11__q , \dut.flows__10__q , \dut.flows__9__q , \dut.flows__8__q , \dut.flows__7__q , \dut.flows__6__q ,
        \dut.flows__5__q , \dut.flows__4__q , \dut.flows__3__q , \dut.flows__2__q , \dut.flows__1__q , \dut.flows__0__q };
    wire [22:0] waits =
        {\dut.block__22__q , \dut.block__21__q , \dut.block__20__q , \dut.block__19__q , \dut.block__18__q ,
        \dut.block__17__q , \dut.block__16__q , \dut.block__15__q , \dut.block__14__q , \dut.block__13__q ,
        \dut.block__12__q , \dut.block__11__q , \dut.block__10__q , \dut.block__9__q , \dut.block__8__q , \dut.block__7__q ,
        \dut.block__6__q , \dut.block__5__q , \dut.block__4__q , \dut.block__3__q , \dut.block__2__q , \dut.block__1__q ,
        \dut.block__0__q };
    always @(*) if (begun) begin
        assert(was[21:0] == valid);
        for (i = 0; i < 22; i = i + 1) if (was[i]) assert(f[2*i +: 2] == flows[2*i +: 2]);
        if (\dut.held__q ) assert(waits == near);
    end
`endif
endmodule
