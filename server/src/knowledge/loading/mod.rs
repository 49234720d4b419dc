//! How libraries load models: what their keywords mean, what they do when nothing is said, what is done to a model
//! later. Tables, with versions and sources.

mod window;

use std::sync::LazyLock;

use crate::knowledge::effects::effects;
use crate::table::{Row, rows};

pub use window::Window;

effects! {
    /// What a keyword of a call that loads a model says.
    Meaning {
        /// Which model.
        Model = "model",
        /// The model that an adapter is put on.
        Base = "base",
        /// The type of the weights.
        Dtype = "dtype",
        /// How to quantize.
        Quantization = "quantization",
        /// To quantize to 4 bit with bitsandbytes.
        LoadIn4Bit = "load-in-4bit",
        /// To quantize to 8 bit with bitsandbytes.
        LoadIn8Bit = "load-in-8bit",
        /// Not to quantize.
        LoadIn16Bit = "load-in-16bit",
        /// Where each part goes.
        DeviceMap = "device-map",
        /// Where it all goes.
        Device = "device",
        /// Which folder of the model.
        Subfolder = "subfolder",
        /// More keywords, in a dict.
        Options = "options",
        /// Which files of the model.
        Variant = "variant",
    }
}

effects! {
    /// What a loader decides when nothing is said.
    About {
        /// The type of the weights: a type, or `stored`.
        Dtype = "dtype",
        /// Where it is put: `host` or `gpu`.
        Place = "place",
        /// How it is quantized.
        Quantization = "quantization",
        /// Whether the experts of a mixture are `fused` or `apart`.
        Experts = "experts",
        /// What becomes of a file of llama.cpp: `unpacked` into a plain type.
        Gguf = "gguf",
    }
}

effects! {
    /// What a method of a loaded model does to its weights.
    Treatment {
        /// Converts them to a type.
        Cast = "cast",
        /// Converts the VAE to a type.
        CastVae = "cast-vae",
        /// Puts them somewhere, and may convert them.
        Move = "move",
        /// Keeps them in host memory but for what runs.
        Offload = "offload",
        /// Loads an adapter beside them.
        Adapter = "adapter",
    }
}

effects! {
    /// Where a component is while another one runs, under offload by components.
    Seat {
        /// On the GPU, always.
        Stays = "stays",
        /// On the GPU, from its first use to the end of the run.
        Lingers = "lingers",
    }
}

effects! {
    /// What of a checkpoint a class loads.
    Holds {
        /// All of it.
        Whole = "whole",
        /// What every class has, without a head.
        Base = "base",
        /// The same with a small head.
        BaseAndHead = "base-and-head",
        /// One of several parts, of unknown size.
        Part = "a-part",
    }
}

/// The conventions of a group of calls that load models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loader {
    /// Its key in the other tables.
    pub name: &'static str,
    /// The package whose version decides what its keywords mean.
    pub package: &'static str,
}

/// What a keyword means.
#[derive(Clone, Debug)]
pub struct Keyword {
    loader: &'static str,
    /// How it is written.
    pub name: &'static str,
    /// At which place it can be given without its name.
    pub place: Option<usize>,
    /// What it says.
    pub meaning: Meaning,
    /// The versions in which it has an effect.
    pub window: Window,
    /// Whether the call raises in other versions, and does not ignore it.
    pub raises: bool,
}

/// What a loader does when nothing is said.
#[derive(Clone, Debug)]
pub struct Default {
    loader: &'static str,
    about: About,
    /// What is taken.
    pub value: &'static str,
    /// The versions in which that holds.
    pub window: Window,
}

/// What a description of a quantization asks for, if it says something.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    name: &'static str,
    /// The keyword; `None` for what holds when nothing is said.
    pub keyword: Option<&'static str>,
    /// At which place it can be given without its name.
    pub place: Option<usize>,
    /// What is to be said; `*` is any number.
    pub value: &'static str,
    /// The quantization, or its method when it takes bits.
    pub quantization: &'static str,
    /// The bits: a number, `*` for the number that is said, `-` for none.
    pub bits: &'static str,
}

