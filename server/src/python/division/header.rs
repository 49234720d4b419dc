//! What the statements of a module's top level bind, and which of them bind nothing but what stays as it is.

use tree_sitter::Node;

use crate::knowledge::{CallEffect, Knowledge};

/// A statement of the top level.
#[derive(Debug, Default)]
pub(super) struct Statement<'t> {
    /// Whether it defines a function or a class.
    pub(super) defines: bool,
    /// The names it binds to what stays as it is: modules, numbers, texts, devices.
    pub(super) plain: Vec<&'t str>,
    /// The names it binds to what can change, or to what is not known.
    pub(super) changing: Vec<&'t str>,
    /// The names of things of other files, which are the same for all that use them.
    pub(super) foreign: Vec<&'t str>,
    /// Whether it does more than bind plain names and call functions.
    pub(super) heavy: bool,
    /// Whether it binds whatever names another file has.
    pub(super) open: bool,
}

/// Reads the statements of the top level in their order.
pub(super) struct Reader<'t> {
    text: &'t str,
    knowledge: &'static Knowledge,
    /// Names of imported modules and what is imported from them, with their paths.
    imported: Vec<(&'t str, String)>,
}

/// The nodes whose value stays as it is when that of their parts does.
const TRANSPARENT: &[&str] = &[
    "attribute",
    "binary_operator",
    "boolean_operator",
    "comparison_operator",
    "concatenated_string",
    "conditional_expression",
    "not_operator",
    "parenthesized_expression",
    "subscript",
    "tuple",
    "expression_list",
    "unary_operator",
];
/// Statements that are what their parts are.
const WAYS: &[&str] = &[
    "assert_statement",
    "block",
    "elif_clause",
    "else_clause",
    "except_clause",
    "finally_clause",
    "if_statement",
    "pass_statement",
    "raise_statement",
    "try_statement",
];
/// The parts of a statement that hold what it binds.
const BINDING: &[&str] = &["left", "alias", "name", "argument"];
const PLAIN: &[&str] = &["identifier", "integer", "float", "string", "true", "false", "none", "ellipsis"];

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, knowledge: Knowledge::tables(), imported: Vec::new() }
    }

    pub(super) fn read(&mut self, node: Node<'_>) -> Statement<'t> {
        let mut statement = Statement::default();
        if is_definition(node) {
            let definition = node.child_by_field_name("definition").unwrap_or(node);
            let name = definition.child_by_field_name("name").map(|name| self.text_of(name));
            statement.defines = true;
            statement.changing.extend(name);
        } else {
            self.statement(node, &mut statement);
        }
        statement
    }

    fn statement(&mut self, node: Node<'_>, into: &mut Statement<'t>) {
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            match node.kind() {
                "import_statement" | "import_from_statement" | "future_import_statement" => {
                    self.import(node, into);
                }
                "expression_statement" => {
                    children(node).into_iter().for_each(|child| self.expression(child, into));
                }
                kind if WAYS.contains(&kind) => pending.extend(children(node).into_iter().rev()),
                "comment" | "as_pattern" => {}
                _ if self.is_plain(node) => {}
                _ => {
                    into.heavy = true;
                    self.bound_inside(node, into);
                }
            }
        }
    }

    fn expression(&mut self, node: Node<'_>, into: &mut Statement<'t>) {
        match node.kind() {
            "assignment" => self.assignment(node, into),
            "augmented_assignment" | "named_expression" => {
                into.heavy = true;
                self.bound_inside(node, into);
            }
            // What is made and not given a name is reached by nothing else.
            _ => {}
        }
    }

    fn assignment(&mut self, node: Node<'_>, into: &mut Statement<'t>) {
        let Some(target) = node.child_by_field_name("left") else { return };
        let plain = node.child_by_field_name("right").is_none_or(|value| match value.kind() {
            "assignment" => false,
            _ => self.is_plain(value),
        });
        let names: Vec<&'t str> = match target.kind() {
            "identifier" => vec![self.text_of(target)],
            "pattern_list" | "tuple_pattern" => children(target)
                .into_iter()
                .filter(|name| name.kind() == "identifier")
                .map(|name| self.text_of(name))
                .collect(),
            _ => {
                // A setting of a library belongs to the whole process.
                let root = self.text_of(target).split(['.', '[', ' ']).next().unwrap_or_default();
                let is_setting = self.path(root).is_some_and(|path| self.is_known(&path));
                if !(is_setting && plain) {
                    into.heavy = true;
                    into.changing.push(root);
                }
                return;
            }
        };
        if plain {
            into.plain.extend(names);
        } else {
            into.heavy = true;
            into.changing.extend(names);
            self.bound_inside(node, into);
        }
    }

    fn import(&mut self, node: Node<'_>, into: &mut Statement<'t>) {
        let module = node.child_by_field_name("module_name").map(|module| self.text_of(module));
        let takes_all = children(node).iter().any(|child| child.kind() == "wildcard_import");
        into.open |= takes_all && !module.is_some_and(|module| self.is_known(module));
        let mut cursor = node.walk();
        for imported in node.children_by_field_name("name", &mut cursor) {
            let alias = imported.child_by_field_name("alias").map(|alias| self.text_of(alias));
            let path = imported.child_by_field_name("name").unwrap_or(imported);
            let path = self.text_of(path);
            let full = module.map_or_else(|| path.to_owned(), |module| format!("{module}.{path}"));
            let first = if module.is_some() { path } else { path.split('.').next().unwrap_or(path) };
            let name = alias.unwrap_or(first);
            let bound = if alias.is_none() && module.is_none() { first.to_owned() } else { full.clone() };
            // A class or a constant of another file is the same whoever uses it.
            let is_fixed = name.starts_with(|letter: char| letter.is_ascii_uppercase());
            if is_fixed || self.is_known(&full) {
                into.plain.push(name);
            } else {
                into.foreign.push(name);
            }
            self.imported.push((name, bound));
        }
    }

    /// Whether a path is one of a library that the tables know, or of Python itself.
    fn is_known(&self, path: &str) -> bool {
        !path.starts_with('.') && self.knowledge.is_known_module(path.split('.').next().unwrap_or_default())
    }

    /// The path that a name was imported from.
    fn path(&self, name: &str) -> Option<String> {
        self.imported.iter().rev().find(|(bound, _)| *bound == name).map(|(_, path)| path.clone())
    }

    /// Whether an expression makes nothing that can change or that is a thing of its own.
    fn is_plain(&self, node: Node<'_>) -> bool {
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            match node.kind() {
                kind if PLAIN.contains(&kind) => {}
                kind if TRANSPARENT.contains(&kind) => pending.extend(children(node)),
                "keyword_argument" => pending.extend(node.child_by_field_name("value")),
                "call" => {
                    let callee = node.child_by_field_name("function").map(|callee| self.text_of(callee));
                    if !callee.is_some_and(|callee| self.calls_plainly(callee)) {
                        return false;
                    }
                    pending.extend(node.child_by_field_name("arguments").map(children).unwrap_or_default());
                }
                _ => return false,
            }
        }
        true
    }

    /// Whether calling a path gives something that stays as it is.
    fn calls_plainly(&self, callee: &str) -> bool {
        let (root, rest) = callee.split_once('.').map_or((callee, None), |(root, rest)| (root, Some(rest)));
        let Some(imported) = self.path(root) else {
            // A method of a plain thing, which is told by its name elsewhere, or a function of Python's own.
            let builtin = format!("builtins.{callee}");
            return rest.is_some() || self.knowledge.call(&builtin).is_some_and(is_plain_effect);
        };
        let path = rest.map_or_else(|| imported.clone(), |rest| format!("{imported}.{rest}"));
        let noted = self.knowledge.role(&path).is_some() || self.knowledge.process(&path).is_some();
        let effect = self.knowledge.call(&path);
        let is_python = self.knowledge.comes_with_python(path.split('.').next().unwrap_or_default());
        !noted && effect.map_or(is_python, is_plain_effect)
    }

    /// The names that the code in a statement binds.
    fn bound_inside(&self, node: Node<'_>, into: &mut Statement<'t>) {
        let mut pending = vec![(node, false)];
        while let Some((node, binds)) = pending.pop() {
            if binds && node.kind() == "identifier" {
                into.changing.push(self.text_of(node));
            }
            let binds = binds || node.kind() == "delete_statement";
            let fields: Vec<Node<'_>> =
                BINDING.iter().filter_map(|field| node.child_by_field_name(field)).collect();
            // Each once: sums, too, have a left side, and may be long.
            pending.extend(children(node).into_iter().map(|child| (child, binds || fields.contains(&child))));
        }
    }

    fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}

/// Whether a statement defines a function or a class.
pub(super) fn is_definition(node: Node<'_>) -> bool {
    matches!(node.kind(), "function_definition" | "class_definition" | "decorated_definition")
}

/// Whether what a call gives is no thing of its own that others can change.
fn is_plain_effect(effect: CallEffect) -> bool {
    use CallEffect::{Device, EnvironmentOption, Inert, NoGraph, Numbers, OptionParser, Sum, Text};
    matches!(effect, Device | EnvironmentOption | Inert | NoGraph | Numbers | OptionParser | Sum | Text)
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}
