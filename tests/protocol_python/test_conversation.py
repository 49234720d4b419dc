"""The judge is judged: a good session passes, and each way to get a message wrong is named."""

import copy
import json
import subprocess
import sys

import conversation
import profiles
import pytest
import record

POSITION = {"line": 0, "character": 0}
RANGE = {"start": POSITION, "end": POSITION}
DIAGNOSTIC = {"range": RANGE, "message": "Kept.", "severity": 2, "code": "OOM101", "source": "vramlens"}
HOVER = {"contents": {"kind": "markdown", "value": "**`gpt2`: 475 MiB**"}, "range": RANGE}
ACTION = {"title": "Add `.item()`", "kind": "quickfix", "edit": {"changes": {"file:///a.py": []}}}
GONE = object()
PUBLISH = {"uri": "file:///a.py", "version": 1, "diagnostics": [DIAGNOSTIC]}


def client(method, params=None, id=None):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return {"from": "client", "message": message | ({} if id is None else {"id": id})}


def server(**fields):
    return {"from": "server", "message": {"jsonrpc": "2.0", **fields}}


def good_session():
    """A short session without a fault, as `record.py` would write it down."""
    return {
        "initialize": client("initialize", profiles.recorded("neovim-0.7.2"), id=1),
        "initialize answer": server(id=1, result={"capabilities": {"textDocumentSync": 2}}),
        "publish": server(method="textDocument/publishDiagnostics", params=copy.deepcopy(PUBLISH)),
        "ask": client("textDocument/codeAction", {}, id=2),
        "ask answer": server(id=2, result=[copy.deepcopy(ACTION)]),
        "point": client("textDocument/hover", {}, id=4),
        "point answer": server(id=4, result=copy.deepcopy(HOVER)),
        "shutdown": client("shutdown", id=3),
        "shutdown answer": server(id=3, result=None),
        "exit": client("exit"),
        "end": {"from": "server", "exit": 0},
    }


def faults_of(session, tmp_path):
    path = tmp_path / "traffic.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in session.values()))
    return conversation.read(path)


def test_a_good_session_passes(tmp_path):
    assert faults_of(good_session(), tmp_path) == []


def test_an_editor_may_end_the_server_by_a_signal(tmp_path):
    session = good_session()
    for name in ("shutdown answer", "exit"):
        del session[name]
    session["end"] = {"from": "client", "signal": 15}
    session["ended"] = {"from": "server", "exit": -15}
    assert faults_of(session, tmp_path) == []


def change(entry, *path, to):
    """A mistake: what stands at `path` of the message in `entry` becomes `to`, or is gone."""

    def make(session):
        *parents, last = path
        value = session[entry]["message"]
        for name in parents:
            value = value[name]
        if to is GONE:
            del value[last]
        else:
            value[last] = to

    return make


def insert(before, **entries):
    """A mistake: the server says something more, before this entry."""

    def make(session):
        whole = dict(session)
        session.clear()
        for name, entry in whole.items():
            if name == before:
                session.update(entries)
            session[name] = entry

    return make


def refuse(session, capability, field, value):
    """A mistake: the client says no to a field of diagnostics, and the server sends it."""
    capabilities = session["initialize"]["message"]["params"]["capabilities"]
    capabilities["textDocument"]["publishDiagnostics"][capability] = False
    session["publish"]["message"]["params"]["diagnostics"][0][field] = value


def crash_unasked(session):
    """A mistake: the server dies of itself, before anything told it to end."""
    for name in ("shutdown", "shutdown answer", "exit"):
        del session[name]
    session["end"] = {"from": "server", "exit": -11}


def registration(method, options=None):
    params = {"registrations": [{"id": "1", "method": method, "registerOptions": options or {}}]}
    return server(id="r", method="client/registerCapability", params=params)


