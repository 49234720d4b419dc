import io
import logging
import torch
from fastapi import FastAPI, File, HTTPException, UploadFile
from PIL import Image
from pydantic import BaseModel
from transformers import BlipForConditionalGeneration, BlipProcessor

app = FastAPI(title="captions")
log = logging.getLogger("captions")
REPO = "Salesforce/blip-image-captioning-large"
served = {"count": 0, "last": []}


class Caption(BaseModel):
    text: str
    words: int


@app.get("/health")
def health():
    return {"cuda": torch.cuda.is_available(), "served": served["count"]}


@app.post("/caption", response_model=Caption)
def caption(file: UploadFile = File(...), beams: int = 3):
    try:
        image = Image.open(io.BytesIO(file.file.read())).convert("RGB")
    except OSError:
        raise HTTPException(400, "not a picture")
    processor = BlipProcessor.from_pretrained(REPO)
    model = BlipForConditionalGeneration.from_pretrained(REPO, torch_dtype=torch.float16).to("cuda")
    inputs = processor(image, return_tensors="pt").to("cuda", torch.float16)
    out = model.generate(**inputs, num_beams=beams, max_new_tokens=40)
    text = processor.decode(out[0], skip_special_tokens=True)
    served["count"] += 1
    served["last"] = (served["last"] + [text])[-20:]
    log.info("captioned %s", file.filename)
    return Caption(text=text, words=len(text.split()))
