//! The manual's array job, as printed, run by a real Slurm of one node: in the soak, where Slurm
//! is installed.
use crate::common::thorough;
use std::fs;
use std::io::{Write, stdout};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

const MANUAL: &str = include_str!("../../../docs/simulator.md");
/// Programs of Debian's slurm-wlm and munge, which may be in folders of root's path alone.
const PROGRAMS: [&str; 5] = ["munged", "slurmctld", "slurmd", "sbatch", "scontrol"];
/// Times that the controller is asked whether it is there; each asking waits for an answer.
const ASKED: usize = 2_000;

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').chain(["/usr/sbin", "/sbin"]);
    folders.map(|f| Path::new(f).join(name)).find(|p| p.is_file())
}

/// Slurm and its authentication in a folder of its own, which end with it.
struct Slurm {
    dir: PathBuf,
    daemons: Vec<Child>,
}

impl Slurm {
    fn command(&self, name: &str) -> Command {
        let mut c = Command::new(program(name).expect("it was looked for"));
        c.env("SLURM_CONF", self.dir.join("slurm.conf")).current_dir(&self.dir);
        c
    }

    fn daemon(&mut self, name: &str, words: &[String]) {
        let log = fs::File::create(self.dir.join(format!("{name}.log"))).expect("a file");
        let also = log.try_clone().expect("a file");
        let child = self.command(name).args(words).stdin(Stdio::null()).stdout(log).stderr(also).spawn();
        self.daemons.push(child.unwrap_or_else(|e| panic!("{name}: {e}")));
    }

    fn logs(&self) -> String {
        let of = |n: &&str| fs::read_to_string(self.dir.join(format!("{n}.log"))).unwrap_or_default();
        PROGRAMS.iter().map(of).collect()
    }

    fn start(dir: &Path) -> Self {
        let said = |c: &str, w: &[&str]| {
            let o = Command::new(c).args(w).output().unwrap_or_else(|e| panic!("{c}: {e}"));
            String::from_utf8_lossy(&o.stdout).trim().to_owned()
        };
        let (user, host) = (said("id", &["-un"]), said("uname", &["-n"]));
        let listeners = [0, 0].map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let [control, node] = listeners.map(|l| l.local_addr().expect("bound").port());
        let at = |name: &str| dir.join(name).display().to_string();
        let conf = format!(
            "ClusterName=one\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser={user}\nSlurmdUser={user}\nSlurmctldPort={control}\nSlurmdPort={node}\n\
             AuthType=auth/munge\nAuthInfo=socket={}\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nReturnToService=2\nStateSaveLocation={}\nSlurmdSpoolDir={}\n\
             SlurmctldPidFile={}\nSlurmdPidFile={}\nNodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\n\
             PartitionName=all Nodes=ALL Default=YES State=UP\n",
            at("munge.socket"),
            at("state"),
            at("spool"),
            at("slurmctld.pid"),
            at("slurmd.pid")
        );
        ["state", "spool"].iter().for_each(|d| fs::create_dir_all(dir.join(d)).expect("a folder"));
        fs::write(dir.join("slurm.conf"), conf).expect("written");
        let mut key = fs::OpenOptions::new();
        std::os::unix::fs::OpenOptionsExt::mode(key.write(true).create_new(true), 0o400);
        let random: Vec<u8> = (0..128u8).map(|i| i.wrapping_mul(37) ^ std::process::id() as u8).collect();
        key.open(dir.join("munge.key")).and_then(|mut f| f.write_all(&random)).expect("written");
        let mut slurm = Slurm { dir: dir.into(), daemons: Vec::new() };
        let option = |name: &str, file: &str| format!("--{name}={}", at(file));
        let files = [("key-file", "munge.key"), ("socket", "munge.socket"), ("pid-file", "munge.pid"), ("seed-file", "munge.seed")];
        let words = files.map(|(n, f)| option(n, f)).into_iter().chain(["--foreground".into(), "--force".into()]);
        slurm.daemon("munged", &words.collect::<Vec<_>>());
        slurm.daemon("slurmctld", &["-D".into()]);
        slurm.daemon("slurmd", &["-D".into()]);
        let up = |c: &mut Command| c.output().is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains("is UP"));
        assert!((0..ASKED).any(|_| up(slurm.command("scontrol").arg("ping"))), "no controller\n{}", slurm.logs());
        slurm
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for d in self.daemons.iter_mut().rev() {
            let _ = d.kill();
            let _ = d.wait();
        }
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn text(o: &Output) -> String {
    [&o.stdout, &o.stderr].map(|b| String::from_utf8_lossy(b).into_owned()).concat()
}

/// Every run once, in the shard of its task, and the table that one process writes.
#[test]
fn the_manuals_array_job_is_that_of_one_process() {
    if !thorough() {
        return;
    }
    if let Some(missing) = PROGRAMS.into_iter().find(|p| program(p).is_none()) {
        writeln!(stdout(), "left out: slurm: there is no {missing} here (Debian: apt-get install slurm-wlm)").expect("stdout");
        return;
    }
    let (_, job) = MANUAL.split_once("`sweep.sbatch`:\n```\n").expect("the manual has the job");
    let (job, rest) = job.split_once("```\n").expect("a block ends");
    let dir = std::env::temp_dir().join(format!("timely-slurm-{}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("a folder for the test");
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    for (from, to) in [("sweep_incast.toml", "sweep.toml"), ("incast_event.toml", "incast_event.toml")] {
        fs::copy(scenarios.join(from), dir.join(to)).expect("copied");
    }
    fs::write(dir.join("sweep.sbatch"), job).expect("written");
    let slurm = Slurm::start(&dir);
    let own = Path::new(env!("CARGO_BIN_EXE_timely-sim"));
    let path = format!("{}:{}", own.parent().expect("a folder").display(), std::env::var("PATH").unwrap_or_default());
    // As the manual says it, and until all tasks have ended.
    let (_, line) = rest.split_once("`sbatch ").expect("the manual says how to submit it");
    let words = line.split_once('`').expect("it ends").0.split(' ');
    let o = slurm.command("sbatch").args(words).env("PATH", path).output().expect("it starts");
    let of = |task: usize| fs::read_to_string(dir.join(format!("results/results-{task}-of-16.jsonl"))).unwrap_or_default();
    assert!(o.status.success(), "{}{}", text(&o), slurm.logs());
    let indices =
        |task| of(task).lines().map(|l| serde_json::from_str::<serde_json::Value>(l).expect("a line")["index"].as_u64()).collect();
    for task in 0..16 {
        let mut ran: Vec<Option<u64>> = indices(task);
        ran.sort();
        assert_eq!(ran, (0..36).filter(|i| i % 16 == task as u64).map(Some).collect::<Vec<_>>(), "task {task}");
    }
    let alone = Command::new(own).args(["sweep", "sweep.toml", "--out", "alone"]).current_dir(&dir).output().expect("it starts");
    assert!(alone.status.success(), "{}", text(&alone));
    let table = |of: &str| fs::read_to_string(dir.join(of).join("table.csv")).unwrap_or_else(|e| panic!("{of}: {e}"));
    assert_eq!(table("results"), table("alone"));
}
