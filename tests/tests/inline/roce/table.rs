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

/// Rate of a flow, Mb/s.
pub fn rate<P: Path>(nic: &mut Inline<P>, number: u32) -> f64 {
    nic.write32(flow::INDEX.address(), number).expect("a register");
    nic.write32(flow::COMMAND.address(), flow::QUERY).expect("a register");
    while flow::BUSY.get(&[nic.read32(flow::STATUS.address()).expect("a register")]) == 1 {}
    let rate = nic.read32(flow::ANSWER.address() + 4 * u32::from(telemetry::RATE.word)).expect("a register");
    f64::from(rate) / 4096.0
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
