//! Every source, and which of them counts.
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::Reader;
use crate::versions::{Known, Versions};
use crate::workspace::variables::Variables;

/// A folder with files; a name that ends in `/` is a folder.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        if name.ends_with('/') {
            fs::create_dir_all(path).unwrap();
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    folder
}

fn versions_in(folder: &Path) -> Versions {
    Reader::default().around(folder)
}

/// What is known of a library, in the order of a sentence: its version or range, and the source.
fn known(versions: &Versions, library: &str) -> String {
    let numbers = |numbers: &[u32]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
    let said = |Known { lowest, below, exact, source }: &Known| match (exact, below) {
        (Some(exact), _) => format!("{exact} in {source}"),
        (None, Some(below)) => format!("{}..{} in {source}", numbers(lowest), numbers(below)),
        (None, None) => format!("{}.. in {source}", numbers(lowest)),
    };
    versions.get(library).map_or_else(|| "unknown".to_owned(), said)
}

/// What one file says of PyTorch and of transformers.
fn said(name: &str, text: &str) -> [String; 2] {
    let folder = project(&[(name, text)]);
    let versions = versions_in(folder.path());
    ["torch", "transformers"].map(|library| known(&versions, library))
}

#[test]
fn an_environment_beside_the_document_is_read_by_its_folder_names() {
    for packages in [".venv/lib/python3.12/site-packages", "env/Lib/site-packages"] {
        let folder = project(&[
            (&format!("{packages}/torch-2.9.0+cu128.dist-info/"), ""),
            (&format!("{packages}/sentence_transformers-3.3.1.dist-info/"), ""),
            (&format!("{packages}/-.dist-info/"), ""),
            ("src/deep/", ""),
        ]);
        let versions = versions_in(&folder.path().join("src/deep"));
        let environment = packages.split('/').next().unwrap();
        assert_eq!(known(&versions, "torch"), format!("2.9.0 in {environment}"));
        assert_eq!(known(&versions, "sentence-transformers"), format!("3.3.1 in {environment}"));
    }
}

#[test]
fn an_environment_that_is_switched_on_counts_where_the_project_has_none() {
    let active = project(&[("lib/python3.11/site-packages/transformers-5.1.0.dist-info/", "")]);
    let path = active.path().display().to_string();
    for name in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        let reader = Reader::new(Variables::from([(name, path.clone())]));
        let bare = project(&[("requirements.txt", "transformers==4.46.3\ntorch==2.4\n")]);
        let versions = reader.around(bare.path());
        assert_eq!(known(&versions, "transformers"), format!("5.1.0 in {path}"));
        assert_eq!(known(&versions, "torch"), "2.4 in requirements.txt");
        let own = project(&[(".venv/lib/python3.12/site-packages/transformers-4.57.6.dist-info/", "")]);
        assert_eq!(known(&reader.around(own.path()), "transformers"), "4.57.6 in .venv");
    }
}

#[test]
fn lock_files_say_exactly() {
    let uv = "version = 1\n[[package]]\nname = \"torch\"\nversion = \"2.9.0+cu128\"\n\n\
              [[package]]\nname = \"transformers\"\nversion = \"5.0.0\"\ndependencies = [{ name = \"torch\" }]\n\n\
              [[package]]\nname = \"mine\"\nsource = { virtual = \".\" }\n";
    for name in ["uv.lock", "poetry.lock", "pdm.lock"] {
        assert_eq!(said(name, uv), [format!("2.9.0 in {name}"), format!("5.0.0 in {name}")]);
    }
    let pylock = uv.replace("[[package]]", "[[packages]]");
    assert_eq!(said("pylock.toml", &pylock), ["2.9.0 in pylock.toml", "5.0.0 in pylock.toml"]);
    let pipfile = r#"{"_meta": {}, "default": {"torch": {"version": "==2.4.1"}, "x": 3},
        "develop": {"transformers": {"hashes": [], "version": "==4.46.3"}}}"#;
    assert_eq!(said("Pipfile.lock", pipfile), ["2.4.1 in Pipfile.lock", "4.46.3 in Pipfile.lock"]);
    let conda = "version: 1\npackage:\n- name: pytorch\n  version: 2.4.0\n  manager: conda\n  dependencies:\n    \
                 python: '>=3.8'\n- name: transformers\n  version: 4.44.2\n  manager: pip\n";
    assert_eq!(said("conda-lock.yml", conda), ["2.4.0 in conda-lock.yml", "4.44.2 in conda-lock.yml"]);
}

#[test]
fn a_lock_with_a_version_for_each_system_gives_the_range() {
    let forked = "[[package]]\nname = \"torch\"\nversion = \"2.2.2\"\n[[package]]\nname = \"torch\"\nversion = \"2.9.0+cpu\"\n";
    assert_eq!(said("uv.lock", forked)[0], "2.2.2..2.9.1 in uv.lock");
}

