//! A named run of bits in a register or in a word of a record: the unit that register pages, C
//! header and accessors come from.

/// Bits `high..low` of a 32-bit word, and what may stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Word of the record; 0 in a register.
    pub word: u8,
    /// Highest bit.
    pub high: u8,
    /// Lowest bit.
    pub low: u8,
    /// Name, lower case with underscores; one record or register has it once.
    pub name: &'static str,
    /// Meaning of the field, with its unit.
    pub meaning: &'static str,
    /// Least value allowed.
    pub least: u32,
    /// Greatest value allowed.
    pub most: u32,
}

impl Field {
    /// A field that may hold any value that fits.
    pub const fn new(word: u8, high: u8, low: u8, name: &'static str, meaning: &'static str) -> Self {
        assert!(low <= high && high < 32, "a field lies in one 32-bit word");
        Field { word, high, low, name, meaning, least: 0, most: u32::MAX >> (31 - (high - low)) }
    }

    /// The same field with a narrower range.
    pub const fn range(self, least: u32, most: u32) -> Self {
        assert!(least <= most && most <= self.most, "a range narrows what fits");
        Field { least, most, ..self }
    }

    /// The field's width in bits.
    pub const fn bits(&self) -> u32 {
        (self.high - self.low) as u32 + 1
    }

    /// The bits of the word that it covers.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (32 - self.bits())) << self.low
    }

    /// The field's value in a record (for a register, a record of one word).
    pub const fn get(&self, words: &[u32]) -> u32 {
        (words[self.word as usize] & self.mask()) >> self.low
    }

    /// Replaces its value in a record.
    ///
    /// # Errors
    /// [`OutOfRange`] when the value is not allowed; the record is then as before.
    pub const fn set(&self, words: &mut [u32], value: u32) -> Result<(), OutOfRange> {
        if value < self.least || value > self.most {
            return Err(OutOfRange { name: self.name, value, least: self.least, most: self.most });
        }
        let word = &mut words[self.word as usize];
        *word = *word & !self.mask() | value << self.low;
        Ok(())
    }

    /// The field's value in a record, if it is an allowed one.
    ///
    /// # Errors
    /// [`OutOfRange`] when it is not.
    pub const fn checked(&self, words: &[u32]) -> Result<u32, OutOfRange> {
        let value = self.get(words);
        if value < self.least || value > self.most {
            return Err(OutOfRange { name: self.name, value, least: self.least, most: self.most });
        }
        Ok(value)
    }
}

/// A value that a field may not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// The field.
    pub name: &'static str,
    /// The value that the field may not hold.
    pub value: u32,
    /// Least value allowed.
    pub least: u32,
    /// Greatest value allowed.
    pub most: u32,
}

impl std::fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is {}; it must be {} to {}", self.name, self.value, self.least, self.most)
    }
}

impl std::error::Error for OutOfRange {}

/// Panics unless the fields of a record lie in its words, in order and without overlap, each under
/// its own name.
pub fn assert_layout(fields: &[Field], words: usize) {
    let mut covered = vec![0u32; words];
    for (i, f) in fields.iter().enumerate() {
        let word = covered.get_mut(f.word as usize).unwrap_or_else(|| panic!("{} lies in word {} of {words}", f.name, f.word));
        assert_eq!(*word & f.mask(), 0, "{} overlaps another field", f.name);
        *word |= f.mask();
        assert!(fields[..i].iter().all(|g| g.name != f.name), "two fields are called {}", f.name);
        assert!(i == 0 || (fields[i - 1].word, fields[i - 1].low) < (f.word, f.low), "{} is out of order", f.name);
    }
}
