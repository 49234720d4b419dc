//! The types of a tensor's elements.

use std::fmt;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::memory::Bytes;
use crate::table::rows;

/// The type of a tensor's elements. Types of the same size that nobody needs told apart share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dtype {
    /// 8 bytes.
    Float64,
    /// 4 bytes.
    Float32,
    /// 2 bytes.
    Float16,
    /// 2 bytes.
    BFloat16,
    /// 1 byte: e4m3, e5m2 and the exponents of block scales.
    Float8,
    /// Half a byte.
    Float4,
    /// 8 bytes, signed or not.
    Int64,
    /// 4 bytes, signed or not.
    Int32,
    /// 2 bytes, signed or not.
    Int16,
    /// 1 byte: signed, unsigned or a truth value.
    Int8,
    /// Half a byte.
    Int4,
}

static SPELLINGS: LazyLock<FxHashMap<&'static str, Dtype>> = LazyLock::new(|| {
    let table = rows(include_str!("../tables/dtypes.tsv"));
    table.filter_map(|row| Some((row.first()?, Dtype::named(row.get(1)?)?))).collect()
});

impl Dtype {
    /// Every type.
    pub const ALL: [Self; 11] = [
        Self::Float64,
        Self::Float32,
        Self::Float16,
        Self::BFloat16,
        Self::Float8,
        Self::Float4,
        Self::Int64,
        Self::Int32,
        Self::Int16,
        Self::Int8,
        Self::Int4,
    ];

    /// The type that a library, a file format or a person writes so, in any case and with or without the module
    /// before it: `torch.bfloat16`, `BF16`, `half`, `F8_E4M3`.
    pub fn parse(written: &str) -> Option<Self> {
        let name = written.trim().to_lowercase();
        let name = name.rsplit('.').next()?;
        Self::named(name).or_else(|| SPELLINGS.get(name).copied())
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// The name that people know it by, as PyTorch spells it where it has one.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Float64 => "float64",
            Self::Float32 => "float32",
            Self::Float16 => "float16",
            Self::BFloat16 => "bfloat16",
            Self::Float8 => "float8",
            Self::Float4 => "float4",
            Self::Int64 => "int64",
            Self::Int32 => "int32",
            Self::Int16 => "int16",
            Self::Int8 => "int8",
            Self::Int4 => "int4",
        }
    }

    /// The bits of one element.
    pub const fn bits(self) -> u64 {
        match self {
            Self::Float64 | Self::Int64 => 64,
            Self::Float32 | Self::Int32 => 32,
            Self::Float16 | Self::BFloat16 | Self::Int16 => 16,
            Self::Float8 | Self::Int8 => 8,
            Self::Float4 | Self::Int4 => 4,
        }
    }

    /// The bytes of so many elements; two that share a byte are rounded up.
    pub const fn of(self, elements: u64) -> Bytes {
        match self.bits() {
            bits if bits < 8 => Bytes(elements.div_ceil(8 / bits)),
            bits => Bytes(elements.saturating_mul(bits / 8)),
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_loads() {
        let table = rows(include_str!("../tables/dtypes.tsv"));
        let mut count = 0;
        for row in table {
            assert_eq!(row.len(), 3, "columns of {row:?}");
            assert!(row.columns().all(|column| !column.is_empty()), "an empty column in {row:?}");
            assert!(row.get(1).and_then(Dtype::named).is_some(), "unknown type in {row:?}");
            count += 1;
        }
        assert_eq!(SPELLINGS.len(), count, "a spelling is there twice");
    }

    #[test]
    fn spellings_are_understood() {
        for (written, dtype) in [
            ("torch.bfloat16", Dtype::BFloat16),
            ("BF16", Dtype::BFloat16),
            ("torch.half", Dtype::Float16),
            ("fp16", Dtype::Float16),
            ("F32", Dtype::Float32),
            ("torch.float", Dtype::Float32),
            ("double", Dtype::Float64),
            ("F8_E4M3", Dtype::Float8),
            ("torch.float8_e5m2", Dtype::Float8),
            ("float8_e4m3fn", Dtype::Float8),
            ("U8", Dtype::Int8),
            ("BOOL", Dtype::Int8),
            ("I64", Dtype::Int64),
            ("int4", Dtype::Int4),
        ] {
            assert_eq!(Dtype::parse(written), Some(dtype), "{written}");
        }
        assert_eq!(Dtype::parse("auto"), None);
        assert_eq!(Dtype::parse(""), None);
    }

    #[test]
    fn half_bytes_round_up() {
        assert_eq!(Dtype::Int4.of(7), Bytes(4));
        assert_eq!(Dtype::BFloat16.of(7), Bytes(14));
    }
}
