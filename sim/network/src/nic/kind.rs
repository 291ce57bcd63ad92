//! Kinds and forms of NICs, by the names that scenarios give them.
/// A kind of NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NicKind {
    /// Verilated RTL.
    Rtl,
    /// The integer model of the same, bit for bit.
    Model,
    /// An event-level NIC that paces each packet, with an f64 law.
    Paced,
    /// An event-level host whose software posts bursts.
    Software,
    /// An event-level NIC of the fabric, which paces each packet and sets rates with the engine's
    /// integers.
    Event,
    /// An event-level host of the fabric whose software posts bursts.
    Posted,
}

impl NicKind {
    /// The names, for messages.
    pub const ALLOWED: &str = "rtl, model, paced, software, event, posted";

    /// Each message is rounded up to whole packets, as the host posts packets and not bytes.
    pub fn sends_whole_packets(self) -> bool {
        matches!(self, NicKind::Rtl | NicKind::Model)
    }
}

impl std::str::FromStr for NicKind {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "rtl" => Ok(NicKind::Rtl),
            "model" => Ok(NicKind::Model),
            "paced" => Ok(NicKind::Paced),
            "software" => Ok(NicKind::Software),
            "event" => Ok(NicKind::Event),
            "posted" => Ok(NicKind::Posted),
            _ => Err(format!("{s} is not a kind of NIC; allowed: {}", Self::ALLOWED)),
        }
    }
}

impl std::fmt::Display for NicKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NicKind::Rtl => "rtl",
            NicKind::Model => "model",
            NicKind::Paced => "paced",
            NicKind::Software => "software",
            NicKind::Event => "event",
            NicKind::Posted => "posted",
        })
    }
}

/// How a bit-true NIC is built in between host and wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Packets come out of its own generator.
    #[default]
    Standalone,
    /// The host builds them, and the NIC paces them on their way to the wire.
    Inline,
    /// The host builds them, and Corundum fetches them when its scheduler, which is ours, asks for
    /// them.
    Corundum,
}

impl Form {
    /// The names, for messages.
    pub const ALLOWED: &str = "standalone, inline, corundum";
    /// Narrowest bus of the in-line form, bits.
    pub const INLINE_BITS: u32 = 256;
    /// Bytes of a flow that the host keeps at most between its software and the wire, unless told
    /// otherwise: half of what a flow may have in the packet store after a reset.
    pub const HOST_WINDOW: u64 = 64_000;
    /// The same of Corundum's: more than 100 Gb/s carry from a doorbell to a packet's completion,
    /// with the launch 8 us ahead.
    pub const CORUNDUM_WINDOW: u64 = 256_000;
    /// Buses of Corundum's form, bits, and the log2 of its flows.
    pub const CORUNDUM_BITS: [u32; 3] = [64, 128, 512];
    /// See [`Form::CORUNDUM_BITS`].
    pub const CORUNDUM_FLOW_BITS: [u32; 2] = [10, 13];

    /// Why Corundum's form is no RTL NIC.
    pub const NO_RTL: &str = "nic.form = \"corundum\" is there as a model: Corundum itself is no part of this program; use nic.kind = \"model\", \
                              which the tests hold equal to the Verilog of our blocks";

    /// Name of the form in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Form::Standalone => "standalone",
            Form::Inline => "inline",
            Form::Corundum => "corundum",
        }
    }

    /// Bytes of a flow that the host keeps at most between its software and the wire, unless told
    /// otherwise.
    pub fn host_window(self) -> u64 {
        if self == Form::Corundum { Form::CORUNDUM_WINDOW } else { Form::HOST_WINDOW }
    }

    /// Buses of this form, bits.
    pub fn buses(self) -> &'static [u32] {
        match self {
            Form::Standalone => &[64, 128, 256, 512],
            Form::Inline => &[256, 512],
            Form::Corundum => &Form::CORUNDUM_BITS,
        }
    }
}

impl std::str::FromStr for Form {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "standalone" => Ok(Form::Standalone),
            "inline" => Ok(Form::Inline),
            "corundum" => Ok(Form::Corundum),
            _ => Err(format!("{s} is not a form of the NIC; allowed: {}", Self::ALLOWED)),
        }
    }
}
