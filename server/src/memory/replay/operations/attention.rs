//! Attention, written out or by PyTorch's fused kernels.

use crate::memory::replay::tape::{Operation, Rule, Tape};
use crate::memory::replay::tensor::Tensor;
use crate::memory::weights::Dtype;

/// Who computes attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttentionKernel {
    /// `scaled_dot_product_attention`, with the kernel that it chooses.
    Sdpa,
    /// Written out: every score is a number in memory.
    Eager,
}

/// One call of attention. Queries have `heads` heads, keys and values `groups`.
#[derive(Clone, Debug)]
pub struct Attention {
    /// Who computes it.
    pub kernel: AttentionKernel,
    /// Sequences.
    pub batch: u64,
    /// Heads of queries.
    pub heads: u64,
    /// Heads of keys and values.
    pub groups: u64,
    /// The probability that a score is dropped in training.
    pub dropout: f64,
    /// What says who may see whom, of one byte for each pair of a sequence.
    pub mask: Option<Tensor>,
    /// A bias on the scores, one for each head and pair, shared by the batch.
    pub bias: Option<Tensor>,
    /// Whether the written-out form converts scores to float32 for the softmax.
    pub softmax_in_float32: bool,
    /// Whether the scores are multiplied by a factor (T5's are not).
    pub scaled: bool,
    /// Whether the scores are bounded by `tanh` (Gemma 2).
    pub capped: bool,
    /// Whether the scores are computed in float32 (GPT-J, GPT-Neo).
    pub in_float32: bool,
    /// Whether a name holds the scores before the mask is added (Bloom).
    pub unmasked_held: bool,
}

/// What attention gives.
#[derive(Clone, Debug)]
pub struct Attended {
    /// The values, mixed.
    pub output: Tensor,
    /// The scores, where they are written out: callers hold them until their layer ends.
    pub scores: Option<Tensor>,
}

/// The largest head that flash attention takes.
const LARGEST_HEAD: u64 = 256;

impl Attention {
    /// Queries of one sequence.
    const fn length(&self, tensor: &Tensor) -> u64 {
        tensor.rows / if self.batch == 0 { 1 } else { self.batch }
    }

    const fn sharing(&self) -> u64 {
        self.heads / if self.groups == 0 { 1 } else { self.groups }
    }
}

impl Tape {
    /// Attention of queries to keys and values, each with heads before tokens unless it was copied.
    pub fn attend(&self, [queries, keys, values]: [Tensor; 3], how: &Attention) -> Attended {
        match how.kernel {
            AttentionKernel::Sdpa => {
                Attended { output: self.fused_attention([queries, keys, values], how), scores: None }
            }
            AttentionKernel::Eager => self.eager_attention([queries, keys, values], how),
        }
    }

    fn fused_attention(&self, [queries, mut keys, mut values]: [Tensor; 3], how: &Attention) -> Tensor {
        let head = queries.features / how.heads.max(1);
        let sharing = how.sharing();
        let one_query = how.length(&queries) == 1;
        let masked = how.mask.is_some() || how.bias.is_some();
        // `use_gqa_in_sdpa` and `pack_gqa` of transformers: with a mask, keys and values are repeated for all heads, but for
        // a single query.
        if masked && sharing > 1 && !one_query {
            keys = self.repeated(keys, sharing);
            values = self.repeated(values, sharing);
        }
        let bias = self.float_mask(&queries, &keys, how);
        let (queries, keys, values) = (self.lowered(queries), self.lowered(keys), self.lowered(values));
        let half = queries.dtype != Dtype::Float32;
        let flash = half && bias.is_none() && head <= LARGEST_HEAD;
        let length = how.length(&queries);
        let rows = how.batch.saturating_mul(how.heads).saturating_mul(length);
        let value_head = values.features.saturating_mul(head) / keys.features.max(1);
        let output = self.fresh(queries.rows, how.heads.saturating_mul(value_head), queries.dtype);
        let sums = self.fresh(rows, 1, Dtype::Float32);
        // Flash attention sums the gradients of queries in float32, in blocks of 128 rows and 32 features, and makes
        // those of repeated keys and values for every head first; the memory-efficient kernel sums in float32 where
        // the inputs are not, and keeps one number a row.
        let scratch = if flash {
            let blocks = how.batch.saturating_mul(how.heads).saturating_mul(length.div_ceil(128) * 128);
            let expanded =
                if sharing > 1 { keys.rows.saturating_mul(how.heads * head).saturating_mul(2) } else { 0 };
            blocks.saturating_mul(head.div_ceil(32) * 32 + 1).saturating_mul(4) + queries.dtype.of(expanded).0
        } else {
            rows.saturating_mul(4) + if half { queries.elements().saturating_mul(4) } else { 0 }
        };
        let make =
            |tensor: &Tensor| Rule::Make { elements: tensor.elements(), dtype: tensor.dtype, temporary: 0 };
        let mut inputs = vec![(&queries, make(&queries)), (&keys, make(&keys)), (&values, make(&values))];
        let mut saved = vec![&queries, &keys, &values, &output, &sums];
        if let Some(bias) = &bias {
            let pairs = rows.saturating_mul(how.length(&keys));
            inputs.push((bias, Rule::Make { elements: pairs, dtype: bias.dtype, temporary: 0 }));
            saved.push(bias);
        }
        // Flash attention lays its output out as the queries are; the other kernel puts tokens before heads. What has heads
        // first is copied when heads are joined.
        let ordered = !flash || queries.heads_first || length == 1;
        let kept = if ordered { output.clone() } else { output.clone().with_heads_first() };
        let attended =
            self.record(kept, &Operation { inputs: &inputs, saved: &saved, keeps_output: true, scratch });
        drop(output);
        self.contiguous(attended)
    }

