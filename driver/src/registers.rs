//! Registers by name: `dma.STATUS`, `STATUS` where one block alone has it, `counters.COUNTER[3]`.
use timely_regs::map::{BLOCKS, Register};

/// A register by its name, and which of its array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The register.
    pub register: &'static Register,
    /// Index in the register's array.
    pub index: u32,
}

/// A name that is no register's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// There is none.
    #[error("there is no register `{0}`; `timelyctl reg list` names them all")]
    Unknown(String),
    /// There are several.
    #[error("several blocks have a register `{0}`; write {1}")]
    Several(String, String),
    /// Beyond its array.
    #[error("{name} has no number {index}; it has 0 to {last}")]
    Index {
        /// Full name of the register.
        name: String,
        /// Index asked for.
        index: String,
        /// The last one.
        last: u32,
    },
}

/// All registers.
pub fn all() -> impl Iterator<Item = &'static Register> {
    // A constant is copied where it is named; this one stays where it is.
    static ALL: [timely_regs::map::Block; BLOCKS.len()] = BLOCKS;
    ALL.iter().flat_map(|b| b.registers)
}

impl Named {
    /// The register of that name; upper and lower case are the same.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn find(text: &str) -> Result<Self, NameError> {
        let (name, index) = match text.strip_suffix(']').and_then(|t| t.split_once('[')) {
            Some((name, index)) => (name, index),
            None => (text, "0"),
        };
        let (block, register) = name.rsplit_once('.').map_or((None, name), |(b, r)| (Some(b), r));
        let is =
            |r: &&Register| r.name.eq_ignore_ascii_case(register) && block.is_none_or(|b| r.block.block().name.eq_ignore_ascii_case(b));
        let found: Vec<_> = all().filter(is).collect();
        let register = match found[..] {
            [] => return Err(NameError::Unknown(text.into())),
            [one] => one,
            _ => {
                let names: Vec<_> = found.iter().map(|r| full_name(r)).collect();
                return Err(NameError::Several(text.into(), names.join(" or ")));
            }
        };
        let beyond = || NameError::Index { name: full_name(register), index: index.into(), last: register.count - 1 };
        let index = index.parse().ok().filter(|i| *i < register.count).ok_or_else(beyond)?;
        Ok(Named { register, index })
    }

    /// Full name: block, register, and the index in an array.
    pub fn name(&self) -> String {
        let name = full_name(self.register);
        if self.register.count == 1 { name } else { format!("{name}[{}]", self.index) }
    }
}

/// Block and register.
fn full_name(r: &Register) -> String {
    format!("{}.{}", r.block.block().name, r.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_is_found_by_its_name() {
        for r in all() {
            let last = Named { register: r, index: r.count - 1 };
            assert_eq!(Named::find(&last.name()), Ok(last));
            assert_eq!(Named::find(&last.name().to_lowercase()), Ok(last));
        }
        assert_eq!(Named::find("MAGIC").map(|n| n.name()), Ok("id.MAGIC".into()));
    }

    #[test]
    fn other_names_are_told_what_to_do() {
        let text = |name| Named::find(name).expect_err(name).to_string();
        assert_eq!(text("NOPE"), "there is no register `NOPE`; `timelyctl reg list` names them all");
        assert_eq!(text("control"), "several blocks have a register `control`; write id.CONTROL or roce.CONTROL or dma.CONTROL");
        assert_eq!(text("COUNTER[64]"), "counters.COUNTER has no number 64; it has 0 to 63");
        assert_eq!(text("MAGIC[x]"), "id.MAGIC has no number x; it has 0 to 0");
    }
}
