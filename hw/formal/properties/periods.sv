// DCQCN's CNPs, periods and stages: what a look of 16 clocks makes of any word, profile, mark, time and number of bytes.
// A CNP comes at least an interval behind the last one, or at the end of that interval, and nothing that ended before it is owed any more;
// alpha decays behind a first CNP, and a stage ends, only when its period has; each acts once, and a period begins where the last one ended, or at the CNP.
// Behind a time-out nothing is owed, periods begin anew, and a CNP that was due is taken back: one comes for the look's own mark alone.
// Behind a loss nothing is owed but a CNP, and periods begin anew.
// Where no room is to look again a CNP that is due comes first, and that it comes before something is told.
// Assumed: what the look is told stands for as long as it goes on. The profiles' RAM may hold anything.
module top(input clk, input rst_in, input [108:0] word, input [23:0] now, input marked, input [23:0] bytes, input timed_out, input lost, input crowded,
    input [41:0] bus, input [3:0] profile);
    reg begun = 0;
    always @(posedge clk) begun <= 1;
    wire rst = rst_in | !begun;

    // A look begins behind a reset, and then every 16 clocks.
    reg [3:0] phase;
    always @(posedge clk) phase <= rst ? 0 : phase + 1;
    reg [108:0] stood_word;
    reg [23:0] stood_now, stood_bytes;
    reg stood_marked, stood_timed_out, stood_lost;
    always @(posedge clk) {stood_word, stood_now, stood_marked, stood_bytes} <= {word, now, marked, bytes};
    always @(posedge clk) {stood_timed_out, stood_lost} <= {timed_out, lost};
    always @(*) if (begun & phase != 0) assume(now == stood_now & marked == stood_marked & bytes == stood_bytes);
    always @(*) if (begun & phase > 1) assume(word == stood_word);
    always @(*) if (begun & phase > 2) assume(timed_out == stood_timed_out & lost == stood_lost);

    wire [108:0] next;
    wire [7:0] action;
    wire overtakes;
    tnic_periods dut(.clk(clk), .bus(bus), .phase(phase), .profile(profile), .word_1(word), .now(now), .marked(marked), .bytes(bytes),
        .timed_out_2(timed_out), .lost_2(lost), .crowded_15(crowded), .next_15(next),
        .action_15(action), .overtakes_15(overtakes));

    // The profile's words as they were read.
    (* hierconn *) wire [26:0] \dut.profiles__read_data ;
    reg [23:0] interval, alpha_period, stage_period, stage_bytes;
    reg [2:0] fast;
    always @(posedge clk) begin
        if (phase == 3) interval <= \dut.profiles__read_data [23:0];
        if (phase == 5) fast <= \dut.profiles__read_data [26:24];
        if (phase == 7) stage_bytes <= \dut.profiles__read_data [23:0];
        if (phase == 8) stage_period <= \dut.profiles__read_data [23:0];
        if (phase == 12) alpha_period <= \dut.profiles__read_data [23:0];
    end

    wire [23:0] cnp_at, alpha_at, stage_at, cnp_at_next, alpha_at_next, stage_at_next;
    wire [24:0] count, count_next;
    wire [3:0] by_time, by_bytes, by_time_next, by_bytes_next;
    wire another, pending, notified, started, another_next, pending_next, notified_next, started_next;
    assign {another, pending, notified, started, by_bytes, by_time, count, stage_at, alpha_at, cnp_at} = word;
    assign {another_next, pending_next, notified_next, started_next, by_bytes_next, by_time_next, count_next, stage_at_next, alpha_at_next, cnp_at_next} = next;
    wire cnp = action[0], decay = action[1], increase = action[2], hyper = action[3];
    wire [3:0] steps = action[7:4];

    // The time that the look is for: that of a CNP that was to come and has.
    wire [23:0] since = now - cnp_at, until_cnp = cnp_at - now;
    wire within = started & since < interval;
    // Times are modulo: one up to an interval ahead is to come, any other is over.
    wire ahead = until_cnp != 0 & until_cnp <= interval;
    wire due = pending ? !ahead : marked & !within;
    wire anew = timed_out | lost;
    wire [23:0] at = pending & due & !anew ? cnp_at : now;
    wire [23:0] of_alpha = at - alpha_at, of_stage = at - stage_at;
    wire [24:0] sum = count + bytes;
    wire runs = started & !anew;
    wire tick = runs & of_stage >= stage_period;
    wire tock = runs & !tick & sum >= stage_bytes;
    wire again = (another & !timed_out) | (marked & pending & due);
    // A CNP that was due at a time-out counts as come, without an action.
    wire back = timed_out & pending & due;
    wire [3:0] low = by_time_next < by_bytes_next ? by_time_next : by_bytes_next;
    wire [3:0] high = by_time_next < by_bytes_next ? by_bytes_next : by_time_next;
    wire decays = runs & notified & of_alpha >= alpha_period;
    wire ends = tick | tock;
    // No room to look again: the CNP does not wait for what is owed.
    wire first = due & crowded;
    always @(*) if (begun & phase == 15) begin
        // Each action has its cause.
        assert(cnp == (due & !back & !decay & !increase));
        assert(overtakes == (first & (decays | ends)));
        if (timed_out) assert(!decay & !increase & cnp == (marked & !pending & !within));
        else if (lost) assert(!decay & !increase & cnp == due);
        if (cnp & !pending) assert(marked & (!started | since >= interval));
        if (cnp & pending) assert(!ahead);
        assert(decay == (decays & !first));
        assert(increase == (ends & !first));
        if (!increase) assert(!hyper & steps == 0);
        // What is due stays until it was the first of what is owed; a mark in the interval counts at its end.
        assert(started_next);
        // Alpha decays from the first CNP on.
        assert(notified_next == ((started & notified) | cnp | back));
        if (due & !cnp & !back) assert(pending_next & cnp_at_next == (pending ? cnp_at : now));
        if (pending & !due) assert(pending_next & cnp_at_next == cnp_at);
        if (marked & !pending & within) assert(pending_next & !cnp & cnp_at_next == cnp_at + interval);
        if (!marked & !pending) assert(!pending_next & cnp_at_next == cnp_at);
        if (cnp | back) assert(pending_next == again & !another_next);
        if ((cnp | back) & again) assert(cnp_at_next == (within ? cnp_at + interval : now));
        if (cnp & !again) assert(cnp_at_next == (pending ? cnp_at : now));
        if (back & !again) assert(cnp_at_next == cnp_at);
        if (!cnp & !back) assert(another_next == again);
        // Periods follow one another, and begin anew at a CNP.
        if (cnp | !runs) assert(alpha_at_next == at & stage_at_next == at & count_next == 0 & by_time_next == 0 & by_bytes_next == 0);
        else begin
            assert(alpha_at_next == (decay ? alpha_at + alpha_period : alpha_at));
            assert(stage_at_next == (tick ? stage_at + stage_period : stage_at));
            assert(count_next == (tock ? sum - stage_bytes : sum));
            assert(by_time_next == (tick & by_time != 15 ? by_time + 4'd1 : by_time));
            assert(by_bytes_next == (tock & by_bytes != 15 ? by_bytes + 4'd1 : by_bytes));
            if (increase) assert(hyper == (low > fast) & steps == (low > fast ? low - fast : high > fast));
        end
    end
endmodule
