import json

import deepspeed
import torch
from minigpt import GPT, TokenStream

cfg = json.load(open("ds.json"))
net = GPT(layers=24, width=2048)
engine, _, _, _ = deepspeed.initialize(model=net, model_parameters=net.parameters(), config=cfg)
stream = TokenStream("tokens.bin", 2048, engine.train_micro_batch_size_per_gpu())

acc_nll, since = 0.0, 0
for step, (x, y) in enumerate(stream):
    nll = engine(x.to(engine.device), labels=y.to(engine.device))
    engine.backward(nll)
    engine.step()
    acc_nll += nll
    since += 1
    if step and step % 10_000 == 0 and engine.global_rank == 0:
        print(step, float(acc_nll) / since)
