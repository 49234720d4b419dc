import torch
from transformers import AutoModelForSeq2SeqLM
from diaries import loader


class Fitter:
    def __init__(self, name):
        self.net = AutoModelForSeq2SeqLM.from_pretrained(name).cuda()
        self.slim()
        self.opt = torch.optim.Adafactor(self.net.parameters())

    def slim(self):
        self.net.config.use_cache = False
        self.net.activation_checkpointing_enable()

    def fit(self):
        for ids, labels in loader():
            self.net(input_ids=ids.cuda(), labels=labels.cuda()).loss.backward()
            self.opt.step()
            self.opt.zero_grad()


Fitter("google/flan-t5-large").fit()
