//! Where imports lead, and what is noticed when files change.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests may fail")]

use std::fs;
use std::path::PathBuf;

use super::{MAX_BYTES, MAX_FILE_BYTES, MAX_FILES, MAX_REMEMBERED_BYTES, Reader};
use crate::python::imports;
use crate::python::units::Units;

/// A project, and a reader for a person who works in it.
struct Project {
    root: tempfile::TempDir,
    reader: Reader,
}

impl Project {
    /// A project with these files.
    fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let reader = Reader::new(root.path());
        let project = Self { root, reader };
        project.write("pyproject.toml", "");
        files.iter().for_each(|(name, text)| project.write(name, text));
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn units(&self, document: &str) -> Units {
        let path = self.path(document);
        let text = fs::read_to_string(&path).unwrap();
        self.reader.around(&path, &imports::scan(&text))
    }

    /// The files that a document needs.
    fn names(&self, document: &str) -> Vec<String> {
        self.units(document).files.iter().map(|unit| unit.name.clone()).collect()
    }

    /// Where the only import of a document leads.
    fn target(&self, folder: &str, import: &str) -> Option<String> {
        let document = format!("{folder}document.py");
        self.write(&document, import);
        self.reader.forget();
        let spelled = imports::scan(import);
        let units = self.units(&document);
        let index = units.links.get(&(None, spelled.last().unwrap().clone()))?;
        Some(units.files[*index].name.clone())
    }

    fn importers(&self, name: &str) -> Vec<String> {
        let importers = self.reader.importers_of(&self.path(name));
        importers.iter().map(|path| self.reader.name(path)).collect()
    }
}

#[test]
fn an_import_leads_to_a_file_of_the_project() {
    let project = Project::new(&[
        ("utils.py", ""),
        ("src/lib/__init__.py", ""),
        ("src/lib/model.py", ""),
        ("src/lib/deep/net.py", ""),
        ("scripts/helper.py", ""),
        ("both.py", ""),
        ("both/__init__.py", ""),
    ]);
    for (folder, import, target) in [
        ("", "import utils", Some("utils.py")),
        ("scripts/", "import utils", Some("utils.py")),
        ("scripts/", "import helper", Some("scripts/helper.py")),
        ("", "import helper", None),
        ("scripts/", "from lib import model", Some("src/lib/model.py")),
        ("scripts/", "import lib", Some("src/lib/__init__.py")),
        ("", "import lib.deep.net", Some("src/lib/deep/net.py")),
        ("", "import lib.deep", None),
        ("", "import scripts.helper", Some("scripts/helper.py")),
        ("src/lib/", "import model", Some("src/lib/model.py")),
        ("src/lib/", "from . import model", Some("src/lib/model.py")),
        ("src/lib/deep/", "from ..model import Net", None),
        ("src/lib/deep/", "import lib.model", Some("src/lib/model.py")),
        ("src/lib/deep/", "from .. import *", Some("src/lib/__init__.py")),
        ("", "import both", Some("both/__init__.py")),
        ("", "from ..... import utils", None),
        ("", "import nothing", None),
    ] {
        assert_eq!(project.target(folder, import).as_deref(), target, "{import} in {folder:?}");
    }
    let links = project.units("src/lib/document.py").links;
    assert!(links.keys().all(|(importer, _)| importer.is_none()), "{links:?}");
}

#[test]
fn what_python_and_libraries_bring_is_meant_unless_a_file_lies_beside_the_document() {
    let project = Project::new(&[
        ("logging.py", ""),
        ("datasets/__init__.py", ""),
        ("src/transformers/__init__.py", ""),
        ("venv/evil.py", ""),
        ("lib/site-packages/evil.py", "import near"),
        ("lib/site-packages/near.py", ""),
    ]);
    for (folder, import, target) in [
        ("", "import logging", Some("logging.py")),
        ("scripts/", "import logging", None),
        ("", "import datasets", Some("datasets/__init__.py")),
        ("scripts/", "import datasets", None),
        ("", "import transformers", None),
        ("scripts/", "import transformers", None),
        ("", "import venv.evil", None),
    ] {
        assert_eq!(project.target(folder, import).as_deref(), target, "{import} in {folder:?}");
    }
    assert!(project.names("lib/site-packages/evil.py").is_empty());
}

#[test]
fn nothing_outside_of_the_project_is_read() {
    let outer = tempfile::tempdir().unwrap();
    fs::write(outer.path().join("secret.py"), "").unwrap();
    fs::create_dir_all(outer.path().join("project/.git")).unwrap();
    fs::create_dir_all(outer.path().join("project/scripts")).unwrap();
    let reader = Reader::new(outer.path());
    let document = outer.path().join("project/scripts/train.py");
    let imports = ["secret", "..secret", "...secret"].map(str::to_owned);
    assert_eq!(reader.around(&document, &imports).files, []);
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(outer.path().join("secret.py"), outer.path().join("project/linked.py")).unwrap();
        symlink(outer.path().join("project/loop.py"), outer.path().join("project/loop.py")).unwrap();
        symlink(outer.path().join("project/scripts"), outer.path().join("project/also")).unwrap();
        fs::write(outer.path().join("project/scripts/mine.py"), "").unwrap();
        let imports = ["linked", "loop", "also.mine"].map(str::to_owned);
        let units = reader.around(&document, &imports);
        let names: Vec<&str> = units.files.iter().map(|unit| unit.name.as_str()).collect();
        assert_eq!(names, ["project/also/mine.py"]);
    }
}

