//! Options that make a model return more than its result.

use std::sync::LazyLock;

use crate::knowledge::Role;
use crate::knowledge::effects::effects;
use crate::table::{Row, rows};

effects! {
    /// What an option makes a model keep.
    Extra {
        /// The output of every layer.
        HiddenStates = "hidden-states",
        /// The attention weights of every layer.
        Attentions = "attentions",
        /// A tensor of the vocabulary's size for every generated token.
        Logits = "logits",
        /// Keys and values of every layer.
        Cache = "cache",
    }
}

/// An option that fills fields of what a call returns.
#[derive(Debug)]
pub struct Filling {
    call: &'static str,
    /// The option's name.
    pub option: &'static str,
    fields: Vec<&'static str>,
    /// What they hold.
    pub extra: Extra,
}

static FILLINGS: LazyLock<Vec<Filling>> =
    LazyLock::new(|| rows(include_str!("fields.tsv")).filter_map(|row| filling(&row)).collect());

/// The options of a call with this role that fill fields of what it returns.
pub fn fillings(role: Role) -> impl Iterator<Item = &'static Filling> {
    let call = match role {
        Role::ModelRun => "run",
        Role::Generation => "generation",
        _ => "",
    };
    FILLINGS.iter().filter(move |filling| filling.call == call)
}

impl Filling {
    /// The fields.
    pub fn fields(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.fields.iter().copied()
    }
}

fn filling(row: &Row) -> Option<Filling> {
    Some(Filling {
        call: row.first()?,
        option: row.get(1)?,
        fields: row.get(2)?.split(' ').collect(),
        extra: row.get(3)?.parse().ok()?,
    })
}

#[test]
fn every_row_loads() {
    let table = include_str!("fields.tsv");
    assert_eq!(rows(table).count(), FILLINGS.len());
    assert!(rows(table).all(|row| row.len() == 5 && row.columns().all(|column| !column.is_empty())));
    assert!(FILLINGS.iter().all(|filling| ["run", "generation"].contains(&filling.call)));
}
