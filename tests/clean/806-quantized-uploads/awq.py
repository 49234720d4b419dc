from transformers import AutoModelForCausalLM

awq = AutoModelForCausalLM.from_pretrained("TheBloke/Mistral-7B-Instruct-v0.2-AWQ", device_map="cuda:0")
