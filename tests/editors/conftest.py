"""A home folder for an editor, with a `vramlens` on the search path that writes down what is said."""

import os
import sys

import neovims
import pytest
import record


@pytest.fixture
def recording(tmp_path):
    """Where the traffic of this test is written down."""
    return tmp_path / "traffic.jsonl"


@pytest.fixture
def environment(tmp_path, binary, recording):
    """The environment variables of a user who has nothing but vramlens."""
    programs = tmp_path / "bin"
    programs.mkdir()
    neovims.write_command(programs / "vramlens", sys.executable, record.__file__, recording, "--", binary)
    folders = {f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return os.environ | folders | {"HOME": str(tmp_path), "PATH": path, "LANG": "C.UTF-8"}
