//! The block of metadata at the top of a script (PEP 723): `# /// script`, TOML in comments, `# ///`.

use toml::{Table, Value};

use crate::texts::text;
use crate::versions::{Requirement, Versions};

/// What opens a block.
const START: &str = "# /// script";

/// What closes it.
const END: &str = "# ///";

/// A block with more lines is not looked at.
const MAX_LINES: usize = 1000;

/// The versions that a script's own header asks for; nothing when it has none, or one that is no TOML.
pub fn of_script(script: &str) -> Versions {
    let mut versions = Versions::default();
    let Some(block) = block(script) else { return versions };
    let Ok(table) = block.parse::<Table>() else { return versions };
    let dependencies = table.get("dependencies").and_then(Value::as_array);
    let source = text("versions-script-header", &[]);
    for dependency in dependencies.into_iter().flatten().filter_map(Value::as_str) {
        if let Some(requirement) = Requirement::parse(dependency) {
            versions.required(&requirement, &source);
        }
    }
    versions
}

/// The TOML of the block. The last closing line of the comment counts, as the specification has it.
fn block(script: &str) -> Option<String> {
    // Nearly no script has one, and this is asked at every change.
    if !script.contains(START) {
        return None;
    }
    let lines = script.lines().map(str::trim_end).skip_while(|line| *line != START).skip(1);
    let comment: Vec<&str> = lines.take_while(|line| line.starts_with('#')).take(MAX_LINES).collect();
    let end = comment.iter().rposition(|line| *line == END)?;
    let inside = comment.get(..end)?.iter();
    let toml = inside.map(|line| line.strip_prefix("# ").or_else(|| line.strip_prefix('#')).unwrap_or(line));
    Some(toml.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "#!/usr/bin/env -S uv run
# /// script
# requires-python = \">=3.11\"
# dependencies = [
#   \"torch==2.4.1\",
#
#   'transformers[torch]>=4.40,<5',  # for the model
# ]
# ///
import torch
";

    #[test]
    fn a_script_says_what_it_runs_with() {
        let versions = of_script(SCRIPT);
        assert_eq!(versions.get("torch").and_then(|known| known.exact.as_deref()), Some("2.4.1"));
        assert_eq!(versions.at_least("transformers", &[5]), Some(false));
        assert_eq!(of_script(&SCRIPT.replace('\n', "\r\n")), versions);
    }

    #[test]
    fn a_block_that_is_none_says_nothing() {
        let broken = [
            SCRIPT.replace("# ///\n", ""),
            SCRIPT.replace("# /// script", "# /// other"),
            SCRIPT.replace("# ]", ""),
            SCRIPT.replace("dependencies = [", "dependencies = 3 #"),
            "# /// script".to_owned(),
        ];
        for script in broken {
            assert!(of_script(&script).is_empty(), "{script}");
        }
    }
}
