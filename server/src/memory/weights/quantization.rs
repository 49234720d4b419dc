//! How weights are quantized, and how many bytes a weight then takes.

use std::fmt;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::memory::Bytes;
use crate::table::rows;

/// How weights are quantized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantization {
    /// bitsandbytes 4 bit (NF4 or FP4), with or without double quantization of the scales.
    Bnb4 {
        /// Whether the scales are quantized, too.
        double: bool,
    },
    /// bitsandbytes 8 bit.
    Bnb8,
    /// Integers of a few bits, with a scale for each group of them.
    Grouped {
        /// Who quantized them.
        method: Method,
        /// The bits of one weight, without its share of the scale.
        bits: u8,
        /// How many weights share a scale; 0 for one scale a row.
        group: u32,
    },
    /// 8-bit floats, with a scale a block.
    Float8,
    /// 4-bit floats in blocks of 32.
    Mxfp4,
    /// 4-bit floats in blocks of 16.
    Nvfp4,
    /// A file of llama.cpp, in one of its types or mixes of types, made by [`Quantization::gguf`].
    Gguf(GgufType),
}

/// Which linear algebra of small integers it is. The methods differ in what they keep for a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// GPTQ.
    Gptq,
    /// AWQ.
    Awq,
    /// The packed integers of compressed-tensors (llm-compressor): W4A16, W8A16.
    CompressedTensors,
    /// `AutoRound`.
    AutoRound,
    /// HQQ.
    Hqq,
    /// torchao weight-only integers.
    Torchao,
    /// optimum-quanto.
    Quanto,
    /// MLX.
    Mlx,
}

/// A type of llama.cpp that the table knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GgufType(&'static str);

/// What a row of the table of quantizations says.
#[derive(Clone, Copy, Debug)]
struct Scheme {
    bytes: u64,
    weights: u64,
    covers_all: bool,
    shown: &'static str,
}

/// What a row of the table of grouped methods says.
#[derive(Clone, Copy, Debug)]
struct Group {
    scale_bits: u64,
    /// The bits of a zero point; `None` where it is as wide as a weight.
    zero_bits: Option<u64>,
    usual: u32,
    shown: &'static str,
}

static SCHEMES: LazyLock<FxHashMap<&'static str, Scheme>> = LazyLock::new(|| {
    let table = rows(include_str!("../tables/quantizations.tsv"));
    table
        .filter_map(|row| {
            let scheme = Scheme {
                bytes: row.get(1)?.parse().ok()?,
                weights: row.get(2)?.parse().ok()?,
                covers_all: row.get(3)? == "all",
                shown: row.get(4)?,
            };
            (scheme.weights > 0).then_some((row.first()?, scheme))
        })
        .collect()
});

static GROUPS: LazyLock<FxHashMap<&'static str, Group>> = LazyLock::new(|| {
    let table = rows(include_str!("../tables/grouped.tsv"));
    table
        .filter_map(|row| {
            let group = Group {
                scale_bits: row.get(1)?.parse().ok()?,
                zero_bits: row.get(2)?.parse().ok(),
                usual: row.get(3)?.parse().ok()?,
                shown: row.get(4)?,
            };
            Some((row.first()?, group))
        })
        .collect()
});

impl Method {
    /// Every method.
    pub const ALL: [Self; 8] = [
        Self::Gptq,
        Self::Awq,
        Self::CompressedTensors,
        Self::AutoRound,
        Self::Hqq,
        Self::Torchao,
        Self::Quanto,
        Self::Mlx,
    ];

    const fn key(self) -> &'static str {
        match self {
            Self::Gptq => "gptq",
            Self::Awq => "awq",
            Self::CompressedTensors => "compressed-tensors",
            Self::AutoRound => "autoround",
            Self::Hqq => "hqq",
            Self::Torchao => "torchao",
            Self::Quanto => "quanto",
            Self::Mlx => "mlx",
        }
    }

    /// The method that a checkpoint's `quant_method` or a name calls so.
    pub fn parse(written: &str) -> Option<Self> {
        let written = written.trim().to_lowercase().replace('_', "-");
        let written = if written == "auto-round" { "autoround" } else { &written };
        Self::ALL.into_iter().find(|method| method.key() == written)
    }

    /// Weights of so many bits in the groups that the method makes unless it is told otherwise.
    pub fn with_bits(self, bits: u8) -> Quantization {
        let group = GROUPS.get(self.key()).map_or(0, |group| group.usual);
        Quantization::Grouped { method: self, bits, group }
    }
}

impl Quantization {
    /// The type or mix that llama.cpp calls so, such as `Q4_K_M`, in any case.
    pub fn gguf(written: &str) -> Option<Self> {
        let written = written.trim().to_lowercase().replace('-', "_");
        let (name, scheme) = SCHEMES.get_key_value(written.as_str())?;
        scheme.covers_all.then_some(Self::Gguf(GgufType(name)))
    }

    const fn key(self) -> &'static str {
        match self {
            Self::Bnb4 { double: false } => "bnb-4bit",
            Self::Bnb4 { double: true } => "bnb-4bit-double",
            Self::Bnb8 => "bnb-8bit",
            Self::Grouped { method, .. } => method.key(),
            Self::Float8 => "fp8",
            Self::Mxfp4 => "mxfp4",
            Self::Nvfp4 => "nvfp4",
            Self::Gguf(GgufType(name)) => name,
        }
    }

    /// Whether embeddings and the output head are quantized, too, as in files of llama.cpp.
    pub fn covers_all(self) -> bool {
        SCHEMES.get(self.key()).is_some_and(|scheme| scheme.covers_all)
    }

    /// The bytes of so many quantized weights, their scales included.
    pub fn of(self, weights: u64) -> Bytes {
        let (bytes, block) = self.block();
        let whole = u128::from(weights) * u128::from(bytes) / u128::from(block.max(1));
        Bytes(u64::try_from(whole).unwrap_or(u64::MAX))
    }

    /// The bits of one weight with its share of the scales.
    #[allow(clippy::cast_precision_loss, reason = "a handful of bits")]
    pub fn bits_per_weight(self) -> f64 {
        let (bytes, block) = self.block();
        (bytes * 8) as f64 / block.max(1) as f64
    }

    /// How many bytes so many weights take: bytes, weights.
    fn block(self) -> (u64, u64) {
        let Self::Grouped { bits, group, .. } = self else {
            return SCHEMES.get(self.key()).map_or((1, 1), |scheme| (scheme.bytes, scheme.weights));
        };
        let (bits, weights) = (u64::from(bits), u64::from(group));
        let Some(row) = GROUPS.get(self.key()).filter(|_| weights > 0) else { return (bits, 8) };
        (weights * bits + row.scale_bits + row.zero_bits.unwrap_or(bits), weights * 8)
    }
}

impl fmt::Display for Quantization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Grouped { bits, .. } = self {
            let shown = GROUPS.get(self.key()).map_or(self.key(), |group| group.shown);
            return write!(f, "{bits}-bit {shown}");
        }
        f.write_str(SCHEMES.get(self.key()).map_or(self.key(), |scheme| scheme.shown))
    }
}
