import pytest
import torch

from tests.isolation import run_isolated


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a card")
def test_settings_win():
    def body():
        import os

        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
        import torch

        torch.zeros(1, device="cuda")
        print(torch.cuda.memory.memory_snapshot()[0]["is_expandable"])

    assert run_isolated(body).stdout.strip() == "True"
