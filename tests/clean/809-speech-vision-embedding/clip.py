from transformers import CLIPModel

clip = CLIPModel.from_pretrained("openai/clip-vit-large-patch14").cuda().eval()
