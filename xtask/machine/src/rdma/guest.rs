//! The two guests: Debian's kernel with its software RDMA NIC (`rdma_rxe`) on a virtio NIC, and
//! perftest's programs, which run against each other.
use crate::vm::archive::Archive;
use crate::vm::kernel::Machine;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Prefix of the guests' own lines among those of firmware and kernel.
pub const MARK: &str = "rdma-test: ";
/// Modules that are loaded, each behind what it says it needs; no module says so of the first.
const MODULES: [&str; 5] = ["crc32_generic", "virtio_pci", "virtio_net", "ib_uverbs", "rdma_rxe"];
/// Where programs look for their libraries.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";
/// The files by which programs find rxe.
const PROVIDER: [&str; 2] = ["etc/libibverbs.d/rxe.driver", "usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so"];

/// A program of perftest's with its options, as it is run at both ends.
pub type Test = &'static str;

/// The program while which the host lists its queue pairs, so that they are joined.
pub const LISTED: Test = "ib_write_bw -d rxe0 -x 1 -F -u 18 -s 65536 -n 60 -q 2";

/// Both ends of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Behind the NIC: the programs' clients.
    Host,
    /// Beyond it: their servers.
    Network,
}

impl Role {
    /// Name of the end, one word.
    pub fn name(self) -> &'static str {
        match self {
            Role::Host => "host",
            Role::Network => "network",
        }
    }

    fn address(self) -> &'static str {
        match self {
            Role::Host => "10.0.0.1",
            Role::Network => "10.0.0.2",
        }
    }
}

/// The script that is a guest's first process. A client whose server does not listen yet tries
/// again; of one that fails behind that, the server fails too and listens no more.
fn script(role: Role, tests: &[Test]) -> String {
    let (own, other) = (role.address(), Role::Network.address());
    let run = |test: &&str| match role {
        Role::Network => format!("run {test}\n"),
        Role::Host => format!("run {test} {other}\n"),
    };
    let all: String = tests.iter().map(run).collect();
    let tries = if role == Role::Host { 40 } else { 1 };
    let listed = run(&LISTED);
    // The host's lists of queue pairs, a line each, at a port of its own, while one program runs:
    // each takes so much of the emulated processor's time that rates fall.
    let lists = match role {
        Role::Host => "while :; do usleep 200000; rdma -j resource show qp | tr -d '\\n'; echo; done > /dev/ttyS1",
        Role::Network => ":",
    };
    format!(
        r#"#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/usr/bin:/bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
while read -r module; do insmod /modules/$module.ko || echo "{MARK}module $module was not loaded"; done < /modules/order
mkdir -p /dev/shm /dev/infiniband
ip link set lo up
ip link set eth0 mtu 1500 up
ip address add {own}/24 dev eth0
/usr/bin/rdma link add rxe0 type rxe netdev eth0 || echo "{MARK}no RDMA NIC"
[ -e /dev/infiniband/uverbs0 ] || mknod /dev/infiniband/uverbs0 c 231 192
echo "{MARK}Linux $(uname -r)"
end=passed
lists() {{
    {lists}
}}
run() {{
    left={tries}
    until "$@" > /tmp/said 2>&1; do
        left=$((left - 1))
        if [ $left = 0 ] || ! grep -q "Couldn't connect" /tmp/said; then
            tail -n 12 /tmp/said | while read -r line; do echo "{MARK}$line"; done
            end=failed
            return
        fi
        usleep 250000
    done
    echo "{MARK}$*: $(grep -A1 '#bytes' /tmp/said | tail -n 1 | tr -s ' \t' ' ')"
}}
# The other end may still be booting.
until ping -c 1 -W 1 {} > /dev/null; do :; done
{all}lists &
{listed}for counter in /sys/class/infiniband/rxe0/ports/1/hw_counters/*; do
    value=$(cat $counter)
    case $counter in */lifespan) ;; *) [ "$value" = 0 ] || echo "{MARK}counter $(basename $counter) $value" ;; esac
done
echo "{MARK}$end"
# The other end may still read the last answer.
sleep 2
poweroff -f
"#,
        match role {
            Role::Host => Role::Network.address(),
            Role::Network => Role::Host.address(),
        }
    )
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Names of the modules that a module says it needs.
fn needs(module: &[u8]) -> Vec<String> {
    let key = b"depends=";
    // A string of its own in the section of such strings.
    let at = (0..module.len()).find(|&at| module[at..].starts_with(key) && (at == 0 || module[at - 1] == 0));
    let text = at.map(|at| module[at + key.len()..].iter().copied().take_while(|b| *b != 0).collect()).unwrap_or_default();
    String::from_utf8(text).unwrap_or_default().split(',').filter(|m| !m.is_empty()).map(str::to_owned).collect()
}

