//! Lists that a framework's hooks fill and nothing empties.

use crate::rules::tests::check;
use crate::rules::tests::fixing::check_fix;

fn module(step: &str, end: &str) -> String {
    format!(
        "
import torch
import lightning as L
from layers import Net

class Module(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = Net()
        self.kept = []

    def validation_step(self, batch, batch_idx):
        {step}

    def on_validation_epoch_end(self):
        {end}
"
    )
}

const STEP: &str = "self.kept.append(self.net(batch['x']))";
const MARKED: &str = "self.kept.append(self.net(batch['x']))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM104 error tensors";

#[test]
fn a_list_that_nothing_empties() {
    check(&module(MARKED, "self.log('mean', torch.cat(self.kept).mean())"));
    check(&module(
        "out = self.net(batch['x'])
        self.kept.append({'out': out.logits, 'target': batch['y']})
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM104 error tensors",
        "self.log('size', len(self.kept))",
    ));
}

#[test]
fn a_list_that_is_emptied_holds_one_epoch() {
    let told = MARKED.replace("OOM104 error", "OOM203 information");
    for end in ["self.kept.clear()", "self.kept = []", "del self.kept[:]"] {
        check(&module(&told, end));
    }
}

#[test]
fn what_is_on_the_host_or_not_kept() {
    let end = "self.log('mean', torch.cat(self.kept).mean())";
    check(&module("self.kept.append(self.net(batch['x']).cpu())", end));
    check(&module("self.kept = [self.net(batch['x'])]", end));
    check(&module("self.log('loss', self.net(batch['x']).mean())", "pass"));
}

#[test]
fn clear_stands_at_the_end_of_the_epoch() {
    let end = "self.log('mean', torch.cat(self.kept).mean())  # of all of it";
    check_fix(&module(STEP, end), &module(STEP, &format!("{end}\n        self.kept.clear()")));
}
