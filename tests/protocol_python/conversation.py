#!/usr/bin/env python3
"""Reads a recording of a whole session and says everything the server did wrong in it.

    conversation.py RECORDING...

The recordings are what `record.py` writes. What a client sends is followed but not judged: fields that an
editor invents are the editor's business.
"""

import json
import pathlib
import sys
import time

import promises
import wire
from lsprotocol import types as lsp

# All that a server may send before it has answered `initialize`.
ALLOWED_BEFORE_INITIALIZED = {
    lsp.WINDOW_SHOW_MESSAGE,
    lsp.WINDOW_LOG_MESSAGE,
    lsp.WINDOW_SHOW_MESSAGE_REQUEST,
    lsp.TELEMETRY_EVENT,
    lsp.PROGRESS,
}


class Conversation:
    """What has been said so far, as far as it decides whether the next message is right."""

    def __init__(self):
        self.client = {}
        self.server = {}
        self._open = {"client": {}, "server": {}}
        self._said_by_client = []
        self._signals, self._exits = [], []

    def faults(self, entry):
        """What the server did wrong in this entry of the recording."""
        if "message" in entry:
            message = entry["message"]
            if entry["from"] == "client":
                self._follow_client(message)
                return []
            return self._message_faults(message)
        if entry["from"] == "client":
            self._signals += [-entry["signal"]] if "signal" in entry else []
            return []
        if "stray" in entry:
            return [f"bytes that belong to no message: {wire.brief(entry['stray'])}"]
        self._exits.append(entry["exit"])
        return []

    def faults_at_end(self):
        """What is wrong with how the session ended."""
        if self._exits and self._exits[0] in self._signals:
            return []
        found = [f"no answer to {method} (id {key[1]!r})" for key, method in self._open["client"].items()]
        status = self._exits[0] if self._exits else None
        if status is None:
            return [*found, "did not end by itself"]
        # An editor that quits may leave without `exit`; what the status is then, the protocol does not say.
        orderly = self._said_by_client[-2:] == [lsp.SHUTDOWN, lsp.EXIT]
        wanted = [0] if orderly else [1] if lsp.EXIT in self._said_by_client else [0, 1]
        return found if status in wanted else [*found, f"ended with status {status}, wanted one of {wanted}"]

    def _follow_client(self, message):
        if not isinstance(message, dict):
            return
        method = message.get("method")
        if method is None:
            self._open["server"].pop(key_of(message), None)
            return
        self._said_by_client.append(method)
        if method == lsp.INITIALIZE:
            self.client = message["params"]
        if "id" in message:
            self._open["client"][key_of(message)] = method

    def _message_faults(self, message):
        if not isinstance(message, dict):
            return [f"a message that is no object: {wire.brief(message)}"]
        found = [] if message.get("jsonrpc") == "2.0" else ["jsonrpc is not 2.0"]
        if "method" in message:
            return found + self._call_faults(message)
        return found + self._answer_faults(message)

    def _call_faults(self, message):
        """Faults of a request or a notification that the server sent."""
        method = message["method"]
        if method not in lsp.METHOD_TO_TYPES:
            return [f"{wire.brief(method)}: the protocol has no such method"]
        found = unknown_fields(message, {"jsonrpc", "id", "method", "params"}, method)
        if lsp.message_direction(method) == "clientToServer":
            found.append(f"{method}: is for clients to send")
        if not self.server and method not in ALLOWED_BEFORE_INITIALIZED:
            found.append(f"{method}: sent before initialize was answered")

        request, response, *_ = lsp.METHOD_TO_TYPES[method]
        if (response is not None) != ("id" in message):
            found.append(f"{method}: {'has' if 'id' in message else 'lacks'} an id")
        elif "id" in message:
            found += self._open_request(message, method)
        found += params_faults(message, request, method)
        return found or promises.call_faults(method, message.get("params"), self.client, self.server)

    def _open_request(self, message, method):
        key = key_of(message)
        if key[0] not in ("int", "str"):
            return [f"{method}: the id {wire.brief(message['id'])} is neither a number nor a string"]
        if key in self._open["server"]:
            return [f"{method}: the id {message['id']!r} is still in use"]
        self._open["server"][key] = method
        return []

    def _answer_faults(self, message):
        """Faults of an answer to a request of the client."""
        if "id" not in message:
            return [f"a message with neither method nor id: {wire.brief(message)}"]
        method = self._open["client"].pop(key_of(message), None)
        if method is None:
            return [f"an answer to no open request: id {message['id']!r}"]
        found = unknown_fields(message, {"jsonrpc", "id", "result", "error"}, method)
        if ("result" in message) == ("error" in message):
            return [*found, f"{method}: wanted exactly one of result and error"]
        if "error" in message:
            return found + wire.faults(message["error"], lsp.ResponseError, f"{method} error")
        if method not in lsp.METHOD_TO_TYPES:
            return [*found, f"{method}: answered although the protocol has no such method"]

        result, (_, response, *_) = message["result"], lsp.METHOD_TO_TYPES[method]
        found += wire.faults(result, wire.result_hint(response), method)
        if method == lsp.INITIALIZE and not found:
            self.server = result
        return found or promises.answer_faults(method, result, self.client)


def key_of(message):
    """What tells requests apart: 1 and "1" are two ids."""
    return type(message.get("id")).__name__, message.get("id")


def unknown_fields(message, known, method):
    return [f"{method}: {name!r} is no field of a message" for name in message if name not in known]


def params_faults(message, request, method):
    hint, required = wire.params_hint(request)
    if "params" not in message:
        return [f"{method}: lacks params"] if required else []
    return wire.faults(message["params"], hint, method)


def entries(path):
    """What was recorded at `path`, as far as its lines are whole."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def read(path):
    """Every fault in the recording at `path`, each with the line it stands on."""
    conversation, found = Conversation(), []
    for number, entry in enumerate(entries(path), 1):
        found += [f"{number}: {fault}" for fault in conversation.faults(entry)]
    return found + [f"end: {fault}" for fault in conversation.faults_at_end()]


def wait_for_end(path, limit_seconds=60):
    """Waits until the server whose traffic goes to `path` has ended; an editor may leave before it."""
    deadline = time.monotonic() + limit_seconds
    while not any("exit" in entry for entry in entries(path)):
        assert time.monotonic() < deadline, f"the server still runs after {limit_seconds} s"
        time.sleep(0.02)


def main(paths):
    found = [f"{path}:{fault}" for path in paths for fault in read(path)]
    print("\n".join(found) or f"{len(paths)} recordings, no fault")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
