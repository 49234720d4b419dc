import argparse

import torch
from tqdm import tqdm
from streets import FullImages
from hrnet import HRNetOCR


def histogram(pred, gold, k):
    keep = (gold >= 0) & (gold < k)
    return torch.bincount(k * gold[keep] + pred[keep], minlength=k * k).reshape(k, k)


def main(args):
    net = HRNetOCR(args.classes)
    net.load_state_dict(torch.load(args.weights, map_location="cpu")["state"])
    net = torch.nn.DataParallel(net).cuda()
    net.eval()
    hist = torch.zeros(args.classes, args.classes, dtype=torch.long, device="cuda")
    for img, gold in tqdm(torch.utils.data.DataLoader(FullImages(args.root), batch_size=1, num_workers=4)):
        aux, logits = net(img.cuda(non_blocking=True))
        logits = torch.nn.functional.interpolate(logits, gold.shape[-2:], mode="bilinear", align_corners=False)
        hist += histogram(logits.argmax(1).flatten(), gold.cuda().flatten(), args.classes)
    iou = hist.diag() / (hist.sum(0) + hist.sum(1) - hist.diag())
    print("mIoU", iou.nanmean().item())


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--root", default="/data/streets")
    ap.add_argument("--weights", default="ocr.pth")
    ap.add_argument("--classes", type=int, default=19)
    main(ap.parse_args())
