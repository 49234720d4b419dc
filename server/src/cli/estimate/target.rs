//! What a word on the command line stands for.

use std::path::{Path, PathBuf};

use crate::texts::text;
use crate::workspace::files::Kind;

/// The ending of files that hold the weights of a model.
const WEIGHTS: &str = "safetensors";

/// Endings of files that one would ask about, and that are not read yet.
const NOT_YET: &[&str] = &["gguf", "sh", "bash", "sbatch", "bat", "env", "yaml", "yml"];

/// What a word on the command line stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A script or a notebook.
    Document(PathBuf),
    /// A model: its name, its folder or its file.
    Model,
}

impl Target {
    /// A file is what its ending says; everything else is a model's name.
    ///
    /// # Errors
    /// It is a file of a kind that is not read, or a script that is not there.
    pub fn of(word: &str) -> Result<Self, String> {
        let path = Path::new(word);
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
        let arguments = [("target", word)];
        match (path.is_file(), Kind::of(path)) {
            (true, Some(_)) => Ok(Self::Document(path.to_owned())),
            (false, Some(_)) => Err(text("estimate-not-there", &arguments)),
            (true, None) if ending == WEIGHTS => Ok(Self::Model),
            (true, None) if NOT_YET.contains(&ending.as_str()) => Err(text("estimate-not-yet", &arguments)),
            (true, None) => Err(text("estimate-not-a-target", &arguments)),
            (false, None) if ending == WEIGHTS => Err(text("estimate-not-there", &arguments)),
            (false, None) => Ok(Self::Model),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may fail")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_word_is_what_is_on_the_disk_or_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        for name in ["a.py", "b.ipynb", "c.safetensors", "d.gguf", "e.sh", "f.txt"] {
            fs::write(path(name), "").unwrap();
        }
        assert_eq!(Target::of(&path("a.py")), Ok(Target::Document(path("a.py").into())));
        assert_eq!(Target::of(&path("b.ipynb")), Ok(Target::Document(path("b.ipynb").into())));
        assert_eq!(Target::of(&path("c.safetensors")), Ok(Target::Model));
        assert_eq!(Target::of(&path("")), Ok(Target::Model));
        assert_eq!(Target::of("meta-llama/Llama-3.1-8B"), Ok(Target::Model));
        assert_eq!(Target::of("Qwen/Qwen2.5-7B"), Ok(Target::Model));
        for name in ["d.gguf", "e.sh", "f.txt", "none.py", "none.safetensors"] {
            let told = Target::of(&path(name)).unwrap_err();
            assert!(told.contains(name), "{told}");
        }
    }
}
