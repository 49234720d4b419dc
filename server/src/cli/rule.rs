//! `vramlens rule`: the rules and their pages.

use crate::cli::arguments::RuleArguments;
use crate::cli::{Status, terminal};
use crate::rules::{RULES, Rule, rule};
use crate::texts::{nearest, text};

/// Prints one rule's page, all pages, or the list of rules.
pub fn run(arguments: &RuleArguments) -> Status {
    let Some(wanted) = &arguments.code else {
        terminal::print(&if arguments.all { all_pages() } else { list() });
        return Status::Clean;
    };
    if let Some(rule) = find(wanted) {
        terminal::print(&rule.page());
        return Status::Clean;
    }
    let names = RULES.iter().flat_map(|rule| [rule.code, rule.name]);
    let message = match nearest(wanted, names) {
        Some(known) => text("rule-unknown-near", &[("code", wanted), ("known", &known)]),
        None => text("rule-unknown", &[("code", wanted)]),
    };
    terminal::error(&message);
    Status::Failed
}

fn find(wanted: &str) -> Option<&'static Rule> {
    rule(wanted).or_else(|| RULES.iter().find(|rule| rule.name.eq_ignore_ascii_case(wanted)))
}

fn list() -> String {
    let width = RULES.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let row = |rule: &Rule| format!("{:6}  {:width$}  {}\n", rule.code, rule.name, rule.summary);
    RULES.iter().map(row).collect()
}

fn all_pages() -> String {
    let pages: Vec<String> = RULES.iter().map(Rule::page).collect();
    pages.join("\n")
}
