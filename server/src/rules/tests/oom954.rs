//! What the last lines of cells leave in `Out`.

use vramlens_grammars::notebook::source_of;

use super::findings_in;
use super::fixing::check_fix_in_cells;

const NET: &str = "import torch
from torch import nn
from transformers import AutoModelForCausalLM as Model

device = torch.device('cuda')
net = Model.from_pretrained('org/one-7b', dtype='auto').to(device)
x = torch.randn(64, 8, device=device)
y = torch.randn(64, 8, device=device)";

/// The cells that show something that is told.
fn cells_that_show(cells: &[&str]) -> Vec<Option<u32>> {
    let texts = [NET].into_iter().chain(cells.iter().copied());
    let findings = findings_in(source_of((0..).zip(texts)));
    findings.iter().filter(|finding| finding.code == "OOM954").map(|finding| finding.location.cell).collect()
}

#[test]
fn what_a_model_computed() {
    for shown in [
        "net(x)",
        "out = net(x)\nout",
        "net(x).logits.softmax(-1)  # scores",
        "with torch.no_grad():\n    out = net(x)\nout",
    ] {
        assert_eq!(cells_that_show(&[shown]), [Some(1)], "{shown}");
    }
}

#[test]
fn what_is_small_or_elsewhere_or_not_shown() {
    for silent in [
        "net(x);",
        "net(x)  ;  # quiet",
        "out = net(x)",
        "print(net(x))",
        "net(x).shape",
        "net(x).cpu()",
        "net(x).detach().cpu().numpy()",
        "nn.functional.mse_loss(net(x).logits, y)",
        "net(x).logits.mean()",
        "net(x).logits.mean().item()",
        "net(x).argmax(-1).tolist()",
        "net",
        "net.eval()",
        "net.to('cuda')",
        "if True:\n    net(x)",
        "net(x)\n!nvidia-smi",
        "%%capture\nnet(x)",
        "len(net(x))",
    ] {
        assert_eq!(cells_that_show(&[silent]), [], "{silent}");
    }
}

#[test]
fn without_a_large_model_results_are_small() {
    let small = NET.replace("Model.from_pretrained('org/one-7b', dtype='auto')", "nn.Linear(8, 8)");
    assert!(small.contains("nn.Linear"), "another model");
    assert_eq!(findings_in(source_of([(0, small.as_str()), (1, "net(x)")])), []);
}

#[test]
fn a_script_shows_nothing() {
    let findings = super::findings(&format!("{NET}\nnet(x)\n"));
    assert!(findings.iter().all(|finding| finding.code != "OOM954"), "{findings:#?}");
}

#[test]
fn the_fix_keeps_the_comment() {
    let cell = "with torch.no_grad():\n    out = net(x)\nout  # the scores";
    let fixed = "with torch.no_grad():\n    out = net(x)\nout;  # the scores";
    check_fix_in_cells(&[NET, cell], &[NET, fixed]);
}
