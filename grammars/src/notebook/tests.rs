//! Notebooks as their authors and their tools write them.

use super::{Notebook, NotebookError, magics};

fn read(json: &str) -> Notebook {
    match Notebook::read(json) {
        Ok(notebook) => notebook,
        Err(error) => panic!("{error:?}: {json}"),
    }
}

#[track_caller]
fn check_blanked(code: &str, expected: &str) {
    let blanked = magics::blanked(code);
    assert_eq!(blanked, expected);
    assert_eq!(blanked.len(), code.len());
}

const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": ["# Training"]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [{"data": {"image/png": "iVBORw0KGgo"}, "output_type": "display_data"}],
   "source": [
    "%matplotlib inline\n",
    "import torch\n",
    "!pip install transformers"
   ]
  },
  {
   "cell_type": "code",
   "metadata": {},
   "outputs": [],
   "source": "total_loss += loss\n"
  }
 ],
 "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
 "nbformat": 4,
 "nbformat_minor": 2
}
"##;

#[test]
fn code_cells_become_one_module_and_keep_their_index_among_all_cells() {
    let notebook = read(NOTEBOOK);
    let source = notebook.source();
    let cells: Vec<_> = source.pieces().iter().map(|piece| piece.cell).collect();
    assert_eq!(cells, [Some(1), Some(2)]);
    assert_eq!(source.piece_text(Some(1)), Some(&*format!("{:18}\nimport torch\n{:25}", "", "")));
    assert_eq!(source.piece_text(Some(2)), Some("total_loss += loss\n"));
    assert_eq!(notebook.cell_text(1), Some("%matplotlib inline\nimport torch\n!pip install transformers"));
    assert_eq!(notebook.cell_text(3), None);
}

#[test]
fn format_3_keeps_its_cells_in_worksheets() {
    let notebook = read(
        r#"{"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": [
            {"cell_type": "heading", "level": 1, "source": "a"},
            {"cell_type": "code", "language": "python", "input": ["import torch\n", "x = 1"], "outputs": []}]}]}"#,
    );
    assert_eq!(notebook.cell_text(1), Some("import torch\nx = 1"));
    assert_eq!(notebook.source().pieces().len(), 1);
}

