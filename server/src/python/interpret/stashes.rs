//! Noting tensors that stay on a GPU over the iterations of a loop.

use vramlens_grammars::Span;

use crate::python::graph::{LoopId, outlived};
use crate::python::interpret::{Interpreter, Site};
use crate::python::record::{Stash, Stashed};
use crate::python::storage::Storage;
use crate::python::syntax::{ExprId, ExprKind};
use crate::python::value::{ObjectId, ObjectKind, Place, Value, What};

/// Classes of pipelines are built on ones whose names end in this, in this library or beside them.
const PIPELINE: &str = "Pipeline";

impl Interpreter<'_> {
    /// Notes an expression whose tensors may lie on a GPU.
    pub(super) fn note_storage(&mut self, expr: ExprId, value: &Value) {
        if value.stored.places.may_be_gpu() && value.objects().is_empty() {
            let is_tensor = matches!(value.what, What::Tensor | What::Noise);
            self.record.on_gpu.insert(expr, (value.stored, is_tensor));
        }
    }

    /// Something that may lie on a GPU is kept in a collection.
    pub(super) fn stash(
        &mut self,
        site: Site,
        target: Span,
        value: Option<ExprId>,
        object: ObjectId,
        kept: &Value,
    ) {
        let stored = self.gpu_storage_of(kept);
        let Some(holder) = self.object(object).filter(|_| stored.places.may_be_gpu()) else { return };
        let loops = outlived(&holder.moment, &self.moment);
        if loops.is_empty() || self.is_in_pipeline() {
            return;
        }
        let bounded = matches!(holder.kind, ObjectKind::Bounded(_));
        if let Some(expr) = value {
            self.note_storage(expr, kept);
        }
        let span = match site {
            Site::Expr(expr) => self.module.expr(expr).span,
            Site::Stmt(stmt) => self.module.stmt(stmt).span,
        };
        let key = (site.number(), self.context().0, Some(object));
        let known = self.record.stashes.get(&key);
        let alive_after = known.map(|known| known.alive_after.clone()).unwrap_or_default();
        let stash = Stash {
            span,
            target,
            values: value.map(|value| self.written_on_gpu(value)).unwrap_or_default(),
            object: Some(object),
            stored,
            whole: kept.what == What::Output,
            graph: self.graph_of(kept),
            moment: self.moment.clone(),
            loops,
            alive_after,
            bounded,
            function: self.calls.last().and_then(|call| call.function),
            in_module: self.is_in_module_method(),
        };
        self.record.stashes.insert(key, stash);
    }

    /// Whether a method of a pipeline is under way: it goes over the parts of one request.
    fn is_in_pipeline(&self) -> bool {
        let classes = self.calls.iter().filter_map(|call| self.scopes.class_of(call.function?));
        let lines = classes.flat_map(|class| self.line_of(class));
        let mut bases = lines.filter_map(|class| self.classes.get(&class)).flat_map(|facts| &facts.bases);
        bases.any(|base| match &base.what {
            What::Library(path) => path.ends_with(PIPELINE),
            _ => false,
        })
    }

    /// What of a value may lie on a GPU: of a record, the parts in host memory count for nothing.
    fn gpu_storage_of(&self, value: &Value) -> Storage {
        let mut stored = value.stored;
        self.each_held(value, &mut |held| {
            if held.stored.places.may_be_gpu() {
                stored = stored.join(held.stored);
            }
        });
        stored
    }

    /// The expressions in a display, or the one expression, whose tensors may lie on a GPU.
    fn written_on_gpu(&self, expr: ExprId) -> Vec<Stashed> {
        let mut written = Vec::new();
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            match &self.module.expr(expr).kind {
                ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => {
                    pending.extend(items);
                }
                ExprKind::Dict(entries) => pending.extend(entries.iter().map(|(_, value)| *value)),
                _ => {
                    let name = self.name_of(expr);
                    let known = self.record.on_gpu.get(&expr).copied();
                    written.extend(known.map(|(stored, is_tensor)| Stashed {
                        expr,
                        stored,
                        name,
                        is_tensor,
                    }));
                }
            }
        }
        written
    }

    /// The name that an expression is.
    pub(super) fn name_of(&self, expr: ExprId) -> Option<Place> {
        match self.module.expr(expr).kind {
            ExprKind::Name(name) => Some(Place::Variable(self.home_frame(name), name)),
            _ => None,
        }
    }

    /// At the end of an iteration: the tensors that earlier statements of it kept may still be there.
    pub(super) fn note_stashes_alive(&mut self, id: LoopId) {
        let mut alive = Vec::new();
        for (key, stash) in &self.record.stashes {
            let open = stash.loops.contains(&id) && !stash.alive_after.contains(&id);
            let holds = |object| self.gpu_storage_of(&Value::object(object)).places.may_be_gpu();
            if open && stash.object.is_some_and(holds) {
                alive.push(*key);
            }
        }
        for key in alive {
            if let Some(stash) = self.record.stashes.get_mut(&key) {
                stash.alive_after.insert(id);
            }
        }
    }
}
