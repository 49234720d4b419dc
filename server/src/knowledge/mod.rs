//! What libraries do, as tables: one row a fact, each with its source.
//!
//! A new library, function or method is a new row here, not new code elsewhere.

pub mod allocator;
pub mod attention;
pub mod checkpointing;
pub mod commands;
mod effects;
pub mod environment;
pub mod exceptions;
pub mod fields;
mod known_modules;
mod libraries;
pub mod loading;
pub mod multiples;
pub mod objects;
pub mod optimizers;
pub mod outputs;
pub mod pipeline_tasks;
mod roles;
pub mod states;
pub mod vocabulary;
pub mod whole_data;

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::table::{Row, rows};

pub use effects::{AttributeEffect, CallEffect, HookEffect, MethodEffect, ModuleEffect, Says, StorageEffect};
pub use libraries::{library, library_of_image};
pub use roles::{ProcessEffect, Role};

/// The loaded tables.
#[derive(Debug)]
pub struct Knowledge {
    calls: FxHashMap<&'static str, CallEffect>,
    methods: FxHashMap<&'static str, MethodEffect>,
    attributes: FxHashMap<&'static str, AttributeEffect>,
    modules: FxHashMap<&'static str, ModuleEffect>,
    evidence: FxHashMap<&'static str, (usize, Says)>,
    hooks: Vec<Hook>,
    step_hooks: Vec<StepHook>,
    storage: FxHashMap<&'static str, StorageEffect>,
    frameworks: Vec<&'static str>,
    star_imports: FxHashMap<&'static str, &'static str>,
    device_words: Vec<&'static str>,
    rank_words: Vec<&'static str>,
    roles: FxHashMap<&'static str, Role>,
    noted_methods: FxHashMap<&'static str, Role>,
    noted_options: FxHashMap<&'static str, Role>,
    process: FxHashMap<&'static str, ProcessEffect>,
    torch_importers: Vec<&'static str>,
    known_modules: FxHashSet<&'static str>,
    python_modules: FxHashSet<&'static str>,
}

static TABLES: LazyLock<Knowledge> = LazyLock::new(|| Knowledge {
    calls: effects(rows(include_str!("calls.tsv"))),
    methods: effects(rows(include_str!("methods.tsv"))),
    attributes: effects(rows(include_str!("attributes.tsv"))),
    modules: effects(rows(include_str!("modules.tsv"))),
    evidence: rows(include_str!("evidence.tsv")).filter_map(|row| evidence(&row)).collect(),
    hooks: rows(include_str!("hooks.tsv")).filter_map(|row| hook(&row)).collect(),
    step_hooks: rows(include_str!("step_hooks.tsv")).filter_map(|row| step_hook(&row)).collect(),
    storage: effects(rows(include_str!("storage.tsv"))),
    frameworks: rows(include_str!("frameworks.tsv")).filter_map(|row| row.first()).collect(),
    rank_words: rows(include_str!("rank_words.tsv")).filter_map(|row| row.first()).collect(),
    device_words: rows(include_str!("device_words.tsv")).filter_map(|row| row.first()).collect(),
    roles: effects(rows(include_str!("noted_calls.tsv"))),
    noted_methods: effects(rows(include_str!("noted_methods.tsv"))),
    noted_options: effects(rows(include_str!("noted_options.tsv"))),
    process: effects(rows(include_str!("process_calls.tsv"))),
    torch_importers: rows(include_str!("torch_importers.tsv")).filter_map(|row| row.first()).collect(),
    star_imports: rows(include_str!("star_imports.tsv"))
        .filter_map(|row| Some((row.first()?, row.get(1)?)))
        .collect(),
    known_modules: known_modules::load(),
    python_modules: known_modules::of_python(),
});

