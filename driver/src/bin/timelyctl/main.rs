//! `timelyctl`: looks at a timely-nic and configures it, through its daemon or by itself.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
mod advice;
mod backend;
mod cli;
mod doctor;
mod events;
mod follow;
mod show;
mod signals;
mod times;
mod top;
mod traffic;

use backend::{Backend, CliError};
use clap::CommandFactory;
use cli::{Cli, Command, Flow, Pairs, Port, Profile, Reg, Sim};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use timely_driver::Error;
use timely_driver::command;
use timely_driver::config::Config;
use timely_driver::folders::state_folder;
use timely_driver::pci::{Address, System};
use timely_driver::report::DeviceReport;
use timely_driver::say::note;
use timely_driver::selftest;
use timely_driver::service::{NotifySetup, PairSetup, PairsChange, Request};
use timely_driver::sim;
use timely_driver::spec::{PortSpec, ProfileSpec, likely_line};
use timely_driver::target::{Target, TargetError};
use timely_driver::transport::Failure;
use timely_regs::layout::fold;
use top::Terminal;

/// Text of a result: JSON for programs, or the output of `show`, folded, for people.
fn text<T: DeserializeOwned>(json: bool, value: Value, show: impl FnOnce(&T) -> String) -> Result<String, CliError> {
    if json {
        return Ok(serde_json::to_string_pretty(&value).unwrap_or_default());
    }
    let read = serde_json::from_value(value).map_err(|e| CliError::Failed(format!("an answer is not understood: {e}; use one version")));
    Ok(fit(&show(&read?)))
}

/// The text, folded where stdout is a narrower terminal.
fn fit(text: &str) -> String {
    stdout_columns().map_or(text.to_owned(), |columns| fold(text, columns))
}

/// Columns of stdout, when that is a terminal that says so.
fn stdout_columns() -> Option<usize> {
    std::io::stdout().is_terminal().then(Terminal::size).flatten().map(|size| size.0)
}

/// Prints it.
fn print<T: DeserializeOwned>(json: bool, value: Value, show: impl FnOnce(&T) -> String) -> Result<(), CliError> {
    write_out(&text(json, value, show)?)
}

/// Prints; a pipe that its reader has closed, as `head` does, is no error.
fn write_out(text: &str) -> Result<(), CliError> {
    put_out(text).map(drop)
}

/// Prints; `false` when the reader has closed the pipe, so that repeated output ends then.
fn put_out(text: &str) -> Result<bool, CliError> {
    match writeln!(std::io::stdout(), "{text}") {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(e) => Err(CliError::Failed(format!("output: {e}; free space"))),
    }
}

/// The file that keeps the driver a card had before `bind`.
fn memory(folder: &Path, address: Address) -> PathBuf {
    folder.join(format!("{address}.before"))
}

fn on_machine(cli: &Cli) -> Result<Option<ExitCode>, CliError> {
    match &cli.command {
        Command::List => {
            let found = System::default().list();
            write_out(&if cli.json { show::devices_json(&found) } else { fit(&show::devices(&found)) })?;
        }
        Command::Bind { addresses, force } => {
            let folder = state_folder().map_err(TargetError::from)?;
            let all = System::default().bind(addresses, |a| memory(&folder, a), *force)?;
            if cli.json {
                done(true, &Value::Null, show::bound_json(&all))?;
            }
            for bound in all {
                let (address, before) = (bound.address, bound.before.as_deref().unwrap_or("nobody"));
                if !cli.json {
                    write_out(&fit(&format!("{address} (IOMMU group {}) was driven by {before}, and is vfio-pci's now", bound.group)))?;
                }
                if before == "mqnic" {
                    note(format_args!(
                        "its network interface is gone until `timelyctl unbind {address}`: host queues, which Corundum paces, are too"
                    ));
                }
            }
        }
        Command::Unbind { addresses } => {
            let (folder, system) = (state_folder().map_err(TargetError::from)?, System::default());
            addresses.iter().try_for_each(|a| system.check_given(*a))?;
            let mut all = Vec::new();
            for address in addresses {
                let now = system.unbind(*address, &memory(&folder, *address))?;
                if !cli.json {
                    write_out(&format!("{address} is driven by {} again", now.as_deref().unwrap_or("nobody")))?;
                }
                all.push(json!({"device": address.to_string(), "driver": now}));
            }
            done(cli.json, &Value::Null, all.into())?;
        }
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "timelyctl", &mut text);
            write_out(&String::from_utf8_lossy(&text))?;
        }
        Command::Man { folder } => {
            let written = clap_mangen::generate_to(Cli::command(), folder);
            written.map_err(|e| CliError::Failed(format!("{}: {e}; give a folder that can be written", folder.display())))?;
        }
        Command::Reg(Reg::List) => write_out(&if cli.json { show::registers_json() } else { fit(&show::registers()) })?,
        Command::Sim(Sim::Stop) => {
            let model = matches!(cli.device, Some(Target::Sim { model: true }));
            let process = sim::stop(model).map_err(TargetError::from)?;
            if !cli.json {
                write_out(&format!("ended process {process}"))?;
            }
            done(cli.json, &Value::Null, json!({"ended": process}))?;
        }
        Command::Send(arguments) => traffic::run_send(arguments, cli.json)?,
        Command::Recv(arguments) => traffic::run_recv(arguments, cli.json)?,
        _ => return Ok(None),
    }
    Ok(Some(ExitCode::SUCCESS))
}

