//! The core of `timely_hw::core`: both halves of the datapath and the grant hold between them,
//! without a packet source. Around it are the forms of the NIC: [`crate::nic`] with a traffic
//! generator, [`crate::inline::nic`] with the host's own packets. [`crate::app_block::app`] has the
//! control half alone, and the pacer stands in Corundum's transmit scheduler.
//!
//! A block is stepped at the clocks at which its input is not idle or its own [`Block::wake`] has
//! come; so a clock costs what happens in it, and a packet a bounded number of clocks.
mod calm;
mod io;

pub use io::{Out, Pins, Shown, Source};

use crate::bus::{Ack as AckHeader, FlowLoad, FlowRate, KIND_RTT, ProfileWrite, Query, Sent};
use crate::pacer::timemap::TimeMap;
use crate::part::Part;
use crate::stream::Beat;
use crate::telemetry::{histograms, recorder};
use crate::{Block, ack, csr, dma, engine, hold, pacer, parse, pause, reaction, rtt, telemetry, time, txmux};
use io::{Crossing, Levels};
use timely_regs::counters::Counter;
use timely_regs::map::Build;
use timely_regs::profile::OUTSTANDING;
use timely_regs::wire::{CE, Header};

/// Tag of DMA's queries; csr's are below.
const DMA_TAG: u8 = 8;

/// Clocks from the step that changes a setting until both older copies have it.
const SETTLING: u8 = 3;

/// The core, with `D` in DMA's place.
#[derive(Clone, Debug)]
pub struct Core<D> {
    // Inputs that are levels, as of the last step: a change must be seen.
    levels: Levels,
    time: Part<time::Time>,
    parse: Part<parse::Parse>,
    pause: Part<pause::Pause>,
    hold: Part<hold::Hold>,
    /// Inside a frame of ACKs, of data, at the multiplexer: what has begun is not held by a pause.
    ack_inside: bool,
    data_inside: bool,
    ack: Part<ack::Ack>,
    txmux: Part<txmux::TxMux>,
    rtt: Part<rtt::Rtt>,
    reaction: Part<reaction::Reaction>,
    engine: Part<engine::Engine>,
    telemetry: Part<telemetry::Telemetry>,
    recorder: Part<recorder::Recorder>,
    histograms: Part<histograms::Histograms>,
    csr: Part<csr::Csr>,
    dma: Part<D>,
    /// Outstanding bounds of profiles do not reach the pacer.
    unbounded: bool,
    /// None where the pacer half stands elsewhere.
    pacer: Option<Part<pacer::top::Pacer>>,
    pulses: u64,
    swept: bool,
    crossing: Crossing,
    /// Settings of the clock before, which ACKs go by, and of the one before that.
    late: csr::Settings,
    earlier: csr::Settings,
    /// Clocks until both are the settings again.
    differing: u8,
    /// Until this clock idle inputs leave all but parser and multiplexer as they are.
    calm_until: u64,
    /// DMA's queries of the last three clocks, the newest first.
    asked: [bool; 3],
    /// The steady time does not run along a line at this clock, or may not.
    adjusting: bool,
}

// `late`: the settings of the clock before.
fn ack_config(c: &csr::Settings, late: &csr::Settings) -> ack::Config {
    ack::Config {
        enable: c.ack_enable,
        mac: mac(c.mac),
        ipv4: late.ipv4.to_le_bytes(),
        ipv6: late.ipv6.to_le_bytes(),
        prefix4: late.prefix4,
        port: late.udp_port,
        vlan: late.vlan,
        tos: c.ack_tos,
        ttl: c.ack_ttl,
        rate: late.ack_rate,
    }
}

/// The bytes of a MAC address in a register.
pub(crate) fn mac(m: u64) -> [u8; 6] {
    let b = m.to_le_bytes();
    [b[0], b[1], b[2], b[3], b[4], b[5]]
}

