//! Expectations in tests, written with carets under the code they are about: `# ^^^^ what is expected there`.

use vramlens_grammars::Span;

/// A source without its annotations, and what they say about it.
#[derive(Debug)]
pub struct Annotated {
    /// The source, without the lines that annotate it.
    pub source: String,
    /// What is expected, and where, in order.
    pub notes: Vec<(Span, String)>,
}

/// Takes the annotations out of a source. Each is about the nearest line of code above it.
pub fn read(annotated: &str) -> Annotated {
    let mut source = String::new();
    let mut notes = Vec::new();
    let mut line_above = Span::at(0);
    for line in annotated.trim_start_matches('\n').split_inclusive('\n') {
        if let Some((first, count, words)) = annotation(line) {
            let text = line_above.text(&source);
            let span = Span::new(byte(text, first), byte(text, first + count));
            notes.push((Span::new(line_above.start + span.start, line_above.start + span.end), words));
        } else {
            let start = offset(source.len());
            source.push_str(line);
            line_above = Span::new(start, offset(source.len()));
        }
    }
    notes.sort();
    Annotated { source, notes }
}

/// Writes annotations into a source; what is about several lines is written under the first.
pub fn write(source: &str, notes: &[(Span, String)]) -> String {
    let mut annotated = String::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let span = Span::new(start, start + offset(line.len()));
        annotated.push_str(line);
        for (place, words) in notes.iter().filter(|(place, _)| span.contains(Span::at(place.start))) {
            let is_next_line = place.start == span.end && line.ends_with('\n');
            if !is_next_line {
                let before = Span::new(start, place.start).text(source).chars().count();
                let under = place.text(source).lines().next().unwrap_or_default().chars().count();
                let comment = if before == 0 { "" } else { "#" };
                let space = " ".repeat(before.saturating_sub(1));
                let carets = "^".repeat(under);
                annotated.extend([comment, &space, &carets, " ", words, "\n"]);
            }
        }
        start = span.end;
    }
    annotated
}

/// Cuts ranges at the end of their first line, which is as far as an annotation reaches.
pub fn on_first_line(source: &str, span: Span) -> Span {
    let line = span.text(source).lines().next().unwrap_or_default();
    Span::new(span.start, span.start + offset(line.len()))
}

/// The column, the width and the words of a line that annotates the one above.
fn annotation(line: &str) -> Option<(usize, usize, String)> {
    let marks = line.trim_start_matches([' ', '\t', '#']);
    let words = marks.trim_start_matches('^');
    let count = marks.len() - words.len();
    let first = line.chars().count() - marks.chars().count();
    (count > 0).then(|| (first, count, words.trim().to_owned()))
}

/// Where a character stands in a line.
fn byte(line: &str, character: usize) -> u32 {
    offset(line.char_indices().nth(character).map_or(line.len(), |(at, _)| at))
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[test]
fn annotations_are_taken_out_and_put_back() {
    let annotated = "é = f(a)\n#   ^^^^ call\n#     ^ name\nb = 1\n^ another name\n";
    let Annotated { source, notes } = read(annotated);
    assert_eq!(source, "é = f(a)\nb = 1\n");
    let texts: Vec<(&str, &str)> =
        notes.iter().map(|(span, words)| (span.text(&source), words.as_str())).collect();
    assert_eq!(texts, [("f(a)", "call"), ("a", "name"), ("b", "another name")]);
    assert_eq!(write(&source, &notes), annotated);
}
