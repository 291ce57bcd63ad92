// A block's AXI-Stream output: a beat that is offered stays, unchanged, until it is taken; only a frame's last beat is not full, and its
// bytes are the first ones of the beat. Nothing is assumed: inputs do what they like, and so do RAMs, queues and sums inside.
// With TAGGED the tag holds too, and the offers of doorbells. With THROUGH the bit beside the beat holds too, and a beat's bytes are as they come in.
module top(input clk, input rst_in, input ready, input doorbell_ready);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire valid, last;
    wire [63:0] data;
    wire [7:0] keep;
    wire [15:0] tag;
    wire side;
    wire doorbell_valid;
    wire doorbell_flow;
    wire [15:0] doorbell_packets;
    // Inputs that are not named here may do anything.
    `DUT dut(.clk(clk), .rst(rst), .m_tdata(data), .m_tkeep(keep), .m_tvalid(valid), .m_tready(ready), .m_tlast(last)
`ifdef TAGGED
        , .m_tag(tag), .doorbell_valid(doorbell_valid), .doorbell_ready(doorbell_ready), .doorbell_flow(doorbell_flow),
        .doorbell_packets(doorbell_packets)
`endif
`ifdef THROUGH
        , .m_side(side)
`endif
        );
    reg stalled, last_was, side_was, doorbell_stalled;
    reg [63:0] data_was;
    reg [7:0] keep_was;
    reg [15:0] tag_was;
    reg [16:0] doorbell_was;
    always @(posedge clk) begin
        stalled <= valid & !ready & !rst;
        data_was <= data;
        keep_was <= keep;
        last_was <= last;
`ifdef THROUGH
        side_was <= side;
`endif
`ifdef TAGGED
        tag_was <= tag;
        doorbell_stalled <= doorbell_valid & !doorbell_ready & !rst;
        doorbell_was <= {doorbell_flow, doorbell_packets};
`endif
    end
    always @(*) if (begun) begin
        if (stalled) assert(valid & data == data_was & keep == keep_was & last == last_was);
`ifdef THROUGH
        if (stalled) assert(side == side_was);
`else
        if (valid & !last) assert(keep == 8'hff);
        if (valid) assert((keep & (keep + 8'd1)) == 0);
`endif
`ifdef TAGGED
        if (stalled) assert(tag == tag_was);
        if (doorbell_stalled) assert(doorbell_valid & {doorbell_flow, doorbell_packets} == doorbell_was);
`endif
    end
endmodule
