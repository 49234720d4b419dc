//! Noting data sets that are put on a GPU as a whole.

use vramlens_grammars::Span;

use crate::python::interpret::Interpreter;
use crate::python::interpret::arguments::Arguments;
use crate::python::record::Resident;
use crate::python::syntax::{ClassId, Constant, ExprId, ExprKind, FunctionId};
use crate::python::value::{ObjectId, ObjectKind, Value, What};

/// The class that data sets are built on.
const DATASET: &str = "torch.utils.data.Dataset";
/// The data set of whole tensors.
const TENSORS: &str = "torch.utils.data.TensorDataset";
/// What yields batches.
const LOADER: &str = "torch.utils.data.DataLoader";

impl Interpreter<'_> {
    /// A data set or a loader is made.
    pub(super) fn note_data_object(&mut self, expr: ExprId, path: &str, arguments: &Arguments) {
        let span = self.module.expr(expr).span;
        if path == TENSORS && arguments.all().any(|value| self.may_be_on_gpu(value)) {
            self.record.residents.insert(span, Resident::Tensors);
        }
        if path != LOADER {
            return;
        }
        if let Some(What::Function(closure)) = self.keyword(arguments, "collate_fn").map(|value| value.what) {
            self.record.collating.insert(closure.function);
        }
        let workers = self.keyword(arguments, "num_workers").or_else(|| arguments.positional.get(5).cloned());
        if let Some(Constant::Int(1..)) = workers.as_ref().and_then(Value::usual_constant) {
            self.record.workers = Some(span);
        }
    }

    /// A list is made of all that something yields.
    pub(super) fn note_all_batches(&mut self, expr: ExprId, iterated: &Value, item: &Value) {
        let is_inert =
            |id: &ObjectId| matches!(self.object(*id).map(|object| &object.kind), Some(ObjectKind::Inert(_)));
        let yields_batches = iterated.stored.is_loader || iterated.objects().iter().any(is_inert);
        if yields_batches && self.is_loader(iterated) && self.may_be_on_gpu(item) {
            self.record.residents.insert(self.module.expr(expr).span, Resident::Batches);
        }
    }

    /// An attribute of a data set is set while it is made.
    pub(super) fn note_field(&mut self, holder: ObjectId, value: &Value, stmt: Span) {
        let Some(ObjectKind::Instance(class)) = self.object(holder).map(|object| object.kind.clone()) else {
            return;
        };
        let making = self.calls.last().and_then(|call| call.function);
        let is_made = making.is_some_and(|function| self.name_of_function(function) == "__init__");
        let is_tensor = value.what.is_tensor() || value.what == What::Moved;
        let is_data = || self.is_dataset(class) && !self.is_written_out(stmt);
        if is_made && is_tensor && self.may_be_on_gpu(value) && is_data() {
            self.record.residents.insert(stmt, Resident::Field);
        }
    }

    /// A function that nothing in the module calls returns something.
    pub(super) fn note_yielded(&mut self, function: FunctionId, result: &Value) {
        let is_item = self.scopes.class_of(function).is_some_and(|class| self.is_dataset(class))
            && self.name_of_function(function) == "__getitem__";
        if (is_item || self.record.collating.contains(&function)) && self.may_be_on_gpu(result) {
            self.record.residents.insert(self.module.function(function).name_span, Resident::Yielded);
        }
    }

    /// Whether a statement spells numbers out one by one: those of a whole data set nobody would.
    fn is_written_out(&self, stmt: Span) -> bool {
        let is_number = |item: &ExprId| {
            let kind = &self.module.expr(*item).kind;
            matches!(kind, ExprKind::Constant(Constant::Int(_) | Constant::Float(_)))
        };
        let mut exprs = self.module.exprs().filter(|(_, expr)| stmt.contains(expr.span));
        exprs.any(|(_, expr)| matches!(&expr.kind, ExprKind::List(items) if items.iter().all(is_number)))
    }

    fn may_be_on_gpu(&self, value: &Value) -> bool {
        let mut on_gpu = value.stored.places.may_be_gpu();
        self.each_held(value, &mut |held| on_gpu |= held.stored.places.may_be_gpu());
        on_gpu
    }

    fn is_dataset(&self, class: ClassId) -> bool {
        self.base_paths(class).iter().flatten().any(|path| path == DATASET)
    }

    fn name_of_function(&self, function: FunctionId) -> &str {
        self.module.name(self.module.function(function).name)
    }
}
