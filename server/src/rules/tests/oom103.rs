//! Graphs of one step that are still there when the next builds its own.

use super::check;
use super::fixing::check_fix;

/// A trainer whose loop has these lines in it.
fn trainer(lines: &str) -> String {
    format!(
        "
import torch
import torch.nn.functional as F

class Trainer:
    def __init__(self, loader):
        self.net = torch.nn.Linear(512, 10).cuda()
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.loader = loader

    def fit(self):
        for x, y in self.loader:
            self.optimizer.zero_grad()
            out = self.net(x.cuda())
            loss = F.cross_entropy(out, y.cuda())
            {lines}
            self.optimizer.step()

trainer = Trainer(loader)
trainer.fit()
"
    )
}

#[test]
fn a_number_whose_backward_has_run() {
    check(&trainer(
        "loss.backward()
            self.last = loss
#           ^^^^^^^^^^^^^^^^ OOM103 hint static",
    ));
}

#[test]
fn a_tensor_whose_backward_has_run() {
    check(&trainer(
        "self.out = out
#           ^^^^^^^^^^^^^^ OOM103 information peak
            loss.backward()",
    ));
}

#[test]
fn a_graph_that_no_backward_runs_over() {
    check(&trainer(
        "loss.backward()
            self.aside = self.net(x.cuda() + 1)
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM103 warning peak",
    ));
}

#[test]
fn a_global_name() {
    check(
        "
import torch

net = torch.nn.Linear(512, 10).cuda()
last = None

def step(x, y):
    global last
    out = net(x.cuda())
    torch.nn.functional.cross_entropy(out, y.cuda()).backward()
    last = out
    ^^^^^^^^^^ OOM103 information peak

for x, y in loader:
    step(x, y)
",
    );
}

#[test]
fn silent_where_nothing_lasts() {
    for lines in [
        "loss.backward()\n            self.last = loss.detach()",
        "loss.backward()\n            self.last = loss.item()",
        "self.loss = loss\n            self.loss.backward()",
        "self.out = out\n            loss.backward()\n            self.out = None",
        "loss.backward()\n            last = out",
    ] {
        check(&trainer(lines));
    }
}

#[test]
fn the_fix_detaches_it() {
    let before = trainer("loss.backward()\n            self.last = loss * 2");
    let after = trainer("loss.backward()\n            self.last = (loss * 2).detach()");
    check_fix(&before, &after);
}
