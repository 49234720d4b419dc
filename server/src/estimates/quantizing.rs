//! How a call quantizes what it loads.

use crate::estimates::notes::Notes;
use crate::estimates::request::{Request, Said};
use crate::knowledge::loading::{About, Config, Loading, Meaning};
use crate::memory::weights::{Method, Quantization};
use crate::python::library_call::{Arguments, Given, Known, LibraryCall};
use crate::texts::text;

/// What is quantized, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scheme {
    /// Parts by their name, or all parts, each with its quantization.
    parts: Vec<(Option<String>, Quantization)>,
}

impl Scheme {
    /// Everything in one way.
    pub fn all(quantization: Quantization) -> Self {
        Self { parts: vec![(None, quantization)] }
    }

    /// How a part is quantized, if it is.
    pub fn of(&self, part: &str) -> Option<Quantization> {
        let meant = |name: &Option<String>| name.as_deref().is_none_or(|name| name == part);
        self.parts.iter().find(|(name, _)| meant(name)).map(|(_, quantization)| *quantization)
    }

    /// Whether it quantizes while it loads, which needs a GPU: bitsandbytes does.
    pub fn needs_gpu(&self) -> bool {
        let is_bnb = |quantization| matches!(quantization, Quantization::Bnb4 { .. } | Quantization::Bnb8);
        self.parts.iter().any(|(part, quantization)| part.is_none() && is_bnb(*quantization))
    }

