//! Trying again inside an `except` block.

use crate::rules::tests::check;
use crate::rules::tests::fixing::{check_fix, check_no_fix};

#[test]
fn the_same_call_and_the_function_itself() {
    check(
        "
import torch

def run(model, batch):
    try:
        out = model(batch)
    except torch.OutOfMemoryError as error:
        print('again', error)
        out = model(batch[: len(batch) // 2])
              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM126 warning peak
    return out

class Trainer:
    def train_step(self, sample, again=False):
        try:
            loss = self.task(sample).cuda()
        except RuntimeError as error:
            if 'CUDA out of memory' not in str(error) or again:
                raise
            torch.cuda.empty_cache()
            return self.train_step(sample, again=True)
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM126 warning peak
        return loss
",
    );
}

#[test]
fn a_model_that_is_loaded_again() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM

try:
    model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', device_map='cuda', dtype='auto')
except torch.cuda.OutOfMemoryError:
    model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', device_map='auto', dtype='auto')
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM126 warning peak
",
    );
}

#[test]
fn several_types_and_types_by_another_name() {
    check(
        "
import torch
from torch.cuda import OutOfMemoryError as NoRoom

def run(pipe, prompts, size):
    try:
        return pipe.encode(prompts, size)
    except (NoRoom, torch.OutOfMemoryError):
        return pipe.encode(prompts, size // 2)
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM126 warning peak
",
    );
}

#[test]
fn silent_when_the_retry_comes_after_the_block() {
    check(
        "
import torch

def run(model, batch):
    failed = False
    try:
        return model(batch)
    except torch.cuda.OutOfMemoryError:
        failed = True
    if failed:
        torch.cuda.empty_cache()
        return model(batch[:1])

def search(model, batch):
    while True:
        try:
            return model(batch)
        except torch.cuda.OutOfMemoryError:
            batch = batch[: len(batch) // 2]
            torch.cuda.empty_cache()
            continue

def every(model, loader):
    for batch in loader:
        try:
            yield model(batch.cuda())
        except RuntimeError as error:
            if 'out of memory' in str(error):
                print('skipping', len(batch))
                continue
            raise
",
    );
}

#[test]
fn silent_on_the_host_for_other_failures_and_for_small_things() {
    check(
        "
import time
import torch
from accelerate.utils import find_executable_batch_size

def run(model, batch):
    try:
        return model(batch)
    except torch.cuda.OutOfMemoryError:
        return model.cpu()(batch.to('cpu'))

def loaded(load, name):
    try:
        return load(name, device='cuda')
    except torch.cuda.OutOfMemoryError:
        return load(name, device='cpu')

def read_again(read, path):
    try:
        return read(path)
    except RuntimeError:
        return read(path + '.bak')

def timed(model, batch, log):
    try:
        start = time.time()
        out = model(batch)
        log.info('took', time.time() - start)
    except torch.cuda.OutOfMemoryError:
        log.info('failed after', time.time() - start)
        out = None
    return out

@find_executable_batch_size(starting_batch_size=64)
def train(batch_size):
    return build(batch_size)
",
    );
}

#[test]
fn the_fix_moves_the_block_behind_itself() {
    check_fix(
        "
import torch

def run(model, batches):
    for batch in batches:
        try:
            out = model(batch)
        except torch.cuda.OutOfMemoryError:  # too long
            torch.cuda.empty_cache()
            out = model(batch[:1])
        yield out
",
        "
import torch

def run(model, batches):
    for batch in batches:
        out_of_memory = False
        try:
            out = model(batch)
        except torch.cuda.OutOfMemoryError:  # too long
            out_of_memory = True
        if out_of_memory:
            torch.cuda.empty_cache()
            out = model(batch[:1])
        yield out
",
    );
}

#[test]
fn no_fix_where_the_exception_is_needed_or_the_clause_is_one_of_several() {
    let with = |clause: &str| {
        format!(
            "
import logging
import torch

def run(model, batch):
    try:
        out = model(batch)
    {clause}
        out = model(batch[:1])
    return out
"
        )
    };
    check_no_fix(&with("except torch.OutOfMemoryError as error:\n        print(error)"));
    check_no_fix(&with("except torch.OutOfMemoryError:\n        logging.exception('again')"));
    check_no_fix(&with("except ValueError:\n        raise\n    except torch.OutOfMemoryError:"));
    check_no_fix(&with("except torch.OutOfMemoryError:\n        if len(batch) < 2:\n            raise"));
    check_no_fix(&with("except RuntimeError:\n        torch.cuda.empty_cache()"));
}
