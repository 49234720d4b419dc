import torch
import torch.nn.functional as F
from audio import Codec, clips


class Run:
    def __init__(self, objective: str, gpu: int = 0):
        self.device = torch.device("cuda", gpu)
        self.codec = Codec(64).to(self.device)
        self.opt = torch.optim.Adam(self.codec.parameters(), 3e-4)
        self.objective = objective
        self.log = {"train": 0.0, "steps": 0}

    def cost(self, out, wav):
        match self.objective:
            case "l1":
                return F.l1_loss(out, wav)
            case "l2" | "mse":
                return F.mse_loss(out, wav)
            case "spec":
                spec = lambda s: torch.stft(s, 512, return_complex=True).abs()
                return (spec(out) - spec(wav)).abs().mean()
            case other:
                raise ValueError(other)

    def epoch(self, loader):
        for wav in loader:
            wav = wav.to(self.device)
            c = self.cost(self.codec(wav), wav)
            c.backward()
            self.opt.step()
            self.opt.zero_grad()
            self.log["train"] += c
            self.log["steps"] += 1


if __name__ == "__main__":
    run = Run("spec")
    for _ in range(100):
        run.epoch(clips(32))
