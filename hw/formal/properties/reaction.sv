// DCQCN's reaction block of 4 flows around its looks: a look takes 16 clocks and then ends, each action is one look's and of its flow, and
// stays until the engine takes it, or until the next one takes its place, which is told, as is a CNP that comes before what its flow is owed; nothing acts before RAM init is over. A look at
// a flow that timed out or lost packets since the last one knows of it.
// A look's arithmetic is proven as `reaction_look`: here it may ask for anything.
module top(input clk, input rst_in, input ack_valid, input [1:0] ack_ecn, input sample_valid, input [1:0] sample_kind, sample_flow, input sample_lost,
    input release_valid, input [31:0] release_bytes, input notice_valid, input [1:0] notice_flow, input notice_marked,
    input [15:0] notice_bytes, input pw_valid, input [3:0] pw_profile, input [4:0] pw_word, input [31:0] pw_data, input fl_valid,
    input [1:0] fl_flow, input [511:0] fl_record, input [63:0] now, input action_ready);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    wire swept, action_valid;
    wire [1:0] action_flow;
    wire [7:0] action;
    wire [31:0] pulses;
    tnic_reaction dut(.clk(clk), .rst(rst), .swept(swept), .ack_valid(ack_valid), .ack_ecn(ack_ecn), .sample_valid(sample_valid),
        .sample_kind(sample_kind), .sample_flow(sample_flow), .sample_lost(sample_lost), .release_valid(release_valid), .release_bytes(release_bytes),
        .notice_valid(notice_valid), .notice_flow(notice_flow), .notice_marked(notice_marked), .notice_bytes(notice_bytes),
        .pw_valid(pw_valid), .pw_profile(pw_profile), .pw_word(pw_word), .pw_data(pw_data), .fl_valid(fl_valid), .fl_flow(fl_flow),
        .fl_record(fl_record), .now(now), .action_valid(action_valid), .action_flow(action_flow), .action(action),
        .action_ready(action_ready), .pulses(pulses));

    (* hierconn *) wire \dut.busy__q ;
    (* hierconn *) wire [3:0] \dut.phase__q ;
    (* hierconn *) wire [1:0] \dut.flow__q ;
    (* hierconn *) wire \dut.counts ;
    (* hierconn *) wire [7:0] \dut.bits ;
    (* hierconn *) wire \dut.crowded__q ;
    (* hierconn *) wire \dut.again__i_ready ;
    (* hierconn *) wire \dut.periods__overtakes_15 ;
    (* hierconn *) wire \dut.enters ;
    (* hierconn *) wire \dut.samples__i_ready ;
    (* hierconn *) wire \dut.load__q ;
    (* hierconn *) wire [1:0] \dut.load_flow__q ;

    // The look under way, by its clocks; a load's clearing of its flow.
    reg [4:0] clocks;
    reg was_valid, acted, replaced, lost, cleared, full;
    reg [1:0] was_flow, look_flow;
    reg [7:0] was_action, look_action;
    wire ends = \dut.busy__q & \dut.phase__q == 15;
    always @(posedge clk) begin
        clocks <= \dut.busy__q & !ends & !rst ? clocks + 1 : 0;
        was_valid <= action_valid & !action_ready & !rst;
        {was_flow, was_action} <= {action_flow, action};
        acted <= \dut.counts & \dut.bits != 0 & !rst;
        {look_flow, look_action} <= {\dut.flow__q , \dut.bits };
        lost <= !rst & ((\dut.enters & !\dut.samples__i_ready ) | (\dut.counts & \dut.bits != 0 & action_valid & !action_ready)
            | (\dut.counts & \dut.periods__overtakes_15 ));
        // A load clears at any clock but a look's last one.
        if (\dut.busy__q & !ends & \dut.load__q & \dut.load_flow__q == \dut.flow__q ) cleared <= 1;
        if (ends | !\dut.busy__q | rst) cleared <= 0;
        // No room to look again when the look began, or since.
        full <= !\dut.again__i_ready | (full & \dut.busy__q & !ends);
    end
    // Flows that timed out: a bit each, which the flow's look reads at its first clock and takes back as it ends.
    (* hierconn *) wire \dut.timed_out_2__q ;
    (* hierconn *) wire \dut.silences__write_enable ;
    (* hierconn *) wire \dut.silences__write_data ;
    (* hierconn *) wire \dut.silences__read_data ;
    (* hierconn *) wire [1:0] \dut.silences__write_address ;
    (* hierconn *) wire [1:0] \dut.silences__read_address ;
    wire times_out = swept & sample_valid & sample_kind == 1;
    reg silent;
    always @(posedge clk) if (\dut.phase__q == 1) silent <= \dut.silences__read_data ;
    always @(*) if (begun) begin
        assert(\dut.silences__read_address == \dut.flow__q );
        if (\dut.phase__q > 1) assert(\dut.timed_out_2__q == silent);
        // A time-out is noted at once, and stays until a look knew of it.
        if (times_out) assert(\dut.silences__write_enable & \dut.silences__write_data & \dut.silences__write_address == sample_flow);
        if (swept & !times_out) begin
            assert(\dut.silences__write_enable == (\dut.counts & silent));
            if (\dut.silences__write_enable ) assert(!\dut.silences__write_data & \dut.silences__write_address == \dut.flow__q );
        end
        if (!swept) assert(\dut.silences__write_enable & !\dut.silences__write_data );
    end
    // Flows that lost packets: likewise.
    (* hierconn *) wire \dut.lost_2__q ;
    (* hierconn *) wire \dut.losses__write_enable ;
    (* hierconn *) wire \dut.losses__write_data ;
    (* hierconn *) wire \dut.losses__read_data ;
    (* hierconn *) wire [1:0] \dut.losses__write_address ;
    (* hierconn *) wire [1:0] \dut.losses__read_address ;
    wire loses = swept & sample_valid & sample_lost;
    reg losing;
    always @(posedge clk) if (\dut.phase__q == 1) losing <= \dut.losses__read_data ;
    always @(*) if (begun) begin
        assert(\dut.losses__read_address == \dut.flow__q );
        if (\dut.phase__q > 1) assert(\dut.lost_2__q == losing);
        if (loses) assert(\dut.losses__write_enable & \dut.losses__write_data & \dut.losses__write_address == sample_flow);
        if (swept & !loses) begin
            assert(\dut.losses__write_enable == (\dut.counts & losing));
            if (\dut.losses__write_enable ) assert(!\dut.losses__write_data & \dut.losses__write_address == \dut.flow__q );
        end
        if (!swept) assert(\dut.losses__write_enable & !\dut.losses__write_data );
    end
    always @(*) if (begun) begin
        // 16 clocks of a look, and no more.
        if (\dut.busy__q ) assert(clocks == \dut.phase__q );
        assert(clocks <= 15);
        // What the arithmetic hears as the look ends.
        if (\dut.busy__q ) assert(\dut.crowded__q == full);
        // A look that ended with something is the only source of an action, at the next clock.
        if (acted) assert(action_valid & action_flow == look_flow & action == look_action);
        else assert(action_valid == was_valid);
        if (was_valid & !acted) assert(action_flow == was_flow & action == was_action);
        if (action_valid) assert(action != 0);
        // What is lost is told, and nothing else.
        assert((pulses != 0) == lost);
        // A look that a load ran into comes to nothing.
        if (cleared & ends) assert(!\dut.counts );
        if (!swept) assert(!action_valid & !\dut.busy__q );
    end
`ifndef TWIN
    (* hierconn *) wire \dut.voided__q ;
    (* hierconn *) wire \dut.ready__q ;
    (* hierconn *) wire \dut.came1__q ;
    (* hierconn *) wire \dut.came2__q ;
    (* hierconn *) wire [6:0] \dut.samples.fill__q ;
    (* hierconn *) wire \dut.samples.pending__q ;
    (* hierconn *) wire \dut.samples.out_valid__q ;
    (* hierconn *) wire [4:0] \dut.again.fill__q ;
    (* hierconn *) wire \dut.again.pending__q ;
    (* hierconn *) wire \dut.again.out_valid__q ;
    always @(*) if (begun) begin
        if (\dut.busy__q & cleared) assert(\dut.voided__q );
        if (!\dut.busy__q ) assert(!cleared & clocks == 0);
        // Nothing came before the end of RAM init.
        if (!swept) assert(!\dut.came1__q & !\dut.came2__q & \dut.samples.fill__q == 0 & !\dut.samples.pending__q
            & !\dut.samples.out_valid__q & \dut.again.fill__q == 0 & !\dut.again.pending__q & !\dut.again.out_valid__q );
    end
`endif
endmodule
