// Queue between two clocks, which may be one: 2^LOG words in LUT-RAM. Both resets come from the same source.
module tnic_taxi_queue #(
  parameter W = 8,
  parameter LOG = 4
) (
  input wire          s_clk,
  input wire          s_rst,
  input wire  [W-1:0] s_data,
  input wire          s_valid,
  output wire         s_ready,
  output wire [LOG:0] s_held,
  input wire          m_clk,
  input wire          m_rst,
  output wire [W-1:0] m_data,
  output wire         m_valid,
  input wire          m_ready
);
  (* ram_style = "distributed" *) logic [W-1:0] words [2**LOG];
  // A pointer crosses in Gray code, from a register of its own.
  logic [LOG:0] put = '0, put_gray = '0, take = '0, take_gray = '0;
  (* ASYNC_REG = "TRUE" *) logic [LOG:0] put_1 = '0, put_2 = '0;
  (* ASYNC_REG = "TRUE" *) logic [LOG:0] take_1 = '0, take_2 = '0;
  logic [LOG:0] taken;
  always_comb begin
    taken = '0;
    for (int i = 0; i <= LOG; i++)
      taken[i] = ^(take_2 >> i);
  end
  assign s_held = put - taken;
  assign s_ready = !s_held[LOG] && !s_rst;
  wire [LOG:0] put_next = put + 1'b1;
  always_ff @(posedge s_clk) begin
    take_1 <= take_gray;
    take_2 <= take_1;
    if (s_valid && s_ready) begin
      words[put[LOG-1:0]] <= s_data;
      put <= put_next;
      put_gray <= put_next ^ (put_next >> 1);
    end
    if (s_rst) begin
      put <= '0;
      put_gray <= '0;
      take_1 <= '0;
      take_2 <= '0;
    end
  end
  wire [LOG:0] take_next = take + 1'b1;
  assign m_valid = put_2 != take_gray;
  assign m_data = words[take[LOG-1:0]];
  always_ff @(posedge m_clk) begin
    put_1 <= put_gray;
    put_2 <= put_1;
    if (m_valid && m_ready) begin
      take <= take_next;
      take_gray <= take_next ^ (take_next >> 1);
    end
    if (m_rst) begin
      take <= '0;
      take_gray <= '0;
      put_1 <= '0;
      put_2 <= '0;
    end
  end
endmodule

