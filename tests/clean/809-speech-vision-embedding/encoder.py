import torch
from transformers import AutoModel

body = AutoModel.from_pretrained("BAAI/bge-large-en-v1.5").half().to("cuda")
