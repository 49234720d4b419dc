import argparse
import numpy as np
import torch
from tqdm import tqdm
from aerial import TileSet, DeepLab


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--weights", default="best.pth")
    p.add_argument("--device", default="cuda:0")
    p.add_argument("--batch", type=int, default=4)
    return p.parse_args()


def main():
    args = parse()
    model = DeepLab(classes=7)
    model.load_state_dict(torch.load(args.weights, map_location="cpu"))
    model = model.to(args.device)
    model.eval()
    tiles = torch.utils.data.DataLoader(TileSet("/data/city"), args.batch, num_workers=4)
    probs, names = [], []
    for image, name in tqdm(tiles, desc="tiles"):
        out = model(image.to(args.device))["out"]
        probs.append(out.softmax(1).cpu())
        names += list(name)
    stacked = torch.cat(probs).detach().numpy()
    np.savez("tiles.npz", probs=stacked, names=np.array(names))


if __name__ == "__main__":
    main()