/// The loaded tables.
#[derive(Debug)]
pub struct Loading {
    loaders: Vec<(&'static str, Loader)>,
    keywords: Vec<Keyword>,
    defaults: Vec<Default>,
    methods: Vec<(&'static str, Treatment, &'static str)>,
    classes: Vec<(&'static str, Holds)>,
    seats: Vec<(&'static str, Seat)>,
    configs: Vec<Config>,
    text_parts: Vec<&'static str>,
    split_experts: Vec<&'static str>,
}

static TABLES: LazyLock<Loading> = LazyLock::new(|| Loading {
    loaders: rows(include_str!("loaders.tsv")).filter_map(|row| loader(&row)).collect(),
    keywords: rows(include_str!("keywords.tsv")).filter_map(|row| keyword(&row)).collect(),
    defaults: rows(include_str!("defaults.tsv")).filter_map(|row| default(&row)).collect(),
    methods: rows(include_str!("methods.tsv")).filter_map(|row| method(&row)).collect(),
    classes: rows(include_str!("classes.tsv")).filter_map(|row| pair(&row)).collect(),
    seats: rows(include_str!("offload_seats.tsv")).filter_map(|row| pair(&row)).collect(),
    split_experts: rows(include_str!("split_experts.tsv")).filter_map(|row| row.first()).collect(),
    text_parts: rows(include_str!("text_parts.tsv")).filter_map(|row| row.first()).collect(),
    configs: rows(include_str!("quantization_configs.tsv")).filter_map(|row| config(&row)).collect(),
});

impl Loading {
    /// The tables that ship with the program. They never change while it runs.
    pub fn tables() -> &'static Self {
        &TABLES
    }

    /// The conventions of a call, by its canonical path.
    pub fn loader(&self, path: &str) -> Option<Loader> {
        self.loaders.iter().find(|(calls, _)| covers(calls, path)).map(|(_, loader)| *loader)
    }

    /// The keywords of a loader.
    pub fn keywords(&self, loader: Loader) -> impl Iterator<Item = &Keyword> {
        self.keywords.iter().filter(move |keyword| keyword.loader == loader.name)
    }

    /// What a loader does when nothing is said, one row for each range of versions.
    pub fn defaults(&self, loader: Loader, about: About) -> impl Iterator<Item = &Default> {
        self.defaults.iter().filter(move |row| row.loader == loader.name && row.about == about)
    }

    /// What a method of a loaded model does, and with which value.
    pub fn method(&self, name: &str) -> Option<(Treatment, &'static str)> {
        let row = self.methods.iter().find(|(method, ..)| *method == name)?;
        Some((row.1, row.2))
    }

    /// What of a checkpoint a class loads.
    pub fn holds(&self, class: &str) -> Holds {
        let row = self.classes.iter().find(|(pattern, _)| covers(pattern, class));
        row.map_or(Holds::Whole, |(_, holds)| *holds)
    }

    /// What a description of a quantization can ask for, in the order in which it counts.
    pub fn configs(&self, class: &str) -> impl Iterator<Item = &Config> {
        self.configs.iter().filter(move |config| config.name == class)
    }

    /// Whether the experts of this class are taken apart before they are quantized, so that they can be.
    pub fn splits_experts(&self, class: &str) -> bool {
        self.split_experts.iter().any(|pattern| covers(pattern, class))
    }

    /// Whether a component of a pipeline reads text.
    pub fn reads_text(&self, component: &str) -> bool {
        self.text_parts.contains(&component)
    }

    /// Where a component of a pipeline is while another one runs; `None` for host memory.
    pub fn seat(&self, component: &str) -> Option<Seat> {
        self.seats.iter().find(|(name, _)| *name == component).map(|(_, seat)| *seat)
    }
}

/// Whether a name is covered by a pattern, in which each `*` stands for anything.
fn covers(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').map_or((None, rest), |(middle, end)| (Some(middle), end));
    for piece in middle.into_iter().flat_map(|middle| middle.split('*')) {
        let Some((_, after)) = left.split_once(piece) else { return false };
        left = after;
    }
    left.ends_with(end)
}

fn loader(row: &Row) -> Option<(&'static str, Loader)> {
    Some((row.first()?, Loader { name: row.get(1)?, package: row.get(2)? }))
}

fn keyword(row: &Row) -> Option<Keyword> {
    Some(Keyword {
        loader: row.first()?,
        name: row.get(1)?,
        place: row.get(2)?.parse().ok(),
        meaning: row.get(3)?.parse().ok()?,
        window: Window::read(row.get(4)?, row.get(5)?)?,
        raises: row.get(6)? == "raises",
    })
}

fn default(row: &Row) -> Option<Default> {
    Some(Default {
        loader: row.first()?,
        about: row.get(1)?.parse().ok()?,
        value: row.get(2)?,
        window: Window::read(row.get(3)?, row.get(4)?)?,
    })
}

fn config(row: &Row) -> Option<Config> {
    let keyword = row.get(1)?;
    Some(Config {
        name: row.first()?,
        keyword: (keyword != "-").then_some(keyword),
        place: row.get(2)?.parse().ok(),
        value: row.get(3)?,
        quantization: row.get(4)?,
        bits: row.get(5)?,
    })
}

fn method(row: &Row) -> Option<(&'static str, Treatment, &'static str)> {
    Some((row.first()?, row.get(1)?.parse().ok()?, row.get(2)?))
}

fn pair<V: std::str::FromStr>(row: &Row) -> Option<(&'static str, V)> {
    Some((row.first()?, row.get(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests;
