//! Figures of the driver, in seconds of this machine, and beside plain register reads of the same
//! run.
use super::figure::{Bound, Figure};
use crate::flood::{Flood, LAST, Made};
use crate::in_process::InProcess;
use crate::nic::model;
use crate::served::{Served, fresh};
use crate::torn;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::path::Path;
use std::time::{Duration, Instant};
use timely_driver::client::Client;
use timely_driver::daemon::{Daemon, Options};
use timely_driver::nic::{End, Nic, Start};
use timely_driver::record::Sink;
use timely_driver::service::{Request, Service};
use timely_driver::transport::vfio_user::VfioUser;
use timely_regs::event::{BYTES, EventRecord};
use timely_regs::flow::FlowRecord;
use timely_regs::parameters::Parameters;
use timely_sim::scenario::NicKind;

/// Events a second that are asked for.
const EVENTS: f64 = 1e6;
/// Events a second of a producer that a daemon must keep up with.
const PACED: f64 = 1.1e6;
/// Register reads that are timed.
const READS: u32 = 2000;

fn text(e: impl std::fmt::Display) -> String {
    e.to_string()
}

fn seconds<T>(act: impl FnOnce() -> Result<T, String>) -> Result<(T, f64), String> {
    let start = Instant::now();
    act().map(|done| (done, start.elapsed().as_secs_f64()))
}

/// All flows of a served model, loaded and read by DMA. Gives the time of a register read.
fn bulk(quick: bool, figures: &mut Vec<Figure>) -> Result<f64, String> {
    let served = Served::start(NicKind::Model, if quick { 10 } else { 16 });
    let mut nic = Nic::open(Box::new(VfioUser::connect(served.path()).map_err(text)?), Start::Fresh).map_err(text)?;
    nic.set_profile(0, &Parameters::fixed(1.0)).map_err(text)?;
    let flows = nic.device().flows();
    let (_, reads) = seconds(|| (0..READS).try_for_each(|_| nic.transport().read32(0).map(drop).map_err(text)))?;
    let read = reads / f64::from(READS);
    let records: Vec<FlowRecord> =
        (0..flows).map(|f| FlowRecord { enable: true, source_port: f as u16, ..FlowRecord::default() }).collect();
    let (_, load) = seconds(|| nic.load_flows(0, &records).map_err(text))?;
    let (taken, snapshot) = seconds(|| nic.snapshot(0, flows).map_err(text))?;
    let loaded = taken.iter().filter(|r| r.rate != 0).count();
    if loaded != taken.len() {
        return Err(format!("{loaded} of {flows} flows have a rate after they were loaded"));
    }
    nic.close(End::Stopped).map_err(text)?;
    figures.push(Figure::new("driver.register_read_us", read * 1e6, "a register read over the socket, the model behind it"));
    let each = format!("s, {flows} flows loaded by DMA over the socket");
    figures.push(Figure::new("driver.load_64k_s", load, &each).bound(Bound::AtMost(2.0)));
    figures.push(Figure::new("driver.load_64k_reads", load / read, "the same in register reads"));
    let each = format!("s, a snapshot of {flows} flows over the socket");
    figures.push(Figure::new("driver.snapshot_64k_s", snapshot, &each).bound(Bound::AtMost(1.0)));
    figures.push(Figure::new("driver.snapshot_64k_reads", snapshot / read, "the same in register reads"));
    Ok(read)
}

/// The records that a file got out of a ring.
#[derive(Default)]
struct Got {
    records: u64,
    lost: u64,
    seconds: f64,
}

impl Got {
    /// Records that are neither in the file nor counted as lost.
    fn unnoticed(&self, made: Made) -> f64 {
        made.records as f64 - self.records as f64 - self.lost as f64
    }
}

fn service(per_second: Option<f64>) -> Result<(Service, crate::flood::Producer), String> {
    let (way, producer) = Flood::new(InProcess::new(model(64, 10), u64::MAX), per_second);
    let nic = Nic::open(Box::new(way), Start::Fresh).map_err(text)?;
    Ok((Service::new(nic, None), producer))
}

/// As `timelyctl events` does it without a daemon, the ring as full as it gets.
fn direct(file: &Path, time: Duration) -> Result<(Got, Made), String> {
    let (mut service, mut producer) = service(None)?;
    let mut sink = Sink::new(Some(file)).map_err(text)?;
    let mut got = Got::default();
    let mut turn = |service: &mut Service, got: &mut Got| {
        let mut failed = None;
        let drained = service.drain_events(|r| failed = sink.write(r, &r.to_bytes()).err().or(failed.take())).map_err(text)?;
        let (report, goes_on) = drained;
        goes_on.map_err(text)?;
        (got.records, got.lost) = (got.records + report.records, got.lost + report.lost + report.broken);
        failed.map_or(Ok(report.records), |e| Err(text(e)))
    };
    service.start_events(1, None, None).map_err(text)?;
    let start = Instant::now();
    while start.elapsed() < time {
        turn(&mut service, &mut got)?;
    }
    got.seconds = start.elapsed().as_secs_f64();
    let within = got.records;
    producer.end();
    turn(&mut service, &mut got)?;
    producer.one_more();
    turn(&mut service, &mut got)?;
    // The rate is that of the time in which the ring was full.
    got.seconds *= got.records as f64 / within.max(1) as f64;
    sink.flush().map_err(text)?;
    Ok((got, producer.made()))
}

