import torch
import torch.nn.functional as F
from transformers import AutoModelForSequenceClassification
from glue import sst2

teacher = AutoModelForSequenceClassification.from_pretrained("textattack/bert-base-uncased-SST-2").cuda().eval().requires_grad_(False)
student = AutoModelForSequenceClassification.from_pretrained("google/bert_uncased_L-4_H-256_A-4").cuda()
opt = torch.optim.AdamW(student.parameters(), 5e-5)
seen, agree, trace = 0, 0, []
for step, b in enumerate(sst2(32)):
    b = {k: v.cuda() for k, v in b.items()}
    t = teacher(**b).logits
    s = student(**b).logits
    loss = F.kl_div(s.log_softmax(-1), t.softmax(-1), reduction="batchmean")
    opt.zero_grad()
    loss.backward()
    opt.step()
    agree += (s.argmax(-1) == t.argmax(-1)).sum()
    seen += s.size(0)
    trace.append(round(loss.item(), 4))
