//! The lockstep tests of each block.

/// A block, and the tests that hold it equal to its model.
#[derive(Debug)]
pub struct Row {
    /// The block.
    pub block: &'static str,
    /// The test program.
    pub program: &'static str,
    /// Tests of the program, in the order in which they are run.
    pub tests: &'static [&'static str],
    /// The texts that get faults: how the names that the tests compile them by begin,
    /// or a name as it stands.
    pub texts: &'static [&'static str],
    /// A block that is made of blocks with rows of their own gets its faults in these modules
    /// alone, so how its parts are joined; in every other the hierarchy is dissolved, and all of it
    /// gets faults.
    pub modules: &'static [&'static str],
    /// Queues to which nothing comes while they are full. The tests stop where it does, and proofs
    /// of faults take it for granted.
    pub never_full: &'static [&'static str],
}

const fn row(block: &'static str, program: &'static str, tests: &'static [&'static str], texts: &'static [&'static str]) -> Row {
    Row { block, program, tests, texts, modules: &[], never_full: &[] }
}

/// All blocks. One configuration of each, or two where bus widths matter.
pub const ROWS: &[Row] = &[
    row("fifo", "lockstep_fifo", &["rtl_equals_model"], &["fifo."]),
    row("wide_fifo", "lockstep_fifo", &["the_wide_one_equals_model"], &["wide_fifo."]),
    row("held_fifo", "lockstep_fifo", &["the_held_one_equals_model"], &["held_fifo."]),
    row("time", "lockstep_time", &["rtl_equals_model"], &["time."]),
    row("linear", "lockstep_time", &["a_time_of_day_becomes_linear"], &["linear."]),
    row("parse", "lockstep_parse", &["rtl_equals_model"], &["parse64."]),
    row("roce", "lockstep_roce", &["rtl_equals_model"], &["roce64."]),
    row("round_trips", "lockstep_round_trips", &["rtl_equals_model_small"], &["round_trips.RoundTrips_4"]),
    row("queue_pairs", "lockstep_queue_pairs", &["rtl_equals_model_small"], &["queue_pairs.QueuePairs_6_"]),
    row("mend", "lockstep_mend", &["rtl_equals_model"], &["mend64."]),
    row("pair_rules", "lockstep_pair_rules", &["rtl_equals_model"], &["pair_rules."]),
    Row { never_full: &["flows", "payers"], ..row("read_charge", "lockstep_read_charge", &["rtl_equals_model"], &["read_charge6."]) },
    row("notifier", "lockstep_notifier", &["rtl_equals_model_64"], &["notifier.Notifier_64_"]),
    row("frame", "lockstep_frame", &["rtl_equals_model_64", "rtl_equals_model_512"], &["frame64.", "frame512."]),
    Row { modules: &["tnic_ack64"], ..row("ack", "lockstep_ack", &["rtl_equals_model_64"], &["ack64."]) },
    row("txmux", "lockstep_txmux", &["rtl_equals_model_64"], &["txmux64."]),
    row("launch", "lockstep_launch", &["rtl_equals_model_64"], &["launch64."]),
    row("generator", "lockstep_generator", &["rtl_equals_model_64"], &["generator64f10."]),
    row("rtt", "lockstep_rtt", &["rtl_equals_model_small"], &["rtt_3_6."]),
    row("engine", "lockstep_engine", &["rtl_equals_model_16k_flows"], &["engine.Engine_14"]),
    row("reaction", "lockstep_engine", &["reaction::rtl_equals_model_8_flows"], &["reaction.Reaction_3"]),
    Row { modules: &["tnic_pacer"], ..row("pacer", "lockstep_pacer", &["rtl_equals_model_at_4_flow_bits"], &["pacer.Pacer_4_"]) },
    row("pass", "lockstep_pacer_pass", &["rtl_equals_model_at_4_flow_bits"], &["pass.Pass_4_"]),
    row("wheel", "lockstep_pacer_wheel", &["small_under_jumps"], &["wheel_9_10."]),
    row("gate", "lockstep_pacer_gate", &["four_flow_bits"], &["gate_4."]),
    row("charge", "lockstep_pacer_parts", &["charge_in_lockstep"], &["charge.Charge_4_"]),
    Row { never_full: &["releases"], ..row("doorbell", "lockstep_pacer_parts", &["doorbell_in_lockstep"], &["doorbell.Doorbell_4_"]) },
    Row { never_full: &["queue"], ..row("queues", "lockstep_pacer_parts", &["queues_in_lockstep"], &["ready.Ready_4_", "park.Park_4_"]) },
    row("telemetry", "lockstep_telemetry", &["every_bit_of_a_counter_counts"], &["telemetry_steps"]),
    row("recorder", "lockstep_events", &["recorder_rtl_equals_model_small"], &["recorder_3_3."]),
    row("histograms", "lockstep_events", &["every_bit_of_a_count_counts"], &["histograms_steps"]),
    row("dma", "lockstep_dma", &["rtl_equals_model_64"], &["dma64."]),
    row("store", "lockstep_store", &["rtl_equals_model_64"], &["store64."]),
    // Their own modules alone: the parser has a row of its own.
    Row { modules: &["tnic_entry512"], ..row("entry", "lockstep_store", &["entry::entry_equals_model_512"], &["entry512."]) },
    Row { modules: &["tnic_exit512"], ..row("exit", "lockstep_store", &["exit::exit_equals_model_512"], &["exit512."]) },
    row("credit", "lockstep_store", &["credit::rtl_equals_model"], &["credit."]),
    row("spread", "lockstep_store", &["ports::spread_equals_model_256"], &["spread256."]),
    row("aside", "lockstep_store", &["ports::aside_equals_model_256"], &["aside256."]),
    row("arrivals", "lockstep_store", &["app_block::arrivals_equal_model"], &["arrivals64."]),
    row("app_credit", "lockstep_store", &["app_block::credit_equals_model"], &["credit4."]),
    Row {
        modules: &["tnic_generated64"],
        ..row("generated", "lockstep_store", &["generated::generator_equals_model_64"], &["generated64."])
    },
    row("departures", "lockstep_store", &["app_block::departures_equal_model"], &["departures."]),
    row("host_read", "lockstep_store", &["app_block::host_read_equals_model"], &["host_read_64."]),
    row("host_write", "lockstep_store", &["app_block::host_write_equals_model"], &["host_write_64."]),
    row("launches", "lockstep_store", &["app_block::launches_equal_model"], &["launches."]),
    row("transmit_queues", "lockstep_store", &["scheduler::queues_equal_model"], &["queues4."]),
    row("mail", "lockstep_store", &["window::mail_equals_model"], &["mail."]),
    row("corundum_registers", "lockstep_store", &["window::registers_equal_model"], &["corundum_registers."]),
    row("window", "lockstep_store", &["window::window_equals_model"], &["corundum_window."]),
    row("courier", "lockstep_store", &["courier::courier_equals_model"], &["courier."]),
    row("mac_tx", "lockstep_launch", &["mac::the_sender_equals_its_model"], &["mac_tx."]),
    row("mac_rx", "lockstep_launch", &["mac::the_receiver_equals_its_model"], &["mac_rx."]),
    row("serial", "lockstep_launch", &["serial::rtl_equals_model"], &["serial."]),
    row("mark", "mark", &["rtl_equals_model_64"], &["mark64."]),
    row("pause", "lockstep_pause", &["rtl_equals_model"], &["pause."]),
    Row { never_full: &["ring", "ring_launches", "ring_ranks"], ..row("hold", "lockstep_pause", &["hold_equals_model"], &["hold."]) },
    row("csr", "lockstep_csr", &["rtl_equals_model_10"], &["csr10."]),
    Row { modules: JOINTS, ..row("nic", "nic", WHOLE, &["nic_64_10"]) },
    Row {
        modules: &["tnic_corundum_scheduler"],
        ..row("scheduler", "lockstep_store", &["transmit::core_equals_model"], &["corundum_core"])
    },
];

