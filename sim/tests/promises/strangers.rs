//! Floods of segments from the network at line rate, the shortest there are: a host that is not
//! allowed gets no answer and takes nothing from what the flooded host sends, an allowed one is
//! answered out of a quarter of the line.
use crate::star::{Dressed, PACKETS, Star, rates};
use timely_regs::map::port;
use timely_sim::cores::{CoreFactory, CoreSpec, Prepared};
use timely_sim::frame::address;
use timely_sim::nic::Outbox;
use timely_sim::run::Observer;
use timely_sim::scenario::Form;
use timely_sim::time::Ps;

/// The host that floods.
const FLOODS: u16 = 2;

/// Host 0 answers host 1, and the flooding one too where it is `allowed`. That host's NIC is
/// standalone, whose generator has line rate at any size.
struct Guarded {
    allowed: bool,
}

impl CoreFactory for Guarded {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        let dress = |spec: &CoreSpec, nic: &mut Prepared| {
            if spec.host == 0 && !self.allowed {
                let mut set = |register: u32, value| nic.core.write32(register, value).expect("a register");
                set(port::ALLOW.address(), u32::from_le_bytes(address::ipv4(1)));
                set(port::ALLOW_PREFIX.address(), port::ALLOW_IPV4.mask() | 32);
                set(port::ALLOW_PREFIX.address() + 4, 0);
            }
        };
        let form = if spec.host == FLOODS { Form::Standalone } else { spec.form };
        Dressed(dress).build(&CoreSpec { form, ..spec.clone() })
    }
}

/// Frames that host 0 sent to the flooding one, their bytes on the wire, and the flood's frames.
#[derive(Default)]
struct Answers {
    frames: u64,
    wire_bytes: u64,
    floods: u64,
}

impl Observer for &mut Answers {
    fn progress(&mut self, _: Ps) {}
    fn host(&mut self, node: u16, out: &Outbox) {
        self.floods += if node == FLOODS { out.departures.len() as u64 } else { 0 };
        for d in out.departures.iter().filter(|d| node == 0 && d.frame.dst == FLOODS) {
            self.frames += 1;
            self.wire_bytes += u64::from(timely_regs::link::wire_bytes(d.frame.bytes));
        }
    }
}

const MS: f64 = 1.0;

/// Host 0's flow of the whole line to host 1 in Mb/s, and what it sent to the flooding host.
fn flooded(star: Star, flood: bool, cores: &dyn CoreFactory) -> (f64, Answers) {
    let line = 1000 * star.gbps;
    let flow = |from, to, sizes: &str| format!("[[flow]]\nfrom = {from}\nto = {to}\nprofile = 'p'\n{sizes}");
    let mut text = format!("[profile.p]\nlike = 'fixed'\ninitial_mbps = {line}\noutstanding_kb = 0\n{}", flow(0, 1, PACKETS));
    if flood {
        text += &flow(FLOODS.into(), 0, "packet_bytes = 1\nsegment_bytes = 1\n");
    }
    let mut answers = Answers::default();
    let o = star.run(3, MS, &text, cores, &mut answers);
    (rates(&o)[0], answers)
}

#[test]
fn a_strangers_flood_takes_nothing() {
    for star in Star::all() {
        let guarded = Guarded { allowed: false };
        let ((alone, _), (beside, answers)) = (flooded(star, false, &guarded), flooded(star, true, &guarded));
        println!("{star}: {beside:.0} Mb/s beside {} frames of a stranger, {alone:.0} alone", answers.floods);
        assert_eq!(answers.frames, 0, "{star}: a stranger was answered");
        assert!(
            answers.floods > 1000 && beside >= 0.999 * alone && alone > 980.0 * f64::from(star.gbps),
            "{star}: {beside} of {alone} Mb/s"
        );
    }
}

#[test]
fn a_peers_flood_leaves_most_of_the_line() {
    for star in Star::all() {
        let line = 1000.0 * f64::from(star.gbps);
        let (data, answers) = flooded(star, true, &Guarded { allowed: true });
        // A quarter of the line, after a burst of 8,192 bytes.
        let quarter = line / 4.0 + 8192.0 * 8.0 / (1000.0 * MS);
        let acks = answers.wire_bytes as f64 * 8.0 / (1000.0 * MS);
        println!("{star}: data {data:.0} Mb/s, {} ACKs {acks:.0} Mb/s", answers.frames);
        assert!(answers.frames > 100 && acks <= quarter, "{star}: ACKs take {acks} Mb/s of {quarter}");
        assert!(data >= 0.70 * line, "{star}: data has {data} Mb/s");
    }
}