#[test]
fn imports_of_imports_are_followed_once_each_and_not_back_to_the_document() {
    let project = Project::new(&[
        ("train.py", "import model\nfrom pkg import engine\n"),
        ("model.py", "import layers\nimport train\n"),
        ("layers.py", "import model\n"),
        ("pkg/__init__.py", "from .engine import run\n"),
        ("pkg/engine.py", "from . import meters\nimport model\n"),
        ("pkg/meters.py", ""),
    ]);
    let units = project.units("train.py");
    let names: Vec<&str> = units.files.iter().map(|unit| unit.name.as_str()).collect();
    let expected = ["model.py", "pkg/__init__.py", "pkg/engine.py", "layers.py", "pkg/meters.py"];
    assert_eq!(names, expected);
    let links: Vec<(&str, &str, &str)> = units
        .links
        .iter()
        .map(|((importer, spelled), target)| {
            (importer.map_or("train.py", |importer| names[importer]), spelled.as_str(), names[*target])
        })
        .collect();
    let expected = [
        ("train.py", "model", "model.py"),
        ("train.py", "pkg", "pkg/__init__.py"),
        ("train.py", "pkg.engine", "pkg/engine.py"),
        ("model.py", "layers", "layers.py"),
        ("pkg/__init__.py", ".engine", "pkg/engine.py"),
        ("pkg/engine.py", ".", "pkg/__init__.py"),
        ("pkg/engine.py", ".meters", "pkg/meters.py"),
        ("pkg/engine.py", "model", "model.py"),
        ("layers.py", "model", "model.py"),
    ];
    assert_eq!(links, expected);
}

#[test]
fn files_that_cannot_be_used_are_left_out() {
    let project =
        Project::new(&[("train.py", "import large, binary, folder, broken, fine\n"), ("fine.py", "")]);
    project.write("large.py", "x = 1\n".repeat(usize::try_from(MAX_FILE_BYTES).unwrap() / 6 + 1));
    project.write("binary.py", [0xff, 0xfe, 0x00]);
    project.write("folder.py/inside.txt", "");
    project.write("broken.py", "def f(:\n  x = (\n");
    assert_eq!(project.names("train.py"), ["broken.py", "fine.py"]);
}

#[test]
fn a_file_is_read_again_when_it_has_changed_and_only_then() {
    let project = Project::new(&[("train.py", "import model\n"), ("model.py", "a = 1\n")]);
    let text = || project.units("train.py").files[0].text.clone();
    let first = project.units("train.py");
    assert!(std::sync::Arc::ptr_eq(&first.files[0], &project.units("train.py").files[0]));
    project.write("model.py", "a = 22\n");
    assert_eq!(text(), "a = 22\n");
    project.reader.set_open([(project.path("model.py"), "a = 333\n".to_owned())].into_iter());
    assert_eq!(text(), "a = 333\n");
    project.reader.set_open(std::iter::empty());
    assert_eq!(text(), "a = 22\n");
    fs::remove_file(project.path("model.py")).unwrap();
    assert_eq!(project.names("train.py"), Vec::<String>::new());
}

#[test]
fn a_file_that_was_not_there_is_found_after_forgetting() {
    let project = Project::new(&[("train.py", "import model\n")]);
    assert_eq!(project.names("train.py"), Vec::<String>::new());
    project.write("model.py", "");
    project.reader.forget();
    assert_eq!(project.names("train.py"), ["model.py"]);
}

#[test]
fn what_is_read_for_one_document_has_a_limit() {
    let many = MAX_FILES + 10;
    let imports: Vec<String> = (0..many).map(|name| format!("import m{name}\n")).collect();
    let project = Project::new(&[("train.py", &imports.concat())]);
    (0..many).for_each(|name| project.write(&format!("m{name}.py"), ""));
    assert_eq!(project.names("train.py").len(), MAX_FILES);
    let long = format!("#{}\n", "-".repeat(MAX_BYTES / 4 - 2));
    (0..many).for_each(|name| project.write(&format!("m{name}.py"), &long));
    let units = project.units("train.py");
    assert_eq!(units.files.len(), 4);
    let known = units.files.len() + units.absent.len();
    assert_eq!(known, many, "what there was no room for counts as looked up");
}

#[test]
fn memory_does_not_grow_with_the_number_of_files_that_are_checked() {
    let project = Project::new(&[]);
    let long = format!("#{}\n", "-".repeat(usize::try_from(MAX_FILE_BYTES).unwrap() - 2));
    let enough = usize::try_from(MAX_REMEMBERED_BYTES / MAX_FILE_BYTES).unwrap() * 2;
    for name in 0..enough {
        project.write(&format!("p{name}/train.py"), "import model\n");
        project.write(&format!("p{name}/model.py"), &long);
        assert_eq!(project.names(&format!("p{name}/train.py")).len(), 1);
        assert!(project.reader.bytes() <= MAX_REMEMBERED_BYTES, "{}", project.reader.bytes());
    }
}

#[test]
fn importers_are_found_through_packages_and_notebooks() {
    let cell = r#"{"cell_type": "code", "source": ["import main\n"], "metadata": {}, "outputs": [], "execution_count": 1}"#;
    let notebook = format!(r#"{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}"#);
    let project = Project::new(&[
        ("pkg/__init__.py", "from .engine import evaluate\n"),
        ("pkg/engine.py", ""),
        ("main.py", "def main():\n    from pkg import evaluate\n"),
        ("other.py", "import torch\n"),
        ("ignored/script.py", "import pkg.engine\n"),
        (".gitignore", "ignored/\n"),
        ("look.ipynb", &notebook),
    ]);
    assert_eq!(project.importers("pkg/engine.py"), ["pkg/__init__.py", "main.py", "look.ipynb"]);
    assert_eq!(project.importers("other.py"), Vec::<String>::new());
    project.write("other.py", "import pkg.engine\n");
    project.reader.forget();
    assert_eq!(project.importers("pkg/engine.py"), ["other.py", "pkg/__init__.py", "main.py", "look.ipynb"]);
}
