//! The comment that silences one finding on its line.

use tree_sitter::{Node, Tree};
use vramlens_grammars::{Document, Location, Span};

use crate::finding::{Edit, Finding};
use crate::suppression::list_end;

/// The edit that silences a finding by a comment: at the end of its first line, or of its last one
/// when the first ends inside a string or with a backslash. A comment of ours that is there already
/// gets the code added to its list. `None` when neither line can take a comment.
pub fn ignore(document: &Document, finding: &Finding) -> Option<Edit> {
    let tree = document.syntax.as_ref().ok()?;
    let text = document.source.text();
    let piece = document.source.pieces().iter().find(|piece| piece.cell == finding.location.cell)?;
    let span = finding.location.span;
    let last = span.end.saturating_sub(1).max(span.start);
    let (at, content) = [span.start, last].into_iter().find_map(|offset| {
        let end = line_end(text, (piece.span.start + offset) as usize)?;
        comment(tree, text, end, finding.code)
    })?;
    let at = u32::try_from(at).ok()?.checked_sub(piece.span.start)?;
    Some(Edit { location: Location { cell: piece.cell, span: Span::at(at) }, content })
}

/// Where the line that holds `offset` ends, before its line break.
fn line_end(text: &str, offset: usize) -> Option<usize> {
    let rest = text.get(offset..)?;
    Some(offset + rest.find(['\n', '\r']).unwrap_or(rest.len()))
}

/// Where to insert what, so that the line that ends at `end` ignores `code`.
fn comment(tree: &Tree, text: &str, end: usize, code: &str) -> Option<(usize, String)> {
    let line = text.get(..end)?;
    let before = end.checked_sub(line.chars().next_back()?.len_utf8())?;
    let node = tree.root_node().descendant_for_byte_range(before, end)?;
    if node.kind() == "comment" {
        let list = list_end(text.get(node.byte_range())?);
        return Some(list.map_or_else(
            || (end, remark(code)),
            |offset| (node.start_byte() + offset, format!(", {code}")),
        ));
    }
    let in_string = is_in_string(node, end) || opens_string(tree, end);
    let takes_comment = !line.ends_with('\\') && !in_string;
    takes_comment.then(|| (end, remark(code)))
}

fn remark(code: &str) -> String {
    format!("  # vramlens: ignore[{code}]")
}

/// Whether the line break at `end` is part of a string.
fn is_in_string(node: Node<'_>, end: usize) -> bool {
    let mut ancestors = std::iter::successors(Some(node), Node::parent).take(32);
    ancestors.any(|node| node.kind() == "string" && node.end_byte() > end)
}

/// Whether a string is opened before `end` and closed nowhere. The parser goes on as if it were not
/// there, but the person may be about to close it below.
fn opens_string(tree: &Tree, end: usize) -> bool {
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        let mut cursor = node.walk();
        let children = node.children(&mut cursor).filter(|child| child.start_byte() < end);
        for child in children {
            if node.is_error() && child.kind() == "string_start" {
                return true;
            }
            if child.has_error() {
                waiting.push(child);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use vramlens_grammars::Source;

    use super::*;
    use crate::analysis::analyze;
    use crate::fixes::apply_to_source;
    use crate::settings::Settings;
    use crate::surroundings::Surroundings;

    /// A finding on the first `mark` of a text, moved there from a real one.
    fn finding(text: &str, mark: &str) -> Option<Finding> {
        let sample = Document::python(Source::file(SAMPLE.to_owned()));
        let mut finding = analyze(&sample, &Surroundings::default(), &Settings::default()).findings.pop()?;
        let start = u32::try_from(text.find(mark)?).ok()?;
        let end = start + u32::try_from(mark.len()).ok()?;
        finding.location = Location { cell: None, span: Span::new(start, end) };
        Some(finding)
    }

    const SAMPLE: &str = "\
import torch
model = torch.nn.Linear(10, 2).cuda()
criterion = torch.nn.CrossEntropyLoss()
loader = torch.utils.data.DataLoader(data)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total_loss = 0.0
for x, y in loader:
    loss = criterion(model(x.cuda()), y.cuda())
    loss.backward()
    optimizer.step()
    total_loss += loss
print(total_loss / len(loader))
";

    fn ignored(text: &str, mark: &str) -> Option<String> {
        let document = Document::python(Source::file(text.to_owned()));
        let edit = ignore(&document, &finding(text, mark)?)?;
        Some(apply_to_source(&document.source, &[edit]).text().to_owned())
    }

    #[test]
    fn a_comment_is_put_at_the_end_of_the_line() {
        let after = ignored("a = 1\r\nb = 2\r\n", "a = 1");
        assert_eq!(after.as_deref(), Some("a = 1  # vramlens: ignore[OOM101]\r\nb = 2\r\n"));
        assert_eq!(ignored("a = 1", "a").as_deref(), Some("a = 1  # vramlens: ignore[OOM101]"));
    }

    #[test]
    fn a_list_that_is_there_is_extended() {
        let after = ignored("a = 1  # why  # vramlens: ignore[OOM102] true\n", "a");
        assert_eq!(after.as_deref(), Some("a = 1  # why  # vramlens: ignore[OOM102, OOM101] true\n"));
        let after = ignored("a = 1  #VRAMlens:Ignore[ oom102 ]\n", "a");
        assert_eq!(after.as_deref(), Some("a = 1  #VRAMlens:Ignore[ oom102 , OOM101]\n"));
        let after = ignored("a = 1  # why\n", "a");
        assert_eq!(after.as_deref(), Some("a = 1  # why  # vramlens: ignore[OOM101]\n"));
    }

    #[test]
    fn what_is_ignored_is_found_no_more() {
        for comment in ["", "  # why", "  # noqa: E501", "  # vramlens: ignore[OOM2]", "  #vramlens:ignore[]"]
        {
            let text = SAMPLE.replace("+= loss\n", &format!("+= loss{comment}\n"));
            let Some(after) = ignored(&text, "total_loss += loss") else {
                panic!("nothing to do: {comment}")
            };
            let document = Document::python(Source::file(after));
            assert_eq!(
                analyze(&document, &Surroundings::default(), &Settings::default()).findings,
                [],
                "{comment}"
            );
        }
    }

    #[test]
    fn a_string_over_several_lines_is_never_written_into() {
        let text = "a = f(\"\"\"x\n# vramlens: ignore[OOM102]\ny\"\"\", 1)\n";
        let after = ignored(text, text.trim_end());
        assert_eq!(after, Some(format!("{}  # vramlens: ignore[OOM101]\n", text.trim_end())));
        assert_eq!(ignored(text, "a ="), None);
        assert_eq!(ignored("a = \"\"\"never closed\n", "a"), None);
    }

    #[test]
    fn a_line_that_goes_on_after_a_backslash_takes_no_comment() {
        assert_eq!(ignored("a = \\\n  1\n", "a"), None);
        let after = ignored("a = \\\n  1\n", "a = \\\n  1");
        assert_eq!(after.as_deref(), Some("a = \\\n  1  # vramlens: ignore[OOM101]\n"));
    }
}
