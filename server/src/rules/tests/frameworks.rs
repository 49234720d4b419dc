//! What the frameworks do with gradients by themselves, in their own hooks and loops.

use super::check;

#[test]
fn a_trainer_of_transformers_runs_backward_over_what_compute_loss_returns() {
    check(
        "
import torch
from transformers import Trainer

class Classifier(Trainer):
    losses = []

    def compute_loss(self, model, inputs, return_outputs=False):
        labels = inputs.pop('labels').cuda()
        outputs = model(**inputs)
        loss = torch.nn.functional.cross_entropy(outputs.logits, labels)
        self.losses.append(loss)
#       ^^^^^^^^^^^^^^^^^^^^^^^^ OOM102 warning nodes-only
        return (loss, outputs) if return_outputs else loss
",
    );
}

#[test]
fn a_training_step_of_one_runs_its_own_backward() {
    check(
        "
import torch
from trl import SFTTrainer

class Logged(SFTTrainer):
    def training_step(self, model, inputs, num_items_in_batch=None):
        loss = self.compute_loss(model, inputs.to('cuda'))
        self.accelerator.backward(loss)
        self.total += loss
#       ^^^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
        return loss.detach()

    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        outputs = model(**inputs)
        return outputs.loss, outputs.logits, inputs['labels']
",
    );
}

#[test]
fn unsloth_hands_the_model_back() {
    check(
        "
import torch
from unsloth import FastLanguageModel

model, tokenizer = FastLanguageModel.from_pretrained('unsloth/Qwen3-0.6B')
model = FastLanguageModel.get_peft_model(model, r=16)
optimizer = torch.optim.AdamW(model.parameters())
total = 0
for batch in loader:
    loss = model(**batch.to('cuda')).loss
    loss.backward()
    optimizer.step()
    total += loss
#   ^^^^^^^^^^^^^ OOM101 error tensors
print(total)
",
    );
}

#[test]
fn an_engine_of_deepspeed_runs_backward_itself() {
    check(
        "
import deepspeed
import torch

net = torch.nn.Linear(10, 2)
engine, optimizer, loader, _ = deepspeed.initialize(model=net, training_data=data, config='zero.json')
total = 0
for x, y in loader:
    loss = torch.nn.functional.cross_entropy(engine(x.cuda()), y.cuda())
    engine.backward(loss)
    engine.step()
    total += loss
#   ^^^^^^^^^^^^^ OOM101 warning nodes-only
print(total)
",
    );
}

#[test]
fn a_hook_of_composer_runs_without_gradients() {
    check(
        "
import torch
from composer.models import ComposerModel

class Net(ComposerModel):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(10, 2).cuda()

    def forward(self, batch):
        return self.net(batch[0])

    def eval_forward(self, batch, outputs=None):
        return [self(part) for part in batch]
",
    );
}

#[test]
fn a_file_of_another_framework_is_none_of_ours() {
    check(
        "
import keras

total = 0
for x, y in data:
    loss = model.train_on_batch(x, y)
    total += loss
    loss.backward()
print(total)
",
    );
}
