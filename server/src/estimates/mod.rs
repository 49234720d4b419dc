//! How much memory a script needs where: from the facts about it to numbers of `memory`, with where each comes from.

mod amount;
mod assembly;
mod cards;
mod cases;
mod desk;
mod levers;
mod load;
mod lookup;
mod model;
mod notes;
mod parts;
mod placing;
mod plan;
mod quantizing;
mod request;
mod runs;
mod steps;
mod telling;
mod wishes;

use std::collections::BTreeSet;

use crate::estimate::Estimate;
use crate::estimates::desk::Desk;
use crate::rules::context::Context;

pub use model::{Hold, of_model};

/// What the script needs, sorted by place, and the names of models and of files of settings that
/// the surroundings were not asked for yet.
pub fn estimates(context: &Context) -> (Vec<Estimate>, Vec<String>) {
    let mut unread = BTreeSet::new();
    let mut estimates: Vec<Estimate> = Vec::new();
    let desk = Desk::new(context);
    for index in 0..desk.calls.len() {
        if let Some(load) = load::load(index, desk) {
            unread.extend(load.unread);
            estimates.push(load.estimate);
            if let Some(facts) = &load.facts {
                estimates.extend(runs::runs(index, desk, facts));
            }
        }
    }
    unread.extend(runs::unread(desk));
    estimates.sort_by_key(|estimate| estimate.location);
    estimates.dedup_by_key(|estimate| estimate.location);
    (estimates, unread.into_iter().collect())
}

#[cfg(test)]
mod tests;