#[test]
fn requirements_include_others_and_end() {
    let folder = project(&[
        (
            "requirements.txt",
            "-r requirements/gpu.txt\ntransformers>=4.40,<5 \\\n  --hash=sha256:0\n-r https://host/x.txt\n",
        ),
        ("requirements/gpu.txt", "-r ../requirements.txt\n--constraint=./pins.txt # cyclic\ntorch\n"),
        ("requirements/pins.txt", "-c pins.txt\ntorch==2.4.1+cu124\ntransformers==9.9\n"),
        ("requirements-dev.txt", "peft~=0.13.0\n"),
    ]);
    let versions = versions_in(folder.path());
    assert_eq!(known(&versions, "transformers"), "4.40..5 in requirements.txt");
    assert_eq!(known(&versions, "torch"), "2.4.1 in requirements/pins.txt");
    assert_eq!(known(&versions, "peft"), "0.13.0..0.14 in requirements-dev.txt");
}

#[test]
fn a_project_file_asks_for_ranges() {
    let standard = "[project]\nname = \"x\"\ndependencies = [\"torch>=2.4\", 3]\n\
                    [project.optional-dependencies]\ntrain = [\"transformers==4.46.3\", \"torch==2.0\"]\n";
    assert_eq!(said("pyproject.toml", standard), ["2.4.. in pyproject.toml", "4.46.3 in pyproject.toml"]);
    let groups = "[dependency-groups]\ntrain = [\"torch<2.6\", { include-group = \"x\" }]\n";
    assert_eq!(said("pyproject.toml", groups)[0], "..2.6 in pyproject.toml");
    let poetry = "[tool.poetry.dependencies]\npython = \"^3.10\"\ntorch = { version = \"~2.4\", source = \"x\" }\n\
                  [tool.poetry.group.dev.dependencies]\ntransformers = \"^4.40\"\n";
    assert_eq!(said("pyproject.toml", poetry), ["2.4..2.5 in pyproject.toml", "4.40..5 in pyproject.toml"]);
    let poetry = "[tool.poetry.dependencies]\ntransformers = [{ version = \"4.40.0\", python = \"<3.9\" }, \
                  { version = \">=4.46,<4.50\" }]\ntorch = \"*\"\n";
    assert_eq!(said("pyproject.toml", poetry), ["unknown", "4.40.0..4.50 in pyproject.toml"]);
    let zero = "[tool.poetry.dependencies]\ntorch = \"^0.4.1\"\ntransformers = \"^4 || ^5\"\n";
    assert_eq!(said("pyproject.toml", zero), ["0.4.1..0.5 in pyproject.toml", "unknown"]);
}

#[test]
fn conda_environments_hold_packages_of_both_kinds() {
    let environment = |torch: &str| {
        format!(
            "name: x\nchannels: [pytorch]\ndependencies:\n  - python=3.10\n  - {torch}\n  - pip\n  - pip:\n    \
             - transformers==4.46.3\n    - -r other.txt\n"
        )
    };
    for (written, said_of_torch) in [
        ("pytorch=2.3", "2.3..2.4"),
        ("pytorch::pytorch=2.3.0=py3.10_cuda12.1", "2.3.0"),
        ("pytorch==2.3.0", "2.3.0"),
        ("pytorch==2.3.0=py3.10_cuda12.1", "2.3.0"),
        ("pytorch>=2.1,<3", "2.1..3"),
        ("pytorch 2.3.*", "2.3..2.4"),
        ("'pytorch 2.3.0 py3.10_0'", "2.3.0"),
        ("pytorch=2.3.*", "2.3..2.4"),
    ] {
        let said = said("environment.yml", &environment(written));
        let expected =
            [format!("{said_of_torch} in environment.yml"), "4.46.3 in environment.yml".to_owned()];
        assert_eq!(said, expected, "{written}");
    }
}

#[test]
fn older_projects_and_images_are_read_too() {
    let setup = "[metadata]\nname = x\ninstall_requires = torch==1\n[options]\npackages = find:\ninstall_requires =\n    \
                 torch>=2.1\n    transformers==4.46.3\npython_requires = >=3.8\n[options.extras_require]\na = torch==9\n";
    assert_eq!(said("setup.cfg", setup), ["2.1.. in setup.cfg", "4.46.3 in setup.cfg"]);
    let image = "# FROM pytorch/pytorch:9.9\nFROM --platform=linux/amd64 python:3.11 AS x\n\
                 from docker.io/pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel\nRUN pip install x\n";
    assert_eq!(said("Dockerfile", image)[0], "2.4.1 in Dockerfile");
    assert_eq!(said("Dockerfile", "FROM pytorch/pytorch:latest\n")[0], "unknown");
}

