//! Telemetry records that are read while the NIC sends: none is torn. A soak reads a million.
use crate::alone;
use timely_tests::nic::{model, verilog};
use timely_tests::torn::look;
use timely_tests::{cycles, rng, seeds};

#[test]
fn no_telemetry_record_is_torn() {
    let _alone = alone();
    for seed in seeds().into_iter().take(1) {
        for (name, nic, records) in [("model", model(64, 10), cycles() / 2), ("Verilog", verilog(64, 10), cycles() / 20)] {
            let looked = look(nic, records, &mut rng(seed));
            println!("{name}: {looked:?}");
            assert!(looked.changed > looked.records / 10 && looked.timeouts > 0 && looked.updates > 0, "seed {seed}, {name}: {looked:?}");
        }
    }
}
