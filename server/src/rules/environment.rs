//! What the rules about environment variables share: the writes of a script, and when they come.

use std::cmp::Ordering;
use std::rc::Rc;

use vramlens_grammars::Span;

use crate::finding::{Applicability, Edit, Finding, Fix};
use crate::knowledge::Role;
use crate::knowledge::commands::is_plain;
use crate::knowledge::environment::{Purpose, meant_by, purpose};
use crate::python::commands;
use crate::python::library_call::{Known, ProcessChange, ProcessEvent};
use crate::rules::Rule;
use crate::rules::command;
use crate::rules::context::{Context, Verdict};
use crate::rules::runs;
use crate::rules::writing::removal::replacement;
use crate::rules::writing::{literal, moving};
use crate::texts::text;

/// An environment variable that a script sets.
#[derive(Clone, Copy, Debug)]
pub struct Write<'a> {
    /// Its place among the events of the process.
    pub index: usize,
    /// The event.
    pub event: &'a ProcessEvent,
    /// The variable.
    pub name: &'a Rc<str>,
    /// Its value.
    pub value: &'a Known,
    /// Where the name is written.
    pub name_span: Option<Span>,
    /// Where the value is written.
    pub value_span: Option<Span>,
}

/// When a variable is set.
#[derive(Clone, Copy, Debug)]
pub enum Moment<'a> {
    /// Before anything reads it, as far as can be seen.
    InTime,
    /// After PyTorch was imported.
    AfterImport(&'a ProcessEvent),
    /// After CUDA was started.
    AfterStart(&'a ProcessEvent),
}

/// The variables that a script sets, in order.
pub fn writes<'a>(context: &Context<'a>) -> Vec<Write<'a>> {
    let process = context.script.process.iter().enumerate();
    process
        .filter_map(|(index, event)| match &event.what {
            ProcessChange::SetsVariable { name, value, name_span, value_span, .. } => {
                let (name_span, value_span) = (*name_span, *value_span);
                Some(Write { index, event, name, value, name_span, value_span })
            }
            _ => None,
        })
        .collect()
}

/// The variables for the allocator that a script sets.
pub fn allocator_writes<'a>(context: &Context<'a>) -> Vec<Write<'a>> {
    writes(context).into_iter().filter(|write| write.purpose() == Some(Purpose::Allocator)).collect()
}

impl<'a> Write<'a> {
    /// What it is for, or was meant to be for where its name is misspelled: the rest of the line counts as well then.
    pub fn purpose(&self) -> Option<Purpose> {
        purpose(meant_by(self.name).unwrap_or(self.name))
    }

    /// When it is set. The start of CUDA outweighs an import. The cells of a notebook count in the order in which they
    /// were last run, where that is stored.
    pub fn moment(&self, context: &Context<'a>) -> Moment<'a> {
        let process = &context.script.process;
        let order = |event: &ProcessEvent| runs::order(context.source, event.span, self.event.span);
        let above = || self.event.before.iter().filter_map(|index| process.get(*index));
        let below =
            || process.iter().filter(|event| event.at_top_level && order(event) == Some(Ordering::Less));
        let before = || above().filter(|event| order(event) != Some(Ordering::Greater)).chain(below());
        let started = before().find(|event| event.what == ProcessChange::InitializesCuda);
        let imported = before().find(|event| matches!(event.what, ProcessChange::ImportsTorch { .. }));
        match (started, imported) {
            (Some(started), _) => Moment::AfterStart(started),
            (None, Some(imported)) => Moment::AfterImport(imported),
            (None, None) => Moment::InTime,
        }
    }

    /// Whether a command of a notebook sets it.
    pub fn is_command(&self, context: &Context) -> bool {
        context.is_in_command(self.event.span)
    }

    /// Whether another process is started later, which the variable may be meant for.
    pub fn may_be_for_another_process(&self, context: &Context) -> bool {
        if commands::starts_program(context.source, self.event.span.end) {
            return true;
        }
        let later = context.script.process.iter().skip(self.index);
        let mut started = later.filter(|event| event.what == ProcessChange::StartsProcess);
        started.any(|event| !runs_plain_command(context, event.span))
    }

    /// Where its text stands inside quotes, if it is written out in one piece.
    pub fn contents(&self, context: &Context) -> Option<Span> {
        literal::contents(context, self.value_span?, self.value.text()?)
    }

    /// A finding about its name, or about all of it where the name is not written out.
    pub fn about_name(&self, context: &Context, rule: &Rule, verdict: Verdict, message: String) -> Finding {
        context.sure_finding(rule, verdict, self.name_span.unwrap_or(self.event.span), message)
    }

    /// A finding about its value, or about all of it where the value is not written out.
    pub fn about_value(&self, context: &Context, rule: &Rule, verdict: Verdict, message: String) -> Finding {
        context.sure_finding(rule, verdict, self.value_span.unwrap_or(self.event.span), message)
    }

    /// The fix that writes another name.
    pub fn renamed(&self, context: &Context, name: &str) -> Option<Fix> {
        let span = literal::name(context, self.name_span?, self.name)?;
        let message = text("environment-rename", &[("name", name)]);
        Some(Fix {
            applicability: Applicability::Safe,
            message,
            edits: vec![replacement(context, span, name)],
        })
    }

    /// The fix that writes another text.
    pub fn rewritten(&self, context: &Context, value: &str) -> Option<Fix> {
        let span = self.contents(context)?;
        let message = text("environment-rewrite", &[("value", value)]);
        Some(Fix {
            applicability: Applicability::Safe,
            message,
            edits: vec![replacement(context, span, value)],
        })
    }

    /// The fix that sets it before anything can read it.
    pub fn moved_up(&self, context: &Context) -> Option<Fix> {
        if !self.event.at_top_level || self.is_command(context) {
            return None;
        }
        let module = context.script.module;
        let is_reader = |event: &&ProcessEvent| {
            matches!(event.what, ProcessChange::ImportsTorch { .. } | ProcessChange::InitializesCuda)
        };
        let readers: Vec<Span> =
            context.script.process.iter().filter(is_reader).map(|event| event.span).collect();
        let above = module.body.iter().take_while(|stmt| **stmt != self.event.stmt);
        let target = above.copied().find(|stmt| {
            let span = module.stmt(*stmt).span;
            readers.iter().any(|reader| span.contains(*reader))
        })?;
        let edits: Vec<Edit> = moving::above(context, self.event.stmt, target)?;
        let line = context.quote_line(module.stmt(target).span);
        let message = text("environment-move", &[("line", &line)]);
        Some(Fix { applicability: Applicability::Safe, message, edits })
    }
}

/// Whether what is started is known to have no use for variables of PyTorch.
fn runs_plain_command(context: &Context, span: Span) -> bool {
    let calls = context.script.calls.iter().filter(|call| call.role == Role::Shell);
    let mut same = calls.filter(|call| call.span == span);
    same.any(|call| command::words(call).is_some_and(|words| is_plain(&words)))
}
