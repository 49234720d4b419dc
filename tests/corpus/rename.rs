//! The same program under other names: what a script says must not depend on what it calls things.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;
use vramlens_grammars::Document;

use crate::tree::{enclosing, identifier, is_imported, keyword_name, of, replace, visit};

/// Attribute names that libraries use too. An attribute or a method of the script with such a name
/// keeps it, because a name alone does not tell whose it is.
const SHARED: &str = "__init__ act add append backward batch clear close configure_optimizers copy count cpu cuda \
    data decode detach device draw encode entropy epoch eval fit float forward get grad half hidden index insert item \
    items keys last_hidden_state learn load log logits loss max mean median min next note on_test_epoch_end \
    on_train_epoch_end on_validation_epoch_end parameters pop predict predict_step print push read reset run \
    sample save score shape size step steps sum test_step to train training training_step update val \
    validation_step value values weight weights write";

/// The document with every name of its own replaced. Imported names, keywords of other people's
/// functions and attributes of other people's objects stay.
pub fn renamed(document: &Document) -> Document {
    let Ok(tree) = &document.syntax else { return document.clone() };
    let names = Names::collect(tree.root_node(), document.source.text());
    replace(document, |node, text| names.replacement(node, text))
}

/// What a script names itself.
#[derive(Default)]
struct Names {
    /// Variables, parameters, functions and classes.
    values: BTreeSet<String>,
    /// Attributes and methods.
    attributes: BTreeSet<String>,
    /// What is imported.
    imported: BTreeSet<String>,
    /// The parameters of each function, and the fields of each class, that can be given by keyword.
    keywords: BTreeMap<String, BTreeSet<String>>,
    /// The parameters of all functions.
    parameters: BTreeSet<String>,
    /// Keywords of calls whose callee is not a function of the script.
    foreign_keywords: BTreeSet<String>,
    /// New names, by old.
    fresh: BTreeMap<String, String>,
}

impl Names {
    fn collect(root: Node, text: &str) -> Self {
        let mut names = Self::default();
        visit(root, &mut |node| names.define(node, text));
        visit(root, &mut |node| names.note_foreign_keyword(node, text));
        let shared: BTreeSet<&str> = SHARED.split_whitespace().collect();
        names.attributes.retain(|name| !shared.contains(name.as_str()) && !name.starts_with("__"));
        let (imported, foreign) = (&names.imported, &names.foreign_keywords);
        let given = |name: &String| names.parameters.contains(name) && foreign.contains(name);
        names.values.retain(|name| !imported.contains(name) && !given(name) && name != "_");
        names.attributes.retain(|name| !foreign.contains(name));
        let own: BTreeSet<&String> = names.values.union(&names.attributes).collect();
        names.fresh = own.into_iter().cloned().zip((0..).map(|number| format!("q{number}z"))).collect();
        names
    }

    /// Notes what a node gives a name to.
    fn define(&mut self, node: Node, text: &str) {
        let target = match node.kind() {
            "import_statement" | "import_from_statement" => {
                visit(node, &mut |part| self.imported.extend(identifier(part, text)));
                return;
            }
            "assignment" | "augmented_assignment" | "for_statement" | "for_in_clause" => {
                node.child_by_field_name("left")
            }
            "named_expression" | "class_definition" => node.child_by_field_name("name"),
            "as_pattern_target" | "case_pattern" => Some(node),
            "parameters" | "lambda_parameters" => {
                self.parameters.extend(parameters(node, text));
                self.values.extend(parameters(node, text));
                return;
            }
            "function_definition" => {
                let name = node.child_by_field_name("name").and_then(|name| identifier(name, text));
                self.define_function(node, name, text);
                return;
            }
            _ => return,
        };
        if let Some(target) = target {
            self.bind(target, is_class_level(node), text);
        }
    }

    fn define_function(&mut self, node: Node, name: Option<String>, text: &str) {
        let Some(name) = name else { return };
        let parameters = node.child_by_field_name("parameters").map(|node| parameters(node, text));
        let class = is_class_level(node).then(|| enclosing_class(node, text)).flatten();
        let callee = if name == "__init__" { class.clone() } else { Some(name.clone()) };
        if let Some(callee) = callee {
            self.keywords.entry(callee).or_default().extend(parameters.unwrap_or_default());
        }
        let kind = if class.is_some() { &mut self.attributes } else { &mut self.values };
        kind.insert(name);
    }

    /// Binds the names of an assignment target: `a, (b, c)`, `self.x`, a class-level field.
    fn bind(&mut self, target: Node, class_level: bool, text: &str) {
        match target.kind() {
            "attribute" => {
                let of_self =
                    target.child_by_field_name("object").is_some_and(|object| of(object, text) == "self");
                let name = target.child_by_field_name("attribute").and_then(|name| identifier(name, text));
                self.attributes.extend(name.filter(|_| of_self));
            }
            "subscript" | "call" | "class_pattern" => {}
            "identifier" if class_level => {
                let name = of(target, text).to_owned();
                if let Some(class) = enclosing_class(target, text) {
                    self.keywords.entry(class).or_default().insert(name.clone());
                }
                self.attributes.insert(name);
            }
            "identifier" => {
                self.values.insert(of(target, text).to_owned());
            }
            _ => {
                let mut cursor = target.walk();
                for child in target.named_children(&mut cursor) {
                    self.bind(child, class_level, text);
                }
            }
        }
    }

