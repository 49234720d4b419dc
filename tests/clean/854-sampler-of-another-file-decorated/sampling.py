import torch


@torch.inference_mode()
def sample(net, shape, steps, device):
    x = torch.randn(*shape, device=device)
    for k in reversed(range(steps)):
        t = torch.full((shape[0],), k, device=device)
        x = x - net(x, t) / steps
    return x.clamp(-1, 1)
