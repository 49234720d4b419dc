//! Looking at a long module part by part.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustc_hash::FxHashMap;
use tree_sitter::Tree;
use vramlens_grammars::Span;

use crate::analysis::moving::Moves;
use crate::analysis::{Analysis, STACK_BYTES, View, order};
use crate::knowledge::Knowledge;
use crate::python::division::{Part, divide};
use crate::python::lower::lower_parts;
use crate::suppression;
use crate::versions::Versions;

/// Fewer bytes than this are looked at sooner than another thread is there.
const WORTH_A_THREAD: u32 = 12 * 1024;

/// What the parts of a module came to, for the analysis of a later state of it.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    text: Arc<str>,
    versions: Versions,
    device: bool,
    parts: Vec<Looked>,
}

/// A part with what there is to say of it.
#[derive(Clone, Debug)]
struct Looked {
    part: Part,
    analysis: Arc<Analysis>,
}

/// Analyses a module part by part; none when it is to be looked at as a whole.
pub(super) fn analyze(
    tree: &Tree,
    view: &View<'_>,
    earlier: Option<&Earlier>,
) -> Option<(Analysis, Earlier)> {
    let text = view.source.text();
    let is_one_piece = view.source.pieces().len() == 1;
    if !is_one_piece || suppression::may_silence_file(text) {
        return None;
    }
    let parts = divide(tree, text);
    if parts.is_empty() {
        return None;
    }
    let device = Knowledge::tables().device_words().any(|word| text.contains(word));
    let view = View { device, ..*view };
    let versions = view.surroundings.versions.clone();
    let known = earlier.filter(|known| known.versions == versions && known.device == device);
    let known = known.map(Known::of).unwrap_or_default();
    let mut looked: Vec<Option<Arc<Analysis>>> =
        parts.iter().map(|part| known.analysis(part, text)).collect();
    let missing: Vec<usize> =
        (0..parts.len()).filter(|index| matches!(looked.get(*index), Some(None))).collect();
    let one = |index: usize| {
        let part = parts.get(index).cloned().unwrap_or_default();
        let mut analysis = view.look(lower_parts(tree, text, &part.shown));
        keep_own(&mut analysis, &part);
        Arc::new(analysis)
    };
    let size: u32 = missing.iter().filter_map(|index| parts.get(*index)).map(size).sum();
    for (index, analysis) in look_at_all(&missing, size, &one) {
        if let Some(place) = looked.get_mut(index) {
            *place = Some(analysis);
        }
    }
    let parts: Vec<Looked> = parts
        .into_iter()
        .zip(looked)
        .filter_map(|(part, analysis)| Some(Looked { part, analysis: analysis? }))
        .collect();
    let all = together(&parts);
    Some((all, Earlier { text: Arc::from(text), versions, device, parts }))
}

fn size(part: &Part) -> u32 {
    part.own.iter().map(|span| span.end - span.start).sum()
}

/// Looks at the parts of these numbers, on as many threads as it is worth.
fn look_at_all(
    numbers: &[usize],
    size: u32,
    look: &(impl Fn(usize) -> Arc<Analysis> + Sync),
) -> Vec<(usize, Arc<Analysis>)> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(usize::try_from(size / WORTH_A_THREAD).unwrap_or(1)).min(numbers.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((*number, look(*number)));
        }
        done
    };
    if threads < 2 {
        return work();
    }
    thread::scope(|scope| {
        let start = || thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let helpers: Vec<_> = (1..threads).map_while(|_| start().ok()).collect();
        let mut done = work();
        for helper in helpers {
            done.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    })
}

/// Of what there is to say of the code that a part is shown, what is about the part itself. Notices are about the file.
fn keep_own(analysis: &mut Analysis, part: &Part) {
    let is_notice = |code: &str| code.starts_with("VL");
    analysis.findings.retain(|finding| is_notice(finding.code) || part.owns(finding.location.span.start));
    analysis.estimates.retain(|estimate| part.owns(estimate.location.span.start));
}

/// What there is to say of all parts.
fn together(parts: &[Looked]) -> Analysis {
    let mut all = Analysis::default();
    for Looked { analysis, .. } in parts {
        let Analysis { findings, estimates, unread, unread_imports, outgoing, callers_matter, failures } =
            &**analysis;
        all.findings.extend(findings.iter().cloned());
        all.estimates.extend(estimates.iter().cloned());
        add_new(&mut all.unread, unread);
        add_new(&mut all.unread_imports, unread_imports);
        add_new(&mut all.outgoing, outgoing);
        add_new(&mut all.failures, failures);
        all.callers_matter |= callers_matter;
    }
    all.findings.sort_by_key(order);
    all.findings.dedup();
    all.estimates.sort_by_key(|estimate| estimate.location);
    all
}

fn add_new<T: Clone + PartialEq>(all: &mut Vec<T>, more: &[T]) {
    for one in more {
        if !all.contains(one) {
            all.push(one.clone());
        }
    }
}

/// The parts of an earlier state, by the text that each begins with.
#[derive(Default)]
struct Known<'a> {
    text: &'a str,
    parts: FxHashMap<&'a str, &'a Looked>,
}

impl<'a> Known<'a> {
    fn of(earlier: &'a Earlier) -> Self {
        let text: &str = &earlier.text;
        let begins = |looked: &&Looked| looked.part.own.first().map_or("", |span| span.text(text));
        Self { text, parts: earlier.parts.iter().map(|looked| (begins(&looked), looked)).collect() }
    }

    /// What there is to say of a part, if it was there in the same words and was shown the same.
    fn analysis(&self, part: &Part, text: &str) -> Option<Arc<Analysis>> {
        let known = self.parts.get(part.own.first()?.text(text))?;
        let same = |before: &[Span], now: &[Span]| {
            before.len() == now.len()
                && before.iter().zip(now).all(|(before, now)| before.text(self.text) == now.text(text))
        };
        if !same(&known.part.own, &part.own) || !same(&known.part.shown, &part.shown) {
            return None;
        }
        if known.part == *part {
            return Some(Arc::clone(&known.analysis));
        }
        let moves = Moves { from: &known.part.shown, to: &part.shown };
        moves.moved(&known.analysis).map(Arc::new)
    }
}
