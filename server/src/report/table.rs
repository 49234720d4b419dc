//! Where the bytes go, as aligned lines.

use crate::columns::{Side, aligned};
use crate::estimate::{Amount, Certainty, Part};
use crate::memory::Bytes;
use crate::report::figures::Showing;
use crate::report::{count, figures, shortened};
use crate::texts::{counted, harmless, text};

/// How many parts are shown each on a line.
const MOST_PARTS: usize = 5;

/// A line of the block: what, how many parameters, how they are held, the bytes, and how many there are of
/// them when not all are on the GPU.
#[derive(Default)]
struct Row {
    what: String,
    parameters: String,
    precision: String,
    size: String,
    whole: String,
}

/// The lines of the block.
pub fn lines(amount: &Amount) -> Vec<String> {
    let mut rows = match amount.parts.as_slice() {
        [] => vec![weights(amount)],
        [part] => vec![only(part, amount)],
        parts => of_parts(parts, amount),
    };
    let bytes = &amount.bytes;
    let others = [
        (bytes.gradients, text("report-row-gradients", &[])),
        (bytes.optimizer, text("report-row-optimizer", &[])),
        (bytes.activations, text("report-row-activations", &[])),
        (bytes.logits, text("report-row-logits", &[])),
        (bytes.kv_cache, text("report-row-kv-cache", &[])),
        (bytes.overhead, text("report-row-overhead", &[])),
    ];
    let others = others.into_iter().filter(|(size, _)| *size > Bytes::default());
    rows.extend(others.map(|(size, what)| Row { what, size: sized(size, amount), ..Row::default() }));
    if rows.len() > 1 {
        rows.push(total(amount));
    }
    let rows: Vec<_> =
        rows.into_iter().map(|row| [row.what, row.parameters, row.precision, row.size, row.whole]).collect();
    aligned(&rows, [Side::Left, Side::Right, Side::Left, Side::Right, Side::Left])
}

/// The line for all weights.
fn weights(amount: &Amount) -> Row {
    let is_all = amount.bytes.allocated() == amount.bytes.weights;
    let size = match figures::showing(amount) {
        _ if figures::is_on_host(amount) => sized(figures::all_weights(amount), amount),
        // The bounds are about the weights where there is nothing else.
        Showing::Between if is_all => bounded(Bytes::default(), amount),
        _ => sized(amount.bytes.weights, amount),
    };
    Row { what: text("report-row-weights", &[]), size, ..Row::default() }
}

/// The line for the only part.
fn only(part: &Part, amount: &Amount) -> Row {
    Row {
        parameters: parameters(part, amount),
        precision: harmless(&part.precision),
        whole: whole(part, amount),
        ..weights(amount)
    }
}

/// A line for each part, the largest first, and one for those that are left.
fn of_parts(parts: &[Part], amount: &Amount) -> Vec<Row> {
    let mut parts: Vec<&Part> = parts.iter().collect();
    parts.sort_by_key(|part| std::cmp::Reverse((part.on_gpu, part.weights)));
    let alone = if parts.len() > MOST_PARTS { MOST_PARTS - 1 } else { parts.len() };
    let (alone, rest) = parts.split_at(alone);
    let mut rows: Vec<Row> = alone
        .iter()
        .map(|part| Row {
            what: shortened(&part.name),
            parameters: parameters(part, amount),
            precision: harmless(&part.precision),
            size: sized(shown(part, amount), amount),
            whole: whole(part, amount),
        })
        .collect();
    if !rest.is_empty() {
        let size = sized(rest.iter().map(|part| shown(part, amount)).sum(), amount);
        rows.push(Row { what: counted("report-row-more", rest.len(), &[]), size, ..Row::default() });
    }
    rows
}

/// What is shown of a part: what of it is on the GPU, or all of it where nothing is.
fn shown(part: &Part, amount: &Amount) -> Bytes {
    if figures::is_on_host(amount) { part.weights } else { part.on_gpu }
}

fn parameters(part: &Part, amount: &Amount) -> String {
    let approximate = |parameters| match amount.certainty {
        Certainty::Exact => count(parameters),
        Certainty::Counted | Certainty::Disputed | Certainty::Guessed => format!("≈ {}", count(parameters)),
    };
    part.parameters.map(approximate).unwrap_or_default()
}

/// All weights of a part that is not wholly on the GPU.
fn whole(part: &Part, amount: &Amount) -> String {
    if part.on_gpu == part.weights || figures::is_on_host(amount) {
        return String::new();
    }
    text("report-row-whole", &[("size", &sized(part.weights, amount))])
}

/// The line for all of it, with its bounds where they are shown.
fn total(amount: &Amount) -> Row {
    let overhead = amount.bytes.overhead;
    let (what, size) = match figures::showing(amount) {
        _ if figures::is_on_host(amount) => {
            (text("report-row-total-host", &[]), sized(figures::all_weights(amount), amount))
        }
        Showing::Between => (text("report-row-total", &[]), bounded(overhead, amount)),
        Showing::Firm | Showing::About => {
            (text("report-row-total", &[]), sized(amount.allocated_peak + overhead, amount))
        }
    };
    Row { what, size, ..Row::default() }
}

fn sized(size: Bytes, amount: &Amount) -> String {
    figures::approximate(amount, &size.to_string())
}

fn bounded(added: Bytes, amount: &Amount) -> String {
    figures::approximate(amount, &figures::range(amount, added))
}