impl<D: Block<In = dma::In, Out = dma::Out>> Core<D> {
    /// A core after a reset at the clock before 0, with `dma` in DMA's place.
    pub fn new(build: Build, dma: D) -> Self {
        Core {
            levels: Levels::default(),
            time: Part::new(time::Time::new()),
            parse: Part::new(parse::Parse::new(build.bus_bits as usize)),
            pause: Part::new(pause::Pause::default()),
            hold: Part::new(hold::Hold::new(build.flow_bits)),
            ack_inside: false,
            data_inside: false,
            ack: Part::new(ack::Ack::new(build.bus_bits as usize)),
            txmux: Part::new(txmux::TxMux::default()),
            rtt: Part::new(rtt::Rtt::new(build.flow_bits, build.ring_bits)),
            reaction: Part::new(reaction::Reaction::new(build.flow_bits)),
            engine: Part::new(engine::Engine::new(build.flow_bits)),
            telemetry: Part::new(telemetry::Telemetry::new(build.flow_bits)),
            recorder: Part::new(recorder::Recorder::new(recorder::QUEUE)),
            histograms: Part::new(histograms::Histograms::default()),
            csr: Part::new(csr::Csr::new(build)),
            dma: Part::new(dma),
            unbounded: false,
            pacer: Some(Part::new(pacer::top::Pacer::new(build.flow_bits, pacer::Timing::of(build.clock_ps)))),
            pulses: 0,
            swept: false,
            crossing: Crossing::default(),
            late: csr::Settings::default(),
            earlier: csr::Settings::default(),
            differing: SETTLING,
            calm_until: 0,
            asked: [false; 3],
            adjusting: true,
        }
    }

    /// The control half alone, `timely_hw::control`: what the pacer half says comes with
    /// [`Source`].
    pub fn apart(build: Build, dma: D) -> Self {
        Core { pacer: None, ..Core::new(build, dma) }
    }

    /// The core of a form that cannot tell how much of a flow is outstanding: profiles' bounds do
    /// not count.
    pub fn unbounded(self) -> Self {
        Core { unbounded: true, ..self }
    }

    /// The date at clock `clk`, ns48.fns16.
    pub fn now(&self, clk: u64) -> u64 {
        self.time.block.date(clk)
    }

    /// No flow may send, and priorities that received frames pause, at clock `clk`.
    pub fn held(&self, clk: u64) -> (bool, u8) {
        (self.csr.block.is_stopped(), self.pause.block.output(clk).priorities)
    }

    /// The beat at the transmit stream at clock `clk`, and its frame's tag.
    pub fn tx(&self, clk: u64) -> Option<(Beat, u16)> {
        self.txmux.block.output(clk).beat
    }

    /// The interrupt lines at clock `clk`.
    pub fn irq(&self, clk: u64) -> u32 {
        self.dma.block.output(clk).irq
    }

    /// The pins during clock `clk`.
    pub fn output(&self, clk: u64) -> Out {
        let csr = self.csr.block.bus();
        let dma = self.dma.block.output(clk);
        Out {
            aw_ready: csr.aw_ready,
            w_ready: csr.w_ready,
            ar_ready: csr.ar_ready,
            b: csr.b,
            r: csr.r,
            tx: self.txmux.block.output(clk).beat,
            now: self.now(clk),
            stopped: self.csr.block.is_stopped(),
            sample: self.rtt.block.output(clk).sample,
            rate: self.engine.block.output(clk).rate,
            memory: dma.memory,
            irq: dma.irq,
            record: self.recorder.block.output(clk).record.filter(|_| dma.record_ready),
        }
    }

