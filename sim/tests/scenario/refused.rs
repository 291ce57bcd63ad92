//! Scenarios that are refused before anything runs: file, line, value and what is allowed.
use super::{Unavailable, plan, scratch};
use std::path::Path;
use timely_sim::scenario::{Plan, build, file};
use timely_sim::time::Speed;
use timely_sim::topology::{Link, Topology};

#[test]
fn event_level_hosts_refuse_other_signals() {
    let text = include_str!("../../scenarios/reverse.toml").replace("\"model\"", "\"paced\"");
    let error = build::run(plan(&text), &Unavailable, |_| {}).err().expect("an error").to_string();
    assert!(error.contains("NICs of kind paced have no signal but the RTT; use rtl or model, or signal = \"rtt\""), "{error}");
    let swift = plan("[topology]\nhosts = 3\n[nic]\nkind = 'event'\n[[flow]]\nfrom = 0\nto = 1\nprofile = 'swift-10g'\n");
    let error = build::run(swift, &Unavailable, |_| {}).err().expect("an error").to_string();
    assert!(error.contains("use rtl or model, or signal = \"rtt\""), "{error}");
}

/// Networks of clocked NICs have neither rivals nor calls; of DCQCN the reason is said.
#[test]
fn clocked_networks_refuse_what_only_the_fabric_has() {
    let refused = |kind: &str, text: &str| {
        let p = plan(&format!("[topology]\nhosts = 3\n[nic]\nkind = '{kind}'\n{text}[[flow]]\nfrom = 0\nto = 1\n"));
        build::run(p, &Unavailable, |_| {}).err().expect("refused").to_string()
    };
    for (kind, text, why) in [
        ("model", "[switch]\nheadroom_kb = 40\n", "no headroom"),
        ("model", "[[load]]\nload = 0.1\nreply_bytes = 10\n", "no standing connections and no calls"),
        ("model", "[[flow]]\nfrom = 0\nto = 1\nread = true\n", "no READs"),
        ("model", "[profile.p]\ncontrol = 'dctcp'\n[[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\n", "no profile with a `control`"),
        (
            "model",
            "[profile.p]\ncontrol = 'dcqcn'\n[[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\n",
            "for DCQCN leave `control` out and take `like = \"dcqcn-10g\"`",
        ),
        ("software", "[profile.p]\ncontrol = 'dcqcn'\n[[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\n", "hears no marks and no CNPs"),
        ("paced", "[[flow]]\nfrom = 0\nto = 1\nclass = 2\n", "one class of data"),
    ] {
        let error = refused(kind, text);
        assert!(error.contains(why) && error.contains("use event or posted"), "{error}");
    }
}

