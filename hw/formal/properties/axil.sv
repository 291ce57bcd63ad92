// AXI-Lite: responses hold until they are taken, each request is answered exactly once, in a bounded time, and what the register
// machine sees of a request does not change until it has answered.
// Assumed: the register machine takes one access at a time and answers it once, after at most LONGEST clocks; the master does what it
// likes, but takes a response in the end where that is waited for.
module top(input clk, input rst_in, input [23:0] awaddr, input awvalid, input [31:0] wdata, input [3:0] wstrb, input wvalid, input bready,
    input [23:0] araddr, input arvalid, input rready, input answer, input error, input [31:0] data);
    localparam LONGEST = 3;
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire awready, wready, bvalid, arready, rvalid, request, request_write, request_whole;
    wire [1:0] bresp, rresp;
    wire [31:0] rdata, request_data;
    wire [23:0] request_address;
    // The register machine.
    reg busy, writes;
    reg [2:0] since;
    wire reply = busy & (answer | since == LONGEST);
    always @(posedge clk) begin
        since <= (busy & !reply) ? since + 1 : 0;
        if (!busy & request) begin
            busy <= 1;
            writes <= request_write;
        end
        if (reply) busy <= 0;
        if (rst) begin
            busy <= 0;
            since <= 0;
        end
    end
    tnic_axil dut(.clk(clk), .rst(rst), .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_wdata(wdata),
        .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_bresp(bresp), .s_axil_bvalid(bvalid),
        .s_axil_bready(bready), .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready), .s_axil_rdata(rdata),
        .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready), .request(request), .request_write(request_write),
        .request_address(request_address), .request_data(request_data), .request_whole(request_whole), .reply(reply), .reply_write(writes),
        .reply_error(error), .reply_data(data));

    // Addresses, words and reads taken and not answered: 0 or 1 of each.
    reg aw, w, ar;
    reg [23:0] aw_was, ar_was;
    reg [31:0] w_was;
    // The last answers.
    reg b_error, r_error;
    reg [31:0] r_data;
    reg b_stalled, r_stalled, was_busy;
    reg [1:0] bresp_was, rresp_was;
    reg [31:0] rdata_was;
    reg [56:0] request_was;
    // Clocks for which a whole write, a read, waited for its response.
    reg [4:0] b_wait, r_wait;
    always @(posedge clk) begin
        if (awvalid & awready) begin
            aw <= 1;
            aw_was <= awaddr;
        end
        if (wvalid & wready) begin
            w <= 1;
            w_was <= wdata;
        end
        if (arvalid & arready) begin
            ar <= 1;
            ar_was <= araddr;
        end
        if (bvalid & bready) begin
            aw <= 0;
            w <= 0;
        end
        if (rvalid & rready) ar <= 0;
        if (reply & writes) b_error <= error;
        if (reply & !writes) begin
            r_error <= error;
            r_data <= data;
        end
        b_stalled <= bvalid & !bready & !rst;
        r_stalled <= rvalid & !rready & !rst;
        bresp_was <= bresp;
        rresp_was <= rresp;
        rdata_was <= rdata;
        was_busy <= busy & !reply & !rst;
        request_was <= {request_write, request_address, request_data};
        b_wait <= (aw & w & !bvalid) ? b_wait + 1 : 0;
        r_wait <= (ar & !rvalid) ? r_wait + 1 : 0;
        if (rst) begin
            aw <= 0;
            w <= 0;
            ar <= 0;
            b_wait <= 0;
            r_wait <= 0;
        end
    end
    always @(*) if (begun) begin
        // Nothing is taken while the one before is not answered; no answer without a request.
        assert(!(aw & awready) & !(w & wready) & !(ar & arready));
        assert(!bvalid | (aw & w));
        assert(!rvalid | ar);
        // Responses hold, and are what the register machine said.
        if (b_stalled) assert(bvalid & bresp == bresp_was);
        if (r_stalled) assert(rvalid & rresp == rresp_was & rdata == rdata_was);
        if (bvalid) assert(bresp == {b_error, 1'b0});
        if (rvalid) assert(rresp == {r_error, 1'b0} & rdata == r_data);
        // What is asked is what was taken, and stays until it is answered.
        if (request & request_write) assert(aw & w & request_address == aw_was & request_data == w_was);
        if (request & !request_write) assert(ar & request_address == ar_was);
        if (was_busy) assert(request);
        if (busy & writes) assert(aw & w & !bvalid);
        if (busy & !writes) assert(ar & !rvalid);
        // A service takes LONGEST + 2 clocks; a request waits for one other at most.
        assert(b_wait <= 2 * LONGEST + 4);
        assert(r_wait <= 2 * LONGEST + 4);
    end

`ifndef TWIN
    // The state behind it, which makes the above inductive.
    (* hierconn *) wire \dut.aw_held__q ;
    (* hierconn *) wire \dut.w_held__q ;
    (* hierconn *) wire \dut.ar_held__q ;
    (* hierconn *) wire [23:0] \dut.aw_address__q ;
    (* hierconn *) wire [31:0] \dut.w_data__q ;
    (* hierconn *) wire [23:0] \dut.ar_address__q ;
    always @(*) if (begun) begin
        assert(since <= LONGEST & (busy | since == 0));
        assert(aw == \dut.aw_held__q & w == \dut.w_held__q & ar == \dut.ar_held__q );
        if (aw) assert(\dut.aw_address__q == aw_was);
        if (w) assert(\dut.w_data__q == w_was);
        if (ar) assert(\dut.ar_address__q == ar_was);
    end
`endif
endmodule
