//! Checkpoints that are read onto the GPU.

use super::check;
use super::fixing::check_fix;

#[test]
fn all_the_way_through_a_training() {
    check(
        "
import torch

device = 'cuda'
net = torch.nn.Linear(2, 2)
saved = torch.load('last.pt', map_location=device)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM301 warning static
net.load_state_dict({k.removeprefix('_orig_mod.'): v for k, v in saved['net'].items()})
net.to(device)
optimizer = torch.optim.AdamW(net.parameters())
for x, y in loader:
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(net(x.to(device)), y.to(device)).backward()
    optimizer.step()
",
    );
}

#[test]
fn every_process_onto_the_first_card() {
    check(
        "
import os
import torch

torch.distributed.init_process_group('nccl')
rank = int(os.environ['LOCAL_RANK'])
net = torch.nn.Linear(2, 2).to(rank)
net.load_state_dict(torch.load('last.pt'))
                    ^^^^^^^^^^^^^^^^^^^^^ OOM301 error static
",
    );
}

#[test]
fn a_name_that_stays() {
    check(
        "
import torch

net = torch.nn.Linear(2, 2).cuda()
saved = torch.load('last.pt')
#       ^^^^^^^^^^^^^^^^^^^^^ OOM301 information static
net.load_state_dict(saved['state_dict'])
",
    );
}

#[test]
fn a_peak_while_it_is_read() {
    check(
        "
import torch

def load(path):
    net = torch.nn.Linear(2, 2).cuda()
    saved = torch.load(path)
    net.load_state_dict(saved['state_dict'])
    net.load_state_dict(torch.load(path))
    return net
",
    );
}

#[test]
fn the_host_and_other_files() {
    check(
        "
import torch

net = torch.nn.Linear(2, 2).cuda()
net.load_state_dict(torch.load('a.pt', map_location='cpu'))
net.load_state_dict(torch.load('a.pt', map_location=torch.device('cpu')))
net.load_state_dict(torch.load('a.pt', lambda storage, place: storage))
net.load_state_dict(torch.load('a.pt', map_location={'cuda:0': 'cuda:1'}))
data = torch.load('train.pt')
for x, y in data:
    print(x.cuda().sum())
",
    );
    check(
        "
import torch

net = torch.nn.Linear(2, 2)
net.load_state_dict(torch.load('a.pt'))
",
    );
}

#[test]
fn the_fix_names_the_host() {
    check_fix(
        "
import torch
net = torch.nn.Linear(2, 2)
saved = torch.load('a.pt', map_location=torch.device('cuda'))
net.load_state_dict(saved)
",
        "
import torch
net = torch.nn.Linear(2, 2)
saved = torch.load('a.pt', map_location=\"cpu\")
net.load_state_dict(saved)
",
    );
}

#[test]
fn an_optimizer_takes_over_what_lies_on_its_device() {
    let resumes = |into: &str| {
        format!(
            "
import torch

def fit(model, loader, criterion, path, averaged):
    model.cuda()
    if averaged:
        optimizer = torch.optim.ASGD(model.parameters())
    else:
        optimizer = torch.optim.SGD(model.parameters())
    state = torch.load(path)
    {into}.load_state_dict(state)
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"
        )
    };
    check(&resumes("optimizer"));
    let told = "state = torch.load(path)
#           ^^^^^^^^^^^^^^^^ OOM301 warning static";
    check(&resumes("model").replace("state = torch.load(path)", told));
}
