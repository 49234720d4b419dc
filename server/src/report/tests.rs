//! Whole reports, in both forms, and what a name can do to them: nothing.
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use vramlens_grammars::{Location, Span};

use super::*;
use crate::estimate::{Assumption, Breakdown, CardVerdict, Certainty, Lever, Part, Verdict};
use crate::memory::Bytes;

/// The bytes of so many thousandths of a GiB.
fn milli(gib: u64) -> Bytes {
    Bytes(gib * (1 << 30) / 1000)
}

fn part(name: &str, parameters: u64, precision: &str, weights: Bytes) -> Part {
    let precision = precision.to_owned();
    Part { name: name.to_owned(), parameters: Some(parameters), precision, weights, on_gpu: weights }
}

fn assumption(what: &str, value: &str, why: &str) -> Assumption {
    let [what, value, why] = [what, value, why].map(str::to_owned);
    Assumption { what, value, why, change_at: None }
}

fn card(name: &str, verdict: Verdict, headroom: i64) -> CardVerdict {
    let capacity = Bytes::gib(24);
    let name = name.to_owned();
    CardVerdict { name, capacity, usable: capacity, verdict, headroom }
}

fn gib(thousandths: i64) -> i64 {
    thousandths * (1 << 30) / 1000
}

/// One model, counted and confirmed.
pub(crate) fn llama(location: Location) -> Estimate {
    let weights = Bytes(16_060_522_496);
    let amount = Amount {
        certainty: Certainty::Exact,
        parameters: Some(8_030_261_248),
        bytes: Breakdown { weights, overhead: Bytes::mib(500), ..Breakdown::default() },
        allocated_peak: weights,
        reserved_peak: weights,
        low: weights,
        high: weights,
        parts: vec![part("", 8_030_261_248, "bfloat16", weights)],
        per_gpu: false,
        cards: vec![card("RTX 4090 24GB", Verdict::Fits, gib(8020))],
        levers: Vec::new(),
    };
    Estimate {
        location,
        hover: vec![location],
        kind: EstimateKind::Load,
        model: Some("meta-llama/Llama-3.1-8B".to_owned()),
        model_source: Some("catalog of vramlens, confirmed by the published count".to_owned()),
        amount: Ok(amount),
        assumptions: vec![assumption("dtype", "bfloat16", "`torch_dtype` of this call")],
    }
}

fn here() -> Location {
    Location { cell: None, span: Span::new(8, 40) }
}

fn changed(change: impl FnOnce(&mut Estimate, &mut Amount)) -> Report {
    let mut estimate = llama(here());
    let mut amount = estimate.amount.clone().unwrap();
    change(&mut estimate, &mut amount);
    if estimate.amount.is_ok() {
        estimate.amount = Ok(amount);
    }
    Report::new(&estimate)
}

#[test]
fn a_model_that_is_known_well() {
    let report = Report::new(&llama(here()));
    assert_eq!(
        report.write(Markup::Markdown),
        "\
**`meta-llama/Llama-3.1-8B`: 14.96 GiB of weights on the GPU (8.03B parameters, bfloat16)**

- The weights fit: RTX 4090 24GB (8.02 GiB to spare)
- dtype: bfloat16 (`torch_dtype` of this call)
- Model facts: catalog of vramlens, confirmed by the published count

```text
weights                         8.03B  bfloat16  14.96 GiB
CUDA context and libraries                         500 MiB
in all, as nvidia-smi shows it                   15.45 GiB
```"
    );
    let plain = report.write(Markup::Plain);
    let markdown = report.write(Markup::Markdown);
    assert_eq!(plain, markdown.replace("**", "").replace("```text\n", "").replace("\n```", ""));
}