#[test]
fn the_more_trusted_source_wins_library_by_library() {
    let sources: &[(&str, &str)] = &[
        (".venv/lib/python3.12/site-packages/torch-2.9.0.dist-info/", ""),
        ("uv.lock", "[[package]]\nname = \"torch\"\nversion = \"2.8.0\"\n"),
        ("requirements.txt", "torch==2.7.0\n"),
        ("pyproject.toml", "[project]\ndependencies = [\"torch==2.6.0\"]\n"),
        ("environment.yml", "dependencies: [pytorch==2.5.0]\n"),
        ("setup.cfg", "[options]\ninstall_requires = torch==2.4.0\n"),
        ("Dockerfile", "FROM pytorch/pytorch:2.3.0\n"),
    ];
    for (first, expected) in
        ["2.9.0", "2.8.0", "2.7.0", "2.6.0", "2.5.0", "2.4.0", "2.3.0"].iter().enumerate()
    {
        let folder = project(sources.get(first..).unwrap());
        let known = known(&versions_in(folder.path()), "torch");
        assert!(known.starts_with(&format!("{expected} in ")), "{known}, not {expected}");
    }
}

#[test]
fn the_nearest_file_of_a_source_wins_but_not_over_a_more_trusted_source() {
    let folder = project(&[
        ("requirements.txt", "torch==2.1.0\ntransformers==4.40.0\n"),
        ("near/requirements.txt", "torch==2.4.0\n"),
        ("near/deep/", ""),
    ]);
    let near = versions_in(&folder.path().join("near/deep"));
    assert_eq!(known(&near, "torch"), "2.4.0 in requirements.txt");
    assert_eq!(known(&near, "transformers"), "unknown");
    fs::write(folder.path().join("poetry.lock"), "[[package]]\nname = \"torch\"\nversion = \"2.2.0\"\n")
        .unwrap();
    assert_eq!(known(&versions_in(&folder.path().join("near")), "torch"), "2.2.0 in poetry.lock");
}

#[test]
fn files_of_others_may_be_broken() {
    let deep = "[".repeat(200_000);
    let broken = [
        "",
        "\u{0}",
        "[[package]]\nname = 3\n",
        "{\"default\": [1]}",
        "dependencies: *x\n",
        "a: &a [*a, *a]",
        &deep,
    ];
    let names = [
        "uv.lock",
        "Pipfile.lock",
        "pylock.toml",
        "conda-lock.yml",
        "environment.yml",
        "pyproject.toml",
        "setup.cfg",
        "Dockerfile",
        "requirements.txt",
    ];
    for name in names {
        for text in broken {
            assert_eq!(said(name, text), ["unknown", "unknown"], "{name}");
        }
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), [0xff, 0xfe, 0x00]).unwrap();
        assert!(versions_in(folder.path()).is_empty(), "{name}");
        let folder = project(&[(&format!("{name}/"), "")]);
        assert!(versions_in(folder.path()).is_empty(), "{name} as a folder");
    }
}

#[test]
fn a_folder_is_read_again_only_after_it_was_forgotten() {
    let folder = project(&[("requirements.txt", "torch==2.1.0\n")]);
    let reader = Reader::default();
    assert_eq!(known(&reader.around(folder.path()), "torch"), "2.1.0 in requirements.txt");
    fs::write(folder.path().join("requirements.txt"), "torch==2.4.0\n").unwrap();
    assert_eq!(known(&reader.around(folder.path()), "torch"), "2.1.0 in requirements.txt");
    reader.forget();
    assert_eq!(known(&reader.around(folder.path()), "torch"), "2.4.0 in requirements.txt");
}

/// Pieces of the files that are read, in any order and number.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "torch",
        "transformers",
        "==",
        "2.9.0+cu128",
        "~=",
        "^",
        "4.*",
        "<5",
        ",",
        ";",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "\"",
        "'",
        "\n",
        "    ",
        "\t",
        "- ",
        ": ",
        "&a ",
        "*a",
        "|",
        ">",
        "#",
        " #",
        "-r ",
        "=",
        "dependencies",
        "[project]\n",
        "[tool.poetry.dependencies]\n",
        "[[package]]\n",
        "name = \"torch\"\n",
        "version",
        "pip",
        "@ ",
        ".whl",
        "FROM ",
        "pytorch/pytorch:",
        "[options]\n",
        "install_requires",
        "\u{feff}",
        "é😀",
        "\0",
        "\\",
        "---",
        "...",
        "%",
        "!!x",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_makes_a_reader_panic(text in prop_oneof![pieces(), any::<String>()]) {
        super::conda::environment(&text, "x");
        super::conda::lock(&text, "x");
        super::project::read(&text, "x");
        super::setup::read(&text, "x");
        super::docker::read(&text, "x");
        super::locks::FILES.iter().for_each(|(_, parse)| drop(parse(&text, "x")));
        crate::versions::of_script(&format!("# /// script\n{text}\n# ///\n"));
        crate::versions::Requirement::parse(&text);
    }
}