    /// Every block's outputs during clock `clk`.
    pub fn show(&self, clk: u64) -> Shown {
        let csr = self.csr.block.output(clk);
        let (pause, txmux) = (self.pause.block.output(clk), self.txmux.block.output(clk));
        let pacer = self.pacer.as_ref().map_or(pacer::top::Out::ABSENT, |p| p.block.output(clk));
        // PAUSE holds every frame that has not begun, PFC the ACKs if theirs is a paused priority;
        // the pacer holds the flows.
        let ack_goes = self.ack_inside || pause.priorities >> (csr.settings.pause >> 1) & 1 == 0;
        let data_goes = self.data_inside || !pause.all;
        Shown {
            time: self.time.block.output(clk),
            // Whether the source takes a grant, does not change what it is offered.
            grant: self.hold.block.through(clk, pacer.grant.map(|g| (g.flow, g.launch)), false).grant,
            doorbell_ready: pacer.doorbell_ready,
            data_ready: txmux.data_ready && data_goes,
            load: self.crossing.flow,
            profile: self.crossing.profile,
            tx: txmux.beat,
            dma: self.dma.block.output(clk),
            parse: self.parse.block.output(clk),
            ack: self.ack.block.output(clk),
            rtt: self.rtt.block.output(clk),
            reaction: self.reaction.block.output(clk),
            engine: self.engine.block.output(clk),
            telemetry: self.telemetry.block.output(clk),
            recorder: self.recorder.block.output(clk),
            histograms: self.histograms.block.output(clk),
            csr,
            pause,
            txmux,
            pacer,
            ack_goes,
            data_goes,
        }
    }

