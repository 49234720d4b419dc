"""In a real Neovim: open a script, see the finding, take the fix, write the file, rest on a model, leave."""

import json
import pathlib
import shutil
import subprocess

import conversation
import neovims
import pytest
import scripts

SCENARIO = pathlib.Path(__file__).parent / "neovim" / "scenario.lua"
LIMIT_SECONDS = 300
WARNING = 2
LEAK = "running_loss += loss"
MODEL = "mistralai/Mistral-7B-v0.1"
FORMS = [("0.11", "enable"), ("0.11", "inline"), ("0.11", "setup"), ("0.7", "setup")]


@pytest.fixture
def script(tmp_path, repository):
    """A copy of a shipped example in a project folder of its own."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "vramlens.toml").touch()
    return shutil.copy(repository / "tests" / "showcase" / "classic_loop.py", project / "train.py")


@pytest.mark.parametrize("leave", ["stop", "quit"])
@pytest.mark.parametrize(("series", "form"), FORMS)
def test_finding_and_fix(series, form, leave, script, environment, recording):
    neovims.install(form, environment)
    before = script.read_text(encoding="utf-8")
    after = before.replace(f"{LEAK}\n", f"{LEAK}.item()\n")

    seen = run(series, script, leave, environment)

    assert seen["found"] == [{"severity": WARNING, "source": "vramlens"}]
    assert "ignore" in seen["menu"][-1].lower()
    assert seen["fixed"] == after
    assert script.read_text(encoding="utf-8") == after
    assert f"{MODEL}`: 13.49 GiB of weights on the GPU (7.24B parameters, float16)" in seen["hover"]
    assert seen["clients"] == 1, "another script of the project takes the server that runs"
    judge(recording)


@pytest.mark.parametrize("series", ["0.11", "0.7"])
def test_overrides_reach_the_server(series, script, environment, recording):
    init = neovims.install("setup", environment)
    init.write_text("require('vramlens').setup({ init_options = { ignore = { 'OOM202' } } })\n")
    run(series, script, "stop", environment)
    judge(recording)
    assert conversation.entries(recording)[0]["message"]["params"]["initializationOptions"] == {"ignore": ["OOM202"]}


def run(series, script, leave, environment):
    """Runs the scenario in a Neovim of this series and returns what it reports."""
    program = neovims.find(series)
    if program is None:
        pytest.skip(f"no Neovim {series} here")
    other, report = script.with_name("other.py"), script.with_name("report.json")
    shutil.copy(script, other)
    load = script.with_name("load.py")
    load.write_text(scripts.LOADER)
    text = script.read_text(encoding="utf-8")
    task = {
        "SCENARIO_FILE": str(script),
        "SCENARIO_OTHER": str(other),
        "SCENARIO_CODE": "OOM101",
        "SCENARIO_LINE": str(text[: text.index(LEAK)].count("\n") + 1),
        "SCENARIO_LOAD": str(load),
        "SCENARIO_NAME": MODEL,
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
    seen = json.loads(report.read_text(encoding="utf-8"))
    assert "problem" not in seen, seen
    return seen


def judge(recording):
    """Waits for the server to end; then nothing in the whole session may have been wrong."""
    conversation.wait_for_end(recording)
    faults = conversation.read(recording)
    assert not faults, "\n".join(faults)
