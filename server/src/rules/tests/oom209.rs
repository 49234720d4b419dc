//! Generations that keep tensors of every token.

use crate::rules::tests::check;
use crate::rules::tests::fixing::check_fix;

#[test]
fn scores_logits_and_layers_that_nothing_reads() {
    check(
        "
import torch

def answer(model, tokens):
    model.cuda()
    out = model.generate(tokens, return_dict_in_generate=True, output_scores=True)
                                                               ^^^^^^^^^^^^^^^^^^ OOM209 warning peak
    return out['sequences']

class Chat:
    def say(self, tokens):
        return self.model.generate(
            tokens, return_dict_in_generate=True, output_hidden_states=True, output_logits=True
                                                  ^^^^^^^^^^^^^^^^^^^^^^^^^ OOM209 warning peak
                                                                             ^^^^^^^^^^^^^^^^^^ OOM209 warning peak
        ).sequences
",
    );
}

#[test]
fn silent_when_they_are_read_handed_on_or_not_kept() {
    check(
        "
import torch

def answer(model, tokens, keep, scored):
    model.cuda()
    out = model.generate(tokens, return_dict_in_generate=True, output_scores=True)
    sure = model.compute_transition_scores(out.sequences, out.scores)
    keep(model.generate(tokens, return_dict_in_generate=True, output_scores=True))
    print(model.generate(tokens, output_scores=True)[0])
    print(model.generate(tokens, return_dict_in_generate=True, output_scores=scored).sequences)
    print(model.generate(tokens, return_dict_in_generate=True, output_scores=False).sequences)
    return model.generate(tokens, return_dict_in_generate=True, output_logits=True)

class Grammar:
    def generate(self, tokens, return_dict_in_generate, output_scores):
        return tokens

print(Grammar().generate([], return_dict_in_generate=True, output_scores=True).sequences)
",
    );
}

#[test]
fn the_fix_takes_the_option_out() {
    check_fix(
        "
def answer(model, tokens):
    out = model.generate(tokens, output_scores=True, return_dict_in_generate=True)
    return out.sequences
",
        "
def answer(model, tokens):
    out = model.generate(tokens, return_dict_in_generate=True)
    return out.sequences
",
    );
}