#[test]
fn a_pipeline_that_is_offloaded() {
    let report = changed(|estimate, amount| {
        estimate.kind = EstimateKind::Pipeline;
        estimate.model = Some("black-forest-labs/FLUX.1-dev".to_owned());
        estimate.assumptions =
            vec![assumption("offload", "one part at a time", "`enable_model_cpu_offload()`")];
        let mut parts = vec![
            part("vae", 83_819_683, "bfloat16", Bytes::mib(156)),
            part("transformer", 11_901_408_320, "bfloat16", milli(22_168)),
            part("text_encoder", 123_060_480, "bfloat16", Bytes::mib(229)),
            part("text_encoder_2", 4_762_310_656, "float16", milli(8871)),
        ];
        for part in &mut parts {
            part.on_gpu = if part.name == "transformer" { part.weights } else { Bytes::default() };
        }
        amount.parts = parts;
        amount.parameters = Some(16_870_599_139);
        amount.bytes.weights = milli(22_168);
        amount.allocated_peak = milli(22_168);
        (amount.low, amount.high) = (milli(22_168), milli(22_168));
        amount.cards = vec![
            card("RTX 4090 24GB", Verdict::Tight, gib(700)),
            card("T4 16GB", Verdict::DoesNotFit, gib(-7168)),
            card("L40S 48GB", Verdict::Fits, gib(24_000)),
        ];
        amount.levers = vec![Lever {
            name: "--quantize 8-bit".to_owned(),
            saves: milli(11_000),
            cost: "a little quality".to_owned(),
            edit: false,
        }];
    });
    assert_eq!(
        report.write(Markup::Plain),
        "\
`black-forest-labs/FLUX.1-dev`: 22.17 GiB of weights on the GPU (16.9B parameters, bfloat16 and float16)

- The weights fit: L40S 48GB (24.00 GiB to spare)
- Tight, because the high end of the range does not fit: RTX 4090 24GB (717 MiB to spare)
- The weights do not fit: T4 16GB (7.17 GiB too little)
- Not on the GPU: 9.25 GiB of 31.41 GiB
- offload: one part at a time (`enable_model_cpu_offload()`)
- Model facts: catalog of vramlens, confirmed by the published count
- --quantize 8-bit: saves 11.00 GiB (a little quality)

transformer                     11.9B  bfloat16  22.17 GiB
text_encoder_2                  4.76B  float16       0 MiB  of 8.87 GiB
text_encoder                     123M  bfloat16      0 MiB  of 229 MiB
vae                             83.8M  bfloat16      0 MiB  of 156.0 MiB
CUDA context and libraries                         500 MiB
in all, as nvidia-smi shows it                   22.66 GiB"
    );
}

#[test]
fn a_guess_shows_no_number_without_its_doubt() {
    let report = changed(|estimate, amount| {
        estimate.model = Some("some/model-7b".to_owned());
        estimate.model_source = Some("a size in the name".to_owned());
        amount.certainty = Certainty::Guessed;
        amount.parameters = Some(7_000_000_000);
        amount.bytes.weights = milli(13_039);
        amount.allocated_peak = milli(13_039);
        (amount.low, amount.high) = (milli(12_800), milli(27_100));
        amount.parts = vec![part("", 7_000_000_000, "bfloat16", milli(13_039))];
        amount.cards = vec![card("RTX 4090 24GB", Verdict::Tight, gib(9961))];
    });
    assert_eq!(
        report.write(Markup::Plain),
        "\
`some/model-7b`: about 13–27 GiB of weights on the GPU (about 7B parameters, bfloat16), a guess from its name

- Tight, because the high end of the range does not fit: RTX 4090 24GB (about 9.96 GiB to spare)
- dtype: bfloat16 (`torch_dtype` of this call)
- Model facts: a size in the name

weights                         ≈ 7B  bfloat16  ≈ 13–27 GiB
CUDA context and libraries                        ≈ 500 MiB
in all, as nvidia-smi shows it                  ≈ 13–28 GiB"
    );
}

#[test]
fn counted_and_disputed_numbers_say_so() {
    let counted = changed(|_, amount| amount.certainty = Certainty::Counted);
    assert_eq!(
        counted.headline,
        "`meta-llama/Llama-3.1-8B`: about 14.96 GiB of weights on the GPU (about 8.03B parameters, bfloat16)"
    );
    let disputed = changed(|_, amount| {
        amount.certainty = Certainty::Disputed;
        (amount.low, amount.high) = (milli(14_000), milli(14_957));
    });
    assert_eq!(
        disputed.headline,
        "`meta-llama/Llama-3.1-8B`: 14.0–15.0 GiB of weights on the GPU \
         (about 8.03B parameters, bfloat16), the sources disagree"
    );
}

#[test]
fn a_label_is_a_number_as_long_as_its_bounds_are_close() {
    let with = |change: fn(&mut Amount)| {
        let mut amount = llama(here()).amount.unwrap();
        (amount.low, amount.high) = (milli(14_883), milli(15_032));
        change(&mut amount);
        label(&amount)
    };
    assert_eq!(with(|_| ()), "14.96 GiB");
    assert_eq!(with(|amount| amount.high = milli(15_700)), "≈ 14.96 GiB");
    assert_eq!(with(|amount| amount.certainty = Certainty::Counted), "≈ 14.96 GiB");
    assert_eq!(with(|amount| amount.certainty = Certainty::Disputed), "≈ 14.9–15.0 GiB");
    assert_eq!(with(|amount| amount.high = milli(30_063)), "≈ 14.9–30.1 GiB");
    assert_eq!(with(|amount| amount.low = Bytes::mib(700)), "≈ 700 MiB–15.0 GiB");
}

