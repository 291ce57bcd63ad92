//! Keys, from the bytes that a terminal in raw mode sends.

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A printing character.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Backspace.
    Back,
    /// Control and C.
    Interrupt,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow right, or Tab.
    Right,
    /// Arrow left.
    Left,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first line.
    Home,
    /// To the last line.
    End,
}

/// The keys in what was read at once; a sequence that is none of these is passed by.
pub fn keys(bytes: &[u8]) -> Vec<Key> {
    let (mut found, mut rest) = (Vec::new(), bytes);
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            0x03 => found.push(Key::Interrupt),
            b'\r' | b'\n' => found.push(Key::Enter),
            b'\t' => found.push(Key::Right),
            0x08 | 0x7f => found.push(Key::Back),
            0x1b => {
                let sequence = match after {
                    [b'[' | b'O', sequence @ ..] => sequence,
                    _ => {
                        found.push(Key::Escape);
                        continue;
                    }
                };
                let length = sequence.iter().position(|b| (0x40..=0x7e).contains(b)).map_or(sequence.len(), |at| at + 1);
                rest = &sequence[length..];
                found.extend(match &sequence[..length] {
                    b"A" => Some(Key::Up),
                    b"B" => Some(Key::Down),
                    b"C" => Some(Key::Right),
                    b"D" | b"Z" => Some(Key::Left),
                    b"H" | b"1~" => Some(Key::Home),
                    b"F" | b"4~" => Some(Key::End),
                    b"5~" => Some(Key::PageUp),
                    b"6~" => Some(Key::PageDown),
                    _ => None,
                });
            }
            b' '..=b'~' => found.push(Key::Char(char::from(*first))),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_keys() {
        assert_eq!(keys(b"q/7\r\x7f\x03"), [Key::Char('q'), Key::Char('/'), Key::Char('7'), Key::Enter, Key::Back, Key::Interrupt]);
        assert_eq!(keys(b"\x1b[A\x1bOB\x1b[6~\x1b[Z\t"), [Key::Up, Key::Down, Key::PageDown, Key::Left, Key::Right]);
        assert_eq!(keys(b"\x1b"), [Key::Escape]);
        assert_eq!(keys(b"\x1b[<0;3;4Mx\x1b[99"), [Key::Char('x')], "a mouse, and a sequence without end");
        assert_eq!(keys("µ".as_bytes()), []);
    }
}
