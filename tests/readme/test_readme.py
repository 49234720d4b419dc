"""What the README shows is what the program does, and the snippets are the files that the tests use."""

import json
import re
import subprocess

import pytest
import refresh
import scripts


@pytest.fixture(scope="module")
def readme(repository):
    return (repository / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def vramlens(binary, repository):
    """Runs vramlens in the repository and returns how it ended."""

    def run(*arguments, status=0, **options):
        options = {"cwd": repository, "timeout": 120} | options
        ran = subprocess.run([binary, *arguments], capture_output=True, text=True, check=False, **options)
        assert ran.returncode == status, ran.stdout + ran.stderr
        return ran.stdout

    return run


def block(readme, label):
    """The fenced block under the comment that begins with `label`."""
    return re.search(rf"<!-- {re.escape(label)}[^\n]*-->\n```\w+\n(.*?)```\n", readme, re.DOTALL)[1]


def test_rules_and_samples_are_what_vramlens_prints(readme, vramlens):
    assert "OOM101" in block(readme, "sample:")
    assert refresh.refreshed(readme, vramlens) == readme, "run tests/readme/refresh.py target/debug/vramlens"


def test_every_option_of_check_is_told(readme, vramlens):
    known = set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", vramlens("check", "--help"), re.MULTILINE)) - {"--help"}
    told = set(re.findall(r"^\| `(--[\w-]+)", readme, re.MULTILINE))
    assert told == known


def test_every_key_of_an_estimate_is_told(readme, vramlens):
    [estimate, *_] = json.loads(vramlens("estimate", "gpt2", "--output-format", "json"))
    lines = block(readme, "json:").splitlines()
    told = [name for line in lines if not line.startswith(" ") for name in re.split(r"  +", line)[0].split(", ")]
    assert told == list(estimate)
    for name in ("bytes", "parts", "gpus"):
        inner = estimate[name] if isinstance(estimate[name], dict) else estimate[name][0]
        [line] = [line for line in lines if line.startswith(f"{name} ")]
        assert all(re.search(rf"\b{key}\b", line) for key in inner), name


def test_settings_are_known(readme, vramlens, tmp_path):
    (tmp_path / "vramlens.toml").write_text(block(readme, "settings:"))
    (tmp_path / "train.py").write_text("import torch\n")
    assert "VL001" not in vramlens("check", ".", cwd=tmp_path)


def test_suppressions_silence(readme, vramlens, tmp_path):
    (tmp_path / "train.py").write_text(scripts.TRAINER)
    assert "OOM101" in vramlens("check", ".", status=1, cwd=tmp_path)
    silenced = "".join(f"    {line}" for line in block(readme, "suppressions").splitlines(keepends=True))
    (tmp_path / "train.py").write_text(scripts.TRAINER.replace("    total_loss += loss\n", silenced))
    assert "OOM101" not in vramlens("check", ".", cwd=tmp_path)


def test_snippets_are_the_tested_files(readme, repository):
    named = re.findall(r"<!-- file: (\S+) -->", readme)
    assert len(named) == len(list((repository / "editors" / "neovim" / "examples").iterdir()))
    for name in named:
        assert block(readme, f"file: {name}") == (repository / name).read_text(encoding="utf-8"), name


def test_one_set_of_values_for_neovim(repository):
    def fields(path):
        return re.findall(r"^  \w+ = .*,$", (repository / path).read_text(encoding="utf-8"), re.MULTILINE)

    assert fields("editors/neovim/lsp/vramlens.lua") == fields("editors/neovim/examples/inline.lua")


def test_links_lead_somewhere(readme, repository):
    for target in re.findall(r"\]\(([^)#:]+)\)", readme):
        assert (repository / target).exists(), target