/// Puts a module into the archive behind those that it needs, and its name into `order`. A module
/// that is built into the kernel is none.
fn put(archive: &mut Archive, tree: &Machine, module: &str, order: &mut Vec<String>) -> Result<(), String> {
    if order.iter().any(|m| m == module) {
        return Ok(());
    }
    // Files have either sign in their names.
    let found = tree.module(module)?.map_or_else(|| tree.module(&module.replace('_', "-")), |m| Ok(Some(m)))?;
    let Some(data) = found else { return Ok(()) };
    for needed in needs(&data) {
        put(archive, tree, &needed, order)?;
    }
    archive.put(&format!("modules/{module}.ko"), 0o100_644, &data);
    order.push(module.into());
    Ok(())
}

/// Packs a guest's archive; gives its path.
///
/// # Errors
/// A part of it is missing.
pub fn initrd(dir: &Path, tree: &Machine, role: Role, tests: &[Test]) -> Result<PathBuf, String> {
    let mut archive = Archive::default();
    for folder in [
        "bin",
        "dev",
        "etc",
        "etc/libibverbs.d",
        "lib64",
        "modules",
        "proc",
        "run",
        "sys",
        "tmp",
        "usr",
        "usr/bin",
        "usr/lib",
        LIBRARIES,
        "usr/lib/x86_64-linux-gnu/libibverbs",
    ] {
        archive.folder(folder);
    }
    archive.program("init", script(role, tests).as_bytes());
    archive.program("bin/busybox", &read(&tree.path("usr/bin/busybox"))?);
    let programs: BTreeSet<&str> =
        tests.iter().filter_map(|t| t.split(' ').next()).chain(LISTED.split(' ').take(1)).chain(["rdma"]).collect();
    let mut libraries = BTreeSet::new();
    for program in programs {
        let place = format!("usr/bin/{program}");
        archive.program(&place, &read(&tree.path(&place))?);
        libraries.extend(tree.libraries(&place)?);
    }
    for provider in PROVIDER {
        archive.program(provider, &read(&tree.path(provider))?);
    }
    libraries.extend(tree.libraries(PROVIDER[1])?);
    for library in libraries {
        archive.program(&format!("{LIBRARIES}/{}", name(&library)), &read(&library)?);
    }
    archive.program("lib64/ld-linux-x86-64.so.2", &read(&tree.path("usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"))?);
    let mut order = Vec::new();
    for module in MODULES {
        put(&mut archive, tree, module, &mut order)?;
    }
    archive.put("modules/order", 0o100_644, (order.join("\n") + "\n").as_bytes());
    let path = dir.join(format!("initrd-{}", role.name()));
    fs::write(&path, archive.finish()).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

/// A guest at a socket of the wire.
///
/// # Errors
/// The tree has no kernel.
pub fn qemu(qemu: &Machine, tree: &Machine, initrd: &Path, role: Role, socket: &Path, lists: &Path) -> Result<Command, String> {
    let mut c = qemu.qemu();
    c.args(["-M", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "1", "-m", "512", "-nodefaults", "-nographic", "-no-reboot"]);
    c.arg("-netdev").arg(format!("stream,id=n0,server=off,addr.type=unix,addr.path={}", socket.display()));
    let last = if role == Role::Host { 1 } else { 2 };
    c.arg("-device").arg(format!("virtio-net-pci,netdev=n0,mac=52:54:00:00:00:0{last}"));
    c.args(["-serial", "stdio"]);
    if role == Role::Host {
        c.arg("-serial").arg(format!("file:{}", lists.display()));
    }
    c.arg("-kernel").arg(tree.kernel()?).arg("-initrd").arg(initrd);
    c.args(["-append", "console=ttyS0 panic=-1 quiet no_timer_check mitigations=off"]);
    c.stdin(Stdio::null()).stdout(Stdio::piped());
    Ok(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_guests_run_the_same_programs() {
        let tests = ["ib_write_bw -s 65536", "ib_send_lat"];
        let [host, network] = [Role::Host, Role::Network].map(|r| script(r, &tests));
        assert!(host.contains("run ib_write_bw -s 65536 10.0.0.2\nrun ib_send_lat 10.0.0.2\n") && host.contains("address add 10.0.0.1/24"));
        assert!(network.contains("run ib_write_bw -s 65536\nrun ib_send_lat\n") && network.contains("ping -c 1 -W 1 10.0.0.1"));
    }

    #[test]
    fn a_module_says_what_it_needs() {
        assert_eq!(needs(b"license=GPL\0depends=ib_core,udp_tunnel\0name=rdma_rxe\0"), ["ib_core", "udp_tunnel"]);
        assert!(needs(b"depends=\0softdepends=no\0").is_empty() && needs(b"nothing").is_empty());
    }
}
