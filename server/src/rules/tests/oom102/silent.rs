//! Collections that look like it and keep no graph, or are meant to.

use crate::rules::tests::check;

#[test]
fn numbers_and_detached_tensors() {
    for kept in [
        "loss.item()",
        "float(loss)",
        "loss.detach()",
        "loss.detach().cpu()",
        "loss.cpu().detach()",
        "loss.data",
        "out.argmax(1)",
        "out.detach().cpu().numpy()",
        "out.softmax(1).max(1)[1]",
        "(out > 0).cpu()",
        "out.shape",
        "f'{loss:.3f}'",
        "str(loss)",
        "y",
        "step",
        "optimizer.param_groups[0]['lr']",
        "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
    ] {
        check(&format!(
            "
import torch

def fit(model, loader, criterion, optimizer):
    kept = []
    for step, (x, y) in enumerate(loader):
        out = model(x.cuda())
        loss = criterion(out, y.cuda())
        loss.backward()
        optimizer.step()
        kept.append({kept})
    print(kept)
"
        ));
    }
}

#[test]
fn terms_of_one_loss() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    for x, y in loader:
        losses = []
        for view in x.unbind(1):
            losses.append(criterion(model(view.cuda()), y.cuda()))
        loss = torch.stack(losses).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
",
    );
}

#[test]
fn the_log_probabilities_of_an_episode() {
    check(
        "
import torch
from torch.distributions import Categorical

def train(policy, env, optimizer):
    for episode in range(1000):
        state, done = env.reset(), False
        log_probs, rewards = [], []
        while not done:
            probs = policy(torch.as_tensor(state).cuda())
            choice = Categorical(probs)
            action = choice.sample()
            log_probs.append(choice.log_prob(action))
            state, reward, done, _ = env.step(action.item())
            rewards.append(reward)
        loss = -(torch.stack(log_probs) * torch.tensor(rewards).cuda()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
",
    );
}

#[test]
fn an_episode_kept_on_the_policy() {
    check(
        "
import torch

class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)
        self.saved = []

    def forward(self, x):
        return self.layer(x).log_softmax(-1)

def finish(policy, optimizer):
    loss = -torch.stack(policy.saved).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    del policy.saved[:]

def train(env):
    policy = Policy().cuda()
    optimizer = torch.optim.Adam(policy.parameters())
    for episode in range(1000):
        state = env.reset()
        for t in range(200):
            out = policy(state.cuda())
            policy.saved.append(out.max())
        finish(policy, optimizer)
",
    );
}

#[test]
fn skip_connections_of_one_forward_pass() {
    check(
        "
import torch
from torch import nn

class UNet(nn.Module):
    def __init__(self, downs, ups):
        super().__init__()
        self.downs = nn.ModuleList(downs)
        self.ups = nn.ModuleList(ups)

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
        for up in self.ups:
            x = up(torch.cat([x, skips.pop()], dim=1))
        return x

def fit(loader, criterion, downs, ups):
    model = UNet(downs, ups).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
",
    );
}

#[test]
fn a_dict_that_is_made_anew() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer, log):
    for x, y in loader:
        losses = {}
        losses['main'] = criterion(model(x.cuda()), y.cuda())
        losses['main'].backward()
        optimizer.step()
        print(losses['main'].item())
",
    );
}

#[test]
fn a_dict_with_the_same_key_every_time() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    last = {}
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        last['loss'] = loss.detach()
    print(last)
",
    );
}

#[test]
fn evaluation_without_gradients() {
    check(
        "
import torch

@torch.no_grad()
def predict(model, loader):
    model.eval()
    outputs = []
    for x, _ in loader:
        outputs.append(model(x.cuda()).cpu())
    return torch.cat(outputs)
",
    );
}

#[test]
fn a_few_models() {
    check(
        "
import torch
from torch import nn

def build():
    layers = []
    for width in [64, 128, 256]:
        layers.append(nn.Linear(width, width))
    return nn.Sequential(*layers).cuda()
",
    );
}

#[test]
fn lists_under_computed_names() {
    check(
        "
import torch

class Storage:
    def __init__(self, keys):
        self.keys = keys
        for key in keys:
            setattr(self, key, [])

    def feed(self, values):
        for key, value in values.items():
            getattr(self, key).append(value)

    def extract(self, keys):
        return dict(zip(keys, map(lambda key: torch.cat(getattr(self, key)), keys)))

def step(network, states, env, optimizer, length):
    storage = Storage(['value', 'reward'])
    for _ in range(length):
        prediction = network(states.cuda())
        states, reward = env.step(prediction['action'].cpu().numpy())
        storage.feed(prediction)
        storage.feed({'reward': reward})
    entries = storage.extract(['value', 'reward'])
    loss = (entries['reward'] - entries['value']).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
",
    );
}