#[test]
fn what_is_in_host_memory_is_not_said_to_be_on_the_gpu() {
    let report = changed(|_, amount| {
        amount.bytes = Breakdown::default();
        amount.allocated_peak = Bytes::default();
        (amount.low, amount.high) = (Bytes::default(), Bytes::default());
        amount.parts.iter_mut().for_each(|part| part.on_gpu = Bytes::default());
        assert_eq!(label(amount), "14.96 GiB in host memory");
    });
    assert_eq!(
        report.write(Markup::Plain),
        "\
`meta-llama/Llama-3.1-8B`: 14.96 GiB of weights, none of them on the GPU (8.03B parameters, bfloat16)

- On the GPU it would fit: RTX 4090 24GB (8.02 GiB to spare)
- dtype: bfloat16 (`torch_dtype` of this call)
- Model facts: catalog of vramlens, confirmed by the published count

weights  8.03B  bfloat16  14.96 GiB"
    );
    let doubtful = changed(|_, amount| {
        amount.certainty = Certainty::Disputed;
        (amount.low, amount.high) = (Bytes::default(), Bytes::default());
    });
    assert!(
        doubtful.headline.contains(": about 14.96 GiB of weights, none of them"),
        "{}",
        doubtful.headline
    );
    assert!(doubtful.headline.ends_with(", the sources disagree"), "{}", doubtful.headline);
}

#[test]
fn what_is_not_known_is_said_with_what_to_do() {
    let report = changed(|estimate, _| {
        let sentence =
            "The catalog has no `own/model`, and its files are not on this machine. Download it first.";
        estimate.model = Some("own/model".to_owned());
        estimate.model_source = None;
        estimate.amount = Err(sentence.to_owned());
        estimate.assumptions.clear();
    });
    assert_eq!(
        report.write(Markup::Markdown),
        "\
**`own/model`: how much GPU memory it needs is not known**

- The catalog has no `own/model`, and its files are not on this machine. Download it first."
    );
}

#[test]
fn a_name_cannot_leave_its_place() {
    let report = changed(|estimate, amount| {
        let name = "a`*b*<img src=x>\n```\n# [c](https://evil.example)\u{202e}";
        estimate.model = Some(name.to_owned());
        estimate.model_source =
            Some(format!("1. {name} www.evil.example a_b _c_ &amp; ~~d~~ me@evil.example"));
        amount.parts = vec![part(name, 1, "```", Bytes::gib(1)), part("\n```\n", 1, "x", Bytes::gib(2))];
        amount.cards = Vec::new();
        estimate.assumptions.clear();
    });
    assert_eq!(
        report.write(Markup::Markdown),
        "\
**`a'*b*<img src=x>�'''�# [c](https://evil.example)�`: 14.96 GiB of weights on the GPU \
(8.03B parameters, \\`\\`\\` and x)**

- Model facts: 1. a`*b*<img src=x>�`\\`\\`�# \\[c\\](https\\://evil.example)� www\\.evil.example a_b \
\\_c\\_ \\&amp; \\~\\~d\\~\\~ me\\@evil.example

````text
�```�                                              1  x     2.00 GiB
a`*b*<img src=x>�```�# [c](https://evil.example)�  1  ```   1.00 GiB
CUDA context and libraries                                   500 MiB
in all, as nvidia-smi shows it                             15.45 GiB
````"
    );
    let long = changed(|estimate, _| estimate.model = Some("n".repeat(5000)));
    assert!(long.headline.chars().count() < 180, "{}", long.headline);
}

#[test]
fn a_report_stays_short() {
    let report = changed(|estimate, amount| {
        estimate.assumptions = vec![assumption("dtype", "float16", "the default"); 20];
        amount.parts = (0..20).map(|n| part(&format!("part_{n}"), 5, "float16", Bytes::gib(n))).collect();
    });
    let lines = report.write(Markup::Markdown).lines().count();
    assert!(lines <= 19, "{lines}");
    assert!(report.block.iter().any(|line| line.starts_with("16 more parts")), "{:?}", report.block);
    assert!(report.points.iter().any(|point| point.starts_with("Model facts")), "{:?}", report.points);
}

#[test]
fn parameters_read_as_people_write_them() {
    let counts = [999, 65_536, 124_439_808, 999_999_999, 8_030_261_248, 70_553_706_496, 671_026_419_200];
    assert_eq!(counts.map(count), ["999", "65.5K", "124M", "1B", "8.03B", "70.6B", "671B"]);
}
