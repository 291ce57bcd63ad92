// Find-first-set over 16 bits: `one` is the lowest bit that counts, alone, or 0 if none does; `index` is the number of a lone bit.
module top(input [15:0] word, input [3:0] below, input all, input [3:0] number, input [3:0] other);
    wire [15:0] one;
    wire [3:0] index;
    wire some;
    wire [15:0] lone = 16'd1 << number;
    tnic_first dut(.word(word), .below(below), .all(all), .one(one), .some(some), .encode(lone), .index(index));
    wire counts = word[number] & (all | number < below);
    wire lower = word[other] & (all | other < below) & (other < number);
    always @(*) begin
        // It is one of those that count, and none below it counts.
        if (one[number]) assert(counts & !lower);
        // There is one if any counts.
        if (counts) assert(one != 0);
        assert(some == (one != 0));
        // There is no other.
        if (one[number] & one[other]) assert(number == other);
        assert(index == number);
    end
endmodule
