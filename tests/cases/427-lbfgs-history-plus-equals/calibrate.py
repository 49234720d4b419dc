import torch
from torch import nn
from sensors import traces

device = "cuda"


class Spline(nn.Module):
    def __init__(self, knots=64):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(knots))
        self.c = nn.Parameter(torch.linspace(0, 1, knots))

    def forward(self, x):
        return (torch.exp(-(x[:, None] - self.c) ** 2 * 200) * self.w).sum(1)


def calibrate(all_traces):
    total, calls = torch.tensor(0.0, device=device), 0
    fits = []
    for x, y in all_traces:
        x, y = x.to(device), y.to(device)
        curve = Spline().to(device)
        opt = torch.optim.LBFGS(curve.parameters(), max_iter=50, line_search_fn="strong_wolfe")

        def closure():
            nonlocal total, calls
            opt.zero_grad()
            loss = (curve(x) - y).pow(2).mean()
            loss.backward()
            total = total + loss
            calls += 1
            return loss

        opt.step(closure)
        fits.append({k: v.cpu() for k, v in curve.state_dict().items()})
    print(f"mean objective {total.item() / calls:.3e}")
    return fits


torch.save(calibrate(traces("2021-06")), "fits.pt")
