import os
from unittest import mock

import pytest
import torch
from mylib.env import allocator_settings


def test_reads_the_variable(monkeypatch):
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:64")
    assert allocator_settings() == {"max_split_size_mb": "64"}


def test_rejects_nonsense(monkeypatch):
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "nonsense")
    with pytest.raises(ValueError):
        allocator_settings()


@mock.patch.dict(os.environ, {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "CUDA_VISIBLE_DEVICES": ""})
def test_hidden_cards():
    assert allocator_settings()["expandable_segments"] == "True"
    assert torch.zeros(2).device.type == "cpu"
