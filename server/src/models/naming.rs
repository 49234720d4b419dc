//! What a model's name says: how it is stored, which other names it may have been made from, how large it is.

use std::sync::LazyLock;

use regex::Regex;

use super::storage::Storage;
use crate::memory::weights::{Dtype, Method, Quantization};
use crate::table::rows;

/// Share of an 8x7B-like name's product that the model has: attention and embeddings are there once.
/// Mixtral 8x7B has 46.7 of 56 billion, 8x22B 140.6 of 176.
const MIXTURE_SHARE: f64 = 0.82;

/// A mark at the end of a name that says how the weights are stored.
#[derive(Debug)]
struct Mark {
    text: &'static str,
    method: Option<&'static str>,
    bits: Option<u8>,
}

/// The marks, the longest first.
static MARKS: LazyLock<Vec<Mark>> = LazyLock::new(|| {
    let table = rows(include_str!("tables/format_marks.tsv"));
    let mut marks: Vec<Mark> = table
        .filter_map(|row| {
            let method = row.get(1).filter(|method| *method != "-");
            Some(Mark { text: row.first()?, method, bits: row.get(2)?.parse().ok() })
        })
        .collect();
    marks.sort_by_key(|mark| std::cmp::Reverse(mark.text.len()));
    marks
});

/// Changes of a name that leave the architecture as it is.
#[derive(Debug)]
enum Change {
    Prefix(&'static str),
    Add(&'static str),
    Drop(&'static str),
}

static CHANGES: LazyLock<Vec<Change>> = LazyLock::new(|| {
    let table = rows(include_str!("tables/name_variants.tsv"));
    table
        .filter_map(|row| {
            let text = row.get(1)?;
            match row.first()? {
                "prefix" => Some(Change::Prefix(text)),
                "add" => Some(Change::Add(text)),
                "drop" => Some(Change::Drop(text)),
                _ => None,
            }
        })
        .collect()
});

/// A name without the marks at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stripped {
    /// The spellings that come up on the way, the one with most marks left first.
    pub names: Vec<String>,
    /// What the marks say of how the weights are stored; `None` without a mark.
    pub storage: Option<Storage>,
}

/// The last part of a name or path, in lower case and with dashes only.
pub(super) fn tail(name: &str) -> String {
    let name = name.trim_end_matches('/');
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let last = last.rsplit("--").next().unwrap_or(last);
    last.to_lowercase().replace(['_', '.', ' '], "-")
}

/// The last part of a name that starts with an organisation and an underscore: `Qwen_Qwen3-8B-GGUF`.
pub(super) fn without_organisation(name: &str) -> Option<&str> {
    let (_, rest) = name.rsplit('/').next()?.split_once('_')?;
    (!rest.is_empty()).then_some(rest)
}

/// Takes the marks of the format off the end of a tail, one after the other.
pub(super) fn strip(tail: &str) -> Stripped {
    let mut rest = tail;
    let mut stripped = Stripped { names: vec![tail.to_owned()], storage: None };
    let (mut method, mut bits, mut marked) = (None, None, false);
    loop {
        if let Some((name, gguf)) = gguf_type(rest) {
            stripped.storage = Some(Storage { quantized: Some(gguf), ..Storage::default() });
            rest = name;
        } else if let Some((name, mark)) = mark(rest) {
            method = method.or(mark.method);
            bits = bits.or(mark.bits);
            marked |= mark.method.is_some() || mark.bits.is_some();
            rest = name;
        } else {
            break;
        }
        stripped.names.push(rest.to_owned());
    }
    if marked && stripped.storage.is_none() {
        stripped.storage = Some(storage(method, bits));
    }
    stripped
}

fn mark(name: &str) -> Option<(&str, &'static Mark)> {
    MARKS.iter().find_map(|mark| {
        let rest = name.strip_suffix(mark.text)?.strip_suffix('-')?;
        (!rest.is_empty()).then_some((rest, mark))
    })
}

/// A type of llama.cpp at the end of a name: `-q4-k-m`.
fn gguf_type(name: &str) -> Option<(&str, Quantization)> {
    let dashes = name.rmatch_indices('-').take(3);
    let found = dashes.filter_map(|(at, _)| {
        let (rest, kind) = (name.get(..at)?, name.get(at + 1..)?);
        Some((rest, Quantization::gguf(kind)?))
    });
    found.last()
}

/// What method and bits mean together. A GGUF repository holds files of many types: nothing is known before one is
/// named.
fn storage(method: Option<&str>, bits: Option<u8>) -> Storage {
    if let Some(dtype) = method.and_then(Dtype::parse) {
        return match dtype {
            Dtype::Float8 => Storage::of_column("float8").unwrap_or_default(),
            dtype => Storage { dtype: Some(dtype), ..Storage::default() },
        };
    }
    let quantized = match (method, bits) {
        (Some("bnb"), Some(8)) => Some(Quantization::Bnb8),
        (Some("bnb"), _) => Some(Quantization::Bnb4 { double: true }),
        (Some("mxfp4"), _) => Some(Quantization::Mxfp4),
        (Some("nvfp4"), _) => Some(Quantization::Nvfp4),
        (Some(method), bits) => Method::parse(method).map(|method| method.with_bits(bits.unwrap_or(4))),
        (None, Some(bits)) => Some(Method::Mlx.with_bits(bits)),
        (None, None) => None,
    };
    Storage { dtype: quantized.map(|_| Dtype::Float16), quantized, experts_only: false }
}

/// Other spellings of a tail that have the same architecture, the likeliest first.
pub(super) fn variants(tail: &str) -> Vec<String> {
    let mut variants = Vec::new();
    for change in CHANGES.iter() {
        match change {
            Change::Prefix(prefix) => match tail.strip_prefix(prefix) {
                Some(rest) => variants.push(rest.to_owned()),
                None => variants.push(format!("{prefix}{tail}")),
            },
            Change::Add(suffix) => variants.push(format!("{tail}{suffix}")),
            Change::Drop(suffix) => variants.extend(tail.strip_suffix(suffix).map(str::to_owned)),
        }
    }
    variants
}

/// The number of parameters in a name, such as `7b`, `1.5B`, `350M` or `8x7B`.
pub(super) fn size(name: &str) -> Option<u64> {
    static SIZE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)(?:^|[-_./\\ ])(?:(\d{1,3})x)?(\d{1,4}(?:\.\d{1,3})?)([bm])(?:$|[-_./\\ ])").ok()
    });
    let found = SIZE.as_ref()?.captures(name)?;
    let number: f64 = found.get(2)?.as_str().parse().ok()?;
    let unit = if found.get(3)?.as_str().eq_ignore_ascii_case("b") { 1e9 } else { 1e6 };
    let mixture = match found.get(1) {
        Some(experts) => experts.as_str().parse::<f64>().ok()? * MIXTURE_SHARE,
        None => 1.0,
    };
    let parameters = number * unit * mixture;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
    (1e6..5e12).contains(&parameters).then_some(parameters as u64)
}

#[cfg(test)]
mod tests;