// Queue of whole frames between two clocks: 2^LOG words of W bits, 2^FRAMES frames. A frame leaves once all of it is here, without a gap.
// With DROPS a frame for which there is no room is dropped whole and told at `s_lost`; without, `s_tready` falls. One that ends with `s_bad` is
// dropped too. `s_flush` and `m_flush` end the frame that is under way on their side, and no other; while `m_flush` lasts, all frames are dropped.
module tnic_taxi_frames #(
  parameter W = 256,
  parameter LOG = 9,
  parameter FRAMES = 2,
  parameter SIDE = 8,
  parameter DROPS = 0
) (
  input wire             s_clk,
  input wire             s_rst,
  input wire             s_flush,
  input wire     [W-1:0] s_tdata,
  input wire   [W/8-1:0] s_tkeep,
  input wire             s_tvalid,
  output wire            s_tready,
  input wire             s_tlast,
  input wire             s_bad,
  input wire  [SIDE-1:0] s_side,
  output logic           s_lost,
  input wire             m_clk,
  input wire             m_rst,
  input wire             m_flush,
  output logic   [W-1:0] m_tdata,
  output logic [W/8-1:0] m_tkeep,
  output wire            m_tvalid,
  input wire             m_tready,
  output logic           m_tlast,
  output logic [SIDE-1:0] m_side
);
  (* ram_style = "block" *) logic [W+W/8-1:0] words [2**LOG];
  logic [LOG:0] put = '0, begun = '0, take = '0, take_gray = '0;
  (* ASYNC_REG = "TRUE" *) logic [LOG:0] take_1 = '0, take_2 = '0;
  logic [LOG:0] taken;
  always_comb begin
    taken = '0;
    for (int i = 0; i <= LOG; i++)
      taken[i] = ^(take_2 >> i);
  end
  wire [LOG:0] used = put - taken;
  wire full = used[LOG];
  logic midframe = 1'b0, spoilt = 1'b0;
  wire room;
  assign s_tready = !s_rst && (DROPS != 0 || (!full && (midframe || room)));
  wire pushed = s_tvalid && s_tready && !s_flush;
  wire written = pushed && !full && !spoilt;
  wire short_of_room = spoilt || full || !room;
  wire ends = pushed && s_tlast;
  wire [LOG:0] put_next = put + 1'b1;
  always_ff @(posedge s_clk) begin
    take_1 <= take_gray;
    take_2 <= take_1;
    s_lost <= ends && short_of_room && !s_bad;
    if (written)
      words[put[LOG-1:0]] <= {s_tkeep, s_tdata};
    if (pushed) begin
      midframe <= !s_tlast;
      spoilt <= !s_tlast && (spoilt || full);
      if (written)
        put <= put_next;
      if (s_tlast) begin
        put <= short_of_room || s_bad ? begun : put_next;
        begun <= short_of_room || s_bad ? begun : put_next;
      end
    end
    if (s_flush) begin
      midframe <= 1'b0;
      spoilt <= 1'b0;
      put <= begun;
    end
    if (s_rst) begin
      midframe <= 1'b0;
      spoilt <= 1'b0;
      put <= '0;
      begun <= '0;
      take_1 <= '0;
      take_2 <= '0;
      s_lost <= 1'b0;
    end
  end

  // Of each frame the place of its last word, and what goes beside it.
  wire [LOG-1:0] last_at;
  wire [SIDE-1:0] side;
  wire here, reads;
  wire last = take[LOG-1:0] == last_at;
  tnic_taxi_queue #(.W(SIDE + LOG), .LOG(FRAMES)) ends_of_frames (
    .s_clk(s_clk),
    .s_rst(s_rst),
    .s_data({s_side, put[LOG-1:0]}),
    .s_valid(ends && !short_of_room && !s_bad),
    .s_ready(room),
    .s_held(),
    .m_clk(m_clk),
    .m_rst(m_rst),
    .m_data({side, last_at}),
    .m_valid(here),
    .m_ready(reads && last)
  );
  logic held = 1'b0, midway = 1'b0, cut = 1'b0;
  wire drop = m_flush || cut;
  wire free = drop || !held || m_tready;
  assign reads = here && free;
  assign m_tvalid = held && !m_flush;
  wire [LOG:0] take_next = take + 1'b1;
  always_ff @(posedge m_clk) begin
    if (reads) begin
      {m_tkeep, m_tdata} <= words[take[LOG-1:0]];
      m_tlast <= last;
      m_side <= side;
      take <= take_next;
      take_gray <= take_next ^ (take_next >> 1);
      midway <= !last;
    end
    if (free)
      held <= reads && !drop;
    if (m_flush)
      cut <= reads ? !last : midway;
    else if (reads && last)
      cut <= 1'b0;
    if (m_rst) begin
      held <= 1'b0;
      midway <= 1'b0;
      cut <= 1'b0;
      take <= '0;
      take_gray <= '0;
    end
  end
endmodule

