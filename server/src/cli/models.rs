//! `vramlens models`: the models that are known by their names.

use serde::Serialize;

use crate::cli::arguments::{ListArguments, ListFormat};
use crate::cli::{Status, render, terminal};
use crate::columns::{Side, aligned};
use crate::models::{Catalog, Listed};
use crate::report::count;
use crate::texts::{nearest, text};

/// A model in JSON.
#[derive(Serialize)]
struct JsonModel<'a> {
    id: &'a str,
    task: &'a str,
    parameters: u64,
    stored_bytes: Option<u64>,
    verified: &'a str,
}

/// Prints the models whose name or task has the wanted words in it, or all.
pub fn run(arguments: &ListArguments) -> Status {
    let catalog = Catalog::tables();
    let named = |model: &Listed| [model.id, model.task].join(" ");
    let wanted: Vec<Listed> = catalog.models().filter(|model| arguments.wants(&named(model))).collect();
    terminal::print(&match arguments.output_format {
        ListFormat::Json => render::list_json(&wanted.iter().map(in_json).collect::<Vec<_>>()),
        ListFormat::Text => in_columns(&wanted),
    });
    let Some(filter) = arguments.filter.as_deref().filter(|_| wanted.is_empty()) else {
        return Status::Clean;
    };
    terminal::error(&match nearest(filter, catalog.models().map(|model| model.id)) {
        Some(known) => text("models-none-near", &[("filter", filter), ("known", &known)]),
        None => text("models-none", &[("filter", filter)]),
    });
    Status::Failed
}

fn in_json(model: &Listed) -> JsonModel<'static> {
    JsonModel {
        id: model.id,
        task: model.task,
        parameters: model.parameters,
        stored_bytes: model.stored_bytes.map(|size| size.0),
        verified: model.verified,
    }
}

fn in_columns(models: &[Listed]) -> String {
    let heading = [
        text("models-id", &[]),
        text("models-parameters", &[]),
        text("models-stored", &[]),
        text("models-task", &[]),
        text("models-verified", &[]),
    ];
    let row = |model: &Listed| {
        let stored = model.stored_bytes.map(|size| size.to_string()).unwrap_or_default();
        let [id, task, verified] = [model.id, model.task, model.verified].map(str::to_owned);
        [id, count(model.parameters), stored, task, verified]
    };
    let rows: Vec<_> = std::iter::once(heading).chain(models.iter().map(row)).collect();
    render::list(&aligned(&rows, [Side::Left, Side::Right, Side::Right, Side::Left, Side::Left]))
}
