//! What keeps the objects of noted calls alive.

use std::rc::Rc;

use crate::python::script::LoopFacts;

/// Something that keeps an object alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// What a program calls it: a name, or a name with attributes.
    pub name: Rc<str>,
    /// How it holds the object.
    pub how: Holding,
}

/// How something holds an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// A name or attribute is bound to it.
    Bound,
    /// A collection has it as an item.
    Collected,
    /// Another object keeps it: a pipeline its model, an optimizer its parameters.
    Kept,
}

/// The object of another noted call that is there when a call is reached.
#[derive(Clone, Debug)]
pub struct Beside {
    /// The other call, by its index in [`crate::python::script::Script::calls`].
    pub call: usize,
    /// What holds its object then.
    pub held_by: Vec<Holder>,
}

/// A loop that is entered while an object is alive.
#[derive(Clone, Debug)]
pub struct LoopBeside {
    /// The loop.
    pub entered: LoopFacts,
    /// What holds the object then.
    pub held_by: Vec<Holder>,
}

/// How long an object lives.
#[derive(Clone, Debug, Default)]
pub struct Life {
    /// When its call was last reached, in steps of the program.
    pub reached: u32,
    /// When it was last read, in the same steps; zero if it never was.
    pub last_use: u32,
    /// What else was there when its call was reached.
    pub beside: Vec<Beside>,
    /// What still holds it when the innermost loop around its call goes on with its next iteration; `None` when that
    /// loop never goes on after the call, or there is none.
    pub next_iteration: Option<Vec<Holder>>,
    /// Loops that are entered while it is alive.
    pub loops: Vec<LoopBeside>,
    /// What holds it at the end of the run that made it.
    pub at_end: Vec<Holder>,
}
