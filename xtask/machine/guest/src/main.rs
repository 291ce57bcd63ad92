//! The self-test on the timely-nic of this machine: bound to vfio-pci, tried through the kernel,
//! given back. The self-test resets the NIC.
//!
//! `cargo xtask vm-test` runs this in a virtual machine; on a real one, run `timely-guest` as root
//! with the address of an idle card. With `vfio-user:PATH` in the place of the address it tries the
//! NIC that is served there. With `--pair` the NIC is the first of a served pair, and its segments
//! are answered.
#![forbid(unsafe_code)]
use std::path::Path;
use std::process::ExitCode;
use timely_driver::folders::state_folder;
use timely_driver::pci::{Address, System};
use timely_driver::selftest::{self, Options, Peer};
use timely_driver::transport::vfio::Vfio;
use timely_driver::transport::vfio_user::VfioUser;

fn served(path: &Path, options: &Options) -> Result<(), String> {
    let report = selftest::run(&mut || Ok(Box::new(VfioUser::connect(path)?)), options);
    print!("{}", report.map_err(|e| e.to_string())?);
    Ok(())
}

fn run() -> Result<(), String> {
    let system = System::default();
    let (flags, names): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a.starts_with("--"));
    if let Some(flag) = flags.iter().find(|f| *f != "--pair") {
        return Err(format!("{flag:?} is no option; there is --pair"));
    }
    let options = Options { peer: Peer::simulated().filter(|_| !flags.is_empty()) };
    let named = names.into_iter().next();
    if let Some(path) = named.as_deref().and_then(|n| n.strip_prefix("vfio-user:")) {
        return served(Path::new(path), &options);
    }
    let address: Address = match named {
        Some(text) => text.parse().map_err(|_| format!("{text:?} is no PCI address; one looks like 0000:03:00.0"))?,
        None => {
            let ours: Vec<Address> = system.list().into_iter().filter(|f| f.is_ours()).map(|f| f.address).collect();
            match ours[..] {
                [one] => one,
                _ => return Err(format!("{} NICs with the IDs of timely-nic are here; give the address of one", ours.len())),
            }
        }
    };
    let memory = state_folder().map_err(|e| e.to_string())?.join(format!("{address}.before"));
    for bound in system.bind(&[address], |_| memory.clone(), false).map_err(|e| e.to_string())? {
        println!("{address} was driven by {}, is in IOMMU group {}", bound.before.as_deref().unwrap_or("nobody"), bound.group);
    }
    let report = selftest::run(&mut || Ok(Box::new(Vfio::open(address, None)?)), &options).map_err(|e| e.to_string());
    // However it went, the card is given back.
    let back = system.unbind(address, &memory).map_err(|e| e.to_string())?;
    print!("{}", report?);
    println!("{address} was given back to {}", back.as_deref().unwrap_or("nobody"));
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}
