//! The same program with its imports under other names: what matters is what a name stands for.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;
use vramlens_grammars::Document;

use crate::tree::{identifier, is_imported, keyword_name, of, replace, visit};

/// The document with everything it imports renamed: `import torch` becomes `import torch as i0z`. A name
/// that a dotted import binds, or that something else binds too, stays.
pub fn aliased(document: &Document) -> Document {
    let Ok(tree) = &document.syntax else { return document.clone() };
    let aliases = Aliases::collect(tree.root_node(), document.source.text());
    replace(document, |node, text| aliases.replacement(node, text))
}

#[derive(Default)]
struct Aliases {
    fresh: BTreeMap<String, String>,
    fixed: BTreeSet<String>,
}

impl Aliases {
    fn collect(root: Node, text: &str) -> Self {
        let mut aliases = Self::default();
        visit(root, &mut |node| aliases.note(node, text));
        let Self { fresh, fixed } = &mut aliases;
        fresh.retain(|name, _| !fixed.contains(name));
        aliases
    }

    fn note(&mut self, node: Node, text: &str) {
        if let Some(name) = bound_by_import(node, text) {
            let fresh = format!("i{}z", self.fresh.len());
            self.fresh.entry(name).or_insert(fresh);
        } else if let Some(parent) = node.parent()
            && node.kind() == "dotted_name"
            && parent.kind() == "import_statement"
        {
            self.fixed.extend(node.named_child(0).and_then(|root| identifier(root, text)));
        } else if is_bound_otherwise(node) {
            self.fixed.extend(identifier(node, text));
        }
    }

    fn replacement(&self, node: Node, text: &str) -> Option<String> {
        if let Some(name) = bound_by_import(node, text) {
            let fresh = self.fresh.get(&name)?;
            let is_alias = node.kind() == "identifier";
            return Some(if is_alias { fresh.clone() } else { format!("{} as {fresh}", of(node, text)) });
        }
        let parent = node.parent()?;
        let is_value = !is_imported(node)
            && keyword_name(parent) != Some(node)
            && !(parent.kind() == "attribute" && parent.child_by_field_name("attribute") == Some(node));
        let word = identifier(node, text).filter(|_| is_value)?;
        self.fresh.get(&word).cloned()
    }
}

/// The name that an import binds here, if this node is where a new one can stand: an alias, or a single
/// name without one.
fn bound_by_import(node: Node, text: &str) -> Option<String> {
    let parent = node.parent()?;
    let named = |field| parent.child_by_field_name(field) == Some(node);
    match (parent.kind(), node.kind()) {
        ("aliased_import", "identifier") if named("alias") => identifier(node, text),
        ("import_statement", "dotted_name") if node.named_child_count() == 1 => {
            Some(of(node, text).to_owned())
        }
        ("import_from_statement", "dotted_name") if !named("module_name") => Some(of(node, text).to_owned()),
        _ => None,
    }
}

/// Whether an identifier is bound by something other than an import: a target, a parameter, a definition.
fn is_bound_otherwise(node: Node) -> bool {
    let Some(parent) = node.parent() else { return false };
    let named = |field| parent.child_by_field_name(field) == Some(node);
    match parent.kind() {
        "assignment" | "for_statement" | "for_in_clause" => named("left"),
        "function_definition" | "class_definition" | "named_expression" | "default_parameter" => {
            named("name")
        }
        "parameters" | "lambda_parameters" | "typed_parameter" | "pattern_list" | "tuple_pattern"
        | "as_pattern_target" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use vramlens_grammars::Source;

    use super::*;

    #[test]
    fn imports_get_aliases_and_uses_follow() {
        let script = "import torch\nimport os.path\nimport numpy as np\nfrom torch import nn\n\
                      x = torch.zeros(1, nn=np.pi).torch\nos.path.join(nn)\n";
        let expected = "import torch as i0z\nimport os.path\nimport numpy as i1z\nfrom torch import nn as i2z\n\
                        x = i0z.zeros(1, nn=i1z.pi).torch\nos.path.join(i2z)\n";
        let document = aliased(&Document::python(Source::file(script.to_owned())));
        assert_eq!(document.source.text(), expected);
    }
}
