//! Numbers and strings.

use super::Lowering;
use super::concrete::NodeId;
use super::kinds::{Field, Kind};
use crate::python::syntax::{Constant, ExprId, ExprKind};

/// An integer literal's value.
pub(super) fn integer(text: &str) -> Constant {
    let digits = text.trim_end_matches(['l', 'L']).replace('_', "").to_ascii_lowercase();
    if digits.ends_with('j') {
        return Constant::Other;
    }
    let (digits, radix) = match digits.get(..2) {
        Some("0x") => (digits.get(2..).unwrap_or(""), 16),
        Some("0o") => (digits.get(2..).unwrap_or(""), 8),
        Some("0b") => (digits.get(2..).unwrap_or(""), 2),
        _ => (digits.as_str(), 10),
    };
    match i64::from_str_radix(digits, radix) {
        Ok(value) => Constant::Int(value),
        Err(_) if radix == 10 => float(digits),
        Err(_) => {
            let digits = digits.chars().filter_map(|c| c.to_digit(radix));
            let radix = f64::from(radix);
            Constant::Float(digits.fold(0.0, |value, digit| value * radix + f64::from(digit)))
        }
    }
}

/// A float literal's value.
pub(super) fn float(text: &str) -> Constant {
    text.replace('_', "").parse().map_or(Constant::Other, Constant::Float)
}

/// What a string's prefix says about it.
#[derive(Clone, Copy)]
struct Prefix {
    raw: bool,
    bytes: bool,
    formatted: bool,
}

impl Lowering<'_> {
    /// Lowers a string, or strings written side by side.
    pub(super) fn string(&mut self, node: NodeId) -> ExprKind {
        let tree = self.tree;
        let strings: Vec<NodeId> = if tree.kind(node) == Kind::String {
            vec![node]
        } else {
            tree.children_of_kind(node, Kind::String).collect()
        };
        let prefixes: Vec<Prefix> = strings.iter().map(|string| self.prefix(*string)).collect();
        if prefixes.iter().any(|prefix| prefix.bytes) {
            return ExprKind::Constant(Constant::Other);
        }
        let pieces = strings.into_iter().zip(&prefixes);
        if prefixes.iter().any(|prefix| prefix.formatted) {
            let mut parts = Vec::new();
            pieces.for_each(|(string, prefix)| self.formatted_parts(string, *prefix, &mut parts));
            return ExprKind::FormattedText(parts);
        }
        let mut decoded = String::new();
        for (string, prefix) in pieces {
            for content in tree.children_of_kind(string, Kind::StringContent) {
                decode(self.text(content), *prefix, &mut decoded);
            }
        }
        ExprKind::Constant(Constant::Text(decoded))
    }

    fn prefix(&self, string: NodeId) -> Prefix {
        let start = self.tree.child(string, Kind::StringStart).map_or("", |start| self.text(start));
        let has = |letter: char| start.chars().any(|c| c.eq_ignore_ascii_case(&letter));
        Prefix { raw: has('r'), bytes: has('b'), formatted: has('f') || has('t') }
    }

    fn formatted_parts(&mut self, string: NodeId, prefix: Prefix, parts: &mut Vec<ExprId>) {
        let tree = self.tree;
        for child in tree.children(string) {
            match tree.kind(child) {
                Kind::StringContent => {
                    let mut decoded = String::new();
                    decode(self.text(child), prefix, &mut decoded);
                    let text = ExprKind::Constant(Constant::Text(decoded));
                    parts.push(self.module.add_expr(self.span(child), text));
                }
                Kind::Interpolation => self.interpolation(child, parts),
                _ => {}
            }
        }
    }

    /// `{value!r:>{width}}`: the value, then the values in its format.
    fn interpolation(&mut self, node: NodeId, parts: &mut Vec<ExprId>) {
        let tree = self.tree;
        parts.push(self.expr_field(node, Field::Expression));
        let Some(format) = tree.field(node, Field::FormatSpecifier) else { return };
        // What a format makes of the value is not followed.
        parts.push(self.module.add_expr(self.span(format), ExprKind::Unreadable(Vec::new())));
        for nested in tree.children_of_kind(format, Kind::FormatExpression) {
            self.deeper(|lowering| lowering.interpolation(nested, parts));
        }
    }
}

/// Appends the text a string's content stands for. Escapes by Unicode name stay as they are.
fn decode(written: &str, prefix: Prefix, out: &mut String) {
    let mut rest = written;
    while let Some(at) = rest.find(['\\', '{', '}']) {
        let (before, special) = rest.split_at(at);
        out.push_str(before);
        let brace = special.starts_with("{{") || special.starts_with("}}");
        let (taken, decoded) = if prefix.formatted && brace {
            (2, special.chars().next())
        } else if special.starts_with('\\') && !prefix.raw {
            escape(special)
        } else {
            (1, special.chars().next())
        };
        out.extend(decoded);
        rest = special.get(taken..).unwrap_or("");
    }
    out.push_str(rest);
}

/// The bytes an escape takes and what it stands for.
fn escape(text: &str) -> (usize, Option<char>) {
    let Some(letter) = text.chars().nth(1) else { return (1, Some('\\')) };
    let simple = match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '\\' | '\'' | '"' => letter,
        '\n' => return (2, None),
        '\r' => return (if text.starts_with("\\\r\n") { 3 } else { 2 }, None),
        'x' => return numeric(text, 2, 2, 16),
        'u' => return numeric(text, 2, 4, 16),
        'U' => return numeric(text, 2, 8, 16),
        '0'..='7' => return numeric(text, 1, 3, 8),
        _ => return (1, Some('\\')),
    };
    (2, Some(simple))
}

fn numeric(text: &str, start: usize, most: usize, radix: u32) -> (usize, Option<char>) {
    let digits = text.get(start..).unwrap_or("");
    let length = digits.chars().take(most).take_while(|c| c.is_digit(radix)).count();
    let value = digits.get(..length).and_then(|digits| u32::from_str_radix(digits, radix).ok());
    match value.and_then(char::from_u32) {
        Some(decoded) => (start + length, Some(decoded)),
        None => (1, Some('\\')),
    }
}