    /// The edge that ends clock `clk`, during which the core showed `shown`. `rst` is the reset
    /// that blocks see. Says whether a level changed, of which blocks of the packet source are
    /// told.
    pub fn step(&mut self, clk: u64, rst: bool, shown: &Shown, i: &Pins, source: &Source) -> bool {
        if !rst && self.is_calm(clk, i) && source.gives_beats_alone() {
            self.step_calm(clk, i, source);
            return false;
        }
        let Shown { csr, time, dma, parse, pause, ack, txmux, rtt, reaction, engine, telemetry, recorder, histograms, pacer, .. } = shown;
        let (ack_goes, data_goes) = (shown.ack_goes, shown.data_goes);
        let granted = pacer.grant.map(|g| (g.flow, g.launch));
        let held = self.hold.block.through(clk, granted, source.grant_ready);
        let sends_ack = ack.beat.filter(|_| ack_goes);
        let data = source.data.filter(|_| data_goes);
        if let Some(beat) = sends_ack.filter(|_| txmux.ack_ready) {
            self.ack_inside = !beat.last;
        }
        if let Some((beat, _)) = data.filter(|_| txmux.data_ready) {
            self.data_inside = !beat.last;
        }
        if rst {
            (self.ack_inside, self.data_inside) = (false, false);
        }
        let levels = Levels {
            pause: i.pause | pause.priorities | held.holds,
            stop: csr.stop,
            increment: csr.settings.time_increment,
            ptp: csr.settings.time_ptp,
            lead: csr.settings.lead,
            swept: self.swept,
            lost: csr.lost,
            loading: dma.loading,
            every: csr.settings.event_every,
            filter: csr.settings.event_filter,
            at: csr.histogram_at,
            keyed: csr.settings.nonce_keyed,
        };
        // A block that waits for a level to change is stepped when it does.
        let changed = rst || levels != self.levels;
        self.levels = levels;
        // A query of csr goes first; an answer belongs to the block that asked three clocks ago.
        let dma_asks = dma.query.is_some() && csr.query.is_none();
        let [asked, asked_before, dma_answered] = self.asked;
        self.asked = if rst { [false; 3] } else { [dma_asks, asked, asked_before] };
        let sample = rtt.sample.or(source.sample);
        let next = Crossing {
            profile: csr.profile,
            flow: csr.flow,
            host: csr.host.map(|h| FlowRate { flow: h.flow, value: h.rate }),
            query: csr.query.or(dma.query.filter(|_| dma_asks).map(|flow| Query { flow, tag: DMA_TAG })),
            histogram_clear: csr.histogram_clear,
            sent: source.sent,
            sample,
            acked: rtt.acked,
            event: engine.event,
            superseded: engine.superseded,
        };
        let crossed = std::mem::replace(&mut self.crossing, if rst { Crossing::default() } else { next });
        let bus = crossed.profile.is_some() || crossed.flow.is_some();
        let served =
            dma.load.is_some() || source.load.is_some() || telemetry.answer.is_some() || csr.doorbell.is_some() || self.pulses != 0;

        let accessed =
            i.aw.is_some() || i.w.is_some() || i.ar.is_some() || (csr.b.is_some() && i.b_ready) || (csr.r.is_some() && i.r_ready);
        let stepped = self.csr.step(clk, changed || accessed || served, || csr::In {
            rst,
            aw: i.aw,
            w: i.w,
            b_ready: i.b_ready,
            ar: i.ar,
            r_ready: i.r_ready,
            hd_ready: source.host_doorbell_ready,
            answer: telemetry.answer.filter(|_| !dma_answered),
            look_live: dma.live,
            look_refuse: dma.refuse,
            loading: dma.loading || source.loading,
            bulk: dma.load.or(source.load),
            pair_status: source.pair_status,
            pair_told: match [csr.settings.pair_word.into()] {
                word if timely_regs::map::roce::OF_RULE.get(&word) == 1 => source.rule_told,
                word => source.pair_told.get(timely_regs::map::roce::WORD.get(&word) as usize).copied().unwrap_or(0),
            },
            histogram_count: histograms.count,
            histogram_clearing: histograms.clearing,
            pulses: self.pulses,
            swept: self.swept,
            now: time.date,
        });
        let offered = i.memory.b.is_some() || i.memory.r.is_some();
        let told = recorder.record.is_some() || csr.written.is_some() || csr.look.is_some() || dma.query.is_some() || dma_answered;
        let mut others = stepped;
        others |= self.dma.step(clk, changed || offered || told, || dma::In {
            rst,
            written: csr.written,
            look: csr.look,
            lost: csr.lost,
            record: recorder.record,
            query_ready: csr.query.is_none(),
            answer: telemetry.answer.filter(|_| dma_answered).map(|a| a.record),
            memory: i.memory,
        });
        let c = &csr.settings;
        others |= self.time.step(clk, changed || csr.time_set.is_some() || i.ptp.is_some(), || time::In {
            rst,
            increment: c.time_increment,
            ptp: c.time_ptp,
            ptp_time: i.ptp,
            set: csr.time_set,
            lead: c.lead,
        });
        self.parse.step(clk, rst || i.rx.is_some(), || parse::In { rst, beat: i.rx, stamp: i.rx_ts, bad: i.rx_bad, port: c.udp_port });
        let holds = pause.priorities != 0 || pause.pause || pause.pfc || pause.held;
        others |= self.pause.step(clk, rst || holds || parse.report.is_some(), || pause::In {
            rst,
            enable: c.pause & 1 == 1,
            line_rate: c.line_rate,
            report: parse.report,
        });
        let newly_set = self.differing != 0 && self.earlier != self.late;
        others |=
            self.ack.step(clk, rst || newly_set || csr.written.is_some() || parse.report.is_some() || ack.beat.is_some(), || ack::In {
                rst,
                config: ack_config(c, &self.late),
                written: csr.written,
                now: time.date,
                report: parse.report,
                ready: txmux.ack_ready && ack_goes,
            });
        if self.differing != 0 {
            self.earlier = std::mem::replace(&mut self.late, *c);
            self.differing -= 1;
        }
        if stepped && self.csr.block.settings() != c {
            self.differing = SETTLING;
        }
        self.txmux.step(clk, rst || sends_ack.is_some() || data.is_some() || txmux.beat.is_some(), || txmux::In {
            rst,
            fair: false,
            ack: sends_ack,
            data,
            ready: i.tx_ready,
        });
        let header = parse.report.filter(|r| r.kind == parse::kind::ACK).map(|r| {
            let h = Header::read(&r.header);
            AckHeader {
                flow: h.flow,
                place: h.place,
                segment: h.segment,
                nonce: h.nonce,
                source: r.source(),
                ts: r.stamp,
                arrival: h.arrival,
                departure: h.departure,
                ttl_sent: h.ttl_sent,
                ttl_seen: h.ttl_seen,
                loss: h.loss,
            }
        });
        others |= self.rtt.step(clk, rst || source.sent.is_some() || i.completion.is_some() || header.is_some() || bus, || rtt::In {
            rst,
            // A launch is of the steady time; what is measured from it needs a date.
            sent: source.sent.map(|s| Sent { launch: time::launch_date(s.launch, time.offset), ..s }),
            completion: i.completion,
            ack: header,
            profile: crossed.profile,
            flow: crossed.flow,
            ns_per_byte: c.ns_per_byte,
            key: c.nonce_key,
            now: time.steady,
            time_epoch: time.epoch,
            departed_epoch: time.departed_epoch,
        });
        let marked = header.map(|_| parse.report.is_some_and(|r| Header::read(&r.header).ecn_seen == CE));
        // Of queue pairs' samples time-outs and NAKs alone.
        let heard_sample = rtt.sample.or(source.sample.filter(|s| s.kind != KIND_RTT));
        let heard =
            marked.is_some() || heard_sample.is_some() || rtt.release.is_some() || reaction.action.is_some() || source.notice.is_some();
        others |= self.reaction.step(clk, rst || heard || bus, || reaction::In {
            rst,
            notice: source.notice,
            ack: marked,
            sample: heard_sample,
            release: rtt.release,
            profile: crossed.profile,
            load: crossed.flow,
            now: time.steady,
            ready: crossed.host.is_none(),
        });
        let (idle, limited) = (pacer.idle.or(source.idle), pacer.limited.or(source.limited));
        let asked = sample.is_some() || idle.is_some() || limited.is_some() || crossed.host.is_some() || reaction.action.is_some();
        others |= self.engine.step(clk, rst || asked || bus, || engine::In {
            rst,
            sample,
            idle,
            limited,
            host: crossed.host,
            reaction: reaction.action,
            load: crossed.flow,
            profile: crossed.profile,
        });
        let counted = crossed.sent.is_some() || crossed.sample.is_some() || crossed.acked.is_some() || crossed.superseded.is_some();
        let told = counted || crossed.event.is_some() || crossed.flow.is_some();
        others |= self.telemetry.step(clk, rst || told || crossed.query.is_some(), || telemetry::In {
            rst,
            sent: crossed.sent,
            sample: crossed.sample,
            acked: crossed.acked,
            event: crossed.event,
            superseded: crossed.superseded,
            flow: crossed.flow,
            query: crossed.query,
            now: (time.steady >> 26) as u32,
        });
        let recorded = crossed.event.is_some() || recorder.record.is_some() || crossed.profile.is_some();
        others |= self.recorder.step(clk, changed || recorded, || recorder::In {
            rst,
            event: crossed.event,
            now: time.date,
            profile: crossed.profile,
            every: c.event_every,
            filter: c.event_filter,
            ready: dma.record_ready,
        });
        others |= self.histograms.step(clk, changed || crossed.event.is_some() || crossed.histogram_clear != 0, || histograms::In {
            rst,
            event: crossed.event,
            at: csr.histogram_at,
            clear: crossed.histogram_clear,
        });
        let bound = |w: ProfileWrite| if self.unbounded && w.word == OUTSTANDING.word { ProfileWrite { data: 0, ..w } } else { w };
        let pacer_profile = crossed.profile.map(bound);
        others |= self.step_pacer(clk, rst, changed, shown, i, source, (pacer_profile, crossed.flow), held);
        let paused = i.pause | pause.priorities;
        others |= self.hold.step(clk, changed || paused != 0 || crossed.flow.is_some(), || hold::In {
            rst,
            paused,
            load: crossed.flow,
            grant: granted,
            ready: source.grant_ready,
        });
        let bit = |happens: bool, counter: Counter| u64::from(happens) << counter as u32;
        let paused = bit(pause.pause, Counter::PauseFrames) | bit(pause.pfc, Counter::PfcFrames) | bit(pause.held, Counter::PausedTime);
        let own = bit(recorder.dropped, Counter::RecordsDropped) | paused;
        let pulses = parse.pulses | ack.pulses | rtt.pulses | reaction.pulses | engine.pulses | pacer.pulses | source.pulses | own;
        self.pulses = if rst { 0 } else { pulses };
        self.swept =
            !rst && rtt.swept && reaction.swept && engine.swept && telemetry.swept && histograms.swept && pacer.swept && source.swept;
        // An answer that waits for the host is no step, and is one when the host takes it.
        self.calm(changed || others || csr.b.is_some() || csr.r.is_some());
        changed
    }

