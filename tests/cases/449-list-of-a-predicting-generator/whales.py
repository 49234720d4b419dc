import torch
from torch.utils.data import DataLoader
from hydrophone import Calls, SpectroNet

device = torch.device("cuda")


def predict(model, loader):
    model.eval()
    for spec, _ in loader:
        yield model(spec.to(device))


model = SpectroNet(9).to(device)
model.load_state_dict(torch.load("whales.pt", map_location="cpu"))
loader = DataLoader(Calls("2019"), 32, num_workers=4)
outs = list(predict(model, loader))
probs = torch.cat(outs).softmax(1).detach().cpu()
torch.save(probs, "probs.pt")
