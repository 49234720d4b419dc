import torch
from torch.nn.functional import normalize
from sop import embedder, sop_loader, supcon

net = embedder().to("cuda")
opt = torch.optim.Adam(net.parameters(), 3e-5)
mem_x, mem_y = torch.empty(0, 512, device="cuda"), torch.empty(0, dtype=torch.long, device="cuda")
for img, y in sop_loader(64):
    e, y = normalize(net(img.to("cuda"))), y.to("cuda")
    loss = supcon(e, y, torch.cat([e, mem_x]), torch.cat([y, mem_y]))
    opt.zero_grad()
    loss.backward()
    opt.step()
    mem_x = torch.cat([e.detach(), mem_x])[:8192]
    mem_y = torch.cat([y, mem_y])[:8192]
