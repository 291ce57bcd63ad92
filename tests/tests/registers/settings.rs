//! Every row of the table of settings, in RTL and model: no row needs a test of its own.
use super::{BUILD, ready};
use rand::Rng;
use std::cell::RefCell;
use timely_model::Block;
use timely_model::csr::{Csr, In, OKAY, Settings};
use timely_regs::device::{Bus, Device};
use timely_regs::map::settings::{BITS, SETTINGS, Setting};
use timely_regs::map::{BLOCKS, decode};
use timely_tests::{rng, seeds};

/// The model of the register block, a clock at a time.
struct Model {
    csr: RefCell<(Csr, u64)>,
}

impl Model {
    fn tick(&self, i: &In) {
        let (csr, clk) = &mut *self.csr.borrow_mut();
        csr.step(*clk, i);
        *clk += 1;
    }

    fn settings(&self) -> Settings {
        *self.csr.borrow().0.settings()
    }

    // Offers until it is answered, and then a clock longer: a setting shows the clock after its
    // write.
    fn access(&self, mut i: In) -> Result<u32, ()> {
        i = In { swept: true, b_ready: true, r_ready: true, ..i };
        for _ in 0..5000 {
            let out = {
                let (csr, clk) = &*self.csr.borrow();
                csr.output(*clk)
            };
            self.tick(&i);
            i.aw.take_if(|_| out.aw_ready);
            i.w.take_if(|_| out.w_ready);
            i.ar.take_if(|_| out.ar_ready);
            if let Some((read, response)) = out.r.or(out.b.map(|b| (0, b))) {
                self.tick(&i);
                return if response == OKAY { Ok(read) } else { Err(()) };
            }
        }
        panic!("the model does not answer");
    }
}

impl Bus for Model {
    type Error = ();

    fn read32(&self, offset: u32) -> Result<u32, ()> {
        self.access(In { ar: Some(offset), ..In::default() })
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), ()> {
        self.access(In { aw: Some(offset), w: Some((value, 0xf)), ..In::default() }).map(|_| ())
    }
}

// A value that each register of the row takes.
fn value(row: &Setting, rng: &mut impl Rng) -> u128 {
    (0..row.words()).fold(0, |v, i| {
        let e = decode(row.word(i), &BUILD);
        let word = match rng.random_range(0..4) {
            0 => e.least,
            1 => e.most & e.mask,
            _ => rng.random_range(e.least..=e.most) & e.mask,
        };
        v | u128::from(word) << (32 * i)
    })
}

/// A write through AXI-Lite reaches register, settings bus and model, and nothing else; a value out
/// of the row's range reaches none.
#[test]
fn every_row_is_written_read_and_on_the_bus() {
    let rtl = ready("registers", true);
    let model = Device::open(Model { csr: (Csr::new(BUILD), 0).into() }).unwrap();
    model.wait_ready().unwrap();
    assert_eq!(rtl.bus().settings(), model.bus().settings(), "after reset");
    for seed in seeds() {
        let mut rng = rng(seed);
        for round in 0..4 {
            for row in SETTINGS {
                // A lead shrinks only while no flow may send.
                rtl.enable(false).unwrap();
                model.enable(false).unwrap();
                rtl.bus().ticks(4);
                let (before, value) = (model.bus().settings(), value(row, &mut rng));
                rtl.set(row, value).unwrap();
                model.set(row, value).unwrap();
                rtl.bus().ticks(2);
                let expected = Settings::from_rows(|s| {
                    let known = before.rows().into_iter().find(|(r, _)| r == s).expect("a row").1;
                    if s == row { value } else { known }
                });
                assert_eq!(model.bus().settings(), expected, "{}, model, round {round}, seed {seed}", row.name);
                assert_eq!(rtl.bus().settings(), expected, "{}, RTL, round {round}, seed {seed}", row.name);
                if row.registers.iter().all(|r| r.access.readable()) {
                    assert_eq!((rtl.get(row), model.get(row)), (Ok(value), Ok(value)), "{}", row.name);
                } else {
                    assert!(rtl.get(row).is_err() && model.get(row).is_err(), "{}", row.name);
                }
                // The top word's first value that it does not take.
                let (r, i) = row.register(row.words() - 1);
                if let Some(over) = r.fields.last().and_then(|f| (f.most << f.low | ((1 << f.low) - 1)).checked_add(1)) {
                    assert!(
                        rtl.bus().write32(r.address() + 4 * i, over).is_err() && model.bus().write32(r.address() + 4 * i, over).is_err()
                    );
                    rtl.bus().ticks(2);
                    assert_eq!((rtl.bus().settings(), model.bus().settings()), (expected, expected), "{} took {over}", row.name);
                    assert!(row.bits >= 128 || rtl.set(row, 1 << row.bits).is_err(), "{} took more than its bits", row.name);
                }
            }
        }
    }
}

/// The rows are the registers of their blocks, each once; the bus is as wide as they are.
#[test]
fn the_table_is_whole() {
    assert_eq!(SETTINGS.iter().map(|s| s.bits as usize).sum::<usize>(), BITS);
    for (i, row) in SETTINGS.iter().enumerate() {
        assert!(SETTINGS[..i].iter().all(|r| r.name != row.name), "two rows are called {}", row.name);
        for r in row.registers {
            let found = r.block.block().registers.iter().filter(|other| *other == r).count();
            assert_eq!(found, 1, "{} of {} is {found} times in its block", r.name, row.name);
            assert_eq!(row.part(r.word()), (0..row.words()).find(|&i| row.word(i) == r.word()), "{}", r.name);
        }
    }
    for b in &BLOCKS {
        assert!(b.registers.windows(2).all(|r| r[0].offset < r[1].offset), "{} is not in the order of offsets", b.name);
    }
}
