// The merge of ACKs and data on a bus of 8 bits: no beat is lost, doubled or reordered within its stream, frames are never cut, an ACK
// that is there goes before the next data frame, but with `fair` and after an ACK the data frame, and the output holds until it is taken.
// Assumed: data frames are not tagged as ACKs, and offers hold (AXI-Stream).
//
// Of each stream one accepted beat, any, is watched: it must leave when as many of its stream have left as were ahead of it.
module top(input clk, input rst_in, input [7:0] a_data, input a_keep, input a_valid, input a_last, input [7:0] d_data, input d_keep,
    input d_valid, input d_last, input [15:0] d_tag, input m_ready, input fair, input a_pick, input d_pick);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire a_ready, d_ready, m_valid, m_keep, m_last;
    wire [7:0] m_data;
    wire [15:0] m_tag;
    tnic_txmux dut(.clk(clk), .rst(rst), .fair(fair), .a_tdata(a_data), .a_tkeep(a_keep), .a_tvalid(a_valid), .a_tready(a_ready), .a_tlast(a_last),
        .d_tdata(d_data), .d_tkeep(d_keep), .d_tvalid(d_valid), .d_tready(d_ready), .d_tlast(d_last), .d_tag(d_tag), .m_tdata(m_data),
        .m_tkeep(m_keep), .m_tvalid(m_valid), .m_tready(m_ready), .m_tlast(m_last), .m_tag(m_tag));
    localparam ACK = 16'h7fff;
    always @(*) assume(d_tag != ACK);

    wire m_ack = m_tag == ACK;
    wire a_give = m_valid & m_ready & m_ack;
    wire d_give = m_valid & m_ready & !m_ack;
    wire a_take = a_valid & a_ready;
    wire d_take = d_valid & d_ready;
    reg [1:0] a_count, d_count, a_ahead, d_ahead;
    reg a_watching, d_watching, stalled, inside, inside_ack;
    reg [9:0] a_beat, held;
    reg [25:0] d_beat;
    reg [15:0] held_tag;
    // A beat of an ACK that the multiplexer has, or is offered, while nothing is under way.
    always @(posedge clk) begin
        a_count <= a_count + a_take - a_give;
        d_count <= d_count + d_take - d_give;
        stalled <= m_valid & !m_ready & !rst;
        held <= {m_data, m_keep, m_last};
        held_tag <= m_tag;
        if (m_valid & m_ready) begin
            inside <= !m_last;
            inside_ack <= m_ack;
        end
        if (a_watching & a_give) begin
            if (a_ahead == 0) a_watching <= 0;
            else a_ahead <= a_ahead - 1;
        end
        if (!a_watching & a_take & a_pick) begin
            a_watching <= 1;
            a_beat <= {a_data, a_keep, a_last};
            a_ahead <= a_count - a_give;
        end
        if (d_watching & d_give) begin
            if (d_ahead == 0) d_watching <= 0;
            else d_ahead <= d_ahead - 1;
        end
        if (!d_watching & d_take & d_pick) begin
            d_watching <= 1;
            d_beat <= {d_data, d_keep, d_last, d_tag};
            d_ahead <= d_count - d_give;
        end
        if (rst) begin
            a_count <= 0;
            d_count <= 0;
            a_watching <= 0;
            d_watching <= 0;
            inside <= 0;
        end
    end
    always @(*) if (begun) begin
        if (stalled) assert(m_valid & {m_data, m_keep, m_last} == held & m_tag == held_tag);
        assert(!a_give | a_count != 0);
        assert(!d_give | d_count != 0);
        assert(a_count <= 2 & d_count <= 2);
        if (a_watching) assert(a_ahead < a_count);
        if (d_watching) assert(d_ahead < d_count);
        if (a_watching & m_valid & m_ack & a_ahead == 0) assert({m_data, m_keep, m_last} == a_beat);
        if (d_watching & m_valid & !m_ack & d_ahead == 0) assert({m_data, m_keep, m_last, m_tag} == d_beat);
        // Frames are whole.
        if (inside & m_valid) assert(m_ack == inside_ack);
    end
    // An ACK goes first: after a clock at which a beat of one was there and a frame could begin, no data frame begins.
    (* hierconn *) wire \dut.busy__q ;
    (* hierconn *) wire \dut.acking__q ;
    (* hierconn *) wire \dut.a_held__q ;
    (* hierconn *) wire \dut.d_held__q ;
    (* hierconn *) wire [7:0] \dut.a_data__q ;
    (* hierconn *) wire \dut.a_keep__q ;
    (* hierconn *) wire \dut.a_last__q ;
    (* hierconn *) wire [7:0] \dut.d_data__q ;
    (* hierconn *) wire \dut.d_keep__q ;
    (* hierconn *) wire \dut.d_last__q ;
    (* hierconn *) wire [15:0] \dut.d_tagged__q ;
    // With `fair`, after an ACK, a data frame that was there.
    reg ack_first, data_turn;
    wire free = !rst & !\dut.busy__q & (!m_valid | m_ready);
    wire turn = fair & \dut.acking__q & (d_valid | !d_ready);
    always @(posedge clk) begin
        ack_first <= free & (a_valid | !a_ready) & !turn;
        data_turn <= free & turn;
    end
    always @(*) if (begun & ack_first) assert(m_valid & m_ack);
    always @(*) if (begun & data_turn) assert(m_valid & !m_ack);

`ifndef TWIN
    // The state behind it, which makes the above inductive.
    wire a_shown = m_valid & m_ack;
    wire d_shown = m_valid & !m_ack;
    always @(*) if (begun) begin
        assert(a_ready == !\dut.a_held__q & d_ready == !\dut.d_held__q );
        assert(a_count == a_shown + \dut.a_held__q );
        assert(d_count == d_shown + \dut.d_held__q );
        assert(!\dut.d_held__q | \dut.d_tagged__q != ACK);
        assert(!m_valid | (m_ack == \dut.acking__q & \dut.busy__q == !m_last));
        assert(m_valid | (inside == \dut.busy__q & (!inside | inside_ack == \dut.acking__q )));
        if (a_watching & \dut.a_held__q & a_ahead == a_shown) assert({\dut.a_data__q , \dut.a_keep__q , \dut.a_last__q } == a_beat);
        if (d_watching & \dut.d_held__q & d_ahead == d_shown)
            assert({\dut.d_data__q , \dut.d_keep__q , \dut.d_last__q , \dut.d_tagged__q } == d_beat);
    end
`endif
endmodule
