import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
from flickr import get_loader, Encoder, Decoder

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
encoder, decoder = Encoder(256).to(device), Decoder(256, 512, 9956, 1).to(device)
criterion = nn.CrossEntropyLoss()
params = list(decoder.parameters()) + list(encoder.linear.parameters()) + list(encoder.bn.parameters())
optimizer = torch.optim.Adam(params, lr=1e-3)
all_losses = np.empty(0)
for epoch in range(5):
    epoch_losses = []
    for i, (images, captions, lengths) in enumerate(get_loader("train", 128)):
        images, captions = images.to(device), captions.to(device)
        targets = pack_padded_sequence(captions, lengths, batch_first=True)[0]
        outputs = decoder(encoder(images), captions, lengths)
        loss = criterion(outputs, targets)
        decoder.zero_grad()
        encoder.zero_grad()
        loss.backward()
        optimizer.step()
        epoch_losses.append(loss.cpu())
        if i % 100 == 0:
            print(f"{epoch} {i} {loss.item():.4f} {np.exp(loss.item()):5.2f}")
    all_losses = np.append(all_losses, torch.stack(epoch_losses).detach().numpy())
np.save("losses.npy", all_losses)
