// The engine's arbiter: it serves one queue at a time, the first in rank that has something, takes only what is there, and issues an
// operation of a flow only when the last one of that flow was issued at least 24 clocks ago; a request is held up otherwise by a parked
// sample alone, which issues exactly 24 clocks after its flow's last.
// The queues may offer anything: they are proven as `queue`.
module top(input clk, input rst_in, input in1, input [1:0] kind1, input [1:0] flow1, input [23:0] rtt, input [31:0] value, input [1:0] pick);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire issue;
    wire [2:0] kind;
    wire [1:0] flow;
    tnic_arbiter dut(.clk(clk), .rst(rst), .issue(issue), .kind(kind), .flow(flow));

    (* hierconn *) wire \dut.loads__o_next ;
    (* hierconn *) wire \dut.samples__o_next ;
    (* hierconn *) wire \dut.hosts__o_next ;
    (* hierconn *) wire \dut.idles__o_next ;
    (* hierconn *) wire \dut.loads__o_valid ;
    (* hierconn *) wire \dut.samples__o_valid ;
    (* hierconn *) wire \dut.hosts__o_valid ;
    (* hierconn *) wire \dut.idles__o_valid ;
    (* hierconn *) wire \dut.held__q ;
    (* hierconn *) wire \dut.due__q ;
    (* hierconn *) wire [1:0] \dut.due_flow__q ;
    (* hierconn *) wire \dut.due_turn__q ;
    (* hierconn *) wire [1:0] \dut.held_flow__q ;
    (* hierconn *) wire \dut.free ;
    wire [3:0] pops = {4{\dut.free }} & {\dut.idles__o_next , \dut.hosts__o_next , \dut.samples__o_next , \dut.loads__o_next };
    wire [3:0] offers = {\dut.idles__o_valid , \dut.hosts__o_valid , \dut.samples__o_valid , \dut.loads__o_valid };

    // What was issued 1 to 23 clocks ago; a reset does not make it undone.
    reg [22:0] was = 0, near;
    reg [45:0] f;
    integer i;
    always @(posedge clk) begin
        was <= {was[21:0], issue};
        f <= {f[43:0], flow};
    end
    // One flow, any, is watched.
    reg [1:0] one;
    always @(posedge clk) if (!begun) one <= pick;
    always @(*) for (i = 0; i < 23; i = i + 1) near[i] = was[i] & f[2*i +: 2] == one;
    always @(*) if (begun) begin
        // One at a time, of those that offer, the first.
        assert((pops & (pops - 4'd1)) == 0);
        assert((pops & ~offers) == 0);
        assert(pops == 0 | (offers & (pops - 4'd1)) == 0);
        // It takes one whenever the issue stage is free.
        assert(pops != 0 | offers == 0 | (\dut.held__q & (!issue | \dut.due__q )));
        // Spacing, exactly: what is at the issue stage waits for its own flow, or a clock for a parked sample, and for nothing else.
        if (flow == one) assert(issue == (\dut.due__q | (\dut.held__q & near == 0)));
        if (issue & flow == one) assert(near == 0);
    end

    // The state behind it.
    (* hierconn *) wire \dut.same__q ;
    (* hierconn *) wire \dut.open__q ;
    (* hierconn *) wire \dut.sure__q ;
    (* hierconn *) wire \dut.issued.read_data ;
    (* hierconn *) wire \dut.ended.read_data ;
    (* hierconn *) wire [3:0] \dut.issued.cells ;
    (* hierconn *) wire [3:0] \dut.ended.cells ;
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
    (* hierconn *) wire \dut.valid__22__q ;
    (* hierconn *) wire [1:0] \dut.flows__22__q ;
    (* hierconn *) wire \dut.turned__0__q ;
    (* hierconn *) wire \dut.turned__1__q ;
    (* hierconn *) wire \dut.turned__2__q ;
    (* hierconn *) wire \dut.turned__3__q ;
    (* hierconn *) wire \dut.turned__4__q ;
    (* hierconn *) wire \dut.turned__5__q ;
    (* hierconn *) wire \dut.turned__6__q ;
    (* hierconn *) wire \dut.turned__7__q ;
    (* hierconn *) wire \dut.turned__8__q ;
    (* hierconn *) wire \dut.turned__9__q ;
    (* hierconn *) wire \dut.turned__10__q ;
    (* hierconn *) wire \dut.turned__11__q ;
    (* hierconn *) wire \dut.turned__12__q ;
    (* hierconn *) wire \dut.turned__13__q ;
    (* hierconn *) wire \dut.turned__14__q ;
    (* hierconn *) wire \dut.turned__15__q ;
    (* hierconn *) wire \dut.turned__16__q ;
    (* hierconn *) wire \dut.turned__17__q ;
    (* hierconn *) wire \dut.turned__18__q ;
    (* hierconn *) wire \dut.turned__19__q ;
    (* hierconn *) wire \dut.turned__20__q ;
    (* hierconn *) wire \dut.turned__21__q ;
    (* hierconn *) wire \dut.turned__22__q ;
    (* hierconn *) wire \dut.last_turn__q ;
    wire [22:0] valid =
        {\dut.valid__22__q , \dut.valid__21__q , \dut.valid__20__q , \dut.valid__19__q , \dut.valid__18__q ,
        \dut.valid__17__q , \dut.valid__16__q , \dut.valid__15__q , \dut.valid__14__q , \dut.valid__13__q ,
        \dut.valid__12__q , \dut.valid__11__q , \dut.valid__10__q , \dut.valid__9__q , \dut.valid__8__q ,
        \dut.valid__7__q , \dut.valid__6__q , \dut.valid__5__q , \dut.valid__4__q , \dut.valid__3__q , \dut.valid__2__q ,
        \dut.valid__1__q , \dut.valid__0__q };
    wire [45:0] flows =
        {\dut.flows__22__q , \dut.flows__21__q , \dut.flows__20__q , \dut.flows__19__q , \dut.flows__18__q ,
        \dut.flows__17__q , \dut.flows__16__q , \dut.flows__15__q , \dut.flows__14__q , \dut.flows__13__q ,
        \dut.flows__12__q , \dut.flows__11__q , \dut.flows__10__q , \dut.flows__9__q , \dut.flows__8__q ,
        \dut.flows__7__q , \dut.flows__6__q , \dut.flows__5__q , \dut.flows__4__q , \dut.flows__3__q , \dut.flows__2__q ,
        \dut.flows__1__q , \dut.flows__0__q };
    wire [22:0] turned =
        {\dut.turned__22__q , \dut.turned__21__q , \dut.turned__20__q , \dut.turned__19__q , \dut.turned__18__q , \dut.turned__17__q ,
        \dut.turned__16__q , \dut.turned__15__q , \dut.turned__14__q , \dut.turned__13__q , \dut.turned__12__q ,
        \dut.turned__11__q , \dut.turned__10__q , \dut.turned__9__q , \dut.turned__8__q , \dut.turned__7__q ,
        \dut.turned__6__q , \dut.turned__5__q , \dut.turned__4__q , \dut.turned__3__q , \dut.turned__2__q ,
        \dut.turned__1__q , \dut.turned__0__q };
    // As the device is configured, which no reset undoes: nothing was issued.
    always @(*) if (!begun) assume(!\dut.held__q & !\dut.due__q & was == 0 & valid == 0 & \dut.issued.cells == 0 & \dut.ended.cells == 0);
`ifndef TWIN
    // What makes the above inductive: a flow's bits differ from the clock after its issue until 23 clocks after it.
    reg [22:0] mine;
    always @(*) for (i = 0; i < 23; i = i + 1) mine[i] = valid[i] & flows[2*i +: 2] == one;
    always @(*) if (begun) begin
        assert(near == mine);
        assert((mine & (mine - 23'd1)) == 0);
        assert((\dut.issued.cells [one] ^ \dut.ended.cells [one]) == (mine != 0));
        for (i = 0; i < 23; i = i + 1) if (mine[i]) assert(turned[i] == \dut.issued.cells [one]);
        if (!\dut.held__q | \dut.open__q ) assert(\dut.sure__q );
        // A parked sample issues when its flow's bits are equal again.
        if (\dut.due__q & \dut.due_flow__q == one) assert(mine == 0 & \dut.due_turn__q == !\dut.issued.cells [one]);
        if (\dut.due__q & \dut.open__q & \dut.held__q ) assert(\dut.due_flow__q == \dut.held_flow__q );
        if (\dut.held__q & \dut.held_flow__q == one) begin
            assert(\dut.issued.cells [one] == (\dut.same__q ? \dut.last_turn__q : \dut.issued.read_data ));
            assert((!\dut.open__q & (\dut.same__q | \dut.issued.read_data != \dut.ended.read_data )) == (mine != 0));
        end
    end
`endif
endmodule
