//! How long the objects of noted calls live, and what holds them.

use super::library_calls::read;
use crate::python::holding::Holder;
use crate::python::library_call::{Action, LibraryCall};

fn names(held_by: &[Holder]) -> String {
    held_by.iter().map(|holder| &*holder.name).collect::<Vec<_>>().join(" ")
}

/// What `show` says of the last noted call whose path ends so.
fn last(source: &str, path: &str, show: impl Fn(&LibraryCall) -> String) -> String {
    let source = format!("import torch\nfrom transformers import AutoModel\n{source}");
    read(&source, |script| {
        let call = script.calls.iter().rfind(|call| call.path.ends_with(path));
        call.map_or_else(|| "no call".to_owned(), &show)
    })
}

#[test]
fn what_else_is_there_when_a_model_is_loaded() {
    let beside = |call: &LibraryCall| {
        call.life.beside.iter().map(|it| names(&it.held_by)).collect::<Vec<_>>().join(", ")
    };
    let second = "\nsecond = AutoModel.from_pretrained('b')\n";
    let first = "first = AutoModel.from_pretrained('a')\n";
    let shown = |middle: &str| last(&format!("{first}{middle}{second}"), "from_pretrained", beside);
    assert_eq!(shown(""), "first");
    assert_eq!(shown("del first"), "");
    assert_eq!(shown("first = None"), "");
    assert_eq!(shown("models = [first]\ndel first"), "models");
    assert_eq!(shown("optimizer = torch.optim.Adam(first.parameters())\ndel first"), "optimizer");
    let in_function =
        "def load(name):\n    model = AutoModel.from_pretrained(name)\n    return 1\nload('a')\nload('b')\n";
    assert_eq!(last(in_function, "from_pretrained", beside), "", "what a function made is gone with it");
}

#[test]
fn what_a_release_leaves() {
    let released = |call: &LibraryCall| {
        let release = call.events.iter().find_map(|event| match &event.action {
            Action::Released { deleted, held_by } => Some(format!("{deleted} {}", names(held_by))),
            _ => None,
        });
        release.unwrap_or_default()
    };
    let shown = |rest: &str| {
        last(&format!("model = AutoModel.from_pretrained('a')\n{rest}\n"), "from_pretrained", released)
    };
    assert_eq!(shown("del model"), "true ");
    assert_eq!(shown("alias = model\ndel model"), "true alias");
    assert_eq!(shown("model = 3"), "false ");
    assert_eq!(shown("model = model.to('cuda')"), "");
}

#[test]
fn what_holds_it_when_the_loop_goes_on() {
    let next = |call: &LibraryCall| call.life.next_iteration.as_deref().map_or_else(|| "-".to_owned(), names);
    let shown =
        |body: &str| last(&format!("kept = []\nfor name in names:\n{body}\n"), "from_pretrained", next);
    assert_eq!(shown("    model = AutoModel.from_pretrained(name)"), "model");
    assert_eq!(shown("    model = AutoModel.from_pretrained(name)\n    del model"), "");
    assert_eq!(shown("    kept.append(AutoModel.from_pretrained(name))"), "kept");
    assert_eq!(shown("    model = AutoModel.from_pretrained(name)\n    break"), "-");
    let retried = "    try:\n        model = AutoModel.from_pretrained(name)\n        break\n    except OSError:\n        pass";
    assert_eq!(shown(retried), "-", "the loop goes on only where the load failed");
}

#[test]
fn conditions_requests_and_caches() {
    let place = |call: &LibraryCall| {
        let words = [
            ("conditional", call.place.way.conditional),
            ("handling", call.place.way.handling),
            ("served", call.place.served),
            ("cached", call.place.cached),
        ];
        words.into_iter().filter(|(_, holds)| *holds).map(|(word, _)| word).collect::<Vec<_>>().join(" ")
    };
    let shown = |source: &str| last(source, "from_pretrained", place);
    assert_eq!(shown("model = AutoModel.from_pretrained('a')"), "");
    assert_eq!(shown("if big:\n    model = AutoModel.from_pretrained('a')"), "conditional");
    assert_eq!(
        shown("try:\n    go()\nexcept OSError:\n    model = AutoModel.from_pretrained('a')"),
        "conditional handling"
    );
    let app = "from fastapi import FastAPI\napp = FastAPI()\n@app.post('/')\ndef answer(text):\n    return load()(text)\n";
    let load = "def load():\n    return AutoModel.from_pretrained('a')\n";
    assert_eq!(shown(&format!("{load}{app}")), "served");
    let cached = format!("from functools import lru_cache\n@lru_cache(maxsize=1)\n{load}{app}");
    assert_eq!(shown(&cached), "served cached");
    let interface = "import gradio as gr\ndef answer(text):\n    model = AutoModel.from_pretrained('a')\n    return model(text)\ngr.Interface(fn=answer).launch()\n";
    assert_eq!(shown(interface), "served");
}

#[test]
fn a_checkpoint_is_followed_into_what_it_is_copied_into() {
    let copied = |call: &LibraryCall| {
        let copies = call.events.iter().filter_map(|event| match event.action {
            Action::CopiedInto { optimizer } => Some(format!("{optimizer:?}")),
            _ => None,
        });
        copies.collect::<Vec<_>>().join(" ")
    };
    let shown = |rest: &str| {
        last(&format!("net = build()\nsaved = torch.load('a.pt')\n{rest}\n"), "torch.load", copied)
    };
    assert_eq!(shown("net.load_state_dict(saved)"), "None");
    assert_eq!(shown("net = torch.nn.Linear(1, 1)\nnet.load_state_dict(saved['net'])"), "Some(false)");
    assert_eq!(shown("net.load_state_dict({k[7:]: v for k, v in saved['net'].items()})"), "None");
    assert_eq!(shown("print(saved['epoch'])"), "");
}