    /// Whether nothing is quantized.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

/// The ways in which a call may quantize, the likeliest first; an empty scheme for not at all.
pub fn schemes(request: &Request, notes: &mut Notes) -> Vec<Scheme> {
    if let Some(said) = request.get(Meaning::Quantization) {
        let known =
            said.value.alternatives().into_iter().filter_map(|value| scheme(value, request.desk.calls));
        let known: Vec<Scheme> = known.collect();
        if known.is_empty() {
            let why = text("estimate-quantization-unknown", &[]);
            notes.add("quantization", text("estimate-none", &[]), why, said.span);
            return vec![Scheme::default(), Scheme::all(Quantization::Bnb4 { double: false })];
        }
        notes.written("quantization", shown(&known), said.span);
        return known;
    }
    let switches = [
        (Meaning::LoadIn4Bit, Quantization::Bnb4 { double: false }),
        (Meaning::LoadIn8Bit, Quantization::Bnb8),
    ];
    for (meaning, quantization) in switches {
        if let Some(said) = request.get(meaning)
            && said.value.bool() != Some(false)
        {
            return switched(said, quantization, notes);
        }
    }
    let is = |meaning: Meaning| request.get(meaning).and_then(|said| said.value.bool());
    if is(Meaning::LoadIn4Bit) == Some(false) || is(Meaning::LoadIn16Bit) == Some(true) {
        return vec![Scheme::default()];
    }
    by_default(request, notes)
}

/// What a switch that is on, or may be, quantizes to.
fn switched(said: Said, quantization: Quantization, notes: &mut Notes) -> Vec<Scheme> {
    let is_certain = said.value.bool() == Some(true) && said.counts == Some(true);
    if is_certain {
        notes.written("quantization", quantization.to_string(), said.span);
    } else {
        let why = text("estimate-switch-unsure", &[("keyword", said.keyword.name)]);
        notes.add("quantization", quantization.to_string(), why, said.span);
    }
    let off = (!is_certain).then(Scheme::default);
    [Scheme::all(quantization)].into_iter().chain(off).collect()
}

/// What the loader quantizes to when nothing is said.
fn by_default(request: &Request, notes: &mut Notes) -> Vec<Scheme> {
    let rows = request.defaults(About::Quantization);
    let Some(quantization) = rows.first().and_then(|row| named(row.value, None)) else {
        return vec![Scheme::default()];
    };
    let why = text("estimate-quantization-default", &[("package", request.loader.package)]);
    notes.add("quantization", quantization.to_string(), why, Some(request.call.callee));
    vec![Scheme::all(quantization)]
}

fn shown(schemes: &[Scheme]) -> String {
    let mut names: Vec<String> = schemes
        .iter()
        .flat_map(|scheme| {
            let none = scheme.is_empty().then(|| text("estimate-none", &[]));
            scheme.parts.iter().map(|(_, quantization)| quantization.to_string()).chain(none)
        })
        .collect();
    names.dedup();
    names.join(&text("estimate-or", &[]))
}

/// What a description asks for; `None` when that is not known.
fn scheme(value: &Known, calls: &[LibraryCall]) -> Option<Scheme> {
    match value {
        Known::None => Some(Scheme::default()),
        Known::Made(index) => {
            let call = calls.get(*index)?;
            let class = call.path.rsplit('.').next()?;
            of_pipeline(&call.arguments, calls).or_else(|| described(class, &call.arguments).map(Scheme::all))
        }
        // A dict with the keywords of bitsandbytes, as some pass it on.
        Known::Table(options) => {
            let given = |value: &Known| Given { value: value.clone(), span: None };
            let named = options.iter().map(|(name, value)| (name.clone(), given(value))).collect();
            let arguments = Arguments { named, ..Arguments::default() };
            described("BitsAndBytesConfig", &arguments).map(Scheme::all)
        }
        _ => None,
    }
}

/// A description for the parts of a pipeline: one backend for some of them, or a description for each.
fn of_pipeline(arguments: &Arguments, calls: &[LibraryCall]) -> Option<Scheme> {
    if let Some(Known::Table(mapping)) = arguments.named("quant_mapping").map(|given| &given.value) {
        let parts = mapping.iter().map(|(part, value)| {
            let quantization = scheme(value, calls)?.of(part)?;
            Some((Some(part.to_string()), quantization))
        });
        return parts.collect::<Option<Vec<_>>>().map(|parts| Scheme { parts });
    }
    let backend = arguments.get("quant_backend", 0)?.value.text()?;
    let quantization = Loading::tables().configs(backend).find_map(|config| asked(config, arguments))?;
    let parts = match arguments.get("components_to_quantize", 2).map(|given| &given.value) {
        Some(Known::List(parts)) => {
            let names = parts.iter().map(|part| part.text().map(str::to_owned));
            names.map(|name| Some((Some(name?), quantization))).collect::<Option<Vec<_>>>()?
        }
        Some(Known::Text(part)) => vec![(Some(part.to_string()), quantization)],
        _ => vec![(None, quantization)],
    };
    Some(Scheme { parts })
}

/// What a description of a quantization asks for.
fn described(class: &str, arguments: &Arguments) -> Option<Quantization> {
    let quantization = Loading::tables().configs(class).find_map(|config| asked(config, arguments))?;
    let doubles = arguments.named("bnb_4bit_use_double_quant").and_then(|given| given.value.bool());
    Some(match quantization {
        Quantization::Bnb4 { .. } => Quantization::Bnb4 { double: doubles == Some(true) },
        Quantization::Grouped { method, bits, group } => {
            let size = arguments.named("group_size").and_then(|given| given.value.int());
            Quantization::Grouped {
                method,
                bits,
                group: size.and_then(|size| size.try_into().ok()).unwrap_or(group),
            }
        }
        other => other,
    })
}

/// The quantization of a row, if that is what is said.
fn asked(config: &Config, arguments: &Arguments) -> Option<Quantization> {
    let Some(keyword) = config.keyword else { return named(config.quantization, config.bits.parse().ok()) };
    let by_place = || config.place.and_then(|place| arguments.positional.get(place));
    let said = &arguments.named(keyword).or_else(by_place)?.value;
    let bits = match config.value {
        "true" => said.bool()?.then_some(None)?,
        "*" => Some(u8::try_from(said.int()?).ok()?),
        word => (said.text()? == word).then_some(None)?,
    };
    named(config.quantization, bits.or(config.bits.parse().ok()))
}

/// A quantization by the word that the tables use for it.
fn named(word: &str, bits: Option<u8>) -> Option<Quantization> {
    match word {
        "bnb-4bit" => Some(Quantization::Bnb4 { double: false }),
        "bnb-8bit" => Some(Quantization::Bnb8),
        "fp8" => Some(Quantization::Float8),
        "mxfp4" => Some(Quantization::Mxfp4),
        "nvfp4" => Some(Quantization::Nvfp4),
        method => Some(Method::parse(method)?.with_bits(bits?)),
    }
}
