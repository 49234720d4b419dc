//! What is shown of an estimate where the pointer rests.

use tower_lsp::lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};
use vramlens_grammars::Span;

use crate::estimate::Estimate;
use crate::lsp::document::Checked;
use crate::lsp::profile::Profile;
use crate::report::{Markup, Report};

/// The report of the estimate at a position, with the range it is shown for.
pub fn at(checked: &Checked, position: Position, profile: &Profile) -> Option<Hover> {
    let encoding = profile.encoding;
    let offset = encoding.offset(&checked.text, position);
    let (span, estimate) = pointed_at(checked, offset)?;
    Some(Hover {
        contents: HoverContents::Markup(content(&Report::new(estimate), profile.markup)),
        range: Some(encoding.range(&checked.text, span)),
    })
}

/// A report in the form that the client takes.
pub fn content(report: &Report, markup: Markup) -> MarkupContent {
    let kind = match markup {
        Markup::Plain => MarkupKind::PlainText,
        Markup::Markdown => MarkupKind::Markdown,
    };
    MarkupContent { kind, value: report.write(markup) }
}

/// The part of the text at an offset that has an estimate; the smallest, where parts lie in one another.
fn pointed_at(checked: &Checked, offset: usize) -> Option<(Span, &Estimate)> {
    let parts = checked.estimates.iter().flat_map(|estimate| {
        let spans = estimate.hover.iter().map(|location| location.span);
        spans.map(move |span| (span, estimate))
    });
    let touched = parts.filter(|(span, _)| (span.start as usize..=span.end as usize).contains(&offset));
    // A pointer between two parts is on the one that begins there.
    touched.min_by_key(|(span, _)| (span.end as usize == offset, span.end - span.start))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may fail")]
mod tests {
    use super::*;
    use crate::lsp::document::tests::checked_with_loads;
    use crate::lsp::position::Encoding;

    /// The text that the hover at a marked place is about, and what it says first.
    fn hover(marked: &str, profile: &Profile) -> Option<(String, String)> {
        let (before, after) = marked.split_once('|').unwrap();
        let checked = checked_with_loads(&format!("{before}{after}"));
        let position = profile.encoding.position(&checked.text, before.len());
        let hover = at(&checked, position, profile)?;
        let span = profile.encoding.span(&checked.text, hover.range.unwrap());
        let HoverContents::Markup(content) = hover.contents else { return None };
        let place = span.text(checked.document.source.text()).to_owned();
        Some((place, content.value.lines().next().unwrap().to_owned()))
    }

    fn profile(encoding: Encoding, markup: Markup) -> Profile {
        Profile { encoding, markup, ..Profile::default() }
    }

    #[test]
    fn the_range_is_the_part_that_is_pointed_at() {
        let text = "'é損失😀'; model = load('m'); other = load('n')\n";
        let words = "`meta-llama/Llama-3.1-8B`: 14.96 GiB of weights on the GPU (8.03B parameters, bfloat16)";
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let profile = profile(encoding, Markup::Plain);
            for (place, part) in [
                ("|load('m')", "load"),
                ("lo|ad('m')", "load"),
                ("load|('m')", "load"),
                ("load(|'m')", "'m'"),
            ] {
                let said = hover(&text.replace("load('m')", place), &profile);
                assert_eq!(said, Some((part.to_owned(), words.to_owned())), "{place} {encoding:?}");
            }
            assert_eq!(hover(&text.replace("load('m')", "load('m')|"), &profile), None);
            assert_eq!(hover(&text.replace("model", "m|odel"), &profile), None);
        }
    }

    #[test]
    fn the_form_is_the_one_that_the_client_takes() {
        let said = |markup| hover("m = l|oad('m')\n", &profile(Encoding::Utf16, markup)).unwrap().1;
        assert!(said(Markup::Markdown).starts_with("**`meta"), "{}", said(Markup::Markdown));
        assert!(said(Markup::Plain).starts_with("`meta"), "{}", said(Markup::Plain));
    }
}
