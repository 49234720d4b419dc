//! Functions that a module calls with every forward pass.

use crate::python::graph::NodeKind;
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::modules::DEEPEST_PART;
use crate::python::interpret::{Interpreter, Site};
use crate::python::state::GradMode;
use crate::python::syntax::ExprId;
use crate::python::value::{Key, ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
    /// A hook is registered: from now on, it runs for every forward pass.
    pub(super) fn hook(
        &mut self,
        expr: ExprId,
        id: ObjectId,
        arguments: &Arguments,
        on_output: bool,
    ) -> Value {
        let What::Function(closure) = arguments.first().what else {
            return self.call_unknown(expr, None, arguments);
        };
        self.note_owners(id);
        let grad = std::mem::replace(&mut self.state.grad, GradMode::On);
        self.run_loop(Site::Expr(expr), |it| {
            it.note_calls_from_elsewhere(Some(id));
            let graph = it.record_node(Site::Expr(expr), NodeKind::Operation, true, false, &[]);
            let made = Value::tensor(graph);
            let inputs = it.allocate(expr, 0, ObjectKind::Tuple);
            it.state.set(Place::Item(inputs, Key::Index(0)), made.clone());
            let mut given = vec![Value::object(id), Value::object(inputs)];
            given.extend(on_output.then_some(made));
            it.call_closure(expr, closure, &Arguments::positional(given));
        });
        self.state.grad = grad;
        Value::default()
    }

    /// Notes what a module is a part of.
    fn note_owners(&mut self, id: ObjectId) {
        let mut current = id;
        for _ in 0..DEEPEST_PART {
            let Some(owner) = self.object(current).and_then(|object| object.owner) else { return };
            self.record.owners.insert(current, owner);
            current = owner;
        }
    }
}
