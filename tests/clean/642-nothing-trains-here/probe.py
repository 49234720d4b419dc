import torch
from torch import nn
from transformers import AutoModel, AutoTokenizer
from probes import sentences

tok = AutoTokenizer.from_pretrained("BAAI/bge-large-en-v1.5")
body = AutoModel.from_pretrained("BAAI/bge-large-en-v1.5", torch_dtype=torch.float16).cuda().eval()
head = nn.Linear(1024, 7).cuda()
opt = torch.optim.Adam(head.parameters())
for texts, labels in sentences(64):
    with torch.no_grad():
        state = body(**tok(texts, padding=True, return_tensors="pt").to("cuda")).last_hidden_state[:, 0].float()
    opt.zero_grad()
    nn.functional.cross_entropy(head(state), labels.cuda()).backward()
    opt.step()
