//! Broken code: what can be read is kept, and what was run together is not believed.

use super::{check, module};

#[test]
fn a_broken_line_leaves_the_rest_readable() {
    check(
        "a = 1\nfor x in :\n    b = x\nc = 2\n",
        "
assign a <- 1
for x in ?()
  assign b <- x
assign c <- 2",
    );
    check(
        "for x in y:\n    f(a, b c, d)\nz = 1\n",
        "
for x in y
  ?(c)
  f(a, b, d)
assign z <- 1",
    );
}

#[test]
fn a_block_with_a_broken_head_stays_in_its_function() {
    check(
        "def f(a):\n    if a\n        b = 1\n    return b\nw = 1\n",
        "
?(a)
assign b <- ?()
?(1)
def f(a)
  return b
assign w <- 1",
    );
}

#[test]
fn a_half_written_method_does_not_hide_the_next() {
    check(
        "class A:\n    def f(self):\n        self.x =\n    def g(self): return 1\n",
        "
class A()
  assign self.x <- ?()
  def f(self)
  def g(self)
    return 1",
    );
}

#[test]
fn an_open_bracket_makes_the_names_after_it_unknown() {
    check(
        "import torch\nx = model(\ny = 1\n",
        "
import torch
assign x <- ?()
?(model)
assign y <- ?(1)",
    );
    check(
        "for batch in loader:\n    out = model(batch\n    loss = crit(out)\n    total += loss\nprint(total)\n",
        "
for batch in loader
  ?(model)
  assign batch <- ?(crit(out))
  ?(total)
  assign out <- ?(loss)
print(total)",
    );
}

#[test]
fn what_is_skipped_in_an_assignment_makes_its_value_unknown() {
    check(
        "total += a b\nc = 1\n",
        "
?(a)
augment total Add ?(b)
assign c <- 1",
    );
}

#[test]
fn a_missing_name_is_unreadable() {
    check("model.\n", "?(model)");
    check("x = \n", "assign x <- ?()");
}

#[test]
fn nesting_over_the_cap_is_left_out_and_said() {
    let deep = format!("a = 1\nx = {}1{}\nb = 2\n", "[".repeat(5_000), "]".repeat(5_000));
    let module = module(&deep);
    assert!(module.too_deep);
    assert_eq!(module.body.len(), 3, "the statements around it are still there");
}

#[test]
fn parentheses_nest_as_deep_as_they_like() {
    let deep = format!("x = {}1{}\n", "(".repeat(5_000), ")".repeat(5_000));
    assert!(!module(&deep).too_deep);
    check(&deep, "assign x <- 1");
}

#[test]
fn long_chains_that_are_not_nesting_are_kept() {
    let condition = format!("x = {}a\n", "a and ".repeat(1_000));
    assert!(!module(&condition).too_deep);
    let strings = format!("x = ({}'a')\n", "'a'\n".repeat(1_000));
    assert!(!module(&strings).too_deep);
}

#[test]
fn too_many_elif_clauses_are_cut() {
    let clauses = format!("if a: pass\n{}b = 1\n", "elif a: pass\n".repeat(1_000));
    let module = module(&clauses);
    assert!(module.too_deep);
    assert_eq!(module.body.len(), 2);
}