#[test]
fn errors_name_file_line_value_and_what_is_allowed() {
    let error = |text: &str| file::parse(Path::new("dir/x.toml"), text).map(|_| ()).unwrap_err().to_string();
    let head = "[topology]\nhosts = 3\n";
    assert_eq!(error(&format!("{head}[link]\nloss = 1.5\n")), "dir/x.toml:4: link.loss is 1.5; allowed: 0 to 1");
    assert_eq!(
        error(&format!("{head}[nic]\nkind = \"fpga\"\n")),
        "dir/x.toml:4: nic.kind is fpga; allowed: rtl, model, paced, software, event, posted"
    );
    assert_eq!(
        error(&format!("{head}[[flow]]\nfrom = 0\nto = 3\n")),
        "dir/x.toml:5: flow.to is 3; allowed: the number of a host of the topology"
    );
    assert_eq!(
        error(&format!("{head}[[flow]]\nfrom = 0\nto = 2\nprofile = \"swift\"\n")),
        format!("dir/x.toml:6: flow.profile is swift; allowed: {}", timely_regs::parameters::NAMES.join(", "))
    );
    assert_eq!(
        error(&format!("{head}[profile.p]\nsignal = \"delay\"\n")),
        "dir/x.toml:4: profile.p.signal is delay; allowed: rtt, less_residence, one_way"
    );
    assert_eq!(error("[topology]\nfat_tree = { k = 5 }\n"), "dir/x.toml:2: topology.fat_tree.k is 5; allowed: an even number, 2 to 32");
    assert_eq!(error("[topology]\nleaf_spine = { leaves = 1 }\n"), "dir/x.toml:2: topology.leaf_spine.leaves is 1; allowed: 2 to 200");
    assert_eq!(
        error(&format!("{head}[switch]\nmark_kb = 9\nmark_at = 'core'\n")),
        "dir/x.toml:5: switch.mark_at is core; allowed: ingress, egress"
    );
    assert_eq!(
        error(&format!("{head}[switch]\nfeedback_every_us = 9\n")),
        "dir/x.toml:4: switch.feedback_every_us is 9; allowed: it with feedback_jitter_us alone"
    );
    assert_eq!(error(&format!("{head}[[load]]\nload = 5\n")), "dir/x.toml:4: load.load is 5; allowed: above 0, to 4");
    assert_eq!(
        error(&format!("{head}[[load]]\nload = 0.5\nsizes = 'web'\n")),
        "dir/x.toml:5: load.sizes is web; allowed: web-search, data-mining, or a file's name with a dot in it"
    );
    assert_eq!(
        error(&format!("{head}[[load]]\nload = 0.5\nconnections = 'all'\n")),
        "dir/x.toml:5: load.connections is all; allowed: new, standing"
    );
    assert_eq!(error(&format!("{head}[[incast]]\nto = 1\nbytes = 9\nsenders = 3\n")), "dir/x.toml:6: incast.senders is 3; allowed: 1 to 2");
    assert_eq!(
        error(&format!("{head}[profile.p]\ncontrol = 'cubic'\n")),
        "dir/x.toml:4: profile.p.control is cubic; allowed: none, dcqcn, dctcp, fast, timely-hpcc, timely-vwin, timely_vwin, timely-conext, \
         patched-conext, pi-conext"
    );
    assert_eq!(error(&format!("{head}[[flow]]\nfrom = 0\nto = 1\nclass = 3\n")), "dir/x.toml:6: flow.class is 3; allowed: 1 to 2");
    assert_eq!(error(&format!("{head}[nic]\nbus_bits = 96\n")), "dir/x.toml:4: nic.bus_bits is 96; allowed: 64, 128, 256 or 512");
    assert!(error(&format!("{head}[switch]\nxof_kb = 9\n")).starts_with("dir/x.toml:4: unknown field `xof_kb`"));
    assert!(error("[topology]\n").contains("needs `hosts`"));
}

