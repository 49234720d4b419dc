import glob
import nibabel as nib
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from torch import nn
from vnet import VNet

device = torch.device("cuda:0")


class Cohort(Dataset):
    def __init__(self, pattern, labels):
        files = sorted(glob.glob(pattern))
        vols = [np.asarray(nib.load(f).dataobj, dtype=np.float32) for f in files]
        masks = [np.asarray(nib.load(f.replace("t1", labels)).dataobj, dtype=np.int64) for f in files]
        mean = float(np.mean([v.mean() for v in vols]))
        self.x = torch.from_numpy(np.stack(vols) - mean).unsqueeze(1).to(device)
        self.y = torch.from_numpy(np.stack(masks)).to(device)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def dice(logits, target, k=4):
    p = logits.softmax(1)
    t = nn.functional.one_hot(target, k).permute(0, 4, 1, 2, 3)
    return 1 - (2 * (p * t).sum((0, 2, 3, 4)) / (p + t).sum((0, 2, 3, 4))).mean()


if __name__ == "__main__":
    train = Cohort("/data/t1/train/*_t1.nii.gz", "seg")
    loader = DataLoader(train, batch_size=2, shuffle=True)
    net = VNet(1, 4).to(device)
    opt = torch.optim.Adam(net.parameters(), 1e-4)
    for epoch in range(300):
        total = 0.0
        for x, y in loader:
            loss = dice(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(epoch, total / len(loader))
