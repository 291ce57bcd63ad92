//! The engine's design with its ports.
use rand::Rng;
use std::sync::Arc;
use timely_model::bus::{Event, FlowRate};
use timely_model::engine::{In, Out};
use timely_verilate as v;

/// The design with its ports.
pub struct Bench {
    pub library: Arc<v::Library>,
    rst: v::In,
    sample: [v::In; 8],
    idle: [v::In; 2],
    limited: [v::In; 3],
    host: [v::In; 3],
    reaction: [v::In; 3],
    load: [v::In; 3],
    write: [v::In; 4],
    swept: v::Out,
    rate: [v::Out; 3],
    event: [v::Out; 13],
    superseded: [v::Out; 2],
    pulses: v::Out,
}

impl Bench {
    pub fn new(library: Arc<v::Library>) -> Self {
        let (i, o) = (|name| library.input(name), |name| library.output(name));
        Bench {
            rst: i("rst"),
            sample: [
                "sample_valid",
                "sample_kind",
                "sample_flow",
                "sample_rtt_ns",
                "sample_now_ns",
                "sample_hops",
                "sample_endpoint_ns",
                "sample_lost",
            ]
            .map(i),
            idle: ["idle_valid", "idle_flow"].map(i),
            limited: ["limited_valid", "limited_flow", "limited"].map(i),
            host: ["host_valid", "host_flow", "host_rate"].map(i),
            reaction: ["reaction_valid", "reaction_flow", "reaction"].map(i),
            load: ["fl_valid", "fl_flow", "fl_record"].map(i),
            write: ["pw_valid", "pw_profile", "pw_word", "pw_data"].map(i),
            swept: o("swept"),
            rate: ["rate_valid", "rate_flow", "rate_value"].map(o),
            event: [
                "event_valid",
                "event_flow",
                "event_branch",
                "event_hyperactive",
                "event_rtt_ns",
                "event_rate",
                "event_kind",
                "event_before",
                "event_rate_before",
                "event_now_ns",
                "event_hops",
                "event_endpoint_ns",
                "event_profile",
            ]
            .map(o),
            superseded: ["superseded_valid", "superseded_flow"].map(o),
            pulses: o("pulses"),
            library,
        }
    }

    /// Sets the inputs of a clock; what is not valid is random.
    pub fn set(&self, dut: &mut v::Dut, i: &In, rng: &mut impl Rng) {
        let mut put = |ports: &[v::In], values: Option<Vec<u64>>| {
            dut.set(ports[0], values.is_some().into());
            for (k, port) in ports[1..].iter().enumerate() {
                dut.set(*port, values.as_ref().map_or_else(|| rng.random(), |values| values[k]));
            }
        };
        put(
            &self.sample,
            i.sample.map(|s| {
                vec![s.kind.into(), s.flow.into(), s.rtt_ns.into(), s.now_ns.into(), s.hops.into(), s.endpoint_ns.into(), s.lost.into()]
            }),
        );
        put(&self.idle, i.idle.map(|f| vec![f.into()]));
        put(&self.limited, i.limited.map(|(f, l)| vec![f.into(), l.into()]));
        put(&self.host, i.host.map(|r| vec![r.flow.into(), r.value.into()]));
        put(&self.reaction, i.reaction.map(|(f, bits)| vec![f.into(), bits.into()]));
        put(&self.write, i.profile.map(|w| vec![w.profile.into(), w.word.into(), w.data.into()]));
        put(&self.load[..2], i.load.map(|l| vec![l.flow.into()]));
        dut.set(self.rst, i.rst.into());
        let record = i.load.map_or_else(|| rng.random(), |l| l.record);
        dut.set_words(self.load[2], &record);
    }

    pub fn get(&self, dut: &v::Dut) -> Out {
        let rate = |p: &[v::Out; 3]| FlowRate { flow: dut.get(p[1]) as u32, value: dut.get(p[2]) as u32 };
        let event = |p: &[v::Out; 13]| Event {
            flow: dut.get(p[1]) as u32,
            branch: dut.get(p[2]) as u8,
            hyperactive: dut.get(p[3]) == 1,
            rtt_ns: dut.get(p[4]) as u32,
            rate: dut.get(p[5]) as u32,
            kind: dut.get(p[6]) as u8,
            before: dut.get_words(p[7]).try_into().expect("160 bits"),
            rate_before: dut.get(p[8]) as u32,
            now_ns: dut.get(p[9]) as u32,
            hops: dut.get(p[10]) as u8,
            endpoint_ns: dut.get(p[11]) as u32,
            profile: dut.get(p[12]) as u8,
        };
        Out {
            swept: dut.get(self.swept) == 1,
            rate: (dut.get(self.rate[0]) == 1).then(|| rate(&self.rate)),
            event: (dut.get(self.event[0]) == 1).then(|| event(&self.event)),
            superseded: (dut.get(self.superseded[0]) == 1).then(|| dut.get(self.superseded[1]) as u32),
            pulses: dut.get(self.pulses),
        }
    }
}
