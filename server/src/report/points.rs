//! What an estimate means and what it rests on, a sentence each.

use crate::estimate::{Amount, Assumption, CardVerdict, Estimate, Verdict};
use crate::memory::Bytes;
use crate::report::{figures, shortened};
use crate::texts::{harmless, text};

/// How many points a report has at most, so that a hover stays one that can be taken in.
const MOST: usize = 7;

/// How many levers are named.
const MOST_LEVERS: usize = 2;

/// The points of a report, the most important first.
pub fn of(estimate: &Estimate) -> Vec<String> {
    let amount = match &estimate.amount {
        Ok(amount) => amount,
        Err(why) => return [harmless(why)].into_iter().chain(assumptions(estimate)).take(MOST).collect(),
    };
    let source = estimate.model_source.as_deref();
    let source = source.map(|source| text("report-source", &[("source", &harmless(source))]));
    let mut points = verdicts(amount);
    points.extend(elsewhere(amount));
    if amount.per_gpu {
        points.push(text("report-per-gpu", &[]));
    }
    points.extend(assumptions(estimate));
    points.truncate(MOST - usize::from(source.is_some()));
    points.extend(source);
    points.extend(levers(amount));
    points.truncate(MOST);
    points
}

/// What would save the most, and what it costs.
fn levers(amount: &Amount) -> impl Iterator<Item = String> + '_ {
    amount.levers.iter().take(MOST_LEVERS).map(|lever| {
        let saves = figures::hedged(amount, &lever.saves.to_string());
        let (name, cost) = (harmless(&lever.name), harmless(&lever.cost));
        text("report-lever", &[("lever", &name), ("saves", &saves), ("cost", &cost)])
    })
}

/// Which cards it fits and which it does not, a sentence for each kind of verdict.
fn verdicts(amount: &Amount) -> Vec<String> {
    let verdicts = [Verdict::Fits, Verdict::Tight, Verdict::DoesNotFit, Verdict::Unknown];
    verdicts.into_iter().filter_map(|verdict| sentence(verdict, amount)).collect()
}

/// Whether it fits the card in question: the only one, or the first of those that it was judged against.
pub fn verdict(amount: &Amount) -> Option<String> {
    let cards = amount.cards.iter().take(1).cloned().collect();
    verdicts(&Amount { cards, ..amount.clone() }).pop()
}

fn sentence(verdict: Verdict, amount: &Amount) -> Option<String> {
    let cards = amount.cards.iter().filter(|card| card.verdict == verdict);
    let cards: Vec<String> = cards.map(|card| named(card, amount)).collect();
    if cards.is_empty() {
        return None;
    }
    let cards = cards.join(", ");
    let arguments = [("cards", cards.as_str())];
    // What is run needs more than the weights.
    let runs = amount.bytes.allocated() != amount.bytes.weights;
    Some(match (verdict, figures::is_on_host(amount)) {
        (Verdict::Fits, false) if runs => text("report-run-fits", &arguments),
        (Verdict::DoesNotFit, false) if runs => text("report-run-does-not-fit", &arguments),
        (Verdict::Fits, false) => text("report-fits", &arguments),
        (Verdict::Fits, true) => text("report-would-fit", &arguments),
        (Verdict::Tight, false) => text("report-tight", &arguments),
        (Verdict::Tight, true) => text("report-would-be-tight", &arguments),
        (Verdict::DoesNotFit, false) => text("report-does-not-fit", &arguments),
        (Verdict::DoesNotFit, true) => text("report-would-not-fit", &arguments),
        (Verdict::Unknown, _) => text("report-fit-not-known", &arguments),
    })
}

/// A card with what stays free on it, or is missing.
fn named(card: &CardVerdict, amount: &Amount) -> String {
    let room = figures::hedged(amount, &Bytes(card.headroom.unsigned_abs()).to_string());
    let name = harmless(&card.name);
    let arguments = [("card", name.as_str()), ("room", room.as_str())];
    match card.verdict {
        Verdict::Unknown => name,
        _ if card.headroom < 0 => text("report-card-missing", &arguments),
        _ => text("report-card-spare", &arguments),
    }
}

/// What of the weights is not on the GPU, where some are.
fn elsewhere(amount: &Amount) -> Option<String> {
    let all = figures::all_weights(amount);
    let on_gpu: Bytes = amount.parts.iter().map(|part| part.on_gpu).sum();
    let rest = all.saturating_sub(on_gpu);
    (rest > Bytes::default() && !figures::is_on_host(amount)).then(|| {
        let hedged = |size: Bytes| figures::hedged(amount, &size.to_string());
        text("report-elsewhere", &[("rest", &hedged(rest)), ("all", &hedged(all))])
    })
}

/// What is taken for granted, and why: what has the same reason stands together.
fn assumptions(estimate: &Estimate) -> impl Iterator<Item = String> + '_ {
    let mut by_reason: Vec<(&str, Vec<String>)> = Vec::new();
    for assumption in &estimate.assumptions {
        let fact = fact(assumption);
        match by_reason.iter_mut().find(|(why, _)| *why == assumption.why) {
            Some((_, facts)) if facts.contains(&fact) => {}
            Some((_, facts)) => facts.push(fact),
            None => by_reason.push((&assumption.why, vec![fact])),
        }
    }
    by_reason.into_iter().map(|(why, facts)| {
        text("report-assumption", &[("facts", &facts.join(", ")), ("why", &harmless(why))])
    })
}

fn fact(assumption: &Assumption) -> String {
    let (what, value) = (harmless(&assumption.what), shortened(&assumption.value));
    text("report-fact", &[("what", &what), ("value", &value)])
}