/// Fields that nothing would hear are refused, with the field that is meant.
#[test]
fn fields_without_effect_are_refused() {
    let error = |text: &str| {
        let text = format!("[topology]\nhosts = 3\n{text}");
        file::parse(Path::new("x.toml"), &text).map(|_| ()).expect_err(&text).to_string()
    };
    let load = "[[load]]\nload = 0.1\n";
    let flow = "[[flow]]\nfrom = [0, 1]\nto = 2\n";
    let dcqcn = "[profile.p]\ncontrol = 'dcqcn'\n";
    for (text, why) in [
        (format!("{load}read = true\nreply_bytes = 9\n"), "x.toml:6: load.reply_bytes is 9; allowed: 0 with `read`"),
        (format!("{load}from = [1, 0, 1]\n"), "x.toml:5: load.from is host 1 twice; allowed: each host once"),
        (format!("{load}to = [2, 2]\n"), "load.to is host 2 twice"),
        (
            format!("{dcqcn}additive_step_mbps = 9\n"),
            "profile.p.additive_step_mbps is 9; allowed: it without control alone; with control = \"dcqcn\" set dcqcn.increase_mbps",
        ),
        (format!("{dcqcn}cnp_interval_us = 9\n"), "set dcqcn.cnp_us"),
        (format!("{dcqcn}alpha_gain = 0.1\n"), "set dcqcn.gain"),
        (format!("{dcqcn}rate_timer_us = 9\n"), "set dcqcn.timer_us"),
        (format!("{dcqcn}alpha_timer_us = 9\n"), "set dcqcn.alpha_timer_us"),
        (format!("{dcqcn}byte_counter_kb = 9\n"), "set dcqcn.counter_kb"),
        (
            "[profile.p]\ncontrol = 'dctcp'\nfast_stages = 3\n".into(),
            "fast_stages is 3; allowed: it without control alone, in a profile like",
        ),
        ("[profile.p]\ncontrol = 'fast'\nhyper_step_mbps = 3\n".into(), "hyper_step_mbps is 3; allowed: it without control alone"),
        ("[switch]\nmark_most_kb = 9\n".into(), "x.toml:4: switch.mark_most_kb is there; allowed: it with mark_kb alone"),
        ("[switch]\nmark_chance = 0.1\n".into(), "switch.mark_chance is there"),
        ("[switch]\nmark_at = 'egress'\n".into(), "switch.mark_at is there"),
        ("[switch]\nmark_pi = {}\nmark_chance = 0.1\n".into(), "switch.mark_chance is there"),
        ("[switch]\ndynamic = 1\n".into(), "switch.dynamic is 1; allowed: only with buffer_kb"),
        ("[switch]\ndynamic = 1\nbuffer_kb = 99\nxoff_kb = 0\n".into(), "switch.dynamic is 1; allowed: only with PFC"),
        ("[switch]\nheadroom_kb = 1\nxoff_kb = 0\n".into(), "switch.headroom_kb is 1; allowed: only with PFC"),
        (format!("{flow}stagger_us = 50\nstop_us = 50\n"), "flow.stop_us is 50; allowed: more than the last start, which is 50"),
        (format!("{flow}bytes = 9\nstop_us = 50\n"), "flow.stop_us is 50; allowed: only without flow.bytes"),
        (format!("{flow}messages = 2\n"), "flow.messages is 2; allowed: only with flow.bytes"),
        (format!("{flow}every_us = 2\n"), "flow.every_us is 2; allowed: only with flow.bytes"),
    ] {
        let error = error(&text);
        assert!(error.contains(why), "{error}");
    }
    let notes = |text: &str| plan(&format!("[topology]\nhosts = 3\n{text}[[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\n")).notes;
    let unmarked =
        |law: &str| vec![format!("profile p: {law} slows down by marks alone, and no switch marks; set switch.mark_kb (hpcc: --mark-kb)")];
    assert_eq!(notes(dcqcn), unmarked("DCQCN"));
    assert_eq!(notes("[profile.p]\nlike = 'dcqcn-10g'\n"), unmarked("DCQCN"));
    assert_eq!(notes("[profile.p]\ncontrol = 'dctcp'\n"), unmarked("DCTCP"));
    assert!(notes(&format!("[switch]\nmark_kb = 9\n{dcqcn}")).is_empty() && notes("[profile.p]\nlike = 'patched-10g'\n").is_empty());
}

/// Topologies that cannot be a network are refused before anything runs, whatever the NICs.
#[test]
fn impossible_topologies_are_refused() {
    let islands = "[topology]\nnodes = 6\nswitches = [4, 5]\n[[topology.link]]\nfrom = 0\nto = 4\n[[topology.link]]\nfrom = 1\nto = 4\n\
                   [[topology.link]]\nfrom = 2\nto = 5\n[[topology.link]]\nfrom = 3\nto = 5\n[[flow]]\nfrom = 0\nto = 3\n";
    for kind in ["paced", "model", "event"] {
        let p = plan(&format!("[nic]\nkind = '{kind}'\n{islands}"));
        let mut ran = false;
        let error = build::run(p, &Unavailable, |_| ran = true).err().expect("refused").to_string();
        assert_eq!((error.as_str(), ran), ("there is no way from host 0 to host 3", false), "{kind}");
    }
    let error = |text: &str| file::parse(Path::new("x.toml"), text).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error("[topology]\nhosts = 3\n[link]\nrate_gbps = 0\n"), "x.toml:4: link.rate_gbps is 0; allowed: 0.001 to 800");
    assert_eq!(
        error("[topology]\nhosts = 3\n[[topology.link]]\nfrom = 0\nto = 3\nrate_gbps = 0\n"),
        "x.toml:6: topology.link.rate_gbps is 0; allowed: 0.001 to 800"
    );
    let nodes = "[topology]\nnodes = 3\nswitches = [2]\n[[topology.link]]\nfrom = 0\nto = 2\n";
    assert!(error(nodes).ends_with("host 1 has 0 links; a host has exactly one"));
    assert!(error(&format!("{nodes}[[topology.link]]\nfrom = 1\nto = 9\n")).ends_with("link 1 joins node 9, but nodes are 0 to 2"));
    let to_itself = error(&format!("{nodes}[[topology.link]]\nfrom = 2\nto = 2\n"));
    assert!(to_itself.ends_with("link 1 joins node 2 to itself; a link joins two nodes"), "{to_itself}");
    let twice = error(&nodes.replace("[2]", "[2, 2]"));
    assert!(twice.ends_with("switches has node 2 twice; name each switch once"), "{twice}");
}

