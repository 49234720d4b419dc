//! Emptying the cache in every step.

use crate::rules::tests::check;
use crate::rules::tests::fixing::check_unsafe_fix;

#[test]
fn in_training_and_in_evaluation() {
    check(
        "
import gc
import torch
from torch.utils.data import DataLoader

def train(model, loader, optimizer):
    for epoch in range(10):
        for images, labels in loader:
            loss = model(images.cuda(), labels.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
                ^^^^^^^^^^^^^^^^^^^^^^^^ OOM125 information none

@torch.no_grad()
def evaluate(model, dataset):
    for images, labels in DataLoader(dataset, batch_size=8):
        with torch.autocast('cuda'):
            print(model(images).argmax())
            torch.cuda.empty_cache()
            ^^^^^^^^^^^^^^^^^^^^^^^^ OOM125 information none
",
    );
}

#[test]
fn through_a_function() {
    check(
        "
import gc
import torch

def clean():
    gc.collect()
    torch.cuda.empty_cache()
    ^^^^^^^^^^^^^^^^^^^^^^^^ OOM125 information none

def train(model, loader, optimizer):
    for images in loader:
        model(images.cuda()).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        clean()
",
    );
}

#[test]
fn silent_under_a_condition_and_between_phases() {
    check(
        "
import torch

def train(model, loader, optimizer, often):
    torch.cuda.empty_cache()
    for epoch in range(10):
        for step, images in enumerate(loader):
            model(images.cuda()).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            if step % 100 == 0:
                torch.cuda.empty_cache()
            if often and torch.cuda.is_available():
                torch.cuda.empty_cache()
        torch.cuda.empty_cache()
        evaluate(model, loader)
        torch.cuda.empty_cache()

@torch.no_grad()
def evaluate(model, loader):
    for images in loader:
        print(model(images.cuda()).mean())
    torch.cuda.empty_cache()
",
    );
}

#[test]
fn silent_after_a_failure_or_a_deletion_and_in_other_loops() {
    check(
        "
import torch

def train(model, loader, optimizer):
    for images in loader:
        try:
            model(images.cuda()).mean().backward()
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
        optimizer.step()
        optimizer.zero_grad()

def compare(names, build, loader, optimizer):
    for images in loader:
        out = build(images.cuda())
        out.mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        del out
        torch.cuda.empty_cache()

def models(names, load):
    for name in names:
        print(load(name))
        torch.cuda.empty_cache()
",
    );
}

#[test]
fn the_fix_deletes_the_line() {
    check_unsafe_fix(
        "
import torch

def train(model, loader, optimizer):
    for images in loader:
        model(images.cuda()).mean().backward()
        optimizer.step()
        torch.cuda.empty_cache()  # avoids OOM
        optimizer.zero_grad()
",
        "
import torch

def train(model, loader, optimizer):
    for images in loader:
        model(images.cuda()).mean().backward()
        optimizer.step()
        # avoids OOM
        optimizer.zero_grad()
",
    );
}
