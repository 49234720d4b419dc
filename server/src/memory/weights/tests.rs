//! Quantizations and what they make of counts.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may fail")]

use std::collections::BTreeSet;

use super::{Dtype, Method, Precision, Quantization, WeightCounts};
use crate::memory::Bytes;
use crate::table::rows;

#[test]
fn every_row_loads() {
    let mut names = BTreeSet::new();
    for row in rows(include_str!("../tables/quantizations.tsv")) {
        assert_eq!(row.len(), 6, "columns of {row:?}");
        assert!(row.columns().all(|column| !column.is_empty()), "an empty column in {row:?}");
        let name = row.first().unwrap();
        assert!(names.insert(name), "{name} is there twice");
        assert!(matches!(row.get(3), Some("all" | "linear")), "{row:?}");
        assert_eq!(Quantization::gguf(name).is_some(), row.get(3) == Some("all"), "{row:?}");
    }
    let methods: Vec<_> = rows(include_str!("../tables/grouped.tsv")).collect();
    assert_eq!(methods.len(), Method::ALL.len());
    for row in methods {
        assert_eq!(row.len(), 6, "columns of {row:?}");
        assert!(Method::parse(row.first().unwrap()).is_some(), "{row:?}");
    }
}

#[test]
fn bits_per_weight_are_those_of_the_formats() {
    let grouped = |method, bits, group| Quantization::Grouped { method, bits, group };
    for (quantization, bits, shown) in [
        (Quantization::Bnb4 { double: false }, 4.5, "4-bit bitsandbytes"),
        (Quantization::Bnb4 { double: true }, 4.126_953_125, "4-bit bitsandbytes, double-quantized"),
        (Quantization::Mxfp4, 4.25, "MXFP4"),
        (Quantization::Nvfp4, 4.5, "NVFP4"),
        (Method::Gptq.with_bits(4), 4.156_25, "4-bit GPTQ"),
        (grouped(Method::Gptq, 4, 32), 4.625, "4-bit GPTQ"),
        (grouped(Method::Gptq, 4, 0), 4.0, "4-bit GPTQ"),
        (Method::Awq.with_bits(4), 4.156_25, "4-bit AWQ"),
        (Method::Torchao.with_bits(4), 4.25, "4-bit torchao"),
        (Method::CompressedTensors.with_bits(4), 4.125, "4-bit compressed-tensors"),
        (Quantization::gguf("q8_0").unwrap(), 8.5, "GGUF Q8_0"),
        (Quantization::gguf("Q4_K_M").unwrap(), 4.89, "GGUF Q4_K_M"),
        (Quantization::gguf("Q6_K").unwrap(), 6.5625, "GGUF Q6_K"),
    ] {
        assert!((quantization.bits_per_weight() - bits).abs() < 1e-9, "{quantization}");
        assert_eq!(quantization.to_string(), shown);
    }
    assert_eq!(Quantization::gguf("bnb-4bit"), None);
    assert_eq!(Quantization::gguf("Q9_X"), None);
}

#[test]
fn some_layers_stay_in_float32_only_in_float16() {
    let counts = WeightCounts { parameters: 100, float32_in_float16: 10, ..WeightCounts::default() };
    assert_eq!(counts.bytes(Precision::Plain(Dtype::Float16)), Bytes(220));
    assert_eq!(counts.bytes(Precision::Plain(Dtype::BFloat16)), Bytes(200));
    assert_eq!(counts.bytes(Precision::Plain(Dtype::Float32)), Bytes(400));
    let quantized = |rest| {
        let counts = WeightCounts { parameters: 6400 + 100 + 10, unquantized: 100, ..counts };
        counts.bytes(Precision::Quantized { quantization: Quantization::Bnb4 { double: false }, rest })
    };
    assert_eq!(quantized(Dtype::Float16), Bytes(3600 + 200 + 40));
    assert_eq!(quantized(Dtype::BFloat16), Bytes(3600 + 200 + 20));
}

#[test]
fn what_is_not_quantized_and_buffers_keep_their_type() {
    let counts =
        WeightCounts { parameters: 6400 + 100, buffers: 50, unquantized: 100, ..WeightCounts::default() };
    let quantized = |quantization| counts.bytes(Precision::Quantized { quantization, rest: Dtype::BFloat16 });
    assert_eq!(quantized(Quantization::Bnb4 { double: false }), Bytes(3600 + 200 + 100));
    assert_eq!(quantized(Quantization::gguf("Q4_0").unwrap()), Bytes(6500 * 18 / 32 + 100));
}

#[test]
fn absurd_counts_saturate() {
    let counts = WeightCounts {
        parameters: u64::MAX,
        buffers: u64::MAX,
        unquantized: 1,
        float32_in_float16: u64::MAX,
    };
    assert_eq!(counts.bytes(Precision::Plain(Dtype::Float16)), Bytes(u64::MAX));
    let quantization = Quantization::Bnb8;
    assert_eq!(counts.bytes(Precision::Quantized { quantization, rest: Dtype::Float32 }), Bytes(u64::MAX));
}