impl Knowledge {
    /// The tables that ship with the program. They never change while it runs.
    pub fn tables() -> &'static Knowledge {
        &TABLES
    }

    /// What calling the thing at a canonical dotted path does: its own row, or the longest row that ends in
    /// `*` and covers it. A `*` inside a row stands for one part of the path, or for the first words of its last part:
    /// `torch.nn.*Loss` is every loss.
    pub fn call(&self, path: &str) -> Option<CallEffect> {
        covering(&self.calls, path)
    }

    /// What a call at a path is for, if it is one that is noted. The last two parts of the path are the class and its
    /// method, wherever in the library the class lives.
    pub fn role(&self, path: &str) -> Option<Role> {
        let (library, rest) = path.split_once('.')?;
        let (place, last) = rest.rsplit_once('.').unwrap_or(("", rest));
        let class = place.rsplit('.').next().unwrap_or_default();
        let row = |short: &str| self.roles.get(short).copied();
        let by_method = || {
            row(&format!("{library}.{class}.{last}"))
                .or_else(|| endings(class).find_map(|end| row(&format!("{library}.*{end}.{last}"))))
                .or_else(|| row(&format!("{library}.*.{last}")))
        };
        let by_constructor = || {
            row(&format!("{library}.{last}"))
                .or_else(|| endings(last).find_map(|end| row(&format!("{library}.*{end}"))))
        };
        let found = row(path).or_else(by_method).or_else(by_constructor);
        found.or_else(|| below(&self.roles, path)).filter(|role| *role != Role::Nothing)
    }

    /// Methods whose calls are noted whatever they belong to, and what such a call is for.
    pub fn noted_methods(&self) -> impl Iterator<Item = (&'static str, Role)> + '_ {
        self.noted_methods.iter().map(|(name, role)| (*name, *role))
    }

    /// Arguments by name that show what a call is for, whatever is called.
    pub fn noted_options(&self) -> impl Iterator<Item = (&'static str, Role)> + '_ {
        self.noted_options.iter().map(|(name, role)| (*name, *role))
    }

    /// What calling the thing at a path does to the process.
    pub fn process(&self, path: &str) -> Option<ProcessEffect> {
        covering(&self.process, path)
    }

    /// Whether importing this top-level package imports PyTorch.
    pub fn imports_torch(&self, package: &str) -> bool {
        self.torch_importers.contains(&package)
    }

    /// What a method of a tensor does.
    pub fn method(&self, name: &str) -> Option<MethodEffect> {
        self.methods.get(name).copied()
    }

    /// What an attribute of a tensor is.
    pub fn attribute(&self, name: &str) -> Option<AttributeEffect> {
        self.attributes.get(name).copied()
    }

    /// What a method of a module does.
    pub fn module_method(&self, name: &str) -> Option<ModuleEffect> {
        self.modules.get(name).copied()
    }

    /// What calling a method with this many arguments says about its object.
    pub fn evidence(&self, method: &str, arguments: usize) -> Option<Says> {
        let (most, says) = self.evidence.get(method)?;
        (arguments <= *most).then_some(*says)
    }

    /// Whether a framework calls this method with gradients off. `bases` are the paths of the classes that the
    /// method's class is built on, as far as they are known; a base that is not known may be a framework's.
    pub fn runs_without_grad<'a>(
        &self,
        method: &str,
        mut bases: impl Iterator<Item = Option<&'a str>>,
    ) -> bool {
        let frameworks = self.frameworks_that(method, HookEffect::GradOff);
        !frameworks.is_empty() && bases.any(|base| base.is_none_or(|path| mentions(path, &frameworks)))
    }

    /// How a framework calls this method again and again, if it does: for every batch, or for every batch with a
    /// backward over its result. `bases` are the paths of the classes that the method's class is built on.
    pub fn repeated_hook(&self, method: &str, bases: &[&str]) -> Option<HookEffect> {
        [HookEffect::TrainsOnResult, HookEffect::EachBatch].into_iter().find(|effect| {
            let frameworks = self.frameworks_that(method, *effect);
            !frameworks.is_empty() && bases.iter().any(|path| mentions(path, &frameworks))
        })
    }

    fn frameworks_that(&self, method: &str, effect: HookEffect) -> Vec<&'static str> {
        let rows = self.hooks.iter().filter(|hook| hook.method == method && hook.effect == effect);
        rows.map(|hook| hook.base).collect()
    }

    /// How a framework calls this method for every batch, if it does.
    /// `bases` are the paths of the classes that the method's class is built on.
    pub fn step_hook(&self, method: &str, bases: &[&str]) -> Option<&StepHook> {
        let is_this =
            |hook: &&StepHook| hook.method == method && bases.iter().any(|path| path.contains(hook.base));
        self.step_hooks.iter().find(is_this)
    }

    /// Where the result of a tensor's method lies, or of PyTorch's function of that name.
    pub fn storage(&self, name: &str) -> Option<StorageEffect> {
        self.storage.get(name).copied()
    }

    /// Names and texts by which a script learns which of several processes it is.
    pub fn rank_words(&self) -> &[&'static str] {
        &self.rank_words
    }

    /// Names that show that a file has to do with a device.
    pub fn device_words(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.device_words.iter().copied()
    }

    /// What a name most likely means in a file with `import *` that does not bind it.
    pub fn star_import(&self, name: &str) -> Option<&'static str> {
        self.star_imports.get(name).copied()
    }

    /// Whether this top-level module comes with Python, or is a library that some table speaks of.
    pub fn is_known_module(&self, module: &str) -> bool {
        self.known_modules.contains(module)
    }

    /// Whether this top-level module comes with Python.
    pub fn comes_with_python(&self, module: &str) -> bool {
        self.python_modules.contains(module)
    }

    /// Whether this top-level module belongs to a framework without PyTorch's graphs.
    pub fn is_other_framework(&self, module: &str) -> bool {
        self.frameworks.contains(&module)
    }
}

