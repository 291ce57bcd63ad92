// Words from one clock to another, in order: 2^A of them wait, in LUT RAM. The pointers cross in Gray code, of which a single bit changes at a time,
// through two registers each. Either reset empties the queue and must be seen by both sides, while each clock stands still or runs: so both are
// asynchronous, and released behind edges of their own clock.
// Latency: behind the writer's edge, three edges of the reader, a fourth when the first of them comes at the same time. Throughput: a word a clock of
// the slower one.
module tnic_ecpix5_cross #(
  parameter W = 8,
  parameter A = 4
) (
  input wire          w_clk,
  input wire          w_rst,
  input wire          w_valid,
  input wire  [W-1:0] w_data,
  output wire         w_ready,
  input wire          r_clk,
  input wire          r_rst,
  output reg          r_valid,
  output reg  [W-1:0] r_data,
  input wire          r_ready
);
  reg [W-1:0] words [0:(1 << A)-1];

  // One above the words that were written, and read: the top bit says in which turn.
  reg [A:0] w_at = 0, w_gray = 0, w_seen_1 = 0, w_seen = 0;
  reg [A:0] r_at = 0, r_gray = 0, r_seen_1 = 0, r_seen = 0;
  initial r_valid = 1'b0;

  // Full: the writer is a whole turn ahead, which in Gray code turns the two top bits over.
  assign w_ready = w_gray != {~r_seen[A:A-1], r_seen[A-2:0]};
  wire       write = w_valid && w_ready;
  wire [A:0] w_next = w_at + 1'b1;
  always @(posedge w_clk)
    if (write) words[w_at[A-1:0]] <= w_data;
  always @(posedge w_clk or posedge w_rst)
    if (w_rst) begin
      w_at <= 0;
      w_gray <= 0;
      r_seen_1 <= 0;
      r_seen <= 0;
    end else begin
      r_seen_1 <= r_gray;
      r_seen <= r_seen_1;
      if (write) begin
        w_at <= w_next;
        w_gray <= w_next ^ (w_next >> 1);
      end
    end

  wire       read = r_gray != w_seen && (!r_valid || r_ready);
  wire [A:0] r_next = r_at + 1'b1;
  always @(posedge r_clk)
    if (read) r_data <= words[r_at[A-1:0]];
  always @(posedge r_clk or posedge r_rst)
    if (r_rst) begin
      r_at <= 0;
      r_gray <= 0;
      w_seen_1 <= 0;
      w_seen <= 0;
      r_valid <= 1'b0;
    end else begin
      w_seen_1 <= w_gray;
      w_seen <= w_seen_1;
      if (read) begin
        r_at <= r_next;
        r_gray <= r_next ^ (r_next >> 1);
      end
      if (read)
        r_valid <= 1'b1;
      else if (r_ready)
        r_valid <= 1'b0;
    end
endmodule

// A level of another clock, which has stood for a clock at least: two registers.
module tnic_ecpix5_level #(parameter W = 1) (
  input wire          clk,
  input wire  [W-1:0] d,
  output reg  [W-1:0] q
);
  reg [W-1:0] first = 0;
  initial q = 0;
  always @(posedge clk) begin
    first <= d;
    q <= first;
  end
endmodule

// A reset that comes at once, whether the clock runs or not, and goes behind four of its edges.
module tnic_ecpix5_reset (
  input wire  clk,
  input wire  arst,
  output wire rst
);
  reg [3:0] hold = 4'hf;
  always @(posedge clk or posedge arst)
    if (arst)
      hold <= 4'hf;
    else
      hold <= {hold[2:0], 1'b0};
  assign rst = hold[3];
endmodule
