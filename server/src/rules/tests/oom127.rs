//! Going on after memory ran out.

use crate::rules::tests::check;

#[test]
fn with_the_gradients_of_half_a_backward() {
    check(
        "
import torch

def train(model, optimizer, loader, scaler):
    for batch in loader:
        try:
            scaler.scale(model(batch.cuda()).mean()).backward()
        except RuntimeError as error:
            if 'out of memory' in str(error):
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM127 information static
                torch.cuda.empty_cache()
            continue
        scaler.step(optimizer)
        optimizer.zero_grad()
",
    );
}

#[test]
fn silent_when_they_are_cleared_or_training_stops() {
    check(
        "
import torch

def train(model, optimizer, loader):
    for batch in loader:
        try:
            optimizer.zero_grad()
            model(batch.cuda()).mean().backward()
            optimizer.step()
        except torch.cuda.OutOfMemoryError:
            continue

def accumulate(model, optimizer, loader):
    for step, batch in enumerate(loader):
        try:
            model(batch.cuda()).mean().backward()
        except torch.cuda.OutOfMemoryError:
            for parameter in model.parameters():
                parameter.grad = None
            continue
        try:
            model(batch.cuda()).mean().backward()
        except torch.cuda.OutOfMemoryError:
            optimizer.zero_grad()
        try:
            model(batch.cuda()).mean().backward()
        except torch.cuda.OutOfMemoryError:
            raise SystemExit('too large')
        if step % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()

def once(model, optimizer, batch):
    try:
        model(batch.cuda()).mean().backward()
    except torch.cuda.OutOfMemoryError:
        print('too large')
",
    );
}
