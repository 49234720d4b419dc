//! A piece of source and what it lowers to, printed in a compact form.

mod broken;
pub(in crate::python) mod printer;
mod properties;
mod spans;

use super::lower;
use crate::python::syntax::Module;
use printer::print;
use vramlens_grammars::parse;

fn module(source: &str) -> Module {
    let Ok(tree) = parse::python(source, None) else { panic!("over a cap: {source:.60}") };
    lower(&tree, source)
}

fn check(source: &str, expected: &str) {
    let printed = print(&module(source));
    let expected = expected.trim_matches('\n');
    assert_eq!(printed.trim_end(), expected, "for source:\n{source}");
}

#[test]
fn parameters_of_every_kind() {
    check(
        "def f(a, /, b: int = 1, *args: int, c, d=2, **kw: dict[str, int]) -> None: pass\n\
         g = lambda a, *, b=1: a\n",
        "
def f(/a, b: int = 1, *args: int, =c, =d = 2, **kw: dict[tuple(str, int)])
  pass
assign g <- <lambda>(a, =b = 1): a",
    );
}

#[test]
fn only_the_function_around_a_yield_is_a_generator() {
    check(
        "def f():\n    x = yield from g()\n    def inner(): return 1\n    h = lambda: (yield)\n",
        "
def f() yields
  assign x <- yield_from(g())
  def inner()
    return 1
  assign h <- <lambda>() yields: yield(-)",
    );
    check("def f():\n    def g(): yield\n", "\ndef f()\n  def g() yields\n    yield(-)");
}

#[test]
fn decorators_and_classes() {
    check(
        "@a\n@b(1)\nasync def f(): await z\n@c\nclass A(B, metaclass=C, *D, **E):\n    x: int\n    y: List[int] = []\n",
        "
@a
@b(1)
async def f()
  await(z)
@c
class A(B, metaclass=C, *D, **E)
  annotate x: int <- -
  annotate y: List[int] <- []",
    );
}

#[test]
fn match_binds_the_names_of_its_patterns() {
    check(
        "match a, b:\n    case Point(x=0, y=yy) | [1, *rest] | {'k': v, **others}: pass\n    case (c as d) if d > 1: pass\n    case A.B: pass\n    case _: pass\n",
        "
match tuple(a, b)
case yy rest v others if -
  pass
case c d if (d Greater 1)
  pass
case  if -
  pass
case  if -
  pass",
    );
}

#[test]
fn blocks() {
    check(
        "if a: pass\nelif b: pass\nelse: c\nfor (i) in z: break\nelse: continue\ntry: pass\nexcept* (A, B) as e: a\nexcept: b\nelse: c\nfinally: d\n",
        "
if a
  pass
else
  if b
    pass
  else
    c
for i in z
  break
else
  continue
try
  pass
except tuple(A, B) as e
  a
except - as -
  b
else
  c
finally
  d",
    );
}

#[test]
fn context_managers() {
    check(
        "with (open(a) as f, g): pass\nwith (h): pass\nasync with a as (b, c), d: pass\n",
        "
with open(a) as f, g
  pass
with h
  pass
async with a as tuple(b, c), d
  pass",
    );
}

#[test]
fn strings() {
    check(
        "s = 'a' f\"c{x!r:>{w}}d{{\" f'{y=}'\nt = b'x'\nu = r'\\n' '\\n\\x41\\u00e9'\n",
        "
assign s <- format(\"a\", \"c\", x, ?(), w, \"d{\", y)
assign t <- constant
assign u <- \"\\\\n\\nAé\"",
    );
}

#[test]
fn assignments() {
    check(
        "a = b = c, *d = e\na[1:2, ::3], x.y = 1\na[b,]\nx //= 2\nx @= 3\ndel a, b[0]\nassert x, 'm'\nraise E from f\nglobal g, h\n",
        "
assign a, b, tuple(c, *d) <- e
assign tuple(a[tuple(slice(1 2 -), slice(- - 3))], x.y) <- 1
a[tuple(b)]
augment x FloorDivide 2
augment x MatrixMultiply 3
delete a, b[0]
assert x, \"m\"
raise E, f
global g h",
    );
}

#[test]
fn imports() {
    check(
        "import a.b as c, d\nfrom ..m.n import (x as y, z)\nfrom . import *\nfrom __future__ import annotations\n",
        "
import a.b as c, d
from 2/m.n import x as y, z
from 1/ import *
from 0/__future__ import annotations",
    );
}

#[test]
fn operators() {
    check(
        "a and b and (c or d) or e\nx is not y not in z < 3\n-1 ** ~x\nnot a\na if b else c\n(n := 1)\nx,\n(((x)))\n()\n",
        "
any(all(a, b, any(c, d)), e)
(x IsNot y NotIn z Less 3)
Minus(Power(1, Invert(x)))
Not(a)
(b ? a : c)
(n := 1)
tuple(x)
x
tuple()",
    );
}

#[test]
fn displays_and_comprehensions() {
    check(
        "{**a, 'b': 1}\n{1, *x}\n{k: v for k, v in z}\nf(a for b in c if d if e for g in h)\n[i async for i in q]\nf(*a, **b, k=1)\n",
        "
dict(**a, \"b\": 1)
set(1, *x)
Dict(k: v for tuple(k, v) in z)
f(Generator(a for b in c if d if e for g in h))
List(i async for i in q)
f(*a, **b, k=1)",
    );
}

#[test]
fn numbers() {
    check(
        "1_000; 0xff; 1e3; 3j; 99999999999999999999; ...\n",
        "
1000
255
1000.0
constant
1e20
constant",
    );
}

#[test]
fn python_2_statements() {
    check(
        "print 'hello', x\nexec 'code' in d\n",
        "
print(\"hello\", x)
?(\"code\", d)",
    );
}
