import argparse
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoConfig, AutoModelForCausalLM, get_scheduler
from shards import Packed


def get_args():
    ap = argparse.ArgumentParser()
    ap.add_argument("--accum", type=int, default=16)
    ap.add_argument("--lr", type=float, default=3e-4)
    ap.add_argument("--log_every", type=int, default=100)
    return ap.parse_args()


def main(args):
    accelerator = Accelerator(gradient_accumulation_steps=args.accum, mixed_precision="bf16")
    model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("gpt2"))
    optimizer = torch.optim.AdamW(model.parameters(), args.lr)
    loader = DataLoader(Packed("train", 1024), batch_size=12)
    sched = get_scheduler("cosine", optimizer, 1000, 300_000)
    model, optimizer, loader, sched = accelerator.prepare(model, optimizer, loader, sched)
    running = torch.zeros(1, device=accelerator.device)
    model.train()
    for step, ids in enumerate(loader, 1):
        with accelerator.accumulate(model):
            loss = model(input_ids=ids, labels=ids).loss
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            sched.step()
            optimizer.zero_grad()
        running += loss
        if step % args.log_every == 0:
            mean = accelerator.gather(running).mean().item() / step
            accelerator.print(f"{step} {mean:.3f} {sched.get_last_lr()[0]:.2e}")


if __name__ == "__main__":
    main(get_args())
