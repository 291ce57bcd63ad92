//! A grid of coloured characters, and the terminal that shows it.
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use std::fmt::Write as _;
use std::io::{self, Write, stdin, stdout};

/// A colour, as SGR numbers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Colour {
    /// The terminal's own.
    #[default]
    Plain = 39,
    /// 31
    Red = 31,
    /// 32
    Green = 32,
    /// 33
    Yellow = 33,
    /// 34
    Blue = 34,
    /// 35
    Magenta = 35,
    /// 36
    Cyan = 36,
    /// 90
    Grey = 90,
}

/// How a character looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Colour of the character.
    pub colour: Colour,
    /// Bold.
    pub bold: bool,
    /// Colour and ground are exchanged.
    pub reversed: bool,
}

impl Style {
    /// Of a colour.
    pub const fn of(colour: Colour) -> Self {
        Style { colour, bold: false, reversed: false }
    }

    /// The style, bold.
    pub const fn bold(self) -> Self {
        Style { bold: true, ..self }
    }
}

/// A grid of characters. Text beyond the edges is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    width: usize,
    cells: Vec<(char, Style)>,
}

impl Grid {
    /// Blank.
    pub fn new(width: usize, height: usize) -> Self {
        Grid { width, cells: vec![(' ', Style::default()); width * height] }
    }

    /// Columns of the grid.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Lines of the grid.
    pub fn height(&self) -> usize {
        self.cells.len().checked_div(self.width).unwrap_or(0)
    }

    /// Writes from column `x` of line `y` on; gives the column behind it.
    pub fn put(&mut self, x: usize, y: usize, text: &str, style: Style) -> usize {
        let (mut at, width, height) = (x, self.width, self.height());
        for c in text.chars() {
            if at < width && y < height {
                self.cells[y * width + at] = (c, style);
            }
            at += 1;
        }
        at
    }

    /// Writes text that ends before column `end`.
    pub fn put_right(&mut self, end: usize, y: usize, text: &str, style: Style) {
        self.put(end.saturating_sub(text.chars().count()), y, text, style);
    }

    /// Lines of the grid as text, without colours.
    pub fn text(&self) -> String {
        let line = |l: &[(char, Style)]| l.iter().map(|c| c.0).collect::<String>().trim_end().to_owned() + "\n";
        self.cells.chunks(self.width.max(1)).map(line).collect()
    }

    /// ANSI sequences that draw the grid over whatever the terminal shows; unless `coloured`, in
    /// the terminal's own colour.
    pub fn ansi(&self, coloured: bool) -> String {
        let mut out = String::from("\x1b[H");
        for (y, line) in self.cells.chunks(self.width.max(1)).enumerate() {
            let mut style = Style::default();
            // Writing into a string does not fail.
            let _ = write!(out, "\x1b[{};1H\x1b[0m", y + 1);
            for (c, s) in line {
                if *s != style {
                    let (bold, reversed) = (if s.bold { ";1" } else { "" }, if s.reversed { ";7" } else { "" });
                    let colour = if coloured { s.colour } else { Colour::Plain };
                    let _ = write!(out, "\x1b[0;{}{bold}{reversed}m", colour as u8);
                    style = *s;
                }
                out.push(*c);
            }
        }
        out + "\x1b[0m"
    }
}

/// The terminal in raw mode, on its other screen; given back however this ends.
pub struct Terminal(Termios);

impl Terminal {
    /// Takes it.
    ///
    /// # Errors
    /// When the standard input is no terminal, or the output is closed.
    pub fn open() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Flush, &raw)?;
        // Given back from here on, whatever fails.
        let terminal = Terminal(before);
        terminal.write("\x1b[?1049h\x1b[?25l\x1b[2J")?;
        Ok(terminal)
    }

    /// Columns and lines of the terminal on stdout; `None` when stdout is no terminal.
    pub fn size() -> Option<(usize, usize)> {
        let size = tcgetwinsize(stdout()).ok()?;
        (size.ws_col > 0 && size.ws_row > 0).then(|| (size.ws_col.into(), size.ws_row.into()))
    }

    /// Shows a grid.
    ///
    /// # Errors
    /// When the terminal is closed.
    pub fn show(&self, grid: &Grid) -> io::Result<()> {
        let coloured = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        self.write(&grid.ansi(coloured))
    }

    fn write(&self, text: &str) -> io::Result<()> {
        stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.write("\x1b[0m\x1b[?25h\x1b[?1049l");
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_edges_is_cut() {
        let mut g = Grid::new(5, 2);
        assert_eq!(g.put(3, 0, "abc", Style::default()), 6);
        g.put(0, 2, "x", Style::default());
        g.put_right(5, 1, "1234567", Style::default());
        assert_eq!(g.text(), "   ab\n12345\n");
        g.put_right(5, 1, "é", Style::of(Colour::Red).bold());
        assert!(g.ansi(true).contains("1234\u{1b}[0;31;1mé") && g.ansi(true).ends_with("\u{1b}[0m"));
        assert!(g.ansi(false).contains("1234\u{1b}[0;39;1mé"));
        assert_eq!((Grid::new(0, 0).text(), Grid::new(0, 7).height()), (String::new(), 0));
    }
}
