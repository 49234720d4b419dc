import torch
from captioning import AttentionDecoder, ResNetEncoder, val_images, words

dev = torch.device("cuda")
encoder, decoder = ResNetEncoder().to(dev).eval(), AttentionDecoder(9490).to(dev).eval()
state = torch.load("caption.pt", map_location="cpu")
encoder.load_state_dict(state["enc"])
decoder.load_state_dict(state["dec"])


def describe(images, limit=50):
    grid = encoder(images.to(dev))
    h, c = decoder.init_state(grid)
    token = torch.full((len(images),), words["<start>"], device=dev)
    out = [token]
    for _ in range(limit):
        seen, _ = decoder.attend(grid, h)
        h, c = decoder.cell(torch.cat([decoder.embedding(token), seen], 1), (h, c))
        token = decoder.fc(h).argmax(1)
        out.append(token)
    return torch.stack(out, 1).tolist()


for images, names in val_images(64):
    for name, ids in zip(names, describe(images)):
        print(name, ids)
