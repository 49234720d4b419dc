from functools import lru_cache
import torch
import whisper
from flask import Flask, jsonify, request

app = Flask(__name__)


@lru_cache(maxsize=1)
def model():
    return whisper.load_model("medium", device="cuda")


@app.post("/transcribe")
def transcribe():
    path = "/tmp/upload.wav"
    request.files["audio"].save(path)
    result = model().transcribe(path, fp16=torch.cuda.is_available())
    return jsonify(text=result["text"], language=result["language"])
