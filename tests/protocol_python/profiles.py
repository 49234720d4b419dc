"""The `initialize` requests that real editors sent, word for word, and a client that sends them again."""

import json
import os
import pathlib

import pytest_lsp
from lsprotocol import types as lsp
from pygls.protocol import default_converter
from pytest_lsp.client import register_lsp_features

FOLDER = pathlib.Path(__file__).parent / "capabilities"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


def recorded(name):
    """The params of the `initialize` request that this editor sent."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


class RecordedParams(lsp.InitializeParams):
    """Params that go over the wire as recorded, with the fields that the generated types do not know."""

    def __init__(self, params, root):
        self.as_sent = at_root(params, root)
        known = default_converter().structure(self.as_sent, lsp.InitializeParams)
        super().__init__(capabilities=known.capabilities, process_id=os.getpid())
        self.as_sent["processId"] = self.process_id


def at_root(params, root):
    """The recorded params with the recorded place of the workspace replaced by `root`."""
    return json.loads(json.dumps(params).replace("file:///workspace", root.as_uri()))


def make_client():
    """pytest-lsp's client, able to send recorded params, to take registrations and to be told that hints changed."""

    def converter_factory():
        converter = default_converter()
        usual = converter.get_unstructure_hook(lsp.InitializeRequest)

        def unstructure(request):
            as_sent = getattr(request.params, "as_sent", None)
            return usual(request) | ({"params": as_sent} if as_sent else {})

        converter.register_unstructure_hook(lsp.InitializeRequest, unstructure)
        return converter

    client = pytest_lsp.LanguageClient(converter_factory=converter_factory)
    register_lsp_features(client)
    client.registrations = []

    @client.feature(lsp.CLIENT_REGISTER_CAPABILITY)
    def register(params):
        client.registrations += params.registrations

    client.hint_refreshes = 0

    @client.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)
    def refresh_hints(params):
        client.hint_refreshes += 1

    return client
