import torch
from transformers import ViTForImageClassification

device = torch.device("cuda")
vit = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224").to(device)
