"""Embeds a folder of texts.

>>> import torch
>>> torch.load("vectors.pt").shape
"""
from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")

from sentence_transformers import SentenceTransformer


def vectors(folder: Path) -> torch.Tensor:
    model = SentenceTransformer("intfloat/e5-large-v2", device="cuda")
    texts = [path.read_text() for path in sorted(folder.glob("*.txt"))]
    return model.encode(texts, convert_to_tensor=True, batch_size=16).cpu()


if __name__ == "__main__":
    import sys

    print(vectors(Path(sys.argv[1])).shape)
