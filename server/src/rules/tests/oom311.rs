//! Models that are loaded while others are still there.

use super::check;

const IMPORT: &str = "from transformers import AutoModelForCausalLM as Model\n";

#[test]
fn a_name_that_another_holds_too() {
    check(&format!(
        "
{IMPORT}
model = Model.from_pretrained('org/one-7b', dtype='auto').to('cuda')
base = model
model = Model.from_pretrained('org/other-7b', dtype='auto').to('cuda')
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM311 error static
print(base.generate(x), model.generate(x))
"
    ));
}

#[test]
fn models_that_are_gone_or_both_used() {
    for between in ["del model", "model = None", "model.to('cpu')"] {
        check(&format!(
            "
{IMPORT}
model = Model.from_pretrained('org/one-7b', dtype='auto').to('cuda')
print(model.generate(x))
{between}
model = Model.from_pretrained('org/other-7b', dtype='auto').to('cuda')
print(model.generate(x))
"
        ));
    }
    check(&format!(
        "
{IMPORT}
teacher = Model.from_pretrained('org/one-7b', dtype='auto').to('cuda')
student = Model.from_pretrained('org/other-7b', dtype='auto').to('cuda')
print(teacher.generate(x), student.generate(x))
"
    ));
}

#[test]
fn models_of_every_iteration() {
    check(&format!(
        "
{IMPORT}
models = []
for name in names:
    models.append(Model.from_pretrained(name, dtype='auto').to('cuda'))
#                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM312 warning tensors
"
    ));
    check(&format!(
        "
{IMPORT}
def answer(name):
    model = Model.from_pretrained(name, dtype='auto').to('cuda')
    return model.generate(x)

for name in names:
    print(answer(name))
"
    ));
}

#[test]
fn a_part_of_the_next() {
    check(
        "
from diffusers import FluxPipeline
from transformers import T5EncoderModel

encoder = T5EncoderModel.from_pretrained('org/encoder', dtype='auto', device_map='cuda')
print(encoder(x))
pipeline = FluxPipeline.from_pretrained('org/painter', text_encoder_2=encoder, device_map='cuda')
pipeline('a lighthouse')
",
    );
}

#[test]
fn classifiers_that_train_in_turn_and_stay() {
    check(
        "
import timm

models = []
for fold in range(5):
    model = timm.create_model('resnet50', pretrained=True).to('cuda')
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM312 warning tensors
    model.train()
    fit(model)
    models.append(model)
",
    );
    // An ensemble is needed as a whole.
    check(
        "
import timm

models = []
for fold in range(5):
    model = timm.create_model('resnet50', pretrained=True).to('cuda')
    model.eval()
    models.append(model)
",
    );
}

#[test]
fn what_a_loader_does_when_no_device_is_named() {
    check(
        "
import whisper

for path in recordings:
    model = whisper.load_model('large-v3')
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM312 warning static
    print(model.transcribe(path)['text'])
",
    );
    check(
        "
import whisper

for path in recordings:
    model = whisper.load_model('large-v3', device='cpu')
    print(model.transcribe(path)['text'])
",
    );
}

#[test]
fn requests_that_load_small_models() {
    check(
        "
from fastapi import FastAPI
from transformers import AutoModel

app = FastAPI()

@app.post('/embed')
def embed(text: str):
    model = AutoModel.from_pretrained('bert-base-uncased').to('cuda')
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM312 warning static
    return model(text)
",
    );
}
