//! Where things stand: the exact bytes of what was lowered.

use super::module;
use crate::python::syntax::{ExprKind, Module, Stmt, StmtId, StmtKind};

/// The text of every expression that `matches` accepts.
fn expr_texts<'a>(module: &Module, source: &'a str, matches: impl Fn(&ExprKind) -> bool) -> Vec<&'a str> {
    module.exprs().filter(|(_, expr)| matches(&expr.kind)).map(|(_, expr)| expr.span.text(source)).collect()
}

/// The text of every statement of the module's body.
fn stmt_texts<'a>(module: &Module, source: &'a str) -> Vec<&'a str> {
    module.body.iter().map(|stmt| module.stmt(*stmt).span.text(source)).collect()
}

/// The first statement of a body.
fn first<'a>(module: &'a Module, body: &[StmtId]) -> &'a Stmt {
    let Some(first) = body.first() else { panic!("an empty body") };
    module.stmt(*first)
}

#[test]
fn parentheses_are_not_part_of_an_expression() {
    let source = "total += ((a + b))\n";
    let module = module(source);
    assert_eq!(expr_texts(&module, source, |kind| matches!(kind, ExprKind::Binary { .. })), ["a + b"]);
    assert_eq!(stmt_texts(&module, source), ["total += ((a + b))"]);
}

#[test]
fn an_attribute_knows_where_its_name_stands() {
    let source = "a .\\\n  b.cc\n";
    let module = module(source);
    let names: Vec<&str> = module
        .exprs()
        .filter_map(|(_, expr)| match expr.kind {
            ExprKind::Attribute { name_span, .. } => Some(name_span.text(source)),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["b", "cc"]);
}

#[test]
fn statements_end_with_their_code() {
    let source = "@d\ndef f():\n    return 1  # why\n    # after\n\n\nif a:\n    b; c;  # last\n# end\n";
    let module = module(source);
    assert_eq!(stmt_texts(&module, source), ["@d\ndef f():\n    return 1", "if a:\n    b; c;"]);
    let function = module.functions().next().map(|(_, function)| function.span.text(source));
    assert_eq!(function, Some("def f():\n    return 1"));
}

#[test]
fn an_argument_spans_its_keyword() {
    let source = "f(a, k = (b), *c, **d)\n";
    let module = module(source);
    let StmtKind::Expr(call) = first(&module, &module.body).kind else { panic!("a call") };
    let ExprKind::Call { arguments, .. } = &module.expr(call).kind else { panic!("a call") };
    let texts: Vec<&str> = arguments.iter().map(|argument| argument.span.text(source)).collect();
    assert_eq!(texts, ["a", "k = (b)", "*c", "**d"]);
}

#[test]
fn an_elif_spans_to_the_end_of_its_if() {
    let source = "if a:\n    b\nelif c:\n    d\nelse:\n    e\n";
    let module = module(source);
    let StmtKind::If { orelse, .. } = &first(&module, &module.body).kind else { panic!("an if") };
    assert_eq!(first(&module, orelse).span.text(source), "elif c:\n    d\nelse:\n    e");
}

#[test]
fn functions_come_in_the_order_of_their_text() {
    let source = "@d(lambda: 1)\ndef outer(a=lambda: 2):\n    def inner(): pass\n    lambda: 3\n";
    let module = module(source);
    let starts: Vec<u32> = module.functions().map(|(_, function)| function.span.start).collect();
    assert!(starts.is_sorted(), "{starts:?}");
    assert_eq!(starts.len(), 5);
}

#[test]
fn comments_know_whether_they_stand_alone() {
    let source = "# first\r\na = 1  # second\r\nif a:\r\n    # third\r\n    b\r\n";
    let module = module(source);
    let comments: Vec<(&str, bool)> =
        module.comments.iter().map(|comment| (comment.span.text(source), comment.own_line)).collect();
    assert_eq!(comments, [("# first", true), ("# second", false), ("# third", true)]);
}

#[test]
fn multiline_strings_are_noted() {
    let source = "a = '''x\ny'''\nb = 'z' \\\n    'w'\nc = f\"\"\"\n{d}\"\"\"\n";
    let module = module(source);
    let strings: Vec<&str> = module.multiline_strings.iter().map(|span| span.text(source)).collect();
    assert_eq!(strings, ["'''x\ny'''", "f\"\"\"\n{d}\"\"\""]);
}
