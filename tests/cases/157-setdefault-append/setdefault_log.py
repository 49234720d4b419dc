import torch
from molgen import JTVAE, mol_batches

vae = JTVAE(450, 56).cuda()
adam = torch.optim.Adam(vae.parameters(), 1e-3)
log = {}
for step, mols in enumerate(mol_batches(32)):
    vae.zero_grad()
    kl, word, topo, assm = vae(mols, beta=min(1.0, step / 40_000))
    loss = kl + word + topo + assm
    loss.backward()
    torch.nn.utils.clip_grad_norm_(vae.parameters(), 50.0)
    adam.step()
    log.setdefault("kl", []).append(kl)
    log.setdefault("step", []).append(step)
    if step % 5000 == 0:
        torch.save(vae.state_dict(), f"{step}.pt")
