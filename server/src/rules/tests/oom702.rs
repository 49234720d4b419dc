use super::check;

#[test]
fn two_usual_shares() {
    check(
        "
from vllm import LLM

a = LLM('Qwen/Qwen3-8B'); b = LLM('Qwen/Qwen3-4B')
#                             ^^^^^^^^^^^^^^^^^^^^ OOM702 error static
",
    );
}

#[test]
fn shares_that_fit() {
    check(
        "
from vllm import LLM

a = LLM('Qwen/Qwen3-8B', gpu_memory_utilization=0.6)
b = LLM('Qwen/Qwen3-4B', gpu_memory_utilization=0.3)
",
    );
}

#[test]
fn one_engine_or_the_other() {
    check(
        "
from vllm import LLM

if small:
    engine = LLM('Qwen/Qwen3-4B')
else:
    engine = LLM('Qwen/Qwen3-8B')
",
    );
}

#[test]
fn shares_and_cards_that_are_not_in_the_text() {
    check(
        "
from vllm import LLM

a = LLM('Qwen/Qwen3-8B', gpu_memory_utilization=given)
b = LLM('Qwen/Qwen3-4B')
c = LLM('Qwen/Qwen3-32B', tensor_parallel_size=4)
",
    );
}
