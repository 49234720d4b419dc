#!/usr/bin/env python3
"""Writes what vramlens prints today into the README: the table of rules and the samples.

    refresh.py VRAMLENS      run it in the repository's root

A sample with `[...]` in it keeps the findings that it shows, and the last lines; `[...]` stands for what lies between.
Any other is all that is printed.
"""

import pathlib
import re
import subprocess
import sys

RULES = re.compile(r"(<!-- rules:[^\n]*\n\n\|[^\n]*\n\|[^\n]*\n)((?:\|[^\n]*\n)*)")
SAMPLE = re.compile(r"(<!-- sample: vramlens ([^\n]*) -->\n```text\n)(.*?)(```\n)", re.DOTALL)
PLACE = re.compile(r"^ *--> (\S+)$", re.MULTILINE)
LEFT_OUT = "[...]\n"


def refreshed(readme, vramlens):
    """The README's text as it should be; `vramlens` runs the program and returns what it prints."""
    readme = RULES.sub(lambda found: found[1] + rules_table(vramlens("rule")), readme)
    return SAMPLE.sub(lambda found: found[1] + sample(found[3], vramlens(*found[2].split())) + found[4], readme)


def rules_table(listed):
    rows = [re.split(r"  +", line, maxsplit=2) for line in listed.splitlines()]
    return "".join(f"| {code} | {name} | {summary} |\n" for code, name, summary in rows)


def sample(shown, printed):
    if LEFT_OUT not in shown:
        return printed
    *findings, last = printed.strip("\n").split("\n\n")
    kept = [finding for finding in findings if set(PLACE.findall(finding)) & set(PLACE.findall(shown))]
    return "\n\n".join([*kept, LEFT_OUT]) + last + "\n"


def main(program):
    def vramlens(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout

    path = pathlib.Path("README.md")
    path.write_text(refreshed(path.read_text(encoding="utf-8"), vramlens), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
