//! Copies of models on the GPU, and state dicts that are no copies.

use super::check;

#[test]
fn one_more_each_round() {
    check(
        "
import copy
import torch

model = torch.nn.Linear(2, 2)
model.cuda()
snapshots = []
for epoch in range(100):
    train(model)
    snapshots.append(copy.deepcopy(model))
#                    ^^^^^^^^^^^^^^^^^^^^ OOM113 error tensors
",
    );
}

#[test]
fn the_best_one_of_a_function() {
    check(
        "
import copy
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(2, 2)

def fit(model):
    best = copy.deepcopy(model.state_dict())
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM113 information static
    for epoch in range(100):
        if evaluate(model) > 0.5:
            best = copy.deepcopy(model.state_dict())
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM113 information static
    model.load_state_dict(best)
    return model

fit(Net().to('cuda'))
",
    );
}

#[test]
fn silent_on_the_host_and_where_the_copy_goes_there() {
    check(
        "
import copy
import torch

device = torch.device('cuda')
model = torch.nn.Linear(2, 2)
target = copy.deepcopy(model)
model.to(device)
for epoch in range(100):
    train(model)
    kept = copy.deepcopy(model).cpu()
    best = {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}
    torch.save(copy.deepcopy(model.state_dict()), 'last.pt')
",
    );
}

#[test]
fn state_dicts_that_nothing_puts_back() {
    check(
        "
import torch

model = torch.nn.Linear(2, 2).cuda()
for epoch in range(100):
    train(model)
    if epoch % 10 == 0:
        state = model.state_dict()
        torch.save(state, 'last.pt')
",
    );
}
