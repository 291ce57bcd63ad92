//! A target under libFuzzer: `TIMELY_FUZZ` names it, the arguments are libFuzzer's.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use timely_fuzz::{Target, named};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("TIMELY_FUZZ").unwrap_or_default();
    named(&name).unwrap_or_else(|why| panic!("TIMELY_FUZZ: {why}"))
});

fuzz_target!(|data: &[u8]| (TARGET.run)(data));