/// Tests of a whole NIC beside its model: traffic, a host that loads flows and takes snapshots,
/// events, weather and resets.
const WHOLE: &[&str] = &[
    "equal::rtl_equals_model_64",
    "dma::flows_are_loaded_and_snapshots_taken",
    "dma::event_records_come_through_the_ring",
    "soak::a_short_soak",
];

/// The modules that join the blocks of a NIC, from the registers on the long ways between them to
/// its pins.
const JOINTS: &[&str] =
    &["tnic_standalone", "tnic_standalone__core", "tnic_standalone__core__control", "tnic_standalone__core__control__crossing"];

/// The rows of blocks that are called one of these or begin so; all without a name.
///
/// # Errors
/// A name stands for none.
pub fn named(names: &[String]) -> Result<Vec<&'static Row>, String> {
    if let Some(name) = names.iter().find(|n| !ROWS.iter().any(|r| r.block.starts_with(n.as_str()))) {
        let all: Vec<&str> = ROWS.iter().map(|r| r.block).collect();
        return Err(format!("no block begins with {name}; there are {}", all.join(", ")));
    }
    Ok(ROWS.iter().filter(|r| names.is_empty() || names.iter().any(|n| r.block.starts_with(n.as_str()))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_tools::process::root;

    /// A test program of lockstep tests that no row names would leave its blocks out in silence.
    #[test]
    fn every_lockstep_program_has_a_row() {
        let folder = root().join("tests/tests");
        let programs = folder.read_dir().expect("test programs").filter_map(Result::ok).map(|e| e.path());
        let named = |p: &str| ROWS.iter().any(|r| r.program == p);
        for program in programs.filter_map(|p| p.file_stem()?.to_str().map(str::to_owned)).filter(|p| p.starts_with("lockstep_")) {
            assert!(named(&program), "no row of xtask/mutate/src/table.rs has the program {program}");
        }
        let mut blocks: Vec<&str> = ROWS.iter().map(|r| r.block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len(), ROWS.len(), "two rows have the same block");
    }
}
