import lightning as L
import torch
import torch.nn.functional as F
from torchmetrics.functional import f1_score
from claims import ClaimBert, claim_loader


def train(fabric, model, optimizer, loader):
    model.train()
    logits_all, labels_all = [], []
    for batch in loader:
        logits = model(batch["ids"], batch["mask"])
        loss = F.cross_entropy(logits.transpose(1, 2), batch["tags"])
        fabric.backward(loss)
        fabric.clip_gradients(model, optimizer, max_norm=1.0)
        optimizer.step()
        optimizer.zero_grad()
        logits_all += [logits]
        labels_all += [batch["tags"].cpu()]
    logits_all = torch.cat([l.flatten(0, 1) for l in logits_all])
    return f1_score(logits_all.cpu(), torch.cat([l.flatten() for l in labels_all]), "multiclass", num_classes=9)


def main():
    fabric = L.Fabric(accelerator="cuda", devices=1, precision="bf16-mixed")
    fabric.launch()
    model = ClaimBert("bert-base-cased", 9)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-5)
    model, optimizer = fabric.setup(model, optimizer)
    loader = fabric.setup_dataloaders(claim_loader("train", 32))
    for epoch in range(5):
        fabric.print(epoch, train(fabric, model, optimizer, loader).item())


main()
