// DMA's AXI4 reads on a bus of 64 bits: an address holds until it is taken; each burst that is asked for is asked of the memory once, 64
// bytes behind the one before; of eight beats one record is made, which stays until it is used, and while it does no beat is taken; at
// most 4 bursts are in flight.
// Assumed: a burst is asked for while one may be, a base is set while nothing is in flight, a record is used when there is one. The
// memory does what it likes, beats that nobody asked for included.
module top(input clk, input rst_in, input set_base, input [63:0] base, input want, input use_in, input arready, input [63:0] rdata,
    input [1:0] rresp, input rlast, input rvalid);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire free, idle, full, failed, arvalid, rready;
    wire [511:0] record;
    wire [63:0] araddr;
    wire ask = want & free;
    wire used = use_in & full;
    always @(*) assume(!set_base | (idle & !want));
    tnic_reader dut(.clk(clk), .rst(rst), .set_base(set_base), .base(base), .ask(ask), .free(free), .idle(idle), .full(full),
        .failed(failed), .record(record), .used(used), .m_axi_araddr(araddr), .m_axi_arvalid(arvalid), .m_axi_arready(arready),
        .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast), .m_axi_rvalid(rvalid), .m_axi_rready(rready));

    // Bursts asked for and not taken by the memory, not whole; the record that comes together.
    reg due;
    reg [2:0] pending;
    reg [3:0] beats;
    reg [511:0] text;
    reg bad;
    wire taken = rvalid & rready & pending != 0;
    wire whole = taken & beats == 7;
    // Where the next burst is, once a base was set.
    reg known = 0;
    reg [57:0] place;
    reg ar_stalled;
    reg [63:0] ar_was;
    reg kept;
    reg [511:0] record_was;
    always @(posedge clk) begin
        if (arvalid & arready) begin
            due <= 0;
            place <= place + 1;
        end
        if (ask) due <= 1;
        if (set_base) begin
            known <= 1;
            place <= base[63:6];
        end
        pending <= pending + ask - whole;
        if (taken) begin
            text <= {rdata, text[511:64]};
            beats <= beats == 7 ? 0 : beats + 1;
            bad <= (beats != 0 & bad) | rresp[1] | (rlast != (beats == 7));
        end
        ar_stalled <= arvalid & !arready & !rst;
        ar_was <= araddr;
        kept <= full & !rst;
        record_was <= record;
        if (rst) begin
            due <= 0;
            pending <= 0;
            beats <= 0;
        end
    end
    reg full_was;
    always @(posedge clk) full_was <= (full & !used | whole) & !rst;
    always @(*) if (begun) begin
        if (ar_stalled) assert(arvalid & araddr == ar_was);
        assert(arvalid == due);
        if (arvalid & known) assert(araddr == {place, 6'b0});
        assert(pending <= 4);
        assert(full == full_was & rready == !full);
        if (full) assert(record == text & failed == bad);
        // It stays, also at the clock after its use.
        if (kept) assert(record == record_was);
    end
    // What stands there before the first beat is no matter.
    reg settled = 0;
    always @(posedge clk) settled <= begun;
    always @(*) if (!settled) assume(record == text);
`ifndef TWIN
    // The state behind it, which makes the above inductive.
    (* hierconn *) wire [2:0] \dut.pending__q ;
    (* hierconn *) wire [2:0] \dut.beat__q ;
    (* hierconn *) wire [31:0] \dut.cursor.high__q ;
    (* hierconn *) wire [25:0] \dut.cursor.low__q ;
    (* hierconn *) wire \dut.cursor.carry__q ;
    always @(*) if (begun) begin
        assert(\dut.pending__q == pending & \dut.beat__q == beats & beats < 8);
        // A carry lasts one clock, and no burst is asked of the memory in it.
        assert(!\dut.cursor.carry__q | !due);
        if (known) assert(place == {\dut.cursor.high__q + \dut.cursor.carry__q , \dut.cursor.low__q });
        assert(!full | beats == 0);
        assert(record == text);
        if (beats != 0 | full) assert(failed == bad);
    end
`endif
endmodule