    #[allow(clippy::too_many_arguments)]
    fn step_pacer(
        &mut self,
        clk: u64,
        rst: bool,
        changed: bool,
        shown: &Shown,
        i: &Pins,
        source: &Source,
        (profile, load): (Option<ProfileWrite>, Option<FlowLoad>),
        held: hold::Out,
    ) -> bool {
        let Shown { csr, time, pause, rtt, engine, pacer, .. } = shown;
        let adjusting = !self.time.block.is_straight();
        let stepping = std::mem::replace(&mut self.adjusting, adjusting);
        let Some(part) = &mut self.pacer else { return false };
        let told = source.doorbell.is_some() || source.charge.is_some() || rtt.release.is_some() || engine.rate.is_some();
        let bus = profile.is_some() || load.is_some();
        let stepped = part.step(clk, changed || stepping || told || pacer.grant.is_some() || bus, || pacer::top::In {
            rst,
            doorbell: source.doorbell,
            release: rtt.release,
            charge: source.charge,
            rate: engine.rate.map(|r| (r.flow, r.value)),
            profile,
            load,
            pause: i.pause | pause.priorities | held.holds,
            stop: csr.stop,
            now: time.later,
            grant_ready: held.ready,
        });
        // While the increment or the lead changes, the pacer sees every clock of its time; then it
        // is told the new line. The bit more makes up for the fraction that the line does not
        // carry; a wake-up may come early.
        if adjusting {
            part.block.lose_time();
        } else if stepping || changed {
            let map = TimeMap { clk0: clk + 1, now: self.time.block.later(clk + 1) + 1, step: csr.settings.time_increment.max(1) };
            part.block.set_time(map);
            part.due = part.due.min(part.block.wake(clk + 1));
        }
        stepped || adjusting
    }

