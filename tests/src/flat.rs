//! taxi's adapter with its interfaces as single ports, for simulators that know no interfaces.

/// Signals of an interface: name, bits, whether the side that sends drives it.
type Signals = Vec<(&'static str, usize, bool)>;

/// A stream of `data` bits, `id` bits of tag and `user` beside.
fn stream(data: usize, user: usize) -> Signals {
    let keep = data.div_ceil(8);
    let forth = [("tdata", data), ("tkeep", keep), ("tstrb", keep), ("tid", 8), ("tdest", 8), ("tuser", user), ("tlast", 1), ("tvalid", 1)];
    forth.into_iter().map(|(name, bits)| (name, bits, true)).chain([("tready", 1, false)]).collect()
}

/// Registers of 32 bits, writes or reads, with addresses of 16.
fn registers(writes: bool) -> Signals {
    let all: &[(&str, usize, bool)] = if writes {
        &[
            ("awaddr", 16, true),
            ("awvalid", 1, true),
            ("awready", 1, false),
            ("wdata", 32, true),
            ("wstrb", 4, true),
            ("wvalid", 1, true),
            ("wready", 1, false),
            ("bresp", 2, false),
            ("buser", 1, false),
            ("bvalid", 1, false),
            ("bready", 1, true),
        ]
    } else {
        &[
            ("araddr", 16, true),
            ("arvalid", 1, true),
            ("arready", 1, false),
            ("rdata", 32, false),
            ("rresp", 2, false),
            ("ruser", 1, false),
            ("rvalid", 1, false),
            ("rready", 1, true),
        ]
    };
    all.to_vec()
}

/// Bits of a relative stamp.
const STAMP: usize = 48;

/// Module `tnic_taxi` out of `verilog` for streams of `bits` and relative stamps, its interfaces'
/// signals as ports `interface_signal`, without the checks of its parameters.
///
/// # Panics
/// The text is not that of the adapter.
pub fn taxi_adapter(verilog: &str, bits: usize) -> String {
    let (module, rest) = verilog.split_once("endmodule\n").expect("the adapter ends");
    let (mut text, mut names) = (String::new(), Vec::new());
    let mut lines = module.lines().peekable();
    while let Some(line) = lines.next() {
        // A check is its condition and, in the next line, its sentence.
        if lines.next_if(|next| next.trim().starts_with("$error(")).is_some() {
            continue;
        }
        let port = line.trim().strip_prefix("taxi_").and_then(|port| {
            let (interface, name) = port.split_once(' ')?;
            Some((interface.split_once('.')?, name.trim_end_matches(','), if name.ends_with(',') { "," } else { "" }))
        });
        let Some(((interface, side), name, comma)) = port else {
            text += &format!("{line}\n");
            continue;
        };
        let signals = match interface {
            "axil_if" => registers(side == "wr_slv"),
            _ if name.ends_with("_tx_cpl") => stream(STAMP, 1),
            _ if name.ends_with("_rx") => stream(bits, STAMP + 1),
            _ => stream(bits, 1),
        };
        let ports = signals.iter().map(|(signal, bits, forth)| {
            let direction = if *forth == (side == "src") { "output" } else { "input" };
            format!("  {direction} wire [{}:0] {name}_{signal}", bits - 1)
        });
        text += &format!("{}{comma}\n", ports.collect::<Vec<_>>().join(",\n"));
        let bits = |signal: &str| signals.iter().find(|s| s.0 == signal).map_or(0, |s| s.1).to_string();
        names.push((name, [("DATA_W", bits("tdata")), ("USER_W", bits("tuser")), ("ID_W", bits("tid"))]));
    }
    assert_eq!(names.len(), 8, "interfaces of the adapter: {names:?}");
    for (name, widths) in names {
        for (parameter, bits) in widths {
            text = text.replace(&format!("{name}.{parameter}"), &bits);
        }
        text = text.replace(&format!("{name}."), &format!("{name}_"));
    }
    [&text, "endmodule\n", rest].concat()
}
