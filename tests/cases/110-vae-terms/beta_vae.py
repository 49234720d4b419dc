import torch
import torch.nn.functional as F
from shapes import BetaVAE, sprites

model = BetaVAE(latent=10).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
train_loader, test_loader = sprites(256)


def terms(x_rec, x, mu, logvar):
    rec = F.binary_cross_entropy_with_logits(x_rec, x, reduction="sum") / x.size(0)
    kld = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    return rec, kld


def train(epoch, beta=4.0):
    model.train()
    shown = rec_sum = kld_sum = 0.0
    for x in train_loader:
        x = x.cuda()
        optimizer.zero_grad()
        x_rec, mu, logvar = model(x)
        rec, kld = terms(x_rec, x, mu, logvar)
        loss = rec + beta * kld
        loss.backward()
        shown += loss.item()
        rec_sum += rec
        kld_sum += kld
        optimizer.step()
    n = len(train_loader)
    print(f"{epoch} {shown / n:.3f} = {rec_sum / n:.3f} + b * {kld_sum / n:.3f}")


def test(epoch):
    model.eval()
    elbo = 0
    with torch.no_grad():
        for x in test_loader:
            x = x.cuda()
            x_rec, mu, logvar = model(x)
            rec, kld = terms(x_rec, x, mu, logvar)
            elbo += rec + kld
    print(epoch, float(elbo) / len(test_loader))


for epoch in range(1, 51):
    train(epoch)
    test(epoch)