    /// `later` from clock `clk` on, if it runs along a line then: a bit early, as a line carries no
    /// fraction.
    pub fn line(&self, clk: u64) -> Option<TimeMap> {
        let step = self.csr.block.settings().time_increment.max(1);
        self.time.block.is_straight().then(|| TimeMap { clk0: clk, now: self.time.block.later(clk) + 1, step })
    }

    /// The first clock from `clk` on that must be stepped though all inputs stay idle: `clk` while
    /// a beat stands at the transmit stream.
    pub fn wake(&self, clk: u64) -> u64 {
        self.wake_with(clk, self.txmux.due)
    }

    fn wake_with(&self, clk: u64, txmux: u64) -> u64 {
        if clk < self.calm_until {
            return self.calm_until.min(self.parse.due).min(txmux).max(clk);
        }
        // A record that waits is offered to DMA at every clock.
        if self.is_stirred() || self.recorder.block.output(clk).record.is_some() {
            return clk;
        }
        self.parts(self.parse.due, txmux).into_iter().min().unwrap_or(u64::MAX).max(clk)
    }

    // Something moves between blocks. An idle input has no priority paused: after one that had, it
    // is a change.
    fn is_stirred(&self) -> bool {
        self.pulses != 0
            || self.asked != [false; 3]
            || !self.crossing.is_idle()
            || self.swept != self.levels.swept
            || self.levels.pause != 0
            || self.differing != 0
    }

    /// As [`wake`](Self::wake), but for a beat that stands at the transmit stream: the clock at
    /// which that is taken is known to who takes it.
    pub fn wake_but_tx(&self, clk: u64) -> u64 {
        self.wake_with(clk, if self.txmux.block.stands() { u64::MAX } else { self.txmux.due })
    }

    /// A beat of the source's would be taken at clock `clk`.
    pub fn takes_data(&self, clk: u64) -> bool {
        self.txmux.block.output(clk).data_ready && (self.data_inside || !self.pause.block.output(clk).all)
    }

    fn parts(&self, parse: u64, txmux: u64) -> [u64; 15] {
        [
            self.time.due,
            parse,
            self.pause.due,
            self.hold.due,
            self.ack.due,
            txmux,
            self.rtt.due,
            self.reaction.due,
            self.engine.due,
            self.telemetry.due,
            self.recorder.due,
            self.histograms.due,
            self.csr.due,
            self.dma.due,
            self.pacer.as_ref().map_or(u64::MAX, |p| p.due),
        ]
    }
}