FIRST = ("params", "diagnostics", 0)
MISTAKES = {
    "a string for a number": (change("publish", *FIRST, "range", "start", "line", to="0"), "wanted int"),
    "a number for a string": (change("publish", *FIRST, "message", to=5), "wanted str"),
    "true for a number": (change("publish", "params", "version", to=True), "wanted int"),
    "a negative position": (change("publish", *FIRST, "range", "end", "character", to=-1), "character"),
    "a missing field": (change("publish", *FIRST, "range", "end", to=GONE), "range.end: missing"),
    "an unknown field": (change("publish", *FIRST, "rule", to="x"), "rule: not in Diagnostic"),
    "a null severity": (change("publish", *FIRST, "severity", to=None), "may be left out but not null"),
    "a null version": (change("publish", "params", "version", to=None), "may be left out but not null"),
    "an unknown severity": (change("publish", *FIRST, "severity", to=9), "no DiagnosticSeverity"),
    "an unknown method": (change("publish", "method", to="textDocument/findings"), "no such method"),
    "a method of clients": (change("publish", "method", to="textDocument/didSave"), "for clients"),
    "a notification with an id": (change("publish", "id", to=7), "has an id"),
    "no jsonrpc": (change("publish", "jsonrpc", to=GONE), "jsonrpc"),
    "a field beside params": (change("publish", "time", to=5), "'time' is no field"),
    "no result": (change("shutdown answer", "result", to=GONE), "exactly one"),
    "a result and an error": (change("shutdown answer", "error", to={"code": 1, "message": "x"}), "exactly one"),
    "an id of another type": (change("ask answer", "id", to="2"), "no open request"),
    "a kind that is no string": (change("ask answer", "result", 0, "kind", to=1), "kind"),
    "an object for a list": (change("ask answer", "result", to={"actions": []}), "wanted"),
    "a wrong sync kind": (change("initialize answer", "result", "capabilities", "textDocumentSync", to=9), "Sync"),
    "an encoding not offered": (
        change("initialize answer", "result", "capabilities", "positionEncoding", to="utf-8"),
        "chose utf-8",
    ),
    "a hover in another form": (change("point answer", "result", "contents", "kind", to="plaintext"), "wanted markdown"),
    "a hover with HTML": (change("point answer", "result", "contents", "value", to="a<br>b"), "HTML in Markdown"),
    "an unknown form": (change("point answer", "result", "contents", "kind", to="html"), "no MarkupKind"),
    "undeclared documentChanges": (change("ask answer", "result", 0, "edit", to={"documentChanges": []}), "documentCh"),
    "refused tags": (lambda session: refuse(session, "tagSupport", "tags", [1]), "tags although"),
    "refused code descriptions": (
        lambda session: refuse(session, "codeDescriptionSupport", "codeDescription", {"href": "https://example.org"}),
        "codeDescription although",
    ),
    "a push beside pulls": (
        change(
            "initialize answer",
            "result",
            "capabilities",
            "diagnosticProvider",
            to={"interFileDependencies": False, "workspaceDiagnostics": False},
        ),
        "pushed although pulls",
    ),
    "words on the wire": (insert("publish", noise={"from": "server", "stray": "hello"}), "belong to no message"),
    "a message that is a list": (insert("publish", batch={"from": "server", "message": []}), "no object"),
    "a message too early": (insert("initialize answer", early=good_session()["publish"]), "before initialize"),
    "a second answer": (insert("exit", again=server(id=3, result=None)), "no open request"),
    "an undeclared request": (
        insert("publish", refresh=server(id=9, method="workspace/diagnostic/refresh")),
        "did not declare that it can refresh",
    ),
    "an undeclared registration": (
        insert("publish", register=registration("workspace/didChangeWatchedFiles", {"watchers": []})),
        "registered although",
    ),
    "wrong registration options": (
        insert("publish", register=registration("workspace/didChangeWatchedFiles", {"watch": []})),
        "watchers: missing",
    ),
    "no answer": (lambda session: session.pop("ask answer"), "no answer to textDocument/codeAction"),
    "a failing exit": (lambda session: session.update(end={"from": "server", "exit": 1}), "status 1"),
    "a crash": (lambda session: session.update(end={"from": "server", "exit": -11}), "status -11"),
    "a crash without a word": (crash_unasked, "status -11"),
    "no end": (lambda session: session.update(end={"from": "server", "exit": None}), "did not end"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(mistake, tmp_path):
    make, words = MISTAKES[mistake]
    session = good_session()
    make(session)
    faults = faults_of(session, tmp_path)
    assert any(words in fault for fault in faults), faults


SPEAKER = """
import sys
sys.stdin.buffer.readline()
sys.stdout.buffer.write(b'note\\nContent-Length: 2\\r\\n\\r\\n{}' b'Content-Length: 9\\r\\n\\r\\n{')
sys.exit(4)
"""


def test_the_recorder_keeps_all_and_changes_nothing(tmp_path):
    path = tmp_path / "traffic.jsonl"
    said = b'Content-Length: 4\r\n\r\n"\xc3\xa9"'
    command = [sys.executable, record.__file__, path, "--", sys.executable, "-c", SPEAKER]
    ran = subprocess.run(command, input=said, capture_output=True, timeout=60, check=False)
    assert ran.returncode == 4
    assert ran.stdout == b"note\nContent-Length: 2\r\n\r\n{}Content-Length: 9\r\n\r\n{"
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    assert [entry for entry in entries if entry["from"] == "client"] == [{"from": "client", "message": "é"}]
    assert [entry for entry in entries if entry["from"] == "server"] == [
        {"from": "server", "stray": "note\n"},
        {"from": "server", "message": {}},
        {"from": "server", "stray": "Content-Length: 9\r\n\r\n{"},
        {"from": "server", "exit": 4},
    ]


def test_a_server_that_stays_is_ended(tmp_path, monkeypatch):
    monkeypatch.setenv("RECORD_PATIENCE_SECONDS", "1")
    path = tmp_path / "traffic.jsonl"
    stays = "import time\nwhile True: time.sleep(60)"
    command = [sys.executable, record.__file__, path, "--", sys.executable, "-c", stays]
    subprocess.run(command, input=b"", capture_output=True, timeout=60, check=False)
    assert json.loads(path.read_text().splitlines()[0]) == {"from": "server", "exit": None}