/// The row of a path: its own, or the longest that covers it.
fn covering<E: Copy>(rows: &FxHashMap<&'static str, E>, path: &str) -> Option<E> {
    if let Some(effect) = rows.get(path) {
        return Some(*effect);
    }
    if let Some((library, rest)) = path.split_once('.')
        && let Some((_, last)) = rest.rsplit_once('.')
        && let Some(effect) = rows.get(format!("{library}.*.{last}").as_str())
    {
        return Some(*effect);
    }
    if let Some((library, class)) = path.rsplit_once('.') {
        let ends = |word: &str| rows.get(format!("{library}.*{word}").as_str());
        if let Some(effect) = endings(class).find_map(ends) {
            return Some(*effect);
        }
    }
    below(rows, path)
}

/// The ends of a class's name that start with a word, the longest first: `MSELoss`, `SELoss`, `ELoss`, `Loss`.
fn endings(class: &str) -> impl Iterator<Item = &str> {
    let words = class.char_indices().filter(|(_, letter)| letter.is_ascii_uppercase());
    words.filter_map(|(start, _)| class.get(start..))
}

/// The longest row that ends in `*` and covers a path.
fn below<E: Copy>(rows: &FxHashMap<&'static str, E>, path: &str) -> Option<E> {
    let mut prefix = path;
    while let Some((shorter, _)) = prefix.rsplit_once('.') {
        if let Some(effect) = rows.get(format!("{shorter}.*").as_str()) {
            return Some(*effect);
        }
        prefix = shorter;
    }
    None
}

/// A method that a framework calls.
#[derive(Debug)]
struct Hook {
    base: &'static str,
    method: &'static str,
    effect: HookEffect,
}

fn hook(row: &Row) -> Option<Hook> {
    Some(Hook { base: row.first()?, method: row.get(1)?, effect: row.get(2)?.parse().ok()? })
}

/// A method that a framework calls for every batch.
#[derive(Debug)]
pub struct StepHook {
    base: &'static str,
    method: &'static str,
    /// Whether the first thing it is given is the batch, on the device that the framework runs on.
    pub gets_batch: bool,
    /// The method that the framework calls when the epoch is over.
    pub epoch_end: &'static str,
}

fn step_hook(row: &Row) -> Option<StepHook> {
    let gets_batch = match row.get(2)? {
        "batch" => true,
        "other" => false,
        _ => return None,
    };
    Some(StepHook { base: row.first()?, method: row.get(1)?, gets_batch, epoch_end: row.get(3)? })
}

fn mentions(path: &str, frameworks: &[&str]) -> bool {
    frameworks.iter().any(|framework| path.contains(framework))
}

fn effects<E: std::str::FromStr>(rows: impl Iterator<Item = Row>) -> FxHashMap<&'static str, E> {
    rows.filter_map(|row| Some((row.first()?, row.get(1)?.parse().ok()?))).collect()
}

