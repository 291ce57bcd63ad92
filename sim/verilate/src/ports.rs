//! The port list of an emitted module, and the C++ shim that copies between ports and word arrays.
use std::fmt::Write;

/// Direction of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the module.
    In,
    /// Out of the module.
    Out,
}

/// A port of the top module.
#[derive(Clone, Debug)]
pub struct Port {
    /// Name of the port.
    pub name: String,
    /// Direction of the port.
    pub direction: Direction,
    /// Width of the port in bits.
    pub width: usize,
    /// First word of the port in the array of its direction.
    pub offset: usize,
}

impl Port {
    /// 32-bit words it takes in an array.
    pub fn words(&self) -> usize {
        self.width.div_ceil(32)
    }
}

/// Reads the declarations of module `top` (`input wire [7:0] name;`, as RustHDL emits them),
/// without `clk`.
pub(crate) fn parse(verilog: &str, top: &str) -> Option<Vec<Port>> {
    let start = verilog.find(&format!("module {top}("))?;
    let body = &verilog[start..];
    let body = &body[..body.find("endmodule")?];
    let (mut ports, mut next, mut function) = (Vec::new(), [0usize; 2], false);
    for line in body.lines().map(str::trim) {
        // Yosys writes functions, whose arguments are no ports.
        function = line.starts_with("function ") || function && line != "endfunction";
        if function {
            continue;
        }
        let (direction, rest) = if let Some(r) = line.strip_prefix("input ") {
            (Direction::In, r)
        } else if let Some(r) = line.strip_prefix("output ") {
            (Direction::Out, r)
        } else {
            continue;
        };
        let name = rest.trim_end_matches([';', ',']).split_whitespace().last()?.to_owned();
        let width = match (rest.find('['), rest.find(':')) {
            (Some(a), Some(b)) => rest[a + 1..b].trim().parse::<usize>().ok()? + 1,
            _ => 1,
        };
        if name == "clk" {
            continue;
        }
        let mut port = Port { name, direction, width, offset: 0 };
        let at = &mut next[usize::from(direction == Direction::Out)];
        port.offset = *at;
        *at += port.words();
        ports.push(port);
    }
    Some(ports)
}

/// The shim in C++: `tnv_new`, `tnv_delete`, `tnv_settle`, `tnv_cycle`, `tnv_record`; the last
/// works only with `waves`. Compiled for coverage, every deleted model writes its counts to the
/// folder that the variable [`crate::COVERAGE`] names, as `NAME-PROCESS-NUMBER.dat`.
pub(crate) fn shim(ports: &[Port], waves: bool, name: &str) -> String {
    let variable = crate::COVERAGE;
    let (mut load, mut store) = (String::new(), String::new());
    for p in ports {
        let (n, at, words) = (&p.name, p.offset, p.words());
        // Verilator expects unused high bits of an input to be 0.
        let top = u32::MAX >> (words * 32 - p.width);
        match (p.direction, p.width) {
            (Direction::In, 1..=32) => writeln!(load, "    m->{n} = in[{at}] & {top}u;"),
            (Direction::In, 33..=64) => writeln!(load, "    m->{n} = (QData)in[{at}] | (QData)(in[{}] & {top}u) << 32;", at + 1),
            (Direction::In, _) => {
                writeln!(load, "    for (int i = 0; i < {words}; i++) m->{n}[i] = in[{at} + i];\n    m->{n}[{}] &= {top}u;", words - 1)
            }
            (Direction::Out, 1..=32) => writeln!(store, "    out[{at}] = m->{n};"),
            (Direction::Out, 33..=64) => {
                writeln!(store, "    out[{at}] = (uint32_t)m->{n}; out[{}] = (uint32_t)(m->{n} >> 32);", at + 1)
            }
            (Direction::Out, _) => writeln!(store, "    for (int i = 0; i < {words}; i++) out[{at} + i] = m->{n}[i];"),
        }
        .expect("writing to a string");
    }
    let (ever, record) = if waves {
        (
            "    h->context.traceEverOn(true);\n",
            "    Model* h = (Model*)p;\n    if (h->waves) return 0;\n    h->waves = new VerilatedFstC;\n    h->dut->trace(h->waves, 99);\n    \
             h->waves->open(path);\n    return h->waves->isOpen();\n",
        )
    } else {
        ("", "    return 0;\n")
    };
    format!(
        r#"// Generated: copies word arrays to and from the ports of one model.
#include "Vdut.h"
#include "verilated.h"
#include <cstdint>
#if VM_COVERAGE
#include "verilated_cov.h"
#include <atomic>
#include <cstdlib>
#include <string>
#include <unistd.h>
static void counts(VerilatedContext& context) {{
    static std::atomic<unsigned> number{{0}};
    const char* folder = getenv("{variable}");
    if (!folder) return;
    const std::string file = std::string(folder) + "/{name}-" + std::to_string(getpid()) + "-" + std::to_string(number++) + ".dat";
    context.coveragep()->write(file.c_str());
}}
#else
static void counts(VerilatedContext&) {{}}
#endif
#if VM_TRACE
#include "verilated_fst_c.h"
#else
struct VerilatedFstC {{ void dump(uint64_t) {{}} void close() {{}} }};
#endif
// A clock is 4,000 units of 1 ps in the waves.
struct Model {{ VerilatedContext context; Vdut* dut; VerilatedFstC* waves = nullptr; uint64_t clock = 0; }};
double sc_time_stamp() {{ return 0; }}
static inline void load(Vdut* m, const uint32_t* in) {{
{load}}}
static inline void store(Vdut* m, uint32_t* out) {{
{store}}}
extern "C" {{
void* tnv_new(uint32_t seed) {{
    Model* h = new Model;
    h->context.randReset(seed ? 2 : 0);
    if (seed) h->context.randSeed(seed & 0x7fffffff ? seed & 0x7fffffff : 1);
{ever}    h->dut = new Vdut(&h->context, "dut");
    h->dut->clk = 0;
    return h;
}}
void tnv_delete(void* p) {{
    Model* h = (Model*)p;
    h->dut->final();
    if (h->waves) h->waves->close();
    counts(h->context);
    delete h->waves; delete h->dut; delete h;
}}
int tnv_record(void* p, const char* path) {{
{record}}}
void tnv_settle(void* p, const uint32_t* in, uint32_t* out) {{
    Vdut* m = ((Model*)p)->dut;
    load(m, in); m->eval(); store(m, out);
}}
void tnv_cycle(void* p, const uint32_t* in, uint32_t* out) {{
    Model* h = (Model*)p;
    Vdut* m = h->dut;
    load(m, in); m->clk = 1; m->eval();
    if (h->waves) h->waves->dump(h->clock * 4000);
    m->clk = 0; m->eval(); store(m, out);
    if (h->waves) h->waves->dump(h->clock * 4000 + 2000);
    h->clock++;
}}
}}
"#
    )
}