    /// The mask that is added to scores: the kernels take no truth values, so each call makes one of its own.
    fn float_mask(&self, queries: &Tensor, keys: &Tensor, how: &Attention) -> Option<Tensor> {
        let dtype = self.autocast().unwrap_or(queries.dtype);
        if let Some(bias) = &how.bias {
            // `create_position_bias_mask`: what of the bias may be seen, in new memory where there is a mask.
            let bias = match &how.mask {
                Some(mask) => self.shift_to(bias, bias.rows.max(mask.rows.saturating_mul(how.heads))),
                None => bias.clone(),
            };
            return Some(self.lowered(bias));
        }
        let mask = how.mask.as_ref()?;
        Some(self.fresh(mask.rows, how.length(keys), dtype))
    }

    /// A sum with something that needs no gradient and has more rows.
    fn shift_to(&self, input: &Tensor, rows: u64) -> Tensor {
        let output = self.fresh(rows, input.features, input.dtype);
        self.record(output, &Operation { inputs: &[(input, Rule::Pass)], ..Operation::default() })
    }

    fn eager_attention(&self, [queries, keys, values]: [Tensor; 3], how: &Attention) -> Attended {
        let (length, context) = (how.length(&queries), how.length(&keys));
        let rows = how.batch.saturating_mul(how.heads).saturating_mul(length);
        let (keys, values) = (self.repeated(keys, how.sharing()), self.repeated(values, how.sharing()));
        let dtype = queries.dtype;
        let mut scores = if how.in_float32 {
            let (high_queries, high_keys) =
                (self.to(&queries, Dtype::Float32), self.to(&keys, Dtype::Float32));
            self.product(&high_queries, &high_keys, [rows, context])
        } else {
            self.product(&queries, &keys, [rows, context])
        };
        if how.scaled {
            scores = self.scale(scores);
        }
        if how.capped {
            scores = self.scale(self.keeps_output(self.scale(scores)));
        }
        if let Some(bias) = &how.bias {
            scores = self.add(scores, bias);
        }
        let unmasked = how.unmasked_held.then(|| scores.clone());
        if how.mask.is_some() {
            scores = self.shift(scores);
        }
        // The scores have a name until what softmax makes of them gets it.
        scores = if how.softmax_in_float32 {
            self.to(self.softmax_in_float32(&scores), dtype)
        } else {
            self.to(self.softmax(&scores), values.dtype)
        };
        drop(unmasked);
        scores = self.dropout(scores, how.dropout);
        let head = values.features / how.heads.max(1);
        let mixed = self.product(&scores, &values, [rows, head]);
        let mixed = Tensor { heads_first: true, ..mixed.viewed(how.heads.saturating_mul(head)) };
        Attended { output: self.contiguous(mixed), scores: Some(scores) }
    }

    /// A softmax in float32, which reads float16 directly and a copy of anything else (`at::softmax`).
    fn softmax_in_float32(&self, scores: &Tensor) -> Tensor {
        if scores.dtype == Dtype::Float16 && self.autocast().is_none() {
            return self.keeps_output_as(scores, Dtype::Float32);
        }
        self.softmax(self.to(scores, Dtype::Float32))
    }

    /// Rotates queries or keys by their position: `x * cos + rotate_half(x) * sin`.
    pub fn rotate(&self, input: &Tensor, [cosines, sines]: &[Tensor; 2]) -> Tensor {
        let straight = self.multiply(input, cosines);
        let half = input.features / 2;
        let first = self.slice(input, input.rows, half);
        let second = self.slice(input, input.rows, half);
        let turned = self.concatenated(&[&self.scale(&second), &first], input.rows, input.features);
        self.add(straight, self.multiply(turned, sines))
    }

    /// Rotates the first features of each head and joins them with the rest. `heads` is how many there are, `turned` how
    /// many features of each take part.
    pub fn rotate_part(&self, input: &Tensor, angles: &[Tensor; 2], [heads, turned]: [u64; 2]) -> Tensor {
        let turned = heads.saturating_mul(turned);
        let turning = self.slice(input, input.rows, turned);
        let resting = self.slice(input, input.rows, input.features.saturating_sub(turned));
        let rotated = self.rotate(&turning, angles);
        self.concatenated(&[&rotated, &resting], input.rows, input.features)
    }
}