/// As `timelyctl events` does it through `timelyd`.
fn through_daemon(file: &Path, time: Duration) -> Result<(Got, Made), String> {
    let (service, mut producer) = service(Some(PACED))?;
    let socket = fresh("daemon");
    let options = Options { socket: socket.clone(), users: Vec::new(), heartbeat: None, metrics: None, refclock: None };
    let (stopped, stop) = rustix::pipe::pipe().map_err(text)?;
    let daemon = Daemon::new(service, options, stopped).map_err(text)?;
    let thread = std::thread::spawn(move || daemon.run());
    let mut client = Client::connect(&socket).map_err(text)?.ok_or("no daemon listens")?;
    let mut sink = Sink::new(Some(file)).map_err(text)?;
    let mut got = Got::default();
    let mut turn = |client: &mut Client, got: &mut Got| {
        let Some((lost, bytes)) = client.events(Duration::from_millis(100)).map_err(text)? else { return Ok(false) };
        got.lost += lost;
        for bytes in bytes.as_chunks::<BYTES>().0 {
            let record = EventRecord::from_bytes(bytes).map_err(text)?;
            sink.write(&record, bytes).map_err(text)?;
            got.records += 1;
        }
        Ok::<_, String>(true)
    };
    client.ask(Request::Events { every: 1, flow: None, profile: None }).map_err(text)?;
    let start = Instant::now();
    while start.elapsed() < time {
        turn(&mut client, &mut got)?;
    }
    got.seconds = start.elapsed().as_secs_f64();
    let within = got.records;
    producer.end();
    // Records on their way. A gap at the end is noticed at the record after it, which is made when
    // nothing comes any more.
    let end = Instant::now() + LAST;
    while got.unnoticed(producer.made()) != 0.0 && Instant::now() < end {
        if !turn(&mut client, &mut got)? && producer.is_drained() {
            producer.one_more();
        }
    }
    got.seconds *= got.records as f64 / within.max(1) as f64;
    sink.flush().map_err(text)?;
    drop((client, stop));
    thread.join().map_err(|_| "the daemon panicked")?.map_err(text)?;
    Ok((got, producer.made()))
}

/// Measures all of it; `root` is the workspace, under whose `target/` the events go.
pub fn measure(quick: bool, root: &Path, figures: &mut Vec<Figure>) -> Result<(), String> {
    let read = bulk(quick, figures)?;
    let folder = root.join("target/bench");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let file = folder.join("events.pcapng");
    let time = Duration::from_millis(if quick { 50 } else { 3000 });
    type Way = fn(&Path, Duration) -> Result<(Got, Made), String>;
    let ways: [(&str, Way, &str); 2] = [
        ("direct", direct, "out of a ring that is always full"),
        ("daemon", through_daemon, "through timelyd, of 1.1 million made a second"),
    ];
    for (name, way, what) in ways {
        let ran = way(&file, time);
        let _ = std::fs::remove_file(&file);
        let (got, made) = ran?;
        let rate = got.records as f64 / got.seconds;
        let key = |what: &str| format!("driver.{what}.{name}");
        figures.push(Figure::new(&key("events_per_s"), rate, &format!("into a pcapng file, {what}")).bound(Bound::AtLeast(EVENTS)));
        figures.push(Figure::new(&key("event_reads"), 1.0 / rate / read, "the time of one in register reads"));
        let lost = format!("of {} made; the ring dropped {}", made.records, made.dropped);
        figures.push(Figure::new(&key("events_lost"), got.lost as f64, &lost));
        let unnoticed = got.unnoticed(made);
        figures
            .push(Figure::new(&key("events_unnoticed"), unnoticed, "neither in the file nor counted as lost").bound(Bound::Exactly(0.0)));
    }
    let looked = torn::look(model(64, 10), if quick { 1000 } else { 1_000_000 }, &mut ChaCha8Rng::seed_from_u64(1));
    let note = format!("{} of them changed between two looks; none was torn, or this had panicked", looked.changed);
    figures.push(Figure::new("driver.records_whole", looked.records as f64, &note));
    Ok(())
}
