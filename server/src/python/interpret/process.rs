//! Noting what happens to the whole process: imports, CUDA's first use, the environment.

use std::rc::Rc;

use vramlens_grammars::Span;

use crate::knowledge::ProcessEffect;
use crate::python::happenings::{Change, History};
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Interpreter, Site};
use crate::python::library_call::{Device, Known, ProcessChange};
use crate::python::scopes::Scope;
use crate::python::syntax::{ArgumentKind, Constant, ExprId, ExprKind, FunctionId, SetVariable, StmtId};
use crate::python::value::{Key, Value, What};

/// The mapping that holds the environment.
const ENVIRONMENT: &str = "os.environ";

impl Interpreter<'_> {
    /// A module is imported: a package, or a file of the workspace that imports one in turn.
    pub(super) fn note_import(&mut self, stmt: StmtId, path: &str) {
        if let Some(packages) = self.packages_behind(path) {
            let torch = packages.iter().find(|package| self.knowledge.imports_torch(package));
            if torch.is_some() && !self.is_elsewhere() {
                let what = ProcessChange::ImportsTorch { package: Rc::from(path) };
                self.change(Site::Stmt(stmt), 0, what);
            }
            return;
        }
        let package = path.split('.').next().unwrap_or_default();
        if self.knowledge.imports_torch(package) {
            let what = ProcessChange::ImportsTorch { package: Rc::from(package) };
            self.change(Site::Stmt(stmt), 0, what);
        }
    }

    /// What has surely happened to the process in which code elsewhere calls a function. It may be another process,
    /// which then has imported this module; a function inside another may even be sent there as text.
    pub(super) fn process_elsewhere(&self, function: FunctionId, here: &History) -> History {
        let is_nested = matches!(self.scopes.parent(Scope::Function(function)), Some(Scope::Function(_)));
        let imports = here.events().iter().copied().filter(|event| self.happenings.is_import(*event));
        imports.filter(|_| !is_nested).fold(History::default(), |history, event| history.with(event))
    }

    /// Something of a package is called, so that an import of it that may have failed has not.
    pub(super) fn note_imported(&mut self, path: &str) {
        let package = path.split('.').next().unwrap_or_default();
        if let Some(import) = self.happenings.import_of(package)
            && !self.state.process.events().contains(&import)
        {
            self.state.process = self.state.process.with(import);
        }
    }

    /// A function of a library is called that does something to the process.
    pub(super) fn note_process_call(&mut self, call: ExprId, effect: ProcessEffect, arguments: &Arguments) {
        let site = Site::Expr(call);
        match effect {
            ProcessEffect::InitializesCuda => self.change(site, 0, ProcessChange::InitializesCuda),
            ProcessEffect::StartsProcess => self.change(site, 0, ProcessChange::StartsProcess),
            ProcessEffect::SetsVariable => self.set_variable_by_call(call, arguments, false),
            ProcessEffect::SetsUnsetVariable => self.set_variable_by_call(call, arguments, true),
            ProcessEffect::SetsVariables => self.set_variables(site, Some(call), arguments),
        }
    }

    /// Something is moved to a device, or made on it.
    pub(super) fn note_device(&mut self, site: Site, device: &Value) {
        if matches!(device.what, What::Number) || device.is_number() {
            return;
        }
        if Device::named(&self.known(device, 0)) == Some(Device::Gpu) {
            self.change(site, 0, ProcessChange::InitializesCuda);
        }
    }

    /// A method is called that may move its receiver to a device.
    pub(super) fn note_move(&mut self, call: ExprId, method: &str, arguments: &Arguments) {
        match method {
            "cuda" => self.change(Site::Expr(call), 0, ProcessChange::InitializesCuda),
            "to" => {
                let device = self.keyword(arguments, "device");
                let given: Vec<Value> =
                    device.into_iter().chain(arguments.positional.first().cloned()).collect();
                given.iter().for_each(|device| self.note_device(Site::Expr(call), device));
            }
            _ => {}
        }
    }

    fn set_variable_by_call(&mut self, call: ExprId, arguments: &Arguments, only_if_unset: bool) {
        let [name, value] = arguments.positional.as_slice() else { return };
        let span = |place| arguments.expr(place).map(|expr| self.module.expr(expr).span);
        let (name_span, value_span) = (span(0), span(1));
        let (name, value) = (name.clone(), self.known(value, 0));
        self.set_variable(
            Site::Expr(call),
            0,
            &name,
            Written { value, name_span, value_span, only_if_unset },
        );
    }

    /// `os.environ[name] = value`, if the holder is the environment.
    pub(super) fn set_environment_item(
        &mut self,
        stmt: StmtId,
        holder: &Value,
        index: ExprId,
        value: &Value,
    ) {
        if !is_environment(holder) {
            return;
        }
        let name = self.eval(index);
        let name_span = Some(self.module.expr(index).span);
        let value_span = self.assigned_value(stmt).map(|value| self.module.expr(value).span);
        let value = self.known(value, 0);
        self.set_variable(
            Site::Stmt(stmt),
            0,
            &name,
            Written { value, name_span, value_span, only_if_unset: false },
        );
    }

    /// `%env NAME=value` in a notebook.
    pub(super) fn set_by_command(&mut self, stmt: StmtId, set: &SetVariable) {
        let value = set.value.as_deref().map_or(Known::Unknown, |value| Known::Text(Rc::from(value)));
        let (name_span, value_span) = (Some(set.name_span), Some(set.value_span));
        let name = Value::constant(Constant::Text(set.name.clone()));
        let written = Written { value, name_span, value_span, only_if_unset: false };
        self.set_variable(Site::Stmt(stmt), 0, &name, written);
    }

    /// `os.environ |= {…}`.
    pub(super) fn set_environment_items(&mut self, stmt: StmtId, holder: &Value, given: &Value) {
        if is_environment(holder) {
            self.set_variables(Site::Stmt(stmt), None, &Arguments::positional(vec![given.clone()]));
        }
    }

    /// Several variables at once, from a dict and from keywords.
    fn set_variables(&mut self, site: Site, call: Option<ExprId>, arguments: &Arguments) {
        let mut all: Vec<(Value, Value)> = Vec::new();
        for object in arguments.positional.iter().filter_map(Value::single_object) {
            for (key, item) in self.state.items(object) {
                if let Some(Key::Text(name)) = key {
                    all.push((Value::constant(Constant::Text(name.to_string())), item.clone()));
                }
            }
        }
        for (name, value) in &arguments.keywords {
            let name = Constant::Text(self.module.name(*name).to_owned());
            all.push((Value::constant(name), value.clone()));
        }
        for (index, (name, value)) in all.iter().enumerate() {
            let (name_span, value_span) = self.entry_spans(site, call, name).unwrap_or_default();
            let written =
                Written { value: self.known(value, 0), name_span, value_span, only_if_unset: false };
            self.set_variable(site, u8::try_from(index).unwrap_or(u8::MAX), name, written);
        }
    }

    /// Where a variable's name and value are written in a dict display or among keywords.
    fn entry_spans(
        &self,
        site: Site,
        call: Option<ExprId>,
        name: &Value,
    ) -> Option<(Option<Span>, Option<Span>)> {
        let name = name.as_text()?;
        let module = self.module;
        let in_dict = |dict: ExprId| {
            let ExprKind::Dict(entries) = &module.expr(dict).kind else { return None };
            entries.iter().find_map(|(key, value)| {
                let key = (*key)?;
                let ExprKind::Constant(Constant::Text(text)) = &module.expr(key).kind else {
                    return None;
                };
                (text == name).then(|| (Some(module.expr(key).span), Some(module.expr(*value).span)))
            })
        };
        if let Site::Stmt(stmt) = site {
            return self.assigned_value(stmt).and_then(in_dict);
        }
        let ExprKind::Call { arguments, .. } = &module.expr(call?).kind else { return None };
        arguments.iter().find_map(|argument| match argument.kind {
            ArgumentKind::Keyword(keyword) if module.name(keyword) == name => {
                Some((None, Some(module.expr(argument.value).span)))
            }
            ArgumentKind::Positional => in_dict(argument.value),
            _ => None,
        })
    }

    fn set_variable(&mut self, site: Site, index: u8, name: &Value, written: Written) {
        let Some(name) = name.as_text() else { return };
        let what = ProcessChange::SetsVariable {
            name: Rc::from(name),
            value: written.value,
            name_span: written.name_span,
            value_span: written.value_span,
            only_if_unset: written.only_if_unset,
        };
        self.change(site, index, what);
    }

    fn change(&mut self, site: Site, index: u8, what: ProcessChange) {
        if self.is_elsewhere() && matches!(what, ProcessChange::SetsVariable { .. }) {
            return;
        }
        let Some(site) = self.told_at(site) else { return };
        let stmt = match site {
            Site::Expr(expr) => self.scopes.statement_of(expr),
            Site::Stmt(stmt) => Some(stmt),
        };
        let Some(stmt) = stmt else { return };
        let span = match site {
            Site::Expr(expr) => self.module.expr(expr).span,
            Site::Stmt(stmt) => self.module.stmt(stmt).span,
        };
        let before = self.state.process.clone();
        let is_again = what == ProcessChange::InitializesCuda
            && before.events().iter().any(|event| self.happenings.is_change(*event, &what));
        if is_again {
            return;
        }
        let starts_process = what == ProcessChange::StartsProcess;
        let change = Change { what, span, stmt, before: before.clone() };
        let number = self.happenings.change((site.number(), self.context().0, index), change);
        if !starts_process {
            self.state.process = before.with(number);
        }
    }
}

/// How a variable is set.
struct Written {
    value: Known,
    name_span: Option<Span>,
    value_span: Option<Span>,
    only_if_unset: bool,
}

fn is_environment(value: &Value) -> bool {
    matches!(&value.what, What::Library(path) if &**path == ENVIRONMENT)
}
