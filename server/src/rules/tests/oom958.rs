//! Models that are deleted while something holds them.

use vramlens_grammars::notebook::source_of;

use super::{check, described, findings_in};

const IMPORTS: &str = "
import gc
import torch
from transformers import AutoModelForCausalLM as Model, Trainer, pipeline
";
const LOAD: &str = "model = Model.from_pretrained('org/one-7b', dtype='auto').to('cuda')";

#[test]
fn what_holds_it_is_named_and_the_next_model_makes_it_worse() {
    for holder in [
        "base = model",
        "models = [model]",
        "parts = {'base': model}",
        "pipe = pipeline('text-generation', model=model, torch_dtype='auto')",
    ] {
        check(&format!(
            "{IMPORTS}
{LOAD}
{holder}
print(model.generate(x))
del model
^^^^^^^^^ OOM958 information static
"
        ));
        check(&format!(
            "{IMPORTS}
{LOAD}
{holder}
print(model.generate(x))
del model
^^^^^^^^^ OOM958 warning static
torch.cuda.empty_cache()
other = Model.from_pretrained('org/other-7b', dtype='auto').to('cuda')
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM311 warning static
"
        ));
    }
}

#[test]
fn what_is_let_go_by_all_or_still_meant() {
    for rest in [
        "del model",
        "base = model\ndel model\ndel base",
        "base = model\ndel base, model",
        "base = model\ndel model\nprint(base.generate(x))",
        "pipe = pipeline('text-generation', model=model, torch_dtype='auto')\ndel model\nprint(pipe('x'))",
        "models = [model]\ndel model\nmodels.clear()",
        "models = [model]\ndel model\nfor one in models:\n    print(one(x))",
        "def ask(text):\n    return pipe(text)\npipe = pipeline('text-generation', model=model, torch_dtype='auto')\ndel model\nprint(ask('x'))",
        "base = model.to('cpu')\ndel model",
    ] {
        check(&format!("{IMPORTS}\n{LOAD}\nprint(model.generate(x))\n{rest}\n"));
    }
}

#[test]
fn a_function_that_deletes_its_own_name_only() {
    check(&format!(
        "{IMPORTS}
def free(old):
    del old
#   ^^^^^^^ OOM958 warning static
    gc.collect()

{LOAD}
print(model.generate(x))
free(model)
other = Model.from_pretrained('org/other-7b', dtype='auto').to('cuda')
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM311 warning static
"
    ));
}

/// The findings about loads and deletions in the cells of a notebook.
fn found_in(cells: &[&str]) -> Vec<String> {
    let texts = [IMPORTS, LOAD].into_iter().chain(cells.iter().copied());
    let findings = findings_in(source_of((0..).zip(texts)));
    let about = findings.iter().filter(|finding| ["OOM311", "OOM955", "OOM958"].contains(&finding.code));
    about
        .map(|finding| {
            let cell = finding.location.cell.map_or_else(String::new, |cell| cell.to_string());
            format!("{cell} {}", described(finding))
        })
        .collect()
}

#[test]
fn what_a_cell_shows_is_kept() {
    let released = "del model\ngc.collect()\ntorch.cuda.empty_cache()";
    for shown in
        ["model", "x = 1\nmodel.eval()", "model.to('cuda')", "%%time\n1\nmodel\n# its layers".split_at(7).1]
    {
        assert_eq!(found_in(&[shown, released]), ["3 OOM958 information static"], "{shown}");
    }
    for silent in [
        "model;",
        "model.eval(); # quiet",
        "model\nx = 1",
        "model\n!nvidia-smi",
        "print(model)",
        "model.config",
        "y = model",
    ] {
        let after = if silent == "y = model" { "del model, y" } else { released };
        assert_eq!(found_in(&[silent, after]), [""; 0], "{silent}");
    }
    assert_eq!(found_in(&["model", released, "%reset -f out"]), [""; 0]);
    assert_eq!(found_in(&["model", released, "Out.clear()"]), [""; 0]);
}

#[test]
fn what_training_returns_is_not_the_trainer() {
    let script =
        format!("{IMPORTS}\n{LOAD}\ntrainer = Trainer(model=model)\nstats = trainer.train()\ndel model\n");
    let findings = super::findings(&script);
    let deletion = findings.iter().find(|finding| finding.code == "OOM958");
    assert!(deletion.is_some_and(|finding| finding.message.contains("`trainer` still")), "{findings:#?}");
}