/// Topology files too name line, value and what is allowed.
#[test]
fn wrong_topology_files_are_refused() {
    let dir = scratch("wrong_topology");
    let error = |topology: &str| {
        std::fs::write(dir.join("topology.txt"), topology).unwrap();
        let read = file::parse(&dir.join("x.toml"), "[topology]\nfile = 'topology.txt'\n");
        read.map(|_| ()).unwrap_err().to_string().replace(&format!("{}/", dir.display()), "")
    };
    let rate = "a rate such as 100Gbps, 400Mbps or 1e10bps, 1 bps to 10 Tbps";
    let delay = "a delay such as 1000ns, 0.001ms or 1e-06s, up to 1000s";
    let header = "nodes switches links (HPCC, ConWeave); of other forms, `nodes switches tors links` (PowerTCP)";
    for (topology, told) in [
        ("x 1 2\n", "topology.txt:1: nodes is x; allowed: 2 to 8000".to_owned()),
        ("3 3 2\n", "topology.txt:1: switches is 3; allowed: fewer than nodes".into()),
        ("3 1 2\n3\n", "topology.txt:2: switch id is 3; allowed: a node, 0 to 2, each switch once".into()),
        ("4 2 3\n3 3\n", "topology.txt:2: switch id is 3; allowed: a node, 0 to 3, each switch once".into()),
        ("3 1 2\n2\n0 2 0Gbps 1us 0\n", format!("topology.txt:3: link rate is 0Gbps; allowed: {rate}")),
        ("3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10Gb 1us 0\n", format!("topology.txt:4: link rate is 10Gb; allowed: {rate}")),
        ("3 1 2\n2\n0 2 10GBPS 1us 0\n", format!("topology.txt:3: link rate is 10GBPS; allowed: {rate}")),
        ("3 1 2\n2\n0 2 10Gbps 1m 0\n", format!("topology.txt:3: link delay is 1m; allowed: {delay}")),
        ("3 1 2\n2\n2 2 10Gbps 1us 0\n", "topology.txt:3: link dst is 2; allowed: a node, 0 to 2, not the source".into()),
        ("3 1 2\n2\n0 2 10Gbps 1us\n", "topology.txt:3: line 3 has 4 words; allowed: src dst rate delay error_rate".into()),
        ("3 1 2\n2\n0 2 10Gbps 1us 2\n", "topology.txt:3: link error rate is 2; allowed: 0 to 1".into()),
        ("3 1 2\n2\n0 2 10Gbps 1us 0\n", "topology.txt:3: link src is the end of the file; allowed: a node, 0 to 2".into()),
    ] {
        assert_eq!(error(topology), told);
    }
    for (words, count) in [("144 16 8 192", 4), ("320 64 32 1280 10Gbps 40Gbps", 6), ("320 8 2 56 400 A100", 6), ("3 1", 2)] {
        let told = error(&format!("{words}\n2\n0 2 10Gbps 1us 0\n"));
        assert!(told.starts_with(&format!("topology.txt:1: line 1 has {count} words; allowed: {header}")), "{told}");
    }
    // Counts that nothing follows are no reason to take memory.
    let many = error("3 1 18446744073709551615\n2\n0 2 10Gbps 1us 0\n");
    assert_eq!(many, "topology.txt:3: link src is the end of the file; allowed: a node, 0 to 2");
    let unlinked = error("3 1 1\n2\n0 2 10Gbps 1us 0\n");
    assert!(unlinked.ends_with("host 1 has 0 links; a host has exactly one"), "{unlinked}");
    // And a flow's start, and a count that is not one.
    std::fs::write(dir.join("topology.txt"), "3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10Gbps 1us 0\n").unwrap();
    for (flows, told) in [
        ("two\n", "flow.txt:1: flow count is two; allowed: a count"),
        ("1\n0 1 3 100 0 0\n", "flow.txt:2: flow bytes is 0; allowed: 1 to 1125899906842624"),
        ("1\n0 1 3 100 5\n", "flow.txt:2: line 2 has 5 words; allowed: src dst pg dport bytes start_s"),
        ("1\n0 1 3 100 5 -1\n", "flow.txt:2: flow start_s is -1; allowed: seconds, 0 to 86400"),
    ] {
        std::fs::write(dir.join("flow.txt"), flows).unwrap();
        let read = file::parse(&dir.join("x.toml"), "flows_file = 'flow.txt'\n[topology]\nfile = 'topology.txt'\n");
        let error = read.map(|_| ()).unwrap_err().to_string();
        assert!(error.ends_with(told), "{error}");
    }
    // A file without flows is no flows, and some beside others.
    std::fs::write(dir.join("flow.txt"), "0\n").unwrap();
    let read = |more: &str| {
        file::parse(&dir.join("x.toml"), &format!("flows_file = 'flow.txt'\n[topology]\nfile = 'topology.txt'\n{more}")).unwrap()
    };
    let none = read("").check().unwrap_err().to_string();
    assert!(none.starts_with("there are no flows; add a [[flow]] table, or flows to the file of flows"), "{none}");
    assert_eq!(read("[[flow]]\nfrom = 0\nto = 1\n").flows.len(), 1);
}

