from transformers import AutoModelForCausalLM

gptq = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", device_map="cuda:0")
