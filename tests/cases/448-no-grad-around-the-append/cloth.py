import torch
from simulation import ClothGNN, trajectories

gpu = "cuda:0"
model = ClothGNN(steps=15, width=128).to(gpu)
opt = torch.optim.Adam(model.parameters(), 1e-4)
losses, strains, peak = [], [], 0.0
for epoch in range(20):
    for mesh, accel in trajectories("flag", 2):
        pred = model(mesh.to(gpu))
        loss = (pred - accel.to(gpu)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            losses.append(loss)
            strains.append(pred.norm(dim=-1).mean())
            peak = max(peak, loss.item())
print(torch.stack(losses).mean().item(), torch.stack(strains).mean().item(), peak)