/// The defaults of a file of flows would be nobody's without it.
#[test]
fn defaults_of_no_file_of_flows_are_refused() {
    let text = "[topology]\nhosts = 3\n[[flow]]\nfrom = 0\nto = 1\n[flows]\nprofile = 'swift-10g'\n";
    let error = file::parse(Path::new("dir/x.toml"), text).map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("dir/x.toml:6: [flows] is without flows_file; allowed: only with flows_file"), "{error}");
}

/// HPCC's own files go on behind what they count, and with notes: that is read as there, and said.
#[test]
fn what_is_behind_the_count_is_told() {
    let dir = scratch("notes");
    std::fs::write(dir.join("topology.txt"), "3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10Gbps 1us 0\n\nFirst line: nodes\n").unwrap();
    std::fs::write(dir.join("flow.txt"), "1\n0 1 3 100 5 0\n1 0 3 100 5 0\n").unwrap();
    let p = file::parse(&dir.join("x.toml"), "flows_file = 'flow.txt'\n[topology]\nfile = 'topology.txt'\n").unwrap();
    let told: Vec<String> = p.notes.iter().map(|n| n.replace(&format!("{}/", dir.display()), "")).collect();
    let behind = |at: &str, what: &str| format!("{at} and what follows is behind the {what} that the file counts, and not read");
    assert_eq!((p.flows.len(), told), (1, vec![behind("topology.txt:6: First", "links"), behind("flow.txt:3: 1", "flows")]));
}

/// A topology has one shape, and no field that it would not hear.
#[test]
fn fields_that_would_not_be_heard_are_refused() {
    let error = |text: &str| file::parse(Path::new("x.toml"), text).map(|_| ()).unwrap_err().to_string();
    let link = "[[topology.link]]\nfrom = 3\nto = 7\nloss = 0.01\n";
    for shape in ["dumbbell = {}", "parking_lot = {}", "leaf_spine = {}", "fat_tree = {}", "file = 'topology.txt'"] {
        let name = shape.split(' ').next().unwrap();
        assert_eq!(
            error(&format!("[topology]\n{shape}\n{link}")),
            format!("x.toml: topology: [[topology.link]] goes with hosts and nodes, and would not be heard beside `{name}`; leave it out")
        );
        let two = error(&format!("[topology]\nhosts = 4\n{shape}\n"));
        assert_eq!(two, format!("x.toml: topology: hosts and {name} are a topology each; keep one of them"));
    }
    for shape in ["hosts = 4", "nodes = 4", "file = 'topology.txt'"] {
        let told = error(&format!("[topology]\n{shape}\ntrunk_gbps = 40\n"));
        assert!(told.contains("trunk_gbps goes with dumbbell, parking_lot, leaf_spine and fat_tree, and would not be heard"), "{told}");
    }
    assert!(error("[topology]\nhosts = 4\nswitches = [2]\n").contains("switches goes with nodes"));
    assert!(error("[topology]\nnodes = 4\nswitches = [5]\n").ends_with("switches has node 5, but nodes are 0 to 3"));
    assert!(error("[link]\nloss = 0.1\n[topology]\nfile = 'topology.txt'\n").contains("[link] goes with links that say nothing else"));
    assert!(
        error(&format!("[topology]\nhosts = 11\n{link}"))
            .ends_with("[[topology.link]] from 3 to 7: in a star links join a host, 0 to 10, and the switch, 11")
    );
    let twice = "[[topology.link]]\nfrom = 1\nto = 4\n[[topology.link]]\nfrom = 4\nto = 1\n";
    assert!(error(&format!("[topology]\nhosts = 4\n{twice}")).ends_with("host 1 has two [[topology.link]]; keep one of them"));
}

