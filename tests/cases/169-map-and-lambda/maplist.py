import torch
from patches import Encoder, tiles_of

enc = Encoder(768)
enc.load_state_dict(torch.load("enc.pt", map_location="cpu"))
enc = enc.to("cuda").eval()


def encode_all(batches):
    parts = list(map(lambda b: enc(b.to("cuda")), batches))
    return torch.cat(parts)


for name in open("slides.txt").read().split():
    torch.save(encode_all(tiles_of(name, 64)).detach().cpu(), f"{name}.pt")
