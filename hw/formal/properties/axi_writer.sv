// DMA's AXI4 writes on a bus of 64 bits: address and data hold until they are taken; each burst that is started makes one address and
// eight beats of its own, the last one marked; at most 16 wait for a response; each response ends the oldest of them, and no other.
// Assumed: a burst starts while one may. The memory does what it likes, answers that nothing waits for included.
// One burst, any, is watched until its response.
module top(input clk, input rst_in, input want, input of_ring, input [63:0] address, input [511:0] data, input awready, input wready,
    input [1:0] bresp, input bvalid, input pick);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire free, idle, ring_done, snapshot_done, failed, awvalid, wvalid, wlast;
    wire [63:0] awaddr, wdata;
    wire start = want & free;
    tnic_writer dut(.clk(clk), .rst(rst), .start(start), .of_ring(of_ring), .address(address), .data(data), .free(free), .idle(idle),
        .ring_done(ring_done), .snapshot_done(snapshot_done), .failed(failed), .m_axi_awaddr(awaddr), .m_axi_awvalid(awvalid),
        .m_axi_awready(awready), .m_axi_wdata(wdata), .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
        .m_axi_bresp(bresp), .m_axi_bvalid(bvalid));

    // The burst on the channels: what is to come of it.
    reg aw_due;
    reg [3:0] w_due;
    reg [63:0] where;
    reg [511:0] rest;
    // Bursts without a response; the watched one, and how many are ahead of it.
    reg [4:0] waiting, ahead;
    reg watching, ring;
    wire answered = bvalid & waiting != 0;
    // What must be told at this clock.
    reg told, told_watched, told_failed;
    reg aw_stalled, w_stalled;
    reg [63:0] aw_was, w_was;
    reg w_last_was;
    always @(posedge clk) begin
        if (awvalid & awready) aw_due <= 0;
        if (wvalid & wready) begin
            w_due <= w_due - 1;
            rest <= rest >> 64;
        end
        if (start) begin
            aw_due <= 1;
            w_due <= 8;
            where <= address;
            rest <= data;
        end
        waiting <= waiting + start - answered;
        told <= answered;
        told_watched <= answered & watching & ahead == 0;
        told_failed <= answered & bresp[1];
        if (watching & answered) begin
            if (ahead == 0) watching <= 0;
            else ahead <= ahead - 1;
        end
        if (!watching & start & pick) begin
            watching <= 1;
            ring <= of_ring;
            ahead <= waiting - answered;
        end
        aw_stalled <= awvalid & !awready & !rst;
        w_stalled <= wvalid & !wready & !rst;
        aw_was <= awaddr;
        w_was <= wdata;
        w_last_was <= wlast;
        if (rst) begin
            aw_due <= 0;
            w_due <= 0;
            waiting <= 0;
            watching <= 0;
            told <= 0;
            told_watched <= 0;
            told_failed <= 0;
        end
    end
    // `ring` may be that of the next watched burst when the answer is told.
    reg ring_was;
    always @(posedge clk) ring_was <= ring;
    always @(*) if (begun) begin
        if (aw_stalled) assert(awvalid & awaddr == aw_was);
        if (w_stalled) assert(wvalid & wdata == w_was & wlast == w_last_was);
        assert(awvalid == aw_due & (!awvalid | awaddr == where));
        assert(wvalid == (w_due != 0) & (!wvalid | (wdata == rest[63:0] & wlast == (w_due == 1))));
        assert(waiting <= 16);
        assert((ring_done | snapshot_done) == told & !(ring_done & snapshot_done) & failed == told_failed);
        if (told_watched) assert(ring_done == ring_was);
        assert(idle == (!awvalid & !wvalid & waiting == 0 & !told));
    end
`ifndef TWIN
    // The state behind it, which makes the above inductive.
    (* hierconn *) wire [511:0] \dut.w__q ;
    (* hierconn *) wire [2:0] \dut.beat__q ;
    (* hierconn *) wire [4:0] \dut.waiting__q ;
    (* hierconn *) wire [3:0] \dut.put__q ;
    (* hierconn *) wire [3:0] \dut.get__q ;
    (* hierconn *) wire [15:0] \dut.sources__q ;
    wire [3:0] place = \dut.get__q + ahead[3:0];
    wire [15:0] from = \dut.sources__q >> place;
    always @(*) if (begun) begin
        assert(w_due <= 8);
        if (w_due != 0) assert(\dut.w__q == rest & \dut.beat__q == 8 - w_due);
        assert(\dut.waiting__q == waiting);
        assert(\dut.put__q == \dut.get__q + waiting[3:0]);
        if (watching) assert(ahead < waiting & from[0] == ring);
        // A burst is answered late or early, but told once.
        assert(!told_watched | told);
    end
`endif
endmodule
