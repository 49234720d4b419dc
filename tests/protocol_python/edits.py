"""Positions and edits as a client sees them: lines, and characters in the negotiated encoding."""

import re

from lsprotocol import types as lsp

LINE_END = re.compile("\r\n|\n|\r")
UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
CODEC = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


def offset(text, position, encoding):
    """The index into `text` of a position; it must exist and must not split a character."""
    starts = [0, *(end.end() for end in LINE_END.finditer(text))]
    start = starts[position.line]
    line = LINE_END.split(text[start:], maxsplit=1)[0].encode(CODEC[encoding])
    length = position.character * UNIT_BYTES[encoding]
    assert length <= len(line), f"{position} is past the end of its line"
    return start + len(line[:length].decode(CODEC[encoding]))


def covered(text, place, encoding):
    """The part of `text` that a range covers."""
    return text[offset(text, place.start, encoding) : offset(text, place.end, encoding)]


def applied(text, changes, encoding):
    """The text after edits that all speak of `text` as it is."""
    spots = [(offset(text, e.range.start, encoding), offset(text, e.range.end, encoding), e.new_text) for e in changes]
    for start, end, new in sorted(spots, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def text_edits(edit, uri, version):
    """The edits for one document in a workspace edit, in whichever form they came."""
    if edit.document_changes is None:
        assert list(edit.changes) == [uri]
        return edit.changes[uri]
    [change] = edit.document_changes
    assert isinstance(change, lsp.TextDocumentEdit)
    assert (change.text_document.uri, change.text_document.version) == (uri, version)
    return change.edits
