//! Copying what is needed of other files.

use std::collections::BTreeMap;
use std::sync::Arc;

use vramlens_grammars::{Span, parse};

use super::link;
use crate::python::lower::lower;
use crate::python::lower::tests::printer::print;
use crate::python::syntax::Module;
use crate::python::units::{Unit, Units};

const DOCUMENT: &str = "from helper import run\nrun(1)\n";

fn lowered(source: &str) -> Module {
    let Ok(tree) = parse::python(source, None) else { panic!("over a cap: {source:.60}") };
    lower(&tree, source)
}

/// The document's module, linked to one file that it imports as `helper`.
fn linked(document: &str, helper: &str) -> Module {
    let unit = Unit {
        name: "helper.py".to_owned(),
        text: helper.to_owned(),
        module: lowered(helper),
        imports: Vec::new(),
    };
    let links = BTreeMap::from([((None, "helper".to_owned()), 0)]);
    let units = Units { files: vec![Arc::new(unit)], links, ..Units::default() };
    let mut module = lowered(document);
    link(&mut module, document.len(), &units);
    module
}

/// The statements that are kept of the one file that is linked, as its text shows them.
fn kept(document: &str, helper: &str) -> Vec<String> {
    let module = linked(document, helper);
    let Some(unit) = module.linked.iter().flat_map(|linked| &linked.units).next() else { return Vec::new() };
    let line = |span: Span| {
        let range = span.as_range();
        let start = unit.start as usize;
        helper[range.start - start..range.end - start].lines().next().unwrap_or_default().to_owned()
    };
    unit.body.iter().map(|stmt| line(module.stmt(*stmt).span)).collect()
}

#[test]
fn only_what_is_needed_is_kept_in_the_order_of_the_text() {
    let helper = "
import torch
import os
SIZE = 4
OTHER = 5

def make():
    return torch.zeros(SIZE)

def run(x):
    return make() + x

def unrelated():
    return os.getcwd()

if SIZE > 3:
    def late(): pass

if __name__ == '__main__':
    run = None
";
    assert_eq!(kept(DOCUMENT, helper), ["import torch", "SIZE = 4", "def make():", "def run(x):"]);
    assert_eq!(kept("import helper\nhelper.late()\n", helper), ["SIZE = 4", "if SIZE > 3:"]);
    assert_eq!(kept("import helper\n", helper), [""; 0]);
}

#[test]
fn what_is_copied_is_none_of_the_modules_own() {
    let helper = "class Base: pass\n\ndef run(x):\n    return (lambda y: [y for _ in x])(Base())\n";
    let alone = lowered(DOCUMENT);
    let module = linked(DOCUMENT, helper);
    assert_eq!(module.exprs().count(), alone.exprs().count());
    assert_eq!(module.stmts().count(), alone.stmts().count());
    assert_eq!((module.functions().count(), module.classes().count()), (0, 0));
    assert!(module.mentions("run") && !module.mentions("Base") && module.symbol("Base").is_some());
    let units = module.linked.iter().flat_map(|linked| &linked.units);
    let copied: Vec<_> = units.flat_map(|unit| unit.body.clone()).collect();
    assert_eq!(copied.len(), 2);
    for stmt in copied {
        assert!(!module.is_own_stmt(stmt) && !module.is_own_span(module.stmt(stmt).span));
    }
}

#[test]
fn a_copy_is_what_the_text_says() {
    let helper = "
@wrap
async def run(a, *b, c: int = 1, **d):
    global e
    with open(a) as f, g:
        async for h, *i in b:
            try:
                j: str = f'{a}{b!r}'
            except (K, L) as m:
                raise N from m
            else:
                continue
            finally:
                del a[1:2, ::3], b.c
    while not a and (o := -b) or c in d:
        match a:
            case [x, y] if x: break
            case _: pass
    assert a, b
    return {p: q for p in r if p}, {**s}, (yield), [*t], await u(v, w=1, *x, **y) if a else lambda z: z ** 2
";
    let module = linked(DOCUMENT, helper);
    let alone = lowered(helper);
    let units = module.linked.iter().flat_map(|linked| &linked.units);
    let mut copied = module.clone();
    copied.body = units.flat_map(|unit| unit.body.clone()).collect();
    assert_eq!(print(&copied), print(&alone));
}
