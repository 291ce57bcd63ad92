//! A rate that the registers cannot hold is shown to the user, with the one that is held.
use std::path::PathBuf;
use std::process::Command;

#[test]
fn a_coarser_rate_is_shown() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rounded.toml");
    let text = "name = \"rounded\"\nduration_ms = 1\n[topology]\nhosts = 2\n[profile.slow]\nlike = \"timely-10g\"\nleast_mbps = 1.0001\n\
                [[flow]]\nfrom = 0\nto = 1\nprofile = \"slow\"\n";
    std::fs::write(&file, text).unwrap();
    let run = |nics: &str| {
        let o = Command::new(env!("CARGO_BIN_EXE_timely-sim")).args(["run", "--nics", nics]).arg(&file).output().expect("it starts");
        assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
        String::from_utf8(o.stderr).unwrap()
    };
    let note = "note: profile slow: least_mbps of 1.0001 Mb/s is held as 1.000000 (-100 ppm), a multiple of 2^-12 Mb/s\n";
    assert_eq!(run("model"), note);
    // A floating-point rate is what it is.
    assert_eq!(run("paced"), "");
}
