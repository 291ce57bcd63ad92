//! Commands that messages advise, for the device that the message is about.
use timely_driver::target::Target;

/// Words that begin commands which take no device, or name it themselves.
const WITHOUT: [&str; 8] = ["--", "bind", "unbind", "list", "send", "recv", "reg list", "sim"];

/// A message whose commands name the device: without `--device` they would be of another one.
/// `device` is what this command was given, if it was given any.
pub fn for_device(text: &str, device: Option<&Target>) -> String {
    let Some(device) = device else { return text.into() };
    let mut parts = text.split("`timelyctl ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += "`timelyctl ";
        if !WITHOUT.iter().any(|w| part.starts_with(w)) {
            out += &format!("--device {device} ");
        }
        out += part;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser;

    #[test]
    fn commands_of_messages_name_the_device() {
        let device: Target = "vfio-user:/tmp/nic".parse().expect("valid");
        let told = |text: &str| for_device(text, Some(&device));
        assert_eq!(told("lost; reset it (`timelyctl reset`)"), "lost; reset it (`timelyctl --device vfio-user:/tmp/nic reset`)");
        assert_eq!(for_device("reset it (`timelyctl reset`)", None), "reset it (`timelyctl reset`)", "the usual device");
        for same in [
            "`timelyctl bind 0000:03:00.0 0000:03:00.1`",
            "`timelyctl list` shows them",
            "`timelyctl --device sim:model sim stop` ends them",
            "`timelyctl recv --answer` there",
            "no command at all",
        ] {
            assert_eq!(told(same), same);
        }
        // Advised commands can be typed.
        for message in
            ["`timelyctl reset`", "`timelyctl profile set 5 timely-10g`", "`timelyctl clock --pairs 1000`", "`timelyctl telemetry 7`"]
        {
            let text = told(message);
            Cli::try_parse_from(text.trim_matches('`').split(' ')).map(drop).unwrap_or_else(|e| panic!("{text}: {e}"));
        }
    }
}
