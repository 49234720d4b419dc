import torch
from flows import MaskedFlow


class Posterior:
    def __init__(self, flow, low, high, device="cuda"):
        self.flow, self.device = flow.to(device), device
        self.low, self.high = low.to(device), high.to(device)

    def draw(self, count, context, batch=10_000):
        got, kept = 0, []
        while got < count:
            noise = torch.randn(batch, self.low.numel(), device=self.device)
            theta = self.flow.inverse(noise, context)
            inside = ((theta > self.low) & (theta < self.high)).all(1)
            kept.append(theta[inside])
            got += inside.sum().item()
        return torch.cat(kept)[:count]


flow = MaskedFlow(5, layers=8)
flow.load_state_dict(torch.load("flow.pt", map_location="cpu"))
post = Posterior(flow, -torch.ones(5), torch.ones(5))
for x in torch.load("observations.pt").cuda():
    print(post.draw(100_000, x).mean(0).tolist())
