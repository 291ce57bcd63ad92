//! A configuration of the driver: one that is read is written and read alike, and is a plan for a
//! NIC or an error that names its table.
use crate::check::{file, said};
use timely_driver::config::{Config, ConfigError};
use timely_driver::plan::Plan;

pub fn run(input: &[u8]) {
    let path = file("config.toml", input);
    let config = match Config::read(&path) {
        Ok(config) => config,
        Err(e) => {
            said(&e);
            if let ConfigError::Syntax { line, .. } = e {
                assert!((1..=input.iter().filter(|b| **b == b'\n').count() + 1).contains(&line), "line {line}");
            }
            return;
        }
    };
    let again = toml::to_string(&config).expect("a configuration that was read can be written");
    assert_eq!(toml::from_str::<Config>(&again).expect("its own text"), config);
    match Plan::new(&config, None) {
        Ok(plan) => assert_eq!(plan.flows.len(), config.flow.len()),
        Err(e) => assert!(said(&e).starts_with('['), "{e}"),
    }
}
