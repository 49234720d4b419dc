//! Estimates as text: a line each after the findings, or whole reports.

use crate::cli::examine::Examined;
use crate::cli::place::{Places, name_with_cell};
use crate::estimate::Estimate;
use crate::report::{self, Markup, Report};
use crate::texts::{counted, harmless};

/// One line for each estimate with a number, and one that counts those without.
pub fn lines(examined: &[Examined]) -> String {
    let mut lines = Vec::new();
    let mut unknown = 0;
    for file in examined {
        let places = Places::new(&file.source);
        for estimate in &file.estimates {
            match &estimate.amount {
                Ok(amount) => {
                    let place = place(file, &places, estimate);
                    let verdict = report::verdict(amount);
                    let sentences: Vec<String> =
                        [report::headline(estimate)].into_iter().chain(verdict).collect();
                    lines.push(format!("{place}: {}", sentences.join(". ")));
                }
                Err(_) => unknown += 1,
            }
        }
    }
    if unknown > 0 {
        lines.push(counted("estimates-without-number", unknown, &[]));
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

/// The whole report of each estimate, under its place.
pub fn reports(file: &Examined) -> String {
    let places = Places::new(&file.source);
    let report = |estimate: &Estimate| {
        let place = place(file, &places, estimate);
        format!("{place}\n{}\n", Report::new(estimate).write(Markup::Plain))
    };
    let reports: Vec<String> = file.estimates.iter().map(report).collect();
    reports.join("\n")
}

fn place(file: &Examined, places: &Places<'_>, estimate: &Estimate) -> String {
    let name = harmless(&name_with_cell(&file.filename, estimate.location.cell));
    let start = places.start(estimate.location);
    format!("{name}:{}:{}", start.row, start.column)
}

#[cfg(test)]
mod tests {
    use vramlens_grammars::{Location, Source, Span};

    use super::*;
    use crate::analysis::Analysis;
    use crate::report::tests::llama;

    /// A notebook with two loads in its fourth cell; of the second nothing is known.
    fn notebook() -> Examined {
        let source = Source::cells([(3, "x = 1\nm = load('m')\nn = load('n')\n")]);
        let location = |start, end| Location { cell: Some(3), span: Span::new(start, end) };
        let mut unknown = llama(location(24, 33));
        unknown.amount = Err("Nothing is known of it.".to_owned());
        let estimates = vec![llama(location(10, 19)), unknown];
        Examined::new("a.ipynb", source, Analysis { estimates, ..Analysis::default() })
    }

    #[test]
    fn a_line_tells_the_place_the_number_and_the_verdict() {
        assert_eq!(
            lines(&[notebook()]),
            "\
a.ipynb:cell 4:2:5: `meta-llama/Llama-3.1-8B`: 14.96 GiB of weights on the GPU (8.03B parameters, bfloat16). \
The weights fit: RTX 4090 24GB (8.02 GiB to spare)
1 model could not be sized: `vramlens estimate FILE` says why
"
        );
    }

    #[test]
    fn reports_stand_under_their_places() {
        let reports = reports(&notebook());
        let firsts: Vec<&str> = reports.lines().filter(|line| line.starts_with("a.ipynb")).collect();
        assert_eq!(firsts, ["a.ipynb:cell 4:2:5", "a.ipynb:cell 4:3:5"]);
        assert!(reports.ends_with("15.45 GiB\n\na.ipynb:cell 4:3:5\n`meta-llama/Llama-3.1-8B`: how much GPU memory it needs is not known\n\n- Nothing is known of it.\n- dtype: bfloat16 (`torch_dtype` of this call)\n"), "{reports}");
    }
}
