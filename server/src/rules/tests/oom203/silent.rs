//! What keeps nothing large on a GPU, or only for a moment.

use crate::rules::tests::check;

/// Checks that an evaluation with this statement in its loop, and this line after it, has no finding.
#[track_caller]
fn check_statement(start: &str, statement: &str) {
    check(&format!(
        "
import torch
from collections import deque

@torch.no_grad()
def predict(model, loader, use):
    model.eval()
    kept = {start}
    for step, (x, y) in enumerate(loader):
        out = model(x.cuda())
        {statement}
    return kept
"
    ));
}

#[test]
fn what_is_taken_to_the_host() {
    check_statement("[]", "kept.append(out.cpu())");
    check_statement("[]", "kept.append(out.to('cpu'))");
    check_statement("[]", "kept.append(out.cpu().numpy())");
    check_statement("[]", "kept.append(out.softmax(-1).cpu())");
    check_statement("[]", "kept.extend(out.tolist())");
    check_statement("[]", "kept.append(out.sum().item())");
    check_statement("[]", "kept.append(out.shape)");
    check_statement("[]", "kept.append((x, y))");
}

#[test]
fn what_is_bounded_or_emptied() {
    check_statement("deque(maxlen=10)", "kept.append(out)");
    check_statement("[]", "kept.append(out); kept = kept[-10:]");
    check_statement("[]", "kept.append(out); use(kept); kept.clear()");
    check_statement(
        "[]",
        "kept.append(out)
        if step % 10 == 0:
            use(kept)
            kept = []",
    );
    check_statement(
        "[]",
        "if len(kept) < 16:
            kept.append(out)",
    );
    check_statement("{}", "kept['last'] = out");
}

#[test]
fn a_script_without_a_gpu() {
    check(
        "
import torch

@torch.no_grad()
def predict(model, loader):
    model.eval()
    kept = []
    for x, y in loader:
        kept.append(model(x))
    return kept
",
    );
}

#[test]
fn what_one_step_gathers() {
    check(
        "
import torch

@torch.no_grad()
def predict(model, loader):
    model.eval()
    for views in loader:
        views = [view.cuda() for view in views]
        outputs = []
        for view in views:
            outputs.append(model(view))
        print(torch.stack(outputs).mean().item())
",
    );
}

#[test]
fn the_layers_of_a_forward_pass() {
    check(
        "
import torch

class Pyramid(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.levels = torch.nn.ModuleList([torch.nn.Linear(8, 8) for _ in range(9)])

    def forward(self, scales, device):
        outputs = []
        for scale in scales:
            outputs.append(self.levels[0](scale.to(device)))
        return outputs
",
    );
}

#[test]
fn the_steps_of_a_rollout() {
    check(
        "
import torch

def rollout(env, policy, optimizer, device):
    for update in range(1000):
        states, values = [], []
        for step in range(128):
            state = torch.tensor(env.state).to(device)
            with torch.no_grad():
                values.append(policy(state))
            states.append(state)
        loss = policy(torch.stack(states)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
",
    );
}
