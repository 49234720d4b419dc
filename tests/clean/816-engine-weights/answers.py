from vllm import LLM, SamplingParams

engine = LLM(model="Qwen/Qwen1.5-7B-Chat", dtype="bfloat16", max_model_len=4096)
for answer in engine.generate(["Why?"], SamplingParams(max_tokens=20)):
    print(answer.outputs[0].text)