/// Exit code of a change that is in force and not saved.
const NOT_SAVED: u8 = 6;

/// Prints the result of a change as JSON, for programs, with what its answer says of the file;
/// without `json` a change that was done prints nothing.
fn done(json: bool, answer: &Value, mut what: Value) -> Result<(), CliError> {
    if let Some(fields) = what.as_object_mut() {
        let news = ["saved", "not_saved", "kept"].into_iter().filter_map(|key| Some((key.into(), answer.get(key)?.clone())));
        fields.extend(news);
    }
    if json { write_out(&serde_json::to_string_pretty(&what).unwrap_or_default()) } else { Ok(()) }
}

/// Says what an answer says of the file; `false` when a change is not saved.
fn tell_saving(answer: &Value, device: Option<&Target>) -> bool {
    if let Some(kept) = answer.get("kept").and_then(Value::as_str) {
        note(format_args!("the configuration of before is kept as {kept}"));
    }
    if let Some(text) = answer.get("not_saved").and_then(Value::as_str) {
        note(advice::for_device(text, device));
    }
    answer.get("saved") != Some(&Value::Bool(false))
}

/// The line of a port that was set without one: what a NIC says of its bus bounds it.
fn usual_line(info: Value) -> Result<String, CliError> {
    let info: DeviceReport =
        serde_json::from_value(info).map_err(|e| CliError::Failed(format!("an answer is not understood: {e}; use one version")))?;
    let line = likely_line(info.bus_bits, info.clock_ps);
    if line != PortSpec::with_mac("").line {
        note(format_args!(
            "line is {line}, the fastest link that {} bits at {} ps carry; `--line` says another",
            info.bus_bits, info.clock_ps
        ));
    }
    Ok(line.into())
}

/// Says the note of an answer, if it has one.
fn tell_note(answer: &Value, device: Option<&Target>) {
    if let Some(text) = answer.get("note").and_then(Value::as_str) {
        note(advice::for_device(text, device));
    }
}

