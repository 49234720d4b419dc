#!/usr/bin/env python3
"""Stands between a client and a language server, passes every byte on, and writes down what was said.

    record.py RECORDING -- SERVER [ARGUMENT...]

RECORDING becomes one JSON object a line, in the order things happened:

    {"from": "client", "message": {...}}    a whole message, written down before it is passed on
    {"from": "server", "stray": "..."}      bytes on the wire that belong to no message
    {"from": "client", "signal": 15}        the client sent the server a signal
    {"from": "server", "exit": 0}           the server ended; null when it did not and was killed

It needs nothing but the standard library, so that any editor can start it in place of the server.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading

# How long the server may take to end by itself once it was told to, or its input was closed.
PATIENCE_SECONDS = float(os.environ.get("RECORD_PATIENCE_SECONDS", "15"))
CHUNK = 65536
HEADER_BLOCK = re.compile(rb"(?:[A-Za-z-]+:[^\r\n]*\r\n)+\r\n")
CONTENT_LENGTH = re.compile(rb"^content-length:[ \t]*(\d+)[ \t]*\r$", re.IGNORECASE | re.MULTILINE)


class Recording:
    """The file that is written, one whole line at a time, by both directions."""

    def __init__(self, path):
        self._file = open(path, "a", encoding="utf-8")
        self._lock = threading.RLock()

    def write(self, speaker, **what):
        # A signal may interrupt the main thread while it writes; it must be able to write as well.
        with self._lock:
            self._file.write(json.dumps({"from": speaker, **what}) + "\n")
            self._file.flush()


class Frames:
    """Cuts a stream of bytes into messages; keeps whatever is no message as `stray`."""

    def __init__(self):
        self._waiting = b""

    def feed(self, data):
        """Yields ("message", value) and ("stray", text) for what `data` completes."""
        self._waiting += data
        while header := HEADER_BLOCK.search(self._waiting):
            if header.start() > 0:
                yield "stray", text(self._waiting[: header.start()])
            length = CONTENT_LENGTH.search(header[0])
            if length is None:
                yield "stray", text(header[0])
                self._waiting = self._waiting[header.end() :]
                continue
            end = header.end() + int(length[1])
            if len(self._waiting) < end:
                self._waiting = self._waiting[header.start() :]
                return
            body, self._waiting = self._waiting[header.end() : end], self._waiting[end:]
            yield decoded(body)

    def finish(self):
        """What was left unfinished when the stream ended."""
        return text(self._waiting)


def decoded(body):
    try:
        return "message", json.loads(body)
    except ValueError:
        return "stray", text(body)


def text(data):
    return data.decode("utf-8", "backslashreplace")


def pass_on(speaker, source, target, recording):
    """Copies `source` to `target` until it ends; yields each message once it is written down and passed on."""
    frames = Frames()
    while data := os.read(source, CHUNK):
        seen = list(frames.feed(data))
        for kind, what in seen:
            recording.write(speaker, **{kind: what})
        # When the other side is gone, the rest is still written down, and read off the pipe.
        with contextlib.suppress(OSError):
            write_all(target, data)
        yield from (what for kind, what in seen if kind == "message")
    if rest := frames.finish():
        recording.write(speaker, stray=rest)


def write_all(target, data):
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def from_client(server, recording, last_call):
    """Passes on what the client says; `last_call` is set when the server has been told to end."""
    for message in pass_on("client", 0, server.stdin.fileno(), recording):
        if isinstance(message, dict) and message.get("method") == "exit":
            last_call.set()
    server.stdin.close()
    last_call.set()


def from_server(server, recording):
    """Passes on what the server says."""
    for _message in pass_on("server", server.stdout.fileno(), 1, recording):
        pass


def end_if_it_stays(server, recording, last_call):
    """Kills a server that does not end in good time after it was told to."""
    last_call.wait()
    try:
        server.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        recording.write("server", exit=None)
        server.kill()


def pass_signals_on(server, recording):
    """An editor that loses patience ends the server by a signal."""

    def pass_signal_on(number, _frame):
        recording.write("client", signal=number)
        server.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, pass_signal_on)


def main():
    path, separator, *command = sys.argv[1:]
    if separator != "--" or not command:
        sys.exit(__doc__)
    recording, last_call = Recording(path), threading.Event()
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    pass_signals_on(server, recording)

    threading.Thread(target=from_client, args=(server, recording, last_call), daemon=True).start()
    threading.Thread(target=end_if_it_stays, args=(server, recording, last_call), daemon=True).start()
    answers = threading.Thread(target=from_server, args=(server, recording))
    answers.start()
    status = server.wait()
    answers.join()
    recording.write("server", exit=status)
    # The thread that reads the client may still wait for bytes that will never come.
    os._exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
