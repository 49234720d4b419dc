import gpytorch
import torch
from molset import esol
from kernels import DeepKernelGP

x, y = (t.cuda() for t in esol())
likelihood = gpytorch.likelihoods.GaussianLikelihood().cuda()
gp = DeepKernelGP(x, y, likelihood).cuda()
mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, gp)
adam = torch.optim.Adam(gp.parameters(), lr=0.01)
record = {}
gp.train()
likelihood.train()
for step in range(20_000):
    adam.zero_grad()
    loss = -mll(gp(x), y)
    loss.backward()
    adam.step()
    record[step] = loss
torch.save(record, "record.pt")
