import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from lidar import Scans, SparseUNet, collate


def main():
    dist.init_process_group("nccl")
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    model = SparseUNet(19)
    model.load_state_dict(torch.load("minkunet.pt", map_location="cpu"))
    model = DistributedDataParallel(model.cuda(), device_ids=[rank])
    data = Scans("08")
    sampler = torch.utils.data.DistributedSampler(data, shuffle=False)
    loader = torch.utils.data.DataLoader(data, 1, sampler=sampler, collate_fn=collate)
    model.eval()
    outputs, cm = {}, torch.zeros(19, 19, dtype=torch.long)
    for batch in loader:
        batch = {k: v.cuda() if torch.is_tensor(v) else v for k, v in batch.items()}
        logits = model(batch["voxels"])
        pred = logits.argmax(1)
        outputs[batch["name"][0]] = logits[batch["inverse"]]
        cm += torch.bincount(19 * batch["label"] + pred, minlength=361).view(19, 19).cpu()
    if rank == 0:
        iou = cm.diag() / (cm.sum(0) + cm.sum(1) - cm.diag())
        print(iou.mean().item())
    torch.save(outputs, f"logits_{rank}.pt")


main()
