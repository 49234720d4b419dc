//! Embeddings that are made as tensors and taken to the host.

use crate::rules::tests::check;
use crate::rules::tests::fixing::check_unsafe_fix;

fn encode(lines: &str) -> String {
    format!(
        "
from sentence_transformers import SentenceTransformer, util

model = SentenceTransformer('all-MiniLM-L6-v2', device='cuda')

def embed(texts, queries):
    {lines}
"
    )
}

#[test]
fn what_is_converted_later() {
    check(&encode(
        "vectors = model.encode(texts, convert_to_tensor=True)
#                                 ^^^^^^^^^^^^^^^^^^^^^^ OOM213 information peak
    return vectors.cpu()",
    ));
}

#[test]
fn what_is_used_on_the_gpu_or_never_was_there() {
    check(&encode("return util.cos_sim(model.encode(queries, convert_to_tensor=True), texts)"));
    check(&encode("vectors = model.encode(texts, convert_to_tensor=True)\n    return vectors"));
    check(&encode("return model.encode(texts).tolist()"));
}

#[test]
fn the_option_and_the_conversion_go() {
    check_unsafe_fix(
        &encode("return model.encode(texts, convert_to_tensor=True, batch_size=8).cpu().numpy()"),
        &encode("return model.encode(texts, batch_size=8)"),
    );
}

#[test]
fn a_list_that_collects_them() {
    check(&encode(
        "kept = []
    for start in range(0, len(texts), 1000):
        kept.append(model.encode(texts[start:start + 1000], convert_to_tensor=True))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM203 error tensors
    return kept",
    ));
}
