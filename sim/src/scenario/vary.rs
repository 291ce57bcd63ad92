//! A scenario with single fields changed: what sweeps and sets of experiments are made of.
use super::file::Overrides;
use super::{Error, Plan, file};
use std::path::Path;
use toml::{Table, Value};

/// A field by its path, such as `profile.mine.alpha` or `flow.0.segment_bytes`,
/// `flow.*.segment_bytes` for all, and its value.
pub type Change = (String, Value);

fn set(at: &mut Value, path: &[&str], to: &Value) -> Result<(), String> {
    let Some((first, rest)) = path.split_first() else {
        *at = to.clone();
        return Ok(());
    };
    match at {
        Value::Table(t) if !first.is_empty() => set(t.entry(*first).or_insert_with(|| Value::Table(Table::new())), rest, to),
        Value::Array(all) if *first == "*" => all.iter_mut().try_for_each(|one| set(one, rest, to)),
        Value::Array(all) => {
            let n = all.len();
            let one = first.parse::<usize>().ok().and_then(|i| all.get_mut(i));
            set(one.ok_or_else(|| format!("{first} is none of the {n} in the list"))?, rest, to)
        }
        _ => Err(format!("{first} is no field")),
    }
}

/// The text of a scenario with these changes; `file` names it in errors.
pub fn text(file: &Path, text: &str, changes: &[Change]) -> Result<String, Error> {
    let parsed = text.parse::<Table>().map_err(|e| {
        let line = e.span().map_or(1, |s| text[..s.start.min(text.len())].matches('\n').count() + 1);
        Error::Syntax { file: file.into(), line, message: e.message().to_owned() }
    })?;
    let mut all = Value::Table(parsed);
    for (path, to) in changes {
        let parts: Vec<&str> = path.split('.').collect();
        let refused = |message| Error::Syntax { file: file.into(), line: 1, message: format!("{path} = {to}: {message}") };
        set(&mut all, &parts, to).map_err(refused)?;
    }
    // A table of parsed values can be written.
    Ok(toml::to_string(&all).unwrap_or_default())
}

/// A scenario's text with these changes, read, some of it overridden.
pub fn parse(file: &Path, of: &str, changes: &[Change], overrides: &Overrides) -> Result<Plan, Error> {
    let text = text(file, of, changes)?;
    file::parse_with(file, &text, overrides).map_err(|e| match e {
        // Line numbers of the changed text are left out: a user cannot see that text.
        Error::Value { file, field, value, allowed, .. } => Error::Changed { file, field, value, allowed },
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_change_wherever_they_stand() {
        let of = "duration_ms = 1\n[topology]\nhosts = 3\n[[flow]]\nfrom = 0\nto = 2\n[[flow]]\nfrom = 1\nto = 2\n";
        let path = Path::new("a.toml");
        let change = |path: &str, to: i64| (path.to_owned(), Value::Integer(to));
        let with = |changes: &[Change]| parse(path, of, changes, &Overrides::default());
        let p = with(&[change("flow.*.segment_bytes", 4096), change("flow.1.start_us", 7), change("switch.xoff_kb", 9)]).unwrap();
        assert_eq!(p.flows.iter().map(|f| (f.segment, f.start)).collect::<Vec<_>>(), [(4096, 0), (4096, 7_000_000)]);
        assert_eq!(p.switch.pfc[1].unwrap().xoff, 9000);
        let wrong = |c: Change| with(&[c]).map(|_| ()).unwrap_err().to_string();
        assert_eq!(wrong(change("flow.2.bytes", 1)), "a.toml:1: flow.2.bytes = 1: 2 is none of the 2 in the list");
        assert_eq!(wrong(change("duration_ms.x", 1)), "a.toml:1: duration_ms.x = 1: x is no field");
        assert_eq!(wrong(change("topology.hosts", 1)), "a.toml, changed: topology.hosts is 1; allowed: 2 to 4000");
    }
}
