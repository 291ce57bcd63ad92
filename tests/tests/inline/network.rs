//! A network of in-line NICs leaves one trace, of Verilog and of models: every frame, round trip,
//! time-out and rate, to the picosecond.
use super::shell;
use std::collections::BTreeMap;
use std::path::Path;
use timely_sim::cores::{CoreFactory, CoreSpec, Prepared};
use timely_sim::frame::NodeId;
use timely_sim::nic::Outbox;
use timely_sim::nic::inline::rtl::Shell as Compiled;
use timely_sim::nic::inline::{Inline, Model};
use timely_sim::nic::setup::configure;
use timely_sim::run::Observer;
use timely_sim::scenario::{NicKind, build, file};
use timely_sim::time::Ps;
use timely_tests::nic::build as built;

/// Three NICs to one: PFC, loss, messages and endless flows, several flows a host, packets of
/// several sizes.
const NETWORK: &str = "
name = 'inline'
duration_ms = 0.25
seed = 11
[topology]
hosts = 4
[link]
rate_gbps = 100
delay_ns = 700
loss = 0.02
damage = 0.0005
[switch]
xoff_kb = 30
[nic]
form = 'inline'
bus_bits = 512
fifo_jitter_ns = 50
[profile.law]
like = 'timely-100g'
timeout_us = 30
idle_us = 20
idle_mbps = 9000
outstanding_kb = 40
[profile.slow]
like = 'fixed'
initial_mbps = 30
least_mbps = 10
outstanding_kb = 0
timeout_us = 30
[[flow]]
from = [0, 1, 2]
to = 3
connections = 2
profile = 'law'
stagger_us = 3
packet_bytes = 1400
segment_bytes = 4200
[[flow]]
from = [0, 1, 2]
to = 3
profile = 'law'
bytes = 9000
messages = 5
every_us = 40
packet_bytes = 300
segment_bytes = 900
[[flow]]
from = [0, 1, 2]
to = 3
connections = 8
profile = 'slow'
packet_bytes = 100
segment_bytes = 100
";

struct Nics(Compiled);

impl CoreFactory for Nics {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        if spec.kind == NicKind::Rtl {
            let mut nic = Inline::new(self.0.instantiate(spec.seed as u32), spec);
            let writes = configure(&mut nic, spec)?;
            return Ok(Prepared { core: Box::new(nic), writes });
        }
        let mut nic = Inline::new(Model::new(built(spec.bus_bits, spec.flow_bits)), spec);
        let writes = configure(&mut nic, spec)?;
        Ok(Prepared { core: Box::new(nic), writes })
    }
}

/// The actions of each host, in their order.
#[derive(Default)]
struct Trace(BTreeMap<NodeId, Vec<String>>);

impl Observer for &mut Trace {
    fn progress(&mut self, _: Ps) {}

    fn host(&mut self, node: NodeId, done: &Outbox) {
        let all = self.0.entry(node).or_default();
        all.extend(done.departures.iter().map(|d| format!("{} to {}: {:02x?}", d.start, d.end, d.frame.body)));
        all.extend(done.rtts.iter().map(|r| format!("{r:?}")));
        all.extend(done.rates.iter().map(|r| format!("{r:?}")));
        all.extend(done.timeouts.iter().map(|r| format!("{r:?}")));
    }
}

#[test]
fn verilog_and_models_leave_one_trace() {
    let nics = Nics(shell(512, 10));
    let run = |kind| {
        let mut plan = file::parse(Path::new("inline.toml"), &NETWORK.replace("[nic]", "[nic]\nkind = 'model'")).expect("a plan");
        plan.nic.kind = kind;
        let mut trace = Trace::default();
        let outcome = build::run(plan, &nics, &mut trace).unwrap_or_else(|e| panic!("{e}"));
        println!("{kind}: {:.1} s, {:?}", outcome.seconds, outcome.summary);
        (trace, outcome.summary)
    };
    let ((verilog, s), (model, _)) = (run(NicKind::Rtl), run(NicKind::Model));
    assert!(s.pauses > 0 && s.lost > 0 && s.timeouts > 0 && s.samples > 150, "{s:?}");
    for (node, seen) in &verilog.0 {
        let mut seen: Vec<_> = seen.iter().collect();
        let mut modelled: Vec<_> = model.0[node].iter().collect();
        // The windows that come together depend on the kind.
        seen.sort_unstable();
        modelled.sort_unstable();
        let differs = seen.iter().zip(&modelled).find(|(a, b)| a != b);
        assert!(differs.is_none() && seen.len() == modelled.len(), "host {node}, Verilog and model: {differs:.300?}");
    }
}
