//! Memory that a process may lock: what VFIO maps for DMA is locked, and counts against the limit
//! unless the process has CAP_IPC_LOCK.
use super::PciError;
use rustix::process::{Resource, getrlimit};

/// Number of CAP_IPC_LOCK among the capabilities.
const IPC_LOCK: u32 = 14;

/// Whether a process has CAP_IPC_LOCK as VFIO asks for it: in effect, and in the first user
/// namespace, which maps every user to itself. `status` and `uid_map` are the files of that name in
/// `/proc/self`.
fn has_ipc_lock(status: &str, uid_map: &str) -> bool {
    let effective = status.lines().find_map(|l| l.strip_prefix("CapEff:")).and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
    let first = uid_map.split_whitespace().eq(["0", "0", "4294967295"]);
    first && effective.is_some_and(|e| e >> IPC_LOCK & 1 == 1)
}

/// Bytes that this process may lock; `None` when there is no limit. User ID 0 alone does not lift
/// the limit: a container's root, and a root process that a unit took capabilities from, are under
/// the limit as others are.
pub fn lockable() -> Option<u64> {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
    if has_ipc_lock(&read("status"), &read("uid_map")) { None } else { getrlimit(Resource::Memlock).current }
}

/// Checks that so many bytes may be locked; `limit` is the process' limit, nothing when there is
/// none.
///
/// # Errors
/// When they may not.
pub fn check_memlock(bytes: u64, limit: Option<u64>) -> Result<(), PciError> {
    const MIB: u64 = 1 << 20;
    let printed = |b: u64| if b < MIB { format!("{} KiB", b >> 10) } else { format!("{} MiB", b / MIB) };
    let needed = bytes.div_ceil(MIB);
    match limit {
        Some(limit) if limit < bytes => Err(PciError::Memlock { needed, limit: printed(limit), advised: needed.next_power_of_two() }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_may_not_be_locked_is_told() {
        assert!(check_memlock(68 << 20, None).is_ok() && check_memlock(68 << 20, Some(68 << 20)).is_ok());
        for (limit, told) in [(4 << 20, "4 MiB"), (64 << 10, "64 KiB"), (0, "0 KiB"), ((68 << 20) - 1, "67 MiB")] {
            let text = check_memlock(68 << 20, Some(limit)).expect_err("too little").to_string();
            assert_eq!(text, format!("need 68 MiB locked, limit is {told}; set LimitMEMLOCK=128M in the unit, or run: ulimit -l 131072"));
        }
    }

    #[test]
    fn root_without_the_capability_is_under_the_limit() {
        const WHOLE: &str = "         0          0 4294967295\n";
        let status = |effective: &str| format!("Name:\ttimelyctl\nUid:\t0\t0\t0\t0\nCapPrm:\t000001ffffffffff\nCapEff:\t{effective}\n");
        assert!(has_ipc_lock(&status("000001ffffffffff"), WHOLE), "root");
        assert!(has_ipc_lock(&status("0000000000004000"), WHOLE), "a user that was given the capability");
        assert!(!has_ipc_lock(&status("000001ffffffbfff"), WHOLE), "root that it was taken from");
        assert!(!has_ipc_lock(&status("0000000000000000"), WHOLE), "a user");
        assert!(!has_ipc_lock(&status("000001ffffffffff"), "         0       1000          1\n"), "root of a user namespace");
        assert!(!has_ipc_lock("", ""), "no /proc");
    }
}