fn evidence(row: &Row) -> Option<(&'static str, (usize, Says))> {
    Some((row.first()?, (row.get(1)?.parse().ok()?, row.get(2)?.parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row has all its columns, a source among them, a known effect, and a key of its own.
    fn check<K>(table: &'static str, columns: usize, loads: impl Fn(&Row) -> Option<K>) {
        let mut keys = std::collections::BTreeSet::new();
        for row in rows(table) {
            assert_eq!(row.len(), columns, "columns of {row:?}");
            assert!(row.columns().all(|column| !column.trim().is_empty()), "an empty column in {row:?}");
            assert!(loads(&row).is_some(), "unknown effect in {row:?}");
            let key: Vec<_> = row.columns().take(if table.contains("# base") { 2 } else { 1 }).collect();
            assert!(keys.insert(key), "a second row for {row:?}");
        }
        assert!(!keys.is_empty());
    }

    #[test]
    fn every_row_loads() {
        check(include_str!("calls.tsv"), 3, |row| row.get(1)?.parse::<CallEffect>().ok());
        check(include_str!("methods.tsv"), 3, |row| row.get(1)?.parse::<MethodEffect>().ok());
        check(include_str!("attributes.tsv"), 3, |row| row.get(1)?.parse::<AttributeEffect>().ok());
        check(include_str!("modules.tsv"), 3, |row| row.get(1)?.parse::<ModuleEffect>().ok());
        check(include_str!("evidence.tsv"), 4, evidence);
        check(include_str!("hooks.tsv"), 4, hook);
        check(include_str!("step_hooks.tsv"), 5, step_hook);
        check(include_str!("storage.tsv"), 3, |row| row.get(1)?.parse::<StorageEffect>().ok());
        check(include_str!("frameworks.tsv"), 2, Row::first);
        check(include_str!("star_imports.tsv"), 3, |row| row.get(1));
        check(include_str!("device_words.tsv"), 2, Row::first);
        check(include_str!("rank_words.tsv"), 2, Row::first);
        check(include_str!("noted_calls.tsv"), 3, |row| row.get(1)?.parse::<Role>().ok());
        check(include_str!("noted_methods.tsv"), 3, |row| row.get(1)?.parse::<Role>().ok());
        check(include_str!("noted_options.tsv"), 3, |row| row.get(1)?.parse::<Role>().ok());
        check(include_str!("process_calls.tsv"), 3, |row| row.get(1)?.parse::<ProcessEffect>().ok());
        check(include_str!("torch_importers.tsv"), 2, Row::first);
    }

    #[test]
    fn the_longest_row_wins() {
        let tables = Knowledge::tables();
        assert_eq!(tables.call("torch.nn.Linear"), Some(CallEffect::Layer));
        assert_eq!(tables.call("torch.nn.MSELoss"), Some(CallEffect::LossModule));
        assert_eq!(tables.call("torch.nn.NLLLoss2d"), Some(CallEffect::LossModule));
        assert_eq!(tables.call("torch.nn.AvgPool3d"), Some(CallEffect::PlainModule));
        assert_eq!(tables.call("torch.nn.functional.relu"), Some(CallEffect::Operation));
        assert_eq!(tables.call("transformers.AutoModel.from_pretrained"), Some(CallEffect::Pretrained));
        assert_eq!(tables.call("somebody.elses.function"), None);
    }

    #[test]
    fn a_call_is_noted_by_its_class_wherever_that_lives() {
        let tables = Knowledge::tables();
        assert_eq!(tables.role("transformers.AutoModelForCausalLM.from_pretrained"), Some(Role::Model));
        assert_eq!(
            tables.role("transformers.models.llama.LlamaForCausalLM.from_pretrained"),
            Some(Role::Model)
        );
        assert_eq!(tables.role("transformers.AutoTokenizer.from_pretrained"), None);
        assert_eq!(tables.role("transformers.BitsAndBytesConfig"), Some(Role::Quantization));
        let pipeline = "diffusers.pipelines.flux.FluxPipeline.from_pretrained";
        assert_eq!(tables.role(pipeline), Some(Role::DiffusionPipeline));
        assert_eq!(tables.role("diffusers.AutoencoderKL.from_pretrained"), Some(Role::DiffusionModel));
        assert_eq!(tables.role("diffusers.EulerDiscreteScheduler.from_pretrained"), None);
        assert_eq!(
            tables.role("torchvision.models.detection.maskrcnn_resnet50_fpn"),
            Some(Role::VisionModel)
        );
        assert_eq!(tables.role("trl.trainer.sft_config.SFTConfig"), Some(Role::TrainingOptions));
        assert_eq!(tables.role("trl.SFTTrainer"), Some(Role::Trainer));
        assert_eq!(tables.role("diffusers.StableDiffusionXLPipeline"), Some(Role::DiffusionPipeline));
        assert_eq!(tables.role("transformers.LlamaConfig"), None);
        assert_eq!(tables.role("torch.nn.Linear"), Some(Role::OwnModule));
        assert_eq!(tables.role("torch.nn.ReLU"), None);
    }

    #[test]
    fn hooks_belong_to_frameworks() {
        let tables = Knowledge::tables();
        let runs = |base| tables.runs_without_grad("validation_step", [base].into_iter());
        assert!(runs(Some("lightning.LightningModule")));
        assert!(runs(Some("pytorch_lightning.LightningModule")));
        assert!(runs(None), "an unknown base may be a framework's");
        assert!(!runs(Some("torch.nn.Module")));
    }
}
