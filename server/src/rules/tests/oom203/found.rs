//! What is kept, in what, and what shows that it lies on a GPU.

use crate::rules::tests::check;

/// Checks a statement of an evaluation whose batches are put on the GPU, at error.
#[track_caller]
fn check_statement(start: &str, statement: &str) {
    let marks =
        format!("        {}\n#       {} OOM203 error tensors", statement, "^".repeat(statement.len()));
    check(&format!(
        "
import torch, queue
from collections import defaultdict, deque

@torch.no_grad()
def predict(model, loader):
    model.eval()
    kept = {start}
    for step, (x, y) in enumerate(loader):
        out = model(x.cuda())
{marks}
    return kept
"
    ));
}

#[test]
fn lists_dicts_and_queues() {
    check_statement("[]", "kept.append(out)");
    check_statement("[]", "kept.extend([out])");
    check_statement("[]", "kept.insert(0, out)");
    check_statement("[]", "kept += [out]");
    check_statement("{}", "kept[step] = out");
    check_statement("{'a': []}", "kept['a'].append(out)");
    check_statement("defaultdict(list)", "kept[step % 2].append(out)");
    check_statement("deque()", "kept.append(out)");
    check_statement("queue.Queue()", "kept.put(out)");
}

#[test]
fn a_list_that_is_made_anew_with_one_more() {
    check(
        "
import torch

@torch.no_grad()
def predict(model, loader):
    model.eval()
    kept = []
    for x in loader:
        kept = kept + [model(x.cuda())]
#              ^^^^^^^^^^^^^^^^^^^^^^^^ OOM203 error tensors
    return kept
",
    );
}

#[test]
fn what_is_computed_from_an_output() {
    check_statement("[]", "kept.append(out.softmax(dim=-1))");
    check_statement("[]", "kept.append(torch.sigmoid(out))");
    check_statement("[]", "kept.append(out[:, 0])");
    check_statement("[]", "kept.append(out.logits)");
    check_statement("[]", "kept.append((out * 2, step))");
    check_statement("[]", "kept.append({'out': out, 'step': step})");
    check_statement("[]", "kept.append(out.detach().clone())");
    check_statement("[]", "kept.append(torch.cat([out, out]))");
}

/// Checks an evaluation whose batch is moved and run by these lines.
#[track_caller]
fn check_moving(before: &str, moving: &str) {
    check(&format!(
        "
import argparse, torch
from accelerate import Accelerator
{before}

def predict(model, loader):
    outputs = []
    with torch.inference_mode():
        for batch in loader:
            {moving}
            outputs.append(out)
#           ^^^^^^^^^^^^^^^^^^^ OOM203 error tensors
    return outputs
"
    ));
}

#[test]
fn a_device_by_any_name() {
    let conditional = "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')";
    check_moving(conditional, "out = model(batch.to(device))");
    check_moving("device = 'cuda:0'", "out = model(batch['pixels'].to(device))");
    check_moving("device = 0", "out = model(batch.to(device, non_blocking=True))");
    let option = "parser = argparse.ArgumentParser()
parser.add_argument('--device', default='cuda')
args = parser.parse_args()";
    check_moving(option, "out = model(batch[0].to(args.device))");
    check_moving("accelerator = Accelerator()", "out = model(batch.to(accelerator.device))");
    check_moving("net = torch.nn.Linear(2, 2).cuda()", "out = net(batch.cuda())");
    check_moving(
        "net = torch.nn.Linear(2, 2).cuda()",
        "x = batch.cuda(); out = torch.relu(net(x)).flatten(1)",
    );
}

#[test]
fn records_of_tensors_are_moved_one_by_one() {
    check_moving("", "out = model(**{k: v.cuda() for k, v in batch.items()})");
    check_moving("", "x, y = [part.cuda() for part in batch]; out = model(x)");
    check_moving("", "batch = tuple(part.cuda() for part in batch); out = model(batch[0])");
}

#[test]
fn a_device_that_whoever_calls_it_chooses() {
    check(
        "
import torch

@torch.no_grad()
def embed(model, texts, tokenizer, device):
    model.eval()
    kept = []
    for start in range(0, len(texts), 32):
        tokens = tokenizer(texts[start:start + 32]).to(device)
        kept.append(model(**tokens).last_hidden_state)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM203 error tensors
    return torch.cat(kept)
",
    );
}

#[test]
fn batches_that_a_loader_or_a_map_puts_there() {
    check(
        "
import torch

class Runner:
    def __init__(self, net, dev='cuda'):
        self.net, self.dev = net.to(dev), dev

    def move(self, batch):
        return [part.to(self.dev) for part in batch]

    @torch.no_grad()
    def predict(self, loader):
        parts = [(self.net(x), y) for x, y in map(self.move, loader)]
#               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM203 error tensors
        return torch.cat([out for out, _ in parts])
",
    );
}

#[test]
fn inputs_that_training_keeps() {
    check(
        "
import torch

def fit(model, loader, optimizer, criterion):
    seen = []
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        seen.append(x)
#       ^^^^^^^^^^^^^^ OOM203 error tensors
    return seen
",
    );
}

#[test]
fn a_dimension_less_is_in_doubt() {
    check(
        "
import torch

@torch.no_grad()
def embed(model, loader):
    model.eval()
    kept = []
    for x in loader:
        kept.append(model(x.cuda()).mean(dim=1))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM203 warning tensors
    return kept
",
    );
}

#[test]
fn indices_and_labels_are_small() {
    check(
        "
import torch

@torch.no_grad()
def predict(model, loader):
    model.eval()
    classes, labels, best = [], [], []
    for x, y in loader:
        out = model(x.cuda())
        classes.append(out.argmax(1))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM203 information tensors
        labels.append(y.cuda())
#       ^^^^^^^^^^^^^^^^^^^^^^^ OOM203 information tensors
        best.append(out.max(1)[1])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM203 information tensors
    return classes, labels, best
",
    );
}

#[test]
fn a_table_with_one_state_for_each_key() {
    // It has as many items as there are names, and nobody knows how many that is.
    check(
        "
import torch
from torch import nn

rnn = nn.LSTM(24, 384, 2).cuda()
states = {}
with torch.no_grad():
    for name, x in windows:
        out, state = rnn(x.cuda(), states.get(name))
        states[name] = state
#       ^^^^^^^^^^^^^^^^^^^^ OOM203 information tensors
        print(out.argmax().item())
",
    );
}
