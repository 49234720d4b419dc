//! Every way in which a model may be loaded and treated, as far as the text leaves it open.

use crate::estimates::parts::{Draft, Manner, held};
use crate::estimates::plan::{Outcome, Piece, Place, Step, follow};
use crate::estimates::quantizing::Scheme;
use crate::estimates::request::Request;
use crate::estimates::steps::Way;
use crate::estimates::wishes::Wishes;
use crate::knowledge::loading::About;
use crate::memory::Bytes;
use crate::models::FactSource;

/// What is open about a load.
#[derive(Clone, Debug)]
pub struct Options {
    /// The types of the weights, the likeliest first.
    pub wishes: Wishes,
    /// What is quantized, the likeliest first.
    pub schemes: Vec<Scheme>,
    /// Where it is put.
    pub place: Place,
    /// The ways through the program.
    pub ways: Vec<Way>,
    /// Whether one version decides whether it is quantized and in which type it is loaded, and which version is
    /// installed is not known: only an older one quantizes.
    pub linked: bool,
}

/// One way in which it may go.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The parts, as they are loaded.
    pub pieces: Vec<Piece>,
    /// What is done to them.
    pub way: Way,
    /// What that comes to.
    pub outcome: Outcome,
}

impl Case {
    /// What is done to the parts, in order.
    pub fn steps(&self) -> Vec<Step> {
        steps(&self.way)
    }
}

/// The cases, the likeliest first: of one type and quantization, the way on which the most is on the GPU. Where
/// something is on the GPU in some cases, the others are left out: then it is not there yet.
pub fn cases(request: &Request, drafts: &[Draft], source: &FactSource, options: &Options) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for manner in manners(request, options) {
        let pieces: Vec<Piece> = drafts.iter().map(|draft| piece(draft, source, manner)).collect();
        let mut of_ways: Vec<Case> = options.ways.iter().map(|way| case(&pieces, way)).collect();
        of_ways.sort_by_key(|case| std::cmp::Reverse(case.outcome.peak.expected));
        cases.extend(of_ways);
    }
    let is_there = |case: &Case| case.outcome.peak.high > Bytes(0);
    if cases.iter().any(is_there) {
        cases.retain(is_there);
    }
    cases
}

/// The manners in which the parts may be held, the likeliest first.
fn manners<'o>(request: &Request, options: &'o Options) -> Vec<Manner<'o>> {
    let mut manners = Vec::new();
    let unpacks = unpacks(request);
    for fuses_experts in fuses_experts(request) {
        for scheme in &options.schemes {
            for wish in &options.wishes.options {
                let said = options.wishes.said;
                let is_newest = options.wishes.options.first() == Some(wish);
                let is_possible = if scheme.is_empty() { is_newest } else { !fuses_experts };
                if options.linked && !is_possible {
                    continue;
                }
                manners.push(Manner { wish, said, scheme, place: options.place, fuses_experts, unpacks });
            }
        }
    }
    manners.sort_by_key(|manner| manner.scheme.is_empty() != first_is_empty(options));
    manners
}

/// Whether most likely nothing is quantized.
fn first_is_empty(options: &Options) -> bool {
    options.schemes.first().is_none_or(Scheme::is_empty)
}

/// Whether the library fuses the experts of a mixture, so that bitsandbytes leaves them alone; both, where its version
/// is not known.
pub fn fuses_experts(request: &Request) -> Vec<bool> {
    let rows = request.defaults(About::Experts);
    let fuses: Vec<bool> = rows.iter().map(|row| row.value == "fused").collect();
    if fuses.is_empty() { vec![false] } else { fuses }
}

/// Whether the library turns files of llama.cpp into a plain type.
pub fn unpacks(request: &Request) -> bool {
    request.defaults(About::Gguf).iter().any(|row| row.value == "unpacked")
}

fn case(pieces: &[Piece], way: &Way) -> Case {
    let outcome = follow(pieces.to_vec(), &steps(way));
    Case { pieces: pieces.to_vec(), way: way.clone(), outcome }
}

fn piece(draft: &Draft, source: &FactSource, manner: Manner) -> Piece {
    match draft {
        Draft::Own(component) => held(component, source, manner),
        Draft::Given(piece) => piece.clone(),
        Draft::Beside(piece) => Piece { place: manner.place, ..piece.clone() },
    }
}

fn steps(way: &Way) -> Vec<Step> {
    way.iter().flat_map(|deed| deed.steps.iter().cloned()).collect()
}
