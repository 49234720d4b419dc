import deepspeed
import torch
from protein import MSADataset, EvoModel

model = EvoModel(layers=24)
engine, _, loader, _ = deepspeed.initialize(
    model=model, model_parameters=model.parameters(), training_data=MSADataset("uniclust"), config="ds.json"
)
log = {}
batches = iter(loader)
step = 0
while True:
    try:
        msa, mask = next(batches)
    except StopIteration:
        batches = iter(loader)
        msa, mask = next(batches)
    msa, mask = msa.to(engine.device), mask.to(engine.device)
    loss, contacts = engine(msa, mask)
    engine.backward(loss)
    engine.step()
    log.setdefault("loss", []).append(loss)
    log.setdefault("contacts", []).append(contacts.mean().item())
    step += 1
    if step % 1000 == 0 and engine.local_rank == 0:
        print(step, sum(log["loss"][-1000:]) / 1000)
    if step == 200_000:
        break