/// Products of fields that are more than numbers or memory hold are refused.
#[test]
fn products_are_bounded_too() {
    let error =
        |text: &str| file::parse(Path::new("x.toml"), &format!("[topology]\nhosts = 3\n{text}")).map(|_| ()).unwrap_err().to_string();
    let flow = "[[flow]]\nfrom = 0\nto = 1\n";
    assert_eq!(
        error(&format!("{flow}bytes = 1125899906842624\nmessages = 16384\n")),
        "x.toml:6: flow.bytes is 1125899906842624; allowed: at most 68719476736 with 16384 messages"
    );
    assert_eq!(
        error(&format!("{flow}bytes = 1\nmessages = 20000\nevery_us = 1e9\n")),
        "x.toml:8: flow.every_us is 1000000000; allowed: at most 50002 with 20000 of them, so that the last is 1000000000 us after the first or before"
    );
    assert_eq!(
        error(&format!("{flow}connections = 65536\nstagger_us = 1e9\n")),
        "x.toml:7: flow.stagger_us is 1000000000; allowed: at most 15259 with 65536 of them, so that the last is 1000000000 us after the first or before"
    );
    assert_eq!(
        error("[[incast]]\nto = 1\nbytes = 5\nevery_us = 1e6\ntimes = 5000\n"),
        "x.toml:6: incast.every_us is 1000000; allowed: at most 200040 with 5000 of them, so that the last is 1000000000 us after the first or before"
    );
    let most = |at: u32, table: &str, messages: &str, others: u32| {
        let allowed = format!("at most 4194304 in the whole scenario, {others} of them in other tables");
        format!("x.toml:{at}: the number of messages of [[{table}]] is {messages}; allowed: {allowed}")
    };
    let many = format!("{flow}connections = 1000\nmessages = 4000\nbytes = 1\n");
    assert_eq!(error(&format!("{many}{many}")), most(10, "flow", "4000000", 4_000_000));
    assert_eq!(error(&format!("{many}[[incast]]\nto = 1\nbytes = 5\ntimes = 1e5\n")), most(10, "incast", "200000", 4_000_000));
    let load = "[[load]]\nload = 4\nbytes = 1\n";
    let long = file::parse(Path::new("x.toml"), &format!("duration_ms = 1e6\n[topology]\nhosts = 3\n{load}")).unwrap_err().to_string();
    assert_eq!(long, most(5, "load", "more than 4194304", 0));
    assert_eq!(
        error(&format!("{flow}packet_bytes = 100\nsegment_bytes = 16777216\n")),
        "x.toml:7: flow.segment_bytes is 16777216; allowed: 1 to 6553500 with packets of 100 bytes: a segment has at most 65535 packets"
    );
}

/// A flow that ends before it begins, a load too, and a buffer that holds no frame of some flow.
#[test]
fn what_would_send_nothing_is_refused() {
    let read = |text: &str| file::parse(Path::new("x.toml"), &format!("[topology]\nhosts = 3\n{text}"));
    let error = |text: &str| read(text).map(|_| ()).unwrap_err().to_string();
    let flow = "[[flow]]\nfrom = 0\nto = 1\n";
    assert_eq!(error(&format!("{flow}stop_us = 0\n")), "x.toml:6: flow.stop_us is 0; allowed: more than flow.start_us, which is 0");
    assert_eq!(
        error(&format!("{flow}start_us = 20.5\nstop_us = 20.5\n")),
        "x.toml:7: flow.stop_us is 20.5; allowed: more than flow.start_us, which is 20.5"
    );
    let load = "[[load]]\nload = 0.5\nstart_us = 7\nuntil_us = 6\n";
    assert_eq!(error(load), "x.toml:6: load.until_us is 6; allowed: more than load.start_us, which is 7");
    let buffer = |kb: &str, flow: &str| format!("[switch]\nbuffer_kb = {kb}\n{flow}");
    let frame = 1024 + timely_sim::nic::stream::HEADERS + 4;
    assert_eq!(
        error(&buffer("1", flow)),
        format!("x.toml:4: switch.buffer_kb is 1; allowed: 0, or at least 1.2: a frame of the flows has {frame} bytes")
    );
    // The advised buffer is taken, and so is a buffer that holds all of what is sent.
    assert!(read(&buffer("1.2", flow)).is_ok() && read(&buffer("0.2", &format!("{flow}bytes = 10\n"))).is_ok());
    // One late flow beside others is no error: `--duration-ms` may have cut the run short.
    let p = read(&format!("{flow}{flow}start_us = 1e6\n")).unwrap();
    assert_eq!(p.notes, ["x.toml:9: flow.start_us is 1000000, and the run ends at 40000: nothing of it is sent"]);
    p.check().unwrap();
}