// Beats of N bits become words of W; what goes beside a frame is that of its last beat. `s_flush` forgets the word under way.
module tnic_taxi_widen #(
  parameter W = 256,
  parameter N = 64,
  parameter SIDE = 8
) (
  input wire             clk,
  input wire             flush,
  input wire     [N-1:0] s_tdata,
  input wire   [N/8-1:0] s_tkeep,
  input wire             s_tvalid,
  output wire            s_tready,
  input wire             s_tlast,
  input wire  [SIDE-1:0] s_side,
  output wire    [W-1:0] m_tdata,
  output wire  [W/8-1:0] m_tkeep,
  output wire            m_tvalid,
  input wire             m_tready,
  output wire            m_tlast,
  output wire [SIDE-1:0] m_side
);
  generate
    if (W == N) begin : same
      assign {m_tdata, m_tkeep, m_tlast, m_side} = {s_tdata, s_tkeep, s_tlast, s_side};
      assign m_tvalid = s_tvalid && !flush;
      assign s_tready = m_tready;
    end else begin : wider
      localparam PARTS = W / N;
      localparam BITS = PARTS > 1 ? $clog2(PARTS) : 1;
      logic [W-1:0] data;
      logic [W/8-1:0] keep;
      logic whole = 1'b0, last;
      logic [SIDE-1:0] side;
      logic [BITS-1:0] part = '0;
      assign {m_tdata, m_tkeep, m_tlast, m_side} = {data, keep, last, side};
      assign m_tvalid = whole;
      assign s_tready = !whole || m_tready;
      always_ff @(posedge clk) begin
        if (s_tready)
          whole <= 1'b0;
        if (s_tvalid && s_tready) begin
          if (part == '0)
            keep <= '0;
          for (int i = 0; i < PARTS; i++)
            if (part == BITS'(i)) begin
              data[i*N +: N] <= s_tdata;
              keep[i*N/8 +: N/8] <= s_tkeep;
            end
          side <= s_side;
          last <= s_tlast;
          whole <= s_tlast || part == BITS'(PARTS - 1);
          part <= s_tlast ? '0 : part + 1'b1;
        end
        if (flush) begin
          whole <= 1'b0;
          part <= '0;
        end
      end
    end
  endgenerate
endmodule

// Words of W bits become beats of N, without a gap.
module tnic_taxi_narrow #(
  parameter W = 256,
  parameter N = 64,
  parameter SIDE = 8
) (
  input wire             clk,
  input wire             flush,
  input wire     [W-1:0] s_tdata,
  input wire   [W/8-1:0] s_tkeep,
  input wire             s_tvalid,
  output wire            s_tready,
  input wire             s_tlast,
  input wire  [SIDE-1:0] s_side,
  output wire    [N-1:0] m_tdata,
  output wire  [N/8-1:0] m_tkeep,
  output wire            m_tvalid,
  input wire             m_tready,
  output wire            m_tlast,
  output wire [SIDE-1:0] m_side
);
  generate
    if (W == N) begin : same
      assign {m_tdata, m_tkeep, m_tlast, m_side} = {s_tdata, s_tkeep, s_tlast, s_side};
      assign m_tvalid = s_tvalid && !flush;
      assign s_tready = m_tready;
    end else begin : narrower
      logic [W-1:0] data;
      logic [W/8-1:0] keep;
      logic held = 1'b0, last;
      logic [SIDE-1:0] side;
      wire more = keep[N/8];
      assign {m_tdata, m_tkeep, m_tlast, m_side} = {data[N-1:0], keep[N/8-1:0], last && !more, side};
      assign m_tvalid = held;
      assign s_tready = !held || (m_tready && !more);
      always_ff @(posedge clk) begin
        if (s_tready) begin
          {data, keep, last, side} <= {s_tdata, s_tkeep, s_tlast, s_side};
          held <= s_tvalid;
        end else if (m_tready) begin
          data <= data >> N;
          keep <= keep >> (N / 8);
        end
        if (flush)
          held <= 1'b0;
      end
    end
  endgenerate
endmodule

// Reset that begins at once, whether or not the clock runs, and ends with the clock.
module tnic_taxi_reset (
  input wire  clk,
  input wire  asked,
  output wire rst
);
  (* ASYNC_REG = "TRUE" *) logic [2:0] hold = '1;
  always_ff @(posedge clk or posedge asked)
    if (asked)
      hold <= '1;
    else
      hold <= hold << 1;
  assign rst = hold[2];
endmodule
