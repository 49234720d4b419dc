//! What is wrong: one file a rule, its documentation and its fix beside it.

mod adapters;
mod allocator;
mod cache;
mod cells;
mod checkpoints;
mod command;
pub mod context;
mod environment;
mod fields;
mod keeping;
mod no_grad;
mod objects;
mod offload;
mod oom101;
mod oom102;
mod oom103;
mod oom104;
mod oom105;
mod oom106;
mod oom107;
mod oom108;
mod oom110;
mod oom113;
mod oom114;
mod oom116;
mod oom117;
mod oom118;
mod oom119;
mod oom120;
mod oom122;
mod oom123;
mod oom124;
mod oom125;
mod oom126;
mod oom127;
mod oom129;
mod oom130;
mod oom131;
mod oom201;
mod oom202;
mod oom203;
mod oom204;
mod oom205;
mod oom206;
mod oom208;
mod oom209;
mod oom211;
mod oom212;
mod oom213;
mod oom214;
mod oom216;
mod oom301;
mod oom302;
mod oom303;
mod oom311;
mod oom312;
mod oom401;
mod oom402;
mod oom403;
mod oom404;
mod oom405;
mod oom406;
mod oom407;
mod oom408;
mod oom409;
mod oom410;
mod oom411;
mod oom412;
mod oom501;
mod oom502;
mod oom503;
mod oom504;
mod oom601;
mod oom702;
mod oom907;
mod oom931;
mod oom932;
mod oom934;
mod oom935;
mod oom951;
mod oom952;
mod oom953;
mod oom954;
mod oom955;
mod oom958;
mod reloading;
mod reruns;
mod runs;
mod stashing;
#[cfg(test)]
mod tests;
pub mod vl001;
pub mod vl002;
mod writing;

use vramlens_grammars::Location;

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::rules::context::{Context, Verdict};

/// A rule as the registry knows it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its code, such as `OOM101`. Codes never change meaning.
    pub code: &'static str,
    /// Its name in kebab case; reads well after the word "allow".
    pub name: &'static str,
    /// One line: what it finds.
    pub summary: &'static str,
    /// Its own file, whose doc comment is its page.
    source: &'static str,
    /// Finds it in a script.
    pub check: fn(&Context) -> Vec<Finding>,
}

/// The check of a rule whose findings are made elsewhere, where the file is read.
fn nothing(_: &Context) -> Vec<Finding> {
    Vec::new()
}

impl Rule {
    /// A finding of this rule, with nothing else to look at and no fix.
    fn finding(&self, verdict: Verdict, message: String, location: Location) -> Finding {
        Finding {
            code: self.code,
            name: self.name,
            severity: verdict.severity,
            confidence: verdict.confidence,
            growth: verdict.growth,
            message,
            location,
            related: Vec::new(),
            fix: None,
            saves_bytes: None,
        }
    }

    /// A finding about how a file could be read: it costs no memory, and there is no doubt about it.
    fn notice(&self, severity: Severity, message: String, location: Location) -> Finding {
        let verdict = Verdict { severity, confidence: Confidence::High, growth: Growth::None };
        self.finding(verdict, message, location)
    }

    /// The rule's page in Markdown: the doc comment at the top of its file.
    pub fn page(&self) -> String {
        let lines = self.source.lines().map_while(|line| line.strip_prefix("//!"));
        let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
        lines.join("\n") + "\n"
    }
}

/// All rules, by code.
pub const RULES: &[Rule] = &[
    oom101::RULE,
    oom102::RULE,
    oom103::RULE,
    oom104::RULE,
    oom105::RULE,
    oom106::RULE,
    oom107::RULE,
    oom108::RULE,
    oom110::RULE,
    oom113::RULE,
    oom114::RULE,
    oom116::RULE,
    oom117::RULE,
    oom118::RULE,
    oom119::RULE,
    oom120::RULE,
    oom122::RULE,
    oom123::RULE,
    oom124::RULE,
    oom125::RULE,
    oom126::RULE,
    oom127::RULE,
    oom129::RULE,
    oom130::RULE,
    oom131::RULE,
    oom201::RULE,
    oom202::RULE,
    oom203::RULE,
    oom204::RULE,
    oom205::RULE,
    oom206::RULE,
    oom208::RULE,
    oom209::RULE,
    oom211::RULE,
    oom212::RULE,
    oom213::RULE,
    oom214::RULE,
    oom216::RULE,
    oom301::RULE,
    oom302::RULE,
    oom303::RULE,
    oom311::RULE,
    oom312::RULE,
    oom401::RULE,
    oom402::RULE,
    oom403::RULE,
    oom404::RULE,
    oom405::RULE,
    oom406::RULE,
    oom407::RULE,
    oom408::RULE,
    oom409::RULE,
    oom410::RULE,
    oom411::RULE,
    oom412::RULE,
    oom501::RULE,
    oom502::RULE,
    oom503::RULE,
    oom504::RULE,
    oom601::RULE,
    oom702::RULE,
    oom907::RULE,
    oom931::RULE,
    oom932::RULE,
    oom934::RULE,
    oom935::RULE,
    oom951::RULE,
    oom952::RULE,
    oom953::RULE,
    oom954::RULE,
    oom955::RULE,
    oom958::RULE,
    vl001::RULE,
    vl002::RULE,
];

/// The rule with this code, in any case.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code.eq_ignore_ascii_case(code))
}

/// The address of a rule's page.
pub fn url(code: &str) -> String {
    format!("https://github.com/vramlens/vramlens/blob/main/server/src/rules/{}.rs", code.to_lowercase())
}
