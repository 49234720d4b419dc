use super::check;
use super::fixing::check_fix;

/// A script that trains a recurrent network of this class with this loop.
fn script(class: &str, loop_body: &str) -> String {
    format!(
        "
import torch
from torch import nn

rnn = nn.{class}(32, 64).cuda()
head = nn.Linear(64, 10).cuda()
optimizer = torch.optim.Adam(rnn.parameters())

def fit(loader, criterion, fresh):
    state = None
    h = c = torch.zeros(1, 8, 64).cuda()
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
{loop_body}
        optimizer.step()
"
    )
}

#[test]
fn a_state_in_a_variable() {
    check(&script(
        "LSTM",
        "        out, state = rnn(x.cuda(), state)
#                    ^^^^^^^^^^^^^^^^^^^^ OOM107 error full-graph
        criterion(head(out[-1]), y.cuda()).backward()",
    ));
}

#[test]
fn a_state_of_two_variables() {
    check(&script(
        "LSTM",
        "        out, (h, c) = rnn(x.cuda(), (h, c))
#                     ^^^^^^^^^^^^^^^^^^^^^ OOM107 error full-graph
        criterion(head(out[-1]), y.cuda()).backward()",
    ));
}

#[test]
fn a_state_on_the_module() {
    check(
        "
import torch
from torch import nn

class Scan(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(32, 64)
        self.state = None

    def forward(self, x):
        if self.state is None:
            self.state = torch.zeros(1, x.size(1), 64, device=x.device)
        out, self.state = self.rnn(x, self.state)
#                         ^^^^^^^^^^^^^^^^^^^^^^^ OOM107 error full-graph
        return out[-1]

def fit(loader, criterion):
    model = Scan().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x.cuda()), y.cuda()).backward(retain_graph=True)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM105 error full-graph
        optimizer.step()
",
    );
}

#[test]
fn states_that_are_cut() {
    let step =
        "        out, state = rnn(x.cuda(), state)\n        criterion(head(out[-1]), y.cuda()).backward()\n";
    for cut in [
        "        state = state.detach()",
        "        state = state.data",
        "        state = tuple(part.detach() for part in state)",
        "        state = [part.detach() for part in state]",
        "        state = repackage(state)",
        "        if step % 4 == 0:\n            state = state.detach()",
        "        if step % 100 == 0:\n            state = None",
        "        state = fresh()",
    ] {
        let repackage = "\ndef repackage(state):\n    if isinstance(state, torch.Tensor):\n        return state.detach()\n    return tuple(repackage(part) for part in state)\n";
        check(&(script("LSTM", &format!("{step}{cut}")) + repackage));
    }
}

#[test]
fn a_state_that_starts_anew_with_every_batch() {
    check(&script(
        "GRU",
        "        state = torch.zeros(1, 8, 64).cuda()
        total = 0
        for part, target in zip(x.cuda().split(8), y.cuda().split(8)):
            out, state = rnn(part, state)
            total = total + criterion(head(out[-1]), target)
        total.backward()",
    ));
}

#[test]
fn a_network_whose_class_is_elsewhere() {
    check(
        "
def fit(model, loader, criterion, optimizer, mems):
    model.train()
    for x, y in loader:
        out, mems = model(x.cuda(), mems)
        criterion(out, y.cuda()).backward()
        optimizer.step()
",
    );
}

#[test]
fn the_fix_detaches_what_the_state_is() {
    let step =
        "        out, state = rnn(x.cuda(), state)\n        criterion(head(out[-1]), y.cuda()).backward()";
    let script = script("LSTM", step);
    let end = "        optimizer.step()\n";
    let detached = format!("{end}        state = tuple(part.detach() for part in state)\n");
    check_fix(&script, &script.replace(end, &detached));
}

#[test]
fn a_network_and_its_layers_carry_one_state() {
    check(
        "
from torch import nn
import torch

class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(24, 64)
        self.out = nn.Linear(64, 96)

    def forward(self, x, h):
        y, h = self.rnn(x, h)
        return self.out(y[-1]), h

model = Forecaster().cuda()
optimizer = torch.optim.Adam(model.parameters())
state = None
for x, y in loader:
    pred, state = model(x.cuda(), state)
#                 ^^^^^^^^^^^^^^^^^^^^^^ OOM107 error full-graph
    optimizer.zero_grad()
    nn.functional.mse_loss(pred, y.cuda()).backward()
    optimizer.step()
",
    );
}