    fn note_foreign_keyword(&mut self, node: Node, text: &str) {
        if let Some(name) = keyword_name(node).filter(|name| !self.is_own_keyword(node, *name, text)) {
            let root = callee(node).map(|callee| root_name(callee, text)).unwrap_or_default();
            if !self.imported.contains(root) {
                self.foreign_keywords.insert(of(name, text).to_owned());
            }
        }
    }

    fn is_own_keyword(&self, argument: Node, name: Node, text: &str) -> bool {
        let called = callee(argument).map(|callee| last_name(callee, text)).unwrap_or_default();
        self.keywords.get(called).is_some_and(|names| names.contains(of(name, text)))
    }

    /// What stands instead of a node, if it is an identifier of the script's own.
    fn replacement(&self, node: Node, text: &str) -> Option<String> {
        let word = identifier(node, text)?;
        let parent = node.parent()?;
        let own = match parent.kind() {
            "attribute" if parent.child_by_field_name("attribute") == Some(node) => {
                self.attributes.contains(&word)
            }
            "keyword_argument" if keyword_name(parent) == Some(node) => {
                self.is_own_keyword(parent, node, text)
                    && (self.values.contains(&word) || self.attributes.contains(&word))
            }
            _ if is_imported(node) => false,
            "function_definition" | "assignment" if is_class_level(parent) && is_bound_by(node, parent) => {
                self.attributes.contains(&word)
            }
            _ => self.values.contains(&word),
        };
        own.then(|| self.fresh.get(&word).cloned()).flatten()
    }
}

/// The names of parameters, without their defaults and annotations.
fn parameters(node: Node, text: &str) -> BTreeSet<String> {
    let mut cursor = node.walk();
    let names = node.named_children(&mut cursor).filter_map(|parameter| {
        let mut inner = parameter;
        while inner.kind() != "identifier" {
            inner = inner.child_by_field_name("name").or_else(|| inner.named_child(0))?;
        }
        identifier(inner, text)
    });
    names.collect()
}

/// Whether a definition or an assignment stands directly in the body of a class.
fn is_class_level(node: Node) -> bool {
    let mut outer = node.parent();
    while let Some(block) = outer
        .filter(|outer| matches!(outer.kind(), "block" | "expression_statement" | "decorated_definition"))
    {
        outer = block.parent();
    }
    outer.is_some_and(|outer| outer.kind() == "class_definition")
}

fn enclosing_class(node: Node, text: &str) -> Option<String> {
    let class = enclosing(node, &["class_definition"])?;
    identifier(class.child_by_field_name("name")?, text)
}

fn is_bound_by(node: Node, parent: Node) -> bool {
    ["name", "left"].iter().any(|field| parent.child_by_field_name(field) == Some(node))
}

fn callee(argument: Node) -> Option<Node> {
    argument.parent()?.parent()?.child_by_field_name("function")
}

/// `c` of `a.b.c`.
fn last_name<'text>(callee: Node, text: &'text str) -> &'text str {
    callee.child_by_field_name("attribute").map_or_else(|| of(callee, text), |name| of(name, text))
}

/// `a` of `a.b(x).c`.
fn root_name<'text>(callee: Node, text: &'text str) -> &'text str {
    let mut root = callee;
    while let Some(object) =
        root.child_by_field_name("object").or_else(|| root.child_by_field_name("function"))
    {
        root = object;
    }
    of(root, text)
}

#[cfg(test)]
mod tests {
    use vramlens_grammars::Source;

    use super::*;

    fn renamed_text(text: &str) -> String {
        renamed(&Document::python(Source::file(text.to_owned()))).source.text().to_owned()
    }

    #[test]
    fn own_names_change_and_library_names_stay() {
        let script = "import torch\nclass Box:\n    def __init__(self, top):\n        self.top = top\n    \
                      def lift(self, *, by=1):\n        return torch.add(self.top, other=by)\n\
                      box = Box(top=2)\nprint(f\"{box.lift(by=3)}\", box.item())\n";
        let expected = "import torch\nclass q0z:\n    def __init__(q4z, q5z):\n        q4z.q5z = q5z\n    \
                        def q3z(q4z, *, q2z=1):\n        return torch.add(q4z.q5z, other=q2z)\n\
                        q1z = q0z(q5z=2)\nprint(f\"{q1z.q3z(q2z=3)}\", q1z.item())\n";
        assert_eq!(renamed_text(script), expected);
    }

    #[test]
    fn what_libraries_call_by_name_stays() {
        let script = "class M(nn.Module):\n    def forward(self, x):\n        return self.net(x, scale=x)\n";
        assert!(renamed_text(script).contains("def forward(q"));
        assert!(renamed_text(script).contains(".net(q"));
        assert!(renamed_text(script).contains("scale=q"));
    }
}