#[test]
fn cells_keep_the_number_of_their_last_run() {
    let cell = |fields: &str| format!(r#"{{"cell_type": "code", "source": "x"{fields}}}"#);
    let cells = [
        cell(r#", "execution_count": 12"#),
        cell(r#", "execution_count": null"#),
        cell(""),
        cell(r#", "execution_count": "*""#),
        cell(r#", "prompt_number": 3"#),
    ];
    let notebook = read(&format!(r#"{{"nbformat": 4, "cells": [{}]}}"#, cells.join(",")));
    assert_eq!(notebook.source().runs().collect::<Vec<_>>(), [(0, 12), (4, 3)]);
}

#[test]
fn a_notebook_in_another_language_has_no_code() {
    for metadata in [
        r#"{"kernelspec": {"language": "R", "name": "ir"}}"#,
        r#"{"language_info": {"name": "julia"}}"#,
        r#"{"kernelspec": {"name": "ir"}}"#,
    ] {
        let json = format!(
            r#"{{"nbformat": 4, "metadata": {metadata}, "cells": [{{"cell_type": "code", "source": "x"}}]}}"#
        );
        assert_eq!(read(&json).source().text(), "", "{metadata}");
    }
}

#[test]
fn a_notebook_that_says_little_is_read() {
    let notebook =
        read(r#"{"nbformat": 4, "cells": [{"cell_type": "code"}, {"cell_type": "code", "source": null}]}"#);
    assert_eq!(notebook.cells.len(), 2);
    assert_eq!(notebook.source().text(), "\n\n");
}

#[test]
fn what_is_wrong_with_a_notebook_is_told_apart() {
    let error = |json: &str| Notebook::read(json).err();
    assert_eq!(error("{\n \"cells\": [,]\n}"), Some(NotebookError::NotJson { line: 2, column: 12 }));
    assert_eq!(error("{\"nbformat\": 4, \"cells\": ["), Some(NotebookError::NotJson { line: 1, column: 26 }));
    assert_eq!(error("[1, 2]"), Some(NotebookError::NotNotebook));
    assert_eq!(error("{\"cells\": []}"), Some(NotebookError::NotNotebook));
    assert_eq!(
        error(r#"{"nbformat": 4, "cells": [{"cell_type": "code", "source": 1}]}"#),
        Some(NotebookError::NotNotebook)
    );
    assert_eq!(error("{\"nbformat\": 2}"), Some(NotebookError::UnsupportedFormat(2)));
}

#[test]
fn commands_are_blanked_in_place() {
    check_blanked("%cd x\ny = 1\n", "     \ny = 1\n");
    check_blanked("!ls \\\n  -l\ny\n", "     \n    \ny\n");
    check_blanked("?print\nprint?\nx.y??\n", "      \n      \n     \n");
    check_blanked("x = !ls é\r\n", "x = ...   \r\n");
    check_blanked("a, b = %sql q\n", "a, b = ...   \n");
}

#[test]
fn a_block_of_commands_stays_a_block() {
    check_blanked("if a:\n    !ls -l\n", "if a:\n    pass  \n");
    check_blanked("if a:\n    !l\nelse:\n    a?\n", "if a:\n    0 \nelse:\n    0 \n");
}

#[test]
fn what_only_looks_like_a_command_is_python() {
    for code in [
        "x = (5\n% 3)\n",
        "x = 5 \\\n% 3\n",
        "s = '''\n%time\n!ls\nwhat?\n'''\n",
        "x = 'a = !b'\ny = a != b\nz %= 3\n",
        "f(a=1)  # what?\n",
        "x = 1 # y = !ls\n",
        "print('why?')\n",
        "x == y\n",
    ] {
        check_blanked(code, code);
    }
}

#[test]
fn timed_python_stays() {
    check_blanked("%%time\ntotal += loss\n", "      \ntotal += loss\n");
    check_blanked("\n%%capture out\n%%timeit -n 1\nx\n", "\n             \n             \nx\n");
    check_blanked("%time x = f(y)\n", "pass; x = f(y)\n");
    check_blanked("%timeit -n 10 -r2 f(y)\n", "pass;             f(y)\n");
    check_blanked("%time for x in y: pass\n", "                      \n");
}

#[test]
fn cells_in_another_language_are_blanked() {
    check_blanked("%%bash\npip install é\r\n", "      \n              \r\n");
    check_blanked("%%writefile train.py\nimport torch\n", "                    \n            \n");
}

#[test]
fn replacing_nothing_changes_nothing() {
    let notebook = read(NOTEBOOK);
    assert_eq!(notebook.with_cells_replaced(NOTEBOOK, &[]), NOTEBOOK);
    assert_eq!(notebook.with_cells_replaced(NOTEBOOK, &[(2, "total_loss += loss\n".into())]), NOTEBOOK);
}

#[test]
fn a_replaced_cell_keeps_its_form() {
    let notebook = read(NOTEBOOK);
    let replacements =
        [(2, "total_loss += loss.item()\n".to_owned()), (1, "import torch\nx = \"é\"\n\ny".to_owned())];
    let written = notebook.with_cells_replaced(NOTEBOOK, &replacements);
    let expected = NOTEBOOK.replace("\"total_loss += loss\\n\"", "\"total_loss += loss.item()\\n\"").replace(
        "    \"%matplotlib inline\\n\",\n    \"import torch\\n\",\n    \"!pip install transformers\"\n",
        "    \"import torch\\n\",\n    \"x = \\\"\\u00e9\\\"\\n\",\n    \"\\n\",\n    \"y\"\n",
    );
    assert_eq!(written, expected);
    assert_eq!(read(&written).cell_text(1), Some("import torch\nx = \"é\"\n\ny"));
}

#[test]
fn text_that_was_not_escaped_is_not() {
    let json = r#"{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["é = 1"]}]}"#;
    let written = read(json).with_cells_replaced(json, &[(0, "é = 1\nü = 2".into())]);
    assert_eq!(written, json.replace(r#"["é = 1"]"#, r#"["é = 1\n", "ü = 2"]"#));
}

mod properties {
    use proptest::prelude::*;

    use super::super::{Notebook, magics};
    use super::read;

    /// Code of a cell, from what is hard to write to JSON and what looks like a command.
    fn code() -> impl Strategy<Value = String> {
        let pieces = [
            "x = ", "%%time\n", "!ls", "\n", "    ", "'''", "(", "\\\n", "\\", "?", "\"", "\r\n", "é",
            "\u{0}",
        ];
        let piece = prop_oneof![
            4 => proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned),
            1 => any::<char>().prop_map(String::from),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    /// A notebook of these cells, each a string or a list laid out in one of three ways.
    fn notebook(cells: &[(u8, String)]) -> String {
        let cells = cells.iter().map(|(form, code)| {
            let lines = code.split_inclusive('\n').map(|line| serde_json::Value::from(line).to_string());
            let lines: Vec<String> = lines.collect();
            let source = match form {
                0 => serde_json::Value::from(code.as_str()).to_string(),
                1 => format!("[{}]", lines.join(",")),
                _ => format!("[\n    {}\n   ]", lines.join(",\n    ")),
            };
            format!("{{ \"outputs\": [{{\"a\": [1]}}],\n \"source\" : {source}, \"cell_type\": \"code\" }}")
        });
        format!("{{\"cells\": [{}], \"nbformat\": 4 }}\n\n", cells.collect::<Vec<_>>().join(" ,\n"))
    }

    fn cells() -> impl Strategy<Value = Vec<(u8, String)>> {
        proptest::collection::vec((0..3_u8, code()), 1..5)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read_or_refused(json in any::<String>()) {
            let _ = Notebook::read(&json);
        }

        #[test]
        fn blanking_keeps_every_offset(code in code()) {
            let blanked = magics::blanked(&code);
            prop_assert_eq!(blanked.len(), code.len());
            let line_ends = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert_eq!(line_ends(&blanked), line_ends(&code));
        }

        #[test]
        fn what_is_written_is_read_back(cells in cells(), texts in proptest::collection::vec(code(), 5)) {
            let json = notebook(&cells);
            let before = read(&json);
            for (cell, (_, text)) in before.cells.iter().zip(&cells) {
                prop_assert_eq!(&cell.text, text);
            }
            prop_assert_eq!(before.with_cells_replaced(&json, &[]), json.as_str());
            let replacements: Vec<(u32, String)> = (0..).zip(texts).step_by(2).collect();
            let after = read(&before.with_cells_replaced(&json, &replacements));
            prop_assert_eq!(after.cells.len(), cells.len());
            for (index, (cell, (_, text))) in (0..).zip(after.cells.iter().zip(&cells)) {
                let replaced = replacements.iter().find(|(at, _)| *at == index).map(|(_, text)| text);
                prop_assert_eq!(&cell.text, replaced.unwrap_or(text));
            }
        }

        #[test]
        fn what_is_found_in_a_cell_is_located_there(cells in cells()) {
            let source = read(&notebook(&cells)).source();
            for piece in source.pieces() {
                let located = source.locate(piece.span);
                prop_assert_eq!(located.cell, piece.cell);
                prop_assert_eq!(located.span.start, 0);
                prop_assert_eq!(source.piece_text(piece.cell), Some(piece.span.text(source.text())));
                for start in piece.span.start..piece.span.end {
                    let located = source.locate(crate::Span::new(start, piece.span.end));
                    prop_assert_eq!((located.cell, located.span.start), (piece.cell, start - piece.span.start));
                }
            }
        }
    }
}
