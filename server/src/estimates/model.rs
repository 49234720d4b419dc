//! What a model needs that is asked for by its name, and not loaded by a script.

use std::sync::Arc;

use vramlens_grammars::{Location, Source, Span};

use crate::estimate::{Estimate, EstimateKind};
use crate::estimates::amount::{Basis, amount};
use crate::estimates::cards::chosen;
use crate::estimates::cases::Case;
use crate::estimates::lookup::Lookup;
use crate::estimates::notes::Notes;
use crate::estimates::parts::{Manner, held};
use crate::estimates::plan::{Piece, Place, follow};
use crate::estimates::quantizing::Scheme;
use crate::estimates::telling::{named, source};
use crate::estimates::wishes::Wish;
use crate::memory::weights::{Dtype, Quantization};
use crate::models::{Catalog, FactSource, Library, ModelFacts};
use crate::settings::Settings;
use crate::surroundings::{LocalModel, Surroundings};
use crate::texts::text;

/// How the weights of a model are to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// As its checkpoint stores them.
    AsStored,
    /// In this type.
    In(Dtype),
    /// Quantized.
    Quantized(Quantization),
}

/// What a model needs whose whole weights are on one GPU. It stands nowhere: its location is empty.
pub fn of_model(name: &str, hold: Hold, surroundings: &Surroundings, settings: &Settings) -> Estimate {
    let empty = Source::file(String::new());
    let mut notes = Notes::new(&empty);
    let (facts, amount) = match lookup(name, surroundings) {
        Lookup::Found(facts) => {
            named(&facts, None, &mut notes);
            let choice = chosen(settings.gpu.as_deref(), &mut notes);
            let basis = Basis {
                request: None,
                facts: &facts,
                certainty: facts.certainty,
                choice: choice.as_ref(),
                kept_on_host: false,
                trained: false,
            };
            let amount = amount(basis, &[case(&facts, hold, surroundings)]);
            (
                Some(Arc::clone(&facts)),
                amount.ok_or_else(|| text("estimate-unknown-model", &[("model", name)])),
            )
        }
        Lookup::Broken(why) => (None, Err(why)),
        Lookup::Unknown => (None, Err(text("estimate-unknown-model", &[("model", name)]))),
    };
    Estimate {
        location: Location { cell: None, span: Span::at(0) },
        hover: Vec::new(),
        kind: EstimateKind::Load,
        model: Some(name.to_owned()),
        model_source: facts.map(|facts| source(&facts)),
        amount,
        assumptions: notes.finish(),
    }
}

/// What is known of a model by whatever name people have for it; a size that is read from the name comes last.
fn lookup(name: &str, surroundings: &Surroundings) -> Lookup {
    let catalog = Catalog::tables();
    let built = || {
        [Library::Torchvision, Library::Timm].into_iter().find_map(|library| catalog.find_in(library, name))
    };
    let facts = match surroundings.models.get(name) {
        Some(LocalModel::Found(facts)) => return Lookup::Found(Arc::clone(facts)),
        Some(LocalModel::Broken(why)) => return Lookup::Broken(why.clone()),
        Some(LocalModel::Absent) | None => match catalog.find(name) {
            Some(facts) if facts.source == FactSource::Name => built().or(Some(facts)),
            Some(facts) => Some(facts),
            None => built(),
        },
    };
    facts.map_or(Lookup::Unknown, |facts| Lookup::Found(Arc::new(facts)))
}

/// All parts of a model on one GPU.
fn case(facts: &ModelFacts, hold: Hold, surroundings: &Surroundings) -> Case {
    let (wish, scheme) = match hold {
        Hold::AsStored => (Wish::Stored, Scheme::default()),
        Hold::In(dtype) => (Wish::Type(dtype), Scheme::default()),
        Hold::Quantized(quantization) => (Wish::Stored, Scheme::all(quantization)),
    };
    let manner = Manner {
        wish: &wish,
        said: hold != Hold::AsStored,
        scheme: &scheme,
        place: Place::Gpu,
        fuses_experts: surroundings.versions.at_least("transformers", &[5]) != Some(false),
        unpacks: false,
    };
    let pieces: Vec<Piece> =
        facts.components.iter().map(|component| held(component, &facts.source, manner)).collect();
    let outcome = follow(pieces.clone(), &[]);
    Case { pieces, way: Vec::new(), outcome }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may fail")]
mod tests {
    use super::*;
    use crate::estimate::{Amount, Certainty};

    fn amount_of(name: &str, hold: Hold) -> Amount {
        of_model(name, hold, &Surroundings::default(), &Settings::default()).amount.unwrap()
    }

    #[test]
    fn a_model_is_held_as_it_is_asked_for() {
        let weights = |hold| amount_of("mistralai/Mistral-7B-v0.1", hold).bytes.weights.to_string();
        assert_eq!(weights(Hold::AsStored), "13.49 GiB");
        assert_eq!(weights(Hold::In(Dtype::Float32)), "26.98 GiB");
        let four =
            amount_of("mistralai/Mistral-7B-v0.1", Hold::Quantized(Quantization::Bnb4 { double: false }));
        assert!(four.low < four.allocated_peak && four.allocated_peak < four.high);
        assert!((4.0..4.3).contains(&four.allocated_peak.as_gib()), "{}", four.allocated_peak);
    }

    #[test]
    fn names_of_every_kind_are_known() {
        for name in [
            "resnet50",
            "torchvision.models.resnet50",
            "vit_base_patch16_224",
            "stabilityai/stable-diffusion-xl-base-1.0",
        ] {
            assert_ne!(amount_of(name, Hold::AsStored).certainty, Certainty::Guessed, "{name}");
        }
        assert_eq!(amount_of("nobody/nothing-7b", Hold::AsStored).certainty, Certainty::Guessed);
        let unknown =
            of_model("nobody/nothing", Hold::AsStored, &Surroundings::default(), &Settings::default());
        assert!(unknown.amount.unwrap_err().contains("nobody/nothing"));
    }
}
