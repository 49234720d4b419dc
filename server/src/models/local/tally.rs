//! What the headers of a model's files add up to.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use crate::memory::Bytes;
use crate::memory::weights::{Dtype, Quantization};
use crate::models::Component;
use crate::models::local::ReadError;
use crate::models::local::config::Config;
use crate::models::local::header::{self, Tensor};
use crate::models::local::names::Kind;
use crate::table::rows;

/// The weights that a type of model keeps in float32 when float16 is asked for.
static KEPT_IN_FLOAT32: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let table = rows(include_str!("../tables/float32_modules.tsv"));
    table.filter_map(|row| Some((row.first()?, row.get(1)?))).collect()
});

/// The elements of a model's tensors, by what they are.
#[derive(Debug, Default)]
pub struct Tally {
    quantization: Option<Quantization>,
    kept_in_float32: Option<&'static str>,
    bytes: u64,
    matrices: u64,
    others: u64,
    experts: u64,
    packed: u64,
    buffers: u64,
    float32: u64,
    head: u64,
    head_bytes: u64,
    dtypes: BTreeMap<Dtype, u64>,
}

impl Tally {
    /// Adds up the headers of files.
    ///
    /// # Errors
    /// A file is not there or is not what it should be.
    pub fn of(files: &[PathBuf], config: Option<Config>) -> Result<Self, ReadError> {
        let model_type = config.and_then(|config| config.word("model_type"));
        let kept = KEPT_IN_FLOAT32.iter().find(|(known, _)| Some(*known) == model_type);
        let quantization = config.and_then(Config::quantization);
        let kept_in_float32 = kept.map(|(_, text)| *text);
        let mut tally = Self { quantization, kept_in_float32, ..Self::default() };
        for file in files {
            header::read(file, &mut |tensor| tally.add(&tensor))?;
        }
        Ok(tally)
    }

    fn add(&mut self, tensor: &Tensor<'_>) {
        let elements = tensor.elements();
        let dtype = Dtype::parse(tensor.dtype);
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.bytes, tensor.bytes);
        let kind = match Kind::of(tensor.name) {
            Kind::Plain | Kind::Expert if self.is_packed(dtype) => Kind::Packed,
            kind => kind,
        };
        match kind {
            Kind::Buffer => return add(&mut self.buffers, elements),
            Kind::Scale => return,
            Kind::Packed => {
                let bits = self.quantization.map_or(4, bits_of).max(1);
                return add(&mut self.packed, tensor.bytes.saturating_mul(8) / bits);
            }
            Kind::Head => {
                add(&mut self.head, elements);
                add(&mut self.head_bytes, tensor.bytes);
            }
            Kind::Expert => add(&mut self.experts, elements),
            Kind::Plain if tensor.shape.len() == 2 => add(&mut self.matrices, elements),
            Kind::Embedding | Kind::Plain => add(&mut self.others, elements),
        }
        if self.kept_in_float32.is_some_and(|text| tensor.name.contains(text)) {
            add(&mut self.float32, elements);
        }
        if let Some(dtype) = dtype {
            add(self.dtypes.entry(dtype).or_default(), elements);
        }
    }

    /// bitsandbytes packs two weights of four bits into a byte under the weights' own name.
    fn is_packed(&self, dtype: Option<Dtype>) -> bool {
        let packs = matches!(self.quantization, Some(Quantization::Bnb4 { .. } | Quantization::Nvfp4));
        packs && dtype == Some(Dtype::Int8)
    }

    /// The model that the tensors are of. `counted` is what its configuration alone gives.
    pub fn component(&self, config: Option<Config>, counted: Option<&Component>) -> Component {
        let read = self.read(config, counted);
        match counted {
            // Packed elements are not parameters, but the layers are known.
            Some(counted) if self.packed > 0 => {
                Component { stored_bytes: read.stored_bytes, ..self.over(counted, read) }
            }
            // Checkpoints often hold a little that the class does not load, such as a second task's head.
            Some(counted) if is_a_little_more(read.parameters, counted.parameters) => {
                Component { stored_bytes: None, ..self.over(counted, read) }
            }
            Some(counted) if counted.parameters == read.parameters => {
                Component { base_parameters: counted.base_parameters, ..read }
            }
            _ => read,
        }
    }

    /// The counts of the configuration, with what only the headers tell.
    fn over(&self, counted: &Component, read: Component) -> Component {
        let counts = counted.clone();
        Component {
            class: read.class,
            buffers: read.buffers,
            stored: read.stored,
            quantized: self.quantization,
            ..counts
        }
    }

    /// The model as the headers alone have it.
    fn read(&self, config: Option<Config>, counted: Option<&Component>) -> Component {
        let is_twice = self.stores_head_twice(config, counted);
        let (head, head_bytes) = if is_twice { (0, self.head_bytes) } else { (self.head, 0) };
        Component {
            class: config.and_then(Config::class).unwrap_or_default().to_owned(),
            parameters: self.all().saturating_sub(self.head).saturating_add(head),
            buffers: self.buffers,
            unquantized: self.others.saturating_add(head),
            expert_parameters: self.experts,
            float32_in_float16: self.float32,
            stored: self.stored(),
            quantized: self.quantization,
            stored_bytes: Some(Bytes(self.bytes.saturating_sub(head_bytes))),
            ..Component::default()
        }
    }

    fn all(&self) -> u64 {
        let weights = [self.matrices, self.experts, self.packed, self.others, self.head];
        weights.into_iter().fold(0, u64::saturating_add)
    }

    /// Whether an output head is stored that is the input embedding: it is loaded once. The configuration says so, or its
    /// formula does without the head.
    fn stores_head_twice(&self, config: Option<Config>, counted: Option<&Component>) -> bool {
        let is_tied = config.and_then(|config| config.flag("tie_word_embeddings")) == Some(true);
        let without = self.all().saturating_sub(self.head);
        let fits = counted.is_some_and(|counted| counted.parameters == without);
        self.head > 0 && self.others >= self.head && (is_tied || fits)
    }

    /// The type that most elements have; of a quantized checkpoint, that most others have.
    fn stored(&self) -> Option<Dtype> {
        let is_plain = |dtype: Dtype| {
            matches!(dtype, Dtype::Float64 | Dtype::Float32 | Dtype::Float16 | Dtype::BFloat16)
        };
        let quantized = self.quantization.is_some();
        let counted = self.dtypes.iter().filter(|(dtype, _)| !quantized || is_plain(**dtype));
        counted.max_by_key(|(_, elements)| **elements).map(|(dtype, _)| *dtype)
    }
}

/// Whether a count is above another by less than a hundredth.
const fn is_a_little_more(count: u64, other: u64) -> bool {
    count > other && count - other < count / 100
}

/// The bits of one weight, without its share of the scales.
const fn bits_of(quantization: Quantization) -> u64 {
    match quantization {
        Quantization::Bnb4 { .. } | Quantization::Mxfp4 | Quantization::Nvfp4 => 4,
        Quantization::Grouped { bits, .. } => bits as u64,
        Quantization::Bnb8 | Quantization::Float8 | Quantization::Gguf(_) => 8,
    }
}
