//! Connected queue pairs of this host, or of one whose list was saved: the numbers at both ends. No
//! list has the peer's address.
mod kernel;

use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The longest list that is read: some 100,000 queue pairs.
const LONGEST: u64 = 32 << 20;

/// A queue pair of a reliable connection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LocalPair {
    /// RDMA device.
    pub device: String,
    /// Number of the queue pair.
    pub local: u32,
    /// Number of the peer's.
    pub remote: u32,
}

/// Where a list comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The kernel of this host.
    Kernel,
    /// A file with the output of `rdma -j resource show qp`, read anew for each list.
    File(PathBuf),
}

/// Why there is no list.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The kernel does not tell.
    #[error(
        "this kernel does not list queue pairs: {0}; load the driver of the RDMA device, or give the list of the host that has it \
         (`rdma -j resource show qp`) with --list"
    )]
    Kernel(io::Error),
    /// There is no such device.
    #[error("there is no RDMA device `{asked}`; {}", known(.there))]
    Device {
        /// The name that was given.
        asked: String,
        /// Names of the devices that there are.
        there: Vec<String>,
    },
    /// A file cannot be read.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file is no list.
    #[error("{}: {error}; give what `rdma -j resource show qp` prints", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Why.
        error: serde_json::Error,
    },
}

fn known(there: &[String]) -> String {
    if there.is_empty() { "the host has none".into() } else { format!("the host has {}", there.join(", ")) }
}

/// A line of `rdma -j resource show qp`, as far as it matters.
#[derive(Deserialize)]
struct Line {
    ifname: String,
    lqpn: u32,
    rqpn: Option<u32>,
    #[serde(rename = "type")]
    kind: Option<String>,
    state: Option<String>,
}

impl Line {
    /// The connected queue pair of the line.
    fn pair(self) -> Option<LocalPair> {
        let reliable = self.kind.is_none_or(|k| k == "RC");
        let connected = self.state.is_none_or(|s| ["RTR", "RTS", "SQD", "SQE"].contains(&&s[..]));
        let remote = self.rqpn.filter(|r| *r != 0 && reliable && connected)?;
        Some(LocalPair { device: self.ifname, local: self.lqpn, remote })
    }
}

/// The lines in what `rdma -j resource show qp` printed.
fn parse(text: &str) -> Result<Vec<Line>, serde_json::Error> {
    serde_json::from_str(text)
}

fn from_file(path: &Path) -> Result<Vec<Line>, ListError> {
    let failed = |error| ListError::File { path: path.into(), error };
    let mut text = String::new();
    let read = File::open(path).and_then(|f| f.take(LONGEST + 1).read_to_string(&mut text)).map_err(failed)?;
    if read as u64 > LONGEST {
        return Err(failed(io::Error::other(format!("longer than {} MB", LONGEST >> 20))));
    }
    parse(&text).map_err(|error| ListError::Format { path: path.into(), error })
}

impl Source {
    /// The connected queue pairs: of one device, or of all.
    ///
    /// # Errors
    /// When there is no list, it is not whole, or no such device is in it.
    pub fn pairs(&self, device: Option<&str>) -> Result<Vec<LocalPair>, ListError> {
        match self {
            Source::Kernel => kernel::pairs(device),
            Source::File(path) => {
                let mut all = from_file(path)?;
                if let Some(asked) = device
                    && all.iter().all(|l| l.ifname != asked)
                {
                    let there: BTreeSet<String> = all.into_iter().map(|l| l.ifname).collect();
                    return Err(ListError::Device { asked: asked.into(), there: there.into_iter().collect() });
                }
                // Each device has a queue pair for management at least.
                all.retain(|l| device.is_none_or(|d| l.ifname == d));
                Ok(all.into_iter().filter_map(Line::pair).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of iproute2 6.15 on two devices: general service, a connection, one that is not
    /// connected yet, and a datagram's.
    #[test]
    fn the_tool_s_list_is_read() {
        let text = r#"[{"ifindex":0,"ifname":"rxe0","port":1,"lqpn":1,"type":"GSI","state":"RTS","sq-psn":0,"comm":"[ib_core]"},
            {"ifindex":0,"ifname":"rxe0","port":1,"lqpn":17,"rqpn":35,"type":"RC","state":"RTS","rq-psn":1,"sq-psn":2,
             "path-mig-state":"MIGRATED","pdn":7,"pid":412,"comm":"ib_write_bw"},
            {"ifindex":0,"ifname":"rxe0","port":1,"lqpn":18,"rqpn":0,"type":"RC","state":"INIT"},
            {"ifindex":0,"ifname":"rxe0","port":1,"lqpn":20,"rqpn":36,"type":"RC","state":"ERR"},
            {"ifindex":1,"ifname":"rxe1","port":1,"lqpn":19,"rqpn":5,"type":"UC"}]"#;
        let pair = LocalPair { device: "rxe0".into(), local: 17, remote: 35 };
        let pairs = |text: &str| Ok::<_, serde_json::Error>(parse(text)?.into_iter().filter_map(Line::pair).collect::<Vec<_>>());
        assert_eq!(pairs(text).expect("a list"), [pair]);
        assert_eq!(pairs("[]").expect("a list"), []);
        for wrong in ["", "{}", "[{\"ifname\":\"rxe0\",\"lqpn\":-1}]", "[1]"] {
            assert!(pairs(wrong).is_err(), "{wrong}");
        }
    }
}
