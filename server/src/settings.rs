//! What the user chose. One set of names in every place settings can be written.

/// The settings that shape an analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Codes, or prefixes of codes, to report; empty means all.
    pub select: Vec<String>,
    /// Codes, or prefixes of codes, not to report. Wins over `select`.
    pub ignore: Vec<String>,
    /// The card or size to judge against, as written.
    pub gpu: Option<String>,
}

impl Settings {
    /// Whether findings with this code are wanted.
    pub fn wants(&self, code: &str) -> bool {
        let matches = |list: &[String]| list.iter().any(|prefix| code.starts_with(prefix.as_str()));
        (self.select.is_empty() || matches(&self.select)) && !matches(&self.ignore)
    }
}
