//! A report as it is read without any markup.

use crate::report::Report;

/// The report as plain text, without a line end at its end.
pub fn write(report: &Report) -> String {
    let mut blocks = vec![report.headline.clone()];
    let points: Vec<String> = report.points.iter().map(|point| format!("- {point}")).collect();
    blocks.extend([points.join("\n"), report.block.join("\n")]);
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n")
}
