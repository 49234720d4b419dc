//! A folder of the corpus: its inputs, its labels, and what the analysis reports on it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;
use vramlens::analysis;
use vramlens::estimate::Estimate;
use vramlens::finding::{Finding, Growth, Severity};
use vramlens::settings::Settings;
use vramlens::surroundings::Surroundings;
use vramlens::workspace::surroundings::Reader;
use vramlens::workspace::variables::Variables;
use vramlens_grammars::{Document, Location, Source};

/// One folder.
pub struct Folder {
    /// Its name.
    pub name: String,
    /// The scripts and notebooks in it.
    pub inputs: Vec<Input>,
    /// What its labels say.
    pub labels: Labels,
}

/// One script or notebook.
pub struct Input {
    /// The folder's name and the file's.
    pub folder: String,
    /// The file's name.
    pub file: String,
    /// Its text and syntax.
    pub document: Document,
    /// What the files beside it say of it.
    pub surroundings: Surroundings,
}

/// The labels of a folder.
#[derive(Deserialize)]
pub struct Labels {
    /// What is to be reported; none in a clean folder.
    #[serde(default)]
    pub expect: Vec<Expectation>,
    /// Lines that look like a mistake and are none.
    #[serde(default)]
    pub clean_lines: Vec<Place>,
    /// Codes that must not be reported at all, not even as a hint.
    #[serde(default)]
    pub silent: Vec<String>,
    /// How much memory is needed where.
    #[serde(default)]
    pub estimate: Vec<Figure>,
}

/// A figure worked out by hand.
#[derive(Deserialize)]
pub struct Figure {
    /// The call that needs the memory.
    #[serde(flatten)]
    pub place: Place,
    /// GiB of weights on the GPU; `None` where nobody can know.
    pub gib: Option<f64>,
    /// How far from that is right, in percent.
    #[serde(default)]
    pub tolerance_pct: f64,
    /// The whole range must be within the tolerance: nothing is left open.
    #[serde(default)]
    pub narrow: bool,
    /// The GPU of the settings.
    pub gpu: Option<String>,
    /// An estimate here must be right, and none is no miss.
    #[serde(default)]
    pub optional: bool,
}

/// One mistake to be reported.
#[derive(Deserialize)]
pub struct Expectation {
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// The mechanism.
    pub kind: String,
    /// `error`, `warning`, `information` or `hint`.
    pub severity: String,
    /// What happens to device memory.
    pub growth: String,
    /// Labels with the same group are one mistake; a report on any of them is enough.
    pub group: Option<String>,
    /// The one rule that can report it, where not every code of the kind can.
    pub rule: Option<String>,
    /// A report here is right, and its absence is no miss.
    #[serde(default)]
    pub optional: bool,
}

/// A line of a file, or of a notebook's cell.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Place {
    /// The file's name.
    pub file: String,
    /// The notebook cell, from 0.
    pub cell: Option<u32>,
    /// The line, from 1.
    pub line: usize,
}

/// One finding, as far as labels speak of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Where it starts.
    pub place: Place,
    /// The rule's code.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What happens to device memory.
    pub growth: Growth,
}

impl Folder {
    /// Reads every folder under `parent`, in order of name.
    pub fn read_all(parent: &Path, labels: &str) -> Vec<Self> {
        let mut folders: Vec<Self> =
            entries(parent).iter().map(|name| Self::read(&parent.join(name), name, labels)).collect();
        folders.sort_by(|left, right| left.name.cmp(&right.name));
        folders
    }

    fn read(path: &Path, name: &str, labels: &str) -> Self {
        let labels =
            toml::from_str(&read(&path.join(labels))).unwrap_or_else(|error| panic!("{name}: {error}"));
        let inputs = entries(path).into_iter().filter_map(|file| Input::read(path, name, file)).collect();
        Self { name: name.to_owned(), inputs, labels }
    }
}

impl Input {
    fn read(path: &Path, folder: &str, file: String) -> Option<Self> {
        let source = match Path::new(&file).extension()?.to_str()? {
            "py" => Source::file(read(&path.join(&file))),
            "ipynb" => notebook(&read(&path.join(&file))),
            _ => return None,
        };
        let document = Document::python(source);
        let surroundings = surroundings(&document, &path.join(&file));
        Some(Self { folder: folder.to_owned(), file, document, surroundings })
    }

    /// What the analysis finds in it.
    pub fn findings(&self) -> Vec<Finding> {
        self.findings_of(&self.document)
    }

    /// What the analysis finds in another version of it, with every rule on.
    pub fn findings_of(&self, document: &Document) -> Vec<Finding> {
        let analysis = analysis::analyze(document, &self.surroundings, &Settings::default());
        assert!(analysis.failures.is_empty(), "rules failed: {:?}", analysis.failures);
        analysis.findings
    }

    /// What the analysis estimates for it with this GPU in the settings, by place.
    pub fn estimates(&self, gpu: Option<&str>) -> Vec<(Place, Estimate)> {
        let settings = Settings { gpu: gpu.map(str::to_owned), ..Settings::default() };
        let analysis = analysis::analyze(&self.document, &self.surroundings, &settings);
        let placed = |estimate: Estimate| (self.place(&self.document, estimate.location), estimate);
        analysis.estimates.into_iter().map(placed).collect()
    }

    /// The same, as far as labels speak of it.
    pub fn reports(&self) -> Vec<Report> {
        self.reports_of(&self.document)
    }

    /// What the analysis reports on another version of this input.
    pub fn reports_of(&self, document: &Document) -> Vec<Report> {
        let report = |finding: Finding| Report {
            place: self.place(document, finding.location),
            code: finding.code,
            severity: finding.severity,
            growth: finding.growth,
        };
        self.findings_of(document).into_iter().map(report).collect()
    }

    fn place(&self, document: &Document, location: Location) -> Place {
        let text = document.source.piece_text(location.cell).unwrap_or("");
        let before = text.get(..location.span.start as usize).unwrap_or("");
        Place { file: self.file.clone(), cell: location.cell, line: before.matches('\n').count() + 1 }
    }
}

/// The parts of a notebook that matter here.
#[derive(Deserialize)]
struct Notebook {
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    cell_type: String,
    source: Vec<String>,
}

fn notebook(text: &str) -> Source {
    let notebook: Notebook = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}"));
    let code = notebook.cells.iter().zip(0..).filter(|(cell, _)| cell.cell_type == "code");
    let code: Vec<(u32, String)> = code.map(|(cell, index)| (index, cell.source.concat())).collect();
    Source::cells(code.iter().map(|(index, code)| (*index, code.as_str())))
}

/// One for all documents: it remembers files, and which of them import which.
static READER: LazyLock<Reader> = LazyLock::new(|| Reader::new(&Variables::default(), PathBuf::new()));

/// What lies around a document, with all that its analysis asks for. Nothing of the machine that the tests run on.
fn surroundings(document: &Document, path: &Path) -> Surroundings {
    let mut surroundings = READER.around(path.parent().unwrap_or(path));
    READER.analyze(document, &mut surroundings, &Settings::default(), path);
    surroundings
}

fn entries(path: &Path) -> Vec<String> {
    let directory = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut names: Vec<String> =
        directory.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
