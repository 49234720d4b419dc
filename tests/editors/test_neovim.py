"""In a real Neovim: open a script, see the finding, take the fix, write the file, leave."""

import json
import pathlib
import subprocess

import conversation
import neovims
import pytest

SCENARIO = pathlib.Path(__file__).parent / "neovim" / "scenario.lua"
LIMIT_SECONDS = 300
WARNING = 2
LEAK = "total_loss += loss"
FORMS = [("0.11", "enable"), ("0.11", "inline"), ("0.11", "setup"), ("0.7", "setup")]


@pytest.fixture
def script(tmp_path, repository):
    """A copy of a shipped example in a project folder of its own."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "vramlens.toml").touch()
    text = next(
        text
        for path in sorted((repository / "tests" / "showcase").rglob("*.py"))
        if text_has_leak(text := path.read_text(encoding="utf-8"))
    )
    path = project / "train.py"
    path.write_text(text, encoding="utf-8")
    return path


def text_has_leak(text):
    return text.count(f"{LEAK}\n") == 1


@pytest.mark.parametrize("leave", ["stop", "quit"])
@pytest.mark.parametrize(("series", "form"), FORMS)
def test_finding_and_fix(series, form, leave, script, environment, recording, tmp_path):
    program = neovims.find(series)
    if program is None:
        pytest.skip(f"no Neovim {series} here")
    neovims.install(form, environment)
    before = script.read_text(encoding="utf-8")
    after = before.replace(f"{LEAK}\n", f"{LEAK}.item()\n")

    seen = run(program, script, leave, environment, tmp_path / "report.json")

    assert "problem" not in seen, seen
    line = before[: before.index(LEAK)].count("\n") + 1
    assert seen["found"] == [{"line": line, "severity": WARNING, "source": "vramlens"}]
    assert seen["clients"] == 1
    assert "ignore" in seen["menu"][-1].lower()
    assert seen["fixed"] == after
    assert script.read_text(encoding="utf-8") == after
    conversation.wait_for_end(recording)
    faults = conversation.read(recording)
    assert not faults, "\n".join(faults)


def run(program, script, leave, environment, report):
    """Runs the scenario in this Neovim and returns what it reports."""
    task = {
        "SCENARIO_FILE": str(script),
        "SCENARIO_CODE": "OOM101",
        "SCENARIO_LEAVE": leave,
        "SCENARIO_REPORT": str(report),
    }
    command = [program, "--headless", "-i", "NONE", "-n", "-c", f"luafile {SCENARIO}"]
    ran = subprocess.run(
        command,
        env=environment | task,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert report.exists(), f"{program} ended with {ran.returncode} and said: {ran.stdout}{ran.stderr}"
    return json.loads(report.read_text(encoding="utf-8")) | {"said": ran.stderr}
