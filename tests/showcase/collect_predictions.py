"""Embed a corpus with a pretrained encoder and save the vectors."""

import argparse

import torch
from torch.utils.data import DataLoader
from transformers import AutoModel, AutoTokenizer


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip()]


def embed(model, tokenizer, texts, batch_size):
    model.eval()
    embeddings = []
    for batch in DataLoader(texts, batch_size=batch_size):
        tokens = tokenizer(list(batch), padding=True, truncation=True, return_tensors="pt").to("cuda")
        outputs = model(**tokens)
        embeddings.append(outputs.last_hidden_state.mean(dim=1))
    return torch.cat(embeddings)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("texts")
    parser.add_argument("--model", default="bert-base-uncased")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--output", default="embeddings.pt")
    args = parser.parse_args()

    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = AutoModel.from_pretrained(args.model).to("cuda")
    vectors = embed(model, tokenizer, read_lines(args.texts), args.batch_size)
    torch.save(vectors.cpu(), args.output)
