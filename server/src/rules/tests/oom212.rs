//! Text pipelines with large batches.

use crate::rules::tests::check;
use crate::rules::tests::fixing::check_unsafe_fix;

#[test]
fn in_the_pipeline_and_in_its_runs() {
    check(
        "
from transformers import pipeline

SIZE = 128
tag = pipeline('ner', device='cuda', batch_size=SIZE)
                                     ^^^^^^^^^^^^^^^ OOM212 information peak
print(tag(texts))
embed = pipeline(task='feature-extraction', model='prajjwal1/bert-tiny', device=0)
for vector in embed(texts, batch_size=512):
                           ^^^^^^^^^^^^^^ OOM212 information peak
    print(len(vector))
",
    );
}

#[test]
fn silent_where_texts_are_cut_short_or_there_are_none() {
    check(
        "
# vramlens: ignore-file[OOM311]
from transformers import pipeline

classify = pipeline('text-classification', device='cuda', batch_size=128)
print(classify(texts, truncation=True))
print(pipeline('text-classification', device='cuda', batch_size=16)(texts))
print(pipeline('text-classification', device='cuda', batch_size=256, truncation=True, max_length=128)(texts))
print(pipeline('image-classification', device='cuda', batch_size=256)(images))
print(pipeline('text-classification', device='cuda', batch_size=size)(texts))
print(pipeline(task, device='cuda', batch_size=256)(texts))
print(pipeline('text-classification', device='cuda', batch_size=256, **options)(texts))
",
    );
}

#[test]
fn the_fix_cuts_texts_short() {
    check_unsafe_fix(
        "
from transformers import pipeline

classify = pipeline('sentiment-analysis', device=0)
print(classify(texts, batch_size=128))
",
        "
from transformers import pipeline

classify = pipeline('sentiment-analysis', device=0)
print(classify(texts, batch_size=128, truncation=True))
",
    );
}
