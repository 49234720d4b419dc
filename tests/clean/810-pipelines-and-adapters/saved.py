from peft import AutoPeftModelForCausalLM

model = AutoPeftModelForCausalLM.from_pretrained("my-team/support-adapter", device_map="cuda")
