//! The right GiB for every model of the catalog, through the hover of the real process.

use std::fmt::Write as _;

use serde_json::json;
use vramlens_tests::session::Session;

use crate::{URI, binary};

/// What a number may be off: an id alone says how many parameters there are, not how they are padded.
const TOLERANCE: f64 = 0.005;

/// Rows whose count was confirmed.
const CONFIRMED: &[&str] = &["exact", "exact-base", "exact-family", "explained"];

/// A load and the bytes that its weights take.
struct Expected {
    id: String,
    load: String,
    bytes: f64,
}

/// The rows of a table of the catalog, by the names of its columns.
fn rows(table: &'static str) -> impl Iterator<Item = impl Fn(&str) -> &'static str> {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().trim_start_matches("# ").split('\t').collect();
    lines.map(move |line| {
        let names = names.clone();
        let columns: Vec<&str> = line.split('\t').collect();
        move |name: &str| {
            let column = names.iter().position(|known| *known == name);
            column
                .and_then(|column| columns.get(column).copied())
                .unwrap_or_else(|| panic!("no column {name}"))
        }
    })
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or(0.0)
}

fn language_models() -> Vec<Expected> {
    let table = include_str!("../../server/src/models/tables/language.tsv");
    let confirmed = rows(table).filter(|row| CONFIRMED.contains(&row("verified")));
    let plain = confirmed.filter(|row| ["float32", "float16", "bfloat16"].contains(&row("stored")));
    plain
        .map(|row| {
            let (class, count) = match row("task") {
                "causal-lm" => ("AutoModelForCausalLM", row("parameters")),
                "seq2seq" => ("AutoModelForSeq2SeqLM", row("parameters")),
                "vlm" => ("AutoModelForImageTextToText", row("parameters")),
                _ if row("base_parameters") == "-" => ("AutoModel", row("parameters")),
                _ => ("AutoModel", row("base_parameters")),
            };
            let id = row("id").to_owned();
            let load = format!(r#"{class}.from_pretrained("{id}", dtype=torch.bfloat16).to("cuda")"#);
            Expected { id, load, bytes: number(count) * 2.0 }
        })
        .collect()
}

fn pipelines() -> Vec<Expected> {
    let table = include_str!("../../server/src/models/tables/diffusion.tsv");
    let mut all: Vec<Expected> = Vec::new();
    let mut unsure: Vec<&str> = Vec::new();
    for row in rows(table) {
        if !CONFIRMED.contains(&row("verified"))
            || row("uncounted") != "-"
            || !row("pipeline").ends_with("Pipeline")
        {
            unsure.push(row("id"));
        }
        let bytes = (number(row("parameters")) + number(row("buffers"))) * 2.0;
        match all.last_mut() {
            Some(last) if last.id == row("id") => last.bytes += bytes,
            _ => {
                let (id, class) = (row("id").to_owned(), row("pipeline"));
                let load = format!(
                    r#"diffusers.{class}.from_pretrained("{id}", torch_dtype=torch.bfloat16).to("cuda")"#
                );
                all.push(Expected { id, load, bytes });
            }
        }
    }
    all.retain(|expected| !unsure.contains(&expected.id.as_str()));
    all
}

fn vision_models() -> Vec<Expected> {
    let table = include_str!("../../server/src/models/tables/vision.tsv");
    let constructors =
        rows(table).filter(|row| row("library") == "torchvision" && row("verified") == "exact");
    constructors
        .map(|row| {
            let id = row("name").to_owned();
            Expected { load: format!("{id}().cuda()"), id, bytes: number(row("parameters")) * 4.0 }
        })
        .collect()
}

/// The bytes of weights in the first line of a hover.
fn weights(hover: &str) -> Option<f64> {
    let words: Vec<&str> = hover.lines().next()?.split_whitespace().collect();
    words.windows(4).find_map(|words| match words {
        [number, unit, "of", "weights"] => {
            let unit = if *unit == "GiB" { 1024.0 * 1024.0 * 1024.0 } else { 1024.0 * 1024.0 };
            number.parse::<f64>().ok().map(|number| number * unit)
        }
        _ => None,
    })
}

/// Opens a script with all loads, a line each, and points at each of them.
fn check(imports: &str, expected: &[Expected], at_least: usize) {
    assert!(expected.len() >= at_least, "only {} rows", expected.len());
    let mut source = format!("{imports}\n");
    for load in expected {
        let _ = writeln!(source, "{}", load.load);
    }
    let mut session = Session::open(binary(), &json!({}));
    session.open_document(URI, &source);
    let mut wrong = Vec::new();
    for (line, load) in (1..).zip(expected) {
        let position = json!({ "line": line, "character": 4 });
        let params = json!({ "textDocument": { "uri": URI }, "position": position });
        let hover = session.request("textDocument/hover", params);
        let said = hover["contents"]["value"].as_str().unwrap_or_default();
        let off = weights(said).map_or(1.0, |shown| (shown - load.bytes).abs() / load.bytes);
        if off > TOLERANCE {
            wrong.push(format!("{}: {}", load.load, said.lines().next().unwrap_or("no hover")));
        }
    }
    session.close();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), expected.len(), wrong.join("\n"));
}

#[test]
fn every_confirmed_language_model_shows_its_weights() {
    let imports = "import torch; from transformers import AutoModel, AutoModelForCausalLM, AutoModelForImageTextToText, AutoModelForSeq2SeqLM";
    check(imports, &language_models(), 800);
}

#[test]
fn every_confirmed_pipeline_shows_its_weights() {
    check("import torch, diffusers", &pipelines(), 25);
}

#[test]
fn every_confirmed_vision_model_shows_its_weights() {
    check("import torchvision", &vision_models(), 90);
}
