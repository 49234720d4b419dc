//! `.detach()` behind what is kept, wherever it stands in the statement.

use crate::rules::tests::fixing::{check_fix, check_unsafe_fix};

#[track_caller]
fn check_statement(start: &str, before: &str, after: &str) {
    let training = |statement: &str| {
        format!(
            "
import torch
from collections import defaultdict

def fit(model, loader, criterion, optimizer):
    kept = {start}
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {statement}
    print(kept)
"
        )
    };
    check_fix(&training(before), &training(after));
}

#[test]
fn items_of_a_list() {
    check_statement("[]", "kept.append(loss)", "kept.append(loss.detach())");
    check_statement("[]", "kept.append(loss * 2)", "kept.append((loss * 2).detach())");
    check_statement("[]", "kept.append(-loss)", "kept.append((-loss).detach())");
    check_statement("[]", "kept += [loss]", "kept += [loss.detach()]");
    check_statement("[]", "kept.insert(0, loss)", "kept.insert(0, loss.detach())");
    check_statement("[]", "kept.extend([loss])", "kept.extend([loss.detach()])");
}

#[test]
fn items_of_a_dict() {
    check_statement("{}", "kept[step] = loss", "kept[step] = loss.detach()");
    check_statement("{'loss': []}", "kept['loss'].append(loss)", "kept['loss'].append(loss.detach())");
    check_statement(
        "{}",
        "kept.setdefault('a', []).append(loss)",
        "kept.setdefault('a', []).append(loss.detach())",
    );
    check_statement("defaultdict(list)", "kept['a'].append(loss)", "kept['a'].append(loss.detach())");
}

#[test]
fn parts_of_an_item() {
    check_statement("[]", "kept.append((step, loss))", "kept.append((step, loss.detach()))");
    check_statement("[]", "kept.append([loss * 2, step])", "kept.append([(loss * 2).detach(), step])");
    check_statement("[]", "kept.append({'loss': loss})", "kept.append({'loss': loss.detach()})");
}

#[test]
fn a_trailing_comma_and_a_comment_stay() {
    check_statement(
        "[]",
        "kept.append(\n            loss,  # of one batch\n        )",
        "kept.append(\n            loss.detach(),  # of one batch\n        )",
    );
}

/// A training loop that keeps something of a model's output, on whatever device that is.
fn output_kept(model: &str, kept: &str) -> String {
    format!(
        "
import torch
from transformers import AutoModel

def fit(loader, criterion, optimizer):
    model = {model}
    outputs = []
    for step, (x, y) in enumerate(loader):
        out = model(x)
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
        outputs.append({kept})
    print(len(outputs))
"
    )
}

#[test]
fn a_tensor_made_of_an_output() {
    let script = |kept: &str| output_kept("torch.nn.Linear(10, 2)", kept);
    check_fix(&script("torch.relu(out)"), &script("torch.relu(out).detach()"));
}

#[test]
fn an_output_that_may_be_a_record_needs_a_second_look() {
    let script = |kept: &str| {
        let load = "AutoModel.from_pretrained('gpt2')\n    model.gradient_checkpointing_enable()";
        output_kept(load, kept)
    };
    check_unsafe_fix(&script("out"), &script("out.detach()"));
}

#[test]
fn a_list_handed_to_a_function_of_the_same_file() {
    let script = |value: &str| {
        format!(
            "
import torch

def log(history, value):
    history.append(value)

def fit(model, loader, criterion, optimizer):
    history = []
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        log(history, {value})
    print(history)
"
        )
    };
    check_fix(&script("loss"), &script("loss.detach()"));
    check_fix(&script("value=loss"), &script("value=loss.detach()"));
}
