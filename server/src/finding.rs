//! What the analysis says, as plain data: no protocol, no terminal.

use vramlens_grammars::Location;

/// How bad it is. Ordered from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// An opportunity.
    Hint,
    /// Depends on facts we do not have.
    Information,
    /// Memory is kept or wasted that need not be.
    Warning,
    /// It will fail, or grows without bound.
    Error,
}

/// How sure we are of the mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Something on the way is assumed.
    Low,
    /// The usual reading of code like this.
    Medium,
    /// Every step is in the text.
    High,
}

/// What happens to device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Growth {
    /// Every iteration's saved activations stay alive.
    FullGraph,
    /// Device tensors are collected; they grow by their own size.
    Tensors,
    /// Backward freed the activations; graph nodes and a scalar stay.
    NodesOnly,
    /// No growth, but the peak is higher than needed.
    Peak,
    /// Too large from the start.
    Static,
    /// No memory effect of its own.
    None,
}

/// A second place that belongs to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub location: Location,
    /// What is to be seen there.
    pub message: String,
}

/// Whether an edit may be applied without a second look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Applicability {
    /// Same numbers, same control flow; only memory changes.
    Safe,
    /// Numbers, speed or output may change.
    Unsafe,
}

/// One replacement of text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// What is replaced; an empty range inserts.
    pub location: Location,
    /// What stands there afterwards.
    pub content: String,
}

/// A change that removes the finding. Its edits do not overlap and are in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Whether it may be applied without a second look.
    pub applicability: Applicability,
    /// What it does, as a command to the editor.
    pub message: String,
    /// The replacements, sorted by place.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Whether it may be applied without a second look.
    pub fn is_safe(&self) -> bool {
        self.applicability == Applicability::Safe
    }
}

/// One thing worth telling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's code, such as `OOM101`.
    pub code: &'static str,
    /// The rule's name, such as `loss-accumulated-with-graph`.
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// How sure we are.
    pub confidence: Confidence,
    /// What happens to device memory.
    pub growth: Growth,
    /// The mechanism in a sentence, and the one thing to do.
    pub message: String,
    /// Where.
    pub location: Location,
    /// Where else to look.
    pub related: Vec<Related>,
    /// The change that removes it, if there is one.
    pub fix: Option<Fix>,
    /// What the change saves, in bytes, if it is known.
    pub saves_bytes: Option<u64>,
}
