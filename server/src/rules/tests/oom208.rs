//! Generations of many at once.

use crate::rules::tests::check;

#[test]
fn sequences_and_images() {
    check(
        "
import torch
from diffusers import FluxPipeline
from transformers import pipeline

def sample(model, tokens):
    model.cuda()
    return model.generate(tokens, do_sample=True, num_return_sequences=16)
                                                  ^^^^^^^^^^^^^^^^^^^^^^^ OOM208 information peak

def search(model, tokens):
    return model.generate(tokens, num_beams=5, num_return_sequences=2)
                                  ^^^^^^^^^^^ OOM208 hint peak

pipe = FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev')
for prompt in ['a cat', 'a dog']:
    pipe(prompt, num_images_per_prompt=4)
                 ^^^^^^^^^^^^^^^^^^^^^^^ OOM208 hint peak
write = pipeline('text-generation', 'Qwen/Qwen3-4B')
write('Hello', num_return_sequences=10)
               ^^^^^^^^^^^^^^^^^^^^^^^ OOM208 information peak
",
    );
}

#[test]
fn silent_about_a_few_and_about_numbers_from_elsewhere() {
    check(
        "
from diffusers import FluxPipeline

def sample(model, tokens, count):
    model.cuda()
    model.generate(tokens, num_beams=3)
    model.generate(tokens, num_return_sequences=count)
    pipe = FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev')
    pipe('a cat', num_images_per_prompt=count)
    return pipe('a cat', num_images_per_prompt=2)
",
    );
}
