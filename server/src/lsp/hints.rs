//! The size of what is loaded, beside the call that loads it.

use tower_lsp::lsp_types::{InlayHint, InlayHintLabel, InlayHintTooltip, Range};

use crate::estimate::Estimate;
use crate::lsp::document::Checked;
use crate::lsp::hover;
use crate::lsp::profile::Profile;
use crate::report::{Report, label};

/// The hints in a range. Only what has a number has one, and none where they are not wanted.
pub fn within(checked: &Checked, range: Range, profile: &Profile) -> Vec<InlayHint> {
    if !checked.settings.inlay_hints {
        return Vec::new();
    }
    let asked = profile.encoding.span(&checked.text, range);
    let there = checked.estimates.iter().filter(|estimate| {
        let end = estimate.location.span.end;
        asked.start <= end && end <= asked.end
    });
    there.filter_map(|estimate| hint(estimate, checked, profile)).collect()
}

fn hint(estimate: &Estimate, checked: &Checked, profile: &Profile) -> Option<InlayHint> {
    let amount = estimate.amount.as_ref().ok()?;
    let tooltip = hover::content(&Report::new(estimate), profile.markup);
    Some(InlayHint {
        position: profile.encoding.position(&checked.text, estimate.location.span.end as usize),
        label: InlayHintLabel::String(label(amount)),
        kind: None,
        text_edits: None,
        tooltip: Some(InlayHintTooltip::MarkupContent(tooltip)),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tower_lsp::lsp_types::Position;

    use super::*;
    use crate::lsp::configuration::DocumentSettings;
    use crate::lsp::document::tests::checked_with_loads;

    const TEXT: &str = "a = load('m')\n'😀'; b = load(\n    'n',\n)\nc = load('unknown')\n";

    fn hints(checked: &Checked, lines: (u32, u32)) -> Vec<(u32, u32, String)> {
        let range = Range::new(Position::new(lines.0, 0), Position::new(lines.1, 0));
        let hints = within(checked, range, &Profile::default()).into_iter();
        let read = |hint: InlayHint| match hint.label {
            InlayHintLabel::String(label) => (hint.position.line, hint.position.character, label),
            InlayHintLabel::LabelParts(_) => unreachable!("labels are one text"),
        };
        hints.map(read).collect()
    }

    #[test]
    fn a_hint_stands_after_its_call_and_only_in_the_asked_range() {
        let checked = checked_with_loads(TEXT);
        let size = "14.96 GiB".to_owned();
        assert_eq!(hints(&checked, (0, 9)), [(0, 13, size.clone()), (3, 1, size.clone())]);
        assert_eq!(hints(&checked, (0, 1)), [(0, 13, size.clone())]);
        assert_eq!(hints(&checked, (1, 4)), [(3, 1, size)]);
        assert_eq!(hints(&checked, (4, 5)), []);
    }

    #[test]
    fn they_can_be_turned_off() {
        let mut checked = checked_with_loads(TEXT);
        checked.settings = Arc::new(DocumentSettings { inlay_hints: false, ..DocumentSettings::default() });
        assert_eq!(hints(&checked, (0, 9)), []);
    }
}
