import torch
from torch import nn
from digits import overlay, batches


class Layer(nn.Linear):
    def __init__(self, i, o):
        super().__init__(i, o)
        self.opt = torch.optim.Adam(self.parameters(), 0.03)
        self.threshold = 2.0

    def forward(self, x):
        x = x / (x.norm(2, 1, keepdim=True) + 1e-4)
        return torch.relu(super().forward(x))

    def learn(self, pos, neg):
        gp, gn = self.forward(pos).pow(2).mean(1), self.forward(neg).pow(2).mean(1)
        loss = torch.log1p(torch.exp(torch.cat([self.threshold - gp, gn - self.threshold]))).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return self.forward(pos).detach(), self.forward(neg).detach(), loss.item()


layers = [Layer(784, 500).cuda(), Layer(500, 500).cuda()]
curves = [[] for _ in layers]
for epoch in range(60):
    for x, y in batches("train", 512):
        x, y = x.cuda(), y.cuda()
        pos, neg = overlay(x, y), overlay(x, y[torch.randperm(len(y))])
        for k, layer in enumerate(layers):
            pos, neg, value = layer.learn(pos, neg)
            curves[k].append(value)


@torch.no_grad()
def predict(x):
    scores = []
    for label in range(10):
        h, good = overlay(x, label), 0
        for layer in layers:
            h = layer(h)
            good = good + h.pow(2).mean(1)
        scores.append(good)
    return torch.stack(scores, 1).argmax(1)


right = sum((predict(x.cuda()).cpu() == y).sum().item() for x, y in batches("test", 1000))
print(right / 10_000)
