//! Logits over a vocabulary that outlive their iteration.

use vramlens_grammars::Span;

use crate::python::script::LoopFacts;
use crate::python::syntax::StmtId;

/// Logits over a vocabulary that names still hold when the same forward pass makes the next ones.
#[derive(Clone, Debug)]
pub struct HeldLogits {
    /// The statement that gives the first of the names its value.
    pub span: Span,
    /// The names, in the order in which they get their values.
    pub names: Vec<String>,
    /// The call that loads the model, by its index in [`crate::python::script::Script::calls`].
    pub model: Option<usize>,
    /// The number of words of the vocabulary, where the text has it.
    pub vocabulary: Option<u64>,
    /// The number of tokens in a batch, where the text has it: a batch that is not known counts as one sequence.
    pub tokens: Option<u64>,
    /// The loop.
    pub in_loop: LoopFacts,
    /// The statement of the loop's body behind which nothing uses the names any more, where they can be deleted.
    pub last_use: Option<StmtId>,
}
