//! The driver's commands to the table of queue pairs, register by register, and a flow's rate.
use timely_regs::field::Field;
use timely_regs::map::{flow, roce};
use timely_regs::telemetry;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::{Inline, Path};

/// Orders a command on a pair, and gives the outcome and the flow; none if it is refused.
pub fn command<P: Path>(nic: &mut Inline<P>, at: [u8; 16], remote: u32, local: Option<u32>, command: u32) -> Option<(u32, u32)> {
    let mut write = |address: u32, value: u32| nic.write32(address, value).expect("a register");
    for (word, i) in at.as_chunks().0.iter().zip(0..) {
        write(roce::ADDRESS.address() + 4 * i, u32::from_le_bytes(*word));
    }
    write(roce::REMOTE.address(), remote);
    write(roce::LOCAL.address(), local.map_or(0, |l| l | 1 << 24));
    write(roce::SET_PROFILE.address(), 1);
    nic.write32(roce::COMMAND.address(), command).ok()?;
    for _ in 0..1000 {
        let status = [nic.read32(roce::STATUS.address()).expect("a register")];
        if roce::BUSY.get(&status) == 0 {
            return Some((roce::OUTCOME.get(&status), roce::FLOW.get(&status)));
        }
    }
    panic!("the command does not end");
}

/// Words of what the last command found.
fn told<P: Path>(nic: &mut Inline<P>) -> [u32; roce::TOLD_WORDS as usize] {
    let mut words = [0; roce::TOLD_WORDS as usize];
    for (word, i) in words.iter_mut().zip(0..) {
        nic.write32(roce::TOLD_WORD.address(), i).expect("a register");
        *word = nic.read32(roce::TOLD.address()).expect("a register");
    }
    words
}

fn number(word: u32, given: Field) -> Option<u32> {
    (given.get(&[word]) == 1).then_some(word & 0xff_ffff)
}

/// Takes the first answer since the last take whose pair is not joined: the peer's address, and the
/// local queue pair.
pub fn take<P: Path>(nic: &mut Inline<P>) -> Option<([u8; 16], u32)> {
    nic.write32(roce::COMMAND.address(), roce::TAKE).ok()?;
    let status = [nic.read32(roce::STATUS.address()).expect("a register")];
    let words = told(nic);
    let address: Vec<u8> = words[..4].iter().flat_map(|w| w.to_le_bytes()).collect();
    let local = number(words[roce::TOLD_LOCAL as usize], roce::TOLD_GIVEN);
    assert_eq!(roce::OUTCOME.get(&status) == 0, local.is_some(), "{words:08x?}");
    local.map(|l| (address.try_into().expect("16 bytes"), l))
}

/// A rule: bits of the address that count (of an IPv4 address's mapped form), the address, and the
/// DSCP if it counts; then profile and priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub bits: u32,
    pub address: [u8; 16],
    pub dscp: Option<u32>,
    pub profile: u32,
    pub priority: u32,
}

/// Writes a rule, or takes it out of use.
pub fn put_rule<P: Path>(nic: &mut Inline<P>, index: u32, rule: Option<Rule>) {
    let mut word = [0];
    let mut put = |field: Field, value: u32| field.set(&mut word, value).expect("in range");
    put(roce::RULE_INDEX, index);
    if let Some(rule) = rule {
        put(roce::RULE_USED, 1);
        put(roce::RULE_BITS, rule.bits);
        put(roce::RULE_BY_DSCP, rule.dscp.is_some().into());
        put(roce::RULE_DSCP, rule.dscp.unwrap_or(0));
        put(roce::RULE_PROFILE, rule.profile);
        put(roce::RULE_PRIORITY, rule.priority);
        for (word, i) in rule.address.as_chunks().0.iter().zip(0..) {
            nic.write32(roce::ADDRESS.address() + 4 * i, u32::from_le_bytes(*word)).expect("a register");
        }
    }
    nic.write32(roce::RULE.address(), word[0]).expect("a register");
}

/// The rule of an index, if it is in use.
pub fn rule<P: Path>(nic: &mut Inline<P>, index: u32) -> Option<Rule> {
    let mut read = |word: u32| {
        let shown = word | 1 << roce::OF_RULE.low | index << roce::SHOWN_RULE.low;
        nic.write32(roce::TOLD_WORD.address(), shown).expect("a register");
        nic.read32(roce::TOLD.address()).expect("a register")
    };
    let word = [read(roce::TOLD_RULE)];
    let address: Vec<u8> = [0, 1, 2, 3].into_iter().flat_map(|i| read(i).to_le_bytes()).collect();
    (roce::RULE_USED.get(&word) == 1).then(|| Rule {
        bits: roce::RULE_BITS.get(&word),
        address: address.try_into().expect("16 bytes"),
        dscp: (roce::RULE_BY_DSCP.get(&word) == 1).then(|| roce::RULE_DSCP.get(&word)),
        profile: roce::RULE_PROFILE.get(&word),
        priority: roce::RULE_PRIORITY.get(&word),
    })
}

/// A word of a flow's telemetry.
fn told_of<P: Path>(nic: &mut Inline<P>, number: u32, field: Field) -> u32 {
    nic.write32(flow::INDEX.address(), number).expect("a register");
    nic.write32(flow::COMMAND.address(), flow::QUERY).expect("a register");
    while flow::BUSY.get(&[nic.read32(flow::STATUS.address()).expect("a register")]) == 1 {}
    nic.read32(flow::ANSWER.address() + 4 * u32::from(field.word)).expect("a register")
}

/// Rate of a flow, Mb/s.
pub fn rate<P: Path>(nic: &mut Inline<P>, number: u32) -> f64 {
    f64::from(told_of(nic, number, telemetry::RATE)) / 4096.0
}

/// Losses that a flow was told of.
pub fn lost<P: Path>(nic: &mut Inline<P>, number: u32) -> u32 {
    told_of(nic, number, telemetry::LOST)
}

/// Packets that a flow sent from the store.
pub fn packets<P: Path>(nic: &mut Inline<P>, number: u32) -> u32 {
    told_of(nic, number, telemetry::PACKETS)
}

/// A pair as the NIC tells it: address, remote and local queue pair, whether a command set it.
pub type PairOf = ([u8; 16], u32, Option<u32>, bool);

/// The pair of a flow, if the command is taken and the flow has one.
pub fn read<P: Path>(nic: &mut Inline<P>, flow: u32) -> Option<PairOf> {
    nic.write32(roce::READ_FLOW.address(), flow).expect("a register");
    nic.write32(roce::COMMAND.address(), roce::READ).ok()?;
    while roce::BUSY.get(&[nic.read32(roce::STATUS.address()).expect("a register")]) == 1 {}
    let words = told(nic);
    let address: Vec<u8> = words[..4].iter().flat_map(|w| w.to_le_bytes()).collect();
    let far = words[roce::TOLD_REMOTE as usize];
    let remote = number(far, roce::TOLD_KNOWN)?;
    let local = number(words[roce::TOLD_LOCAL as usize], roce::TOLD_GIVEN);
    Some((address.try_into().expect("16 bytes"), remote, local, roce::TOLD_PINNED.get(&[far]) == 1))
}
