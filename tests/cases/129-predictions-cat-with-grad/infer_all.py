import torch
from torch.utils.data import DataLoader
from speakers import EcapaTDNN, Utterances

model = EcapaTDNN(channels=1024)
model.load_state_dict(torch.load("ecapa.pt", map_location="cpu"))
model.cuda().eval()
table = torch.zeros(0, 192)
names = []
for wav, name in DataLoader(Utterances("voxceleb1"), batch_size=16):
    emb = model(wav.cuda())
    table = torch.cat([table, emb.cpu()])
    names += list(name)
torch.save({"names": names, "table": table.detach()}, "table.pt")
