use super::check;

/// A script that trains a model of this class with these options and these arguments of the trainer.
fn script(class: &str, options: &str, trainer: &str) -> String {
    format!(
        "
from transformers import {class}, Trainer, TrainingArguments

model = {class}.from_pretrained('someone/tiny')
args = TrainingArguments('out', gradient_checkpointing=True{options})
{trainer}
"
    )
}

const FOUND: &str = "trainer = Trainer(model=model, args=args, eval_dataset=test, compute_metrics=accuracy)
#                                                                            ^^^^^^^^ OOM601 error tensors";
const SILENT: &str = "trainer = Trainer(model=model, args=args, eval_dataset=test, compute_metrics=accuracy)";

#[test]
fn logits_for_every_token_or_pixel() {
    check(&script("AutoModelForCausalLM", "", FOUND));
    check(&script("T5ForConditionalGeneration", ", eval_strategy='epoch'", FOUND));
    check(&script("SegformerForSemanticSegmentation", "", FOUND));
    check(&script("AutoModelForMaskedLM", ", prediction_loss_only=False", FOUND));
}

#[test]
fn logits_for_a_few_labels() {
    check(&script("AutoModelForSequenceClassification", "", SILENT));
}

#[test]
fn options_that_take_the_logits_away() {
    check(&script("AutoModelForCausalLM", ", eval_accumulation_steps=4", SILENT));
    check(&script("AutoModelForCausalLM", ", batch_eval_metrics=True", SILENT));
    check(&script("AutoModelForCausalLM", ", prediction_loss_only=True", SILENT));
    check(&script("AutoModelForCausalLM", ", **given", SILENT));
}

#[test]
fn trainers_that_keep_less() {
    check(&script(
        "AutoModelForCausalLM",
        "",
        "trainer = Trainer(model=model, args=args, eval_dataset=test)",
    ));
    check(&script(
        "AutoModelForCausalLM",
        "",
        "trainer = Trainer(model, args, compute_metrics=accuracy, preprocess_logits_for_metrics=most_likely)",
    ));
}

#[test]
fn a_classifier_that_returns_every_layer() {
    let loaded = |option: &str, trainer: &str| {
        script("AutoModelForSequenceClassification", "", trainer)
            .replace("'someone/tiny'", &format!("'someone/tiny', {option}"))
    };
    check(&loaded("output_hidden_states=True", FOUND));
    check(&loaded("output_attentions=True", FOUND));
    check(&loaded("output_hidden_states=False", SILENT));
}
