// The launch gate's places, two of them here: grants leave in the order of their launches, to 2 ns, and each once; the head is offered
// only when its launch was here, or when all are due by a step of the time or by a head that stood due for 4 us, at which time they are.
// Assumed: the time goes forward by less than 2^15 units of 2^-8 ns a clock, or `stepped` says otherwise a clock later, and no reset comes
// between; a grant enters while it may, with a launch of 3 * 2^15 units before to 2^18 behind the time of the last clock, and is told right
// whether it goes behind the one that entered just before (`places` proves both of the gate); the head leaves only when it is offered.
module top(input clk, input rst_in, input [14:0] passes, input jump, input [21:0] to, input want, input [21:0] launch,
    input [6:0] floor, input near, input stays, input holds, input pop_in, input pick);
    reg begun = 0;
    always @(posedge clk) begin
        begun <= 1;
        rst_was <= rst;
    end
    reg rst_was;
    wire rst = rst_in | !begun;

    reg [21:0] now, seen;
    reg jumped, stepped;
    wire due, entered, shut;
    wire [1:0] head, handle;
    // Handles outside of the places.
    reg [1:0] out_0, out_1;
    wire enter = want & !shut & !rst;
    wire pop = pop_in & due;
    wire [21:0] low = near ? launch : {floor, 15'd0};
    wire [1:0] freed = pick ? out_1 : out_0;
    tnic_sorter dut(.clk(clk), .rst(rst), .now(now), .stepped(stepped), .enter(enter), .launch(launch),
        .floor(floor), .near(near), .stays(stays), .holds(holds), .pop(pop), .freed(freed), .due(due),
        .head(head), .entered(entered), .handle(handle), .shut(shut));
    wire [21:0] x_from = low - seen + 22'h1_8000;
    always @(*) assume(!enter | x_from < 22'h5_8000);

    reg [21:0] low_was;
    wire [10:0] behind = low[19:9] - low_was[19:9];
    always @(*) assume(!enter | (near ? stays : holds) == (entered & !behind[10]));

    // Grants that entered and did not leave, by their handles.
    reg [3:0] inside;
    // Their launches.
    reg [87:0] lows;
    reg all_due_was, stepped_was;
    (* hierconn *) wire \dut.all_due__q ;
    always @(posedge clk) begin
        now <= jump ? to : now + passes;
        seen <= now;
        low_was <= low;
        jumped <= jump;
        stepped <= jumped & !rst;
        all_due_was <= \dut.all_due__q ;
        stepped_was <= stepped;
        if (pop) begin
            if (pick) out_1 <= head;
            else out_0 <= head;
            inside[head] <= 0;
        end
        if (entered) begin
            inside[handle] <= 1;
            lows[22 * handle +: 22] <= low_was;
        end
        if (rst) begin
            out_0 <= 2;
            out_1 <= 3;
            inside <= 0;
        end
    end

    (* hierconn *) wire \dut.valids__0__q ;
    (* hierconn *) wire \dut.valids__1__q ;
    (* hierconn *) wire [1:0] \dut.swaps__0__q ;
    (* hierconn *) wire [1:0] \dut.swaps__1__q ;
    (* hierconn *) wire [10:0] \dut.rests__0__q ;
    (* hierconn *) wire [10:0] \dut.rests__1__q ;
    wire v_0 = \dut.valids__0__q , v_1 = \dut.valids__1__q ;
    wire [1:0] h_0 = \dut.swaps__0__q , h_1 = \dut.swaps__1__q ^ 2'd1;
    function [21:0] at(input [87:0] all, input [1:0] h);
        at = h == 0 ? all[21:0] : h == 1 ? all[43:22] : h == 2 ? all[65:44] : all[87:66];
    endfunction
    wire [21:0] low_0 = at(lows, h_0), low_1 = at(lows, h_1);
    wire [12:0] apart = low_1[21:9] - low_0[21:9];
    wire [21:0] since_0 = seen - low_0, since_1 = seen - low_1;
    always @(*) if (begun) begin
        // What is offered was there: one that entered, did not leave yet, and is the first of them.
        assert(!due | inside[head]);
        assert(inside == ((v_0 << h_0) | (v_1 << h_1)));
        assert(!v_1 | v_0);
        assert(!v_1 | !apart[12]);
        // No two have a handle.
        assert(h_0 != h_1 & h_0 != out_0 & h_0 != out_1 & h_1 != out_0 & h_1 != out_1 & out_0 != out_1);
        assert(!entered | !inside[handle] | (pop & handle == head));
        // On time.
        assert(!due | \dut.all_due__q | !since_0[21]);
        if (\dut.all_due__q & !all_due_was & !stepped_was & !stepped) begin
            assert(!v_0 | !since_0[21]);
            assert(!v_1 | !since_1[21]);
        end
    end

`ifndef TWIN
    (* hierconn *) wire [10:0] \dut.keys__0__q ;
    (* hierconn *) wire [10:0] \dut.keys__1__q ;
    (* hierconn *) wire \dut.precedes__0__q ;
    (* hierconn *) wire \dut.precedes__1__q ;
    (* hierconn *) wire \dut.enters__q ;
    (* hierconn *) wire [21:0] \dut.x_low__q ;
    (* hierconn *) wire \dut.late__q ;
    (* hierconn *) wire \dut.full__q ;
    wire calm = !stepped & !\dut.all_due__q ;
    wire [21:0] x_since = seen - \dut.x_low__q ;
    wire signed [12:0] x_behind_0 = \dut.x_low__q [21:9] - low_0[21:9], x_behind_1 = \dut.x_low__q [21:9] - low_1[21:9];
    // Signed: due for so long. A head may be due for a little longer than the one before it: they are ordered to 2 ns.
    wire signed [21:0] lag_0 = since_0, lag_1 = since_1, x_lag = x_since;
    wire [21:0] passed = now - seen;
    always @(*) if (begun) begin
        assert(jumped | passed < 22'h8000);
        assert(!due | v_0);
        assert(\dut.full__q == (v_1 | (v_0 & \dut.enters__q )));
        if (v_0) begin
            assert(\dut.keys__0__q == low_0[19:9]);
            assert(\dut.rests__0__q == {low_0[21:20], low_0[8:0]});
        end
        if (v_1) begin
            assert(\dut.keys__1__q == low_1[19:9]);
            assert(\dut.rests__1__q == {low_1[21:20], low_1[8:0]});
            assert(apart <= 899);
        end
        if (calm) begin
            assert(!v_0 | (lag_0 >= -22'sd262144 & lag_0 < 22'sd1049088));
            assert(!v_1 | (lag_1 >= -22'sd262144 & lag_1 < 22'sd1049600));
            assert(!v_0 | \dut.late__q | lag_0 <= 22'sd197120);
            assert(!v_0 | !\dut.enters__q | lag_0 <= 22'sd229888);
            assert(!\dut.enters__q | (x_lag >= -22'sd262144 & x_lag <= 22'sd163840));
        end
        if (\dut.enters__q & v_0) begin
            assert(x_behind_0 >= -13'sd840 & x_behind_0 <= 13'sd899);
            assert(\dut.precedes__0__q == (x_behind_0 >= 0));
        end
        if (\dut.enters__q & v_1) begin
            assert(x_behind_1 >= -13'sd840 & x_behind_1 <= 13'sd899);
            assert(\dut.precedes__1__q == (x_behind_1 >= 0));
        end
        if (\dut.enters__q ) begin
            assert(low_was == \dut.x_low__q );
            assert(v_0 | !\dut.precedes__0__q );
            assert(v_1 | !\dut.precedes__1__q );
            // There is a place for it.
            assert(!v_1);
        end
    end
`endif
endmodule
