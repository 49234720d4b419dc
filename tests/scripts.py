"""Scripts that several Python tests use."""

LOADER = """\
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.1", torch_dtype="float16").to("cuda")
"""

TRAINER = """\
import torch
from torch.utils.data import DataLoader

model = torch.nn.Linear(10, 2).cuda()
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(torch.load("train.pt"), batch_size=32)

total_loss = 0.0
for x, y in loader:
    loss = criterion(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total_loss += loss
print(total_loss / len(loader))
"""
