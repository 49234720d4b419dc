import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

tok = AutoTokenizer.from_pretrained("./checkpoint")
model = AutoModelForCausalLM.from_pretrained("./checkpoint", torch_dtype=torch.float32).to("cuda")
print(tok.decode(model.generate(**tok("Hi", return_tensors="pt").to("cuda"))[0]))
