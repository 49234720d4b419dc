//! Debugging that is left on.

use crate::rules::tests::check;
use crate::rules::tests::fixing::check_unsafe_fix;

#[test]
fn anomaly_detection_histories_and_profilers() {
    check(
        "
import torch
from torch.profiler import profile

def train(model, loader, optimizer):
    torch.cuda.memory._record_memory_history(max_entries=100000)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM124 information none
    with torch.autograd.detect_anomaly(), profile(record_shapes=True) as recorded:
         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM124 information none
                                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM124 information none
        for batch in loader:
            model(batch.cuda()).mean().backward()
            optimizer.step()
            optimizer.zero_grad()

if __name__ == '__main__':
    torch.autograd.set_detect_anomaly(True)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM124 information none
    train(*build())
",
    );
}

#[test]
fn silent_when_it_is_chosen_stopped_or_short() {
    check(
        "
import torch
from torch.profiler import profile, schedule

def train(model, loader, optimizer, debug):
    torch.autograd.set_detect_anomaly(debug)
    if debug:
        torch.autograd.set_detect_anomaly(True)
    torch.cuda.memory._record_memory_history()
    with profile(schedule=schedule(wait=1, warmup=1, active=3)) as recorded:
        for batch in loader:
            model(batch.cuda()).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            recorded.step()
    with profile() as recorded:
        for step, batch in enumerate(loader):
            if step == 10:
                break
            model(batch.cuda()).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    torch.cuda.memory._dump_snapshot('memory.pickle')
",
    );
    check("import torch\nwith torch.autograd.detect_anomaly():\n    loss.backward()\n");
    check("import torch\ntorch.autograd.set_detect_anomaly(True)\n");
}

#[test]
fn the_fix_deletes_the_line() {
    let before = "
import torch

def train(model, loader, optimizer):
    torch.autograd.set_detect_anomaly(True)
    for batch in loader:
        model(batch.cuda()).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
";
    check_unsafe_fix(before, &before.replace("    torch.autograd.set_detect_anomaly(True)\n", ""));
}
