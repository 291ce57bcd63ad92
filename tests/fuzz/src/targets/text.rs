//! Values of command lines and files. An error quotes the text; whole numbers are read as printed.
use crate::check::said;
use timely_regs::text::{self, TextError};

fn looked_at<T>(text: &str, read: Result<T, TextError>) -> Option<T> {
    read.map_err(|e| assert!(said(&e).contains(text), "{e}")).ok()
}

pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    for number in [text::parse_mbps, text::parse_bare_bps, text::parse_us, text::parse_bare_us] {
        if let Some(number) = looked_at(text, number(text)) {
            assert!(number.is_finite() && number >= 0.0);
        }
    }
    looked_at(text, text::parse_duration(text));
    for bytes in [text::parse_bytes(text), text::parse_bytes_within(text, 0..=1 << 53)] {
        assert!(looked_at(text, bytes).is_none_or(|b| b <= 1 << 53));
    }
    if let Some(number) = looked_at(text, text::parse_whole::<u64>(text)) {
        assert_eq!(text::parse_whole(&number.to_string()), Ok(number));
        assert_eq!(text::parse_whole(&format!("{number:#x}")), Ok(number));
        assert_eq!(text::parse_whole::<u8>(text).ok(), u8::try_from(number).ok());
    }
    looked_at(text, text::parse_whole_within::<u16>(text, 3..=70_000));
    if let Some(address) = looked_at(text, text::parse_ip(text)) {
        assert_eq!(text::parse_ip(&address.to_string()), Ok(address));
    }
    let (four, six) = (looked_at(text, text::parse_ipv4(text)), looked_at(text, text::parse_ipv6(text)));
    assert_eq!(four.is_some() || six.is_some(), text::parse_ip(text).is_ok());
    if let Ok(mac) = timely_driver::spec::parse_mac(text) {
        assert_eq!(timely_driver::spec::parse_mac(&timely_driver::spec::print_mac(mac)), Ok(mac));
    }
}
