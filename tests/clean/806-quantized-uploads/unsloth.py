from transformers import AutoModelForCausalLM

ready = AutoModelForCausalLM.from_pretrained("unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", device_map="cuda")