/// Telemetry is had from NICs that keep it, which is known before they run.
#[test]
fn snapshots_are_refused_before_the_run() {
    for kind in ["paced", "software", "event", "posted"] {
        let mut p = plan(&format!("[topology]\nhosts = 2\n[nic]\nkind = '{kind}'\n[[flow]]\nfrom = 0\nto = 1\n"));
        p.snapshot = true;
        let error = build::run(p, &Unavailable, |_| panic!("it runs")).err().expect("refused").to_string();
        assert_eq!(error, format!("{kind} NICs: they keep no telemetry to take a snapshot of; use rtl or model"));
    }
}

/// A core's table of flows and its bus are known too.
#[test]
fn cores_that_are_too_small_are_refused_before_they_are_built() {
    let refused = |text: &str| plan(&format!("[nic]\nkind = 'rtl'\nflow_bits = 4\n{text}")).check().unwrap_err().to_string();
    let flows = refused("[topology]\nhosts = 2\n[[flow]]\nfrom = 0\nto = 1\nconnections = 17\n");
    assert_eq!(flows, "rtl NICs: a host has 17 flows, the NIC's table 16: more nic.flow_bits");
    let slow = refused("[topology]\nhosts = 2\n[link]\nrate_gbps = 100\n[[flow]]\nfrom = 0\nto = 1\nprofile = 'timely-100g'\n");
    assert!(
        slow.contains("a bus of 64 bits carries") && slow.ends_with("the link 100: more nic.bus_bits, or more nic.clock_mhz"),
        "{slow}"
    );
}

/// Numbers as ns-3's files have them, and what is read otherwise than there is told.
#[test]
fn numbers_are_read_as_ns_3_reads_them() {
    let dir = scratch("ns3");
    let plan = |links: &str, flows: &str| {
        std::fs::write(dir.join("topology.txt"), format!("3 1 2\n2\n{links}")).unwrap();
        std::fs::write(dir.join("flow.txt"), flows).unwrap();
        let read = file::parse(&dir.join("x.toml"), "flows_file = 'flow.txt'\n[topology]\nfile = 'topology.txt'\n");
        read.unwrap_or_else(|e| panic!("{e}"))
    };
    let one = "1\n0 1 3 100 5 0\n";
    for (rate, delay) in [
        ("10Gbps", "1us"),
        ("1e10bps", "1e-06s"),
        ("10000000000", "1e3ns"),
        ("0.01Tbps", "0.001ms"),
        ("1.25GBps", "1\u{3bc}s"),
        ("10Gb/s", "1000ns"),
        ("1E+10b/s", "1\u{b5}s"),
    ] {
        let p = plan(&format!("0 2 {rate} {delay} 0\n1 2 10Gbps 1us 1e-7\n"), one);
        assert_eq!((p.topology.links()[0].speed, p.topology.links()[0].delay), (Speed::gbps(10.0), 1_000_000), "{rate} {delay}");
        assert_eq!((p.notes, p.topology.links()[1].loss), (vec![], 1e-7));
    }
    let short = |p: Plan| p.notes.iter().map(|n| n.replace(&format!("{}/", dir.display()), "")).collect::<Vec<_>>();
    let bare = plan("0 2 10Gbps 1us 0\n1 2 10Gbps 0.000001 0\n", one);
    assert_eq!(bare.topology.links()[1].delay, 1_000_000);
    assert_eq!(short(bare), ["topology.txt:4: a delay without a unit is read as seconds, as ns-3 does"]);
    let group = plan("0 2 10Gbps 1us 0\n1 2 10Gbps 1us 0\n", "2\n0 1 1 100 5 0\n1 0 7 100 5 0\n");
    assert_eq!(short(group), ["flow.txt:2: pg is 1, and has no effect: all flows are of one priority group"]);
}

