from contextlib import asynccontextmanager
import torch
from fastapi import FastAPI, Request
from transformers import AutoModelForSequenceClassification, AutoTokenizer

NAME = "cardiffnlp/twitter-roberta-base-sentiment-latest"


@asynccontextmanager
async def lifespan(app):
    app.state.tok = AutoTokenizer.from_pretrained(NAME)
    app.state.model = AutoModelForSequenceClassification.from_pretrained(NAME).to("cuda").eval()
    yield
    del app.state.model
    torch.cuda.empty_cache()


app = FastAPI(lifespan=lifespan)


@app.post("/mood")
def mood(request: Request, texts: list[str]):
    state = request.app.state
    batch = state.tok(texts, return_tensors="pt", padding=True, truncation=True).to("cuda")
    with torch.inference_mode():
        probs = state.model(**batch).logits.softmax(-1)
    return probs.cpu().tolist()