fn run(cli: &Cli) -> Result<ExitCode, CliError> {
    match &cli.command {
        Command::Top(_) if cli.json => {
            return Err(CliError::Wrong("top has no JSON; `--json telemetry --watch` has the same numbers".into()));
        }
        Command::Events(arguments) if cli.json && arguments.prints() => {
            return Err(CliError::Wrong("events are printed as CSV; give --out FILE, and --json for how many there were".into()));
        }
        _ => {}
    }
    if let Some(code) = on_machine(cli)? {
        return Ok(code);
    }
    if cli.socket.is_some() && cli.device.is_none() {
        let named = "the socket of a timelyd says nothing of its device: give --device too, or set TIMELY_DEVICE";
        return Err(CliError::Wrong(named.into()));
    }
    let target = cli.device.clone().unwrap_or_else(|| {
        let (target, simulated) = Target::usual();
        if simulated {
            note(format_args!("no card of ours is in this machine: taking simulated NICs (--device sim)"));
        }
        target
    });
    match &cli.command {
        Command::Doctor => return doctor::run(&target, cli.socket.as_deref(), cli.json),
        Command::Selftest => {
            let place = Config::read(&target.state()?)?.device;
            // Opened once before the test, so that a device that is absent or in use is no finding
            // of the test.
            drop(target.transport(place)?);
            let mut open = || target.transport(place).map_err(|e| backend::as_failure(&target, e));
            let report = selftest::run(&mut open, &selftest::Options::default()).map_err(|e| match e {
                Error::Transport(Failure::InUse { .. }) => CliError::Taken(e.to_string()),
                e => CliError::Found(e.to_string()),
            })?;
            write_out(&if cli.json { show::selftest_json(&report) } else { fit(report.to_string().trim_end()) })?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    let json = cli.json;
    let socket = cli.socket.as_deref();
    let mut nic = if matches!(cli.command, Command::Reset { flows: false }) {
        Backend::open_to_reset(&target, socket)?
    } else if matches!(cli.command, Command::Pairs(Pairs::Follow(_))) {
        Backend::open_daemon(&target, socket)?
    } else {
        Backend::open(&target, socket)?
    };
    let mut saved = true;
    let mut ask = |request: Request| {
        let answer = nic.ask(request)?;
        saved &= tell_saving(&answer, cli.device.as_ref());
        Ok::<_, CliError>(answer)
    };
    match &cli.command {
        Command::Info => print(json, ask(Request::Info {})?, show::info)?,
        Command::Reset { flows: true } => {
            done(json, &ask(Request::ResetFlows {})?, json!({"reset": "flows"}))?;
        }
        Command::Reset { flows: false } => {
            done(json, &ask(Request::Reset {})?, json!({"reset": true}))?;
        }
        Command::Enable => {
            done(json, &ask(Request::Enable { on: true })?, json!({"enabled": true}))?;
        }
        Command::Disable => {
            done(json, &ask(Request::Enable { on: false })?, json!({"enabled": false}))?;
        }
        Command::Port(Port::Show) => print(json, ask(Request::PortShow {})?, show::port)?,
        Command::Port(Port::Set {
            mac,
            ipv4,
            prefix4,
            ipv6,
            vlan,
            udp_port,
            line,
            ack_share,
            pause,
            ack_priority,
            store_waits,
            dma,
            no_answer,
            allow,
        }) => {
            let line = match line {
                Some(line) => line.clone(),
                None => usual_line(ask(Request::Info {})?)?,
            };
            let port = PortSpec {
                ipv4: *ipv4,
                prefix4: *prefix4,
                ipv6: *ipv6,
                vlan: *vlan,
                udp_port: *udp_port,
                line,
                answer: !no_answer,
                ack_share: *ack_share,
                pause: *pause,
                ack_priority: *ack_priority,
                store_waits: *store_waits,
                dma: dma.clone(),
                allow: allow.clone(),
                ..PortSpec::with_mac(mac)
            };
            // As `port show` prints it; for people, only what follows from it is news.
            let set = ask(Request::PortSet { port })?;
            tell_note(&set, cli.device.as_ref());
            if json || set.get("ahead").is_some() {
                print(json, set, show::port)?;
            }
        }
        Command::Profile(Profile::List) => print(json, ask(Request::ProfileList {})?, |p: &Vec<_>| show::profiles(p))?,
        Command::Profile(Profile::Show { profile }) => print(json, ask(Request::ProfileShow { profile: *profile })?, show::profile)?,
        Command::Profile(Profile::Set { profile, like, base_rtt, line, set }) => {
            let spec = ProfileSpec::new(like, base_rtt.as_deref(), line.as_deref(), set).map_err(|e| CliError::Refused(e.to_string()))?;
            let set = ask(Request::ProfileSet { profile: *profile, spec })?;
            tell_note(&set, cli.device.as_ref());
            print(json, set, show::profile)?;
        }
        Command::Flow(Flow::List) => print(json, ask(Request::FlowList {})?, |f: &Vec<_>| show::flows(f))?,
        Command::Flow(Flow::Show { flow }) => {
            let spec = ask(Request::FlowShow { flow: *flow })?;
            let telemetry = ask(Request::Telemetry { flows: Some(vec![*flow]) })?;
            if json {
                print(true, json!({"configured": spec, "telemetry": telemetry}), |_: &Value| String::new())?;
            } else {
                print(false, Value::Array(vec![spec]), |f: &Vec<_>| show::flows(f))?;
                print(false, telemetry, |t| show::telemetry(t, None))?;
            }
        }
        Command::Flow(Flow::Add { flow, arguments }) => {
            let spec = arguments.spec(&target)?;
            let added = ask(Request::FlowAdd { flow: *flow, spec })?;
            tell_note(&added, cli.device.as_ref());
            print(json, added, |f| show::flows(std::slice::from_ref(f)))?;
        }
        Command::Flow(Flow::Set { flow, arguments }) => {
            let spec = arguments.spec(&target)?;
            let set = ask(Request::FlowSet { flow: *flow, spec })?;
            tell_note(&set, cli.device.as_ref());
            print(json, set, |f| show::flows(std::slice::from_ref(f)))?;
        }
        Command::Flow(Flow::Remove { flow }) => {
            done(json, &ask(Request::FlowRemove { flow: *flow })?, json!({"removed": flow}))?;
        }
        Command::Flow(Flow::Post { flow, packets }) => {
            done(json, &ask(Request::FlowPost { flow: *flow, packets: *packets })?, json!({"flow": flow, "posted": packets}))?;
        }
        Command::Pairs(Pairs::Show) => print(json, ask(Request::PairsShow {})?, show::queue_pairs)?,
        Command::Pairs(Pairs::Setup {
            profile,
            priority,
            mtu,
            age,
            store_bound,
            rules,
            host_timeout,
            notify,
            notify_interval,
            notify_dscp,
            ask_every,
        }) => {
            let notify = notify.then_some(NotifySetup { interval_us: *notify_interval, dscp: *notify_dscp });
            let setup = PairSetup {
                profile: *profile,
                priority: *priority,
                rules: rules.clone(),
                host_timeout_us: *host_timeout,
                mtu: *mtu,
                age_s: *age,
                store_bound: *store_bound,
                notify,
                ask_every: *ask_every,
            };
            let set = ask(Request::PairsSetup { setup })?;
            tell_note(&set, cli.device.as_ref());
            print(json, set, show::queue_pairs)?;
        }
        Command::Pairs(Pairs::Change { ask_every, notify, interval, dscp }) => {
            let change = PairsChange { ask_every: *ask_every, notify: *notify, interval_us: *interval, dscp: *dscp };
            print(json, ask(Request::PairsChange { change })?, show::queue_pairs)?;
        }
        Command::Pairs(Pairs::Rules { rules, none }) => {
            let request = if rules.is_empty() && !none { Request::PairsShow {} } else { Request::PairsRules { rules: rules.clone() } };
            let report = ask(request)?;
            let rules = report.get("rules").cloned();
            print(
                json,
                rules
                    .ok_or(CliError::Failed("this timelyd knows no rules of queue pairs; start the one that came with timelyctl".into()))?,
                |rules: &Vec<_>| show::rules(rules),
            )?;
        }
        Command::Pairs(Pairs::Stop) => {
            done(json, &ask(Request::PairsStop {})?, json!({"in_use": false}))?;
        }
        Command::Pairs(Pairs::Join { pair, local, profile }) => {
            let request = Request::PairJoin { pair: pair.key(), local: *local, profile: *profile };
            print(json, ask(request)?, show::queue_pair)?;
        }
        Command::Pairs(Pairs::Follow(arguments)) => follow::run(&mut nic, arguments, json)?,
        Command::Pairs(Pairs::List) => print(json, ask(Request::PairsList {})?, |l: &Vec<_>| show::listed_pairs(l))?,
        Command::Pairs(Pairs::Remove { pair }) => {
            let removed = ask(Request::PairRemove { pair: pair.key() })?;
            done(json, &Value::Null, removed)?;
        }
        Command::Telemetry { flows, watch, interval, count } => {
            let asked = (!flows.is_empty()).then(|| flows.clone());
            let (mut before, mut times) = (None, 0);
            loop {
                let value = ask(Request::Telemetry { flows: asked.clone() })?;
                let read = put_out(&text(json, value.clone(), |t| show::telemetry(t, before.as_ref()))?)?;
                times += 1;
                if !read || !watch || count.is_some_and(|c| times >= c) {
                    break;
                }
                before = serde_json::from_value(value).ok();
                std::thread::sleep(*interval);
            }
        }
        Command::Reg(Reg::Read { register }) => {
            print(json, ask(Request::RegRead { register: register.clone() })?, |r| show::register(std::slice::from_ref(r)))?
        }
        Command::Reg(Reg::Write { register, value }) => {
            done(
                json,
                &ask(Request::RegWrite { register: register.clone(), value: *value })?,
                json!({"register": register, "written": value}),
            )?;
        }
        Command::Reg(Reg::Dump { block }) => print(json, ask(Request::RegDump { block: block.clone() })?, |r: &Vec<_>| show::register(r))?,
        Command::Clock { pairs } => print(json, ask(Request::Clock { pairs: *pairs })?, show::clock)?,
        Command::Top(arguments) => top::run(&mut nic, arguments)?,
        Command::Events(arguments) => events::run(&mut nic, arguments, json)?,
        _ => {}
    }
    nic.close()?;
    Ok(if saved { ExitCode::SUCCESS } else { ExitCode::from(NOT_SAVED) })
}

fn main() -> ExitCode {
    let cli: Cli = command::parse();
    run(&cli).unwrap_or_else(|e| {
        note(format_args!("error: {}", advice::for_device(&e.to_string(), cli.device.as_ref())));
        ExitCode::from(e.code())
    })
}
