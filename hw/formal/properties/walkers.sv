// The walkers of the wheel with 4 flows: each flow that heads a list read, or that a flow given out links to, is given out once, and no
// other; what is offered holds; with nothing new and the output taken, all are out within 14 clocks.
// Assumed: heads are read when there is room; a flow stands in one place, so it is no head or link while it waits here, and its link is
// not written at the clock at which it is followed; a list has an end: four flows have at most three links.
module top(input clk, input rst_in, input want, input [2:0] node, input link_valid, input [1:0] link_flow, input [2:0] link_node,
    input due_ready);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire room, due_valid;
    wire [1:0] due_flow;
    wire issue = want & room;
    tnic_walkers dut(.clk(clk), .rst(rst), .issue(issue), .node(node), .room(room), .link_valid(link_valid), .link_flow(link_flow),
        .link_node(link_node), .due_valid(due_valid), .due_ready(due_ready), .due_flow(due_flow));

    // Flows that wait here; whether each has a link; the links as written.
    reg [3:0] in, more;
    reg [2:0] link [0:3];
    reg arrives, stalled;
    reg [1:0] shown;
    // Clocks with nothing new, links followed in them.
    reg [4:0] quiet;
    reg [2:0] followed;
    wire [1:0] head = node[2:1];
    wire emit = due_valid & due_ready;
    wire follows = emit & more[due_flow];
    wire [2:0] next = link[due_flow];
    wire [3:0] left = in & ~(emit ? 4'd1 << due_flow : 4'd0);
    always @(*) begin
        if (arrives) assume(!left[head]);
        if (follows) assume(!left[next[2:1]] & !(arrives & head == next[2:1]));
        if (follows) assume(!(link_valid & link_flow == due_flow));
        assume(followed < 3 | !follows);
    end
    always @(posedge clk) begin
        arrives <= issue;
        stalled <= due_valid & !due_ready & !rst;
        shown <= due_flow;
        in <= left | (arrives ? 4'd1 << head : 4'd0) | (follows ? 4'd1 << next[2:1] : 4'd0);
        if (arrives) more[head] <= node[0];
        if (follows) more[next[2:1]] <= next[0];
        if (link_valid) link[link_flow] <= link_node;
        quiet <= (issue | arrives | !due_ready) ? 0 : (quiet == 14 ? 14 : quiet + 1);
        followed <= (issue | arrives | !due_ready) ? 0 : followed + follows;
        if (rst) begin
            arrives <= 0;
            in <= 0;
            quiet <= 0;
            followed <= 0;
        end
    end
    always @(*) if (begun) begin
        assert(!due_valid | in[due_flow]);
        if (stalled) assert(due_valid & due_flow == shown);
        if (quiet == 14) assert(in == 0);
    end
`ifndef TWIN
    // The state behind it, which makes the above inductive: each flow that waits has one position, a list read ahead, a walker that
    // shows it, or a walker to which its node comes. What the link RAM held at the start is what our copy held.
    (* hierconn *) wire [11:0] \dut.link.cells ;
    (* hierconn *) wire [2:0] \dut.link.read_data ;
    (* hierconn *) wire [2:0] \dut.count__q ;
    (* hierconn *) wire [3:0] \dut.read__q ;
    (* hierconn *) wire [3:0] \dut.write__q ;
    (* hierconn *) wire \dut.arrives__q ;
    (* hierconn *) wire \dut.shows__0__q ;
    (* hierconn *) wire \dut.shows__1__q ;
    (* hierconn *) wire \dut.comes__0__q ;
    (* hierconn *) wire \dut.comes__1__q ;
    (* hierconn *) wire [2:0] \dut.current__0 ;
    (* hierconn *) wire [2:0] \dut.current__1 ;
    (* hierconn *) wire [2:0] \dut.lists__0__q ;
    (* hierconn *) wire [2:0] \dut.lists__1__q ;
    (* hierconn *) wire [2:0] \dut.lists__2__q ;
    (* hierconn *) wire [2:0] \dut.lists__3__q ;
    (* hierconn *) wire \dut.held__q ;
    (* hierconn *) wire \dut.last__q ;
    wire [2:0] captured = \dut.count__q - \dut.arrives__q ;
    wire [3:0] r = \dut.read__q ;
    // Lists from the read pointer on.
    wire [7:0] run = (captured == 0 ? 8'h00 : captured == 1 ? 8'h01 : captured == 2 ? 8'h03 : captured == 3 ? 8'h07 : 8'h0f);
    wire [7:0] spread = r[0] ? run : r[1] ? run << 1 : r[2] ? run << 2 : run << 3;
    wire [3:0] lists = spread[3:0] | spread[7:4];
    wire [3:0] after = captured[1:0] == 0 ? r : captured[1:0] == 1 ? {r[2:0], r[3]} : captured[1:0] == 2 ? {r[1:0], r[3:2]} : {r[0], r[3:1]};
    wire comes = \dut.comes__0__q | \dut.comes__1__q ;
    wire [6:0] valid = {comes, \dut.shows__1__q , \dut.shows__0__q , lists};
    wire [20:0] nodes = {\dut.link.read_data , \dut.current__1 , \dut.current__0 , \dut.lists__3__q , \dut.lists__2__q ,
        \dut.lists__1__q , \dut.lists__0__q };
    reg [6:0] at;
    integer g, p;
    wire [2:0] waiting = {2'b0, in[0]} + in[1] + in[2] + in[3];
    always @(*) begin
        if (!begun) assume(\dut.link.cells == {link[3], link[2], link[1], link[0]});
        if (begun) begin
            assert(\dut.link.cells == {link[3], link[2], link[1], link[0]});
            assert(arrives == \dut.arrives__q );
            assert(\dut.count__q <= 4 & \dut.count__q >= \dut.arrives__q );
            assert(r == 1 | r == 2 | r == 4 | r == 8);
            assert(\dut.write__q == after);
            assert(!(\dut.comes__0__q & \dut.comes__1__q ));
            assert(!(\dut.shows__0__q & \dut.comes__0__q ) & !(\dut.shows__1__q & \dut.comes__1__q ));
            assert(!\dut.held__q | (\dut.last__q ? \dut.shows__1__q : \dut.shows__0__q ));
            for (g = 0; g < 4; g = g + 1) begin
                for (p = 0; p < 7; p = p + 1) begin
                    at[p] = valid[p] & nodes[p * 3 + 1 +: 2] == g;
                    if (at[p]) assert(nodes[p * 3] == more[g]);
                end
                assert((at & (at - 7'd1)) == 0);
                assert(in[g] == (at != 0));
            end
            // An output a clock or every second one, while anything waits.
            assert(in == 0 | 2 * (waiting + 3 - followed) + quiet + !due_valid <= 15);
            assert(followed <= 3);
        end
    end
`endif
endmodule