/// Ports have numbers of 16 bits; one more link would get the number of the first.
#[test]
fn a_node_has_no_more_links_than_ports_have_numbers() {
    let link = Link { a: 0, b: 1, speed: Speed::gbps(1.0), delay: 0, loss: 0.0, damage: 0.0 };
    let switches = |links| Topology::new(vec![true, true], vec![link; links]).map(|t| t.ports(1).len());
    assert_eq!(switches(1 << 16), Ok(1 << 16));
    let error = switches((1 << 16) + 1).expect_err("too many").to_string();
    assert_eq!(error, "node 0 has 65537 links; a node has at most 65536");
}

/// A round trip over hundreds of links of a bit a second takes longer than 2^64 ps.
#[test]
fn a_path_of_very_slow_links_is_refused() {
    const SWITCHES: usize = 300;
    let (first, last) = (2, SWITCHES + 1);
    let mut topology = format!("{} {SWITCHES} {}\n", SWITCHES + 2, SWITCHES + 1);
    (first..=last).for_each(|n| topology += &format!("{n} "));
    topology += &format!("\n0 {first} 1bps 1us 0\n1 {last} 1bps 1us 0\n");
    (first..last).for_each(|n| topology += &format!("{n} {} 1bps 1000s 0\n", n + 1));
    let dir = scratch("slow");
    let [topology_file, flows] = ["topology.txt", "flow.txt"].map(|name| dir.join(name));
    std::fs::write(&topology_file, topology).unwrap();
    std::fs::write(&flows, "1\n0 1 3 100 5000 0\n").unwrap();
    let told = file::Hpcc {
        topology: &topology_file,
        flows: &flows,
        profile: Some("timely-10g"),
        packet_bytes: 9000,
        segment_bytes: 9000,
        xoff_kb: 50.0,
        mark_kb: None,
        mark_most_kb: None,
        mark_chance: None,
        limit_ms: None,
    };
    let error = file::hpcc(&told, &file::Overrides::default()).unwrap().check().unwrap_err().to_string();
    assert!(error.starts_with("profile timely-10g: "), "{error}");
}

/// Fields that nothing hears are noted, by the kind of NIC, its form, and the profile's law.
#[test]
fn fields_without_an_effect_are_noted() {
    let notes = |nic: &str, profile: &str, flow: &str| {
        plan(&format!("[topology]\nhosts = 3\n[nic]\n{nic}[profile.p]\n{profile}[[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\n{flow}")).notes
    };
    let told = "kind = 'event'\nslot_us = 3\nspacing_mbps = 100\nbus_bits = 128\nack_delay_ns = 90\n";
    assert_eq!(notes(told, "", ""), ["without an effect on NICs of kind event: bus_bits, slot_us, spacing_mbps of [nic]"]);
    let inline = notes("kind = 'model'\nform = 'inline'\nhost_kb = 64\nstreams = true\n", "", "");
    assert_eq!(inline, ["without an effect on NICs of kind model and form inline: streams of [nic]"]);
    let fields = notes("", "like = 'timely-10g'\nbase_target_us = 20\nalpha_gain = 0.1\nbeta = 0.7\n", "");
    assert_eq!(fields, ["without an effect in a profile like timely-10g: base_target_us, alpha_gain of [profile.p]"]);
    assert!(notes("", "like = 'swift-10g'\nbase_target_us = 20\n", "").is_empty());
    let unused = plan("[topology]\nhosts = 3\n[profile.q]\n[[flow]]\nfrom = 0\nto = 1\n").notes;
    assert_eq!(unused, ["profile.q has no effect: no flow has it"]);
    let padded = |packet: u32| notes("kind = 'model'\n", "", &format!("bytes = 10000\npacket_bytes = {packet}\n"));
    assert!(padded(1000).is_empty() && padded(1024)[0].starts_with("NICs of kind model send whole packets alone"));
}
