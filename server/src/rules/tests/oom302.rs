//! Checkpoints that stay on the GPU after they were copied.

use super::check;
use super::fixing::check_fix;

#[test]
fn a_deletion_that_frees_nothing() {
    check(
        "
import torch

net = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.AdamW(net.parameters())
saved = torch.load('last.pt', map_location='cuda')
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM301 warning static
weights = saved['net']
net.load_state_dict(weights)
del saved
^^^^^^^^^ OOM302 warning static
torch.cuda.empty_cache()
for x, y in loader:
    torch.nn.functional.mse_loss(net(x.cuda()), y.cuda()).backward()
    optimizer.step()
    optimizer.zero_grad()
",
    );
}

#[test]
fn the_next_model_beside_what_was_saved_somewhere() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained('some/model', dtype='auto').cuda()
saved = torch.load('tuned.pt')
#       ^^^^^^^^^^^^^^^^^^^^^^ OOM301 information static
model.load_state_dict(saved)
judge = AutoModelForCausalLM.from_pretrained('other/model', dtype='auto').cuda()
print(judge.generate(model.generate(prompt)))
",
    );
}

#[test]
fn the_next_model_beside_it() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained('some/model', dtype='auto').cuda()
saved = torch.load('tuned.pt', map_location='cuda')
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM302 warning static
model.load_state_dict(saved)
judge = AutoModelForCausalLM.from_pretrained('other/model', dtype='auto').cuda()
print(judge.generate(model.generate(prompt)))
",
    );
}

#[test]
fn silent_where_it_is_gone_or_not_on_the_gpu() {
    let script = |lines: &str| {
        format!(
            "
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained('some/model', dtype='auto').cuda()
{lines}
judge = AutoModelForCausalLM.from_pretrained('other/model', dtype='auto').cuda()
print(judge.generate(model.generate(prompt)))
"
        )
    };
    for lines in [
        "saved = torch.load('tuned.pt', map_location='cuda')\nmodel.load_state_dict(saved)\ndel saved",
        "saved = torch.load('tuned.pt', map_location='cpu')\nmodel.load_state_dict(saved)",
        "model.load_state_dict(torch.load('tuned.pt', map_location='cuda'))",
    ] {
        check(&script(lines));
    }
}

#[test]
fn the_epoch_holds_nothing() {
    check(
        "
import torch

net = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.AdamW(net.parameters())
saved = torch.load('last.pt', map_location='cuda')
net.load_state_dict(saved['net'])
epoch = saved['epoch']
del saved
for x, y in loader:
    torch.nn.functional.mse_loss(net(x.cuda()), y.cuda()).backward()
    optimizer.step()
    optimizer.zero_grad()
",
    );
}

#[test]
fn the_fix_deletes_it_behind_its_last_use() {
    let before = "
import torch
from transformers import AutoModelForCausalLM

def load():
    model = AutoModelForCausalLM.from_pretrained('some/model', dtype='auto').cuda()
    saved = torch.load('tuned.pt', map_location='cuda')
    model.load_state_dict(saved)  # all of it
    judge = AutoModelForCausalLM.from_pretrained('other/model', dtype='auto').cuda()
    return model, judge
";
    let after = before.replace("# all of it\n", "# all of it\n    del saved\n");
    check_fix(before, &after);
}
